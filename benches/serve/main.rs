//! What `awari serve` answers on loopback: requests in a second and their times, beside a question that
//! needs no work, in turns in the same run; then memory over a longer load.
//!
//! ```text
//! cargo bench --bench serve
//! cargo bench --bench serve -- --soak 300
//! ```

#[path = "../support/grid.rs"]
mod grid;

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use awari::index::Index;
use awari::random::Random;
use clap::Parser;

use grid::{Grid, number};

/// Measures the server.
#[derive(Parser)]
struct Options {
    /// Stones on the boards that are asked for.
    #[arg(long, default_value_t = 14)]
    stones: u32,
    /// Connections, each asking again as soon as it is answered.
    #[arg(long, default_value_t = 8)]
    connections: u64,
    /// Seconds of each kind of question in a round.
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Rounds.
    #[arg(long, default_value_t = 5)]
    rounds: u64,
    /// Seconds of mixed load while memory is watched; 0 for none.
    #[arg(long, default_value_t = 0)]
    soak: u64,
    /// Measure: what `cargo bench` passes. Without it, check quickly.
    #[arg(long, hide = true)]
    bench: bool,
}

/// A kind of question.
#[derive(Clone, Copy)]
enum Kind {
    Nothing,
    Probe,
    Line,
    Batch,
    Wrong,
}

/// Boards of a batch.
const BATCH: usize = 100;

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Nothing => "GET /healthz",
            Kind::Probe => "GET /api/v1/probe",
            Kind::Line => "GET /api/v1/line",
            Kind::Batch => "POST /api/v1/probe, 100 boards",
            Kind::Wrong => "GET /api/v1/probe, no board",
        }
    }

    fn request(self, stones: u32, random: &mut Random) -> String {
        let get = |path: String| format!("GET {path} HTTP/1.1\r\nHost: awari\r\n\r\n");
        match self {
            Kind::Nothing => get("/healthz".to_owned()),
            Kind::Probe => get(format!("/api/v1/probe?board={}", board(stones, random).replace(' ', "+"))),
            Kind::Line => get(format!("/api/v1/line?board={}", board(stones, random).replace(' ', "+"))),
            Kind::Wrong => get("/api/v1/probe?board=x".to_owned()),
            Kind::Batch => {
                let boards: Vec<String> =
                    (0..BATCH).map(|_| format!("\"{}\"", board(stones, random))).collect();
                let body = format!("{{\"boards\":[{}]}}", boards.join(","));
                format!(
                    "POST /api/v1/probe HTTP/1.1\r\nHost: awari\r\nContent-Length: {}\r\n\r\n{body}",
                    body.len()
                )
            }
        }
    }

    fn status(self) -> &'static str {
        if let Kind::Wrong = self { "400" } else { "200" }
    }
}

/// A random board of up to so many stones.
fn board(stones: u32, random: &mut Random) -> String {
    let index = Index::new(stones - random.below(4) as u32);
    index.board(random.below(index.positions())).pits().map(|pit| pit.to_string()).join(" ")
}

/// The server; it ends with this.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(dir: &str) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_awari"))
            .args(["--dir", dir, "serve", "--bind", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("its output")).read_line(&mut line).expect("its address");
        Server { child, address: line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned() }
    }

    /// Memory in use, kB.
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that asks and reads the answers.
struct Client {
    stream: BufReader<TcpStream>,
    answer: Vec<u8>,
    line: String,
}

impl Client {
    fn connect(address: &str) -> io::Result<Client> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Client {
            stream: BufReader::with_capacity(1 << 16, stream),
            answer: Vec::new(),
            line: String::new(),
        })
    }

    fn ask(&mut self, request: &str, status: &str) -> io::Result<()> {
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (mut length, mut first) = (0, true);
        loop {
            self.line.clear();
            if self.stream.read_line(&mut self.line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if first {
                assert!(self.line.starts_with(&format!("HTTP/1.1 {status} ")), "{request}\n{}", self.line);
                first = false;
            } else if let Some(text) = self.line.strip_prefix("content-length: ") {
                length = text.trim().parse().map_err(io::Error::other)?;
            } else if self.line == "\r\n" {
                break;
            }
        }
        self.answer.resize(length, 0);
        self.stream.read_exact(&mut self.answer)
    }
}

/// Asks over several connections for a time; returns how long each answer took, and how long all did.
fn load(server: &Server, kind: Kind, options: &Options, seed: u64) -> (Vec<Duration>, f64) {
    let start = Instant::now();
    let end = start + Duration::from_secs_f64(options.seconds);
    let ask = |connection: u64| {
        let mut random = Random::new(seed * 1000 + connection);
        let mut client = Client::connect(&server.address).expect("a connection");
        let mut took = Vec::new();
        while Instant::now() < end {
            let request = kind.request(options.stones, &mut random);
            let begun = Instant::now();
            client.ask(&request, kind.status()).expect("an answer");
            took.push(begun.elapsed());
        }
        took
    };
    let took = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..options.connections).map(|connection| scope.spawn(move || ask(connection))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a client")).collect()
    });
    (took, start.elapsed().as_secs_f64())
}

fn main() {
    let mut options = Options::parse();
    if !options.bench {
        options = Options { stones: 8, seconds: 0.2, rounds: 1, soak: options.soak.min(1), ..options };
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let dir = directory.path().to_str().expect("a name that is text");
    let built = Command::new(env!("CARGO_BIN_EXE_awari"))
        .args(["--dir", dir, "build", "--depth", "--stones", &options.stones.to_string()])
        .stdout(Stdio::null())
        .status();
    assert!(built.is_ok_and(|status| status.success()), "the tables cannot be built");
    let server = Server::start(dir);

    let kinds = [Kind::Nothing, Kind::Probe, Kind::Batch, Kind::Line, Kind::Wrong];
    let mut all = kinds.map(|kind| (kind, Vec::new(), 0.0));
    for round in 0..options.rounds {
        for (kind, took, seconds) in &mut all {
            let (more, time) = load(&server, *kind, &options, round);
            took.extend(more);
            *seconds += time;
        }
    }
    let mut grid = Grid::new(&[
        "question",
        "requests/s",
        "to /healthz",
        "p50, µs",
        "to /healthz",
        "p99, µs",
        "to /healthz",
    ]);
    let mut least = None;
    for (kind, took, seconds) in &mut all {
        took.sort_unstable();
        let part = |part: f64| took[(took.len() as f64 * part) as usize].as_secs_f64() * 1e6;
        let figures = [took.len() as f64 / *seconds, part(0.5), part(0.99)];
        let least = *least.get_or_insert(figures);
        let cells =
            figures.iter().zip(least).flat_map(|(figure, least)| [number(*figure), number(figure / least)]);
        grid.row([kind.name().to_owned()].into_iter().chain(cells));
    }
    println!(
        "{} stones, {} connections, {} rounds of {} s each",
        options.stones, options.connections, options.rounds, options.seconds
    );
    grid.print();

    if options.soak > 0 {
        soak(&server, &options, &kinds);
    }
}

/// Memory over a load of all kinds, each connection opened anew every time.
fn soak(server: &Server, options: &Options, kinds: &[Kind]) {
    let mut grid = Grid::new(&["after, s", "requests", "private memory, kB"]);
    let start = Instant::now();
    let slice = (options.soak as f64 / 10.0).max(0.1);
    let mut requests = 0;
    grid.row(["0".to_owned(), "0".to_owned(), server.memory().to_string()]);
    for part in 1..=10_u32 {
        while start.elapsed().as_secs_f64() < slice * f64::from(part) {
            for &kind in kinds {
                let brief = Options { seconds: 0.2, bench: true, ..*options };
                requests += load(server, kind, &brief, u64::from(part)).0.len();
            }
        }
        grid.row([number(start.elapsed().as_secs_f64()), requests.to_string(), server.memory().to_string()]);
    }
    grid.print();
}
