//! How often each depth occurs.

/// How many positions have each depth.
///
/// ```
/// use awari::table::DepthCounts;
/// let counts: DepthCounts = [0, 3, 3, 9].into_iter().collect();
/// assert_eq!((counts.of(3), counts.max(), counts.sum(), counts.total()), (2, Some(9), 15, 4));
/// assert_eq!(counts.iter().collect::<Vec<_>>(), [(0, 1), (3, 2), (9, 1)]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DepthCounts(Vec<u64>);

impl DepthCounts {
    /// Counts one more position of this depth.
    pub fn add(&mut self, depth: u16) {
        let slot = usize::from(depth);
        if slot >= self.0.len() {
            self.0.resize(slot + 1, 0);
        }
        self.0[slot] += 1;
    }

    /// Adds what another has counted.
    #[must_use]
    pub fn plus(mut self, other: &DepthCounts) -> DepthCounts {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        for (mine, more) in self.0.iter_mut().zip(&other.0) {
            *mine += more;
        }
        self
    }

    /// Positions of this depth.
    pub fn of(&self, depth: u16) -> u64 {
        self.0.get(usize::from(depth)).copied().unwrap_or_default()
    }

    /// The depths that occur, ascending, each with its positions.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u16, u64)> + '_ {
        self.0
            .iter()
            .enumerate()
            .filter(|&(_, &count)| count > 0)
            .map(|(depth, &count)| (depth as u16, count))
    }

    /// Positions counted.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The greatest depth that occurs; None if nothing was counted.
    pub fn max(&self) -> Option<u16> {
        self.iter().next_back().map(|(depth, _)| depth)
    }

    /// The sum of the depths of all positions, in plies.
    pub fn sum(&self) -> u64 {
        self.iter().map(|(depth, count)| u64::from(depth) * count).sum()
    }
}

impl FromIterator<u16> for DepthCounts {
    /// Counts these depths.
    fn from_iter<I: IntoIterator<Item = u16>>(depths: I) -> DepthCounts {
        let mut counts = DepthCounts::default();
        depths.into_iter().for_each(|depth| counts.add(depth));
        counts
    }
}
