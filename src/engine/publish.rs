//! The tiles of a stripe's blocks, copied into the table: row by row, each thread rows of its own.

use std::ops::Range;

use rayon::prelude::*;

use super::block::Part;
use super::kernel::{self, padded};
use super::last_changes::Change;
use super::levels::Level;
use super::maps::Maps;
use super::wavefront::Tiles;
use super::worth::Worth;

/// What copying the tiles of some rows changed.
pub(super) struct Changes<W> {
    /// How many positions.
    pub count: u64,
    /// Which, if asked for.
    pub list: Vec<Change<W>>,
}

/// The rows of a chunk of waiting half-boards, or some columns of them.
struct Rows<'t, W> {
    /// Stones of the half-boards.
    stones: usize,
    chunk: usize,
    columns: Range<usize>,
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
        let (stones, columns) = (level.waiting, &level.columns);
        let mut rest = &mut *level.worths;
        for chunk in level.chunks.clone() {
            let rows = maps.halves[stones].rows_of(chunk).len();
            let (worths, after) = rest.split_at_mut(rows * columns.len());
            rest = after;
            all.push(Rows { stones, chunk, columns: columns.clone(), worths });
        }
    }
    all.into_par_iter().with_max_len(1).map(|rows| copy(maps, tiles, rows, record)).collect()
}

/// Copies what there is of tiles over the rows of a waiting chunk.
fn copy<W: Worth>(maps: &Maps, tiles: &Tiles<W>, rows: Rows<W>, record: bool) -> Changes<W> {
    let mut changes = Changes { count: 0, list: Vec::new() };
    let (own, stored) = (maps.stones - rows.stones, &maps.halves[rows.stones]);
    let (columns, start) = (rows.columns, maps.level(rows.stones).start);
    let first_row = stored.rows_of(rows.chunk).start;
    let waiting = Part::new(maps, rows.stones, rows.chunk).ranks();
    for chunk in 0..maps.chunks(own) {
        let Some(tile) = tiles.tile(rows.stones, rows.chunk, chunk) else { continue };
        let mover = Part::new(maps, own, chunk).ranks();
        if !columns.contains(&mover.start) {
            continue;
        }
        let open = waiting.clone().enumerate().filter(|&(_, rank)| stored.has_row(rank));
        let lines = open.zip(rows.worths.chunks_exact_mut(columns.len())).zip(first_row..);
        for (((line, _), row), number) in lines {
            let old = &mut row[mover.start - columns.start..mover.end - columns.start];
            let new = &tile[line * padded(mover.len())..][..old.len()];
            if old != new {
                changes.count += kernel::count_different(old, new);
                if record {
                    let first = (start + maps.row_start(rows.stones, number) + mover.start) as u64;
                    let both = (first..).zip(old.iter().zip(new)).filter(|(_, (old, new))| old != new);
                    changes.list.extend(both.map(|(place, (&before, _))| Change::new(place, before)));
                }
                old.copy_from_slice(new);
            }
        }
    }
    changes
}
