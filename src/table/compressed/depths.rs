//! Depths as tokens, to be read beside the values they belong to.
//!
//! The depth of a position of value 0 is 0 and takes no token. Any other depth up to 254 is its
//! own token; a greater one takes three: 255, and then its lower and its higher byte, each after
//! features that are all 0.

use std::convert::Infallible;

use super::Corrupt;
use super::coder::{Alphabet, Decoder, Source};
use super::features::{CAPTURES, FEATURE_ROOM, Features, Neighbours, walk};
use super::tiles::Tile;

/// The token of depths that are no token.
const LONG: u8 = u8::MAX;

/// What is known of a position: value and depth.
#[derive(Clone, Copy)]
struct Cell {
    value: i8,
    depth: u16,
}

/// Where there is no neighbour.
const START: Cell = Cell { value: 0, depth: 0 };

/// The tokens and features of the depths of `stones` stones.
pub(super) fn alphabet(stones: u32) -> Alphabet {
    Alphabet { first: 2 * stones as u16, most: LONG, fork_bits: 640, fork_bits_seen: 100 }
}

/// The greatest depth that a feature says.
const DEEP: u16 = 1_000;

/// Fills in the features that are of value and neighbours:
///
/// | | |
/// |---|---|
/// | 0 | the value + n |
/// | 1 | the depth of the first neighbour of the same value |
/// | 2, 3 | the least and the greatest depth of the neighbours of the same value |
/// | 4 | the depth of the first neighbour of the same value whose depth is not that of feature 1 |
/// | 5 | the most stones a move captures, less the value |
/// | 6, 7 | the depths of left and up, whatever their values |
/// | 8 | the value of up, less the value |
///
/// Neighbours are looked at in the order left, up, the four with a stone moved, the corner, three
/// up. Depths beyond 1,000 count as 1,000; features without a neighbour are −1.
#[inline(always)]
fn describe(stones: u32, value: i8, around: &Neighbours<Cell>, features: &mut Features) {
    let Neighbours { left, up, corner, three_up, moved: [a, b, c, d] } = *around;
    let feature = |cell: Cell| cell.depth.min(DEEP) as i16;
    let (mut first, mut second, mut least, mut most) = (-1, -1, -1, -1);
    for cell in [left, up, a, b, c, d, corner, three_up] {
        if cell.value == value {
            let depth = feature(cell);
            if first < 0 {
                (first, least) = (depth, depth);
            } else if second < 0 && depth != first {
                second = depth;
            }
            least = least.min(depth);
            most = most.max(depth);
        }
    }
    features[0] = i16::from(value) + stones as i16;
    features[1] = first;
    features[2] = least;
    features[3] = most;
    features[4] = second;
    features[5] = features[CAPTURES] - i16::from(value);
    features[6] = feature(left);
    features[7] = feature(up);
    features[8] = i16::from(up.value) - i16::from(value);
}

/// All depths of one table, in the order of [`crate::index::Index`], and the values they belong
/// to.
pub struct Depths<'a> {
    stones: u32,
    values: &'a [i8],
    depths: &'a [u16],
}

impl<'a> Depths<'a> {
    /// The depths of `stones` stones: as many as positions, and as values.
    pub fn new(stones: u32, values: &'a [i8], depths: &'a [u16]) -> Depths<'a> {
        assert_eq!(values.len(), depths.len(), "a value for each depth");
        Depths { stones, values, depths }
    }
}

impl Source for Depths<'_> {
    fn stones(&self) -> u32 {
        self.stones
    }

    fn numbers(&self) -> usize {
        self.depths.len()
    }

    fn alphabet(&self) -> Alphabet {
        alphabet(self.stones)
    }

    fn visit(&self, tile: &Tile, mut seen: impl FnMut(&Features, u8)) {
        let walked = walk::<_, Infallible>(tile, START, |here, around, features| {
            let place = here.place as usize;
            let (value, depth) = (self.values[place], self.depths[place]);
            if value != 0 {
                describe(self.stones, value, around, features);
                match u8::try_from(depth) {
                    Ok(token) if token < LONG => seen(features, token),
                    _ => {
                        seen(features, LONG);
                        let [low, high] = depth.to_le_bytes();
                        seen(&[0; FEATURE_ROOM], low);
                        seen(&[0; FEATURE_ROOM], high);
                    }
                }
            }
            Ok(Cell { value, depth })
        });
        let Ok(_) = walked;
    }
}
impl Decoder {
    /// A decoder of the depths of `stones` stones under this model.
    ///
    /// # Errors
    /// If the bytes are not a model.
    pub fn of_depths(stones: u32, model: &[u8]) -> Result<Decoder, Corrupt> {
        Decoder::new(stones, &alphabet(stones), model)
    }

    /// The depths of a tile, of which `block` is the whole block and `values` are the values.
    /// Those of positions that are not stored mean nothing.
    ///
    /// # Errors
    /// If the block is damaged. Damage is not always found; that is left to a checksum.
    ///
    /// # Panics
    /// If there is no such tile, or it has more positions than there are values.
    pub fn depths(&self, tile: u64, values: &[i8], block: &[u8]) -> Result<Vec<u16>, Corrupt> {
        let stones = self.stones();
        let cells = self.decode(tile, block, |tile, tokens| {
            walk(tile, START, |here, around, features| {
                let value = values[here.inside];
                if value == 0 {
                    return Ok(START);
                }
                describe(stones, value, around, features);
                let mut depth = u16::from(tokens.next(features)?);
                if depth == u16::from(LONG) {
                    let bytes = [tokens.next(&[0; FEATURE_ROOM])?, tokens.next(&[0; FEATURE_ROOM])?];
                    depth = u16::from_le_bytes(bytes);
                    if depth < u16::from(LONG) {
                        return Err(Corrupt);
                    }
                }
                Ok(Cell { value, depth })
            })
        })?;
        Ok(cells.into_iter().map(|cell| cell.depth).collect())
    }
}
