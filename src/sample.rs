//! Positions drawn at random, with what the tables know about them: tests for programs that play.
//!
//! The same seed draws the same positions from the same tables on every machine; see
//! [`crate::random`]. Every position has a legal move, and none is drawn twice.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use crate::board::Board;
use crate::game::Game;
use crate::grade::Outcome;
use crate::index::Index;
use crate::notation::Position;
use crate::notation::auale::Play;
use crate::random::Random;
use crate::rules::{self, Rules};
use crate::tablebase::{MoveValue, ProbeError, Tablebase};

/// Moves after which a game played at random is given up: it may go round in circles.
const LONGEST_RANDOM_GAME: usize = 2_000;

/// Which positions are wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Filter {
    /// Stones on the board.
    pub stones: RangeInclusive<u32>,
    /// Only positions with one best move and at least one other.
    pub only_one_best: bool,
    /// Only positions whose worst legal move loses at least so many stones.
    pub min_loss: u8,
    /// Only positions won, drawn or lost for the player to move.
    pub outcome: Option<Outcome>,
    /// Only positions of such depths; depths must be there.
    pub depth: Option<RangeInclusive<u16>>,
}

impl Filter {
    /// Every position with so many stones.
    pub fn stones(stones: RangeInclusive<u32>) -> Filter {
        Filter { stones, only_one_best: false, min_loss: 0, outcome: None, depth: None }
    }

    /// Whether a sample passes.
    pub fn accepts(&self, sample: &Sample) -> bool {
        let moves = || sample.moves.iter();
        let worst = moves().map(|play| play.value).min().unwrap_or(sample.value);
        let loss = i16::from(sample.value) - i16::from(worst);
        self.stones.contains(&sample.position.board.stones())
            && (!self.only_one_best || moves().count() > 1 && moves().filter(|play| play.best).count() == 1)
            && loss >= i16::from(self.min_loss)
            && self.outcome.is_none_or(|outcome| outcome == Outcome::of(sample.value.into()))
            && self
                .depth
                .as_ref()
                .is_none_or(|depths| sample.depth.is_some_and(|depth| depths.contains(&depth)))
    }
}

/// A position with what is known about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The position. Captured stones are known if it comes from a game that knows them.
    pub position: Position,
    /// The value for the player to move.
    pub value: i8,
    /// Plies to the next capture or end, as in [`crate::tablebase::Probe::depth`].
    pub depth: Option<u16>,
    /// The legal moves, at least one, pit A to F.
    pub moves: Vec<MoveValue>,
    /// How the game came here: its first position and the moves from there. None of a position
    /// drawn from a table.
    pub history: Option<(Position, Vec<Play>)>,
}

/// Where positions are drawn from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// The tables: first the number of stones, each as likely, then a position stored in the table
    /// of so many stones, each as likely. Most of them never occur in a game.
    Stored,
    /// Games from the start in which both players choose any legal move, each as likely: one
    /// position of each game, any of those with so many stones.
    RandomPlay,
    /// These games: all their positions, in random order.
    Games(Vec<Game>),
}

/// Draws samples: an iterator that ends when nothing is left, or as many positions were tried as
/// may be.
pub struct Sampler<'a> {
    tables: &'a Tablebase,
    filter: Filter,
    random: Random,
    drawn: HashSet<Board>,
    tried: u64,
    most_tries: u64,
    source: Drawing,
}

enum Drawing {
    Stored(Vec<Index>),
    RandomPlay,
    /// A game and a ply of it; the last is tried first.
    Games(Vec<Game>, Vec<(usize, usize)>),
}

/// A position, and how it came about.
type Candidate = (Position, Option<(Position, Vec<Play>)>);

impl<'a> Sampler<'a> {
    /// A sampler that tries at most `most_tries` positions in all.
    ///
    /// # Errors
    /// If a table, or with [`Filter::depth`] a table of depths, of the wanted numbers of stones is
    /// missing or cannot be used; with [`Source::Stored`] also if 47 stones are among them.
    pub fn new(
        tables: &'a Tablebase,
        source: Source,
        filter: Filter,
        seed: u64,
        most_tries: u64,
    ) -> Result<Sampler<'a>, ProbeError> {
        for stones in filter.stones.clone() {
            tables.table(stones)?;
            if filter.depth.is_some() {
                tables.needed_depths(stones)?;
            }
        }
        let mut random = Random::new(seed);
        let source = match source {
            Source::Stored => Drawing::Stored(filter.stones.clone().map(Index::new).collect()),
            Source::RandomPlay => Drawing::RandomPlay,
            Source::Games(games) => {
                let wanted = |board: &Board| filter.stones.contains(&board.stones());
                let mut places = Vec::new();
                for (number, game) in games.iter().enumerate() {
                    let positions = game.plies().iter().map(|ply| &ply.before).chain([game.now()]);
                    let plies = positions.enumerate().filter(|(_, position)| wanted(&position.board));
                    places.extend(plies.map(|(ply, _)| (number, ply)));
                }
                random.shuffle(&mut places);
                Drawing::Games(games, places)
            }
        };
        Ok(Sampler { tables, filter, random, drawn: HashSet::new(), tried: 0, most_tries, source })
    }

    /// Positions that were looked at so far, games without a fitting one included.
    pub fn tried(&self) -> u64 {
        self.tried
    }

    /// The next sample; None when there is none left or `stop` says so, which is asked now and
    /// then.
    ///
    /// # Errors
    /// As [`Tablebase::probe`].
    pub fn draw(&mut self, stop: impl Fn() -> bool) -> Result<Option<Sample>, ProbeError> {
        while self.tried < self.most_tries && !stop() {
            let candidate = match &mut self.source {
                Drawing::Stored(tables) => {
                    let Some(index) = self.random.choose(tables) else { return Ok(None) };
                    let board = index.board(self.random.below(index.positions()));
                    Some((board.into(), None))
                }
                Drawing::RandomPlay => {
                    random_play(self.tables.rules(), &self.filter.stones, &mut self.random)
                }
                Drawing::Games(games, places) => {
                    let Some((game, ply)) = places.pop() else { return Ok(None) };
                    Some(at_ply(&games[game], ply))
                }
            };
            self.tried += 1;
            let Some((position, history)) = candidate else { continue };
            if self.drawn.contains(&position.board)
                || rules::turn(&position.board, self.tables.rules()).end.is_some()
            {
                continue;
            }
            let probe = self.tables.probe(&position.board)?;
            let moves = self.tables.moves(&position.board)?;
            let sample = Sample { position, value: probe.value, depth: probe.depth, moves, history };
            if self.filter.accepts(&sample) {
                self.drawn.insert(position.board);
                return Ok(Some(sample));
            }
        }
        Ok(None)
    }
}

impl Iterator for Sampler<'_> {
    type Item = Result<Sample, ProbeError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.draw(|| false).transpose()
    }
}

/// A position of a game and the moves to it.
fn at_ply(game: &Game, ply: usize) -> Candidate {
    let position = game.plies().get(ply).map_or(*game.now(), |ply| ply.before);
    let moves = game.plies()[..ply].iter().map(crate::game::Ply::play).collect();
    (position, Some((*game.start(), moves)))
}

/// Any position with so many stones of a game played at random; None if it has none.
fn random_play(rules: Rules, stones: &RangeInclusive<u32>, random: &mut Random) -> Option<Candidate> {
    let mut game = Game::new(rules, Board::START.into());
    let mut fitting = Vec::new();
    loop {
        let now = game.now().board;
        let turn = rules::turn(&now, rules);
        if stones.contains(&now.stones()) && turn.end.is_none() {
            fitting.push(game.plies().len());
        }
        let pits: Vec<usize> = turn.moves().map(|play| play.pit).collect();
        let &pit = match random.choose(&pits) {
            Some(pit) if now.stones() >= *stones.start() && game.plies().len() < LONGEST_RANDOM_GAME => pit,
            _ => break,
        };
        if game.play(pit).is_err() {
            break;
        }
    }
    random.choose(&fitting).map(|&ply| at_ply(&game, ply))
}
