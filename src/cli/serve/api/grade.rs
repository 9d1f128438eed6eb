//! `/api/v1/grade`: what the moves of recorded games cost.

use std::sync::Arc;
use std::time::Instant;

use awari::Rules;
use awari::game::{Format, Game, Ply};
use awari::grade::{self, Options, Summary, Verdict};
use awari::notation::Position;
use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::{Asked, AskedQuery, Body};
use crate::cli::grade::report::{JsonCounts, Name};
use crate::cli::probe::answer::pit_name;
use crate::cli::serve::state::Server;
use crate::cli::serve::trouble::{Says, Trouble};

/// Moves of one request, at most.
const MOST: usize = 10_000;

/// The games of a record.
#[derive(Serialize)]
pub struct Answer {
    rules: &'static str,
    format: &'static str,
    games: Vec<Each>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Each {
    Game(Box<Graded>),
    Broken { error: Says },
}

/// A game.
#[derive(Serialize)]
struct Graded {
    south: Option<String>,
    north: Option<String>,
    start: At,
    plies: Vec<JsonPly>,
    /// The position after the last move.
    now: At,
    state: &'static str,
    result: String,
    /// The stones of South and North, where the end is beyond doubt.
    final_stones: Option<[u8; 2]>,
    players: Players,
}

#[derive(Serialize)]
struct Players {
    south: Player,
    north: Player,
}

#[derive(Serialize)]
struct Player {
    #[serde(flatten)]
    all: JsonCounts,
    no_table: u64,
    decided: u64,
}

/// A position.
#[derive(Serialize)]
struct At {
    board: [u8; 12],
    south_to_move: bool,
    /// Captured by the player to move and by his opponent.
    stores: Option<[u8; 2]>,
}

/// A move.
#[derive(Serialize)]
struct JsonPly {
    #[serde(flatten)]
    before: At,
    pit: char,
    captured: u8,
    /// `graded`, `no-table` or `decided`.
    verdict: &'static str,
    #[serde(flatten)]
    grade: Option<JsonGrade>,
}

#[derive(Serialize)]
struct JsonGrade {
    value: i8,
    played: i8,
    loss: u8,
    best: String,
    forced: bool,
    rest: [Name; 2],
    whole: Option<[Name; 2]>,
    depth: Option<u16>,
    missed: Option<u16>,
}

/// Answers.
pub async fn post(
    State(server): State<Arc<Server>>,
    query: AskedQuery,
    Body(body): Body,
) -> Result<Json<Answer>, Trouble> {
    let rules = Asked::of(query)?.rules(&server)?;
    let work_for = Arc::clone(&server);
    server.work.long(move |give_up| work_for.grade(rules, &String::from_utf8_lossy(&body), give_up)).await
}

impl Server {
    fn grade(&self, rules: Rules, text: &str, give_up: Instant) -> Result<Json<Answer>, Trouble> {
        let format = Format::detect(text);
        let (mut games, mut plies) = (Vec::new(), 0);
        let (mut broken, mut good) = (None, 0);
        for game in format.read(text, rules) {
            if Instant::now() > give_up {
                return Err(Trouble::too_long());
            }
            // A broken game counts as well: a text may be nothing else.
            plies += game.as_ref().map_or(1, |game| game.plies().len().max(1));
            if plies > MOST {
                let message = format!("more than {MOST} moves: ask for some of the games.");
                return Err(Trouble::refused("too-many-moves", message));
            }
            games.push(match game {
                Ok(game) => {
                    good += 1;
                    let verdicts =
                        self.ask(rules, |tables| grade::game(tables, &game, Options::default()))?;
                    Each::Game(Box::new(Graded::of(&game, &verdicts)))
                }
                Err(error) => {
                    broken.get_or_insert_with(|| Trouble::of_game(&error));
                    Each::Broken { error: Trouble::of_game(&error).into_says() }
                }
            });
        }
        match broken {
            Some(trouble) if good == 0 => Err(trouble),
            None if good == 0 => Err(Trouble::refused("no-games", "there is no game in it.")),
            _ => Ok(Json(Answer { rules: rules.name(), format: format.name(), games })),
        }
    }
}

impl Graded {
    fn of(game: &Game, verdicts: &[Verdict]) -> Graded {
        let mut summaries = [Summary::default(), Summary::default()];
        for (ply, verdict) in game.plies().iter().zip(verdicts) {
            summaries[usize::from(!ply.before.south_to_move)].add(&ply.before.board, verdict);
        }
        let [south, north] = summaries.map(|summary| Player {
            all: (&summary.all).into(),
            no_table: summary.no_table,
            decided: summary.decided,
        });
        Graded {
            south: game.player(true).map(str::to_owned),
            north: game.player(false).map(str::to_owned),
            start: At::of(game.start()),
            plies: game
                .plies()
                .iter()
                .zip(verdicts)
                .map(|(ply, verdict)| JsonPly::of(ply, verdict))
                .collect(),
            now: At::of(game.now()),
            state: game.state().name(),
            result: game.outcome.to_string(),
            final_stones: game.final_stones(),
            players: Players { south, north },
        }
    }
}

impl At {
    fn of(position: &Position) -> At {
        At {
            board: position.board.pits(),
            south_to_move: position.south_to_move,
            stores: position.stores.map(|stores| [stores.mover, stores.waiting]),
        }
    }
}

impl JsonPly {
    fn of(ply: &Ply, verdict: &Verdict) -> JsonPly {
        let (verdict, grade) = match verdict {
            Verdict::Graded(grade) => ("graded", Some(JsonGrade::of(grade))),
            Verdict::NoTable(_) => ("no-table", None),
            Verdict::Decided => ("decided", None),
        };
        let (pit, captured) = (pit_name(ply.pit), ply.captured);
        JsonPly { before: At::of(&ply.before), pit, captured, verdict, grade }
    }
}

impl JsonGrade {
    fn of(grade: &grade::Grade) -> JsonGrade {
        JsonGrade {
            value: grade.before,
            played: grade.after,
            loss: grade.loss(),
            best: grade.best().map(pit_name).collect(),
            forced: grade.is_forced(),
            rest: grade.rest().map(Name),
            whole: grade.game.map(|outcomes| outcomes.map(Name)),
            depth: grade.depth,
            missed: grade.missed,
        }
    }
}
