//! Values in the layout of the databases of the Vrije Universiteit Amsterdam (J. W. Romein and
//! H. E. Bal, 2002), `scores.N`, to compare files with others.
//!
//! One signed byte for each position that a table stores, and nothing else. The positions are in
//! ascending lexicographic order of (pit 11, pit 10, …, pit 0): the one with all stones in pit 0
//! comes first. They are of rules `awari`.

mod order;
mod reader;

use std::cell::Cell;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::reader::as_bytes;
use super::{ContentHash, TableError, write_whole};
use crate::board::{Board, MAX_STONES, PITS};
use crate::half::{self, Half};
use crate::index::Index;
use order::reversed;
pub use reader::{ScratchValues, VuTable};

/// Bytes gathered between two writes, about.
const BATCH: usize = 1 << 22;

/// Where the values of `stones` stones lie in a directory of such files: `scores.<stones>`.
pub fn path(directory: impl AsRef<Path>, stones: u32) -> PathBuf {
    directory.as_ref().join(format!("scores.{stones}"))
}

/// Writes the values of all positions of `stones` stones, given in the order of [`Index`], as the
/// file `path`, and returns its SHA-256. Safe like [`crate::table::write`], which see for an old
/// file of that name.
///
/// ```
/// use awari::table::vu;
/// # let dir = tempfile::tempdir()?;
/// // Of one stone: it lies in F, E, …, A, f, …, a in the order of tables.
/// let values = [-1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1];
/// let path = vu::path(dir.path(), 1);
/// vu::write(&path, 1, &values)?;
/// // In A, B, …, F, a, …, f.
/// assert_eq!(std::fs::read(&path)?, [1, 1, 1, 1, 1, 255, 255, 255, 255, 255, 255, 255]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`crate::table::write`].
pub fn write(path: impl AsRef<Path>, stones: u32, values: &[i8]) -> Result<ContentHash, TableError> {
    let path = path.as_ref();
    let wrong = |problem| Err(TableError::WrongValues { path: path.to_owned(), problem });
    if stones > MAX_STONES {
        return wrong(format!("{stones} stones, and a game has {MAX_STONES}"));
    }
    let (positions, found) = (Index::new(stones).positions(), values.len());
    if found as u64 != positions {
        return wrong(format!("{found} values, and a table of {stones} stones has {positions} positions"));
    }
    // What was written, to be compared with what is read back.
    let written = Cell::new(ContentHash([0; 32]));
    let fill = |file: &File| {
        let (mut hash, mut at) = (Sha256::new(), 0);
        in_order(stones, values, |batch| {
            let batch = as_bytes(batch);
            hash.update(batch);
            at += batch.len() as u64;
            file.write_all_at(batch, at - batch.len() as u64)
        })?;
        written.set(ContentHash(hash.finalize().into()));
        Ok(())
    };
    write_whole(path, positions, fill, |file| {
        let (expected, found) = (written.get(), file_hash(file)?);
        if found == expected {
            Ok(())
        } else {
            Err(TableError::WrongContent { path: file.to_owned(), expected, found })
        }
    })?;
    Ok(written.get())
}

/// The SHA-256 of the file that [`write()`] makes of these values.
///
/// # Panics
/// If they are not as many as positions of `stones` stones.
pub fn content_hash(stones: u32, values: &[i8]) -> ContentHash {
    assert_eq!(values.len() as u64, Index::new(stones).positions(), "values of {stones} stones");
    let mut hash = Sha256::new();
    let hashed = in_order(stones, values, |batch| {
        hash.update(as_bytes(batch));
        Ok(())
    });
    hashed.expect("a hash takes all bytes");
    ContentHash(hash.finalize().into())
}

/// The SHA-256 of a file.
///
/// # Errors
/// If there is none, or it cannot be read.
pub fn file_hash(path: impl AsRef<Path>) -> Result<ContentHash, TableError> {
    let path = path.as_ref();
    let failed = |source: io::Error| match source.kind() {
        ErrorKind::NotFound => TableError::Missing { path: path.to_owned() },
        _ => TableError::Io { path: path.to_owned(), action: "read the file", source },
    };
    // A pipe could take for ever.
    if !path.metadata().map_err(failed)?.is_file() {
        return Err(failed(io::Error::other("it is no regular file")));
    }
    let mut file = File::open(path).map_err(failed)?;
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; BATCH]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(ContentHash(hash.finalize().into())),
            Ok(bytes) => hash.update(&buffer[..bytes]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Goes through the values in this layout's order, a batch at a time.
fn in_order(stones: u32, values: &[i8], mut show: impl FnMut(&[i8]) -> io::Result<()>) -> io::Result<()> {
    let (stones, index) = (stones as usize, Index::new(stones));
    // For each number of the mover's stones, his half-boards in order, as columns of a row. Those
    // of 48 stones take 100 MB, and their table takes 500 GB.
    let columns: Vec<Vec<u32>> = (0..=stones)
        .map(|mover| half::all(mover).map(|half| half::rank(reversed(half)) as u32).collect())
        .collect();
    let mut batch = Vec::with_capacity(BATCH + columns[stones].len());
    for waiting in up_to(stones).map(reversed).filter(|waiting| waiting.contains(&0)) {
        let mover = stones - half::stones(waiting);
        let first = Board::from_halves(half::unrank(mover, 0), waiting);
        let row = index.place(&first).expect("the waiting side has an empty pit") as usize;
        let row = &values[row..][..columns[mover].len()];
        batch.extend(columns[mover].iter().map(|&column| row[column as usize]));
        if batch.len() >= BATCH {
            show(&batch)?;
            batch.clear();
        }
    }
    show(&batch)
}

/// All half-boards of at most `stones` stones, in lexicographic order, the first pit the most
/// significant.
fn up_to(stones: usize) -> impl Iterator<Item = Half> {
    std::iter::successors(Some([0; PITS]), move |&(mut half)| {
        if half::stones(half) < stones {
            half[PITS - 1] += 1;
            return Some(half);
        }
        // No stone more: the last pit that has some is emptied, and the one before it grows.
        let last = half.iter().rposition(|&pit| pit > 0)?;
        half[last] = 0;
        half[last.checked_sub(1)?] += 1;
        Some(half)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_in_lexicographic_order() {
        for stones in 0..=7 {
            let index = Index::new(stones);
            let from_last = |place: u64| {
                let mut pits = index.board(place).pits();
                pits.reverse();
                pits
            };
            let mut sorted: Vec<u64> = (0..index.positions()).collect();
            sorted.sort_by_key(|&place| from_last(place));
            // Values that tell places apart, as far as a byte can.
            let mark = |place: u64| (place % 251) as u8 as i8;
            let values: Vec<i8> = (0..index.positions()).map(mark).collect();
            let mut shown = Vec::new();
            in_order(stones, &values, |batch| {
                shown.extend_from_slice(batch);
                Ok(())
            })
            .unwrap();
            assert!(shown == sorted.into_iter().map(mark).collect::<Vec<i8>>(), "{stones} stones");
        }
    }
}
