//! How much ranks exchange, counted without solving anything.

use super::super::maps::Maps;
use super::pipeline;
use super::shares::Shares;
use super::wanted::Wanted;
use crate::rules::Rules;

/// Bytes that all ranks together send in one sweep over the values of `stones` stones, but for a few words.
///
/// # Panics
/// If `stones` is over 48 or there are no ranks.
pub fn exchanged_in_sweep(rules: Rules, stones: u32, ranks: usize) -> u64 {
    assert!(ranks > 0, "a build has a rank at least");
    let maps = &Maps::new(rules, stones);
    let shares = &Shares::new(maps, ranks);
    shares.pairs().map(|poorer| giving(shares, poorer) + holding(shares, poorer)).sum()
}

/// For moves that bring stones over.
fn giving(shares: &Shares, poorer: usize) -> u64 {
    let wanted = Wanted::new(shares, poorer);
    let mut bytes = 0;
    for waiting in 0..shares.maps.stones - poorer {
        let owned: Vec<_> = (0..shares.ranks).map(|rank| shares.rectangles(waiting, rank)).collect();
        for to in 0..shares.ranks {
            for want in wanted.of(to, waiting) {
                let others = owned.iter().enumerate().filter(|&(from, _)| from != to);
                for rectangle in others.flat_map(|(_, rectangles)| rectangles) {
                    let before = |end: usize| want.ranks.partition_point(|&rank| (rank as usize) < end);
                    let rows = before(rectangle.ranks.end) - before(rectangle.ranks.start);
                    let from = want.columns.start.max(rectangle.columns.start);
                    let until = want.columns.end.min(rectangle.columns.end);
                    bytes += (rows * until.saturating_sub(from)) as u64;
                }
            }
        }
    }
    bytes
}

/// For moves that give nothing.
fn holding(shares: &Shares, poorer: usize) -> u64 {
    let guests = pipeline::guests(shares, poorer);
    let middle = 2 * poorer == shares.maps.stones;
    let of = |(rank, guests): (usize, &Vec<u32>)| {
        // In the middle only those against half-boards below its own.
        let width = if middle { shares.reach(poorer, rank).start } else { shares.stripe(poorer, rank).len() };
        (guests.len() * width) as u64
    };
    guests.iter().enumerate().map(of).sum()
}
