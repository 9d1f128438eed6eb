//! Which positions of other levels a rank looks at for its moves that bring stones over. Every rank knows
//! it of all the others, so nobody has to ask.

use std::borrow::Cow;
use std::ops::Range;

use super::super::maps::Maps;
use super::super::sowing::Class;
use super::shares::Shares;
use crate::half;

/// Rows of a level, by the rank of the waiting half-board, and a range of the mover's half-boards in
/// each.
pub(super) struct Want<'w> {
    pub ranks: Cow<'w, [u32]>,
    pub columns: Range<usize>,
}

impl Want<'_> {
    /// All of a level.
    pub fn all(maps: &Maps, waiting: usize) -> Want<'static> {
        let ranks = (0..half::count(waiting)).filter(|&rank| maps.halves[waiting].has_row(rank));
        let columns = 0..half::count(maps.stones - waiting);
        Want { ranks: ranks.map(|rank| rank as u32).collect(), columns }
    }
}

/// What all ranks want of other levels for their positions of one pair of levels.
pub(super) struct Wanted<'s> {
    shares: &'s Shares<'s>,
    poorer: usize,
    /// By rank and stones kept: the rows to which the richer side's moves lead, ascending.
    by_richer: Vec<Vec<Vec<u32>>>,
    /// By stones kept: the rows to which the poorer side's moves lead, which are the same for all.
    by_poorer: Vec<Vec<u32>>,
}

impl<'s> Wanted<'s> {
    pub fn new(shares: &'s Shares<'s>, poorer: usize) -> Wanted<'s> {
        let (maps, richer) = (shares.maps, shares.maps.stones - poorer);
        let by_richer =
            (0..shares.ranks).map(|rank| rows(maps, richer, shares.reach(poorer, rank))).collect();
        Wanted { shares, poorer, by_richer, by_poorer: rows(maps, poorer, 0..half::count(poorer)) }
    }

    /// Whether a move leads to a level.
    pub fn by_anybody(&self, waiting: usize) -> bool {
        let wanted = |rows: &Vec<Vec<u32>>| rows.get(waiting).is_some_and(|rows| !rows.is_empty());
        wanted(&self.by_poorer) || self.by_richer.iter().any(wanted)
    }

    /// What a rank wants of a level.
    pub fn of(&self, rank: usize, waiting: usize) -> Vec<Want<'_>> {
        let (poorer, richer) = (self.poorer, self.shares.maps.stones - self.poorer);
        let (reach, stripe) = (self.shares.reach(poorer, rank), self.shares.stripe(poorer, rank));
        let moves = [(richer, stripe, &self.by_richer[rank]), (poorer, reach, &self.by_poorer)];
        let wanted = moves.into_iter().filter_map(|(own, others, rows)| {
            let ranks = rows.get(waiting).filter(|ranks| !ranks.is_empty() && !others.is_empty())?;
            let columns = columns(self.shares.maps, own, own - waiting, &others)?;
            Some(Want { ranks: Cow::Borrowed(ranks), columns })
        });
        wanted.collect()
    }
}

/// By stones kept, fewer than `own`: the rows to which moves of some of the mover's half-boards lead.
fn rows(maps: &Maps, own: usize, movers: Range<usize>) -> Vec<Vec<u32>> {
    let mut reached: Vec<Vec<bool>> = (0..own).map(|kept| vec![false; half::count(kept)]).collect();
    for rank in movers {
        for play in maps.halves[own].own.giving(rank) {
            reached[own - play.class().stones()][play.after()] = true;
        }
    }
    let ranks = |reached: Vec<bool>| (0..).zip(reached).filter_map(|(rank, reached)| reached.then_some(rank));
    reached.into_iter().map(|reached| ranks(reached).collect()).collect()
}

/// The range in which there are all half-boards into which moves that give so many stones turn some of the
/// waiting player's.
fn columns(maps: &Maps, own: usize, given: usize, others: &Range<usize>) -> Option<Range<usize>> {
    let sowings = &maps.halves[maps.stones - own].sowings;
    let classes = Class::up_to(given).filter(|class| class.stones() == given);
    let reached = classes.filter_map(|class| sowings.of(class).reached(others));
    reached.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))
}
