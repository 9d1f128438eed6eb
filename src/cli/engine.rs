//! `awari engine`

mod game;
mod go;
mod options;
mod think;

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use super::{Failure, RulesOption, read_line};
use awari::search::Memory;
use game::Game;
use go::Go;
use options::Options;

/// A player for programs, by the protocol of Aualé
///
/// Reads commands from stdin and answers on stdout, in the dialect of the Universal Chess Interface
/// that Aualé and its engines speak: `uci`, `isready`, `setoption`, `ucinewgame`, `position`, `go`,
/// `stop`, `ponderhit`, `quit`. docs/engine-protocol.md has all of it. Aualé plays by the rules
/// abapa.
///
/// Inside the tables it plays perfectly; where their depths were built (awari build --depth), it also
/// makes the fastest way to what is won. Above the tables it searches.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Engine {
    #[command(flatten)]
    rules: RulesOption,
}

const EXAMPLES: &str = "\
Examples:
  awari engine --rules abapa
  (printf 'position startpos moves Fe\\ngo movetime 1000\\n'; sleep 2) | awari engine --rules abapa

The end of the input ends a search, as stop does.";

impl Engine {
    /// Runs the command until it is told to quit or its input ends.
    ///
    /// # Errors
    /// If the directory of tables cannot be opened or stdin cannot be read.
    pub fn run(self, dir: &Path) -> Result<(), Failure> {
        let options = Options::new(dir, self.rules.rules).map_err(Failure::new)?;
        let mut service = Service { options, game: Ok(Game::start()), thinking: None, memory: None };
        let mut input = io::stdin().lock();
        let mut line = Vec::new();
        let result = loop {
            match read_line(&mut input, &mut line) {
                Ok(0) => break Ok(()),
                Ok(bytes) if bytes > line.len() as u64 => {
                    say(&format!("info string a line of {bytes} bytes is too long: it is passed over"));
                }
                Ok(_) => {
                    if !service.obey(&String::from_utf8_lossy(&line)) {
                        break Ok(());
                    }
                }
                Err(error) => break Err(Failure::new(format_args!("cannot read stdin: {error}"))),
            }
            if CLOSED.load(Ordering::Relaxed) {
                break Ok(());
            }
        };
        service.stop();
        result
    }
}

/// Whether nobody reads what is said any more.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Writes a line at once.
fn say(line: &str) {
    let mut out = io::stdout().lock();
    if out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()).is_err() {
        CLOSED.store(true, Ordering::Relaxed);
    }
}

/// What a search and the one who waits for it share.
#[derive(Default)]
struct Signal {
    /// The search is to end.
    stop: AtomicBool,
    /// The answer is to wait until the search is told to stop.
    hold: AtomicBool,
    /// The answer is being said: whoever hears it may ask on.
    answered: AtomicBool,
}

impl Signal {
    fn end(&self) {
        self.hold.store(false, Ordering::Relaxed);
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// A search under way.
struct Thinking {
    signal: Arc<Signal>,
    go: Go,
    /// Whose clock runs after `ponderhit`.
    south: bool,
    thread: JoinHandle<Option<Memory>>,
}

/// The engine between two commands.
struct Service {
    options: Options,
    /// The game, or why the last `position` was none.
    game: Result<Game, String>,
    thinking: Option<Thinking>,
    /// What the last search had.
    memory: Option<Memory>,
}

impl Service {
    /// Does what a line says; false if that is to quit.
    fn obey(&mut self, line: &str) -> bool {
        let mut words = line.split_whitespace();
        let Some(command) = words.next() else { return true };
        let words: Vec<&str> = words.collect();
        match command {
            "uci" => self.options.introduce(),
            "isready" => say("readyok"),
            "setoption" => {
                if let Err(problem) = self.options.set(&words) {
                    say(&format!("info string setoption: {problem}"));
                }
            }
            "ucinewgame" => self.game = Ok(Game::start()),
            "position" => {
                self.game = Game::read(&words, self.options.rules());
                if let Err(problem) = &self.game {
                    say(&format!("info string position: {problem}"));
                }
            }
            "go" => self.go(&words),
            "stop" => self.stop(),
            "ponderhit" => self.ponder_hit(),
            "quit" => return false,
            "debug" | "register" => {}
            _ => say(&format!("info string unknown command {:?}", shortened(command))),
        }
        true
    }

    fn go(&mut self, words: &[&str]) {
        if self.thinking.as_ref().is_some_and(|thinking| !thinking.signal.answered.load(Ordering::Relaxed)) {
            return say("info string go: a search is under way; stop it first");
        }
        // It has answered.
        self.stop();
        let go = Go::read(words);
        let game = match &self.game {
            Ok(game) => game.clone(),
            Err(problem) => {
                say(&format!("info string go: there is no position: {problem}"));
                return say("bestmove 0000");
            }
        };
        let signal = Arc::new(Signal::default());
        signal.hold.store(go.waits(), Ordering::Relaxed);
        let (options, theirs, south) =
            (self.options.clone(), Arc::clone(&signal), game.position.south_to_move);
        let mut memory = self.memory.take();
        let work = move || {
            think::think(&game, &go, &options, &theirs, &mut memory);
            memory
        };
        // A search calls itself for each ply.
        match thread::Builder::new().stack_size(16 << 20).spawn(work) {
            Ok(thread) => self.thinking = Some(Thinking { signal, go, south, thread }),
            Err(error) => {
                say(&format!("info string go: cannot start a thread: {error}"));
                say("bestmove 0000");
            }
        }
    }

    /// Ends the search, which answers.
    fn stop(&mut self) {
        if let Some(Thinking { signal, thread, .. }) = self.thinking.take() {
            signal.end();
            thread.thread().unpark();
            match thread.join() {
                Ok(memory) => self.memory = memory,
                Err(_) => say("bestmove 0000"),
            }
        }
    }

    /// The move that was expected was played: from now on the clock runs.
    fn ponder_hit(&mut self) {
        let Some(thinking) = self.thinking.as_ref().filter(|thinking| thinking.go.ponder) else {
            return say("info string ponderhit: no pondering is under way");
        };
        let time = Go { ponder: false, ..thinking.go }.time(thinking.south, self.options.overhead());
        let signal = Arc::clone(&thinking.signal);
        let waits = thinking.thread.thread().clone();
        thread::spawn(move || {
            if let Some(time) = time {
                thread::sleep(time);
            }
            signal.end();
            waits.unpark();
        });
    }
}

/// The beginning of a word, for messages.
fn shortened(word: &str) -> String {
    word.chars().take(40).collect()
}
