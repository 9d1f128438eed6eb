//! Values as numbers of equal width, ⌈log2(distinct values)⌉ bits each.
//!
//! The values that occur are numbered in ascending order from 0: these numbers are their codes.
//! The code of the value at place `p` is bits `p·b..(p+1)·b` of the data, where bit `i` is bit
//! `i % 8` (the least significant first) of byte `i / 8`. Eight codes fill `b` bytes exactly, and
//! an unaligned load of eight bytes holds any eight codes (`b` ≤ 7: at most 7 + 56 bits), so one
//! load reads a value, and one load reads eight in a row wherever they start. The data end with
//! [`PADDING`] zero bytes to load over.

use super::counts::{Counts, VALUES};
use crate::board::MAX_STONES;

/// Zero bytes after the data, for the loads of the last values.
pub(super) const PADDING: usize = 8;

/// Values packed by one load.
const GROUP: usize = 8;

/// The codes of the values of one table.
#[derive(Debug)]
pub(super) struct Packing {
    bits: u32,
    /// The code of each value, from −48; unused for values that do not occur.
    codes: [u8; VALUES],
    /// The two values of each pair of codes, the first code in the lower bits: a bulk read looks
    /// up two at a time.
    pairs: Vec<[i8; 2]>,
}

/// Bits for each of `distinct` different values.
pub(super) fn width(distinct: usize) -> u32 {
    distinct.next_power_of_two().trailing_zeros()
}

/// Bytes that `values` codes of `bits` bits fill, without padding.
pub(super) fn packed_bytes(values: u64, bits: u32) -> u64 {
    // Eight values at a time: no product here can overflow.
    values / 8 * u64::from(bits) + (values % 8 * u64::from(bits)).div_ceil(8)
}

impl Packing {
    /// The packing of the values that occur.
    pub(super) fn new(counts: &Counts) -> Packing {
        let mut codes = [0; VALUES];
        let mut values = Vec::new();
        for (value, _) in counts.iter() {
            codes[(i32::from(value) + MAX_STONES as i32) as usize] = values.len() as u8;
            values.push(value);
        }
        let bits = width(values.len());
        // Codes past the last value are in no intact file.
        values.resize(1 << bits, 0);
        let pairs = values.iter().flat_map(|&second| values.iter().map(move |&first| [first, second]));
        Packing { bits, codes, pairs: pairs.collect() }
    }

    /// Packs values that start at a multiple of eight into `packed_bytes(values, bits)` bytes.
    pub(super) fn encode(&self, values: &[i8], packed: &mut [u8]) {
        let bits = self.bits as usize;
        if bits == 0 {
            return;
        }
        for (group, bytes) in values.chunks(GROUP).zip(packed.chunks_mut(bits)) {
            let mut word = 0u64;
            for (i, &value) in group.iter().enumerate() {
                let code = self.codes[(i32::from(value) + MAX_STONES as i32) as usize];
                word |= u64::from(code) << (i * bits);
            }
            bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
        }
    }

    /// The value at `place` of `data`, which ends with its padding.
    #[inline]
    pub(super) fn value(&self, data: &[u8], place: u64) -> i8 {
        let bit = place * u64::from(self.bits);
        let code = load(&data[(bit / 8) as usize..]) >> (bit % 8) & ((1 << self.bits) - 1);
        // The first of the pair (code, 0).
        self.pairs[code as usize][0]
    }

    /// Unpacks the values of `data`, which ends with its padding, from `place` on.
    #[inline]
    pub(super) fn decode(&self, data: &[u8], place: u64, values: &mut [i8]) {
        // With the width known, the shifts are constants and the loop is unrolled.
        match self.bits {
            0 => values.fill(self.pairs[0][0]),
            1 => self.decode_width::<1>(data, place, values),
            2 => self.decode_width::<2>(data, place, values),
            3 => self.decode_width::<3>(data, place, values),
            4 => self.decode_width::<4>(data, place, values),
            5 => self.decode_width::<5>(data, place, values),
            6 => self.decode_width::<6>(data, place, values),
            _ => self.decode_width::<7>(data, place, values),
        }
    }

    fn decode_width<const BITS: usize>(&self, data: &[u8], place: u64, values: &mut [i8]) {
        let bit = place * BITS as u64;
        let (data, shift) = (&data[(bit / 8) as usize..], bit % 8);
        // Told that the table has a pair for every masked number, the compiler drops the checks.
        let pairs = &self.pairs[..1 << (2 * BITS)];
        let (groups, rest) = values.as_chunks_mut::<GROUP>();
        let mut at = 0;
        for group in groups {
            let word = load(&data[at..]) >> shift;
            for (i, two) in group.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                *two = pairs[(word >> (2 * i * BITS)) as usize & ((1 << (2 * BITS)) - 1)];
            }
            at += BITS;
        }
        if !rest.is_empty() {
            let mut word = load(&data[at..]) >> shift;
            for value in rest {
                *value = pairs[word as usize & ((1 << BITS) - 1)][0];
                word >>= BITS;
            }
        }
    }
}

/// The first eight bytes, as a little-endian number.
#[inline]
fn load(data: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&data[..8]);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packed(values: &[i8]) -> (Packing, Vec<u8>) {
        let packing = Packing::new(&values.iter().copied().collect());
        let bytes = packed_bytes(values.len() as u64, packing.bits) as usize;
        let mut data = vec![0; bytes + PADDING];
        packing.encode(values, &mut data[..bytes]);
        (packing, data)
    }

    #[test]
    fn widths() {
        let widths = [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (31, 5), (32, 5), (33, 6), (97, 7)];
        for (distinct, bits) in widths {
            assert_eq!(width(distinct), bits, "{distinct} distinct values");
        }
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(
            spread in 0i8..=48,
            raw in prop::collection::vec(any::<i8>(), 1..600),
            from in any::<prop::sample::Index>(),
            to in any::<prop::sample::Index>(),
        ) {
            let values: Vec<i8> =
                raw.iter().map(|v| (i32::from(*v) % (i32::from(spread) + 1)) as i8).collect();
            let (packing, data) = packed(&values);
            for (place, &value) in values.iter().enumerate() {
                prop_assert_eq!(packing.value(&data, place as u64), value);
            }
            let (a, b) = (from.index(values.len()), to.index(values.len()));
            let range = a.min(b)..a.max(b) + 1;
            let mut read = vec![99; range.len()];
            packing.decode(&data, range.start as u64, &mut read);
            prop_assert_eq!(&read, &values[range]);
        }
    }
}
