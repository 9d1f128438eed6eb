//! The rules against move lists written by independent programs, for every rule set.

use awari::rules::{self, Choice};
use awari::{Board, Rules};
use serde::Deserialize;

/// A line of `moves.jsonl`: all a player can do on a board.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    rules: String,
    board: [u8; 12],
    moves: Vec<Move>,
    illegal: Vec<Illegal>,
    end: Option<String>,
}

#[derive(Deserialize, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct Move {
    pit: usize,
    captured: u8,
    slam: bool,
    /// Seen from the opponent, who is now to move.
    child: [u8; 12],
}

#[derive(Deserialize, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct Illegal {
    pit: usize,
    reason: String,
}

fn lines() -> Vec<Line> {
    include_str!("data/moves.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn moves_and_ends_are_those_of_the_check_data() {
    let lines = lines();
    for line in &lines {
        let rules: Rules = line.rules.parse().unwrap();
        let board = Board::new(line.board).unwrap();
        let turn = rules::turn(&board, rules);
        let moves: Vec<Move> = turn
            .moves()
            .map(|m| Move { pit: m.pit, captured: m.captured, slam: m.slam, child: m.child.pits() })
            .collect();
        let illegal: Vec<Illegal> =
            turn.illegal().map(|(pit, why)| Illegal { pit, reason: why.name().to_owned() }).collect();
        let context = format!("{rules}: {board}");
        assert_eq!(moves, line.moves, "{context}");
        assert_eq!(illegal, line.illegal, "{context}");
        assert_eq!(turn.end.map(|end| end.name()), line.end.as_deref(), "{context}");
    }
    for rules in Rules::ALL {
        let of_these = lines.iter().filter(|line| line.rules == rules.name());
        assert!(of_these.count() > 70, "hardly a line for {rules}");
    }
}

#[test]
fn every_pit_has_exactly_one_choice() {
    for line in lines() {
        let board = Board::new(line.board).unwrap();
        let turn = rules::turn(&board, line.rules.parse().unwrap());
        for (pit, choice) in turn.choices.iter().enumerate() {
            assert_eq!(*choice == Choice::Empty, board.mover()[pit] == 0);
        }
        // A captured stone leaves the board, no other does.
        for m in turn.moves() {
            assert_eq!(m.child.stones() + u32::from(m.captured), board.stones());
        }
        assert_eq!(turn.end.is_some(), turn.moves().next().is_none());
    }
}
