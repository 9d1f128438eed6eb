//! A directory of tables answers as two independently written solvers did.

mod common;

use std::fs;
use std::path::Path;

use awari::index::{IMPOSSIBLE_STONES, Index};
use awari::table::TableError;
use awari::tablebase::{ProbeError, State, Tablebase, table_path};
use awari::{Board, Rules, rules};
use common::{build, build_with_depths};
use serde_json::Value;
use tempfile::TempDir;

/// The most stones of the positions compared.
const MOST: u32 = 13;

fn built(rules: Rules, most: u32) -> (TempDir, Tablebase) {
    let dir = tempfile::tempdir().unwrap();
    let tables = build(dir.path(), rules, most);
    (dir, tables)
}

fn board(pits: [u8; 12]) -> Board {
    Board::new(pits).unwrap()
}

fn read_board(value: &Value) -> Board {
    let pits: Vec<u8> = value.as_array().unwrap().iter().map(|p| p.as_u64().unwrap() as u8).collect();
    board(pits.try_into().unwrap())
}

#[test]
fn positions_have_the_values_of_other_solvers() {
    let dir = tempfile::tempdir().unwrap();
    let tables = Rules::ALL.map(|rules| build(dir.path(), rules, MOST));
    let lines = fs::read_to_string("tests/data/positions.jsonl").unwrap();
    let mut compared = [0; 3];
    for line in lines.lines() {
        let expected: Value = serde_json::from_str(line).unwrap();
        let board = read_board(&expected["board"]);
        if board.stones() > MOST {
            continue;
        }
        let rules: Rules = expected["rules"].as_str().unwrap().parse().unwrap();
        let of = Rules::ALL.iter().position(|&other| other == rules).unwrap();
        let tables = &tables[of];
        assert_eq!(i64::from(tables.probe(&board).unwrap().value), expected["value"], "{line}");

        let moves = tables.moves(&board).unwrap();
        let expected_moves = expected["moves"].as_array().unwrap();
        assert_eq!(moves.len(), expected_moves.len(), "{line}");
        for (found, expected) in moves.iter().zip(expected_moves) {
            assert_eq!(found.pit as u64, expected["pit"], "{line}");
            assert_eq!(u64::from(found.captured), expected["captured"], "{line}");
            assert_eq!(found.child, read_board(&expected["child"]), "{line}");
            assert_eq!(i64::from(found.child_value), expected["child_value"], "{line}");
            assert_eq!(i64::from(found.value), expected["value"], "{line}");
            assert_eq!(found.best, expected["value"] == expected_best(expected_moves), "{line}");
        }
        let turn = rules::turn(&board, rules);
        let illegal: Vec<_> = turn.illegal().map(|(pit, why)| (pit as u64, why.name())).collect();
        let expected_illegal = expected["illegal"].as_array().unwrap().iter();
        let expected_illegal: Vec<_> =
            expected_illegal.map(|i| (i["pit"].as_u64().unwrap(), i["reason"].as_str().unwrap())).collect();
        assert_eq!(illegal, expected_illegal, "{line}");
        compared[of] += 1;
    }
    assert!(compared.iter().all(|&lines| lines >= 10), "{compared:?} lines compared");
}

fn expected_best(moves: &[Value]) -> i64 {
    moves.iter().map(|play| play["value"].as_i64().unwrap()).max().unwrap()
}

#[test]
fn every_board_has_the_value_of_its_best_move() {
    for rules in Rules::ALL {
        let dir = tempfile::tempdir().unwrap();
        let tables = build_with_depths(dir.path(), rules, 7);
        for stones in 0..=7 {
            let index = Index::new(stones);
            let full = [[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1], [1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]];
            let unreachable = full.map(board).into_iter().filter(|board| board.stones() == stones);
            for board in (0..index.positions()).map(|place| index.board(place)).chain(unreachable) {
                let value = tables.probe(&board).unwrap().value;
                let moves = tables.moves(&board).unwrap();
                let best = tables.best_move(&board).unwrap();
                match best {
                    None => {
                        assert!(moves.is_empty());
                        assert_eq!(rules::turn(&board, rules).end_value(stones), Some(value));
                    }
                    Some(best) => {
                        assert!(best.best && best.value == value && moves.contains(&best), "{board}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_missing_table_is_named_with_the_command_that_builds_it() {
    let dir = tempfile::tempdir().unwrap();
    let tables = build(dir.path(), Rules::Abapa, 3);
    let four = board([0, 0, 0, 0, 2, 1, 0, 1, 0, 0, 0, 0]);
    let error = tables.probe(&four).unwrap_err();
    let at = dir.path().display();
    assert_eq!(
        error.to_string(),
        format!(
            "{at}/abapa/04.awari: no table of 4 stones under rules abapa. Build it: \
             awari build --stones 4 --rules abapa --dir {at}"
        )
    );
    assert!(matches!(tables.moves(&four), Err(ProbeError::Missing { stones: 4, .. })));
    assert!(matches!(tables.best_move(&four), Err(ProbeError::Missing { .. })));
    assert!(matches!(tables.smaller_tables(6), Err(ProbeError::Missing { stones: 4, .. })));
    // A capture takes at least two: the build of 5 stones reads the tables up to 3.
    assert!(tables.smaller_tables(5).is_ok());

    // Built meanwhile, it is found.
    build(dir.path(), Rules::Abapa, 4);
    assert!(tables.probe(&four).is_ok());
}

#[test]
fn a_board_where_the_game_is_over_needs_no_table() {
    let dir = tempfile::tempdir().unwrap();
    let tables = Tablebase::open(dir.path().join("none"), Rules::Awari).unwrap();
    let value = |pits| tables.probe(&board(pits)).unwrap().value;
    assert_eq!(value([0; 12]), 0);
    assert_eq!(value([0, 0, 0, 0, 0, 0, 0, 3, 4, 0, 0, 0]), -7);
    assert_eq!(value([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]), -6);
    assert_eq!(value([3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), 3);
    assert_eq!(tables.moves(&board([3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])).unwrap(), []);
    assert_eq!(tables.best_move(&board([0; 12])).unwrap(), None);
}

#[test]
fn no_game_has_47_stones_on_the_board() {
    let dir = tempfile::tempdir().unwrap();
    let tables = Tablebase::open(dir.path(), Rules::Awari).unwrap();
    let impossible = board([4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3]);
    let says = "47 stones: no game has 47 stones on the board: a capture takes at least two.";
    assert_eq!(tables.probe(&impossible).unwrap_err().to_string(), says);
    assert_eq!(tables.moves(&impossible).unwrap_err().to_string(), says);
    assert_eq!(tables.table(IMPOSSIBLE_STONES).unwrap_err().to_string(), says);
    assert_eq!(tables.table(49).unwrap_err().to_string(), "49 stones: a game has 48.");
    assert!(matches!(tables.probe(&Board::START), Err(ProbeError::Missing { stones: 48, .. })));
}

#[test]
fn a_directory_of_rules_that_is_none_is_told_once() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Tablebase::open(dir.path(), Rules::Abapa).is_ok());
    fs::write(dir.path().join("abapa"), "").unwrap();
    std::os::unix::fs::symlink("slam-ends", dir.path().join("slam-ends")).unwrap();
    for rules in [Rules::Abapa, Rules::SlamEnds] {
        let error = Tablebase::open(dir.path(), rules).unwrap_err();
        assert_eq!(error.path(), dir.path().join(rules.name()));
        assert!(error.to_string().contains("cannot open the directory of tables"), "{error}");
    }
    assert!(Tablebase::open(dir.path(), Rules::Awari).is_ok());
}

#[test]
fn what_was_found_is_reported() {
    let (dir, _) = built(Rules::Awari, 5);
    let path = |stones| table_path(dir.path(), Rules::Awari, stones);
    let at = |path: &Path, at: usize| {
        let mut bytes = fs::read(path).unwrap();
        bytes[at] ^= 1;
        fs::write(path, bytes).unwrap();
    };
    fs::remove_file(path(1)).unwrap();
    at(&path(2), 100); // in the header
    at(&path(3), 4096); // in the data
    fs::rename(path(5), path(6)).unwrap();
    fs::create_dir_all(dir.path().join("abapa")).unwrap();
    fs::copy(path(4), table_path(dir.path(), Rules::Abapa, 4)).unwrap();

    let tables = Tablebase::open(dir.path(), Rules::Awari).unwrap();
    let found = tables.found();
    assert_eq!(found.len(), 48);
    assert_eq!(found.last().unwrap().stones, 48);
    for table in &found {
        match (table.stones, &table.state) {
            (0 | 3 | 4, State::Usable) | (1 | 5 | 7.., State::Missing) => {}
            (2, State::Unusable(TableError::CorruptHeader { .. })) => {}
            (6, State::Unusable(TableError::WrongStones { expected: 6, found: 5, .. })) => {}
            _ => panic!("{table:?}"),
        }
        assert_eq!(table.path, path(table.stones));
    }
    // A damaged block is found when it is read, and before a build reads it.
    let damaged = board([0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0]);
    let error = tables.probe(&damaged).unwrap_err();
    assert!(matches!(error, ProbeError::Table(TableError::CorruptBlock { block: 0, .. })), "{error}");
    fs::copy(path(4), path(1)).unwrap();
    let error = tables.smaller_tables(5).unwrap_err();
    assert!(matches!(error, ProbeError::Table(TableError::WrongStones { .. })), "{error}");

    let other = Tablebase::open(dir.path(), Rules::Abapa).unwrap();
    let error = other.table(4).unwrap_err().to_string();
    assert!(error.contains("a table of rules awari, expected rules abapa"), "{error}");

    let error = Tablebase::open(path(0), Rules::Awari).unwrap_err().to_string();
    assert!(error.contains("cannot open the directory of tables"), "{error}");
}

#[test]
fn many_boards_are_answered_as_each_one_is() {
    let dir = tempfile::tempdir().unwrap();
    build_with_depths(dir.path(), Rules::Awari, 8);
    let tables = Tablebase::open(dir.path(), Rules::Awari).unwrap();
    // Several parts for the threads; of each board also the other side, which a table may not hold.
    let mut boards: Vec<Board> = (0..=8)
        .flat_map(|stones| {
            let index = Index::new(stones);
            (0..index.positions()).map(move |place| index.board(place))
        })
        .flat_map(|board| [board, board.swapped()])
        .collect();
    assert!(boards.iter().any(|board| !board.is_reachable()));
    let probes = tables.probe_many(&boards).unwrap();
    let values = tables.values_of(&boards).unwrap();
    for ((board, probe), value) in boards.iter().zip(&probes).zip(values) {
        assert_eq!(*probe, tables.probe(board).unwrap(), "{board}");
        assert_eq!(value, probe.value, "{board}");
    }

    // The first one without an answer is named.
    boards[77_777] = Board::START;
    boards[99_999] = Board::START;
    for error in [tables.probe_many(&boards).unwrap_err(), tables.values_of(&boards).unwrap_err()] {
        assert_eq!(error.row, 77_777);
        assert!(matches!(error.error, ProbeError::Missing { stones: 48, .. }), "{error}");
    }
}
