//! Which positions a compressed table stores, and how they are cut into tiles.
//!
//! **Half of them.** A position is stored if its mover has more stones on his side than the player
//! who waits; where both have as many, if the mover's half-board comes after the waiting one in
//! the order of [`crate::half`]. A move never leads from a position that is not stored to another
//! of as many stones that is not: the mover had at most half of the stones, and is now the one
//! who waits. If he sowed over, he has fewer than half now and the position is stored. If he did
//! not, his stones moved towards his last pit and his half-board now comes earlier in the order
//! than it did, when it came no later than the other's, and the position is stored too. So what is
//! left out is known from one look ahead.
//!
//! **Tiles.** The stored levels are cut into tiles of a few rows and columns of the index, so that
//! a position has its neighbours in both directions near it. Tiles are numbered level by level,
//! then by rows, then by columns.

use std::ops::Range;

use crate::board::MAX_STONES;
use crate::half::{self, Half};
use crate::index::Index;

/// Positions of a tile, at most.
pub(super) const TILE_POSITIONS: usize = 2048;

/// Columns of a tile, at most.
pub(super) const TILE_COLUMNS: usize = 128;

/// The tiles of one number of stones.
#[derive(Clone, Debug)]
pub(super) struct Tiles {
    stones: usize,
    index: Index,
    levels: Vec<Level>,
}

/// How one level is cut.
#[derive(Clone, Debug)]
struct Level {
    /// The number of its first tile.
    first: u64,
    rows: usize,
    columns: usize,
    /// Rows of a tile, the last ones apart.
    tile_rows: usize,
    /// Columns of a tile, the last ones apart.
    tile_columns: usize,
    /// Tiles side by side.
    across: usize,
}

/// One tile.
#[derive(Clone, Debug)]
pub struct Tile {
    /// Stones on the waiting side.
    pub waiting: usize,
    /// Stones on the mover's side.
    pub own: usize,
    /// Rows of the level.
    pub rows: Range<usize>,
    /// Columns of the level.
    pub columns: Range<usize>,
    /// The place of the level's first position.
    start: u64,
    /// Columns of the level.
    width: usize,
}

/// Where a stored position is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    /// Its tile.
    pub tile: u64,
    /// Its place in the tile, one row of it after another.
    pub inside: usize,
}

impl Tiles {
    /// The tiles of the positions of `stones` stones.
    pub(super) fn new(stones: u32) -> Tiles {
        let index = Index::new(stones);
        let stones = stones as usize;
        debug_assert!(stones <= MAX_STONES as usize);
        let mut levels = Vec::new();
        let mut first = 0;
        for waiting in 0..=stones / 2 {
            let (rows, columns) = (half::open_count(waiting), half::count(stones - waiting));
            // As even as can be: no narrow strip is left over.
            let tile_columns = columns.div_ceil(columns.div_ceil(TILE_COLUMNS));
            let most = TILE_POSITIONS / tile_columns;
            let tile_rows = rows.div_ceil(rows.div_ceil(most));
            let across = columns.div_ceil(tile_columns);
            levels.push(Level { first, rows, columns, tile_rows, tile_columns, across });
            first += (rows.div_ceil(tile_rows) * across) as u64;
        }
        Tiles { stones, index, levels }
    }

    /// The index of the table.
    pub(super) fn index(&self) -> &Index {
        &self.index
    }

    /// How many tiles there are.
    pub(super) fn count(&self) -> u64 {
        let last = &self.levels[self.levels.len() - 1];
        last.first + (last.rows.div_ceil(last.tile_rows) * last.across) as u64
    }

    /// The tile of a number below [`Tiles::count`].
    pub(super) fn tile(&self, number: u64) -> Tile {
        let waiting = self.levels.partition_point(|level| level.first <= number) - 1;
        let level = &self.levels[waiting];
        let number = (number - level.first) as usize;
        let row = number / level.across * level.tile_rows;
        let column = number % level.across * level.tile_columns;
        Tile {
            waiting,
            own: self.stones - waiting,
            rows: row..level.rows.min(row + level.tile_rows),
            columns: column..level.columns.min(column + level.tile_columns),
            start: self.index.level(waiting),
            width: level.columns,
        }
    }

    /// The tiles of each few rows, with the places of these rows.
    pub(super) fn bands(&self) -> impl Iterator<Item = (Range<u64>, Range<u64>)> + '_ {
        self.levels.iter().enumerate().flat_map(move |(waiting, level)| {
            (0..level.rows.div_ceil(level.tile_rows)).map(move |band| {
                let first = level.first + (band * level.across) as u64;
                let rows = band * level.tile_rows..level.rows.min((band + 1) * level.tile_rows);
                let place = |row: usize| self.index.level(waiting) + (row * level.columns) as u64;
                (first..first + level.across as u64, place(rows.start)..place(rows.end))
            })
        })
    }

    /// Where the position at `place` is, or None if it is not stored.
    pub(super) fn spot(&self, place: u64) -> Option<Spot> {
        let after = (0..=self.stones / 2).take_while(|&w| self.index.level(w) <= place).last()?;
        let level = &self.levels[after];
        let inside = place - self.index.level(after);
        let row = (inside / level.columns as u64) as usize;
        let column = (inside % level.columns as u64) as usize;
        if row >= level.rows || column < self.first_column(after, || half::open_unrank(after, row)) {
            return None;
        }
        let across = column / level.tile_columns;
        let number = row / level.tile_rows * level.across + across;
        let width = level.tile_columns.min(level.columns - across * level.tile_columns);
        let inside = row % level.tile_rows * width + column % level.tile_columns;
        Some(Spot { tile: level.first + number as u64, inside })
    }

    /// The first stored column in the row of a waiting half-board.
    fn first_column(&self, waiting: usize, half: impl FnOnce() -> Half) -> usize {
        if 2 * waiting < self.stones { 0 } else { half::rank(half()) + 1 }
    }
}

impl Tile {
    /// How many columns it has.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Positions in it, stored or not.
    pub(super) fn positions(&self) -> usize {
        self.rows.len() * self.width()
    }

    /// The place of the first position of a row of the tile.
    pub(super) fn place(&self, row: usize) -> u64 {
        self.start + (row * self.width + self.columns.start) as u64
    }

    /// Which columns of a row are stored, counted from the first of the tile; `half` is the
    /// waiting half-board of the row.
    pub(super) fn stored(&self, half: Half) -> Range<usize> {
        let first = if self.waiting < self.own { 0 } else { half::rank(half) + 1 };
        first.clamp(self.columns.start, self.columns.end) - self.columns.start..self.width()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{self, Rules};

    #[test]
    fn every_position_is_stored_once_or_known_from_one_look_ahead() {
        for stones in 0..=9 {
            let tiles = Tiles::new(stones);
            let mut stored = vec![None; tiles.index.positions() as usize];
            for number in 0..tiles.count() {
                let tile = tiles.tile(number);
                assert!(tile.positions() <= TILE_POSITIONS && tile.width() <= TILE_COLUMNS);
                for (line, row) in tile.rows.clone().enumerate() {
                    for column in tile.stored(half::open_unrank(tile.waiting, row)) {
                        let spot = Spot { tile: number, inside: line * tile.width() + column };
                        let before = stored[(tile.place(row) as usize) + column].replace(spot);
                        assert_eq!(before, None);
                    }
                }
            }
            for (place, &spot) in stored.iter().enumerate() {
                assert_eq!(tiles.spot(place as u64), spot);
                if spot.is_some() {
                    continue;
                }
                let board = tiles.index.board(place as u64);
                for rules in Rules::ALL {
                    for play in rules::turn(&board, rules).moves() {
                        if let Some(child) = tiles.index.place(&play.child) {
                            assert!(stored[child as usize].is_some(), "{board} to {}", play.child);
                        }
                    }
                }
            }
            assert_eq!(tiles.spot(tiles.index.positions()), None);
        }
    }
}
