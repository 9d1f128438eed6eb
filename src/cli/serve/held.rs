//! The tables of one rule set, opened anew when their files change or one was found damaged.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, TryLockError};
use std::time::{Duration, Instant};

use awari::board::MAX_STONES;
use awari::table::{TableError, vu};
use awari::tablebase::{depth_path, table_path};
use awari::{Rules, Tablebase};

/// How often it is looked whether files have changed.
const LOOK: Duration = Duration::from_secs(1);

/// The tables of one rule set.
pub struct Held {
    dir: PathBuf,
    rules: Rules,
    /// Whether the tables are those that were asked for.
    these: bool,
    now: RwLock<Arc<Tablebase>>,
    /// Whether one of them was found damaged.
    doubted: AtomicBool,
    looked: Mutex<Looked>,
}

struct Looked {
    when: Instant,
    files: Vec<Option<File>>,
}

/// What tells a file from another, and from itself before it was written to.
#[derive(PartialEq, Eq)]
struct File {
    device: u64,
    inode: u64,
    length: u64,
    changed: (i64, i64),
}

impl Held {
    /// Opens them. Files of the Vrije Universiteit, which are of other rules, are an error only to
    /// who asked for `these` rules.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn open(dir: &Path, rules: Rules, these: bool) -> Result<Held, TableError> {
        // Files that change in between are found to have changed.
        let looked = Mutex::new(Looked { when: Instant::now(), files: files(dir, rules) });
        let now = RwLock::new(open(dir, rules, these)?);
        Ok(Held { dir: dir.to_owned(), rules, these, now, doubted: AtomicBool::new(false), looked })
    }

    /// The tables. They are opened anew, now and then, if one was found damaged, or a file is another
    /// than it was: what was read and found right in a file says nothing once it is written to. Who is
    /// asking meanwhile goes on with the old ones.
    pub fn tables(&self) -> Arc<Tablebase> {
        let mut looked = match self.looked.try_lock() {
            Ok(looked) if looked.when.elapsed() >= LOOK => looked,
            Err(TryLockError::Poisoned(looked)) => looked.into_inner(),
            // It was looked lately, or another is looking.
            _ => return self.now(),
        };
        looked.when = Instant::now();
        let files = files(&self.dir, self.rules);
        let doubted = self.doubted.swap(false, Ordering::Relaxed);
        if doubted || files != looked.files {
            match open(&self.dir, self.rules, self.these) {
                Ok(tables) => {
                    *self.now.write().unwrap_or_else(PoisonError::into_inner) = tables;
                    looked.files = files;
                }
                // It is tried again.
                Err(_) => self.doubt(),
            }
        }
        drop(looked);
        self.now()
    }

    fn now(&self) -> Arc<Tablebase> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Says that one of them was found damaged.
    pub fn doubt(&self) {
        self.doubted.store(true, Ordering::Relaxed);
    }
}

fn open(dir: &Path, rules: Rules, these: bool) -> Result<Arc<Tablebase>, TableError> {
    let tables = match Tablebase::open(dir, rules) {
        Err(TableError::WrongRules { .. }) if !these => Tablebase::open_own(dir, rules),
        tables => tables,
    }?;
    Ok(Arc::new(tables))
}

/// All files that tables of these rules are read from.
fn files(dir: &Path, rules: Rules) -> Vec<Option<File>> {
    let paths =
        |stones| [table_path(dir, rules, stones), depth_path(dir, rules, stones), vu::path(dir, stones)];
    let file = |path: PathBuf| {
        let data = fs::metadata(path).ok()?;
        let changed = (data.mtime(), data.mtime_nsec());
        Some(File { device: data.dev(), inode: data.ino(), length: data.len(), changed })
    };
    (0..=MAX_STONES).flat_map(paths).map(file).collect()
}
