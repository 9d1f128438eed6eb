//! What depths add to the program: building, probing and proving them; lines; a game.

mod program;

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use program::{awari, awari_with_input, names};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The tables of 0 to 9 stones with their depths, made once. Not to be changed.
fn deep() -> &'static Path {
    static DIR: OnceLock<TempDir> = OnceLock::new();
    DIR.get_or_init(|| {
        let dir = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        awari(dir.path(), &["build", "--stones", "9", "--depth"]).exits(0);
        dir
    })
    .path()
}

/// A position of 7 stones in which F captures 5.
const POSITION: &str = "0 0 1 0 0 2 / 1 2 0 0 1 0";

#[test]
fn depths_are_built_with_the_tables_or_later() {
    let dir = TempDir::new().unwrap();
    awari(dir.path(), &["build", "--stones", "4"]).exits(0);
    let run = awari(dir.path(), &["build", "--stones", "5", "--depth", "--json"]).exits(0);
    let run = run.says(&["To build:", " 5 stones: depths of up to 58 plies"]);
    let lines = run.json();
    assert_eq!(lines.len(), 6);
    assert_eq!((&lines[4]["built"], &lines[4]["depth"]["built"]), (&json!(false), &json!(true)));
    let depth = &lines[5]["depth"];
    assert_eq!((&depth["max"], &depth["sum"], &depth["built"]), (&json!(58), &json!(67_303), &json!(true)));
    let file = fs::metadata(dir.path().join("awari/05.depth")).unwrap();
    assert_eq!(depth["bytes"], file.len());

    let run = awari(dir.path(), &["build", "--stones", "5", "--depth"]).exits(0);
    run.says(&["There already: 0-5 stones", "Nothing to build."]).prints(&["max depth"]);
    // Without --depth there is nothing said of them.
    let run = awari(dir.path(), &["build", "--stones", "5", "--json"]).exits(0);
    assert!(run.json()[5].get("depth").is_none());
    assert_eq!(names(&dir.path().join("awari")).len(), 12);
}

#[test]
fn depths_that_cannot_be_used_stop_a_build() {
    let dir = TempDir::new().unwrap();
    awari(dir.path(), &["build", "--stones", "4", "--depth"]).exits(0);
    let path = dir.path().join("awari/04.depth");
    let good = fs::read(&path).unwrap();
    let mut bytes = good.clone();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    let build = ["build", "--stones", "4", "--depth"];
    awari(dir.path(), &build).exits(1).says(&["04.depth", "checksum of block 0", "delete it"]);
    assert!(fs::read(&path).unwrap() == bytes);
    awari(dir.path(), &["verify", "--prove", "--stones", "4"]).exits(1).says(&["04.depth", "block 0"]);

    // Depths of other values: those of another rule set under this one's name, as if values had
    // been built again.
    let mut stale = good.clone();
    stale[108] ^= 1;
    let checksum = crc32fast::hash(&stale[..144]);
    stale[144..148].copy_from_slice(&checksum.to_le_bytes());
    fs::write(&path, &stale).unwrap();
    awari(dir.path(), &build).exits(1).says(&["04.depth", "stale depths", "delete it"]);
    awari(dir.path(), &["probe", "0 0 0 0 0 2 / 1 1 0 0 0 0"]).exits(1).says(&["stale depths"]);
    awari(dir.path(), &["info"]).exits(1).prints(&["04.depth: stale depths"]);
    fs::remove_file(&path).unwrap();
    awari(dir.path(), &build).exits(0);
    assert!(fs::read(&path).unwrap() == good);
}

#[test]
fn probe_tells_depths() {
    let answer = &awari(deep(), &["probe", "--json", POSITION]).exits(0).json()[0];
    assert_eq!(answer["depth"], 1);
    for play in answer["moves"].as_array().unwrap() {
        assert!(play["depth"].is_u64(), "{play}");
    }
    awari(deep(), &["probe", POSITION])
        .exits(0)
        .prints(&["depth  1  ply to the next capture", "depth 1  captures 5"]);
    let dir = TempDir::new().unwrap();
    awari(dir.path(), &["build", "--stones", "7"]).exits(0);
    let without = &awari(dir.path(), &["probe", "--json", POSITION]).exits(0).json()[0];
    assert_eq!((&without["depth"], &without["value"]), (&Value::Null, &answer["value"]));
}

#[test]
fn a_line_is_played_to_its_end() {
    let deepest = &awari(deep(), &["stats", "--json", "--stones", "9"]).exits(0).json()[0]["deepest"];
    let pits: Vec<String> = deepest["board"].as_array().unwrap().iter().map(Value::to_string).collect();
    let position = pits.join(" ");
    let line = &awari(deep(), &["line", "--json", &position]).exits(0).json()[0];
    let plies = line["plies"].as_array().unwrap();
    assert_eq!((&plies[0]["depth"], &plies[0]["board"]), (&json!(75), &deepest["board"]));
    assert_eq!(line["difference"], plies[0]["value"]);
    assert_eq!(line["moves"], deepest["moves"]);
    assert_eq!(line["moves"].as_str().unwrap().len(), plies.len());
    // 74 plies without a capture, and then one, or the end.
    assert!(plies[..74].iter().all(|ply| ply["captured"] == 0));
    assert!(plies.len() == 75 || plies[74]["captured"].as_u64() > Some(0));

    let run = awari(deep(), &["line", POSITION]).exits(0);
    run.prints(&["  1. F  value ", "captures 5", "captured: South 5", "for South, who began"]);
    let bare: Vec<&str> = ["line", "--boards"].into_iter().chain(POSITION.split(' ')).collect();
    let boards = awari(deep(), &bare).exits(0).stdout;
    let plies = boards.lines().filter(|line| line.contains(". ")).count();
    assert_eq!(boards.matches("to move").count(), plies + 1, "{boards}");
    // North moves first, with stores: his pits are small letters.
    let run = awari(deep(), &["line", "--boards", "1-2-0-0-1-0-0-0-1-0-0-2-20-21-N"]).exits(0);
    run.prints(&["  1. f  value", "captured 26", "captured: North 5"]);

    let run = awari(deep(), &["line", "--json", "0 0 0 0 0 0 / 1 2 0 0 1 0"]).exits(0);
    assert_eq!((&run.json()[0]["finish"], &run.json()[0]["difference"]), (&json!("no-stones"), &json!(-4)));
    awari(deep(), &["line"]).exits(2);
    awari(deep(), &["line", POSITION, POSITION]).exits(2).says(&["one position is expected"]);
    awari(deep(), &["line", "4 4 4 4 4 4 / 4 4 4 4 4 4"]).exits(1).says(&["awari build --stones 48"]);
}

#[test]
fn stats_count_depths() {
    let text = fs::read_to_string("tests/data/variant_counts.tsv").unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    let lines = awari(deep(), &["stats", "--json"]).exits(0).json();
    for line in &lines {
        let stones = line["stones"].to_string();
        let row = rows.iter().find(|row| row[0] == "awari" && row[1] == stones).unwrap();
        let depth = &line["all"]["depth"];
        assert_eq!((depth["max"].to_string(), depth["sum"].to_string()), (row[6].into(), row[7].into()));
        for which in ["all", "stored"] {
            let histogram = line[which]["depth"]["histogram"].as_object().unwrap();
            let total: u64 = histogram.values().map(|count| count.as_u64().unwrap()).sum();
            assert_eq!(line[which]["positions"], total);
            let sum: u64 =
                histogram.iter().map(|(d, count)| d.parse::<u64>().unwrap() * count.as_u64().unwrap()).sum();
            assert_eq!(line[which]["depth"]["sum"], sum);
        }
        assert_eq!(line["deepest"]["depth"], line["stored"]["depth"]["max"]);
    }
    awari(deep(), &["stats", "--stones", "9"]).exits(0).prints(&["max depth", "deepest", "its line", "75"]);
}

#[test]
fn a_proof_is_told_and_kept() {
    let dir = TempDir::new().unwrap();
    awari(dir.path(), &["build", "--stones", "6", "--depth"]).exits(0);
    let proofs = || -> Vec<String> {
        let lines = awari(dir.path(), &["info", "--json"]).exits(0).json();
        assert!(lines.iter().all(|line| line["kind"] == "table"), "{lines:?}");
        lines.iter().map(|line| line["proof"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(proofs(), ["none"; 7]);
    let run = awari(dir.path(), &["verify", "--prove", "--stones", "6"]).exits(0);
    run.prints(&["6 stones, 12,375 positions: proved", "Proved: every value and depth"]);
    assert_eq!(proofs()[6], "relative");
    let lines = awari(dir.path(), &["info", "--json"]).exits(0).json();
    assert_eq!(lines[6]["unproved"], json!([0, 1, 2, 3, 4]));
    let lines = awari(dir.path(), &["verify", "--prove", "--json"]).exits(0).json();
    assert!(lines.iter().all(|line| line["check"] == "proof" && line["ok"] == true));
    assert_eq!(proofs(), ["complete"; 7]);
    awari(dir.path(), &["info"]).exits(0).prints(&["complete", "max depth"]);

    fs::remove_file(dir.path().join("awari/05.depth")).unwrap();
    let run = awari(dir.path(), &["verify", "--prove", "--stones", "5"]).exits(1);
    run.says(&["no depths of 5 stones", "awari build --stones 5 --rules awari", "--depth"]);
    fs::write(dir.path().join("awari/05.proof.json"), "{}").unwrap();
    awari(dir.path(), &["info"]).exits(1).prints(&["05.proof.json: not a certificate"]);
}

#[test]
fn a_game_against_perfect_play() {
    // Hints, a pit that is empty, a word that is none, a mistake, taking it back, the best move.
    let input = "?\na\nhello\nu\nc\nu\nF\nq\n";
    let run = awari_with_input(deep(), &["play", POSITION], input).exits(0);
    run.prints(&[
        "F  value +",
        "best",
        "That pit is empty.",
        "Name a pit, A to F",
        "There is no move of yours to take back.",
        "You play C.",
        "That costs ",
        "You play F and captures 5.",
        "The program plays ",
        "You stop.",
    ]);
    // The end of the input is the end of the game.
    awari_with_input(deep(), &["play", POSITION], "").exits(0).prints(&["You stop. The rest was worth"]);
    // North waits for the program.
    let run = awari_with_input(deep(), &["play", "--you", "north", POSITION], "q\n").exits(0);
    run.prints(&["The program plays F and captures 5."]);
    // Without a position one is drawn by lot.
    let run = awari_with_input(deep(), &["play"], "q\n").exits(0);
    run.prints(&["to move, captured 0"]);
    let empty = TempDir::new().unwrap();
    awari(empty.path(), &["play"]).exits(1).says(&["no tables of rules awari", "awari build"]);
}

/// Whoever follows the hints gets what the position is worth.
#[test]
fn a_game_to_its_end() {
    let position = "0 0 0 0 1 2 / 0 0 0 0 0 1";
    let line = &awari(deep(), &["line", "--json", position]).exits(0).json()[0];
    let yours: String = line["moves"]
        .as_str()
        .unwrap()
        .chars()
        .filter(char::is_ascii_uppercase)
        .map(|pit| format!("{pit}\n"))
        .collect();
    // Round in circles until the board is there for the third time, if the line has no end.
    let input = yours.repeat(4);
    let run = awari_with_input(deep(), &["play", position], &input).exits(0);
    let difference = line["difference"].as_f64().unwrap();
    let (you, program) = ((4.0 + difference) / 2.0, (4.0 - difference) / 2.0);
    run.prints(&[&format!("You have {you} stones, the program {program}.")]);
}
