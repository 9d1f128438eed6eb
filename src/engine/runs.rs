//! What each sowing class does to the half-boards of one number of stones, as runs of consecutive
//! ranks that go to consecutive ranks.

use std::ops::Range;

use super::chunks::Chunks;
use super::sowing::{Class, Effect};
use crate::half;
use crate::rules::Rules;

/// Consecutive half-boards of a chunk that a sowing carries to consecutive half-boards.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// First half-board before the sowing, counted from the start of its chunk.
    pub at: u16,
    /// How many.
    pub len: u16,
    /// Rank of the first half-board after the sowing.
    pub to: u32,
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
    /// Quiet runs, chunk after chunk.
    quiet: Vec<Run>,
    /// Where the quiet runs of each chunk start.
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
                runs.starts.push(runs.quiet.len() as u32);
                chunk = chunks.ranks(chunks.of(rank));
            }
            match Effect::of(class, half, rules) {
                Effect::Quiet(after) => {
                    let (at, to) = ((rank - chunk.start) as u16, half::rank(after) as u32);
                    let first = runs.starts[runs.starts.len() - 1] as usize;
                    match runs.quiet[first..].last_mut() {
                        Some(run) if run.at + run.len == at && run.to + u32::from(run.len) == to => {
                            run.len += 1
                        }
                        _ => runs.quiet.push(Run { at, len: 1, to }),
                    }
                }
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
                Effect::Illegal => {}
            }
        }
        runs.starts.push(runs.quiet.len() as u32);
        runs
    }

    /// The quiet runs of a chunk, in ascending order.
    pub fn quiet(&self, chunk: usize) -> &[Run] {
        &self.quiet[self.starts[chunk] as usize..self.starts[chunk + 1] as usize]
    }

    /// The ranks the quiet runs of a chunk lead to, from the least to the greatest.
    pub fn reach(&self, chunk: usize) -> Range<usize> {
        let runs = self.quiet(chunk);
        let least = runs.iter().map(|run| run.to as usize).min().unwrap_or(0);
        let end = runs.iter().map(|run| run.to as usize + usize::from(run.len)).max().unwrap_or(0);
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
