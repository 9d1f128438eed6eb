//! `awari build`

mod dry_run;

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use awari::builder::{BuildError, Builder, Built, BuiltDepths, CheckpointNews, Plan, Progress, State};
use awari::engine::Pass;
use awari::index::IMPOSSIBLE_STONES;
use awari::table::Encoding;
use awari::units;
use serde::Serialize;

use super::interrupt::Interrupt;
use super::progress::{Bar, per_second};
use super::style::Style;
use super::{Failure, RulesOption, Stones, stones_parser};

/// Solve all positions of up to N stones and write their tables
///
/// Tables that are there are read through, kept and built upon. Stopped by ^C or killed, a build
/// leaves the tables it has finished; the same command goes on from there. A file that cannot be
/// used is never overwritten: the build stops and says what is wrong with it.
///
/// What is needed is printed before anything is done, and a build that does not fit into memory
/// or on the disk is refused at once.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Build {
    /// Build the tables of 0 to N stones, 0 to 48
    #[arg(long, value_name = "N", value_parser = stones_parser())]
    stones: u32,
    /// Build the depths too: in how many plies each value is made good. They take as much time
    /// and twice the memory; proofs need them, and winning does
    #[arg(long)]
    depth: bool,
    /// Write compressed tables, values and depths: about a quarter of the size, slower to read
    ///
    /// Tables that are there stay as they are; awari convert writes them anew. While larger tables
    /// are built upon compressed ones, these are unpacked into memory, one byte a position: the
    /// plan counts that, and scratch files do not help with it.
    #[arg(long)]
    compress: bool,
    #[command(flatten)]
    rules: RulesOption,
    /// Threads to use, 1 to 1024 [default: all cores]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Memory to use at most, like 800M or 12G [default: what is free, less a sixteenth]
    ///
    /// Tables that need more are worked on in scratch files in the directory of the tables: the
    /// same tables, but it takes longer, much longer once the machine has no memory left to cache
    /// those files. Nothing of them remains, however the build ends.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Keep the table that is worked on in a checkpoint every MINUTES, 0 for after every sweep
    ///
    /// Killed, a build goes on from it: the same command, with this option or without, uses a
    /// checkpoint that is there. It is checked to the last byte and belongs to these rules, these
    /// stones and the very tables of fewer stones that are there; one that is damaged is named and
    /// not used. It takes a byte a position (depths: two), and as much again while the next one is
    /// written, and is removed when the table is finished.
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(0..=10080))]
    checkpoint: Option<u32>,
    /// Share the work among the ranks of an MPI job: mpirun -n R awari build --mpi ...
    ///
    /// Each rank has its part of the table in its own memory; --memory and --threads [default: 1] are those
    /// of a rank. All ranks have to see the directory of the tables. The tables are the same, byte for byte.
    #[arg(long)]
    mpi: bool,
    /// Only say what a build of values by --ranks would take, for any N, without building anything
    #[arg(long, requires = "ranks", conflicts_with_all = ["mpi", "depth", "compress", "checkpoint"])]
    dry_run: bool,
    /// How many ranks --dry-run is about
    #[arg(long, value_name = "R", requires = "dry_run", value_parser = clap::value_parser!(u16).range(1..=4096))]
    ranks: Option<u16>,
    /// Print one JSON object a line for each table instead of a summary
    #[arg(long)]
    json: bool,
}

/// A number of bytes with a unit: `800M`, `12G`, `1.5T`.
pub fn parse_size(text: &str) -> Result<u64, String> {
    units::parse_bytes(text).ok_or_else(|| "expected a number with a unit, like 800M or 12G".to_owned())
}

const EXAMPLES: &str = "\
Examples:
  awari build --stones 12
  awari build --stones 12 --depth
  awari build --stones 18 --compress --dir small
  awari build --stones 24 --checkpoint 10
  awari build --stones 15 --rules abapa --threads 1
  awari build --stones 12 --json --dir /tmp/databases
  mpirun -n 4 awari build --mpi --stones 20
  awari build --dry-run --ranks 32 --stones 48";

impl Build {
    /// Runs the command.
    ///
    /// # Errors
    /// If the tables cannot be built.
    pub fn run(self, dir: &Path) -> Result<(), Failure> {
        if let Some(ranks) = self.ranks {
            return self.estimate(usize::from(ranks));
        }
        let interrupt = Interrupt::listen()?;
        let builder = self.builder(dir);
        if self.mpi {
            return self.run_on_mpi(&builder, interrupt);
        }
        let watch = Watch::new(self.json, interrupt);
        let result = builder.run(&watch);
        self.finish(watch, result)
    }

    fn estimate(&self, ranks: usize) -> Result<(), Failure> {
        if self.stones == IMPOSSIBLE_STONES {
            return Err(Failure::usage(BuildError::NoSuchTable { stones: self.stones }));
        }
        let estimate = dry_run::Estimate::new(self.rules.rules, self.stones, ranks);
        let printed = match self.json {
            true => super::json_line(&mut io::stdout().lock(), &estimate),
            false => estimate.print(),
        };
        printed.map_err(|error| Failure::output(&error))
    }

    fn builder(&self, dir: &Path) -> Builder {
        Builder::new(dir, self.rules.rules)
            .stones(self.stones)
            .depths(self.depth)
            .encoding(if self.compress { Encoding::Compressed } else { Encoding::Packed })
            .threads(self.threads.map_or(0, usize::from))
            .memory(self.memory)
            .checkpoint(self.checkpoint.map(|minutes| Duration::from_secs(60 * u64::from(minutes))))
    }

    #[cfg(not(feature = "mpi"))]
    #[expect(clippy::unused_self, reason = "with MPI it is used")]
    fn run_on_mpi(&self, _: &Builder, _: Interrupt) -> Result<(), Failure> {
        Err(Failure::usage(
            "this awari was built without MPI. Install one (scripts/install-mpi) and build awari with \
             cargo build --release --features mpi.",
        ))
    }

    #[cfg(feature = "mpi")]
    fn run_on_mpi(&self, builder: &Builder, interrupt: Interrupt) -> Result<(), Failure> {
        use awari::engine::{Exchange, MpiJob, SolveError};

        /// The ranks that leave telling to rank 0.
        struct Silent(Interrupt);

        impl Progress for Silent {
            fn stop(&self) -> bool {
                self.0.pressed()
            }
        }

        let job = MpiJob::join().ok_or_else(|| Failure::new("MPI cannot be started twice"))?;
        let threads = self.threads.map_or(1, usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        pool.map_err(|error| {
            Failure::new(format_args!("cannot start the threads: {error}. Ask for fewer."))
        })?;
        let result = if job.rank() == 0 {
            let watch = Watch::new(self.json, interrupt);
            let result = builder.run_among(&job, &watch);
            self.finish(watch, result)
        } else {
            match builder.run_among(&job, &Silent(interrupt)) {
                Ok(_) => Ok(()),
                // Rank 0 says so.
                Err(
                    BuildError::Stopped
                    | BuildError::OtherSettings { .. }
                    | BuildError::Solve(SolveError::OtherRank),
                ) => Err(Failure::said()),
                Err(error) => Err(Failure::new(format_args!("rank {}: {error}", job.rank()))),
            }
        };
        // What starts the ranks may end all of them as soon as one has failed: first each says what it has to say.
        let result = result.map_err(Failure::say);
        job.swap(vec![Vec::new(); job.ranks()]);
        result
    }

    /// Says how it ended.
    fn finish(&self, watch: Watch, result: Result<Vec<Built>, BuildError>) -> Result<(), Failure> {
        watch.hide_bar();
        watch.output.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())?;
        match result {
            Ok(tables) if self.json => {
                drop(tables);
                Ok(())
            }
            Ok(tables) => summary(&tables).map_err(|error| Failure::output(&error)),
            Err(BuildError::Stopped) => Err(Failure::interrupted(
                "stopped. Finished tables are in place; the same command goes on from there.",
            )),
            Err(error @ BuildError::NoSuchTable { .. }) => Err(Failure::usage(error)),
            Err(error) => Err(Failure::new(error)),
        }
    }
}

/// Tells stderr how the build goes.
struct Watch {
    json: bool,
    interrupt: Interrupt,
    bar: Mutex<Option<(u32, Bar)>>,
    output: Mutex<Result<(), Failure>>,
}

impl Watch {
    fn new(json: bool, interrupt: Interrupt) -> Watch {
        Watch { json, interrupt, bar: Mutex::default(), output: Mutex::new(Ok(())) }
    }

    fn bar(&self) -> std::sync::MutexGuard<'_, Option<(u32, Bar)>> {
        self.bar.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Shows what is done with a table.
    fn show(&self, stones: u32, pass: &dyn std::fmt::Display, done: u64, total: u64) {
        // Nobody waits for the bar: whoever finds it taken leaves the news to the next call.
        let Ok(mut shown) = self.bar.try_lock() else { return };
        match &*shown {
            Some((of, bar)) if *of == stones => bar.update(pass, done, total),
            _ => {
                let bar = Bar::new(&format!("{:2}", Stones(stones)));
                bar.update(pass, done, total);
                *shown = Some((stones, bar));
            }
        }
    }

    fn hide_bar(&self) {
        self.bar().take();
    }

    fn say(&self, text: &str) {
        self.hide_bar();
        // Whoever closes stderr does not want to know.
        let _ = writeln!(io::stderr(), "{text}");
    }
}

impl Progress for Watch {
    fn cleaned(&self, leftovers: &[PathBuf]) {
        for path in leftovers {
            self.say(&format!("Removed what a killed build left: {}", path.display()));
        }
    }

    fn checking(&self, stones: u32) {
        self.show(stones, &"checking", 0, 1);
    }

    fn planned(&self, plan: &Plan) {
        self.say(&describe(plan));
    }

    fn solving(&self, stones: u32, pass: Pass, done: u64, total: u64) {
        self.show(stones, &pass, done, total);
    }

    fn finding_depths(&self, stones: u32, pass: Pass, done: u64, total: u64) {
        self.show(stones, &format_args!("depth, {pass}"), done, total);
    }

    fn writing(&self, stones: u32) {
        self.show(stones, &"writing", 0, 1);
    }

    fn built(&self, table: &Built) {
        self.hide_bar();
        let line = Line::of(table);
        if let Some(seconds) = line.seconds {
            let speed = per_second(line.positions_per_second.unwrap_or(0.0));
            let Line { stones, positions, bytes, .. } = line;
            let exchanged = exchanged(line.exchanged_bytes, positions);
            self.say(&format!(
                "{:2}: {} in {seconds:.1} s, {speed}, {}{exchanged}",
                Stones(stones),
                super::positions(positions),
                units::bytes(bytes),
            ));
        }
        if let Some(depth) = &line.depth
            && let Some(seconds) = depth.seconds
        {
            let (most, bytes) = (depth.max, units::bytes(depth.bytes));
            let exchanged = exchanged(depth.exchanged_bytes, line.positions);
            self.say(&format!(
                "{:2}: depths of up to {most} plies in {seconds:.1} s, {bytes}{exchanged}",
                Stones(line.stones)
            ));
        }
        if self.json {
            let written = super::json_line(&mut io::stdout().lock(), &line);
            let mut output = self.output.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            if output.is_ok() {
                *output = written.map_err(|error| Failure::output(&error));
            }
        }
    }

    fn checkpoint(&self, stones: u32, news: &CheckpointNews) {
        match news {
            CheckpointNews::Resumed { path, sweeps } => {
                self.say(&format!(
                    "{:2}: goes on after sweep {sweeps}, from {}",
                    Stones(stones),
                    path.display()
                ));
            }
            CheckpointNews::Unusable { path, problem } => self.say(&format!(
                "{}: {problem}. The checkpoint is not used: the table is built from its beginning.",
                path.display()
            )),
            CheckpointNews::NotWritten(error) => {
                self.say(&format!("{error} There is no new checkpoint; the build goes on."));
            }
            _ => {}
        }
    }

    fn stop(&self) -> bool {
        self.interrupt.pressed()
    }
}

/// How much ranks exchanged, if ranks built it.
fn exchanged(bytes: Option<u64>, positions: u64) -> String {
    bytes.map_or(String::new(), |bytes| {
        let bits = bytes as f64 * 8.0 / positions as f64;
        format!(", {} exchanged ({bits:.0} bits a position)", units::bytes(bytes))
    })
}

/// The plan in words.
fn describe(plan: &Plan) -> String {
    let mut text = format!("Rules {}, tables in {}\n", plan.rules, plan.dir.display());
    let there: Vec<u32> = plan
        .tables
        .iter()
        .filter(|table| matches!(table.state, State::There(_)) && !table.is_missing())
        .map(|table| table.stones)
        .collect();
    // Writing to a string cannot fail.
    if !there.is_empty() {
        let _ = writeln!(text, "There already: {} stones", ranges(&there));
    }
    for table in &plan.tables {
        if let State::Unusable(error) = &table.state {
            let _ = writeln!(text, "Cannot be used: {error}");
        }
        if let Some(State::Unusable(error)) = &table.depths {
            let _ = writeln!(text, "Cannot be used: {error}");
        }
    }
    if plan.missing().next().is_none() {
        text.push_str("Nothing to build.");
        return text;
    }
    let _ = writeln!(text, "To build:\nstones        positions      memory  disk, at most");
    for table in plan.missing() {
        let (positions, memory, disk) =
            (units::count(table.positions), units::bytes(plan.memory_for(table)), units::bytes(table.disk()));
        let scratch = match plan.scratch_for(table) {
            0 => String::new(),
            bytes => format!("  and {} of scratch files", units::bytes(bytes)),
        };
        let checkpoints = match plan.checkpoints_for(table) {
            0 => String::new(),
            bytes => format!("  and {} of checkpoints", units::bytes(bytes)),
        };
        let _ = writeln!(
            text,
            "{:6}  {positions:>15}  {memory:>10}  {disk:>13}{scratch}{checkpoints}",
            table.stones
        );
    }
    let _ = writeln!(
        text,
        "{:>6}  {:>15}  {:>10}  {:>13}",
        "total",
        units::count(plan.positions()),
        units::bytes(plan.memory_used()),
        units::bytes(plan.disk()),
    );
    let known = |bytes: Option<u64>| bytes.map_or("unknown".to_owned(), units::bytes);
    let _ = write!(
        text,
        "{:>6}  {:>15}  {:>10}  {:>13}\nBesides, smaller tables of up to {} are read, through whatever memory is left.",
        "there",
        "",
        known(plan.memory),
        known(plan.disk_free),
        units::bytes(plan.mapped()),
    );
    text
}

/// Numbers in ascending order as `0-12, 14`.
fn ranges(numbers: &[u32]) -> String {
    let runs: Vec<String> = numbers
        .chunk_by(|a, b| a + 1 == *b)
        .map(|run| match run {
            [first, .., last] => format!("{first}-{last}"),
            _ => run.iter().map(u32::to_string).collect(),
        })
        .collect();
    runs.join(", ")
}

/// What there is to say about a table.
#[derive(Serialize)]
struct Line {
    rules: &'static str,
    stones: u32,
    positions: u64,
    win: u64,
    draw: u64,
    loss: u64,
    /// The least and the greatest value.
    min: Option<i8>,
    max: Option<i8>,
    /// Whether this command built it.
    built: bool,
    seconds: Option<f64>,
    positions_per_second: Option<f64>,
    sweeps: Option<u32>,
    bytes: u64,
    bits_per_position: f64,
    content_hash: String,
    /// What ranks sent one another, if ranks built it.
    #[serde(skip_serializing_if = "Option::is_none")]
    exchanged_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exchanged_messages: Option<u64>,
    /// What there is to say about its depths, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<DepthLine>,
}

#[derive(Serialize)]
struct DepthLine {
    max: u16,
    sum: u64,
    /// Whether this command built them.
    built: bool,
    seconds: Option<f64>,
    bytes: u64,
    content_hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    exchanged_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exchanged_messages: Option<u64>,
}

impl Line {
    fn of(table: &Built) -> Line {
        let header = &table.header;
        let (positions, bytes) = (header.positions(), header.file_bytes());
        let seconds = table.work.map(|work| work.time.as_secs_f64());
        let traffic = table.work.and_then(|work| work.traffic);
        Line {
            rules: header.rules.name(),
            stones: header.stones,
            positions,
            win: header.counts.wins(),
            draw: header.counts.draws(),
            loss: header.counts.losses(),
            min: header.counts.min(),
            max: header.counts.max(),
            built: table.work.is_some(),
            seconds,
            positions_per_second: seconds.map(|seconds| (positions as f64 / seconds.max(1e-9)).round()),
            sweeps: table.work.map(|work| work.effort.sweeps),
            bytes,
            bits_per_position: bytes as f64 * 8.0 / positions as f64,
            content_hash: header.content_hash.to_string(),
            exchanged_bytes: traffic.map(|traffic| traffic.bytes),
            exchanged_messages: traffic.map(|traffic| traffic.messages),
            depth: table.depths.as_ref().map(DepthLine::of),
        }
    }
}

impl DepthLine {
    fn of(depths: &BuiltDepths) -> DepthLine {
        let traffic = depths.work.and_then(|work| work.traffic);
        DepthLine {
            max: depths.header.max,
            sum: depths.header.sum,
            built: depths.work.is_some(),
            seconds: depths.work.map(|work| work.time.as_secs_f64()),
            bytes: depths.header.file_bytes(),
            content_hash: depths.header.content_hash.to_string(),
            exchanged_bytes: traffic.map(|traffic| traffic.bytes),
            exchanged_messages: traffic.map(|traffic| traffic.messages),
        }
    }
}

fn summary(tables: &[Built]) -> io::Result<()> {
    let style = Style::stdout();
    let mut out = io::stdout().lock();
    let head = format!(
        "{:>6} {:>15} {:>15} {:>15} {:>15} {:>9} {:>13} {:>10} {:>8}",
        "stones", "positions", "win", "draw", "loss", "seconds", "positions/s", "file", "bits/pos"
    );
    let with_depths = tables.iter().any(|table| table.depths.is_some());
    let head = if with_depths { format!("{head} {:>9}", "max depth") } else { head };
    writeln!(out, "{}", style.faint(head))?;
    for table in tables {
        let line = Line::of(table);
        let seconds = line.seconds.map_or("there".to_owned(), |seconds| format!("{seconds:.1}"));
        let speed = line.positions_per_second.map_or(String::new(), |speed| units::count(speed as u64));
        let depth = line.depth.as_ref().map_or(String::new(), |depth| format!(" {:>9}", depth.max));
        writeln!(
            out,
            "{:>6} {:>15} {:>15} {:>15} {:>15} {seconds:>9} {speed:>13} {:>10} {:>8.2}{depth}",
            line.stones,
            units::count(line.positions),
            units::count(line.win),
            units::count(line.draw),
            units::count(line.loss),
            units::bytes(line.bytes),
            line.bits_per_position,
        )?;
    }
    out.flush()
}
