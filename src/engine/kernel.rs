//! The inner loops: bytes compared and transposed, many at a time.

use wide::u8x16;

/// Raises each byte to the one beside it.
#[inline(always)]
pub(super) fn raise(best: &mut [u8], by: &[u8]) {
    for (best, &by) in best.iter_mut().zip(by) {
        *best = (*best).max(by);
    }
}

/// Side of the squares that are transposed at once.
pub(super) const SQUARE: usize = 16;

/// Transposes `rows` × `columns` bytes, both multiples of [`SQUARE`].
#[inline(always)]
pub(super) fn transpose(from: &[u8], to: &mut [u8], rows: usize, columns: usize) {
    debug_assert!(rows % SQUARE == 0 && columns % SQUARE == 0);
    for row in (0..rows).step_by(SQUARE) {
        for column in (0..columns).step_by(SQUARE) {
            let square = std::array::from_fn(|i| {
                let start = (row + i) * columns + column;
                let mut line = [0; SQUARE];
                line.copy_from_slice(&from[start..start + SQUARE]);
                u8x16::new(line)
            });
            for (i, line) in transpose_square(square).into_iter().enumerate() {
                let start = (column + i) * rows + row;
                to[start..start + SQUARE].copy_from_slice(&line.to_array());
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
