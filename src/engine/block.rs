//! One block: a chunk of the richer side's half-boards against a chunk of the poorer side's, with
//! either of them to move, and the moves between such positions.
//!
//! Moves that give the other side nothing keep both sides' stones, lower the rank of the mover's
//! half-board and hand the move over. So they form no cycle, and going through the richer side's
//! half-boards in ascending order, first with him and then with the other to move, settles all of
//! them in one go.

use std::cell::RefCell;
use std::ops::Range;

use super::kernel::{self, padded};
use super::maps::{HalfMaps, Maps};
use super::wavefront::Tiles;
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

/// What the blocks of a pair of levels are evaluated from.
pub(super) struct Sources<'a, W> {
    pub maps: &'a Maps,
    /// What was found before.
    pub before: Before<'a, W>,
    /// The best by other moves with the richer side to move: for each of its half-boards in reach, a
    /// line of those of the poorer side that are in the stripe.
    pub richer: &'a [W],
    /// The same with the poorer side to move: for each of its half-boards in the stripe, a line of
    /// those of the richer side in reach.
    pub poorer: &'a [W],
    /// The richer side's half-boards that are looked at together.
    pub reach: Range<usize>,
    /// The poorer side's half-boards that are looked at together.
    pub stripe: Range<usize>,
}

/// Where worths are that are in no tile.
pub(super) enum Before<'a, W> {
    /// In the table as it was before the stripe.
    Table(&'a [W]),
    /// With others, who sent them.
    Guests(&'a Guests<W>),
}

/// Rows of half-boards of the richer side, waiting, that are out of reach: each a line of those of the
/// poorer side, as far as it has arrived.
pub(super) struct Guests<W> {
    /// The ranks of the half-boards, ascending.
    pub ranks: Vec<u32>,
    /// Length of a row.
    pub width: usize,
    pub rows: Vec<W>,
}

impl<W> Guests<W> {
    /// Where the row of the half-board at `rank` starts, which is there.
    #[inline]
    pub fn start(&self, rank: usize) -> usize {
        self.ranks.partition_point(|&guest| (guest as usize) < rank) * self.width
    }
}

impl<W> Sources<'_, W> {
    /// The worths with the half-board at `rank` waiting, who has `stones`, and a chunk of the mover.
    #[inline(always)]
    fn line<'a>(&'a self, tiles: &'a Tiles<W>, stones: usize, rank: usize, mover: Part) -> &'a [W] {
        let chunks = &self.maps.halves[stones].chunks;
        let (chunk, ranks) = (chunks.of(rank), mover.ranks());
        if let Some(tile) = tiles.tile(stones, chunk, mover.chunk) {
            return &tile[(rank - chunks.ranks(chunk).start) * padded(ranks.len())..][..ranks.len()];
        }
        match self.before {
            Before::Table(table) => {
                &table[self.maps.level(stones).start + self.maps.row_of(stones, rank)..][ranks]
            }
            Before::Guests(guests) => &guests.rows[guests.start(rank)..][ranks],
        }
    }
}

/// Work space of one thread.
#[derive(Default)]
pub(super) struct Scratch<W> {
    lines: Vec<W>,
}

/// Evaluates a block. Fills `richer_to_move` with a line of the richer side's chunk for each
/// half-board of the poorer side, and `poorer_to_move` the other way round: both as rows of the
/// table, lines and their number padded to whole squares.
pub(super) fn visit<W: Worth>(
    sources: &Sources<W>,
    tiles: &Tiles<W>,
    richer: Part,
    poorer: Part,
    scratch: &mut Scratch<W>,
    (richer_to_move, poorer_to_move): (&mut [W], &mut [W]),
) {
    kernel::vectorized(|| {
        let (across, down) = (padded(poorer.ranks().len()), padded(richer.ranks().len()));
        let area = across * down;
        if scratch.lines.len() < area {
            scratch.lines.resize(area, W::NONE);
        }
        let lines = &mut scratch.lines[..area];
        let (reach, stripe) = (&sources.reach, &sources.stripe);
        let place = |rank: usize| (rank - stripe.start) * reach.len() + richer.ranks().start - reach.start;
        from_below(sources, tiles, |rank| &sources.poorer[place(rank)..], poorer, richer, lines, down);
        kernel::transpose(lines, poorer_to_move, across, down);
        let place = |rank: usize| (rank - reach.start) * stripe.len() + poorer.ranks().start - stripe.start;
        from_below(sources, tiles, |rank| &sources.richer[place(rank)..], richer, poorer, lines, across);
        inside(richer, poorer, lines, poorer_to_move, across);
        kernel::transpose(lines, richer_to_move, down, across);
    });
}

/// Takes the best by other moves of each of the mover's half-boards and adds those that lead to lower blocks: for each half-board of
/// `mover`, a line of the half-boards of `waiting`.
#[inline(always)]
fn from_below<'a, W: Worth>(
    sources: &Sources<W>,
    tiles: &Tiles<W>,
    best: impl Fn(usize) -> &'a [W],
    mover: Part,
    waiting: Part,
    lines: &mut [W],
    width: usize,
) {
    let (movers, others) = (mover.ranks(), waiting.ranks());
    for (line, rank) in lines.chunks_exact_mut(width).zip(movers.clone()) {
        let line = &mut line[..others.len()];
        line.copy_from_slice(&best(rank)[..others.len()]);
        if waiting.stones == 0 {
            continue; // he has to be fed
        }
        for play in mover.maps.own.holding(rank) {
            if play.after() < movers.start {
                kernel::raise(line, sources.line(tiles, mover.stones, play.after(), waiting));
            }
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
            for play in richer.maps.own.holding(rank) {
                if let Some(after) = play.after().checked_sub(movers.start) {
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
    let inside = |after: usize| after.checked_sub(ranks.start).map(|to| to as u16);
    let steps = ranks.clone().enumerate().flat_map(|(from, rank)| {
        part.maps.own.holding(rank).iter().map(move |play| (from as u16, play.after()))
    });
    steps.filter_map(|(from, after)| Some((from, inside(after)?))).collect()
}

/// Work space that each thread keeps from block to block: fresh memory would cost more than the
/// work done in it.
pub(super) trait Scratched: Sized {
    fn with_scratch(work: impl FnOnce(&mut Scratch<Self>));
}

thread_local! {
    static VALUES: RefCell<Scratch<u8>> = RefCell::default();
    static DEPTHS: RefCell<Scratch<i16>> = RefCell::default();
}

impl Scratched for u8 {
    fn with_scratch(work: impl FnOnce(&mut Scratch<u8>)) {
        VALUES.with_borrow_mut(work);
    }
}

impl Scratched for i16 {
    fn with_scratch(work: impl FnOnce(&mut Scratch<i16>)) {
        DEPTHS.with_borrow_mut(work);
    }
}
