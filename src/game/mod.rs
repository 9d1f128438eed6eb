//! Games: legal moves from a position on, and the notations of whole games.
//!
//! A [`Game`] is legal under its rules: it can only be made by playing. Readers play what they
//! read, and say of a game that is not legal where it breaks which rule. Every reader is an
//! iterator over the games of a text, so that one broken game does not keep others from being read.
//!
//! | format | what it looks like |
//! |---|---|
//! | [`ogn`] | `[Variant "Oware Abapa"] … 1. F e 2. D+2 { good } b 25-23`: Aualé's files |
//! | [`Format::Suite`] | `4-4-4-4-4-4-4-4-4-4-4-4-0-0-S moves FeDb`: a game a line |
//! | [`Format::OpenSpiel`] | `5 10 3 7`: actions of OpenSpiel's `oware`, a game a line |
//! | [`Format::Jsonl`] | `{"board": "…", "move": "C", "player": "…"}`: a move a line |

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use crate::board::{Board, MAX_STONES, PITS};
use crate::notation::auale::Play;
use crate::notation::{Notation, Position, Stores};
use crate::rules::{self, Choice, End, Illegal, Rules};

mod cursor;
mod error;
mod lines;
pub mod ogn;

pub use error::{GameError, Problem};

/// Moves of the longest game that is read or played. Real games have some hundred.
pub const MAX_PLIES: usize = 10_000;

/// More stones than that and a player has won, whatever comes.
pub const MAJORITY: u8 = (MAX_STONES / 2) as u8;

/// A move of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The position before the move.
    pub before: Position,
    /// The pit played, 0..=5.
    pub pit: usize,
    /// Stones captured by the move itself.
    pub captured: u8,
    /// What somebody had to say about it.
    pub comment: Option<String>,
}

impl Ply {
    /// The move by its player's letter.
    pub fn play(&self) -> Play {
        Play { south: self.before.south_to_move, pit: self.pit }
    }
}

/// Where a game stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum State {
    /// It goes on, or could: a record that stops here was given up, or its players agreed.
    Open,
    /// The position was there before, with the same player to move. Many rule texts end the game
    /// here and give each player the stones of his own row. Play may go on.
    Repeated,
    /// One player has more than half of all stones. Where such games end, this one has; play may
    /// go on, for stones.
    Majority,
    /// There is no legal move.
    Over(End),
}

impl State {
    /// The state as output says it.
    pub fn name(self) -> &'static str {
        match self {
            State::Open => "open",
            State::Repeated => "repeated",
            State::Majority => "majority",
            State::Over(end) => end.name(),
        }
    }
}

/// How a game ended, as its record says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Outcome {
    /// Nothing is said, or it is not over: `*`.
    #[default]
    Unknown,
    /// The stones of South and North, 48 together at most.
    Stones(u8, u8),
    /// `1-0`: South won.
    South,
    /// `0-1`: North won.
    North,
    /// `1/2-1/2`: nobody won.
    Draw,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Unknown => f.write_str("*"),
            Outcome::Stones(south, north) => write!(f, "{south}-{north}"),
            Outcome::South => f.write_str("1-0"),
            Outcome::North => f.write_str("0-1"),
            Outcome::Draw => f.write_str("1/2-1/2"),
        }
    }
}

/// Why a move cannot be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The pit holds no stones.
    EmptyPit,
    /// The rules forbid it.
    Illegal(Illegal),
    /// There is no legal move: the game is over.
    Over(End),
    /// The game has [`MAX_PLIES`] moves.
    TooLong,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::EmptyPit => f.write_str("the pit is empty"),
            Refused::Illegal(Illegal::DoesNotFeed) => {
                f.write_str("the opponent has no stones and the move gives him none, though another would")
            }
            Refused::Illegal(Illegal::GrandSlam) => {
                f.write_str("a grand slam, which would take all stones of the opponent, is forbidden")
            }
            Refused::Over(end) => write!(f, "the game is over ({}), no move can follow", end.name()),
            Refused::TooLong => write!(f, "a game has {MAX_PLIES} moves at most"),
        }
    }
}

impl std::error::Error for Refused {}

/// A game, or the part of one that was played so far. Every move of it is legal.
///
/// ```
/// use awari::game::Game;
/// use awari::{Board, Rules};
/// let mut game = Game::new(Rules::Awari, Board::START.into());
/// game.play(5)?;
/// game.play(4)?;
/// assert_eq!(game.moves(), "Fe");
/// # Ok::<(), awari::game::Refused>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    rules: Rules,
    start: Position,
    plies: Vec<Ply>,
    now: Position,
    /// The positions since the last capture; earlier ones cannot come back.
    seen: HashSet<(Board, bool)>,
    repeated: bool,
    /// Names and values, such as `Event`, `South`, `North`; neither `FEN` nor `Result`.
    pub tags: Vec<(String, String)>,
    /// How it ended, as its record says.
    pub outcome: Outcome,
}

impl PartialEq for Game {
    fn eq(&self, other: &Game) -> bool {
        // The rest follows from these.
        self.rules == other.rules
            && self.start == other.start
            && self.plies == other.plies
            && self.tags == other.tags
            && self.outcome == other.outcome
    }
}

impl Eq for Game {}

impl Game {
    /// A game that begins with `start`. If that is the start of all games nobody has captured
    /// anything yet, even if the position does not tell.
    pub fn new(rules: Rules, start: Position) -> Game {
        let nothing = Stores { mover: 0, waiting: 0 };
        let stores = if start.board == Board::START { Some(nothing) } else { start.stores };
        // Sides are named by who moves; which notation told so does not matter any more.
        let start = Position { stores, notation: Notation::Native, ..start };
        Game {
            rules,
            start,
            plies: Vec::new(),
            now: start,
            seen: HashSet::from([(start.board, start.south_to_move)]),
            repeated: false,
            tags: Vec::new(),
            outcome: Outcome::Unknown,
        }
    }

    /// Plays a move, pit 0..=5 of the player to move.
    ///
    /// # Errors
    /// If the move is not legal; the game is as before.
    pub fn play(&mut self, pit: usize) -> Result<&mut Ply, Refused> {
        if self.plies.len() >= MAX_PLIES {
            return Err(Refused::TooLong);
        }
        let before = self.now;
        let turn = rules::turn(&before.board, self.rules);
        if let Some(end) = turn.end {
            return Err(Refused::Over(end));
        }
        let play = match turn.choices.get(pit) {
            Some(Choice::Legal(play)) => *play,
            Some(Choice::Illegal(reason)) => return Err(Refused::Illegal(*reason)),
            Some(Choice::Empty) | None => return Err(Refused::EmptyPit),
        };
        self.now = Position {
            board: play.child,
            stores: before
                .stores
                .map(|stores| Stores { mover: stores.waiting, waiting: stores.mover + play.captured }),
            south_to_move: !before.south_to_move,
            notation: Notation::Native,
        };
        if play.captured > 0 {
            self.seen.clear();
        }
        self.repeated = !self.seen.insert((self.now.board, self.now.south_to_move));
        self.plies.push(Ply { before, pit, captured: play.captured, comment: None });
        let last = self.plies.len() - 1;
        Ok(&mut self.plies[last])
    }

    /// The rules.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The position it began with.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The moves.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The position now.
    pub fn now(&self) -> &Position {
        &self.now
    }

    /// What is said about a move, to be changed.
    pub fn comment_mut(&mut self, ply: usize) -> Option<&mut Option<String>> {
        self.plies.get_mut(ply).map(|ply| &mut ply.comment)
    }

    /// Where the game stands now.
    pub fn state(&self) -> State {
        if let Some(end) = rules::turn(&self.now.board, self.rules).end {
            State::Over(end)
        } else if has_majority(&self.now) {
            State::Majority
        } else if self.repeated {
            State::Repeated
        } else {
            State::Open
        }
    }

    /// The stones of South and North if the game ends now, where that is beyond doubt: captured
    /// stones are known, and either there is no legal move, so that the rest is one player's, or
    /// there is nothing left.
    pub fn final_stones(&self) -> Option<[u8; 2]> {
        let Stores { mover, waiting } = self.now.stores?;
        let stones = self.now.board.stones();
        let value = rules::turn(&self.now.board, self.rules).end_value(stones)?;
        let [mover, waiting] =
            if value < 0 { [mover, waiting + stones as u8] } else { [mover + stones as u8, waiting] };
        Some(if self.now.south_to_move { [mover, waiting] } else { [waiting, mover] })
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(there, _)| there == name).map(|(_, value)| value.as_str())
    }

    /// Who plays South or North, if a tag says so.
    pub fn player(&self, south: bool) -> Option<&str> {
        let name = self.tag(if south { "South" } else { "North" })?.trim();
        (!name.is_empty() && name != "?").then_some(name)
    }

    /// The moves, run together: `FeDb`.
    pub fn moves(&self) -> String {
        self.plies.iter().map(|ply| ply.play().to_string()).collect()
    }

    /// Checks what the record says about the end. `Err` holds what was captured (South, North).
    fn check_outcome(&self) -> Result<(), Problem> {
        let Some(captured) = self.now.side_stores() else { return Ok(()) };
        let Outcome::Stones(south, north) = self.outcome else { return Ok(()) };
        // Who has captured a stone keeps it, and when there is no move the rest is one player's.
        let possible = match self.final_stones() {
            Some(stones) => [south, north] == stones,
            None => south >= captured[0] && north >= captured[1],
        };
        // With a majority Aualé leaves the rest on the board.
        if possible || [south, north] == captured && has_majority(&self.now) {
            Ok(())
        } else {
            Err(Problem::WrongOutcome { captured: self.final_stones().unwrap_or(captured) })
        }
    }
}

/// Whether one player has more than half of all stones, so far as the position tells.
pub fn has_majority(position: &Position) -> bool {
    position.stores.is_some_and(|stores| stores.mover.max(stores.waiting) > MAJORITY)
}

/// The formats of games.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Oware game notation, see [`ogn`].
    Ogn,
    /// Aualé's suites: in each line a position (or `startpos`), and perhaps ` moves ` and moves
    /// run together. Lines that start with `#` and empty ones are passed over.
    Suite,
    /// In each line the actions of a game of OpenSpiel's `oware` from its start, separated by
    /// spaces or commas, with or without brackets. 0..=5 is a pit of the player to move; North's
    /// may be 6..=11 as well.
    OpenSpiel,
    /// In each line a JSON object with a position and the move played in it: `board` is a text in
    /// any notation of positions or an array of twelve numbers, the mover's pits first; `move` a
    /// letter or a number 0..=5; `player`, which may be left out, the name of who played it. Other
    /// fields are passed over.
    Jsonl,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 4] = [Format::Ogn, Format::Suite, Format::OpenSpiel, Format::Jsonl];

    /// The name in options: `ogn`, `suite`, `openspiel` or `jsonl`.
    pub fn name(self) -> &'static str {
        match self {
            Format::Ogn => "ogn",
            Format::Suite => "suite",
            Format::OpenSpiel => "openspiel",
            Format::Jsonl => "jsonl",
        }
    }

    /// The format a text looks like, by its first line that says something.
    pub fn detect(text: &str) -> Format {
        let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
        let line = lines.find(|line| !line.is_empty() && !line.starts_with(['#', ';', '%']));
        let line = line.unwrap_or_default();
        let first = line.split_whitespace().next().unwrap_or_default();
        let is_position = first.split('-').count() == 2 * PITS + 3;
        let is_actions = {
            let mut actions = lines::actions(line).peekable();
            actions.peek().is_some() && actions.all(|action| action.parse::<u8>().is_ok())
        };
        if line.starts_with('{') && line.trim_start_matches('{').trim_start().starts_with(['"', '}']) {
            Format::Jsonl
        } else if is_position || first == "startpos" {
            Format::Suite
        } else if is_actions {
            Format::OpenSpiel
        } else {
            Format::Ogn
        }
    }

    /// The games of a text.
    pub fn read(self, text: &str, rules: Rules) -> Box<dyn Iterator<Item = Result<Game, GameError>> + '_> {
        let text = text.trim_start_matches('\u{feff}');
        match self {
            Format::Ogn => Box::new(ogn::read(text, rules)),
            line => Box::new(lines::read(line, text, rules)),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownFormat(pub String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown format {:?}: expected ogn, suite, openspiel or jsonl", self.0)
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Format, UnknownFormat> {
        Format::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| UnknownFormat(name.into()))
    }
}
