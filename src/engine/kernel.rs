//! The inner loops: worths compared, copied and transposed, many at a time.

use super::worth::{LANES, Worth};

/// Does `work`, which the compiler has in two forms if it is inlined throughout: for processors
/// with AVX2 and for all others.
#[inline(always)]
pub(super) fn vectorized<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn with_avx2<T>(work: impl FnOnce() -> T) -> T {
            work()
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { with_avx2(work) };
        }
    }
    work()
}

/// Worths that must follow whatever [`copy_short`] reads or writes.
pub(super) const SLACK: usize = LANES;

/// Raises each worth to the one beside it. The slices are equally long.
#[inline(always)]
pub(super) fn raise<W: Worth>(best: &mut [W], by: &[W]) {
    if best.len() < LANES {
        return best.iter_mut().zip(by).for_each(|(best, &by)| *best = (*best).max(by));
    }
    let (whole, _) = best.as_chunks_mut();
    let (whole_by, _) = by.as_chunks();
    whole.iter_mut().zip(whole_by).for_each(|(best, by)| W::raise(best, by));
    // The last ones again, together with some that are done: to raise twice does no harm.
    if let (Some(best), Some(by)) = (best.last_chunk_mut(), by.last_chunk()) {
        W::raise(best, by);
    }
}

/// Copies `length` worths in whole steps of [`SLACK`]: up to as many more are overwritten.
#[inline(always)]
pub(super) fn copy_short<W: Worth>(to: &mut [W], from: &[W], length: usize) {
    let mut at = 0;
    loop {
        to[at..at + SLACK].copy_from_slice(&from[at..at + SLACK]);
        at += SLACK;
        if at >= length {
            return;
        }
    }
}

/// How many worths differ. The slices are equally long.
#[inline(always)]
pub(super) fn count_different<W: Worth>(a: &[W], b: &[W]) -> u64 {
    let part = |(a, b): (&[W], &[W])| u64::from(a.iter().zip(b).map(|(a, b)| u8::from(a != b)).sum::<u8>());
    a.chunks(128).zip(b.chunks(128)).map(part).sum()
}

/// Transposes `rows` × `columns` worths, both multiples of [`LANES`].
#[inline(always)]
pub(super) fn transpose<W: Worth>(from: &[W], to: &mut [W], rows: usize, columns: usize) {
    debug_assert!(rows.is_multiple_of(LANES) && columns.is_multiple_of(LANES));
    for row in (0..rows).step_by(LANES) {
        for column in (0..columns).step_by(LANES) {
            let line = |i| *from[(row + i) * columns + column..].first_chunk().unwrap_or(&[W::NONE; LANES]);
            let square = W::transpose(std::array::from_fn(line));
            for i in 0..LANES {
                if let Some(to) = to[(column + i) * rows + row..].first_chunk_mut() {
                    *to = square[i];
                }
            }
        }
    }
}

/// `length` rounded up to whole squares.
pub(super) fn padded(length: usize) -> usize {
    length.next_multiple_of(LANES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_swaps_rows_and_columns() {
        let (rows, columns) = (32, 48);
        let from: Vec<u8> = (0..rows * columns).map(|i| (i * 37 % 251) as u8).collect();
        let mut to = vec![0; rows * columns];
        transpose(&from, &mut to, rows, columns);
        for row in 0..rows {
            for column in 0..columns {
                assert_eq!(to[column * rows + row], from[row * columns + column]);
            }
        }
    }

    #[test]
    fn raising_takes_the_greater_at_every_length() {
        for length in 0..70 {
            let a: Vec<u8> = (0..length).map(|i| (i * 91 % 256) as u8).collect();
            let b: Vec<u8> = (0..length).map(|i| (i * 57 % 256) as u8).collect();
            let mut best = a.clone();
            raise(&mut best, &b);
            assert!((0..length).all(|i| best[i] == a[i].max(b[i])));
            let differ = a.iter().zip(&b).filter(|(a, b)| a != b).count() as u64;
            assert_eq!(count_different(&a, &b), differ);
        }
    }
}
