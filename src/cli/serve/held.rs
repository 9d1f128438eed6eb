//! The tables of one rule set, opened anew when they were found damaged.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use awari::table::TableError;
use awari::{Rules, Tablebase};

/// How long tables are kept, though one of them is damaged.
const AT_LEAST: Duration = Duration::from_secs(2);

/// The tables of one rule set.
pub struct Held {
    dir: PathBuf,
    rules: Rules,
    now: RwLock<(Arc<Tablebase>, Instant)>,
}

impl Held {
    /// Opens them. Files of the Vrije Universiteit, which are of other rules, are an error only to
    /// who asked for `these` rules.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn open(dir: &Path, rules: Rules, these: bool) -> Result<Held, TableError> {
        let tables = match Tablebase::open(dir, rules) {
            Err(TableError::WrongRules { .. }) if !these => Tablebase::open_own(dir, rules),
            tables => tables,
        }?;
        Ok(Held { dir: dir.to_owned(), rules, now: RwLock::new((Arc::new(tables), Instant::now())) })
    }

    /// The tables, as they are open now.
    pub fn tables(&self) -> Arc<Tablebase> {
        let now = self.now.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&now.0)
    }

    /// Opens them anew, if they were not opened just now. Who is asking goes on with the old ones.
    pub fn open_anew(&self) {
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        if now.1.elapsed() < AT_LEAST {
            return;
        }
        // If it cannot be done now, it is tried again at the next trouble.
        if let Ok(tables) = Tablebase::open(&self.dir, self.rules) {
            *now = (Arc::new(tables), Instant::now());
        }
    }
}
