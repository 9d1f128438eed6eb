//! What goes wrong with a request, as it is told to who asked: a status and a JSON object.

use std::path::Path;

use awari::game::{self, GameError};
use awari::notation::NotationError;
use awari::rules::UnknownRules;
use awari::table::TableError;
use awari::tablebase::ProbeError;
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// A request that is not answered as it was meant.
#[derive(Debug)]
pub struct Trouble {
    status: StatusCode,
    pub says: Box<Says>,
}

/// What there is to say about it.
#[derive(Debug, Default, Serialize)]
pub struct Says {
    /// For programs; see docs/http.md.
    pub code: &'static str,
    /// For people.
    message: String,
    /// What could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// Where it starts, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    character: Option<usize>,
    /// The game and the move of it, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    game: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ply: Option<usize>,
    /// The table, or the rules that would do.
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stones: Option<u32>,
}

#[derive(Serialize)]
struct Body<'a> {
    error: &'a Says,
}

impl Trouble {
    /// A status, a code and a sentence.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Trouble {
        Trouble { status, says: Box::new(Says { code, message: message.into(), ..Says::default() }) }
    }

    /// 400: not what a request looks like.
    pub fn bad(code: &'static str, message: impl Into<String>) -> Trouble {
        Trouble::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// 422: read, and not to be answered.
    pub fn refused(code: &'static str, message: impl Into<String>) -> Trouble {
        Trouble::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    /// 413.
    pub fn too_large() -> Trouble {
        let most = awari::units::bytes(super::work::BODY_BYTES as u64);
        let message = format!("the body is too large: {most} at most. Ask in parts.");
        Trouble::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", message)
    }

    /// 503 for now.
    pub fn busy() -> Trouble {
        let message = "too many requests are being answered: ask again in a second.";
        Trouble::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message)
    }

    /// 503: given up.
    pub fn too_long() -> Trouble {
        let message = "the answer takes too long: ask for less at once.";
        Trouble::new(StatusCode::SERVICE_UNAVAILABLE, "too-long", message)
    }

    /// 500 for a fault of ours.
    pub fn internal() -> Trouble {
        Trouble::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "the program has a fault: please report it.",
        )
    }

    /// What the tables say. Paths on the server are told only from its directory of tables on.
    pub fn of_probe(error: &ProbeError, dir: &Path) -> Trouble {
        match error {
            ProbeError::Missing { rules, stones, .. } => {
                Trouble::missing("missing-table", "table", *rules, *stones, "")
            }
            ProbeError::MissingDepths { rules, stones, .. } => {
                Trouble::missing("missing-depths", "table of the depths", *rules, *stones, " --depth")
            }
            ProbeError::OutOfRange { stones } => {
                let mut trouble = Trouble::refused("no-such-table", error.to_string());
                trouble.says.stones = Some(*stones);
                trouble
            }
            ProbeError::Table(error) => Trouble::damaged(error, dir),
            _ => Trouble::internal(),
        }
    }

    fn missing(code: &'static str, what: &str, rules: awari::Rules, stones: u32, option: &str) -> Trouble {
        let message = format!(
            "there is no {what} of {stones} stones under rules {rules} here. Whoever runs this server can build \
             it: awari build --stones {stones} --rules {rules}{option}"
        );
        let mut trouble = Trouble::new(StatusCode::NOT_FOUND, code, message);
        (trouble.says.rules, trouble.says.stones) = (Some(rules.name()), Some(stones));
        trouble
    }

    fn damaged(error: &TableError, dir: &Path) -> Trouble {
        let message = without(dir, &error.to_string());
        Trouble::new(StatusCode::INTERNAL_SERVER_ERROR, "damaged-table", message)
    }

    /// A value that is not that of the best move.
    pub fn contradiction(rules: awari::Rules, stones: u32) -> Trouble {
        let message = format!(
            "the tables of rules {rules} contradict each other: the value of this board of {stones} stones is not \
             that of its best move. Whoever runs this server can find the wrong one: awari verify --rules {rules}"
        );
        let mut trouble = Trouble::new(StatusCode::INTERNAL_SERVER_ERROR, "damaged-table", message);
        (trouble.says.rules, trouble.says.stones) = (Some(rules.name()), Some(stones));
        trouble
    }

    /// A record of games that is broken.
    pub fn of_game(error: &GameError) -> Trouble {
        let mut trouble = Trouble::refused("broken-game", error.to_string());
        let says = &mut *trouble.says;
        (says.game, says.ply) = (Some(error.game), error.ply);
        (says.line, says.character) = (Some(error.place.line), Some(error.place.column));
        says.token = Some(error.token.clone()).filter(|token| !token.is_empty());
        if let game::Problem::WrongRules { named, rules } = error.problem {
            says.code = "wrong-rules";
            says.rules = Some(named.name());
            says.message = format!("game {}: it is of rules {named}, and {rules} was asked for", error.game);
        }
        trouble
    }

    /// What it says, for an answer of many parts.
    pub fn into_says(self) -> Says {
        *self.says
    }
}

/// A message without the directory of the tables in it.
pub fn without(dir: &Path, message: &str) -> String {
    let dir = dir.display().to_string();
    message.replace(&format!("{}/", dir.trim_end_matches('/')), "").replace(&dir, "the directory of tables")
}

impl From<NotationError> for Trouble {
    fn from(error: NotationError) -> Trouble {
        let mut trouble = Trouble::bad("bad-notation", error.to_string());
        let says = &mut *trouble.says;
        says.token = Some(error.token).filter(|token| !token.is_empty());
        (says.line, says.character) =
            (error.place.map(|place| place.line), error.place.map(|place| place.column));
        trouble
    }
}

impl From<UnknownRules> for Trouble {
    fn from(error: UnknownRules) -> Trouble {
        Trouble::bad("unknown-rules", error.to_string())
    }
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(Body { error: &self.says })).into_response();
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}
