//! `awari sample`

use std::io::{self, BufWriter, Write};
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;

use awari::board::MAX_STONES;
use awari::game::{Game, MAX_PLIES};
use awari::grade::Outcome;
use awari::notation::{Position, Stores, auale};
use awari::sample::{Filter, Sample as Drawn, Sampler, Source};
use awari::tablebase::MoveValue;
use awari::{Rules, Tablebase, units};
use clap::ValueEnum;
use serde::Serialize;

use super::games::{self, Broken, FormatOption};
use super::interrupt::Interrupt;
use super::line::pit_of;
use super::probe::answer::move_depth;
use super::progress::Bar;
use super::{Failure, RulesOption, json_line};

/// Positions drawn at random, with their values: tests for programs that play
///
/// Draws a number of stones, each as likely, then a position stored in the table of so many
/// stones, each as likely; with --reachable or --games, positions that occurred in games. Every
/// position has a legal move, and none comes twice. The same seed draws the same positions from
/// the same tables on every machine.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Sample {
    /// Stones on the board: N, or A..B with both ends
    #[arg(long, value_name = "N|A..B", value_parser = stones_range)]
    stones: Range<u32>,
    /// How many positions
    #[arg(long, value_name = "N", default_value_t = 100)]
    count: u64,
    /// Which of all samples: any number
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    rules: RulesOption,
    /// Only positions with one best move and at least one other
    #[arg(long)]
    only_one_best: bool,
    /// Only positions whose worst legal move loses at least N stones
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_loss: u8,
    /// Only positions of this outcome for the player to move, of the rest of the game
    #[arg(long, value_name = "OUTCOME")]
    value: Option<Wanted>,
    /// Only positions of this depth, plies to the next capture or end: N, or A..B. Needs tables of
    /// depths
    #[arg(long, value_name = "N|A..B")]
    depth: Option<Range<u16>>,
    /// Positions of games from the start in which both players choose any legal move, one of each
    #[arg(long, conflicts_with = "games")]
    reachable: bool,
    /// Positions of the games in these files; - is stdin
    #[arg(long, value_name = "FILE", num_args = 1..)]
    games: Vec<String>,
    #[command(flatten)]
    from: FormatOption,
    /// Give up after N positions [default: 1,000 for each that is wanted, at least 100,000]
    #[arg(long, value_name = "N")]
    tries: Option<u64>,
    /// What to write
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    format: Format,
    /// The same as --format jsonl
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  awari sample --stones 6..16 --count 1000 --seed 7 > test.jsonl
  awari sample --stones 12 --only-one-best --min-loss 2 --value win --format csv
  awari sample --stones 4..8 --reachable --format auale
  awari sample --stones 2..10 --games match.ogn --rules abapa

If fewer positions are found than wanted, those are written, stderr says how many were tried, and
the exit code is 1.";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One JSON object a line
    Jsonl,
    /// Comma-separated values with a head line
    Csv,
    /// Positions as Aualé's suites have them, with the moves that led there if it comes from a
    /// game; without values. Stones captured before a position from a table are shared evenly
    Auale,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Wanted {
    /// The player to move captures more
    Win,
    /// Both capture as much
    Draw,
    /// The opponent captures more
    Loss,
}

impl Wanted {
    pub fn outcome(self) -> Outcome {
        match self {
            Wanted::Win => Outcome::Win,
            Wanted::Draw => Outcome::Draw,
            Wanted::Loss => Outcome::Loss,
        }
    }
}

/// `N` or `A..B`, both ends included.
#[derive(Clone, Debug)]
pub struct Range<T>(pub RangeInclusive<T>);

impl<T: FromStr + PartialOrd + Copy> FromStr for Range<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Range<T>, String> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let number = |text: &str| text.trim_start_matches('=').trim().parse::<T>().ok();
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => Ok(Range(first..=last)),
            (Some(_), Some(_)) => Err("the first number is greater than the last".to_owned()),
            _ => Err("expected a number, or two with .. between them, such as 6..16".to_owned()),
        }
    }
}

pub fn stones_range(text: &str) -> Result<Range<u32>, String> {
    let range: Range<u32> = text.parse()?;
    if *range.0.end() > MAX_STONES {
        return Err(format!("a game has {MAX_STONES} stones"));
    }
    Ok(range)
}

impl Sample {
    /// Runs the command.
    ///
    /// # Errors
    /// If tables are missing or cannot be used, games cannot be read, or fewer positions are found
    /// than wanted.
    pub fn run(self, dir: &Path) -> Result<(), Failure> {
        let tables = Tablebase::open(dir, self.rules.rules).map_err(Failure::new)?;
        let filter = Filter {
            stones: self.stones.0.clone(),
            only_one_best: self.only_one_best,
            min_loss: self.min_loss,
            outcome: self.value.map(Wanted::outcome),
            depth: self.depth.as_ref().map(|range| range.0.clone()),
        };
        let (source, broken) = self.source()?;
        let tries = self.tries.unwrap_or_else(|| self.count.saturating_mul(1_000).max(100_000));
        let mut sampler = Sampler::new(&tables, source, filter, self.seed, tries).map_err(Failure::new)?;
        let interrupt = Interrupt::listen()?;
        let bar = Bar::new("sample");
        let mut out = BufWriter::new(io::stdout().lock());
        let mut found = 0;
        let format = if self.json { Format::Jsonl } else { self.format };
        if format == Format::Csv {
            writeln!(out, "{CSV_HEAD}").map_err(|error| Failure::output(&error))?;
        }
        while found < self.count {
            let sample = sampler.draw(|| interrupt.pressed()).map_err(Failure::new)?;
            let Some(sample) = sample else { break };
            found += 1;
            write(&mut out, &sample, format, tables.rules()).map_err(|error| Failure::output(&error))?;
            bar.update(&"drawing", found, self.count);
        }
        out.flush().map_err(|error| Failure::output(&error))?;
        drop(bar);
        let (count, tried) = (units::count(self.count), units::count(sampler.tried()));
        let found_of = format!("{} of {count} positions", units::count(found));
        if found < self.count && interrupt.pressed() {
            return Err(Failure::interrupted(format_args!("stopped after {found_of}.")));
        }
        if found < self.count {
            // Games have an end, tables are drawn from again and again.
            let all = sampler.tried() < tries;
            return Err(Failure::new(format_args!(
                "found {found_of} among {tried} that were tried{}: fewer have the qualities asked for. \
                 Ask for fewer or weaker ones{}.",
                if all { ", all of the games" } else { "" },
                if all { "" } else { ", or more --tries" },
            )));
        }
        if broken > 0 {
            return Err(Failure::new(format_args!("{broken} games were left out because they are broken.")));
        }
        Ok(())
    }

    /// Where positions come from, and how many games were left out.
    fn source(&self) -> Result<(Source, usize), Failure> {
        if self.reachable {
            return Ok((Source::RandomPlay, 0));
        }
        if self.games.is_empty() {
            return Ok((Source::Stored, 0));
        }
        let (mut games, mut broken) = (Vec::<Game>::new(), 0);
        // Positions are kept in memory: as many as a thousand of the longest games have.
        let mut plies = 0;
        for path in &self.games {
            let text = games::text(path).map_err(Failure::new)?;
            let mut bad = Broken::of(path);
            for game in games::read(&text, self.from.from, self.rules.rules) {
                match game {
                    Ok(game) => {
                        plies += game.plies().len() + 1;
                        games.push(game);
                    }
                    Err(error) => bad.add(&error),
                }
                if plies > 1_000 * MAX_PLIES {
                    let name = games::name(path);
                    return Err(Failure::new(format_args!(
                        "{name}: more than {} moves together: give fewer games.",
                        units::count(1_000 * MAX_PLIES as u64)
                    )));
                }
            }
            broken += bad.finish();
        }
        Ok((Source::Games(games), broken))
    }
}

fn write(out: &mut impl Write, sample: &Drawn, format: Format, rules: Rules) -> io::Result<()> {
    match format {
        Format::Jsonl => json_line(out, &Json::of(sample, rules)),
        Format::Csv => write_csv(out, sample),
        Format::Auale => write_auale(out, sample),
    }
}

#[derive(Serialize)]
struct Json {
    board: String,
    rules: &'static str,
    stones: u32,
    value: i8,
    /// Plies to the next capture or end; null if there is no table of depths.
    depth: Option<u16>,
    /// The pits of the best moves.
    best: String,
    moves: Vec<JsonMove>,
}

#[derive(Serialize)]
struct JsonMove {
    pit: char,
    captured: u8,
    value: i8,
    /// The same if this move is played.
    depth: Option<u16>,
}

fn best(sample: &Drawn) -> String {
    sample.moves.iter().filter(|play| play.best).map(|play| pit_of(play.pit, true)).collect()
}

impl Json {
    fn of(sample: &Drawn, rules: Rules) -> Json {
        let play = |play: &MoveValue| JsonMove {
            pit: pit_of(play.pit, true),
            captured: play.captured,
            value: play.value,
            depth: move_depth(play),
        };
        Json {
            board: sample.position.board.to_string(),
            rules: rules.name(),
            stones: sample.position.board.stones(),
            value: sample.value,
            depth: sample.depth,
            best: best(sample),
            moves: sample.moves.iter().map(play).collect(),
        }
    }
}

const CSV_HEAD: &str = "board,stones,value,depth,best,A,B,C,D,E,F";

fn write_csv(out: &mut impl Write, sample: &Drawn) -> io::Result<()> {
    let Drawn { position, value, depth, .. } = sample;
    let depth = depth.as_ref().map_or(String::new(), u16::to_string);
    write!(out, "{},{},{value},{depth},{}", position.board, position.board.stones(), best(sample))?;
    for pit in 0..awari::board::PITS {
        // Nothing for a pit that cannot be played.
        let played = sample.moves.iter().find(|play| play.pit == pit);
        write!(out, ",{}", played.map_or(String::new(), |play| play.value.to_string()))?;
    }
    writeln!(out)
}

fn write_auale(out: &mut impl Write, sample: &Drawn) -> io::Result<()> {
    let (start, moves) = match &sample.history {
        Some((start, moves)) => (*start, moves.as_slice()),
        None => (sample.position, [].as_slice()),
    };
    write!(out, "{}", auale::write(&shared(start)).map_err(|error| io::Error::other(error.to_string()))?)?;
    match moves {
        [] => writeln!(out),
        moves => writeln!(out, " moves {}", auale::write_moves(moves)),
    }
}

/// With captured stones where they are not known: shared evenly, an odd one to the player to move.
pub fn shared(position: Position) -> Position {
    let captured = (MAX_STONES - position.board.stones()) as u8;
    let waiting = captured / 2;
    let even = Stores { mover: captured - waiting, waiting };
    Position { stores: Some(position.stores.unwrap_or(even)), ..position }
}
