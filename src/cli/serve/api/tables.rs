//! `/api/v1/tables`: which tables are there, and what their headers say.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use awari::manifest::Manifest;
use awari::tablebase::{Source, State as FileState};
use awari::verify::{Proof, proof};
use awari::{Rules, Tablebase};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderName, header};
use serde::{Serialize, Serializer};

use crate::cli::info::{self, Item, QUICK};
use crate::cli::serve::state::Server;
use crate::cli::serve::trouble::{Trouble, without};

/// How long an answer is given again.
const GOOD_FOR: Duration = Duration::from_secs(2);

/// The answer, as it was lately.
#[derive(Default)]
pub struct Lately(Mutex<Option<(Instant, Bytes)>>);

#[derive(Serialize)]
struct Answer {
    version: &'static str,
    /// The rules of requests that name none.
    rules: &'static str,
    tables: Vec<Each>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Each {
    Table(Box<Table>),
    Unusable { kind: &'static str, rules: &'static str, stones: u32, error: String },
    Missing { kind: &'static str, rules: &'static str, stones: u32 },
}

#[derive(Serialize)]
struct Table {
    #[serde(flatten)]
    item: Item,
    /// None for a large file without a header.
    counts: Option<Counts>,
}

#[derive(Serialize)]
struct Counts {
    win: u64,
    draw: u64,
    loss: u64,
    #[serde(serialize_with = "histogram")]
    histogram: awari::table::Counts,
}

fn histogram<S: Serializer>(counts: &awari::table::Counts, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(counts.iter())
}

/// Answers.
pub async fn get(
    State(server): State<Arc<Server>>,
) -> Result<([(HeaderName, &'static str); 1], Bytes), Trouble> {
    const JSON: [(HeaderName, &str); 1] = [(header::CONTENT_TYPE, "application/json")];
    let lately = |server: &Server| match &*server.tables.0.lock().unwrap_or_else(PoisonError::into_inner) {
        Some((when, answer)) if when.elapsed() < GOOD_FOR => Some(answer.clone()),
        _ => None,
    };
    if let Some(answer) = lately(&server) {
        return Ok((JSON, answer));
    }
    let held = Arc::clone(&server);
    let survey = move |_give_up| {
        // Who waited for his turn may find that another has asked the same.
        if let Some(answer) = lately(&held) {
            return Ok(answer);
        }
        let answer = held.survey();
        let bytes = Bytes::from(serde_json::to_vec(&answer).map_err(|_| Trouble::internal())?);
        let now = (Instant::now(), bytes.clone());
        *held.tables.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        Ok(bytes)
    };
    Ok((JSON, server.work.long(survey).await?))
}

impl Server {
    fn survey(&self) -> Answer {
        let mut tables = Vec::new();
        for rules in Rules::ALL {
            let held = self.held(rules).tables();
            let mut missing = Vec::new();
            for found in held.found() {
                let stones = found.stones;
                let unusable = |error: String| {
                    let error = without(held.directory(), &error);
                    Each::Unusable { kind: "unusable", rules: rules.name(), stones, error }
                };
                if let FileState::Missing = found.state {
                    missing.push(Each::Missing { kind: "missing", rules: rules.name(), stones });
                    continue;
                }
                // Tables are missing where larger ones are there.
                tables.append(&mut missing);
                if let FileState::Unusable(error) = &found.depth_state {
                    tables.push(unusable(error.to_string()));
                }
                tables.push(match table(&held, stones) {
                    Ok(table) => Each::Table(Box::new(table)),
                    Err(error) => {
                        self.held(rules).doubt();
                        unusable(error)
                    }
                });
            }
        }
        Answer { version: env!("CARGO_PKG_VERSION"), rules: self.rules.name(), tables }
    }
}

fn table(tables: &Tablebase, stones: u32) -> Result<Table, String> {
    let source = tables.source(stones).map_err(|error| error.to_string())?;
    let is_large = matches!(source, Source::Vu(table) if table.index().positions() > QUICK);
    let (content_hash, counts) = if is_large {
        (None, None)
    } else {
        let hash = source.content_hash().map_err(|error| error.to_string())?;
        (Some(hash), Some(source.counts().map_err(|error| error.to_string())?.clone()))
    };
    let proof = match content_hash {
        // A certificate that cannot be read proves nothing; `awari info` says what is wrong with it.
        Some(_) => proof(tables, stones).unwrap_or(Proof::None),
        None => Proof::None,
    };
    let counts = counts.map(|counts| Counts {
        win: counts.wins(),
        draw: counts.draws(),
        loss: counts.losses(),
        histogram: counts,
    });
    Ok(Table { item: info::table(tables, source, content_hash, proof, Manifest::ours()), counts })
}
