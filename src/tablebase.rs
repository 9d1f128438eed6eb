//! A directory of tables, and the questions it answers: the value of a board, of its moves, which
//! move is best, and how the game goes on from there.
//!
//! The table of 16 stones under rules `awari` in directory `databases` is the file
//! `databases/awari/16.awari`; its depths, if they were built, are in `databases/awari/16.depth`.
//! Where there is no such file, `databases/scores.16` in the layout of the Vrije Universiteit
//! ([`crate::table::vu`]) is read in its place.

mod best;
mod line;
mod look_ahead;
mod many;
mod search;
mod source;
mod verified;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::board::{Board, MAX_STONES};
use crate::index::IMPOSSIBLE_STONES;
use crate::rules::{self, Rules, Turn};
use crate::table::vu::{self, VuTable};
use crate::table::{ContentHash, Counts, DepthCounts, DepthTable, Encoding, Table, TableError, TileCache};
pub use line::{Finish, Line, Ply};
pub use many::RowError;
pub use source::Source;
pub use verified::VerifiedTables;

/// What a tablebase knows about a board. All of it is seen from the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Probe {
    /// Stones the player to move still captures minus those his opponent still captures, both
    /// playing best and endless play worth 0: −n..=n on a board of n stones.
    pub value: i8,
    /// Plies to the next capture or end while both keep the value, the winner as few as he can,
    /// the loser as many; 0 if the value is 0 or the game is over. None if it takes a table of
    /// depths that is not there.
    pub depth: Option<u16>,
}

/// A legal move and what it is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MoveValue {
    /// The pit played, 0..=5 (A..F).
    pub pit: usize,
    /// Stones captured, 0..=48.
    pub captured: u8,
    /// Whether the sowing would take every stone of the opponent.
    pub slam: bool,
    /// The board after the move, seen from the opponent, who is now to move.
    pub child: Board,
    /// The value of `child`, seen from the opponent.
    pub child_value: i8,
    /// The depth of `child`, as in [`Probe::depth`].
    pub child_depth: Option<u16>,
    /// What the move is worth to the player who makes it: `captured − child_value`.
    pub value: i8,
    /// Whether no move is worth more.
    pub best: bool,
}

impl MoveValue {
    /// Plies from before this move to the next capture or end while both keep the value: 1 if the
    /// move captures. None if it takes a depth that is not known.
    pub fn depth(&self) -> Option<u16> {
        if self.captured > 0 { Some(1) } else { self.child_depth?.checked_add(1) }
    }
}

/// Why a question has no answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProbeError {
    /// The table that has the answer is not there.
    Missing {
        /// The rules of the tablebase.
        rules: Rules,
        /// Stones of the table.
        stones: u32,
        /// Where the table was looked for.
        path: PathBuf,
        /// A command line that builds it.
        command: String,
    },
    /// The table of depths that has the answer is not there.
    MissingDepths {
        /// The rules of the tablebase.
        rules: Rules,
        /// Stones of the table.
        stones: u32,
        /// Where the table was looked for.
        path: PathBuf,
        /// A command line that builds it.
        command: String,
    },
    /// No game has so many stones on the board.
    OutOfRange {
        /// How many: 47, or more than 48.
        stones: u32,
    },
    /// The table is there and cannot be used.
    Table(TableError),
}

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProbeError::Missing { rules, stones, path, command } => write!(
                f,
                "{}: no table of {stones} stones under rules {rules}. Build it: {command}",
                path.display()
            ),
            ProbeError::MissingDepths { rules, stones, path, command } => write!(
                f,
                "{}: no depths of {stones} stones under rules {rules}. Build them: {command}",
                path.display()
            ),
            ProbeError::OutOfRange { stones: IMPOSSIBLE_STONES } => {
                f.write_str("47 stones: no game has 47 stones on the board: a capture takes at least two.")
            }
            ProbeError::OutOfRange { stones } => write!(f, "{stones} stones: a game has {MAX_STONES}."),
            ProbeError::Table(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ProbeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // The message is the table's own, so the next cause is that of the table.
            ProbeError::Table(error) => error.source(),
            _ => None,
        }
    }
}

impl From<TableError> for ProbeError {
    fn from(error: TableError) -> ProbeError {
        ProbeError::Table(error)
    }
}

/// What was found of one table.
#[derive(Debug)]
pub struct Found {
    /// Stones of the table.
    pub stones: u32,
    /// Its file.
    pub path: PathBuf,
    /// Whether it can be used.
    pub state: State,
    /// The file of its depths.
    pub depth_path: PathBuf,
    /// Whether they can be used.
    pub depth_state: State,
}

/// Whether a table can be used.
#[derive(Debug)]
pub enum State {
    /// It is there; header, directory and length are right.
    Usable,
    /// A file is there and cannot be used, for this reason.
    Unusable(TableError),
    /// There is no such file.
    Missing,
}

/// The tables of one rule set in a directory.
///
/// Tables are opened when they are first needed, and stay open. A table that is missing is looked
/// for again at the next question, so one that was built meanwhile is found; probes find depths
/// that were built meanwhile after half a second, and at once if [`Tablebase::depths`] was asked.
/// All methods can be called from many threads at once.
///
/// ```
/// use awari::tablebase::{ProbeError, Tablebase, table_path};
/// use awari::{Board, Rules, engine, table};
/// # let dir = tempfile::tempdir()?;
/// # let dir = dir.path();
/// let tables = Tablebase::open(dir, Rules::Awari)?;
/// for stones in 0..=2 {
///     let smaller = tables.smaller_tables(stones)?;
///     let solved =
///         engine::solve(Rules::Awari, stones, &smaller, &engine::Storage::Memory, &engine::Unwatched)?;
///     table::write(table_path(dir, Rules::Awari, stones), Rules::Awari, stones, &solved.values)?;
/// }
/// let board = Board::new([0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0])?;
/// assert_eq!(tables.probe(&board)?.value, -2);
/// let moves = tables.moves(&board)?;
/// assert_eq!((moves.len(), moves[0].pit, moves[0].best), (1, 4, true));
///
/// let board = Board::new([0, 0, 0, 0, 1, 2, 0, 1, 0, 0, 0, 0])?;
/// assert!(matches!(tables.probe(&board), Err(ProbeError::Missing { stones: 4, .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Tablebase {
    directory: PathBuf,
    rules: Rules,
    tables: [OnceLock<Table>; MAX_STONES as usize + 1],
    /// Each in a box: their counts would make a tablebase large, and there are rarely any.
    vu: [OnceLock<Box<VuTable>>; MAX_STONES as usize + 1],
    /// Whether files in the layout of the Vrije Universiteit are read.
    reads_vu: bool,
    depths: [OnceLock<DepthTable>; MAX_STONES as usize + 1],
    opened: Instant,
    /// When depths were last looked for in vain, in milliseconds since `opened`; 0 for never.
    looked_for_depths: [AtomicU64; MAX_STONES as usize + 1],
    cache: Arc<TileCache>,
}

/// How long missing depths are not looked for again.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// Bytes of compressed tables that a tablebase keeps decoded, at most.
const CACHE: usize = 64 << 20;

/// Where the table of `stones` stones lies: `<directory>/<rules>/<stones, two digits>.awari`.
pub fn table_path(directory: impl AsRef<Path>, rules: Rules, stones: u32) -> PathBuf {
    directory.as_ref().join(rules.name()).join(format!("{stones:02}.awari"))
}

/// Where the depths of `stones` stones lie: `<directory>/<rules>/<stones, two digits>.depth`.
pub fn depth_path(directory: impl AsRef<Path>, rules: Rules, stones: u32) -> PathBuf {
    table_path(directory, rules, stones).with_extension("depth")
}

impl Tablebase {
    /// The tables of `rules` below `directory`. Nothing is opened yet: [`Tablebase::found`] says
    /// what is there. A directory that does not exist holds no tables.
    ///
    /// # Errors
    /// If `directory`, or that of the rules in it, is something else than a directory or cannot be
    /// entered; if there are files `scores.N` and no tables of these rules, which are not `awari`.
    pub fn open(directory: impl AsRef<Path>, rules: Rules) -> Result<Tablebase, TableError> {
        let mut tables = Tablebase::open_own(directory, rules)?;
        tables.reads_vu = rules == Rules::Awari;
        if !tables.reads_vu
            && !tables.directory.join(rules.name()).is_dir()
            && let Some(path) = tables.any_vu()
        {
            return Err(TableError::WrongRules { path, expected: rules, found: Rules::Awari });
        }
        Ok(tables)
    }

    /// The same without a look at files in the layout of the Vrije Universiteit, which have no
    /// checksums to build upon.
    ///
    /// # Errors
    /// If `directory`, or that of the rules in it, is something else than a directory or cannot be
    /// entered.
    pub fn open_own(directory: impl AsRef<Path>, rules: Rules) -> Result<Tablebase, TableError> {
        let directory = directory.as_ref();
        let problem = match fs::metadata(directory) {
            Ok(metadata) if metadata.is_dir() => None,
            Ok(_) => Some(io::Error::from(io::ErrorKind::NotADirectory)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => Some(error),
        };
        if let Some(source) = problem {
            let action = "open the directory of tables";
            return Err(TableError::Io { path: directory.to_owned(), action, source });
        }
        // The tables of these rules lie one directory below: if it cannot be entered, say so once
        // and not of each table. With the dot the system looks whether it can.
        let below = directory.join(rules.name());
        if let Err(source) = fs::metadata(below.join("."))
            && source.kind() != io::ErrorKind::NotFound
        {
            let action = "open the directory of tables";
            return Err(TableError::Io { path: below, action, source });
        }
        let tables = [const { OnceLock::new() }; MAX_STONES as usize + 1];
        let depths = [const { OnceLock::new() }; MAX_STONES as usize + 1];
        let looked_for_depths = [const { AtomicU64::new(0) }; MAX_STONES as usize + 1];
        let opened = Instant::now();
        let cache = Arc::new(TileCache::new(CACHE));
        Ok(Tablebase {
            directory: directory.to_owned(),
            rules,
            tables,
            vu: [const { OnceLock::new() }; MAX_STONES as usize + 1],
            reads_vu: false,
            depths,
            opened,
            looked_for_depths,
            cache,
        })
    }

    /// The directory, as it was given.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The rules of all its tables.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Where the table of `stones` stones lies.
    pub fn path(&self, stones: u32) -> PathBuf {
        table_path(&self.directory, self.rules, stones)
    }

    /// Where the depths of `stones` stones lie.
    pub fn depth_path(&self, stones: u32) -> PathBuf {
        depth_path(&self.directory, self.rules, stones)
    }

    /// What is there of the tables of 0..=46 and 48 stones, ascending. Opens those it finds; the
    /// data of a usable table are checked as they are read.
    pub fn found(&self) -> Vec<Found> {
        let possible = (0..=MAX_STONES).filter(|&stones| stones != IMPOSSIBLE_STONES);
        let found = possible.map(|stones| {
            let source = self.source(stones);
            let path = match &source {
                Ok(Source::Vu(table)) => table.path().to_owned(),
                Err(ProbeError::Table(error)) => error.path().to_owned(),
                _ => self.path(stones),
            };
            let state = match source {
                // That there are no stones in a directory of other files needs no file.
                Ok(Source::Vu(table)) if !table.has_file() => State::Missing,
                Ok(_) => State::Usable,
                Err(ProbeError::Table(error)) => State::Unusable(error),
                Err(_) => State::Missing,
            };
            let depth_path = self.depth_path(stones);
            let depth_state = match self.depths(stones) {
                Ok(Some(_)) => State::Usable,
                Err(ProbeError::Table(error)) if error.path() == depth_path => State::Unusable(error),
                // Without their values, depths cannot be used either.
                _ => State::Missing,
            };
            Found { stones, path, state, depth_path, depth_state }
        });
        found.collect()
    }

    /// Where the values of `stones` stones come from: our own table, or else a file `scores.N`.
    ///
    /// # Errors
    /// If there is neither, it cannot be used, or no game has so many stones on the board.
    pub fn source(&self, stones: u32) -> Result<Source<'_>, ProbeError> {
        if let Some(table) = self.vu.get(stones as usize).and_then(OnceLock::get) {
            return Ok(Source::Vu(table));
        }
        match self.table(stones) {
            Ok(table) => Ok(Source::Own(table)),
            Err(error @ ProbeError::Missing { .. }) if self.reads_vu => {
                self.vu(stones)?.map(Source::Vu).ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    /// The file `scores.N`, if there is one.
    fn vu(&self, stones: u32) -> Result<Option<&VuTable>, TableError> {
        let path = vu::path(&self.directory, stones);
        let table = match VuTable::open(&path, stones) {
            Ok(table) => table,
            // Published files begin with one stone.
            Err(TableError::Missing { .. }) if stones == 0 && self.any_vu().is_some() => {
                VuTable::of_no_stones(&path)
            }
            Err(TableError::Missing { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(Some(self.vu[stones as usize].get_or_init(|| Box::new(table))))
    }

    /// The first file `scores.N` of the directory.
    fn any_vu(&self) -> Option<PathBuf> {
        (0..=MAX_STONES).map(|stones| vu::path(&self.directory, stones)).find(|path| path.is_file())
    }

    /// Our own table of `stones` stones; [`Tablebase::source`] also finds other files.
    ///
    /// # Errors
    /// If there is none, it cannot be used, or no game has so many stones on the board.
    pub fn table(&self, stones: u32) -> Result<&Table, ProbeError> {
        if stones > MAX_STONES || stones == IMPOSSIBLE_STONES {
            return Err(ProbeError::OutOfRange { stones });
        }
        let cell = &self.tables[stones as usize];
        if let Some(table) = cell.get() {
            return Ok(table);
        }
        // Two threads may both open it; one of the two is kept.
        match Table::open_with_cache(self.path(stones), self.rules, stones, &self.cache) {
            Ok(table) => Ok(cell.get_or_init(|| table)),
            Err(TableError::Missing { path }) => Err(self.missing(stones, path)),
            Err(error) => Err(error.into()),
        }
    }

    /// The depths of `stones` stones; None if they were not built. Where the values are in a file
    /// `scores.N`, which does not say whose depths are its own, there are none until
    /// [`Tablebase::needed_depths`] has read all of it.
    ///
    /// # Errors
    /// As [`Tablebase::source`], for the values they belong to; if there are depths that cannot be
    /// used, or that belong to other values.
    pub fn depths(&self, stones: u32) -> Result<Option<&DepthTable>, ProbeError> {
        let source = self.source(stones)?;
        let cell = &self.depths[stones as usize];
        match (cell.get(), source) {
            (Some(depths), _) => Ok(Some(depths)),
            (None, Source::Own(values)) => self.open_depths(stones, values.header().content_hash),
            (None, Source::Vu(_)) => Ok(None),
        }
    }

    fn open_depths(&self, stones: u32, values: ContentHash) -> Result<Option<&DepthTable>, ProbeError> {
        let path = self.depth_path(stones);
        match DepthTable::open_with_cache(path, self.rules, stones, values, &self.cache) {
            Ok(depths) => Ok(Some(self.depths[stones as usize].get_or_init(|| depths))),
            Err(TableError::Missing { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// As [`Tablebase::depths`], but looks for missing ones at most every [`LOOK_AGAIN`]: probes
    /// ask more often than a file system can answer.
    fn depths_as_of_late(&self, stones: u32) -> Result<Option<&DepthTable>, ProbeError> {
        let looked = &self.looked_for_depths[stones as usize];
        let now = self.opened.elapsed().as_millis() as u64 + 1;
        let last = looked.load(Ordering::Relaxed);
        let lately = last > 0 && now - last.min(now) < LOOK_AGAIN.as_millis() as u64;
        if lately && self.depths[stones as usize].get().is_none() {
            return Ok(None);
        }
        let depths = self.depths(stones)?;
        if depths.is_none() {
            looked.store(now, Ordering::Relaxed);
        }
        Ok(depths)
    }

    /// The depths of `stones` stones, for who cannot do without.
    ///
    /// # Errors
    /// As [`Tablebase::depths`], and if there are none.
    pub fn needed_depths(&self, stones: u32) -> Result<&DepthTable, ProbeError> {
        let depths = match (self.depths(stones)?, self.source(stones)?) {
            (None, Source::Vu(values)) if self.depth_path(stones).exists() => {
                self.open_depths(stones, values.content_hash()?)?
            }
            (depths, _) => depths,
        };
        depths.ok_or_else(|| {
            let (rules, path) = (self.rules, self.depth_path(stones));
            let command = format!("{} --depth", self.build_command(stones));
            ProbeError::MissingDepths { rules, stones, path, command }
        })
    }

    /// What the tables know about a board.
    ///
    /// A board that no move can lead to (the waiting side has no empty pit) is in no table: it is
    /// answered from the boards after its moves, in tables of as many stones or fewer. A board
    /// where the game is over needs no table.
    ///
    /// # Errors
    /// If a table that is needed is missing or cannot be used, or the board has 47 stones.
    pub fn probe(&self, board: &Board) -> Result<Probe, ProbeError> {
        let value = self.value(board)?;
        Ok(Probe { value, depth: self.depth(board, value)? })
    }

    /// The legal moves with their values, from pit A to pit F; none if the game is over. Why a
    /// pit cannot be played, or the game is over, says [`rules::turn`].
    ///
    /// # Errors
    /// As [`Tablebase::probe`], for the boards after the moves.
    pub fn moves(&self, board: &Board) -> Result<Vec<MoveValue>, ProbeError> {
        if board.stones() == IMPOSSIBLE_STONES {
            return Err(ProbeError::OutOfRange { stones: IMPOSSIBLE_STONES });
        }
        let mut moves = Vec::new();
        for play in rules::turn(board, self.rules).moves() {
            let child_value = self.value(&play.child)?;
            moves.push(MoveValue {
                pit: play.pit,
                captured: play.captured,
                slam: play.slam,
                child: play.child,
                child_value,
                child_depth: self.depth(&play.child, child_value)?,
                value: play.captured as i8 - child_value,
                best: false,
            });
        }
        let most = moves.iter().map(|play| play.value).max();
        for play in &mut moves {
            play.best = Some(play.value) == most;
        }
        Ok(moves)
    }

    /// The tables that a build of `stones` stones reads: those of 0..=`stones` − 2, because a
    /// capture takes at least two. Every block of each is compared with its checksum now, so that
    /// reading cannot fail later.
    ///
    /// # Errors
    /// If a table is missing or damaged.
    pub fn smaller_tables(&self, stones: u32) -> Result<VerifiedTables<'_>, ProbeError> {
        self.verified((0..(stones + 1).saturating_sub(2)).collect())
    }

    /// The tables that finding the depths of `stones` stones reads: [`Tablebase::smaller_tables`],
    /// and the values of as many stones.
    ///
    /// # Errors
    /// As [`Tablebase::smaller_tables`].
    pub fn tables_with(&self, stones: u32) -> Result<VerifiedTables<'_>, ProbeError> {
        self.verified((0..(stones + 1).saturating_sub(2)).chain([stones]).collect())
    }

    fn verified(&self, numbers: Vec<u32>) -> Result<VerifiedTables<'_>, ProbeError> {
        let mut tables = VerifiedTables::new(self.rules);
        for stones in numbers {
            tables.add(self.source(stones)?)?;
        }
        Ok(tables)
    }

    /// All values of the table of `stones` stones, in the order of [`crate::index::Index`],
    /// whether it is packed or compressed, compared with its content hash and its counts; of a file
    /// `scores.N`, that they are values. One byte a position, in memory.
    ///
    /// # Errors
    /// If the table is missing or damaged; if it is compressed, also if one of fewer stones is.
    pub fn unpack(&self, stones: u32) -> Result<Vec<i8>, ProbeError> {
        let source = self.source(stones)?;
        match source {
            Source::Own(table) if table.header().encoding == Encoding::Compressed => {
                self.smaller_tables(stones)?.unpack(source)
            }
            _ => VerifiedTables::new(self.rules).unpack(source),
        }
    }

    /// Counts the values of the table of `stones` stones, from its data.
    ///
    /// # Errors
    /// If the table is missing or damaged; if it is compressed, also if one of fewer stones is.
    pub fn count(&self, stones: u32) -> Result<Counts, ProbeError> {
        match self.source(stones)? {
            Source::Own(table) if table.header().encoding == Encoding::Packed => Ok(table.count()?),
            Source::Own(_) => Ok(self.unpack(stones)?.into_iter().collect()),
            Source::Vu(table) => Ok(table.counts()?.clone()),
        }
    }

    /// All depths of the positions of `stones` stones, in the order of [`crate::index::Index`],
    /// whether they are packed or compressed, compared with their content hash.
    ///
    /// # Errors
    /// If there are none, or they are damaged; if they are compressed, also if the values are, or
    /// a table of fewer stones is missing.
    pub fn unpack_depths(&self, stones: u32) -> Result<Vec<u16>, ProbeError> {
        let table = self.needed_depths(stones)?;
        let mut depths = vec![0; table.header().positions() as usize];
        match table.header().encoding {
            Encoding::Packed => table.read(0, &mut depths)?,
            Encoding::Compressed => {
                let read = self.tables_with(stones)?;
                let values = read.values(stones);
                table.read_stored(&values, &mut depths)?;
                look_ahead::complete_depths(self.rules, stones, &mut depths, &values, &read);
                read.check_unchanged()?;
            }
        }
        table.check_depths(&depths)?;
        Ok(depths)
    }

    /// Counts the depths of the positions of `stones` stones, from their data.
    ///
    /// # Errors
    /// As [`Tablebase::unpack_depths`].
    pub fn count_depths(&self, stones: u32) -> Result<DepthCounts, ProbeError> {
        let table = self.needed_depths(stones)?;
        match table.header().encoding {
            Encoding::Packed => Ok(table.count()?),
            Encoding::Compressed => Ok(self.unpack_depths(stones)?.into_iter().collect()),
        }
    }

    /// The value of a board: [`Probe::value`] alone.
    ///
    /// # Errors
    /// As [`Tablebase::probe`], except that depths are not needed.
    pub fn value(&self, board: &Board) -> Result<i8, ProbeError> {
        let stones = board.stones();
        if stones == IMPOSSIBLE_STONES {
            return Err(ProbeError::OutOfRange { stones });
        }
        if !board.is_reachable() {
            return self.value_ahead(stones, &rules::turn(board, self.rules));
        }
        let stored = match self.source(stones) {
            Ok(Source::Own(table)) => match table.index().place(board) {
                Some(place) => table.stored(place)?,
                None => None,
            },
            Ok(Source::Vu(table)) => table.value(board)?,
            Err(error @ ProbeError::Missing { .. }) => {
                return rules::turn(board, self.rules).end_value(stones).ok_or(error);
            }
            Err(error) => return Err(error),
        };
        match stored {
            Some(value) => Ok(value),
            None => self.value_ahead(stones, &rules::turn(board, self.rules)),
        }
    }

    /// The value of a board from those after its moves.
    fn value_ahead(&self, stones: u32, turn: &Turn) -> Result<i8, ProbeError> {
        let mut most = turn.end_value(stones);
        for play in turn.moves() {
            // The pit just played is empty, so the board after a move is in its table.
            let value = play.captured as i8 - self.value(&play.child)?;
            most = most.max(Some(value));
        }
        // Where no move is legal the game is over, so there is one value at least.
        Ok(most.unwrap_or_default())
    }

    /// The depth of a board of this value, if it is known.
    fn depth(&self, board: &Board, value: i8) -> Result<Option<u16>, ProbeError> {
        if value == 0 {
            return Ok(Some(0));
        }
        if !board.is_reachable() {
            return self.depth_ahead(board, value);
        }
        let over = || rules::turn(board, self.rules).end.is_some();
        let stones = board.stones();
        match self.depths_as_of_late(stones) {
            Ok(Some(depths)) => match depths.index().place(board) {
                Some(place) => match depths.stored(place, self.table(stones)?)? {
                    Some(depth) => Ok(Some(depth)),
                    None => self.depth_ahead(board, value),
                },
                None => self.depth_ahead(board, value),
            },
            Ok(None) => Ok(over().then_some(0)),
            // The value needed no table either.
            Err(ProbeError::Missing { .. }) if over() => Ok(Some(0)),
            Err(error) => Err(error),
        }
    }

    /// The depth of a board of this value, not 0, from those after its moves.
    fn depth_ahead(&self, board: &Board, value: i8) -> Result<Option<u16>, ProbeError> {
        let mut depths = Vec::new();
        for play in rules::turn(board, self.rules).moves() {
            let child_value = self.value(&play.child)?;
            if play.captured as i8 - child_value != value {
                continue;
            }
            if play.captured == 0 {
                depths.push(self.depth(&play.child, child_value)?.and_then(|depth| depth.checked_add(1)));
            } else if value > 0 {
                return Ok(Some(1));
            } else {
                depths.push(Some(1));
            }
        }
        let depths: Option<Vec<u16>> = depths.into_iter().collect();
        // Where no move is legal the game is over.
        let best = |depths: Vec<u16>| {
            let depths = depths.into_iter();
            if value > 0 { depths.min() } else { depths.max() }.unwrap_or_default()
        };
        Ok(depths.map(best))
    }

    fn missing(&self, stones: u32, path: PathBuf) -> ProbeError {
        let (rules, command) = (self.rules, self.build_command(stones));
        ProbeError::Missing { rules, stones, path, command }
    }

    fn build_command(&self, stones: u32) -> String {
        let directory = quoted(&self.directory.display().to_string());
        format!("awari build --stones {stones} --rules {} --dir {directory}", self.rules)
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_quoted_for_a_shell() {
        assert_eq!(quoted("/data/awari-1.0"), "/data/awari-1.0");
        assert_eq!(quoted("my tables"), "'my tables'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn threads_share_a_tablebase() {
        fn shared<T: Send + Sync>() {}
        shared::<Tablebase>();
        shared::<Table>();
        shared::<VerifiedTables<'_>>();
        shared::<ProbeError>();
    }
}
