//! Sweeps: the order in which positions are evaluated.
//!
//! Levels come in pairs, one for either side to move. A sweep goes from the extremes, where one
//! side has all stones, inwards. In each pair, moves that bring stones over come first, for all
//! positions together; then moves that do not, block by block.

use std::ops::Range;

use super::block::{Before, Part, Scratched, Sources};
use super::captures::Captures;
use super::checkpoint::{self, Checkpoint, Reached};
use super::giving::{self, Field};
use super::last_changes::Change;
use super::levels::{Levels, Pair};
use super::maps::Maps;
use super::publish;
use super::storage::{Buffer, StorageError, Window};
use super::wavefront::{self, Blocks};
use super::worth::Worth;
use super::{Pass, SolveError, Watch};
use crate::half;

/// The table while it is being solved.
pub(super) struct Sweeper<'a, W> {
    maps: &'a Maps,
    watch: &'a dyn Watch,
    captures: &'a Captures<W>,
    levels: Levels<'a, W>,
    /// Positions of a stripe, at most.
    stripe: usize,
    /// The best by moves that bring stones over, of one pair of levels: richer side to move.
    richer: Window<W>,
    /// The same with the poorer side to move.
    poorer: Window<W>,
}

/// What a sweep changed.
pub(super) struct Swept<W> {
    /// How many positions.
    pub changes: u64,
    /// Which, if there was room for all of them.
    pub list: Option<Vec<Change<W>>>,
}

impl<'a, W: Worth + Scratched> Sweeper<'a, W> {
    /// Has to be [started](Sweeper::start).
    pub fn new(
        maps: &'a Maps,
        watch: &'a dyn Watch,
        captures: &'a Captures<W>,
        table: &'a mut Buffer<W>,
    ) -> Result<Sweeper<'a, W>, StorageError> {
        // Each stripe has to see all levels: those of a scratch file had better not be read again.
        let stripe = if table.is_scratch() { maps.largest_level() } else { STRIPE };
        let all = || (0..=maps.stones / 2).flat_map(|poorer| stripes(maps, poorer, stripe));
        let area = all().map(|(poorer, chunks)| Blocks::new(maps, poorer, chunks).area()).max();
        let stripes = all();
        let size = |stripe: Range<usize>, poorer| stripe.len() * half::count(maps.stones - poorer);
        let largest = stripes.map(|(poorer, chunks)| size(stripe_ranks(maps, poorer, &chunks), poorer)).max();
        let window = || Window::new(largest.unwrap_or(0), 0);
        let (richer, poorer) = (window()?, window()?);
        let levels = Levels::new(maps, table, area.unwrap_or(0))?;
        Ok(Sweeper { maps, watch, captures, levels, stripe, richer, poorer })
    }

    /// Starts from what was kept, if anything was, or else from zero.
    pub fn start(&mut self, checkpoint: Option<&dyn Checkpoint>) -> Result<Reached, StorageError> {
        checkpoint::start(checkpoint, self.maps.stones, &mut self.levels)
    }

    /// Has the table kept, if it is time.
    pub fn offer(&self, checkpoint: Option<&dyn Checkpoint>, reached: Reached) -> Result<(), StorageError> {
        checkpoint::offer(checkpoint, reached, self.levels.table())
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
        self.richer.place(&(0..area));
        self.poorer.place(&(0..area));
        let mut looking =
            vec![(Field { own: richer, movers: all.clone(), others: stripe.clone() }, &mut *self.richer)];
        // Where both sides have as many stones and all is looked at together, both are the same.
        let same = richer == poorer && stripe == all;
        if !same {
            let field = Field { own: poorer, movers: stripe.clone(), others: all };
            looking.push((field, &mut *self.poorer));
        }
        let movers: Vec<usize> = looking.iter().map(|(field, _)| field.own).collect();
        self.levels.show(&movers, self.captures, |number, captures, view| {
            let (field, lines) = &mut looking[number];
            giving::look(maps, captures, view, field, lines);
        })?;
        let (table, memory) = self.levels.table_and_tiles();
        let sources = Sources {
            maps,
            // A stripe of a scratch file is all of its levels: of them nothing has been found before.
            before: Before::Table(if table.is_scratch() { &[] } else { table }),
            richer: &self.richer,
            poorer: if same { &self.richer } else { &self.poorer },
            reach: 0..half::count(richer),
            stripe,
        };
        let tiles = wavefront::evaluate(Blocks::new(maps, poorer, chunks.clone()), &sources, memory);
        if self.watch.stop() {
            return Err(SolveError::Stopped);
        }
        // The best moves are not needed any more: their memory can show the levels.
        let mut pair = Pair::new(maps, table, [&mut self.poorer, &mut self.richer], [poorer, richer])?;
        for changes in publish::publish(maps, &mut pair.levels(), &tiles, swept.list.is_some()) {
            swept.changes += changes.count;
            if let Some(list) = &mut swept.list {
                list.extend(changes.list);
            }
        }
        if swept.changes > room {
            swept.list = None; // no room, and no use: all of them are needed
        }
        Ok(pair.store()?)
    }
}

/// Positions whose best moves by giving are kept at once, about: a pair of levels that has more is
/// cut into stripes of the poorer side's chunks.
pub(super) const STRIPE: usize = 1 << 23;

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
