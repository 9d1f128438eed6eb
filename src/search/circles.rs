//! Decides whether a value is at least so much, circles and all.
//!
//! The **attacker** wants a net gain of at least `stake` > 0 from here on. He has to get it within a
//! finite number of plies, since play without end gains nothing. The **defender** holds if he can
//! prevent it. Among boards of one number of stones that is a game on a graph, decided here as it is
//! explored: every board is taken to hold until all the defender's moves, or one of the
//! attacker's, are seen to lead to boards that do not; then so is every board that relied on it.
//! When nothing is left to explore, the boards that hold are a set the attacker cannot leave with
//! his gain, whatever was played before (`docs/search.md`). Captures lead to fewer stones, and so to
//! a question of its own that is decided first.

use std::collections::HashMap;

use super::known::key;
use super::{Bounds, Halt, Limits, Search};
use crate::board::Board;
use crate::rules::{self, Move};

/// Bytes that a board of the graph takes, about: itself, its place in the map, who relies on it.
const PER_NODE: u64 = 160;

/// A board of the graph.
struct Node {
    board: Board,
    /// Whether the attacker is to move.
    attacks: bool,
    state: State,
    /// The defender's moves that have not failed, best last.
    left: Vec<Move>,
    /// The first of the boards that rely on this one, in `Graph::relying`; 0 for none.
    relying: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Taken to hold; not looked at.
    New,
    /// Taken to hold, because of boards that do.
    Open,
    /// Holds by a move that leads out of the graph, whatever the others do.
    Holds,
    /// The attacker gets what he wants.
    Falls,
}

struct Graph {
    stake: i8,
    nodes: Vec<Node>,
    places: HashMap<u64, u32>,
    /// Lists of boards that rely on another: the board, and the rest of the list.
    relying: Vec<(u32, u32)>,
    to_visit: Vec<u32>,
}

impl Graph {
    /// The place of a board, which is added if it is new, and is visited if it has not been.
    fn place(&mut self, board: &Board, attacks: bool) -> u32 {
        // A board may come with either side to attack.
        let key = key(board) << 1 | u64::from(attacks);
        let nodes = &mut self.nodes;
        let place = *self.places.entry(key).or_insert_with(|| {
            let place = nodes.len() as u32;
            let (left, relying) = (Vec::new(), 0);
            nodes.push(Node { board: *board, attacks, state: State::New, left, relying });
            place
        });
        if self.state(place) == State::New {
            self.to_visit.push(place);
        }
        place
    }

    fn new(stake: i8) -> Graph {
        let (nodes, places, relying, to_visit) = Default::default();
        Graph { stake, nodes, places, relying, to_visit }
    }

    /// Whether a board that is still taken to hold relies on this one.
    fn is_relied_on(&self, place: u32) -> bool {
        let mut list = self.nodes[place as usize].relying;
        while list > 0 {
            let (relying, rest) = self.relying[list as usize - 1];
            if self.state(relying) == State::Open {
                return true;
            }
            list = rest;
        }
        false
    }

    fn state(&self, place: u32) -> State {
        self.nodes[place as usize].state
    }

    /// Notes that `node` has to be told when `on` falls.
    fn rely(&mut self, node: u32, on: u32) {
        let list = &mut self.nodes[on as usize].relying;
        self.relying.push((node, *list));
        *list = self.relying.len() as u32;
    }
}

impl Search<'_> {
    /// Whether the value of a board is at least `least`.
    pub(super) fn is_at_least(&mut self, board: &Board, least: i8, limits: &Limits) -> Result<bool, Halt> {
        let known = self.bounds(board)?;
        if known.lower >= least {
            return Ok(true);
        }
        if known.upper < least {
            return Ok(false);
        }
        let held = self.held;
        // To have at least 0 or less is to keep the opponent from more.
        let answer = if least > 0 {
            self.attack(board, true, least, limits)
        } else {
            self.attack(board, false, 1 - least, limits).map(|falls| !falls)
        };
        self.held = held;
        answer
    }

    /// Whether the attacker gains `stake` > 0 from a board.
    fn attack(&mut self, board: &Board, attacks: bool, stake: i8, limits: &Limits) -> Result<bool, Halt> {
        let mut graph = Graph::new(stake);
        let root = graph.place(board, attacks);
        while let Some(place) = graph.to_visit.pop() {
            if graph.state(place) != State::New || (place != root && !graph.is_relied_on(place)) {
                continue;
            }
            self.count(limits)?;
            self.held += 1;
            if self.held * PER_NODE > self.bytes {
                self.starved = true;
                return Err(Halt::Limit);
            }
            graph.nodes[place as usize].state = State::Open;
            let (board, attacks) = (graph.nodes[place as usize].board, graph.nodes[place as usize].attacks);
            let falls = if attacks {
                self.visit_attacker(&mut graph, place, &board, limits)?
            } else {
                self.visit_defender(&mut graph, place, &board, limits)?
            };
            if falls {
                self.fall(&mut graph, place, limits)?;
                if graph.state(root) == State::Falls {
                    return Ok(true);
                }
            }
        }
        self.remember(&graph);
        Ok(false)
    }

    /// Looks at the attacker's moves; whether one of them gives him what he wants.
    fn visit_attacker(
        &mut self,
        graph: &mut Graph,
        place: u32,
        board: &Board,
        limits: &Limits,
    ) -> Result<bool, Halt> {
        let stake = graph.stake;
        let turn = rules::turn(board, self.below.rules());
        if let Some(value) = turn.end_value(board.stones()) {
            return Ok(value >= stake);
        }
        let (mut quiet, mut asked) = (Vec::new(), Vec::new());
        for play in turn.moves() {
            let bounds = self.bounds(&play.child)?.before(play.captured);
            if bounds.lower >= stake {
                return Ok(true);
            }
            if bounds.upper >= stake {
                if play.captured > 0 { &mut asked } else { &mut quiet }.push(play);
            }
        }
        for play in asked {
            if !self.is_at_least(&play.child, play.captured as i8 - stake + 1, limits)? {
                return Ok(true);
            }
        }
        for play in quiet {
            let child = graph.place(&play.child, false);
            if graph.state(child) == State::Falls {
                return Ok(true);
            }
            graph.rely(place, child);
        }
        Ok(false)
    }

    /// Looks at the defender's moves; whether none of them holds.
    fn visit_defender(
        &mut self,
        graph: &mut Graph,
        place: u32,
        board: &Board,
        limits: &Limits,
    ) -> Result<bool, Halt> {
        let stake = graph.stake;
        let turn = rules::turn(board, self.below.rules());
        if let Some(value) = turn.end_value(board.stones()) {
            return Ok(value <= -stake);
        }
        let mut left = Vec::new();
        for play in turn.moves() {
            let bounds = self.bounds(&play.child)?.before(play.captured);
            if bounds.lower > -stake {
                graph.nodes[place as usize].state = State::Holds;
                return Ok(false);
            }
            if bounds.upper > -stake && !(play.captured == 0 && self.strikes(&play.child, stake)?) {
                left.push((self.promise(graph, &play), play));
            }
        }
        left.sort_by_key(|&(promise, _)| promise);
        graph.nodes[place as usize].left = left.into_iter().map(|(_, play)| play).collect();
        self.defend(graph, place, limits)
    }

    /// Whether a capture gives the attacker, to move, all he wants at once.
    fn strikes(&mut self, board: &Board, stake: i8) -> Result<bool, Halt> {
        for play in rules::turn(board, self.below.rules()).moves().filter(|play| play.captured > 0) {
            if self.bounds(&play.child)?.before(play.captured).lower >= stake {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// How soon the defender should try a move: the greater the sooner.
    fn promise(&self, graph: &Graph, play: &Move) -> (u8, bool, i16) {
        let key = key(&play.child);
        let there = graph.places.get(&(key << 1 | 1));
        let there = there.is_some_and(|&place| matches!(graph.state(place), State::Open | State::Holds));
        let score = self.known.get(key).map_or(0, |entry| entry.score);
        (play.captured, there, -score)
    }

    /// Lets the defender try his moves until one holds, as far as is known; whether none does.
    fn defend(&mut self, graph: &mut Graph, place: u32, limits: &Limits) -> Result<bool, Halt> {
        while let Some(play) = graph.nodes[place as usize].left.pop() {
            if play.captured > 0 {
                if !self.is_at_least(&play.child, play.captured as i8 + graph.stake, limits)? {
                    graph.nodes[place as usize].state = State::Holds;
                    return Ok(false);
                }
                continue;
            }
            let child = graph.place(&play.child, true);
            if graph.state(child) != State::Falls {
                graph.rely(place, child);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Notes that the attacker gets what he wants from a board, and from those where that decides.
    fn fall(&mut self, graph: &mut Graph, place: u32, limits: &Limits) -> Result<(), Halt> {
        let mut fallen = vec![place];
        graph.nodes[place as usize].state = State::Falls;
        while let Some(place) = fallen.pop() {
            let node = &graph.nodes[place as usize];
            let (board, attacks, mut list) = (node.board, node.attacks, node.relying);
            let all = Bounds::of_stones(board.stones());
            let stake = graph.stake;
            self.proved(
                &board,
                if attacks { Bounds { lower: stake, ..all } } else { Bounds { upper: -stake, ..all } },
            );
            while list > 0 {
                let (relying, rest) = graph.relying[list as usize - 1];
                list = rest;
                if graph.state(relying) == State::Open
                    && (graph.nodes[relying as usize].attacks || self.defend(graph, relying, limits)?)
                {
                    graph.nodes[relying as usize].state = State::Falls;
                    fallen.push(relying);
                }
            }
        }
        Ok(())
    }

    /// Remembers that the attacker does not get what he wants from the boards that hold, when nothing
    /// is left to visit.
    fn remember(&mut self, graph: &Graph) {
        for node in &graph.nodes {
            let all = Bounds::of_stones(node.board.stones());
            let stake = graph.stake;
            if matches!(node.state, State::Open | State::Holds) {
                self.proved(
                    &node.board,
                    if node.attacks {
                        Bounds { upper: stake - 1, ..all }
                    } else {
                        Bounds { lower: 1 - stake, ..all }
                    },
                );
            }
        }
    }
}
