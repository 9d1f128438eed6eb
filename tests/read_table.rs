//! `scripts/read_table.py`, a reader written from `docs/format.md` alone, answers as the library does.
//! Needs Python 3.

mod common;
mod program;

use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::OnceLock;

use awari::{Board, Rules, Tablebase};
use common::Random;
use program::{awari, python};
use serde_json::{Value, json};
use tempfile::TempDir;

const STONES: u32 = 10;

/// Tables with depths of all rule sets, in `packed` and `compressed`.
fn tables() -> &'static Path {
    static DIR: OnceLock<TempDir> = OnceLock::new();
    DIR.get_or_init(|| {
        let dir = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let (packed, compressed) = (dir.path().join("packed"), dir.path().join("compressed"));
        for rules in Rules::ALL.map(Rules::name) {
            let stones = STONES.to_string();
            awari(&packed, &["build", "--stones", &stones, "--depth", "--rules", rules]).exits(0);
            let to = compressed.to_str().unwrap();
            awari(&packed, &["convert", "--to", "compressed", "--rules", rules, to]).exits(0);
        }
        dir
    })
    .path()
}

fn script(dir: &Path, arguments: &[&str]) -> Output {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/read_table.py");
    python().expect("Python 3").arg(script).arg("--dir").arg(dir).args(arguments).output().expect("Python 3")
}

/// What the script answers to these questions.
fn answers(dir: &Path, questions: &[Value]) -> Vec<Value> {
    let file = tempfile::NamedTempFile::new().unwrap();
    let lines: String = questions.iter().map(|question| format!("{question}\n")).collect();
    fs::write(file.path(), lines).unwrap();
    let output = script(dir, &["--jsonl", file.path().to_str().unwrap()]);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let answers: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), questions.len());
    answers
}

#[test]
fn random_boards_of_both_encodings() {
    if python().is_none() {
        return;
    }
    for rules in Rules::ALL {
        let mut random = Random(10 + rules as u64);
        let boards: Vec<Board> =
            (0..60).map(|i| random.board(if i < 40 { STONES - i % 2 } else { i % STONES })).collect();
        let library = Tablebase::open(tables().join("packed"), rules).unwrap();
        let questions: Vec<Value> =
            boards.iter().map(|board| json!({ "rules": rules.name(), "board": board.pits() })).collect();
        for encoding in ["packed", "compressed"] {
            for (board, answer) in boards.iter().zip(answers(&tables().join(encoding), &questions)) {
                let probe = library.probe(board).unwrap();
                assert_eq!(answer["value"], probe.value, "{rules}, {encoding}: {board}");
                assert_eq!(answer["depth"], json!(probe.depth), "{rules}, {encoding}: {board}");
            }
        }
    }
}

#[test]
fn positions_of_another_solver_from_compressed_tables() {
    if python().is_none() {
        return;
    }
    let data = fs::read_to_string("tests/data/positions.jsonl").unwrap();
    let stones = |position: &Value| {
        position["board"].as_array().unwrap().iter().filter_map(Value::as_u64).sum::<u64>()
    };
    let positions: Vec<Value> = data
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|position| stones(position) <= STONES.into())
        .collect();
    assert!(positions.len() > 40, "{}", positions.len());
    for (position, answer) in positions.iter().zip(answers(&tables().join("compressed"), &positions)) {
        assert_eq!((&answer["board"], &answer["value"]), (&position["board"], &position["value"]));
    }
}

#[test]
fn damage_is_named() {
    if python().is_none() {
        return;
    }
    let board = "0 2 1 0 0 0 / 1 1 0 0 0 0";
    for encoding in ["packed", "compressed"] {
        let dir = TempDir::new().unwrap();
        let from = tables().join(encoding).join("awari");
        fs::create_dir(dir.path().join("awari")).unwrap();
        for stones in 0..=5 {
            for kind in ["awari", "depth"] {
                let name = format!("{stones:02}.{kind}");
                fs::copy(from.join(&name), dir.path().join("awari").join(&name)).unwrap();
            }
        }
        let right = script(dir.path(), &[board]);
        assert!(right.status.success(), "{}", String::from_utf8_lossy(&right.stderr));
        for kind in ["awari", "depth"] {
            let name = format!("05.{kind}");
            let path = dir.path().join("awari").join(&name);
            let bytes = fs::read(&path).unwrap();
            // The magic, the version, the header, the directory, the data and the length.
            for at in [0, 8, 30, 100, if kind == "awari" { 873 } else { 149 }, 4096, bytes.len()] {
                let mut damaged = bytes.clone();
                match damaged.get_mut(at) {
                    Some(byte) => *byte ^= 4,
                    None => damaged.push(0),
                }
                fs::write(&path, damaged).unwrap();
                let output = script(dir.path(), &[board]);
                let said = String::from_utf8_lossy(&output.stderr);
                assert_eq!(output.status.code(), Some(1), "{name}, byte {at}: {said}");
                assert!(said.starts_with("error: ") && said.contains(&name), "byte {at}: {said}");
                assert_eq!(said.lines().count(), 1, "{said}");
            }
            fs::write(&path, bytes).unwrap();
        }
    }
}

#[test]
fn a_wrong_question_is_named() {
    if python().is_none() {
        return;
    }
    let dir = tables().join("packed");
    for (arguments, says) in [
        (&["1 2 3"][..], "expected twelve numbers"),
        (&["0 0 0 0 0 0 0 0 0 0 0 99"], "no game has such a board"),
        (&["3 3 3 3 3 3 / 3 3 3 3 3 0"], "no such table"),
        (&["--jsonl", "Cargo.toml"], "Cargo.toml: line 1"),
        (&["--jsonl", "nowhere.jsonl"], "nowhere.jsonl"),
    ] {
        let output = script(&dir, arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.starts_with("error: ") && said.contains(says), "{said}");
    }
}
