//! `/api/v1/probe`: value and moves of positions.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Instant;

use awari::grade::Outcome;
use awari::notation::{self, Position};
use awari::rules::{self, End};
use awari::tablebase::{MoveValue, ProbeError};
use awari::{Rules, Tablebase};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};

use super::{Asked, AskedQuery, Body};
use crate::cli::probe::answer::{FinalScore, Refused, end_name, final_score, move_depth, pit_name};
use crate::cli::serve::state::Server;
use crate::cli::serve::trouble::{Says, Trouble};

/// Positions of one request, at most.
const MOST: usize = 1000;

/// What the tables know about a position. All of it is seen from the player to move.
#[derive(Serialize)]
pub struct Answer {
    board: [u8; 12],
    rules: &'static str,
    stones: u32,
    value: i8,
    /// `win`, `draw` or `loss`: what the value means for the rest of the game.
    category: &'static str,
    depth: Option<u16>,
    settle: i8,
    /// The legal moves, the best first.
    moves: Vec<Play>,
    illegal: Vec<Refused>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "end_name")]
    end: Option<End>,
    #[serde(skip_serializing_if = "Option::is_none")]
    final_score: Option<FinalScore>,
}

#[derive(Serialize)]
struct Play {
    pit: char,
    captured: u8,
    slam: bool,
    value: i8,
    category: &'static str,
    /// Plies from before this move to the next capture or end.
    depth: Option<u16>,
    best: bool,
    child: [u8; 12],
}

/// Answers one position.
pub async fn get(State(server): State<Arc<Server>>, query: AskedQuery) -> Result<Json<Answer>, Trouble> {
    let asked = Asked::of(query)?;
    let (rules, position) = (asked.rules(&server)?, asked.position()?);
    server.metrics.probed(1);
    server.answer(rules, &position).map(Json)
}

/// Many positions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    boards: Vec<String>,
    rules: Option<String>,
}

/// Their answers, in the same order.
#[derive(Serialize)]
pub struct Answers {
    rules: &'static str,
    answers: Vec<Each>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Each {
    Answer(Box<Answer>),
    Trouble { error: Says },
}

/// Answers many positions; one that has no answer does not keep the others from theirs.
pub async fn post(State(server): State<Arc<Server>>, Body(body): Body) -> Result<Json<Answers>, Trouble> {
    let batch: Batch = serde_json::from_slice(&body).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => Trouble::refused(
            "bad-batch",
            format!(r#"{error}: expected {{"boards": ["…", "…"], "rules": "awari"}}, rules may be left out"#),
        ),
        _ => Trouble::bad("bad-json", format!("the body is no JSON: {error}")),
    })?;
    if batch.boards.len() > MOST {
        let message = format!("{} boards: {MOST} at most in one request.", batch.boards.len());
        return Err(Trouble::refused("too-many-boards", message));
    }
    let rules = batch.rules.as_deref().map_or(Ok(server.rules), str::parse)?;
    let work_for = Arc::clone(&server);
    let work = move |give_up| work_for.batch(rules, &batch.boards, give_up);
    let answers = server.work.long(work).await?;
    Ok(Json(Answers { rules: rules.name(), answers }))
}

impl Server {
    /// A value is that of the best move. Where it is not, a table is wrong, though its checksums may be
    /// right, or have been when they were looked at.
    fn answer(&self, rules: Rules, position: &Position) -> Result<Answer, Trouble> {
        let answer = self.ask(rules, |tables| Answer::of(tables, position))?;
        if answer.moves.first().is_some_and(|best| best.value != answer.value) {
            self.damaged(rules);
            return Err(Trouble::contradiction(rules, answer.stones));
        }
        Ok(answer)
    }

    fn batch(&self, rules: Rules, boards: &[String], give_up: Instant) -> Result<Vec<Each>, Trouble> {
        self.metrics.probed(boards.len() as u64);
        let each = boards.iter().map(|text| {
            if Instant::now() > give_up {
                return Err(Trouble::too_long());
            }
            let answer = notation::parse(text)
                .map_err(Trouble::from)
                .and_then(|position| self.answer(rules, &position));
            Ok(match answer {
                Ok(answer) => Each::Answer(Box::new(answer)),
                Err(trouble) => Each::Trouble { error: trouble.into_says() },
            })
        });
        each.collect()
    }
}

impl Answer {
    fn of(tables: &Tablebase, position: &Position) -> Result<Answer, ProbeError> {
        let board = &position.board;
        let probe = tables.probe(board)?;
        let mut moves = tables.moves(board)?;
        moves.sort_by_key(rank);
        let turn = rules::turn(board, tables.rules());
        let play = |play: &MoveValue| Play {
            pit: pit_name(play.pit),
            captured: play.captured,
            slam: play.slam,
            value: play.value,
            category: category(play.value),
            depth: move_depth(play),
            best: play.best,
            child: play.child.pits(),
        };
        Ok(Answer {
            board: board.pits(),
            rules: tables.rules().name(),
            stones: board.stones(),
            value: probe.value,
            category: category(probe.value),
            depth: probe.depth,
            settle: board.settle(),
            moves: moves.iter().map(play).collect(),
            illegal: super::position::illegal(&turn),
            end: turn.end,
            final_score: position.stores.map(|stores| final_score(stores, board.stones(), probe.value)),
        })
    }
}

/// The best moves first: by value; of equals the winner's soonest and the loser's latest, then what
/// captures most, then from pit A.
fn rank(play: &MoveValue) -> impl Ord + use<> {
    let plies = match (move_depth(play), play.value) {
        (None, _) => i32::MAX,
        (Some(depth), 0..) => i32::from(depth),
        (Some(depth), _) => -i32::from(depth),
    };
    (Reverse(play.value), plies, Reverse(play.captured), play.pit)
}

fn category(value: i8) -> &'static str {
    Outcome::of(value.into()).name()
}
