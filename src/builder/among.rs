//! A build shared out among ranks: processes of an MPI job, or threads. Rank 0 looks at what is there,
//! decides, and writes the tables; the others read them where it has written them.

use std::time::Instant;

use super::agree::{self, agree};
use super::checkpoint::{self, Keeper, Kind};
use super::lock::Lock;
use super::{
    BuildError, Builder, Built, BuiltDepths, Plan, Progress, State, Watching, Work, check, lock,
    write_depths, write_values,
};
use crate::engine::{self, Exchange, Part, SolveError, Storage, Traffic};
use crate::table::{self, Header};
use crate::tablebase::{Tablebase, VerifiedTables};

impl Builder {
    /// Builds every table that is missing like [`Builder::run`] together with other ranks,
    /// which all call this with the same settings and a directory that all of them see. Uses the current
    /// rayon pool, whatever [`Builder::threads`] says. Only rank 0 tells its `progress` how it goes; any
    /// rank's may stop the build.
    ///
    /// Memory ([`Builder::memory`]) is that of a rank. Ranks keep all they work on in memory; what they find is
    /// gathered in a scratch file. Rank 0 writes the checkpoints, which are those of one process: any number of
    /// ranks goes on from them.
    ///
    /// # Errors
    /// As [`Builder::run`]; on other ranks [`SolveError::OtherRank`] when one
    /// has such an error.
    pub fn run_among(
        &self,
        exchange: &dyn Exchange,
        progress: &dyn Progress,
    ) -> Result<Vec<Built>, BuildError> {
        let first = exchange.rank() == 0;
        agree::same_settings(exchange, self)?;
        let memory = agree::memory(exchange, self.memory);
        let tables = self.open();
        let prepared = tables.and_then(|tables| {
            let prepared =
                if first { Some(self.prepare(&tables, exchange, memory, progress)?) } else { None };
            Ok((tables, prepared))
        });
        let (tables, prepared) = agree(exchange, prepared)?;
        // Rank 0 has found out what is there.
        let found = prepared.as_ref().map_or_else(Vec::new, |prepared| prepared.there.clone());
        let mark = prepared.as_ref().map_or_else(Vec::new, |prepared| prepared.mark.clone());
        let tell = |what: Vec<u8>| exchange.swap(vec![what; exchange.ranks()]).swap_remove(0);
        let (found, mark) = (tell(found), tell(mark));
        let dir = self.dir.join(self.rules.name());
        agree(exchange, agree::same_directory(&dir, &mark, progress))?;
        let mut all = Vec::with_capacity(found.len());
        for (stones, found) in self.table_stones().zip(found) {
            let (header, work) = if found & VALUES > 0 {
                let table = agree::shared(exchange, &tables, progress, || tables.table(stones))?;
                let removed = if first { checkpoint::remove(&tables.path(stones)) } else { Ok(()) };
                agree(exchange, removed.map_err(BuildError::from))?;
                (table.header().clone(), None)
            } else {
                let (header, work) = self.values_among(exchange, &tables, stones, progress)?;
                (header, Some(work))
            };
            let depths = match self.depths {
                true => Some(self.depths_among(exchange, &tables, &header, found & DEPTHS > 0, progress)?),
                false => None,
            };
            let built = Built { header, work, depths };
            if first {
                progress.built(&built);
            }
            all.push(built);
        }
        drop(prepared);
        Ok(all)
    }

    /// Looks at what is there and locks the directory.
    fn prepare(
        &self,
        tables: &Tablebase,
        exchange: &dyn Exchange,
        memory: Option<u64>,
        progress: &dyn Progress,
    ) -> Result<Prepared, BuildError> {
        let survey =
            || Ok::<_, BuildError>(Plan { ranks: Some(exchange.ranks()), memory, ..self.survey(tables)? });
        let plan = survey()?;
        if let Err(refused) = plan.check_room() {
            progress.planned(&plan);
            return Err(refused);
        }
        let lock = match lock(&plan.dir) {
            Err(BuildError::Directory { .. }) if plan.is_done() => None,
            lock => {
                let lock = lock?;
                let leftovers = table::remove_leftovers(&plan.dir)?;
                if !leftovers.is_empty() {
                    progress.cleaned(&leftovers);
                }
                Some(lock)
            }
        };
        let mut plan = survey()?;
        check(&mut plan, tables, progress)?;
        progress.planned(&plan);
        for planned in &mut plan.tables {
            take_unusable(&mut planned.state)?;
            planned.depths.as_mut().map_or(Ok(()), take_unusable)?;
        }
        plan.check_room()?;
        let refused = |source| BuildError::Directory { dir: plan.dir.clone(), source };
        let mark = match lock.as_ref().map_or_else(|| Ok(Vec::new()), Lock::leave_mark) {
            // Nothing is going to be written, so the disk may be full.
            Err(_) if plan.is_done() => Vec::new(),
            mark => mark.map_err(refused)?,
        };
        let there = plan.tables.iter().map(|planned| {
            let values = if planned.lacks_values() { 0 } else { VALUES };
            let depths = if planned.lacks_depths() { 0 } else { DEPTHS };
            values | depths
        });
        Ok(Prepared { there: there.collect(), mark, _lock: lock })
    }

    fn values_among(
        &self,
        exchange: &dyn Exchange,
        tables: &Tablebase,
        stones: u32,
        progress: &dyn Progress,
    ) -> Result<(Header, Work), BuildError> {
        let (start, rules) = (Instant::now(), tables.rules());
        let smaller = agree(exchange, tables.smaller_tables(stones).map_err(BuildError::from))?;
        agree::same_tables(exchange, tables, &smaller)?;
        let what = |pass, done, total| progress.solving(stones, pass, done, total);
        let path = tables.path(stones);
        let keeper = Keeper::new(&path, Kind::Values, stones, &smaller, self.checkpoint, progress);
        let watching = Watching { progress, what: &what, keeper };
        let part = engine::solve_among(exchange, rules, stones, &smaller, &self.scratch(), &watching);
        let part = check_part(exchange, &smaller, part)?;
        drop(smaller);
        let traffic = traffic(exchange, part.sent);
        let written = part
            .found
            .map(|values| write_values(self.encoding, tables, stones, &values, progress))
            .transpose();
        agree(exchange, written)?;
        let table = agree::shared(exchange, tables, progress, || tables.table(stones))?;
        Ok((table.header().clone(), Work { time: start.elapsed(), effort: part.effort, traffic }))
    }

    fn depths_among(
        &self,
        exchange: &dyn Exchange,
        tables: &Tablebase,
        values: &Header,
        there: bool,
        progress: &dyn Progress,
    ) -> Result<BuiltDepths, BuildError> {
        let (start, rules, stones) = (Instant::now(), tables.rules(), values.stones);
        let path = tables.depth_path(stones);
        if there {
            let depths = agree::shared(exchange, tables, progress, || tables.needed_depths(stones))?;
            let removed = if exchange.rank() == 0 { checkpoint::remove(&path) } else { Ok(()) };
            agree(exchange, removed.map_err(BuildError::from))?;
            return Ok(BuiltDepths { header: depths.header().clone(), work: None });
        }
        let read = agree(exchange, tables.tables_with(stones).map_err(BuildError::from))?;
        agree::same_tables(exchange, tables, &read)?;
        let what = |pass, done, total| progress.finding_depths(stones, pass, done, total);
        let keeper = Keeper::new(&path, Kind::Depths, stones, &read, self.checkpoint, progress);
        let watching = Watching { progress, what: &what, keeper };
        let part = engine::solve_depths_among(exchange, rules, stones, &read, &self.scratch(), &watching);
        let part = check_part(exchange, &read, part)?;
        let traffic = traffic(exchange, part.sent);
        let written = part
            .found
            .map(|depths| write_depths(self.encoding, tables, values, &read, &depths, progress))
            .transpose();
        agree(exchange, written)?;
        let depths = agree::shared(exchange, tables, progress, || tables.needed_depths(stones))?;
        let work = Some(Work { time: start.elapsed(), effort: part.effort, traffic });
        Ok(BuiltDepths { header: depths.header().clone(), work })
    }

    /// Where what was found is gathered.
    fn scratch(&self) -> Storage {
        Storage::Scratch(self.dir.join(self.rules.name()))
    }
}

/// What rank 0 has found out before the build.
struct Prepared {
    /// Of each table what is there: [`VALUES`], [`DEPTHS`] or both. Depths that nobody asked for count as there.
    there: Vec<u8>,
    /// What it has left in the directory; nothing if it cannot write and need not.
    mark: Vec<u8>,
    _lock: Option<Lock>,
}

const VALUES: u8 = 1;
const DEPTHS: u8 = 2;

/// Says what is wrong with a file that cannot be used.
fn take_unusable<H>(state: &mut State<H>) -> Result<(), BuildError> {
    match std::mem::replace(state, State::Missing) {
        State::Unusable(error) => Err(BuildError::Unusable(error)),
        usable => {
            *state = usable;
            Ok(())
        }
    }
}

/// What was found, unless a table that it was found with changed meanwhile.
fn check_part<T>(
    exchange: &dyn Exchange,
    read: &VerifiedTables,
    part: Result<Part<T>, SolveError>,
) -> Result<Part<T>, BuildError> {
    agree(exchange, read.check_unchanged().map_err(BuildError::from))?;
    Ok(part?)
}

/// What all ranks have sent.
fn traffic(exchange: &dyn Exchange, sent: Traffic) -> Option<Traffic> {
    let [messages, bytes] = engine::sum(exchange, [sent.messages, sent.bytes]);
    Some(Traffic { messages, bytes })
}
