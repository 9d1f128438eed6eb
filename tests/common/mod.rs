//! What several tests need.

// Each test file that includes this module uses a part of it.
#![allow(dead_code)]

use std::path::Path;

use awari::index::Index;
use awari::tablebase::Tablebase;
use awari::{Board, Rules, engine, half, rules, table};

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

/// Builds the tables of 0..=`most` stones in `directory`, with their depths.
pub fn build_with_depths(directory: &Path, rules: Rules, most: u32) -> Tablebase {
    let tables = build(directory, rules, most);
    for stones in 0..=most {
        build_depths(&tables, stones);
    }
    tables
}

/// Builds the depths of `stones` stones.
pub fn build_depths(tables: &Tablebase, stones: u32) {
    let values = tables.tables_with(stones).unwrap();
    let memory = engine::Storage::Memory;
    let solved = engine::solve_depths(tables.rules(), stones, &values, &memory, &engine::Unwatched).unwrap();
    let hash = tables.table(stones).unwrap().header().content_hash;
    table::write_depths(tables.depth_path(stones), tables.rules(), stones, hash, &solved.depths).unwrap();
}

/// Values of `stones` stones that agree with each other and are wrong, if they are found: those
/// that sweeps end with when they start from the belief that whoever has more stones on his side
/// wins them all. `tables` are right.
pub fn believed(tables: &Tablebase, stones: u32) -> Option<Vec<i8>> {
    let index = Index::new(stones);
    let mut right = vec![0; index.positions() as usize];
    tables.table(stones).unwrap().read(0, &mut right).unwrap();
    let believed = |board: Board| if board.settle() >= 0 { stones as i8 } else { -(stones as i8) };
    let mut values: Vec<i8> = (0..index.positions()).map(|place| believed(index.board(place))).collect();
    for _ in 0..200 {
        let mut changed = false;
        for place in 0..index.positions() {
            let turn = rules::turn(&index.board(place), tables.rules());
            let ahead = turn.moves().map(|play| {
                let value = match index.place(&play.child) {
                    Some(child) => values[child as usize],
                    None => tables.value(&play.child).unwrap(),
                };
                play.captured as i8 - value
            });
            let value = turn.end_value(stones).or(ahead.max()).unwrap();
            changed |= std::mem::replace(&mut values[place as usize], value) != value;
        }
        if !changed {
            return (values != right).then_some(values);
        }
    }
    None
}

/// Numbers that look random and are the same in every run.
pub struct Random(pub u64);

impl Random {
    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ mixed >> 31) % limit
    }

    /// Any board of `stones` stones, every share of the two sides as likely.
    pub fn board(&mut self, stones: u32) -> Board {
        let waiting = self.below(u64::from(stones) + 1) as usize;
        let mover = stones as usize - waiting;
        let mut half = |stones| half::unrank(stones, self.below(half::count(stones) as u64) as usize);
        let mut pits = [0; 12];
        pits[..6].copy_from_slice(&half(mover));
        pits[6..].copy_from_slice(&half(waiting));
        Board::new(pits).unwrap()
    }
}
