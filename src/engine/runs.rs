//! What each sowing class does to the half-boards of one number of stones, as runs of consecutive
//! ranks that go to consecutive ranks.

use std::ops::Range;

use super::sowing::{Class, Effect};
use crate::half;
use crate::rules::Rules;

/// Runs that are shorter than this on average are gathered before they are compared.
const SHORT: usize = 16;

/// Consecutive half-boards that a sowing carries to consecutive half-boards.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// Rank of the first half-board before the sowing.
    pub at: u32,
    /// How many.
    pub len: u32,
    /// Rank of the first half-board after the sowing, or [`Run::NOWHERE`].
    pub to: u32,
}

impl Run {
    /// Marks half-boards that a class does not carry anywhere quietly: it captures there, or may
    /// not be played.
    pub const NOWHERE: u32 = u32::MAX;

    /// Whether the half-board at `at`, which goes to `to`, continues the run.
    fn goes_on(&self, at: u32, to: u32) -> bool {
        self.at + self.len == at
            && if self.to == Run::NOWHERE { to == Run::NOWHERE } else { self.to + self.len == to }
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

/// Where one class carries half-boards quietly.
#[derive(Default)]
pub(super) struct ClassRuns {
    /// Runs that cover the half-boards in ascending order, those to nowhere among them.
    pub runs: Vec<Run>,
    /// Whether most of these runs are short.
    pub short: bool,
}

impl ClassRuns {
    /// The runs that lead somewhere.
    pub fn quiet(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(|run| run.to != Run::NOWHERE)
    }

    /// The parts of the runs that lie within `ranks`, counted from its start.
    fn within(&self, ranks: &Range<usize>) -> ClassRuns {
        let (start, end) = (ranks.start as u32, ranks.end as u32);
        let runs = self.runs.iter().filter_map(|run| {
            let (from, until) = (run.at.max(start), (run.at + run.len).min(end));
            let to = if run.to == Run::NOWHERE { run.to } else { run.to + (from - run.at.min(from)) };
            (from < until).then(|| Run { at: from - start, len: until - from, to })
        });
        ClassRuns { runs: runs.collect(), short: self.short }
    }
}

/// What one class does to all half-boards of one number of stones.
#[derive(Default)]
pub(super) struct ClassSowing {
    /// Where it captures nothing.
    quiet: ClassRuns,
    /// Runs that capture.
    pub captures: Vec<CaptureRun>,
    /// Ranks of half-boards on which this class ends the game.
    pub ends: Vec<u32>,
}

impl ClassSowing {
    /// The range from the first to the last half-board into which it turns those within `ranks` quietly.
    pub fn reached(&self, ranks: &Range<usize>) -> Option<Range<usize>> {
        let runs = &self.quiet.runs;
        let first = runs.partition_point(|run| (run.at + run.len) as usize <= ranks.start);
        let after = runs.partition_point(|run| (run.at as usize) < ranks.end);
        let within = |run: &Run| {
            let (at, to) = (run.at as usize, run.to as usize);
            let (from, until) = (at.max(ranks.start), (at + run.len as usize).min(ranks.end));
            to + from - at..to + until - at
        };
        // They keep their order.
        let mut quiet = runs.get(first..after)?.iter().filter(|run| run.to != Run::NOWHERE);
        let first = within(quiet.next()?);
        let end = quiet.next_back().map_or(first.end, |last| within(last).end);
        Some(first.start..end)
    }

    fn new(class: Class, stones: usize, rules: Rules) -> ClassSowing {
        let mut all = ClassSowing::default();
        for (at, half) in (0..).zip(half::all(stones)) {
            let effect = Effect::of(class, half, rules);
            let to = if let Effect::Quiet(after) = effect { half::rank(after) as u32 } else { Run::NOWHERE };
            match all.quiet.runs.last_mut() {
                Some(run) if run.goes_on(at, to) => run.len += 1,
                _ => all.quiet.runs.push(Run { at, len: 1, to }),
            }
            match effect {
                Effect::Capture(after, captured) => {
                    let (to, captured) = (half::rank(after) as u32, captured as u8);
                    match all.captures.last_mut() {
                        Some(run)
                            if run.captured == captured
                                && run.at + run.len == at
                                && run.to + run.len == to =>
                        {
                            run.len += 1;
                        }
                        _ => all.captures.push(CaptureRun { at, len: 1, to, captured }),
                    }
                }
                Effect::Ends => all.ends.push(at),
                Effect::Illegal | Effect::Quiet(_) => {}
            }
        }
        all.quiet.short = half::count(stones) < SHORT * all.quiet.runs.len();
        all.quiet.runs.shrink_to_fit();
        all.captures.shrink_to_fit();
        all
    }
}

/// What the sowing classes do to the half-boards of one number of stones.
pub(super) struct Sowings {
    classes: Vec<ClassSowing>,
    /// Half-boards onto which some class may not be sown: rank and a bit for each such class.
    pub illegal: Vec<(u32, u64)>,
}

impl Sowings {
    /// The classes of at most `most` stones over, onto all half-boards of `stones` stones.
    pub fn new(stones: usize, most: usize, rules: Rules) -> Sowings {
        let classes = Class::up_to(most).map(|class| ClassSowing::new(class, stones, rules)).collect();
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
    pub fn of(&self, class: Class) -> &ClassSowing {
        &self.classes[usize::from(class.0)]
    }

    /// Where each class, by its number, carries the half-boards within `ranks` quietly.
    pub fn within(&self, ranks: &Range<usize>) -> Vec<ClassRuns> {
        self.classes.iter().map(|class| class.quiet.within(ranks)).collect()
    }
}
