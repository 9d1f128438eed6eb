//! What a build costs, beside a classical solver and beside what the machine itself can do.
//!
//! ```text
//! cargo bench --bench build -- --stones 14,16 --rules awari --threads 1,2
//! ```
//!
//! Everything is measured in rounds, one thing after the other, so that whatever else the machine
//! does meets all of them alike; reported are medians over the rounds.

#[path = "../support/mod.rs"]
mod support;

mod classical;
mod memory;
mod stream;

use std::io::IsTerminal;

use awari::engine::{self, Effort, Storage, Unwatched};
use awari::index::{Index, boards};
use awari::{Board, Rules};
use clap::Parser;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;

use classical::Classical;
use support::clock::{Cost, measure, median};
use support::grid::{Grid, number};
use support::huge::Huge;
use support::limits;
use support::solved::{Tables, solve};

/// Measures builds.
#[derive(Parser)]
struct Options {
    /// Numbers of stones.
    #[arg(long, value_delimiter = ',', default_values_t = [14, 16])]
    stones: Vec<u32>,
    /// Rule sets.
    #[arg(long, value_delimiter = ',', default_values_t = [Rules::Awari])]
    rules: Vec<Rules>,
    /// Numbers of threads.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2])]
    threads: Vec<usize>,
    /// Rounds.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Measure the classical solver up to this many stones; 0: not at all.
    #[arg(long, default_value_t = 16)]
    classical: u32,
    /// Leave out depths.
    #[arg(long)]
    no_depths: bool,
    /// Print JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// Check quickly, measure nothing of use.
    #[arg(long)]
    test: bool,
    /// Measure: what `cargo bench` passes. Without it, as `--test`.
    #[arg(long, hide = true)]
    bench: bool,
    /// Solve once and print only the number of positions, for a profiler to count.
    #[arg(long, hide = true)]
    once: bool,
}

/// Runs of the same work: what each took, for a position and in nanoseconds.
#[derive(Serialize, Default)]
struct Runs {
    cpu: Vec<f64>,
    wall: Vec<f64>,
}

impl Runs {
    fn add(&mut self, cost: Cost) {
        self.cpu.push(cost.cpu);
        self.wall.push(cost.wall);
    }

    fn cpu(&self) -> f64 {
        median(self.cpu.iter().copied())
    }

    fn wall(&self) -> f64 {
        median(self.wall.iter().copied())
    }

    /// The median of the ratios of runs of the same round.
    fn ratio(&self, to: &Runs) -> f64 {
        median(self.cpu.iter().zip(&to.cpu).map(|(a, b)| a / b))
    }

    /// Half the distance from the least to the greatest, in parts of the median.
    fn spread(&self) -> f64 {
        let least = self.cpu.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.cpu.iter().copied().fold(0.0, f64::max);
        (most - least) / 2.0 / self.cpu()
    }
}

/// Solves of the same table by the engine.
#[derive(Serialize, Default)]
struct Solves {
    runs: Runs,
    sweeps: u32,
    /// Evaluations a position.
    evaluations: f64,
    /// Bytes of memory a position, at most.
    bytes: Option<f64>,
}

impl Solves {
    fn add(&mut self, positions: u64, (cost, effort, peak): (Cost, Effort, Option<u64>)) {
        self.runs.add(cost.per(positions));
        self.sweeps = effort.sweeps;
        self.evaluations = effort.evaluations as f64 / positions as f64;
        let bytes = peak.map(|peak| peak as f64 / positions as f64);
        self.bytes = self.bytes.into_iter().chain(bytes).reduce(f64::max);
    }
}

/// What was measured for one table and one number of threads. Times are nanoseconds a position, or
/// a read.
#[derive(Serialize)]
struct Measured {
    rules: &'static str,
    stones: u32,
    threads: usize,
    positions: u64,
    values: Solves,
    depths: Solves,
    /// On one thread, whatever `threads` is; all boards, divided by as many.
    classical: Runs,
    /// A random read in a large buffer.
    random: Runs,
    /// A random read in a buffer as large as the table.
    random_in_table: Runs,
    /// One pass over table and captures.
    stream: Runs,
}

fn main() {
    let mut options = Options::parse();
    if support::is_test() && !options.once {
        options = Options {
            stones: vec![8],
            rules: Rules::ALL.to_vec(),
            rounds: 1,
            classical: 8,
            json: false,
            test: true,
            ..options
        };
    }
    if options.once {
        return once(&options);
    }
    options.stones.sort_unstable();
    let pool = |&threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let pools: Vec<ThreadPool> = options.threads.iter().map(pool).collect();
    let large = limits::filled(if options.test { 1 << 20 } else { limits::large() });
    let mut measured = Vec::new();
    for &rules in &options.rules {
        let (mut tables, mut classical) = (Tables::new(rules), Classical::new(rules));
        for &stones in &options.stones {
            progress(&format!("{rules}, {stones} stones"));
            tables.prepare(stones);
            if stones <= options.classical {
                classical.prepare(stones);
                check(&tables, stones, &classical.solve(stones));
            }
            measured.extend(measure_table(&options, &pools, &large, &tables, &classical, stones));
        }
    }
    progress("");
    if options.test {
        println!("the classical solver agrees with the engine and the published counts");
    } else if options.json {
        println!("{}", serde_json::to_string_pretty(&measured).expect("plain numbers"));
    } else {
        print(&measured, large.len());
    }
}

/// Solves the greatest number of stones once.
fn once(options: &Options) {
    let stones = options.stones.iter().copied().max().unwrap_or_default();
    let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let mut tables = Tables::new(options.rules[0]);
    pool.install(|| {
        tables.prepare(stones.saturating_sub(1));
        counted_by_profiler(&tables, stones);
    });
    println!("{}", Index::new(stones).positions());
}

/// The solve that a profiler counts.
#[inline(never)]
fn counted_by_profiler(tables: &Tables, stones: u32) {
    std::hint::black_box(solve(tables, stones));
}

/// Says what is going on, to someone who looks at it.
fn progress(what: &str) {
    if std::io::stderr().is_terminal() {
        eprint!("\r{what:<40}\r");
    }
}

/// Measures one table, by each number of threads.
fn measure_table(
    options: &Options,
    pools: &[ThreadPool],
    large: &[u8],
    tables: &Tables,
    classical: &Classical,
    stones: u32,
) -> Vec<Measured> {
    let positions = Index::new(stones).positions();
    let small = limits::filled(positions as usize);
    let mut measured: Vec<Measured> = pools
        .iter()
        .map(|pool| Measured {
            rules: tables.rules.name(),
            stones,
            threads: pool.current_num_threads(),
            positions,
            values: Solves::default(),
            depths: Solves::default(),
            classical: Runs::default(),
            random: Runs::default(),
            random_in_table: Runs::default(),
            stream: Runs::default(),
        })
        .collect();
    for round in 1..=options.rounds {
        progress(&format!("{}, {stones} stones, round {round}", tables.rules));
        for (pool, to) in pools.iter().zip(&mut measured) {
            pool.install(|| {
                to.values.add(positions, values(tables, stones));
                if !options.no_depths {
                    to.depths.add(positions, depths(tables, stones));
                }
                to.random.add(limits::random_read(large));
                to.random_in_table.add(limits::random_read(&small));
                to.stream.add(stream::pass(positions as usize));
            });
        }
        if stones <= options.classical {
            let (_, cost) = measure(|| classical.solve(stones));
            measured.iter_mut().for_each(|to| to.classical.add(cost.per(boards(stones))));
        }
    }
    measured
}

fn values(tables: &Tables, stones: u32) -> (Cost, Effort, Option<u64>) {
    let ((solved, cost), peak) = memory::peak(|| measure(|| solve(tables, stones)));
    (cost, solved.effort, peak)
}

fn depths(tables: &Tables, stones: u32) -> (Cost, Effort, Option<u64>) {
    let solve = || engine::solve_depths(tables.rules, stones, tables, &Storage::Memory, &Unwatched);
    let ((solved, cost), peak) = memory::peak(|| measure(|| solve().expect("depths")));
    (cost, solved.effort, peak)
}

/// Compares the classical solver with the engine at every position, and under rules `awari` with
/// the published counts.
fn check(tables: &Tables, stones: u32, found: &Huge<i8>) {
    let index = Index::new(stones);
    for (place, &value) in tables.of(stones).iter().enumerate() {
        let board: Board = index.board(place as u64);
        assert_eq!(classical::value(found, &board.pits()), value, "{board}, {}", tables.rules);
    }
    if tables.rules == Rules::Awari {
        let count = |sign| found.iter().filter(|value| value.signum() == sign).count().to_string();
        let counts = [count(1), count(0), count(-1)];
        assert_eq!(published(stones).expect("published"), counts, "{stones} stones");
    }
}

/// How many boards of `stones` stones are won, drawn and lost.
fn published(stones: u32) -> Option<[&'static str; 3]> {
    let rows = include_str!("../../tests/data/awari_counts.tsv").lines().filter(|row| !row.starts_with('#'));
    let mut rows = rows.map(|row| row.split('\t').collect::<Vec<_>>());
    let row = rows.find(|row| row[0] == stones.to_string())?;
    Some([row[3], row[4], row[5]])
}

fn print(measured: &[Measured], large: usize) {
    let table = |row: &Measured| [format!("{} {}", row.rules, row.stones), row.threads.to_string()];
    println!("Values. Times a position; ± half the range of the rounds.\n");
    let mut grid = Grid::new(&[
        "table",
        "threads",
        "CPU ns",
        "±",
        "wall ns",
        "wall s",
        "sweeps",
        "evaluations",
        "peak bytes",
    ]);
    let spread = |runs: &Runs| format!("{:.0} %", 100.0 * runs.spread());
    for row in measured {
        let Solves { runs, sweeps, evaluations, bytes } = &row.values;
        let seconds = runs.wall() * row.positions as f64 / 1e9;
        grid.row(table(row).into_iter().chain([
            number(runs.cpu()),
            spread(runs),
            number(runs.wall()),
            number(seconds),
            sweeps.to_string(),
            number(*evaluations),
            number(bytes.unwrap_or(f64::NAN)),
        ]));
    }
    grid.print();

    if measured.iter().any(|row| !row.depths.runs.cpu.is_empty()) {
        println!("Depths.\n");
        let mut grid = Grid::new(&[
            "table",
            "threads",
            "CPU ns",
            "±",
            "wall ns",
            "of values",
            "sweeps",
            "evaluations",
            "peak bytes",
        ]);
        for row in measured {
            let Solves { runs, sweeps, evaluations, bytes } = &row.depths;
            grid.row(table(row).into_iter().chain([
                number(runs.cpu()),
                spread(runs),
                number(runs.wall()),
                number(runs.ratio(&row.values.runs)),
                sweeps.to_string(),
                number(*evaluations),
                number(bytes.unwrap_or(f64::NAN)),
            ]));
        }
        grid.print();
    }

    println!(
        "Values beside a classical solver and the machine's limits, CPU ns: random reads in a buffer of \
         {} MiB and in one as large as the table, and as many passes over the table as there were \
         sweeps.\n",
        large >> 20
    );
    let mut grid = Grid::new(&[
        "table",
        "threads",
        "values",
        "classical",
        "ratio",
        "read",
        "ratio",
        "in table",
        "ratio",
        "passes",
        "ratio",
    ]);
    for row in measured {
        let Measured { values, classical, random, random_in_table, stream, .. } = row;
        let passes = f64::from(values.sweeps);
        grid.row(table(row).into_iter().chain([
            number(values.runs.cpu()),
            number(classical.cpu()),
            number(classical.ratio(&values.runs)),
            number(random.cpu()),
            number(values.runs.ratio(random)),
            number(random_in_table.cpu()),
            number(values.runs.ratio(random_in_table)),
            number(stream.cpu() * passes),
            number(values.runs.ratio(stream) / passes),
        ]));
    }
    grid.print();
}
