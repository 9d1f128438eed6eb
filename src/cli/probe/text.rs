//! An answer for people.

use std::io::{self, Write};

use awari::notation::drawing;
use awari::rules::{End, Illegal};

use super::answer::{Answer, FinalScore};
use crate::cli::Signed;
use crate::cli::Stones;
use crate::cli::style::Style;

/// Draws the board and says what it is worth and what the moves are.
///
/// # Errors
/// If `out` cannot be written.
pub fn write(out: &mut impl Write, answer: &Answer, style: Style) -> io::Result<()> {
    out.write_all(drawing::write(&answer.position).as_bytes())?;
    let Answer { stones, value, settle, .. } = *answer;
    writeln!(out, "rules {}, {}", answer.rules, stones_on_board(stones))?;
    if let Some(end) = answer.end {
        writeln!(out, "the game is over: {}", reason(end))?;
    }
    writeln!(out, "value  {}  {}", style.good(format!("{:2}", Signed(value))), meaning(value))?;
    if let Some(depth) = answer.depth
        && value != 0
        && answer.end.is_none()
    {
        writeln!(out, "depth  {depth}  {}", plies(depth))?;
    }
    if answer.end.is_none() {
        writeln!(out, "settle {:2}  {}", Signed(settle), settling(value, settle))?;
    }
    if let Some(FinalScore { mover, waiting }) = answer.final_score {
        writeln!(out, "final score {mover} to {waiting} for the player to move")?;
    }
    for play in &answer.moves {
        let depth = match play.depth {
            Some(depth) if play.value != 0 => format!("  depth {depth}"),
            _ => String::new(),
        };
        let line = format!("{}  value {}{depth}{}", play.pit, Signed(play.value), capturing(play.captured));
        if play.best {
            writeln!(out, "  {}", style.good(format_args!("{line}  best")))?;
        } else {
            writeln!(out, "  {line}")?;
        }
    }
    for refused in &answer.illegal {
        let why = match refused.reason {
            Illegal::DoesNotFeed => "illegal: leaves the opponent without stones",
            Illegal::GrandSlam => "illegal: a grand slam, it would take all stones of the opponent",
        };
        writeln!(out, "  {}", style.faint(format_args!("{}  {why}", refused.pit)))?;
    }
    Ok(())
}

fn stones_on_board(stones: u32) -> String {
    format!("{} on the board", Stones(stones))
}

fn capturing(captured: u8) -> String {
    if captured == 0 { String::new() } else { format!("  captures {captured}") }
}

fn plies(depth: u16) -> &'static str {
    if depth == 1 { "ply to the next capture or the end" } else { "plies to the next capture or the end" }
}

fn meaning(value: i8) -> String {
    match value {
        0 => "both capture equally many from here".to_owned(),
        1.. => format!("the player to move captures {value} more than the opponent from here"),
        _ => format!("the opponent captures {} more than the player to move from here", -i32::from(value)),
    }
}

fn settling(value: i8, settle: i8) -> String {
    match i32::from(settle) - i32::from(value) {
        0 => "each keeping his own row is worth the same".to_owned(),
        gain @ 1.. => format!("the player to move gains {gain} if both agree to keep their own rows"),
        loss => format!("the player to move loses {} if both agree to keep their own rows", -loss),
    }
}

fn reason(end: End) -> &'static str {
    match end {
        End::NoStones => "the player to move has no stones, the opponent takes what is left",
        End::CannotFeed => "no move feeds the opponent, the player to move takes what is left",
        End::AllSlams => {
            "every move would leave the opponent without stones, the player to move takes what is left"
        }
    }
}
