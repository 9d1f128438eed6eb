//! Table files: what is written is read back, and nothing damaged is ever believed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use awari::index::Index;
use awari::table::{self, BLOCK_POSITIONS, Counts, Table, TableError};
use awari::{Rules, engine};
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// Reads smaller tables from memory.
struct InMemory(Vec<Vec<i8>>);

impl engine::SmallerTables for InMemory {
    fn read(&self, stones: u32, place: u64, values: &mut [i8]) {
        let place = place as usize;
        values.copy_from_slice(&self.0[stones as usize][place..place + values.len()]);
    }
}

fn solved(rules: Rules, most: u32) -> Vec<Vec<i8>> {
    let mut tables = InMemory(Vec::new());
    for stones in 0..=most {
        let solved =
            engine::solve(rules, stones, &tables, &engine::Storage::Memory, &engine::Unwatched).unwrap();
        tables.0.push(solved.values.to_vec());
    }
    tables.0
}

/// Values that look like those of a table and cost nothing to make.
fn made_up(stones: u32) -> Vec<i8> {
    let range = 2 * u64::from(stones) + 1;
    (0..Index::new(stones).positions())
        .map(|place| ((place.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) % range) as i8 - stones as i8)
        .collect()
}

struct Written {
    dir: TempDir,
    path: PathBuf,
    values: Vec<i8>,
}

fn written(stones: u32) -> Written {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("table.awari");
    let values = made_up(stones);
    table::write(&path, Rules::Awari, stones, &values).unwrap();
    Written { dir, path, values }
}

/// Puts other bytes in a file's place. Many file systems force a file to disk that is emptied and
/// filled again, and thousands are: so it is a new file.
fn replace(path: &Path, bytes: &[u8]) {
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Everything a reader can notice.
fn read_all(path: &Path, stones: u32) -> Result<Vec<i8>, TableError> {
    let table = Table::open(path, Rules::Awari, stones)?;
    let mut values = vec![0; Index::new(stones).positions() as usize];
    table.read(0, &mut values)?;
    Ok(values)
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn solved_values_read_back() {
    for rules in Rules::ALL {
        let dir = tempfile::tempdir().unwrap();
        for (stones, values) in solved(rules, 6).iter().enumerate() {
            let stones = stones as u32;
            let path = dir.path().join(format!("{stones}.awari"));
            let header = table::write(&path, rules, stones, values).unwrap();
            let table = Table::open(&path, rules, stones).unwrap();
            table.check().unwrap();
            assert_eq!(table.header(), &header);
            assert_eq!(header.counts, values.iter().copied().collect::<Counts>());
            assert_eq!(table.count().unwrap(), header.counts);
            let bytes: Vec<u8> = values.iter().map(|&value| value as u8).collect();
            assert_eq!(header.content_hash.0[..], Sha256::digest(bytes)[..]);
            assert_eq!(fs::metadata(&path).unwrap().len(), header.file_bytes());
            for (place, &value) in values.iter().enumerate() {
                assert_eq!(table.value(place as u64).unwrap(), value);
            }
        }
    }
}

#[test]
fn the_bytes_depend_on_the_values_alone() {
    let first = written(10);
    let again = first.dir.path().join("again.awari");
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    one_thread.install(|| table::write(&again, Rules::Awari, 10, &first.values)).unwrap();
    assert_eq!(fs::read(&first.path).unwrap(), fs::read(&again).unwrap());
}

/// The layout in the documentation, written down a second time.
#[test]
fn the_layout_is_as_documented() {
    let Written { path, values, dir: _dir } = written(10);
    let bytes = fs::read(path).unwrap();
    let number = |at: usize, length: usize| {
        bytes[at..at + length].iter().rev().fold(0u64, |number, &byte| number << 8 | u64::from(byte))
    };
    assert_eq!(bytes[..8], [0x89, 0x41, 0x57, 0x41, 0x52, 0x49, 0x0D, 0x0A]);
    assert_eq!((number(8, 4), number(12, 4)), (1, 852));
    assert_eq!(bytes[16..24], [0, 10, 0, 0, 0, 5, 0, 0]);
    let (positions, blocks, data) = (number(24, 8), number(36, 4), number(40, 8) as usize);
    assert_eq!(positions, values.len() as u64);
    assert_eq!((number(32, 4), blocks, data), (65_536, positions.div_ceil(65_536), 4096));
    assert_eq!(number(48, 8), (positions * 5).div_ceil(8) + 8);
    let counts: Vec<u64> = (0..97).map(|slot| number(56 + 8 * slot, 8)).collect();
    for value in -48i8..=48 {
        let count = values.iter().filter(|&&v| v == value).count() as u64;
        assert_eq!(counts[(value + 48) as usize], count);
    }
    let hashed: Vec<u8> = values.iter().map(|&value| value as u8).collect();
    assert_eq!(bytes[832..864], Sha256::digest(hashed)[..]);
    assert_eq!(number(864, 4), u64::from(crc32fast::hash(&bytes[872..data])));
    assert_eq!(number(868, 4), u64::from(crc32fast::hash(&bytes[..868])));
    for block in 0..blocks as usize {
        let start = data + block * 8192 * 5;
        let end = if block + 1 == blocks as usize { bytes.len() } else { start + 8192 * 5 };
        assert_eq!(number(872 + 4 * block, 4), u64::from(crc32fast::hash(&bytes[start..end])));
    }
    let meaning: Vec<i8> = (-48..=48).filter(|&value| counts[(value + 48) as usize] > 0).collect();
    for (place, &value) in values.iter().enumerate() {
        let code = number(data + place * 5 / 8, 8) >> (place * 5 % 8) & 31;
        assert_eq!(meaning[code as usize], value);
    }
}

#[test]
fn a_changed_bit_anywhere_is_noticed() {
    let Written { path, values, dir: _dir } = written(3);
    let good = fs::read(&path).unwrap();
    assert_eq!(read_all(&path, 3).unwrap(), values);
    for at in 0..good.len() {
        // One bit a byte, every bit over eight bytes, and now and then all of them.
        let mut bytes = good.clone();
        bytes[at] ^= if at % 9 == 8 { 0xFF } else { 1 << (at % 9) };
        replace(&path, &bytes);
        let error = read_all(&path, 3).expect_err(&format!("byte {at}"));
        assert!(error.to_string().contains("table.awari"), "{error}");
    }
}

#[test]
fn a_damaged_block_is_named_and_the_others_are_read() {
    let Written { path, values, dir: _dir } = written(10);
    let table = Table::open(&path, Rules::Awari, 10).unwrap();
    let block = 3;
    let at = table.header().data_offset() + block * 8192 * u64::from(table.header().bits()) + 17;
    let mut bytes = fs::read(&path).unwrap();
    bytes[at as usize] ^= 0x10;
    drop(table);
    replace(&path, &bytes);

    let table = Table::open(&path, Rules::Awari, 10).unwrap();
    let named = |error| {
        assert!(matches!(error, TableError::CorruptBlock { block: 3, blocks: 6, .. }), "{error}");
    };
    for place in (0..values.len()).step_by(777) {
        match table.value(place as u64) {
            Ok(value) => assert_eq!(value, values[place]),
            Err(error) => {
                assert_eq!(place as u64 / BLOCK_POSITIONS, block);
                named(error);
            }
        }
    }
    let mut run = [0; 100];
    table.read(block * BLOCK_POSITIONS - 100, &mut run).unwrap();
    named(table.read(block * BLOCK_POSITIONS - 99, &mut run).unwrap_err());
    named(table.check().unwrap_err());
    named(table.check_blocks().unwrap_err());
    named(table.count().unwrap_err());
}

#[test]
fn any_other_length_is_noticed() {
    let Written { path, dir: _dir, .. } = written(3);
    let good = fs::read(&path).unwrap();
    for length in 0..good.len() {
        replace(&path, &good[..length]);
        let error = Table::open(&path, Rules::Awari, 3).unwrap_err();
        match error {
            TableError::WrongLength { found, expected, .. } => {
                assert!(found == length as u64 && expected > found && length >= 872, "{error}");
            }
            TableError::CutHeader { found, expected, .. } => {
                assert!(found == length as u64 && expected == 872 && length < 872, "{error}");
            }
            _ => panic!("{length} bytes: {error}"),
        }
    }
    for more in [1, 7, 4096] {
        let mut bytes = good.clone();
        bytes.resize(good.len() + more, 0);
        replace(&path, &bytes);
        let error = Table::open(&path, Rules::Awari, 3).unwrap_err();
        assert!(error.to_string().contains("too long"), "{error}");
    }
}

/// Changes header bytes and makes the checksum right again, as a hostile writer would.
fn with_header(path: &Path, at: usize, new: &[u8]) -> TableError {
    let good = fs::read(path).unwrap();
    let mut bytes = good.clone();
    bytes[at..at + new.len()].copy_from_slice(new);
    let checksum = crc32fast::hash(&bytes[..868]);
    bytes[868..872].copy_from_slice(&checksum.to_le_bytes());
    replace(path, &bytes);
    let error = Table::open(path, Rules::Awari, 3).unwrap_err();
    replace(path, &good);
    error
}

#[test]
fn headers_that_cannot_be_right_are_refused() {
    let Written { path, dir: _dir, .. } = written(3);
    let refused = |at, new: &[u8], says: &str| {
        let error = with_header(&path, at, new).to_string();
        assert!(error.contains(says), "{says:?} at {at}: {error}");
    };
    let huge = [0xFF; 8];
    refused(0, b"RIFF", "not an awari table");
    refused(8, &[2], "format version 2, and this program reads up to version 1");
    refused(8, &[0], "format version is 0, expected 1");
    refused(12, &huge[..4], "header length is 4294967295, expected 852");
    refused(16, &[1], "a table of rules abapa, expected rules awari");
    refused(16, &[9], "rules 9 is unknown");
    refused(17, &[49], "stones is 49, expected 0 to 48");
    refused(17, &[48], "sum of the counts is 364, expected");
    refused(18, &[1], "a table of depths, expected values");
    refused(18, &[77], "metric 77 is unknown");
    refused(19, &[1], "index order 1 is unknown");
    refused(20, &[1], "bits is 3, expected 0");
    refused(20, &[2], "encoding 2 is unknown");
    refused(21, &[7], "bits is 7, expected 3");
    refused(23, &[1], "zero is 256, expected 0");
    refused(24, &huge, "positions is 18446744073709551615, expected 364");
    refused(32, &huge[..4], "block positions is 4294967295, expected 65536");
    refused(36, &huge[..4], "blocks is 4294967295, expected 1");
    refused(40, &huge, "data offset is 18446744073709551615, expected 4096");
    refused(48, &huge, "data bytes is 18446744073709551615, expected 145");
    refused(56, &huge, "sum of the counts is more than 2^64, expected 364");
    refused(56 + 8 * 97 - 8, &[1], "sum of the counts is 365, expected 364");
    refused(864, &[1, 2, 3, 4], "checksum of the block directory");
    // The same number of positions, one of them with a value nothing can have.
    let first = 56 + 8 * 45;
    let count = fs::read(&path).unwrap()[first];
    let mut counts = vec![0; 9 * 8];
    counts[0] = 1;
    counts[8 * 8] = count - 1;
    refused(first - 8 * 8, &counts, "counted value is -11, expected -3 to 3");
}

#[test]
fn a_count_or_a_hash_that_does_not_fit_is_found_by_the_check() {
    let Written { path, values, dir: _dir } = written(3);
    let good = fs::read(&path).unwrap();
    let resigned = |change: &dyn Fn(&mut [u8])| {
        let mut bytes = good.clone();
        change(&mut bytes);
        let checksum = crc32fast::hash(&bytes[..868]);
        bytes[868..872].copy_from_slice(&checksum.to_le_bytes());
        replace(&path, &bytes);
        let table = Table::open(&path, Rules::Awari, 3).unwrap();
        assert_eq!(table.value(0).unwrap(), values[0]);
        table.check().unwrap_err()
    };
    let error = resigned(&|bytes| bytes[832] ^= 1);
    assert!(matches!(error, TableError::WrongContent { .. }), "{error}");
    let error = resigned(&|bytes| {
        bytes[56 + 8 * 47] -= 1;
        bytes[56 + 8 * 48] += 1;
    });
    assert!(matches!(error, TableError::WrongCounts { value: -1, .. }), "{error}");
}

#[test]
fn the_wrong_table_is_refused() {
    let Written { dir, path, .. } = written(3);
    let error = Table::open(&path, Rules::Abapa, 3).unwrap_err();
    assert!(matches!(error, TableError::WrongRules { expected: Rules::Abapa, found: Rules::Awari, .. }));
    let error = Table::open(&path, Rules::Awari, 4).unwrap_err();
    assert!(matches!(error, TableError::WrongStones { expected: 4, found: 3, .. }));
    let error = Table::open(dir.path().join("no.awari"), Rules::Awari, 4).unwrap_err();
    assert!(matches!(error, TableError::Missing { .. }));
    let error = Table::open(dir.path(), Rules::Awari, 4).unwrap_err();
    assert!(matches!(error, TableError::Io { .. }), "{error}");
    assert_eq!(Table::open_any(&path).unwrap().header().stones, 3);
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name| dir.path().join(name);
    fs::create_dir(path("directory")).unwrap();
    // Nobody ever writes into the pipe.
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, path("pipe"), mode).unwrap();
    std::os::unix::fs::symlink("loop", path("loop")).unwrap();
    for (name, says) in [
        ("directory", "cannot read the table: it is a directory."),
        ("pipe", "cannot read the table: it is no regular file."),
        ("loop", "cannot open the file"),
    ] {
        let error = Table::open(path(name), Rules::Awari, 3).unwrap_err();
        assert!(matches!(error, TableError::Io { .. }), "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
    // Nor does it stop a build that looks for what killed ones left.
    for leftover in [".16.awari.tmp-directory", ".16.awari.tmp-pipe"] {
        fs::rename(path(leftover.rsplit('-').next().unwrap()), path(leftover)).unwrap();
    }
    assert_eq!(table::remove_leftovers(dir.path()).unwrap(), [""; 0].map(PathBuf::from));
}

#[test]
fn values_that_are_no_table_are_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("02.awari");
    let refused = |stones, values: &[i8], says: &str| {
        let error = table::write(&path, Rules::Awari, stones, values).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert_eq!(names(dir.path()), [""; 0]);
    };
    refused(2, &[0; 77], "77 values, and a table of 2 stones has 78 positions");
    refused(49, &[0; 77], "49 stones, and a game has 48");
    let mut values = [0; 78];
    values[5] = -128;
    refused(2, &values, "value -128 at place 5, and 2 stones are on the board");
    values[5] = 3;
    refused(2, &values, "value 3 at place 5");
}

#[test]
fn a_failed_write_leaves_nothing_and_the_old_table() {
    let Written { dir, path, .. } = written(3);
    let old = fs::read(&path).unwrap();
    // A directory in the way of the last step, the renaming.
    let taken = dir.path().join("taken.awari");
    fs::create_dir(&taken).unwrap();
    let error = table::write(&taken, Rules::Awari, 3, &made_up(3)).unwrap_err();
    assert!(matches!(error, TableError::Io { action: "rename the temporary file", .. }), "{error}");
    // A file where a directory should be.
    let error = table::write(path.join("03.awari"), Rules::Awari, 3, &made_up(3)).unwrap_err();
    assert!(matches!(error, TableError::Io { action: "create the directory", .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), old);
    assert_eq!(names(dir.path()), ["table.awari", "taken.awari"]);
}

#[test]
fn a_directory_that_forbids_writing_is_said_so() {
    // The kernel keeps even root from making files here.
    let error = table::write("/proc/self/03.awari", Rules::Awari, 3, &made_up(3)).unwrap_err();
    assert!(error.to_string().contains("/proc/self/03.awari"), "{error}");
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(dir.path().join("probe"), "").is_err() {
        let error = table::write(dir.path().join("03.awari"), Rules::Awari, 3, &made_up(3)).unwrap_err();
        assert!(matches!(error, TableError::NotWritable { .. }), "{error}");
    }
}

#[test]
fn a_new_table_replaces_the_old_and_readers_of_the_old_go_on() {
    let Written { dir, path, values } = written(3);
    let old = Table::open(&path, Rules::Awari, 3).unwrap();
    let other = vec![0; values.len()];
    let header = table::write(&path, Rules::Awari, 3, &other).unwrap();
    assert_eq!(header.bits(), 0);
    assert_eq!(read_all(&path, 3).unwrap(), other);
    assert_eq!(old.value(0).unwrap(), values[0]);
    assert_eq!(names(dir.path()), ["table.awari"]);
    // As readable as any new file of this process.
    let plain = dir.path().join("plain");
    fs::write(&plain, "").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&path), mode(&plain));
}

#[test]
fn what_a_killed_writer_left_is_removed() {
    let Written { dir, .. } = written(2);
    let left = dir.path().join(".16.awari.tmp-a1B2c3");
    let busy = dir.path().join(".17.awari.tmp-a1B2c3");
    fs::write(&left, "half a table").unwrap();
    fs::write(&busy, "half a table").unwrap();
    fs::write(dir.path().join("notes.awari.tmp-"), "not ours").unwrap();
    let writer = fs::File::open(&busy).unwrap();
    rustix::fs::flock(&writer, rustix::fs::FlockOperation::LockExclusive).unwrap();
    assert_eq!(table::remove_leftovers(dir.path()).unwrap(), std::slice::from_ref(&left));
    drop(writer);
    assert_eq!(table::remove_leftovers(dir.path()).unwrap(), std::slice::from_ref(&busy));
    assert_eq!(names(dir.path()), ["notes.awari.tmp-", "table.awari"]);
    assert_eq!(table::remove_leftovers(dir.path().join("none")).unwrap(), [""; 0].map(PathBuf::from));
}

#[test]
#[should_panic(expected = "place 364 and 1 more: the table has 364 positions")]
fn a_place_past_the_end_is_a_mistake_of_the_caller() {
    let Written { path, dir: _dir, .. } = written(3);
    let _ = Table::open(path, Rules::Awari, 3).unwrap().value(364);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_run_reads_back(
        stones in 0u32..=10,
        distinct in 1u8..=21,
        runs in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 30),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("table.awari");
        let least = -(stones as i8);
        let values: Vec<i8> = made_up(stones)
            .into_iter()
            .map(|value| least + (value - least) % distinct as i8)
            .collect();
        table::write(&path, Rules::SlamEnds, stones, &values).unwrap();
        let table = Table::open(&path, Rules::SlamEnds, stones).unwrap();
        for (a, b) in runs {
            let (a, b) = (a.index(values.len()), b.index(values.len()));
            let run = a.min(b)..a.max(b) + 1;
            let mut read = vec![99; run.len()];
            table.read(run.start as u64, &mut read).unwrap();
            prop_assert_eq!(&read, &values[run]);
        }
        prop_assert!(table.check().is_ok());
    }

    /// Whatever a header says, opening gives a table or an error.
    #[test]
    fn any_header_is_survived(
        at in 0usize..868,
        new in prop::collection::vec(any::<u8>(), 1..200),
        sign in any::<bool>(),
        length in 0usize..6000,
    ) {
        let Written { path, dir: _dir, .. } = written(3);
        let mut bytes = fs::read(&path).unwrap();
        let end = 868.min(at + new.len());
        bytes[at..end].copy_from_slice(&new[..end - at]);
        if sign {
            let checksum = crc32fast::hash(&bytes[..868]);
            bytes[868..872].copy_from_slice(&checksum.to_le_bytes());
        }
        if length % 2 == 0 {
            bytes.resize(length, 0xA5);
        }
        replace(&path, &bytes);
        if let Ok(table) = Table::open_any(&path) {
            let mut values = vec![0; table.header().positions() as usize];
            if table.read(0, &mut values).is_ok() && table.check().is_ok() {
                prop_assert_eq!(values, made_up(3));
            }
        }
    }
}
