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
use super::runs::Run;
use super::worth::Worth;

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
pub(super) struct Scratch<W> {
    first: Vec<W>,
    second: Vec<W>,
    gathered: Vec<W>,
}

/// What a block is evaluated from.
pub(super) struct Sources<'a, W> {
    pub maps: &'a Maps,
    pub captures: &'a Captures<W>,
    /// The table as it is, with [`kernel::SLACK`] more behind it.
    pub table: &'a [W],
}

/// Evaluates a block. Fills `richer_to_move` with a line of the richer side's chunk for each
/// half-board of the poorer side, and `poorer_to_move` the other way round: both as rows of the
/// table, lines and their number padded to whole squares.
pub(super) fn visit<W: Worth>(
    sources: &Sources<W>,
    richer: Part,
    poorer: Part,
    scratch: &mut Scratch<W>,
    tiles: (&mut [W], &mut [W]),
) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { visit_avx2(sources, richer, poorer, scratch, tiles) };
    }
    visit_any(sources, richer, poorer, scratch, tiles);
}

/// [`visit_any`], compiled for processors with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn visit_avx2<W: Worth>(
    sources: &Sources<W>,
    richer: Part,
    poorer: Part,
    scratch: &mut Scratch<W>,
    tiles: (&mut [W], &mut [W]),
) {
    visit_any(sources, richer, poorer, scratch, tiles);
}

#[inline(always)]
fn visit_any<W: Worth>(
    sources: &Sources<W>,
    richer: Part,
    poorer: Part,
    scratch: &mut Scratch<W>,
    (richer_to_move, poorer_to_move): (&mut [W], &mut [W]),
) {
    let (across, down) = (padded(poorer.ranks().len()), padded(richer.ranks().len()));
    let area = across * down;
    let Scratch { first, second, gathered } = scratch;
    gathered.resize((across.max(down) + kernel::SLACK).max(gathered.len()), W::NONE);
    for buffer in [&mut *first, &mut *second] {
        buffer.resize((area + kernel::SLACK).max(buffer.len()), W::NONE);
    }
    outside(sources, poorer, richer, first, down, gathered);
    kernel::transpose(&first[..area], poorer_to_move, across, down);
    outside(sources, richer, poorer, second, across, gathered);
    inside(richer, poorer, second, poorer_to_move, across);
    kernel::transpose(&second[..area], richer_to_move, down, across);
}

/// The best of each position by a capture, an end or a move that leaves the block: for each
/// half-board of `mover`, a line of the half-boards of `waiting`.
#[inline(always)]
fn outside<W: Worth>(
    Sources { maps, captures, table }: &Sources<W>,
    mover: Part,
    waiting: Part,
    lines: &mut [W],
    width: usize,
    gathered: &mut [W],
) {
    let (movers, others) = (mover.ranks(), waiting.ranks());
    let captures = captures.block(mover, waiting).chunks_exact(others.len());
    for ((line, captures), rank) in lines.chunks_mut(width).zip(captures).zip(movers.clone()) {
        line[..others.len()].copy_from_slice(captures);
        for play in mover.maps.own.of(rank) {
            if play.class.0 == 0 && movers.contains(&(play.after as usize)) {
                continue; // stays inside
            }
            let start = maps.row_start(mover.stones - play.class.stones(), play.row as usize);
            let runs = waiting.maps.sowings.of(play.class).of(waiting.chunk);
            if runs.short {
                gather(runs.all, &table[start..], gathered);
                kernel::raise(&mut line[..others.len()], &gathered[..others.len()]);
            } else {
                for run in runs.quiet() {
                    let (at, len, from) =
                        (usize::from(run.at), usize::from(run.len), start + run.to as usize);
                    kernel::raise(&mut line[at..at + len], &table[from..from + len]);
                }
            }
        }
    }
}

/// Copies runs of a row of the table beside one another.
#[inline(always)]
fn gather<W: Worth>(runs: &[Run], row: &[W], gathered: &mut [W]) {
    for run in runs {
        let to = &mut gathered[usize::from(run.at)..];
        if run.to == Run::NOWHERE {
            for at in (0..usize::from(run.len)).step_by(kernel::SLACK) {
                to[at..at + kernel::SLACK].fill(W::NONE);
            }
        } else {
            kernel::copy_short(to, &row[run.to as usize..], usize::from(run.len));
        }
    }
}

/// Adds the moves that stay in the block. Takes the best so far of either side and leaves worths.
#[inline(always)]
fn inside<W: Worth>(richer: Part, poorer: Part, first: &mut [W], second: &mut [W], width: usize) {
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
        first.iter_mut().for_each(|best| *best = best.other());
        let second = &mut rest[..width];
        for &(from, to) in &steps {
            let (from, to) = (usize::from(from), usize::from(to));
            second[from] = second[from].max(first[to]);
        }
        second[..others.len()].iter_mut().for_each(|best| *best = best.other());
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
