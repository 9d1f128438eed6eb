//! How likely each token is in each context: the part of a compressed table that all blocks share.

use wide::i16x16;

use super::Corrupt;
use super::coder::Alphabet;
use super::features::Features;
use super::rans::{Decoder, SCALE, Slots};
use super::tree::Tree;
use super::walker::Walker;

/// Different tokens, at most.
pub(super) const TOKENS: usize = 256;

/// How often each token occurs in each context.
pub(super) type Counts = Vec<[u64; TOKENS]>;

/// Contexts, and in each the frequency of every token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Model {
    tree: Tree,
    walker: Walker,
    contexts: Vec<Context>,
    /// The groups of all contexts, those of one together.
    groups: Vec<Group>,
}

/// The tokens of one context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Context {
    /// Its first group.
    group: u32,
    /// Groups after the first.
    more: u32,
}

/// Tokens found with one comparison.
const LANES: usize = 16;

/// Up to sixteen tokens, the likely ones of a context in its first group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(32))]
struct Group {
    /// First slots, ascending, also from group to group. Lanes without a token have one that is
    /// never reached.
    starts: [i16; LANES],
    frequencies: [u16; LANES],
    tokens: [u8; LANES],
}

/// No slot is so high.
const UNREACHED: i16 = i16::MAX;

impl Model {
    /// The model of a tree, from what occurs in its contexts.
    pub(super) fn new(tree: Tree, counts: &Counts, alphabet: &Alphabet) -> Model {
        let frequencies: Vec<_> = counts.iter().map(scaled).collect();
        Model::from_frequencies(tree, &frequencies, alphabet)
    }

    fn from_frequencies(tree: Tree, frequencies: &[[u16; TOKENS]], alphabet: &Alphabet) -> Model {
        let (mut contexts, mut groups) = (Vec::new(), Vec::new());
        for frequencies in frequencies {
            let mut tokens: Vec<u8> =
                (0..=u8::MAX).filter(|&token| frequencies[usize::from(token)] > 0).collect();
            // The likely ones first; of equals the lesser.
            tokens.sort_by_key(|&token| std::cmp::Reverse(frequencies[usize::from(token)]));
            let mut start = 0;
            let group = groups.len() as u32;
            for tokens in tokens.chunks(LANES) {
                let mut group =
                    Group { starts: [UNREACHED; LANES], frequencies: [0; LANES], tokens: [0; LANES] };
                for (lane, &token) in tokens.iter().enumerate() {
                    let frequency = frequencies[usize::from(token)];
                    (group.starts[lane], group.frequencies[lane], group.tokens[lane]) =
                        (start, frequency, token);
                    start += frequency as i16;
                }
                groups.push(group);
            }
            contexts.push(Context { group, more: groups.len() as u32 - group - 1 });
        }
        let walker = Walker::new(&tree, alphabet.first);
        Model { tree, walker, contexts, groups }
    }

    /// Reads the next token of a position with these features.
    #[inline(always)]
    pub(super) fn decode(&self, features: &Features, decoder: &mut Decoder<'_>) -> u8 {
        let Context { group, mut more } = self.contexts[self.walker.leaf(features)];
        let slot = decoder.slot() as i16;
        let mut group = group as usize;
        while more > 0 && self.groups[group + 1].starts[0] <= slot {
            group += 1;
            more -= 1;
        }
        let group = &self.groups[group];
        let reached = i16x16::new(group.starts).simd_le(i16x16::splat(slot)).to_bitmask();
        // Slot 0 is always reached, so there is one at least.
        let lane = (reached.trailing_ones() as usize).wrapping_sub(1) % LANES;
        decoder.advance(Slots { start: group.starts[lane] as u16, frequency: group.frequencies[lane] });
        group.tokens[lane]
    }

    /// The slots of every token in every context: those of `token` in context `leaf` are at
    /// `leaf · 256 + token`.
    pub(super) fn slots(&self) -> Vec<Slots> {
        let mut slots = vec![Slots { start: 0, frequency: 0 }; self.contexts.len() * TOKENS];
        for (leaf, context) in self.contexts.iter().enumerate() {
            for group in &self.groups[context.group as usize..][..context.more as usize + 1] {
                for lane in (0..LANES).filter(|&lane| group.starts[lane] != UNREACHED) {
                    slots[leaf * TOKENS + usize::from(group.tokens[lane])] =
                        Slots { start: group.starts[lane] as u16, frequency: group.frequencies[lane] };
                }
            }
        }
        slots
    }

    /// The model as bytes: the tree, then for each context its least token, how many follow it up
    /// to the greatest, and the frequency of each of them, in seven bits a byte, the lowest first,
    /// all but the last byte with the highest bit set.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let order = self.tree.write(&mut bytes);
        let slots = self.slots();
        for leaf in order {
            let of_leaf = &slots[leaf * TOKENS..][..TOKENS];
            let occurs = |slots: &Slots| slots.frequency > 0;
            let low = of_leaf.iter().position(occurs).unwrap_or(0);
            let high = of_leaf.iter().rposition(occurs).unwrap_or(0);
            bytes.extend([low as u8, (high - low) as u8]);
            for slots in &of_leaf[low..=high] {
                let mut left = slots.frequency;
                while left > 127 {
                    bytes.push(left as u8 | 128);
                    left >>= 7;
                }
                bytes.push(left as u8);
            }
        }
        bytes
    }

    /// Reads a model.
    pub(super) fn read(mut bytes: &[u8], alphabet: &Alphabet) -> Result<Model, Corrupt> {
        let tree = Tree::read(&mut bytes)?;
        let mut frequencies = vec![[0; TOKENS]; tree.leaves()];
        for frequencies in &mut frequencies {
            let ([low, more], rest) = bytes.split_first_chunk().ok_or(Corrupt)?;
            bytes = rest;
            let high = low.checked_add(*more).filter(|&high| high <= alphabet.most).ok_or(Corrupt)?;
            let mut total = 0;
            for frequency in &mut frequencies[usize::from(*low)..=usize::from(high)] {
                *frequency = varint(&mut bytes)?;
                total += u32::from(*frequency);
            }
            if total != SCALE {
                return Err(Corrupt);
            }
        }
        if bytes.is_empty() {
            Ok(Model::from_frequencies(tree, &frequencies, alphabet))
        } else {
            Err(Corrupt)
        }
    }
}

/// A number of at most fifteen bits, and goes past it.
fn varint(bytes: &mut &[u8]) -> Result<u16, Corrupt> {
    let mut number = 0;
    for shift in [0, 7, 14] {
        let (&byte, rest) = bytes.split_first().ok_or(Corrupt)?;
        *bytes = rest;
        number |= u32::from(byte & 127) << shift;
        if byte < 128 {
            return if number <= SCALE { Ok(number as u16) } else { Err(Corrupt) };
        }
    }
    Err(Corrupt)
}

/// Counts scaled to sum up to [`SCALE`]; what occurs keeps at least 1. If nothing occurs, the
/// first token is certain.
fn scaled(counts: &[u64; TOKENS]) -> [u16; TOKENS] {
    let mut scaled = [0; TOKENS];
    let total: u64 = counts.iter().sum();
    if total == 0 {
        scaled[0] = SCALE as u16;
        return scaled;
    }
    for (scaled, &count) in scaled.iter_mut().zip(counts) {
        let exact = (u128::from(count) * u128::from(SCALE) / u128::from(total)) as u16;
        *scaled = if count > 0 { exact.max(1) } else { 0 };
    }
    // What rounding took or gave is settled with the likeliest.
    let mut sum: i32 = scaled.iter().map(|&frequency| i32::from(frequency)).sum();
    while sum != SCALE as i32 {
        let Some(greatest) = scaled.iter_mut().rev().max_by_key(|frequency| **frequency) else { break };
        // 256 tokens share 2^14 slots, so the greatest has 64 or more.
        let change = (SCALE as i32 - sum).max(1 - i32::from(*greatest / 2));
        *greatest = (i32::from(*greatest) + change) as u16;
        sum += change;
    }
    scaled
}

#[cfg(test)]
mod tests {
    use super::super::features::FEATURE_ROOM;
    use super::super::rans;
    use super::super::tree::Example;
    use super::*;
    use proptest::prelude::*;

    const ANY: Alphabet =
        Alphabet { first: 2 * u8::MAX as u16, most: u8::MAX, fork_bits: 0, fork_bits_seen: 0 };
    const UP_TO_96: Alphabet = Alphabet { most: 96, ..ANY };

    fn model(tokens: &[(i16, u8)]) -> Model {
        let example = |&(feature, token): &(i16, u8)| {
            let mut features = [0; FEATURE_ROOM];
            features[0] = feature;
            Example { features, token }
        };
        let examples: Vec<Example> = tokens.iter().map(example).collect();
        let tree = Tree::grow(&examples, 20, &|| false);
        let walker = Walker::new(&tree, 9);
        let mut counts = vec![[0; TOKENS]; tree.leaves()];
        for example in &examples {
            counts[walker.leaf(&example.features)][usize::from(example.token)] += 1;
        }
        Model::new(tree, &counts, &ANY)
    }

    proptest! {
        #[test]
        fn tokens_read_back(tokens in prop::collection::vec((0i16..5, any::<u8>()), 1..700), same in 0u8..200) {
            // Some likely, some not.
            let tokens: Vec<(i16, u8)> =
                tokens.into_iter().map(|(f, t)| (f, if t > same { same / 2 + f as u8 } else { t })).collect();
            let model = model(&tokens);
            let read = Model::read(&model.write(), &ANY).unwrap();
            prop_assert_eq!(read.write(), model.write());
            let slots = model.slots();
            let features = |feature| {
                let mut features = [0; FEATURE_ROOM];
                features[0] = feature;
                features
            };
            let symbols: Vec<Slots> = tokens
                .iter()
                .map(|&(f, token)| slots[model.walker.leaf(&features(f)) * TOKENS + usize::from(token)])
                .collect();
            let stream = rans::encode(&symbols);
            // The tree read back may number its leaves otherwise; the slots are the same.
            let mut decoder = Decoder::new(&stream).unwrap();
            for &(f, token) in &tokens {
                prop_assert_eq!(read.decode(&features(f), &mut decoder), token);
            }
            prop_assert!(decoder.finish().is_ok());
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Model::read(&bytes, &UP_TO_96);
        }

        #[test]
        fn a_damaged_model_is_refused_or_works(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let tokens: Vec<(i16, u8)> = (0..999i32).map(|i| ((i % 5) as i16, (i * i % 7 * (i % 5)) as u8)).collect();
            let mut bytes = model(&tokens).write();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if let Ok(model) = Model::read(&bytes, &UP_TO_96) {
                let mut decoder = Decoder::new(&[1, 2, 3, 4, 5, 6]).unwrap();
                for feature in 0..99 {
                    prop_assert!(model.decode(&[feature; FEATURE_ROOM], &mut decoder) <= 96);
                }
            }
        }
    }
}
