//! `/api/v1/line`: best play of both sides to the end.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::{Asked, AskedQuery};
use crate::cli::line;
use crate::cli::serve::state::Server;
use crate::cli::serve::trouble::Trouble;

/// Answers.
pub async fn get(State(server): State<Arc<Server>>, query: AskedQuery) -> Result<Json<line::Json>, Trouble> {
    let asked = Asked::of(query)?;
    let (rules, position) = (asked.rules(&server)?, asked.position()?);
    let held = Arc::clone(&server);
    let line = move |_give_up| {
        held.ask(rules, |tables| {
            let line = tables.line(&position.board)?;
            Ok(Json(line::Json::of(tables, &position, &line)))
        })
    };
    server.work.long(line).await
}
