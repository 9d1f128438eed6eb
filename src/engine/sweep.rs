//! Sweeps: the order in which blocks are visited, and how what they find is published.
//!
//! Levels come in pairs, one for either side to move. A sweep goes from the extremes, where one
//! side has all stones, inwards; within a pair, blocks of one antidiagonal depend on earlier
//! antidiagonals alone. They are evaluated at the same time into tiles of their own while the
//! table is only read; then the tiles are published, each into rows no other block touches.

use std::cell::RefCell;
use std::ops::Range;

use rayon::prelude::*;

use super::block::{self, Part, Scratch, Sources};
use super::captures::Captures;
use super::kernel::{self, SLACK, padded};
use super::last_changes::Change;
use super::maps::Maps;
use super::{Pass, Stopped, Watch, worth};
use crate::half;

/// Below this many positions an antidiagonal is not worth sharing out.
const WORTH_SHARING: usize = 1 << 14;

thread_local! {
    /// Kept from block to block: fresh memory costs more than the work done in it.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// When something happened: steps taken so far.
type Time = u32;

/// The table while it is being solved.
pub(super) struct Sweeper<'a> {
    maps: &'a Maps,
    captures: &'a Captures,
    watch: &'a dyn Watch,
    table: Vec<u8>,
    /// When each block of each level last changed: by waiting stones, waiting chunk, mover's chunk.
    changed: Vec<Vec<Time>>,
    /// When each block of each pair was last visited: by poorer side's stones, richer side's
    /// chunk, poorer side's chunk.
    visited: Vec<Vec<Time>>,
    now: Time,
    /// Positions evaluated.
    pub evaluations: u64,
    tiles: Vec<u8>,
    /// Whether changes are kept one by one.
    recording: bool,
    /// The changes of the last sweep, if it recorded them.
    changes: Vec<Change>,
}

/// A block of one antidiagonal with its tiles.
struct Job<'a> {
    richer: Part<'a>,
    poorer: Part<'a>,
    richer_to_move: &'a mut [u8],
    poorer_to_move: &'a mut [u8],
}

impl<'a> Sweeper<'a> {
    /// A table of zeros.
    pub fn new(maps: &'a Maps, captures: &'a Captures, watch: &'a dyn Watch) -> Sweeper<'a> {
        let chunks = |stones: usize| maps.halves[stones].chunks.len();
        let stones = maps.stones;
        Sweeper {
            maps,
            captures,
            watch,
            table: vec![worth::ZERO; maps.index.positions() as usize + SLACK],
            changed: (0..=stones).map(|w| vec![0; chunks(w) * chunks(stones - w)]).collect(),
            visited: (0..=stones / 2).map(|w| vec![0; chunks(w) * chunks(stones - w)]).collect(),
            now: 0,
            evaluations: 0,
            tiles: Vec::new(),
            recording: false,
            changes: Vec::new(),
        }
    }

    /// Visits every block whose sources have changed. Returns how many positions changed; keeps
    /// which, if `record` says so.
    pub fn sweep(&mut self, pass: Pass, record: bool) -> Result<u64, Stopped> {
        self.recording = record;
        self.changes.clear();
        let total = self.maps.index.positions();
        let (mut changes, mut done) = (0, 0);
        for poorer in 0..=self.maps.stones / 2 {
            let richer = self.maps.stones - poorer;
            for antidiagonal in 0..self.chunks(richer) + self.chunks(poorer) - 1 {
                changes += self.visit_antidiagonal(richer, poorer, antidiagonal);
                if self.watch.stop() {
                    return Err(Stopped);
                }
            }
            done += self.maps.index.level(poorer + 1) - self.maps.index.level(poorer);
            if richer != poorer {
                done += self.maps.index.level(richer + 1) - self.maps.index.level(richer);
            }
            self.watch.progress(pass, done, total);
        }
        Ok(changes)
    }

    fn chunks(&self, stones: usize) -> usize {
        self.maps.halves[stones].chunks.len()
    }

    fn visit_antidiagonal(&mut self, richer: usize, poorer: usize, antidiagonal: usize) -> u64 {
        self.now += 1;
        let (rows, columns) = (self.chunks(richer), self.chunks(poorer));
        let first = (antidiagonal + 1).saturating_sub(columns);
        let blocks: Vec<(Part, Part)> = (first..rows.min(antidiagonal + 1))
            .map(|chunk| (chunk, antidiagonal - chunk))
            .filter(|&(r, p)| richer != poorer || r >= p) // both ways are one block
            .filter(|&(r, p)| self.is_stale(richer, r, poorer, p))
            .map(|(r, p)| (Part::new(self.maps, richer, r), Part::new(self.maps, poorer, p)))
            .collect();
        if blocks.is_empty() {
            return 0;
        }
        let areas: Vec<usize> =
            blocks.iter().map(|(r, p)| padded(r.ranks().len()) * padded(p.ranks().len())).collect();
        let area: usize = areas.iter().sum();
        let mut tiles = std::mem::take(&mut self.tiles);
        tiles.resize(tiles.len().max(2 * area), 0);
        let mut free = &mut tiles[..];
        let mut jobs: Vec<Job> = Vec::with_capacity(blocks.len());
        for (&(richer, poorer), &area) in blocks.iter().zip(&areas) {
            let (richer_to_move, rest) = free.split_at_mut(area);
            let (poorer_to_move, rest) = rest.split_at_mut(area);
            free = rest;
            jobs.push(Job { richer, poorer, richer_to_move, poorer_to_move });
        }
        let sources = Sources { maps: self.maps, captures: self.captures, table: &self.table };
        let compute = |job: &mut Job| {
            let tiles = (&mut *job.richer_to_move, &mut *job.poorer_to_move);
            SCRATCH.with_borrow_mut(|scratch| block::visit(sources, job.richer, job.poorer, scratch, tiles));
        };
        if area < WORTH_SHARING {
            jobs.iter_mut().for_each(compute);
        } else {
            jobs.par_iter_mut().with_max_len(1).for_each(compute);
        }
        let changes = self.publish(&jobs, area >= WORTH_SHARING);
        for (richer, poorer) in &blocks {
            self.visited[poorer.stones][richer.chunk * columns + poorer.chunk] = self.now;
            let both = 2 * richer.ranks().len() as u64 * poorer.ranks().len() as u64;
            self.evaluations += both;
        }
        let mut sum = 0;
        for (&(richer, poorer), (to_richer, to_poorer)) in blocks.iter().zip(changes) {
            if to_richer > 0 {
                self.changed[poorer.stones][poorer.chunk * rows + richer.chunk] = self.now;
            }
            if to_poorer > 0 {
                self.changed[richer.stones][richer.chunk * columns + poorer.chunk] = self.now;
            }
            sum += to_richer + to_poorer;
        }
        self.tiles = tiles;
        sum
    }

    /// Whether anything a block reads has changed since it was visited.
    fn is_stale(&self, richer: usize, r: usize, poorer: usize, p: usize) -> bool {
        let visited = self.visited[poorer][r * self.chunks(poorer) + p];
        visited == 0
            || self.source_changed(richer, r, poorer, p, visited)
            || self.source_changed(poorer, p, richer, r, visited)
    }

    fn source_changed(&self, mover: usize, m: usize, waiting: usize, w: usize, visited: Time) -> bool {
        self.maps.halves[mover].sources[m].iter().any(|&(class, row)| {
            let over = class.stones();
            let level = &self.changed[mover - over];
            let columns = self.chunks(waiting + over);
            let reach = self.maps.halves[waiting].reach(class, w);
            let start = usize::from(row) * columns;
            level[start + reach.start..start + reach.end].iter().any(|&changed| changed >= visited)
        })
    }

    /// Copies the tiles of one antidiagonal into the table. Returns how many positions of each
    /// job changed, with the richer and with the poorer side to move.
    fn publish(&mut self, jobs: &[Job], share: bool) -> Vec<(u64, u64)> {
        let maps = self.maps;
        // The rows of a waiting chunk lie together, and no other block of the antidiagonal has it.
        let rows = |waiting: Part| {
            let rows = maps.halves[waiting.stones].rows_of(waiting.chunk);
            maps.row_start(waiting.stones, rows.start)..maps.row_start(waiting.stones, rows.end)
        };
        let mut tiles: Vec<(Range<usize>, Part, Part, &[u8])> = Vec::with_capacity(2 * jobs.len());
        for job in jobs {
            tiles.push((rows(job.poorer), job.poorer, job.richer, job.richer_to_move));
            let same = job.richer.stones == job.poorer.stones && job.richer.chunk == job.poorer.chunk;
            // On the diagonal of the middle level both tiles are the same positions.
            let empty = rows(job.richer).end..rows(job.richer).end;
            let place = if same { empty } else { rows(job.richer) };
            tiles.push((place, job.richer, job.poorer, job.poorer_to_move));
        }
        let mut order: Vec<usize> = (0..tiles.len()).collect();
        order.sort_unstable_by_key(|&tile| (tiles[tile].0.start, tiles[tile].0.end));
        let (mut rest, mut at) = (&mut self.table[..], 0);
        let mut targets = Vec::with_capacity(tiles.len());
        for tile in order {
            let (range, waiting, mover, bytes) = &tiles[tile];
            let (_, after) = std::mem::take(&mut rest).split_at_mut(range.start - at);
            let (rows, after) = after.split_at_mut(range.len());
            (rest, at) = (after, range.end);
            targets.push((tile, range.start, rows, *waiting, *mover, *bytes));
        }
        let recording = self.recording;
        let copy =
            |(tile, start, rows, waiting, mover, bytes): (usize, usize, &mut [u8], Part, Part, &[u8])| {
                let mut changes = Vec::new();
                let record =
                    |place: usize, before| changes.push(Change { place: (start + place) as u64, before });
                let changed = copy_rows(maps, rows, waiting, mover, bytes, recording.then_some(record));
                (tile, changed, changes)
            };
        let copied: Vec<(usize, u64, Vec<Change>)> = if share {
            targets.into_par_iter().with_max_len(1).map(copy).collect()
        } else {
            targets.into_iter().map(copy).collect()
        };
        let mut counts = vec![(0, 0); jobs.len()];
        for (tile, changed, changes) in copied {
            self.changes.extend(changes);
            let (richer, poorer) = &mut counts[tile / 2];
            *(if tile % 2 == 0 { richer } else { poorer }) = changed;
        }
        counts
    }

    /// The table and the recorded changes.
    pub fn into_parts(self) -> (Vec<u8>, Vec<Change>) {
        (self.table, self.changes)
    }
}

/// Copies a tile over the rows of its waiting chunk. Returns how many positions changed, and tells
/// `record` the place of each and what it was worth before.
fn copy_rows(
    maps: &Maps,
    rows: &mut [u8],
    waiting: Part,
    mover: Part,
    tile: &[u8],
    mut record: Option<impl FnMut(usize, u8)>,
) -> u64 {
    if rows.is_empty() {
        return 0;
    }
    let width = padded(mover.ranks().len());
    let columns = half::count(mover.stones);
    let stored = &maps.halves[waiting.stones].rows;
    let open = waiting.ranks().enumerate().filter(|&(_, rank)| stored[rank].is_some());
    let mut changes = 0;
    for (number, ((line, _), row)) in open.zip(rows.chunks_exact_mut(columns)).enumerate() {
        let old = &mut row[mover.ranks()];
        let new = &tile[line * width..][..old.len()];
        if old != new {
            let start = number * columns + mover.ranks().start;
            changes += kernel::count_different(old, new);
            if let Some(record) = &mut record {
                let both = (start..).zip(old.iter().zip(new));
                both.filter(|(_, (old, new))| old != new).for_each(|(place, (&old, _))| record(place, old));
            }
            old.copy_from_slice(new);
        }
    }
    changes
}
