//! `awari play`

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use awari::Tablebase;
use awari::index::Index;
use awari::notation::{Notation, Position, Stores, drawing};
use awari::rules::{self, Choice, Illegal};
use awari::tablebase::{MoveValue, ProbeError, State};
use clap::ValueEnum;

use super::line::pit_of;
use super::style::Style;
use super::{Failure, RulesOption, Signed, one_position, read_line};

/// Play against perfect play
///
/// Name the pit to play: A to F, from your left. Other answers: ? shows what each move is worth,
/// u takes your last move back, q gives up. A move that loses something is told what it cost.
///
/// Without a position, one is drawn by lot from the largest table. Tables of depths (awari build
/// --depth) make the program win what is won.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Play {
    /// The position, quoted or as twelve numbers
    #[arg(value_name = "POSITION", allow_negative_numbers = true)]
    position: Vec<String>,
    #[command(flatten)]
    rules: RulesOption,
    /// Your side; South is to move unless the position says otherwise
    #[arg(long, value_enum, default_value = "south")]
    you: Side,
}

const EXAMPLES: &str = "\
Examples:
  awari play
  awari play '0 1 0 2 1 1 / 1 0 2 1 2 1'
  awari play --you north --rules abapa 0 1 0 2 1 1 1 0 2 1 2 1";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Side {
    South,
    North,
}

/// A board seen for the third time ends the game: neither gets on.
const REPETITIONS: usize = 3;

impl Play {
    /// Runs the command.
    ///
    /// # Errors
    /// If the position cannot be read, or a table that is needed is missing or cannot be used.
    pub fn run(self, dir: &Path) -> Result<(), Failure> {
        let tables = Tablebase::open(dir, self.rules.rules).map_err(Failure::new)?;
        let position = match self.position.as_slice() {
            [] => by_lot(&tables)?,
            given => one_position(given)?,
        };
        let mut game = Game {
            tables,
            you_are_south: self.you == Side::South,
            past: Vec::new(),
            now: Position { notation: Notation::Native, stores: Some(stores(&position)), ..position },
            style: Style::stdout(),
            prompt: io::stdin().is_terminal(),
        };
        game.play(&mut io::stdin().lock(), &mut io::stdout().lock())
    }
}

/// What both have captured; 0 where that is not known.
fn stores(position: &Position) -> Stores {
    position.stores.unwrap_or(Stores { mover: 0, waiting: 0 })
}

/// A board of the largest table in which the game is not over.
fn by_lot(tables: &Tablebase) -> Result<Position, Failure> {
    let usable = tables.found().into_iter().filter(|found| matches!(found.state, State::Usable));
    let Some(stones) = usable.map(|found| found.stones).max() else {
        return Err(Failure::new(format_args!(
            "no tables of rules {} in {}. Build some, for example with awari build --stones 12 --depth.",
            tables.rules(),
            tables.directory().display()
        )));
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let index = Index::new(stones);
    let mut lot = now.as_nanos() as u64;
    loop {
        lot = lot.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let board = index.board((lot >> 16) % index.positions());
        // The boards of 0 stones are all over.
        if stones == 0 || rules::turn(&board, tables.rules()).end.is_none() {
            return Ok(Position { board, stores: None, south_to_move: true, notation: Notation::Native });
        }
    }
}

struct Game {
    tables: Tablebase,
    you_are_south: bool,
    /// The positions before, oldest first.
    past: Vec<Position>,
    now: Position,
    style: Style,
    /// Whether someone sits at the terminal.
    prompt: bool,
}

/// What you answered.
enum Answer {
    Pit(usize),
    Hint,
    TakeBack,
    GiveUp,
    Other,
}

impl Game {
    fn play(&mut self, input: &mut impl BufRead, out: &mut impl Write) -> Result<(), Failure> {
        let output = |error: io::Error| Failure::output(&error);
        let (mut draw, mut line) = (true, Vec::new());
        loop {
            if let Some(end) = self.end() {
                return self.finish(out, &end).map_err(output);
            }
            if self.now.south_to_move != self.you_are_south {
                let Some(play) = self.tables.best_move(&self.now.board).map_err(Failure::new)? else {
                    continue;
                };
                self.tell(out, "The program plays", &play).map_err(output)?;
                self.make(&play);
                draw = true;
                continue;
            }
            if std::mem::take(&mut draw) {
                out.write_all(drawing::write(&self.now).as_bytes()).map_err(output)?;
            }
            if self.prompt {
                write!(out, "Your move (A-F, ? hints, u take back, q give up): ").map_err(output)?;
            }
            out.flush().map_err(output)?;
            match read_line(input, &mut line) {
                Ok(0) => return self.give_up(out).map_err(output),
                Ok(_) => {}
                Err(error) => return Err(Failure::new(format_args!("cannot read stdin: {error}"))),
            }
            let written = match answer(&String::from_utf8_lossy(&line)) {
                Answer::GiveUp => return self.give_up(out).map_err(output),
                Answer::Hint => {
                    let moves = self.tables.moves(&self.now.board).map_err(Failure::new)?;
                    self.hint(out, &moves)
                }
                Answer::TakeBack => {
                    draw = self.take_back();
                    if draw { Ok(()) } else { writeln!(out, "There is no move of yours to take back.") }
                }
                Answer::Other => writeln!(out, "Name a pit, A to F; or ?, u, q."),
                Answer::Pit(pit) => {
                    draw = true;
                    self.your_move(out, pit)?
                }
            };
            written.map_err(output)?;
        }
    }

    /// Why the game is over, if it is.
    fn end(&self) -> Option<String> {
        if let Some(end) = rules::turn(&self.now.board, self.tables.rules()).end {
            return Some(format!("The game is over: {}.", end.name()));
        }
        let same =
            |past: &&Position| past.board == self.now.board && past.south_to_move == self.now.south_to_move;
        let before = self.past.iter().filter(same).count();
        (before + 1 >= REPETITIONS)
            .then(|| "The board is the same for the third time: what is left is split evenly.".to_owned())
    }

    /// Plays your pit, if you may, and says what it cost.
    fn your_move(&mut self, out: &mut impl Write, pit: usize) -> Result<io::Result<()>, Failure> {
        let refused = match rules::turn(&self.now.board, self.tables.rules()).choices[pit] {
            Choice::Legal(_) => None,
            Choice::Empty => Some("That pit is empty."),
            Choice::Illegal(Illegal::DoesNotFeed) => Some("Not allowed: your opponent would have no stones."),
            Choice::Illegal(Illegal::GrandSlam) => Some("Not allowed: a grand slam."),
        };
        if let Some(refused) = refused {
            return Ok(writeln!(out, "{refused}"));
        }
        let moves = self.tables.moves(&self.now.board).map_err(Failure::new)?;
        let best = self.tables.best_move(&self.now.board).map_err(Failure::new)?;
        let (Some(play), Some(best)) = (moves.into_iter().find(|play| play.pit == pit), best) else {
            return Ok(Ok(()));
        };
        let told = self.tell(out, "You play", &play).and_then(|()| {
            let lost = i32::from(best.value) - i32::from(play.value);
            if lost == 0 {
                return Ok(());
            }
            let better = pit_of(best.pit, self.now.south_to_move);
            let cost = format!(
                "That costs {lost}: {better} was worth {}, this is {}.",
                Signed(best.value),
                Signed(play.value)
            );
            writeln!(out, "{}", self.style.bad(cost))
        });
        self.make(&play);
        Ok(told)
    }

    fn tell(&self, out: &mut impl Write, who: &str, play: &MoveValue) -> io::Result<()> {
        let pit = pit_of(play.pit, self.now.south_to_move);
        let captured =
            if play.captured > 0 { format!(" and captures {}", play.captured) } else { String::new() };
        writeln!(out, "{who} {pit}{captured}.")
    }

    fn hint(&self, out: &mut impl Write, moves: &[MoveValue]) -> io::Result<()> {
        for play in moves {
            let pit = pit_of(play.pit, self.now.south_to_move);
            let depth = match play.depth() {
                Some(depth) if play.value != 0 && play.best => format!("  depth {depth}"),
                _ => String::new(),
            };
            let captured =
                if play.captured > 0 { format!("  captures {}", play.captured) } else { String::new() };
            let line = format!("  {pit}  value {}{depth}{captured}", Signed(play.value));
            if play.best {
                writeln!(out, "{}", self.style.good(format_args!("{line}  best")))?;
            } else {
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
    }

    fn make(&mut self, play: &MoveValue) {
        self.past.push(self.now);
        let Stores { mover, waiting } = stores(&self.now);
        self.now = Position {
            board: play.child,
            stores: Some(Stores { mover: waiting, waiting: mover + play.captured }),
            south_to_move: !self.now.south_to_move,
            notation: Notation::Native,
        };
    }

    /// Back to your last choice; whether there was one.
    fn take_back(&mut self) -> bool {
        let yours = |past: &Position| past.south_to_move == self.you_are_south;
        let Some(last) = self.past.iter().rposition(yours) else { return false };
        self.now = self.past[last];
        self.past.truncate(last);
        true
    }

    fn finish(&self, out: &mut impl Write, why: &str) -> io::Result<()> {
        let board = &self.now.board;
        let stones = board.stones() as i32;
        // Of the stones that are left, in halves: an odd one may be shared.
        let gain = rules::turn(board, self.tables.rules()).end_value(board.stones()).map_or(0, i32::from);
        let Stores { mover, waiting } = stores(&self.now);
        let of = |captured: u8, gain: i32| f64::from(2 * i32::from(captured) + stones + gain) / 2.0;
        let (mover, waiting) = (of(mover, gain), of(waiting, -gain));
        let yours_to_move = self.now.south_to_move == self.you_are_south;
        let (you, program) = if yours_to_move { (mover, waiting) } else { (waiting, mover) };
        out.write_all(drawing::write(&self.now).as_bytes())?;
        writeln!(out, "{why}")?;
        writeln!(out, "You have {you} stones, the program {program}.")
    }

    fn give_up(&self, out: &mut impl Write) -> io::Result<()> {
        let value: Result<i8, ProbeError> = self.tables.value(&self.now.board);
        match value {
            Ok(value) => writeln!(out, "You stop. The rest was worth {} to you.", Signed(value)),
            Err(_) => writeln!(out, "You stop."),
        }
    }
}

fn answer(line: &str) -> Answer {
    let mut letters = line.trim().chars();
    match (letters.next().map(|letter| letter.to_ascii_uppercase()), letters.next()) {
        (Some(letter @ 'A'..='F'), None) => Answer::Pit(usize::from(letter as u8 - b'A')),
        (Some('?'), None) => Answer::Hint,
        (Some('U'), None) => Answer::TakeBack,
        (Some('Q'), None) => Answer::GiveUp,
        _ => Answer::Other,
    }
}
