//! What the model may look at before it says how likely each token is: the neighbours that were
//! decoded before, and the board itself.

use crate::board::PITS;
use crate::half::{self, Half};

use super::captures::{OVERS, captured, overs};
use super::tiles::{TILE_COLUMNS, TILE_POSITIONS, Tile};

/// Room for the features: a power of two, so that any number is cheaply brought into range.
pub(super) const FEATURE_ROOM: usize = 32;

/// The features of a position, in a fixed order. Those of the board are the same whatever is
/// stored.
///
/// | | |
/// |---|---|
/// | 0–8 | of the neighbours: `values.rs` and `depths.rs` say what |
/// | 9 | the most stones a move captures |
/// | 10 | the stones all moves capture, added up |
/// | 11 | the most stones the other player would capture if it were his turn |
/// | 12 | stones on the waiting side |
/// | 13, 14 | the waiting player's first pit and his last |
/// | 15 | moves: the mover's pits that are not empty |
/// | 16–21 | the mover's pits |
pub(super) type Features = [i16; FEATURE_ROOM];

/// Where the features of the board begin.
pub(super) const CAPTURES: usize = 9;
const WAITING: usize = 12;
const MOVER: usize = 15;

/// How many features a position has.
pub(super) const FEATURES: usize = 22;

/// What was decoded around a position. Neighbours that are outside the tile are those one row up
/// or one to the left, whichever there is, or the start.
pub(super) struct Neighbours<T> {
    /// The column before.
    pub left: T,
    /// The row before.
    pub up: T,
    /// Both.
    pub corner: T,
    /// Three rows before, or as many as there are.
    pub three_up: T,
    /// The column, and the row, with a stone moved from the fourth pit to the fifth; and the same
    /// with a stone moved from the third pit to the fourth.
    pub moved: [T; 4],
}

/// Where a position is.
#[derive(Clone, Copy)]
pub(super) struct Here {
    /// Its place in the table.
    pub place: u64,
    /// Its place in the tile.
    pub inside: usize,
}

/// One column of a tile.
struct Column {
    half: Half,
    overs: [u8; PITS],
    /// The features of the mover: how many moves, and the pits.
    mover: [i16; FEATURES - MOVER],
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

/// Goes through the stored positions of a tile in their order. `next` is given where each is,
/// its neighbours, and the features with those of the board filled in; it says what is there.
/// Returns that, row after row; what it says of positions that are not stored means nothing.
pub(super) fn walk<T: Copy, E>(
    tile: &Tile,
    start: T,
    mut next: impl FnMut(Here, &Neighbours<T>, &mut Features) -> Result<T, E>,
) -> Result<Vec<T>, E> {
    let width = tile.width();
    let columns: Vec<Column> = columns(tile);
    let mut threats =
        Threats { columns: &columns, known: [false; OVERS], most: vec![[0; TILE_COLUMNS]; OVERS] };
    let mut cells = vec![start; tile.positions()];
    debug_assert!(cells.len() <= TILE_POSITIONS);
    let mut features: Features = [0; FEATURE_ROOM];
    features[WAITING] = tile.waiting as i16;
    for (line, row) in tile.rows.clone().enumerate() {
        let waiting = half::open_unrank(tile.waiting, row);
        let stored = tile.stored(waiting);
        let (above, here) = cells.split_at_mut(line * width);
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
            let moved = std::array::from_fn(|i| {
                let k = i / 2;
                if i % 2 == 0 {
                    let back = usize::from(column.back[k]);
                    if back > 0 { here[at - back] } else { l }
                } else {
                    moved_up[k].map_or(u, |row| row[at])
                }
            });
            let neighbours = Neighbours {
                left: l,
                up: u,
                corner: if at > 0 { one_up.map_or(u, |row| row[at - 1]) } else { u },
                three_up: three_up.map_or(u, |row| row[at]),
                moved,
            };
            let (mut most, mut all) = (0, 0);
            for over in column.overs {
                let taken = taken[usize::from(over)];
                most = most.max(taken);
                all += taken;
            }
            features[CAPTURES] = i16::from(most);
            features[CAPTURES + 1] = i16::from(all);
            features[CAPTURES + 2] = i16::from(threat[at]);
            features[MOVER..FEATURES].copy_from_slice(&column.mover);
            let place = Here { place: tile.place(row) + at as u64, inside: line * width + at };
            here[at] = next(place, &neighbours, &mut features)?;
        }
    }
    Ok(cells)
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
            let mut mover = [half.iter().filter(|&&pit| pit > 0).count() as i16; FEATURES - MOVER];
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
