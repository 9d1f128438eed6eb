//! `/api/v1/position`: what notation and rules alone say. Needs no table.

use std::sync::Arc;

use awari::notation::{Notation, Position, Stores};
use awari::rules::{self, End, Turn};
use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::{Asked, AskedQuery};
use crate::cli::probe::answer::{Refused, end_name, pit_name};
use crate::cli::serve::state::Server;
use crate::cli::serve::trouble::Trouble;

/// A position, read.
#[derive(Serialize)]
pub struct Answer {
    board: [u8; 12],
    rules: &'static str,
    stones: u32,
    south_to_move: bool,
    stores: Option<[u8; 2]>,
    /// The notation it was read in.
    notation: &'static str,
    /// It in every notation; null where captured stones would be needed and are not known.
    written: Written,
    settle: i8,
    /// The legal moves, from pit A to pit F.
    moves: Vec<Play>,
    /// The pits that may not be played.
    illegal: Vec<Refused>,
    /// Why the game is over.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "end_name")]
    end: Option<End>,
    /// What the player to move then gains.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_value: Option<i8>,
}

#[derive(Serialize)]
struct Written {
    native: Option<String>,
    auale: Option<String>,
    playstrategy: Option<String>,
    openspiel: Option<String>,
    drawing: Option<String>,
}

#[derive(Serialize)]
struct Play {
    pit: char,
    captured: u8,
    slam: bool,
    /// The board after the move, seen from the opponent.
    child: [u8; 12],
}

/// Answers.
pub async fn get(State(server): State<Arc<Server>>, query: AskedQuery) -> Result<Json<Answer>, Trouble> {
    let asked = Asked::of(query)?;
    let (rules, position) = (asked.rules(&server)?, asked.position()?);
    let turn = rules::turn(&position.board, rules);
    let board = &position.board;
    let play = |play: rules::Move| Play {
        pit: pit_name(play.pit),
        captured: play.captured,
        slam: play.slam,
        child: play.child.pits(),
    };
    Ok(Json(Answer {
        board: board.pits(),
        rules: rules.name(),
        stones: board.stones(),
        south_to_move: position.south_to_move,
        stores: position.stores.map(|Stores { mover, waiting }| [mover, waiting]),
        notation: position.notation.name(),
        written: written(&position),
        settle: board.settle(),
        moves: turn.moves().map(play).collect(),
        illegal: illegal(&turn),
        end: turn.end,
        end_value: turn.end_value(board.stones()),
    }))
}

fn written(position: &Position) -> Written {
    let write = |notation: Notation| notation.write(position).ok();
    Written {
        native: write(Notation::Native),
        auale: write(Notation::Auale),
        playstrategy: write(Notation::PlayStrategy),
        openspiel: write(Notation::OpenSpiel),
        drawing: write(Notation::Drawing),
    }
}

/// The pits that may not be played.
pub fn illegal(turn: &Turn) -> Vec<Refused> {
    turn.illegal().map(|(pit, reason)| Refused { pit: pit_name(pit), reason }).collect()
}
