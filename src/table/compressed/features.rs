//! What the model may look at before it says how likely each token is: the neighbours that were
//! decoded before, and the board itself.

use crate::board::PITS;
use crate::half::{self, Half};

use super::captures::{OVERS, captured, overs};
use super::tiles::{TILE_COLUMNS, TILE_POSITIONS, Tile};

/// How many features a position has.
pub(super) const FEATURES: usize = 22;

/// Room for the features: a power of two, so that any number is cheaply brought into range.
pub(super) const FEATURE_ROOM: usize = 32;

/// The features of a position, in a fixed order:
///
/// | | |
/// |---|---|
/// | 0 | left + up |
/// | 1, 2 | the lesser and the greater of left and up |
/// | 3 | left + up − the one up and left |
/// | 4 | the one three rows up |
/// | 5, 6 | the column, and the row, with a stone moved from the fourth pit to the fifth |
/// | 7, 8 | the column, and the row, with a stone moved from the third pit to the fourth |
/// | 9 | the most stones a move captures |
/// | 10 | the stones all moves capture, added up |
/// | 11 | the most stones the other player would capture if it were his turn |
/// | 12 | stones on the waiting side |
/// | 13, 14 | the waiting player's first pit and his last |
/// | 15 | moves: the mover's pits that are not empty |
/// | 16–21 | the mover's pits |
pub(super) type Features = [i16; FEATURE_ROOM];

/// Where the features of the board begin; those before are of neighbours.
const CAPTURES: usize = 9;
const WAITING: usize = 12;
const MOVER: usize = 15;

/// One column of a tile.
struct Column {
    half: Half,
    overs: [u8; PITS],
    /// The features of the mover: how many moves, and the pits.
    mover: [i16; 8],
    /// Columns back to that of the neighbours 5 and 7; 0 if it is outside the tile.
    back: [u8; 2],
}

/// The pits that neighbours 5–8 have moved a stone from, to the next.
const MOVED: [usize; 2] = [3, 2];

/// The half-board with a stone moved from `pit` to the next.
fn moved(mut half: Half, pit: usize) -> Option<Half> {
    half[pit] = half[pit].checked_sub(1)?;
    half[pit + 1] += 1;
    Some(half)
}

/// Goes through the stored positions of a tile in their order. `next` is given the place and the
/// features of each, and says its token. Returns the tokens, row after row; those of positions
/// that are not stored mean nothing.
pub(super) fn walk<E>(
    tile: &Tile,
    start: u8,
    mut next: impl FnMut(u64, &Features) -> Result<u8, E>,
) -> Result<Vec<u8>, E> {
    let width = tile.width();
    let columns: Vec<Column> = columns(tile);
    let mut threats =
        Threats { columns: &columns, known: [false; OVERS], most: vec![[0; TILE_COLUMNS]; OVERS] };
    let mut tokens = vec![start; tile.positions()];
    debug_assert!(tokens.len() <= TILE_POSITIONS);
    let mut features: Features = [0; FEATURE_ROOM];
    features[WAITING] = tile.waiting as i16;
    for (line, row) in tile.rows.clone().enumerate() {
        let waiting = half::open_unrank(tile.waiting, row);
        let stored = tile.stored(waiting);
        let (above, here) = tokens.split_at_mut(line * width);
        let here = &mut here[..width];
        // Neighbours that are not there are those one row up, or the start.
        if line > 0 {
            here.copy_from_slice(&above[(line - 1) * width..]);
        }
        if stored.is_empty() {
            continue;
        }
        features[WAITING + 1] = i16::from(waiting[0]);
        features[WAITING + 2] = i16::from(waiting[PITS - 1]);
        let taken: [u8; OVERS] = std::array::from_fn(|over| captured(over, waiting));
        let threat = threats.of(overs(waiting));
        let up = |rows: usize| {
            if rows <= line && rows > 0 { Some(&above[(line - rows) * width..][..width]) } else { None }
        };
        let one_up = up(1);
        let three_up = up(3.min(line));
        let moved_up = MOVED.map(|pit| {
            let before = half::open_rank(moved(waiting, pit)?)?;
            up(row - before)
        });
        for at in stored {
            let column = &columns[at];
            let left = if at > 0 { Some(here[at - 1]) } else { None };
            let above = one_up.map(|row| row[at]);
            let l = left.or(above).unwrap_or(start);
            let u = above.unwrap_or(l);
            let corner = if at > 0 { one_up.map_or(u, |row| row[at - 1]) } else { u };
            features[0] = i16::from(l) + i16::from(u);
            features[1] = i16::from(l.min(u));
            features[2] = i16::from(l.max(u));
            features[3] = features[0] - i16::from(corner);
            features[4] = i16::from(three_up.map_or(u, |row| row[at]));
            for k in 0..2 {
                let back = usize::from(column.back[k]);
                features[5 + 2 * k] = i16::from(if back > 0 { here[at - back] } else { l });
                features[6 + 2 * k] = i16::from(moved_up[k].map_or(u, |row| row[at]));
            }
            let (mut most, mut all) = (0, 0);
            for over in column.overs {
                let taken = taken[usize::from(over)];
                most = most.max(taken);
                all += taken;
            }
            features[CAPTURES] = i16::from(most);
            features[CAPTURES + 1] = i16::from(all);
            features[CAPTURES + 2] = i16::from(threat[at]);
            features[MOVER..MOVER + 8].copy_from_slice(&column.mover);
            here[at] = next(tile.place(row) + at as u64, &features)?;
        }
    }
    Ok(tokens)
}

fn columns(tile: &Tile) -> Vec<Column> {
    tile.columns
        .clone()
        .enumerate()
        .map(|(at, rank)| {
            let half = half::unrank(tile.own, rank);
            let back = MOVED.map(|pit| {
                let back = moved(half, pit).map_or(0, |half| rank - half::rank(half));
                if back <= at { back as u8 } else { 0 }
            });
            let mut mover = [half.iter().filter(|&&pit| pit > 0).count() as i16; 8];
            mover[1..1 + PITS].copy_from_slice(&half.map(i16::from));
            Column { half, overs: overs(half), mover, back }
        })
        .collect()
}

/// What the waiting player would capture from each column, found once for each number of stones
/// that go over.
struct Threats<'a> {
    columns: &'a [Column],
    known: [bool; OVERS],
    most: Vec<[u8; TILE_COLUMNS]>,
}

impl Threats<'_> {
    fn of(&mut self, overs: [u8; PITS]) -> [u8; TILE_COLUMNS] {
        let mut threat = [0; TILE_COLUMNS];
        for over in overs {
            let over = usize::from(over);
            if !std::mem::replace(&mut self.known[over], true) {
                for (most, column) in self.most[over].iter_mut().zip(self.columns) {
                    *most = captured(over, column.half);
                }
            }
            for (threat, &taken) in threat.iter_mut().zip(&self.most[over]) {
                *threat = (*threat).max(taken);
            }
        }
        threat
    }
}
