//! What several tests need.

use std::path::Path;

use awari::tablebase::Tablebase;
use awari::{Rules, engine, table};

/// Builds the tables of 0..=`most` stones in `directory`.
pub fn build(directory: &Path, rules: Rules, most: u32) -> Tablebase {
    let tables = Tablebase::open(directory, rules).unwrap();
    for stones in 0..=most {
        let smaller = tables.smaller_tables(stones).unwrap();
        let solved =
            engine::solve(rules, stones, &smaller, &engine::Storage::Memory, &engine::Unwatched).unwrap();
        table::write(tables.path(stones), rules, stones, &solved.values).unwrap();
    }
    tables
}
