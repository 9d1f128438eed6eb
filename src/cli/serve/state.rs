//! What all requests share.

use std::path::Path;
use std::time::Instant;

use awari::Rules;
use awari::table::TableError;
use awari::tablebase::{ProbeError, Tablebase};

use super::api::{depths, tables};
use super::held::Held;
use super::metrics::Metrics;
use super::trouble::Trouble;
use super::work::Work;

/// A running server.
pub struct Server {
    /// The rules of requests that name none.
    pub rules: Rules,
    held: [Held; Rules::ALL.len()],
    /// What is counted.
    pub metrics: Metrics,
    /// What is done at once.
    pub work: Work,
    /// The list of tables, as it was lately.
    pub tables: tables::Lately,
    /// Depths that were counted.
    pub depths: depths::Counted,
    /// When it started.
    pub started: Instant,
}

impl Server {
    /// Serves the tables in `dir`.
    ///
    /// # Errors
    /// If the directory cannot be read, or holds files of other rules alone.
    pub fn new(dir: &Path, rules: Rules) -> Result<Server, TableError> {
        let [a, b, c] = Rules::ALL.map(|each| Held::open(dir, each, each == rules));
        Ok(Server {
            rules,
            held: [a?, b?, c?],
            metrics: Metrics::default(),
            work: Work::default(),
            tables: tables::Lately::default(),
            depths: depths::Counted::default(),
            started: Instant::now(),
        })
    }

    /// The tables of a rule set.
    pub fn held(&self, rules: Rules) -> &Held {
        match rules {
            Rules::Awari => &self.held[0],
            Rules::Abapa => &self.held[1],
            Rules::SlamEnds => &self.held[2],
        }
    }

    /// Asks the tables of a rule set. One that turns out to be damaged is opened anew for later
    /// questions: its file may have been replaced.
    ///
    /// # Errors
    /// What the tables say, as it is told to who asked.
    pub fn ask<T>(
        &self,
        rules: Rules,
        question: impl FnOnce(&Tablebase) -> Result<T, ProbeError>,
    ) -> Result<T, Trouble> {
        let tables = self.held(rules).tables();
        question(&tables).map_err(|error| {
            if let ProbeError::Table(_) = error {
                self.damaged(rules);
            }
            Trouble::of_probe(&error, tables.directory())
        })
    }

    /// Says that a table turned out to be damaged.
    pub fn damaged(&self, rules: Rules) {
        self.metrics.damaged();
        self.held(rules).doubt();
    }
}
