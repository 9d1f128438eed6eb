//! Moves that give nothing, across ranks.
//!
//! Blocks of one of the poorer side's chunks (a column) wait for those of lower chunks of the richer side,
//! which lower ranks have. So ranks go through the columns one behind the other: each waits for the rows
//! that it needs of lower ranks, evaluates its blocks, and sends rows to the higher ranks that need them.

use super::super::block::{Before, Guests, Part, Scratched, Sources};
use super::super::kernel::padded;
use super::super::maps::Maps;
use super::super::wavefront::{Blocks, Tiles, Wavefront};
use super::super::worth::Worth;
use super::exchange::Counted;
use super::shares::Shares;

/// The rows that each rank needs of lower ranks for its positions of a pair of levels: the richer side's
/// half-boards after moves that give nothing, by rank, ascending.
pub(super) fn guests(shares: &Shares, poorer: usize) -> Vec<Vec<u32>> {
    let richer = shares.maps.stones - poorer;
    let own = &shares.maps.halves[richer].own;
    let of = |rank| {
        let reach = shares.reach(poorer, rank);
        let after = reach.clone().flat_map(|mover| own.holding(mover)).map(|play| play.after());
        let mut guests: Vec<u32> =
            after.filter(|&after| after < reach.start).map(|after| after as u32).collect();
        guests.sort_unstable();
        guests.dedup();
        guests
    };
    // If the poorer side has no stones it has to be fed.
    (0..shares.ranks).map(|rank| if poorer == 0 { Vec::new() } else { of(rank) }).collect()
}

/// Messages that a rank sends for a pair of levels, and their bytes, at most.
pub(super) fn outgoing<W>(
    shares: &Shares,
    poorer: usize,
    rank: usize,
    guests: &[Vec<u32>],
) -> (usize, usize) {
    let columns = shares.stripe_chunks(poorer, rank).len();
    let rows: usize = (rank + 1..shares.ranks)
        .map(|to| guests[to].iter().filter(|&&guest| sends(shares, poorer, rank, guest as usize)).count())
        .sum();
    let width = shares.stripe(poorer, rank).len();
    ((shares.ranks - rank - 1) * columns, rows * width * size_of::<W>())
}

/// Whether a rank may have to send parts of the row of this guest.
fn sends(shares: &Shares, poorer: usize, rank: usize, guest: usize) -> bool {
    let reach = shares.reach(poorer, rank);
    reach.contains(&guest) || 2 * poorer == shares.maps.stones && guest < reach.start
}

/// Evaluates a rank's blocks of a pair of levels. `best` are the best by other moves, the richer side to move
/// and the poorer; the tiles will be in `memory`.
pub(super) fn evaluate<'t, 'm, W: Worth + Scratched>(
    shares: &Shares<'m>,
    exchange: &Counted,
    poorer: usize,
    best: [&[W]; 2],
    memory: [&'t mut [W]; 2],
) -> Tiles<'t, 'm, W> {
    let (maps, me) = (shares.maps, exchange.rank());
    let (reach, stripe) = (shares.reach(poorer, me), shares.stripe(poorer, me));
    let chunks = shares.stripe_chunks(poorer, me);
    let all = guests(shares, poorer);
    let mut here = Guests { ranks: all[me].clone(), width: stripe.len(), rows: Vec::new() };
    here.rows.resize(here.ranks.len() * here.width, W::NONE);
    let blocks = Blocks { maps, poorer, chunks: chunks.clone(), reach: shares.reach_chunks(poorer, me) };
    let wavefront = Wavefront::new(blocks, memory);
    let column = |chunk| Column { shares, poorer, chunk };
    for chunk in chunks {
        let column = column(chunk);
        for from in 0..me {
            let mut rows = column.rows(&here.ranks, from).peekable();
            if rows.peek().is_none() {
                continue;
            }
            let message = exchange.receive(from);
            let columns = Part::new(maps, poorer, chunk).ranks();
            let sent = message.chunks_exact(columns.len() * size_of::<W>());
            let places: Vec<usize> = rows.map(|guest| here.start(guest)).collect();
            for (place, bytes) in places.into_iter().zip(sent) {
                bytemuck::cast_slice_mut(&mut here.rows[place..][columns.clone()]).copy_from_slice(bytes);
            }
        }
        let sources = Sources {
            maps,
            before: Before::Guests(&here),
            richer: best[0],
            poorer: best[1],
            reach: reach.clone(),
            stripe: stripe.clone(),
        };
        wavefront.evaluate_column(&sources, chunk);
        for (to, wanted) in all.iter().enumerate().take(shares.ranks).skip(me + 1) {
            let mut message = Vec::new();
            for guest in column.rows(wanted, me) {
                message.extend_from_slice(bytemuck::cast_slice(line(maps, &wavefront.tiles, &column, guest)));
            }
            if !message.is_empty() {
                exchange.send(to, &message);
            }
        }
    }
    wavefront.tiles
}

/// A chunk of the poorer side in a pair of levels.
struct Column<'a> {
    shares: &'a Shares<'a>,
    poorer: usize,
    chunk: usize,
}

impl Column<'_> {
    /// Those of the half-boards in `guests` whose rows a rank has in this column.
    fn rows(&self, guests: &[u32], rank: usize) -> impl Iterator<Item = usize> {
        let (richer, first) = (
            self.shares.maps.stones - self.poorer,
            Part::new(self.shares.maps, self.poorer, self.chunk).ranks().start,
        );
        let guests = guests.iter().map(|&guest| guest as usize);
        guests.filter(move |&guest| self.shares.owner(richer, guest, first) == rank)
    }
}

/// The row of a waiting half-board of the richer side in a column.
fn line<'t, W>(maps: &Maps, tiles: &'t Tiles<W>, column: &Column, rank: usize) -> &'t [W] {
    let richer = maps.stones - column.poorer;
    let chunks = &maps.halves[richer].chunks;
    let chunk = chunks.of(rank);
    let length = Part::new(maps, column.poorer, column.chunk).ranks().len();
    let tile = tiles.tile(richer, chunk, column.chunk).unwrap_or(&[]);
    &tile[(rank - chunks.ranks(chunk).start) * padded(length)..][..length]
}
