//! Solves shared out among ranks against solves of one process. Here the ranks are threads; `tests/mpi.rs`
//! has processes.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use awari::Rules;
use awari::builder::{self, BuildError, Builder, Built, CheckpointNews, Progress};
use awari::engine::{self, Pass, SolveError, Storage, Threads, Unwatched};
use awari::index::Index;
use awari::tablebase::{depth_path, table_path};

/// Compared up to this many stones.
const STONES: u32 = 12;

/// The same for depths.
const DEPTHS: u32 = 10;

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
                            if let Some(values) = part.found {
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
fn ranks_find_the_depths_of_one_process() {
    for rules in Rules::ALL {
        let dir = tempfile::tempdir().unwrap();
        let tables = common::build_with_depths(dir.path(), rules, DEPTHS);
        for stones in 0..=DEPTHS {
            let read = &tables.tables_with(stones).unwrap();
            let memory = &Storage::Memory;
            let right = &engine::solve_depths(rules, stones, read, memory, &Unwatched).unwrap().depths;
            for ranks in 2..=3 {
                let solve = |exchange: Threads| {
                    let part = engine::solve_depths_among(&exchange, rules, stones, read, memory, &Unwatched)
                        .unwrap();
                    if let Some(depths) = part.found {
                        assert!(*depths == **right, "{rules}, {stones} stones, {ranks} ranks");
                    }
                };
                thread::scope(|scope| {
                    for exchange in Threads::connect(ranks) {
                        scope.spawn(|| solve(exchange));
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
        let values = |dir: &Path| fs::read(table_path(dir, Rules::Abapa, stones)).unwrap();
        assert!(values(one) == values(other), "{stones} stones");
        let depths = |dir: &Path| fs::read(depth_path(dir, Rules::Abapa, stones)).ok();
        assert!(depths(one) == depths(other), "depths of {stones} stones");
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

/// Builds with ranks that have builders of their own.
fn build_by(builders: &[Builder]) -> Vec<Result<Vec<Built>, BuildError>> {
    thread::scope(|scope| {
        let run = |(exchange, builder): (Threads, &'_ Builder)| {
            let builder = builder.clone();
            scope.spawn(move || builder.run_among(&exchange, &builder::Unwatched))
        };
        let ranks: Vec<_> = Threads::connect(builders.len()).into_iter().zip(builders).map(run).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

#[test]
fn ranks_that_are_not_asked_for_the_same_build_nothing() {
    let dir = tempfile::tempdir().unwrap();
    // With these tables there the second rank would have all it needs.
    Builder::new(dir.path(), Rules::SlamEnds).stones(5).run(&builder::Unwatched).unwrap();
    let first = Builder::new(dir.path(), Rules::Abapa).stones(5);
    let others = [
        first.clone().stones(4),
        first.clone().stones(6),
        first.clone().depths(true),
        Builder::new(dir.path(), Rules::SlamEnds).stones(5),
    ];
    for other in others {
        for result in build_by(&[first.clone(), first.clone(), other]) {
            assert!(matches!(result, Err(BuildError::OtherSettings { rank: 2, .. })), "{result:?}");
        }
        assert!(!dir.path().join("abapa").exists());
    }
}

#[test]
fn ranks_in_other_directories_build_nothing() {
    let [here, there] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let builder = |dir: &Path, stones| Builder::new(dir, Rules::Abapa).stones(stones);
    // What each has there.
    for stones in [[None, None], [Some(4), None], [None, Some(4)], [Some(4), Some(4)]] {
        for (dir, stones) in [&here, &there].into_iter().zip(stones) {
            let _ = fs::remove_dir_all(dir.path().join("abapa"));
            stones.map(|stones| builder(dir.path(), stones).run(&builder::Unwatched).unwrap());
        }
        let results = build_by(&[builder(here.path(), 5), builder(there.path(), 5)]);
        assert!(matches!(results[0], Err(BuildError::Solve(SolveError::OtherRank))), "{results:?}");
        assert!(
            matches!(&results[1], Err(BuildError::OtherDirectory { dir }) if *dir == there.path().join("abapa")),
            "{results:?}"
        );
        assert!(!table_path(here.path(), Rules::Abapa, 5).exists());
    }
}

/// As on machines that share a directory by a network.
#[test]
fn files_may_be_seen_late() {
    let [here, there, one] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let builder = |dir: &Path| Builder::new(dir, Rules::Abapa).stones(BUILT).depths(true);
    builder(one.path()).run(&builder::Unwatched).unwrap();
    let (from, to) = (here.path().join("abapa"), there.path().join("abapa"));
    fs::create_dir(&to).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let files: Vec<_> = fs::read_dir(&from).into_iter().flatten().map(Result::unwrap).collect();
                thread::sleep(Duration::from_millis(20));
                // Temporary files come and go.
                for file in files.into_iter().map(|file| file.file_name()) {
                    let _ = fs::hard_link(from.join(&file), to.join(&file));
                }
            }
        });
        for result in build_by(&[builder(here.path()), builder(there.path())]) {
            assert!(result.is_ok(), "{result:?}");
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_same_files(one.path(), here.path());
}

/// The rank that may use least says how much all may.
#[test]
fn memory_is_that_of_every_rank() {
    let dir = tempfile::tempdir().unwrap();
    let builder = Builder::new(dir.path(), Rules::Abapa).stones(5);
    let results = build_by(&[builder.clone(), builder.memory(Some(1 << 20))]);
    assert!(matches!(results[0], Err(BuildError::MemoryOfRank { available: 0x10_0000, .. })), "{results:?}");
}

/// Stops after so many checkpoints of a file; writes down which were gone on from.
#[derive(Default)]
struct Checkpoints {
    stop: Option<(&'static str, usize)>,
    written: AtomicUsize,
    resumed: Mutex<Vec<PathBuf>>,
}

impl Progress for Checkpoints {
    fn checkpoint(&self, _: u32, news: &CheckpointNews) {
        match news {
            CheckpointNews::Written { path } => {
                if self.stop.is_some_and(|(name, _)| path.ends_with(format!("{name}.checkpoint"))) {
                    self.written.fetch_add(1, Ordering::Relaxed);
                }
            }
            CheckpointNews::Resumed { path, .. } => self.resumed.lock().unwrap().push(path.clone()),
            other => panic!("{other:?}"),
        }
    }

    fn stop(&self) -> bool {
        self.stop.is_some_and(|(_, after)| self.written.load(Ordering::Relaxed) >= after)
    }
}

/// What ranks keep, others go on from, however many they are, and so does one process; and the other way
/// round.
#[test]
fn any_number_of_ranks_goes_on_from_a_checkpoint() {
    const EVERY: Option<Duration> = Some(Duration::ZERO);
    const ALWAYS: Option<Duration> = Some(Duration::from_nanos(1));
    let one = tempfile::tempdir().unwrap();
    let builder = |dir: &Path| Builder::new(dir, Rules::Abapa).stones(BUILT).depths(true);
    builder(one.path()).run(&builder::Unwatched).unwrap();
    // One rank is a process without others.
    let run = |builder: &Builder, ranks: usize, watch: &Checkpoints| match ranks {
        1 => vec![builder.run(watch)],
        _ => build_among(builder, ranks, watch),
    };
    let cases = [(3, "09.awari", 1, EVERY, 2), (2, "09.depth", 2, EVERY, 1), (1, "09.awari", 2, EVERY, 3)];
    // The fifteenth in the last changes, and the eighth on the way of depths.
    let late =
        [(2, "09.awari", 15, ALWAYS, 3), (3, "09.depth", 8, ALWAYS, 2), (2, "09.depth", 12, ALWAYS, 4)];
    for (first, name, after, every, then) in cases.into_iter().chain(late) {
        let dir = tempfile::tempdir().unwrap();
        let watch = Checkpoints { stop: Some((name, after)), ..Checkpoints::default() };
        for result in run(&builder(dir.path()).checkpoint(every), first, &watch) {
            assert!(matches!(result, Err(BuildError::Stopped)), "{name}, {after}: {result:?}");
        }
        let kept = dir.path().join("abapa").join(format!("{name}.checkpoint"));
        assert!(kept.exists());
        let watch = Checkpoints::default();
        run(&builder(dir.path()), then, &watch)
            .into_iter()
            .for_each(|result| assert!(result.is_ok(), "{result:?}"));
        assert_eq!(*watch.resumed.lock().unwrap(), slice::from_ref(&kept), "{name}, {after}");
        assert!(!kept.exists(), "a finished table needs none");
        assert_same_files(one.path(), dir.path());
    }
}
