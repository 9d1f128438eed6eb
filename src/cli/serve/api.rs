//! What programs ask, one file a question; described in docs/http.md and docs/openapi.json.

pub mod depths;
mod grade;
mod line;
mod position;
mod probe;
pub mod tables;

use std::sync::Arc;

use awari::Rules;
use awari::notation::{self, Position};
use axum::Router;
use axum::body::{Bytes, HttpBody};
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{FromRequest, Query, Request};
use axum::http::{StatusCode, header};
use axum::routing::{get, post};
use serde::Deserialize;
use tokio::time;

use super::state::Server;
use super::trouble::Trouble;
use super::work;

/// The description of all this.
const OPENAPI: &str = include_str!("../../../docs/openapi.json");

/// The questions.
pub fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/v1/openapi.json", get(async || ([(header::CONTENT_TYPE, "application/json")], OPENAPI)))
        .route("/api/v1/position", get(position::get))
        .route("/api/v1/probe", get(probe::get).post(probe::post))
        .route("/api/v1/line", get(line::get))
        .route("/api/v1/grade", post(grade::post))
        .route("/api/v1/tables", get(tables::get))
        .route("/api/v1/depths", get(depths::get))
}

/// What may stand behind the question mark. A name written wrongly is an error: `rule=abapa` must not
/// be answered by other rules.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Asked {
    board: Option<String>,
    rules: Option<String>,
    stones: Option<String>,
}

/// The same, read or not.
pub type AskedQuery = Result<Query<Asked>, QueryRejection>;

impl Asked {
    fn of(query: AskedQuery) -> Result<Asked, Trouble> {
        match query {
            Ok(Query(asked)) => Ok(asked),
            Err(error) => Err(Trouble::bad("bad-query", error.body_text())),
        }
    }

    /// The rules, or those of the server.
    fn rules(&self, server: &Server) -> Result<Rules, Trouble> {
        Ok(match &self.rules {
            Some(name) => name.parse()?,
            None => server.rules,
        })
    }

    /// The position.
    fn position(&self) -> Result<Position, Trouble> {
        match &self.board {
            Some(text) => Ok(notation::parse(text)?),
            None => {
                let example = "/api/v1/probe?board=0+0+1+0+0+2+/+1+2+0+0+1+0";
                Err(Trouble::bad("no-board", format!("no board is given. It is asked like {example}")))
            }
        }
    }

    /// The number of stones of a table.
    fn stones(&self) -> Result<u32, Trouble> {
        let text = self.stones.as_deref().unwrap_or_default();
        match text.parse() {
            Ok(stones @ 0..=awari::board::MAX_STONES) => Ok(stones),
            _ => Err(Trouble::bad("bad-stones", format!("stones={text}: expected a number, 0 to 48"))),
        }
    }
}

/// The body of a request, all of it, and in time.
struct Body(Bytes);

impl<S: Send + Sync> FromRequest<S> for Body {
    type Rejection = Trouble;

    async fn from_request(request: Request, state: &S) -> Result<Body, Trouble> {
        if request.body().size_hint().lower() > work::BODY_BYTES as u64 {
            return Err(Trouble::too_large());
        }
        let read: Result<Result<Bytes, BytesRejection>, _> =
            time::timeout(work::BODY, Bytes::from_request(request, state)).await;
        match read {
            Ok(Ok(bytes)) => Ok(Body(bytes)),
            Ok(Err(error)) if error.status() == StatusCode::PAYLOAD_TOO_LARGE => Err(Trouble::too_large()),
            Ok(Err(error)) => Err(Trouble::bad("bad-body", error.body_text())),
            Err(_) => {
                let message = "the body takes too long to arrive.";
                Err(Trouble::new(StatusCode::REQUEST_TIMEOUT, "timeout", message))
            }
        }
    }
}
