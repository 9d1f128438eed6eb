//! Numbers to compress until someone says to stop.

use super::coder::{Alphabet, Source};
use super::features::Features;
use super::tiles::Tile;

/// A source of no more numbers once it is time to stop. What is made of it then is not to be used.
pub struct Until<'a, S> {
    pub(crate) source: S,
    /// Whether to stop.
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
}

impl<S: Source> Source for Until<'_, S> {
    fn stones(&self) -> u32 {
        self.source.stones()
    }

    fn numbers(&self) -> usize {
        self.source.numbers()
    }

    fn alphabet(&self) -> Alphabet {
        self.source.alphabet()
    }

    fn visit(&self, tile: &Tile, seen: impl FnMut(&Features, u8)) {
        if !self.is_unwanted() {
            self.source.visit(tile, seen);
        }
    }

    fn is_unwanted(&self) -> bool {
        (self.stop)()
    }
}
