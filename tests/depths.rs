//! Depths of all boards, through written tables, are those of other solvers.

mod common;

use std::fs;

use awari::index::boards;
use awari::tablebase::Tablebase;
use awari::{Board, Rules, stats};
use common::build_with_depths;
use sha2::{Digest, Sha256};

/// The most stones compared.
const MOST: u32 = 9;

/// Every way to put `stones` stones into twelve pits, in lexicographic order.
fn all_boards(stones: u8) -> Vec<Board> {
    fn fill(pits: &mut [u8; 12], pit: usize, left: u8, boards: &mut Vec<Board>) {
        if pit == 11 {
            pits[11] = left;
            boards.push(Board::new(*pits).unwrap());
            return;
        }
        for here in 0..=left {
            pits[pit] = here;
            fill(pits, pit + 1, left - here, boards);
        }
    }
    let mut boards = Vec::new();
    fill(&mut [0; 12], 0, stones, &mut boards);
    boards
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn depths_of_all_boards_are_those_of_other_solvers() {
    let dir = tempfile::tempdir().unwrap();
    let tables = Rules::ALL.map(|rules| build_with_depths(dir.path(), rules, MOST));
    let text = fs::read_to_string("tests/data/variant_counts.tsv").unwrap();
    let mut lines = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let [rules, stones, _, _, _, _, max, sum, values_sha256, depth_sha256] =
            line.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        let stones: u32 = stones.parse().unwrap();
        if stones > MOST {
            continue;
        }
        let rules: Rules = rules.parse().unwrap();
        let tables = tables.iter().find(|tables| tables.rules() == rules).unwrap();
        let (mut values, mut depths) = (Vec::new(), Vec::new());
        for board in all_boards(stones as u8) {
            let probe = tables.probe(&board).unwrap();
            values.push(probe.value as u8);
            depths.extend(probe.depth.unwrap().to_le_bytes());
        }
        assert_eq!(hex(&Sha256::digest(values)), values_sha256, "{line}");
        assert_eq!(hex(&Sha256::digest(depths)), depth_sha256, "{line}");

        let counts = stats::all_depths(tables, stones).unwrap();
        assert_eq!(counts.total(), boards(stones));
        assert_eq!(counts.max().unwrap().to_string(), max, "{line}");
        assert_eq!(counts.sum().to_string(), sum, "{line}");
        assert_stored(tables, stones);
        lines += 1;
    }
    assert_eq!(lines, 3 * (MOST + 1));
}

fn assert_stored(tables: &Tablebase, stones: u32) {
    let table = tables.needed_depths(stones).unwrap();
    let stored = table.count().unwrap();
    assert_eq!(stored.total(), table.header().positions());
    assert_eq!((stored.max(), stored.sum()), (Some(table.header().max), table.header().sum));
    let unreachable = stats::unreachable_depths(tables, stones).unwrap();
    assert_eq!(stored.plus(&unreachable), stats::all_depths(tables, stones).unwrap());

    let deepest = stats::deepest(tables, stones).unwrap();
    assert_eq!(tables.probe(&deepest.board).unwrap().depth, Some(deepest.depth));
    assert_eq!(deepest.depth, table.header().max);
    let index = table.index();
    let place = index.place(&deepest.board).unwrap();
    assert!((0..place).all(|earlier| table.depth(earlier).unwrap() < deepest.depth));
}

#[test]
fn without_their_table_there_are_no_depths_to_count() {
    let dir = tempfile::tempdir().unwrap();
    let tables = common::build(dir.path(), Rules::Awari, 3);
    for error in [stats::all_depths(&tables, 3).unwrap_err(), stats::deepest(&tables, 3).unwrap_err()] {
        assert!(error.to_string().contains("03.depth: no depths of 3 stones"), "{error}");
    }
}
