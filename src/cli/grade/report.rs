//! Grades for programs: the JSON objects and the lines of comma-separated values.

use std::collections::BTreeMap;

use awari::Rules;
use awari::game::{Game, GameError, Ply};
use awari::grade::{self, Counts, Outcome, Summary, Verdict};
use serde::{Serialize, Serializer};

use super::Total;
use crate::cli::games;
use crate::cli::line::pit_of;

/// A graded move.
#[derive(Serialize)]
pub struct JsonMove<'a> {
    kind: &'static str,
    file: &'a str,
    game: usize,
    /// Counted from 1.
    ply: usize,
    player: &'a str,
    side: &'static str,
    /// Before the move, the mover's pits first.
    board: [u8; 12],
    stones: u32,
    pit: char,
    captured: u8,
    /// What the best move is worth.
    value: i8,
    /// What this one is worth.
    played: i8,
    loss: u8,
    best: String,
    forced: bool,
    /// The outcome of the rest of the game before and after the move.
    rest: [Name; 2],
    /// The same of the whole game; null if captured stones are not known.
    whole: Option<[Name; 2]>,
    depth: Option<u16>,
    /// Plies given away without stones.
    missed: Option<u16>,
}

/// An outcome by name.
pub struct Name(pub Outcome);

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl<'a> JsonMove<'a> {
    pub fn of(
        path: &'a str,
        game: usize,
        ply: usize,
        player: &'a str,
        played: &Ply,
        grade: &grade::Grade,
    ) -> JsonMove<'a> {
        JsonMove {
            kind: "move",
            file: games::name(path),
            game,
            ply,
            player,
            side: if played.before.south_to_move { "South" } else { "North" },
            board: played.before.board.pits(),
            stones: played.before.board.stones(),
            pit: pit_of(played.pit, true),
            captured: played.captured,
            value: grade.before,
            played: grade.after,
            loss: grade.loss(),
            best: grade.best().map(|pit| pit_of(pit, true)).collect(),
            forced: grade.is_forced(),
            rest: grade.rest().map(Name),
            whole: grade.game.map(|outcomes| outcomes.map(Name)),
            depth: grade.depth,
            missed: grade.missed,
        }
    }
}

pub const CSV_HEAD: &str = "file,game,ply,player,side,board,stones,pit,captured,value,played,loss,best,forced,\
                            rest_before,rest_after,whole_before,whole_after,depth,missed";

/// A graded move as comma-separated values.
pub fn csv(line: &JsonMove<'_>) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let number = |number: Option<u16>| number.map_or(String::new(), |number| number.to_string());
    let board: Vec<String> = line.board.iter().map(u8::to_string).collect();
    let [rest_before, rest_after] = line.rest.each_ref().map(|name| name.0.name());
    let whole = line.whole.as_ref().map(|names| names.each_ref().map(|name| name.0.name()));
    let [whole_before, whole_after] = whole.unwrap_or_default();
    [
        quoted(line.file),
        line.game.to_string(),
        line.ply.to_string(),
        quoted(line.player),
        line.side.to_owned(),
        board.join(" "),
        line.stones.to_string(),
        line.pit.to_string(),
        line.captured.to_string(),
        line.value.to_string(),
        line.played.to_string(),
        line.loss.to_string(),
        line.best.clone(),
        line.forced.to_string(),
        rest_before.to_owned(),
        rest_after.to_owned(),
        whole_before.to_owned(),
        whole_after.to_owned(),
        number(line.depth),
        number(line.missed),
    ]
    .join(",")
}

/// A game that was read.
#[derive(Serialize)]
pub struct JsonGame<'a> {
    kind: &'static str,
    file: &'a str,
    game: usize,
    south: Option<&'a str>,
    north: Option<&'a str>,
    plies: usize,
    graded: usize,
    /// Moves not graded because the game was decided.
    decided: usize,
    /// Where it stands at the end of its record: `open`, `repeated`, `majority`, `no-stones`,
    /// `cannot-feed` or `all-slams`.
    state: &'static str,
    /// As the record says.
    result: String,
}

impl<'a> JsonGame<'a> {
    pub fn of(path: &'a str, number: usize, game: &'a Game, verdicts: &[Verdict]) -> JsonGame<'a> {
        let count = |is_so: fn(&Verdict) -> bool| verdicts.iter().filter(|verdict| is_so(verdict)).count();
        JsonGame {
            kind: "game",
            file: games::name(path),
            game: number,
            south: game.player(true),
            north: game.player(false),
            plies: verdicts.len(),
            graded: count(|verdict| matches!(verdict, Verdict::Graded(_))),
            decided: count(|verdict| matches!(verdict, Verdict::Decided)),
            state: game.state().name(),
            result: game.outcome.to_string(),
        }
    }
}

/// A game that could not be read.
#[derive(Serialize)]
pub struct JsonBroken<'a> {
    kind: &'static str,
    file: &'a str,
    game: usize,
    ply: Option<usize>,
    line: usize,
    character: usize,
    token: &'a str,
    error: String,
}

impl<'a> JsonBroken<'a> {
    pub fn of(path: &'a str, error: &'a GameError) -> JsonBroken<'a> {
        JsonBroken {
            kind: "broken",
            file: games::name(path),
            game: error.game,
            ply: error.ply,
            line: error.place.line,
            character: error.place.column,
            token: &error.token,
            error: error.to_string(),
        }
    }
}

/// All of it together.
#[derive(Serialize)]
pub struct JsonSummary<'a> {
    kind: &'static str,
    rules: &'static str,
    files: usize,
    games: usize,
    broken: usize,
    plies: u64,
    states: &'a BTreeMap<&'static str, usize>,
    players: Vec<JsonPlayer<'a>>,
}

#[derive(Serialize)]
struct JsonPlayer<'a> {
    player: &'a str,
    #[serde(flatten)]
    all: JsonCounts,
    no_table: u64,
    decided: u64,
    /// Missing tables by stones, with the number of moves that need them.
    missing: &'a BTreeMap<u32, u64>,
    by_stones: BTreeMap<u32, JsonCounts>,
}

#[derive(Serialize)]
pub struct JsonCounts {
    graded: u64,
    forced: u64,
    best: u64,
    share_best: Option<f64>,
    share_best_of_choices: Option<f64>,
    lost: u64,
    mean_loss: Option<f64>,
    rest_worse: u64,
    whole_worse: u64,
    paced: u64,
    slower: u64,
    plies_given_away: u64,
}

impl From<&Counts> for JsonCounts {
    fn from(counts: &Counts) -> JsonCounts {
        JsonCounts {
            graded: counts.graded,
            forced: counts.forced,
            best: counts.best,
            share_best: counts.share_best(),
            share_best_of_choices: counts.share_best_of_choices(),
            lost: counts.lost,
            mean_loss: counts.mean_loss(),
            rest_worse: counts.outcome,
            whole_worse: counts.game,
            paced: counts.paced,
            slower: counts.slower,
            plies_given_away: counts.plies,
        }
    }
}

impl<'a> JsonSummary<'a> {
    pub(super) fn of(rules: Rules, total: &'a Total) -> JsonSummary<'a> {
        let player = |(player, summary): (&'a String, &'a Summary)| JsonPlayer {
            player,
            all: (&summary.all).into(),
            no_table: summary.no_table,
            decided: summary.decided,
            missing: &summary.missing,
            by_stones: summary.by_stones.iter().map(|(&stones, counts)| (stones, counts.into())).collect(),
        };
        JsonSummary {
            kind: "summary",
            rules: rules.name(),
            files: total.files,
            games: total.games,
            broken: total.broken,
            plies: total.plies,
            states: &total.states,
            players: total.players.iter().map(player).collect(),
        }
    }
}
