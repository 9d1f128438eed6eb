//! `/api/v1/depths`: how often each depth occurs in a table.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use awari::Rules;
use awari::table::{ContentHash, DepthCounts};
use axum::Json;
use axum::extract::State;
use serde::{Serialize, Serializer};

use super::{Asked, AskedQuery};
use crate::cli::serve::state::Server;
use crate::cli::serve::trouble::Trouble;

/// Positions of a table that is counted for who asks, at most: a second or so, and 400 MB.
const MOST: u64 = 1 << 27;

/// What was counted, and of which depths.
#[derive(Default)]
pub struct Counted(Mutex<HashMap<(Rules, u32), (ContentHash, Answer)>>);

/// The depths of the positions stored in a table.
#[derive(Clone, Serialize)]
pub struct Answer {
    rules: &'static str,
    stones: u32,
    max: u16,
    sum: u64,
    #[serde(serialize_with = "histogram")]
    histogram: DepthCounts,
}

fn histogram<S: Serializer>(counts: &DepthCounts, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(counts.iter())
}

/// Answers.
pub async fn get(State(server): State<Arc<Server>>, query: AskedQuery) -> Result<Json<Answer>, Trouble> {
    let asked = Asked::of(query)?;
    let (rules, stones) = (asked.rules(&server)?, asked.stones()?);
    let held = Arc::clone(&server);
    server.work.long(move |_give_up| held.count_depths(rules, stones)).await
}

impl Server {
    fn count_depths(&self, rules: Rules, stones: u32) -> Result<Json<Answer>, Trouble> {
        let header = self.ask(rules, |tables| Ok(tables.needed_depths(stones)?.header().clone()))?;
        if header.positions() > MOST {
            let message =
                format!("the table of {stones} stones is too large to be counted here: awari stats does.");
            return Err(Trouble::refused("too-large-to-count", message));
        }
        let counted = || self.depths.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((hash, answer)) = counted().get(&(rules, stones))
            && *hash == header.content_hash
        {
            return Ok(Json(answer.clone()));
        }
        let counts = self.ask(rules, |tables| tables.count_depths(stones))?;
        let (max, sum) = (counts.max().unwrap_or_default(), counts.sum());
        let answer = Answer { rules: rules.name(), stones, max, sum, histogram: counts };
        counted().insert((rules, stones), (header.content_hash, answer.clone()));
        Ok(Json(answer))
    }
}
