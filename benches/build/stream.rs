//! What the machine itself can do: bytes in order.

use std::hint::black_box;

use rayon::prelude::*;

use crate::support::clock::{Cost, measure};
use crate::support::limits::filled;

/// The bytes a sweep cannot do without, for one position: a byte of a table and a byte of captures
/// read, a byte of the table written, in order, by all threads of the current pool.
pub fn pass(positions: usize) -> Cost {
    const PART: usize = 1 << 20;
    let (mut table, captures) = (filled(positions), filled(positions));
    let repetitions = (1 << 28) / positions.max(1 << 16);
    let once = |table: &mut [u8]| {
        table.par_chunks_mut(PART).zip(captures.par_chunks(PART)).for_each(|(table, captures)| {
            table.iter_mut().zip(captures).for_each(|(best, &by)| *best = !(*best).max(by));
        });
    };
    once(&mut table);
    let (_, cost) = measure(|| {
        for _ in 0..repetitions {
            once(black_box(&mut table));
        }
    });
    cost.per((positions * repetitions) as u64)
}
