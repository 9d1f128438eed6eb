//! `docs/errors.md` quotes what the program really says: this test provokes every trouble in it,
//! writes the page anew and compares. After a message has changed,
//! `BLESS=1 cargo test --test docs_errors` puts the new page in place.

mod common;
mod program;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use awari::builder::BuildError;
use awari::table::{self, Encoding};
use awari::{Rules, Tablebase};
use program::databases;
use tempfile::TempDir;

/// A trouble.
struct Trouble {
    name: &'static str,
    /// Brings it about in a directory that holds `databases/` with the tables of up to 8 stones.
    prepare: fn(&Path) -> Held,
    /// What meets it, as typed into a shell.
    command: &'static str,
    /// What it means and what to do.
    advice: &'static str,
}

/// What has to stay open for the trouble to last.
type Held = Option<File>;

fn nothing(_: &Path) -> Held {
    None
}

fn change(dir: &Path, name: &str, change: impl Fn(&mut Vec<u8>)) -> Held {
    let path = dir.join("databases/awari").join(name);
    let mut bytes = fs::read(&path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
    None
}

/// Puts a game in a file.
fn game(dir: &Path, text: &str) -> Held {
    fs::write(dir.join("match.ogn"), text).unwrap();
    None
}

/// Compresses the table of 4 stones.
fn compress(dir: &Path) {
    let tables = Tablebase::open(dir.join("databases"), Rules::Awari).unwrap();
    let values = tables.unpack(4).unwrap();
    table::write_as(Encoding::Compressed, tables.path(4), Rules::Awari, 4, &values).unwrap();
}

/// Makes the first tile of a compressed table longer than its block, and every checksum right.
fn forge(bytes: &mut [u8]) {
    const HEADER: usize = 872;
    let number = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let put = |bytes: &mut [u8], at: usize, checksum: u32| {
        bytes[at..at + 4].copy_from_slice(&checksum.to_le_bytes());
    };
    let data = number(bytes, 40);
    // Behind the model.
    let block = data + number(bytes, HEADER + 4);
    let end = block + number(bytes, HEADER + 12);
    bytes[block..block + 2].fill(255);
    let checksum = crc32fast::hash(&bytes[block..end]);
    put(bytes, HEADER + 8, checksum);
    let checksum = crc32fast::hash(&bytes[HEADER..data]);
    put(bytes, 864, checksum);
    let checksum = crc32fast::hash(&bytes[..868]);
    put(bytes, 868, checksum);
}

/// At the end of a command: ^C is pressed while it is at work.
const INTERRUPTED: &str = "\n^C";

/// Each section of the page with its troubles.
const SECTIONS: &[(&str, &[Trouble])] = &[
    (
        "Positions",
        &[
            Trouble {
                name: "Something that is no number",
                prepare: nothing,
                command: "awari probe '4 4 x 4 4 4 / 4 4 4 4 4 4'",
                advice: "The message names the word, its place and what belongs there.",
            },
            Trouble {
                name: "Thirteen numbers",
                prepare: nothing,
                command: "awari probe '4 4 4 4 4 4 / 4 4 4 4 4 4 0'",
                advice: "A board has twelve pits. Captured stones are not given in this notation.",
            },
            Trouble {
                name: "Eleven numbers",
                prepare: nothing,
                command: "awari probe '4 4 4 4 4 4 / 4 4 4 4 4'",
                advice: "Empty pits are written too, as 0.",
            },
            Trouble {
                name: "A negative number",
                prepare: nothing,
                command: "awari probe '4 4 4 4 4 4 / 4 4 4 4 4 -4'",
                advice: "A quoted position that starts with a minus sign would be taken for an option: put `--` before it.",
            },
            Trouble {
                name: "More than 48 stones",
                prepare: nothing,
                command: "awari probe '9 9 9 9 9 9 / 0 0 0 0 0 0'",
                advice: "A game starts with 48 stones; there are never more.",
            },
            Trouble {
                name: "Stones and captured stones that are not 48 together",
                prepare: nothing,
                command: "awari probe 4-4-4-4-0-5-5-5-5-4-4-4-0-1-N",
                advice: "Notations with captured stones tell of all 48. Check which number is wrong, or give \
                         the twelve pits alone.",
            },
            Trouble {
                name: "47 stones",
                prepare: nothing,
                command: "awari probe '3 4 4 4 4 4 / 4 4 4 4 4 4'",
                advice: "No such position occurs in a game, so there is no table of them.",
            },
            Trouble {
                name: "A bad line among many",
                prepare: nothing,
                command: r"printf '0 0 0 0 0 0 / 0 0 0 0 0 1\n0 0 0 0 0 0 / 0 0 0 0 0\n' | awari probe --json",
                advice: "The other lines are answered. With `--json` the line has an object with `error` in \
                         its place, so that answers and questions match.",
            },
        ],
    ),
    (
        "Tables",
        &[
            Trouble {
                name: "A table that is not there",
                prepare: nothing,
                command: "awari probe '4 4 4 4 4 4 / 4 4 4 4 4 4'",
                advice: "Give the command in the message, copy the table there, or name the right directory \
                         with `--dir`. A probe also needs tables of fewer stones, where captures lead.",
            },
            Trouble {
                name: "No tables at all",
                prepare: nothing,
                command: "awari stats --rules abapa",
                advice: "Tables of one rule set say nothing about another.",
            },
            Trouble {
                name: "A table of other rules",
                prepare: |dir| {
                    fs::rename(dir.join("databases/awari"), dir.join("databases/abapa")).unwrap();
                    None
                },
                command: "awari probe --rules abapa '0 0 0 0 0 2 / 1 1 0 0 0 0'",
                advice: "The file is in the wrong directory.",
            },
            Trouble {
                name: "A table of another number of stones",
                prepare: |dir| {
                    let tables = dir.join("databases/awari");
                    fs::rename(tables.join("05.awari"), tables.join("04.awari")).unwrap();
                    None
                },
                command: "awari probe '0 0 0 0 0 2 / 1 1 0 0 0 0'",
                advice: "The file has the wrong name.",
            },
            Trouble {
                name: "A table cut short",
                prepare: |dir| change(dir, "04.awari", |bytes| bytes.truncate(4200)),
                command: "awari probe '0 0 0 0 0 2 / 1 1 0 0 0 0'",
                advice: "A copy that did not finish, most likely. Copy it again, or delete it and build it.",
            },
            Trouble {
                name: "A changed byte in the values",
                prepare: |dir| change(dir, "04.awari", |bytes| bytes[4200] ^= 1),
                command: "awari probe '0 0 0 0 0 2 / 1 1 0 0 0 0'",
                advice: "The disk or a transfer damaged the file. It is found when the block is first read; \
                         `awari verify` looks at all of them. Copy the file again, or delete it and build it.",
            },
            Trouble {
                name: "Compressed values that are none",
                prepare: |dir| {
                    compress(dir);
                    change(dir, "04.awari", |bytes| forge(bytes))
                },
                command: "awari verify --stones 4",
                advice: "The file is as it was written, but by a faulty program or machine. Build it again, or \
                         convert it again from a sound table.",
            },
            Trouble {
                name: "A changed byte in the header",
                prepare: |dir| change(dir, "04.awari", |bytes| bytes[100] ^= 1),
                command: "awari verify --stones 4",
                advice: "As above.",
            },
            Trouble {
                name: "A file that is no table",
                prepare: |dir| change(dir, "04.awari", |bytes| *bytes = b"not a table".to_vec()),
                command: "awari stats --stones 4",
                advice: "`awari info` lists all such files.",
            },
            Trouble {
                name: "A table of a later version",
                prepare: |dir| change(dir, "04.awari", |bytes| bytes[8] = 2),
                command: "awari probe '0 0 0 0 0 2 / 1 1 0 0 0 0'",
                advice: "Formats only grow: a newer program reads all older files.",
            },
            Trouble {
                name: "No depths",
                prepare: nothing,
                command: "awari verify --prove --stones 4",
                advice: "Proofs need the depths, which are built with `--depth`, also for tables that are there. \
                         A line is found without them, if it is not too long.",
            },
            Trouble {
                name: "Depths of other values",
                prepare: |dir| {
                    let tables = dir.join("databases/awari");
                    let positions = awari::index::Index::new(4).positions() as usize;
                    let (other, depths) = (awari::table::ContentHash([0; 32]), vec![0; positions]);
                    let path = tables.join("04.depth");
                    awari::table::write_depths(path, awari::Rules::Awari, 4, other, &depths).unwrap();
                    None
                },
                command: "awari probe '0 0 0 0 0 2 / 1 1 0 0 0 0'",
                advice: "The two files are not of the same build. The depths are of no use then.",
            },
            Trouble {
                name: "Values that differ from the known ones",
                prepare: |dir| {
                    let (tables, rules) = (dir.join("databases"), awari::Rules::Awari);
                    let there = awari::Tablebase::open(&tables, rules).unwrap();
                    let wrong = common::believed(&there, 4).unwrap();
                    awari::table::write(there.path(4), rules, 4, &wrong).unwrap();
                    None
                },
                command: "awari verify --stones 4",
                advice: "The file is as it was written and its positions agree with each other, and yet it is \
                         not the table that we, and others, have built. Either is wrong, and ours is proved \
                         if `databases/manifest.json` says so.",
            },
            Trouble {
                name: "A list of tables that is none",
                prepare: |dir| {
                    fs::write(dir.join("theirs.json"), "{\"tables\": []}").unwrap();
                    None
                },
                command: "awari verify --manifest theirs.json",
                advice: "Nothing was compared. Lists are like `databases/manifest.json`.",
            },
            Trouble {
                name: "A short file of the Vrije Universiteit",
                prepare: |dir| {
                    fs::create_dir(dir.join("scores")).unwrap();
                    fs::write(dir.join("scores/scores.4"), [0; 1000]).unwrap();
                    None
                },
                command: "awari verify --stones 4 --dir scores",
                advice: "A file `scores.N` has one byte for each position, and nothing else.",
            },
            Trouble {
                name: "A byte that is no value",
                prepare: |dir| {
                    fs::create_dir(dir.join("scores")).unwrap();
                    fs::write(dir.join("scores/scores.4"), [9; 1365]).unwrap();
                    None
                },
                command: "awari stats --stones 4 --dir scores",
                advice: "Such files have no checksums: of a changed byte that is still a possible value only \
                         `awari verify` can tell.",
            },
            Trouble {
                name: "Files of the Vrije Universiteit and other rules",
                prepare: |dir| {
                    fs::create_dir(dir.join("scores")).unwrap();
                    fs::write(dir.join("scores/scores.4"), [0; 1365]).unwrap();
                    None
                },
                command: "awari stats --dir scores --rules abapa",
                advice: "They are of rules `awari` alone.",
            },
            Trouble {
                name: "A directory that is not there",
                prepare: nothing,
                command: "awari info --dir nowhere",
                advice: "Relative directories start from where the command is given.",
            },
        ],
    ),
    (
        "Conversions",
        &[
            Trouble {
                name: "A directory converted onto itself",
                prepare: nothing,
                command: "awari convert --to compressed databases",
                advice: "Tables are never replaced. When the new ones are verified, the old can be deleted.",
            },
            Trouble {
                name: "A file in the way",
                prepare: |dir| {
                    fs::create_dir_all(dir.join("small/awari")).unwrap();
                    fs::copy(dir.join("databases/awari/04.awari"), dir.join("small/awari/04.awari")).unwrap();
                    None
                },
                command: "awari convert --to compressed --stones 4 small",
                advice: "Only what is already as it should be is left alone without a word.",
            },
            Trouble {
                name: "A layout that other rules have not",
                prepare: nothing,
                command: "awari convert --to vu --rules abapa scores",
                advice: "What reads such files knows no other rules.",
            },
        ],
    ),
    (
        "Games and samples",
        &[
            Trouble {
                name: "A move that is not legal",
                prepare: |dir| game(dir, "1. F e 2. F"),
                command: "awari grade match.ogn",
                advice: "The game is left out, the others are graded. The message names the game, the move \
                         and the rule it breaks.",
            },
            Trouble {
                name: "A capture that is none",
                prepare: |dir| game(dir, "1. F e+3"),
                command: "awari grade match.ogn",
                advice: "The record was made under other rules, or is wrong.",
            },
            Trouble {
                name: "A game of other rules",
                prepare: |dir| game(dir, "[Variant \"Oware Abapa\"]\n\n1. F e"),
                command: "awari grade match.ogn",
                advice: "Files of Aualé are of rules `abapa`.",
            },
            Trouble {
                name: "No file of games",
                prepare: nothing,
                command: "awari grade databases/awari/04.awari",
                advice: "Games are texts.",
            },
            Trouble {
                name: "Graded games in the way",
                prepare: |dir| game(dir, "1. F e"),
                command: "awari grade match.ogn --annotate match.ogn",
                advice: "Nothing is ever overwritten.",
            },
            Trouble {
                name: "Too few positions",
                prepare: nothing,
                command: "awari sample --stones 8 --min-loss 17",
                advice: "No move can lose more than twice the stones on the board; few lose nearly that.",
            },
        ],
    ),
    (
        "Builds",
        &[
            Trouble {
                name: "No table of 47 stones",
                prepare: nothing,
                command: "awari build --stones 47",
                advice: "46 stones are the most below the start.",
            },
            Trouble {
                name: "More stones than a game has",
                prepare: nothing,
                command: "awari build --stones 49",
                advice: "48 is the most.",
            },
            Trouble {
                name: "Not enough memory",
                prepare: nothing,
                command: "ulimit -v 2000000; awari build --stones 40",
                advice: "Nothing was started. The plan above the message says what each table needs; what is \
                         available is the least of what the machine, the control groups of the process \
                         (containers, batch systems) and its limit of address space have left.",
            },
            Trouble {
                name: "A damaged table in the way",
                prepare: |dir| change(dir, "04.awari", |bytes| bytes[4200] ^= 1),
                command: "awari build --stones 9",
                advice: "A build reads through the tables it builds upon and never overwrites a file. Delete \
                         the file, or put a sound copy in its place.",
            },
            Trouble {
                name: "Two builds at once",
                prepare: |dir| {
                    let lock = File::create(dir.join("databases/awari/.lock")).unwrap();
                    lock.try_lock().unwrap();
                    Some(lock)
                },
                command: "awari build --stones 9",
                advice: "The lock ends with the build that holds it, even if that is killed; there is never a \
                         need to delete the file.",
            },
            Trouble {
                name: "A file larger than the shell allows",
                prepare: nothing,
                command: "bash -c 'ulimit -f 100; awari build --stones 10'",
                advice: "Raise the limit (`ulimit -f unlimited`). A full disk is an error of the same kind.",
            },
            Trouble {
                name: "A directory that cannot be written",
                prepare: |dir| {
                    File::create(dir.join("file")).unwrap();
                    None
                },
                command: "awari build --stones 9 --dir file",
                advice: "Name another directory with `--dir`.",
            },
            Trouble {
                name: "Stopped by ^C",
                prepare: nothing,
                command: "awari build --stones 22\n^C",
                advice: "Nothing is lost but the table that was being built. A second ^C stops without \
                         cleaning up; the next build does that.",
            },
        ],
    ),
    (
        "Serving",
        &[
            Trouble {
                name: "An address that others can reach",
                prepare: nothing,
                command: "awari serve --bind 0.0.0.0:8080",
                advice: "Everybody who can reach the machine could ask. If that is meant, add `--public`.",
            },
            Trouble {
                name: "An address that cannot be used",
                prepare: nothing,
                command: "awari serve --bind 192.0.2.1:8080 --public",
                advice: "The address is not one of this machine; or the port is in use, or needs rights. \
                         What a server answers while it runs is in [http.md](http.md).",
            },
        ],
    ),
];

#[test]
fn the_page_quotes_what_the_program_says() {
    let mut page = String::from(
        "# Troubles, and what to do\n\n\
         Every message here was taken from a run of the program, and `cargo test` compares them with\n\
         what it says now. Exit codes: 0 all went well, 1 something failed, 2 the arguments make no\n\
         sense, 130 stopped by ^C. In these runs the directory `databases` has the tables of up to 8\n\
         stones under rules `awari`.\n",
    );
    for (section, troubles) in SECTIONS {
        page += &format!("\n## {section}\n");
        for trouble in *troubles {
            let Trouble { name, command, advice, .. } = trouble;
            let (code, message) = provoke(trouble);
            page += &format!("\n### {name}\n\n```console\n$ {command}\n{message}```\n\n");
            page += &wrapped(&format!("Exit code {code}. {advice}"));
        }
    }
    // A full disk is hard to come by: the message is the program's, the numbers are not.
    let full = BuildError::Disk { dir: "databases/awari".into(), needed: 60_200_000, free: 17_000_000 };
    page += &format!(
        "\n### Not enough disk space\n\n```console\n$ awari build --stones 20\nerror: {full}\n```\n\n"
    );
    page += &wrapped("Exit code 1. Nothing was started. What the tables need is an upper bound.");

    let path = "docs/errors.md";
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, &page).unwrap();
    }
    let there = fs::read_to_string(path).unwrap_or_default();
    for (there, now) in there.lines().zip(page.lines()) {
        assert_eq!(there, now, "{path} is out of date: run BLESS=1 cargo test --test docs_errors");
    }
    assert_eq!(there.len(), page.len(), "{path} is out of date: run BLESS=1 cargo test --test docs_errors");
}

/// Runs a trouble's command; returns its exit code and what it said at last.
fn provoke(trouble: &Trouble) -> (i32, String) {
    let dir = TempDir::new().unwrap();
    let tables = dir.path().join("databases/awari");
    fs::create_dir_all(&tables).unwrap();
    for entry in fs::read_dir(databases().join("awari")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), tables.join(entry.file_name())).unwrap();
    }
    let held = (trouble.prepare)(dir.path());
    let program = PathBuf::from(env!("CARGO_BIN_EXE_awari"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let interrupted = trouble.command.strip_suffix(INTERRUPTED);
    let command = interrupted.map_or(trouble.command.to_owned(), |command| format!("exec {command}"));
    let mut shell = Command::new("sh");
    shell.args(["-c", &command]).current_dir(dir.path()).env("PATH", path);
    let mut child = shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    if interrupted.is_some() {
        program::wait_for(&tables.join("09.awari"), &mut child);
        program::interrupt(&child);
    }
    let output = child.wait_with_output().unwrap();
    drop(held);
    let stderr = String::from_utf8(output.stderr).unwrap();
    let mut lines =
        stderr.lines().skip_while(|line| !(line.starts_with("error:") || line.starts_with("stopped")));
    let mut message: String = lines.by_ref().map(|line| format!("{line}\n")).collect();
    assert!(!message.is_empty(), "{}: {stderr}", trouble.name);
    // What the machine has, which is more or less each time.
    for (before, after, usual) in [
        (" GB and ", " may be used", "1.8 GB"),
        ("disk space (", " is free", "64.0 GB"),
        ("There is enough for ", " stones", "33"),
    ] {
        if let Some(from) = message.find(before).map(|at| at + before.len())
            && let Some(length) = message[from..].find(after)
        {
            message.replace_range(from..from + length, usual);
        }
    }
    (output.status.code().unwrap(), message)
}

/// A paragraph in lines of at most 96 characters.
fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        if length + 1 + word.len() > 96 {
            lines.push('\n');
            length = 0;
        } else if length > 0 {
            lines.push(' ');
            length += 1;
        }
        lines += word;
        length += word.len();
    }
    lines + "\n"
}
