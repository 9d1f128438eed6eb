//! The blocks of a stripe, each evaluated as soon as those it depends on are done.
//!
//! What a block finds stays in tiles of its own until all of the stripe is done. A tile is written
//! once, by whoever evaluates its block, and read by blocks that wait for it: so threads need no
//! more order among them than that.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use rayon::Scope;

use super::block::{self, Part, Scratched, Sources};
use super::kernel::padded;
use super::maps::Maps;
use super::worth::Worth;

/// A stripe of fewer positions is not worth sharing out.
const WORTH_SHARING: usize = 1 << 14;

/// The blocks of a stripe: the chunks of the richer side in reach against those of the poorer side
/// that are in the stripe. With as many stones on either side, the two ways round are one block.
#[derive(Clone)]
pub(super) struct Blocks<'m> {
    pub maps: &'m Maps,
    /// Stones of the poorer side.
    pub poorer: usize,
    /// Its chunks.
    pub chunks: Range<usize>,
    /// The richer side's chunks.
    pub reach: Range<usize>,
}

impl<'m> Blocks<'m> {
    /// All blocks of a stripe of these chunks of the poorer side, who has so many stones.
    pub fn new(maps: &'m Maps, poorer: usize, chunks: Range<usize>) -> Blocks<'m> {
        Blocks { maps, poorer, chunks, reach: 0..maps.chunks(maps.stones - poorer) }
    }

    /// Stones of the richer side.
    pub fn richer(&self) -> usize {
        self.maps.stones - self.poorer
    }

    fn same(&self) -> bool {
        self.poorer == self.richer()
    }

    /// The number of a block; None if it is not in the stripe.
    fn number(&self, richer: usize, poorer: usize) -> Option<usize> {
        let inside = self.chunks.contains(&poorer)
            && self.reach.contains(&richer)
            && (!self.same() || richer >= poorer);
        inside.then(|| (richer - self.reach.start) * self.chunks.len() + poorer - self.chunks.start)
    }

    /// The block that holds the positions of two chunks, and whether its richer side is to move.
    fn with(&self, waiting: (usize, usize), mover: usize) -> Option<(usize, bool)> {
        let (stones, chunk) = waiting;
        let richer_moves = if self.same() { chunk <= mover } else { stones == self.poorer };
        let number = if richer_moves { self.number(mover, chunk) } else { self.number(chunk, mover) };
        number.map(|number| (number, richer_moves))
    }

    /// Every block: its two chunks, in an order in which each comes after all it depends on.
    fn all(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let pairs = self.reach.clone().flat_map(|r| self.chunks.clone().map(move |p| (r, p)));
        pairs.filter(|&(r, p)| !self.same() || r >= p)
    }

    /// The blocks next to one, on which others wait.
    fn after(&self, (richer, poorer): (usize, usize)) -> impl Iterator<Item = (usize, usize)> + '_ {
        let there = move |&(r, p): &(usize, usize)| self.number(r, p).is_some();
        [(richer + 1, poorer), (richer, poorer + 1)].into_iter().filter(there)
    }

    /// On how many blocks next to it one waits.
    fn waits_on(&self, (richer, poorer): (usize, usize)) -> u8 {
        let above = richer > 0 && self.number(richer - 1, poorer).is_some();
        let before = poorer > 0 && self.number(richer, poorer - 1).is_some();
        u8::from(above) + u8::from(before)
    }

    fn parts(&self, (richer, poorer): (usize, usize)) -> (Part<'m>, Part<'m>) {
        (Part::new(self.maps, self.richer(), richer), Part::new(self.maps, self.poorer, poorer))
    }

    /// Worths of one of a block's tiles.
    fn tile_size(&self, block: (usize, usize)) -> usize {
        let (richer, poorer) = self.parts(block);
        padded(richer.ranks().len()) * padded(poorer.ranks().len())
    }

    /// Worths of the tiles of all blocks with one side to move.
    pub fn area(&self) -> usize {
        self.all().map(|block| self.tile_size(block)).sum()
    }
}

/// What blocks found: of each that is done, lines with the richer side to move, and with the poorer.
pub(super) struct Tiles<'t, 'm, W> {
    blocks: Blocks<'m>,
    tiles: Vec<OnceLock<[&'t [W]; 2]>>,
}

impl<W> Tiles<'_, '_, W> {
    /// The positions of a waiting chunk, which belongs to a player who has `stones`, and a mover's
    /// chunk, if their block is done: for each of the waiting chunk's half-boards a line of the
    /// mover's, padded to whole squares.
    #[inline(always)]
    pub fn tile(&self, stones: usize, waiting: usize, mover: usize) -> Option<&[W]> {
        let (number, richer_moves) = self.blocks.with((stones, waiting), mover)?;
        self.tiles[number].get().map(|tiles| tiles[usize::from(!richer_moves)])
    }
}

/// A block and the place for its tiles, until it is evaluated.
struct Waiting<'t, W> {
    block: (usize, usize),
    on: AtomicU8,
    place: Mutex<Option<[&'t mut [W]; 2]>>,
}

/// Evaluates all blocks. Their tiles are in `memory`, which has to be [`Blocks::area`] worths twice.
pub(super) fn evaluate<'t, 'm, W: Worth + Scratched>(
    blocks: Blocks<'m>,
    sources: &Sources<W>,
    memory: [&'t mut [W]; 2],
) -> Tiles<'t, 'm, W> {
    let wavefront = Wavefront::new(blocks, memory);
    let work = Work { sources, waiting: &wavefront.waiting, tiles: &wavefront.tiles };
    let blocks = &wavefront.tiles.blocks;
    if blocks.area() < WORTH_SHARING {
        blocks.all().for_each(|block| work.evaluate(block));
    } else {
        rayon::scope(|scope| {
            let ready = blocks.all().filter(|&block| blocks.waits_on(block) == 0);
            ready.for_each(|block| work.start(scope, block));
        });
    }
    wavefront.tiles
}

/// The blocks of a stripe while they are evaluated.
pub(super) struct Wavefront<'t, 'm, W> {
    waiting: Vec<Option<Waiting<'t, W>>>,
    /// Of those that are done.
    pub tiles: Tiles<'t, 'm, W>,
}

impl<'t, 'm, W: Worth + Scratched> Wavefront<'t, 'm, W> {
    /// Nothing evaluated. The tiles will be in `memory`, which has to be [`Blocks::area`] worths twice.
    pub fn new(blocks: Blocks<'m>, memory: [&'t mut [W]; 2]) -> Wavefront<'t, 'm, W> {
        let [mut richer, mut poorer] = memory;
        let mut waiting: Vec<Option<Waiting<W>>> = Vec::new();
        let numbers = blocks.reach.len() * blocks.chunks.len();
        waiting.resize_with(numbers, || None);
        for block in blocks.all() {
            let size = blocks.tile_size(block);
            let (first, rest) = std::mem::take(&mut richer).split_at_mut(size);
            richer = rest;
            let (second, rest) = std::mem::take(&mut poorer).split_at_mut(size);
            poorer = rest;
            if let Some(number) = blocks.number(block.0, block.1) {
                let (on, place) = (AtomicU8::new(blocks.waits_on(block)), Mutex::new(Some([first, second])));
                waiting[number] = Some(Waiting { block, on, place });
            }
        }
        let tiles = (0..numbers).map(|_| OnceLock::new()).collect();
        Wavefront { waiting, tiles: Tiles { blocks, tiles } }
    }

    /// Evaluates the blocks of one of the poorer side's chunks, those of the chunks before it being done.
    pub fn evaluate_column(&self, sources: &Sources<W>, poorer: usize) {
        let work = Work { sources, waiting: &self.waiting, tiles: &self.tiles };
        let blocks = &self.tiles.blocks;
        let column = blocks.reach.clone().map(|richer| (richer, poorer));
        column.filter(|&(r, p)| blocks.number(r, p).is_some()).for_each(|block| work.evaluate(block));
    }
}

/// What threads share.
struct Work<'w, 't, 'm, W> {
    sources: &'w Sources<'w, W>,
    waiting: &'w [Option<Waiting<'t, W>>],
    tiles: &'w Tiles<'t, 'm, W>,
}

impl<'w, 't, W: Worth + Scratched> Work<'w, 't, '_, W> {
    /// Evaluates a block that waits on nothing any more, and has those evaluated that waited on it.
    fn start<'s>(&'s self, scope: &Scope<'s>, block: (usize, usize))
    where
        'w: 's,
    {
        scope.spawn(move |scope| {
            let mut next = Some(block);
            while let Some(block) = next.take() {
                self.evaluate(block);
                for after in self.tiles.blocks.after(block) {
                    let ready = self
                        .waiting(after)
                        .is_some_and(|waiting| waiting.on.fetch_sub(1, Ordering::AcqRel) == 1);
                    if ready {
                        match next {
                            None => next = Some(after), // by this thread, whose cache has what it reads
                            Some(_) => self.start(scope, after),
                        }
                    }
                }
            }
        });
    }

    fn waiting(&self, (richer, poorer): (usize, usize)) -> Option<&'w Waiting<'t, W>> {
        self.waiting[self.tiles.blocks.number(richer, poorer)?].as_ref()
    }

    fn evaluate(&self, block: (usize, usize)) {
        let Some(waiting) = self.waiting(block) else { return };
        let place = waiting.place.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some([first, second]) = place else { return };
        let (richer, poorer) = self.tiles.blocks.parts(waiting.block);
        W::with_scratch(|scratch| {
            block::visit(self.sources, self.tiles, richer, poorer, scratch, (&mut *first, &mut *second));
        });
        if let Some(number) = self.tiles.blocks.number(block.0, block.1) {
            let _ = self.tiles.tiles[number].set([first, second]);
        }
    }
}
