//! What a question to a tablebase costs: random boards, the files mapped and in the page cache.
//!
//! ```text
//! cargo bench --bench probe -- --stones 16
//! ```

#[path = "../support/places.rs"]
mod places;
#[path = "../support/mod.rs"]
mod support;

use std::hint::black_box;

use awari::index::Index;
use awari::tablebase::{Tablebase, table_path};
use awari::{Board, Rules, table};
use clap::Parser;
use serde::Serialize;

use places::random_places;
use support::clock::{measure, median};
use support::grid::{Grid, number};
use support::limits;
use support::solved::Tables;

/// Measures probes.
#[derive(Parser)]
struct Options {
    /// Stones on the boards that are probed.
    #[arg(long, default_value_t = 16)]
    stones: u32,
    /// The rule set.
    #[arg(long, default_value_t = Rules::Awari)]
    rules: Rules,
    /// Rounds.
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Check quickly, measure nothing of use.
    #[arg(long)]
    test: bool,
    /// Measure: what `cargo bench` passes. Without it, as `--test`.
    #[arg(long, hide = true)]
    bench: bool,
}

/// Boards probed in a round.
const BOARDS: u64 = 1 << 20;

/// CPU nanoseconds, medians of the rounds.
#[derive(Serialize)]
struct Measured {
    rules: &'static str,
    stones: u32,
    file_bytes: u64,
    /// `Tablebase::probe`.
    probe: f64,
    /// `Table::value`, the place in the table being known.
    value: f64,
    /// `Tablebase::moves`.
    moves: f64,
    /// A random read in a buffer as large as the file.
    random_in_file: f64,
    /// A random read in a large buffer.
    random: f64,
}

fn main() {
    let mut options = Options::parse();
    let test = support::is_test();
    if test {
        options = Options { stones: 8, rounds: 1, json: false, ..options };
    }
    let Options { stones, rules, rounds, json, .. } = options;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut tables = Tables::new(rules);
    tables.prepare(stones);
    for stones in 0..=stones {
        table::write(table_path(&directory, rules, stones), rules, stones, tables.of(stones))
            .expect("a table written");
    }
    let tablebase = Tablebase::open(&directory, rules).expect("a tablebase");
    let index = Index::new(stones);
    let places: Vec<u64> = random_places(index.positions(), if test { 1000 } else { BOARDS });
    let boards: Vec<Board> = places.iter().map(|&place| index.board(place)).collect();
    let file = tablebase.table(stones).expect("its table");
    let file_bytes = file.header().file_bytes();
    for (&place, board) in places.iter().zip(&boards) {
        assert_eq!(tablebase.probe(board).expect("a value").value, tables.of(stones)[place as usize]);
    }
    drop(tables);

    let (large, small) = if test {
        (limits::filled(1 << 20), limits::filled(1 << 20))
    } else {
        (limits::filled(limits::large()), limits::filled(file_bytes as usize))
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let mut runs: [Vec<f64>; 5] = Default::default();
    for _ in 0..rounds {
        let each = boards.len() as u64;
        let probe =
            || boards.iter().map(|board| i64::from(tablebase.probe(board).unwrap().value)).sum::<i64>();
        let value = || places.iter().map(|&place| i64::from(file.value(place).unwrap())).sum::<i64>();
        let moves = || boards.iter().map(|board| tablebase.moves(board).unwrap().len()).sum::<usize>();
        runs[0].push(measure(|| black_box(probe())).1.per(each).cpu);
        runs[1].push(measure(|| black_box(value())).1.per(each).cpu);
        runs[2].push(measure(|| black_box(moves())).1.per(each).cpu);
        runs[3].push(pool.install(|| limits::random_read(&small)).cpu);
        runs[4].push(pool.install(|| limits::random_read(&large)).cpu);
    }
    let [probe, value, moves, random_in_file, random] = runs.map(median);
    let measured =
        Measured { rules: rules.name(), stones, file_bytes, probe, value, moves, random_in_file, random };
    if test {
        println!("probes agree with the values they were written from");
    } else if json {
        println!("{}", serde_json::to_string_pretty(&measured).expect("plain numbers"));
    } else {
        print(&measured, large.len());
    }
}

fn print(measured: &Measured, large: usize) {
    println!(
        "Probes of random boards, {} {} stones, file of {} bytes mapped and warm, one thread.\n",
        measured.rules, measured.stones, measured.file_bytes
    );
    let mut grid = Grid::new(&["what", "CPU ns", "random reads in as large a buffer"]);
    let mut row = |what: String, time: f64| {
        grid.row([what, number(time), number(time / measured.random_in_file)]);
    };
    row("value of a board".to_owned(), measured.probe);
    row("value of a place in the table".to_owned(), measured.value);
    row("moves of a board".to_owned(), measured.moves);
    row("random read, buffer as large as the file".to_owned(), measured.random_in_file);
    row(format!("random read, {} MiB", large >> 20), measured.random);
    grid.print();
}
