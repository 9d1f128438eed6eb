//! `awari test-engine` and `awari match` with real engines: our own, with and without tables, and
//! scripts that do everything wrong.

mod program;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use program::{Run, awari, command, databases};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Our engine as a command: with the tables of a directory, or without any.
fn ours(dir: Option<&Path>) -> String {
    let dir = dir.map_or("nowhere".to_owned(), |dir| dir.display().to_string());
    format!("'{}' engine --dir '{dir}' --rules awari", env!("CARGO_BIN_EXE_awari"))
}

/// A script in `dir` that is no good engine.
fn script(dir: &TempDir, name: &str, text: &str) -> String {
    let path = dir.path().join(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    format!("'{}'", path.display())
}

/// A script that answers to `go` with `answer`, a shell command.
fn answering(dir: &TempDir, name: &str, answer: &str) -> String {
    let text = format!(
        "while read -r word rest; do case $word in uci) echo uciok;; isready) echo readyok;; \
         quit) exit;; go) {answer};; esac; done"
    );
    script(dir, name, &text)
}

fn test_engine(arguments: &[&str]) -> Run {
    awari(databases(), &[&["test-engine", "--json"], arguments].concat())
}

#[test]
fn with_tables_every_move_is_best_and_without_some_are_not() {
    let with = ours(Some(databases()));
    let without = ours(None);
    let run = test_engine(&[
        "--engine",
        &with,
        "--engine",
        &without,
        "--stones",
        "4..8",
        "--count",
        "100",
        "--search-depth",
        "2",
        "--only-one-best",
        "--concurrency",
        "2",
        "--engine-option",
        "Hash=1",
    ])
    .exits(0);
    let report = &run.json()[0];
    let [perfect, blind] = [&report["engines"][0], &report["engines"][1]];
    assert_eq!(perfect["answered"], 100);
    assert_eq!(perfect["best"]["value"], 1.0);
    assert_eq!(perfect["loss"]["value"], 0.0);
    assert_eq!(blind["answered"], 100);
    let (best, loss) = (blind["best"]["value"].as_f64().unwrap(), blind["loss"]["value"].as_f64().unwrap());
    assert!((0.3..1.0).contains(&best) && (0.05..4.0).contains(&loss), "{blind}");
    let difference = &report["difference"];
    assert_eq!(difference["positions"], 100);
    assert!((difference["loss"]["value"].as_f64().unwrap() + loss).abs() < 1e-9);
    assert_eq!(difference["better"][1], 0);
    let stones: Vec<&String> = perfect["by_stones"].as_object().unwrap().keys().collect();
    assert!(stones.iter().all(|stones| (4..=8).contains(&stones.parse::<u32>().unwrap())), "{stones:?}");
    // The same positions and answers once more, as text and as a table.
    let again = awari(
        databases(),
        &[
            "test-engine",
            "--csv",
            "--engine",
            &with,
            "--stones",
            "4..8",
            "--count",
            "5",
            "--search-depth",
            "2",
        ],
    )
    .exits(0);
    assert_eq!(again.stdout.lines().count(), 6, "{}", again.stdout);
    assert!(again.stdout.starts_with("engine,board,stones,value,move,move_value,loss,best,fault\n"));
}

#[test]
fn engines_that_do_everything_wrong_are_named_and_the_run_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let cases = [
        (script(&dir, "gone", "exit 3"), "not started"),
        ("/no/such/engine".to_owned(), "not started"),
        (answering(&dir, "hung", "sleep 1000"), "hung"),
        (answering(&dir, "dies", "exit"), "gone"),
        (answering(&dir, "closes", "exec >&-"), "gone"),
        (answering(&dir, "babbles", "echo bestmove over the hills"), "no move in the answer"),
        (answering(&dir, "nobody", "echo bestmove 0000"), "no move in the answer"),
        (answering(&dir, "cheats", "echo bestmove f"), "illegal move"),
        (answering(&dir, "floods", "while true; do echo info string no end of it; done"), "hung"),
    ];
    for (engine, kind) in cases {
        // Only those that never answer are waited for in vain.
        let patience = if kind == "hung" { "1" } else { "60" };
        let run = test_engine(&[
            "--engine",
            &engine,
            "--stones",
            "5",
            "--count",
            "3",
            "--movetime",
            "10",
            "--patience",
            patience,
        ])
        .exits(1);
        let figures = &run.json()[0]["engines"][0];
        assert_eq!(figures["answered"], 0, "{engine}: {figures}");
        assert_eq!(figures["fault_kinds"][kind][0], 3, "{engine}: {figures}");
        run.says(&["3 answers are missing"]);
    }
    assert_eq!(running(&dir), Vec::<String>::new());
    let run = test_engine(&["--engine", "/no/such/engine", "--stones", "5", "--count", "1"]).exits(1);
    run.prints(&["it ends at once: ", "not found"]);
}

/// The command lines of what runs out of a directory.
fn running(dir: &TempDir) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path().join("cmdline"));
    let commands = processes.filter_map(|path| fs::read(path).ok());
    let commands = commands.map(|command| String::from_utf8_lossy(&command).into_owned());
    commands.filter(|command| command.contains(dir.path().to_str().unwrap())).collect()
}

/// Waits for something that has to come.
fn wait_for(what: &str, come: impl Fn() -> bool) {
    for _ in 0..1_200 {
        if come() {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("{what} never came");
}

#[test]
fn who_does_not_listen_or_talks_without_end_stops_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let arguments = |engine: &str| {
        ["--engine", engine, "--stones", "5", "--count", "3", "--movetime", "1"].map(str::to_owned)
    };
    let run = |engine: &str| test_engine(&arguments(engine).each_ref().map(String::as_str));
    // It never reads: after some hundred questions its pipe is full.
    let deaf = script(&dir, "deaf", "while true; do echo uciok; echo readyok; echo bestmove e; done");
    let report = test_engine(&["--engine", &deaf, "--stones", "5", "--count", "1200"]).exits(1);
    let kinds = &report.json()[0]["engines"][0]["fault_kinds"];
    assert!(kinds["hung"][1].as_str().unwrap().contains("does not read its input"), "{kinds}");
    assert!(kinds["illegal move"][0].as_u64().unwrap() > 100, "{kinds}");
    // What it calls itself and can be set to is cut.
    let text = "read -r uci; printf 'id name \\033[31m'; head -c 1000000 /dev/zero | tr '\\0' x; echo
        yes 'option name x type check' | head -n 100000; echo uciok
        while read -r word rest; do case $word in isready) echo readyok;; go) echo bestmove 0000;; esac; done";
    let report = run(&script(&dir, "talks", text)).exits(1);
    let name = &report.json()[0]["engines"][0]["name"];
    assert_eq!(name.as_str().unwrap(), format!("[31m{}", "x".repeat(76)));
    // It answers, and answers once more than it is asked: a late answer is no answer.
    let twice = answering(&dir, "twice", "echo bestmove 0000; sleep 0.3; echo bestmove A");
    let report = run(&twice).exits(1);
    assert_eq!(report.json()[0]["engines"][0]["fault_kinds"]["no move in the answer"][0], 3);
    // Well-behaved, but there is no end of it.
    let ours = ours(Some(databases()));
    let stays = script(&dir, "stays", &format!("trap '' TERM INT HUP\n{ours}\nsleep 1000"));
    let report = run(&stays).exits(0);
    assert_eq!(report.json()[0]["engines"][0]["best"]["value"], 1.0);
    assert_eq!(running(&dir), Vec::<String>::new());
}

#[test]
fn no_engine_outlives_the_program() {
    let dir = tempfile::tempdir().unwrap();
    let begun = dir.path().join("begun");
    let answer = format!("touch '{}'; trap '' TERM INT HUP; sleep 1000; sleep 1000", begun.display());
    let hung = answering(&dir, "hung", &answer);
    let test = ["test-engine", "--engine", &hung, "--stones", "5", "--count", "4", "--concurrency", "2"];
    let play = ["match", "--engine", &hung, "--engine", &hung, "--concurrency", "2"];
    for arguments in [&test[..], &play] {
        for (signal, code) in [(Signal::INT, Some(130)), (Signal::TERM, None), (Signal::KILL, None)] {
            let arguments = [arguments, &["--patience", "600"]].concat();
            let mut child = command(databases(), &arguments).stderr(Stdio::null()).spawn().unwrap();
            wait_for("a search", || begun.exists());
            assert!(!running(&dir).is_empty());
            kill_process(Pid::from_child(&child), signal).unwrap();
            assert_eq!(child.wait().unwrap().code(), code, "{signal:?}");
            wait_for("the end of the engines", || running(&dir).is_empty());
            fs::remove_file(&begun).unwrap();
        }
    }
}

#[test]
fn one_engine_can_be_set_otherwise_and_suites_have_moves() {
    let dir = tempfile::tempdir().unwrap();
    let engine = ours(Some(databases()));
    let limits = ["--search-depth", "1", "--engine-option", "Hash=1", "--engine-option", "B:UseTables=false"];
    let sample = ["sample", "--stones", "6..8", "--count", "40", "--reachable", "--format", "auale"];
    let sample = awari(databases(), &sample).exits(0);
    assert!(sample.stdout.lines().all(|line| line.contains(" moves ")), "{}", sample.stdout);
    let suite = dir.path().join("suite.txt");
    fs::write(&suite, format!("# from games\n\n{}", sample.stdout)).unwrap();
    let both = ["--engine", &engine, "--engine", &engine, "--suite", suite.to_str().unwrap()];
    let run = test_engine(&[&both[..], &limits].concat()).exits(0);
    let report = &run.json()[0];
    assert_eq!(report["positions"], 40);
    let [with, without] = [0, 1].map(|engine| &report["engines"][engine]);
    assert_eq!(with["best"]["value"], 1.0);
    assert!(without["best"]["value"].as_f64().unwrap() < 1.0, "{without}");
    // Every outcome that got worse is of one kind, and of one number of stones.
    let sum = |values: &serde_json::Value, count: &dyn Fn(&serde_json::Value) -> f64| -> f64 {
        values.as_object().unwrap().values().map(count).sum()
    };
    let kinds = sum(&without["blunder_kinds"], &|count| count.as_f64().unwrap());
    let by_stones = sum(&without["by_stones"], &|row| {
        row["blunders"]["value"].as_f64().unwrap() * row["answered"].as_f64().unwrap()
    });
    let all = without["blunders"]["value"].as_f64().unwrap() * 40.0;
    assert!((kinds - all).abs() < 1e-9 && (by_stones - all).abs() < 1e-9, "{without}");
    let row = &without["by_stones"]["8"];
    let [low, mean, high] = ["low", "value", "high"].map(|key| row["loss"][key].as_f64().unwrap());
    assert!(low <= mean && mean <= high && (mean - row["mean_loss"].as_f64().unwrap()).abs() < 1e-9, "{row}");
    // As openings of games. Those above are won already, some of them.
    let sample = ["sample", "--stones", "8", "--count", "4", "--format", "auale"];
    fs::write(&suite, awari(databases(), &sample).exits(0).stdout).unwrap();
    let openings = ["match", "--json", "--games", "4", "--openings", suite.to_str().unwrap()];
    let play = [&openings[..], &both[..4], &limits].concat();
    assert_eq!(awari(databases(), &play).exits(0).json()[0]["ends"]["tables"], 4);
    fs::write(&suite, "startpos moves FeX\n").unwrap();
    awari(databases(), &play).exits(1).says(&["suite.txt: line 1:", "\"X\""]);
}

/// Noise of a busy machine may cost a game; an engine that takes more than it has loses them all, also
/// with a clock that no noise empties.
#[test]
fn a_short_clock_is_enough() {
    let dir = tempfile::tempdir().unwrap();
    let engine = ours(None);
    let both = ["match", "--json", "--engine", &engine, "--engine", &engine, "--engine-option", "Hash=16"];
    let mut said = Vec::new();
    for (seed, time) in [("1", "3s"), ("2", "10s"), ("3", "40s")] {
        let out = dir.path().join(format!("{seed}.ogn"));
        let rest = ["--games", "2", "--concurrency", "2", "--time", time, "--seed", seed, "--play-on"];
        let out = ["--games-out", out.to_str().unwrap()];
        let run = awari(databases(), &[&both[..], &rest, &out].concat());
        let report = run.json().remove(0);
        assert_eq!(report["games"], 2, "{run:?}");
        if report["faults"].as_array().unwrap().is_empty() {
            return;
        }
        said.push(report);
    }
    panic!("{said:?}");
}

#[test]
fn a_match_is_scored_by_the_tables_and_its_games_can_be_graded() {
    let dir = tempfile::tempdir().unwrap();
    let (with, without) = (ours(Some(databases())), ours(None));
    let out = dir.path().join("match.ogn");
    let run = awari(
        databases(),
        &[
            "match",
            "--json",
            "--engine",
            &with,
            "--engine",
            &without,
            "--games",
            "6",
            "--search-depth",
            "3",
            "--engine-option",
            "Hash=1",
            "--concurrency",
            "2",
            "--games-out",
            out.to_str().unwrap(),
        ],
    )
    .exits(0);
    let report = &run.json()[0];
    assert_eq!(report["games"], 6);
    let count = |name: &str| report[name].as_u64().unwrap();
    assert_eq!(count("wins") + count("draws") + count("losses"), 6);
    let graded = awari(databases(), &["grade", "--json", out.to_str().unwrap()]).exits(0);
    assert!(!graded.stdout.is_empty());
    // Never over a file that is there.
    awari(
        databases(),
        &["match", "--engine", &with, "--engine", &with, "--games-out", out.to_str().unwrap()],
    )
    .exits(1)
    .says(&["match.ogn: in the way"]);
}

#[test]
fn endings_are_won_as_the_tables_say() {
    let dir = tempfile::tempdir().unwrap();
    // Worth 2 to the player to move, 6 and 6 stones captured on either side of 8 on the board.
    let sample = awari(
        databases(),
        &[
            "sample",
            "--stones",
            "8",
            "--count",
            "4",
            "--value",
            "win",
            "--only-one-best",
            "--format",
            "auale",
        ],
    )
    .exits(0);
    let openings = dir.path().join("openings.txt");
    fs::write(&openings, &sample.stdout).unwrap();
    let with = ours(Some(databases()));
    let arguments = [
        "match",
        "--json",
        "--engine",
        &with,
        "--engine",
        &with,
        "--games",
        "8",
        "--search-depth",
        "1",
        "--engine-option",
        "Hash=1",
        "--openings",
        openings.to_str().unwrap(),
    ];
    let adjudicated = awari(databases(), &arguments).exits(0);
    let report = &adjudicated.json()[0];
    assert_eq!(report["ends"]["tables"], 8, "{report}");
    // Whoever moves first wins: each engine four times.
    assert_eq!((report["wins"].as_u64(), report["losses"].as_u64()), (Some(4), Some(4)), "{report}");
}

#[test]
fn a_fault_loses_the_game_and_the_match_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let (with, cheats) = (ours(None), answering(&dir, "cheats", "echo bestmove e"));
    let slow = answering(&dir, "slow", "sleep 2; echo bestmove A");
    let run = |engine: &str, more: &[&str]| {
        let arguments = ["match", "--json", "--engine", &with, "--engine", engine, "--games", "2"];
        awari(databases(), &[&arguments[..], more].concat()).exits(1)
    };
    let report = run(&cheats, &["--search-depth", "1", "--opening-plies", "0"]);
    let report = &report.json()[0];
    assert_eq!((report["wins"].as_u64(), report["losses"].as_u64()), (Some(2), Some(0)), "{report}");
    assert!(report["faults"][0]["fault"].as_str().unwrap().contains("against the rules"), "{report}");
    let report = run(&slow, &["--time", "0.5"]);
    let report = &report.json()[0];
    assert_eq!(report["ends"]["out of time"], 2, "{report}");
    awari(databases(), &["match", "--engine", &with]).exits(2).says(&["two engines"]);
}
