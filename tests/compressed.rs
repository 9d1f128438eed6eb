//! Compressed tables answer as packed ones do, and damage is found.

use std::fs;

use awari::table::{self, Encoding, Table, TableError};
use awari::tablebase::{ProbeError, Tablebase, table_path};
use awari::{Board, Rules, engine, verify};
use proptest::prelude::*;

const STONES: u32 = 9;

/// Packed tables of 0..=[`STONES`] stones in one directory, and the same compressed in another.
fn both(rules: Rules) -> (tempfile::TempDir, tempfile::TempDir) {
    let (packed, compressed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let tables = Tablebase::open(compressed.path(), rules).unwrap();
    for stones in 0..=STONES {
        // Each is built from compressed ones.
        let smaller = tables.smaller_tables(stones).unwrap();
        let solved =
            engine::solve(rules, stones, &smaller, &engine::Storage::Memory, &engine::Unwatched).unwrap();
        let path = |dir: &tempfile::TempDir| table_path(dir.path(), rules, stones);
        let plain = table::write(path(&packed), rules, stones, &solved.values).unwrap();
        let header =
            table::write_as(Encoding::Compressed, path(&compressed), rules, stones, &solved.values).unwrap();
        assert_eq!(header.content_hash, plain.content_hash);
        assert_eq!(header.counts, plain.counts);
        assert_eq!(header.file_bytes(), fs::metadata(path(&compressed)).unwrap().len());
    }
    (packed, compressed)
}

#[test]
fn they_answer_as_packed_tables_do() {
    for rules in Rules::ALL {
        let (packed, compressed) = both(rules);
        let packed = Tablebase::open(packed.path(), rules).unwrap();
        let compressed = Tablebase::open(compressed.path(), rules).unwrap();
        for stones in 0..=STONES {
            let table = packed.table(stones).unwrap();
            let mut values = vec![0; table.header().positions() as usize];
            table.read(0, &mut values).unwrap();
            assert_eq!(&*compressed.unpack(stones).unwrap(), &values[..]);
            assert_eq!(&*packed.unpack(stones).unwrap(), &values[..]);
            assert_eq!(compressed.count(stones).unwrap(), packed.count(stones).unwrap());
            let table = compressed.table(stones).unwrap();
            table.check().unwrap();
            let mut stored = 0;
            for (place, &value) in values.iter().enumerate() {
                let board = table.index().board(place as u64);
                assert_eq!(compressed.probe(&board).unwrap().value, value, "{rules}: {board}");
                match table.stored(place as u64).unwrap() {
                    Some(found) => {
                        assert_eq!(found, value);
                        stored += 1;
                    }
                    None => assert!(matches!(table.value(place as u64), Err(TableError::LooksAhead { .. }))),
                }
            }
            assert!(2 * stored <= values.len() + values.len() / 4, "{stored} of {}", values.len());
            verify::verify(&compressed, stones, &|_, _, _| {}, &|| false).unwrap();
        }
    }
}

#[test]
fn the_bytes_do_not_depend_on_the_threads() {
    let (packed, compressed) = both(Rules::Awari);
    let values = Tablebase::open(packed.path(), Rules::Awari).unwrap().unpack(STONES).unwrap();
    let path = packed.path().join("again.awari");
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    one.install(|| table::write_as(Encoding::Compressed, &path, Rules::Awari, STONES, &values)).unwrap();
    let first = fs::read(table_path(compressed.path(), Rules::Awari, STONES)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), first);
}

#[test]
fn a_directory_may_hold_both_kinds() {
    let (packed, compressed) = both(Rules::Awari);
    for stones in (0..=STONES).step_by(2) {
        let path = |dir: &tempfile::TempDir| table_path(dir.path(), Rules::Awari, stones);
        fs::copy(path(&packed), path(&compressed)).unwrap();
    }
    let mixed = Tablebase::open(compressed.path(), Rules::Awari).unwrap();
    let packed = Tablebase::open(packed.path(), Rules::Awari).unwrap();
    for stones in 0..=STONES {
        verify::verify(&mixed, stones, &|_, _, _| {}, &|| false).unwrap();
        let index = awari::index::Index::new(stones);
        for place in (0..index.positions()).step_by(37) {
            let board: Board = index.board(place);
            assert_eq!(mixed.moves(&board).unwrap(), packed.moves(&board).unwrap());
        }
    }
}

#[test]
fn a_look_ahead_needs_the_smaller_tables() {
    let (_, compressed) = both(Rules::Awari);
    for stones in 0..STONES {
        fs::remove_file(table_path(compressed.path(), Rules::Awari, stones)).unwrap();
    }
    let tables = Tablebase::open(compressed.path(), Rules::Awari).unwrap();
    // Stored: the mover has more stones.
    let board = Board::new([0, 2, 2, 2, 0, 1, 0, 1, 1, 0, 0, 0]).unwrap();
    tables.probe(&board).unwrap();
    // Left out, and the last pit can capture.
    let board = Board::new([0, 0, 0, 0, 0, 1, 1, 2, 2, 1, 2, 0]).unwrap();
    assert!(matches!(tables.probe(&board), Err(ProbeError::Missing { stones: 7, .. })));
    assert!(tables.unpack(STONES).is_err());
}

#[test]
fn any_damaged_byte_is_found() {
    let (_, compressed) = both(Rules::Awari);
    let path = table_path(compressed.path(), Rules::Awari, 7);
    let right = fs::read(&path).unwrap();
    let index = awari::index::Index::new(7);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(60));
    runner
        .run(&(any::<prop::sample::Index>(), 1u8..), |(at, flip)| {
            let mut bytes = right.clone();
            bytes[at.index(right.len())] ^= flip;
            let damaged = compressed.path().join("damaged.awari");
            fs::write(&damaged, &bytes).unwrap();
            let refused = Table::open(&damaged, Rules::Awari, 7).and_then(|table| {
                // No wrong value before that.
                (0..index.positions()).try_for_each(|place| table.stored(place).map(|_| ()))?;
                table.check()
            });
            prop_assert!(refused.is_err());
            Ok(())
        })
        .unwrap();
}
