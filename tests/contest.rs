//! `awari test-engine` and `awari match` with real engines: our own, with and without tables, and
//! scripts that do everything wrong.

mod program;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use program::{Run, awari, databases};
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
            "1",
        ])
        .exits(1);
        let figures = &run.json()[0]["engines"][0];
        assert_eq!(figures["answered"], 0, "{engine}: {figures}");
        assert_eq!(figures["fault_kinds"][kind][0], 3, "{engine}: {figures}");
        run.says(&["3 answers are missing"]);
    }
    // Nothing they started is left.
    let left = Command::new("pgrep").args(["-f", &dir.path().display().to_string()]).output();
    if let Ok(left) = left {
        assert!(left.stdout.is_empty(), "left over: {}", String::from_utf8_lossy(&left.stdout));
    }
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
