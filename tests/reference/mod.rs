//! A naive solver to compare with: one position after the other, in the textbook way.
//!
//! It has its own rules, its own enumeration of **all** boards and its own algorithm, and takes
//! from the library only the `Board` and the names of the rule sets. Where the library sweeps
//! forward from zero, this one works backwards along moves, once for each stake, counting the
//! moves not yet refuted; nothing here is shared that could be wrong in both.
//!
//! Fit for about 13 stones.

// Each test file that includes this module uses a part of it.
#![allow(dead_code)]

use awari::{Board, Rules};

/// Twelve pits, the mover's first.
type Pits = [u8; 12];

/// All boards of one number of stones, solved.
pub struct Table {
    /// The boards in lexicographic order of their pits, the mover's first pit first.
    pub boards: Vec<Pits>,
    /// What the mover gains over his opponent under best play, endless play being worth 0.
    pub values: Vec<i8>,
    /// Plies to the next capture or the end while both keep the value: winners as few as they
    /// can, losers as many. 0 where the value is 0 and where there is no legal move.
    pub depths: Vec<u16>,
}

/// The tables of 0, 1, 2, … stones.
pub struct Reference {
    pub tables: Vec<Table>,
}

impl Reference {
    /// The value of a board of not more stones than were solved.
    pub fn value(&self, board: &Board) -> i8 {
        self.value_of(&board.pits())
    }

    /// The depth of a board of not more stones than were solved.
    pub fn depth(&self, board: &Board) -> u16 {
        let table = &self.tables[board.stones() as usize];
        table.depths[place(&table.boards, &board.pits())]
    }

    fn value_of(&self, pits: &Pits) -> i8 {
        let table = &self.tables[stones(pits)];
        table.values[place(&table.boards, pits)]
    }
}

/// Solves the boards of 0..=`stones` stones.
pub fn solve_up_to(rules: Rules, stones: u32) -> Reference {
    let mut reference = Reference { tables: Vec::new() };
    for stones in 0..=stones as u8 {
        let table = solve(rules, stones, &reference);
        reference.tables.push(table);
    }
    reference
}

fn stones(pits: &Pits) -> usize {
    pits.iter().map(|&p| usize::from(p)).sum()
}

fn place(boards: &[Pits], pits: &Pits) -> usize {
    boards.binary_search(pits).expect("every board is there")
}

/// Every way to put `stones` stones into twelve pits, in lexicographic order.
fn all_boards(stones: u8) -> Vec<Pits> {
    fn fill(pits: &mut Pits, pit: usize, left: u8, boards: &mut Vec<Pits>) {
        if pit == 11 {
            pits[11] = left;
            boards.push(*pits);
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

/// A legal move: what it captures and the board as the opponent then sees it.
struct Played {
    captured: u8,
    child: Pits,
}

fn side_is_empty(side: &[u8]) -> bool {
    side.iter().all(|&p| p == 0)
}

/// The move from pit `from`, if it is legal.
fn play(pits: &Pits, from: usize, rules: Rules) -> Option<Played> {
    let mut hand = pits[from];
    if hand == 0 {
        return None;
    }
    let mut sown = *pits;
    sown[from] = 0;
    let mut at = from;
    while hand > 0 {
        at = if at == 11 { 0 } else { at + 1 };
        if at != from {
            sown[at] += 1;
            hand -= 1;
        }
    }

    let mut taken = sown;
    let mut captured = 0;
    while at >= 6 && (taken[at] == 2 || taken[at] == 3) {
        captured += taken[at];
        taken[at] = 0;
        at -= 1;
    }

    let (after, captured) = match rules {
        // The opponent must be left a stone, whatever takes his last.
        Rules::Awari => {
            if side_is_empty(&taken[6..]) {
                return None;
            }
            (taken, captured)
        }
        // Who has none must be fed; a capture of everything is played without capturing.
        Rules::Abapa => {
            if side_is_empty(&sown[6..]) {
                return None;
            }
            if side_is_empty(&taken[6..]) { (sown, 0) } else { (taken, captured) }
        }
        // Who has none must be fed; a capture of everything takes the whole board.
        Rules::SlamEnds => {
            if side_is_empty(&sown[6..]) {
                return None;
            }
            if side_is_empty(&taken[6..]) { ([0; 12], stones(pits) as u8) } else { (taken, captured) }
        }
    };
    let mut child = [0; 12];
    for pit in 0..12 {
        child[pit] = after[(pit + 6) % 12];
    }
    Some(Played { captured, child })
}

/// Lists of numbers, one list a board, in one piece of memory.
struct Lists {
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Lists {
    fn of(&self, board: u32) -> &[u32] {
        &self.items[self.starts[board as usize]..self.starts[board as usize + 1]]
    }

    /// The lists the other way round: for each number, the boards whose lists have it, once for
    /// each time they have it.
    fn reversed(&self) -> Lists {
        let boards = self.starts.len() - 1;
        let mut starts = vec![0; boards + 1];
        for &item in &self.items {
            starts[item as usize + 1] += 1;
        }
        for i in 0..boards {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut items = vec![0; self.items.len()];
        for board in 0..boards as u32 {
            for &item in self.of(board) {
                items[next[item as usize]] = board;
                next[item as usize] += 1;
            }
        }
        Lists { starts, items }
    }
}

/// What the mover can do on each board of one number of stones.
struct Graph {
    /// Boards reached without a capture.
    quiet: Lists,
    /// The best a capture brings, counted to the end of the game; on boards without a legal
    /// move what the end of the game brings. None if there is neither.
    outright: Vec<Option<i8>>,
    /// Boards without a legal move.
    over: Vec<bool>,
}

fn graph(rules: Rules, stones: u8, boards: &[Pits], smaller: &Reference) -> Graph {
    let mut quiet = Lists { starts: vec![0], items: Vec::new() };
    let mut outright = Vec::with_capacity(boards.len());
    let mut over = Vec::with_capacity(boards.len());
    for pits in boards {
        let (mut best, mut legal) = (None, 0);
        for played in (0..6).filter_map(|pit| play(pits, pit, rules)) {
            legal += 1;
            if played.captured > 0 {
                best = best.max(Some(played.captured as i8 - smaller.value_of(&played.child)));
            } else {
                quiet.items.push(place(boards, &played.child) as u32);
            }
        }
        if legal == 0 {
            // Whoever still has stones gets them all, unless it is the player who cannot move.
            let all = stones as i8;
            best = Some(if side_is_empty(&pits[..6]) { -all } else { all });
        }
        quiet.starts.push(quiet.items.len());
        outright.push(best);
        over.push(legal == 0);
    }
    Graph { quiet, outright, over }
}

fn solve(rules: Rules, stones: u8, smaller: &Reference) -> Table {
    let boards = all_boards(stones);
    let graph = graph(rules, stones, &boards, smaller);
    let parents = graph.quiet.reversed();
    let values = values(stones, &graph, &parents);
    let depths = depths(&graph, &parents, &values);
    Table { boards, values, depths }
}

/// For each stake: who can force to gain that much, and who cannot help losing it.
fn values(stones: u8, graph: &Graph, parents: &Lists) -> Vec<i8> {
    let boards = graph.outright.len();
    let mut values = vec![0; boards];
    for stake in 1..=stones as i8 {
        let mut won = vec![false; boards];
        let mut lost = vec![false; boards];
        // Quiet moves that are not yet known to lose the stake.
        let mut open: Vec<usize> = (0..boards as u32).map(|board| graph.quiet.of(board).len()).collect();
        let mut decided = Vec::new();
        for board in 0..boards {
            if graph.outright[board].is_some_and(|value| value >= stake) {
                won[board] = true;
                decided.push(board as u32);
            } else if open[board] == 0 && graph.outright[board].is_some_and(|value| value <= -stake) {
                lost[board] = true;
                decided.push(board as u32);
            }
        }
        while let Some(child) = decided.pop() {
            for &parent in parents.of(child) {
                let p = parent as usize;
                if won[p] || lost[p] {
                    continue;
                }
                if lost[child as usize] {
                    won[p] = true;
                    decided.push(parent);
                } else {
                    open[p] -= 1;
                    if open[p] == 0 && graph.outright[p].is_none_or(|value| value <= -stake) {
                        lost[p] = true;
                        decided.push(parent);
                    }
                }
            }
        }
        for board in 0..boards {
            if won[board] {
                values[board] = stake;
            } else if lost[board] {
                values[board] = -stake;
            }
        }
    }
    values
}

/// Depths, the boards of depth 0 first, then those of depth 1, and so on.
fn depths(graph: &Graph, parents: &Lists, values: &[i8]) -> Vec<u16> {
    let boards = values.len();
    let mut depths: Vec<Option<u16>> = vec![None; boards];
    // Value-keeping quiet moves whose depth is not yet known.
    let mut open = vec![0; boards];
    let (mut now, mut next) = (Vec::new(), Vec::new());
    for board in 0..boards {
        let value = values[board];
        let keeping = graph.quiet.of(board as u32).iter().filter(|&&child| values[child as usize] == -value);
        open[board] = keeping.count();
        if value == 0 {
            depths[board] = Some(0);
        } else if graph.over[board] {
            depths[board] = Some(0);
            now.push(board as u32);
        } else if (value > 0 || open[board] == 0) && graph.outright[board] == Some(value) {
            // A winner captures at once; a loser if only captures keep the value.
            depths[board] = Some(1);
            next.push(board as u32);
        }
    }
    let mut depth = 0;
    while !now.is_empty() || !next.is_empty() {
        depth += 1;
        for child in std::mem::take(&mut now) {
            for &parent in parents.of(child) {
                let p = parent as usize;
                if depths[p].is_some() || values[p] != -values[child as usize] {
                    continue;
                }
                open[p] -= 1;
                // A winner takes the first; a loser waits for the last.
                if values[p] > 0 || open[p] == 0 {
                    depths[p] = Some(depth);
                    next.push(parent);
                }
            }
        }
        std::mem::swap(&mut now, &mut next);
    }
    depths.into_iter().map(|depth| depth.expect("a value that is not 0 is reached in some plies")).collect()
}
