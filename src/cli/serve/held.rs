//! The tables of one rule set, opened anew when they were found damaged.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
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
    /// Whether the tables are those that were asked for.
    these: bool,
    now: RwLock<Now>,
    /// Whether one of them was found damaged.
    doubted: AtomicBool,
}

struct Now {
    tables: Arc<Tablebase>,
    opened: Instant,
}

impl Held {
    /// Opens them. Files of the Vrije Universiteit, which are of other rules, are an error only to
    /// who asked for `these` rules.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn open(dir: &Path, rules: Rules, these: bool) -> Result<Held, TableError> {
        let now = RwLock::new(Now::open(dir, rules, these)?);
        Ok(Held { dir: dir.to_owned(), rules, these, now, doubted: AtomicBool::new(false) })
    }

    /// The tables. If one was found damaged they are opened anew, now and then: its file may have been
    /// replaced. Who is asking meanwhile goes on with the old ones.
    pub fn tables(&self) -> Arc<Tablebase> {
        let now = self.now.read().unwrap_or_else(PoisonError::into_inner);
        let tables = Arc::clone(&now.tables);
        if !self.doubted.load(Ordering::Relaxed) || now.opened.elapsed() < AT_LEAST {
            return tables;
        }
        drop(now);
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        // Another may have done it while this one waited. If it cannot be done, it is tried again.
        if self.doubted.load(Ordering::Relaxed)
            && let Ok(new) = Now::open(&self.dir, self.rules, self.these)
        {
            *now = new;
            self.doubted.store(false, Ordering::Relaxed);
        }
        Arc::clone(&now.tables)
    }

    /// Says that one of them was found damaged.
    pub fn doubt(&self) {
        self.doubted.store(true, Ordering::Relaxed);
    }
}

impl Now {
    fn open(dir: &Path, rules: Rules, these: bool) -> Result<Now, TableError> {
        let tables = match Tablebase::open(dir, rules) {
            Err(TableError::WrongRules { .. }) if !these => Tablebase::open_own(dir, rules),
            tables => tables,
        }?;
        Ok(Now { tables: Arc::new(tables), opened: Instant::now() })
    }
}
