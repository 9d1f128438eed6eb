//! Files of depths: what is written is read back, and nothing damaged or stale is ever believed.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use awari::index::Index;
use awari::table::{self, ContentHash, DepthCounts, DepthTable, TableError};
use awari::tablebase::{ProbeError, State, Tablebase};
use awari::{Board, Rules, rules};
use common::{build, build_depths};
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

const VALUES: ContentHash = ContentHash([7; 32]);

/// Depths as long as those of a table, some beyond a byte.
fn made_up(stones: u32) -> Vec<u16> {
    let depth = |place: u64| match place.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40 {
        random if random % 50 == 0 => (random / 50 % 65_536) as u16,
        random => (random % 257) as u16,
    };
    (0..Index::new(stones).positions()).map(depth).collect()
}

struct Written {
    dir: TempDir,
    path: PathBuf,
    depths: Vec<u16>,
}

fn written(stones: u32) -> Written {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("table.depth");
    let depths = made_up(stones);
    table::write_depths(&path, Rules::Awari, stones, VALUES, &depths).unwrap();
    Written { dir, path, depths }
}

/// Puts other bytes in a file's place.
fn replace(path: &Path, bytes: &[u8]) {
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Everything a reader can notice.
fn read_all(path: &Path, stones: u32) -> Result<Vec<u16>, TableError> {
    let table = DepthTable::open(path, Rules::Awari, stones, VALUES)?;
    let mut depths = vec![0; Index::new(stones).positions() as usize];
    table.read(0, &mut depths)?;
    Ok(depths)
}

#[test]
fn depths_read_back() {
    for stones in [0, 1, 5, 10] {
        let Written { path, depths, dir: _dir } = written(stones);
        let table = DepthTable::open(&path, Rules::Awari, stones, VALUES).unwrap();
        table.check().unwrap();
        let header = table.header();
        let max = depths.iter().copied().max().unwrap();
        assert_eq!(header.max, max);
        assert_eq!(header.sum, depths.iter().map(|&depth| u64::from(depth)).sum::<u64>());
        assert_eq!(header.listed, depths.iter().filter(|&&depth| depth > 254).count() as u64);
        let bytes: Vec<u8> = depths.iter().flat_map(|depth| depth.to_le_bytes()).collect();
        assert_eq!(header.content_hash.0[..], Sha256::digest(bytes)[..]);
        assert_eq!(fs::metadata(&path).unwrap().len(), header.file_bytes());
        for (place, &depth) in depths.iter().enumerate() {
            assert_eq!(table.depth(place as u64).unwrap(), depth);
        }
        assert_eq!(table.count().unwrap(), depths.iter().copied().collect::<DepthCounts>());
    }
}

/// The layout in the documentation, written down a second time.
#[test]
fn the_layout_is_as_documented() {
    let Written { path, depths, dir: _dir } = written(10);
    let bytes = fs::read(path).unwrap();
    let number = |at: usize, length: usize| {
        bytes[at..at + length].iter().rev().fold(0u64, |number, &byte| number << 8 | u64::from(byte))
    };
    assert_eq!(bytes[..8], [0x89, 0x41, 0x57, 0x41, 0x52, 0x49, 0x0D, 0x0A]);
    assert_eq!((number(8, 4), number(12, 4)), (1, 128));
    assert_eq!(bytes[16..24], [0, 10, 1, 0, 0, 0, 0, 0]);
    let (positions, blocks, data) = (number(24, 8) as usize, number(36, 4) as usize, number(40, 8) as usize);
    assert_eq!((positions, number(32, 4)), (depths.len(), 65_536));
    assert_eq!((blocks, data), (positions.div_ceil(65_536), 4096));
    assert_eq!(number(56, 8), depths.iter().map(|&depth| u64::from(depth)).sum::<u64>());
    let listed = number(64, 8) as usize;
    assert_eq!(number(48, 8) as usize, positions + 4 * listed);
    assert_eq!(number(72, 2), u64::from(*depths.iter().max().unwrap()));
    assert_eq!((number(74, 2), &bytes[108..140]), (0, &[7; 32][..]));
    let hashed: Vec<u8> = depths.iter().flat_map(|depth| depth.to_le_bytes()).collect();
    assert_eq!(bytes[76..108], Sha256::digest(hashed)[..]);
    assert_eq!(number(140, 4), u64::from(crc32fast::hash(&bytes[148..data])));
    assert_eq!(number(144, 4), u64::from(crc32fast::hash(&bytes[..144])));
    let mut before = 0;
    for block in 0..blocks {
        let places = block * 65_536..positions.min((block + 1) * 65_536);
        let end = number(148 + 12 * block, 8) as usize;
        let list = data + positions + 4 * before..data + positions + 4 * end;
        let of_block = [&bytes[data + places.start..data + places.end], &bytes[list.clone()]].concat();
        assert_eq!(number(148 + 12 * block + 8, 4), u64::from(crc32fast::hash(&of_block)));
        let mut list = list.step_by(4);
        for place in places.clone() {
            let mut depth = number(data + place, 1);
            if depth == 255 {
                let entry = list.next().unwrap();
                assert_eq!(number(entry, 2) as usize, place - places.start);
                depth = number(entry + 2, 2);
            }
            assert_eq!(depth, u64::from(depths[place]));
        }
        assert_eq!(list.next(), None);
        before = end;
    }
    assert_eq!(before, listed);
}

#[test]
fn the_bytes_depend_on_the_depths_alone() {
    let first = written(10);
    let again = first.dir.path().join("again.depth");
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    one_thread.install(|| table::write_depths(&again, Rules::Awari, 10, VALUES, &first.depths)).unwrap();
    assert_eq!(fs::read(&first.path).unwrap(), fs::read(&again).unwrap());
}

#[test]
fn a_changed_bit_anywhere_is_noticed() {
    let Written { path, depths, dir: _dir } = written(3);
    assert!(depths.iter().any(|&depth| depth > 254));
    let good = fs::read(&path).unwrap();
    assert_eq!(read_all(&path, 3).unwrap(), depths);
    for at in 0..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= if at % 9 == 8 { 0xFF } else { 1 << (at % 9) };
        replace(&path, &bytes);
        let error = read_all(&path, 3).expect_err(&format!("byte {at}"));
        assert!(error.to_string().contains("table.depth"), "{error}");
    }
}

#[test]
fn any_other_length_is_noticed() {
    let Written { path, dir: _dir, .. } = written(3);
    let good = fs::read(&path).unwrap();
    for length in (0..300).chain(4000..good.len()) {
        replace(&path, &good[..length]);
        let error = DepthTable::open(&path, Rules::Awari, 3, VALUES).unwrap_err();
        assert!(
            matches!(
                error,
                TableError::WrongLength { found, expected, .. } | TableError::CutHeader { found, expected, .. }
                    if found == length as u64 && expected > found
            ),
            "{length} bytes: {error}"
        );
    }
    replace(&path, &[&good[..], &[0]].concat());
    let error = DepthTable::open(&path, Rules::Awari, 3, VALUES).unwrap_err();
    assert!(error.to_string().contains("too long"), "{error}");
}

#[test]
fn a_damaged_block_is_named_and_the_others_are_read() {
    let Written { path, depths, dir: _dir } = written(10);
    let table = DepthTable::open(&path, Rules::Awari, 10, VALUES).unwrap();
    let offset = table.header().data_offset();
    let good = fs::read(&path).unwrap();
    // In the bytes of block 3, and in the list: its first depth belongs to block 0.
    for (at, damaged) in [(offset + 3 * 65_536 + 17, 3), (offset + depths.len() as u64, 0)] {
        let mut bytes = good.clone();
        bytes[at as usize] ^= 0x10;
        replace(&path, &bytes);
        let table = DepthTable::open(&path, Rules::Awari, 10, VALUES).unwrap();
        for place in (0..depths.len()).step_by(777) {
            match table.depth(place as u64) {
                Ok(depth) => assert_eq!(depth, depths[place]),
                Err(TableError::CorruptBlock { block, blocks: 6, .. }) => {
                    assert_eq!((block, place as u64 / 65_536), (damaged, damaged));
                }
                Err(error) => panic!("{error}"),
            }
        }
        let error = table.check().unwrap_err();
        assert!(matches!(error, TableError::CorruptBlock { block, .. } if block == damaged), "{error}");
        assert!(table.count().is_err());
    }
}

/// Changes bytes and makes all checksums right again, as a hostile writer would.
fn resigned(path: &Path, change: impl Fn(&mut Vec<u8>)) -> Result<(), TableError> {
    let good = fs::read(path).unwrap();
    let mut bytes = good.clone();
    change(&mut bytes);
    let (data, positions) = (4096, 364);
    let block = crc32fast::hash(&bytes[data..]);
    bytes[156..160].copy_from_slice(&block.to_le_bytes());
    let directory = crc32fast::hash(&bytes[148..data]);
    bytes[140..144].copy_from_slice(&directory.to_le_bytes());
    let header = crc32fast::hash(&bytes[..144]);
    bytes[144..148].copy_from_slice(&header.to_le_bytes());
    replace(path, &bytes);
    let checked = DepthTable::open(path, Rules::Awari, 3, VALUES).and_then(|table| {
        assert_eq!(table.index().positions(), positions);
        table.check()
    });
    replace(path, &good);
    checked
}

#[test]
fn files_that_cannot_be_right_are_refused() {
    let Written { path, depths, dir: _dir } = written(3);
    resigned(&path, |_| {}).unwrap();
    let refused = |at: usize, new: &[u8], says: &str| {
        let error = resigned(&path, |bytes| bytes[at..at + new.len()].copy_from_slice(new)).unwrap_err();
        assert!(error.to_string().contains(says), "{says:?} at {at}: {error}");
    };
    let huge = [0xFF; 8];
    refused(8, &[2], "format version 2, and this program reads up to version 1");
    refused(12, &[1], "header length is 1, expected 128");
    refused(16, &[1], "a table of rules abapa, expected rules awari");
    refused(16, &[9], "rules 9 is unknown");
    refused(17, &[49], "stones is 49, expected 0 to 48");
    refused(18, &[0], "a table of values, expected depths");
    refused(18, &[77], "metric 77 is unknown");
    refused(19, &[1], "index order 1 is unknown");
    refused(20, &[2], "encoding 2 is unknown");
    refused(22, &[1], "zeros is 1, expected 0");
    refused(24, &huge, "positions is 18446744073709551615, expected 364");
    refused(32, &huge[..4], "block positions is");
    refused(36, &huge[..4], "blocks is");
    refused(40, &huge, "data offset is");
    refused(48, &huge, "data bytes is");
    refused(56, &huge, "sum of the depths is 18446744073709551615");
    refused(64, &huge, "depths in the list is 18446744073709551615, expected up to 364");
    refused(72, &[1, 0], "greatest depth is 1");
    refused(74, &[1], "zero is 1, expected 0");
    refused(76, &huge, "wrong values: their SHA-256 is");
    refused(108, &huge, "stale depths");
    refused(148, &huge, "end of a part of the list is 18446744073709551615, expected 0 to 364");
    refused(148, &[0; 8], "depths in the list is");
    // A list that is out of step with the bytes.
    let listed = depths.iter().position(|&depth| depth > 254).unwrap();
    refused(4096 + listed, &[3], "the checksum of block 0");
    refused(4096 + 364 + 2, &[254, 0], "the checksum of block 0");
}

#[test]
fn the_wrong_file_is_refused() {
    let Written { dir, path, depths } = written(3);
    let open = |rules, stones, hash| DepthTable::open(&path, rules, stones, hash).unwrap_err();
    let error = open(Rules::Abapa, 3, VALUES);
    assert!(matches!(error, TableError::WrongRules { .. }), "{error}");
    let error = open(Rules::Awari, 4, VALUES);
    assert!(matches!(error, TableError::WrongStones { expected: 4, found: 3, .. }), "{error}");
    let error = open(Rules::Awari, 3, ContentHash([8; 32]));
    assert!(matches!(error, TableError::StaleDepths { found: VALUES, .. }), "{error}");
    assert!(error.to_string().contains("stale depths"), "{error}");

    // Neither kind of table is taken for the other.
    let error = table::Table::open(&path, Rules::Awari, 3).unwrap_err().to_string();
    assert!(error.contains("a table of depths, expected values"), "{error}");
    let values = dir.path().join("03.awari");
    table::write(&values, Rules::Awari, 3, &vec![0; depths.len()]).unwrap();
    let error = DepthTable::open_any(&values).unwrap_err().to_string();
    assert!(error.contains("a table of values, expected depths"), "{error}");

    let write = |stones, depths: &[u16]| {
        let path = dir.path().join("none.depth");
        table::write_depths(&path, Rules::Awari, stones, VALUES, depths).unwrap_err().to_string()
    };
    assert!(write(3, &depths[1..]).contains("363 depths, and a table of 3 stones has 364 positions"));
    assert!(write(49, &depths).contains("49 stones, and a game has 48"));
    assert!(!dir.path().join("none.depth").exists());
}

#[test]
fn a_directory_tells_depths_that_are_there_stale_damaged_or_missing() {
    let dir = tempfile::tempdir().unwrap();
    let tables = build(dir.path(), Rules::Awari, 4);
    (0..=3).for_each(|stones| build_depths(&tables, stones));
    let mut other = vec![0; Index::new(2).positions() as usize];
    other[5] = 1;
    table::write(tables.path(2), Rules::Awari, 2, &other).unwrap();
    let bytes = fs::read(tables.depth_path(3)).unwrap();
    fs::write(tables.depth_path(3), &bytes[1..]).unwrap();

    let tables = Tablebase::open(dir.path(), Rules::Awari).unwrap();
    for found in tables.found() {
        match (found.stones, &found.depth_state) {
            (0 | 1, State::Usable) | (4.., State::Missing) => {}
            (2, State::Unusable(TableError::StaleDepths { .. })) => {}
            (3, State::Unusable(TableError::NotATable { .. })) => {}
            _ => panic!("{found:?}"),
        }
        assert_eq!(found.depth_path, tables.depth_path(found.stones));
    }
    let board = |pits| Board::new(pits).unwrap();
    let one = tables.probe(&board([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0])).unwrap();
    assert_eq!((one.value, one.depth), (-1, Some(1)));
    let error = tables.needed_depths(4).unwrap_err();
    assert!(matches!(error, ProbeError::MissingDepths { stones: 4, .. }), "{error}");
    assert!(error.to_string().contains("no depths of 4 stones under rules awari"), "{error}");
    assert!(matches!(tables.depths(4), Ok(None)));
}

#[test]
fn depths_are_told_as_far_as_they_are_known() {
    let dir = tempfile::tempdir().unwrap();
    let tables = build(dir.path(), Rules::Awari, 7);
    // None yet: only where the value is 0 or the game is over, or a board in no table converts.
    for stones in 0..=7 {
        let index = Index::new(stones);
        for board in (0..index.positions()).map(|place| index.board(place)) {
            let probe = tables.probe(&board).unwrap();
            let known = probe.value == 0 || rules::turn(&board, Rules::Awari).end.is_some();
            assert_eq!(probe.depth, known.then_some(0), "{board}");
        }
    }
    (0..=7).for_each(|stones| build_depths(&tables, stones));
    for stones in 0..=7 {
        // A probe would find them only after a while; who asks for them finds them at once.
        assert!(tables.depths(stones).unwrap().is_some());
        let index = Index::new(stones);
        for board in (0..index.positions()).map(|place| index.board(place)) {
            let probe = tables.probe(&board).unwrap();
            let best = tables.moves(&board).unwrap().into_iter().filter(|play| play.best);
            let depths = best.map(|play| play.depth().unwrap());
            let expected = if probe.value > 0 { depths.min() } else { depths.max() };
            let expected = if probe.value == 0 { 0 } else { expected.unwrap_or_default() };
            assert_eq!(probe.depth, Some(expected), "{board}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_run_reads_back(
        stones in 0u32..=10,
        runs in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 30),
    ) {
        let Written { path, depths, dir: _dir } = written(stones);
        let table = DepthTable::open(&path, Rules::Awari, stones, VALUES).unwrap();
        for (a, b) in runs {
            let (a, b) = (a.index(depths.len()), b.index(depths.len()));
            let run = a.min(b)..a.max(b) + 1;
            let mut read = vec![99; run.len()];
            table.read(run.start as u64, &mut read).unwrap();
            prop_assert_eq!(&read, &depths[run]);
        }
    }

    /// Whatever a header and a directory say, opening gives a table or an error.
    #[test]
    fn any_start_is_survived(
        at in 0usize..200,
        new in prop::collection::vec(any::<u8>(), 1..60),
        sign in any::<bool>(),
        length in 0usize..6000,
    ) {
        let Written { path, depths, dir: _dir } = written(3);
        let mut bytes = fs::read(&path).unwrap();
        bytes[at..at + new.len()].copy_from_slice(&new);
        if sign {
            let directory = crc32fast::hash(&bytes[148..4096]);
            bytes[140..144].copy_from_slice(&directory.to_le_bytes());
            let checksum = crc32fast::hash(&bytes[..144]);
            bytes[144..148].copy_from_slice(&checksum.to_le_bytes());
        }
        if length % 2 == 0 {
            bytes.resize(length, 0xA5);
        }
        replace(&path, &bytes);
        if let Ok(table) = DepthTable::open_any(&path) {
            let mut read = vec![0; table.header().positions() as usize];
            if table.read(0, &mut read).is_ok() && table.check().is_ok() {
                prop_assert_eq!(read, depths);
            }
        }
    }
}
