//! Readers of files and bytes that nobody wrote: no panic, no gigabytes, and never a wrong value
//! where a checksum can tell.

mod hostile;

use std::fs;
use std::sync::Once;

use awari::index::Index;
use awari::table::{self, ContentHash, Encoding, vu};
use awari::{Rules, half};
use proptest::prelude::*;
use rustix::process::{Resource, Rlimit, setrlimit};

const STONES: u32 = 6;
const OF: ContentHash = ContentHash([7; 32]);

/// From here on whoever asks for gigabytes gets none, and the test program ends.
fn limit_memory() {
    static LIMITED: Once = Once::new();
    LIMITED.call_once(|| {
        let bytes = Some(2 << 30);
        setrlimit(Resource::As, Rlimit { current: bytes, maximum: bytes }).unwrap();
    });
}

fn some_values() -> Vec<i8> {
    (0..Index::new(STONES).positions()).map(|place| (place * place % 13) as i8 - 6).collect()
}

fn some_depths() -> Vec<u16> {
    (0..Index::new(STONES).positions()).map(|place| (place * place % 300) as u16).collect()
}

fn table(encoding: Encoding) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("06.awari");
    table::write_as(encoding, &path, Rules::Awari, STONES, &some_values()).unwrap();
    fs::read(path).unwrap()
}

fn depth_table() -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("06.depth");
    table::write_depths(&path, Rules::Awari, STONES, OF, &some_depths()).unwrap();
    fs::read(path).unwrap()
}

/// Changes to a file: bytes replaced at some places, most of them near its start, and perhaps an
/// end cut off or added.
fn changes() -> impl Strategy<Value = (Vec<(usize, u8)>, i32)> {
    let place = prop_oneof![4 => 0usize..160, 2 => 0usize..900, 2 => any::<prop::sample::Index>().prop_map(|at| at.index(20_000))];
    let length = prop_oneof![6 => Just(0), 1 => -9_000i32..9_000];
    (prop::collection::vec((place, any::<u8>()), 1..5), length)
}

fn changed(good: &[u8], (bytes, length): &(Vec<(usize, u8)>, i32)) -> Vec<u8> {
    let mut changed = good.to_vec();
    for &(at, byte) in bytes {
        let at = at % changed.len();
        changed[at] = byte;
    }
    changed.resize((good.len() as i64 + i64::from(*length)).max(0) as usize, 0);
    changed
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn changed_tables_are_noticed(change in changes(), compress in any::<bool>()) {
        limit_memory();
        let dir = tempfile::tempdir().unwrap();
        let good = table(if compress { Encoding::Compressed } else { Encoding::Packed });
        let right = hostile::values(&good, dir.path()).unwrap();
        let bad = changed(&good, &change);
        match hostile::values(&bad, dir.path()) {
            Ok(read) => prop_assert!(read == right && bad == good),
            Err(error) => prop_assert!(!error.to_string().is_empty() && bad != good),
        }
        // With a right checksum a header can say anything.
        let _ = hostile::values(&hostile::sealed(bad, 868), dir.path());
    }

    #[test]
    fn changed_depths_are_noticed(change in changes()) {
        limit_memory();
        let dir = tempfile::tempdir().unwrap();
        let good = depth_table();
        let bad = changed(&good, &change);
        match hostile::depths(&bad, STONES, OF, dir.path()) {
            Ok(read) => prop_assert!(read == some_depths() && bad == good),
            Err(error) => prop_assert!(!error.to_string().is_empty() && bad != good),
        }
        let _ = hostile::depths(&hostile::sealed(bad, 144), STONES, OF, dir.path());
    }

    #[test]
    fn any_bytes_are_no_table(bytes in prop::collection::vec(any::<u8>(), 0..6_000), with_magic in any::<bool>()) {
        limit_memory();
        let dir = tempfile::tempdir().unwrap();
        let start = if with_magic { &table(Encoding::Packed)[..16] } else { &[] };
        let bytes = [start, &bytes].concat();
        prop_assert!(hostile::values(&bytes, dir.path()).is_err());
        prop_assert!(hostile::values(&hostile::sealed(bytes.clone(), 868), dir.path()).is_err());
        prop_assert!(hostile::depths(&bytes, STONES, OF, dir.path()).is_err());
    }

    #[test]
    fn any_bytes_are_no_compressed_values(
        stones in 0u32..=14,
        model in prop::collection::vec(any::<u8>(), 0..2_000),
        block in prop::collection::vec(any::<u8>(), 0..2_000),
        change in changes(),
    ) {
        limit_memory();
        hostile::compressed(stones, &model, &block);
        // A right model and a changed one, with blocks that are none.
        let good = table(Encoding::Compressed);
        let length = u32::from_le_bytes(good[876..880].try_into().unwrap()) as usize;
        let model = &good[4096..][..length];
        hostile::compressed(STONES, model, &block);
        hostile::compressed(STONES, &changed(model, &change), &good[4096 + length..]);
        hostile::compressed(STONES, model, &changed(&good[4096 + length..], &change));
    }

    #[test]
    fn any_bytes_of_the_right_number_are_scores(
        stones in 0u32..=5,
        seed in any::<u64>(),
        change in changes(),
    ) {
        limit_memory();
        let dir = tempfile::tempdir().unwrap();
        let positions = Index::new(stones).positions();
        let mixed = |place: u64| ((place ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as i64;
        let span = 2 * i64::from(stones) + 1;
        let good: Vec<u8> = (0..positions).map(|place| (mixed(place) % span - i64::from(stones)) as u8).collect();
        prop_assert!(hostile::vu(&good, stones, dir.path()).is_ok());
        let bad = changed(&good, &change);
        prop_assert_eq!(hostile::vu(&bad, stones, dir.path()).is_ok(), bad.len() == good.len());
    }
}

/// Of a large file, nothing is held in memory but pieces.
#[test]
fn a_sparse_file_is_opened_probed_and_counted() {
    limit_memory();
    let stones = 20;
    let dir = tempfile::tempdir().unwrap();
    let path = vu::path(dir.path(), stones);
    let positions = Index::new(stones).positions();
    fs::File::create(&path).unwrap().set_len(positions).unwrap();
    let table = vu::VuTable::open(&path, stones).unwrap();
    let last = table.board(positions - 1);
    assert_eq!(table.value(&last).unwrap(), Some(0));
    assert_eq!(half::stones(last.waiting()), 20);
    assert_eq!(table.counts().unwrap().draws(), positions);
}
