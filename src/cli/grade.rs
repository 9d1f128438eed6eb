//! `awari grade`

mod annotate;
pub(super) mod report;
mod text;

use std::collections::BTreeMap;
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::{Path, PathBuf};

use awari::Tablebase;
use awari::game::{Format, Game, GameError};
use awari::grade::{self, Options, Summary, Verdict};

use super::games::{self, Broken, FormatOption};
use super::interrupt::Interrupt;
use super::new_games::NewGames;
use super::style::Style;
use super::{Failure, RulesOption, json_line};
use report::{CSV_HEAD, JsonBroken, JsonGame, JsonMove, JsonSummary, csv};

/// What each move of games cost, by the tables
///
/// For every move whose position is in the tables: its value, what it loses against the best move,
/// whether it changes the outcome, and with tables of depths how many plies it gives away. Then a
/// summary for each player, and the worst moves. Moves before the tables reach, and moves after a
/// player has more than 24 stones, are counted and not graded.
///
/// Games are oware game notation (.ogn, Aualé's), Aualé's suites (POSITION moves FeDb), OpenSpiel's
/// lists of actions, or a JSON object a line with board, move and player. Every game is played by
/// the rules; one that breaks them is named with the move and the rule, and left out as a whole.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Grade {
    /// Files of games; - is stdin
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    #[command(flatten)]
    rules: RulesOption,
    #[command(flatten)]
    from: FormatOption,
    /// Grade also the moves after a player has the majority
    #[arg(long)]
    past_majority: bool,
    /// How many of the worst moves to show
    #[arg(long, value_name = "N", default_value_t = 5)]
    worst: usize,
    /// Write the games, with the grade of each move as a comment, to this new file (.ogn)
    #[arg(long, value_name = "DEST")]
    annotate: Option<PathBuf>,
    /// Print one JSON object a line: a move, a game, a broken game or the summary
    #[arg(long)]
    json: bool,
    /// Print the graded moves as comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

const EXAMPLES: &str = "\
Examples:
  awari grade match.ogn --rules abapa
  awari grade games/*.ogn --json > grades.jsonl
  awari grade match.ogn --annotate graded.ogn --worst 10
  awari sample --stones 8 --reachable --format auale | awari grade -

Exit codes: 0 all games were read, 1 some are broken or could not be read; the others were graded.";

/// A move that lost something.
struct Mistake {
    file: String,
    game: usize,
    ply: usize,
    player: String,
    before: awari::notation::Position,
    grade: grade::Grade,
}

/// All that is known so far.
#[derive(Default)]
struct Total {
    files: usize,
    games: usize,
    broken: usize,
    plies: u64,
    players: BTreeMap<String, Summary>,
    all: Summary,
    worst: Vec<Mistake>,
    /// States in which games ended, with how many did.
    states: BTreeMap<&'static str, usize>,
}

impl Grade {
    /// Runs the command.
    ///
    /// # Errors
    /// If a file cannot be read, a game is broken, or a table cannot be used.
    pub fn run(self, dir: &Path) -> Result<(), Failure> {
        let tables = Tablebase::open(dir, self.rules.rules).map_err(Failure::new)?;
        let mut annotated = match &self.annotate {
            Some(path) => Some(NewGames::new(path).map_err(Failure::new)?),
            None => None,
        };
        let interrupt = Interrupt::listen()?;
        let mut run = Run {
            command: &self,
            tables: &tables,
            out: BufWriter::new(io::stdout().lock()),
            total: Total::default(),
        };
        if self.csv {
            writeln!(run.out, "{CSV_HEAD}").map_err(|error| Failure::output(&error))?;
        }
        let mut unread = 0;
        for path in &self.files {
            let text = match games::text(path) {
                Ok(text) => text,
                Err(message) => {
                    unread += 1;
                    let _ = Style::stderr().error(&message);
                    continue;
                }
            };
            run.total.files += 1;
            run.file(path, &text, &mut annotated, &interrupt)?;
            if interrupt.pressed() {
                return Err(Failure::interrupted(format_args!("stopped after {} games.", run.total.games)));
            }
        }
        if run.total.games + run.total.broken == 0 && unread == 0 {
            return Err(Failure::new("no games were given: the files hold none."));
        }
        if let Some(annotated) = annotated {
            annotated.finish().map_err(Failure::new)?;
        }
        run.finish().map_err(|error| Failure::output(&error))?;
        let (games, broken) = (run.total.games + run.total.broken, run.total.broken);
        match (broken, unread) {
            (0, 0) => Ok(()),
            (0, _) => Err(Failure::said()),
            _ => Err(Failure::new(format_args!("broken games, which were not graded: {broken} of {games}."))),
        }
    }
}

struct Run<'a> {
    command: &'a Grade,
    tables: &'a Tablebase,
    out: BufWriter<StdoutLock<'a>>,
    total: Total,
}

impl Run<'_> {
    fn file(
        &mut self,
        path: &str,
        text: &str,
        annotated: &mut Option<NewGames>,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        let format = self.command.from.from.unwrap_or_else(|| Format::detect(text));
        let mut bad = Broken::of(path);
        let mut before = self.total.games + self.total.broken;
        for (number, game) in games::read(text, Some(format), self.tables.rules()).enumerate() {
            if interrupt.pressed() {
                break;
            }
            match game {
                Ok(mut game) => {
                    let verdicts = grade::game(
                        self.tables,
                        &game,
                        Options { past_majority: self.command.past_majority },
                    )
                    .map_err(|error| {
                        Failure::new(format_args!("{}: game {}: {error}", games::name(path), number + 1))
                    })?;
                    self.game(path, number + 1, &game, &verdicts).map_err(|error| Failure::output(&error))?;
                    if let Some(annotated) = annotated {
                        annotate::annotate(&mut game, &verdicts);
                        annotated.add(&game).map_err(Failure::new)?;
                    }
                }
                Err(error) => {
                    self.total.broken += 1;
                    bad.add(&error);
                    self.broken(path, &error).map_err(|error| Failure::output(&error))?;
                }
            }
            before += 1;
        }
        bad.finish();
        if before == 0 {
            let _ = Style::stderr().error(&format!("{}: there is no game in it.", games::name(path)));
        }
        Ok(())
    }

    fn broken(&mut self, path: &str, error: &GameError) -> io::Result<()> {
        if self.command.json { json_line(&mut self.out, &JsonBroken::of(path, error)) } else { Ok(()) }
    }

    fn game(&mut self, path: &str, number: usize, game: &Game, verdicts: &[Verdict]) -> io::Result<()> {
        self.total.games += 1;
        self.total.plies += verdicts.len() as u64;
        *self.total.states.entry(game.state().name()).or_default() += 1;
        for (ply, (played, verdict)) in game.plies().iter().zip(verdicts).enumerate() {
            let south = played.before.south_to_move;
            let player = game.player(south).unwrap_or(if south { "South" } else { "North" });
            if !self.total.players.contains_key(player) {
                self.total.players.insert(player.to_owned(), Summary::default());
            }
            if let Some(summary) = self.total.players.get_mut(player) {
                summary.add(&played.before.board, verdict);
            }
            self.total.all.add(&played.before.board, verdict);
            let Verdict::Graded(grade) = verdict else { continue };
            let line = JsonMove::of(path, number, ply + 1, player, played, grade);
            if self.command.json {
                json_line(&mut self.out, &line)?;
            } else if self.command.csv {
                writeln!(self.out, "{}", csv(&line))?;
            }
            self.note(Mistake {
                file: games::name(path).to_owned(),
                game: number,
                ply: ply + 1,
                player: player.to_owned(),
                before: played.before,
                grade: grade.clone(),
            });
        }
        if self.command.json {
            json_line(&mut self.out, &JsonGame::of(path, number, game, verdicts))?;
        }
        Ok(())
    }

    /// Keeps a mistake if it is among the worst; of equals the first.
    fn note(&mut self, mistake: Mistake) {
        let worst = &mut self.total.worst;
        let loss = mistake.grade.loss();
        let full = worst.len() >= self.command.worst;
        if loss == 0 || full && worst.last().is_none_or(|last| last.grade.loss() >= loss) {
            return;
        }
        let at = worst.partition_point(|other| other.grade.loss() >= loss);
        worst.insert(at, mistake);
        worst.truncate(self.command.worst);
    }

    fn finish(&mut self) -> io::Result<()> {
        if self.command.json {
            json_line(&mut self.out, &JsonSummary::of(self.tables.rules(), &self.total))?;
        } else if !self.command.csv {
            text::write(&mut self.out, &self.total, self.tables, Style::stdout())?;
        }
        self.out.flush()
    }
}
