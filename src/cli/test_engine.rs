//! `awari test-engine`

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use awari::grade::{self, Counts, Grade};
use awari::notation::{Position, auale};
use awari::sample::{Filter, Sampler, Source};
use awari::{Rules, Tablebase};
use serde::Serialize;

use super::contest::client::{Engine, Fault, Spec};
use super::contest::interval::{self, Estimate};
use super::contest::limit::{Limit, LimitOptions};
use super::contest::{EngineOptions, locked, suite};
use super::interrupt::Interrupt;
use super::line::pit_of;
use super::progress::Bar;
use super::sample::{Range, Wanted, shared, stones_range};
use super::{Failure, RulesOption, json_line};

/// Have an engine choose moves in solved positions, and say how good they are
///
/// Starts the engine as a child process, asks it for a move in each position in the dialect of UCI
/// that docs/engine-protocol.md describes, and looks up what the move costs. Shares and means come with
/// intervals that hold the truth in 95 of 100 cases: Wilson's for shares, the normal one for means.
/// With two engines, both answer the same positions, and their difference is taken position by
/// position. An engine that hangs, ends or answers with anything but a legal move is killed and started
/// again: what it did is counted, and the run goes on.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct TestEngine {
    #[command(flatten)]
    engines: EngineOptions,
    /// Stones on the board: N, or A..B with both ends [default: all of which there are tables]
    #[arg(long, value_name = "N|A..B", value_parser = stones_range)]
    stones: Option<Range<u32>>,
    /// How many positions
    #[arg(long, value_name = "N", default_value_t = 100)]
    count: usize,
    /// Which of all samples: any number
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Only positions with one best move and at least one other
    #[arg(long)]
    only_one_best: bool,
    /// Only positions whose worst legal move loses at least N stones
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_loss: u8,
    /// Only positions of this outcome for the player to move, of the rest of the game
    #[arg(long, value_name = "OUTCOME")]
    value: Option<Wanted>,
    /// Positions from this file instead, one a line in any notation, or as awari sample writes them;
    /// - is stdin
    #[arg(long, value_name = "FILE", conflicts_with_all = ["stones", "only_one_best", "min_loss", "value"])]
    suite: Option<String>,
    #[command(flatten)]
    rules: RulesOption,
    #[command(flatten)]
    limit: LimitOptions,
    /// Engines of a kind that run at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    concurrency: u16,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print every answer as comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

const EXAMPLES: &str = "\
Examples:
  awari test-engine --engine 'awari engine' --stones 8..12 --count 200
  awari test-engine --engine './mine' --engine 'awari engine' --engine-option B:Hash=16 --movetime 50
  awari test-engine --engine './mine' --suite positions.txt --search-depth 6 --json
  awari sample --stones 9 --reachable --format auale | awari test-engine --engine './mine' --suite -

Exit code 1 if an engine left positions without an answer.";

/// What became of one position.
type Answer = Result<Grade, Fault>;

impl TestEngine {
    /// Runs the command.
    ///
    /// # Errors
    /// If there are no positions, tables are missing, or an engine does not answer all of them.
    pub fn run(self, dir: &Path) -> Result<(), Failure> {
        if self.engines.commands.len() > 2 {
            return Err(Failure::usage("one engine is tested or two are compared: --engine once or twice."));
        }
        let tables = Tablebase::open(dir, self.rules.rules).map_err(Failure::new)?;
        let positions = self.positions(&tables)?;
        let interrupt = Interrupt::listen()?;
        let mut tested = Vec::new();
        for spec in self.engines.specs(tables.rules()) {
            let test = Test {
                spec,
                tables: &tables,
                positions: &positions,
                go: self.limit.limit(),
                patience: self.limit.patience(),
                stop: interrupt.flag(),
            };
            tested.push(test.run(self.concurrency)?);
            if interrupt.pressed() {
                return Err(Failure::interrupted("stopped; the engines are ended."));
            }
        }
        let report = Report::of(&positions, &tested, tables.rules());
        let mut out = io::stdout().lock();
        let written = if self.json {
            json_line(&mut out, &report)
        } else if self.csv {
            write_csv(&mut out, &positions, &tested)
        } else {
            report.write(&mut out)
        };
        written.map_err(|error| Failure::output(&error))?;
        let faults: u64 = report.engines.iter().map(|engine| engine.faults).sum();
        if faults > 0 {
            return Err(Failure::new(format_args!(
                "{faults} answers are missing; see above what the engine did."
            )));
        }
        Ok(())
    }

    /// The positions, each with a legal move and in the tables.
    fn positions(&self, tables: &Tablebase) -> Result<Vec<Position>, Failure> {
        let positions = match &self.suite {
            Some(path) => suite(tables, path)?,
            None => self.sampled(tables)?,
        };
        if positions.is_empty() {
            return Err(Failure::new("no positions to test with."));
        }
        Ok(positions)
    }

    fn sampled(&self, tables: &Tablebase) -> Result<Vec<Position>, Failure> {
        let stones = match &self.stones {
            Some(range) => range.0.clone(),
            None => {
                let there = super::chosen(tables, None)?;
                // One stone or two leave no choice.
                3..=there.into_iter().max().unwrap_or(3).max(3)
            }
        };
        let filter = Filter {
            only_one_best: self.only_one_best,
            min_loss: self.min_loss,
            outcome: self.value.map(Wanted::outcome),
            ..Filter::stones(stones)
        };
        let tries = (self.count as u64).saturating_mul(1_000).max(100_000);
        let mut sampler =
            Sampler::new(tables, Source::Stored, filter, self.seed, tries).map_err(Failure::new)?;
        let mut positions = Vec::new();
        while positions.len() < self.count {
            let Some(sample) = sampler.draw(|| false).map_err(Failure::new)? else { break };
            positions.push(shared(sample.position));
        }
        if positions.len() < self.count {
            return Err(Failure::new(format_args!(
                "found {} of {} positions: fewer have the qualities asked for. Ask for fewer or weaker ones.",
                positions.len(),
                self.count
            )));
        }
        Ok(positions)
    }
}

/// The positions of a file: where moves follow one, that after them.
fn suite(tables: &Tablebase, path: &str) -> Result<Vec<Position>, Failure> {
    let mut positions = Vec::new();
    for suite::Line { number, game } in suite::read(path, tables.rules())? {
        let position = *game.now();
        if tables.moves(&position.board).map_err(|error| suite::wrong(path, number, error))?.is_empty() {
            return Err(suite::wrong(path, number, "there is no legal move to choose."));
        }
        positions.push(position);
    }
    Ok(positions)
}

/// One engine and what it is asked.
struct Test<'a> {
    spec: Spec,
    tables: &'a Tablebase,
    positions: &'a [Position],
    go: Limit,
    patience: Duration,
    stop: &'a AtomicBool,
}

/// An engine's name and its answers.
struct Tested {
    name: String,
    command: String,
    answers: Vec<Answer>,
}

impl Test<'_> {
    /// Asks for a move in every position.
    fn run(&self, concurrency: u16) -> Result<Tested, Failure> {
        let name = Mutex::new(self.spec.command.clone());
        let answers: Vec<Mutex<Option<Answer>>> = self.positions.iter().map(|_| Mutex::new(None)).collect();
        let (next, done) = (Mutex::new(0..self.positions.len()), Mutex::new(0));
        let bar = Bar::new(&self.spec.command);
        let failed: Mutex<Option<Failure>> = Mutex::new(None);
        thread::scope(|scope| {
            for _ in 0..concurrency {
                scope.spawn(|| {
                    let mut engine = None;
                    loop {
                        let number = locked(&next).next();
                        let Some(number) = number else { break };
                        let answer = match self.answer(&self.positions[number], &mut engine, &name) {
                            Ok(answer) => answer,
                            Err(failure) => {
                                *locked(&failed) = Some(failure);
                                break;
                            }
                        };
                        if answer == Err(Fault::Stopped) {
                            break;
                        }
                        *locked(&answers[number]) = Some(answer);
                        *locked(&done) += 1;
                        bar.update(&"positions", *locked(&done), self.positions.len() as u64);
                    }
                });
            }
        });
        if let Some(failure) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(failure);
        }
        let answers = answers.into_iter().map(|answer| {
            answer.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or(Err(Fault::Stopped))
        });
        Ok(Tested {
            name: name.into_inner().unwrap_or_else(PoisonError::into_inner),
            command: self.spec.command.clone(),
            answers: answers.collect(),
        })
    }

    /// Asks for a move in one position; starts the engine if it does not run.
    fn answer<'s>(
        &'s self,
        position: &Position,
        running: &mut Option<Engine<'s>>,
        name: &Mutex<String>,
    ) -> Result<Answer, Failure> {
        let mut engine = match running.take() {
            Some(engine) => engine,
            None => match Engine::start(&self.spec, self.stop) {
                Ok(engine) => engine,
                Err(fault) => return Ok(Err(fault)),
            },
        };
        locked(name).clone_from(&engine.name);
        let board = auale::write(position).map_err(Failure::new)?;
        let limit = match self.go {
            Limit::MoveTime(time) => time,
            Limit::Depth(_) | Limit::Nodes(_) => Duration::ZERO,
        };
        let asked = engine
            .new_game()
            .and_then(|()| engine.think(&format!("fen {board}"), &self.go.go(), limit + self.patience));
        let play = match asked {
            Ok((play, _)) => play,
            // Whatever it would say next belongs to this question: it is ended.
            Err(fault) => return Ok(Err(fault)),
        };
        *running = Some(engine);
        if play.south == position.south_to_move
            && let Some(grade) = grade::grade(self.tables, position, play.pit).map_err(Failure::new)?
        {
            return Ok(Ok(grade));
        }
        Ok(Err(Fault::Illegal(play.to_string())))
    }
}

#[derive(Serialize)]
struct Report {
    rules: &'static str,
    positions: usize,
    engines: Vec<Figures>,
    /// First engine less second, over the positions that both answered.
    difference: Option<Difference>,
}

/// What one engine did.
#[derive(Serialize)]
struct Figures {
    name: String,
    command: String,
    answered: u64,
    faults: u64,
    /// What they were, and the first of each kind in full.
    fault_kinds: BTreeMap<&'static str, (u64, String)>,
    /// Share of answers that no move is better than.
    best: Option<Estimate>,
    /// The same of positions with a choice.
    best_of_choices: Option<Estimate>,
    /// Stones lost a move.
    loss: Option<Estimate>,
    /// Share of answers that worsen the outcome of the rest of the game.
    blunders: Option<Estimate>,
    /// How often from which outcome to which.
    blunder_kinds: BTreeMap<String, u64>,
    by_stones: BTreeMap<u32, ByStones>,
}

#[derive(Serialize)]
struct ByStones {
    answered: u64,
    best: Option<Estimate>,
    mean_loss: Option<f64>,
    /// The same with its interval, of two answers or more.
    loss: Option<Estimate>,
    blunders: Option<Estimate>,
}

impl ByStones {
    fn of(grades: &[&Grade]) -> ByStones {
        let mut counts = Counts::default();
        grades.iter().for_each(|grade| counts.add(grade));
        let losses: Vec<f64> = grades.iter().map(|grade| f64::from(grade.loss())).collect();
        ByStones {
            answered: counts.graded,
            best: interval::share(counts.best, counts.graded),
            mean_loss: counts.mean_loss(),
            loss: interval::mean(&losses),
            blunders: interval::share(counts.outcome, counts.graded),
        }
    }
}

#[derive(Serialize)]
struct Difference {
    positions: usize,
    /// Stones that the first engine loses a move more than the second.
    loss: Option<Estimate>,
    /// How much larger the first engine's share of best moves is.
    best: Option<Estimate>,
    /// Positions where the first, the second engine chose better.
    better: [u64; 2],
}

impl Figures {
    fn of(positions: &[Position], tested: &Tested) -> Figures {
        let (mut all, mut by_stones) = (Counts::default(), BTreeMap::<u32, Vec<&Grade>>::new());
        let (mut losses, mut faults) = (Vec::new(), BTreeMap::new());
        let mut blunder_kinds = BTreeMap::new();
        for (position, answer) in positions.iter().zip(&tested.answers) {
            match answer {
                Ok(grade) => {
                    all.add(grade);
                    by_stones.entry(position.board.stones()).or_default().push(grade);
                    losses.push(f64::from(grade.loss()));
                    let [before, after] = grade.rest();
                    if after < before {
                        let kind = format!("{} to {}", before.name(), after.name());
                        *blunder_kinds.entry(kind).or_default() += 1;
                    }
                }
                Err(fault) => {
                    let first = || (0, format!("{}: {fault}", position.board));
                    faults.entry(fault.name()).or_insert_with(first).0 += 1;
                }
            }
        }
        Figures {
            name: tested.name.clone(),
            command: tested.command.clone(),
            answered: all.graded,
            faults: faults.values().map(|&(count, _)| count).sum(),
            fault_kinds: faults,
            best: interval::share(all.best, all.graded),
            best_of_choices: interval::share(all.best - all.forced, all.graded - all.forced),
            loss: interval::mean(&losses),
            blunders: interval::share(all.outcome, all.graded),
            blunder_kinds,
            by_stones: by_stones.iter().map(|(&stones, grades)| (stones, ByStones::of(grades))).collect(),
        }
    }
}

impl Difference {
    fn of(first: &Tested, second: &Tested) -> Difference {
        let both = || {
            first
                .answers
                .iter()
                .zip(&second.answers)
                .filter_map(|(a, b)| Some((a.as_ref().ok()?, b.as_ref().ok()?)))
        };
        let losses: Vec<f64> = both().map(|(a, b)| f64::from(a.loss()) - f64::from(b.loss())).collect();
        let best: Vec<f64> = both()
            .map(|(a, b)| f64::from(u8::from(a.is_best())) - f64::from(u8::from(b.is_best())))
            .collect();
        let count = |better: &dyn Fn(f64) -> bool| losses.iter().filter(|&&loss| better(loss)).count() as u64;
        Difference {
            positions: losses.len(),
            loss: interval::mean(&losses),
            best: interval::mean(&best),
            better: [count(&|loss| loss < 0.0), count(&|loss| loss > 0.0)],
        }
    }
}

impl Report {
    fn of(positions: &[Position], tested: &[Tested], rules: Rules) -> Report {
        let difference = match tested {
            [first, second] => Some(Difference::of(first, second)),
            _ => None,
        };
        Report {
            rules: rules.name(),
            positions: positions.len(),
            engines: tested.iter().map(|tested| Figures::of(positions, tested)).collect(),
            difference,
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "rules {}, {} positions; intervals of 95 %", self.rules, self.positions)?;
        for engine in &self.engines {
            writeln!(out, "\n{} ({})", engine.name, engine.command)?;
            writeln!(out, "  answered       {}", engine.answered)?;
            for (kind, (count, first)) in &engine.fault_kinds {
                writeln!(out, "  {kind:14} {count}, first in {first}")?;
            }
            writeln!(out, "  best moves     {}", percent(engine.best))?;
            writeln!(out, "  with a choice  {}", percent(engine.best_of_choices))?;
            writeln!(out, "  stones lost    {} a move", number(engine.loss))?;
            let kinds: Vec<String> =
                engine.blunder_kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            let kinds = if kinds.is_empty() { String::new() } else { format!(": {}", kinds.join(", ")) };
            writeln!(out, "  blunders       {}{kinds}", percent(engine.blunders))?;
            writeln!(out, "  stones  answered  best moves              stones lost             blunders")?;
            for (stones, row) in &engine.by_stones {
                let ByStones { answered, best, mean_loss, loss, blunders } = row;
                let loss = match (loss, mean_loss) {
                    (None, Some(mean)) => format!("{mean:.3}"),
                    _ => number(*loss),
                };
                let (best, blunders) = (percent(*best), percent(*blunders));
                writeln!(out, "  {stones:6}  {answered:8}  {best:22}  {loss:22}  {blunders}")?;
            }
        }
        if let Some(difference) = &self.difference {
            let [first, second] = difference.better;
            writeln!(out, "\nfirst less second, on the {} positions both answered", difference.positions)?;
            writeln!(out, "  best moves     {}", percent(difference.best))?;
            writeln!(out, "  stones lost    {} a move", number(difference.loss))?;
            writeln!(out, "  first better in {first}, second better in {second}")?;
        }
        Ok(())
    }
}

fn percent(estimate: Option<Estimate>) -> String {
    let text = |Estimate { value, low, high }: Estimate| {
        format!("{:.1} % ({:.1} to {:.1})", 100.0 * value, 100.0 * low, 100.0 * high)
    };
    estimate.map_or("-".to_owned(), text)
}

fn number(estimate: Option<Estimate>) -> String {
    let text = |Estimate { value, low, high }: Estimate| format!("{value:.3} ({low:.3} to {high:.3})");
    estimate.map_or("-".to_owned(), text)
}

fn write_csv(out: &mut impl Write, positions: &[Position], tested: &[Tested]) -> io::Result<()> {
    writeln!(out, "engine,board,stones,value,move,move_value,loss,best,fault")?;
    for (number, Tested { answers, .. }) in tested.iter().enumerate() {
        for (position, answer) in positions.iter().zip(answers) {
            let Position { board, .. } = position;
            write!(out, "{},{board},{},", number + 1, board.stones())?;
            match answer {
                Ok(grade) => {
                    let best: String = grade.best().map(|pit| pit_of(pit, true)).collect();
                    let (pit, loss) = (pit_of(grade.pit, true), grade.loss());
                    writeln!(out, "{},{pit},{},{loss},{best},", grade.before, grade.after)?;
                }
                Err(fault) => writeln!(out, ",,,,,{}", fault.name())?,
            }
        }
    }
    Ok(())
}
