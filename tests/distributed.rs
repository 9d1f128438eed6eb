//! Solves shared out among ranks against solves of one process. Here the ranks are threads; `tests/mpi.rs`
//! has processes.

mod common;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use awari::Rules;
use awari::builder::{self, BuildError, Builder, Built, Progress};
use awari::engine::{self, Pass, SolveError, Storage, Threads, Unwatched};
use awari::index::Index;
use awari::tablebase::table_path;

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

#[test]
fn what_sweeps_exchange_is_known_beforehand() {
    let (rules, stones, ranks) = (Rules::Awari, 12, 3);
    let dir = tempfile::tempdir().unwrap();
    let tables = common::build(dir.path(), rules, stones);
    let smaller = &tables.smaller_tables(stones).unwrap();
    let solve = |exchange: &Threads| {
        let memory = Storage::Memory;
        let part = engine::solve_among(exchange, rules, stones, smaller, &memory, &Unwatched).unwrap();
        (part.sent.bytes, part.effort.sweeps)
    };
    let sent: Vec<(u64, u32)> = thread::scope(|scope| {
        let run = |exchange: Threads| scope.spawn(move || solve(&exchange));
        let ranks: Vec<_> = Threads::connect(ranks).into_iter().map(run).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    });
    let (bytes, sweeps) = (sent.iter().map(|sent| sent.0).sum::<u64>(), u64::from(sent[0].1));
    let counted = sweeps * engine::exchanged_in_sweep(rules, stones, ranks);
    // The rest are the last changes, and the values gathered in the end.
    let rest = bytes - counted;
    let positions = Index::new(stones).positions();
    assert!(rest > positions / 2 && rest < 4 * positions, "{bytes} sent, {counted} counted");
}

const BUILT: u32 = 9;

/// Builds with ranks that are threads; returns what each of them says.
fn build_among(
    builder: &Builder,
    ranks: usize,
    progress: &(dyn Progress + Sync),
) -> Vec<Result<Vec<Built>, BuildError>> {
    thread::scope(|scope| {
        let run = |exchange: Threads| scope.spawn(move || builder.run_among(&exchange, progress));
        let ranks: Vec<_> = Threads::connect(ranks).into_iter().map(run).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

fn assert_same_files(one: &Path, other: &Path) {
    for stones in 0..=BUILT {
        let read = |dir: &Path| fs::read(table_path(dir, Rules::Abapa, stones)).unwrap();
        assert!(read(one) == read(other), "{stones} stones");
    }
}

/// Stops while the largest table is swept.
#[derive(Default)]
struct Stopper(AtomicBool);

impl Progress for Stopper {
    fn solving(&self, stones: u32, pass: Pass, _: u64, _: u64) {
        self.0.fetch_or(stones == BUILT && pass == Pass::Sweep(2), Ordering::Relaxed);
    }

    fn stop(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[test]
fn builds_go_on_to_the_same_files() {
    let (one, many) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let builder = |dir: &Path| Builder::new(dir, Rules::Abapa).stones(BUILT);
    builder(one.path()).run(&builder::Unwatched).unwrap();
    for result in build_among(&builder(many.path()), 3, &Stopper::default()) {
        assert!(matches!(result, Err(BuildError::Stopped)), "{result:?}");
    }
    assert!(table_path(many.path(), Rules::Abapa, BUILT - 1).exists());
    assert!(!table_path(many.path(), Rules::Abapa, BUILT).exists());
    // With any number of ranks.
    for result in build_among(&builder(many.path()), 2, &builder::Unwatched) {
        let built = result.unwrap();
        let last = built.last().unwrap();
        let work = last.work.unwrap();
        assert!(work.traffic.unwrap().bytes > last.header.positions(), "{work:?}");
        assert!(built[..BUILT as usize].iter().all(|table| table.work.is_none()));
    }
    assert_same_files(one.path(), many.path());
}

#[test]
fn what_one_rank_cannot_do_ends_the_build_of_all() {
    let dir = tempfile::tempdir().unwrap();
    let builder = Builder::new(dir.path(), Rules::Abapa).stones(5);
    builder.run(&builder::Unwatched).unwrap();
    let path = table_path(dir.path(), Rules::Abapa, 3);
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
    let results = build_among(&builder.clone().stones(6), 3, &builder::Unwatched);
    assert!(matches!(&results[0], Err(BuildError::Unusable(error)) if error.path() == path), "{results:?}");
    for result in &results[1..] {
        assert!(matches!(result, Err(BuildError::Solve(SolveError::OtherRank))), "{result:?}");
    }
    fs::remove_file(path).unwrap();
    let results = build_among(&builder.memory(Some(1 << 20)), 2, &builder::Unwatched);
    assert!(matches!(results[0], Err(BuildError::MemoryOfRank { stones: 3, ranks: 2, .. })), "{results:?}");
}
