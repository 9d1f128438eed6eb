//! The depths of a block as bytes: one a position, and a list of those too great for that.

/// The byte of a depth that is in the list, and the least such depth.
const LISTED: u8 = u8::MAX;

/// An entry of the list: place within the block and depth, two bytes each, the lower first.
pub(super) type Entry = [u8; 4];

/// Whether a depth goes into the list.
pub(super) fn is_listed(depth: u16) -> bool {
    depth >= u16::from(LISTED)
}

fn place(entry: &Entry) -> usize {
    usize::from(u16::from_le_bytes([entry[0], entry[1]]))
}

fn listed_depth(entry: &Entry) -> u16 {
    u16::from_le_bytes([entry[2], entry[3]])
}

/// Fills `bytes` from the depths of a block, and appends what does not fit to `list`.
pub(super) fn encode(depths: &[u16], bytes: &mut [u8], list: &mut Vec<Entry>) {
    for (place, (&depth, byte)) in depths.iter().zip(bytes).enumerate() {
        *byte = u8::try_from(depth).unwrap_or(LISTED);
        if is_listed(depth) {
            let ([a, b], [c, d]) = ((place as u16).to_le_bytes(), depth.to_le_bytes());
            list.push([a, b, c, d]);
        }
    }
}

/// Whether the list has each position whose byte says so, in order, and no other: then reading
/// cannot go wrong.
pub(super) fn fit(bytes: &[u8], list: &[Entry]) -> bool {
    let said = bytes.iter().enumerate().filter(|&(_, &byte)| byte == LISTED).map(|(place, _)| place);
    said.eq(list.iter().map(place)) && list.iter().all(|entry| is_listed(listed_depth(entry)))
}

/// The depth of the position at `at` of a block.
#[inline]
pub(super) fn depth(bytes: &[u8], list: &[Entry], at: usize) -> u16 {
    if bytes[at] < LISTED {
        return bytes[at].into();
    }
    let found = list.binary_search_by_key(&at, place);
    found.map_or(LISTED.into(), |found| listed_depth(&list[found]))
}

/// Reads the depths of a block from `at` on.
pub(super) fn decode(bytes: &[u8], list: &[Entry], at: usize, depths: &mut [u16]) {
    let end = at + depths.len();
    for (depth, &byte) in depths.iter_mut().zip(&bytes[at..end]) {
        *depth = byte.into();
    }
    let first = list.partition_point(|entry| place(entry) < at);
    for entry in list[first..].iter().take_while(|entry| place(entry) < end) {
        depths[place(entry) - at] = listed_depth(entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn coded(depths: &[u16]) -> (Vec<u8>, Vec<Entry>) {
        let (mut bytes, mut list) = (vec![0; depths.len()], Vec::new());
        encode(depths, &mut bytes, &mut list);
        (bytes, list)
    }

    #[test]
    fn a_list_that_does_not_fit_is_noticed() {
        let (bytes, list) = coded(&[254, 255, 0, 65_535]);
        assert_eq!(bytes, [254, 255, 0, 255]);
        assert_eq!(list, [[1, 0, 255, 0], [3, 0, 255, 255]]);
        assert!(fit(&bytes, &list));
        assert!(!fit(&bytes, &list[1..]));
        assert!(!fit(&bytes, &[list[1], list[0]]));
        assert!(!fit(&bytes, &[list[0], list[1], list[1]]));
        assert!(!fit(&bytes, &[[1, 0, 254, 0], list[1]]));
        assert!(!fit(&[254, 254, 0, 255], &list));
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(
            depths in prop::collection::vec(prop_oneof![0u16..300, any::<u16>()], 1..500),
            from in any::<prop::sample::Index>(),
            to in any::<prop::sample::Index>(),
        ) {
            let (bytes, list) = coded(&depths);
            prop_assert!(fit(&bytes, &list));
            for (at, &expected) in depths.iter().enumerate() {
                prop_assert_eq!(depth(&bytes, &list, at), expected);
            }
            let (a, b) = (from.index(depths.len()), to.index(depths.len()));
            let range = a.min(b)..a.max(b) + 1;
            let mut read = vec![7; range.len()];
            decode(&bytes, &list, range.start, &mut read);
            prop_assert_eq!(&read, &depths[range]);
        }
    }
}
