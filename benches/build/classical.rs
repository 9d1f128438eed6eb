//! The textbook solver, to compare the engine with: every position by itself, counters of moves
//! that are not yet refuted, and moves taken back from each position that is decided.
//!
//! Stakes are tried from the highest down. A position whose best capture or end brings the stake
//! wins it; so does one with a move to a position that loses it. A position loses the stake when
//! all its moves lead to positions that win it and no capture does better. What was won at a higher
//! stake stays won, so each position is decided once, and each move looked at twice: once forwards
//! to count it, once backwards.
//!
//! Two bytes a board, a table of all C(n+11, 11) boards in the order of the combinatorial number
//! system, in huge pages. It shares no code with the engine.

use awari::Rules;
use awari::index::boards;

use crate::support::huge::Huge;

type Pits = [u8; 12];

/// No capture and no end.
const NONE: i8 = i8::MIN;

/// In place of a counter: the position is decided.
const DECIDED: u8 = u8::MAX;

/// `WAYS[k][s]` = C(s+k, k+1): the boards that come before those with s stones in the first k+1
/// pits.
const WAYS: [[u32; 64]; 11] = {
    let mut ways = [[0; 64]; 11];
    let mut s = 0;
    while s < 64 {
        ways[0][s] = s as u32;
        s += 1;
    }
    let mut k = 1;
    while k < 11 {
        let mut s = 1;
        while s < 64 {
            // Wraps only far beyond the boards that fit a 32-bit rank.
            ways[k][s] = ways[k][s - 1].wrapping_add(ways[k - 1][s]);
            s += 1;
        }
        k += 1;
    }
    ways
};

fn rank(pits: &Pits) -> usize {
    let (mut rank, mut sum) = (0, 0);
    for (ways, &pit) in WAYS.iter().zip(pits) {
        sum += usize::from(pit);
        rank += ways[sum & 63];
    }
    rank as usize
}

fn unrank(stones: u8, rank: usize) -> Pits {
    let (mut left, mut rank) = (stones, rank as u32);
    let mut pits = [0; 12];
    for k in (0..11).rev() {
        while WAYS[k][usize::from(left)] > rank {
            left -= 1;
            pits[k + 1] += 1;
        }
        rank -= WAYS[k][usize::from(left)];
    }
    pits[0] = left;
    pits
}

/// The board after `pits` in the order of [`rank`].
fn step(pits: &mut Pits) {
    if let Some(filled) = (1..12).find(|&pit| pits[pit] > 0) {
        let first = std::mem::take(&mut pits[0]);
        pits[filled - 1] = first + 1;
        pits[filled] -= 1;
    }
}

fn swapped(pits: &Pits) -> Pits {
    let mut other = [0; 12];
    other[..6].copy_from_slice(&pits[6..]);
    other[6..].copy_from_slice(&pits[..6]);
    other
}

fn opponent_is_empty(pits: &Pits) -> bool {
    pits[6..] == [0; 6]
}

/// Takes what a sowing that ended in `last` captures.
fn capture(pits: &mut Pits, last: usize) -> u8 {
    let (mut at, mut captured) = (last, 0);
    while at >= 6 && matches!(pits[at], 2 | 3) {
        captured += std::mem::take(&mut pits[at]);
        at -= 1;
    }
    captured
}

/// What a pit with stones does.
enum Play {
    Illegal,
    Quiet,
    /// The stones captured, and the pits afterwards.
    Capture(u8, Pits),
}

fn play(pits: &Pits, pit: usize, stones: u8, rules: Rules) -> Play {
    let mut after = *pits;
    let mut hand = std::mem::take(&mut after[pit]);
    let mut last = pit;
    while hand > 0 {
        last = if last == 11 { 0 } else { last + 1 };
        if last != pit {
            after[last] += 1;
            hand -= 1;
        }
    }
    if opponent_is_empty(&after) {
        return Play::Illegal; // does not feed
    }
    let captured = capture(&mut after, last);
    if captured == 0 {
        Play::Quiet
    } else if !opponent_is_empty(&after) {
        Play::Capture(captured, after)
    } else {
        match rules {
            Rules::Awari => Play::Illegal,
            Rules::Abapa => Play::Quiet,
            Rules::SlamEnds => Play::Capture(stones, [0; 12]),
        }
    }
}

/// Calls `each` with every board from which a quiet move leads to `pits`.
fn predecessors(pits: &Pits, rules: Rules, mut each: impl FnMut(&Pits)) {
    // Seen from the player who has moved.
    let after = swapped(pits);
    if opponent_is_empty(&after) {
        return; // who moves must leave a stone
    }
    for pit in (0..6).filter(|&pit| after[pit] == 0) {
        let mut before = after;
        let mut last = pit;
        loop {
            last = if last == 11 { 0 } else { last + 1 };
            if last == pit {
                continue;
            }
            if before[last] == 0 {
                break;
            }
            before[last] -= 1;
            before[pit] += 1;
            if last < 6 || !matches!(after[last], 2 | 3) || rules == Rules::Abapa && is_slam(after, last) {
                each(&before);
            }
        }
    }
}

fn is_slam(mut sown: Pits, last: usize) -> bool {
    capture(&mut sown, last);
    opponent_is_empty(&sown)
}

/// The solved tables of 0, 1, 2, … stones.
pub struct Classical {
    rules: Rules,
    tables: Vec<Huge<i8>>,
}

impl Classical {
    pub fn new(rules: Rules) -> Classical {
        Classical { rules, tables: Vec::new() }
    }

    /// Solves and keeps the tables of fewer than `stones` stones.
    pub fn prepare(&mut self, stones: u32) {
        while self.tables.len() < stones as usize {
            self.tables.push(self.solve(self.tables.len() as u32));
        }
    }

    /// The values of all boards of `stones` stones, those of fewer being prepared.
    pub fn solve(&self, stones: u32) -> Huge<i8> {
        let boards = boards(stones) as usize;
        let stones = stones as u8;
        // The best capture or end of each board, and its value once it is decided.
        let mut best: Huge<i8> = Huge::new(boards);
        // How many quiet moves of each board are not yet known to lose.
        let mut open: Huge<u8> = Huge::new(boards);
        let mut pits = unrank(stones, 0);
        for (best, open) in best.iter_mut().zip(&mut *open) {
            (*best, *open) = self.look_ahead(&pits, stones);
            step(&mut pits);
        }
        let mut decided: Vec<u32> = Vec::new();
        for stake in (1..=stones as i8).rev() {
            for (rank, (&best, open)) in best.iter().zip(&mut *open).enumerate() {
                if *open != DECIDED && (best == stake || best == -stake && *open == 0) {
                    *open = DECIDED;
                    decided.push(rank as u32);
                }
            }
            while let Some(child) = decided.pop() {
                let child = child as usize;
                let child_wins = best[child] > 0;
                predecessors(&unrank(stones, child), self.rules, |before| {
                    let parent = rank(before);
                    if open[parent] == DECIDED {
                        return;
                    }
                    if child_wins {
                        open[parent] -= 1;
                        if open[parent] > 0 || best[parent] > -stake {
                            return;
                        }
                    }
                    best[parent] = if child_wins { -stake } else { stake };
                    open[parent] = DECIDED;
                    decided.push(parent as u32);
                });
            }
        }
        for (best, &open) in best.iter_mut().zip(&*open) {
            if open != DECIDED {
                *best = 0;
            }
        }
        best
    }

    /// The best capture or end of a board, and how many quiet moves it has.
    fn look_ahead(&self, pits: &Pits, stones: u8) -> (i8, u8) {
        let (mut best, mut quiet) = (NONE, 0);
        for pit in (0..6).filter(|&pit| pits[pit] > 0) {
            match play(pits, pit, stones, self.rules) {
                Play::Illegal => {}
                Play::Quiet => quiet += 1,
                Play::Capture(captured, after) => {
                    let smaller = &self.tables[usize::from(stones - captured)];
                    best = best.max(captured as i8 - smaller[rank(&swapped(&after))]);
                }
            }
        }
        if best == NONE && quiet == 0 {
            let nothing_to_play = pits[..6] == [0; 6];
            best = if nothing_to_play { -(stones as i8) } else { stones as i8 };
        }
        (best, quiet)
    }
}

/// The value of a board in a table that [`Classical::solve`] returned.
pub fn value(table: &[i8], pits: &Pits) -> i8 {
    table[rank(pits)]
}
