//! `awari stats`, `info` and `verify`, and files that are not what they should be.

mod program;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::Stdio;

use program::{STONES, awari, command, copy, databases};
use serde_json::Value;
use tempfile::TempDir;

/// The rows of a tab-separated file below its heading.
fn rows(path: &str) -> Vec<Vec<i64>> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.map(|line| line.split('\t').map(|cell| cell.parse().unwrap()).collect()).collect()
}

#[test]
fn stats_are_the_published_counts() {
    let lines = awari(databases(), &["stats", "--json"]).exits(0).json();
    assert_eq!(lines.len() as u32, STONES + 1);
    let histograms = rows("tests/data/awari_histograms.tsv");
    for (line, row) in lines.iter().zip(rows("tests/data/awari_counts.tsv")) {
        let [stones, boards, stored, win, draw, loss, sum] = row[..] else { panic!("{row:?}") };
        assert_eq!((&line["rules"], &line["stones"]), (&"awari".into(), &stones.into()));
        let all = &line["all"];
        let counts = ["positions", "win", "draw", "loss", "sum"].map(|key| all[key].as_i64().unwrap());
        assert_eq!(counts, [boards, win, draw, loss, sum], "{stones} stones");
        let histogram: BTreeMap<String, i64> = histograms
            .iter()
            .filter(|row| row[0] == stones)
            .map(|row| (row[1].to_string(), row[2]))
            .collect();
        assert_eq!(all["histogram"], serde_json::to_value(histogram).unwrap(), "{stones} stones");
        assert_eq!(line["stored"]["positions"], stored);
        let of = |key: &str| line["stored"][key].as_i64().unwrap();
        assert_eq!(of("win") + of("draw") + of("loss"), stored);
    }
}

#[test]
fn stats_of_one_table_for_people() {
    awari(databases(), &["stats", "--stones", "6"])
        .exits(0)
        .prints(&["6 stones", "12,375", "12,376", "mean"]);
    let empty = TempDir::new().unwrap();
    awari(empty.path(), &["stats"]).exits(1).says(&["no tables", "awari build"]);
    awari(databases(), &["stats", "--stones", "9"]).exits(1).says(&["9 stones", "awari build --stones 9"]);
}

#[test]
fn a_reader_who_has_seen_enough_is_no_trouble() {
    for arguments in [&["stats"][..], &["stats", "--json"], &["info"], &["probe", "--json"]] {
        let mut command = command(databases(), arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        if arguments[0] == "probe" {
            let mut stdin = child.stdin.take().unwrap();
            // The program may be gone before it has read everything.
            let _ = std::io::Write::write_all(
                &mut stdin,
                "0 0 0 0 0 0 / 0 0 0 0 0 1\n".repeat(10_000).as_bytes(),
            );
        }
        let status = child.wait().unwrap();
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!((status.code(), stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn info_tells_what_is_there_and_what_is_wrong() {
    awari(databases(), &["info"]).exits(0).prints(&["awari", "75,504", "packed"]);
    let lines = awari(databases(), &["info", "--json"]).exits(0).json();
    let table = lines.iter().find(|line| line["stones"] == 8).unwrap();
    assert_eq!((&table["rules"], &table["positions"]), (&"awari".into(), &75_504.into()));
    assert_eq!(table["content_hash"].as_str().unwrap().len(), 64);

    let dir = copy();
    let tables = dir.path().join("awari");
    fs::remove_file(tables.join("03.awari")).unwrap();
    fs::write(tables.join("04.awari"), "not a table").unwrap();
    fs::write(tables.join("notes.txt"), "mine").unwrap();
    let run = awari(dir.path(), &["info"]).exits(1);
    run.prints(&["missing", "3", "04.awari", "not an awari table", "notes.txt"]);
    awari(&dir.path().join("nowhere"), &["info"]).exits(1).says(&["nowhere", "awari build"]);
}

#[test]
fn names_that_are_no_text_are_listed() {
    let dir = copy();
    fs::write(dir.path().join(OsStr::from_bytes(b"strange\xff")), "").unwrap();
    fs::write(dir.path().join("red\x1b[31m\n"), "").unwrap();
    let lines = awari(dir.path(), &["info", "--json"]).exits(0).json();
    let paths: Vec<&str> = lines.iter().filter_map(|line| line["path"].as_str()).collect();
    assert!(paths.iter().any(|path| path.ends_with("strange\u{fffd}")), "{paths:?}");
    assert!(paths.iter().any(|path| path.ends_with("red\x1b[31m\n")), "{paths:?}");
    let run = awari(dir.path(), &["info"]).exits(0).prints(&["red\\u{1b}[31m\\n"]);
    assert!(!run.stdout.contains('\x1b'), "{run:#?}");
}

#[test]
fn verify_says_what_it_checks() {
    let run = awari(databases(), &["verify"]).exits(0);
    run.prints(&["consistency", "8 stones"]);
    let lines = awari(databases(), &["verify", "--stones", "5", "--json"]).exits(0).json();
    assert_eq!((lines.len(), &lines[0]["stones"], &lines[0]["ok"]), (1, &Value::from(5), &Value::from(true)));
    let run = awari(databases(), &["verify", "--stones", "9"]).exits(1).says(&["9 stones"]);
    assert!(!run.stdout.contains("Consistent"), "{run:#?}");
}

/// Every command that reads the table of 4 stones under `rules` fails with these words.
#[track_caller]
fn all_fail(dir: &TempDir, rules: &str, words: &[&str]) {
    let position = "0 0 0 0 0 2 / 1 1 0 0 0 0";
    awari(dir.path(), &["probe", "--rules", rules, position]).exits(1).says(words);
    awari(dir.path(), &["stats", "--rules", rules, "--stones", "4"]).exits(1).says(words);
    awari(dir.path(), &["verify", "--rules", rules, "--stones", "4"]).exits(1).says(words);
    awari(dir.path(), &["build", "--rules", rules, "--stones", "4"])
        .exits(1)
        .says(words)
        .says(&["delete it"]);
}

#[test]
fn a_missing_table_is_named_with_the_command_that_builds_it() {
    let run = awari(databases(), &["probe", "4 4 4 4 4 4 / 4 4 4 4 4 4"]).exits(1);
    run.says(&["48.awari", "awari build --stones 48"]);
    let run = awari(databases(), &["probe", "--rules", "abapa", "0 0 0 0 0 2 / 1 1 0 0 0 0"]).exits(1);
    run.says(&["abapa", "awari build --stones 4 --rules abapa"]);
}

#[test]
fn a_table_of_other_rules() {
    let dir = copy();
    fs::rename(dir.path().join("awari"), dir.path().join("abapa")).unwrap();
    all_fail(&dir, "abapa", &["04.awari", "a table of rules awari, expected rules abapa"]);
}

#[test]
fn a_table_cut_short() {
    let dir = copy();
    let path = dir.path().join("awari/04.awari");
    let bytes = fs::read(&path).unwrap();
    for length in [0, 12, 500, bytes.len() - 1] {
        fs::write(&path, &bytes[..length]).unwrap();
        all_fail(&dir, "awari", &["04.awari", "cut short"]);
    }
}

#[test]
fn one_flipped_bit() {
    let dir = copy();
    let path = dir.path().join("awari/04.awari");
    let bytes = fs::read(&path).unwrap();
    for (at, words) in [(100, "corrupt header"), (bytes.len() - 300, "checksum of block 0")] {
        let mut flipped = bytes.clone();
        flipped[at] ^= 4;
        fs::write(&path, flipped).unwrap();
        all_fail(&dir, "awari", &["04.awari", words]);
    }
}

#[test]
fn a_table_of_a_later_version() {
    let dir = copy();
    let path = dir.path().join("awari/04.awari");
    let mut bytes = fs::read(&path).unwrap();
    bytes[8] = 99;
    fs::write(&path, bytes).unwrap();
    all_fail(&dir, "awari", &["04.awari", "format version 99", "Use a newer awari"]);
}

#[test]
fn info_tells_strangers_from_tables() {
    let dir = copy();
    awari(dir.path(), &["build", "--stones", "3", "--rules", "slam-ends"]).exits(0);
    let tables = dir.path().join("awari");
    let path = |name: &str| tables.join(name);
    fs::remove_file(path("01.awari")).unwrap();
    for name in ["02.awari", "04.awari", "05.awari", "06.awari"] {
        fs::rename(path(name), dir.path().join(name)).unwrap();
    }
    // A link to a table is one, and so is another name of its file.
    symlink(dir.path().join("02.awari"), path("02.awari")).unwrap();
    fs::hard_link(dir.path().join("06.awari"), path("06.awari")).unwrap();
    symlink("nowhere", path("04.awari")).unwrap();
    fs::create_dir(path("05.awari")).unwrap();
    let pipe = |path: &std::path::Path| {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    pipe(&path("09.awari"));
    pipe(&path("07.depth"));
    pipe(&dir.path().join("scores.11"));
    pipe(&path("pipe"));
    symlink("nowhere", path("10.awari.old")).unwrap();
    symlink(&tables, dir.path().join("loop")).unwrap();
    fs::copy(path("08.awari"), path("47.awari")).unwrap();
    fs::copy(path("08.awari"), path("8.awari")).unwrap();
    fs::write(dir.path().join("scores.12"), "short").unwrap();
    fs::write(dir.path().join("scores.47"), "").unwrap();
    fs::write(dir.path().join("abapa"), "no directory").unwrap();

    let run = awari(dir.path(), &["info", "--json"]).exits(1);
    let items = run.json();
    let of = |kind: &str| -> Vec<&Value> { items.iter().filter(|item| item["kind"] == kind).collect() };
    let stones = |rules: &str, kind: &str| -> Vec<u64> {
        let items = of(kind).into_iter().filter(|item| item["rules"] == rules);
        items.map(|item| item["stones"].as_u64().unwrap()).collect()
    };
    assert_eq!(stones("awari", "table"), [0, 2, 3, 6, 7, 8], "{items:#?}");
    assert_eq!(stones("awari", "missing"), [1, 10]);
    assert_eq!(stones("awari", "unusable"), [4, 5, 7, 9, 11, 12]);
    assert_eq!(stones("slam-ends", "table"), [0, 1, 2, 3]);
    let whys =
        ["no such table", "directory", "no regular file", "no regular file", "no regular file", "cut short"];
    for (item, why) in of("unusable").into_iter().zip(whys) {
        assert!(item["error"].as_str().unwrap().contains(why), "{item}: {why}");
    }
    let strangers: BTreeMap<String, &str> = of("stranger")
        .into_iter()
        .map(|item| {
            let path = item["path"].as_str().unwrap();
            (path.rsplit('/').next().unwrap().to_owned(), item["what"].as_str().unwrap())
        })
        .collect();
    let expected = [
        ("02.awari", "file"),
        ("04.awari", "file"),
        ("05.awari", "file"),
        ("06.awari", "file"),
        ("47.awari", "file"),
        ("8.awari", "file"),
        ("abapa", "file"),
        ("loop", "link"),
        ("pipe", "no regular file"),
        ("10.awari.old", "link to nowhere"),
        ("scores.47", "file"),
    ];
    assert_eq!(strangers, expected.map(|(name, what)| (name.to_owned(), what)).into());
    let run = awari(dir.path(), &["info"]).exits(1);
    run.prints(&[
        "unusable",
        "missing  awari, 1 stone",
        "other",
        "pipe (no regular file)",
        "(link to nowhere)",
    ]);
}

#[test]
fn a_file_cut_within_its_header() {
    let dir = copy();
    let path = dir.path().join("awari/05.awari");
    let good = fs::read(&path).unwrap();
    for length in [1, 12, 871] {
        fs::write(&path, &good[..length]).unwrap();
        let run = awari(dir.path(), &["verify", "--stones", "5"]).exits(1);
        run.says(&["cut short within its header", "the header alone takes 872"]);
    }
}
