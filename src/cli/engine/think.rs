//! Finds a move, and tells how.

use std::fmt::Display;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use awari::rules;
use awari::search::{Limits, Memory, Report, SearchError};
use awari::tablebase::{MoveValue, ProbeError};
use awari::{Board, Search, Tablebase};

use super::game::Game;
use super::go::Go;
use super::options::Options;
use super::{Signal, say};

/// Time in which [`Tablebase::best_move`] finds a way on where there are no depths, with a margin.
const LOOKING_FOR_DEPTHS: Duration = Duration::from_secs(5);

/// Boards a millisecond that a search looks at, at most, and bytes it takes to remember one.
const BYTES_PER_MILLISECOND: u64 = 3_000 * 24;

/// Finds a move and says it, when that is wanted; in this memory, if it is large enough.
pub fn think(game: &Game, go: &Go, options: &Options, signal: &Signal, memory: &mut Option<Memory>) {
    let (pit, answer) = find(game, go, options, signal, memory);
    while signal.hold.load(Ordering::Relaxed) && !super::CLOSED.load(Ordering::Relaxed) {
        thread::park_timeout(Duration::from_millis(50));
    }
    signal.answered.store(true, Ordering::Relaxed);
    match (pit, answer) {
        (Some(pit), Some(answer)) => {
            let line = game.line(&[pit, answer]);
            let (best, ponder) = line.split_at(1);
            say(&format!("bestmove {best} ponder {ponder}"));
        }
        (Some(pit), None) => say(&format!("bestmove {}", game.pit(pit))),
        (None, _) => say("bestmove 0000"),
    }
}

/// The move to play, and the answer that is expected.
fn find(
    game: &Game,
    go: &Go,
    options: &Options,
    signal: &Signal,
    memory: &mut Option<Memory>,
) -> (Option<usize>, Option<usize>) {
    let started = Instant::now();
    let board = &game.position.board;
    let tables = options.tables();
    let turn = rules::turn(board, tables.rules());
    if let Some(end) = turn.end {
        say(&format!("info string the game is over: {}", end.name()));
        return (None, None);
    }
    let time = go.time(game.position.south_to_move, options.overhead());
    if options.use_tables() {
        match from_tables(tables, game, time) {
            Ok(Some(play)) => {
                let after = rules::turn(&play.child, tables.rules()).moves().next().map(|_| &play.child);
                let reply = after.and_then(|child| reply(tables, child));
                let line: Vec<usize> = [play.pit].into_iter().chain(reply).collect();
                say(&format!(
                    "info depth 1 score cp {} nodes 1 nps 1 tbhits 1 time {} pv {}",
                    i32::from(play.value) * 100,
                    started.elapsed().as_millis(),
                    game.line(&line)
                ));
                return (Some(play.pit), reply);
            }
            Ok(None) | Err(ProbeError::Missing { .. }) => {}
            Err(error) => problem(error),
        }
    }
    match search(game, go, options, signal, (time, started), memory) {
        Ok(report) => (report.line.first().copied(), report.line.get(1).copied()),
        Err(error) => {
            problem(error);
            (turn.moves().max_by_key(|play| play.captured).map(|play| play.pit), None)
        }
    }
}

fn problem(error: impl Display) {
    say(&format!("info string {error}"));
}

/// A move that keeps the value, from the tables; None if the game is over.
fn from_tables(
    tables: &Tablebase,
    game: &Game,
    time: Option<Duration>,
) -> Result<Option<MoveValue>, ProbeError> {
    let board = &game.position.board;
    let depths = tables.depths(board.stones())?.is_some();
    if depths || time.is_none_or(|time| time >= LOOKING_FOR_DEPTHS) {
        let best = tables.best_move(board)?;
        if best.is_none_or(|play| play.value == 0 || play.depth().is_some()) {
            return Ok(best);
        }
    }
    // Nobody knows the way on: at least do not go back.
    let mut moves = tables.moves(board)?;
    moves.retain(|play| play.best);
    let been = |play: &MoveValue| came_back(game, &play.child);
    Ok(moves.into_iter().min_by_key(|play| (been(play), u8::MAX - play.captured)))
}

/// Whether a board after a move was there before, with the same player to move.
fn came_back(game: &Game, child: &Board) -> bool {
    game.passed.iter().rev().step_by(2).any(|passed| passed == child)
}

/// A good reply on a board of the tables.
fn reply(tables: &Tablebase, board: &Board) -> Option<usize> {
    tables.moves(board).ok()?.into_iter().find(|play| play.best).map(|play| play.pit)
}

fn search(
    game: &Game,
    go: &Go,
    options: &Options,
    signal: &Signal,
    (time, started): (Option<Duration>, Instant),
    memory: &mut Option<Memory>,
) -> Result<Report, SearchError> {
    // What is quickly decided needs little memory. Half of it is for proofs alone.
    let bytes = time.map_or(u64::MAX, |time| (1 << 20) + time.as_millis() as u64 * BYTES_PER_MILLISECOND);
    let most = if options.use_tables() { awari::board::MAX_STONES } else { 0 };
    // The option may have been made smaller.
    let old = memory.take().filter(|old| old.bytes() <= options.memory());
    let mut search = Search::with(old, options.tables(), most, 2 * bytes.min(options.memory()))?;
    let limits = Limits {
        nodes: go.nodes,
        until: time.map(|time| started + time),
        depth: go.depth.map(|depth| depth.max(1)),
        stop: Some(&signal.stop),
    };
    let report = search.best(&game.position.board, &game.passed, &limits, &mut |report| {
        let time = started.elapsed();
        say(&format!(
            "info depth {} score cp {} nodes {} nps {} tbhits {} time {} pv {}",
            report.depth,
            (report.estimate * 100.0).round(),
            report.nodes,
            (report.nodes as f64 / time.as_secs_f64().max(1e-3)) as u64,
            report.table_hits,
            time.as_millis(),
            game.line(&report.line)
        ));
    });
    *memory = Some(search.into_memory());
    report
}
