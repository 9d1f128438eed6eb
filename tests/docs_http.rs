//! The examples of docs/http.md are asked as they stand there, and the answers are what it says. After
//! an answer has changed, `BLESS=1 cargo test --test docs_http` puts the new ones in place.

mod program;
mod served;

use std::fs;
use std::path::Path;
use std::process::Command;

use program::{awari, copy};
use served::Served;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/http.md");
const ADDRESS: &str = "127.0.0.1:8080";

#[test]
fn examples_are_answered_as_the_page_says() {
    let dir = copy();
    awari(dir.path(), &["build", "--stones", "7", "--depth"]).exits(0);
    let server = Served::start(dir.path(), &[]);
    let page = fs::read_to_string(PAGE).unwrap();
    let mut asked = 0;
    let (mut new, mut lines) = (String::new(), page.lines().peekable());
    while let Some(line) = lines.next() {
        new += line;
        new += "\n";
        let Some(example) = line.strip_prefix("curl ") else { continue };
        asked += 1;
        let answer = answer(&server, example);
        // The end of the block, and the answer as it was.
        assert_eq!(lines.next(), Some("```"), "{example}: an example is a line");
        new += "```\n\n";
        while lines.next_if(|line| line.is_empty()).is_some() {}
        if lines.next_if(|line| *line == "```json").is_some() {
            while lines.next().is_some_and(|line| line != "```") {}
            while lines.next_if(|line| line.is_empty()).is_some() {}
        }
        new += &format!("```json\n{}\n```\n\n", broken(answer.trim_end(), 0));
    }
    assert!(asked >= 8, "{asked} examples");
    if std::env::var_os("BLESS").is_some() {
        fs::write(PAGE, &new).unwrap();
        return;
    }
    assert!(new == page, "docs/http.md says otherwise: BLESS=1 cargo test --test docs_http");
}

/// Asks what an example asks; where curl is installed, by it as well.
fn answer(server: &Served, example: &str) -> String {
    let words: Vec<&str> = example.split('\'').collect();
    let prefix = format!("http://{ADDRESS}");
    let path = |address: &str| address.strip_prefix(&prefix).expect(example).to_owned();
    let answer = match words[..] {
        ["", address, ""] => server.get(&path(address)),
        ["--data-binary ", body, " ", address, ""] => server.post(&path(address), body),
        _ => panic!("{example}: not understood"),
    };
    if Path::new("/usr/bin/curl").exists() {
        let command = format!("curl --silent --noproxy '*' {}", example.replace(ADDRESS, &server.address));
        let out = Command::new("sh").args(["-c", &command]).output().unwrap();
        assert_eq!(String::from_utf8(out.stdout).unwrap(), answer.body, "{command}");
    }
    answer.body
}

/// JSON broken into lines that are not too long, its fields in their order.
fn broken(json: &str, indent: usize) -> String {
    const WIDTH: usize = 104;
    let inner = json.strip_prefix(['{', '[']).and_then(|rest| rest.strip_suffix(['}', ']']));
    let Some(inner) = inner.filter(|_| json.len() + indent > WIDTH) else { return json.to_owned() };
    let mut parts = vec![String::new()];
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for letter in inner.chars() {
        if !quoted && depth == 0 && letter == ',' {
            parts.push(String::new());
            continue;
        }
        match letter {
            '"' if !escaped => quoted = !quoted,
            '{' | '[' if !quoted => depth += 1,
            '}' | ']' if !quoted => depth -= 1,
            _ => {}
        }
        escaped = quoted && letter == '\\' && !escaped;
        parts.last_mut().unwrap().push(letter);
    }
    let pad = " ".repeat(indent + 2);
    let parts = parts.iter().map(|part| {
        // A field is its name and a value, which may have to be broken in turn.
        let at = if part.starts_with('"') { part.find("\":").map_or(0, |at| at + 2) } else { 0 };
        let (name, value) = part.split_at(at);
        format!("{pad}{name}{}", broken(value, indent + 2))
    });
    let (open, close) = json.split_at(1);
    let close = &close[close.len() - 1..];
    format!("{open}\n{}\n{}{close}", parts.collect::<Vec<_>>().join(",\n"), " ".repeat(indent))
}
