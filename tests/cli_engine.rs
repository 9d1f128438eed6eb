//! `awari engine`, with a client at the other end.

mod common;
mod program;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use awari::notation::{Notation, Position, Stores};
use awari::{Board, Rules, Tablebase, rules};
use program::{awari_with_input, command, databases};
use tempfile::TempDir;

/// The client's side of a running engine.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Client {
    fn start(dir: &Path, rules: Rules) -> Client {
        let mut command = command(dir, &["engine", "--rules", rules.name()]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Client { child, input, output }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn hear(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Hears lines up to one that starts like this.
    fn hear_until(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.hear();
            assert!(!line.is_empty(), "{start} never came: {lines:?}");
            lines.push(line);
            if lines.last().unwrap().starts_with(start) {
                return lines;
            }
        }
    }

    /// The move it answers, after checking all it says on the way.
    fn best_move(&mut self) -> char {
        let lines = self.hear_until("bestmove");
        let (last, infos) = lines.split_last().unwrap();
        for info in infos {
            let words: Vec<&str> = info.split(' ').collect();
            // `info depth 1 score cp 0 nodes …`: behind score, a pair of its own.
            assert_eq!(&words[..2], ["info", "depth"], "{info}");
            assert!(words[2].parse::<u32>().is_ok() && words[3..5] == ["score", "cp"], "{info}");
            assert!(words[5].parse::<i32>().is_ok(), "{info}");
            assert_eq!(
                words[6..].iter().copied().step_by(2).collect::<Vec<_>>(),
                ["nodes", "nps", "tbhits", "time", "pv"],
                "{info}"
            );
            assert!(words.last().unwrap().chars().all(|c| c.is_ascii_alphabetic()), "{info}");
        }
        let words: Vec<&str> = last.split(' ').collect();
        assert!(words.len() == 2 || (words.len() == 4 && words[2] == "ponder"), "{last}");
        words[1].chars().next().unwrap()
    }

    /// Ends its input and waits for it.
    fn ends(mut self) {
        drop(self.input.take());
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.output, &mut rest).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(0), "{rest}");
    }
}

fn pit(letter: char, south: bool) -> usize {
    let first = if south { b'A' } else { b'a' };
    usize::from(
        (letter as u8).checked_sub(first).unwrap_or_else(|| panic!("{letter} is no pit of the mover")),
    )
}

/// A whole game, both sides with a clock of `AWARI_CLOCK` seconds (default 2, and nobody looks at it).
#[test]
fn a_game_from_start_to_end() {
    let given = std::env::var("AWARI_CLOCK").ok().map(|text| text.parse().unwrap());
    let dir = TempDir::new().unwrap();
    let rules = Rules::Abapa;
    common::build_with_depths(dir.path(), rules, 8);
    let mut players = [Client::start(dir.path(), rules), Client::start(dir.path(), rules)];
    for player in &mut players {
        player.send("uci");
        player.hear_until("uciok");
        player.send("setoption name Hash value 32");
        player.send("ucinewgame");
        player.send("isready");
        assert_eq!(player.hear(), "readyok");
    }
    let mut clocks = [Duration::from_secs(given.unwrap_or(2)); 2];
    let (mut board, mut stores) = (Board::START, Stores { mover: 0, waiting: 0 });
    let mut game = String::new();
    let mut seen = vec![board];
    let why = loop {
        let side = game.len() % 2;
        let turn = rules::turn(&board, rules);
        if turn.end.is_some() {
            break "no move is left";
        }
        if stores.waiting > 24 {
            break "one has more than half";
        }
        if seen.iter().rev().step_by(2).filter(|&&before| before == board).count() >= 3 {
            break "the board came back";
        }
        let player = &mut players[side];
        let moves = if game.is_empty() { String::new() } else { format!(" moves {game}") };
        let started = Instant::now();
        player.send(&format!("position startpos{moves}"));
        player.send(&format!("go wtime {} btime {}", clocks[0].as_millis(), clocks[1].as_millis()));
        let best = player.best_move();
        let left = clocks[side].checked_sub(started.elapsed());
        assert!(given.is_none() || left.is_some(), "time lost after {game}");
        clocks[side] = left.unwrap_or_default();
        let best = pit(best, side == 0);
        let play =
            turn.moves().find(|play| play.pit == best).unwrap_or_else(|| panic!("{best} after {game}"));
        game.push(char::from(if side == 0 { b'A' } else { b'a' } + best as u8));
        board = play.child;
        stores = Stores { mover: stores.waiting, waiting: stores.mover + play.captured };
        if play.captured > 0 {
            seen.clear();
        }
        seen.push(board);
        assert!(game.len() < 2000, "{game}");
    };
    println!("{game}: {why}, {stores:?} on {board}, clocks {clocks:?}");
    players.into_iter().for_each(Client::ends);
}

#[test]
fn inside_the_tables_it_wins_what_is_won() {
    let dir = TempDir::new().unwrap();
    let tables = common::build_with_depths(dir.path(), Rules::Awari, 8);
    let mut random = common::Random(5);
    let mut client = Client::start(dir.path(), Rules::Awari);
    let mut played = 0;
    while played < 25 {
        let board = random.board(5 + random.0 as u32 % 4);
        let value = tables.value(&board).unwrap();
        if value <= 0 || rules::turn(&board, Rules::Awari).end.is_some() {
            continue;
        }
        played += 1;
        win(&mut client, &tables, board, value);
    }
    client.ends();
}

/// Both sides play by the engine until stones are captured or the game ends: within the depth.
fn win(client: &mut Client, tables: &Tablebase, mut board: Board, mut value: i8) {
    let depth = tables.probe(&board).unwrap().depth.unwrap();
    for ply in 0..=depth {
        let turn = rules::turn(&board, tables.rules());
        if turn.end.is_some() {
            return;
        }
        let stores = Some(Stores { mover: 0, waiting: 48 - board.stones() as u8 });
        let position = Position { board, stores, south_to_move: ply % 2 == 0, notation: Notation::Auale };
        client.send(&format!("position fen {}", Notation::Auale.write(&position).unwrap()));
        client.send("go movetime 5000");
        let best = pit(client.best_move(), ply % 2 == 0);
        let play = turn.moves().find(|play| play.pit == best).unwrap();
        assert_eq!(play.captured as i8 - tables.value(&play.child).unwrap(), value, "{board}");
        if play.captured > 0 {
            return;
        }
        (board, value) = (play.child, -value);
    }
    panic!("nothing was captured in {depth} plies");
}

#[test]
fn bad_commands_are_told_and_passed_over() {
    let input = "xyzzy\n\nposition\nposition fen 1-2\ngo depth 3\nposition startpos moves AA\n\
                 position startpos moves FeX\nsetoption\nsetoption name Hash value big\n\
                 setoption name Hash value 0\nsetoption name Colour value red\n\
                 setoption name Rules value chess\nsetoption name UseTables value perhaps\nponderhit\n\
                 stop\ndebug on\n\u{7f}\u{0}\nposition startpos\ngo depth\nisready\n";
    let long = format!("{input}position startpos moves {}\nisready\n", "Fe".repeat(100_000));
    let run = awari_with_input(databases(), &["engine"], &long).exits(0);
    run.prints(&[
        "info string unknown command \"xyzzy\"",
        "info string position: expected startpos or fen",
        "info string position: Aualé notation",
        "bestmove 0000",
        "info string setoption: \"big\" is not a number from 1 to 65536",
        "info string setoption: no option \"Colour\"",
        "info string setoption: unknown rules \"chess\"",
        "info string ponderhit: no pondering is under way",
        "info string go: depth \"\" is not a number",
        "is too long",
    ]);
}

#[test]
fn what_was_asked_before_changes_no_answer() {
    let mut client = Client::start(databases(), Rules::Abapa);
    let ask = |client: &mut Client, commands: &[&str]| -> Vec<String> {
        commands.iter().for_each(|command| client.send(command));
        let lines = client.hear_until("bestmove");
        // Without what the clock says.
        let timed = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            let is_time = |at: usize| at > 0 && ["nps", "time"].contains(&words[at - 1]);
            (0..words.len()).filter(|&at| !is_time(at)).map(|at| words[at]).collect::<Vec<_>>().join(" ")
        };
        lines.iter().map(|line| timed(line)).collect()
    };
    let question = ["position startpos moves FeDb", "go nodes 30000"];
    let answer = ask(&mut client, &question);
    assert!(answer.len() > 5, "{answer:?}");
    for before in [
        ["position startpos moves FeDb", "go depth 9"],
        ["position startpos moves FeDb", "go movetime 100"],
        ["position startpos moves Fe", "go nodes 30000"],
        ["setoption name UseTables value true", "go nodes 100"],
    ] {
        ask(&mut client, &before);
        assert_eq!(ask(&mut client, &question), answer, "after {before:?}");
    }
    // Smaller, larger; other rules, other tables.
    for (there, back) in [
        ("Hash value 1", "Hash value 64"),
        ("Hash value 128", "Hash value 64"),
        ("Rules value slam-ends", "Rules value abapa"),
        ("UseTables value false", "UseTables value true"),
    ] {
        client.send(&format!("setoption name {there}"));
        ask(&mut client, &question);
        client.send(&format!("setoption name {back}"));
        assert_eq!(ask(&mut client, &question), answer, "after {there}");
    }
    // Also where the option comes during a search.
    client.send("go infinite");
    client.send("setoption name Hash value 1");
    ask(&mut client, &["stop"]);
    let small = ask(&mut client, &question);
    assert_eq!(ask(&mut client, &question), small);
    client.ends();
}

#[test]
fn it_stops_when_told_and_when_the_input_ends() {
    let mut client = Client::start(databases(), Rules::Awari);
    client.send("position startpos");
    client.send("go infinite");
    client.hear_until("info depth 4 ");
    client.send("go depth 1");
    client.hear_until("info string go: a search is under way");
    client.send("isready");
    client.hear_until("readyok");
    client.send("stop");
    client.hear_until("bestmove ");
    // What is quickly known is held back while it ponders.
    client.send("position fen 0-0-0-0-2-1-1-1-0-0-0-1-20-22-S");
    client.send("go ponder");
    client.hear_until("info depth 1 ");
    client.send("isready");
    assert_eq!(client.hear(), "readyok");
    client.send("ponderhit");
    client.hear_until("bestmove ");
    client.send("position fen 0-0-0-0-0-0-1-0-0-0-0-0-24-23-S");
    client.send("go infinite");
    client.send("stop");
    client.hear_until("bestmove 0000");
    client.send("position startpos");
    client.send("go infinite");
    client.hear_until("info depth 3 ");
    client.ends();
}
