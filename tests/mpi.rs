//! Builds by processes of an MPI job: the same files as those of one process, also after a rank was killed.
#![cfg(feature = "mpi")]

mod program;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use awari::engine::{Exchange, MpiJob};
use program::awari;
use tempfile::TempDir;

/// Compared up to this many stones.
const STONES: u32 = 14;

/// What starts jobs, also of more ranks than there are cores.
fn mpirun() -> Command {
    let mut command = Command::new(std::env::var_os("MPIRUN").unwrap_or_else(|| "mpirun".into()));
    // What Open MPI wants to be told; others do not mind.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.env("OMPI_MCA_rmaps_base_oversubscribe", "1");
    command.stdin(Stdio::null());
    command
}

/// So many ranks of a job.
fn add(command: &mut Command, ranks: usize, dir: &Path, arguments: &[&str]) {
    command.arg("-n").arg(ranks.to_string()).arg(env!("CARGO_BIN_EXE_awari")).arg("--dir").arg(dir);
    command.args(["build", "--mpi"]).args(arguments);
}

fn job(ranks: usize, dir: &Path, arguments: &[&str]) -> Command {
    let mut command = mpirun();
    add(&mut command, ranks, dir, arguments);
    command
}

fn run(ranks: usize, dir: &Path, arguments: &[&str]) -> Output {
    job(ranks, dir, arguments).output().unwrap()
}

fn assert_same_files(right: &Path, dir: &Path, rules: &str, stones: u32) {
    for stones in 0..=stones {
        let values = |dir: &Path| fs::read(dir.join(format!("{rules}/{stones:02}.awari"))).unwrap();
        assert!(values(right) == values(dir), "{rules}, {stones} stones");
        let depths = |dir: &Path| fs::read(dir.join(format!("{rules}/{stones:02}.depth"))).ok();
        assert!(depths(right) == depths(dir), "{rules}, depths of {stones} stones");
    }
}

#[test]
fn files_are_those_of_one_process() {
    for rules in ["awari", "abapa", "slam-ends"] {
        let stones = STONES.to_string();
        let arguments = ["--stones", &stones, "--rules", rules, "--depth"];
        let one = TempDir::new().unwrap();
        awari(one.path(), &[&["build"], &arguments[..]].concat()).exits(0);
        for ranks in 1..=4 {
            let dir = TempDir::new().unwrap();
            let output = run(ranks, dir.path(), &arguments);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{said}");
            assert!(said.contains("exchanged ("), "{said}");
            assert_same_files(one.path(), dir.path(), rules, STONES);
        }
    }
}

/// The processes of a job that run the program.
fn ranks_of(dir: &Path) -> Vec<u32> {
    let program = fs::canonicalize(env!("CARGO_BIN_EXE_awari")).unwrap();
    let entries = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().file_name());
    let pids = entries.filter_map(|name| name.to_str()?.parse().ok());
    let is_rank = |pid: &u32| {
        let arguments = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let runs = fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == program);
        runs && String::from_utf8_lossy(&arguments).contains(&*dir.to_string_lossy())
    };
    pids.filter(is_rank).collect()
}

/// Waits until a file is there, while the job runs.
fn wait_for(job: &mut Child, file: &Path) {
    while !file.exists() {
        assert!(job.try_wait().unwrap().is_none(), "the job ended early");
        sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_killed_rank_ends_the_job_and_the_same_command_goes_on() {
    const MOST: u32 = 16;
    let (one, dir) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    awari(one.path(), &["build", "--stones", &MOST.to_string()]).exits(0);
    let most = MOST.to_string();
    // Between tables, and on the way of the last one, after a checkpoint.
    for (ranks, rank, until) in [(3, 2, "11.awari"), (2, 0, "14.awari"), (2, 1, "16.awari.checkpoint")] {
        let mut killed = job(ranks, dir.path(), &["--stones", &most, "--checkpoint", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        wait_for(&mut killed, &dir.path().join("awari").join(until));
        let all = ranks_of(dir.path());
        assert_eq!(all.len(), ranks);
        let kill = Command::new("kill").args(["-9", &all[rank].to_string()]).status().unwrap();
        assert!(kill.success());
        let output = killed.wait_with_output().unwrap();
        assert!(!output.status.success());
        // What starts the ranks says what happened to one.
        let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).to_lowercase());
        assert!(said.iter().any(|said| said.contains("signal") || said.contains("killed")), "{said:?}");
        while !ranks_of(dir.path()).is_empty() {
            sleep(Duration::from_millis(2));
        }
        assert!(!dir.path().join(format!("awari/{MOST}.awari")).exists(), "it was too late");
    }
    let output = run(3, dir.path(), &["--stones", &most]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("There already: 0-15 stones"), "{said}");
    assert!(said.contains("16 stones: goes on after sweep"), "{said}");
    assert_same_files(one.path(), dir.path(), "awari", MOST);
}

#[test]
fn a_job_that_does_not_fit_is_refused() {
    let dir = TempDir::new().unwrap();
    let output = run(2, dir.path(), &["--stones", "12", "--memory", "1M"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("not enough memory: the table of 12 stones needs"), "{said}");
    assert!(said.contains("a rank with 2 ranks"), "{said}");
    assert!(fs::read_dir(dir.path()).unwrap().next().is_none(), "a refused build leaves no trace");
}

/// A job whose last rank is started otherwise.
fn run_with(other: (&Path, &[&str]), dir: &Path, arguments: &[&str]) -> Output {
    let mut command = job(2, dir, arguments);
    command.arg(":");
    add(&mut command, 1, other.0, other.1);
    command.output().unwrap()
}

#[test]
fn ranks_that_are_not_started_alike_write_nothing() {
    let [dir, elsewhere] = [(); 2].map(|()| TempDir::new().unwrap());
    awari(dir.path(), &["build", "--stones", "7", "--rules", "abapa"]).exits(0);
    let wanted = ["--stones", "7"];
    let cases: [((&Path, &[&str]), &str); 5] = [
        ((dir.path(), &["--stones", "8"]), "on rank 2, awari"),
        ((dir.path(), &["--stones", "6"]), "on rank 2, awari"),
        ((dir.path(), &["--stones", "7", "--depth"]), "values and depths of 7 stones"),
        ((dir.path(), &["--stones", "7", "--rules", "abapa"]), "under rules abapa"),
        ((elsewhere.path(), &wanted), "is not the directory of rank 0"),
    ];
    for (other, says) in cases {
        let output = run_with(other, dir.path(), &wanted);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(says), "{said}");
        // Where ranks end together, none takes the words from the others' mouths.
        assert!(said.contains("error: the ranks were not") || said.contains("error: another rank"), "{said}");
        assert!(!dir.path().join("awari/00.awari").exists());
    }
}

/// Not a test of its own, but what ranks of the next one run.
#[test]
#[ignore = "a rank of another test"]
fn waits_for_a_rank_that_panics() {
    let job = MpiJob::join().unwrap();
    assert!(job.rank() == 0, "a fault");
    job.receive(1);
}

#[test]
fn a_rank_that_panics_ends_the_job() {
    let mut command = mpirun();
    command.args(["-n", "2"]).arg(std::env::current_exe().unwrap());
    let output = command.args(["--ignored", "--exact", "waits_for_a_rank_that_panics"]).output().unwrap();
    assert!(!output.status.success());
}
