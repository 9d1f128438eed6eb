//! The last changes, across ranks: what [`super::super::last_changes`] does, where predecessors and their
//! other children may be anybody's. It goes by steps: every rank tells the owners of predecessors what has
//! changed, they ask the owners of other children for worths, and only then is anything stored.

use super::super::last_changes::{Change, place_of, predecessors, quiet_children};
use super::super::maps::Maps;
use super::super::worth::Worth;
use super::super::{Pass, Reached, SolveError, Watch};
use super::captures::Captures;
use super::checkpoint;
use super::exchange::Counted;
use super::fetch::Viewer;
use super::shares::{Share, Shares};
use crate::board::{Board, PITS};
use crate::half;

/// Changes that a rank looks at in one step.
const BATCH: usize = 1 << 15;

/// What takes part in following changes on one rank.
pub(super) struct Follower<'a, W> {
    pub shares: &'a Shares<'a>,
    pub share: &'a Share<'a>,
    pub exchange: &'a Counted<'a>,
    pub captures: &'a Captures<'a, W>,
}

/// A position that has to be evaluated.
struct Affected<W> {
    place: u64,
    board: Board,
    best: W,
    better: W,
}

impl<W: Worth> Follower<'_, W> {
    /// Follows the changes of all ranks, those of the last sweep, until nothing changes any more. Returns how many
    /// positions this one evaluated.
    pub fn follow(
        &self,
        viewer: &mut Viewer<W>,
        table: &mut [W],
        mut changes: Vec<Change<W>>,
        reached: Reached,
        watch: &dyn Watch,
    ) -> Result<u64, SolveError> {
        let mut next = Vec::new();
        let (mut done, mut evaluations) = (0, 0);
        loop {
            let (here, stop) = (changes.len() + next.len(), watch.stop());
            let due = checkpoint::is_due(watch.checkpoint(), viewer, reached);
            let [left, stopped, due] = self.exchange.sum([here as u64, u64::from(stop), u64::from(due)]);
            if stopped > 0 {
                return Err(SolveError::Stopped);
            }
            if left == 0 {
                return Ok(evaluations);
            }
            if due > 0 {
                let reached = Reached { changes: left, ..reached };
                checkpoint::keep(watch.checkpoint(), viewer, (self.share, table), reached);
            }
            if changes.is_empty() {
                std::mem::swap(&mut changes, &mut next);
            }
            let batch = changes.split_off(changes.len().saturating_sub(BATCH));
            done += batch.len() as u64;
            for (place, worth) in self.step(table, &batch) {
                evaluations += 1;
                let stored = &mut table[self.local(place)];
                if worth.is_further_than(*stored) {
                    next.push(Change::new(place, std::mem::replace(stored, worth)));
                }
            }
            watch.progress(Pass::LastChanges, done, done + (changes.len() + next.len()) as u64);
        }
    }

    fn maps(&self) -> &Maps {
        self.shares.maps
    }

    /// Where a position of this rank is, given its place in the table.
    fn local(&self, place: u64) -> usize {
        self.place(&self.maps().index.board(place))
    }

    fn place(&self, board: &Board) -> usize {
        self.share.place(
            half::stones(board.waiting()),
            half::rank(board.waiting()),
            half::rank(board.mover()),
        )
    }

    /// The new worths of positions of this rank that changes of any rank change, with their places.
    fn step(&self, table: &[W], changes: &[Change<W>]) -> Vec<(u64, W)> {
        let (maps, ranks) = (self.maps(), self.exchange.ranks());
        let mut told = vec![Vec::new(); ranks];
        for change in changes {
            let (place, before) = (change.place(), change.before());
            let changed = maps.index.board(place);
            let now = table[self.place(&changed)];
            predecessors(changed, |board| {
                let Some(place) = maps.index.place(&board) else { return };
                let waiting = half::stones(board.waiting());
                let owner =
                    self.shares.owner(waiting, half::rank(board.waiting()), half::rank(board.mover()));
                told[owner].extend_from_slice(&place.to_le_bytes());
                told[owner].extend_from_slice(bytemuck::cast_slice(&[before, now]));
            });
        }
        let told = self.exchange.swap(told);
        let record = size_of::<u64>() + 2 * size_of::<W>();
        let records = told.iter().flat_map(|message| message.chunks_exact(record));
        let mut affected: Vec<Affected<W>> = records
            .filter_map(|record| {
                let (place, worths) = record.split_first_chunk()?;
                let place = u64::from_le_bytes(*place);
                let mut both = [W::ZERO; 2];
                bytemuck::cast_slice_mut(&mut both).copy_from_slice(worths);
                let [before, now] = both;
                let board = maps.index.board(place);
                let best = table[self.place(&board)].best();
                let affected = if now > before { best < now } else { best == before };
                affected.then_some(Affected { place, board, best, better: best })
            })
            .collect();
        affected.sort_unstable_by_key(|affected| affected.place);
        affected.dedup_by_key(|affected| affected.place);
        self.evaluate(table, &mut affected);
        let better = affected.into_iter().filter(|affected| affected.better != affected.best);
        better.map(|affected| (affected.place, affected.better.other())).collect()
    }

    /// Finds the best that the player to move can get.
    fn evaluate(&self, table: &[W], affected: &mut [Affected<W>]) {
        let (maps, me) = (self.maps(), self.exchange.rank());
        let mut questions = vec![Vec::new(); self.exchange.ranks()];
        let mut asked: Vec<Vec<usize>> = vec![Vec::with_capacity(affected.len() * PITS); questions.len()];
        for (number, affected) in affected.iter_mut().enumerate() {
            let mut better = self.captures.of(&affected.board);
            quiet_children(maps, &affected.board, |waiting, rank, mover| {
                let owner = self.shares.owner(waiting, rank, mover);
                if owner == me {
                    better = better.max(table[self.share.place(waiting, rank, mover)]);
                } else {
                    let place = place_of(maps, waiting, rank, mover) as u64;
                    questions[owner].extend_from_slice(&place.to_le_bytes());
                    asked[owner].push(number);
                }
            });
            affected.better = better;
        }
        let answer = |questions: Vec<u8>| {
            let places = questions.as_chunks().0.iter().map(|place| u64::from_le_bytes(*place));
            let worths: Vec<W> = places.map(|place| table[self.local(place)]).collect();
            bytemuck::cast_slice(&worths).to_vec()
        };
        let answers = self.exchange.swap(questions);
        let answers = self.exchange.swap(answers.into_iter().map(answer).collect());
        for (asked, answers) in asked.into_iter().zip(answers) {
            for (number, bytes) in asked.into_iter().zip(answers.chunks_exact(size_of::<W>())) {
                let mut worth = [W::ZERO];
                bytemuck::cast_slice_mut(&mut worth).copy_from_slice(bytes);
                affected[number].better = affected[number].better.max(worth[0]);
            }
        }
    }
}
