//! `awari stats`

use std::io::{self, BufWriter, Write};
use std::path::Path;

use awari::table::{Counts, DepthCounts};
use awari::tablebase::ProbeError;
use awari::{Rules, Tablebase, stats, units};
use serde::{Serialize, Serializer};

use super::style::Style;
use super::{Failure, RulesOption, Signed, Stones, chosen, json_line, start_threads, stones_parser};

/// How many positions are won, drawn and lost, by how much, and in how many plies
///
/// Counted twice: over the positions stored in a table, which are those a move can lead to, and
/// over all boards of so many stones. Both are found in print. Where there are depths (plies to
/// the next capture or the end under best play; awari build --depth) they are counted as well,
/// and the deepest position is shown with its line.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Stats {
    /// Only the table of N stones [default: every table that is there]
    #[arg(long, value_name = "N", value_parser = stones_parser())]
    stones: Option<u32>,
    #[command(flatten)]
    rules: RulesOption,
    /// Print one JSON object a line for each table
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  awari stats --stones 12
  awari stats --rules abapa --json";

impl Stats {
    /// Runs the command.
    ///
    /// # Errors
    /// If a table is missing or cannot be used.
    pub fn run(self, dir: &Path) -> Result<(), Failure> {
        let tables = Tablebase::open(dir, self.rules.rules).map_err(Failure::new)?;
        start_threads()?;
        let style = Style::stdout();
        let mut out = BufWriter::new(io::stdout().lock());
        let mut failed = false;
        for (at, stones) in chosen(&tables, self.stones)?.into_iter().enumerate() {
            let table = match Table::of(&tables, stones) {
                Ok(table) => table,
                Err(error) => {
                    failed = true;
                    let _ = Style::stderr().error(&error.to_string());
                    continue;
                }
            };
            let written =
                if self.json { json_line(&mut out, &table) } else { table.write(&mut out, at, style) };
            // Larger tables take their time: show what is known.
            written.and_then(|()| out.flush()).map_err(|error| Failure::output(&error))?;
        }
        if failed { Err(Failure::said()) } else { Ok(()) }
    }
}

/// The counts of one table.
#[derive(Serialize)]
struct Table {
    #[serde(serialize_with = "name")]
    rules: Rules,
    stones: u32,
    stored: Summary,
    all: Summary,
    /// The first stored position of the greatest depth.
    #[serde(skip_serializing_if = "Option::is_none")]
    deepest: Option<Deepest>,
}

#[derive(Serialize)]
struct Deepest {
    board: [u8; 12],
    depth: u16,
    /// The moves of its line, A to F for the player to move, a to f for the other.
    moves: String,
    #[serde(skip)]
    text: String,
}

#[derive(Serialize)]
struct Summary {
    positions: u64,
    win: u64,
    draw: u64,
    loss: u64,
    sum: i64,
    #[serde(serialize_with = "histogram")]
    histogram: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<DepthSummary>,
}

#[derive(Serialize)]
struct DepthSummary {
    max: u16,
    sum: u64,
    #[serde(serialize_with = "depth_histogram")]
    histogram: DepthCounts,
}

fn name<S: Serializer>(rules: &Rules, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(rules.name())
}

fn histogram<S: Serializer>(counts: &Counts, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(counts.iter())
}

fn depth_histogram<S: Serializer>(counts: &DepthCounts, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(counts.iter())
}

impl DepthSummary {
    fn of(counts: DepthCounts) -> DepthSummary {
        DepthSummary { max: counts.max().unwrap_or_default(), sum: counts.sum(), histogram: counts }
    }
}

impl Summary {
    fn of(counts: Counts, depths: Option<DepthCounts>) -> Summary {
        Summary {
            positions: counts.total(),
            win: counts.wins(),
            draw: counts.draws(),
            loss: counts.losses(),
            sum: counts.sum(),
            histogram: counts,
            depth: depths.map(DepthSummary::of),
        }
    }

    fn mean(&self) -> f64 {
        self.sum as f64 / self.positions as f64
    }
}

impl Table {
    fn of(tables: &Tablebase, stones: u32) -> Result<Table, ProbeError> {
        // From the data, not from the header: what is counted is what is there.
        let stored = tables.count(stones)?;
        let all = stats::unreachable_boards(tables, stones)?.plus(&stored);
        let (mut stored_depths, mut all_depths, mut deepest) = (None, None, None);
        if tables.depths(stones)?.is_some() {
            let counts = tables.count_depths(stones)?;
            all_depths = Some(stats::unreachable_depths(tables, stones)?.plus(&counts));
            stored_depths = Some(counts);
            deepest = Some(Deepest::of(tables, stones)?);
        }
        let (stored, all) = (Summary::of(stored, stored_depths), Summary::of(all, all_depths));
        Ok(Table { rules: tables.rules(), stones, stored, all, deepest })
    }

    /// For people: a table, and a bar for each value.
    fn write(&self, out: &mut impl Write, before: usize, style: Style) -> io::Result<()> {
        const WIDEST_BAR: f64 = 40.0;
        if before > 0 {
            writeln!(out)?;
        }
        let Table { rules, stones, stored, all, deepest } = self;
        writeln!(out, "rules {rules}, {}", Stones(*stones))?;
        let head = format!("{:9} {:>15} {:>15}", "", "stored", "all boards");
        writeln!(out, "{}", style.faint(head))?;
        let rows = [
            ("positions", stored.positions, all.positions),
            ("win", stored.win, all.win),
            ("draw", stored.draw, all.draw),
            ("loss", stored.loss, all.loss),
        ];
        for (name, stored, all) in rows {
            let share = 100.0 * all as f64 / self.all.positions as f64;
            let (stored, all) = (units::count(stored), units::count(all));
            writeln!(out, "{name:9} {stored:>15} {all:>15}  {share:5.1} %")?;
        }
        writeln!(out, "{:9} {:>+15.4} {:>+15.4}", "mean", stored.mean(), all.mean())?;
        let most = all.histogram.iter().map(|(_, count)| count).max().unwrap_or(1);
        for (value, count) in all.histogram.iter() {
            let bar = "#".repeat((count as f64 / most as f64 * WIDEST_BAR).ceil() as usize);
            let (stored, all) = (units::count(stored.histogram.of(value)), units::count(count));
            writeln!(out, "{:>9} {stored:>15} {all:>15}  {}", Signed(value), style.good(bar))?;
        }
        if let (Some(stored), Some(all), Some(deepest)) = (&stored.depth, &all.depth, deepest) {
            write_depths(out, stored, all, style)?;
            writeln!(out, "deepest   {}", deepest.text)?;
            writeln!(out, "its line  {}", deepest.moves)?;
        }
        Ok(())
    }
}

impl Deepest {
    fn of(tables: &Tablebase, stones: u32) -> Result<Deepest, ProbeError> {
        let stats::Deepest { board, depth } = stats::deepest(tables, stones)?;
        let moves = super::line::moves(&tables.line(&board)?, true);
        Ok(Deepest { board: board.pits(), depth, moves, text: board.to_string() })
    }
}

/// The depths, so many together that there are some twenty lines.
fn write_depths(
    out: &mut impl Write,
    stored: &DepthSummary,
    all: &DepthSummary,
    style: Style,
) -> io::Result<()> {
    const LINES: u16 = 20;
    let (deepest_stored, deepest_all) = (stored.max, all.max);
    writeln!(out, "{:9} {deepest_stored:>15} {deepest_all:>15}", "max depth")?;
    let mean = |summary: &DepthSummary| summary.sum as f64 / summary.histogram.total() as f64;
    writeln!(out, "{:9} {:>15.4} {:>15.4}", "mean", mean(stored), mean(all))?;
    let width = usize::from((all.max / LINES).max(1));
    let within = |summary: &DepthSummary, first: u16, last: u16| -> u64 {
        (first..=last).map(|depth| summary.histogram.of(depth)).sum()
    };
    // 0 is on its own: the positions of value 0, and those that are over.
    let groups = (1..=all.max).step_by(width).map(|first| {
        let last = all.max.min(first.saturating_add(width as u16 - 1));
        let name = if first == last { first.to_string() } else { format!("{first}-{last}") };
        (name, first, last)
    });
    for (name, first, last) in std::iter::once(("0".to_owned(), 0, 0)).chain(groups) {
        let count = within(all, first, last);
        let share = 40.0 * count as f64 / all.histogram.total() as f64;
        let (stored, all) = (units::count(within(stored, first, last)), units::count(count));
        let bar = "#".repeat(share.ceil() as usize);
        writeln!(out, "{name:>9} {stored:>15} {all:>15}  {}", style.good(bar))?;
    }
    Ok(())
}
