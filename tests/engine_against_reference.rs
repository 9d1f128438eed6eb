//! The engine against the naive reference solver and against the published tables.

mod reference;

use awari::engine::{self, Depths, SmallerTables, SolveError, Storage, Unwatched, Values};
use awari::half;
use awari::index::{Index, boards};
use awari::{Board, Rules, rules};

/// Compared position by position up to this many stones.
const REFERENCE_STONES: u32 = 12;

/// Compared by counts up to this many stones; the published ones go to 20.
const PUBLISHED_STONES: u32 = 18;

/// Compared by histograms too, as far as they are published.
const HISTOGRAM_STONES: u32 = 14;

/// Solved with several numbers of threads.
const THREADS_STONES: u32 = 11;

/// Tables in memory, in the order of `Index`, by number of stones.
#[derive(Default)]
struct Tables(Vec<Values>);

impl SmallerTables for Tables {
    fn read(&self, stones: u32, place: u64, values: &mut [i8]) {
        let place = place as usize;
        values.copy_from_slice(&self.0[stones as usize][place..place + values.len()]);
    }
}

impl Tables {
    fn solve_up_to(rules: Rules, stones: u32) -> Tables {
        Tables::solve_in(&Storage::Memory, rules, stones)
    }

    fn solve_in(storage: &Storage, rules: Rules, stones: u32) -> Tables {
        let mut tables = Tables::default();
        for stones in 0..=stones {
            let solved = engine::solve(rules, stones, &tables, storage, &Unwatched).unwrap();
            assert_eq!(solved.values.len() as u64, Index::new(stones).positions());
            tables.0.push(solved.values);
        }
        tables
    }

    /// The value of any board; one without a place is evaluated one ply ahead.
    fn value(&self, board: &Board, rules: Rules) -> i8 {
        if let Some(place) = Index::new(board.stones()).place(board) {
            return self.0[board.stones() as usize][place as usize];
        }
        let turn = rules::turn(board, rules);
        turn.end_value(board.stones()).unwrap_or_else(|| {
            turn.moves().map(|m| m.captured as i8 - self.value(&m.child, rules)).max().unwrap()
        })
    }

    /// How many of all boards of `stones` stones have each value, −stones first.
    fn histogram(&self, stones: u32, rules: Rules) -> Vec<u64> {
        let mut counts = vec![0; 2 * stones as usize + 1];
        let mut count = |value: i8| counts[(i32::from(value) + stones as i32) as usize] += 1;
        for &value in &*self.0[stones as usize] {
            count(value);
        }
        for board in unreachable_boards(stones) {
            count(self.value(&board, rules));
        }
        assert_eq!(counts.iter().sum::<u64>(), boards(stones));
        counts
    }
}

/// The boards no move can lead to: no empty pit on the waiting side.
fn unreachable_boards(stones: u32) -> impl Iterator<Item = Board> {
    let stones = stones as usize;
    let full = move |waiting| half::all(waiting).filter(|half| !half.contains(&0));
    (0..=stones)
        .flat_map(move |waiting| full(waiting).map(move |half| (waiting, half)))
        .flat_map(move |(waiting, half)| half::all(stones - waiting).map(move |mover| (mover, half)))
        .map(|(mover, waiting)| {
            let mut pits = [0; 12];
            pits[..6].copy_from_slice(&mover);
            pits[6..].copy_from_slice(&waiting);
            Board::new(pits).unwrap()
        })
}

/// The fields of the lines of a published table, without its header.
fn rows(table: &str) -> Vec<Vec<i64>> {
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|line| line.split('\t').map(|field| field.parse().unwrap()).collect()).collect()
}

fn engine_equals_reference(rules: Rules) {
    let tables = Tables::solve_up_to(rules, REFERENCE_STONES);
    let reference = reference::solve_up_to(rules, REFERENCE_STONES);
    for (stones, solved) in reference.tables.iter().enumerate() {
        for (&pits, &value) in solved.boards.iter().zip(&solved.values) {
            let board = Board::new(pits).unwrap();
            assert_eq!(tables.value(&board, rules), value, "{rules}, {stones} stones: {board}");
        }
    }
}

#[test]
fn awari_equals_the_reference() {
    engine_equals_reference(Rules::Awari);
}

#[test]
fn abapa_equals_the_reference() {
    engine_equals_reference(Rules::Abapa);
}

#[test]
fn slam_ends_equals_the_reference() {
    engine_equals_reference(Rules::SlamEnds);
}

#[test]
fn values_do_not_depend_on_the_threads() {
    for rules in Rules::ALL {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Tables::solve_up_to(rules, THREADS_STONES).0)
        };
        let alone = with(1);
        for threads in [2, 3, 7] {
            assert!(same(&with(threads), &alone), "{rules}, {threads} threads");
        }
    }
}

fn same(a: &[Values], b: &[Values]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| **a == **b)
}

#[test]
fn values_do_not_depend_on_the_storage() {
    let dir = tempfile::tempdir().unwrap();
    let scratch = Storage::Scratch(dir.path().to_owned());
    for rules in Rules::ALL {
        let alone = Tables::solve_up_to(rules, THREADS_STONES).0;
        assert!(same(&Tables::solve_in(&scratch, rules, THREADS_STONES).0, &alone), "{rules}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "scratch files have no name");
    }
}

/// The depths of every number of stones, checked not to depend on threads or storage.
fn depths(rules: Rules, tables: &Tables, stones: u32) -> Depths {
    let dir = tempfile::tempdir().unwrap();
    let find = |threads, storage: &Storage| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| engine::solve_depths(rules, stones, tables, storage, &Unwatched)).unwrap().depths
    };
    let depths = find(1, &Storage::Memory);
    if stones <= THREADS_STONES {
        assert!(*find(3, &Storage::Scratch(dir.path().to_owned())) == *depths, "{rules}, {stones} stones");
    }
    depths
}

#[test]
fn depths_equal_the_reference() {
    for rules in Rules::ALL {
        let tables = Tables::solve_up_to(rules, REFERENCE_STONES);
        let reference = reference::solve_up_to(rules, REFERENCE_STONES);
        for (stones, solved) in reference.tables.iter().enumerate() {
            let index = Index::new(stones as u32);
            let depths = depths(rules, &tables, stones as u32);
            for (&pits, &depth) in solved.boards.iter().zip(&solved.depths) {
                let board = Board::new(pits).unwrap();
                if let Some(place) = index.place(&board) {
                    assert_eq!(depths[place as usize], depth, "{rules}, {stones} stones: {board}");
                }
            }
        }
    }
}

#[test]
fn a_wrong_value_has_no_depth() {
    /// The right tables with one value altered.
    struct Altered<'a>(&'a Tables, u64);
    impl SmallerTables for Altered<'_> {
        fn read(&self, stones: u32, place: u64, values: &mut [i8]) {
            self.0.read(stones, place, values);
            if stones == 5
                && let Some(value) = self.1.checked_sub(place).and_then(|at| values.get_mut(at as usize))
            {
                *value = if *value == 5 { 4 } else { *value + 1 };
            }
        }
    }
    let tables = Tables::solve_up_to(Rules::Awari, 5);
    for place in (0..Index::new(5).positions()).step_by(97) {
        let error =
            engine::solve_depths(Rules::Awari, 5, &Altered(&tables, place), &Storage::Memory, &Unwatched);
        let Err(SolveError::NoDepth { board }) = error else { panic!("{place} is altered") };
        assert_eq!(board, Index::new(5).board(place));
    }
}

#[test]
fn awari_equals_the_published_tables() {
    let tables = Tables::solve_up_to(Rules::Awari, PUBLISHED_STONES);
    let counts = rows(include_str!("data/awari_counts.tsv"));
    let histograms = rows(include_str!("data/awari_histograms.tsv"));
    for stones in 0..=PUBLISHED_STONES {
        let n = i64::from(stones);
        let histogram = tables.histogram(stones, Rules::Awari);
        let values = || (-n..=n).zip(histogram.iter().map(|&boards| boards as i64));

        let published: Vec<Vec<i64>> = histograms.iter().filter(|row| row[0] == n).cloned().collect();
        let found: Vec<Vec<i64>> = values()
            .filter(|&(_, boards)| boards > 0)
            .map(|(value, boards)| vec![n, value, boards])
            .collect();
        if stones <= HISTOGRAM_STONES {
            assert_eq!(found, published, "{stones} stones");
        }

        let count = |sign| values().filter(|(value, _)| value.signum() == sign).map(|(_, b)| b).sum::<i64>();
        let sum = values().map(|(value, boards)| value * boards).sum();
        let stored = Index::new(stones).positions() as i64;
        let line = vec![n, boards(stones) as i64, stored, count(1), count(0), count(-1), sum];
        assert_eq!(counts.iter().find(|row| row[0] == n), Some(&line));
    }
}
