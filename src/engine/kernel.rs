//! The inner loops: bytes compared and transposed, many at a time.

use wide::u8x16;

/// Bytes that must follow whatever [`copy_short`] reads or writes.
pub(super) const SLACK: usize = SQUARE;

/// Raises each byte to the one beside it. The slices are equally long.
#[inline(always)]
pub(super) fn raise(best: &mut [u8], by: &[u8]) {
    let length = best.len();
    if length < SQUARE {
        return best.iter_mut().zip(by).for_each(|(best, &by)| *best = (*best).max(by));
    }
    let (whole, _) = best.as_chunks_mut::<SQUARE>();
    let (whole_by, _) = by.as_chunks::<SQUARE>();
    whole.iter_mut().zip(whole_by).for_each(|(best, by)| raise_square(best, by));
    // The last bytes again, together with some that are done: to raise twice does no harm.
    if let (Some(best), Some(by)) = (best.last_chunk_mut(), by.last_chunk()) {
        raise_square(best, by);
    }
}

#[inline(always)]
fn raise_square(best: &mut [u8; SQUARE], by: &[u8; SQUARE]) {
    *best = u8x16::new(*best).max(u8x16::new(*by)).to_array();
}

/// Copies `length` bytes in whole steps of [`SLACK`]: up to as many more are overwritten.
#[inline(always)]
pub(super) fn copy_short(to: &mut [u8], from: &[u8], length: usize) {
    let mut at = 0;
    loop {
        to[at..at + SLACK].copy_from_slice(&from[at..at + SLACK]);
        at += SLACK;
        if at >= length {
            return;
        }
    }
}

/// How many bytes differ. The slices are equally long.
#[inline(always)]
pub(super) fn count_different(a: &[u8], b: &[u8]) -> u64 {
    let part = |(a, b): (&[u8], &[u8])| u64::from(a.iter().zip(b).map(|(a, b)| u8::from(a != b)).sum::<u8>());
    a.chunks(128).zip(b.chunks(128)).map(part).sum()
}

/// Side of the squares that are transposed at once.
pub(super) const SQUARE: usize = 16;

/// Transposes `rows` × `columns` bytes, both multiples of [`SQUARE`].
#[inline(always)]
pub(super) fn transpose(from: &[u8], to: &mut [u8], rows: usize, columns: usize) {
    debug_assert!(rows.is_multiple_of(SQUARE) && columns.is_multiple_of(SQUARE));
    for row in (0..rows).step_by(SQUARE) {
        for column in (0..columns).step_by(SQUARE) {
            let square = std::array::from_fn(|i| {
                let start = (row + i) * columns + column;
                u8x16::new(*from[start..].first_chunk().unwrap_or(&[0; SQUARE]))
            });
            let square = transpose_square(square);
            for i in 0..SQUARE {
                let start = (column + i) * rows + row;
                if let Some(to) = to[start..].first_chunk_mut() {
                    *to = square[i].to_array();
                }
            }
        }
    }
}

/// Four perfect shuffles of the sixteen lines.
#[inline(always)]
fn transpose_square(mut square: [u8x16; SQUARE]) -> [u8x16; SQUARE] {
    for _ in 0..4 {
        square = std::array::from_fn(|i| {
            let (a, b) = (square[i / 2], square[i / 2 + SQUARE / 2]);
            if i % 2 == 0 { u8x16::unpack_low(a, b) } else { u8x16::unpack_high(a, b) }
        });
    }
    square
}

/// `length` rounded up to whole squares.
pub(super) fn padded(length: usize) -> usize {
    length.next_multiple_of(SQUARE)
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
}
