//! The one byte a position that the engine works with.
//!
//! It is the position's value for the player who has **just moved**, so that a player about to
//! move takes the greatest among his children as it is, plus 128, so that the comparison is that
//! of unsigned bytes, which every x86-64 processor has.

/// Worth nothing: where every position starts.
pub(super) const ZERO: u8 = 128;

/// Worth less than any outcome: there is no such move.
pub(super) const NONE: u8 = 1;

/// The worth of gaining `stones`.
pub(super) fn of(stones: i8) -> u8 {
    (i16::from(stones) + 128) as u8
}

/// The same worth for the other player.
#[inline(always)]
pub(super) fn other(worth: u8) -> u8 {
    worth.wrapping_neg()
}

/// The value for the player to move of a position whose worth for the player who has just moved
/// is `worth`.
pub(super) fn value(worth: u8) -> i8 {
    (128 - i16::from(worth)) as i8
}
