//! Reads a file `scores.N` where it is.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use memmap2::MmapMut;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::order::{rank, reversed, row, unrank};
use crate::board::Board;
use crate::half;
use crate::index::Index;
use crate::table::guard::Map;
use crate::table::map::{map, scratch};
use crate::table::reader::as_bytes;
use crate::table::{BLOCK_POSITIONS, ContentHash, Counts, TableError};

/// Positions read at a time where all are read in the order of tables.
const PIECE: u64 = 16 * BLOCK_POSITIONS;

/// The values of all positions, one byte each, in a file without a name that goes with it.
#[derive(Debug)]
pub struct ScratchValues(MmapMut);

impl Deref for ScratchValues {
    type Target = [i8];

    fn deref(&self) -> &[i8] {
        bytemuck::cast_slice(&self.0)
    }
}

/// An open file `scores.N` of rules `awari`.
///
/// It has neither header nor checksum: what can be found out about it is that it is as long as N
/// says, and that no value is more than N stones. Nobody but [`VuTable::content_hash`], compared
/// with one that is known, tells a right file from one with changed bytes.
///
/// The file is mapped like a [`crate::table::Table`], and the same holds for changes to it. No
/// method needs memory for each position.
///
/// ```
/// use awari::table::vu::{self, VuTable};
/// # let dir = tempfile::tempdir()?;
/// let path = vu::path(dir.path(), 1);
/// vu::write(&path, 1, &[-1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1])?;
/// let table = VuTable::open(&path, 1)?;
/// let board = awari::Board::new([0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])?;
/// assert_eq!(table.value(&board)?, Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct VuTable {
    path: PathBuf,
    /// None for the one board without stones, whose file nobody publishes.
    map: Option<Map>,
    index: Index,
    counts: OnceLock<Counts>,
    content_hash: OnceLock<ContentHash>,
    /// A place whose byte was a value when they were counted and was none later, and that byte.
    overwritten: OnceLock<(u64, i8)>,
}

impl VuTable {
    /// Opens the file of `stones` stones (0..=48) and checks its length.
    ///
    /// # Errors
    /// If there is no such file, it is too short or too long, or the system refuses.
    ///
    /// # Panics
    /// If `stones` is over 48.
    pub fn open(path: impl AsRef<Path>, stones: u32) -> Result<VuTable, TableError> {
        let path = path.as_ref();
        let mut table = VuTable::without_file(path, stones);
        let map = map(path)?;
        let (expected, found) = (table.index.positions(), map.len() as u64);
        if expected != found {
            return Err(TableError::WrongLength { path: path.to_owned(), expected, found });
        }
        table.map = Some(map);
        Ok(table)
    }

    /// The table of no stones, for a directory that begins with `scores.1`.
    pub(crate) fn of_no_stones(path: &Path) -> VuTable {
        VuTable::without_file(path, 0)
    }

    fn without_file(path: &Path, stones: u32) -> VuTable {
        VuTable {
            path: path.to_owned(),
            map: None,
            index: Index::new(stones),
            counts: OnceLock::new(),
            content_hash: OnceLock::new(),
            overwritten: OnceLock::new(),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The places of the positions in the order of tables.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Whether there is a file, as there must be for every number of stones but 0.
    pub(crate) fn has_file(&self) -> bool {
        self.map.is_some()
    }

    fn bytes(&self) -> &[u8] {
        self.map.as_ref().map_or(&[0], |map| &map[..])
    }

    /// The value of a board; None if it is in no table, because it has another number of stones or
    /// its waiting side has no empty pit.
    ///
    /// # Errors
    /// If the byte of this board is no value.
    pub fn value(&self, board: &Board) -> Result<Option<i8>, TableError> {
        if board.stones() != self.index.stones() {
            return Ok(None);
        }
        let value = rank(board).map(|place| self.at(place)).transpose();
        self.check_unchanged()?;
        value
    }

    /// Reads the values of the positions at `place..place + values.len()` in the order of tables.
    ///
    /// # Errors
    /// If a byte of these positions is no value; `values` may then hold anything.
    ///
    /// # Panics
    /// If the last place is not below the number of positions.
    pub fn read(&self, place: u64, values: &mut [i8]) -> Result<(), TableError> {
        let read = self.read_unguarded(place, values);
        self.check_unchanged()?;
        read
    }

    /// Reads like [`VuTable::read`] after [`VuTable::counts`] found that all bytes are values;
    /// [`VuTable::check_unchanged`] tells whether that was right. Where it was not, there are zeros.
    pub(crate) fn read_counted(&self, place: u64, values: &mut [i8]) {
        if let Err(error) = self.read_unguarded(place, values) {
            values.fill(0);
            if let (TableError::NoValue { place, found, .. }, Some(map)) = (error, &self.map) {
                self.overwritten.get_or_init(|| (place, found));
                map.mark_changed();
            }
        }
    }

    fn read_unguarded(&self, place: u64, values: &mut [i8]) -> Result<(), TableError> {
        let stones = self.index.stones() as usize;
        let (mut place, mut values) = (place, values);
        while !values.is_empty() {
            let first = self.index.board(place);
            let own = half::stones(first.mover());
            let column = half::rank(first.mover());
            let start = row(stones, first.waiting()).expect("a position's waiting side has an empty pit");
            let length = values.len().min(half::count(own) - column);
            let (here, rest) = values.split_at_mut(length);
            for (value, mover) in here.iter_mut().zip(half::all_from(own, column)) {
                *value = self.at(start + half::rank(reversed(mover)) as u64)?;
            }
            (place, values) = (place + length as u64, rest);
        }
        Ok(())
    }

    /// The value at a place of the file.
    #[inline]
    fn at(&self, place: u64) -> Result<i8, TableError> {
        let value = self.bytes()[place as usize] as i8;
        if self.is_value(value) { Ok(value) } else { Err(self.no_value(place, value)) }
    }

    /// Makes sure that all that was read of the file so far was there, and was values.
    ///
    /// # Errors
    /// [`TableError::Changed`] or [`TableError::NoValue`] if not.
    #[inline]
    pub(crate) fn check_unchanged(&self) -> Result<(), TableError> {
        match &self.map {
            Some(map) if map.is_cut() => Err(self.changed()),
            _ => Ok(()),
        }
    }

    #[cold]
    fn changed(&self) -> TableError {
        match self.overwritten.get() {
            Some(&(place, found)) => self.no_value(place, found),
            None => TableError::Changed { path: self.path.clone() },
        }
    }

    fn is_value(&self, value: i8) -> bool {
        u32::from(value.unsigned_abs()) <= self.index.stones()
    }

    #[cold]
    fn no_value(&self, place: u64, found: i8) -> TableError {
        let stones = self.index.stones();
        TableError::NoValue { path: self.path.clone(), place, found, stones }
    }

    /// Counts the values: reads the whole file once, from start to end, on the threads of the
    /// current rayon pool. The answer is kept.
    ///
    /// # Errors
    /// The first byte that is no value.
    pub fn counts(&self) -> Result<&Counts, TableError> {
        if let Some(counts) = self.counts.get() {
            return Ok(counts);
        }
        let parts = self.bytes().par_chunks(PIECE as usize);
        let wrong = |byte: &u8| !self.is_value(*byte as i8);
        if let Some(part) = parts.clone().position_first(|part| part.iter().any(wrong)) {
            let start = part * PIECE as usize;
            let place = self.bytes()[start..].iter().position(wrong).unwrap_or_default() + start;
            return Err(self.no_value(place as u64, self.bytes()[place] as i8));
        }
        let counts = parts.map(|part| part.iter().map(|&byte| byte as i8).collect::<Counts>());
        let counts = counts.reduce(Counts::default, |some, more| some.plus(&more));
        self.check_unchanged()?;
        Ok(self.counts.get_or_init(|| counts))
    }

    /// The hash of the values in the order of tables, as [`crate::table::Header::content_hash`].
    /// Reads the whole file, one number of waiting stones after the other; the answer is kept.
    ///
    /// # Errors
    /// If a byte is no value.
    pub fn content_hash(&self) -> Result<ContentHash, TableError> {
        if let Some(&hash) = self.content_hash.get() {
            return Ok(hash);
        }
        let mut hash = Sha256::new();
        self.pieces(|_, values| {
            hash.update(as_bytes(values));
            Ok(())
        })?;
        Ok(*self.content_hash.get_or_init(|| ContentHash(hash.finalize().into())))
    }

    /// Shows all values in the order of tables, a piece at a time with the place of its first.
    pub(crate) fn pieces(
        &self,
        mut show: impl FnMut(u64, &[i8]) -> Result<(), TableError> + Send,
    ) -> Result<(), TableError> {
        let positions = self.index.positions();
        let (mut shown, mut next) = (Vec::new(), Vec::new());
        let mut place = 0;
        while place < positions || !shown.is_empty() {
            next.resize(PIECE.min(positions - place) as usize, 0);
            let start = place - shown.len() as u64;
            let read = || {
                let parts = next.par_chunks_mut(BLOCK_POSITIONS as usize).enumerate();
                let read = parts.map(|(at, part)| self.read(place + at as u64 * BLOCK_POSITIONS, part));
                read.collect::<Result<(), TableError>>()
            };
            // While one thread shows a piece the others read the next.
            let (seen, read) = rayon::join(|| show(start, &shown), read);
            seen.and(read)?;
            place += next.len() as u64;
            std::mem::swap(&mut shown, &mut next);
        }
        Ok(())
    }

    /// All values in the order of tables, in a file without a name in `directory`: as many bytes of
    /// disk as positions, and hardly any memory.
    ///
    /// # Errors
    /// If a byte is no value, or the disk is too full or cannot be written.
    pub fn unpack_to_disk(&self, directory: impl AsRef<Path>) -> Result<ScratchValues, TableError> {
        let mut map = scratch(directory.as_ref(), self.index.positions())?;
        self.pieces(|place, values| {
            map[place as usize..][..values.len()].copy_from_slice(as_bytes(values));
            Ok(())
        })?;
        Ok(ScratchValues(map))
    }

    /// The board whose value is at a place of the file.
    ///
    /// # Panics
    /// If there is none.
    pub fn board(&self, place: u64) -> Board {
        assert!(place < self.index.positions(), "place {place} of {}", self.index.positions());
        unrank(self.index.stones() as usize, place)
    }
}
