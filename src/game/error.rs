//! What is wrong with the record of a game, and where.

use std::fmt;

use super::Refused;
use crate::notation::{NotationError, Place};
use crate::rules::Rules;

/// The longest piece of a bad token an error repeats.
const LONGEST_TOKEN: usize = 24;

/// Why a game cannot be read. Its `Display` is one sentence that names the game, the move, the
/// token, its place and the rule or form it breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameError {
    /// The game in its text, counted from 1.
    pub game: usize,
    /// The move, counted from 1; None outside of the moves.
    pub ply: Option<usize>,
    /// Where the token starts.
    pub place: Place,
    /// The offending token, cut after a few characters; empty if something is missing.
    pub token: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with the record of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The position it begins with cannot be read.
    Position(Box<NotationError>),
    /// The move is not legal.
    Refused(Refused),
    /// A move of the player whose turn it is not.
    WrongTurn {
        /// Whether it is South's turn.
        south: bool,
    },
    /// The record says that the move captures something else.
    WrongCapture {
        /// The stones it captures by the rules.
        captured: u8,
    },
    /// The record gives a player fewer stones than he captured, or more than there were.
    WrongOutcome {
        /// The stones of South and North by the rules.
        captured: [u8; 2],
    },
    /// The record names other rules.
    WrongRules {
        /// The rules it names.
        named: Rules,
        /// The rules it is read under.
        rules: Rules,
    },
    /// Something else should be there.
    Unexpected(&'static str),
    /// Something that was begun does not end.
    Unclosed(&'static str),
    /// A line that is no JSON, or lacks a field, or has a wrong one.
    Json(String),
}

impl GameError {
    pub(super) fn new(
        game: usize,
        ply: Option<usize>,
        place: Place,
        token: &str,
        problem: Problem,
    ) -> GameError {
        GameError { game, ply, place, token: token.chars().take(LONGEST_TOKEN).collect(), problem }
    }
}

impl fmt::Display for GameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}", self.game)?;
        if let Some(ply) = self.ply {
            write!(f, ", move {ply}")?;
        }
        write!(f, ", line {}, character {}: ", self.place.line, self.place.column)?;
        if !self.token.is_empty() {
            write!(f, "{:?}: ", self.token)?;
        }
        match &self.problem {
            Problem::Position(error) => error.fmt(f),
            Problem::Refused(refused) => refused.fmt(f),
            Problem::WrongTurn { south: true } => f.write_str("it is South's turn, who moves A to F"),
            Problem::WrongTurn { south: false } => f.write_str("it is North's turn, who moves a to f"),
            Problem::WrongCapture { captured: 0 } => f.write_str("the move captures nothing"),
            Problem::WrongCapture { captured } => write!(f, "the move captures {captured}"),
            Problem::WrongOutcome { captured: [south, north] } => {
                write!(f, "does not fit the moves, by which South has {south} stones and North {north}")
            }
            Problem::WrongRules { named, rules } => {
                write!(f, "the game is of rules {named}, not of {rules}: --rules {named} reads it")
            }
            Problem::Unexpected(expected) => write!(f, "expected {expected}"),
            Problem::Unclosed(what) => write!(f, "{what} does not end"),
            Problem::Json(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for GameError {}
