//! A build shared out among ranks: processes of an MPI job, or threads. Rank 0 looks at what is there,
//! decides, and writes the tables; the others read them where it has written them.

use std::time::Instant;

use super::checkpoint::{self, Keeper, Kind};
use super::lock::Lock;
use super::{
    BuildError, Builder, Built, BuiltDepths, Plan, Progress, State, Watching, Work, check, lock,
    write_depths, write_values,
};
use crate::engine::{self, Exchange, Part, SolveError, Storage, Traffic};
use crate::machine;
use crate::table::{self, Header};
use crate::tablebase::{ProbeError, Tablebase, VerifiedTables};

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
        let tables = self.open();
        let prepared = tables.and_then(|tables| {
            let prepared = if first { Some(self.prepare(&tables, exchange, progress)?) } else { None };
            Ok((tables, prepared))
        });
        let (tables, prepared) = agree(exchange, prepared)?;
        // Rank 0 has found out what is missing.
        let missing = |plan: &Plan| plan.tables.iter().map(|table| u8::from(table.lacks_values())).collect();
        let mine = prepared.as_ref().map_or_else(Vec::new, |(plan, _)| missing(plan));
        let missing = exchange.swap(vec![mine; exchange.ranks()]).swap_remove(0);
        let mut all = Vec::with_capacity(missing.len());
        let plan = self.survey(&tables)?;
        for (planned, missing) in plan.tables.into_iter().zip(missing) {
            let there = match planned.state {
                State::There(header) => Some(*header),
                _ => None,
            };
            let (header, work) = match (missing, there) {
                (0, Some(header)) => {
                    let removed =
                        if first { checkpoint::remove(&tables.path(header.stones)) } else { Ok(()) };
                    agree(exchange, removed.map_err(BuildError::from))?;
                    (header, None)
                }
                _ => {
                    let (header, work) = self.values_among(exchange, &tables, planned.stones, progress)?;
                    (header, Some(work))
                }
            };
            let depths = match self.depths {
                true => Some(self.depths_among(exchange, &tables, &header, progress)?),
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
        progress: &dyn Progress,
    ) -> Result<(Plan, Option<Lock>), BuildError> {
        let plan = self.plan_of_rank(tables, exchange)?;
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
        let mut plan = self.plan_of_rank(tables, exchange)?;
        check(&mut plan, tables, progress)?;
        progress.planned(&plan);
        for planned in &mut plan.tables {
            take_unusable(&mut planned.state)?;
            planned.depths.as_mut().map_or(Ok(()), take_unusable)?;
        }
        plan.check_room()?;
        Ok((plan, lock))
    }

    /// What this rank's part would be.
    fn plan_of_rank(&self, tables: &Tablebase, exchange: &dyn Exchange) -> Result<Plan, BuildError> {
        let available = machine::available_memory().map(|free| free / exchange.on_this_machine() as u64);
        let less_a_margin = available.map(|available| available - available / 16);
        let plan = self.survey(tables)?;
        Ok(Plan { ranks: Some(exchange.ranks()), memory: self.memory.or(less_a_margin), ..plan })
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
        let table = agree(exchange, tables.table(stones).map_err(BuildError::from))?;
        Ok((table.header().clone(), Work { time: start.elapsed(), effort: part.effort, traffic }))
    }

    fn depths_among(
        &self,
        exchange: &dyn Exchange,
        tables: &Tablebase,
        values: &Header,
        progress: &dyn Progress,
    ) -> Result<BuiltDepths, BuildError> {
        let (start, rules, stones) = (Instant::now(), tables.rules(), values.stones);
        let there = tables.depths(stones).map_err(|error| match error {
            ProbeError::Table(error) => BuildError::Unusable(error),
            error => error.into(),
        });
        let there = agree(exchange, there)?;
        let path = tables.depth_path(stones);
        let [missing] = engine::sum(exchange, [u64::from(there.is_none())]);
        // Where a directory is shared by a network, some may see a file before others do.
        if let Some(depths) = there.filter(|_| missing == 0) {
            let removed = if exchange.rank() == 0 { checkpoint::remove(&path) } else { Ok(()) };
            agree(exchange, removed.map_err(BuildError::from))?;
            return Ok(BuiltDepths { header: depths.header().clone(), work: None });
        }
        let read = agree(exchange, tables.tables_with(stones).map_err(BuildError::from))?;
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
        let depths = agree(exchange, tables.needed_depths(stones).map_err(BuildError::from))?;
        let work = Some(Work { time: start.elapsed(), effort: part.effort, traffic });
        Ok(BuiltDepths { header: depths.header().clone(), work })
    }

    /// Where what was found is gathered.
    fn scratch(&self) -> Storage {
        Storage::Scratch(self.dir.join(self.rules.name()))
    }
}

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

/// What this rank has, if all ranks have theirs.
fn agree<T>(exchange: &dyn Exchange, result: Result<T, BuildError>) -> Result<T, BuildError> {
    let [failed] = engine::sum(exchange, [u64::from(result.is_err())]);
    match result {
        Ok(_) if failed > 0 => Err(engine::SolveError::OtherRank.into()),
        result => result,
    }
}
