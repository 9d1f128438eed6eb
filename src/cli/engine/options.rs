//! The options of an engine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use awari::table::TableError;
use awari::{Rules, Tablebase};

use super::{say, shortened};

/// Megabytes for the search.
const HASH: u64 = 64;
const MAX_HASH: u64 = 65_536;

/// Milliseconds that a move takes on its way.
const OVERHEAD: u64 = 50;
const MAX_OVERHEAD: u64 = 10_000;

/// What can be set.
#[derive(Clone)]
pub struct Options {
    directory: PathBuf,
    tables: Arc<Tablebase>,
    use_tables: bool,
    hash: u64,
    overhead: u64,
}

impl Options {
    /// Everything as it is by default.
    ///
    /// # Errors
    /// If the directory cannot be opened.
    pub fn new(directory: &Path, rules: Rules) -> Result<Options, TableError> {
        let tables = Arc::new(Tablebase::open(directory, rules)?);
        Ok(Options {
            directory: directory.to_owned(),
            tables,
            use_tables: true,
            hash: HASH,
            overhead: OVERHEAD,
        })
    }

    pub fn rules(&self) -> Rules {
        self.tables.rules()
    }

    pub fn tables(&self) -> &Tablebase {
        &self.tables
    }

    /// Whether tables are to be used.
    pub fn use_tables(&self) -> bool {
        self.use_tables
    }

    /// Bytes for the search.
    pub fn memory(&self) -> u64 {
        self.hash << 20
    }

    /// Milliseconds that a move takes on its way.
    pub fn overhead(&self) -> u64 {
        self.overhead
    }

    /// Answers `uci`.
    pub fn introduce(&self) {
        let rules = Rules::ALL.map(|rules| format!(" var {rules}")).concat();
        say(&format!("id name awari {}", env!("CARGO_PKG_VERSION")));
        say("id author the awari authors");
        say(&format!("option name Hash type spin default {HASH} min 1 max {MAX_HASH}"));
        say(&format!("option name DatabasePath type string default {}", self.directory.display()));
        say(&format!("option name Rules type combo default {}{rules}", self.rules()));
        say("option name UseTables type check default true");
        say(&format!("option name MoveOverhead type spin default {OVERHEAD} min 0 max {MAX_OVERHEAD}"));
        say("option name Ponder type check default false");
        say("uciok");
    }

    /// Reads what follows `setoption`: `name … value …`. A value may have spaces in it.
    pub fn set(&mut self, words: &[&str]) -> Result<(), String> {
        let at = words.iter().position(|&word| word == "value").unwrap_or(words.len());
        let (name, value) = words.split_at(at);
        let name = match name {
            ["name", name @ ..] if !name.is_empty() => name.join(" "),
            _ => return Err("expected name, an option, value and its value".to_owned()),
        };
        let value = value.get(1..).unwrap_or_default().join(" ");
        match name.to_ascii_lowercase().as_str() {
            "hash" => self.hash = number(&value, 1, MAX_HASH)?,
            "moveoverhead" => self.overhead = number(&value, 0, MAX_OVERHEAD)?,
            "databasepath" => self.open(Path::new(&value), self.rules())?,
            "rules" => {
                let rules = value.parse::<Rules>().map_err(|error| error.to_string())?;
                self.open(&self.directory.clone(), rules)?;
            }
            "usetables" => self.use_tables = check(&value)?,
            // The other side decides when to ponder.
            "ponder" => drop(check(&value)?),
            _ => return Err(format!("no option {:?}", shortened(&name))),
        }
        Ok(())
    }

    fn open(&mut self, directory: &Path, rules: Rules) -> Result<(), String> {
        let tables = Tablebase::open(directory, rules).map_err(|error| error.to_string())?;
        self.tables = Arc::new(tables);
        self.directory = directory.to_owned();
        Ok(())
    }
}

fn number(value: &str, least: u64, most: u64) -> Result<u64, String> {
    value
        .parse()
        .ok()
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| format!("{:?} is not a number from {least} to {most}", shortened(value)))
}

fn check(value: &str) -> Result<bool, String> {
    value.parse().map_err(|_| format!("{:?} is neither true nor false", shortened(value)))
}
