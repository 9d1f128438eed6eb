//! The entropy coder: a range variant of asymmetric numeral systems (rANS), in integers only.
//!
//! A stream is a state of four bytes followed by words of two bytes, little endian. Decoding a
//! symbol of frequency f takes log2(2^14 / f) bits off the state, and refills it by one word when
//! it runs low. Encoding does the same backwards, from the last symbol to the first. A stream that
//! was not damaged ends with its last word used and the state it was begun with.

use super::Corrupt;

/// Frequencies of a model sum up to 2 to this power.
pub(super) const SCALE_BITS: u32 = 14;

/// What the frequencies of a model sum up to.
pub(super) const SCALE: u32 = 1 << SCALE_BITS;

/// The state stays at or above this.
const LEAST: u32 = 1 << 16;

/// The slots of one symbol: `start..start + frequency` of 0..[`SCALE`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slots {
    /// The first.
    pub start: u16,
    /// How many: 1..=[`SCALE`].
    pub frequency: u16,
}

/// The stream of these symbols, first to last.
pub(super) fn encode(symbols: &[Slots]) -> Vec<u8> {
    let mut words = Vec::new();
    let mut state = LEAST;
    for &Slots { start, frequency } in symbols.iter().rev() {
        let frequency = u32::from(frequency);
        if u64::from(state) >= u64::from(frequency) << (32 - SCALE_BITS) {
            words.push(state as u16);
            state >>= 16;
        }
        state = ((state / frequency) << SCALE_BITS) + state % frequency + u32::from(start);
    }
    let mut stream = state.to_le_bytes().to_vec();
    stream.extend(words.iter().rev().flat_map(|word| word.to_le_bytes()));
    stream
}

/// Reads a stream.
pub(super) struct Decoder<'a> {
    state: u32,
    words: &'a [u8],
    /// Words were asked for that are not there.
    overrun: bool,
}

impl<'a> Decoder<'a> {
    /// At the first symbol of `stream`.
    pub(super) fn new(stream: &'a [u8]) -> Result<Decoder<'a>, Corrupt> {
        let (state, words) = stream.split_first_chunk().ok_or(Corrupt)?;
        Ok(Decoder { state: u32::from_le_bytes(*state), words, overrun: false })
    }

    /// The slot of the next symbol: 0..[`SCALE`].
    #[inline(always)]
    pub(super) fn slot(&self) -> u16 {
        (self.state & (SCALE - 1)) as u16
    }

    /// Goes on to the next symbol, past one that has this slot among its own.
    #[inline(always)]
    pub(super) fn advance(&mut self, slots: Slots) {
        let into = (self.state & (SCALE - 1)) - u32::from(slots.start);
        self.state = u32::from(slots.frequency) * (self.state >> SCALE_BITS) + into;
        if self.state < LEAST {
            let word = match self.words.split_first_chunk() {
                Some((word, rest)) => {
                    self.words = rest;
                    u16::from_le_bytes(*word)
                }
                None => {
                    self.overrun = true;
                    0
                }
            };
            self.state = self.state << 16 | u32::from(word);
        }
    }

    /// Whether the stream ends here, undamaged as far as it can tell.
    pub(super) fn finish(self) -> Result<(), Corrupt> {
        let ends = !self.overrun && self.words.is_empty() && self.state == LEAST;
        if ends { Ok(()) } else { Err(Corrupt) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Symbols from frequencies that sum up to [`SCALE`].
    fn alphabet(weights: &[u16]) -> Vec<Slots> {
        let mut start = 0;
        let mut slots = Vec::new();
        for &frequency in weights {
            slots.push(Slots { start, frequency });
            start += frequency;
        }
        slots.push(Slots { start, frequency: SCALE as u16 - start });
        slots
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(
            weights in prop::collection::vec(1u16..400, 0..40),
            picks in prop::collection::vec(any::<prop::sample::Index>(), 0..300),
        ) {
            let slots = alphabet(&weights);
            let symbols: Vec<Slots> = picks.iter().map(|pick| slots[pick.index(slots.len())]).collect();
            let stream = encode(&symbols);
            let mut decoder = Decoder::new(&stream).unwrap();
            for &symbol in &symbols {
                let slot = decoder.slot();
                prop_assert!(slot >= symbol.start && slot - symbol.start < symbol.frequency);
                decoder.advance(symbol);
            }
            prop_assert!(decoder.finish().is_ok());
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(stream in prop::collection::vec(any::<u8>(), 0..60)) {
            let slots = alphabet(&[1, 16_000]);
            let Ok(mut decoder) = Decoder::new(&stream) else { return Ok(()) };
            for _ in 0..100 {
                let slot = decoder.slot();
                let symbol = slots.iter().rev().find(|symbol| symbol.start <= slot).unwrap();
                decoder.advance(*symbol);
            }
            prop_assert!(decoder.finish().is_err() || stream.len() >= 4);
        }
    }

    #[test]
    fn a_certain_symbol_costs_nothing() {
        let certain = Slots { start: 0, frequency: SCALE as u16 };
        assert_eq!(encode(&[certain; 1_000]).len(), 4);
        assert_eq!(encode(&[]).len(), 4);
    }
}
