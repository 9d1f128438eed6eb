//! What a build would do, and whether the machine has room for it.

use std::path::PathBuf;

use super::BuildError;
use super::checkpoint::{self, Kind};
use crate::engine::Needs;
use crate::index::{IMPOSSIBLE_STONES, Index};
use crate::rules::Rules;
use crate::table::{DepthHeader, Encoding, Header, TableError};

/// What a build would do.
#[derive(Debug)]
#[non_exhaustive]
pub struct Plan {
    /// The rules.
    pub rules: Rules,
    /// The directory of the tables.
    pub dir: PathBuf,
    /// Every table of the database, fewest stones first.
    pub tables: Vec<PlannedTable>,
    /// Bytes of memory to use at most; None if neither the caller nor the system says.
    pub memory: Option<u64>,
    /// Bytes free on the disk of the directory, if the system says.
    pub disk_free: Option<u64>,
    /// Whether checkpoints are written.
    pub checkpoints: bool,
    /// How many ranks share the work; None if it is a build of one process. With ranks, memory is that of the
    /// rank that takes most.
    pub ranks: Option<usize>,
}

/// One table of a plan.
#[derive(Debug)]
#[non_exhaustive]
pub struct PlannedTable {
    /// Stones on the board.
    pub stones: u32,
    /// Positions stored.
    pub positions: u64,
    /// How its values will be written, if they are missing.
    pub encoding: Encoding,
    /// What is in the directory.
    pub state: State,
    /// What is there of its depths; None if they were not asked for.
    pub depths: Option<State<DepthHeader>>,
}

/// What is in the directory where a table belongs.
#[derive(Debug)]
pub enum State<H = Header> {
    /// Nothing: it is to be built.
    Missing,
    /// A sound table.
    There(Box<H>),
    /// A file that is not a sound table of these rules and stones.
    Unusable(TableError),
}

/// Bytes of memory that compressing takes at most beside the values: examples to learn from, and
/// what is counted on the way. Measured, and rounded up.
const COMPRESSING: u64 = 64 << 20;

impl PlannedTable {
    /// Bytes of memory its values take while something is built upon them: none if they are read
    /// from a mapped file.
    fn unpacked(&self) -> u64 {
        let encoding = match &self.state {
            State::There(header) => header.encoding,
            _ => self.encoding,
        };
        match encoding {
            Encoding::Packed => 0,
            Encoding::Compressed => self.positions,
        }
    }

    /// Bytes on disk of the values: those of the file if it is there, otherwise the most it can
    /// have.
    fn values_disk(&self) -> u64 {
        match &self.state {
            State::There(header) => header.file_bytes(),
            _ => most_file_bytes(self.stones),
        }
    }

    /// Bytes that will be written, at most. Depths beyond 254 plies take more than is counted
    /// here; tables small enough to be built have few.
    pub fn disk(&self) -> u64 {
        let values = if self.lacks_values() { self.values_disk() } else { 0 };
        // A byte a position, and twelve for each 65,536; header and padding.
        let depths = self.positions + self.positions.div_ceil(1 << 16) * 12 + 2 * 4096;
        values + if self.lacks_depths() { depths } else { 0 }
    }

    /// Whether anything of it is to be built.
    pub fn is_missing(&self) -> bool {
        self.lacks_values() || self.lacks_depths()
    }

    /// Whether the table of values is to be built.
    pub fn lacks_values(&self) -> bool {
        matches!(self.state, State::Missing)
    }

    /// Whether the depths are to be built.
    pub fn lacks_depths(&self) -> bool {
        matches!(self.depths, Some(State::Missing))
    }
}

/// The most bytes the file of a table can have: every value from −n to n occurs.
fn most_file_bytes(stones: u32) -> u64 {
    let positions = Index::new(stones).positions();
    let bits = u64::from((2 * stones + 1).next_power_of_two().trailing_zeros());
    // Each block of 65,536 positions has a checksum of four bytes; header and padding take less
    // than two pages.
    positions / 8 * bits + positions.div_ceil(1 << 16) * 4 + 2 * 4096
}

impl Plan {
    /// The tables to build, fewest stones first.
    pub fn missing(&self) -> impl Iterator<Item = &PlannedTable> {
        self.tables.iter().filter(|table| table.is_missing())
    }

    /// Whether all is there and can be used.
    pub(super) fn is_done(&self) -> bool {
        self.tables.iter().all(|table| {
            let depths = table.depths.as_ref();
            matches!(table.state, State::There(_))
                && depths.is_none_or(|depths| matches!(depths, State::There(_)))
        })
    }

    /// What solving a table takes, of whichever takes more: values or depths. Smaller tables that
    /// are packed are mapped files; memory left over caches them, and too little of it makes a
    /// build slower, not impossible. Those that are compressed are unpacked into memory.
    pub fn needs(&self, table: &PlannedTable) -> Needs {
        if table.lacks_depths() { self.needs_of_depths(table) } else { self.needs_of_values(table) }
    }

    /// What finding its values takes.
    pub fn needs_of_values(&self, table: &PlannedTable) -> Needs {
        let mut needs = match self.ranks {
            Some(ranks) => Needs::of_values_among(table.stones, ranks),
            None => Needs::of_values(table.stones),
        };
        needs.working += self.unpacked_below(table);
        if table.lacks_values() && table.encoding == Encoding::Compressed {
            // By then what solving took is free again.
            needs.working = needs.working.max(COMPRESSING);
        }
        needs
    }

    /// What finding its depths takes: they are built upon its values, too.
    pub fn needs_of_depths(&self, table: &PlannedTable) -> Needs {
        let mut needs = match self.ranks {
            Some(ranks) => Needs::of_depths_among(table.stones, ranks),
            None => Needs::of_depths(table.stones),
        };
        let mut unpacked = self.unpacked_below(table) + table.unpacked();
        if table.encoding == Encoding::Compressed {
            // By then what solving took is free again; depths are compressed beside their values.
            needs.working = needs.working.max(COMPRESSING);
            unpacked += table.positions - table.unpacked();
        }
        needs.working += unpacked;
        needs
    }

    /// Bytes of memory that the tables take that a build of this one reads: a capture takes two
    /// stones at least.
    fn unpacked_below(&self, table: &PlannedTable) -> u64 {
        let read = self.tables.iter().filter(|smaller| smaller.stones + 2 <= table.stones);
        read.map(PlannedTable::unpacked).sum()
    }

    /// Bytes of memory used at most: what the largest table to build takes.
    pub fn memory_used(&self) -> u64 {
        self.missing().map(|table| self.memory_for(table)).max().unwrap_or(0)
    }

    /// Bytes of memory that a table takes.
    pub fn memory_for(&self, table: &PlannedTable) -> u64 {
        let needs = self.needs(table);
        if self.ranks.is_none() && self.needs_scratch(needs) { needs.in_scratch() } else { needs.total() }
    }

    /// Bytes of scratch files that a table takes while it is built; 0 if it is built in memory. Ranks gather in
    /// one what they find.
    pub fn scratch_for(&self, table: &PlannedTable) -> u64 {
        if self.ranks.is_some() {
            return table.positions * if table.lacks_depths() { 2 } else { 1 };
        }
        let needs = self.needs(table);
        if self.needs_scratch(needs) { needs.table } else { 0 }
    }

    /// Whether there is too little memory for a solve, so that it has to use scratch files.
    pub fn needs_scratch(&self, needs: Needs) -> bool {
        self.memory.is_some_and(|memory| needs.total() > memory)
    }

    /// Bytes of the files of smaller tables that are read, through the file cache, while the largest table
    /// to build is solved.
    pub fn mapped(&self) -> u64 {
        let largest = self.missing().map(|table| table.stones).max().unwrap_or(0);
        self.tables.iter().filter(|table| table.stones < largest).map(PlannedTable::values_disk).sum()
    }

    /// Bytes that will be written, at most.
    pub fn disk(&self) -> u64 {
        self.missing().map(PlannedTable::disk).sum()
    }

    /// Bytes of checkpoints that are there at most while a table is built: one, and the next while it is
    /// written.
    pub fn checkpoints_for(&self, table: &PlannedTable) -> u64 {
        let of = |lacks, kind| if lacks { 2 * checkpoint::file_bytes(kind, table.positions) } else { 0 };
        let most = of(table.lacks_values(), Kind::Values).max(of(table.lacks_depths(), Kind::Depths));
        if self.checkpoints { most } else { 0 }
    }

    /// The same for all tables.
    pub fn most_checkpoints(&self) -> u64 {
        self.missing().map(|table| self.checkpoints_for(table)).max().unwrap_or(0)
    }

    /// Positions that will be solved.
    pub fn positions(&self) -> u64 {
        self.missing().map(|table| table.positions).sum()
    }

    /// Whether there is room for all of it.
    ///
    /// # Errors
    /// [`BuildError::Memory`] or [`BuildError::Disk`].
    pub fn check_room(&self) -> Result<(), BuildError> {
        if let Some(table) = self.missing().find(|table| !self.has_room_for(table)) {
            let largest = self.missing().last().unwrap_or(table);
            if let Some(ranks) = self.ranks {
                let (needed, available) = (self.needs(largest).total(), self.memory.unwrap_or(0));
                return Err(BuildError::MemoryOfRank { stones: largest.stones, ranks, needed, available });
            }
            return Err(BuildError::Memory {
                stones: largest.stones,
                needed: self.needs(largest),
                available: self.memory.unwrap_or(0),
                dir: self.dir.clone(),
                free: self.disk_free,
                fits: (0..table.stones).rev().find(|&fewer| fewer != IMPOSSIBLE_STONES),
            });
        }
        let gathered = self.missing().filter(|_| self.ranks.is_some()).map(|table| self.scratch_for(table));
        let needed = self.disk() + self.most_checkpoints() + gathered.max().unwrap_or(0);
        if let Some(free) = self.disk_free
            && needed > free
        {
            return Err(BuildError::Disk { dir: self.dir.clone(), needed, free });
        }
        Ok(())
    }

    /// Whether a table can be solved in memory, or in scratch files beside the tables written by
    /// then.
    fn has_room_for(&self, table: &PlannedTable) -> bool {
        let (needs, Some(memory)) = (self.needs(table), self.memory) else { return true };
        if self.ranks.is_some() {
            return needs.total() <= memory;
        }
        let written = self.missing().filter(|other| other.stones <= table.stones).map(PlannedTable::disk);
        let disk = needs.table + self.checkpoints_for(table) + written.sum::<u64>();
        needs.total() <= memory
            || needs.in_scratch() <= memory && self.disk_free.is_none_or(|free| disk <= free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(stones: u32, memory: Option<u64>, disk_free: Option<u64>) -> Plan {
        let table = |stones| {
            let positions = Index::new(stones).positions();
            PlannedTable {
                stones,
                positions,
                encoding: Encoding::Packed,
                state: State::Missing,
                depths: None,
            }
        };
        let dir = "databases/awari".into();
        let tables = (0..=stones).map(table).collect();
        Plan { rules: Rules::Awari, dir, tables, memory, disk_free, checkpoints: false, ranks: None }
    }

    #[test]
    fn room_is_counted() {
        let enough = plan(20, None, None);
        assert!(enough.check_room().is_ok(), "a system that does not say is trusted");
        let (memory, disk) = (enough.memory_used(), enough.disk());
        assert_eq!(memory, Needs::of_values(20).total());
        assert!(memory > 80_214_915 + 84_672_315);
        assert!(plan(20, Some(memory), Some(disk)).check_room().is_ok());
        let error = plan(20, Some(memory), Some(disk - 1)).check_room().unwrap_err();
        assert!(matches!(error, BuildError::Disk { needed, .. } if needed == disk), "{error}");
    }

    #[test]
    fn with_less_memory_there_are_scratch_files() {
        let needs = Needs::of_values(20);
        let disk = plan(20, None, None).disk();
        let small = |memory, free| plan(20, Some(memory), Some(free));
        let scratch = small(needs.total() - 1, needs.table + disk);
        assert!(scratch.check_room().is_ok());
        assert_eq!(scratch.memory_used(), needs.in_scratch().max(Needs::of_values(19).total()));
        assert_eq!(scratch.scratch_for(&scratch.tables[20]), needs.table);
        assert_eq!(scratch.scratch_for(&scratch.tables[19]), 0);

        let error = small(needs.total() - 1, needs.table + disk - 1).check_room().unwrap_err();
        assert!(matches!(error, BuildError::Memory { stones: 20, fits: Some(19), .. }), "{error}");
        let error = small(needs.in_scratch() - 1, u64::MAX).check_room().unwrap_err();
        assert!(matches!(error, BuildError::Memory { stones: 20, fits: Some(19), .. }), "{error}");
    }

    #[test]
    fn depths_take_room_too() {
        let mut both = plan(20, None, None);
        let (memory, disk) = (both.memory_used(), both.disk());
        both.tables[20].depths = Some(State::Missing);
        assert_eq!(both.memory_used(), Needs::of_depths(20).total());
        assert!(both.memory_used() > memory && both.disk() > disk + 80_214_915);
    }

    #[test]
    fn checkpoints_take_room_too() {
        let mut plan = plan(20, None, None);
        assert_eq!(plan.most_checkpoints(), 0);
        plan.checkpoints = true;
        let positions = Index::new(20).positions();
        assert!((2 * positions..2 * positions + 4096).contains(&plan.most_checkpoints()));
        plan.tables[20].depths = Some(State::Missing);
        assert!((4 * positions..4 * positions + 4096).contains(&plan.most_checkpoints()));
        plan.disk_free = Some(plan.disk() + plan.most_checkpoints());
        assert!(plan.check_room().is_ok());
        plan.disk_free = Some(plan.disk() + plan.most_checkpoints() - 1);
        assert!(matches!(plan.check_room(), Err(BuildError::Disk { .. })));
    }

    #[test]
    fn compressed_tables_are_unpacked_into_memory() {
        let compressed = |memory| {
            let mut plan = plan(20, memory, Some(u64::MAX));
            plan.tables.iter_mut().for_each(|table| table.encoding = Encoding::Compressed);
            plan
        };
        let mut roomy = compressed(None);
        let unpacked: u64 = (0..=18).map(|stones| Index::new(stones).positions()).sum();
        let needs = roomy.needs(&roomy.tables[20]);
        assert_eq!(needs.table, Needs::of_values(20).table);
        assert_eq!(needs.working, Needs::of_values(20).working + unpacked);
        assert_eq!(roomy.memory_used(), needs.total());
        // Scratch files do not help with that.
        assert!(compressed(Some(needs.in_scratch())).check_room().is_ok());
        let error = compressed(Some(needs.in_scratch() - 1)).check_room().unwrap_err();
        assert!(matches!(error, BuildError::Memory { stones: 20, .. }), "{error}");

        roomy.tables[20].depths = Some(State::Missing);
        let needs = roomy.needs(&roomy.tables[20]);
        let unpacked = unpacked + Index::new(20).positions();
        assert_eq!(needs.working, Needs::of_depths(20).working.max(COMPRESSING) + unpacked);
    }

    #[test]
    fn nothing_to_build_needs_nothing() {
        let mut nothing = plan(5, Some(0), Some(0));
        nothing.tables.clear();
        assert_eq!(
            (nothing.memory_used(), nothing.mapped(), nothing.disk(), nothing.positions()),
            (0, 0, 0, 0)
        );
        assert!(nothing.check_room().is_ok());
    }
}
