//! Solved tables in memory.

use awari::Rules;
use awari::engine::{self, SmallerTables, Solved, Storage, Unwatched, Values};

/// The tables of 0, 1, 2, … stones.
pub struct Tables {
    pub rules: Rules,
    tables: Vec<Values>,
}

impl Tables {
    pub fn new(rules: Rules) -> Tables {
        Tables { rules, tables: Vec::new() }
    }

    /// Solves and keeps the tables of up to `stones` stones.
    pub fn prepare(&mut self, stones: u32) {
        while self.tables.len() <= stones as usize {
            let solved = solve(self, self.tables.len() as u32);
            self.tables.push(solved.values);
        }
    }

    /// The values of `stones` stones, which are prepared.
    pub fn of(&self, stones: u32) -> &[i8] {
        &self.tables[stones as usize]
    }
}

/// Solves the positions of `stones` stones, those of fewer being prepared. Never inlined: its name
/// is how a profiler tells the measured solve from the preparation.
#[inline(never)]
pub fn solve(tables: &Tables, stones: u32) -> Solved {
    engine::solve(tables.rules, stones, tables, &Storage::Memory, &Unwatched).expect("solved")
}

impl SmallerTables for Tables {
    fn read(&self, stones: u32, place: u64, values: &mut [i8]) {
        let place = place as usize;
        values.copy_from_slice(&self.of(stones)[place..place + values.len()]);
    }
}
