//! The board: twelve pits, seen from the player to move.

use std::fmt;

/// Pits on one side.
pub const PITS: usize = 6;

/// Stones on the board when a game starts; no board holds more.
pub const MAX_STONES: u32 = 48;

/// A board seen from the player to move, without the stores.
///
/// Pits 0..=5 are the mover's own (A..F, left to right), 6..=11 the opponent's (a..f); sowing goes
/// in ascending order and from 11 back to 0. Captured stones are off the board.
///
/// ```
/// use awari::Board;
/// let start = Board::START;
/// assert_eq!(start.stones(), 48);
/// assert_eq!(start.to_string(), "4 4 4 4 4 4 / 4 4 4 4 4 4");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Board([u8; 2 * PITS]);

/// Why twelve numbers are not a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyStones {
    /// The sum of the twelve pits.
    pub stones: u32,
}

impl fmt::Display for TooManyStones {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} stones on the board: a game has {MAX_STONES}", self.stones)
    }
}

impl std::error::Error for TooManyStones {}

impl Board {
    /// The position every game starts from: four stones in each pit.
    pub const START: Board = Board([4; 2 * PITS]);

    /// A board of these pits, the mover's six first.
    ///
    /// # Errors
    /// If the pits hold more than 48 stones together.
    pub fn new(pits: [u8; 2 * PITS]) -> Result<Board, TooManyStones> {
        let stones = pits.iter().map(|&p| u32::from(p)).sum();
        if stones > MAX_STONES { Err(TooManyStones { stones }) } else { Ok(Board(pits)) }
    }

    /// For boards made from a board, which can only have lost stones.
    pub(crate) fn from_pits(pits: [u8; 2 * PITS]) -> Board {
        debug_assert!(pits.iter().map(|&p| u32::from(p)).sum::<u32>() <= MAX_STONES);
        Board(pits)
    }

    /// A board of the mover's half and the waiting player's half, each in its owner's order.
    pub(crate) fn from_halves(mover: [u8; PITS], waiting: [u8; PITS]) -> Board {
        let mut pits = [0; 2 * PITS];
        pits[..PITS].copy_from_slice(&mover);
        pits[PITS..].copy_from_slice(&waiting);
        Board::from_pits(pits)
    }

    /// The twelve pits, the mover's six first.
    pub fn pits(&self) -> [u8; 2 * PITS] {
        self.0
    }

    /// The mover's six pits, A..F.
    pub fn mover(&self) -> [u8; PITS] {
        [self.0[0], self.0[1], self.0[2], self.0[3], self.0[4], self.0[5]]
    }

    /// The waiting player's six pits, a..f.
    pub fn waiting(&self) -> [u8; PITS] {
        [self.0[6], self.0[7], self.0[8], self.0[9], self.0[10], self.0[11]]
    }

    /// Stones on the board, 0..=48.
    pub fn stones(&self) -> u32 {
        self.0.iter().map(|&p| u32::from(p)).sum()
    }

    /// The same stones with the other player to move.
    #[must_use]
    pub fn swapped(&self) -> Board {
        Board::from_halves(self.waiting(), self.mover())
    }

    /// Whether a move can lead here: the side that has just moved has at least one empty pit, the
    /// one it played from.
    pub fn is_reachable(&self) -> bool {
        self.waiting().contains(&0)
    }

    /// What the mover gains over his opponent if both now keep the stones of their own row: own
    /// row minus opponent's row. Endless play is often settled so by agreement.
    pub fn settle(&self) -> i8 {
        let sum = |half: [u8; PITS]| half.iter().sum::<u8>() as i8;
        sum(self.mover()) - sum(self.waiting())
    }
}

impl fmt::Display for Board {
    /// The native notation: `4 4 4 4 4 4 / 4 4 4 4 4 4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (pit, stones) in self.0.iter().enumerate() {
            let before = match pit {
                0 => "",
                PITS => " / ",
                _ => " ",
            };
            write!(f, "{before}{stones}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_has_at_most_48_stones() {
        assert!(Board::new([4; 12]).is_ok());
        let mut pits = [4; 12];
        pits[3] = 5;
        assert_eq!(Board::new(pits), Err(TooManyStones { stones: 49 }));
        assert_eq!(Board::new([255; 12]), Err(TooManyStones { stones: 3060 }));
    }

    #[test]
    fn settling_counts_rows() {
        let board = Board::new([1, 2, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0]).unwrap();
        assert_eq!(board.settle(), 2);
        assert_eq!(board.swapped().settle(), -2);
        assert!(board.is_reachable());
        assert!(!Board::START.is_reachable());
    }
}
