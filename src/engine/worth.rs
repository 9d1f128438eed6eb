//! What the engine keeps of a position: its **worth** to the player who has just moved.
//!
//! Seen from that side, a player about to move takes the greatest among his children as it is.
//! There are two kinds, and the engine works on either: a byte for the value alone, and two bytes
//! for the value and the depth (distance to conversion) together.

use bytemuck::Pod;
use wide::{i16x16, u8x16, u16x8};

/// Positions that are compared at once.
pub(super) const LANES: usize = 16;

/// A position's worth to the player who has just moved, or the best the player to move can get:
/// [`Worth::other`] and [`Worth::best`] turn one into the other.
pub(super) trait Worth: Pod + Ord + Send + Sync {
    /// Worth nothing: where every position starts.
    const ZERO: Self;
    /// Less than any outcome: there is no such move.
    const NONE: Self;

    /// A capture that gains `stones` in the end, −48..=48.
    fn capture(stones: i8) -> Self;
    /// The end of the game without a move, gaining `stones`.
    fn end(stones: i8) -> Self;
    /// From the best the player to move can get, the position's worth to the other player, one
    /// ply earlier.
    fn other(self) -> Self;
    /// The inverse of [`Worth::other`].
    fn best(self) -> Self;
    /// Whether `self` is further from zero than `old`: only then is it nearer the truth.
    fn is_further_than(self, old: Self) -> bool;
    /// Whether a position of so many stones can have it.
    fn is_possible(self, stones: usize) -> bool;
    /// Has its bytes in memory the least significant first, and back.
    fn little_endian(self) -> Self;
    /// Raises each lane to the one beside it.
    fn raise(best: &mut [Self; LANES], by: &[Self; LANES]);
    /// Rows made columns.
    fn transpose(square: [[Self; LANES]; LANES]) -> [[Self; LANES]; LANES];
}

/// The value, plus 128: then the comparison is that of unsigned bytes, which every x86-64
/// processor has.
impl Worth for u8 {
    const ZERO: u8 = 128;
    const NONE: u8 = 1;

    fn capture(stones: i8) -> u8 {
        (i16::from(stones) + 128) as u8
    }

    fn end(stones: i8) -> u8 {
        u8::capture(stones)
    }

    #[inline(always)]
    fn other(self) -> u8 {
        self.wrapping_neg()
    }

    fn best(self) -> u8 {
        self.wrapping_neg()
    }

    fn is_further_than(self, old: u8) -> bool {
        self.abs_diff(u8::ZERO) > old.abs_diff(u8::ZERO)
    }

    fn is_possible(self, stones: usize) -> bool {
        usize::from(self.abs_diff(u8::ZERO)) <= stones
    }

    fn little_endian(self) -> u8 {
        self
    }

    #[inline(always)]
    fn raise(best: &mut [u8; LANES], by: &[u8; LANES]) {
        *best = u8x16::new(*best).max(u8x16::new(*by)).to_array();
    }

    #[inline(always)]
    fn transpose(square: [[u8; LANES]; LANES]) -> [[u8; LANES]; LANES] {
        // Four perfect shuffles of the sixteen lines.
        let mut square = square.map(u8x16::new);
        for _ in 0..4 {
            square = std::array::from_fn(|i| {
                let (a, b) = (square[i / 2], square[i / 2 + LANES / 2]);
                if i % 2 == 0 { u8x16::unpack_low(a, b) } else { u8x16::unpack_high(a, b) }
            });
        }
        square.map(|line| line.to_array())
    }
}

/// The value of a position for the player to move, from its worth.
pub(super) fn value(worth: u8) -> i8 {
    (128 - i16::from(worth)) as i8
}

/// What a stone counts where plies count 1: more than any depth, and 48 stones still fit.
const STONE: i16 = 682;

/// The greatest depth that can be told.
pub(super) const MAX_DEPTH: u16 = STONE as u16 - 2;

/// A stone gained counts [`STONE`] less one for each ply until then, a stone lost the same below
/// zero: who wins hurries, who loses delays.
impl Worth for i16 {
    const ZERO: i16 = 0;
    const NONE: i16 = i16::MIN + 1;

    fn capture(stones: i8) -> i16 {
        let worth = i16::end(stones);
        worth - worth.signum()
    }

    fn end(stones: i8) -> i16 {
        i16::from(stones) * STONE
    }

    #[inline(always)]
    fn other(self) -> i16 {
        self.signum() - self
    }

    fn best(self) -> i16 {
        -self - self.signum()
    }

    fn is_further_than(self, old: i16) -> bool {
        self.unsigned_abs() > old.unsigned_abs()
    }

    fn is_possible(self, stones: usize) -> bool {
        usize::from(self.unsigned_abs()) <= stones * STONE as usize
    }

    fn little_endian(self) -> i16 {
        i16::from_le(self)
    }

    #[inline(always)]
    fn raise(best: &mut [i16; LANES], by: &[i16; LANES]) {
        *best = i16x16::new(*best).max(i16x16::new(*by)).to_array();
    }

    #[inline(always)]
    fn transpose(square: [[i16; LANES]; LANES]) -> [[i16; LANES]; LANES] {
        const HALF: usize = LANES / 2;
        let mut to = [[0; LANES]; LANES];
        for (down, across) in [(0, 0), (0, HALF), (HALF, 0), (HALF, HALF)] {
            let quarter = u16x8::transpose(std::array::from_fn(|i| {
                u16x8::new(std::array::from_fn(|j| square[down + i][across + j] as u16))
            }));
            for (i, line) in quarter.into_iter().enumerate() {
                let line = line.to_array();
                for j in 0..HALF {
                    to[across + i][down + j] = line[j] as i16;
                }
            }
        }
        to
    }
}

/// Value and depth of a position for the player to move, from its worth.
pub(super) fn value_and_depth(worth: i16) -> (i8, u16) {
    let best = worth.best();
    let stones = best.unsigned_abs().div_ceil(STONE as u16);
    let depth = stones * STONE as u16 - best.unsigned_abs();
    (stones as i8 * best.signum() as i8, depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_back() {
        for stones in -48..=48i8 {
            assert_eq!(value(u8::capture(stones).other()), stones);
            let now = u16::from(stones != 0);
            assert_eq!(value_and_depth(i16::end(stones).other()), (stones, 0));
            assert_eq!(value_and_depth(i16::capture(stones).other()), (stones, now));
            // A ply earlier, for the other player.
            assert_eq!(value_and_depth(i16::capture(stones).other().other()), (-stones, 2 * now));
        }
    }

    fn transposes<W: Worth + std::fmt::Debug>(square: [[W; LANES]; LANES]) {
        let turned = W::transpose(square);
        for i in 0..LANES {
            for j in 0..LANES {
                assert_eq!(turned[i][j], square[j][i]);
            }
        }
    }

    #[test]
    fn transposing_swaps_rows_and_columns() {
        transposes::<u8>(std::array::from_fn(|i| std::array::from_fn(|j| (16 * i + j) as u8)));
        transposes::<i16>(std::array::from_fn(|i| std::array::from_fn(|j| (16 * i + j) as i16 - 99)));
    }
}
