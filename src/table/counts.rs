//! How often each value occurs.

use crate::board::MAX_STONES;

const LARGEST: i32 = MAX_STONES as i32;

/// Values a position can have: −48..=48.
pub(super) const VALUES: usize = 2 * MAX_STONES as usize + 1;

/// How many positions have each value, −48..=48, seen from the player to move.
///
/// ```
/// use awari::table::Counts;
/// let counts: Counts = [3, 0, -3, -3].into_iter().collect();
/// assert_eq!((counts.wins(), counts.draws(), counts.losses()), (1, 1, 2));
/// assert_eq!(counts.sum(), -3);
/// assert_eq!(counts.iter().collect::<Vec<_>>(), [(-3, 2), (0, 1), (3, 1)]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts([u64; VALUES]);

impl Default for Counts {
    fn default() -> Counts {
        Counts([0; VALUES])
    }
}

fn slot(value: i32) -> Option<usize> {
    usize::try_from(value + LARGEST).ok().filter(|&slot| slot < VALUES)
}

impl Counts {
    pub(super) fn from_slots(slots: [u64; VALUES]) -> Counts {
        Counts(slots)
    }

    /// One number a value, from −48 to 48.
    pub(super) fn slots(&self) -> [u64; VALUES] {
        self.0
    }

    /// Counts one more position of this value.
    ///
    /// # Panics
    /// If the value is not in −48..=48.
    pub fn add(&mut self, value: i8) {
        self.0[(i32::from(value) + LARGEST) as usize] += 1;
    }

    /// Adds what another has counted.
    #[must_use]
    pub fn plus(mut self, other: &Counts) -> Counts {
        for (mine, more) in self.0.iter_mut().zip(other.0) {
            *mine += more;
        }
        self
    }

    /// Positions of this value; 0 if no position can have it.
    pub fn of(&self, value: i8) -> u64 {
        slot(value.into()).map_or(0, |slot| self.0[slot])
    }

    /// The values that occur, ascending, each with its positions.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (i8, u64)> + '_ {
        let all = self.0.iter().enumerate();
        all.filter(|&(_, &count)| count > 0).map(|(slot, &count)| ((slot as i32 - LARGEST) as i8, count))
    }

    /// Positions counted.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Positions the player to move wins: value above 0.
    pub fn wins(&self) -> u64 {
        self.iter().filter(|&(value, _)| value > 0).map(|(_, count)| count).sum()
    }

    /// Positions of value 0.
    pub fn draws(&self) -> u64 {
        self.of(0)
    }

    /// Positions the player to move loses: value below 0.
    pub fn losses(&self) -> u64 {
        self.iter().filter(|&(value, _)| value < 0).map(|(_, count)| count).sum()
    }

    /// The sum of the values of all positions, in stones.
    pub fn sum(&self) -> i64 {
        self.iter().map(|(value, count)| i64::from(value) * count as i64).sum()
    }

    /// The smallest value that occurs; None if nothing was counted.
    pub fn min(&self) -> Option<i8> {
        self.iter().next().map(|(value, _)| value)
    }

    /// The greatest value that occurs; None if nothing was counted.
    pub fn max(&self) -> Option<i8> {
        self.iter().next_back().map(|(value, _)| value)
    }
}

impl FromIterator<i8> for Counts {
    /// Counts these values.
    ///
    /// # Panics
    /// If one is not in −48..=48.
    fn from_iter<I: IntoIterator<Item = i8>>(values: I) -> Counts {
        let mut counts = Counts::default();
        values.into_iter().for_each(|value| counts.add(value));
        counts
    }
}
