//! Search above the tables: bounds of a value, proved, and a good move, soon.
//!
//! The argument is in `docs/search.md`. Three things work together:
//!
//! * [`deepen`](self): a search to a fixed number of plies, one ply more each time. It finds good
//!   moves, estimates, and proofs that somebody *gets on*: those are finite;
//! * [`circles`](self): a search among the boards of one number of stones for a set of boards that
//!   the opponent cannot leave to his profit, however long he goes round. It decides any question
//!   "is the value at least k?", given the time and the memory;
//! * tables made in memory by the engine, where that is quicker than both.

mod below;
mod bounds;
mod circles;
mod deepen;
mod known;
mod solve;

use std::collections::TryReserveError;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::board::Board;
use crate::rules;
use crate::tablebase::{ProbeError, Tablebase};
use below::Below;
pub use bounds::Bounds;
use known::Known;

/// When a search has to stop. By default never, unless it has found out all.
#[derive(Clone, Copy, Default, Debug)]
pub struct Limits<'a> {
    /// After so many boards.
    pub nodes: Option<u64>,
    /// At this time.
    pub until: Option<Instant>,
    /// After having looked so many plies ahead.
    pub depth: Option<u32>,
    /// When this becomes true.
    pub stop: Option<&'a AtomicBool>,
}

/// What is found out so far about the board that is searched.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Plies looked ahead.
    pub depth: u32,
    /// What is proved of the value.
    pub bounds: Bounds,
    /// What the value seems to be, in stones; inside the bounds.
    pub estimate: f32,
    /// The best moves of both sides, as pits 0..=5, the first for the player to move; empty if the
    /// game is over or nothing has been looked at.
    pub line: Vec<usize>,
    /// Boards looked at.
    pub nodes: u64,
    /// Values found in tables.
    pub table_hits: u64,
}

/// Why a search gave up.
#[derive(Debug)]
#[non_exhaustive]
pub enum SearchError {
    /// A table cannot be used, or no game has so many stones on the board.
    Tables(ProbeError),
    /// There is not enough memory.
    Memory,
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchError::Tables(error) => error.fmt(f),
            SearchError::Memory => f.write_str("not enough memory to search. Give less of it."),
        }
    }
}

impl std::error::Error for SearchError {}

impl From<ProbeError> for SearchError {
    fn from(error: ProbeError) -> SearchError {
        SearchError::Tables(error)
    }
}

impl From<TryReserveError> for SearchError {
    fn from(_: TryReserveError) -> SearchError {
        SearchError::Memory
    }
}

/// Why the search of a board ended early.
#[derive(Debug)]
enum Halt {
    /// A limit was reached.
    Limit,
    /// There is no answer at all.
    Error(Box<SearchError>),
}

impl From<ProbeError> for Halt {
    fn from(error: ProbeError) -> Halt {
        Halt::Error(Box::new(error.into()))
    }
}

/// A search with its memory. The same questions in the same order, limited by nodes or depth, have
/// the same answers.
pub struct Search<'t> {
    below: Below<'t>,
    known: Known,
    /// Half of the memory: what a search among boards of one number of stones may take.
    bytes: u64,
    /// Boards of the graphs of [`circles`] that are in memory.
    held: u64,
    /// Whether the memory for them was not enough.
    starved: bool,
    nodes: u64,
    /// The last number of nodes of the part that is under way.
    end: u64,
}

/// Memory that a search has had, for another: to ask the system for it may take longer than a search.
/// What was remembered in it is forgotten.
pub struct Memory(Known);

impl Memory {
    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

/// Nodes between two looks at the clock.
const LOOK_EVERY: u64 = 256;

impl<'t> Search<'t> {
    /// A search that ends its lines in the tables of at most `most` stones of `tables`, and takes
    /// about `memory` bytes.
    ///
    /// # Errors
    /// If the memory cannot be had.
    pub fn new(tables: &'t Tablebase, most: u32, memory: u64) -> Result<Search<'t>, SearchError> {
        Search::with(None, tables, most, memory)
    }

    /// The same, in the memory of another search if that is large enough. It finds the same.
    ///
    /// # Errors
    /// If the memory cannot be had.
    pub fn with(
        old: Option<Memory>,
        tables: &'t Tablebase,
        most: u32,
        memory: u64,
    ) -> Result<Search<'t>, SearchError> {
        let below = Below::new(tables, most);
        Ok(Search {
            below,
            known: Known::new(memory / 2, old.map(|Memory(known)| known))?,
            bytes: memory / 2,
            held: 0,
            starved: false,
            nodes: 0,
            end: u64::MAX,
        })
    }

    /// Forgets what was found out.
    pub fn forget(&mut self) {
        self.known.forget();
    }

    /// Ends the search and leaves its memory.
    pub fn into_memory(self) -> Memory {
        Memory(self.known)
    }

    /// The most stones up to which it has every table; None if it has none.
    pub fn complete_to(&self) -> Option<u32> {
        self.below.complete_to()
    }

    /// What is known of a board without a search.
    fn bounds(&mut self, board: &Board) -> Result<Bounds, ProbeError> {
        if let Some(value) = self.below.value(board)? {
            return Ok(Bounds::exactly(value));
        }
        let known = self.known.get(known::key(board)).map(|entry| entry.bounds);
        Ok(known.unwrap_or(Bounds::of_stones(board.stones())))
    }

    /// Adds what was proved of a board.
    fn proved(&mut self, board: &Board, bounds: Bounds) {
        let entry = self.known.entry(known::key(board), Bounds::of_stones(board.stones()));
        entry.bounds = entry.bounds.and(bounds);
    }

    /// Bounds of a board, from those of the boards after its moves too, and the move that has the
    /// greatest lower bound with that; None if the game is over.
    fn bounds_ahead(&mut self, board: &Board) -> Result<(Bounds, Option<(usize, i8)>), ProbeError> {
        let (mut ahead, mut best) = (None::<Bounds>, None);
        for play in rules::turn(board, self.below.rules()).moves() {
            let after = self.bounds(&play.child)?.before(play.captured);
            if best.is_none_or(|(_, lower)| after.lower > lower) {
                best = Some((play.pit, after.lower));
            }
            let so_far = ahead.get_or_insert(after);
            so_far.lower = so_far.lower.max(after.lower);
            so_far.upper = so_far.upper.max(after.upper);
        }
        let here = self.bounds(board)?;
        Ok((ahead.map_or(here, |ahead| ahead.and(here)), best))
    }

    /// Counts a board; an error if it is one too many or it is time to stop.
    fn count(&mut self, limits: &Limits) -> Result<(), Halt> {
        if self.nodes >= self.end {
            return Err(Halt::Limit);
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(LOOK_EVERY) && stopped(limits) {
            return Err(Halt::Limit);
        }
        Ok(())
    }
}

/// Whether it is time to stop.
fn stopped(limits: &Limits) -> bool {
    limits.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
        || limits.until.is_some_and(|until| Instant::now() >= until)
}
