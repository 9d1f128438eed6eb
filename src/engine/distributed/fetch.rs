//! One level of the table shown to those who want to see parts of it, whoever has them.

use std::ops::Range;

use super::super::kernel::SLACK;
use super::super::maps::Maps;
use super::super::storage::{StorageError, Window};
use super::super::worth::Worth;
use super::exchange::Counted;
use super::shares::{Rectangle, Share, Shares};
use super::wanted::Want;

/// Bytes of a level that are on their way at a time, about, of all ranks together.
pub(super) const AT_A_TIME: usize = 4 << 20;

/// The most times that a level is sent in parts.
pub(super) const PARTS: usize = 64;

/// Where levels are shown.
pub(super) struct Viewer<'s, 'x, W> {
    pub shares: &'s Shares<'s>,
    pub exchange: &'x Counted<'x>,
    window: Window<W>,
}

impl<'s, 'x, W: Worth> Viewer<'s, 'x, W> {
    pub fn new(shares: &'s Shares<'s>, exchange: &'x Counted<'x>) -> Result<Viewer<'s, 'x, W>, StorageError> {
        Ok(Viewer { shares, exchange, window: Window::new(shares.maps.largest_level(), SLACK)? })
    }

    /// Shows of a level what this rank wants to see, but for the rows that it can see `apart`, in a slice for
    /// all of it: the rest is anything. `wants` says what each rank wants; all ranks call this together, with
    /// the same.
    pub fn show<'w>(
        &mut self,
        (share, table): (&Share, &[W]),
        waiting: usize,
        wants: impl Fn(usize) -> Vec<Want<'w>>,
        apart: &Range<usize>,
    ) -> &mut Window<W> {
        let (shares, exchange) = (self.shares, self.exchange);
        let (maps, me) = (shares.maps, exchange.rank());
        let level = maps.level(waiting);
        self.window.place(&level);
        let wants: Vec<Vec<Want>> = (0..shares.ranks).map(wants).collect();
        let mine = &wants[me];
        let owned: Vec<Vec<Rectangle>> =
            (0..shares.ranks).map(|rank| shares.rectangles(waiting, rank)).collect();
        let width = maps.row_start(waiting, 1);
        for (number, (rectangle, start)) in share.level(waiting).iter().enumerate() {
            let pieces = pieces(maps, waiting, number, rectangle, mine, (0, 1));
            for piece in pieces.filter(|piece| !apart.contains(&piece.row)) {
                let from = &table[start + piece.from..][..piece.columns.len()];
                self.window[piece.row * width..][piece.columns].copy_from_slice(from);
            }
        }
        let parts = parts::<W>(maps, waiting);
        let anybody = (0..shares.ranks).any(|to| {
            (0..shares.ranks).any(|from| from != to && !owned[from].is_empty() && !wants[to].is_empty())
        });
        for part in (0..parts).filter(|_| anybody) {
            let pack = |to: usize| {
                let mut message = Vec::new();
                if to != me {
                    for (number, rectangle) in owned[me].iter().enumerate() {
                        for piece in pieces(maps, waiting, number, rectangle, &wants[to], (part, parts)) {
                            let start = share.level(waiting)[piece.rectangle].1 + piece.from;
                            message.extend_from_slice(bytemuck::cast_slice(
                                &table[start..][..piece.columns.len()],
                            ));
                        }
                    }
                }
                message
            };
            let received = exchange.swap((0..shares.ranks).map(pack).collect());
            for (from, message) in received.iter().enumerate().filter(|&(from, _)| from != me) {
                let mut rest = &message[..];
                for (number, rectangle) in owned[from].iter().enumerate() {
                    for piece in pieces(maps, waiting, number, rectangle, mine, (part, parts)) {
                        let to = &mut self.window[piece.row * width..][piece.columns];
                        let (bytes, after) = rest.split_at(size_of_val(to));
                        bytemuck::cast_slice_mut(to).copy_from_slice(bytes);
                        rest = after;
                    }
                }
            }
        }
        &mut self.window
    }

    /// Shows rank 0 all of a level; other ranks see nothing. All ranks call this together.
    pub fn gather(&mut self, of: (&Share, &[W]), waiting: usize) -> &mut Window<W> {
        let maps = self.shares.maps;
        let wants = |rank| if rank == 0 { vec![Want::all(maps, waiting)] } else { Vec::new() };
        self.show(of, waiting, wants, &(0..0))
    }

    /// What was shown last.
    pub fn shown(&self) -> &[W] {
        &self.window
    }

    /// The window as room for a level that is to be [shared out](Viewer::share_out).
    pub fn room(&mut self, waiting: usize) -> &mut [W] {
        let level = self.shares.maps.level(waiting);
        self.window.place(&level);
        &mut self.window[..level.len()]
    }

    /// Gives every rank its part of a level, all of which rank 0 has in its window. All ranks call this together.
    pub fn share_out(&self, (share, table): (&Share, &mut [W]), waiting: usize) {
        let (maps, me) = (self.shares.maps, self.exchange.rank());
        let (all, width) = ([Want::all(maps, waiting)], maps.row_start(waiting, 1));
        let parts = parts::<W>(maps, waiting);
        for part in 0..parts {
            let pack = |to: usize| {
                let mut message = Vec::new();
                for (number, rectangle) in self.shares.rectangles(waiting, to).iter().enumerate() {
                    for piece in pieces(maps, waiting, number, rectangle, &all, (part, parts)) {
                        let row = &self.window[piece.row * width..][piece.columns];
                        message.extend_from_slice(bytemuck::cast_slice(row));
                    }
                }
                message
            };
            let messages = (0..self.shares.ranks).map(|to| if me == 0 { pack(to) } else { Vec::new() });
            let received = self.exchange.swap(messages.collect());
            let mut rest = &received[0][..];
            for (number, (rectangle, start)) in share.level(waiting).iter().enumerate() {
                for piece in pieces(maps, waiting, number, rectangle, &all, (part, parts)) {
                    let to = &mut table[start + piece.from..][..piece.columns.len()];
                    let (bytes, after) = rest.split_at(size_of_val(to));
                    bytemuck::cast_slice_mut(to).copy_from_slice(bytes);
                    rest = after;
                }
            }
        }
    }
}

/// How many times a level is sent in parts.
fn parts<W>(maps: &Maps, waiting: usize) -> usize {
    (maps.level(waiting).len() * size_of::<W>()).div_ceil(AT_A_TIME).clamp(1, PARTS)
}

/// A part of a row that somebody wants and somebody has.
struct Piece {
    /// The number of the rectangle it is in.
    rectangle: usize,
    /// Where in the rectangle.
    from: usize,
    /// Its row in the level.
    row: usize,
    columns: Range<usize>,
}

/// What is wanted of one of `parts` parts of a rectangle, in an order that its owner and who wants it agree
/// upon.
fn pieces<'a>(
    maps: &'a Maps,
    waiting: usize,
    number: usize,
    rectangle: &'a Rectangle,
    wants: &'a [Want],
    (part, parts): (usize, usize),
) -> impl Iterator<Item = Piece> + 'a {
    let rank = |part: usize| (rectangle.ranks.start + rectangle.ranks.len() * part / parts) as u32;
    let (first, end) = (rank(part), rank(part + 1));
    wants.iter().flat_map(move |want| {
        let columns =
            want.columns.start.max(rectangle.columns.start)..want.columns.end.min(rectangle.columns.end);
        let from = want.ranks.partition_point(|&rank| rank < first);
        let until = want.ranks.partition_point(|&rank| rank < end);
        let ranks = if columns.is_empty() { &[] } else { &want.ranks[from..until] };
        ranks.iter().map(move |&rank| {
            let row = maps.halves[waiting].row(rank as usize);
            let from = (row - rectangle.rows.start) * rectangle.columns.len() + columns.start
                - rectangle.columns.start;
            Piece { rectangle: number, from, row, columns: columns.clone() }
        })
    })
}
