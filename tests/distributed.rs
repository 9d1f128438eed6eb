//! Solves shared out among ranks against solves of one process. Here the ranks are threads; `tests/mpi.rs`
//! has processes.

mod common;

use std::thread;

use awari::Rules;
use awari::engine::{self, Storage, Threads, Unwatched};

/// Compared up to this many stones.
const STONES: u32 = 12;

#[test]
fn ranks_find_the_values_of_one_process() {
    for rules in Rules::ALL {
        let dir = tempfile::tempdir().unwrap();
        let tables = common::build(dir.path(), rules, STONES);
        for ranks in 1..=4 {
            for stones in 0..=STONES {
                let right = tables.unpack(stones).unwrap();
                let smaller = &tables.smaller_tables(stones).unwrap();
                thread::scope(|scope| {
                    for exchange in Threads::connect(ranks) {
                        let right = &right;
                        scope.spawn(move || {
                            let memory = Storage::Memory;
                            let part =
                                engine::solve_among(&exchange, rules, stones, smaller, &memory, &Unwatched)
                                    .unwrap();
                            if let Some(values) = part.values {
                                assert!(*values == **right, "{rules}, {stones} stones, {ranks} ranks");
                            }
                        });
                    }
                });
            }
        }
    }
}
