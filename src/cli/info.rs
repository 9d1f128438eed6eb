//! `awari info`

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use awari::manifest::{Known, Manifest};
use awari::table::{ContentHash, TableError, vu};
use awari::tablebase::{Source, State};
use awari::verify::{Proof, certificate_path, proof};
use awari::{Rules, Tablebase, units};
use serde::{Serialize, Serializer};

use super::known::ManifestOption;
use super::style::Style;
use super::{Failure, Stones, json_line};

/// What is in a directory of tables
///
/// Lists the tables of all rule sets, the gaps between them, files that cannot be used and why,
/// and files that are no tables. Looks at headers only: `awari verify` reads the rest. Whether the
/// values are those of the tables we have built is told by the content hash in the header.
///
/// Files scores.N in the layout of the Vrije Universiteit have no header and no checksum; those of up
/// to 16 MB are read through to find their content hash. Of the same stones, our own table is used.
///
/// Exit code 1 if a table, depths or a certificate cannot be used or DIFFERS from the known one; gaps
/// and other files are no failure.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Info {
    #[command(flatten)]
    manifest: ManifestOption,
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
pub(super) enum Item {
    /// A table.
    Table {
        rules: &'static str,
        stones: u32,
        positions: u64,
        encoding: String,
        bytes: u64,
        bits_per_position: f64,
        /// None for a large file without a header.
        content_hash: Option<String>,
        /// `good`, `unknown` or `differs`, by the list of tables.
        known: Option<&'static str>,
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
    /// A file `scores.N` whose values are not read, because our own table of so many stones is there.
    Ignored {
        rules: &'static str,
        stones: u32,
        #[serde(serialize_with = "readable")]
        path: PathBuf,
    },
    /// Anything else.
    Stranger {
        #[serde(serialize_with = "readable")]
        path: PathBuf,
        what: &'static str,
    },
}

/// The depths of a table.
#[derive(Serialize)]
pub(super) struct Depths {
    max: u16,
    encoding: String,
    bytes: u64,
    content_hash: String,
    /// As that of the values.
    known: &'static str,
}

/// Bytes of a file without a header that are read to find its content hash.
pub(super) const QUICK: u64 = 1 << 24;

impl Info {
    /// Runs the command.
    ///
    /// # Errors
    /// If the directory cannot be read, or something in it cannot be used.
    pub fn run(self, dir: &Path) -> Result<(), Failure> {
        let items = survey(dir, &*self.manifest.read()?)?;
        let mut out = io::stdout().lock();
        let written = if self.json {
            items.iter().try_for_each(|item| json_line(&mut out, item))
        } else {
            write(&mut out, dir, &items)
        };
        written.map_err(|error| Failure::output(&error))?;
        if items.iter().any(Item::is_bad) { Err(Failure::said()) } else { Ok(()) }
    }
}

impl Item {
    /// Whether nobody should use it.
    fn is_bad(&self) -> bool {
        let differs = Some(Known::Differs(ContentHash([0; 32])).name());
        match self {
            Item::Unusable { .. } => true,
            Item::Table { known, depth, .. } => {
                *known == differs || depth.as_ref().map(|depth| depth.known) == differs
            }
            _ => false,
        }
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

fn survey(dir: &Path, manifest: &Manifest) -> Result<Vec<Item>, Failure> {
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
        // Files of another layout are of these rules, and not below.
        let (below, besides) = (sub.is_dir(), rules == Rules::Awari);
        if !below && !besides {
            continue;
        }
        if below {
            strangers.remove(&sub);
            strangers.extend(entries(&sub).map_err(|error| failed(&sub, &error))?);
            // The lock of a build.
            strangers.remove(&sub.join(".lock"));
        }
        let tables = if below || !sub.exists() { Tablebase::open(dir, rules) } else { continue };
        let tables = tables.map_err(Failure::new)?;
        let mut missing = Vec::new();
        for found in tables.found() {
            let (stones, scores) = (found.stones, vu::path(dir, found.stones));
            let there = strangers.contains(&found.path);
            // A link to nowhere is there, whatever opening it says.
            let state = match found.state {
                State::Missing if there => State::Unusable(TableError::Missing { path: found.path.clone() }),
                state => state,
            };
            if let State::Missing = state {
                missing.push(Item::Missing { rules: rules.name(), stones });
                continue;
            }
            // Tables are missing where larger ones are there.
            items.append(&mut missing);
            strangers.remove(&found.path);
            if besides && found.path != scores && strangers.remove(&scores) {
                items.push(Item::Ignored { rules: rules.name(), stones, path: scores });
            }
            let certificate = certificate_path(dir, rules, stones);
            strangers.remove(&certificate);
            let mut troubles = Vec::new();
            let mut trouble = |path, error: String| {
                troubles.push(Item::Unusable { rules: rules.name(), stones, path, error });
            };
            if !matches!(found.depth_state, State::Missing) {
                strangers.remove(&found.depth_path);
            }
            let depths_are_bad = matches!(found.depth_state, State::Unusable(_));
            if let State::Unusable(error) = found.depth_state {
                trouble(found.depth_path, error.to_string());
            }
            let item = match (state, tables.source(stones)) {
                (State::Usable, Ok(source)) => {
                    let content_hash = match source {
                        Source::Vu(table) if table.index().positions() > QUICK => None,
                        _ => match source.content_hash() {
                            Ok(hash) => Some(hash),
                            Err(error) => {
                                trouble(found.path, error.to_string());
                                items.append(&mut troubles);
                                continue;
                            }
                        },
                    };
                    let proof = match content_hash {
                        // Depths that cannot be used are a trouble of their own.
                        Some(_) if depths_are_bad => Proof::Stale,
                        Some(_) => proof(&tables, stones).unwrap_or_else(|error| {
                            trouble(certificate, error.to_string());
                            Proof::None
                        }),
                        None => Proof::None,
                    };
                    table(&tables, source, content_hash, proof, manifest)
                }
                (State::Unusable(error), _) => {
                    Item::Unusable { rules: rules.name(), stones, path: found.path, error: error.to_string() }
                }
                (_, Err(error)) => {
                    Item::Unusable { rules: rules.name(), stones, path: found.path, error: error.to_string() }
                }
                (State::Missing, Ok(_)) => continue,
            };
            items.push(item);
            items.append(&mut troubles);
        }
    }
    items.extend(strangers.into_iter().map(|path| Item::Stranger { what: what(&path), path }));
    Ok(items)
}

/// What there is to say about a table that can be used.
pub(super) fn table(
    tables: &Tablebase,
    source: Source<'_>,
    content_hash: Option<ContentHash>,
    proof: Proof,
    manifest: &Manifest,
) -> Item {
    let (rules, stones, positions) = (tables.rules(), source.index().stones(), source.positions());
    let (proof, unproved) = match proof {
        Proof::None => ("none", Vec::new()),
        Proof::Stale => ("stale", Vec::new()),
        Proof::Relative(unproved) => ("relative", unproved),
        Proof::Complete => ("complete", Vec::new()),
    };
    let (encoding, bytes) = match source {
        Source::Own(table) => (table.header().encoding.to_string(), table.header().file_bytes()),
        Source::Vu(_) => ("vu".to_owned(), positions),
    };
    Item::Table {
        rules: rules.name(),
        stones,
        positions,
        encoding,
        bytes,
        bits_per_position: bytes as f64 * 8.0 / positions as f64,
        content_hash: content_hash.map(|hash| hash.to_string()),
        known: content_hash.map(|hash| manifest.values(rules, stones, hash).name()),
        depth: tables.depths(stones).ok().flatten().map(|depths| {
            let hash = depths.header().content_hash;
            Depths {
                max: depths.header().max,
                encoding: depths.header().encoding.to_string(),
                bytes: depths.header().file_bytes(),
                content_hash: hash.to_string(),
                known: manifest.depths(rules, stones, hash).name(),
            }
        }),
        proof,
        unproved,
    }
}

/// What lies where no table is expected.
fn what(path: &Path) -> &'static str {
    let Ok(metadata) = fs::symlink_metadata(path) else { return "gone" };
    let kind = metadata.file_type();
    if kind.is_symlink() {
        if path.exists() { "link" } else { "link to nowhere" }
    } else if kind.is_dir() {
        "directory"
    } else if kind.is_file() {
        "file"
    } else {
        "no regular file"
    }
}

/// For people: the tables first, then what needs attention.
fn write(out: &mut impl Write, dir: &Path, items: &[Item]) -> io::Result<()> {
    let style = Style::stdout();
    if items.iter().any(|item| matches!(item, Item::Table { .. })) {
        let head = format!(
            "{:9} {:>6} {:>15} {:>10} {:>10} {:>8} {:>9} {:8} {:7}  {}",
            "rules",
            "stones",
            "positions",
            "encoding",
            "file",
            "bits/pos",
            "max depth",
            "proof",
            "known",
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
            known,
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
                 {depth:>9} {proof:8} {:7}  {}",
                known.unwrap_or("-"),
                content_hash.as_deref().unwrap_or("no header: awari verify reads the file to find it")
            )?;
        }
    }
    if items.iter().any(|item| matches!(item, Item::Table { encoding, .. } if encoding == "vu")) {
        writeln!(out, "{}", style.faint("vu: files scores.N, which have no checksum of their own"))?;
    }
    for item in items {
        match item {
            Item::Table { rules, stones, .. } => {
                if item.is_bad() {
                    let advice = "its content hash is not the known one. Delete it and build it again.";
                    writeln!(out, "{}  {rules}, {}: {advice}", style.bad("DIFFERS"), Stones(*stones))?;
                }
            }
            Item::Ignored { path, .. } => {
                let why = "our own table of so many stones is used";
                writeln!(out, "{}  {}: {why}", style.faint("ignored"), harmless(path))?;
            }
            Item::Missing { rules, stones } => {
                writeln!(out, "{}  {rules}, {}", style.bad("missing"), Stones(*stones))?;
            }
            Item::Unusable { error, .. } => writeln!(out, "{} {error}", style.bad("unusable"))?,
            Item::Stranger { path, what } => {
                writeln!(out, "{}    {} ({what})", style.faint("other"), harmless(path))?;
            }
        }
    }
    Ok(())
}
