//! The naive solver itself, against counts and hashes that independent programs agree on.

mod reference;

use awari::Rules;
use reference::{Reference, Table};
use sha2::{Digest, Sha256};

/// How many stones the published variant counts go up to.
const STONES: u32 = 9;

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A line of `variant_counts.tsv`, whose header says what the columns are.
fn line(rules: Rules, stones: usize, table: &Table) -> String {
    let count = |sign| table.values.iter().filter(|value| value.signum() == sign).count();
    let values: Vec<u8> = table.values.iter().map(|&value| value as u8).collect();
    let depths: Vec<u8> = table.depths.iter().flat_map(|depth| depth.to_le_bytes()).collect();
    let columns = [
        rules.to_string(),
        stones.to_string(),
        table.boards.len().to_string(),
        count(1).to_string(),
        count(0).to_string(),
        count(-1).to_string(),
        table.depths.iter().max().unwrap().to_string(),
        table.depths.iter().map(|&depth| u64::from(depth)).sum::<u64>().to_string(),
        hex(Sha256::digest(values)),
        hex(Sha256::digest(depths)),
    ];
    columns.join("\t")
}

#[test]
fn values_and_depths_are_the_published_ones() {
    let mut published = include_str!("data/variant_counts.tsv")
        .lines()
        .filter(|line| !line.starts_with('#') && !line.starts_with("rules"));
    for rules in Rules::ALL {
        let Reference { tables } = reference::solve_up_to(rules, STONES);
        for (stones, table) in tables.iter().enumerate() {
            assert_eq!(Some(line(rules, stones, table).as_str()), published.next());
        }
    }
    assert_eq!(published.next(), None);
}
