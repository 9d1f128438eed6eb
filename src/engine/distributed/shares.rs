//! Where the positions are that ranks have: rectangles of levels, one after the other.

use std::cmp::Ordering;
use std::ops::{Deref, Range};

use super::super::maps::Maps;
use super::cuts::Cuts;
use crate::half;

/// The shares of all ranks.
pub(super) struct Shares<'m> {
    pub maps: &'m Maps,
    cuts: Cuts,
}

impl Deref for Shares<'_> {
    type Target = Cuts;

    fn deref(&self) -> &Cuts {
        &self.cuts
    }
}

/// A rectangle of a level: the positions of some waiting half-boards, in whole chunks, and some of the mover's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Rectangle {
    /// The waiting half-boards' chunks.
    pub chunks: Range<usize>,
    /// Their ranks.
    pub ranks: Range<usize>,
    /// Their rows in the level.
    pub rows: Range<usize>,
    /// The mover's half-boards.
    pub columns: Range<usize>,
}

impl Rectangle {
    /// Positions in it.
    pub fn size(&self) -> usize {
        self.rows.len() * self.columns.len()
    }
}

impl<'m> Shares<'m> {
    /// The shares of so many ranks.
    pub fn new(maps: &'m Maps, ranks: usize) -> Shares<'m> {
        Shares { maps, cuts: Cuts::new(maps.stones, ranks) }
    }

    /// The positions of a level that a rank has.
    pub fn rectangles(&self, waiting: usize, rank: usize) -> Vec<Rectangle> {
        let (maps, mover) = (self.maps, self.maps.stones - waiting);
        let poorer = waiting.min(mover);
        let (chunks, reach) = (self.reach_chunks(poorer, rank), self.reach(poorer, rank));
        let rectangle = |chunks: Range<usize>, columns: Range<usize>| {
            let row = |chunk: usize| match chunk.checked_sub(1) {
                Some(before) => maps.halves[waiting].rows_of(before).end,
                None => 0,
            };
            Rectangle {
                ranks: self.start(waiting, chunks.start)..self.start(waiting, chunks.end),
                rows: row(chunks.start)..row(chunks.end),
                chunks,
                columns,
            }
        };
        let all = match waiting.cmp(&mover) {
            Ordering::Greater => vec![rectangle(chunks, 0..half::count(mover))],
            Ordering::Less => vec![rectangle(0..maps.chunks(waiting), reach)],
            Ordering::Equal => {
                vec![rectangle(chunks.clone(), 0..reach.end), rectangle(0..chunks.start, reach)]
            }
        };
        all.into_iter().filter(|rectangle| rectangle.size() > 0).collect()
    }
}

/// The positions that one rank has, and where in its part of the table they are.
pub(super) struct Share<'s> {
    shares: &'s Shares<'s>,
    /// By waiting stones: the rectangles, each with the place of its first position.
    levels: Vec<Vec<(Rectangle, usize)>>,
    /// How many positions.
    pub size: usize,
}

impl<'s> Share<'s> {
    pub fn new(shares: &'s Shares<'s>, rank: usize) -> Share<'s> {
        let mut size = 0;
        let mut placed = |rectangle: Rectangle| {
            let at = size;
            size += rectangle.size();
            (rectangle, at)
        };
        let levels = (0..=shares.maps.stones)
            .map(|waiting| shares.rectangles(waiting, rank).into_iter().map(&mut placed).collect())
            .collect();
        Share { shares, levels, size }
    }

    /// Its rectangles of a level, each with the place of its first position.
    pub fn level(&self, waiting: usize) -> &[(Rectangle, usize)] {
        &self.levels[waiting]
    }

    /// Whole rows of a level that it has: their numbers, and the place of the first.
    pub fn whole_rows(&self, waiting: usize) -> (Range<usize>, usize) {
        match self.levels[waiting].first() {
            Some((rectangle, at)) if 2 * waiting > self.shares.maps.stones => (rectangle.rows.clone(), *at),
            _ => (0..0, 0),
        }
    }

    /// The place of a position that it has: the waiting half-board's stones and rank, the mover's rank.
    pub fn place(&self, waiting: usize, rank: usize, mover: usize) -> usize {
        let inside = |(rectangle, _): &&(Rectangle, usize)| {
            rectangle.ranks.contains(&rank) && rectangle.columns.contains(&mover)
        };
        let (rectangle, at) = self.levels[waiting].iter().find(inside).unwrap_or(&self.levels[waiting][0]);
        let row = self.shares.maps.halves[waiting].row(rank) - rectangle.rows.start;
        at + row * rectangle.columns.len() + mover - rectangle.columns.start
    }
}
