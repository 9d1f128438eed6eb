//! What is proved of a value.

/// Two numbers between which a value is proved to lie, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The value is at least this,
    pub lower: i8,
    /// and at most this.
    pub upper: i8,
}

impl Bounds {
    /// All that is known of a board of `stones` stones, 0..=48, without a look at it.
    pub fn of_stones(stones: u32) -> Bounds {
        Bounds { lower: -(stones as i8), upper: stones as i8 }
    }

    /// A value that is known.
    pub fn exactly(value: i8) -> Bounds {
        Bounds { lower: value, upper: value }
    }

    /// The value, if there is only one left.
    pub fn exact(self) -> Option<i8> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// Bounds of a move that captures so many stones and leads to a board of these bounds.
    pub(super) fn before(self, captured: u8) -> Bounds {
        Bounds { lower: captured as i8 - self.upper, upper: captured as i8 - self.lower }
    }

    /// What both bounds say together.
    pub(super) fn and(self, other: Bounds) -> Bounds {
        let both = Bounds { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) };
        debug_assert!(both.lower <= both.upper, "{self:?} and {other:?} cannot both be true");
        both
    }
}
