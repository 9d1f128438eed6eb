//! What happens to files while they are read or written: cut short, replaced, removed, no room,
//! no permission, ^C. Always an error that names the file or goes on, never the end of the process by a
//! signal, never a wrong answer, and nothing left behind. `docs/safety.md` says what is promised.

mod program;

use std::fs;
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use awari::builder::{Builder, Progress};
use awari::index::Index;
use awari::table::{self, Encoding, TableError};
use awari::{Rules, Tablebase};
use program::{STONES, awari, command, copy, databases, interrupt, names, python, wait_for, wait_for_work};
use tempfile::TempDir;

/// The position at a place of the table of 8 stones.
fn board(place: u64) -> awari::Board {
    Index::new(STONES).board(place)
}

#[test]
fn a_table_cut_short_while_it_is_read_is_an_error() {
    table::catch_signals().unwrap();
    let dir = copy();
    let path = dir.path().join("awari/08.awari");
    let last = Index::new(STONES).positions() - 1;
    let right = Tablebase::open(databases(), Rules::Awari).unwrap();
    for cut in [0, 100, 4096, 8192, 20_000] {
        fs::copy(databases().join("awari/08.awari"), &path).unwrap();
        let tables = Tablebase::open(dir.path(), Rules::Awari).unwrap();
        assert_eq!(tables.value(&board(last)).unwrap(), right.value(&board(last)).unwrap());
        fs::File::options().write(true).open(&path).unwrap().set_len(cut).unwrap();
        let error = tables.value(&board(last)).unwrap_err();
        let said = format!("{}: corrupt: it was cut short while it was being read", path.display());
        assert!(error.to_string().starts_with(&said), "{error}");
        // From then on nothing in it is trusted, in bulk neither; other tables are read as ever.
        assert!(tables.value(&board(0)).is_err());
        let table = tables.table(STONES).unwrap();
        let mut values = vec![0; 1000];
        for failed in
            [table.read(0, &mut values), table.check(), table.check_blocks(), table.count().map(drop)]
        {
            assert!(matches!(failed, Err(TableError::Changed { path: named }) if named == path));
        }
        assert!(tables.unpack(STONES).is_err() && tables.smaller_tables(STONES + 2).is_err());
        assert!(tables.unpack(STONES - 1).is_ok());
        // Opened anew it is what it is: cut short.
        assert!(Tablebase::open(dir.path(), Rules::Awari).unwrap().value(&board(last)).is_err());
    }
}

#[test]
fn depths_compressed_tables_and_scores_too() {
    table::catch_signals().unwrap();
    let dir = copy();
    let stones = STONES.to_string();
    awari(dir.path(), &["build", "--stones", &stones, "--depth"]).exits(0);
    let small = TempDir::new().unwrap();
    let to = small.path().to_str().unwrap();
    awari(dir.path(), &["convert", "--to", "compressed", to]).exits(0);
    let vu = TempDir::new().unwrap();
    awari(dir.path(), &["convert", "--to", "vu", vu.path().to_str().unwrap()]).exits(0);
    let hash =
        Tablebase::open(dir.path(), Rules::Awari).unwrap().table(STONES).unwrap().header().content_hash;
    for dir in [dir.path(), small.path()] {
        let path = dir.join("awari/08.depth");
        let depths = table::DepthTable::open(&path, Rules::Awari, STONES, hash).unwrap();
        depths.check().unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_len(4096).unwrap();
        assert!(matches!(depths.check(), Err(TableError::Changed { .. })), "{path:?}");
        if depths.header().encoding == Encoding::Packed {
            assert!(matches!(depths.depth(70_000), Err(TableError::Changed { .. })));
        }
    }
    let path = small.path().join("awari/08.awari");
    let values = table::Table::open(&path, Rules::Awari, STONES).unwrap();
    values.check().unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_len(4096).unwrap();
    assert!(matches!(values.check(), Err(TableError::Changed { .. })));

    let path = table::vu::path(vu.path(), STONES);
    assert!(path.exists(), "{:?}", names(vu.path()));
    let scores = table::vu::VuTable::open(&path, STONES).unwrap();
    assert!(scores.value(&board(75_000)).unwrap().is_some());
    fs::File::options().write(true).open(&path).unwrap().set_len(10).unwrap();
    let places = [0, 20_000, 75_000];
    assert!(
        places.iter().any(|&place| matches!(scores.value(&board(place)), Err(TableError::Changed { .. })))
    );
    assert!(matches!(scores.counts(), Err(TableError::Changed { .. })));
    assert!(matches!(scores.content_hash(), Err(TableError::Changed { .. })));
}

#[test]
fn a_table_that_is_replaced_stays_what_it_was_for_who_has_it_open() {
    let dir = copy();
    let tables = Tablebase::open(dir.path(), Rules::Awari).unwrap();
    let before = tables.unpack(STONES).unwrap();
    // Other rules, other values.
    let other = TempDir::new().unwrap();
    awari(other.path(), &["build", "--stones", "8", "--rules", "slam-ends"]).exits(0);
    fs::rename(other.path().join("slam-ends/08.awari"), dir.path().join("awari/08.awari")).unwrap();
    assert!(tables.unpack(STONES).unwrap() == before);
    fs::remove_file(dir.path().join("awari/08.awari")).unwrap();
    assert!(tables.unpack(STONES).unwrap() == before);
}

#[test]
fn what_is_no_table_is_told_at_once() {
    let probe = ["probe", "0 0 0 0 0 2 / 1 2 1 1 1 0"];
    let dir = copy();
    let path = dir.path().join("awari/08.awari");
    fs::write(&path, "").unwrap();
    awari(dir.path(), &probe).exits(1).says(&["08.awari", "cut short"]);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    awari(dir.path(), &probe).exits(1).says(&["08.awari", "it is a directory"]);
    fs::remove_dir(&path).unwrap();
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    awari(dir.path(), &probe).exits(1).says(&["08.awari", "it is no regular file"]);
}

/// A build that takes longer than any test, once it has finished the table of 9 stones.
fn long_build(dir: &Path, more: &[&str]) -> Child {
    let mut command = command(dir, &["build", "--stones", "22", "--threads", "1"]);
    let mut child = command.args(more).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(&dir.join("awari/09.awari"), &mut child);
    child
}

/// What it says at its end, which it comes to by itself.
#[track_caller]
fn says(output: Output, texts: &[&str]) {
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.status.signal()), (Some(1), None), "{stderr}");
    texts.iter().for_each(|text| assert!(stderr.contains(text), "no {text:?}: {stderr}"));
}

/// The tables that are there are those of an undisturbed build, and there is nothing else.
#[track_caller]
fn assert_whole_tables(dir: &Path) {
    for name in names(&dir.join("awari")) {
        let stones: u32 = name.strip_suffix(".awari").unwrap_or_else(|| panic!("{name}")).parse().unwrap();
        if stones <= STONES {
            let read = |dir: &Path| fs::read(dir.join("awari").join(&name)).unwrap();
            assert!(read(dir) == read(databases()), "{name} differs");
        }
    }
}

#[test]
fn a_build_does_not_go_on_upon_a_table_that_was_cut_short() {
    let dir = TempDir::new().unwrap();
    let child = long_build(dir.path(), &["--checkpoint", "0"]);
    let path = dir.path().join("awari/08.awari");
    fs::File::options().write(true).open(&path).unwrap().set_len(4096).unwrap();
    let output = child.wait_with_output().unwrap();
    // Mostly while it is being read; a slow machine may have it opened only then.
    says(output, &["08.awari: corrupt: ", "cut short"]);
    let bytes = fs::read(databases().join("awari/08.awari")).unwrap();
    fs::write(&path, bytes).unwrap();
    let built =
        names(&dir.path().join("awari")).iter().filter(|name| name.ends_with(".awari")).count() as u32;
    let most = built.clamp(11, 14).to_string();
    awari(dir.path(), &["build", "--stones", &most]).exits(0);
    awari(dir.path(), &["verify", "--stones", &most]).exits(0);
}

#[test]
fn a_directory_removed_while_a_build_is_at_work() {
    let dir = TempDir::new().unwrap();
    let mut child = long_build(dir.path(), &[]);
    while fs::remove_dir_all(dir.path().join("awari")).is_err() {}
    // It goes on with what it has open, and makes the directory anew, or says why not; mostly it has
    // come to that by then.
    sleep(Duration::from_millis(300));
    if child.try_wait().unwrap().is_none() {
        interrupt(&child);
    }
    let output = child.wait_with_output().unwrap();
    assert!(matches!(output.status.code(), Some(1 | 130)), "{output:?}");
    if dir.path().join("awari").exists() {
        assert_whole_tables(dir.path());
    }
    awari(dir.path(), &["build", "--stones", "8"]).exits(0);
    assert_whole_tables(dir.path());
}

#[test]
fn a_file_may_be_larger_than_the_shell_allows() {
    let dir = copy();
    let script = format!(
        "ulimit -f 200; exec '{}' --dir '{}' build --stones 12 --checkpoint 0",
        env!("CARGO_BIN_EXE_awari"),
        dir.path().display()
    );
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
    says(output, &["10.awari: cannot", "File too large", "There is no new checkpoint; the build goes on."]);
    let mut left = names(&dir.path().join("awari"));
    assert_eq!(left.pop().as_deref(), Some("09.awari"));
    assert_whole_tables(dir.path());
    awari(dir.path(), &["build", "--stones", "10"]).exits(0);
}

/// A small disk of its own, if this user may have one.
struct Disk(TempDir);

impl Disk {
    fn mount(options: &str) -> Option<Disk> {
        let dir = TempDir::new().unwrap();
        let disk = Disk(dir);
        disk.run(&["mount", "-t", "tmpfs", "-o", options, "awari-test"]).then_some(disk)
    }

    fn run(&self, words: &[&str]) -> bool {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(self.0.path()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.run(&["umount", "-l"]);
    }
}

/// Fills the disk with a file when the table of 10 stones is about to be written.
struct Fills(PathBuf);

impl Progress for Fills {
    fn writing(&self, stones: u32) {
        if stones == 10 {
            let full = fs::write(&self.0, vec![1; 100 << 20]).unwrap_err();
            assert_eq!(full.kind(), io::ErrorKind::StorageFull);
        }
    }
}

#[test]
fn a_disk_that_fills_up() {
    let Some(disk) = Disk::mount("size=100M") else {
        let _ = writeln!(io::stderr(), "not tested: this user cannot mount a disk");
        return;
    };
    let dir = disk.0.path();
    awari(dir, &["build", "--stones", "22"]).exits(1).says(&["not enough disk space"]);
    // Somebody else takes all the room there is, after it was looked for.
    let builder = Builder::new(dir, Rules::Awari).stones(17).checkpoint(Some(Duration::ZERO));
    let error = builder.run(&Fills(dir.join("filler"))).unwrap_err().to_string();
    assert!(error.contains("10.awari: no space: the table needs"), "{error}");
    let left = names(&dir.join("awari"));
    assert!(left.iter().all(|name| !name.starts_with('.')), "{left:?}");
    fs::remove_file(dir.join("filler")).unwrap();
    let most = (left.len() as u32 + 1).clamp(11, 15).to_string();
    awari(dir, &["build", "--stones", &most]).exits(0);
    awari(dir, &["verify", "--stones", &most]).exits(0);
    assert_whole_tables(dir);
}

#[test]
fn a_directory_that_can_only_be_read() {
    let Some(disk) = Disk::mount("size=10M") else {
        let _ = writeln!(io::stderr(), "not tested: this user cannot mount a disk");
        return;
    };
    let dir = disk.0.path();
    awari(dir, &["build", "--stones", "6"]).exits(0);
    assert!(disk.run(&["mount", "-o", "remount,ro"]));
    awari(dir, &["build", "--stones", "6", "--checkpoint", "0"]).exits(0).says(&["Nothing to build."]);
    awari(dir, &["build", "--stones", "7"]).exits(1).says(&["cannot use the directory", "Read-only"]);
    awari(dir, &["probe", "0 0 0 0 0 2 / 1 2 0 0 0 0"]).exits(0);
    assert_eq!(names(&dir.join("awari")).len(), 7);
}

#[test]
fn interrupted_in_any_phase_it_leaves_tables_and_checkpoints() {
    // What a build is at depends on when the signal comes: it is sent after more and more work.
    let kinds: [&[&str]; 4] = [
        &["--depth", "--checkpoint", "0"],
        &["--depth", "--memory", "400M"],
        &["--compress", "--memory", "2G"],
        &["--compress", "--depth"],
    ];
    for (number, more) in kinds.into_iter().cycle().take(16).enumerate() {
        let dir = copy();
        let mut command = command(dir.path(), &["build", "--stones", "20"]);
        let mut child = command.args(more).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(&dir.path().join("awari/.lock"), &mut child);
        wait_for_work(0.01 + 0.12 * number as f64, &mut child);
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{more:?}: {stderr}");
        for name in names(&dir.path().join("awari")) {
            let known = [".awari", ".depth", ".checkpoint"].iter().any(|end| name.ends_with(end));
            assert!(known && !name.starts_with('.'), "{name}: {more:?}");
        }
    }
}

/// `scripts/kills` runs hundreds; these few are for every day.
#[test]
fn killed_at_random_it_ends_in_the_right_bytes() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/kills");
    let program = env!("CARGO_BIN_EXE_awari");
    let Some(mut command) = python() else { return };
    let output = command.args([script, "12", "--stones", "10", "--program", program]).output().unwrap();
    let (said, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}{wrong}");
    assert!(said.contains("12 kills in all") && said.contains("all right"), "{said}");
}

#[test]
fn files_are_on_disk_before_they_have_their_names() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/sync-order");
    let Some(mut command) = python() else { return };
    let output = command.args([script, env!("CARGO_BIN_EXE_awari")]).output().unwrap();
    let (said, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}{wrong}");
    // Past what the test harness keeps to itself: somebody may think that it was checked.
    let _ = writeln!(io::stderr(), "scripts/sync-order: {}", said.trim_end());
}
