//! Tables of fewer stones, found right and ready to be read by the engine.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::look_ahead;
use super::{ProbeError, Source};
use crate::board::MAX_STONES;
use crate::engine::SmallerTables;
use crate::index::Index;
use crate::rules::Rules;
use crate::table::{ContentHash, Encoding, TableError};

/// Tables whose blocks were all found right: reading them cannot fail. From
/// [`super::Tablebase::smaller_tables`] and [`super::Tablebase::tables_with`].
///
/// Packed tables are read where they are, compressed ones are unpacked to one byte a position,
/// because half of their values need a look ahead.
#[derive(Clone)]
pub struct VerifiedTables<'a> {
    rules: Rules,
    /// The tables by their stones.
    tables: [Option<Verified<'a>>; MAX_STONES as usize + 1],
}

#[derive(Clone)]
struct Verified<'a> {
    source: Source<'a>,
    /// The values of a compressed table.
    unpacked: Option<Arc<Vec<i8>>>,
}

impl<'a> VerifiedTables<'a> {
    pub(super) fn new(rules: Rules) -> VerifiedTables<'a> {
        VerifiedTables { rules, tables: [const { None }; MAX_STONES as usize + 1] }
    }

    /// Adds a table, after those that a build of as many stones reads.
    pub(super) fn add(&mut self, source: Source<'a>) -> Result<(), ProbeError> {
        let unpacked = match source {
            Source::Own(table) if table.header().encoding == Encoding::Compressed => {
                Some(Arc::new(self.unpack(source)?))
            }
            Source::Own(table) => {
                table.touch_all()?;
                None
            }
            // Every byte is a value.
            Source::Vu(table) => {
                table.counts()?;
                None
            }
        };
        self.tables[source.index().stones() as usize] = Some(Verified { source, unpacked });
        Ok(())
    }

    /// All values of a table, compared with its content hash and counts. If it is compressed, the
    /// tables that a build of as many stones reads must be here.
    pub(super) fn unpack(&self, source: Source) -> Result<Vec<i8>, ProbeError> {
        let mut values = vec![0; source.positions() as usize];
        match source {
            Source::Own(table) => {
                let header = table.header();
                table.read_stored(&mut values)?;
                if header.encoding == Encoding::Compressed {
                    look_ahead::complete(self.rules, header.stones, &mut values, self);
                    self.check_unchanged()?;
                }
                table.check_values(&values)?;
            }
            Source::Vu(table) => table.read(0, &mut values)?,
        }
        Ok(values)
    }

    /// The places of the positions of `stones` stones.
    ///
    /// # Panics
    /// If their table is not among those asked for.
    pub(crate) fn index(&self, stones: u32) -> &'a Index {
        self.verified(stones).source.index()
    }

    /// Their rules.
    pub(crate) fn rules(&self) -> Rules {
        self.rules
    }

    /// The hashes of their values, fewest stones first; files `scores.N` have none.
    pub(crate) fn content_hashes(&self) -> impl Iterator<Item = ContentHash> {
        self.tables.iter().flatten().filter_map(|verified| match verified.source {
            Source::Own(table) => Some(table.header().content_hash),
            Source::Vu(_) => None,
        })
    }

    /// Makes sure that what was read since they were found right was right too: that no file was cut
    /// short meanwhile, and no byte that was read is no value any more.
    ///
    /// # Errors
    /// The first table whose file was.
    pub(crate) fn check_unchanged(&self) -> Result<(), TableError> {
        self.tables.iter().flatten().try_for_each(|verified| verified.source.check_unchanged())
    }

    /// The value of one position.
    ///
    /// # Panics
    /// If `place` is not inside the table, or the table is not among those asked for.
    pub(crate) fn value(&self, stones: u32, place: u64) -> i8 {
        let mut value = [0];
        self.read(stones, place, &mut value);
        value[0]
    }

    /// All values of one table.
    ///
    /// # Panics
    /// If the table is not among those asked for.
    pub(crate) fn values(&self, stones: u32) -> Cow<'_, [i8]> {
        match self.verified(stones) {
            Verified { unpacked: Some(unpacked), .. } => Cow::Borrowed(unpacked),
            Verified { source, unpacked: None } => {
                let mut values = vec![0; source.positions() as usize];
                self.read(stones, 0, &mut values);
                Cow::Owned(values)
            }
        }
    }

    fn verified(&self, stones: u32) -> &Verified<'a> {
        self.tables[stones as usize].as_ref().expect("one of the tables asked for")
    }
}

impl SmallerTables for VerifiedTables<'_> {
    /// # Panics
    /// If the range is not inside the table, or the table is not among those asked for.
    fn read(&self, stones: u32, place: u64, values: &mut [i8]) {
        match self.verified(stones) {
            Verified { source: Source::Own(table), unpacked: None } => table.read_checked(place, values),
            Verified { source: Source::Vu(table), .. } => table.read_counted(place, values),
            Verified { unpacked: Some(unpacked), .. } => {
                values.copy_from_slice(&unpacked[place as usize..][..values.len()]);
            }
        }
    }
}

impl fmt::Debug for VerifiedTables<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables = self.tables.iter().flatten();
        let unpacked = tables.clone().filter(|verified| verified.unpacked.is_some());
        f.debug_struct("VerifiedTables")
            .field("rules", &self.rules)
            .field("tables", &tables.clone().count())
            .field("unpacked", &unpacked.count())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Seek, SeekFrom, Write};

    use super::*;
    use crate::engine::{self, Storage, Unwatched};
    use crate::table::vu;
    use crate::tablebase::Tablebase;

    /// Another program writes into `scores.3` after all of it was found right.
    #[test]
    fn a_byte_that_is_no_value_any_more_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let solve = |stones: u32, smaller: &VerifiedTables| {
            engine::solve(Rules::Awari, stones, smaller, &Storage::Memory, &Unwatched).unwrap().values
        };
        for stones in 1..=3 {
            let tables = Tablebase::open(dir.path(), Rules::Awari).unwrap();
            let smaller = tables.smaller_tables(stones).unwrap();
            let values = solve(stones, &smaller);
            let path = vu::path(dir.path(), stones);
            vu::write(&path, stones, &values).unwrap();
        }
        let tables = Tablebase::open(dir.path(), Rules::Awari).unwrap();
        let smaller = tables.smaller_tables(5).unwrap();
        solve(5, &smaller);
        assert!(smaller.check_unchanged().is_ok());
        let mut file = fs::File::options().write(true).open(vu::path(dir.path(), 3)).unwrap();
        file.seek(SeekFrom::Start(100)).unwrap();
        file.write_all(&[4]).unwrap();
        // Whatever it finds, it ends.
        solve(5, &smaller);
        smaller.values(3);
        match smaller.check_unchanged() {
            Err(TableError::NoValue { place: 100, found: 4, stones: 3, .. }) => {}
            other => panic!("{other:?}"),
        }
    }
}
