//! Builds that go on from a checkpoint: the same tables, byte for byte, from whatever was found.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use awari::Rules;
use awari::builder::{BuildError, Builder, Progress, Unwatched};
use awari::engine::{Needs, Pass};
use awari::table::TableError;

const STONES: u32 = 9;

/// Stops a build in a pass of its last table, and writes down what it is told of checkpoints.
struct Stopper {
    at: Pass,
    depths: bool,
    stopped: AtomicBool,
    told: Mutex<Vec<String>>,
}

impl Stopper {
    fn new(at: Pass, depths: bool) -> Stopper {
        Stopper { at, depths, stopped: AtomicBool::new(false), told: Mutex::default() }
    }

    fn look(&self, stones: u32, pass: Pass, depths: bool) {
        if stones == STONES && pass == self.at && depths == self.depths {
            self.stopped.store(true, Ordering::Relaxed);
        }
    }
}

impl Progress for Stopper {
    fn solving(&self, stones: u32, pass: Pass, _: u64, _: u64) {
        self.look(stones, pass, false);
    }

    fn finding_depths(&self, stones: u32, pass: Pass, _: u64, _: u64) {
        self.look(stones, pass, true);
    }

    fn kept(&self, stones: u32, checkpoint: Result<&Path, &TableError>) {
        assert!(checkpoint.unwrap().exists());
        self.told.lock().unwrap().push(format!("kept {stones}"));
    }

    fn resumed(&self, stones: u32, checkpoint: Result<&Path, (&Path, &io::Error)>) {
        let how = checkpoint.map_or_else(|(_, error)| error.to_string(), |_| "whole".to_owned());
        self.told.lock().unwrap().push(format!("resumed {stones}: {how}"));
    }

    fn stop(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

fn builder(dir: &Path, rules: Rules) -> Builder {
    Builder::new(dir, rules).stones(STONES).checkpoint(Some(Duration::ZERO))
}

fn files(dir: &Path, rules: Rules) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(dir.join(rules.name())).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<(PathBuf, Vec<u8>)> =
        entries.map(|path| (path.file_name().unwrap().into(), fs::read(&path).unwrap())).collect();
    files.sort();
    files
}

fn right(rules: Rules) -> Vec<(PathBuf, Vec<u8>)> {
    let dir = tempfile::tempdir().unwrap();
    builder(dir.path(), rules).depths(true).checkpoint(None).run(&Unwatched).unwrap();
    files(dir.path(), rules)
}

/// A directory with a build, in memory or scratch files, that was stopped in a pass, and the path of
/// its checkpoint.
fn stopped(rules: Rules, scratch: bool, at: Pass, depths: bool) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let stopper = Stopper::new(at, depths);
    let needs = if depths { Needs::of_depths(STONES) } else { Needs::of_values(STONES) };
    let memory = scratch.then_some(needs.in_scratch());
    let result = builder(dir.path(), rules).depths(depths).memory(memory).run(&stopper);
    assert!(matches!(result, Err(BuildError::Stopped)), "{result:?}");
    let kind = if depths { "depth" } else { "awari" };
    let path = dir.path().join(rules.name()).join(format!("{STONES:02}.{kind}.checkpoint"));
    (dir, path)
}

/// Goes on with a build; returns what was said of the table's checkpoint.
fn go_on(dir: &Path, rules: Rules) -> Vec<String> {
    let watch = Stopper::new(Pass::Sweep(u32::MAX), false);
    builder(dir, rules).depths(true).run(&watch).unwrap();
    let told = watch.told.into_inner().unwrap();
    told.into_iter().filter(|told| told.starts_with("resumed")).collect()
}

#[test]
fn a_build_goes_on_from_any_sweep_to_the_same_bytes() {
    for rules in Rules::ALL {
        let right = right(rules);
        for (sweep, depths) in [(2, false), (4, false), (2, true), (3, true)] {
            for scratch in [false, true] {
                let (dir, checkpoint) = stopped(rules, scratch, Pass::Sweep(sweep), depths);
                assert!(checkpoint.exists(), "{rules}, sweep {sweep}");
                let told = go_on(dir.path(), rules);
                assert_eq!(told, [format!("resumed {STONES}: whole")], "{rules}, sweep {sweep}");
                assert!(files(dir.path(), rules) == right, "{rules}, sweep {sweep}, depths {depths}");
            }
        }
    }
}

#[test]
fn damaged_and_foreign_checkpoints_are_told_and_not_used() {
    let right = right(Rules::Awari);
    let (dir, path) = stopped(Rules::Awari, false, Pass::Sweep(3), false);
    let good = fs::read(&path).unwrap();
    let (others, foreign) = stopped(Rules::Abapa, false, Pass::Sweep(3), false);
    let foreign = fs::read(foreign).unwrap();
    drop(others);
    let mut cases: Vec<(Vec<u8>, &str)> = vec![
        (foreign, "not of this table"),
        (good[..good.len() - 1].to_vec(), "wrong length"),
        ([&good[..], &[0]].concat(), "wrong length"),
        (good[..20].to_vec(), "fill whole buffer"),
        (Vec::new(), "fill whole buffer"),
    ];
    for at in
        (0..good.len()).step_by(good.len() / 12).chain((0..48).step_by(5)).chain(good.len() - 8..good.len())
    {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        cases.push((bytes, if at < 48 { "not of this table" } else { "damaged" }));
    }
    let table = dir.path().join("awari/09.awari");
    for (number, (bytes, why)) in cases.into_iter().enumerate() {
        fs::write(&path, &bytes).unwrap();
        let told = go_on(dir.path(), Rules::Awari);
        assert!(told.len() == 1 && told[0].contains(why), "case {number}: {told:?}, expected {why}");
        assert!(
            fs::read(&table).unwrap() == right.iter().find(|(name, _)| name.ends_with("09.awari")).unwrap().1
        );
        assert!(!path.exists(), "a checkpoint is removed when its table is there");
        fs::remove_file(&table).unwrap();
        fs::remove_file(dir.path().join("awari/09.depth")).unwrap();
    }
}
