//! A sweep, in the order of [`super::super::sweep`]; of each pair of levels a rank evaluates its own
//! positions.

use super::super::block::Scratched;
use super::super::giving::{self, Field};
use super::super::last_changes::Change;
use super::super::levels::{Level, View};
use super::super::publish;
use super::super::storage::{StorageError, Window};
use super::super::sweep::Swept;
use super::super::wavefront::Blocks;
use super::super::worth::Worth;
use super::super::{Pass, Reached, SolveError, Watch};
use super::captures::Captures;
use super::checkpoint;
use super::fetch::Viewer;
use super::pipeline;
use super::shares::Share;
use super::wanted::Wanted;

/// What a rank sweeps with.
pub(super) struct Sweeper<'a, 's, 'x, W> {
    share: &'a Share<'s>,
    captures: &'a Captures<'s, W>,
    viewer: &'a mut Viewer<'s, 'x, W>,
    watch: &'a dyn Watch,
    /// The best by moves that bring stones over, of one pair of levels: the richer side to move, and the
    /// poorer.
    best: [Window<W>; 2],
    /// Memory for tiles.
    tiles: [Window<W>; 2],
}

impl<'a, 's, 'x, W: Worth + Scratched> Sweeper<'a, 's, 'x, W> {
    /// Makes room for all that a sweep needs.
    pub fn new(
        share: &'a Share<'s>,
        captures: &'a Captures<'s, W>,
        viewer: &'a mut Viewer<'s, 'x, W>,
        watch: &'a dyn Watch,
    ) -> Result<Sweeper<'a, 's, 'x, W>, StorageError> {
        let (shares, exchange) = (viewer.shares, viewer.exchange);
        let me = exchange.rank();
        let largest = shares.pairs().map(|poorer| shares.area(poorer, me)).max().unwrap_or(0);
        let tiles = shares.pairs().map(|poorer| blocks(viewer, poorer, me).area()).max().unwrap_or(0);
        let outgoing = shares.pairs().map(|poorer| {
            let guests = pipeline::guests(shares, poorer);
            pipeline::outgoing::<W>(shares, poorer, me, &guests)
        });
        let (messages, bytes) = outgoing.fold((0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1)));
        exchange.reserve(messages, bytes);
        let window = |size| Window::new(size, 0);
        let best = [window(largest)?, window(largest)?];
        Ok(Sweeper { share, captures, viewer, watch, best, tiles: [window(tiles)?, window(tiles)?] })
    }

    /// Evaluates every position once, together with the other ranks. Lists the changes of this rank's if those
    /// of all ranks are no more than `room`.
    pub fn sweep(&mut self, table: &mut [W], pass: Pass, room: u64) -> Result<Swept<W>, SolveError> {
        let shares = self.viewer.shares;
        let mut list = Some(Vec::new());
        let (mut changes, mut done) = (0, 0);
        for poorer in shares.pairs() {
            changes += self.sweep_pair(table, poorer, &mut list);
            if changes > room {
                list = None;
            }
            let [stopped] = self.viewer.exchange.sum([u64::from(self.watch.stop())]);
            if stopped > 0 {
                return Err(SolveError::Stopped);
            }
            let richer = shares.maps.stones - poorer;
            done += shares.maps.level(poorer).len();
            done += if richer == poorer { 0 } else { shares.maps.level(richer).len() };
            self.watch.progress(pass, done as u64, shares.maps.index.positions());
        }
        let [changes] = self.viewer.exchange.sum([changes]);
        Ok(Swept { changes, list: list.filter(|_| changes <= room) })
    }

    /// Has the table kept, if it is time.
    pub fn offer(&mut self, table: &[W], reached: Reached) {
        let checkpoint = self.watch.checkpoint();
        let due = checkpoint::is_due(checkpoint, self.viewer, reached);
        if self.viewer.exchange.sum([u64::from(due)]) != [0] {
            checkpoint::keep(checkpoint, self.viewer, (self.share, table), reached);
        }
    }

    /// Evaluates this rank's positions of a pair of levels. Returns how many changed, and adds them to the list.
    fn sweep_pair(&mut self, table: &mut [W], poorer: usize, list: &mut Option<Vec<Change<W>>>) -> u64 {
        let (shares, exchange) = (self.viewer.shares, self.viewer.exchange);
        let (maps, me) = (shares.maps, exchange.rank());
        let richer = maps.stones - poorer;
        let (reach, stripe) = (shares.reach(poorer, me), shares.stripe(poorer, me));
        let area = reach.len() * stripe.len();
        for (best, captured) in self.best.iter_mut().zip(self.captures.of_pair(poorer)) {
            best.place(&(0..area));
            best.copy_from_slice(captured);
        }
        let fields = [
            Field { own: richer, movers: reach.clone(), others: stripe.clone() },
            Field { own: poorer, movers: stripe, others: reach },
        ];
        let wanted = Wanted::new(shares, poorer);
        for waiting in (0..richer).filter(|&waiting| wanted.by_anybody(waiting)) {
            let (whole, start) = self.share.whole_rows(waiting);
            let level =
                self.viewer.show((self.share, table), waiting, |rank| wanted.of(rank, waiting), &whole);
            let view = View::of(maps, waiting, level, (whole, &table[start..]));
            for (field, best) in fields.iter().zip(&mut self.best) {
                if area > 0 && field.own > waiting {
                    giving::look(maps, None, &view, field, best);
                }
            }
        }
        let memory = self.tiles.each_mut().map(Window::all);
        let [first, second] = &self.best;
        let tiles = pipeline::evaluate(shares, exchange, poorer, [first, second], memory);
        let mut levels = Vec::new();
        let (mut rest, mut at) = (table, 0);
        for waiting in if richer == poorer { vec![poorer] } else { vec![poorer, richer] } {
            for (rectangle, start) in self.share.level(waiting) {
                let (_, from) = std::mem::take(&mut rest).split_at_mut(start - at);
                let (worths, after) = from.split_at_mut(rectangle.size());
                (rest, at) = (after, start + rectangle.size());
                let (chunks, columns) = (rectangle.chunks.clone(), rectangle.columns.clone());
                levels.push(Level { waiting, chunks, columns, worths });
            }
        }
        let mut count = 0;
        for changes in publish::publish(maps, &mut levels, &tiles, list.is_some()) {
            count += changes.count;
            if let Some(list) = list {
                list.extend(changes.list);
            }
        }
        count
    }
}

fn blocks<'s, W: Worth>(viewer: &Viewer<'s, '_, W>, poorer: usize, rank: usize) -> Blocks<'s> {
    let shares = viewer.shares;
    let (chunks, reach) = (shares.stripe_chunks(poorer, rank), shares.reach_chunks(poorer, rank));
    Blocks { maps: shares.maps, poorer, chunks, reach }
}
