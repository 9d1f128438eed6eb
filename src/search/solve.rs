//! What is asked of a search: a good move, or the value.

use super::deepen::{MAX_PLIES, STONE, Way};
use super::known::key;
use super::{Bounds, Halt, Limits, Report, Search, SearchError, below, stopped};
use crate::board::{Board, PITS};
use crate::engine::{SolveError, Watch};
use crate::index::IMPOSSIBLE_STONES;
use crate::rules;
use crate::tablebase::ProbeError;

/// Nodes of the first round of a proof; each round has twice as many.
const FIRST_ROUND: u64 = 20_000;

/// Where a search is.
struct Progress<'a> {
    board: Board,
    report: Report,
    /// The last score, in points.
    score: i32,
    way: Way<'a>,
}

/// How a part of the work ended.
#[derive(PartialEq, Eq)]
enum Part {
    Done,
    Limit,
}

impl Search<'_> {
    /// Looks ever deeper for the best move. `passed` are the boards of the game since its last capture,
    /// oldest first and the one before `board` last, each seen from the player to move: who comes
    /// back to one gains nothing. `watch` hears of every depth that is done.
    ///
    /// Without a limit it ends when the value is proved and a move that keeps it is found, or at 200
    /// plies.
    ///
    /// # Errors
    /// If a table cannot be used, or no game has so many stones on the board.
    pub fn best(
        &mut self,
        board: &Board,
        passed: &[Board],
        limits: &Limits,
        watch: &mut dyn FnMut(&Report),
    ) -> Result<Report, SearchError> {
        let mut progress = self.start(board, passed, limits)?;
        self.end = limits.nodes.unwrap_or(u64::MAX);
        while !self.is_settled(&mut progress)? && progress.report.depth < limits.depth.unwrap_or(MAX_PLIES) {
            if self.deepen(&mut progress)? == Part::Limit {
                break;
            }
            watch(&progress.report);
        }
        self.finish(&mut progress)?;
        Ok(progress.report)
    }

    /// Finds the value, or as narrow bounds of it as the limits allow. `watch` hears of what is found
    /// out on the way.
    ///
    /// # Errors
    /// As [`Search::best`].
    pub fn solve(
        &mut self,
        board: &Board,
        limits: &Limits,
        watch: &mut dyn FnMut(&Report),
    ) -> Result<Report, SearchError> {
        let mut progress = self.start(board, &[], limits)?;
        let end = limits.nodes.unwrap_or(u64::MAX);
        let mut round = FIRST_ROUND;
        loop {
            // How it looks, which tells what to ask.
            self.end = self.nodes.saturating_add(round).min(end);
            while !self.is_settled(&mut progress)?
                && progress.report.depth < limits.depth.unwrap_or(MAX_PLIES)
            {
                if self.deepen(&mut progress)? == Part::Limit {
                    break;
                }
                watch(&progress.report);
            }
            if self.is_settled(&mut progress)? || self.is_over(limits, end) {
                break;
            }
            self.narrow(&mut progress, round, end)?;
            watch(&progress.report);
            if self.is_settled(&mut progress)? || self.is_over(limits, end) || self.starved {
                break;
            }
            round = round.saturating_mul(2);
        }
        self.finish(&mut progress)?;
        Ok(progress.report)
    }

    /// Makes tables in memory, of as many stones as there are boards below `to` to look at and memory
    /// for; returns the most stones up to which there is every table then.
    ///
    /// # Errors
    /// If a table cannot be read or the memory cannot be had.
    pub fn make_tables(
        &mut self,
        to: u32,
        memory: u64,
        watch: &dyn Watch,
    ) -> Result<Option<u32>, SearchError> {
        while let Some((stones, needed)) = self.below.needs() {
            if stones > to || needed > memory {
                break;
            }
            match self.below.make(watch) {
                Ok(()) => {}
                Err(below::MakeError::Tables(error)) => return Err(error.into()),
                Err(below::MakeError::Solve(SolveError::Stopped)) => break,
                Err(below::MakeError::Solve(_)) => return Err(SearchError::Memory),
            }
        }
        Ok(self.complete_to())
    }

    fn start<'a>(
        &mut self,
        board: &Board,
        passed: &[Board],
        limits: &'a Limits<'a>,
    ) -> Result<Progress<'a>, SearchError> {
        let stones = board.stones();
        if stones == IMPOSSIBLE_STONES {
            return Err(ProbeError::OutOfRange { stones }.into());
        }
        self.starved = false;
        (self.nodes, self.below.hits) = (0, 0);
        let before = passed.len();
        // The players took turns.
        let passed =
            passed.iter().enumerate().map(|(at, board)| (key(board), (before - at).is_multiple_of(2)));
        let report = Report {
            depth: 0,
            bounds: Bounds::of_stones(stones),
            estimate: 0.0,
            line: Vec::new(),
            nodes: 0,
            table_hits: 0,
        };
        let way = Way { limits, passed: passed.collect(), first_to_move: true, history: [[0; PITS]; 2] };
        Ok(Progress { board: *board, report, score: 0, way })
    }

    /// Whether no limit would let it find out more.
    fn is_over(&self, limits: &Limits, end: u64) -> bool {
        self.nodes >= end || stopped(limits)
    }

    /// Whether the value is known, with a move that has it.
    fn is_settled(&mut self, progress: &mut Progress) -> Result<bool, SearchError> {
        let (bounds, best) = self.bounds_ahead(&progress.board)?;
        progress.report.bounds = progress.report.bounds.and(bounds);
        let Some(value) = progress.report.bounds.exact() else { return Ok(false) };
        progress.score = i32::from(value) * STONE;
        let Some((pit, lower)) = best else { return Ok(true) };
        if lower == value && (progress.report.depth > 0 || self.below.value(&progress.board)?.is_some()) {
            if progress.report.depth == 0 {
                progress.report.line = vec![pit];
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Looks one ply deeper.
    fn deepen(&mut self, progress: &mut Progress) -> Result<Part, SearchError> {
        let depth = progress.report.depth + 1;
        let before = progress.way.passed.len();
        let first_to_move = progress.way.first_to_move;
        match self.look(&progress.board, depth, progress.score, &mut progress.way) {
            Ok(found) => {
                progress.report.depth = depth;
                progress.score = found.score;
                let report = &mut progress.report;
                report.bounds = report.bounds.and(found.bounds);
                report.line = self.line(&progress.board, depth)?;
                self.tell(progress);
                Ok(Part::Done)
            }
            Err(Halt::Limit) => {
                progress.way.passed.truncate(before);
                progress.way.first_to_move = first_to_move;
                Ok(Part::Limit)
            }
            Err(Halt::Error(error)) => Err(*error),
        }
    }

    /// Asks whether the value is at least so much, and at most, until neither is answered within
    /// `round` nodes each.
    fn narrow(&mut self, progress: &mut Progress, round: u64, end: u64) -> Result<(), SearchError> {
        let limits = progress.way.limits;
        let board = progress.board;
        let mut unanswered = [None; 2];
        loop {
            let Bounds { lower, upper } = progress.report.bounds;
            let guess = (progress.score as f32 / STONE as f32).round() as i8;
            let guess = guess.clamp(lower, upper);
            // At least what it seems to be, then not more than that.
            let questions = [guess.max(lower + 1), (guess + 1).min(upper)];
            let open = |&&least: &&i8| lower < least && least <= upper && !unanswered.contains(&Some(least));
            let Some(&least) = questions.iter().find(open) else { return Ok(()) };
            self.end = self.nodes.saturating_add(round).min(end);
            let answer = self.is_at_least(&board, least, limits);
            let bounds = match answer {
                Ok(true) => Bounds { lower: least, upper },
                Ok(false) => Bounds { lower, upper: least - 1 },
                Err(Halt::Limit) if self.is_over(limits, end) => return Ok(()),
                Err(Halt::Limit) => {
                    if unanswered[0].is_some() {
                        return Ok(());
                    }
                    unanswered[0] = Some(least);
                    continue;
                }
                Err(Halt::Error(error)) => return Err(*error),
            };
            self.proved(&board, bounds);
            progress.report.bounds = bounds;
            self.tell(progress);
        }
    }

    /// Brings the numbers up to date.
    fn tell(&self, progress: &mut Progress) {
        let report = &mut progress.report;
        let Bounds { lower, upper } = report.bounds;
        report.estimate = (progress.score as f32 / STONE as f32).clamp(lower.into(), upper.into());
        report.nodes = self.nodes;
        report.table_hits = self.below.hits;
    }

    fn finish(&mut self, progress: &mut Progress) -> Result<(), SearchError> {
        let (_, best) = self.bounds_ahead(&progress.board)?;
        // A move that is proved to have the value goes before one that looks good.
        if let (Some(value), Some((pit, lower))) = (progress.report.bounds.exact(), best)
            && lower == value
        {
            let turn = rules::turn(&progress.board, self.below.rules());
            let line = &progress.report.line;
            let play = turn.moves().find(|play| Some(&play.pit) == line.first());
            let good = match play {
                Some(play) => self.bounds(&play.child)?.before(play.captured).lower == value,
                None => false,
            };
            if !good {
                progress.report.line = vec![pit];
            }
        }
        if progress.report.line.is_empty() {
            // There was no time at all: take what there is.
            let turn = rules::turn(&progress.board, self.below.rules());
            let most = turn.moves().max_by_key(|play| (play.captured, play.pit));
            progress.report.line.extend(most.map(|play| play.pit));
        }
        self.tell(progress);
        Ok(())
    }

    /// The moves that are remembered as the best, up to a board that a table has or was passed.
    fn line(&mut self, board: &Board, most: u32) -> Result<Vec<usize>, ProbeError> {
        let (mut line, mut board) = (Vec::new(), *board);
        while line.len() < most as usize {
            let Some(entry) = self.known.get(key(&board)) else { break };
            let pit = usize::from(entry.pit);
            let turn = rules::turn(&board, self.below.rules());
            let Some(play) = turn.moves().find(|play| play.pit == pit) else { break };
            line.push(pit);
            board = play.child;
            if self.below.value(&board)?.is_some() {
                break;
            }
        }
        Ok(line)
    }
}
