//! `awari build`: what it makes, what stops it, what stopping it leaves.

mod program;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use program::{STONES, awari, command, copy, databases, interrupt, names, wait_for};
use tempfile::TempDir;

fn table_names(stones: u32) -> Vec<String> {
    (0..=stones).map(|n| format!("{n:02}.awari")).collect()
}

#[test]
fn a_build_prints_plan_and_summary() {
    let dir = TempDir::new().unwrap();
    let run = awari(dir.path(), &["build", "--stones", "3", "--rules", "abapa", "--threads", "1"]).exits(0);
    let run = run.says(&["Rules abapa", "To build:", "364", "total", " 3 stones: 364 positions"]);
    assert_eq!(run.stdout.lines().count(), 5, "{run:#?}");
    assert!(run.stdout.starts_with("stones"), "{run:#?}");
    assert_eq!(names(dir.path()), ["abapa"]);
    assert_eq!(names(&dir.path().join("abapa")), table_names(3));

    // Once more: nothing to do, and the tables are as they were.
    let run = awari(dir.path(), &["build", "--stones", "3", "--rules", "abapa"]).exits(0);
    run.says(&["There already: 0-3 stones", "Nothing to build."]).prints(&["there"]);
}

#[test]
fn json_has_an_object_a_line_for_each_table() {
    let dir = TempDir::new().unwrap();
    awari(dir.path(), &["build", "--stones", "1"]).exits(0);
    let lines = awari(dir.path(), &["build", "--stones", "3", "--json"]).exits(0).json();
    assert_eq!(lines.len(), 4);
    let keys = |at: usize| {
        let line = &lines[at];
        (line["stones"].as_u64(), line["positions"].as_u64(), line["built"].as_bool())
    };
    assert_eq!(keys(1), (Some(1), Some(12), Some(false)));
    assert_eq!(keys(3), (Some(3), Some(364), Some(true)));
    assert!(lines[1]["seconds"].is_null() && lines[3]["seconds"].is_number());
    assert_eq!(
        (&lines[3]["win"], &lines[3]["draw"], &lines[3]["loss"]),
        (&123.into(), &63.into(), &178.into())
    );
    let file = fs::metadata(dir.path().join("awari/03.awari")).unwrap();
    assert_eq!(lines[3]["bytes"], file.len());
    let bits = lines[3]["bits_per_position"].as_f64().unwrap();
    assert!((bits - file.len() as f64 * 8.0 / 364.0).abs() < 1e-6);
}

#[test]
fn the_bytes_do_not_depend_on_the_threads() {
    let dir = TempDir::new().unwrap();
    awari(dir.path(), &["build", "--stones", "7", "--threads", "3"]).exits(0);
    assert_same_tables(dir.path(), 7);
}

/// The tables of 0 to `stones` stones are those of an undisturbed build.
#[track_caller]
fn assert_same_tables(dir: &Path, stones: u32) {
    for name in table_names(stones) {
        let read = |dir: &Path| fs::read(dir.join("awari").join(&name)).unwrap();
        assert!(read(dir) == read(databases()), "{name} differs");
    }
}

#[test]
fn there_is_no_table_of_47_stones() {
    let dir = TempDir::new().unwrap();
    awari(dir.path(), &["build", "--stones", "47"]).exits(2).says(&["47 stones", "Ask for 46 or 48."]);
    assert!(names(dir.path()).is_empty());
}

#[test]
fn a_machine_too_small_is_told_at_once_in_numbers() {
    let dir = TempDir::new().unwrap();
    let script = format!("ulimit -v 2000000; '{}' build --stones 40", env!("CARGO_BIN_EXE_awari"));
    let output = Command::new("sh").args(["-c", &script]).current_dir(dir.path()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("To build:"), "{stderr}");
    let needs = awari::engine::Needs::of_values(40);
    let in_memory = awari::units::bytes(needs.total());
    let refused = format!("error: not enough memory: the table of 40 stones needs {in_memory} and");
    assert!(stderr.contains(&refused), "{stderr}");
    let (memory, table) = (awari::units::bytes(needs.in_scratch()), awari::units::bytes(needs.table));
    let scratch = format!("with scratch files it needs {memory} of memory and {table} of disk space");
    assert!(stderr.contains(&scratch), "{stderr}");
    assert!(names(dir.path()).is_empty(), "a refused build leaves no trace");
}

#[test]
fn memory_is_a_number_with_a_unit() {
    let dir = TempDir::new().unwrap();
    awari(dir.path(), &["build", "--stones", "3", "--memory", "lots"]).exits(2).says(&[
        "--memory",
        "lots",
        "like 800M or 12G",
    ]);
    awari(dir.path(), &["build", "--stones", "3", "--memory", "1k"])
        .exits(1)
        .says(&["not enough memory", "1.0 kB may be used"]);
    awari(dir.path(), &["build", "--stones", "3", "--memory", "0.1G"]).exits(0);
}

#[test]
fn a_pipe_in_place_of_the_lock_is_no_lock() {
    let dir = TempDir::new().unwrap();
    std::fs::create_dir_all(dir.path().join("awari")).unwrap();
    let pipe = dir.path().join("awari/.lock");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    awari(dir.path(), &["build", "--stones", "2"]).exits(1).says(&["cannot use the directory"]);
}

#[test]
fn a_directory_that_cannot_be_made() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let dir = file.path().join("databases");
    let run = awari(&dir, &["build", "--stones", "2"]).exits(1);
    run.says(&["cannot use the directory", "databases", "Not a directory", "choose another"]);
}

#[test]
fn what_cannot_be_used_is_not_overwritten() {
    let dir = copy();
    let path = dir.path().join("awari/05.awari");
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    let run = awari(dir.path(), &["build", "--stones", "9"]).exits(1);
    run.says(&["05.awari", "checksum of block 0", "Nothing was overwritten", "delete it"]);
    assert!(fs::read(&path).unwrap() == bytes);
    // Nothing is built on it either.
    assert_eq!(names(&dir.path().join("awari")), table_names(STONES));
    // As the message says:
    fs::remove_file(&path).unwrap();
    awari(dir.path(), &["build", "--stones", "8"]).exits(0).says(&["There already: 0-4, 6-8 stones"]);
    assert_same_tables(dir.path(), STONES);
}

/// A build that takes longer than any test, once it has finished the table of 5 stones.
fn endless_build(dir: &Path) -> Child {
    let mut command = command(dir, &["build", "--stones", "22", "--threads", "1"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(&dir.join("awari/05.awari"), &mut child);
    child
}

#[test]
fn interrupted_it_leaves_tables_and_no_debris() {
    let dir = TempDir::new().unwrap();
    let child = endless_build(dir.path());
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("stopped. Finished tables are in place; the same command goes on"), "{stderr}");
    assert!(output.stdout.is_empty());
    let left = names(&dir.path().join("awari"));
    assert_eq!(left, table_names(left.len() as u32 - 1));
    // The lock is gone too, and what is there is whole.
    let stones = (left.len() as u32 - 1).min(STONES).to_string();
    awari(dir.path(), &["build", "--stones", &stones]).exits(0).says(&["Nothing to build."]);
}

#[test]
fn killed_it_goes_on_to_the_same_bytes() {
    let dir = TempDir::new().unwrap();
    let mut child = endless_build(dir.path());
    child.kill().unwrap();
    child.wait().unwrap();
    // What a build killed while it wrote leaves behind.
    let debris = dir.path().join("awari/.06.awari.tmp-abcdef");
    fs::write(&debris, "half a table").unwrap();
    awari(dir.path(), &["build", "--stones", "8"])
        .exits(0)
        .says(&["Removed what a killed build left", ".06.awari.tmp-"]);
    assert_same_tables(dir.path(), STONES);
    assert!(!debris.exists() && !dir.path().join("awari/.lock").exists());
}

#[test]
fn one_build_at_a_time() {
    let dir = TempDir::new().unwrap();
    let child = endless_build(dir.path());
    let run = awari(dir.path(), &["build", "--stones", "3"]).exits(1);
    run.says(&["another build is at work", "awari/.lock", "Wait for it to end"]);
    // The tables that are finished can be used meanwhile, and other rules built.
    awari(dir.path(), &["probe", "0 0 0 0 0 2 / 1 2 0 0 0 0"]).exits(0);
    awari(dir.path(), &["build", "--stones", "2", "--rules", "slam-ends"]).exits(0);
    interrupt(&child);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
}

#[test]
fn nothing_to_build_needs_nothing_to_write() {
    let dir = program::copy();
    // In place of the lock there is what cannot be written, whoever asks.
    std::fs::create_dir(dir.path().join("awari/.lock")).unwrap();
    awari(dir.path(), &["build", "--stones", "8"]).exits(0).says(&["Nothing to build."]);
    awari(dir.path(), &["build", "--stones", "9"]).exits(1).says(&["cannot use the directory"]);
    awari(dir.path(), &["build", "--stones", "8", "--depth"]).exits(1).says(&["cannot use the directory"]);
}

#[cfg(not(feature = "mpi"))]
#[test]
fn without_mpi_its_flag_says_what_to_do() {
    let dir = TempDir::new().unwrap();
    awari(dir.path(), &["build", "--stones", "3", "--mpi"]).exits(2).says(&[
        "built without MPI",
        "scripts/install-mpi",
        "--features mpi",
    ]);
}

#[test]
fn a_dry_run_says_what_ranks_would_take() {
    let dir = TempDir::new().unwrap();
    let run = awari(dir.path(), &["build", "--dry-run", "--ranks", "4", "--stones", "20", "--json"]).exits(0);
    let estimate = &run.json()[0];
    // A build by four ranks exchanged 1.07 GB.
    let exchanged = estimate["exchanged_bytes"].as_u64().unwrap();
    assert!((1_000_000_000..1_150_000_000).contains(&exchanged), "{estimate}");
    let least = (80_214_915 + 84_672_315) / 4;
    let share = estimate["values_and_captures_per_rank"].as_u64().unwrap();
    assert!((least..least * 6 / 5).contains(&share), "{estimate}");
    awari(dir.path(), &["build", "--dry-run", "--ranks", "4", "--stones", "12"]).exits(0).prints(&[
        "12 stones by 4 ranks",
        "memory a rank",
        "bits a position",
    ]);
    awari(dir.path(), &["build", "--dry-run", "--stones", "12"]).exits(2).says(&["--ranks"]);
    let with_depths = ["build", "--dry-run", "--ranks", "4", "--stones", "12", "--depth"];
    awari(dir.path(), &with_depths).exits(2).says(&["--dry-run", "--depth"]);
    awari(dir.path(), &["build", "--dry-run", "--ranks", "4", "--stones", "47"])
        .exits(2)
        .says(&["47 stones"]);
    assert!(fs::read_dir(dir.path()).unwrap().next().is_none());
}
