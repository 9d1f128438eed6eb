//! Where the values of one number of stones come from.

use std::path::Path;

use crate::index::Index;
use crate::table::vu::VuTable;
use crate::table::{ContentHash, Counts, Table, TableError};

/// The values of one number of stones, as they were found in a directory: our own table, or else a
/// file in the layout of the Vrije Universiteit.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// Our own, packed or compressed.
    Own(&'a Table),
    /// A file `scores.N`.
    Vu(&'a VuTable),
}

impl<'a> Source<'a> {
    /// The places of the positions in the order of tables.
    pub fn index(self) -> &'a Index {
        match self {
            Source::Own(table) => table.index(),
            Source::Vu(table) => table.index(),
        }
    }

    /// The file.
    pub fn path(self) -> &'a Path {
        match self {
            Source::Own(table) => table.path(),
            Source::Vu(table) => table.path(),
        }
    }

    /// Positions stored.
    pub fn positions(self) -> u64 {
        self.index().positions()
    }

    /// Compares the file with all that it says about itself; see [`Table::check`] and
    /// [`VuTable::counts`].
    ///
    /// # Errors
    /// What does not fit.
    pub fn check(self) -> Result<(), TableError> {
        match self {
            Source::Own(table) => table.check(),
            Source::Vu(table) => table.counts().map(|_| ()),
        }
    }

    /// Whether all that was read of the file so far was there.
    ///
    /// # Errors
    /// [`TableError::Changed`] if not.
    pub(crate) fn check_unchanged(self) -> Result<(), TableError> {
        match self {
            Source::Own(table) => table.check_unchanged(),
            Source::Vu(table) => table.check_unchanged(),
        }
    }

    /// The hash of the values: from the header, or, where there is none, from the whole file.
    ///
    /// # Errors
    /// As [`VuTable::content_hash`].
    pub fn content_hash(self) -> Result<ContentHash, TableError> {
        match self {
            Source::Own(table) => Ok(table.header().content_hash),
            Source::Vu(table) => table.content_hash(),
        }
    }

    /// How often each value occurs: by the header, or, where there is none, from the whole file.
    ///
    /// # Errors
    /// As [`VuTable::counts`].
    pub fn counts(self) -> Result<&'a Counts, TableError> {
        match self {
            Source::Own(table) => Ok(&table.header().counts),
            Source::Vu(table) => table.counts(),
        }
    }
}
