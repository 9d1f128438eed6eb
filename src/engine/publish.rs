//! The tiles of evaluated blocks, copied into the table: each into rows that no other block of the
//! same antidiagonal touches.

use std::ops::Range;

use rayon::prelude::*;

use super::block::Part;
use super::kernel::{self, padded};
use super::last_changes::Change;
use super::levels::Level;
use super::maps::Maps;
use super::worth::Worth;
use crate::half;

/// What a block found with one side to move: a line of the mover's chunk for each half-board of
/// the waiting chunk.
pub(super) struct Tile<'t, 'm, W> {
    pub waiting: Part<'m>,
    pub mover: Part<'m>,
    pub lines: &'t [W],
}

impl<W> Tile<'_, '_, W> {
    /// The rows of the waiting chunk, which lie together in their level.
    fn rows(&self, maps: &Maps) -> Range<usize> {
        let rows = maps.halves[self.waiting.stones].rows_of(self.waiting.chunk);
        maps.row_start(self.waiting.stones, rows.start)..maps.row_start(self.waiting.stones, rows.end)
    }
}

/// What copying a tile changed.
pub(super) struct Changes<W> {
    /// How many positions.
    pub count: u64,
    /// Which, if asked for.
    pub list: Vec<Change<W>>,
}

/// Copies the tiles of one antidiagonal into their levels, on several threads if `share`d. Says of
/// each tile what changed, one by one if asked to `record`.
pub(super) fn publish<W: Worth>(
    maps: &Maps,
    levels: &mut [Level<W>],
    mut tiles: Vec<Tile<W>>,
    share: bool,
    record: bool,
) -> Vec<Changes<W>> {
    tiles.sort_unstable_by_key(|tile| tile.rows(maps).start);
    let mut targets = Vec::with_capacity(tiles.len());
    for level in levels {
        let (mut rest, mut at) = (&mut *level.worths, 0);
        for tile in tiles.iter().filter(|tile| tile.waiting.stones == level.waiting) {
            let range = tile.rows(maps);
            let (_, after) = std::mem::take(&mut rest).split_at_mut(range.start - at);
            let (rows, after) = after.split_at_mut(range.len());
            (rest, at) = (after, range.end);
            targets.push((tile, maps.level(level.waiting).start + range.start, rows));
        }
    }
    let copy = |(tile, start, rows): (&Tile<W>, usize, &mut [W])| copy_rows(maps, tile, start, rows, record);
    if share {
        targets.into_par_iter().with_max_len(1).map(copy).collect()
    } else {
        targets.into_iter().map(copy).collect()
    }
}

/// Copies a tile over the rows of its waiting chunk, which start at `start` in the table.
fn copy_rows<W: Worth>(
    maps: &Maps,
    tile: &Tile<W>,
    start: usize,
    rows: &mut [W],
    record: bool,
) -> Changes<W> {
    let (waiting, mover) = (tile.waiting.ranks(), tile.mover.ranks());
    let (width, columns) = (padded(mover.len()), half::count(tile.mover.stones));
    let stored = &maps.halves[tile.waiting.stones];
    let open = waiting.enumerate().filter(|&(_, rank)| stored.has_row(rank));
    let mut changes = Changes { count: 0, list: Vec::new() };
    for (number, ((line, _), row)) in open.zip(rows.chunks_exact_mut(columns)).enumerate() {
        let old = &mut row[mover.clone()];
        let new = &tile.lines[line * width..][..old.len()];
        if old != new {
            changes.count += kernel::count_different(old, new);
            if record {
                let first = (start + number * columns + mover.start) as u64;
                let both = (first..).zip(old.iter().zip(new)).filter(|(_, (old, new))| old != new);
                changes.list.extend(both.map(|(place, (&before, _))| Change::new(place, before)));
            }
            old.copy_from_slice(new);
        }
    }
    changes
}
