//! Sweeps: the order in which positions are evaluated.
//!
//! Levels come in pairs, one for either side to move. A sweep goes from the extremes, where one
//! side has all stones, inwards. In each pair, moves that bring stones over come first, for all
//! positions together; then moves that do not, block by block: blocks of one antidiagonal depend on
//! earlier antidiagonals alone. They are evaluated at the same time into tiles of their own while
//! the table is only read; then the tiles are published.

use std::cell::RefCell;
use std::ops::Range;

use rayon::prelude::*;

use super::block::{self, Part, Scratch, Sources};
use super::captures::Captures;
use super::giving::{self, Field};
use super::kernel::padded;
use super::last_changes::Change;
use super::levels::{Level, Levels};
use super::maps::Maps;
use super::publish::{self, Tile};
use super::storage::{Buffer, Storage, StorageError};
use super::worth::Worth;
use super::{Pass, SolveError, Watch};
use crate::half;

/// Below this many positions an antidiagonal is not worth sharing out.
const WORTH_SHARING: usize = 1 << 14;

/// The table while it is being solved.
pub(super) struct Sweeper<'a, W> {
    maps: &'a Maps,
    watch: &'a dyn Watch,
    captures: &'a Captures<W>,
    levels: Levels<'a, W>,
    /// Positions of a stripe, at most.
    stripe: usize,
    /// The best by moves that bring stones over, of one pair of levels: richer side to move.
    richer: Buffer<W>,
    /// The same with the poorer side to move.
    poorer: Buffer<W>,
    /// Memory for the tiles of one antidiagonal.
    tiles: Vec<W>,
}

/// What a sweep changed.
pub(super) struct Swept<W> {
    /// How many positions.
    pub changes: u64,
    /// Which, if there was room for all of them.
    pub list: Option<Vec<Change<W>>>,
}

/// A block of one antidiagonal and its tiles.
struct Job<'t, 'm, W> {
    richer: Part<'m>,
    poorer: Part<'m>,
    richer_to_move: &'t mut [W],
    poorer_to_move: &'t mut [W],
}

impl<'a, W: Worth + Scratched> Sweeper<'a, W> {
    /// Nothing visited yet.
    pub fn new(
        maps: &'a Maps,
        watch: &'a dyn Watch,
        captures: &'a Captures<W>,
        table: &'a mut Buffer<W>,
    ) -> Result<Sweeper<'a, W>, StorageError> {
        // Each stripe has to see all levels: those of a scratch file had better not be read again.
        let stripe = if table.is_scratch() { maps.largest_level() } else { STRIPE };
        let stripes = (0..=maps.stones / 2).flat_map(|poorer| stripes(maps, poorer, stripe));
        let size = |stripe: Range<usize>, poorer| stripe.len() * half::count(maps.stones - poorer);
        let largest = stripes.map(|(poorer, chunks)| size(stripe_ranks(maps, poorer, &chunks), poorer)).max();
        let buffer = || Buffer::new(&Storage::Memory, largest.unwrap_or(0));
        let (richer, poorer) = (buffer()?, buffer()?);
        let levels = Levels::new(maps, table)?;
        Ok(Sweeper { maps, watch, captures, levels, stripe, richer, poorer, tiles: Vec::new() })
    }

    /// Evaluates every position once. Lists the changes if they are no more than `room`.
    pub fn sweep(&mut self, pass: Pass, room: u64) -> Result<Swept<W>, SolveError> {
        let index = &self.maps.index;
        let mut swept = Swept { changes: 0, list: Some(Vec::with_capacity(room as usize)) };
        let mut done = 0;
        for poorer in 0..=self.maps.stones / 2 {
            let richer = self.maps.stones - poorer;
            for (_, chunks) in stripes(self.maps, poorer, self.stripe) {
                self.sweep_stripe(poorer, &chunks, room, &mut swept)?;
            }
            done += index.level(poorer + 1) - index.level(poorer);
            if richer != poorer {
                done += index.level(richer + 1) - index.level(richer);
            }
            self.watch.progress(pass, done, index.positions());
        }
        Ok(swept)
    }

    /// Evaluates the positions of a pair of levels whose poorer side's half-board is in `chunks`.
    fn sweep_stripe(
        &mut self,
        poorer: usize,
        chunks: &Range<usize>,
        room: u64,
        swept: &mut Swept<W>,
    ) -> Result<(), SolveError> {
        let maps = self.maps;
        let richer = maps.stones - poorer;
        let (stripe, all) = (stripe_ranks(maps, poorer, chunks), 0..half::count(richer));
        let area = stripe.len() * half::count(richer);
        let mut looking = vec![(
            Field { own: richer, movers: all.clone(), others: stripe.clone() },
            &mut self.richer[..area],
        )];
        // Where both sides have as many stones and all is looked at together, both are the same.
        let same = richer == poorer && stripe == all;
        if !same {
            let field = Field { own: poorer, movers: stripe.clone(), others: all };
            looking.push((field, &mut self.poorer[..area]));
        }
        let movers: Vec<usize> = looking.iter().map(|(field, _)| field.own).collect();
        self.levels.show(&movers, self.captures, |number, captures, view| {
            let (field, lines) = &mut looking[number];
            giving::look(maps, captures, view, field, lines);
        })?;
        let best = (&*self.richer, if same { &*self.richer } else { &*self.poorer });
        let mut pair = self.levels.pair(self.captures, poorer, richer)?;
        for antidiagonal in chunks.start..maps.chunks(richer) + chunks.end - 1 {
            let blocks = antidiagonal_blocks(maps, poorer, chunks, antidiagonal);
            visit(maps, &mut pair, best, &stripe, &blocks, &mut self.tiles, swept);
            if swept.changes > room {
                swept.list = None; // no room, and no use: all of them are needed
            }
            if self.watch.stop() {
                return Err(SolveError::Stopped);
            }
        }
        self.levels.store(poorer, richer)?;
        Ok(())
    }
}

/// Evaluates blocks that do not depend on one another.
fn visit<W: Worth + Scratched>(
    maps: &Maps,
    pair: &mut [Level<W>],
    (richer, poorer): (&[W], &[W]),
    stripe: &Range<usize>,
    blocks: &[(Part, Part)],
    tiles: &mut Vec<W>,
    swept: &mut Swept<W>,
) {
    let area: usize = blocks.iter().map(|&block| tile_size(block)).sum();
    if tiles.len() < 2 * area {
        tiles.resize(2 * area, W::NONE);
    }
    let mut jobs = jobs(blocks, tiles);
    let sources = Sources { maps, levels: pair, richer, poorer, stripe: stripe.clone() };
    let evaluate = |job: &mut Job<W>| {
        let tiles = (&mut *job.richer_to_move, &mut *job.poorer_to_move);
        W::with_scratch(|scratch| block::visit(&sources, job.richer, job.poorer, scratch, tiles));
    };
    let share = area >= WORTH_SHARING;
    if share {
        jobs.par_iter_mut().with_max_len(1).for_each(evaluate);
    } else {
        jobs.iter_mut().for_each(evaluate);
    }
    let tiles = jobs.iter().flat_map(self::tiles).collect();
    for changes in publish::publish(maps, pair, tiles, share, swept.list.is_some()) {
        swept.changes += changes.count;
        if let Some(list) = &mut swept.list {
            list.extend(changes.list);
        }
    }
}

/// Positions whose best moves by giving are kept at once, about: a pair of levels that has more is
/// cut into stripes of the poorer side's chunks.
pub(super) const STRIPE: usize = 1 << 24;

/// The stripes of a pair of levels, of at most `most` positions each if a chunk has no more: with the
/// poorer side's stones, ranges of its chunks.
fn stripes(maps: &Maps, poorer: usize, most: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
    let width = half::count(maps.stones - poorer);
    let mut start = 0;
    std::iter::from_fn(move || {
        let first = start;
        let mut size = 0;
        while start < maps.chunks(poorer) {
            size += Part::new(maps, poorer, start).ranks().len() * width;
            if start > first && size > most {
                break;
            }
            start += 1;
        }
        (start > first).then_some((poorer, first..start))
    })
}

/// The ranks of the half-boards of a stripe.
fn stripe_ranks(maps: &Maps, poorer: usize, chunks: &Range<usize>) -> Range<usize> {
    Part::new(maps, poorer, chunks.start).ranks().start..Part::new(maps, poorer, chunks.end - 1).ranks().end
}

/// The blocks of an antidiagonal in a stripe: the numbers of the two chunks add up to it.
fn antidiagonal_blocks<'m>(
    maps: &'m Maps,
    poorer: usize,
    stripe: &Range<usize>,
    antidiagonal: usize,
) -> Vec<(Part<'m>, Part<'m>)> {
    let richer = maps.stones - poorer;
    let chunks = stripe.start..stripe.end.min(antidiagonal + 1);
    chunks
        .map(|chunk| (antidiagonal - chunk, chunk))
        // With as many stones on either side, the two ways round are one block.
        .filter(|&(r, p)| r < maps.chunks(richer) && (richer != poorer || r >= p))
        .map(|(r, p)| (Part::new(maps, richer, r), Part::new(maps, poorer, p)))
        .collect()
}

fn tile_size((richer, poorer): (Part, Part)) -> usize {
    padded(richer.ranks().len()) * padded(poorer.ranks().len())
}

/// Gives each block its share of `memory`.
fn jobs<'t, 'm, W>(blocks: &[(Part<'m>, Part<'m>)], mut memory: &'t mut [W]) -> Vec<Job<'t, 'm, W>> {
    let mut jobs = Vec::with_capacity(blocks.len());
    for &(richer, poorer) in blocks {
        let size = tile_size((richer, poorer));
        let (richer_to_move, rest) = std::mem::take(&mut memory).split_at_mut(size);
        let (poorer_to_move, rest) = rest.split_at_mut(size);
        memory = rest;
        jobs.push(Job { richer, poorer, richer_to_move, poorer_to_move });
    }
    jobs
}

/// The tiles of an evaluated block: on the diagonal of the middle level, where both are the same
/// positions, only one.
fn tiles<'t, 'm, W>(job: &'t Job<'_, 'm, W>) -> impl Iterator<Item = Tile<'t, 'm, W>> {
    let Job { richer, poorer, .. } = *job;
    let first = Tile { waiting: poorer, mover: richer, lines: &*job.richer_to_move };
    let second = Tile { waiting: richer, mover: poorer, lines: &*job.poorer_to_move };
    let same = (richer.stones, richer.chunk) == (poorer.stones, poorer.chunk);
    std::iter::once(first).chain((!same).then_some(second))
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
