//! Moves that bring stones over. They lead to other levels (or, for the richer side, sometimes back
//! to the level it came from, as it was before), so all positions of a level look at them
//! together, whole rows of the table at a time.

use rayon::prelude::*;

use super::captures::Captures;
use super::kernel::{self, SLACK};
use super::maps::Maps;
use super::runs::Run;
use super::worth::Worth;
use crate::half;

/// Positions that are worth giving to another thread.
const SHARE: usize = 1 << 14;

/// Fills `lines` with the best of each position of a level by a capture, an end of the game or a
/// move that brings stones over: for each half-board of the mover, who has `own` stones, a line of
/// all half-boards of the waiting player. `table` has [`SLACK`] more worths behind it.
pub(super) fn look<W: Worth>(maps: &Maps, captures: &Captures<W>, table: &[W], own: usize, lines: &mut [W]) {
    let width = half::count(maps.stones - own);
    let together = SHARE.div_ceil(width);
    lines.par_chunks_mut(together * width).enumerate().for_each_init(
        || vec![W::NONE; width + SLACK],
        |gathered, (part, lines)| {
            kernel::vectorized(|| {
                for (rank, line) in (part * together..).zip(lines.chunks_exact_mut(width)) {
                    look_from(maps, captures, table, own, rank, line, gathered);
                }
            })
        },
    );
}

/// The line of the mover's half-board at `rank`.
#[inline(always)]
fn look_from<W: Worth>(
    maps: &Maps,
    captures: &Captures<W>,
    table: &[W],
    own: usize,
    rank: usize,
    line: &mut [W],
    gathered: &mut [W],
) {
    let waiting = maps.stones - own;
    line.copy_from_slice(captures.row(waiting, rank));
    for play in maps.halves[own].own.giving(rank) {
        let row = &table[maps.row_of(own - play.class().stones(), play.after())..];
        let sowing = maps.halves[waiting].sowings.of(play.class());
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
