//! Tables are compared with those that are known.

mod common;
mod program;

use std::fs;
use std::path::Path;

use awari::manifest::{Known, Manifest};
use awari::table::{self, ContentHash};
use awari::{Rules, Tablebase};
use program::{awari, copy, databases};
use serde_json::json;
use tempfile::TempDir;

/// Values that agree with each other and are wrong, in place of the right ones; returns how many
/// stones.
fn fool(dir: &Path) -> u32 {
    let tables = Tablebase::open(dir, Rules::Awari).unwrap();
    let (stones, wrong) =
        (1..=4).rev().find_map(|stones| Some((stones, common::believed(&tables, stones)?))).unwrap();
    fs::remove_file(tables.path(stones)).unwrap();
    table::write(tables.path(stones), Rules::Awari, stones, &wrong).unwrap();
    stones
}

#[test]
fn our_list_holds_together() {
    let ours = Manifest::ours();
    let mut proved = [0; 3];
    for entry in &ours.tables {
        assert_eq!(entry.positions, awari::index::Index::new(entry.stones).positions());
        assert_eq!(entry.win + entry.draw + entry.loss, entry.positions);
        assert_eq!(ours.values(entry.rules, entry.stones, entry.content_hash), Known::Good);
        assert_eq!(
            ours.values(entry.rules, entry.stones, ContentHash([1; 32])),
            Known::Differs(entry.content_hash)
        );
        if entry.proved {
            let depth = entry.depth.as_ref().unwrap();
            assert_eq!(ours.depths(entry.rules, entry.stones, depth.content_hash), Known::Good);
            assert!(entry.min.unwrap() <= entry.max.unwrap());
            proved[Rules::ALL.iter().position(|&rules| rules == entry.rules).unwrap()] += 1;
        }
    }
    assert!(proved.iter().all(|&proved| proved >= 14), "{proved:?}");
    assert_eq!(ours.values(Rules::Awari, 48, ContentHash([1; 32])), Known::Unknown);
}

#[test]
fn right_tables_are_known() {
    awari(databases(), &["verify"]).exits(0).prints(&["8 stones, 75,504 positions: consistent, known good"]);
    awari(databases(), &["verify"]).prints(&[" 0 stones, 1 position: "]);
    for line in awari(databases(), &["verify", "--json"]).exits(0).json() {
        assert_eq!((&line["known"], &line["ok"]), (&json!("good"), &json!(true)));
        assert_eq!(line["content_hash"].as_str().unwrap().len(), 64);
    }
    let items = awari(databases(), &["info", "--json"]).exits(0).json();
    assert!(items.iter().all(|item| item["known"] == "good"));
}

#[test]
fn a_wrong_table_that_agrees_with_itself_differs() {
    let dir = copy();
    let stones = fool(dir.path()).to_string();
    let lines = awari(dir.path(), &["verify", "--json", "--stones", &stones]).exits(1).json();
    assert_eq!((&lines[0]["known"], &lines[0]["ok"]), (&json!("differs"), &json!(false)));
    assert!(lines[0]["error"].as_str().unwrap().contains("DIFFER"), "{lines:?}");
    let file = format!("{stones:0>2}.awari");
    awari(dir.path(), &["verify", "--stones", &stones]).exits(1).prints(&[": DIFFERS"]).says(&[
        &file,
        "the values DIFFER from the known ones",
        "build it again",
    ]);
    let run = awari(dir.path(), &["info"]).exits(1);
    run.prints(&["differs", &format!("DIFFERS  awari, {stones} stones")]);
    // Compressed and in another layout it is the same.
    let dest = TempDir::new().unwrap();
    let to = dest.path().to_str().unwrap();
    awari(dir.path(), &["convert", "--to", "vu", to]).exits(0);
    awari(dest.path(), &["verify", "--stones", &stones]).exits(1).says(&["scores.", "DIFFER"]);
}

#[test]
fn other_lists_are_compared_with() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("theirs.json");
    let file = path.to_str().unwrap();
    let entry = |stones: u32, hash: &str| {
        json!({"rules": "awari", "stones": stones, "positions": 1, "win": 1, "draw": 0, "loss": 0,
               "content_hash": hash})
    };
    let list = |tables: &[serde_json::Value]| json!({"built_by": "someone", "tables": tables}).to_string();
    let hash = "ab".repeat(32);
    fs::write(&path, list(&[entry(2, &hash)])).unwrap();
    for command in ["verify", "info"] {
        let lines = awari(databases(), &[command, "--json", "--manifest", file]).exits(1).json();
        for line in &lines {
            let expected = if line["stones"] == 2 { "differs" } else { "unknown" };
            assert_eq!(line["known"], expected);
        }
    }
    let run = awari(databases(), &["verify", "--stones", "2", "--manifest", file]).exits(1);
    run.says(&["02.awari", &hash, "is listed"]);
    for (text, words) in [
        ("{}".to_owned(), "built_by"),
        ("x".to_owned(), "expected value"),
        (list(&[entry(2, "short")]), "64 hexadecimal digits"),
        (list(&[entry(2, &hash), entry(2, &hash)]), "2 stones of rules awari are listed twice"),
    ] {
        fs::write(&path, text).unwrap();
        for command in ["verify", "info"] {
            let run = awari(databases(), &[command, "--manifest", file]).exits(1);
            run.says(&["theirs.json: not a list of tables", words]);
        }
    }
    for file in ["/dev/null", "/nowhere/at/all.json", "/"] {
        awari(databases(), &["info", "--manifest", file]).exits(1).says(&[file, "cannot read the list"]);
    }
}
