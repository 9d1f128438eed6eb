//! Samples are what was asked for, right, and the same every time.

mod common;
mod program;

use std::collections::HashSet;

use awari::grade::Outcome;
use awari::index::Index;
use awari::sample::{Filter, Sample, Sampler, Source};
use awari::tablebase::MoveValue;
use awari::{Board, Rules, Tablebase, notation, rules};
use program::{awari, awari_with_input, databases};
use serde_json::json;
use tempfile::TempDir;

fn draw(tables: &Tablebase, source: Source, filter: &Filter, seed: u64, count: usize) -> Vec<Sample> {
    let sampler = Sampler::new(tables, source, filter.clone(), seed, 1_000_000).unwrap();
    sampler.take(count).map(Result::unwrap).collect()
}

#[test]
fn samples_have_the_qualities_asked_for() {
    let dir = TempDir::new().unwrap();
    for rules in Rules::ALL {
        let tables = common::build_with_depths(dir.path(), rules, 8);
        let filters = [
            Filter::stones(2..=8),
            Filter { only_one_best: true, ..Filter::stones(5..=8) },
            Filter { min_loss: 6, ..Filter::stones(6..=8) },
            Filter { outcome: Some(Outcome::Draw), ..Filter::stones(8..=8) },
            Filter { depth: Some(5..=9), outcome: Some(Outcome::Loss), ..Filter::stones(4..=8) },
        ];
        for filter in &filters {
            for source in [Source::Stored, Source::RandomPlay] {
                let count = if source == Source::Stored { 100 } else { 10 };
                let samples = draw(&tables, source.clone(), filter, 5, count);
                assert_eq!(samples.len(), count, "{filter:?}");
                let boards: HashSet<Board> = samples.iter().map(|sample| sample.position.board).collect();
                assert_eq!(boards.len(), count);
                for sample in &samples {
                    check(&tables, filter, sample);
                }
            }
        }
    }
}

fn check(tables: &Tablebase, filter: &Filter, sample: &Sample) {
    let board = &sample.position.board;
    let probe = tables.probe(board).unwrap();
    assert_eq!((sample.value, sample.depth), (probe.value, probe.depth));
    assert!(filter.stones.contains(&board.stones()));
    let values: Vec<i8> = rules::turn(board, tables.rules())
        .moves()
        .map(|play| play.captured as i8 - tables.value(&play.child).unwrap())
        .collect();
    assert_eq!(sample.moves.iter().map(|play: &MoveValue| play.value).collect::<Vec<i8>>(), values);
    let best = values.iter().filter(|&&value| value == sample.value).count();
    assert!(best > 0);
    if filter.only_one_best {
        assert!(best == 1 && values.len() > 1);
    }
    let worst = values.iter().min().unwrap();
    assert!(i32::from(sample.value) - i32::from(*worst) >= i32::from(filter.min_loss));
    if let Some(outcome) = filter.outcome {
        assert_eq!(Outcome::of(sample.value.into()), outcome);
    }
    if let Some(depth) = &filter.depth {
        assert!(depth.contains(&sample.depth.unwrap()));
    }
    // A game that came here can be played.
    if let Some((start, moves)) = &sample.history {
        let mut game = awari::game::Game::new(tables.rules(), *start);
        for play in moves {
            game.play(play.pit).unwrap();
        }
        assert_eq!(*game.now(), sample.position);
    }
}

#[test]
fn every_stored_position_with_a_move_is_drawn_in_the_end() {
    let tables = Tablebase::open(databases(), Rules::Awari).unwrap();
    let index = Index::new(3);
    let boards: HashSet<Board> = (0..index.positions())
        .map(|place| index.board(place))
        .filter(|board| rules::turn(board, Rules::Awari).end.is_none())
        .collect();
    let samples = draw(&tables, Source::Stored, &Filter::stones(3..=3), 9, usize::MAX);
    let drawn: HashSet<Board> = samples.iter().map(|sample| sample.position.board).collect();
    assert_eq!(drawn, boards);
}

#[test]
fn the_same_seed_draws_the_same_samples() {
    // What a seed draws must stay: samples are cited by it.
    let first = "{\"board\":\"";
    let arguments = ["sample", "--stones", "2..8", "--count", "50", "--seed", "7"];
    let one = awari(databases(), &arguments).exits(0);
    let mut command = program::command(databases(), &arguments);
    let other = command.env("RAYON_NUM_THREADS", "1").output().unwrap();
    assert_eq!(one.stdout.as_bytes(), other.stdout);
    assert!(one.stdout.starts_with(first));
    let lines = one.json();
    let boards: Vec<&str> = lines.iter().take(3).map(|line| line["board"].as_str().unwrap()).collect();
    assert_eq!(
        boards,
        ["0 0 0 0 0 1 / 1 1 0 0 1 0", "0 0 0 0 0 1 / 0 0 0 0 0 1", "0 0 2 0 0 0 / 0 0 1 0 3 1"]
    );
    assert_eq!(lines[0]["moves"], json!([{"pit": "F", "captured": 2, "value": 0, "depth": 0}]));
    let another = awari(databases(), &["sample", "--stones", "2..8", "--count", "50", "--seed", "8"]);
    assert_ne!(another.stdout, one.stdout);
}

#[test]
fn every_format_is_read_again() {
    let run = |arguments: &[&str]| awari(databases(), &[&["sample", "--stones", "3..8"], arguments].concat());
    let csv = run(&["--count", "20", "--format", "csv", "--only-one-best"]).exits(0).stdout;
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("board,stones,value,depth,best,A,B,C,D,E,F"));
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let board = notation::parse(fields[0]).unwrap().board;
        assert_eq!(fields[1].parse(), Ok(board.stones()));
        // The best move has the value.
        let at = 5 + "ABCDEF".find(fields[4]).unwrap();
        assert_eq!(fields[at], fields[2]);
    }
    let suite = run(&["--count", "20", "--format", "auale"]).exits(0).stdout;
    assert!(suite.lines().all(|line| notation::auale::parse(line).is_ok()));
    let played = run(&["--count", "5", "--format", "auale", "--reachable"]).exits(0).stdout;
    assert!(played.lines().all(|line| line.starts_with("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S moves ")));
    let graded = awari_with_input(databases(), &["grade", "-", "--json"], &played).exits(0).json();
    assert_eq!(graded.iter().filter(|line| line["kind"] == "game").count(), 5);
    // Positions of given games.
    let games = run(&["--count", "4", "--games", "tests/data/games/clauses.ogn"]).exits(0).json();
    assert_eq!(games.len(), 4);
    awari(
        databases(),
        &["sample", "--stones", "8", "--count", "5", "--games", "tests/data/games/broken.ogn"],
    )
    .exits(1)
    .says(&["game 1, move 3", "found 2 of 5 positions among 2 that were tried, all of the games"]);
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let run = |arguments: &[&str]| awari(databases(), &[&["sample"], arguments].concat());
    let few = run(&["--stones", "2", "--count", "1000", "--tries", "5000"]).exits(1);
    assert!(few.stdout.lines().count() > 10);
    few.says(&["of 1,000 positions among 5,000 that were tried"]);
    run(&["--stones", "8", "--min-loss", "17"]).exits(1).says(&["found 0 of 100 positions among 100,000"]);
    run(&["--stones", "6..9"]).exits(1).says(&["no table of 9 stones", "awari build --stones 9"]);
    run(&["--stones", "6", "--depth", "5..40"]).exits(1).says(&["no depths of 6 stones"]);
    run(&["--stones", "9..6"]).exits(2).says(&["the first number is greater"]);
    run(&["--stones", "49"]).exits(2).says(&["a game has 48 stones"]);
    run(&["--stones", "47"]).exits(1).says(&["47 stones: no game has 47 stones"]);
    run(&["--stones", "x"]).exits(2).says(&["such as 6..16"]);
    run(&["--stones", "3", "--count", "0"]).exits(0);
}
