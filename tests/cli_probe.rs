//! `awari probe`.

mod program;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use program::{awari, awari_with_input, command, databases};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Positions with their values and moves under these rules, solved by another program.
fn checked_positions(rules: &str, most_stones: u64) -> Vec<Value> {
    let text = std::fs::read_to_string("tests/data/positions.jsonl").unwrap();
    let all = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let stones = |position: &Value| -> u64 {
        position["board"].as_array().unwrap().iter().map(|pit| pit.as_u64().unwrap()).sum()
    };
    all.filter(|position| position["rules"] == rules && stones(position) <= most_stones).collect()
}

fn letter(pit: &Value) -> Value {
    Value::from(&"ABCDEF"[pit.as_u64().unwrap() as usize..][..1])
}

#[test]
fn batches_are_answered_as_another_program_does() {
    let dir = TempDir::new().unwrap();
    for rules in ["awari", "abapa", "slam-ends"] {
        awari(dir.path(), &["build", "--stones", "10", "--rules", rules]).exits(0);
        let positions = checked_positions(rules, 10);
        assert!(positions.len() > 10, "{rules}: {}", positions.len());
        compare(dir.path(), rules, &positions);
    }
}

fn compare(dir: &Path, rules: &str, positions: &[Value]) {
    let input: String = positions
        .iter()
        .map(|position| format!("{}\n", position["board"]).replace(['[', ']'], " "))
        .collect();
    let answers = awari_with_input(dir, &["probe", "--json", "--rules", rules], &input).exits(0).json();
    assert_eq!(answers.len(), positions.len());
    for (answer, expected) in answers.iter().zip(positions) {
        assert_eq!(answer["board"], expected["board"]);
        assert_eq!(answer["rules"], rules);
        assert_eq!(answer["value"], expected["value"], "{answer}");
        let pits: Vec<i64> =
            answer["board"].as_array().unwrap().iter().map(|pit| pit.as_i64().unwrap()).collect();
        assert_eq!(answer["stones"], pits.iter().sum::<i64>());
        assert_eq!(answer["settle"], pits[..6].iter().sum::<i64>() - pits[6..].iter().sum::<i64>());
        let moves: Vec<Value> = expected["moves"]
            .as_array()
            .unwrap()
            .iter()
            .map(|play| {
                let best = play["value"] == expected["value"];
                json!({"pit": letter(&play["pit"]), "captured": play["captured"], "value": play["value"], "best": best})
            })
            .collect();
        let mut found = answer["moves"].as_array().unwrap().clone();
        found.sort_by_key(|play| play["pit"].to_string());
        for play in &mut found {
            play.as_object_mut().unwrap().remove("depth");
        }
        assert_eq!(found, moves, "{answer}");
        let illegal: Vec<Value> = expected["illegal"]
            .as_array()
            .unwrap()
            .iter()
            .map(|refused| json!({"pit": letter(&refused["pit"]), "reason": refused["reason"]}))
            .collect();
        assert_eq!(answer["illegal"], Value::from(illegal), "{answer}");
    }
}

#[test]
fn one_object_a_line_has_these_keys() {
    let run = awari(databases(), &["probe", "--json", "0 0 0 0 0 2 / 1 2 0 0 0 0"]).exits(0);
    assert!(run.stdout.starts_with(
        r#"{"board":[0,0,0,0,0,2,1,2,0,0,0,0],"rules":"awari","stones":5,"value":5,"depth":0,"settle":-1,"moves":[],"illegal":[{"pit":"F","reason":"grand-slam"}]"#
    ), "{run:#?}");
    assert_eq!(run.json()[0]["end"], "all-slams");
}

#[test]
fn people_get_a_drawing_and_words() {
    let position = "0 0 1 0 0 2 / 1 2 0 0 1 0";
    awari(databases(), &["probe", position]).exits(0).prints(&[
        "f    e    d    c    b    a",
        "rules awari, 7 stones on the board",
        "value  +",
        "settle -1",
        "best",
        "captures 5",
    ]);
    // Twelve bare numbers are one position, with or without a bar.
    let quoted = awari(databases(), &["probe", position]).stdout;
    let bare: Vec<&str> = ["probe"].into_iter().chain(position.split(' ')).collect();
    assert_eq!(awari(databases(), &bare).exits(0).stdout, quoted);
    assert_eq!(awari(databases(), &["probe", "-", "--rules", "awari"]).exits(0).stdout, "");
    let two = awari(databases(), &["probe", position, position]).exits(0).stdout;
    assert_eq!(two, format!("{quoted}\n{quoted}"));
}

#[test]
fn the_end_of_a_game_is_told() {
    awari(databases(), &["probe", "0 0 0 0 0 0 / 1 2 0 0 1 0"])
        .exits(0)
        .prints(&["the game is over: the player to move has no stones", "value  -4"]);
    awari(databases(), &["probe", "1 0 0 0 0 0 / 0 0 0 0 0 0"])
        .exits(0)
        .prints(&["no move feeds the opponent", "A  illegal"]);
}

#[test]
fn stores_make_a_final_score() {
    // One stone on the board that nobody will capture: half of it each would be odd.
    let run = awari(databases(), &["probe", "--json", "0-0-0-0-0-2-1-2-0-0-0-0-23-20-S"]).exits(0);
    assert_eq!(run.json()[0]["final_score"], json!({"mover": 28.0, "waiting": 20.0}));
    awari(databases(), &["probe", "0-0-0-0-0-2-1-2-0-0-0-0-23-20-S"])
        .exits(0)
        .prints(&["final score 28 to 20"]);
}

#[test]
fn boards_no_move_reaches_are_answered() {
    let answers = awari(databases(), &["probe", "--json", "0 0 0 0 0 1 / 1 1 1 1 1 1"]).exits(0).json();
    let values: Vec<i64> =
        answers[0]["moves"].as_array().unwrap().iter().map(|play| play["value"].as_i64().unwrap()).collect();
    assert_eq!(answers[0]["value"].as_i64(), values.into_iter().max());
}

#[test]
fn what_is_no_position() {
    let probe = |position: &str| awari(databases(), &["probe", "--", position]).exits(1);
    probe("4 4 x 4 4 4 / 4 4 4 4 4 4").says(&["error: native notation: \"x\"", "pit C"]);
    probe("4 4 4 4 4 4 / 4 4 4 4 4 4 4").says(&["\"4\"", "is left over"]);
    probe("4 4 4 4 4 4 / 4 4 4 4 4").says(&["something is missing"]);
    probe("-1 4 4 4 4 4 / 4 4 4 4 4 4").says(&["\"-1\"", "is negative"]);
    probe("9 9 9 9 9 9 / 0 0 0 0 0 0").says(&["54 stones, 6 too many"]);
    probe("4-4-4-4-0-5-5-5-5-4-4-4-0-1-N").says(&["Aualé notation", "49 stones, 1 too many"]);
    probe("3 4 4 4 4 4 / 4 4 4 4 4 4").says(&["47 stones"]);
    // Bare numbers, a negative one among them, are one position too.
    awari(databases(), &["probe", "-1", "4", "4"]).exits(1).says(&["\"-1\"", "is negative"]);
    let thirteen: Vec<&str> = ["probe"].into_iter().chain(["1"; 13]).collect();
    awari(databases(), &thirteen).exits(1).says(&["is left over"]);
}

#[test]
fn a_bad_line_keeps_no_other_from_its_answer() {
    let input = "# positions\n\n0 0 1 0 0 2 / 1 2 0 0 1 0\nnonsense\r\n0 0 0 0 0 0 / 0 0 0 0 0 1\r\n4 4 4 4 4 4 / 4 4 4 4 4 4";
    let run = awari_with_input(databases(), &["probe", "--json", "-"], input).exits(1);
    let run = run.says(&[
        "error: line 4: native notation: \"nonsense\"",
        "error: line 6: ",
        "awari build --stones 48",
    ]);
    let answers = run.json();
    assert_eq!(answers.len(), 4);
    assert_eq!(answers[0]["stones"], 7);
    assert_eq!(answers[1]["line"], 4);
    assert!(answers[1]["error"].as_str().unwrap().contains("nonsense"));
    assert_eq!(answers[2]["value"], -1);
    assert!(answers[3]["error"].as_str().unwrap().contains("48"));
    // Bytes that are no text are a bad line as well.
    let run = awari_with_input(databases(), &["probe"], "\u{7f}\n").exits(1);
    run.says(&["line 1"]);
}

#[test]
fn words_are_one_position() {
    let probe = |arguments: &str| {
        let arguments: Vec<&str> = std::iter::once("probe").chain(arguments.split(' ')).collect();
        awari(databases(), &arguments)
    };
    probe("0 0 0 0 0 0/0 0 0 0 0 1").exits(0).prints(&["1 stone on the board"]);
    for (words, says) in [
        ("4 4 x 4 4 4 / 4 4 4 4 4 4", "\"x\" at character 5 is not a number"),
        ("0 0 0 0 0 0 / 0 0 0 0 0 99999999999999999999", "\"99999999999999999999\""),
    ] {
        let run = probe(words).exits(1).says(&[says]);
        assert_eq!(run.stderr.lines().count(), 1, "{run:#?}");
    }
}

#[test]
fn a_line_without_end_is_cut_short() {
    let long = "1 ".repeat(100_000);
    let input = format!("\u{feff}0 0 0 0 0 0 / 0 0 0 0 0 1\n{long}\n# {long}\n0 0 0 0 0 0 / 0 0 0 0 0 1");
    let run = awari_with_input(databases(), &["probe", "--json"], &input).exits(1);
    let run = run.says(&["line 2: a line of 200001 bytes"]);
    let answers = run.json();
    assert_eq!(answers.len(), 3);
    assert_eq!((&answers[0]["value"], &answers[2]["value"]), (&json!(-1), &json!(-1)));
    assert!(answers[1]["position"].as_str().unwrap().len() < 5000);
}

#[test]
fn answers_come_before_the_next_question() {
    let mut command = command(databases(), &["probe", "--json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        stdin.write_all(b"0 0 0 0 0 0 / 0 0 0 0 0 1\n").unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert!(answer.contains(r#""value":-1"#), "{answer}");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}
