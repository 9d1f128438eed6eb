//! What a build by ranks would take, from counts and a few measured numbers; `docs/cluster.md` explains it.

use std::io::{self, Write};

use awari::Rules;
use awari::engine::{self, Needs};
use awari::index::{IMPOSSIBLE_STONES, Index};
use awari::units;
use serde::Serialize;

/// Sweeps that a table takes: as measured at 17 to 20 stones.
const SWEEPS: u64 = 6;

/// Nanoseconds of one core that a position takes without ranks, and that each byte exchanged adds: measured
/// at 19 and 20 stones with 1, 2 and 4 ranks.
const POSITION_NS: f64 = 30.0;
const BYTE_NS: f64 = 3.2;

/// Bytes a second between machines, and to the disk of rank 0.
const NETWORK: f64 = 12.5e9;
const DISK: f64 = 1e9;

/// The estimate.
#[derive(Serialize)]
pub struct Estimate {
    stones: u32,
    ranks: usize,
    positions: u64,
    /// Bytes of memory of the rank that takes most; what of them are values and captures.
    memory_per_rank: u64,
    values_and_captures_per_rank: u64,
    /// Bytes of disk: all tables, and the one that is gathered.
    disk: u64,
    /// Bytes that all ranks together send for the largest table.
    exchanged_bytes: u64,
    exchanged_bits_per_position: f64,
    /// Seconds for the largest table, and for it and all smaller ones.
    seconds: f64,
    seconds_of_all: f64,
}

impl Estimate {
    /// For the table of `stones` stones and all smaller ones.
    pub fn new(rules: Rules, stones: u32, ranks: usize) -> Estimate {
        let positions = Index::new(stones).positions();
        let sweep = engine::exchanged_in_sweep(rules, stones, ranks);
        let gathered = positions - positions / ranks as u64;
        let exchanged = SWEEPS * sweep + gathered;
        let bytes = exchanged as f64 / positions as f64;
        let rank = (POSITION_NS + BYTE_NS * bytes) * 1e-9 + bytes / NETWORK;
        let position = rank / ranks as f64 + 1.0 / DISK;
        let needs = Needs::of_values_among(stones, ranks);
        let tables = (0..=stones).filter(|&stones| stones != IMPOSSIBLE_STONES);
        let all: u64 = tables.map(|stones| Index::new(stones).positions()).sum();
        Estimate {
            stones,
            ranks,
            positions,
            memory_per_rank: needs.total(),
            values_and_captures_per_rank: needs.table,
            disk: all + positions,
            exchanged_bytes: exchanged,
            exchanged_bits_per_position: 8.0 * bytes,
            seconds: position * positions as f64,
            seconds_of_all: position * all as f64,
        }
    }

    /// Prints it for people.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn print(&self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let Estimate { stones, ranks, .. } = self;
        let positions = units::count(self.positions);
        writeln!(out, "{stones} stones by {ranks} ranks of one thread: {positions} positions")?;
        let (memory, table) =
            (units::bytes(self.memory_per_rank), units::bytes(self.values_and_captures_per_rank));
        writeln!(out, "memory a rank:   {memory}, of which values and captures {table}")?;
        writeln!(out, "disk:            {}, seen by all ranks, at most", units::bytes(self.disk))?;
        let (bytes, bits) = (units::bytes(self.exchanged_bytes), self.exchanged_bits_per_position);
        writeln!(out, "exchanged:       {bytes}, {bits:.0} bits a position")?;
        let (one, all) = (self.seconds / 3600.0, self.seconds_of_all / 3600.0);
        writeln!(
            out,
            "time, about:     {one:.2} h, {all:.2} h with all smaller tables, if no rank waits for another or for \
             smaller tables"
        )
    }
}
