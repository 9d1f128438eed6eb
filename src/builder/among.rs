//! A build shared out among ranks: processes of an MPI job, or threads. Rank 0 looks at what is there,
//! decides, and writes the tables; the others read them where it has written them.

use std::time::Instant;

use super::lock::Lock;
use super::{BuildError, Builder, Built, Plan, Progress, State, Work, check, lock};
use crate::engine::{self, Exchange, Pass, Storage, Traffic, Watch};
use crate::machine;
use crate::table::{self, Header};
use crate::tablebase::Tablebase;

impl Builder {
    /// Builds every table that is missing like [`Builder::run`], the values only, together with other ranks,
    /// which all call this with the same settings and a directory that all of them see. Uses the current
    /// rayon pool, whatever [`Builder::threads`] says. Only rank 0 tells its `progress` how it goes; any
    /// rank's may stop the build.
    ///
    /// Memory ([`Builder::memory`]) is that of a rank. Ranks keep all they work on in memory; the table of
    /// values is gathered in a scratch file.
    ///
    /// # Errors
    /// As [`Builder::run`]; on other ranks [`SolveError::OtherRank`](engine::SolveError::OtherRank) when one
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
                (0, Some(header)) => (header, None),
                _ => {
                    let (header, work) = self.build_among(exchange, &tables, planned.stones, progress)?;
                    (header, Some(work))
                }
            };
            let built = Built { header, work, depths: None };
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
        let unusable = plan.tables.iter().position(|table| matches!(table.state, State::Unusable(_)));
        if let Some(at) = unusable
            && let State::Unusable(error) = plan.tables.swap_remove(at).state
        {
            return Err(BuildError::Unusable(error));
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

    fn build_among(
        &self,
        exchange: &dyn Exchange,
        tables: &Tablebase,
        stones: u32,
        progress: &dyn Progress,
    ) -> Result<(Header, Work), BuildError> {
        let start = Instant::now();
        let rules = tables.rules();
        let smaller = agree(exchange, tables.smaller_tables(stones).map_err(BuildError::from))?;
        let path = tables.path(stones);
        let watching = OneTable { stones, progress };
        let scratch = Storage::Scratch(self.dir.join(rules.name()));
        let part = engine::solve_among(exchange, rules, stones, &smaller, &scratch, &watching)?;
        drop(smaller);
        let [messages, bytes] = engine::sum(exchange, [part.sent.messages, part.sent.bytes]);
        let written = part.values.map_or(Ok(()), |values| {
            progress.writing(stones);
            table::write_as(self.encoding, &path, rules, stones, &values)?;
            Ok(())
        });
        agree(exchange, written)?;
        let table = agree(exchange, tables.table(stones).map_err(BuildError::from))?;
        let traffic = Some(Traffic { messages, bytes });
        Ok((table.header().clone(), Work { time: start.elapsed(), effort: part.effort, traffic }))
    }
}

/// Passes on what the engine says about one table.
struct OneTable<'a> {
    stones: u32,
    progress: &'a dyn Progress,
}

impl Watch for OneTable<'_> {
    fn progress(&self, pass: Pass, done: u64, total: u64) {
        self.progress.solving(self.stones, pass, done, total);
    }

    fn stop(&self) -> bool {
        self.progress.stop()
    }
}

/// What this rank has, if all ranks have theirs.
fn agree<T>(exchange: &dyn Exchange, result: Result<T, BuildError>) -> Result<T, BuildError> {
    let [failed] = engine::sum(exchange, [u64::from(result.is_err())]);
    match result {
        Ok(_) if failed > 0 => Err(engine::SolveError::OtherRank.into()),
        result => result,
    }
}
