//! When blocks were visited and when they changed, so that a block whose sources have not changed
//! since is left alone.

use super::block::Part;
use super::maps::Maps;

/// A moment: antidiagonals visited so far.
type Time = u32;

/// The clock and what was noted by it.
pub(super) struct Stamps<'a> {
    maps: &'a Maps,
    now: Time,
    /// When each block of each level last changed: by waiting stones, waiting chunk, mover's chunk.
    changed: Vec<Vec<Time>>,
    /// When each block of each pair of levels was last visited: by the poorer side's stones, the
    /// richer side's chunk, the poorer side's chunk. 0 for never.
    visited: Vec<Vec<Time>>,
}

impl<'a> Stamps<'a> {
    /// Nothing visited, nothing changed.
    pub fn new(maps: &'a Maps) -> Stamps<'a> {
        let blocks = |w: usize| vec![0; maps.chunks(w) * maps.chunks(maps.stones - w)];
        let changed = (0..=maps.stones).map(blocks).collect();
        let visited = (0..=maps.stones / 2).map(blocks).collect();
        Stamps { maps, now: 0, changed, visited }
    }

    /// Goes on to the next antidiagonal.
    pub fn tick(&mut self) {
        self.now += 1;
    }

    /// Notes that a block is visited now.
    pub fn visit(&mut self, richer: Part, poorer: Part) {
        let columns = self.maps.chunks(poorer.stones);
        self.visited[poorer.stones][richer.chunk * columns + poorer.chunk] = self.now;
    }

    /// Notes that positions with `mover` to move change now.
    pub fn change(&mut self, waiting: Part, mover: Part) {
        let columns = self.maps.chunks(mover.stones);
        self.changed[waiting.stones][waiting.chunk * columns + mover.chunk] = self.now;
    }

    /// Whether anything a block reads has changed since it was visited.
    pub fn is_stale(&self, richer: Part, poorer: Part) -> bool {
        let columns = self.maps.chunks(poorer.stones);
        let visited = self.visited[poorer.stones][richer.chunk * columns + poorer.chunk];
        visited == 0
            || self.source_changed(richer, poorer, visited)
            || self.source_changed(poorer, richer, visited)
    }

    fn source_changed(&self, mover: Part, waiting: Part, visited: Time) -> bool {
        self.maps.halves[mover.stones].sources[mover.chunk].iter().any(|&(class, row)| {
            let over = class.stones();
            let columns = self.maps.chunks(waiting.stones + over);
            let reach = self.maps.halves[waiting.stones].reach(class, waiting.chunk);
            let start = usize::from(row) * columns;
            let level = &self.changed[mover.stones - over][start + reach.start..start + reach.end];
            // A change of the same moment came after the visit: visits only read.
            level.iter().any(|&changed| changed >= visited)
        })
    }
}
