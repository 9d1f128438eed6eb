//! A decision tree that sorts positions into contexts by their features: grown from examples,
//! written into the file, walked for every position.

use rayon::prelude::*;

use super::Corrupt;
use super::features::{FEATURES, Features};

/// Contexts of a tree, at most.
pub(super) const MAX_LEAVES: usize = 1 << 10;

/// Comparisons from the root to a leaf, at most.
const MAX_DEPTH: usize = 48;

/// Marks a leaf where a file has the feature of a fork.
const LEAF: u8 = u8::MAX;

/// A fork: features up to the threshold go left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Fork {
    feature: u8,
    threshold: i16,
    /// Where to go, left and right: a fork, or with [`LEAF_BIT`] a leaf.
    next: [u16; 2],
}

const LEAF_BIT: u16 = 1 << 15;

/// Sorts features into contexts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tree {
    forks: Vec<Fork>,
    root: u16,
    leaves: usize,
}

/// A node of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// A fork, by its number.
    Fork(u16),
    /// A leaf: a context, 0..[`Tree::leaves`].
    Leaf(u16),
}

impl Next {
    fn of(node: u16) -> Next {
        if node & LEAF_BIT == 0 { Next::Fork(node) } else { Next::Leaf(node & !LEAF_BIT) }
    }
}

/// A position to learn from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Example {
    /// Its features.
    pub features: Features,
    /// Its token.
    pub token: u8,
}

impl Tree {
    /// How many contexts there are.
    pub(super) fn leaves(&self) -> usize {
        self.leaves
    }

    /// Where the way to a leaf begins.
    pub(super) fn root(&self) -> Next {
        Next::of(self.root)
    }

    /// A fork: its feature, the greatest value that goes left, and where left and right lead.
    pub(super) fn fork(&self, fork: u16) -> (u8, i16, [Next; 2]) {
        let Fork { feature, threshold, next } = self.forks[usize::from(fork)];
        (feature, threshold, next.map(Next::of))
    }

    /// Grows a tree: the fork that saves most comes first, as long as it saves at least `least`
    /// bits among the examples. No more forks are made once `stop` says so.
    pub(super) fn grow(examples: &[Example], least: u64, stop: &dyn Fn() -> bool) -> Tree {
        let all: Vec<u32> = (0..examples.len() as u32).collect();
        let mut tree = Tree { forks: Vec::new(), root: LEAF_BIT, leaves: 1 };
        let mut open: Vec<Open> = Vec::new();
        open.extend(Open::new(examples, all, None, 0, 0));
        while tree.leaves < MAX_LEAVES && !stop() {
            // Of equals the first: the order is the same whatever the threads.
            let best = (0..open.len()).rev().max_by_key(|&i| open[i].split.saves);
            let Some(best) = best.filter(|&i| open[i].split.saves >= least << LOG_BITS) else { break };
            let Open { members, parent, leaf, depth, split } = open.swap_remove(best);
            let fork = tree.forks.len() as u16;
            let leaves = [leaf, tree.leaves as u16];
            tree.leaves += 1;
            match parent {
                None => tree.root = fork,
                Some((parent, side)) => tree.forks[usize::from(parent)].next[side] = fork,
            }
            tree.forks.push(Fork {
                feature: split.feature as u8,
                threshold: split.threshold,
                next: leaves.map(|leaf| leaf | LEAF_BIT),
            });
            if depth + 1 < MAX_DEPTH {
                let side = |&i: &u32| examples[i as usize].features[split.feature] <= split.threshold;
                let (left, right): (Vec<u32>, Vec<u32>) = members.into_iter().partition(side);
                for (side, members) in [left, right].into_iter().enumerate() {
                    open.extend(Open::new(examples, members, Some((fork, side)), leaves[side], depth + 1));
                }
            }
        }
        tree
    }

    /// The tree as bytes: forks before what is behind them, left before right. A fork is its
    /// feature and its threshold, a leaf a byte. Leaves are numbered anew in this order; the
    /// second part says which leaf was which.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) -> Vec<usize> {
        let mut order = Vec::new();
        let mut ahead = vec![self.root];
        while let Some(at) = ahead.pop() {
            if at & LEAF_BIT != 0 {
                bytes.push(LEAF);
                order.push(usize::from(at & !LEAF_BIT));
            } else {
                let fork = &self.forks[usize::from(at)];
                bytes.push(fork.feature);
                bytes.extend(fork.threshold.to_le_bytes());
                ahead.extend([fork.next[1], fork.next[0]]);
            }
        }
        order
    }

    /// Reads a tree from the start of `bytes`, and goes past it.
    pub(super) fn read(bytes: &mut &[u8]) -> Result<Tree, Corrupt> {
        let mut tree = Tree { forks: Vec::new(), root: LEAF_BIT, leaves: 0 };
        // Where the next node belongs: a fork and a side of it, and how deep.
        let mut ahead = vec![(None, 0)];
        while let Some((parent, depth)) = ahead.pop() {
            let (&feature, rest) = bytes.split_first().ok_or(Corrupt)?;
            *bytes = rest;
            let node = if feature == LEAF {
                tree.leaves += 1;
                (tree.leaves - 1) as u16 | LEAF_BIT
            } else {
                let (threshold, rest) = bytes.split_first_chunk().ok_or(Corrupt)?;
                *bytes = rest;
                let node = tree.forks.len() as u16;
                if usize::from(feature) >= FEATURES || depth >= MAX_DEPTH {
                    return Err(Corrupt);
                }
                let threshold = i16::from_le_bytes(*threshold);
                tree.forks.push(Fork { feature, threshold, next: [LEAF_BIT; 2] });
                ahead.extend([(Some((node, 1)), depth + 1), (Some((node, 0)), depth + 1)]);
                node
            };
            if tree.leaves.max(tree.forks.len() + 1) > MAX_LEAVES {
                return Err(Corrupt);
            }
            match parent {
                None => tree.root = node,
                Some((parent, side)) => tree.forks[usize::from(parent)].next[side] = node,
            }
        }
        Ok(tree)
    }
}

/// A leaf that may still become a fork.
struct Open {
    members: Vec<u32>,
    parent: Option<(u16, usize)>,
    leaf: u16,
    depth: usize,
    split: Split,
}

/// The best fork found for a leaf.
struct Split {
    saves: u64,
    feature: usize,
    threshold: i16,
}

impl Open {
    fn new(
        examples: &[Example],
        members: Vec<u32>,
        parent: Option<(u16, usize)>,
        leaf: u16,
        depth: usize,
    ) -> Option<Open> {
        let splits =
            (0..FEATURES).into_par_iter().filter_map(|feature| Split::best(examples, &members, feature));
        let split = splits.collect::<Vec<_>>().into_iter().rev().max_by_key(|split| split.saves)?;
        Some(Open { members, parent, leaf, depth, split })
    }
}

impl Split {
    /// The best threshold of one feature.
    fn best(examples: &[Example], members: &[u32], feature: usize) -> Option<Split> {
        let of = |&i: &u32| &examples[i as usize];
        let values = || members.iter().map(|i| of(i).features[feature]);
        let (low, high) = (values().min()?, values().max()?);
        if low == high {
            return None;
        }
        let tokens = 1 + members.iter().map(|i| usize::from(of(i).token)).max()?;
        // How often each token occurs with each value of the feature.
        let mut counts = vec![0u32; (usize::from(high.abs_diff(low)) + 1) * tokens];
        for i in members {
            let row = usize::from(of(i).features[feature].abs_diff(low));
            counts[row * tokens + usize::from(of(i).token)] += 1;
        }
        let mut left = vec![0u32; tokens];
        let mut right = vec![0u32; tokens];
        for row in counts.chunks(tokens) {
            right.iter_mut().zip(row).for_each(|(sum, count)| *sum += count);
        }
        let whole = cost(&right);
        let mut best = None;
        for (threshold, row) in (low..high).zip(counts.chunks(tokens)) {
            if row.iter().all(|&count| count == 0) {
                continue;
            }
            for ((left, right), count) in left.iter_mut().zip(&mut right).zip(row) {
                *left += count;
                *right -= count;
            }
            let saves = whole.saturating_sub(cost(&left) + cost(&right));
            if best.as_ref().is_none_or(|best: &Split| saves > best.saves) {
                best = Some(Split { saves, feature, threshold });
            }
        }
        best
    }
}

/// Binary places of a logarithm.
pub(super) const LOG_BITS: u32 = 12;

/// Bits it takes to say tokens that occur so often each, in units of 2^−[`LOG_BITS`].
fn cost(counts: &[u32]) -> u64 {
    let total: u32 = counts.iter().sum();
    let kept: u64 = counts.iter().map(|&count| u64::from(count) * log2(count)).sum();
    (u64::from(total) * log2(total)).saturating_sub(kept)
}

/// The binary logarithm, in units of 2^−[`LOG_BITS`]. In integers, so that every machine grows the
/// same tree.
fn log2(number: u32) -> u64 {
    let Some(whole) = number.checked_ilog2() else { return 0 };
    // The mantissa, 1 to 2, to as many places as the table has.
    let mantissa = (u64::from(number) << LOG_BITS >> whole) as usize;
    u64::from(whole) << LOG_BITS | u64::from(FRACTIONS[mantissa - (1 << LOG_BITS)])
}

/// log2(1 + i / 2^[`LOG_BITS`]), in units of 2^−[`LOG_BITS`].
static FRACTIONS: [u16; 1 << LOG_BITS] = {
    let mut fractions = [0; 1 << LOG_BITS];
    let mut i = 0;
    while i < fractions.len() {
        // Squaring doubles the logarithm: one more binary place each time.
        let mut mantissa = ((1 << LOG_BITS) + i as u64) << (31 - LOG_BITS);
        let mut place = 0;
        while place < LOG_BITS {
            mantissa = (mantissa * mantissa) >> 31;
            fractions[i] <<= 1;
            if mantissa >> 32 != 0 {
                fractions[i] |= 1;
                mantissa >>= 1;
            }
            place += 1;
        }
        i += 1;
    }
    fractions
};

#[cfg(test)]
mod tests {
    use super::super::features::FEATURE_ROOM;
    use super::super::walker::Walker;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn logarithms() {
        for number in [1, 2, 3, 5, 1_000, 4_095, 4_097, 123_456_789, u32::MAX] {
            let exact = f64::from(number).log2();
            let found = log2(number) as f64 / f64::from(1 << LOG_BITS);
            assert!((exact - found).abs() < 1e-3, "log2({number}) = {exact}, not {found}");
        }
        assert_eq!(log2(0), 0);
    }

    /// The leaf of a position, fork by fork.
    fn leaf(tree: &Tree, features: &Features) -> usize {
        let mut at = tree.root();
        loop {
            match at {
                Next::Leaf(leaf) => return usize::from(leaf),
                Next::Fork(fork) => {
                    let (feature, threshold, next) = tree.fork(fork);
                    at = next[usize::from(features[usize::from(feature)] > threshold)];
                }
            }
        }
    }

    fn examples(seed: u32, count: usize) -> Vec<Example> {
        let mut state = seed | 1;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state
        };
        let example = |_| {
            let features: Features = std::array::from_fn(|_| (random() % 7) as i16);
            let noise = random() % 4 / 3;
            let token = (features[2] + if features[9] > 4 { 9 } else { 0 }) as u8 + noise as u8;
            Example { features, token }
        };
        (0..count).map(example).collect()
    }

    #[test]
    fn it_finds_what_the_token_depends_on() {
        let examples = examples(7, 4_000);
        let tree = Tree::grow(&examples, 30, &|| false);
        assert!((8..30).contains(&tree.leaves()), "{} leaves", tree.leaves());
        assert!(tree.forks.iter().all(|fork| [2, 9].contains(&fork.feature)));
    }

    proptest! {
        #[test]
        fn a_tree_reads_back(seed in any::<u32>(), count in 0usize..2_000, least in 3u64..60) {
            let examples = examples(seed, count);
            let tree = Tree::grow(&examples, least, &|| false);
            let mut bytes = Vec::new();
            let order = tree.write(&mut bytes);
            bytes.push(77);
            let mut rest = &bytes[..];
            let read = Tree::read(&mut rest).unwrap();
            prop_assert_eq!(rest, &[77]);
            prop_assert_eq!(read.leaves(), tree.leaves());
            for example in &examples {
                let found = leaf(&tree, &example.features);
                prop_assert_eq!(order[leaf(&read, &example.features)], found);
                prop_assert_eq!(Walker::new(&tree, 6).leaf(&example.features), found);
            }
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            if let Ok(tree) = Tree::read(&mut &bytes[..]) {
                prop_assert!(leaf(&tree, &[0; FEATURE_ROOM]) < tree.leaves());
                prop_assert!(Walker::new(&tree, 9).leaf(&[0; FEATURE_ROOM]) < tree.leaves());
            }
        }
    }
}
