//! Play by the tables: the winner gets what the value says against any defence, the loser holds
//! out as long as his depth says, and every line ends.
//!
//! `AWARI_TEST_STONES=16 cargo test --release --test line` plays with larger tables.

mod common;

use std::collections::HashSet;

use awari::index::Index;
use awari::tablebase::{Finish, Line, MoveValue, Tablebase, table_path};
use awari::{Board, Rules, rules, stats, table};
use common::{Random, believed, build, build_with_depths};

/// Boards played from, for each rule set;
/// `AWARI_TEST_BOARDS=10000` for more.
fn boards() -> usize {
    std::env::var("AWARI_TEST_BOARDS").map_or(2_000, |boards| boards.parse().unwrap())
}

/// Plies without a capture after which nobody will capture: more than any depth.
const ENDLESS: usize = 1_000;

fn most_stones() -> u32 {
    std::env::var("AWARI_TEST_STONES").map_or(12, |stones| stones.parse().unwrap())
}

fn board(pits: [u8; 12]) -> Board {
    Board::new(pits).unwrap()
}

/// Checks a line against the rules: every ply is legal and what it says of itself is so.
fn assert_played_by_the_rules(tables: &Tablebase, start: &Board, line: &Line) {
    let mut board = *start;
    let mut captured = [0, 0];
    for (number, ply) in line.plies.iter().enumerate() {
        assert_eq!(ply.board, board);
        let turn = rules::turn(&board, tables.rules());
        let play = turn.moves().find(|play| play.pit == ply.pit).expect("a legal move");
        assert_eq!(play.captured, ply.captured);
        assert_eq!(tables.value(&board).unwrap(), ply.value);
        captured[number % 2] += play.captured;
        board = play.child;
    }
    assert_eq!((line.last, line.captured), (board, captured));
}

#[test]
fn lines_end_and_gain_what_the_value_says() {
    let most = most_stones();
    let dir = tempfile::tempdir().unwrap();
    for rules in Rules::ALL {
        let tables = build_with_depths(dir.path(), rules, most);
        let mut random = Random(1);
        let mut endless = 0;
        for number in 0..boards() {
            let start = random.board(1 + number as u32 % most);
            let line = tables.line(&start).unwrap();
            let probe = tables.probe(&start).unwrap();
            assert_played_by_the_rules(&tables, &start, &line);
            assert_eq!(line.difference, probe.value, "{start}");
            match line.finish {
                Finish::Over(end) => {
                    assert_eq!(rules::turn(&line.last, rules).end, Some(end));
                }
                Finish::EndlessPlay { from } => {
                    assert_eq!(line.plies[from].board, line.last);
                    assert_eq!((line.plies.len() - from) % 2, 0);
                    assert!(line.plies[from..].iter().all(|ply| ply.value == 0 && ply.captured == 0));
                    endless += 1;
                }
                Finish::NotKnown => panic!("{start}"),
            }
            // From one capture to the next, exactly as many plies as the depth says.
            let mut left = probe.depth.unwrap();
            for ply in &line.plies {
                assert_eq!(ply.depth, tables.probe(&ply.board).unwrap().depth);
                if ply.value != 0 {
                    assert_eq!(ply.depth, Some(left), "{start}");
                    left = left.checked_sub(1).unwrap();
                }
                if ply.captured > 0 {
                    assert!(ply.value == 0 || left == 0);
                    left = tables
                        .probe(&tables.best_move(&ply.board).unwrap().unwrap().child)
                        .unwrap()
                        .depth
                        .unwrap();
                }
            }
        }
        println!("{rules}: {endless} of {} lines have no end", boards());
        assert!((1..boards()).contains(&endless));
    }
}

/// Plays a game in which the player to move at `start` moves by `first` and his opponent by
/// `second`. Returns what the first gains, play without captures being worth nothing more, and
/// the plies up to the first capture or the end.
fn game(
    tables: &Tablebase,
    start: &Board,
    first: &mut dyn FnMut(&Board) -> MoveValue,
    second: &mut dyn FnMut(&Board) -> MoveValue,
) -> (i32, usize) {
    let (mut board, mut gain, mut sign, mut quiet, mut plies, mut converted) = (*start, 0, 1, 0, 0, None);
    loop {
        if let Some(end) = rules::turn(&board, tables.rules()).end_value(board.stones()) {
            return (gain + sign * i32::from(end), converted.unwrap_or(plies));
        }
        if quiet > ENDLESS {
            return (gain, converted.unwrap_or(plies));
        }
        let play = if sign == 1 { first(&board) } else { second(&board) };
        plies += 1;
        quiet += 1;
        if play.captured > 0 {
            gain += sign * i32::from(play.captured);
            quiet = 0;
            converted.get_or_insert(plies);
        }
        (board, sign) = (play.child, -sign);
    }
}

#[test]
fn the_winner_gets_his_due_and_the_loser_holds_out() {
    let most = most_stones();
    let dir = tempfile::tempdir().unwrap();
    for rules in Rules::ALL {
        let tables = build_with_depths(dir.path(), rules, most);
        let by_the_table = |board: &Board| tables.best_move(board).unwrap().unwrap();
        let mut random = Random(2);
        let (mut wins, mut losses) = (0, 0);
        for number in 0..boards() {
            let start = random.board(1 + number as u32 % most);
            let probe = tables.probe(&start).unwrap();
            let (value, depth) = (i32::from(probe.value), usize::from(probe.depth.unwrap()));
            let mut any = Random(number as u64);
            let mut anyhow = |board: &Board| {
                let moves = tables.moves(board).unwrap();
                moves[any.below(moves.len() as u64) as usize]
            };
            let mut other = Random(number as u64);
            let mut keeping = |board: &Board| {
                let mut moves = tables.moves(board).unwrap();
                moves.retain(|play| play.best);
                moves[other.below(moves.len() as u64) as usize]
            };
            // Whoever plays by the table gets at least the value, however the other plays.
            assert!(game(&tables, &start, &mut { by_the_table }, &mut anyhow).0 >= value, "{start}");
            assert!(game(&tables, &start, &mut anyhow, &mut { by_the_table }).0 <= value, "{start}");
            let (gain, plies) = game(&tables, &start, &mut { by_the_table }, &mut keeping);
            assert!(gain >= value, "{start}");
            if value > 0 {
                assert!(plies <= depth, "{start}: {plies} plies, depth {depth}");
                wins += 1;
            }
            let (gain, plies) = game(&tables, &start, &mut keeping, &mut { by_the_table });
            assert!(gain <= value, "{start}");
            if value > 0 {
                assert!(plies >= depth, "{start}: {plies} plies, depth {depth}");
            }
            // The loser to move: the same the other way round.
            if value < 0 {
                let (_, plies) = game(&tables, &start, &mut { by_the_table }, &mut keeping);
                assert!(plies >= depth, "{start}: {plies} plies, depth {depth}");
                let (_, plies) = game(&tables, &start, &mut keeping, &mut { by_the_table });
                assert!(plies <= depth, "{start}: {plies} plies, depth {depth}");
                losses += 1;
            }
        }
        assert!(wins > boards() / 10 && losses > boards() / 10, "{wins} wins, {losses} losses");
    }
}

#[test]
fn the_best_move_is_chosen_as_documented() {
    let dir = tempfile::tempdir().unwrap();
    for rules in Rules::ALL {
        let tables = build_with_depths(dir.path(), rules, 9);
        let mut random = Random(3);
        let mut dangerous = HashSet::new();
        for number in 0..3_000 {
            let start = random.board(1 + number % 9);
            let mut best = tables.moves(&start).unwrap();
            best.retain(|play| play.best);
            let Some(chosen) = tables.best_move(&start).unwrap() else {
                assert!(best.is_empty());
                continue;
            };
            let share = |play: &MoveValue| {
                let answers = tables.moves(&play.child).unwrap();
                let wrong = answers.iter().filter(|answer| !answer.best).count();
                if wrong == 0 { 0.0 } else { wrong as f64 / answers.len() as f64 }
            };
            let merit = |play: &MoveValue| match chosen.value {
                0 => share(play),
                1.. => -f64::from(play.depth().unwrap()),
                _ => f64::from(play.depth().unwrap()),
            };
            let most = best.iter().map(merit).fold(f64::MIN, f64::max);
            best.retain(|play| (merit(play) - most).abs() < 1e-9);
            let captured = best.iter().map(|play| play.captured).max().unwrap();
            let expected = best.iter().find(|play| play.captured == captured).unwrap();
            assert_eq!(chosen, *expected, "{start}");
            if chosen.value == 0 {
                dangerous.insert((most * 60.0) as u64);
            }
        }
        assert!(dangerous.len() > 3, "{dangerous:?}");
    }
}

#[test]
fn without_depths_the_way_is_searched() {
    let dir = tempfile::tempdir().unwrap();
    let with_depths = tempfile::tempdir().unwrap();
    let tables = build(dir.path(), Rules::Awari, 11);
    let deep = build_with_depths(with_depths.path(), Rules::Awari, 11);
    let mut random = Random(4);
    let mut starts: Vec<Board> = (0..200).map(|number| random.board(1 + number % 8)).collect();
    starts.extend((9..=11).map(|stones| stats::deepest(&deep, stones).unwrap().board));
    for start in starts {
        let line = tables.line(&start).unwrap();
        assert_played_by_the_rules(&tables, &start, &line);
        assert_eq!(line.difference, tables.value(&start).unwrap(), "{start}");
        assert_ne!(line.finish, Finish::NotKnown, "{start}");
        for ply in &line.plies {
            assert_eq!(ply.depth, deep.probe(&ply.board).unwrap().depth, "{}", ply.board);
        }
    }
}

/// Values that agree with each other and are wrong: nobody finds the way to what they promise.
#[test]
fn what_is_not_found_is_said_so() {
    let dir = tempfile::tempdir().unwrap();
    let tables = build(dir.path(), Rules::Awari, 3);
    let wrong = believed(&tables, 3).unwrap();
    let right = tables;
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), Rules::Awari, 3);
    table::write(table_path(dir.path(), Rules::Awari, 3), Rules::Awari, 3, &wrong).unwrap();
    let tables = Tablebase::open(dir.path(), Rules::Awari).unwrap();
    let index = Index::new(3);
    let mut not_known = 0;
    for board in (0..index.positions()).map(|place| index.board(place)) {
        let (promised, value) = (tables.value(&board).unwrap(), right.value(&board).unwrap());
        let line = tables.line(&board).unwrap();
        if line.finish == Finish::NotKnown {
            let unsure = tables.best_move(&line.last).unwrap().unwrap();
            assert!(unsure.value != 0 && unsure.depth().is_none());
            assert_eq!(line.difference, promised);
            not_known += 1;
        } else {
            assert_eq!(line.difference, value, "{board}");
        }
    }
    println!("{not_known} lines not known");
    assert!(not_known > 0);
}

#[test]
fn a_line_of_a_game_that_is_over_has_no_plies() {
    let dir = tempfile::tempdir().unwrap();
    let tables = Tablebase::open(dir.path(), Rules::Awari).unwrap();
    let line = tables.line(&board([0, 0, 0, 0, 0, 0, 0, 3, 4, 0, 0, 0])).unwrap();
    assert_eq!((line.plies.len(), line.difference), (0, -7));
    assert_eq!(line.finish, Finish::Over(rules::End::NoStones));
    assert!(tables.line(&board([1, 0, 0, 0, 0, 0, 0, 3, 4, 0, 0, 0])).is_err());
}
