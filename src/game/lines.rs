//! The formats with a game, or a move, in each line.

use serde::Deserialize;

use super::error::{GameError, Problem};
use super::{Format, Game};
use crate::board::{Board, PITS};
use crate::notation::auale::Play;
use crate::notation::{self, Place, Position, auale};
use crate::rules::Rules;

/// The games of a text in one of these formats.
pub(super) fn read(
    format: Format,
    text: &str,
    rules: Rules,
) -> impl Iterator<Item = Result<Game, GameError>> + '_ {
    let lines = text.lines().enumerate().filter(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    lines.enumerate().map(move |(game, (number, line))| {
        let line = Line { text: line, number: number + 1, game: game + 1 };
        match format {
            Format::OpenSpiel => line.actions(rules),
            Format::Jsonl => line.json(rules),
            Format::Suite | Format::Ogn => line.suite(rules),
        }
    })
}

/// The words of a list of actions.
pub(super) fn actions(line: &str) -> impl Iterator<Item = &str> {
    let separates = |c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']');
    line.split(separates).filter(|word| !word.is_empty())
}

struct Line<'a> {
    text: &'a str,
    number: usize,
    game: usize,
}

impl<'a> Line<'a> {
    /// `token` is a part of the line.
    fn error(&self, ply: Option<usize>, token: &'a str, problem: Problem) -> GameError {
        let offset = (token.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let before = self.text.get(..offset).unwrap_or_default();
        let place = Place { line: self.number, column: before.chars().count() + 1 };
        GameError::new(self.game, ply, place, token, problem)
    }

    /// Plays on; errors name `token`.
    fn play(&self, game: &mut Game, play: Play, token: &'a str) -> Result<(), GameError> {
        let (ply, south) = (Some(game.plies().len() + 1), game.now().south_to_move);
        if play.south != south {
            return Err(self.error(ply, token, Problem::WrongTurn { south }));
        }
        match game.play(play.pit) {
            Ok(_) => Ok(()),
            Err(refused) => Err(self.error(ply, token, Problem::Refused(refused))),
        }
    }

    fn suite(&self, rules: Rules) -> Result<Game, GameError> {
        let text = self.text.trim();
        let (position, rest) = match text.split_once(char::is_whitespace) {
            Some((position, rest)) => (position, rest.trim_start()),
            None => (text, &text[text.len()..]),
        };
        let start = match position {
            "startpos" => Board::START.into(),
            _ => auale::parse(position)
                .map_err(|error| self.error(None, position, Problem::Position(error.into())))?,
        };
        let mut game = Game::new(rules, start);
        if rest.is_empty() {
            return Ok(game);
        }
        let unexpected = |ply, token, expected| self.error(ply, token, Problem::Unexpected(expected));
        let moves = match rest.strip_prefix("moves") {
            Some(moves) if moves.is_empty() || moves.starts_with(char::is_whitespace) => moves,
            _ => return Err(unexpected(None, rest, "\"moves\" and the moves after the position")),
        };
        for (at, letter) in moves.char_indices().filter(|(_, c)| !c.is_whitespace()) {
            let token = &moves[at..at + letter.len_utf8()];
            let Some(play) = auale::moves(token).unwrap_or_default().pop() else {
                let ply = Some(game.plies().len() + 1);
                return Err(unexpected(ply, token, "a move, A to F for South or a to f for North"));
            };
            self.play(&mut game, play, token)?;
        }
        Ok(game)
    }

    fn actions(&self, rules: Rules) -> Result<Game, GameError> {
        let mut game = Game::new(rules, Board::START.into());
        for token in actions(self.text) {
            let south = game.now().south_to_move;
            let play = match token.parse::<usize>() {
                // Of the player to move, whoever that is.
                Ok(pit) if pit < PITS => Play { south, pit },
                Ok(action) if action < 2 * PITS => Play { south: false, pit: action - PITS },
                _ => {
                    let ply = Some(game.plies().len() + 1);
                    return Err(self.error(ply, token, Problem::Unexpected("an action, 0 to 11")));
                }
            };
            self.play(&mut game, play, token)?;
        }
        Ok(game)
    }

    fn json(&self, rules: Rules) -> Result<Game, GameError> {
        let wrong = |message: String| self.error(None, &self.text[..0], Problem::Json(message));
        let read: Move = serde_json::from_str(self.text).map_err(|error| {
            // Its line is always the first.
            let message = error.to_string();
            let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
            let what = if error.is_data() { "" } else { "no JSON object: " };
            wrong(format!("{what}{message} (character {})", error.column()))
        })?;
        let start: Position = match read.board {
            Pits::Text(text) => notation::parse(&text)
                .map_err(|error| self.error(None, &self.text[..0], Problem::Position(error.into())))?,
            Pits::Numbers(pits) => Board::new(pits).map_err(|error| wrong(format!("board: {error}")))?.into(),
        };
        let pit = match &read.pit {
            Pit::Number(pit) => Some(*pit),
            Pit::Letter(letter) => match letter.as_bytes() {
                [letter @ b'A'..=b'F'] => Some(usize::from(letter - b'A')),
                [letter @ b'a'..=b'f'] => Some(usize::from(letter - b'a')),
                _ => None,
            },
        };
        let Some(pit) = pit.filter(|&pit| pit < PITS) else {
            return Err(wrong("move: expected a pit of the player to move, A to F or 0 to 5".to_owned()));
        };
        let mut game = Game::new(rules, start);
        let play = Play { south: start.south_to_move, pit };
        self.play(&mut game, play, &self.text[..0])?;
        if let Some(player) = read.player {
            let side = if start.south_to_move { "South" } else { "North" };
            game.tags.push((side.to_owned(), super::ogn::tidy(&player)));
        }
        Ok(game)
    }
}

#[derive(Deserialize)]
struct Move {
    board: Pits,
    #[serde(rename = "move")]
    pit: Pit,
    player: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "board: expected a position as a text, or twelve numbers 0 to 48")]
enum Pits {
    Text(String),
    Numbers([u8; 2 * PITS]),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "move: expected a pit of the player to move, A to F or 0 to 5")]
enum Pit {
    Number(usize),
    Letter(String),
}
