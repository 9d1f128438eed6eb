//! `awari match`

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use awari::board::MAX_STONES;
use awari::game::{self, Game, State};
use awari::notation::{Position, auale};
use awari::random::Random;
use awari::tablebase::ProbeError;
use awari::{Board, Rules, Tablebase, rules};
use serde::Serialize;

use super::contest::client::{Engine, Fault, Spec};
use super::contest::interval::{self, Estimate};
use super::contest::limit::{Limit, LimitOptions};
use super::contest::{EngineOptions, locked, suite};
use super::interrupt::Interrupt;
use super::new_games::NewGames;
use super::progress::Bar;
use super::solve::parse_time;
use super::{Failure, RulesOption, json_line};

/// Moves after which a game counts as endless: what is left is shared.
const MOST_PLIES: usize = 1_000;

/// Have two engines play each other, and score the games exactly where the tables reach
///
/// Every opening is played twice, with each engine to move first. A game ends when there is no legal
/// move, when one player has more than half of the stones, when a position comes back (what is left
/// is shared evenly), or as soon as the board is inside the tables: then the rest is what perfect play
/// gives, unless --play-on says otherwise. An engine that hangs, ends, oversteps its clock or answers
/// with anything but a legal move loses the game, and is started again for the next.
///
/// The score counts a win 1 and a draw 1/2. Its interval, which holds the truth in 95 of 100 cases, is
/// taken over pairs of games from the same opening, which are not independent of each other.
#[derive(clap::Args)]
#[command(name = "match", after_help = EXAMPLES)]
pub struct Match {
    #[command(flatten)]
    engines: EngineOptions,
    /// How many games; one more if it is odd
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: u32,
    /// Random moves from the start that make an opening
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(0..=500))]
    opening_plies: u16,
    /// Openings from this file instead, one a line in any notation, or as awari sample writes them, in
    /// turn; - is stdin
    #[arg(long, value_name = "FILE", conflicts_with = "opening_plies")]
    openings: Option<String>,
    /// Which of all openings: any number
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// A clock for each game: a time, and the time added for each move, such as 10s+0.1s
    #[arg(long, value_name = "TIME[+TIME]", value_parser = clock, conflicts_with_all = ["movetime", "depth_limit", "nodes"])]
    time: Option<Clock>,
    #[command(flatten)]
    limit: LimitOptions,
    /// Play inside the tables too
    #[arg(long, alias = "no-adjudicate")]
    play_on: bool,
    #[command(flatten)]
    rules: RulesOption,
    /// Games played at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    concurrency: u16,
    /// Write the games to this new file, in oware game notation
    #[arg(long, value_name = "FILE")]
    games_out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  awari match --engine './mine' --engine 'awari engine' --games 100 --movetime 50
  awari match --engine './new' --engine './old' --time 10s+0.1s --games-out match.ogn
  awari match --engine 'awari engine' --engine 'awari engine' --engine-option B:UseTables=false --play-on
  awari sample --stones 12 --value draw --format auale | awari match --engine A --engine B --openings -

Exit code 1 if a game was lost by a fault of an engine.";

/// A clock: at first, and more for each move.
#[derive(Clone, Copy, Debug)]
struct Clock {
    start: Duration,
    more: Duration,
}

fn clock(text: &str) -> Result<Clock, String> {
    let wrong = || "expected a time, such as 60s or 10s+0.1s".to_owned();
    let (start, more) = text.split_once('+').unwrap_or((text, "0"));
    let time = |text: &str| {
        let time = parse_time(text.trim()).ok();
        time.filter(|time| *time <= Duration::from_secs(86_400)).ok_or_else(wrong)
    };
    let clock = Clock { start: time(start)?, more: time(more)? };
    if clock.start.is_zero() { Err(wrong()) } else { Ok(clock) }
}

/// How a game ended.
#[derive(Clone, PartialEq, Debug)]
enum End {
    /// There is no legal move.
    Over,
    /// One player has more than half of the stones.
    Majority,
    /// A position came back, or the game was too long.
    Endless,
    /// The tables say how it ends.
    Adjudicated,
    /// An engine, A or B, did something else than play.
    Fault(usize, Fault),
}

impl End {
    fn name(&self) -> &'static str {
        match self {
            End::Over => "no legal move",
            End::Majority => "majority",
            End::Endless => "endless",
            End::Adjudicated => "tables",
            End::Fault(_, fault) => fault.name(),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Fault(engine, fault) => write!(f, "engine {}: {fault}", ["A", "B"][*engine]),
            end => f.write_str(end.name()),
        }
    }
}

/// A game that was played.
struct Played {
    game: Game,
    end: End,
    /// Points of A: 0, 1/2 or 1.
    score: f64,
    /// Stones of A less stones of B; None if a fault ended the game.
    difference: Option<f64>,
}

impl Match {
    /// Runs the command.
    ///
    /// # Errors
    /// If openings or tables cannot be used, or a game was lost by a fault.
    pub fn run(self, dir: &Path) -> Result<(), Failure> {
        let rules = self.rules.rules;
        let Ok(specs) = <[Spec; 2]>::try_from(self.engines.specs(rules)) else {
            return Err(Failure::usage("two engines play a match: --engine twice."));
        };
        let tables = Tablebase::open(dir, rules).map_err(Failure::new)?;
        let openings = self.openings(rules)?;
        let new_games = self.games_out.as_deref().map(NewGames::new).transpose().map_err(Failure::new)?;
        let interrupt = Interrupt::listen()?;
        let arena = Arena { options: &self, tables: &tables, specs: &specs, interrupt: &interrupt };
        let (played, names) = arena.play_all(&openings)?;
        let unfinished = played.iter().any(Option::is_none);
        if let Some(mut new_games) = new_games {
            for played in played.iter().flatten() {
                new_games.add(&played.game).map_err(Failure::new)?;
            }
            new_games.finish().map_err(Failure::new)?;
        }
        let report = Report::of(names, rules, &played);
        let mut out = io::stdout().lock();
        let written = if self.json { json_line(&mut out, &report) } else { report.write(&mut out) };
        written.map_err(|error| Failure::output(&error))?;
        if unfinished {
            return Err(Failure::interrupted("stopped; the engines are ended."));
        }
        if !report.faults.is_empty() {
            let faults = report.faults.len();
            return Err(Failure::new(format_args!("{faults} games were lost by a fault; see above.")));
        }
        Ok(())
    }

    /// The openings: one for each pair of games.
    fn openings(&self, rules: Rules) -> Result<Vec<Game>, Failure> {
        let pairs = self.games.div_ceil(2) as usize;
        if let Some(path) = &self.openings {
            let given = opening_file(path, rules)?;
            return Ok(given.iter().cycle().take(pairs).cloned().collect());
        }
        let mut random = Random::new(self.seed);
        Ok((0..pairs).map(|_| random_opening(&mut random, rules, self.opening_plies)).collect())
    }
}

/// Random legal moves from the start. One that ends the game is begun anew: others are left.
fn random_opening(random: &mut Random, rules: Rules, plies: u16) -> Game {
    loop {
        let mut game = Game::new(rules, Position { south_to_move: true, ..Board::START.into() });
        while game.plies().len() < usize::from(plies) && game.state() == State::Open {
            let legal: Vec<usize> =
                rules::turn(&game.now().board, rules).moves().map(|play| play.pit).collect();
            if let Some(&pit) = random.choose(&legal) {
                let _ = game.play(pit); // it is legal
            }
        }
        if game.state() == State::Open {
            return game;
        }
    }
}

fn opening_file(path: &str, rules: Rules) -> Result<Vec<Game>, Failure> {
    let mut openings = Vec::new();
    for suite::Line { number, game } in suite::read(path, rules)? {
        if game.state() != State::Open {
            let why = format_args!("the game is over there ({}).", game.state().name());
            return Err(suite::wrong(path, number, why));
        }
        openings.push(game);
    }
    Ok(openings)
}

/// Where games are played.
struct Arena<'a> {
    options: &'a Match,
    tables: &'a Tablebase,
    specs: &'a [Spec; 2],
    interrupt: &'a Interrupt,
}

/// The engines of one thread, those that run.
type Running<'s> = [Option<Engine<'s>>; 2];

impl<'a> Arena<'a> {
    /// Plays every opening twice. Returns the games in order, those that were played, and the engines'
    /// names.
    fn play_all(&self, openings: &[Game]) -> Result<(Vec<Option<Played>>, [String; 2]), Failure> {
        let names = Mutex::new(self.specs.each_ref().map(|spec| spec.command.clone()));
        let games: Vec<Mutex<Option<Played>>> = (0..2 * openings.len()).map(|_| Mutex::new(None)).collect();
        let (next, done) = (Mutex::new(0..games.len()), Mutex::new(0));
        let failed: Mutex<Option<Failure>> = Mutex::new(None);
        let bar = Bar::new("match");
        thread::scope(|scope| {
            for _ in 0..self.options.concurrency {
                scope.spawn(|| {
                    let mut running: Running = [None, None];
                    loop {
                        let number = locked(&next).next();
                        let Some(number) = number else { break };
                        match self.play(&openings[number / 2], number, &mut running, &names) {
                            Ok(Some(played)) => *locked(&games[number]) = Some(played),
                            Ok(None) => break,
                            Err(failure) => {
                                *locked(&failed) = Some(failure);
                                break;
                            }
                        }
                        *locked(&done) += 1;
                        bar.update(&"games", *locked(&done), games.len() as u64);
                    }
                });
            }
        });
        if let Some(failure) = locked(&failed).take() {
            return Err(failure);
        }
        let games = games.iter().map(|game| locked(game).take()).collect();
        let names = locked(&names).clone();
        Ok((games, names))
    }

    /// Plays a game: in even ones A moves first. None if it was stopped.
    fn play(
        &self,
        opening: &Game,
        number: usize,
        running: &mut Running<'a>,
        names: &Mutex<[String; 2]>,
    ) -> Result<Option<Played>, Failure> {
        let mut game = opening.clone();
        let a_is_south = game.now().south_to_move == number.is_multiple_of(2);
        let mut clocks = self.options.time.map(|clock| [clock.start; 2]);
        let mut begun = [false; 2];
        let end = loop {
            if let Some(end) = self.end(&game)? {
                break end;
            }
            let engine = usize::from(game.now().south_to_move != a_is_south);
            match self.make_move(&mut game, engine, &mut running[engine], &mut begun[engine], &mut clocks) {
                Ok(name) => locked(names)[engine] = name,
                Err(Fault::Stopped) => return Ok(None),
                Err(fault) => {
                    // Whatever it would say next belongs to this game: it is ended.
                    running[engine] = None;
                    break End::Fault(engine, fault);
                }
            }
        };
        let mut names = locked(names).clone();
        if names[0] == names[1] {
            names = ["A", "B"].map(|engine| format!("{engine}: {}", names[0]));
        }
        Ok(Some(self.scored(game, end, a_is_south, &names)?))
    }

    /// How the game has ended, if it has.
    fn end(&self, game: &Game) -> Result<Option<End>, Failure> {
        match game.state() {
            State::Over(_) => return Ok(Some(End::Over)),
            State::Majority => return Ok(Some(End::Majority)),
            State::Repeated => return Ok(Some(End::Endless)),
            State::Open if game.plies().len() >= MOST_PLIES => return Ok(Some(End::Endless)),
            State::Open => {}
        }
        if self.options.play_on {
            return Ok(None);
        }
        Ok(self.value(game)?.map(|_| End::Adjudicated))
    }

    /// The value of the position for the player to move, if it is in the tables.
    fn value(&self, game: &Game) -> Result<Option<i8>, Failure> {
        match self.tables.probe(&game.now().board) {
            Ok(probe) => Ok(Some(probe.value)),
            Err(ProbeError::Missing { .. }) => Ok(None),
            Err(error) => Err(Failure::new(error)),
        }
    }

    /// Has an engine make its move. Returns its name.
    fn make_move(
        &self,
        game: &mut Game,
        number: usize,
        running: &mut Option<Engine<'a>>,
        begun: &mut bool,
        clocks: &mut Option<[Duration; 2]>,
    ) -> Result<String, Fault> {
        if running.is_none() {
            *running = Some(Engine::start(&self.specs[number], self.interrupt.flag())?);
        }
        let Some(engine) = running else { return Err(Fault::Gone) };
        if !std::mem::replace(begun, true) {
            engine.new_game()?;
        }
        let start = auale::write(game.start()).map_err(|error| Fault::NoStart(error.to_string()))?;
        let mut position = format!("fen {start}");
        if !game.plies().is_empty() {
            position += " moves ";
            position += &game.moves();
        }
        let south = game.now().south_to_move;
        let patience = self.options.limit.patience();
        let (go, most) = match (&*clocks, self.options.time) {
            (Some([a, b]), Some(Clock { more, .. })) => {
                let (south, north) = if south == (number == 0) { (a, b) } else { (b, a) };
                let [south, north, more_ms] = [*south, *north, more].map(|time| time.as_millis());
                let go = format!("go wtime {south} btime {north} winc {more_ms} binc {more_ms}");
                (go, clocks.map_or(patience, |clocks| clocks[number] + patience))
            }
            _ => match self.options.limit.limit() {
                limit @ Limit::MoveTime(time) => (limit.go(), time + patience),
                limit => (limit.go(), patience),
            },
        };
        let (play, took) = engine.think(&position, &go, most)?;
        if let (Some(clocks), Some(Clock { more, .. })) = (clocks, self.options.time) {
            let left = clocks[number].checked_sub(took).ok_or(Fault::Time(took))?;
            clocks[number] = left + more;
        }
        if play.south != south || game.play(play.pit).is_err() {
            return Err(Fault::Illegal(play.to_string()));
        }
        Ok(engine.name.clone())
    }

    /// What the game is worth to A.
    fn scored(
        &self,
        mut game: Game,
        end: End,
        a_is_south: bool,
        names: &[String; 2],
    ) -> Result<Played, Failure> {
        let stones = match &end {
            End::Fault(..) => None,
            End::Over => game.final_stones().map(|stones| stones.map(f64::from)),
            // What is left of a decided or endless game is shared; perfect play says otherwise.
            End::Majority | End::Endless | End::Adjudicated => {
                let value = if end == End::Endless { 0 } else { self.value(&game)?.unwrap_or(0) };
                let left = f64::from(game.now().board.stones());
                let south = if game.now().south_to_move { value } else { -value };
                let halves = [left + f64::from(south), left - f64::from(south)];
                game.now()
                    .side_stores()
                    .map(|[s, n]| [f64::from(s) + halves[0] / 2.0, f64::from(n) + halves[1] / 2.0])
            }
        };
        let difference = stones.map(|[south, north]| if a_is_south { south - north } else { north - south });
        let score = match (&end, difference) {
            (End::Fault(engine, _), _) => *engine as f64,
            (_, Some(difference)) => {
                difference.partial_cmp(&0.0).map_or(0.5, |order| f64::from(order as i8) / 2.0 + 0.5)
            }
            (_, None) => 0.5,
        };
        let whole = |[south, north]: [f64; 2]| {
            let is_whole = south.fract() == 0.0 && south + north == f64::from(MAX_STONES);
            is_whole.then_some(game::Outcome::Stones(south as u8, north as u8))
        };
        let south_score = if a_is_south { score } else { 1.0 - score };
        let winner = if south_score == 0.5 {
            game::Outcome::Draw
        } else if south_score > 0.5 {
            game::Outcome::South
        } else {
            game::Outcome::North
        };
        game.outcome = match end {
            End::Over => stones.and_then(whole).unwrap_or(winner),
            _ => winner,
        };
        let [south, north] = if a_is_south { [0, 1] } else { [1, 0] };
        game.tags.push(("Event".to_owned(), "awari match".to_owned()));
        game.tags.push(("South".to_owned(), names[south].clone()));
        game.tags.push(("North".to_owned(), names[north].clone()));
        game.tags.push(("Termination".to_owned(), end.to_string()));
        Ok(Played { game, end, score, difference })
    }
}

#[derive(Serialize)]
struct Report {
    rules: &'static str,
    /// Names of A and B.
    engines: [String; 2],
    games: usize,
    wins: usize,
    draws: usize,
    losses: usize,
    /// Of A, 0 to 1, by pairs of games.
    score: Option<Estimate>,
    /// Stones of A less stones of B a game, by pairs of games.
    difference: Option<Estimate>,
    /// How the games ended.
    ends: BTreeMap<&'static str, u64>,
    /// Games lost by a fault: which, and what the engine did.
    faults: Vec<JsonFault>,
}

#[derive(Serialize)]
struct JsonFault {
    /// From 1.
    game: usize,
    engine: &'static str,
    ply: usize,
    fault: String,
}

impl Report {
    /// Of games in order, those that were played.
    fn of(engines: [String; 2], rules: Rules, games: &[Option<Played>]) -> Report {
        let both = |pair: &[Option<Played>], of: &dyn Fn(&Played) -> Option<f64>| match pair {
            [Some(first), Some(second)] => Some((of(first)? + of(second)?) / 2.0),
            _ => None,
        };
        let pairs = |of: &dyn Fn(&Played) -> Option<f64>| -> Vec<f64> {
            games.chunks_exact(2).filter_map(|pair| both(pair, of)).collect()
        };
        let scores = pairs(&|played| Some(played.score));
        let differences = pairs(&|played| played.difference);
        let played = || games.iter().flatten();
        let mut ends = BTreeMap::new();
        played().for_each(|played| *ends.entry(played.end.name()).or_default() += 1);
        let fault = |(number, played): (usize, &Option<Played>)| match played.as_ref()? {
            Played { end: End::Fault(engine, fault), game, .. } => Some(JsonFault {
                game: number + 1,
                engine: ["A", "B"][*engine],
                ply: game.plies().len() + 1,
                fault: fault.to_string(),
            }),
            _ => None,
        };
        let count = |score: f64| played().filter(|played| played.score == score).count();
        Report {
            rules: rules.name(),
            engines,
            games: played().count(),
            wins: count(1.0),
            draws: count(0.5),
            losses: count(0.0),
            score: interval::mean(&scores).map(|score| Estimate {
                low: score.low.max(0.0),
                high: score.high.min(1.0),
                ..score
            }),
            difference: interval::mean(&differences),
            ends,
            faults: games.iter().enumerate().filter_map(fault).collect(),
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let [a, b] = &self.engines;
        writeln!(
            out,
            "A {a}\nB {b}\nrules {}, {} games; intervals of 95 %, by pairs of games",
            self.rules, self.games
        )?;
        writeln!(out, "A wins {}, draws {}, loses {}", self.wins, self.draws, self.losses)?;
        if let Some(Estimate { value, low, high }) = self.score {
            writeln!(out, "score of A   {:.1} % ({:.1} to {:.1})", 100.0 * value, 100.0 * low, 100.0 * high)?;
        }
        if let Some(Estimate { value, low, high }) = self.difference {
            writeln!(out, "stones of A  {value:+.2} a game ({low:+.2} to {high:+.2})")?;
        }
        let ends: Vec<String> = self.ends.iter().map(|(end, count)| format!("{count} {end}")).collect();
        writeln!(out, "ended by     {}", ends.join(", "))?;
        for JsonFault { game, engine, ply, fault } in &self.faults {
            writeln!(out, "game {game}, ply {ply}: engine {engine}: {fault}")?;
        }
        Ok(())
    }
}
