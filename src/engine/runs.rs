//! What each sowing class does to the half-boards of one number of stones, as runs of consecutive
//! ranks that go to consecutive ranks.

use std::ops::Range;

use super::chunks::Chunks;
use super::sowing::{Class, Effect};
use crate::half;
use crate::rules::Rules;

/// Runs that are shorter than this on average are gathered before they are compared.
const SHORT: usize = 16;

/// Consecutive half-boards of a chunk that a sowing carries to consecutive half-boards.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// First half-board before the sowing, counted from the start of its chunk.
    pub at: u16,
    /// How many.
    pub len: u16,
    /// Rank of the first half-board after the sowing, or [`Run::NOWHERE`].
    pub to: u32,
}

impl Run {
    /// Marks half-boards that a class does not carry anywhere quietly: it captures there, or may
    /// not be played.
    pub const NOWHERE: u32 = u32::MAX;

    /// Whether the half-board at `at`, which goes to `to`, continues the run.
    fn goes_on(&self, at: u16, to: u32) -> bool {
        self.at + self.len == at
            && if self.to == Run::NOWHERE { to == Run::NOWHERE } else { self.to + u32::from(self.len) == to }
    }
}

/// The runs that cover a chunk, in ascending order.
#[derive(Clone, Copy)]
pub(super) struct ChunkRuns<'a> {
    /// The runs; those to nowhere too.
    pub all: &'a [Run],
    /// Whether most of them are short.
    pub short: bool,
}

impl<'a> ChunkRuns<'a> {
    /// The runs that lead somewhere.
    pub fn quiet(self) -> impl Iterator<Item = Run> + 'a {
        self.all.iter().copied().filter(|run| run.to != Run::NOWHERE)
    }
}

/// A run that captures.
#[derive(Clone, Copy, Debug)]
pub(super) struct CaptureRun {
    /// First half-board before the sowing, its rank.
    pub at: u32,
    /// How many.
    pub len: u32,
    /// Rank of the first half-board after the capture.
    pub to: u32,
    /// Stones captured.
    pub captured: u8,
}

/// What one class does to all half-boards of one number of stones.
#[derive(Default)]
pub(super) struct ClassRuns {
    /// The runs that cover each chunk, chunk after chunk.
    runs: Vec<Run>,
    /// Where the runs of each chunk start.
    starts: Vec<u32>,
    /// Runs that capture.
    pub captures: Vec<CaptureRun>,
    /// Ranks of half-boards on which this class ends the game.
    pub ends: Vec<u32>,
}

impl ClassRuns {
    fn new(class: Class, stones: usize, chunks: &Chunks, rules: Rules) -> ClassRuns {
        let mut runs = ClassRuns { starts: vec![0], ..ClassRuns::default() };
        let mut chunk = chunks.ranks(0);
        for (rank, half) in half::all(stones).enumerate() {
            if rank == chunk.end {
                runs.starts.push(runs.runs.len() as u32);
                chunk = chunks.ranks(chunks.of(rank));
            }
            let effect = Effect::of(class, half, rules);
            let to = if let Effect::Quiet(after) = effect { half::rank(after) as u32 } else { Run::NOWHERE };
            let at = (rank - chunk.start) as u16;
            let first = runs.starts[runs.starts.len() - 1] as usize;
            match runs.runs[first..].last_mut() {
                Some(run) if run.goes_on(at, to) => run.len += 1,
                _ => runs.runs.push(Run { at, len: 1, to }),
            }
            match effect {
                Effect::Capture(after, captured) => {
                    let (at, to, captured) = (rank as u32, half::rank(after) as u32, captured as u8);
                    match runs.captures.last_mut() {
                        Some(run)
                            if run.captured == captured
                                && run.at + run.len == at
                                && run.to + run.len == to =>
                        {
                            run.len += 1;
                        }
                        _ => runs.captures.push(CaptureRun { at, len: 1, to, captured }),
                    }
                }
                Effect::Ends => runs.ends.push(rank as u32),
                Effect::Illegal | Effect::Quiet(_) => {}
            }
        }
        runs.starts.push(runs.runs.len() as u32);
        runs
    }

    /// The runs of a chunk.
    pub fn of(&self, chunk: usize) -> ChunkRuns<'_> {
        let all = &self.runs[self.starts[chunk] as usize..self.starts[chunk + 1] as usize];
        let length: usize = all.iter().map(|run| usize::from(run.len)).sum();
        ChunkRuns { all, short: length < SHORT * all.len() }
    }

    /// The ranks the quiet runs of a chunk lead to, from the least to the greatest.
    pub fn reach(&self, chunk: usize) -> Range<usize> {
        let quiet = || self.of(chunk).quiet();
        let least = quiet().map(|run| run.to as usize).min().unwrap_or(0);
        let end = quiet().map(|run| run.to as usize + usize::from(run.len)).max().unwrap_or(0);
        least..end
    }
}

/// What the sowing classes do to the half-boards of one number of stones.
pub(super) struct Sowings {
    classes: Vec<ClassRuns>,
    /// Half-boards onto which some class may not be sown: rank and a bit for each such class.
    pub illegal: Vec<(u32, u64)>,
}

impl Sowings {
    /// The classes of at most `most` stones over, onto all half-boards of `stones` stones.
    pub fn new(stones: usize, most: usize, chunks: &Chunks, rules: Rules) -> Sowings {
        let classes = Class::up_to(most).map(|class| ClassRuns::new(class, stones, chunks, rules)).collect();
        let illegal = half::all(stones)
            .enumerate()
            .filter_map(|(rank, half)| {
                let mask = Class::up_to(most)
                    .filter(|&class| Effect::of(class, half, rules) == Effect::Illegal)
                    .fold(0, |mask, class| mask | 1 << class.0);
                (mask != 0).then_some((rank as u32, mask))
            })
            .collect();
        Sowings { classes, illegal }
    }

    /// What `class` does.
    pub fn of(&self, class: Class) -> &ClassRuns {
        &self.classes[usize::from(class.0)]
    }
}
