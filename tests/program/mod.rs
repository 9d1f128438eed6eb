//! Runs the real program.
#![allow(dead_code, reason = "each test file uses a part of this")]

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// What a run of the program came to.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    fn of(output: Output) -> Run {
        Run {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Checks the exit code; returns the run for more.
    #[track_caller]
    pub fn exits(self, code: i32) -> Run {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Checks that stderr holds each text.
    #[track_caller]
    pub fn says(self, texts: &[&str]) -> Run {
        for text in texts {
            assert!(self.stderr.contains(text), "stderr lacks {text:?}: {self:#?}");
        }
        self
    }

    /// Checks that stdout holds each text.
    #[track_caller]
    pub fn prints(self, texts: &[&str]) -> Run {
        for text in texts {
            assert!(self.stdout.contains(text), "stdout lacks {text:?}: {self:#?}");
        }
        self
    }

    /// The lines of stdout, each a JSON object.
    #[track_caller]
    pub fn json(&self) -> Vec<serde_json::Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }
}

/// The program, about to run on the databases in `dir`.
pub fn command(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_awari"));
    command.arg("--dir").arg(dir).args(arguments).stdin(Stdio::null());
    command
}

/// Runs the program on the databases in `dir`.
pub fn awari(dir: &Path, arguments: &[&str]) -> Run {
    Run::of(command(dir, arguments).output().unwrap())
}

/// The same with something on stdin.
pub fn awari_with_input(dir: &Path, arguments: &[&str], input: &str) -> Run {
    let mut command = command(dir, arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let run = Run::of(child.wait_with_output().unwrap());
    let _ = writer.join();
    run
}

/// How often a wait looks.
const LOOK: Duration = Duration::from_millis(2);

/// Waits until a run of the program has made a file.
#[track_caller]
pub fn wait_for(path: &Path, child: &mut Child) {
    while !path.exists() {
        assert_runs(child, "made its file");
        sleep(LOOK);
    }
}

/// Waits until a run of the program has used the processor for so many seconds: on a busy machine that
/// takes longer, and the program is as far as on another.
#[track_caller]
pub fn wait_for_work(seconds: f64, child: &mut Child) {
    let ticks = rustix::param::clock_ticks_per_second() as f64;
    loop {
        let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        // Behind the name, which may hold anything: proc(5).
        let mut fields = stat.rsplit(')').next().unwrap().split_whitespace().skip(11);
        let mut used = || fields.next().unwrap().parse::<f64>().unwrap() / ticks;
        if used() + used() >= seconds {
            return;
        }
        assert_runs(child, "worked so long");
        sleep(LOOK);
    }
}

/// Fails with what the program said if it has ended.
#[track_caller]
fn assert_runs(child: &mut Child, before: &str) {
    if let Some(status) = child.try_wait().unwrap() {
        let mut said = String::new();
        child.stderr.iter_mut().for_each(|stderr| _ = stderr.read_to_string(&mut said));
        panic!("it ended before it had {before}: {status}: {said}");
    }
}

/// Presses ^C.
pub fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
}

/// Python 3, if it is there. If not, says past the test harness that something is not tested.
pub fn python() -> Option<Command> {
    let there = Command::new("python3").arg("--version").output().is_ok_and(|run| run.status.success());
    if !there {
        let _ = writeln!(io::stderr(), "not tested: there is no python3");
    }
    there.then(|| Command::new("python3"))
}

/// Most stones of the databases in [`databases`].
pub const STONES: u32 = 8;

/// A directory with the tables of 0 to [`STONES`] stones under rules `awari`, made once a test
/// program. Not to be changed: take a [`copy`] for that.
pub fn databases() -> &'static Path {
    static DIR: OnceLock<TempDir> = OnceLock::new();
    DIR.get_or_init(|| {
        let dir = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        awari(dir.path(), &["build", "--stones", "8"]).exits(0);
        dir
    })
    .path()
}

/// A copy of [`databases`].
pub fn copy() -> TempDir {
    let dir = TempDir::new().unwrap();
    let to = dir.path().join("awari");
    fs::create_dir(&to).unwrap();
    for entry in fs::read_dir(databases().join("awari")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
    dir
}

/// The names of the files in a directory, in order.
pub fn names(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}
