//! `awari stats`

use std::io::{self, BufWriter, Write};
use std::path::Path;

use awari::table::Counts;
use awari::{Rules, Tablebase, stats, units};
use serde::{Serialize, Serializer};

use super::style::Style;
use super::{Failure, RulesOption, chosen, json_line, stones_parser};

/// How many positions are won, drawn and lost, and by how much
///
/// Counted twice: over the positions stored in a table, which are those a move can lead to, and
/// over all boards of so many stones. Both are found in print.
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
}

fn name<S: Serializer>(rules: &Rules, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(rules.name())
}

fn histogram<S: Serializer>(counts: &Counts, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(counts.iter())
}

impl Summary {
    fn of(counts: Counts) -> Summary {
        Summary {
            positions: counts.total(),
            win: counts.wins(),
            draw: counts.draws(),
            loss: counts.losses(),
            sum: counts.sum(),
            histogram: counts,
        }
    }

    fn mean(&self) -> f64 {
        self.sum as f64 / self.positions as f64
    }
}

impl Table {
    fn of(tables: &Tablebase, stones: u32) -> Result<Table, awari::tablebase::ProbeError> {
        // From the data, not from the header: what is counted is what is there.
        let stored = tables.table(stones)?.count()?;
        let all = stats::unreachable_boards(tables, stones)?.plus(&stored);
        let (stored, all) = (Summary::of(stored), Summary::of(all));
        Ok(Table { rules: tables.rules(), stones, stored, all })
    }

    /// For people: a table, and a bar for each value.
    fn write(&self, out: &mut impl Write, before: usize, style: Style) -> io::Result<()> {
        const WIDEST_BAR: f64 = 40.0;
        if before > 0 {
            writeln!(out)?;
        }
        let Table { rules, stones, stored, all } = self;
        writeln!(out, "rules {rules}, {stones} stones")?;
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
            writeln!(out, "{value:>+9} {stored:>15} {all:>15}  {}", style.good(bar))?;
        }
        Ok(())
    }
}
