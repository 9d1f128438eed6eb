//! `awari info`

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use awari::tablebase::State;
use awari::verify::{Proof, certificate_path, proof};
use awari::{Rules, Tablebase, units};
use serde::{Serialize, Serializer};

use super::style::Style;
use super::{Failure, json_line};

/// What is in a directory of tables
///
/// Lists the tables of all rule sets, the gaps between them, files that cannot be used and why,
/// and files that are no tables. Looks at headers only: `awari verify` reads the rest.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Info {
    /// Print one JSON object a line for each table, gap or file
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  awari info
  awari info --dir /data/awari --json";

/// Something that is there, or should be.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Item {
    /// A table.
    Table {
        rules: &'static str,
        stones: u32,
        positions: u64,
        encoding: String,
        bytes: u64,
        bits_per_position: f64,
        content_hash: String,
        /// Its depths, if they are there.
        depth: Option<Depths>,
        /// `none`, `stale`, `relative` or `complete`.
        proof: &'static str,
        /// The smaller tables that the proof relied on and that are not proved.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        unproved: Vec<u32>,
    },
    /// A table that is not there, though a larger one is.
    Missing { rules: &'static str, stones: u32 },
    /// A file where a table should be.
    Unusable {
        rules: &'static str,
        stones: u32,
        #[serde(serialize_with = "readable")]
        path: PathBuf,
        error: String,
    },
    /// Anything else.
    Stranger {
        #[serde(serialize_with = "readable")]
        path: PathBuf,
    },
}

/// The depths of a table.
#[derive(Serialize)]
struct Depths {
    max: u16,
    encoding: String,
    bytes: u64,
    content_hash: String,
}

impl Info {
    /// Runs the command.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn run(self, dir: &Path) -> Result<(), Failure> {
        let items = survey(dir)?;
        let mut out = io::stdout().lock();
        let written = if self.json {
            items.iter().try_for_each(|item| json_line(&mut out, item))
        } else {
            write(&mut out, dir, &items)
        };
        written.map_err(|error| Failure::output(&error))
    }
}

/// A path as text; not every name of a file is text.
pub(super) fn readable<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// A path for a terminal: a name of a file may hold line ends, or orders to the terminal.
pub(super) fn harmless(path: &Path) -> String {
    let text = path.display().to_string();
    let escaped = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(escaped).collect()
}

/// The entries of a directory, in order.
fn entries(dir: &Path) -> io::Result<BTreeSet<PathBuf>> {
    fs::read_dir(dir)?.map(|entry| entry.map(|entry| entry.path())).collect()
}

fn survey(dir: &Path) -> Result<Vec<Item>, Failure> {
    let failed = |dir: &Path, error: &io::Error| match error.kind() {
        io::ErrorKind::NotFound => Failure::new(format_args!(
            "{}: no such directory. Build tables in it, for example with awari build --stones 12, or name \
             another with --dir.",
            dir.display()
        )),
        _ => Failure::new(format_args!("{}: cannot list the directory: {error}.", dir.display())),
    };
    let mut strangers = entries(dir).map_err(|error| failed(dir, &error))?;
    let mut items = Vec::new();
    for rules in Rules::ALL {
        let sub = dir.join(rules.name());
        if !sub.is_dir() {
            continue;
        }
        strangers.remove(&sub);
        strangers.extend(entries(&sub).map_err(|error| failed(&sub, &error))?);
        // The lock of a build.
        strangers.remove(&sub.join(".lock"));
        let tables = Tablebase::open(dir, rules).map_err(Failure::new)?;
        let mut missing = Vec::new();
        for found in tables.found() {
            let (rules, stones) = (rules.name(), found.stones);
            if let State::Missing = found.state {
                missing.push(Item::Missing { rules, stones });
                continue;
            }
            // Tables are missing where larger ones are there.
            items.append(&mut missing);
            strangers.remove(&found.path);
            let certificate = certificate_path(dir, tables.rules(), stones);
            strangers.remove(&certificate);
            if !matches!(found.depth_state, State::Missing) {
                strangers.remove(&found.depth_path);
            }
            let mut troubles = Vec::new();
            if let State::Unusable(error) = &found.depth_state {
                let path = found.depth_path.clone();
                troubles.push(Item::Unusable { rules, stones, path, error: error.to_string() });
            }
            items.push(match (found.state, tables.table(stones)) {
                (State::Unusable(error), _) => {
                    Item::Unusable { rules, stones, path: found.path, error: error.to_string() }
                }
                (_, Err(error)) => {
                    Item::Unusable { rules, stones, path: found.path, error: error.to_string() }
                }
                (_, Ok(table)) => {
                    let proof = match found.depth_state {
                        // Depths that cannot be used are a trouble of their own.
                        State::Unusable(_) => Proof::Stale,
                        _ => proof(&tables, stones).unwrap_or_else(|error| {
                            let error = error.to_string();
                            troubles.push(Item::Unusable { rules, stones, path: certificate, error });
                            Proof::None
                        }),
                    };
                    let (proof, unproved) = match proof {
                        Proof::None => ("none", Vec::new()),
                        Proof::Stale => ("stale", Vec::new()),
                        Proof::Relative(unproved) => ("relative", unproved),
                        Proof::Complete => ("complete", Vec::new()),
                    };
                    let depths = tables.depths(stones).ok().flatten();
                    let header = table.header();
                    let (positions, bytes) = (header.positions(), header.file_bytes());
                    Item::Table {
                        rules,
                        stones,
                        positions,
                        encoding: header.encoding.to_string(),
                        bytes,
                        bits_per_position: bytes as f64 * 8.0 / positions as f64,
                        content_hash: header.content_hash.to_string(),
                        depth: depths.map(|depths| Depths {
                            max: depths.header().max,
                            encoding: depths.header().encoding.to_string(),
                            bytes: depths.header().file_bytes(),
                            content_hash: depths.header().content_hash.to_string(),
                        }),
                        proof,
                        unproved,
                    }
                }
            });
            items.append(&mut troubles);
        }
    }
    items.extend(strangers.into_iter().map(|path| Item::Stranger { path }));
    Ok(items)
}

/// For people: the tables first, then what needs attention.
fn write(out: &mut impl Write, dir: &Path, items: &[Item]) -> io::Result<()> {
    let style = Style::stdout();
    if items.iter().any(|item| matches!(item, Item::Table { .. })) {
        let head = format!(
            "{:9} {:>6} {:>15} {:>10} {:>10} {:>8} {:>9} {:8}  {}",
            "rules",
            "stones",
            "positions",
            "encoding",
            "file",
            "bits/pos",
            "max depth",
            "proof",
            "SHA-256 of the values"
        );
        writeln!(out, "{}", style.faint(head))?;
    } else {
        writeln!(
            out,
            "No tables in {}. Build some, for example with awari build --stones 12.",
            dir.display()
        )?;
    }
    for item in items {
        if let Item::Table {
            rules,
            stones,
            positions,
            encoding,
            bytes,
            bits_per_position,
            content_hash,
            depth,
            proof,
            ..
        } = item
        {
            let depth = depth.as_ref().map_or("-".to_owned(), |depth| depth.max.to_string());
            let (positions, bytes) = (units::count(*positions), units::bytes(*bytes));
            writeln!(
                out,
                "{rules:9} {stones:>6} {positions:>15} {encoding:>10} {bytes:>10} {bits_per_position:>8.2} \
                 {depth:>9} {proof:8}  {content_hash}"
            )?;
        }
    }
    for item in items {
        match item {
            Item::Table { .. } => {}
            Item::Missing { rules, stones } => {
                writeln!(out, "{}  {rules}, {stones} stones", style.bad("missing"))?;
            }
            Item::Unusable { error, .. } => writeln!(out, "{} {error}", style.bad("unusable"))?,
            Item::Stranger { path } => writeln!(out, "{}    {}", style.faint("other"), harmless(path))?,
        }
    }
    Ok(())
}
