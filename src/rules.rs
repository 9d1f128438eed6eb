//! The rules, to the letter: what a move does, which moves are legal, when the game is over.
//!
//! This file is the reference. It is written to be compared with a rule text line by line, and
//! every other part of the program is tested against it.

use std::fmt;
use std::str::FromStr;

use crate::board::{Board, PITS};

/// A rule set. The three differ in the **grand slam**, a capture that would take every stone on
/// the opponent's side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Rules {
    /// Tournament and Olympiad rules, and those of the published databases: a move after which
    /// the opponent's side is empty, be it a slam or a move that does not feed, is illegal. If
    /// every move is like that the game is over and the mover takes everything on the board.
    #[default]
    Awari,
    /// Abapa: a slam is legal and captures nothing.
    Abapa,
    /// A slam is legal, captures, and ends the game: the mover also takes his remaining stones.
    SlamEnds,
}

impl Rules {
    /// Every rule set.
    pub const ALL: [Rules; 3] = [Rules::Awari, Rules::Abapa, Rules::SlamEnds];

    /// The name in file paths, options and output: `awari`, `abapa` or `slam-ends`.
    pub fn name(self) -> &'static str {
        match self {
            Rules::Awari => "awari",
            Rules::Abapa => "abapa",
            Rules::SlamEnds => "slam-ends",
        }
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no rule set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownRules(pub String);

impl fmt::Display for UnknownRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown rules {:?}: expected awari, abapa or slam-ends", self.0)
    }
}

impl std::error::Error for UnknownRules {}

impl FromStr for Rules {
    type Err = UnknownRules;

    fn from_str(name: &str) -> Result<Rules, UnknownRules> {
        Rules::ALL.into_iter().find(|rules| rules.name() == name).ok_or_else(|| UnknownRules(name.to_owned()))
    }
}

/// A legal move and what it leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// The pit played, 0..=5 (A..F).
    pub pit: usize,
    /// Stones captured, 0..=48; with `slam-ends` a slam captures the whole board.
    pub captured: u8,
    /// Whether the sowing would take every stone of the opponent.
    pub slam: bool,
    /// The board after the move, seen from the opponent, who is now to move.
    pub child: Board,
}

/// Why a pit with stones may not be played.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Illegal {
    /// The opponent has no stones and this move gives him none.
    DoesNotFeed,
    /// The move would take every stone of the opponent (rules `awari`).
    GrandSlam,
}

impl Illegal {
    /// The reason as output says it: `does-not-feed` or `grand-slam`.
    pub fn name(self) -> &'static str {
        match self {
            Illegal::DoesNotFeed => "does-not-feed",
            Illegal::GrandSlam => "grand-slam",
        }
    }
}

/// Why the game is over for lack of a legal move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// The mover has no stones; the opponent takes the rest.
    NoStones,
    /// The opponent has no stones and no move feeds him; the mover takes the rest.
    CannotFeed,
    /// Every move would leave the opponent without stones, at least one of them as a grand slam
    /// (rules `awari`); the mover takes the rest.
    AllSlams,
}

impl End {
    /// The end as output says it: `no-stones`, `cannot-feed` or `all-slams`.
    pub fn name(self) -> &'static str {
        match self {
            End::NoStones => "no-stones",
            End::CannotFeed => "cannot-feed",
            End::AllSlams => "all-slams",
        }
    }
}

/// What the player to move can do with one of his pits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// No stones to sow.
    Empty,
    /// A legal move.
    Legal(Move),
    /// Stones that may not be played.
    Illegal(Illegal),
}

/// Everything the player to move can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// One choice for each own pit, A..F.
    pub choices: [Choice; PITS],
    /// Why the game is over, if no choice is legal.
    pub end: Option<End>,
}

impl Turn {
    /// The legal moves, from pit A to pit F.
    pub fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        self.choices.iter().filter_map(|choice| match choice {
            Choice::Legal(play) => Some(*play),
            _ => None,
        })
    }

    /// The pits that hold stones and may not be played, with the reason.
    pub fn illegal(&self) -> impl Iterator<Item = (usize, Illegal)> + '_ {
        self.choices.iter().enumerate().filter_map(|(pit, choice)| match choice {
            Choice::Illegal(reason) => Some((pit, *reason)),
            _ => None,
        })
    }

    /// What the mover gains when the game is over on a board of `stones` stones, or None while
    /// he has a move: −`stones` if he has nothing to move, +`stones` otherwise.
    pub fn end_value(&self, stones: u32) -> Option<i8> {
        match self.end? {
            End::NoStones => Some(-(stones as i8)),
            End::CannotFeed | End::AllSlams => Some(stones as i8),
        }
    }
}

/// Takes the stones of `pit` and sows them one by one counter-clockwise, leaving out the pit they
/// came from on every lap. Returns the pits and where the last stone fell. The pit must not be
/// empty.
pub fn sow(board: &Board, pit: usize) -> ([u8; 2 * PITS], usize) {
    let mut pits = board.pits();
    let stones = std::mem::take(&mut pits[pit]);
    let mut last = pit;
    for _ in 0..stones {
        last = (last + 1) % (2 * PITS);
        if last == pit {
            last = (last + 1) % (2 * PITS);
        }
        pits[last] += 1;
    }
    (pits, last)
}

/// What a sowing that ended in `last` captures: if that is an opponent's pit now holding 2 or 3,
/// those stones, then pit by pit backwards while still on the opponent's side, each that holds 2
/// or 3, up to the first that does not. Returns the pits without them and how many they were.
pub fn capture(mut pits: [u8; 2 * PITS], last: usize) -> ([u8; 2 * PITS], u8) {
    let mut captured = 0;
    if last >= PITS {
        for pit in (PITS..=last).rev() {
            if !matches!(pits[pit], 2 | 3) {
                break;
            }
            captured += std::mem::take(&mut pits[pit]);
        }
    }
    (pits, captured)
}

fn opponent_is_empty(pits: &[u8; 2 * PITS]) -> bool {
    pits[PITS..].iter().all(|&p| p == 0)
}

/// The board after a move, from the other side.
fn handed_over(pits: [u8; 2 * PITS]) -> Board {
    Board::from_pits(pits).swapped()
}

/// Every choice of the player to move.
///
/// ```
/// use awari::{Board, Rules, rules};
/// let turn = rules::turn(&Board::START, Rules::Awari);
/// let third = turn.moves().nth(2).unwrap();
/// assert_eq!(third.child.swapped().to_string(), "4 4 0 5 5 5 / 5 4 4 4 4 4");
/// ```
pub fn turn(board: &Board, rules: Rules) -> Turn {
    let opponent_had_none = board.waiting() == [0; PITS];
    let mut choices = [Choice::Empty; PITS];
    for (pit, choice) in choices.iter_mut().enumerate() {
        if board.pits()[pit] > 0 {
            *choice = choose(board, pit, rules, opponent_had_none);
        }
    }
    let end = if choices.iter().any(|c| matches!(c, Choice::Legal(_))) {
        None
    } else if choices == [Choice::Empty; PITS] {
        Some(End::NoStones)
    } else if choices.contains(&Choice::Illegal(Illegal::GrandSlam)) {
        Some(End::AllSlams)
    } else {
        Some(End::CannotFeed)
    };
    Turn { choices, end }
}

fn choose(board: &Board, pit: usize, rules: Rules, opponent_had_none: bool) -> Choice {
    let (sown, last) = sow(board, pit);
    // Feeding. If no move feeds, every choice is illegal and the game is over, in every rule set.
    if opponent_had_none && opponent_is_empty(&sown) {
        return Choice::Illegal(Illegal::DoesNotFeed);
    }
    let (after, captured) = capture(sown, last);
    let slam = captured > 0 && opponent_is_empty(&after);
    let (pits, captured) = match (slam, rules) {
        (false, _) => (after, captured),
        (true, Rules::Awari) => return Choice::Illegal(Illegal::GrandSlam),
        (true, Rules::Abapa) => (sown, 0),
        (true, Rules::SlamEnds) => ([0; 2 * PITS], board.stones() as u8),
    };
    Choice::Legal(Move { pit, captured, slam, child: handed_over(pits) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(pits: [u8; 12]) -> Board {
        Board::new(pits).unwrap()
    }

    fn play(pits: [u8; 12], pit: usize, rules: Rules) -> Choice {
        turn(&board(pits), rules).choices[pit]
    }

    #[test]
    fn the_last_stone_makes_three_and_stops_at_the_next_pit() {
        // Six stones in F onto 6 6 2 6 6 2: the last makes 3 in the last pit, the one before 7.
        for rules in Rules::ALL {
            let Choice::Legal(m) = play([0, 0, 0, 0, 0, 6, 6, 6, 2, 6, 6, 2], 5, rules) else {
                panic!("legal in every rule set");
            };
            assert_eq!(m.captured, 3);
            assert_eq!(m.child.pits(), [7, 7, 3, 7, 7, 0, 0, 0, 0, 0, 0, 0]);
        }
    }

    #[test]
    fn a_row_of_two_three_two_is_taken_whole() {
        // Three stones from F make 2, 3, 2 in a, b, c; a stone in f keeps it from being a slam.
        for rules in Rules::ALL {
            let Choice::Legal(m) = play([0, 0, 0, 0, 0, 3, 1, 2, 1, 0, 0, 1], 5, rules) else {
                panic!("legal in every rule set");
            };
            assert_eq!(m.captured, 7);
            assert_eq!(m.child.pits(), [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
        }
    }

    #[test]
    fn a_slam_in_each_rule_set() {
        let pits = [2, 0, 0, 0, 0, 2, 1, 2, 0, 0, 0, 0];
        assert_eq!(play(pits, 5, Rules::Awari), Choice::Illegal(Illegal::GrandSlam));
        let Choice::Legal(m) = play(pits, 5, Rules::Abapa) else { panic!() };
        assert_eq!((m.captured, m.slam), (0, true));
        assert_eq!(m.child.pits(), [2, 3, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0]);
        let Choice::Legal(m) = play(pits, 5, Rules::SlamEnds) else { panic!() };
        assert_eq!((m.captured, m.slam, m.child.stones()), (7, true, 0));
    }

    #[test]
    fn the_game_ends_when_nobody_can_be_fed() {
        let turn = turn(&board([1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), Rules::Abapa);
        assert_eq!(turn.end, Some(End::CannotFeed));
        assert_eq!(turn.end_value(2), Some(2));
        let over = super::turn(&board([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]), Rules::Awari);
        assert_eq!((over.end, over.end_value(1)), (Some(End::NoStones), Some(-1)));
    }

    #[test]
    fn names_read_back() {
        for rules in Rules::ALL {
            assert_eq!(rules.name().parse(), Ok(rules));
        }
        assert!("Awari".parse::<Rules>().is_err());
    }
}
