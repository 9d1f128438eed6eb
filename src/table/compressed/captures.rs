//! What a sowing captures, half-board by half-board, regardless of rule sets: a hint for the model
//! that takes no look-up.

use crate::board::{MAX_STONES, PITS};
use crate::half::Half;

/// Pits a lap sows into after the stones have gone over once: all but the one played.
const LAP: usize = 2 * PITS - 1;

/// Stones that may go over: 0..this.
pub(super) const OVERS: usize = MAX_STONES as usize + 1;

/// For each pit of a half-board, how many of its stones a sowing brings past the last own pit.
pub(super) fn overs(half: Half) -> [u8; PITS] {
    std::array::from_fn(|pit| half[pit].saturating_sub((PITS - 1 - pit) as u8))
}

/// What a sowing of `over` stones onto `half` and beyond captures there.
pub(super) fn captured(over: usize, half: Half) -> u8 {
    let (laps, last) = match over.checked_sub(1) {
        Some(past) if past % LAP < PITS => (past / LAP, past % LAP),
        _ => return 0,
    };
    // Pits up to the last one gain one more than the laps bring.
    let sown = half[..=last].iter().rev().map(|pit| pit + laps as u8 + 1);
    sown.take_while(|pit| matches!(pit, 2 | 3)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::rules::{capture, sow};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_the_rules_have_it(pits in prop::array::uniform12(0u8..5), pit in 0usize..6, many in 0u8..26) {
            let mut pits = pits;
            pits[pit] = many.min(48 - (pits.iter().sum::<u8>() - pits[pit]).min(48));
            let Ok(board) = Board::new(pits) else { return Ok(()) };
            if pits[pit] > 0 {
                let (sown, last) = sow(&board, pit);
                let over = overs(board.mover())[pit];
                prop_assert_eq!(captured(usize::from(over), board.waiting()), capture(sown, last).1);
            }
        }
    }
}
