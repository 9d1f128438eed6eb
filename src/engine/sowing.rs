//! A move in two parts: what it does to the mover's half-board, and what it does to the other.
//!
//! The first depends on the own half-board alone; the second on how many stones go over (the
//! **sowing class**) and the opponent's half-board alone. So one own half-board and one of its
//! pits carry all opponent half-boards along together. Rules that look at whole positions (who
//! can be fed, what is a slam) are decided here, once for each class and half-board.

use crate::board::PITS;
use crate::half::{self, Half};
use crate::rules::Rules;

/// Pits a lap sows into after the stones have gone over once: all but the one played.
const LAP: usize = 2 * PITS - 1;

/// How a sowing arrives on the other side: 0 for not at all, otherwise which opponent pits gain
/// how much and whether the last stone falls into one of them. In each lap, 1..=6 stones over end
/// in that pit; 7..=11 fill the row and go on, all alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Class(pub u8);

impl Class {
    /// The class of a sowing of `stones` stones from own pit `pit`.
    fn of(pit: usize, stones: usize) -> Class {
        let over = stones.saturating_sub(PITS - 1 - pit);
        if over == 0 {
            return Class(0);
        }
        let (laps, last) = ((over - 1) / LAP, (over - 1) % LAP);
        Class((laps * (PITS + 1) + last.min(PITS) + 1) as u8)
    }

    /// All classes that bring at most `stones` stones over.
    pub fn up_to(stones: usize) -> impl Iterator<Item = Class> {
        (0..).map(Class).take_while(move |class| class.stones() <= stones)
    }

    fn laps_and_last(self) -> (usize, usize) {
        let past_none = usize::from(self.0) - 1;
        (past_none / (PITS + 1), past_none % (PITS + 1))
    }

    /// What each opponent pit gains.
    pub fn gains(self) -> Half {
        if self.0 == 0 {
            return [0; PITS];
        }
        let (laps, last) = self.laps_and_last();
        std::array::from_fn(|pit| (laps + usize::from(pit <= last)) as u8)
    }

    /// Stones the opponent gains.
    pub fn stones(self) -> usize {
        half::stones(self.gains())
    }

    /// Whether a player who has `own` stones may have a move that brings `given` of them over.
    pub fn can_give(given: usize, own: usize) -> bool {
        // From his last pit it takes the fewest.
        Class::up_to(given).any(|class| class.stones() == given && class.least_played() <= own)
    }

    /// The fewest stones a pit may hold that is sown with this class.
    fn least_played(self) -> usize {
        if self.0 == 0 {
            return 1;
        }
        let (laps, last) = self.laps_and_last();
        laps * LAP + last + 1
    }

    /// The opponent's pit the last stone falls into, if it is one.
    fn last(self) -> Option<usize> {
        let (_, last) = (self.0 > 0).then(|| self.laps_and_last())?;
        (last < PITS).then_some(last)
    }
}

/// What a sowing class does to an opponent's half-board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    /// Nothing is captured: he has this half-board now.
    Quiet(Half),
    /// Some stones are captured: he has this half-board left.
    Capture(Half, usize),
    /// The move may not be played.
    Illegal,
    /// The move ends the game; everything on the board is captured.
    Ends,
}

impl Effect {
    /// The effect of `class` on `half` under `rules`.
    pub fn of(class: Class, half: Half, rules: Rules) -> Effect {
        if class.0 == 0 && half == [0; PITS] {
            return Effect::Illegal; // does not feed
        }
        let gains = class.gains();
        let sown: Half = std::array::from_fn(|pit| half[pit] + gains[pit]);
        let Some(last) = class.last() else { return Effect::Quiet(sown) };
        let (mut left, mut captured) = (sown, 0);
        for pit in (0..=last).rev() {
            if !matches!(left[pit], 2 | 3) {
                break;
            }
            captured += usize::from(std::mem::take(&mut left[pit]));
        }
        match (captured, left == [0; PITS], rules) {
            (0, ..) => Effect::Quiet(sown),
            (_, false, _) => Effect::Capture(left, captured),
            (_, true, Rules::Awari) => Effect::Illegal,
            (_, true, Rules::Abapa) => Effect::Quiet(sown),
            (_, true, Rules::SlamEnds) => Effect::Ends,
        }
    }
}

/// One move of an own half-board. There are millions: class and rank share four bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnMove(u32);

impl OwnMove {
    const RANK_BITS: u32 = 24; // 2,869,685 half-boards of 48 stones

    fn new(half: Half, pit: usize) -> OwnMove {
        let class = Class::of(pit, usize::from(half[pit]));
        OwnMove(u32::from(class.0) << OwnMove::RANK_BITS | half::rank(own_after(half, pit)) as u32)
    }

    /// How the stones arrive on the other side.
    pub fn class(self) -> Class {
        Class((self.0 >> OwnMove::RANK_BITS) as u8)
    }

    /// Rank of the own half-board after the move.
    pub fn after(self) -> usize {
        (self.0 & ((1 << OwnMove::RANK_BITS) - 1)) as usize
    }
}

/// The moves of every half-board of as many stones, by rank.
pub(super) struct OwnMoves {
    moves: Vec<OwnMove>,
    /// Where the moves of each half-board start, and how many of them, the first ones, give the
    /// other side nothing.
    starts: Vec<(u32, u8)>,
}

impl OwnMoves {
    /// The moves of all half-boards of `stones` stones.
    pub fn new(stones: usize) -> OwnMoves {
        let (mut moves, mut starts) = (Vec::new(), Vec::with_capacity(half::count(stones) + 1));
        for half in half::all(stones) {
            let start = moves.len();
            moves.extend((0..PITS).filter(|&pit| half[pit] > 0).map(|pit| OwnMove::new(half, pit)));
            moves[start..].sort_by_key(|play| play.class());
            let holding = moves[start..].partition_point(|play| play.class().0 == 0);
            starts.push((start as u32, holding as u8));
        }
        starts.push((moves.len() as u32, 0));
        moves.shrink_to_fit();
        OwnMoves { moves, starts }
    }

    /// The moves of all half-boards.
    pub fn of_all(&self) -> impl Iterator<Item = OwnMove> {
        self.moves.iter().copied()
    }

    /// The moves of the half-board at `rank`.
    pub fn all(&self, rank: usize) -> &[OwnMove] {
        &self.moves[self.starts[rank].0 as usize..self.starts[rank + 1].0 as usize]
    }

    /// Those that give the other side nothing.
    pub fn holding(&self, rank: usize) -> &[OwnMove] {
        &self.all(rank)[..usize::from(self.starts[rank].1)]
    }

    /// Those that bring stones over.
    pub fn giving(&self, rank: usize) -> &[OwnMove] {
        &self.all(rank)[usize::from(self.starts[rank].1)..]
    }
}

/// The own half-board after sowing `pit`.
fn own_after(mut half: Half, pit: usize) -> Half {
    let mut stones = std::mem::take(&mut half[pit]);
    let mut at = pit;
    while stones > 0 {
        at = (at + 1) % (2 * PITS);
        if at == pit {
            continue;
        }
        if at < PITS {
            half[at] += 1;
        }
        stones -= 1;
    }
    half
}
