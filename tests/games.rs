//! Games are read as they were written, and no text makes a reader panic.

use std::fs;

use awari::game::{Format, Game, Outcome, Problem, Refused, State, ogn};
use awari::notation::{Notation, Position, Stores};
use awari::random::Random;
use awari::rules::{End, Illegal};
use awari::{Board, Rules, rules};
use proptest::prelude::*;

fn data(name: &str) -> String {
    fs::read_to_string(format!("tests/data/games/{name}")).unwrap()
}

/// A game of random moves, from the start or from any board.
fn random_game(rules: Rules, seed: u64, plies: usize) -> Game {
    let mut random = Random::new(seed);
    let start = if random.below(2) == 0 {
        Position { south_to_move: random.below(2) == 0, ..Board::START.into() }
    } else {
        let mut held = [0u8; 14];
        for _ in 0..48 {
            held[random.below(14) as usize] += 1;
        }
        let stores = Some(Stores { mover: held[12], waiting: held[13] });
        let board = Board::new(held[..12].try_into().unwrap()).unwrap();
        // Without captured stones nothing names the sides.
        match random.below(3) {
            0 => board.into(),
            side => Position { board, stores, south_to_move: side == 1, notation: Notation::Native },
        }
    };
    let mut game = Game::new(rules, start);
    for _ in 0..plies {
        let turn = rules::turn(&game.now().board, rules);
        let pits: Vec<usize> = turn.moves().map(|play| play.pit).collect();
        let Some(&pit) = random.choose(&pits) else { break };
        game.play(pit).unwrap();
    }
    game
}

fn only(text: &str, rules: Rules) -> Game {
    let mut games = ogn::read(text, rules);
    let game = games.next().unwrap().unwrap();
    assert!(games.next().is_none());
    game
}

proptest! {
    #[test]
    fn what_is_written_reads_back_the_same(
        seed in any::<u64>(),
        which in 0usize..3,
        plies in 0usize..150,
        comments in prop::collection::vec(prop::option::of("\\PC{0,40}"), 1..8),
        tags in prop::collection::vec(("[A-Z][A-Za-z0-9_]{0,12}", "\\PC{0,40}"), 0..4),
    ) {
        let rules = Rules::ALL[which];
        let mut game = random_game(rules, seed, plies);
        for ply in 0..game.plies().len() {
            let comment = comments[ply % comments.len()].as_deref().map(ogn::tidy);
            *game.comment_mut(ply).unwrap() = comment.filter(|text| !text.is_empty());
        }
        let ours = |name: &str| !matches!(name, "FEN" | "Result" | "Variant");
        game.tags = tags.into_iter().filter(|(name, _)| ours(name)).collect();
        for (_, value) in &mut game.tags {
            *value = ogn::tidy(value);
        }
        game.outcome = match game.final_stones() {
            Some([south, north]) => Outcome::Stones(south, north),
            None => [Outcome::Unknown, Outcome::South, Outcome::North, Outcome::Draw][seed as usize % 4],
        };
        let text = ogn::write(&game);
        prop_assert!(text.lines().all(|line| line.chars().count() <= 79 || line.starts_with('[') || !line.contains(' ')), "{}", text);
        prop_assert_eq!(Format::detect(&text), Format::Ogn);
        prop_assert_eq!(&only(&text, rules), &game);
        // Two games in one file are two games.
        let both: Vec<_> = ogn::read(&format!("{text}\n{text}"), rules).collect();
        prop_assert_eq!(both, vec![Ok(game.clone()), Ok(game)]);
    }

    #[test]
    fn nothing_makes_a_reader_panic(text in prop_oneof![
        "\\PC{0,200}",
        "[-\\[\\]{}()A-Fa-f0-9+x;%$*.!?\" \n]{0,200}",
        "(\\[[A-Z]{0,5} \"[^\"]{0,9}\"\\]?\n?){0,3}([0-9]{1,3}\\. [A-F](\\+[0-9]{0,3})? [a-f] ?(\\{[^}]{0,9}\\}?)?){0,9}",
        "([0-9]{1,2}[-, ]){0,20}([SN] moves [A-Fa-f ]{0,20})?",
        "\\{\"board\": [\"\\[][0-9 /,]{0,40}[\"\\]], \"move\": \"?[A-G0-9]\"?\\}",
    ]) {
        for format in Format::ALL {
            for rules in Rules::ALL {
                for game in format.read(&text, rules) {
                    match game {
                        Ok(game) => prop_assert!(only(&ogn::write(&game), rules).moves() == game.moves()),
                        Err(error) => {
                            let message = error.to_string();
                            prop_assert!(!message.contains('\n') && message.len() < 500, "{}", message);
                        }
                    }
                }
            }
        }
        Format::detect(&text);
    }
}

#[test]
fn every_clause_of_the_notation_is_read() {
    let text = data("clauses.ogn");
    let games: Vec<Game> = ogn::read(&text, Rules::Awari).map(Result::unwrap).collect();
    let moves: Vec<String> = games.iter().map(Game::moves).collect();
    let long = "BdCeDfEaBbDcCdAeBfEaFaAbD";
    assert_eq!(moves, ["EfF", "EfF", long, "fFaAbBcCdDeE", "eFf"]);

    let first = &games[0];
    assert_eq!(first.player(true), Some("Akua"));
    assert_eq!(first.player(false), Some("Kofi \\ \"the Cat\""));
    assert_eq!(first.tag("Comment"), Some("before the first move"));
    let comments: Vec<Option<&str>> = first.plies().iter().map(|ply| ply.comment.as_deref()).collect();
    assert_eq!(comments, [Some("throws it away"), Some("all there is"), Some("and over")]);
    assert_eq!(first.outcome, Outcome::Stones(20, 28));
    assert_eq!(first.state(), State::Over(End::CannotFeed));
    assert_eq!(first.final_stones(), Some([20, 28]));

    assert_eq!(games[1].start().stores, None);
    assert_eq!(games[1].final_stones(), None);
    assert_eq!(games[2].state(), State::Majority);
    assert_eq!(games[3].state(), State::Repeated);
    assert_eq!(games[3].outcome, Outcome::Stones(24, 24));
    assert!(!games[3].start().south_to_move);
    assert_eq!(games[4].outcome, Outcome::South);
}

#[test]
fn games_of_auale_are_read() {
    // Written by an independent player of its rules in its form. The last game ends by repetition,
    // where Aualé adds what is left in the player's own row to his last move: F+1 captures nothing.
    let text = data("auale.ogn");
    let games: Vec<Game> = ogn::read(&text, Rules::Abapa).map(Result::unwrap).collect();
    let seen: Vec<(usize, State, Outcome)> =
        games.iter().map(|game| (game.plies().len(), game.state(), game.outcome)).collect();
    assert_eq!(
        seen,
        [
            (56, State::Majority, Outcome::Stones(6, 28)),
            (179, State::Over(End::CannotFeed), Outcome::Stones(24, 24)),
            (107, State::Repeated, Outcome::Stones(22, 26)),
        ]
    );
    assert_eq!(games[2].plies().last().unwrap().captured, 0);
    assert!(text.contains("54. F+1 22-26"));
    // Only there: in the midst of a game it is wrong.
    let on = text.replace("54. F+1 22-26", "54. F+1 a");
    let error = ogn::read(&on, Rules::Abapa).nth(2).unwrap().unwrap_err();
    assert_eq!((error.ply, &error.problem), (Some(107), &Problem::WrongCapture { captured: 0 }));
    // Under other rules they are not read at all.
    let wrong = Problem::WrongRules { named: Rules::Abapa, rules: Rules::Awari };
    assert!(ogn::read(&text, Rules::Awari).all(|game| game.unwrap_err().problem == wrong));
}

#[test]
fn broken_games_are_named_and_the_next_is_read() {
    let text = data("broken.ogn");
    let games: Vec<_> = ogn::read(&text, Rules::Awari).collect();
    assert_eq!(games.len(), 17);
    assert_eq!(games[16].as_ref().unwrap().moves(), "B");
    let refused = Problem::Refused;
    let found: Vec<_> = games[..16]
        .iter()
        .enumerate()
        .map(|(number, game)| {
            let error = game.as_ref().unwrap_err();
            assert_eq!(error.game, number + 1);
            (error.ply, error.place.line, error.token.as_str(), error.problem.clone())
        })
        .collect();
    let expected = [
        (Some(3), 3, "F", refused(Refused::EmptyPit)),
        (Some(2), 7, "E", Problem::WrongTurn { south: false }),
        (Some(1), 12, "F+5", refused(Refused::Illegal(Illegal::GrandSlam))),
        (Some(1), 17, "A", refused(Refused::Illegal(Illegal::DoesNotFeed))),
        (Some(2), 21, "e+3", Problem::WrongCapture { captured: 0 }),
        (Some(1), 26, "F", refused(Refused::Over(End::AllSlams))),
    ];
    assert_eq!(found[..6], expected);
    assert!(matches!(&found[6], (None, 29, _, Problem::Position(_))), "{:?}", found[6]);
    let forms: Vec<_> = found[7..]
        .iter()
        .map(|(ply, line, token, problem)| {
            let kind = match problem {
                Problem::Unexpected(expected) => expected.split(' ').next().unwrap_or_default(),
                Problem::Unclosed(what) => what,
                Problem::WrongOutcome { captured: [20, 20] } => "outcome",
                Problem::WrongRules { named: Rules::Abapa, rules: Rules::Awari } => "rules",
                _ => "",
            };
            (*ply, *line, *token, kind)
        })
        .collect();
    assert_eq!(
        forms,
        [
            (Some(1), 35, "z", "a"),
            (Some(1), 39, "{", "the comment"),
            (None, 42, "40-20", "a"),
            (None, 49, "19-29", "outcome"),
            (None, 52, "[South", "]"),
            (Some(2), 58, "+", "the"),
            (Some(1), 62, "(", "the variation"),
            (None, 64, "Oware Abapa", "rules"),
            (Some(2), 71, "7-x", "a"),
        ]
    );
    // A slam is legal elsewhere.
    let slam = "[FEN \"2 0 0 0 0 2 / 1 2 0 0 0 0\"]\n1. F";
    assert_eq!(only(&format!("{slam}+7"), Rules::SlamEnds).plies()[0].captured, 7);
    assert_eq!(only(slam, Rules::Abapa).plies()[0].captured, 0);
}

#[test]
fn the_other_formats_are_told_apart_and_read() {
    let read = |name: &str, format: Format| -> Vec<Result<String, String>> {
        let text = data(name);
        assert_eq!(Format::detect(&text), format);
        let games = format.read(&text, Rules::Awari);
        games.map(|game| game.map(|game| game.moves()).map_err(|error| error.to_string())).collect()
    };
    let suite = read("suite.txt", Format::Suite);
    assert_eq!(suite[..3], [Ok("EfF".into()), Ok(String::new()), Ok("Fe".into())]);
    assert_eq!(suite[3], Err("game 4, move 3, line 6, character 39: \"F\": the pit is empty".into()));
    assert!(suite[4].as_ref().unwrap_err().contains("\"G\": expected a move"));
    assert!(suite[5].as_ref().unwrap_err().contains("expected \"moves\""));

    let lists = read("openspiel.txt", Format::OpenSpiel);
    assert_eq!(lists[..2], [Ok("FeEc".into()), Ok("FeEc".into())]);
    assert!(
        lists[2].as_ref().unwrap_err().contains("move 4, line 3, character 8: \"12\": expected an action")
    );
    assert!(lists[3].as_ref().unwrap_err().contains("it is South's turn"));

    let moves = read("moves.jsonl", Format::Jsonl);
    assert_eq!(moves[..3], [Ok("B".into()), Ok("E".into()), Ok("a".into())]);
    for (at, part) in [(3, "move: expected"), (4, "pit f"), (5, "`move`"), (6, "empty"), (7, "no JSON")] {
        assert!(moves[at].as_ref().unwrap_err().contains(part), "{:?}", moves[at]);
    }
    let text = data("moves.jsonl");
    let players: Vec<_> = Format::Jsonl.read(&text, Rules::Awari).flatten().collect();
    assert_eq!(players[0].player(true), Some("good"));
    assert_eq!((players[2].player(true), players[2].player(false)), (None, Some("bad")));
    assert_eq!(Format::detect(&data("clauses.ogn")), Format::Ogn);
}

#[test]
fn endless_and_huge_games_are_bounded() {
    // Two stones that never meet.
    let circle = "[FEN \"0-0-0-0-0-1-0-0-0-0-0-1-23-23-S\"]\n";
    let text = circle.to_owned() + &"FfAaBbCcDdEe".repeat(1_000);
    let error = ogn::read(&text, Rules::Awari).next().unwrap().unwrap_err();
    assert_eq!((error.ply, error.problem), (Some(10_001), Problem::Refused(Refused::TooLong)));
    // Deep nesting, a million games, and an error in each line.
    assert!(ogn::read(&"(".repeat(1_000_000), Rules::Awari).next().unwrap().is_err());
    assert_eq!(ogn::read(&"* ".repeat(1_000_000), Rules::Awari).filter(Result::is_ok).count(), 1_000_000);
    let wrong = "[A \"b\"\n\nF e z\n".repeat(20_000);
    assert!(ogn::read(&wrong, Rules::Awari).all(|game| game.is_err()));
}
