//! What can be wrong with a table file, in words that say what to do.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::header::{ContentHash, Metric};
use crate::rules::Rules;
use crate::units;

/// Why a table cannot be read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum TableError {
    /// There is no such file.
    Missing {
        /// The file looked for.
        path: PathBuf,
    },
    /// The file does not start like a table.
    NotATable {
        /// The file.
        path: PathBuf,
    },
    /// The file is of a format that came after this program.
    NewerVersion {
        /// The file.
        path: PathBuf,
        /// The file's format version.
        found: u32,
        /// The newest version this program reads.
        known: u32,
    },
    /// The file is intact and uses something this program does not know.
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The header field.
        field: &'static str,
        /// The code it holds.
        found: u8,
    },
    /// The table was built for other rules.
    WrongRules {
        /// The file.
        path: PathBuf,
        /// The rules asked for.
        expected: Rules,
        /// The rules of the file.
        found: Rules,
    },
    /// The table holds the positions of another number of stones.
    WrongStones {
        /// The file.
        path: PathBuf,
        /// The stones asked for.
        expected: u32,
        /// The stones of the file.
        found: u32,
    },
    /// The table holds another kind of numbers.
    WrongMetric {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        expected: Metric,
        /// What the file holds.
        found: Metric,
    },
    /// The depths belong to other values than those of the table beside them.
    StaleDepths {
        /// The file of depths.
        path: PathBuf,
        /// The hash of the values in the table.
        expected: ContentHash,
        /// The hash of the values the depths were found for.
        found: ContentHash,
    },
    /// The file is cut short or too long.
    WrongLength {
        /// The file.
        path: PathBuf,
        /// Bytes it should have.
        expected: u64,
        /// Bytes it has.
        found: u64,
    },
    /// The file ends before its header does.
    CutHeader {
        /// The file.
        path: PathBuf,
        /// Bytes of the header.
        expected: u64,
        /// Bytes of the file.
        found: u64,
    },
    /// The header contradicts its checksum or itself.
    CorruptHeader {
        /// The file.
        path: PathBuf,
        /// The header field.
        field: &'static str,
        /// What the field should hold.
        expected: String,
        /// What it holds.
        found: String,
    },
    /// The data of a block contradict their checksum.
    CorruptBlock {
        /// The file.
        path: PathBuf,
        /// The block, from 0.
        block: u64,
        /// Blocks in the file.
        blocks: u64,
    },
    /// The checksum of a block is right and it is not compressed data.
    BadBlock {
        /// The file.
        path: PathBuf,
        /// The block, from 0.
        block: u64,
        /// Blocks in the file.
        blocks: u64,
    },
    /// A file without checksums holds a byte that is no value.
    NoValue {
        /// The file.
        path: PathBuf,
        /// The byte, from 0.
        place: u64,
        /// What it holds.
        found: i8,
        /// The stones of the file: values are −stones..=stones.
        stones: u32,
    },
    /// The table is compressed, so half of it is known only from a look ahead.
    LooksAhead {
        /// The file.
        path: PathBuf,
    },
    /// Every checksum is right and the values are not those that were written.
    WrongContent {
        /// The file.
        path: PathBuf,
        /// The hash in the header.
        expected: ContentHash,
        /// The hash of the values.
        found: ContentHash,
    },
    /// The header counts other values than the data hold.
    WrongCounts {
        /// The file.
        path: PathBuf,
        /// The least value whose count differs.
        value: i8,
        /// Positions of this value by the header.
        expected: u64,
        /// Positions of this value in the data.
        found: u64,
    },
    /// The file was cut short after it was opened, or its disk failed.
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// What is to be written is not a table of these stones.
    WrongValues {
        /// The file that was to be written.
        path: PathBuf,
        /// What is wrong, as a sentence without its full stop.
        problem: String,
    },
    /// The system refused.
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was tried, as in "cannot {action}".
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The disk is too full for the table.
    NoSpace {
        /// The file that was to be written.
        path: PathBuf,
        /// Bytes it needs.
        needed: u64,
        /// Bytes free on the disk.
        free: u64,
    },
    /// The directory or the disk does not allow writing.
    NotWritable {
        /// The file that was to be written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl TableError {
    /// The file or directory it is about.
    pub fn path(&self) -> &Path {
        match self {
            TableError::Missing { path }
            | TableError::NotATable { path }
            | TableError::NewerVersion { path, .. }
            | TableError::Unsupported { path, .. }
            | TableError::WrongRules { path, .. }
            | TableError::WrongStones { path, .. }
            | TableError::WrongMetric { path, .. }
            | TableError::StaleDepths { path, .. }
            | TableError::WrongLength { path, .. }
            | TableError::CutHeader { path, .. }
            | TableError::CorruptHeader { path, .. }
            | TableError::CorruptBlock { path, .. }
            | TableError::BadBlock { path, .. }
            | TableError::NoValue { path, .. }
            | TableError::LooksAhead { path }
            | TableError::WrongContent { path, .. }
            | TableError::WrongCounts { path, .. }
            | TableError::WrongValues { path, .. }
            | TableError::Changed { path }
            | TableError::Io { path, .. }
            | TableError::NoSpace { path, .. }
            | TableError::NotWritable { path, .. } => path,
        }
    }

    /// Sorts what the system says while writing `path`.
    pub(super) fn writing(path: &Path, action: &'static str, source: io::Error) -> TableError {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                TableError::NotWritable { path, source }
            }
            _ => TableError::Io { path, action, source },
        }
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path().display())?;
        match self {
            TableError::Missing { .. } => f.write_str("no such table. Build it, or check the directory."),
            TableError::NotATable { .. } => {
                f.write_str("not an awari table: the first bytes are not those of one. Check the path.")
            }
            TableError::NewerVersion { found, known, .. } => write!(
                f,
                "format version {found}, and this program reads up to version {known}. Use a newer awari."
            ),
            TableError::Unsupported { field, found, .. } => {
                write!(f, "{field} {found} is unknown to this program. Use a newer awari.")
            }
            TableError::WrongRules { expected, found, .. } => write!(
                f,
                "a table of rules {found}, expected rules {expected}. Ask for rules {found}, or put the \
                 file in its own directory."
            ),
            TableError::WrongStones { expected, found, .. } => {
                write!(f, "a table of {found} stones, expected {expected}. The file was probably renamed.")
            }
            TableError::WrongMetric { expected, found, .. } => {
                write!(f, "a table of {found}, expected {expected}. The file was probably renamed.")
            }
            TableError::StaleDepths { expected, found, .. } => write!(
                f,
                "stale depths: they belong to values of SHA-256 {found}, and the table of values has \
                 {expected}. Remove the file, or build the depths again."
            ),
            TableError::WrongLength { expected, found, .. } => write!(
                f,
                "corrupt: the file is {} ({found} bytes, expected {expected}). Copy or build it again.",
                if found < expected { "cut short" } else { "too long" }
            ),
            TableError::CutHeader { expected, found, .. } => write!(
                f,
                "corrupt: the file is cut short within its header ({}, and the header alone takes \
                 {expected}). Copy or build it again.",
                if *found == 1 { "1 byte".to_owned() } else { format!("{found} bytes") }
            ),
            TableError::CorruptHeader { field, expected, found, .. } => write!(
                f,
                "corrupt header: {field} is {found}, expected {expected}. Copy or build the file again."
            ),
            TableError::CorruptBlock { block, blocks, .. } => write!(
                f,
                "corrupt data: the checksum of block {block} (of 0 to {}) is wrong. Copy or build the \
                 file again.",
                blocks - 1
            ),
            TableError::BadBlock { block, blocks, .. } => write!(
                f,
                "corrupt data: block {block} (of 0 to {}) is not compressed data, though its checksum is \
                 right. Build the file again.",
                blocks - 1
            ),
            TableError::NoValue { place, found, stones, .. } => write!(
                f,
                "corrupt data: byte {place} is {found}, expected -{stones} to {stones}. Copy the file again."
            ),
            TableError::LooksAhead { .. } => f.write_str(
                "a compressed table: half of it needs a look ahead, into the tables of fewer stones \
                 too. Ask the directory of tables, not this file alone.",
            ),
            TableError::WrongContent { expected, found, .. } => write!(
                f,
                "wrong values: their SHA-256 is {found}, expected {expected}. Copy or build the file again."
            ),
            TableError::WrongCounts { value, expected, found, .. } => write!(
                f,
                "wrong values: {found} positions of value {value}, expected {expected}. Copy or build the \
                 file again."
            ),
            TableError::Changed { .. } => f.write_str(
                "corrupt: it was cut short while it was being read, or the disk failed. Copy or build the file \
                 again.",
            ),
            TableError::WrongValues { problem, .. } => write!(f, "not written: {problem}."),
            TableError::Io { action, source, .. } => write!(f, "cannot {action}: {source}."),
            TableError::NoSpace { needed, free, .. } => write!(
                f,
                "no space: the table needs {} ({needed} bytes) and the disk has {} free. Free some, or \
                 choose another directory.",
                units::bytes(*needed),
                units::bytes(*free)
            ),
            TableError::NotWritable { source, .. } => {
                write!(f, "cannot be written: {source}. Check who owns the directory, or choose another.")
            }
        }
    }
}

impl std::error::Error for TableError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TableError::Io { source, .. } | TableError::NotWritable { source, .. } => Some(source),
            _ => None,
        }
    }
}
