//! `awari serve`: the real process over real connections.

mod program;
mod served;

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use awari::index::Index;
use awari::random::Random;
use awari::{Board, Rules, Tablebase};
use program::{awari, copy, databases};
use rustix::process::Signal;
use serde_json::Value;
use served::{Served, read, request, schema};

/// A position of 7 stones that is won, and one of 9, whose table is not there.
const BOARD: &str = "0 0 1 0 0 2 / 1 2 0 0 1 0";
const ABOVE: &str = "0 0 1 0 0 2 / 1 2 0 0 1 2";

fn post(body: &str) -> String {
    request("POST", "/api/v1/probe", body)
}

/// Bytes in the middle of a table's file, changed.
fn damage(dir: &Path, name: &str) {
    let path = dir.join("awari").join(name);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    for byte in &mut bytes[middle..] {
        *byte ^= 0x55;
    }
    fs::write(path, bytes).unwrap();
}

/// Random boards of up to 8 stones.
fn boards(count: usize, seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let board = |_| {
        let index = Index::new(1 + random.below(8) as u32);
        let pits = index.board(random.below(index.positions())).pits();
        pits.map(|stones| stones.to_string()).join(" ")
    };
    (0..count).map(board).collect()
}

#[test]
fn says_what_the_command_says() {
    let dir = copy();
    awari(dir.path(), &["build", "--stones", "6", "--depth"]).exits(0);
    awari(dir.path(), &["build", "--stones", "6", "--rules", "abapa"]).exits(0);
    awari(dir.path(), &["build", "--stones", "6", "--rules", "slam-ends", "--depth"]).exits(0);
    let server = Served::start(dir.path(), &[]);
    for rules in ["awari", "abapa", "slam-ends"] {
        let mut compared = 0;
        for board in boards(150, 1) {
            let said = awari(dir.path(), &["probe", "--json", "--rules", rules, &board]);
            let answer =
                server.get(&format!("/api/v1/probe?rules={rules}&board={}", board.replace(' ', "+")));
            if said.code != Some(0) {
                assert_eq!((rules != "awari", answer.is(404).code().as_str()), (true, "missing-table"));
                continue;
            }
            compared += 1;
            let (said, answer) = (&said.json()[0], answer.is(200).json());
            for field in ["board", "rules", "stones", "value", "depth", "settle", "illegal", "end"] {
                assert_eq!(said[field], answer[field], "{board} {field}");
            }
            let value = said["value"].as_i64().unwrap();
            assert_eq!(answer["category"], ["loss", "draw", "win"][(value.signum() + 1) as usize]);
            let moves = answer["moves"].as_array().unwrap();
            let values: Vec<i64> = moves.iter().map(|play| play["value"].as_i64().unwrap()).collect();
            assert!(values.is_sorted_by(|a, b| a >= b), "{board}: the best moves come first: {values:?}");
            assert_eq!(said["moves"].as_array().unwrap().len(), moves.len());
            for play in said["moves"].as_array().unwrap() {
                let same = moves.iter().find(|other| other["pit"] == play["pit"]).unwrap();
                for field in ["captured", "value", "best", "depth"] {
                    assert_eq!(play[field], same[field], "{board} {field}");
                }
            }
        }
        assert!(compared > 50, "{rules}: {compared}");
    }
}

#[test]
fn lines_are_those_of_the_command() {
    let dir = copy();
    awari(dir.path(), &["build", "--stones", "7", "--depth"]).exits(0);
    let server = Served::start(dir.path(), &[]);
    for board in [BOARD, "1 2 1 0 0 0 / 1 2 0 0 0 0", "0 0 0 0 0 0 / 1 0 0 0 0 0"] {
        let said = awari(dir.path(), &["line", "--json", board]).exits(0).json().remove(0);
        assert_eq!(
            server.get(&format!("/api/v1/line?board={}", board.replace(' ', "+"))).is(200).json(),
            said
        );
    }
}

#[test]
fn troubles_have_a_status_and_a_code() {
    let server = Served::start(databases(), &[]);
    let long = "x".repeat(500);
    let dear = ["1. F e\n"; 1].concat() + &"[FEN \"0 0 1 0 0 2 / 1 2 0 0 1 0\"]\n\nF *\n\n".repeat(10_001);
    let many = |count: usize| format!(r#"{{"boards": [{}]}}"#, vec!["\"0\""; count].join(","));
    let table: &[(&str, &str, &str, u16, &str)] = &[
        ("GET", "/api/v1/probe", "", 400, "no-board"),
        ("GET", "/api/v1/probe?board=", "", 400, "bad-notation"),
        ("GET", "/api/v1/probe?board=1+2+x", "", 400, "bad-notation"),
        ("GET", "/api/v1/probe?board=0+0+0+0+0+-1+/+0+0+0+0+0+1", "", 400, "bad-notation"),
        ("GET", "/api/v1/probe?board=9+9+9+9+9+9+/+0+0+0+0+0+0", "", 400, "bad-notation"),
        ("GET", "/api/v1/probe?board=%F0%9F%8C%B0", "", 400, "bad-notation"),
        ("GET", "/api/v1/probe?board=%00%FF", "", 400, "bad-notation"),
        ("GET", "/api/v1/probe?board=%2e%2e%2f%2e%2e%2fetc%2fpasswd", "", 400, "bad-notation"),
        ("GET", "/api/v1/probe?board=0&board=0", "", 400, "bad-query"),
        ("GET", "/api/v1/probe?rules=awari&rules=abapa&board=0", "", 400, "bad-query"),
        ("GET", "/api/v1/probe?rule=abapa&board=0+0+1+0+0+2+/+1+2+0+0+1+0", "", 400, "bad-query"),
        ("POST", "/api/v1/probe", r#"{"boards": [], "rule": "abapa"}"#, 422, "bad-batch"),
        ("GET", "/api/v1/probe?rules=chess&board=0+0+1+0+0+2+/+1+2+0+0+1+0", "", 400, "unknown-rules"),
        ("GET", "/api/v1/probe?rules=../x&board=0+0+1+0+0+2+/+1+2+0+0+1+0", "", 400, "unknown-rules"),
        ("GET", "/api/v1/probe?board=0+0+1+0+0+2+/+1+2+0+0+1+2", "", 404, "missing-table"),
        ("GET", "/api/v1/probe?rules=abapa&board=0+0+1+0+0+2+/+1+2+0+0+1+0", "", 404, "missing-table"),
        ("GET", "/api/v1/probe?board=40+0+0+0+0+0+/+7+0+0+0+0+0", "", 422, "no-such-table"),
        ("GET", "/api/v1/position", "", 400, "no-board"),
        ("GET", "/api/v1/line?board=0+0+1+0+0+2+/+1+2+0+0+1+2", "", 404, "missing-table"),
        ("GET", "/api/v1/line?board=0", "", 400, "bad-notation"),
        ("GET", "/api/v1/depths", "", 400, "bad-stones"),
        ("GET", "/api/v1/depths?stones=-1", "", 400, "bad-stones"),
        ("GET", "/api/v1/depths?stones=49", "", 400, "bad-stones"),
        ("GET", "/api/v1/depths?stones=99999999999999999999", "", 400, "bad-stones"),
        ("GET", "/api/v1/depths?stones=3", "", 404, "missing-depths"),
        ("GET", "/api/v1/depths?stones=12", "", 404, "missing-table"),
        ("POST", "/api/v1/probe", "", 400, "bad-json"),
        ("POST", "/api/v1/probe", "{", 400, "bad-json"),
        ("POST", "/api/v1/probe", "[]", 422, "bad-batch"),
        ("POST", "/api/v1/probe", r#"{"boards": [1]}"#, 422, "bad-batch"),
        ("POST", "/api/v1/probe", r#"{"rules": "awari"}"#, 422, "bad-batch"),
        ("POST", "/api/v1/probe", r#"{"boards": [], "rules": "go"}"#, 400, "unknown-rules"),
        ("POST", "/api/v1/probe", &many(1001), 422, "too-many-boards"),
        ("POST", "/api/v1/probe", &many(10_000), 422, "too-many-boards"),
        ("POST", "/api/v1/grade", "", 422, "no-games"),
        ("POST", "/api/v1/grade", &long, 422, "broken-game"),
        ("POST", "/api/v1/grade", "[Variant \"Oware Abapa\"]\n\nF *\n", 422, "wrong-rules"),
        ("POST", "/api/v1/grade", &dear, 422, "too-many-moves"),
        ("POST", "/api/v1/tables", "", 405, "method-not-allowed"),
        ("DELETE", "/api/v1/probe", "", 405, "method-not-allowed"),
        ("OPTIONS", "/api/v1/probe", "", 405, "method-not-allowed"),
        ("GET", "/api/v1/grade", "", 405, "method-not-allowed"),
        ("GET", "/api/v1/nothing", "", 404, "not-found"),
        ("GET", "/api/v2/probe", "", 404, "not-found"),
    ];
    for (method, path, body, status, code) in table {
        let answer = server.ask(method, path, body);
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (*status, *code),
            "{method} {path}: {}",
            answer.body
        );
    }
    // What could not be read, and where; which table.
    let says = |answer: served::Answer| answer.json()["error"].clone();
    let bad = says(server.probe("1 2 x"));
    assert_eq!((&bad["token"], &bad["line"], &bad["character"]), (&"x".into(), &1.into(), &5.into()));
    let missing = says(server.probe(ABOVE));
    assert_eq!((&missing["rules"], &missing["stones"]), (&"awari".into(), &9.into()));
    let broken = says(server.post("/api/v1/grade", "[FEN \"0 0 1 0 0 2 / 1 2 0 0 1 0\"]\n\nA *\n"));
    assert_eq!((&broken["game"], &broken["ply"], &broken["token"]), (&1.into(), &1.into(), &"A".into()));
}

#[test]
fn batches_answer_each_board() {
    let server = Served::start(databases(), &[]);
    let mut all = boards(998, 2);
    all.insert(3, "nonsense".to_owned());
    all.insert(5, ABOVE.to_owned());
    let body = serde_json::json!({ "boards": all }).to_string();
    let answers = server.post("/api/v1/probe", &body).is(200).json();
    let answers = answers["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 1000);
    assert_eq!(answers[3]["error"]["code"], "bad-notation");
    assert_eq!(answers[5]["error"]["code"], "missing-table");
    for at in (0..1000).step_by(50) {
        assert_eq!(answers[at], server.probe(&all[at]).is(200).json(), "{}", all[at]);
    }
}

#[test]
fn every_described_path_answers_and_every_path_is_described() {
    let dir = copy();
    awari(dir.path(), &["build", "--stones", "4", "--depth"]).exits(0);
    let server = Served::start(dir.path(), &[]);
    let examples: &[(&str, &str, &str)] = &[
        ("GET", "/api/v1/position?board=0+0+1+0+0+2+/+1+2+0+0+1+0", ""),
        ("GET", "/api/v1/probe?board=0-0-1-0-0-2-1-2-0-0-1-0-21-20-S", ""),
        ("POST", "/api/v1/probe", r#"{"boards": ["0 0 1 0 0 2 / 1 2 0 0 1 0"], "rules": "awari"}"#),
        ("GET", "/api/v1/line?board=0+0+0+0+0+1+/+1+0+0+0+0+0", ""),
        ("POST", "/api/v1/grade?rules=awari", "[FEN \"0 0 1 0 0 2 / 1 2 0 0 1 0\"]\n\nF *\n"),
        ("GET", "/api/v1/tables", ""),
        ("GET", "/api/v1/depths?stones=4", ""),
        ("GET", "/api/v1/openapi.json", ""),
        ("GET", "/healthz", ""),
        ("GET", "/metrics", ""),
    ];
    for (method, path, body) in examples {
        server.ask(method, path, body).is(200);
    }
    let mut described = Vec::new();
    for (path, methods) in schema::document()["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            described.push((method.to_uppercase(), path.clone()));
        }
    }
    let mut asked: Vec<(String, String)> = examples
        .iter()
        .map(|(method, path, _)| ((*method).to_owned(), path.split('?').next().unwrap().to_owned()))
        .collect();
    described.sort();
    asked.sort();
    assert_eq!(asked, described);
    // Other methods than those described are refused.
    for (path, methods) in schema::document()["paths"].as_object().unwrap() {
        let allowed = server.raw(request("OPTIONS", path, "").as_bytes()).unwrap().is(405);
        let mut allowed: Vec<&str> =
            allowed.header("allow").unwrap().split(',').filter(|&name| name != "HEAD").collect();
        allowed.sort_unstable();
        let mut known: Vec<String> =
            methods.as_object().unwrap().keys().map(|name| name.to_uppercase()).collect();
        known.sort();
        assert_eq!(allowed, known, "{path}");
    }
    assert_eq!(&server.get("/api/v1/openapi.json").json(), schema::document());
}

#[test]
fn the_page_is_in_the_program() {
    let server = Served::start(databases(), &[]);
    let mut asked = vec!["/".to_owned(), "/tables".to_owned()];
    let mut at = 0;
    while let Some(path) = asked.get(at) {
        let answer = server.get(path).is(200);
        assert!(!answer.body.is_empty() && answer.header("content-type").is_some(), "{path}");
        assert!(!answer.body.contains("https://"), "{path} names another place");
        // All that it needs is there, too.
        for (before, after) in [("href=\"/", "\""), ("src=\"/", "\""), ("from \"./", "\"")] {
            for part in answer.body.split(before).skip(1) {
                let name = part.split(after).next().unwrap();
                let next =
                    if before.starts_with("from") { format!("/page/{name}") } else { format!("/{name}") };
                if !asked.contains(&next) {
                    asked.push(next);
                }
            }
        }
        at += 1;
    }
    assert!(asked.len() > 10, "{asked:?}");
}

#[test]
fn every_answer_has_headers_of_safety_and_no_other_site_may_read_it() {
    let server = Served::start(databases(), &[]);
    for (method, path) in [
        ("GET", "/"),
        ("GET", "/page/app.js"),
        ("GET", "/api/v1/tables"),
        ("GET", "/none"),
        ("PUT", "/"),
        ("HEAD", "/healthz"),
        ("OPTIONS", "/api/v1/probe"),
    ] {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: awari\r\nOrigin: http://elsewhere.example\r\n\
             Access-Control-Request-Method: GET\r\nConnection: close\r\n\r\n"
        );
        let answer = server.raw(request.as_bytes()).unwrap();
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
        assert!(answer.headers.iter().all(|(name, _)| !name.starts_with("access-control")), "{answer:?}");
    }
}

#[test]
fn no_path_reaches_the_file_system() {
    let dir = copy();
    fs::write(dir.path().join("secret"), "secret").unwrap();
    let server = Served::start(dir.path(), &[]);
    for path in [
        "/../secret",
        "/page/../secret",
        "/page/../../secret",
        "/%2e%2e/secret",
        "/page/%2e%2e%2fsecret",
        "//secret",
        "/page//etc/passwd",
        "/secret",
        "/awari",
        "/page/",
        "/page/app.js/",
        "/page/app.js%00",
        "/page/..%5csecret",
        "/etc/passwd",
        "/%",
        "/%zz",
        "/page/app.js/../../secret",
        "/index.html",
        "/databases",
        "/./",
    ] {
        let answer = server.raw(request("GET", path, "").as_bytes()).unwrap();
        assert!([400, 404].contains(&answer.status), "{path}: {answer:?}");
        assert!(!answer.body.contains("secret"), "{path}: {answer:?}");
    }
    // Nor does a request by a whole address, or of no path at all.
    for line in ["GET http://elsewhere/etc/passwd HTTP/1.1", "GET * HTTP/1.1", "CONNECT /etc/passwd HTTP/1.1"]
    {
        let answer =
            server.raw(format!("{line}\r\nHost: x\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
        assert!(answer.status >= 400, "{line}: {answer:?}");
    }
}

#[test]
fn what_is_too_large_is_refused() {
    let mut server = Served::start(databases(), &[]);
    let mebibyte = 1 << 20;
    assert_eq!(server.post("/api/v1/probe", &" ".repeat(mebibyte + 1)).is(413).code(), "too-large");
    server.post("/api/v1/probe", &" ".repeat(mebibyte)).is(400);
    server.post("/api/v1/grade", &"A ".repeat(mebibyte)).is(413);
    // So is a length that is only claimed, or not told.
    let claimed =
        "POST /api/v1/probe HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 999999999999\r\n\r\n";
    server.raw(claimed.as_bytes()).unwrap().is(413);
    let mut chunked =
        "POST /api/v1/probe HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
            .to_owned();
    for _ in 0..40 {
        chunked += &format!("10000\r\n{}\r\n", " ".repeat(65536));
    }
    server.raw((chunked + "0\r\n\r\n").as_bytes()).unwrap().is(413);
    // Heads, by length and by number.
    let long = format!("GET / HTTP/1.1\r\nHost: x\r\nCookie: {}\r\n\r\n", "x".repeat(1 << 17));
    server.raw(long.as_bytes()).unwrap().is(431);
    let many = format!("GET / HTTP/1.1\r\nHost: x\r\n{}\r\n", "A: b\r\n".repeat(1000));
    server.raw(many.as_bytes()).unwrap().is(431);
    let path = format!("/api/v1/probe?board={}", "1+".repeat(20_000));
    let answer = server.raw(request("GET", &path, "").as_bytes()).unwrap();
    assert!([400, 414, 431].contains(&answer.status), "{}", answer.status);
    server.probe(BOARD).is(200);
    assert!(server.is_running());
}

#[test]
fn a_thousand_malformed_requests_leave_it_serving() {
    let mut server = Served::start(databases(), &[]);
    let mut random = Random::new(3);
    let good = [
        request("GET", "/api/v1/probe?board=0+0+1+0+0+2+/+1+2+0+0+1+0&rules=awari", ""),
        request("POST", "/api/v1/grade", "[FEN \"0 0 1 0 0 2 / 1 2 0 0 1 0\"]\n\n1. F *\n"),
        post(r#"{"boards": ["0 0 1 0 0 2 / 1 2 0 0 1 0"]}"#),
    ];
    let mut refused = 0;
    for number in 0..1000 {
        let bytes: Vec<u8> = match number % 3 {
            // Noise.
            0 => (0..random.below(300)).map(|_| random.number() as u8).collect(),
            // Right but for some bytes of any value; or of text.
            part => {
                let mut bytes = random.choose(&good).unwrap().clone().into_bytes();
                for _ in 0..=random.below(6) {
                    let at = random.below(bytes.len() as u64) as usize;
                    bytes[at] = if part == 1 { random.number() as u8 } else { 32 + random.below(95) as u8 };
                }
                bytes
            }
        };
        let mut stream = server.connect();
        let _ = stream.write_all(&bytes);
        // Nothing more comes, so that nobody waits for it.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        if let Some(answer) = read(&mut stream) {
            assert!(answer.status < 500, "{}: {answer:?}", String::from_utf8_lossy(&bytes));
            refused += usize::from(answer.status >= 400);
        }
    }
    assert!(refused > 300, "{refused}");
    server.probe(BOARD).is(200);
    server.get("/healthz").is(200);
    assert!(server.is_running());
}

#[test]
fn a_damaged_table_is_an_error_and_the_others_answer() {
    let dir = copy();
    let server = Served::start(dir.path(), &[]);
    let good = fs::read(dir.path().join("awari/07.awari")).unwrap();
    damage(dir.path(), "07.awari");
    let six = "0 0 1 0 0 2 / 1 2 0 0 0 0";
    // Somewhere in it is the block that was damaged.
    let answer = server.probe("2 1 1 0 1 1 / 0 0 0 0 0 1").is(500);
    assert_eq!(answer.code(), "damaged-table");
    let message = answer.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("awari/07.awari"), "{message}");
    assert!(!message.contains(dir.path().to_str().unwrap()), "the place of the tables is told: {message}");
    server.probe(six).is(200);
    assert!(server.get("/metrics").body.contains("awari_damaged_total 1\n"));
    // One that is cut off while it is mapped: only boards of it are in trouble.
    server.probe(six).is(200);
    let file = fs::OpenOptions::new().write(true).open(dir.path().join("awari/08.awari")).unwrap();
    file.set_len(0).unwrap();
    assert_eq!(server.probe("2 2 1 0 1 1 / 0 0 0 0 0 1").is(500).code(), "damaged-table");
    server.probe(six).is(200);
    // The list tells of it.
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let tables = server.get("/api/v1/tables").is(200).json();
        let bad = |table: &&Value| table["kind"] == "unusable" && table["stones"] == 8;
        if tables["tables"].as_array().unwrap().iter().any(|table| bad(&table)) {
            break;
        }
        assert!(Instant::now() < until, "{tables}");
        std::thread::sleep(Duration::from_millis(100));
    }
    // Replaced, it is found.
    let whole = dir.path().join("awari/new");
    fs::write(&whole, good).unwrap();
    fs::rename(whole, dir.path().join("awari/07.awari")).unwrap();
    while server.probe("2 1 1 0 1 1 / 0 0 0 0 0 1").status != 200 {
        assert!(Instant::now() < until, "the right table is not found");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Asks until the answer has a status; what was answered before is of another one.
fn comes(server: &Served, board: &str, status: u16) -> served::Answer {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let answer = server.probe(board);
        if answer.status == status {
            return answer;
        }
        assert!(Instant::now() < until, "{status} never comes: {answer:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn files_that_change_are_read_anew() {
    let dir = copy();
    let server = Served::start(dir.path(), &[]);
    let board = "2 1 1 0 1 1 / 0 0 0 0 0 1";
    let path = dir.path().join("awari/07.awari");
    let (good, right) = (fs::read(&path).unwrap(), server.probe(board).is(200));
    // All of it was read and is known to be right: until it is written to.
    damage(dir.path(), "07.awari");
    assert_eq!(comes(&server, board, 500).code(), "damaged-table");
    fs::write(&path, good).unwrap();
    assert_eq!(comes(&server, board, 200).body, right.body);
    // One that is taken away is missing, though it was open.
    let away = dir.path().join("away");
    fs::rename(&path, &away).unwrap();
    assert_eq!(comes(&server, board, 404).code(), "missing-table");
    fs::rename(&away, &path).unwrap();
    assert_eq!(comes(&server, board, 200).body, right.body);
    // One of other rules is not taken for it.
    let other = tempfile::TempDir::new().unwrap();
    awari(other.path(), &["build", "--stones", "7", "--rules", "abapa"]).exits(0);
    fs::copy(other.path().join("abapa/07.awari"), &away).unwrap();
    fs::rename(&away, &path).unwrap();
    assert_eq!(comes(&server, board, 500).code(), "damaged-table");
}

#[test]
fn a_value_that_is_not_that_of_the_best_move_is_an_error() {
    let dir = copy();
    let board = Board::new([2, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1]).unwrap();
    let tables = Tablebase::open(dir.path(), Rules::Awari).unwrap();
    // Every checksum of this table is right, and one value is not.
    let index = Index::new(7);
    let mut values: Vec<i8> =
        (0..index.positions()).map(|at| tables.probe(&index.board(at)).unwrap().value).collect();
    let value = &mut values[index.place(&board).unwrap() as usize];
    *value -= value.signum().max(0) * 2 - 1;
    awari::table::write(dir.path().join("awari/07.awari"), Rules::Awari, 7, &values).unwrap();
    let server = Served::start(dir.path(), &[]);
    let error = server.probe("2 1 1 0 1 1 / 0 0 0 0 0 1").is(500).json()["error"].clone();
    assert_eq!((&error["code"], &error["stones"]), (&"damaged-table".into(), &7.into()), "{error}");
    assert!(error["message"].as_str().unwrap().contains("awari verify --rules awari"), "{error}");
    server.probe(BOARD).is(200);
}

#[test]
fn packed_and_compressed_tables_answer_alike() {
    let packed = copy();
    awari(packed.path(), &["build", "--stones", "8", "--depth"]).exits(0);
    let compressed = tempfile::TempDir::new().unwrap();
    let to = compressed.path().to_str().unwrap();
    awari(packed.path(), &["convert", "--to", "compressed", to]).exits(0);
    let (one, other) = (Served::start(packed.path(), &[]), Served::start(compressed.path(), &[]));
    let encoding = |server: &Served| server.get("/api/v1/tables").json()["tables"][8]["encoding"].clone();
    assert_eq!((encoding(&one), encoding(&other)), ("packed".into(), "compressed".into()));
    let body = serde_json::json!({ "boards": boards(1000, 4) }).to_string();
    let (one_says, other_says) =
        (one.post("/api/v1/probe", &body).is(200), other.post("/api/v1/probe", &body).is(200));
    assert!(one_says.body == other_says.body);
    assert!(!one_says.body.contains("error"));
    for board in boards(20, 5) {
        let path = format!("/api/v1/line?board={}", board.replace(' ', "+"));
        assert_eq!(one.get(&path).is(200).body, other.get(&path).is(200).body);
    }
    for stones in 0..=8 {
        let path = format!("/api/v1/depths?stones={stones}");
        assert_eq!(one.get(&path).is(200).body, other.get(&path).is(200).body);
    }
}

#[test]
fn tables_built_meanwhile_are_found() {
    let dir = tempfile::TempDir::new().unwrap();
    let server = Served::start(dir.path(), &["--rules", "abapa"]);
    assert_eq!(server.probe(BOARD).is(404).code(), "missing-table");
    awari(dir.path(), &["build", "--stones", "7", "--rules", "abapa"]).exits(0);
    assert_eq!(server.probe(BOARD).is(200).json()["rules"], "abapa");
}

#[test]
fn slow_clients_are_sent_away() {
    let server = Served::start(databases(), &[]);
    let mut silent = server.connect();
    let mut head = server.connect();
    head.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n").unwrap();
    let mut body = server.connect();
    body.write_all(
        b"POST /api/v1/probe HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 100\r\n\r\n{",
    )
    .unwrap();
    server.get("/healthz").is(200);
    let answer = read(&mut body).unwrap().is(408);
    assert_eq!(answer.code(), "timeout");
    schema::check("POST", "/api/v1/probe", &answer);
    assert!(read(&mut head).is_none_or(|answer| answer.status == 408));
    assert!(read(&mut silent).is_none_or(|answer| answer.status == 408));
    server.get("/healthz").is(200);
}

#[test]
fn requests_at_once_are_bounded() {
    let server = Served::start(databases(), &[]);
    let until = Instant::now() + Duration::from_secs(60);
    let half = "POST /api/v1/probe HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 100\r\n\r\n{";
    let fill = || -> Vec<TcpStream> {
        (0..256)
            .map(|_| {
                let mut stream = server.connect();
                stream.write_all(half.as_bytes()).unwrap();
                stream
            })
            .collect()
    };
    // Half a request is given up after a while, which on a busy machine may be before all are there.
    let (mut waiting, mut filled) = (fill(), Instant::now());
    loop {
        let answer = server.raw(request("GET", "/tables", "").as_bytes()).unwrap();
        if answer.status == 503 {
            assert_eq!(answer.code(), "busy");
            assert_eq!(answer.header("retry-after"), Some("1"));
            break;
        }
        assert!(Instant::now() < until, "never busy");
        if filled.elapsed() > Duration::from_secs(5) {
            drop(waiting);
            (waiting, filled) = (fill(), Instant::now());
        }
    }
    server.get("/healthz").is(200);
    drop(waiting);
    while server.probe(BOARD).status != 200 {
        assert!(Instant::now() < until, "busy for ever");
    }
}

#[test]
fn connections_are_bounded() {
    let server = Served::start(databases(), &[]);
    let idle: Vec<_> = (0..512).map(|_| server.connect()).collect();
    let mut late = server.connect();
    late.write_all(request("GET", "/healthz", "").as_bytes()).unwrap();
    late.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    assert!(late.read(&mut [0]).is_err(), "one connection too many was served");
    drop(idle);
    late.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    read(&mut late).unwrap().is(200);
}

#[test]
fn too_many_connections_do_not_keep_it_from_the_tables() {
    let server = Served::with_files(databases(), 64);
    let mut asking = server.connect();
    let idle: Vec<_> = (0..100).map(|_| server.connect()).collect();
    // As many as it takes are open, and no table was read yet.
    let until = Instant::now() + Duration::from_secs(60);
    let open = || fs::read_dir(format!("/proc/{}/fd", server.id())).unwrap().count();
    while open() < 32 {
        assert!(Instant::now() < until, "{} files are open", open());
    }
    asking.write_all(request("GET", "/api/v1/tables", "").as_bytes()).unwrap();
    let answer = read(&mut asking).unwrap().is(200);
    assert!(!answer.body.contains("unusable"), "{}", answer.body);
    drop(idle);
    server.probe(BOARD).is(200);
}

#[test]
fn who_asks_and_says_no_more_is_answered() {
    let server = Served::start(databases(), &[]);
    for question in [
        request("GET", "/api/v1/probe?board=0+0+1+0+0+2+/+1+2+0+0+1+0", ""),
        post(r#"{"boards": ["0 0 1 0 0 2 / 1 2 0 0 1 0"]}"#),
        request("GET", "/api/v1/tables", ""),
    ] {
        let mut stream = server.connect();
        stream.write_all(question.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        read(&mut stream).unwrap_or_else(|| panic!("no answer to {question}")).is(200);
    }
}

#[test]
fn signals_end_it_when_all_is_answered() {
    for signal in [Signal::INT, Signal::TERM] {
        let mut server = Served::start(databases(), &[]);
        let mut idle = server.connect();
        let (begin, end) = (post(r#"{"boards": ["0 0 1 0 0 2 / 1 2 0 0 1 0"]}"#), 10);
        let (begin, end) = begin.split_at(begin.len() - end);
        let mut asking = server.connect();
        asking.write_all(begin.as_bytes()).unwrap();
        // Both are known to the server before it is told to stop.
        let until = Instant::now() + Duration::from_secs(60);
        while !server.get("/metrics").body.contains("awari_connections 3\n") {
            assert!(Instant::now() < until);
        }
        server.signal(signal);
        assert!(read(&mut idle).is_none());
        asking.write_all(end.as_bytes()).unwrap();
        assert_eq!(read(&mut asking).unwrap().is(200).json()["answers"][0]["value"], 7);
        assert_eq!(server.wait().code(), Some(0));
    }
}

#[test]
fn listens_beyond_this_machine_only_if_told() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        awari(databases(), &["serve", "--bind", address]).exits(2).says(&["--public", address]);
    }
    for (address, like) in
        [("localhost:7000", "127.0.0.1:7000,"), ("127.0.0.1", "127.0.0.1:8080,"), ("80", "[::1]:8080")]
    {
        awari(databases(), &["serve", "--bind", address]).exits(2).says(&["--bind", address, like]);
    }
    let server = Served::start(databases(), &["--bind", "0.0.0.0:0", "--public"]);
    assert!(server.address.starts_with("0.0.0.0:"));
}

#[test]
fn a_port_in_use_is_an_error() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    awari(databases(), &["serve", "--bind", &address]).exits(1).says(&[
        "cannot listen",
        &address,
        "another port",
    ]);
}
