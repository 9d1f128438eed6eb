//! Compressed depths answer as packed ones do, and damage is found.

mod common;

use std::fs;
use std::path::Path;

use awari::index::Index;
use awari::table::{self, ContentHash, DepthTable, Encoding, TableError};
use awari::tablebase::{Tablebase, table_path};
use awari::{Rules, stats, verify};
use common::{Random, build_with_depths};

const STONES: u32 = 9;

/// Writes the depths of `tables` compressed to `directory`, and their values in this encoding.
fn compress(tables: &Tablebase, directory: &Path, values_in: Encoding) -> Tablebase {
    let compressed = Tablebase::open(directory, tables.rules()).unwrap();
    for stones in 0..=STONES {
        let (rules, values) = (tables.rules(), tables.unpack(stones).unwrap());
        let header = table::write_as(values_in, compressed.path(stones), rules, stones, &values).unwrap();
        let packed = tables.depths(stones).unwrap().unwrap().header();
        let (path, depths) = (compressed.depth_path(stones), tables.unpack_depths(stones).unwrap());
        let hash = header.content_hash;
        let depths = table::write_compressed_depths(&path, rules, stones, hash, &values, &depths).unwrap();
        assert_eq!(depths.encoding, Encoding::Compressed);
        assert_eq!(
            (depths.content_hash, depths.values_hash, depths.max, depths.sum, depths.listed),
            (packed.content_hash, packed.values_hash, packed.max, packed.sum, packed.listed)
        );
        assert_eq!(depths.file_bytes(), fs::metadata(path).unwrap().len());
    }
    compressed
}

#[test]
fn they_answer_as_packed_depths_do() {
    for rules in Rules::ALL {
        let dir = tempfile::tempdir().unwrap();
        let packed = build_with_depths(&dir.path().join("packed"), rules, STONES);
        for values_in in [Encoding::Packed, Encoding::Compressed] {
            let compressed = compress(&packed, &dir.path().join(values_in.to_string()), values_in);
            for stones in 0..=STONES {
                let depths = packed.unpack_depths(stones).unwrap();
                assert_eq!(compressed.unpack_depths(stones).unwrap(), depths);
                assert_eq!(compressed.count_depths(stones).unwrap(), packed.count_depths(stones).unwrap());
                assert_eq!(
                    stats::deepest(&compressed, stones).unwrap(),
                    stats::deepest(&packed, stones).unwrap()
                );
                let values = compressed.table(stones).unwrap();
                let table = compressed.needed_depths(stones).unwrap();
                table.check().unwrap();
                for (place, &depth) in depths.iter().enumerate().step_by(1 + stones as usize / 6) {
                    let place = place as u64;
                    let board = table.index().board(place);
                    assert_eq!(compressed.probe(&board).unwrap().depth, Some(depth), "{rules}: {board}");
                    assert!(table.stored(place, values).unwrap().is_none_or(|stored| stored == depth));
                    assert!(matches!(table.depth(place), Err(TableError::LooksAhead { .. })));
                }
                let mut random = Random(u64::from(stones));
                for _ in 0..200 {
                    let board = random.board(stones);
                    assert_eq!(compressed.moves(&board).unwrap(), packed.moves(&board).unwrap());
                    assert_eq!(compressed.best_move(&board).unwrap(), packed.best_move(&board).unwrap());
                }
            }
            verify::prove(&compressed, STONES, &|_, _, _| {}, &|| false).unwrap();
        }
    }
}

#[test]
fn the_bytes_do_not_depend_on_the_threads() {
    let dir = tempfile::tempdir().unwrap();
    let packed = build_with_depths(dir.path(), Rules::Awari, STONES);
    let (values, depths) = (packed.unpack(STONES).unwrap(), packed.unpack_depths(STONES).unwrap());
    let hash = packed.table(STONES).unwrap().header().content_hash;
    let bytes = |threads| {
        let path = dir.path().join("again.depth");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let write =
            || table::write_compressed_depths(&path, Rules::Awari, STONES, hash, &values, &depths).unwrap();
        pool.install(write);
        fs::read(&path).unwrap()
    };
    assert_eq!(bytes(1), bytes(3));
}

/// A small table: values, their hash and depths, some of them longer than a byte.
fn small() -> (Vec<i8>, ContentHash, Vec<u16>) {
    let mut random = Random(5);
    let positions = Index::new(5).positions();
    let values: Vec<i8> = (0..positions).map(|_| random.below(11) as i8 - 5).collect();
    let depths = values.iter().map(|&value| match (value, random.below(40)) {
        (0, _) => 0,
        (_, 0) => random.below(65_536) as u16,
        (_, 1) => 254 + random.below(3) as u16,
        _ => random.below(9) as u16,
    });
    let depths = depths.collect();
    (values, ContentHash([9; 32]), depths)
}

/// Reads all that a file holds.
fn read_all(path: &Path, values: &table::Table) -> Result<Vec<Option<u16>>, TableError> {
    let table = DepthTable::open_any(path)?;
    (0..table.index().positions()).map(|place| table.stored(place, values)).collect()
}

#[test]
fn long_depths_read_back_and_any_damaged_byte_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let (values, hash, depths) = small();
    let values_path = table_path(dir.path(), Rules::Awari, 5);
    table::write(&values_path, Rules::Awari, 5, &values).unwrap();
    let table = table::Table::open(&values_path, Rules::Awari, 5).unwrap();
    let path = dir.path().join("05.depth");
    let header = table::write_compressed_depths(&path, Rules::Awari, 5, hash, &values, &depths).unwrap();
    assert!(header.max > 1_000 && header.listed > 50, "{header:?}");
    let stored = read_all(&path, &table).unwrap();
    assert!(stored.iter().zip(&depths).all(|(stored, &depth)| stored.is_none_or(|stored| stored == depth)));
    assert!(stored.iter().flatten().count() * 5 > depths.len() * 2);

    let right = fs::read(&path).unwrap();
    let damaged = dir.path().join("damaged.depth");
    // Every byte but those of the zeros between directory and data, of which some.
    let zeros = 200..4096;
    for at in (0..right.len()).filter(|at| !zeros.contains(at) || at % 97 == 0) {
        let mut bytes = right.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(&damaged, &bytes).unwrap();
        assert!(read_all(&damaged, &table).is_err(), "byte {at}");
        fs::remove_file(&damaged).unwrap();
    }
    for length in [0, 15, 16, 147, 148, 4096, right.len() - 1] {
        fs::write(&damaged, &right[..length]).unwrap();
        assert!(read_all(&damaged, &table).is_err(), "{length} bytes");
        fs::remove_file(&damaged).unwrap();
    }
}

/// A header whose checksums are right and whose numbers are absurd.
#[test]
fn absurd_sizes_are_refused_without_taking_memory() {
    let dir = tempfile::tempdir().unwrap();
    let (values, hash, depths) = small();
    let path = dir.path().join("05.depth");
    table::write_compressed_depths(&path, Rules::Awari, 5, hash, &values, &depths).unwrap();
    let right = fs::read(&path).unwrap();
    let sealed = |mut bytes: Vec<u8>| {
        let directory = crc32fast::hash(&bytes[148..4096]).to_le_bytes();
        bytes[140..144].copy_from_slice(&directory);
        let header = crc32fast::hash(&bytes[..144]).to_le_bytes();
        bytes[144..148].copy_from_slice(&header);
        fs::write(&path, &bytes).unwrap();
        DepthTable::open_any(&path).unwrap_err()
    };
    assert!(DepthTable::open_any(&path).is_ok());
    // stones, positions, blocks, offset, bytes of data, listed
    for (at, length) in [(17, 1), (24, 8), (36, 4), (40, 8), (48, 8), (64, 8)] {
        for with in [0xFF, 0x7F, 48] {
            let mut bytes = right.clone();
            bytes[at..at + length].fill(with);
            let error = sealed(bytes);
            assert!(
                matches!(error, TableError::CorruptHeader { .. } | TableError::WrongLength { .. }),
                "{error}"
            );
        }
    }
    // The length of a block.
    for block in 0..2 {
        let mut bytes = right.clone();
        bytes[148 + 8 * block + 4..][..4].fill(0xFF);
        let error = sealed(bytes);
        assert!(matches!(error, TableError::CorruptHeader { .. }), "{error}");
    }
}

#[test]
fn what_does_not_fit_is_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("05.depth");
    let (mut values, hash, mut depths) = small();
    let written = |values: &[i8], depths: &[u16]| {
        table::write_compressed_depths(&path, Rules::Awari, 5, hash, values, depths)
    };
    assert!(matches!(written(&values[1..], &depths), Err(TableError::WrongValues { .. })));
    assert!(matches!(written(&values, &depths[1..]), Err(TableError::WrongValues { .. })));
    (values[77], depths[77]) = (0, 1);
    let error = written(&values, &depths).unwrap_err();
    assert!(error.to_string().contains("depth 1 beside value 0 at place 77"), "{error}");
    (values[77], depths[77]) = (6, 1);
    assert!(matches!(written(&values, &depths), Err(TableError::WrongValues { .. })));
    assert!(!path.exists());
}
