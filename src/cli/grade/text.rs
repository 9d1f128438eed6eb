//! Grades for people.

use std::collections::BTreeMap;
use std::io::{self, Write};

use awari::grade::{Counts, Grade, Outcome};
use awari::notation::drawing;
use awari::{Tablebase, units};

use super::{Mistake, Total};
use crate::cli::line::pit_of;
use crate::cli::style::Style;

/// A grade in a few words; pits by the letters of the player's side.
pub fn remark(grade: &Grade, south: bool) -> String {
    let change = |[before, after]: [Outcome; 2]| format!("{} to {}", before.name(), after.name());
    if grade.is_best() {
        let how = if grade.is_forced() { "forced" } else { "best" };
        return match grade.missed {
            Some(missed @ 1..) => {
                format!(
                    "{how}, value {:+}, {} given away",
                    grade.before,
                    counted(missed.into(), "ply", "plies")
                )
            }
            _ => format!("{how}, value {:+}", grade.before),
        };
    }
    let best: Vec<String> = grade.best().map(|pit| pit_of(pit, south).to_string()).collect();
    let mut text = format!(
        "loses {}, value {:+} to {:+}, best {}",
        grade.loss(),
        grade.before,
        grade.after,
        best.join(" ")
    );
    let [before, after] = grade.rest();
    if after < before {
        text += &format!(", {}", change([before, after]));
    }
    if let Some([before, after]) = grade.game
        && after < before
    {
        text += &format!(", the game {}", change([before, after]));
    }
    text
}

fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", units::count(number), if number == 1 { one } else { many })
}

/// The summary and the worst moves.
///
/// # Errors
/// If `out` cannot be written.
pub fn write(out: &mut impl Write, total: &Total, tables: &Tablebase, style: Style) -> io::Result<()> {
    let all = &total.all;
    write!(
        out,
        "{}, {}",
        counted(total.games as u64, "game", "games"),
        counted(total.plies, "move", "moves")
    )?;
    writeln!(out, " under rules {}: {} graded", tables.rules(), units::count(all.all.graded))?;
    if all.no_table > 0 {
        writeln!(out, "not graded, no table: {}", counted(all.no_table, "move", "moves"))?;
        writeln!(out, "  missing tables: {} stones", ranges(&all.missing))?;
    }
    if all.decided > 0 {
        let moves = counted(all.decided, "move", "moves");
        writeln!(out, "not graded, the game was decided by a majority before: {moves}")?;
    }
    if total.games == 0 {
        return Ok(());
    }
    let states = total.states.iter().map(|(state, games)| format!("{state} {games}"));
    writeln!(out, "ends: {}", states.collect::<Vec<String>>().join(", "))?;
    if all.all.graded == 0 {
        return Ok(());
    }
    let width = total.players.keys().map(|name| name.chars().count()).max().unwrap_or_default().clamp(6, 30);
    writeln!(out)?;
    let head = format!("{:width$} {HEAD}", "player");
    writeln!(out, "{}", style.faint(head))?;
    for (player, summary) in &total.players {
        let player: String = player.chars().take(width).collect();
        writeln!(out, "{player:width$} {}", row(&summary.all))?;
    }
    writeln!(out)?;
    let head = format!("{:>6} {HEAD}", "stones");
    writeln!(out, "{}", style.faint(head))?;
    for (stones, counts) in &all.by_stones {
        writeln!(out, "{stones:>6} {}", row(counts))?;
    }
    for mistake in &total.worst {
        writeln!(out)?;
        write_mistake(out, mistake, style)?;
    }
    Ok(())
}

const HEAD: &str =
    "  graded  forced    best  of choices  mean loss  worse outcome  worse game  slower  plies lost";

fn row(counts: &Counts) -> String {
    let percent =
        |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{:.1} %", 100.0 * share));
    let mean = counts.mean_loss().map_or("-".to_owned(), |mean| format!("{mean:.3}"));
    format!(
        "{:>8}{:>8}{:>8}{:>12}{mean:>11}{:>15}{:>12}{:>8}{:>12}",
        units::count(counts.graded),
        units::count(counts.forced),
        percent(counts.share_best()),
        percent(counts.share_best_of_choices()),
        units::count(counts.outcome),
        units::count(counts.game),
        units::count(counts.slower),
        units::count(counts.plies),
    )
}

fn write_mistake(out: &mut impl Write, mistake: &Mistake, style: Style) -> io::Result<()> {
    let Mistake { file, game, ply, player, before, grade } = mistake;
    let pit = pit_of(grade.pit, before.south_to_move);
    writeln!(
        out,
        "{file}, game {game}, move {ply}: {player} plays {pit}, {}",
        style.bad(remark(grade, before.south_to_move))
    )?;
    out.write_all(drawing::write(before).as_bytes())
}

/// Numbers, with `..` for those that follow each other: `3, 17..48`.
fn ranges(numbers: &BTreeMap<u32, u64>) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &number in numbers.keys() {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let range = |&(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}..{last}"),
    };
    ranges.iter().map(range).collect::<Vec<String>>().join(", ")
}
