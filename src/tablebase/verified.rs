//! Tables of fewer stones, found right and ready to be read by the engine.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::ProbeError;
use super::look_ahead;
use crate::board::MAX_STONES;
use crate::engine::SmallerTables;
use crate::rules::Rules;
use crate::table::{Encoding, Table};

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
    table: &'a Table,
    /// The values of a compressed table.
    unpacked: Option<Arc<Vec<i8>>>,
}

impl<'a> VerifiedTables<'a> {
    pub(super) fn new(rules: Rules) -> VerifiedTables<'a> {
        VerifiedTables { rules, tables: [const { None }; MAX_STONES as usize + 1] }
    }

    /// Adds a table, after those that a build of as many stones reads.
    pub(super) fn add(&mut self, table: &'a Table) -> Result<(), ProbeError> {
        let unpacked = match table.header().encoding {
            Encoding::Packed => {
                table.touch_all()?;
                None
            }
            Encoding::Compressed => Some(Arc::new(self.unpack(table)?)),
        };
        self.tables[table.header().stones as usize] = Some(Verified { table, unpacked });
        Ok(())
    }

    /// All values of a table, compared with its content hash and counts. If it is compressed, the
    /// tables that a build of as many stones reads must be here.
    pub(super) fn unpack(&self, table: &Table) -> Result<Vec<i8>, ProbeError> {
        let header = table.header();
        let mut values = vec![0; header.positions() as usize];
        table.read_stored(&mut values)?;
        if header.encoding == Encoding::Compressed {
            look_ahead::complete(self.rules, header.stones, &mut values, self);
        }
        table.check_values(&values)?;
        Ok(values)
    }

    /// The table of `stones` stones.
    ///
    /// # Panics
    /// If it is not among those asked for.
    pub(crate) fn table(&self, stones: u32) -> &'a Table {
        self.verified(stones).table
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
            Verified { table, unpacked: None } => {
                let mut values = vec![0; table.header().positions() as usize];
                table.read_checked(0, &mut values);
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
            Verified { table, unpacked: None } => table.read_checked(place, values),
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
