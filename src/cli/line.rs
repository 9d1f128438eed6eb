//! `awari line`

use std::io::{self, Write};
use std::path::Path;

use awari::Tablebase;
use awari::notation::{Notation, Position, Stores, drawing};
use awari::tablebase::{self, Finish, Ply};
use serde::Serialize;

use super::style::Style;
use super::{Failure, RulesOption, Signed, json_line, one_position};

/// Best play of both sides to the end of the game
///
/// The winner gets on as fast as he can, the loser holds out as long as he can; where nobody wins,
/// each leaves the other most ways to go wrong. The line ends with the game, or where play goes
/// round in circles because neither can do better.
///
/// Pits are A to F for South, who is to move unless the position says otherwise, and a to f for
/// North. With tables of depths (awari build --depth) every line is found. Without them the way
/// is searched, and the line says so where it is not found.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Line {
    /// The position, quoted or as twelve numbers
    #[arg(value_name = "POSITION", required = true, allow_negative_numbers = true)]
    position: Vec<String>,
    #[command(flatten)]
    rules: RulesOption,
    /// Draw the board before each move
    #[arg(long, conflicts_with = "json")]
    boards: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  awari line '0 0 1 0 0 2 / 1 2 0 0 1 0'
  awari line --boards 0 0 1 0 0 2 1 2 0 0 1 0
  awari line --json --rules abapa '0-0-1-0-0-2-1-2-0-0-1-0-21-20-S'";

impl Line {
    /// Runs the command.
    ///
    /// # Errors
    /// If the position cannot be read, or a table that is needed is missing or cannot be used.
    pub fn run(self, dir: &Path) -> Result<(), Failure> {
        let position = one_position(&self.position)?;
        let tables = Tablebase::open(dir, self.rules.rules).map_err(Failure::new)?;
        let line = tables.line(&position.board).map_err(Failure::new)?;
        let mut out = io::stdout().lock();
        let written = if self.json {
            json_line(&mut out, &Json::of(&tables, &position, &line))
        } else {
            self.write(&mut out, &position, &line)
        };
        written.map_err(|error| Failure::output(&error))
    }

    /// For people: a line for each move.
    fn write(&self, out: &mut impl Write, position: &Position, line: &tablebase::Line) -> io::Result<()> {
        let style = Style::stdout();
        let mut now = *position;
        if !self.boards {
            out.write_all(drawing::write(&now).as_bytes())?;
        }
        for (number, ply) in line.plies.iter().enumerate() {
            if self.boards {
                out.write_all(drawing::write(&now).as_bytes())?;
            }
            let pit = pit_of(ply.pit, now.south_to_move);
            let depth = match ply.depth {
                Some(depth) if ply.value != 0 => format!("  depth {depth}"),
                _ => String::new(),
            };
            let captured = match ply.captured {
                0 => String::new(),
                captured => style.good(format_args!("  captures {captured}")).to_string(),
            };
            writeln!(out, "{:3}. {pit}  value {}{depth}{captured}", number + 1, Signed(ply.value))?;
            let after = line.plies.get(number + 1).map_or(line.last, |next| next.board);
            now = played(&now, ply, after);
        }
        if self.boards || !line.plies.is_empty() {
            out.write_all(drawing::write(&now).as_bytes())?;
        }
        writeln!(out, "{}", ending(line))?;
        let [first, second] = line.captured;
        let (player, opponent) = if position.south_to_move { ("South", "North") } else { ("North", "South") };
        writeln!(out, "captured: {player} {first}, {opponent} {second}")?;
        writeln!(out, "difference {} for {player}, who began", Signed(line.difference))
    }
}

/// The position after a move.
pub fn played(position: &Position, ply: &Ply, after: awari::Board) -> Position {
    let stores =
        position.stores.map(|stores| Stores { mover: stores.waiting, waiting: stores.mover + ply.captured });
    Position { board: after, stores, south_to_move: !position.south_to_move, notation: Notation::Native }
}

/// The name of a pit: A to F for South, a to f for North.
pub fn pit_of(pit: usize, south: bool) -> char {
    char::from(if south { b'A' } else { b'a' } + pit as u8)
}

/// The moves of a line, run together: `FeDb`.
pub fn moves(line: &tablebase::Line, south_begins: bool) -> String {
    let pits = line.plies.iter().enumerate();
    pits.map(|(number, ply)| pit_of(ply.pit, south_begins == (number % 2 == 0))).collect()
}

fn ending(line: &tablebase::Line) -> String {
    match line.finish {
        Finish::Over(end) => format!("the game is over: {}", end.name()),
        Finish::EndlessPlay { from } => format!(
            "endless play: the board is the same as before move {}; what is left ({}) is split evenly",
            from + 1,
            line.last.stones()
        ),
        Finish::NotKnown => "not known: the value is certain, the way to it is not. Build the depths of \
                             so many stones: awari build --depth"
            .to_owned(),
    }
}

/// The JSON of a line.
#[derive(Serialize)]
pub struct Json {
    board: [u8; 12],
    rules: &'static str,
    plies: Vec<JsonPly>,
    last: [u8; 12],
    /// `no-stones`, `cannot-feed`, `all-slams`, `endless-play` or `not-known`.
    finish: &'static str,
    /// The ply, counted from 0, where the circle of endless play starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<usize>,
    captured: [u8; 2],
    difference: i8,
    moves: String,
}

#[derive(Serialize)]
pub struct JsonPly {
    board: [u8; 12],
    value: i8,
    depth: Option<u16>,
    pit: char,
    captured: u8,
}

impl Json {
    pub fn of(tables: &Tablebase, position: &Position, line: &tablebase::Line) -> Json {
        let ply = |ply: &Ply| JsonPly {
            board: ply.board.pits(),
            value: ply.value,
            depth: ply.depth,
            pit: pit_of(ply.pit, true),
            captured: ply.captured,
        };
        let (finish, from) = match line.finish {
            Finish::Over(end) => (end.name(), None),
            Finish::EndlessPlay { from } => ("endless-play", Some(from)),
            Finish::NotKnown => ("not-known", None),
        };
        Json {
            board: position.board.pits(),
            rules: tables.rules().name(),
            plies: line.plies.iter().map(ply).collect(),
            last: line.last.pits(),
            finish,
            from,
            captured: line.captured,
            difference: line.difference,
            moves: moves(line, position.south_to_move),
        }
    }
}
