//! `awari convert`, `awari build --compress`, and compressed tables through the program.

mod program;

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use program::{awari, awari_with_input, names};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

const STONES: u64 = 9;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Tables of up to [`STONES`] stones with depths in `packed`, and the same converted in `small`.
fn both() -> &'static Path {
    static DIR: OnceLock<TempDir> = OnceLock::new();
    DIR.get_or_init(|| {
        let dir = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let (packed, small) = (dir.path().join("packed"), dir.path().join("small"));
        awari(&packed, &["build", "--stones", "9", "--depth"]).exits(0);
        awari(&packed, &["convert", "--to", "compressed", text(&small)]).exits(0);
        dir
    })
    .path()
}

/// A copy of the compressed tables and their depths.
fn copy_of_small() -> TempDir {
    let dir = TempDir::new().unwrap();
    let from = both().join("small/awari");
    fs::create_dir(dir.path().join("awari")).unwrap();
    for name in names(&from) {
        fs::copy(from.join(&name), dir.path().join("awari").join(&name)).unwrap();
    }
    dir
}

fn same_files(one: &Path, other: &Path) {
    assert_eq!(names(one), names(other));
    for name in names(one) {
        assert!(fs::read(one.join(&name)).unwrap() == fs::read(other.join(&name)).unwrap(), "{name} differs");
    }
}

#[test]
fn there_and_back_is_the_same_bytes() {
    let (packed, small) = (both().join("packed"), both().join("small"));
    let tables = |dir: &Path| awari(dir, &["info", "--json"]).exits(0).json();
    for (before, after) in tables(&packed).iter().zip(tables(&small)) {
        for key in ["stones", "positions", "content_hash"] {
            assert_eq!(before[key], after[key]);
        }
        for key in ["max", "content_hash"] {
            assert_eq!(before["depth"][key], after["depth"][key]);
        }
        for (before, after) in [(before, &after), (&before["depth"], &after["depth"])] {
            assert_eq!((&before["encoding"], &after["encoding"]), (&"packed".into(), &"compressed".into()));
        }
        let bits = |table: &Value| table["bits_per_position"].as_f64().unwrap();
        assert!(after["stones"] != STONES || bits(&after) < bits(before) / 3.0, "{after}");
    }
    awari(&small, &["info"]).exits(0).prints(&["compressed", "167,596"]);

    let back = TempDir::new().unwrap();
    let arguments = ["convert", "--to", "packed", "--json", text(back.path())];
    let lines = awari(&small, &arguments).exits(0).json();
    assert_eq!(lines.len() as u64, STONES + 1);
    assert!(lines.iter().all(|line| line["ok"] == true && line["written"] == true));
    same_files(&packed.join("awari"), &back.path().join("awari"));

    // Once more: nothing to do.
    let lines = awari(&small, &arguments).exits(0).json();
    assert!(lines.iter().all(|line| line["written"] == false && line["depth"]["written"] == false));
}

#[test]
fn scores_are_those_of_another_solver() {
    let expected = fs::read_to_string("tests/data/vu_sha256.tsv").unwrap();
    let expected: Vec<Vec<&str>> = expected
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
        .map(|line| line.split('\t').collect())
        .filter(|cells: &Vec<&str>| cells[0].parse::<u64>().unwrap() <= STONES)
        .collect();
    assert_eq!(expected.len() as u64, STONES);
    for source in ["packed", "small"] {
        let dest = TempDir::new().unwrap();
        let arguments = ["convert", "--to", "vu", "--json", text(dest.path())];
        let lines = awari(&both().join(source), &arguments).exits(0).json();
        for cells in &expected {
            let [stones, entries, sha256] = cells[..] else { panic!("{cells:?}") };
            let bytes = fs::read(dest.path().join(format!("scores.{stones}"))).unwrap();
            assert_eq!(bytes.len().to_string(), entries);
            let found: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(found, sha256, "scores.{stones}");
            let line = lines.iter().find(|line| line["stones"].as_u64() == stones.parse().ok()).unwrap();
            assert_eq!((&line["sha256"], &line["written"]), (&sha256.into(), &true.into()));
        }
        let again = awari(&both().join(source), &arguments).exits(0).json();
        assert!(again.iter().all(|line| line["written"] == false));
    }
}

#[test]
fn compressed_tables_answer_as_another_program_does() {
    const MOST: u64 = 12;
    let data = fs::read_to_string("tests/data/positions.jsonl").unwrap();
    let pits = |position: &Value| -> Vec<u64> {
        position["board"].as_array().unwrap().iter().map(|pit| pit.as_u64().unwrap()).collect()
    };
    let (packed, small) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    for rules in ["awari", "abapa", "slam-ends"] {
        awari(packed.path(), &["build", "--stones", "12", "--rules", rules]).exits(0);
        let to = text(small.path());
        awari(packed.path(), &["convert", "--to", "compressed", "--rules", rules, to]).exits(0);
        let positions: Vec<Value> = data
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|position| position["rules"] == rules && pits(position).iter().sum::<u64>() <= MOST)
            .collect();
        assert!(positions.len() > 15, "{}", positions.len());
        let input: String = positions
            .iter()
            .map(|position| pits(position).iter().map(u64::to_string).collect::<Vec<_>>().join(" ") + "\n")
            .collect();
        let arguments = ["probe", "--json", "--rules", rules];
        let answers = awari_with_input(small.path(), &arguments, &input).exits(0);
        let lines = answers.json();
        assert_eq!(lines.len(), positions.len());
        for (position, answer) in positions.iter().zip(&lines) {
            assert_eq!(position["value"], answer["value"], "{position}");
        }
        assert_eq!(answers.stdout, awari_with_input(packed.path(), &arguments, &input).exits(0).stdout);
    }
}

#[test]
fn every_command_reads_them() {
    let dir = copy_of_small();
    let packed = both().join("packed");
    awari(dir.path(), &["verify"]).exits(0).prints(&["9 stones", "Consistent"]);
    awari(dir.path(), &["verify", "--prove"]).exits(0).prints(&["9 stones", "Proved"]);
    awari(dir.path(), &["info"]).exits(0).prints(&["compressed", "complete"]);
    let position = "0 0 1 0 0 2 / 1 2 0 0 1 0";
    for arguments in [&["stats", "--json"][..], &["line", position], &["probe", position]] {
        let said = |dir: &Path| awari(dir, arguments).exits(0).stdout;
        assert_eq!(said(dir.path()), said(&packed), "{arguments:?}");
    }
}

#[test]
fn a_build_writes_them_too() {
    let dir = TempDir::new().unwrap();
    awari(dir.path(), &["build", "--stones", "9", "--depth", "--compress"]).exits(0).says(&["To build:"]);
    same_files(&dir.path().join("awari"), &both().join("small/awari"));
    // What is there is built upon, whatever its encoding.
    fs::remove_file(dir.path().join("awari/09.awari")).unwrap();
    fs::remove_file(dir.path().join("awari/09.depth")).unwrap();
    awari(dir.path(), &["build", "--stones", "9"]).exits(0);
    let table = |dir: &Path| fs::read(dir.join("awari/09.awari")).unwrap();
    assert!(table(dir.path()) == table(&both().join("packed")));
}

#[test]
fn a_flipped_byte_is_named_and_refused() {
    let dir = copy_of_small();
    let path = dir.path().join("awari/06.awari");
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.len() - 20;
    bytes[at] ^= 16;
    fs::write(&path, bytes).unwrap();
    let words = ["06.awari", "checksum of block 1"];
    let dest = TempDir::new().unwrap();
    for arguments in [
        &["verify", "--stones", "6"][..],
        &["verify", "--stones", "9"],
        &["stats", "--stones", "6"],
        &["probe", "1 0 0 2 1 2 / 0 0 0 0 0 0"],
        &["build", "--stones", "10"],
        &["convert", "--to", "packed", "--stones", "6", text(dest.path())],
        &["convert", "--to", "vu", "--stones", "6", text(dest.path())],
    ] {
        awari(dir.path(), arguments).exits(1).says(&words);
    }
    assert!(names(dest.path()).is_empty());
    // The others are converted, as far as they can do without it.
    let lines =
        awari(dir.path(), &["convert", "--to", "packed", "--json", text(dest.path())]).exits(1).json();
    let failed = lines.iter().filter(|line| line["ok"] == false && line["error"].is_string());
    assert_eq!(failed.map(|line| line["stones"].as_u64().unwrap()).collect::<Vec<_>>(), [6, 8, 9]);
}

#[test]
fn nothing_is_overwritten() {
    let packed = both().join("packed");
    let dest = TempDir::new().unwrap();
    fs::create_dir(dest.path().join("awari")).unwrap();
    let table = dest.path().join("awari/03.awari");
    let scores = dest.path().join("scores.3");
    let from = packed.join("awari");
    let contents =
        [fs::read(from.join("03.awari")).unwrap(), fs::read(from.join("04.awari")).unwrap(), vec![7; 364]];
    for content in contents {
        fs::write(&table, &content).unwrap();
        fs::write(&scores, &content).unwrap();
        for to in ["compressed", "vu"] {
            let run = awari(&packed, &["convert", "--to", to, "--stones", "3", text(dest.path())]).exits(1);
            run.says(&["in the way", "Nothing was overwritten"]);
        }
        assert!(fs::read(&table).unwrap() == content && fs::read(&scores).unwrap() == content);
    }
    // The damaged half of a right file is none either.
    fs::write(&table, &fs::read(from.join("03.awari")).unwrap()[..4100]).unwrap();
    let run = awari(&packed, &["convert", "--to", "packed", "--stones", "3", text(dest.path())]).exits(1);
    run.says(&["03.awari", "cut short", "in the way"]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let packed = both().join("packed");
    let before = names(&packed);
    for to in ["packed", "compressed", "vu"] {
        awari(&packed, &["convert", "--to", to, text(&packed)]).exits(2).says(&["another directory"]);
    }
    let link = TempDir::new().unwrap();
    std::os::unix::fs::symlink(packed.join("awari"), link.path().join("awari")).unwrap();
    awari(&packed, &["convert", "--to", "packed", text(link.path())]).exits(2).says(&["another directory"]);
    let dest = TempDir::new().unwrap();
    let to = text(dest.path());
    awari(&packed, &["convert", "--to", "vu", "--rules", "abapa", to]).exits(2).says(&["abapa"]);
    awari(&packed, &["convert", "--to", "zip", to]).exits(2).says(&["compressed, packed, vu"]);
    awari(&packed, &["convert", to]).exits(2).says(&["--to"]);
    awari(&packed, &["convert", "--to", "vu", "--stones", "12", to]).exits(1).says(&["12 stones"]);
    awari(&packed, &["convert", "--to", "packed", "--rules", "abapa", to]).exits(1).says(&["no tables"]);
    assert_eq!(names(&packed), before);
    assert!(names(dest.path()).is_empty());
}
