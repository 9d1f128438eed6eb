//! `awari solve`

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use awari::engine::{Pass, Watch};
use awari::index::Index;
use awari::notation::{Position, drawing};
use awari::search::{Limits, Report};
use awari::{Search, Tablebase, units};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use super::build::parse_size;
use super::interrupt::Interrupt;
use super::line::pit_of;
use super::progress::per_second;
use super::style::Style;
use super::{Failure, RulesOption, json_line, one_position};

/// The value of a position above the tables, by search
///
/// First tables are made in memory, of as many stones as half of the time and of the memory allow:
/// if that reaches the board, its value is known. Otherwise the search goes on above them and
/// proves bounds of the value, which get narrower with time. Bounds are proved, an estimate is not.
///
/// ^C ends it, with the bounds so far.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Solve {
    /// The position, quoted or as twelve numbers
    #[arg(value_name = "POSITION", required = true, allow_negative_numbers = true)]
    position: Vec<String>,
    #[command(flatten)]
    rules: RulesOption,
    /// Time to take, such as 500ms, 60s or 5m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time)]
    time: Duration,
    /// Boards to look at, at most
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Memory to take, such as 800M or 4G: half for tables, half for the search
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = parse_size)]
    memory: u64,
    /// Use tables of at most K stones
    #[arg(long, value_name = "K", default_value = "48", value_parser = super::stones_parser())]
    tables_to: u32,
    /// Make no tables in memory: search only
    #[arg(long)]
    no_build: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  awari solve '0 1 4 2 1 3 / 1 0 2 1 2 3'
  awari solve --time 5m --memory 8G '2 1 4 2 1 3 / 1 3 2 1 2 3'
  awari solve --no-build --nodes 1000000 --json '0 1 2 2 1 3 / 1 0 2 1 2 1'

The same command with --nodes gives the same answer, if there is time enough for it.";

/// Positions a second that tables are taken to be made at: few, so that there is time left to search.
const MADE_PER_SECOND: u64 = 15_000_000;

/// Reads a time: a number and `ms`, `s`, `m` or `h`; seconds if there is no unit.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => f64::NAN,
    };
    let number = digits.parse::<f64>().unwrap_or(f64::NAN);
    Duration::try_from_secs_f64(number * unit)
        .ok()
        .filter(|time| *time <= Duration::from_secs(10_000_000))
        .ok_or_else(|| "expected a time such as 500ms, 60s or 5m".to_owned())
}

impl Solve {
    /// Runs the command.
    ///
    /// # Errors
    /// If the position cannot be read, a table cannot be used, or the memory cannot be had.
    pub fn run(self, dir: &Path) -> Result<(), Failure> {
        let position = one_position(&self.position)?;
        let started = Instant::now();
        let interrupt = Interrupt::listen()?;
        let tables = Tablebase::open(dir, self.rules.rules).map_err(Failure::new)?;
        let mut search = Search::new(&tables, self.tables_to, self.memory).map_err(Failure::new)?;
        let there = search.complete_to();
        let until = started + self.time;
        let show = Show::new();
        let making = Making { interrupt: &interrupt, until, show: &show };
        let made = match self.most_to_make(position.board.stones()) {
            Some(to) => {
                super::start_threads()?;
                search.make_tables(to, self.memory / 2, &making).map_err(Failure::new)?
            }
            None => there,
        };
        let limits = Limits {
            nodes: self.nodes,
            until: Some(until),
            stop: Some(interrupt.flag()),
            ..Limits::default()
        };
        let report = search
            .solve(&position.board, &limits, &mut |report| show.report(report, started))
            .map_err(Failure::new)?;
        show.bar.finish_and_clear();
        let answer = Answer::new(&position, &tables, report, [there, made], started.elapsed());
        let mut out = io::stdout().lock();
        let written =
            if self.json { json_line(&mut out, &answer) } else { answer.write(&mut out, &position) };
        written.map_err(|error| Failure::output(&error))?;
        if interrupt.pressed() && answer.value.is_none() {
            return Err(Failure::interrupted("stopped: these are the bounds so far."));
        }
        Ok(())
    }

    /// The most stones of tables to make in half of the time; None if no tables are to be made.
    fn most_to_make(&self, stones: u32) -> Option<u32> {
        let room = (self.time.as_secs_f64() / 2.0 * MADE_PER_SECOND as f64) as u64;
        let mut positions = 0;
        let fits = |&stones: &u32| {
            positions += Index::new(stones).positions();
            positions <= room
        };
        (0..=stones).take_while(fits).last().filter(|_| !self.no_build)
    }
}

/// What goes on, on a terminal.
struct Show {
    bar: ProgressBar,
}

impl Show {
    fn new() -> Show {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{elapsed}  {wide_msg}") {
            bar.set_style(style);
        }
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(500));
        }
        Show { bar }
    }

    fn report(&self, report: &Report, started: Instant) {
        if self.bar.is_hidden() {
            return;
        }
        let speed = report.nodes as f64 / started.elapsed().as_secs_f64().max(1e-3);
        self.bar.set_message(format!(
            "{:+} to {:+}, seems {:+.1}  depth {}  {} boards, {}",
            report.bounds.lower,
            report.bounds.upper,
            report.estimate,
            report.depth,
            units::count(report.nodes),
            per_second(speed),
        ));
    }
}

/// Watches how tables are made.
struct Making<'a> {
    interrupt: &'a Interrupt,
    until: Instant,
    show: &'a Show,
}

impl Watch for Making<'_> {
    fn progress(&self, pass: Pass, done: u64, total: u64) {
        if !self.show.bar.is_hidden() {
            let (done, total) = (units::count(done), units::count(total));
            self.show.bar.set_message(format!("making tables: {pass}, {done} of {total} positions"));
        }
    }

    fn stop(&self) -> bool {
        self.interrupt.pressed() || Instant::now() >= self.until
    }
}

/// The answer; the fields are in the order of the JSON keys.
#[derive(Serialize)]
struct Answer {
    board: [u8; 12],
    rules: &'static str,
    stones: u32,
    /// The value, if it is proved.
    value: Option<i8>,
    /// Proved bounds of it.
    lower: i8,
    upper: i8,
    /// What it seems to be.
    estimate: f32,
    /// The best move found; proved to be the best if the value is.
    best: Option<char>,
    /// The moves of both that seem best, run together.
    line: String,
    /// Plies looked ahead.
    depth: u32,
    nodes: u64,
    nodes_per_second: u64,
    table_hits: u64,
    /// The most stones up to which the directory has every table.
    tables_to: Option<u32>,
    /// The same with those made in memory.
    made_to: Option<u32>,
    seconds: f64,
}

impl Answer {
    fn new(
        position: &Position,
        tables: &Tablebase,
        report: Report,
        [tables_to, made_to]: [Option<u32>; 2],
        time: Duration,
    ) -> Answer {
        let south = |ply: usize| position.south_to_move == ply.is_multiple_of(2);
        let mut line = report.line.iter().enumerate();
        Answer {
            board: position.board.pits(),
            rules: tables.rules().name(),
            stones: position.board.stones(),
            value: report.bounds.exact(),
            lower: report.bounds.lower,
            upper: report.bounds.upper,
            estimate: report.estimate,
            best: report.line.first().map(|&pit| pit_of(pit, true)),
            line: line.by_ref().map(|(ply, &pit)| pit_of(pit, south(ply))).collect(),
            depth: report.depth,
            nodes: report.nodes,
            nodes_per_second: (report.nodes as f64 / time.as_secs_f64().max(1e-3)) as u64,
            table_hits: report.table_hits,
            tables_to,
            made_to,
            seconds: (time.as_secs_f64() * 1e3).round() / 1e3,
        }
    }

    /// For people.
    fn write(&self, out: &mut impl Write, position: &Position) -> io::Result<()> {
        let style = Style::stdout();
        out.write_all(drawing::write(position).as_bytes())?;
        let tables = match (self.tables_to, self.made_to) {
            (None, None) => "no tables".to_owned(),
            (there, Some(made)) if there < Some(made) => {
                let from = there.map_or(0, |there| there + 1);
                format!("tables of {from} to {made} stones made in memory")
            }
            (there, _) => format!("tables up to {} stones", there.unwrap_or_default()),
        };
        writeln!(out, "rules {}, {} stones on the board, {tables}", self.rules, self.stones)?;
        match self.value {
            Some(value) => writeln!(out, "value  {}  proved", style.good(format_args!("{value:+}")))?,
            None => {
                let bounds = format!("{:+} to {:+}", self.lower, self.upper);
                let seems = self.estimate;
                writeln!(out, "value  {}  proved; it seems {seems:+.1}, which is not", style.good(bounds))?;
            }
        }
        if let Some(best) = self.best {
            let sure = if self.value.is_some() { "proved to keep the value" } else { "the best found" };
            writeln!(out, "move   {best}  {sure}")?;
            writeln!(out, "line   {}", self.line)?;
        }
        writeln!(
            out,
            "looked at {} boards, {} plies ahead, and {} values of tables in {:.1} s, {} boards/s",
            units::count(self.nodes),
            self.depth,
            units::count(self.table_hits),
            self.seconds,
            units::count(self.nodes_per_second),
        )
    }
}
