//! An engine as a child process. Whatever it does, it is answered for: hung, gone or babbling, it is
//! killed with all it started, and what it did has a name.

use std::fmt;
use std::io::{self, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use awari::Rules;
use awari::notation::auale::{self, Play};
use rustix::process::{Pid, Signal, kill_process_group};

use super::guard::Guard;
use crate::cli::read_line;

/// How long an engine may take to say that it is there.
const START: Duration = Duration::from_secs(20);

/// How often a wait looks whether to stop.
const LOOK: Duration = Duration::from_millis(50);

/// Lines of an engine that wait to be read; then it waits too.
const LINES: usize = 256;

/// Commands that wait for an engine to read them, beside those in its pipe,
const COMMANDS: usize = 16;

/// and how long one more may wait for its place.
const DEAF: Duration = Duration::from_secs(2);

/// Options that an engine may have. More are not looked at.
const OPTIONS: usize = 1_000;

/// Characters of what an engine says that are shown.
const SHOWN: usize = 80;

/// An option of an engine and what to set it to.
#[derive(Clone, Debug)]
pub struct Setting {
    pub name: String,
    pub value: String,
}

/// Which engine to start, and how.
#[derive(Debug)]
pub struct Spec {
    /// A command for the shell.
    pub command: String,
    pub settings: Vec<Setting>,
    pub rules: Rules,
    /// How often in a row it did not start.
    pub failures: AtomicU32,
}

/// An engine that did not start so often in a row is not started again.
const FAILURES: u32 = 3;

/// What an engine did instead of answering.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It could not be started, or never said that it was ready.
    NoStart(String),
    /// It did not answer in time.
    Hung(Duration),
    /// It does not read what it is told.
    Deaf,
    /// It ended, or closed its output.
    Gone,
    /// Its answer is no move.
    Babble(String),
    /// Its move is against the rules.
    Illegal(String),
    /// It thought longer than its clock allowed.
    Time(Duration),
    /// ^C was pressed meanwhile: not its fault.
    Stopped,
}

impl Fault {
    /// In a word or two, to be counted.
    pub fn name(&self) -> &'static str {
        match self {
            Fault::NoStart(_) => "not started",
            Fault::Hung(_) | Fault::Deaf => "hung",
            Fault::Gone => "gone",
            Fault::Babble(_) => "no move in the answer",
            Fault::Illegal(_) => "illegal move",
            Fault::Time(_) => "out of time",
            Fault::Stopped => "stopped",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NoStart(why) => write!(f, "it does not start: {why}"),
            Fault::Hung(after) => write!(f, "no answer after {:.1} s", after.as_secs_f64()),
            Fault::Deaf => f.write_str("it does not read its input"),
            Fault::Gone => f.write_str("it ended or closed its output"),
            Fault::Babble(line) => write!(f, "no move in its answer {:?}", shown(line)),
            Fault::Illegal(play) => write!(f, "its move {play} is against the rules"),
            Fault::Time(after) => write!(f, "out of time after {:.3} s", after.as_secs_f64()),
            Fault::Stopped => f.write_str("stopped"),
        }
    }
}

/// A running engine.
pub struct Engine<'s> {
    child: Child,
    /// Ends it if we cannot.
    _guard: Guard,
    commands: SyncSender<String>,
    lines: Receiver<String>,
    stop: &'s AtomicBool,
    /// What it calls itself.
    pub name: String,
}

impl<'s> Engine<'s> {
    /// Starts an engine and sees to it that it is ready. `stop` ends every wait.
    pub fn start(spec: &Spec, stop: &'s AtomicBool) -> Result<Engine<'s>, Fault> {
        if spec.failures.load(Ordering::Relaxed) >= FAILURES {
            return Err(Fault::NoStart(format!("it did not {FAILURES} times")));
        }
        let started = Engine::try_start(spec, stop);
        match &started {
            Ok(_) => spec.failures.store(0, Ordering::Relaxed),
            Err(_) => _ = spec.failures.fetch_add(1, Ordering::Relaxed),
        }
        started
    }

    fn try_start(spec: &Spec, stop: &'s AtomicBool) -> Result<Engine<'s>, Fault> {
        let failed = |error: io::Error| Fault::NoStart(error.to_string());
        let mut child = Command::new("sh")
            .args(["-c", &format!("exec {}", spec.command)])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own: ^C is for us, and whatever it starts can be killed with it.
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let guard = match Guard::over(child.id()) {
            Ok(guard) => guard,
            Err(error) => {
                end(&mut child);
                return Err(failed(error));
            }
        };
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let ((commands, said), (sender, lines)) = (sync_channel(COMMANDS), sync_channel(LINES));
        let name = spec.command.clone();
        let mut engine = Engine { child, _guard: guard, commands, lines, stop, name };
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(Fault::NoStart("it has no input or output".to_owned()));
        };
        let (last_words, complaint) = channel();
        let thread = || thread::Builder::new();
        thread().spawn(move || hand_over(input, &said)).map_err(failed)?;
        thread().spawn(move || pass_on(output, &sender)).map_err(failed)?;
        thread().spawn(move || last_words.send(last_line(errors))).map_err(failed)?;
        let Err(fault) = engine.introduce(spec) else { return Ok(engine) };
        drop(engine);
        let why = match fault {
            Fault::Hung(after) => format!("no answer after {:.1} s", after.as_secs_f64()),
            Fault::Gone => "it ends at once".to_owned(),
            other => return Err(other),
        };
        let complaint = complaint.recv_timeout(Duration::from_millis(500)).unwrap_or_default();
        let colon = if complaint.is_empty() { "" } else { ": " };
        Err(Fault::NoStart(format!("{why}{colon}{complaint}")))
    }

    /// Hears what it is and tells it the rules and its options.
    fn introduce(&mut self, spec: &Spec) -> Result<(), Fault> {
        let options = self.greet()?;
        let rules = Setting { name: "Rules".to_owned(), value: spec.rules.name().to_owned() };
        let has_rules = options.iter().any(|option| option.eq_ignore_ascii_case(&rules.name));
        for Setting { name, value } in has_rules.then_some(&rules).into_iter().chain(&spec.settings) {
            self.say(&format!("setoption name {name} value {value}"))?;
        }
        self.ready()
    }

    /// Has it say what it is. Returns the names of its options.
    fn greet(&mut self) -> Result<Vec<String>, Fault> {
        self.say("uci")?;
        let start = Instant::now();
        let mut options = Vec::new();
        loop {
            let line = self.line(start, START)?;
            if line == "uciok" {
                return Ok(options);
            } else if let Some(name) = line.strip_prefix("id name ") {
                self.name = shown(name.trim());
            } else if let Some(option) = line.strip_prefix("option name ")
                && options.len() < OPTIONS
            {
                options.push(option.split(" type ").next().unwrap_or(option).trim().to_owned());
            }
        }
    }

    /// Tells it that another game begins.
    pub fn new_game(&mut self) -> Result<(), Fault> {
        self.say("ucinewgame")?;
        self.ready()
    }

    fn ready(&mut self) -> Result<(), Fault> {
        self.say("isready")?;
        let start = Instant::now();
        while self.line(start, START)? != "readyok" {}
        Ok(())
    }

    /// Asks for a move in a position: what follows `position`, and the whole `go` command. Waits for
    /// `patience` at most. Returns the move and how long it took, from `go` on.
    pub fn think(&mut self, position: &str, go: &str, patience: Duration) -> Result<(Play, Duration), Fault> {
        self.say(&format!("position {position}"))?;
        // Whatever it has said before that is no answer.
        self.ready()?;
        let start = Instant::now();
        self.say(go)?;
        loop {
            let line = self.line(start, patience)?;
            let Some(answer) = line.strip_prefix("bestmove") else { continue };
            let took = start.elapsed();
            let word = answer.split_whitespace().next().unwrap_or_default();
            return match auale::moves(word).as_deref() {
                Ok([play]) => Ok((*play, took)),
                _ => Err(Fault::Babble(line)),
            };
        }
    }

    fn say(&mut self, command: &str) -> Result<(), Fault> {
        let (start, mut command) = (Instant::now(), format!("{command}\n"));
        loop {
            command = match self.commands.try_send(command) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(_)) => return Err(Fault::Gone),
                Err(TrySendError::Full(_)) if self.stop.load(Ordering::Relaxed) => {
                    return Err(Fault::Stopped);
                }
                Err(TrySendError::Full(_)) if start.elapsed() >= DEAF => return Err(Fault::Deaf),
                Err(TrySendError::Full(command)) => command,
            };
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// The next line, until `patience` after `start`.
    fn line(&mut self, start: Instant, patience: Duration) -> Result<String, Fault> {
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Fault::Stopped);
            }
            let Some(left) = patience.checked_sub(start.elapsed()) else { return Err(Fault::Hung(patience)) };
            match self.lines.recv_timeout(left.min(LOOK)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Fault::Gone),
            }
        }
    }
}

impl Drop for Engine<'_> {
    fn drop(&mut self) {
        // Who ends by himself may put away his things: he gets a moment.
        let _ = self.commands.try_send("quit\n".to_owned());
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(200) && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(5));
        }
        end(&mut self.child);
    }
}

/// Kills a process and all of its group.
fn end(child: &mut Child) {
    if let Ok(pid) = i32::try_from(child.id())
        && let Some(group) = Pid::from_raw(pid)
    {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

/// Writes commands as they come: who does not read his input makes a thread wait, not the program.
fn hand_over(mut input: ChildStdin, commands: &Receiver<String>) {
    while let Ok(command) = commands.recv() {
        if input.write_all(command.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

/// Reads lines, of which no more is kept than can mean something, until nobody wants them.
fn pass_on(output: impl io::Read, sender: &SyncSender<String>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    while matches!(read_line(&mut output, &mut line), Ok(1..)) {
        if sender.send(String::from_utf8_lossy(&line).trim().to_owned()).is_err() {
            return;
        }
    }
}

/// The last line that says something.
fn last_line(output: impl io::Read) -> String {
    let mut output = BufReader::new(output);
    let (mut line, mut last) = (Vec::new(), String::new());
    while matches!(read_line(&mut output, &mut line), Ok(1..)) {
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() {
            last = shown(text.trim());
        }
    }
    last
}

/// As much of a text as is shown, without what a terminal would obey.
fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(SHOWN).collect()
}
