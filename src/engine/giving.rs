//! Moves that bring stones over. They lead to other levels (or, for the richer side, sometimes back
//! to the level it came from, as it was before), so all positions of a level look at them
//! together, whole rows of the table at a time.

use std::ops::Range;

use rayon::prelude::*;

use super::kernel::{self, SLACK};
use super::levels::View;
use super::maps::Maps;
use super::runs::{ClassRuns, Run};
use super::worth::Worth;
use crate::half;

/// Positions that are given to a thread together: a few of them for each thread even where levels
/// are small, because lines of half-boards with more moves take longer.
const SHARE: usize = 1 << 15;

/// Positions of a level: these half-boards of the mover, who has `own` stones, against those of the
/// waiting player, by rank.
pub(super) struct Field {
    pub own: usize,
    pub movers: Range<usize>,
    pub others: Range<usize>,
}

/// Raises `lines` to the best of each position of a field by a move that brings stones over to a level
/// in `view`: for each half-board of the mover a line of those of the waiting player. They start from
/// `captures`, the rows of all the mover's half-boards, or if there are none from what they are.
pub(super) fn look<W: Worth>(
    maps: &Maps,
    captures: Option<&[W]>,
    view: &View<W>,
    field: &Field,
    lines: &mut [W],
) {
    let (others, width) = (maps.stones - field.own, field.others.len());
    let runs: Vec<ClassRuns> = maps.halves[others].sowings.within(&field.others);
    let together = SHARE.div_ceil(width);
    lines.par_chunks_mut(together * width).enumerate().with_max_len(1).for_each_init(
        || vec![W::NONE; width + SLACK],
        |gathered, (part, lines)| {
            kernel::vectorized(|| {
                let ranks = field.movers.start + part * together..field.movers.end;
                for (rank, line) in ranks.zip(lines.chunks_exact_mut(width)) {
                    if let Some(captures) = captures {
                        let row = &captures[rank * half::count(others)..];
                        line.copy_from_slice(&row[field.others.clone()]);
                    }
                    look_from(maps, view, field.own, rank, &runs, line, gathered);
                }
            })
        },
    );
}

/// Adds the moves of the mover's half-board at `rank` to his line.
#[inline(always)]
fn look_from<W: Worth>(
    maps: &Maps,
    view: &View<W>,
    own: usize,
    rank: usize,
    runs: &[ClassRuns],
    line: &mut [W],
    gathered: &mut [W],
) {
    for play in maps.halves[own].own.giving(rank) {
        let kept = own - play.class().stones();
        let Some(row) = view.row(maps, kept, play.after()) else { continue };
        let sowing = &runs[usize::from(play.class().0)];
        if sowing.short {
            gather(&sowing.runs, row, gathered);
            kernel::raise(line, &gathered[..line.len()]);
        } else {
            for run in sowing.quiet() {
                let (at, len, to) = (run.at as usize, run.len as usize, run.to as usize);
                kernel::raise(&mut line[at..at + len], &row[to..to + len]);
            }
        }
    }
}

/// Copies runs of a row of the table beside one another.
#[inline(always)]
fn gather<W: Worth>(runs: &[Run], row: &[W], gathered: &mut [W]) {
    for run in runs {
        let to = &mut gathered[run.at as usize..];
        if run.to == Run::NOWHERE {
            for at in (0..run.len as usize).step_by(SLACK) {
                to[at..at + SLACK].fill(W::NONE);
            }
        } else {
            kernel::copy_short(to, &row[run.to as usize..], run.len as usize);
        }
    }
}
