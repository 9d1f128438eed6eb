//! Counts over all boards are the published ones.

mod common;

use std::fs;

use awari::Rules;
use awari::index::boards;
use awari::stats;
use awari::table::Counts;
use awari::tablebase::{ProbeError, Tablebase};
use common::build;

/// The most stones compared.
const MOST: u32 = 13;

/// The cells of a tab-separated file, without comments and the line of titles.
fn cells(path: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

fn assert_counts(counts: &Counts, stones: u32, win: &str, draw: &str, loss: &str) {
    assert_eq!(counts.total(), boards(stones), "{stones} stones");
    assert_eq!(counts.wins().to_string(), win, "{stones} stones");
    assert_eq!(counts.draws().to_string(), draw, "{stones} stones");
    assert_eq!(counts.losses().to_string(), loss, "{stones} stones");
}

#[test]
fn counts_of_all_boards_are_the_published_ones() {
    let dir = tempfile::tempdir().unwrap();
    let tables = build(dir.path(), Rules::Awari, MOST);
    let all: Vec<Counts> = (0..=MOST).map(|n| stats::all_boards(&tables, n).unwrap()).collect();
    let mut lines = 0;
    for row in cells("tests/data/awari_counts.tsv") {
        let [stones, _, stored, win, draw, loss, sum] = &row[..] else { panic!("{row:?}") };
        let stones: u32 = stones.parse().unwrap();
        if stones <= MOST {
            let counts = &all[stones as usize];
            assert_counts(counts, stones, win, draw, loss);
            assert_eq!(counts.sum().to_string(), *sum);
            let recounted = tables.table(stones).unwrap().count().unwrap();
            assert_eq!(recounted.total().to_string(), *stored);
            let rest = stats::unreachable_boards(&tables, stones).unwrap();
            assert_eq!(recounted.plus(&rest), *counts);
            lines += 1;
        }
    }
    assert_eq!(lines, MOST + 1);

    let mut histograms = vec![Counts::default(); all.len()];
    for row in cells("tests/data/awari_histograms.tsv") {
        let [stones, value, count] = &row[..] else { panic!("{row:?}") };
        let stones: usize = stones.parse().unwrap();
        if let Some(counts) = all.get(stones) {
            assert_eq!(counts.of(value.parse().unwrap()).to_string(), *count, "{stones} {value}");
            (0..count.parse().unwrap()).for_each(|_| histograms[stones].add(value.parse().unwrap()));
        }
    }
    assert_eq!(histograms, all);
}

#[test]
fn counts_of_the_other_rules_are_those_of_other_solvers() {
    const MOST: u32 = 10;
    let dir = tempfile::tempdir().unwrap();
    for rules in Rules::ALL {
        let tables = build(dir.path(), rules, MOST);
        let mut lines = 0;
        for row in cells("tests/data/variant_counts.tsv") {
            let stones: u32 = row[1].parse().unwrap();
            if row[0] == rules.name() && stones <= MOST {
                let counts = stats::all_boards(&tables, stones).unwrap();
                assert_counts(&counts, stones, &row[3], &row[4], &row[5]);
                lines += 1;
            }
        }
        assert!(lines > 0, "{rules}");
    }
}

#[test]
fn a_missing_table_is_said_so() {
    let dir = tempfile::tempdir().unwrap();
    let tables = build(dir.path(), Rules::Awari, 6);
    fs::remove_file(tables.path(4)).unwrap();
    // Opened before, a table stays.
    assert!(stats::all_boards(&tables, 6).is_ok());
    let tables = Tablebase::open(dir.path(), Rules::Awari).unwrap();
    assert!(matches!(stats::all_boards(&tables, 4), Err(ProbeError::Missing { stones: 4, .. })));
    assert!(matches!(stats::all_boards(&tables, 47), Err(ProbeError::OutOfRange { stones: 47 })));
}
