//! Grades are what the tables say, and `awari grade` says them.

mod common;
mod program;

use std::fs;
use std::path::Path;

use awari::game::{Format, Game};
use awari::grade::{self, Counts, Options, Outcome, Summary, Verdict};
use awari::{Rules, Tablebase};
use program::{awari, awari_with_input, databases};
use serde_json::{Value, json};
use tempfile::TempDir;

fn path(name: &str) -> String {
    format!("tests/data/games/{name}")
}

fn games(name: &str, rules: Rules) -> Vec<Game> {
    let text = fs::read_to_string(path(name)).unwrap();
    let games: Vec<Game> = Format::detect(&text).read(&text, rules).map(Result::unwrap).collect();
    assert!(!games.is_empty());
    games
}

/// The grades of every file, computed anew from the values of single boards.
#[test]
fn grades_are_what_the_tables_say() {
    let dir = TempDir::new().unwrap();
    let awari = common::build_with_depths(dir.path(), Rules::Awari, 8);
    let abapa = common::build_with_depths(dir.path(), Rules::Abapa, 7);
    let mut graded = 0;
    for (name, tables) in [("clauses.ogn", &awari), ("auale.ogn", &abapa)] {
        for game in games(name, tables.rules()) {
            let verdicts = grade::game(tables, &game, Options { past_majority: true }).unwrap();
            assert_eq!(verdicts.len(), game.plies().len());
            for (ply, (played, verdict)) in game.plies().iter().zip(&verdicts).enumerate() {
                let after = game.plies().get(ply + 1).map_or(game.now(), |next| &next.before);
                let stones = played.before.board.stones();
                let Verdict::Graded(grade) = verdict else {
                    assert!(tables.table(stones).is_err(), "{stones} stones were not graded");
                    continue;
                };
                let value = tables.value(&played.before.board).unwrap();
                let left = played.captured as i8 - tables.value(&after.board).unwrap();
                assert_eq!((grade.before, grade.after), (value, left));
                assert_eq!(i32::from(grade.loss()), i32::from(value) - i32::from(left));
                let stores = played.before.stores;
                let whole = stores.map(|stores| {
                    let so_far = i32::from(stores.mover) - i32::from(stores.waiting);
                    [Outcome::of(so_far + i32::from(value)), Outcome::of(so_far + i32::from(left))]
                });
                assert_eq!(grade.game, whole);
                if value != 0 {
                    let depth = |board| tables.probe(board).unwrap().depth.unwrap();
                    assert_eq!(grade.depth, Some(depth(&played.before.board)));
                    if value == left {
                        let here = if played.captured > 0 { 1 } else { 1 + depth(&after.board) };
                        assert_eq!(grade.missed, Some(here.abs_diff(depth(&played.before.board))));
                    }
                }
                graded += 1;
            }
        }
    }
    // All moves of the first file, and the ends of the games of the second.
    assert_eq!(graded, 46 + 91);
}

#[test]
fn mistakes_are_weighed() {
    let tables = Tablebase::open(databases(), Rules::Awari).unwrap();
    let all = games("clauses.ogn", Rules::Awari);
    let verdicts = grade::game(&tables, &all[0], Options::default()).unwrap();
    let [Verdict::Graded(first), Verdict::Graded(second), Verdict::Decided] = &verdicts[..] else {
        panic!("{verdicts:?}");
    };
    // +8 thrown away: North takes five, and the rest.
    assert_eq!((first.before, first.after, first.loss()), (8, -8, 16));
    assert_eq!(first.best().collect::<Vec<usize>>(), [1]);
    assert_eq!(first.rest(), [Outcome::Win, Outcome::Loss]);
    assert_eq!(first.game, Some([Outcome::Win, Outcome::Loss]));
    // Without depths nothing is said about speed, except of what takes none.
    assert_eq!((first.depth, first.missed), (None, None));
    assert!(second.is_best());
    let mut summary = Summary::default();
    for (ply, verdict) in all[0].plies().iter().zip(&verdicts) {
        summary.add(&ply.before.board, verdict);
    }
    let Counts { graded, best, lost, outcome, game, .. } = summary.all;
    assert_eq!((graded, best, lost, outcome, game, summary.decided), (2, 1, 16, 1, 1, 1));
    assert_eq!(summary.by_stones[&8].graded, 2);

    // A majority decides; past it moves are graded only on request.
    let count = |options| {
        let verdicts = grade::game(&tables, &all[2], options).unwrap();
        verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Graded(_))).count()
    };
    assert_eq!(count(Options::default()), 21);
    assert_eq!(count(Options { past_majority: true }), 25);
    // Captured stones are not known: neither is the whole game.
    let verdicts = grade::game(&tables, &all[1], Options::default()).unwrap();
    assert_eq!(verdicts.len(), 3);
    assert!(verdicts.iter().all(|verdict| matches!(verdict, Verdict::Graded(grade) if grade.game.is_none())));
}

#[test]
fn missing_tables_are_named() {
    let run = awari(databases(), &["grade", &path("suite.txt"), "--json"]).exits(1);
    let lines = run.json();
    let summary = lines.last().unwrap();
    assert_eq!(summary["kind"], "summary");
    let missing: u64 = summary["players"]
        .as_array()
        .unwrap()
        .iter()
        .map(|player| player["missing"]["48"].as_u64().unwrap_or(0))
        .sum();
    assert_eq!(missing, 2);
    run.says(&["broken games, which were not graded: 3 of 6."]);
    awari(databases(), &["grade", &path("openspiel.txt")])
        .exits(1)
        .prints(&["0 graded", "missing tables: 48 stones"]);
}

#[test]
fn broken_games_do_not_keep_others_from_being_graded() {
    let run = awari(databases(), &["grade", &path("broken.ogn"), "--json"]).exits(1);
    let lines = run.json();
    let broken: Vec<&Value> = lines.iter().filter(|line| line["kind"] == "broken").collect();
    assert_eq!(broken.len(), 16);
    assert_eq!(
        (&broken[2]["game"], &broken[2]["ply"], &broken[2]["line"]),
        (&json!(3), &json!(1), &json!(12))
    );
    let moves: Vec<&Value> = lines.iter().filter(|line| line["kind"] == "move").collect();
    assert_eq!(moves.len(), 1);
    assert_eq!((&moves[0]["game"], &moves[0]["loss"]), (&json!(17), &json!(0)));
    run.says(&[
        "broken.ogn: game 3, move 1, line 12, character 4: \"F+5\": a grand slam",
        "broken.ogn: game 5, move 2, line 21, character 6: \"e+3\": the move captures nothing",
        "broken games, which were not graded: 16 of 17.",
    ]);
}

#[test]
fn people_and_programs_see_the_same() {
    let file = path("clauses.ogn");
    let run = awari(databases(), &["grade", &file]).exits(0);
    run.prints(&[
        "5 games, 46 moves under rules awari: 40 graded",
        "not graded, the game was decided by a majority before: 6 moves",
        "cannot-feed 3, majority 1, repeated 1",
        "game 1, move 1: Akua plays E, loses 16, value +8 to -8, best B, win to loss, the game win to loss",
        "   |  2 |  1 |  0 |  0 |  1 |  0 |  to move, captured 20",
    ]);
    let lines = awari(databases(), &["grade", &file, "--json"]).exits(0).json();
    let moves = lines.iter().filter(|line| line["kind"] == "move");
    let lost: i64 = moves.clone().map(|line| line["loss"].as_i64().unwrap()).sum();
    let summary = lines.last().unwrap();
    let players = summary["players"].as_array().unwrap();
    assert_eq!(players.iter().map(|player| player["lost"].as_i64().unwrap()).sum::<i64>(), lost);
    assert_eq!(moves.count(), 40);
    let kofi = players.iter().find(|player| player["player"] == "Kofi \\ \"the Cat\"").unwrap();
    assert_eq!((&kofi["graded"], &kofi["best"], &kofi["lost"]), (&json!(2), &json!(1), &json!(16)));
    assert_eq!(kofi["by_stones"]["8"]["whole_worse"], 1);
    let ends: Vec<&Value> =
        lines.iter().filter(|line| line["kind"] == "game").map(|line| &line["state"]).collect();
    assert_eq!(ends, ["cannot-feed", "cannot-feed", "majority", "repeated", "cannot-feed"]);
    let csv = awari(databases(), &["grade", &file, "--csv"]).exits(0).stdout;
    assert_eq!(csv.lines().count(), 1 + 40);
    let first = csv.lines().nth(1).unwrap();
    assert!(
        first.ends_with(
            ",1,1,\"Akua\",South,2 1 0 0 1 0 0 0 0 2 0 2,8,E,0,8,-8,16,B,false,win,loss,win,loss,,"
        ),
        "{first}"
    );
}

#[test]
fn annotated_games_read_back_and_are_not_overwritten() {
    let dir = TempDir::new().unwrap();
    let dest = dir.path().join("graded.ogn");
    let dest = dest.to_str().unwrap();
    awari(databases(), &["grade", &path("clauses.ogn"), "--annotate", dest]).exits(0);
    let text = fs::read_to_string(dest).unwrap();
    let flat = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(flat.contains(
        "1. E { throws it away awari: loses 16, value +8 to -8, best B, win to loss, the game win to loss } \
         f+5 { all there is awari: best, value +8 } 2. F { and over } 20-28"
    ));
    let graded: Vec<String> =
        Format::Ogn.read(&text, Rules::Awari).map(|game| game.unwrap().moves()).collect();
    let given: Vec<String> = games("clauses.ogn", Rules::Awari).iter().map(Game::moves).collect();
    assert_eq!(graded, given);
    // Graded again it says the same once.
    let again = dir.path().join("again.ogn");
    awari(databases(), &["grade", dest, "--annotate", again.to_str().unwrap()]).exits(0);
    assert_eq!(fs::read_to_string(&again).unwrap(), text);
    // Nothing is lost.
    awari(databases(), &["grade", dest, "--annotate", again.to_str().unwrap()])
        .exits(1)
        .says(&["in the way"]);
    assert_eq!(fs::read_to_string(&again).unwrap(), text);
    let left: Vec<String> = program::names(dir.path());
    assert_eq!(left, ["again.ogn", "graded.ogn"]);
    awari(databases(), &["grade", dest, "--annotate", "/nowhere/at/all.ogn"])
        .exits(1)
        .says(&["/nowhere/at/all.ogn: cannot write the games"]);
}

#[test]
fn odd_files_are_named() {
    let dir = TempDir::new().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let binary = file("binary", &[0xff, 0, 1, 2]);
    let good = path("clauses.ogn");
    awari(databases(), &["grade", &binary, &good])
        .exits(1)
        .says(&["binary: not a text: byte 2 is 0"])
        .prints(&["40 graded"]);
    let noise: Vec<u8> = (1..=255u8).cycle().take(200_000).collect();
    awari(databases(), &["grade", &file("noise", &noise)]).exits(1);
    let latin = file("latin", b"[South \"Jos\xe9\"]\n\n1. F *\n");
    awari(databases(), &["grade", &latin]).exits(0);
    awari(databases(), &["grade", &file("empty", b"")]).exits(1).says(&["empty: there is no game in it"]);
    awari(databases(), &["grade", "not-there.ogn"]).exits(1).says(&["not-there.ogn: cannot read the games"]);
    awari(databases(), &["grade"]).exits(2);
    awari_with_input(databases(), &["grade", "-"], "[FEN \"2 1 0 0 1 0 / 0 0 0 2 0 2\"]\n1. B")
        .exits(0)
        .prints(&["1 graded"]);
    let text = "5 10 7\n".repeat(100);
    awari_with_input(databases(), &["grade", "-"], &text)
        .exits(1)
        .says(&["stdin: 80 more games are broken.", "broken games, which were not graded: 100 of 100."]);
    assert!(Path::new(&good).exists());
}
