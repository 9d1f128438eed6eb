//! One block: a chunk of the richer side's half-boards against a chunk of the poorer side's, with
//! either of them to move.
//!
//! Moves that give no stones to the other side keep both half-boards' sums, lower the rank of the
//! mover's half-board and hand the move over. So within a block they form no cycle, and going
//! through the richer side's half-boards in ascending order, first with him and then with the
//! other to move, settles all of them in one go.

use std::ops::Range;

use super::captures::Captures;
use super::kernel::{self, padded};
use super::maps::{HalfMaps, Maps};
use super::worth;

/// A chunk of half-boards of one side.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    /// Stones of the half-boards.
    pub stones: usize,
    /// Number of the chunk.
    pub chunk: usize,
    maps: &'a HalfMaps,
}

impl<'a> Part<'a> {
    pub fn new(maps: &'a Maps, stones: usize, chunk: usize) -> Part<'a> {
        Part { stones, chunk, maps: &maps.halves[stones] }
    }

    pub fn ranks(&self) -> Range<usize> {
        self.maps.chunks.ranks(self.chunk)
    }
}

/// Work space of one thread.
#[derive(Default)]
pub(super) struct Scratch {
    natural: Vec<u8>,
    richer: Vec<u8>,
    poorer: Vec<u8>,
}

/// Evaluates a block. Returns, in `richer_to_move`, a line of the richer side's chunk for each
/// half-board of the poorer side, and in `poorer_to_move` the other way round: both as rows of the
/// table, padded to whole squares.
pub(super) fn visit(
    maps: &Maps,
    captures: &Captures,
    table: &[u8],
    richer: Part,
    poorer: Part,
    scratch: &mut Scratch,
    tiles: (&mut [u8], &mut [u8]),
) {
    let (across, down) = (padded(poorer.ranks().len()), padded(richer.ranks().len()));
    let area = across * down;
    let Scratch { natural, richer: first, poorer: second } = scratch;
    for buffer in [&mut *natural, &mut *first, &mut *second] {
        buffer.resize(area.max(buffer.len()), worth::NONE);
    }
    outside(maps, captures, table, richer, poorer, &mut first[..area], across);
    outside(maps, captures, table, poorer, richer, &mut natural[..area], down);
    kernel::transpose(&natural[..area], &mut second[..area], across, down);
    inside(richer, poorer, &mut first[..area], &mut second[..area], across);
    kernel::transpose(&first[..area], tiles.0, down, across);
    tiles.1.copy_from_slice(&second[..area]);
}

/// The best of each position by a capture, an end or a move that leaves the block: for each
/// half-board of `mover`, a line of the half-boards of `waiting`.
#[inline(always)]
fn outside(
    maps: &Maps,
    captures: &Captures,
    table: &[u8],
    mover: Part,
    waiting: Part,
    lines: &mut [u8],
    width: usize,
) {
    let (movers, others) = (mover.ranks(), waiting.ranks());
    for (line, rank) in lines.chunks_exact_mut(width).zip(movers.clone()) {
        let line = &mut line[..others.len()];
        line.copy_from_slice(&captures.row(waiting.stones, rank)[others.clone()]);
        for play in mover.maps.own.of(rank) {
            if play.class.0 == 0 && movers.contains(&(play.after as usize)) {
                continue; // stays inside
            }
            let start = maps.row_start(mover.stones - play.class.stones(), play.row as usize);
            for run in waiting.maps.sowings.of(play.class).quiet(waiting.chunk) {
                let (at, len, from) = (usize::from(run.at), usize::from(run.len), start + run.to as usize);
                kernel::raise(&mut line[at..at + len], &table[from..from + len]);
            }
        }
    }
}

/// Adds the moves that stay in the block. Takes the best so far of either side and leaves worths.
#[inline(always)]
fn inside(richer: Part, poorer: Part, first: &mut [u8], second: &mut [u8], width: usize) {
    let (movers, others) = (richer.ranks(), poorer.ranks());
    let steps = steps(poorer);
    for (line, rank) in movers.clone().enumerate() {
        let (settled, rest) = second.split_at_mut(line * width);
        let first = &mut first[line * width..][..width];
        if poorer.stones > 0 {
            for play in richer.maps.own.of(rank) {
                if play.class.0 == 0 && movers.contains(&(play.after as usize)) {
                    let after = play.after as usize - movers.start;
                    kernel::raise(first, &settled[after * width..][..width]);
                }
            }
        }
        first.iter_mut().for_each(|best| *best = worth::other(*best));
        let second = &mut rest[..width];
        for &(from, to) in &steps {
            let (from, to) = (usize::from(from), usize::from(to));
            second[from] = second[from].max(first[to]);
        }
        second[..others.len()].iter_mut().for_each(|best| *best = worth::other(*best));
    }
}

/// The moves within a chunk that give nothing to the other side: from where to where.
fn steps(part: Part) -> Vec<(u16, u16)> {
    let ranks = part.ranks();
    let mut steps = Vec::new();
    for (from, rank) in ranks.clone().enumerate() {
        for play in part.maps.own.of(rank) {
            if play.class.0 == 0 && ranks.contains(&(play.after as usize)) {
                steps.push((from as u16, (play.after as usize - ranks.start) as u16));
            }
        }
    }
    steps
}
