//! The tiles of a stripe's blocks, copied into the table: row by row, each thread rows of its own.

use rayon::prelude::*;

use super::block::Part;
use super::kernel::{self, padded};
use super::last_changes::Change;
use super::levels::Level;
use super::maps::Maps;
use super::wavefront::Tiles;
use super::worth::Worth;
use crate::half;

/// What copying the tiles of some rows changed.
pub(super) struct Changes<W> {
    /// How many positions.
    pub count: u64,
    /// Which, if asked for.
    pub list: Vec<Change<W>>,
}

/// The rows of a chunk of waiting half-boards.
struct Rows<'t, W> {
    /// Stones of the half-boards.
    stones: usize,
    chunk: usize,
    /// Where in the table they start.
    start: usize,
    worths: &'t mut [W],
}

/// Copies tiles into their levels. Says of each chunk of rows what changed, one by one if asked to
/// `record`.
pub(super) fn publish<W: Worth>(
    maps: &Maps,
    levels: &mut [Level<W>],
    tiles: &Tiles<W>,
    record: bool,
) -> Vec<Changes<W>> {
    let mut all = Vec::new();
    for level in levels {
        let (stones, mut start) = (level.waiting, maps.level(level.waiting).start);
        let mut rest = &mut *level.worths;
        for chunk in 0..maps.chunks(stones) {
            let rows = maps.halves[stones].rows_of(chunk).len();
            let (worths, after) = rest.split_at_mut(rows * half::count(maps.stones - stones));
            rest = after;
            let length = worths.len();
            all.push(Rows { stones, chunk, start, worths });
            start += length;
        }
    }
    all.into_par_iter().with_max_len(1).map(|rows| copy(maps, tiles, rows, record)).collect()
}

/// Copies what there is of tiles over the rows of a waiting chunk.
fn copy<W: Worth>(maps: &Maps, tiles: &Tiles<W>, rows: Rows<W>, record: bool) -> Changes<W> {
    let mut changes = Changes { count: 0, list: Vec::new() };
    let (own, stored) = (maps.stones - rows.stones, &maps.halves[rows.stones]);
    let columns = half::count(own);
    let waiting = Part::new(maps, rows.stones, rows.chunk).ranks();
    for chunk in 0..maps.chunks(own) {
        let Some(tile) = tiles.tile(rows.stones, rows.chunk, chunk) else { continue };
        let mover = Part::new(maps, own, chunk).ranks();
        let open = waiting.clone().enumerate().filter(|&(_, rank)| stored.has_row(rank));
        let lines = open.zip(rows.worths.chunks_exact_mut(columns)).enumerate();
        for (number, ((line, _), row)) in lines {
            let old = &mut row[mover.clone()];
            let new = &tile[line * padded(mover.len())..][..old.len()];
            if old != new {
                changes.count += kernel::count_different(old, new);
                if record {
                    let first = (rows.start + number * columns + mover.start) as u64;
                    let both = (first..).zip(old.iter().zip(new)).filter(|(_, (old, new))| old != new);
                    changes.list.extend(both.map(|(place, (&before, _))| Change::new(place, before)));
                }
                old.copy_from_slice(new);
            }
        }
    }
    changes
}
