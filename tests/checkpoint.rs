//! Checkpoints: a build that was stopped in the middle of a table goes on from there to the same
//! bytes, and a checkpoint that is not right is named and not used.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use awari::Rules;
use awari::builder::{BuildError, Builder, CheckpointNews, Progress};
use awari::engine::{Needs, Pass};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

const STONES: u32 = 10;

/// Long enough that it never comes.
const NEVER: Option<Duration> = None;
/// After every sweep.
const SWEEPS: Option<Duration> = Some(Duration::ZERO);
/// After every sweep and every round of last changes.
const ALWAYS: Option<Duration> = Some(Duration::from_nanos(1));

/// Stops after so many checkpoints of a table; writes down what it hears.
#[derive(Default)]
struct Watch {
    /// The table, and after how many of its checkpoints to stop.
    stop: Option<(&'static str, usize)>,
    written: Mutex<usize>,
    resumed: Mutex<Vec<(PathBuf, u32)>>,
    unusable: Mutex<Vec<(PathBuf, String)>>,
    /// The passes over the table of [`STONES`] stones.
    passes: Mutex<Vec<Pass>>,
}

impl Progress for Watch {
    fn solving(&self, stones: u32, pass: Pass, _: u64, _: u64) {
        let mut passes = self.passes.lock().unwrap();
        if stones == STONES && passes.last() != Some(&pass) {
            passes.push(pass);
        }
    }

    fn checkpoint(&self, _: u32, news: &CheckpointNews) {
        match news {
            CheckpointNews::Resumed { path, sweeps } => {
                self.resumed.lock().unwrap().push((path.clone(), *sweeps));
            }
            CheckpointNews::Unusable { path, problem } => {
                self.unusable.lock().unwrap().push((path.clone(), problem.clone()));
            }
            CheckpointNews::Written { path } => {
                if self.stop.is_some_and(|(name, _)| path.ends_with(format!("{name}.checkpoint"))) {
                    *self.written.lock().unwrap() += 1;
                }
            }
            other => panic!("{other:?}"),
        }
    }

    fn stop(&self) -> bool {
        self.stop.is_some_and(|(_, after)| *self.written.lock().unwrap() == after)
    }
}

fn builder(dir: &Path, memory: Option<u64>) -> Builder {
    Builder::new(dir, Rules::Awari).stones(STONES).depths(true).threads(2).memory(memory)
}

fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir.join("awari")).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap()))
        .collect()
}

/// The tables of an undisturbed build.
fn right() -> &'static BTreeMap<String, Vec<u8>> {
    static RIGHT: std::sync::OnceLock<BTreeMap<String, Vec<u8>>> = std::sync::OnceLock::new();
    RIGHT.get_or_init(|| {
        let dir = TempDir::new().unwrap();
        builder(dir.path(), None).run(&Watch::default()).unwrap();
        files(dir.path())
    })
}

/// A directory with all tables but those of [`STONES`] stones.
fn all_but_the_last() -> TempDir {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("awari")).unwrap();
    for (name, bytes) in right().iter().filter(|(name, _)| !name.starts_with("10")) {
        fs::write(dir.path().join("awari").join(name), bytes).unwrap();
    }
    dir
}

/// Stops a build after so many checkpoints of `name`.
fn stopped(name: &'static str, after: usize, every: Option<Duration>, memory: Option<u64>) -> TempDir {
    let dir = all_but_the_last();
    if name.ends_with("depth") {
        fs::write(dir.path().join("awari/10.awari"), &right()["10.awari"]).unwrap();
    }
    let watch = Watch { stop: Some((name, after)), ..Watch::default() };
    let with_depths = name.ends_with("depth");
    let result = builder(dir.path(), memory).depths(with_depths).checkpoint(every).run(&watch);
    assert!(matches!(result, Err(BuildError::Stopped)), "{result:?}");
    assert!(dir.path().join("awari").join(format!("{name}.checkpoint")).exists());
    dir
}

/// Checkpoints that a solve writes.
fn checkpoints(name: &'static str, every: Option<Duration>) -> usize {
    let dir = all_but_the_last();
    let watch = Watch { stop: Some((name, usize::MAX)), ..Watch::default() };
    builder(dir.path(), None).checkpoint(every).run(&watch).unwrap();
    assert!(files(dir.path()) == *right());
    watch.written.into_inner().unwrap()
}

#[test]
fn stopped_anywhere_it_goes_on_to_the_same_bytes() {
    for name in ["10.awari", "10.depth"] {
        let (sweeps, all) = (checkpoints(name, SWEEPS), checkpoints(name, ALWAYS));
        assert!(sweeps >= 3 && all > sweeps + 5, "{sweeps} sweeps, {all} rounds");
        for after in 1..=all {
            let dir = stopped(name, after, ALWAYS, None);
            let watch = Watch::default();
            builder(dir.path(), None).checkpoint(NEVER).run(&watch).unwrap();
            let resumed = watch.resumed.into_inner().unwrap();
            let [(path, done)] = &resumed[..] else { panic!("{resumed:?}") };
            assert!(path.ends_with(format!("{name}.checkpoint")));
            assert_eq!(*done as usize, after.min(sweeps));
            // What was done is not done again.
            if name.ends_with("awari") {
                let passes = watch.passes.into_inner().unwrap();
                assert_eq!(passes[..2], [Pass::Captures, Pass::Sweep(*done + 1)]);
            }
            assert!(files(dir.path()) == *right(), "{name} after checkpoint {after}");
        }
    }
}

#[test]
fn in_scratch_files_too_and_from_one_to_the_other() {
    for name in ["10.awari", "10.depth"] {
        let with_depths = name.ends_with("depth");
        let needs = if with_depths { Needs::of_depths(STONES) } else { Needs::of_values(STONES) };
        let scratch = Some(needs.in_scratch());
        for (before, later) in [(scratch, scratch), (scratch, None), (None, scratch)] {
            for after in [1, 3, 5] {
                let dir = stopped(name, after, ALWAYS, before);
                let watch = Watch::default();
                builder(dir.path(), later).depths(with_depths).run(&watch).unwrap();
                assert_eq!(watch.resumed.into_inner().unwrap().len(), 1);
                let file = dir.path().join("awari").join(name);
                assert!(fs::read(file).unwrap() == right()[name], "{name} after checkpoint {after}");
            }
        }
    }
}

/// Puts `bytes` in the place of the checkpoint of the values, builds, and returns what was said.
fn build_on(bytes: &[u8]) -> Option<String> {
    let dir = all_but_the_last();
    let path = dir.path().join("awari/10.awari.checkpoint");
    fs::write(&path, bytes).unwrap();
    let watch = Watch::default();
    builder(dir.path(), None).run(&watch).unwrap();
    assert!(files(dir.path()) == *right());
    let said = watch.unusable.into_inner().unwrap();
    assert!(said.iter().all(|(named, _)| *named == path));
    assert!(said.len() < 2);
    said.into_iter().next().map(|(_, problem)| problem)
}

fn good() -> Vec<u8> {
    let dir = stopped("10.awari", 2, SWEEPS, None);
    fs::read(dir.path().join("awari/10.awari.checkpoint")).unwrap()
}

const HEADER: usize = 104;

#[test]
fn any_changed_byte_is_found() {
    let good = good();
    assert_eq!(build_on(&good), None);
    let places = (0..HEADER).chain((HEADER..good.len()).step_by(29_989)).chain([good.len() - 1]);
    for place in places {
        let mut bad = good.clone();
        bad[place] ^= 1 << (place % 8);
        let said = build_on(&bad).unwrap_or_else(|| panic!("byte {place} was changed and nothing said"));
        assert!(said.contains("checksum") || said.contains("no checkpoint"), "{said}");
    }
    for (bad, said) in [
        (&good[..0], "cut short"),
        (&good[..HEADER - 1], "cut short"),
        (&good[..good.len() - 1], "cut short"),
        (&[&good[..], &[0]].concat()[..], "too long"),
    ] {
        assert!(build_on(bad).is_some_and(|problem| problem.contains(said)));
    }
}

/// Makes every checksum right.
fn seal(bytes: &mut [u8]) {
    let length = bytes.len();
    let (data, sums) = (HEADER..length - 4, length - 4);
    let hash = Sha256::digest(&bytes[data.clone()]);
    bytes[64..96].copy_from_slice(&hash);
    let put = |bytes: &mut [u8], at: usize, sum: u32| bytes[at..at + 4].copy_from_slice(&sum.to_le_bytes());
    let sum = crc32fast::hash(&bytes[data]);
    put(bytes, sums, sum);
    let sum = crc32fast::hash(&bytes[sums..]);
    put(bytes, 96, sum);
    let sum = crc32fast::hash(&bytes[..100]);
    put(bytes, 100, sum);
}

#[test]
fn what_belongs_to_something_else_is_not_used() {
    let good = good();
    assert!(good.len() < 1 << 20, "one block");
    let changes: [(usize, u8, &str); 8] = [
        (8, 2, "another version of awari"),
        (12, 9, "another version of awari"),
        (16, 1, "other rules"),
        (17, 9, "another number of stones"),
        (18, 2, "another kind of table"),
        (40, 0, "the tables of fewer stones are others"),
        (HEADER, 128 + 11, "beyond the stones on the board"),
        (good.len() - 5, 0, "beyond the stones on the board"),
    ];
    for (place, byte, problem) in changes {
        let mut bad = good.clone();
        bad[place] = if place == 40 { !bad[40] } else { byte };
        seal(&mut bad);
        let said = build_on(&bad);
        assert!(said.as_ref().is_some_and(|said| said.contains(problem)), "{place}: {said:?}");
    }
    let mut sealed = good.clone();
    seal(&mut sealed);
    assert!(sealed == good);
}

#[test]
fn what_is_no_file_is_no_checkpoint() {
    let dir = all_but_the_last();
    let path = dir.path().join("awari/10.awari.checkpoint");
    fs::create_dir(&path).unwrap();
    let watch = Watch::default();
    builder(dir.path(), None).run(&watch).unwrap();
    assert!(watch.unusable.into_inner().unwrap()[0].1.contains("no regular file"));
    assert!(path.is_dir(), "what is not ours stays");

    // A pipe nobody writes to keeps nobody waiting.
    let dir = all_but_the_last();
    let path = dir.path().join("awari/10.awari.checkpoint");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let watch = Watch::default();
    builder(dir.path(), None).run(&watch).unwrap();
    assert!(watch.unusable.into_inner().unwrap()[0].1.contains("no regular file"));
}

#[test]
fn a_finished_table_needs_none() {
    let dir = stopped("10.awari", 2, SWEEPS, None);
    fs::write(dir.path().join("awari/10.awari"), &right()["10.awari"]).unwrap();
    builder(dir.path(), None).run(&Watch::default()).unwrap();
    assert!(files(dir.path()) == *right());
}
