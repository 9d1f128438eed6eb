//! The commands, one file each, and what they share.
//!
//! Results go to stdout, everything else to stderr.

mod build;
mod contest;
mod convert;
mod engine;
mod failure;
mod games;
mod grade;
mod info;
mod interrupt;
mod known;
mod line;
mod match_engines;
mod new_games;
mod play;
mod probe;
mod progress;
mod sample;
mod serve;
mod solve;
mod stats;
mod style;
mod test_engine;
mod verify;

use std::io::{self, BufRead};
use std::path::PathBuf;

use awari::notation::{self, Position};
use awari::tablebase::State;
use awari::{Rules, Tablebase};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};

pub use failure::Failure;

/// Builds, checks and probes exact endgame databases of Awari (Wari, Oware).
#[derive(Parser)]
#[command(version, after_help = EXAMPLES, propagate_version = true, max_term_width = 100)]
pub struct Arguments {
    /// The directory of the databases; tables are in DIR/RULES/NN.awari
    #[arg(long, global = true, value_name = "DIR", default_value = "databases")]
    dir: PathBuf,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  awari build --stones 12                          solve all positions of up to 12 stones
  awari probe '0 0 1 0 0 2 / 1 2 0 0 1 0'          value and best moves of a position
  awari line '0 0 1 0 0 2 / 1 2 0 0 1 0'           best play of both sides to the end
  awari stats --stones 12                          how many positions are won, drawn, lost
  awari solve '4 4 0 5 5 5 / 5 4 4 4 4 4'          what can be said of a position above the tables
  awari grade match.ogn                            what each move of recorded games cost
  awari test-engine --engine 'awari engine'        how good the moves of a program are

Exit codes: 0 all went well, 1 something failed, 2 the arguments make no sense, 130 stopped by ^C.";

#[derive(Subcommand)]
enum Command {
    Build(build::Build),
    Probe(probe::Probe),
    Line(line::Line),
    Play(play::Play),
    Solve(solve::Solve),
    Engine(engine::Engine),
    Serve(serve::Serve),
    Stats(stats::Stats),
    Info(info::Info),
    Verify(verify::Verify),
    Convert(convert::Convert),
    Sample(sample::Sample),
    TestEngine(test_engine::TestEngine),
    Match(match_engines::Match),
    Grade(grade::Grade),
}

/// Runs the command the arguments ask for.
///
/// # Errors
/// Whatever the command could not do.
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    awari::table::catch_signals()
        .map_err(|error| Failure::new(format_args!("cannot catch signals: {error}")))?;
    let dir = arguments.dir;
    match arguments.command {
        Command::Build(command) => command.run(&dir),
        Command::Probe(command) => command.run(&dir),
        Command::Line(command) => command.run(&dir),
        Command::Play(command) => command.run(&dir),
        Command::Solve(command) => command.run(&dir),
        Command::Engine(command) => command.run(&dir),
        Command::Serve(command) => command.run(&dir),
        Command::Stats(command) => command.run(&dir),
        Command::Info(command) => command.run(&dir),
        Command::Verify(command) => command.run(&dir),
        Command::Convert(command) => command.run(&dir),
        Command::Sample(command) => command.run(&dir),
        Command::TestEngine(command) => command.run(&dir),
        Command::Match(command) => command.run(&dir),
        Command::Grade(command) => command.run(&dir),
    }
}

/// The option that chooses a rule set.
#[derive(clap::Args)]
struct RulesOption {
    /// The rule set; they differ in captures of everything the opponent has (grand slams)
    #[arg(long, default_value = Rules::default().name(), value_parser = rules_parser())]
    rules: Rules,
}

fn rules_parser() -> impl TypedValueParser<Value = Rules> {
    PossibleValuesParser::new(Rules::ALL.map(Rules::name)).try_map(|name| name.parse::<Rules>())
}

/// The range of `--stones`.
fn stones_parser() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(0..=i64::from(awari::board::MAX_STONES))
}

/// The tables a command goes through: that of `stones` stones, or every one that is there.
///
/// # Errors
/// If there is none.
fn chosen(tables: &Tablebase, stones: Option<u32>) -> Result<Vec<u32>, Failure> {
    if let Some(stones) = stones {
        return Ok(vec![stones]);
    }
    let found = tables.found().into_iter().filter(|found| !matches!(found.state, State::Missing));
    let stones: Vec<u32> = found.map(|found| found.stones).collect();
    if stones.is_empty() {
        let (rules, dir) = (tables.rules(), tables.directory().display());
        return Err(Failure::new(format_args!(
            "no tables of rules {rules} in {dir}. Build some, for example with awari build --stones 12 \
             --rules {rules}, or name another directory with --dir."
        )));
    }
    Ok(stones)
}

/// Whether arguments are the pits of one position that nobody quoted: words without anything that
/// joins numbers, as every notation of a whole position has.
fn are_one_position(arguments: &[String]) -> bool {
    let joins = |(at, c): (usize, char)| c.is_whitespace() || ",_".contains(c) || (c == '-' && at > 0);
    arguments.iter().all(|argument| !argument.is_empty() && !argument.char_indices().any(joins))
}

/// The one position that arguments are.
///
/// # Errors
/// If they are not.
fn one_position(arguments: &[String]) -> Result<Position, Failure> {
    let text = match arguments {
        [only] => only.clone(),
        several if are_one_position(several) => several.join(" "),
        _ => return Err(Failure::usage("one position is expected: quote it, or give twelve numbers.")),
    };
    notation::parse(&text).map_err(Failure::new)
}

/// Bytes of a line that are looked at: many times those of any position or answer.
const LONGEST_LINE: usize = 1 << 12;

/// Reads a line, of which `line` gets as much as can mean something: what comes on stdin may have no
/// end. Returns how many bytes the line has; 0 after the last.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<u64> {
    line.clear();
    let mut bytes = 0;
    loop {
        let more = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            more => more?,
        };
        let end = more.iter().position(|&byte| byte == b'\n').map(|at| at + 1);
        let taken = end.unwrap_or(more.len());
        let kept = taken.min(LONGEST_LINE - line.len());
        line.extend_from_slice(&more[..kept]);
        bytes += taken as u64;
        input.consume(taken);
        if end.is_some() || taken == 0 {
            return Ok(bytes);
        }
    }
}

/// A number of positions in words.
fn positions(positions: u64) -> String {
    let s = if positions == 1 { "" } else { "s" };
    format!("{} position{s}", awari::units::count(positions))
}

/// A number of stones in words; a width is that of the number.
struct Stones(u32);

impl std::fmt::Display for Stones {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let s = if self.0 == 1 { "" } else { "s" };
        std::fmt::Display::fmt(&self.0, f)?;
        write!(f, " stone{s}")
    }
}

/// A value with its sign; 0 has none.
struct Signed(i8);

impl std::fmt::Display for Signed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = if self.0 == 0 { "0".to_owned() } else { format!("{:+}", self.0) };
        f.pad(&text)
    }
}

/// Starts the threads that are shared by all that runs in parallel.
///
/// # Errors
/// If the system does not give them.
fn start_threads() -> Result<(), Failure> {
    let started = rayon::ThreadPoolBuilder::new().build_global();
    started.map_err(|error| Failure::new(format_args!("cannot start the threads: {error}.")))
}

/// Writes a JSON object and ends the line.
fn json_line(out: &mut impl std::io::Write, value: &impl serde::Serialize) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}
