//! The real server, asked over real connections. Every answer to a program is compared with
//! docs/openapi.json.
#![allow(dead_code, reason = "each test file uses a part of this")]

pub mod schema;

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::program;

/// A running `awari serve`; it ends with this.
pub struct Served {
    child: Child,
    pub address: String,
}

/// What it answered.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Served {
    /// Starts it on a free port and waits until it listens.
    pub fn start(dir: &Path, options: &[&str]) -> Served {
        Served::run(program::command(dir, &["serve"]), options)
    }

    /// The same with no more than so many files open.
    pub fn with_files(dir: &Path, files: u32) -> Served {
        let serve = program::command(dir, &["serve"]);
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -n {files}; exec \"$0\" \"$@\"")]);
        command.arg(serve.get_program()).args(serve.get_args());
        Served::run(command, &[])
    }

    fn run(mut command: Command, options: &[&str]) -> Served {
        if !options.contains(&"--bind") {
            command.args(["--bind", "127.0.0.1:0"]);
        }
        command.args(options).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/'));
        Served { address: address.unwrap_or_else(|| panic!("{line:?} is no address")).to_owned(), child }
    }

    /// A connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        stream
    }

    /// Sends bytes and reads all that comes back; None if that is nothing.
    pub fn raw(&self, bytes: &[u8]) -> Option<Answer> {
        let mut stream = self.connect();
        // A server that has answered already may not read on.
        let _ = stream.write_all(bytes);
        read(&mut stream)
    }

    /// Asks.
    pub fn ask(&self, method: &str, path: &str, body: &str) -> Answer {
        let request = request(method, path, body);
        let answer = self.raw(request.as_bytes()).unwrap_or_else(|| panic!("{method} {path}: no answer"));
        schema::check(method, path, &answer);
        answer
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, "")
    }

    pub fn post(&self, path: &str, body: &str) -> Answer {
        self.ask("POST", path, body)
    }

    /// The answer to a question about a board.
    pub fn probe(&self, board: &str) -> Answer {
        self.get(&format!("/api/v1/probe?board={}", board.replace(' ', "+")))
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    /// Checks the status; returns the answer for more.
    #[track_caller]
    pub fn is(self, status: u16) -> Answer {
        assert_eq!(self.status, status, "{self:#?}");
        self
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The code of the error.
    #[track_caller]
    pub fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_else(|| panic!("{self:#?}")).to_owned()
    }
}

/// The text of a request.
pub fn request(method: &str, path: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nHost: awari\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

/// Reads an answer, up to the end of the connection.
pub fn read(stream: &mut TcpStream) -> Option<Answer> {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => {}
        // What was sent and not read makes the end of the connection a hard one.
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("{error}"),
    }
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let header = |line: &str| {
        let (name, value) = line.split_once(": ")?;
        Some((name.to_ascii_lowercase(), value.to_owned()))
    };
    Some(Answer { status, headers: lines.filter_map(header).collect(), body: body.to_owned() })
}
