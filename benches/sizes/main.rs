//! How large tables are, and what a question costs, packed and compressed.
//!
//! ```text
//! cargo bench --bench sizes -- --stones 12,16
//! ```
//!
//! `scripts/sizes` puts what it prints into README.md.

#[path = "../support"]
mod support {
    pub mod clock;
    pub mod grid;
    pub mod mode;
    pub mod places;
}

use std::hint::black_box;
use std::path::Path;

use awari::builder::{Builder, Progress};
use awari::index::Index;
use awari::table::{self, Encoding};
use awari::{Board, Rules, Tablebase};
use clap::Parser;

use support::clock::{measure, median};
use support::grid::{Grid, number};
use support::mode::is_test;
use support::places::random_places;

/// Measures sizes and probes of packed and compressed tables.
#[derive(Parser)]
struct Options {
    /// Stones of the tables that are measured; those of fewer stones are built for them.
    #[arg(long, value_delimiter = ',', default_values_t = [12, 16, 20])]
    stones: Vec<u32>,
    /// Rule sets.
    #[arg(long, value_delimiter = ',', default_values_t = Rules::ALL)]
    rules: Vec<Rules>,
    /// Rounds of warm probes.
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// Check quickly, measure nothing of use.
    #[arg(long)]
    test: bool,
    /// Measure: what `cargo bench` passes. Without it, as `--test`.
    #[arg(long, hide = true)]
    bench: bool,
}

/// Boards whose probes are measured warm: their tiles have room in the cache.
const WARM: u64 = 1_000;

/// Boards whose probes are measured cold.
const COLD: u64 = 200;

struct Quiet;

impl Progress for Quiet {}

/// What is measured of the tables of one number of stones in one encoding.
struct Measured {
    /// Bits a position: values, depths.
    bits: [f64; 2],
    /// CPU nanoseconds, medians, for the value of a board: warm, cold.
    value: [f64; 2],
    /// The same for value and depth.
    probe: [f64; 2],
}

fn main() {
    let mut options = Options::parse();
    let test = is_test();
    if test {
        options = Options { stones: vec![7], rounds: 1, ..options };
    }
    let Some(&most) = options.stones.iter().max() else { return };
    let mut sizes = Grid::new(&[
        "bits a position",
        "stones",
        "values, packed",
        "compressed",
        "depths, packed",
        "compressed",
    ]);
    let mut times = Grid::new(&[
        "CPU ns a probe, packed / compressed (ratio)",
        "stones",
        "value, warm",
        "value and depth, warm",
        "value, cold",
        "value and depth, cold",
    ]);
    for &rules in &options.rules {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (packed, compressed) = (directory.path().join("packed"), directory.path().join("compressed"));
        Builder::new(&packed, rules).stones(most).depths(true).run(&Quiet).expect("tables built");
        compress(rules, &options.stones, &packed, &compressed);
        for &stones in &options.stones {
            let [one, other] = [&packed, &compressed].map(|dir| Measured::of(dir, rules, stones, &options));
            let row = [one.bits[0], other.bits[0], one.bits[1], other.bits[1]];
            let name = || [rules.to_string(), stones.to_string()].into_iter();
            sizes.row(name().chain(row.map(|bits| format!("{bits:.2}"))));
            let pairs = [
                (one.value[0], other.value[0]),
                (one.probe[0], other.probe[0]),
                (one.value[1], other.value[1]),
                (one.probe[1], other.probe[1]),
            ];
            let cell = |(packed, compressed): (f64, f64)| {
                format!("{packed:.0} / {compressed:.0} ({})", number(compressed / packed))
            };
            times.row(name().chain(pairs.map(cell)));
        }
    }
    if test {
        println!("packed and compressed tables agree");
        return;
    }
    sizes.print();
    times.print();
}

/// Writes compressed copies of the values of all tables, and of the depths that are measured.
fn compress(rules: Rules, measured: &[u32], from: &Path, to: &Path) {
    let tables = Tablebase::open(from, rules).expect("a tablebase");
    let to = Tablebase::open(to, rules).expect("a tablebase");
    let most = measured.iter().copied().max().unwrap_or_default();
    for stones in 0..=most {
        let values = tables.unpack(stones).expect("values");
        let header = table::write_as(Encoding::Compressed, to.path(stones), rules, stones, &values)
            .expect("values written");
        if measured.contains(&stones) {
            let depths = tables.unpack_depths(stones).expect("depths");
            let (path, hash) = (to.depth_path(stones), header.content_hash);
            table::write_compressed_depths(path, rules, stones, hash, &values, &depths)
                .expect("depths written");
        }
    }
}

impl Measured {
    fn of(directory: &Path, rules: Rules, stones: u32, options: &Options) -> Measured {
        let index = Index::new(stones);
        let boards = |many| -> Vec<Board> {
            random_places(index.positions(), many).into_iter().map(|place| index.board(place)).collect()
        };
        let (warm, cold) = (boards(WARM), boards(COLD));
        let open = || {
            // What is opened when it is first needed is opened now.
            let tables = Tablebase::open(directory, rules).expect("a tablebase");
            for stones in 0..=stones {
                tables.table(stones).expect("a table");
            }
            tables.depths(stones).expect("depths");
            tables
        };
        let tables = open();
        let positions = index.positions() as f64;
        let values = tables.table(stones).expect("values").header().file_bytes();
        let depths = tables.needed_depths(stones).expect("depths").header().file_bytes();

        let value = |tables: &Tablebase, board: &Board| i64::from(tables.value(board).expect("a value"));
        let probe = |tables: &Tablebase, board: &Board| {
            let probe = tables.probe(board).expect("an answer");
            i64::from(probe.value) + i64::from(probe.depth.expect("a depth"))
        };
        let time_warm = |ask: &dyn Fn(&Tablebase, &Board) -> i64| {
            let all = || warm.iter().map(|board| ask(&tables, board)).sum::<i64>();
            black_box(all());
            median((0..options.rounds).map(|_| measure(|| black_box(all())).1.per(WARM).cpu))
        };
        let time_cold = |ask: &dyn Fn(&Tablebase, &Board) -> i64| {
            median(cold.iter().map(|board| {
                let tables = open();
                measure(|| black_box(ask(&tables, board))).1.cpu
            }))
        };
        Measured {
            bits: [values, depths].map(|bytes| bytes as f64 * 8.0 / positions),
            value: [time_warm(&value), time_cold(&value)],
            probe: [time_warm(&probe), time_cold(&probe)],
        }
    }
}
