//! A tree made ready to be walked once for every position.
//!
//! Two things make the way from the root to a leaf short. Forks on the first feature, the sum of
//! the two nearest neighbours, are the most frequent: the tree is laid out once for each value of
//! it, with those forks decided. Of the forks that remain, each is kept together with the two
//! behind it, so that one step takes two.

use super::features::Features;
use super::tree::{Next, Tree};

/// A fork and the two behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(32))]
struct Step {
    /// Where to go: the left fork's left and right, the right fork's left and right.
    next: [u32; 4],
    /// The thresholds: of the fork, the left one, the right one.
    thresholds: [i16; 3],
    /// Their features.
    features: [u8; 3],
}

/// Marks a leaf among steps.
const LEAF_BIT: u32 = 1 << 31;

/// The steps of a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Walker {
    /// Where to begin, for each value of the first feature.
    roots: Vec<u32>,
    steps: Vec<Step>,
}

impl Walker {
    /// Lays out a tree for first features of 0..=`greatest`.
    pub(super) fn new(tree: &Tree, greatest: u16) -> Walker {
        let mut walker = Walker { roots: Vec::new(), steps: Vec::new() };
        for first in 0..=greatest as i16 {
            let root = walker.lay_out(tree, tree.root(), first);
            walker.roots.push(root);
        }
        walker
    }

    /// The leaf that the tree sorts these features into.
    #[inline(always)]
    pub(super) fn leaf(&self, features: &Features) -> usize {
        let mut at = self.roots[(features[0] as usize).min(self.roots.len() - 1)];
        while at & LEAF_BIT == 0 {
            let step = &self.steps[at as usize];
            let [fork, left, right] = std::array::from_fn(|i| {
                // `lay_out` takes features from a tree, where they are in range.
                features[usize::from(step.features[i]) % features.len()] > step.thresholds[i]
            });
            let next = if fork { 2 + usize::from(right) } else { usize::from(left) };
            at = step.next[next];
        }
        (at & !LEAF_BIT) as usize
    }

    fn lay_out(&mut self, tree: &Tree, at: Next, first: i16) -> u32 {
        let (feature, threshold, children) = match decide(tree, at, first) {
            Next::Leaf(leaf) => return u32::from(leaf) | LEAF_BIT,
            Next::Fork(fork) => tree.fork(fork),
        };
        let place = self.steps.len();
        // Thresholds that nothing is above: a child that is a leaf is always on the left.
        let mut step = Step { next: [0; 4], thresholds: [i16::MAX; 3], features: [0; 3] };
        (step.features[0], step.thresholds[0]) = (feature, threshold);
        self.steps.push(step);
        for (side, child) in children.into_iter().enumerate() {
            match decide(tree, child, first) {
                leaf @ Next::Leaf(_) => step.next[2 * side] = self.lay_out(tree, leaf, first),
                Next::Fork(fork) => {
                    let (feature, threshold, grandchildren) = tree.fork(fork);
                    (step.features[1 + side], step.thresholds[1 + side]) = (feature, threshold);
                    for (way, next) in grandchildren.into_iter().enumerate() {
                        step.next[2 * side + way] = self.lay_out(tree, next, first);
                    }
                }
            }
        }
        self.steps[place] = step;
        place as u32
    }
}

/// Passes forks on the first feature.
fn decide(tree: &Tree, mut at: Next, first: i16) -> Next {
    while let Next::Fork(fork) = at {
        let (feature, threshold, children) = tree.fork(fork);
        if feature != 0 {
            break;
        }
        at = children[usize::from(first > threshold)];
    }
    at
}
