//! Search above the tables, against tables that reach further than it is allowed to see.

mod common;

use std::sync::atomic::AtomicBool;

use awari::rules;
use awari::search::{Limits, Report};
use awari::{Board, Rules, Search, Tablebase, engine};
use common::{Random, build};
use tempfile::TempDir;

const MEMORY: u64 = 64 << 20;

fn nodes(nodes: u64) -> Limits<'static> {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// Compares a report with the tables: the bounds hold the value, and if they are closed the move
/// keeps it. Whether they are.
#[track_caller]
fn check(tables: &Tablebase, board: &Board, report: &Report) -> bool {
    let value = tables.value(board).unwrap();
    let bounds = report.bounds;
    assert!(bounds.lower <= value && value <= bounds.upper, "{board} is worth {value}: {report:?}");
    let plays = tables.moves(board).unwrap();
    match report.line.first() {
        None => assert!(plays.is_empty(), "{board}: {report:?}"),
        Some(&pit) => {
            let play = plays.iter().find(|play| play.pit == pit).unwrap();
            assert!(bounds.exact().is_none() || play.best, "{board}: {report:?}");
        }
    }
    // The rest of the line is legal too.
    let mut now = *board;
    for &pit in &report.line {
        now = rules::turn(&now, tables.rules()).moves().find(|play| play.pit == pit).unwrap().child;
    }
    bounds.exact().is_some()
}

#[test]
fn bounds_are_true_however_much_is_searched() {
    for (rules, seed) in Rules::ALL.into_iter().zip(1..) {
        let dir = TempDir::new().unwrap();
        let tables = build(dir.path(), rules, 11);
        let mut random = Random(seed);
        let (mut closed, mut narrowed) = (0, 0);
        for round in 0..120 {
            let stones = 5 + random.below(7) as u32;
            let board = random.board(stones);
            // Few tables or hardly any, much time or hardly any, a memory that forgets or does not.
            let most = stones.saturating_sub(1 + random.below(6) as u32);
            let limit = 1 << random.below(15);
            let memory = if round % 4 == 0 { 0 } else { MEMORY };
            let mut search = Search::new(&tables, most, memory).unwrap();
            let report = search.solve(&board, &nodes(limit), &mut |_| {}).unwrap();
            closed += u32::from(check(&tables, &board, &report));
            narrowed += u32::from(report.bounds.upper - report.bounds.lower < 2 * stones as i8);
            // What it remembers must not mislead it at another question.
            let report = search.best(&board, &[], &nodes(limit), &mut |_| {}).unwrap();
            check(&tables, &board, &report);
            assert!(report.nodes <= limit);
        }
        // The comparison was not all about nothing.
        assert!(closed > 15 && narrowed > 40, "{rules}: {closed} closed, {narrowed} narrowed");
    }
}

#[test]
fn one_search_answers_many_questions() {
    let dir = TempDir::new().unwrap();
    let tables = build(dir.path(), Rules::Awari, 10);
    let mut search = Search::new(&tables, 7, MEMORY).unwrap();
    let mut random = Random(9);
    let mut closed = 0;
    for _ in 0..40 {
        let board = random.board(10);
        let report = search.solve(&board, &nodes(200_000), &mut |_| {}).unwrap();
        closed += u32::from(check(&tables, &board, &report));
    }
    assert!(closed >= 20, "{closed} of 40");
}

/// Values of boards of 14 to 16 stones from tables of at most 10. `AWARI_SOLVE_BOARDS=200` for more.
#[test]
fn values_above_the_tables_are_proved() {
    let boards = std::env::var("AWARI_SOLVE_BOARDS").map_or(6, |text| text.parse().unwrap());
    let dir = TempDir::new().unwrap();
    let tables = build(dir.path(), Rules::Awari, 16);
    let mut random = Random(16);
    let (mut by_search, mut nodes_by_search) = (0, 0);
    for number in 0..boards {
        let board = random.board(14 + number % 3);
        let mut search = Search::new(&tables, 10, MEMORY).unwrap();
        // First without tables made on the way: bounds.
        let report = search.solve(&board, &nodes(200_000), &mut |_| {}).unwrap();
        by_search += u32::from(check(&tables, &board, &report));
        nodes_by_search += report.nodes;
        // Then with them: the value.
        let made = search.make_tables(13, 1 << 30, &engine::Unwatched).unwrap();
        assert_eq!(made, Some(13));
        check(&tables, &board, &search.solve(&board, &nodes(200_000), &mut |_| {}).unwrap());
        search.make_tables(board.stones(), 1 << 30, &engine::Unwatched).unwrap();
        let report = search.solve(&board, &nodes(200_000), &mut |_| {}).unwrap();
        assert!(check(&tables, &board, &report), "{board}: {report:?}");
    }
    println!("{boards} boards proved, {by_search} by search alone, in {nodes_by_search} nodes");
}

#[test]
fn the_same_nodes_give_the_same_answer() {
    let dir = TempDir::new().unwrap();
    let tables = build(dir.path(), Rules::Awari, 6);
    let board = Random(3).board(20);
    let run = || Search::new(&tables, 6, MEMORY).unwrap().solve(&board, &nodes(50_000), &mut |_| {}).unwrap();
    let report = run();
    assert_eq!(report, run());
    assert_eq!(report.nodes, 50_000);
}

/// Whatever its memory was used for: other boards, other rules, another size.
#[test]
fn in_the_memory_of_another_search_it_finds_the_same() {
    let dir = TempDir::new().unwrap();
    let tables = Rules::ALL.map(|rules| build(dir.path(), rules, 6));
    let (mut random, mut memory) = (Random(8), None);
    for round in 0..300 {
        let tables = &tables[random.below(3) as usize];
        let stones = 12 + random.below(6) as u32;
        let board = random.board(stones);
        let bytes = [0, 1 << 18, 1 << 20][random.below(3) as usize];
        let limits = nodes(1 << random.below(12));
        let mut fresh = Search::new(tables, 6, bytes).unwrap();
        let mut again = Search::with(memory, tables, 6, bytes).unwrap();
        let [fresh, found] =
            [&mut fresh, &mut again].map(|search| search.solve(&board, &limits, &mut |_| {}).unwrap());
        assert_eq!(fresh, found, "{round}: {board}");
        memory = Some(again.into_memory());
    }
}

#[test]
fn stopped_at_once_it_still_has_a_move() {
    let dir = TempDir::new().unwrap();
    let tables = build(dir.path(), Rules::Awari, 2);
    let stop = AtomicBool::new(true);
    let limits = Limits { stop: Some(&stop), ..Limits::default() };
    let mut search = Search::new(&tables, 2, 0).unwrap();
    for report in [
        search.best(&Board::START, &[], &limits, &mut |_| {}).unwrap(),
        search.solve(&Board::START, &limits, &mut |_| {}).unwrap(),
        search.best(&Board::START, &[], &nodes(0), &mut |_| {}).unwrap(),
    ] {
        assert!(report.line[0] < 6);
        assert_eq!((report.bounds.lower, report.bounds.upper), (-48, 48));
    }
}

#[test]
fn no_tables_are_needed() {
    let dir = TempDir::new().unwrap();
    let tables = Tablebase::open(dir.path(), Rules::Awari).unwrap();
    // The opponent has to be fed, and is not: the only stone is in pit A.
    let board = Board::new([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    let mut search = Search::new(&tables, 48, 0).unwrap();
    let report = search.solve(&board, &Limits::default(), &mut |_| {}).unwrap();
    assert_eq!((report.bounds.exact(), report.line), (Some(1), vec![]));
    assert_eq!(search.make_tables(3, 1 << 30, &engine::Unwatched).unwrap(), Some(3));
    // A board of 47 stones is none.
    let mut pits = [4; 12];
    pits[0] = 3;
    let none = search.solve(&Board::new(pits).unwrap(), &Limits::default(), &mut |_| {});
    assert!(none.unwrap_err().to_string().contains("47"));
}
