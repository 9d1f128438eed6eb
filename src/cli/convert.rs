//! `awari convert`

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use awari::table::{self, ContentHash, DepthHeader, DepthTable, Encoding, Table, TableError, vu};
use awari::tablebase::{Source, depth_path, table_path};
use awari::{Rules, Tablebase, units};
use clap::ValueEnum;
use serde::Serialize;

use super::interrupt::Interrupt;
use super::progress::Bar;
use super::style::Style;
use super::{Failure, RulesOption, Stones, chosen, json_line, start_threads, stones_parser};

/// Write tables anew: compressed, packed, or in the layout of the Vrije Universiteit
///
/// Reads the tables of --dir and writes them to DEST; --dir is not changed. Whatever the format,
/// the values are the same, and are compared with the content hash of the table they come from.
/// A file in DEST that is there and right is left alone, so a conversion that was stopped goes on
/// with the same command. Nothing else is ever overwritten.
///
/// Depths are written in the same encoding as their values, but for vu, which has none.
///
/// All values of a table are held in memory, one byte a position, those of all smaller tables too
/// if they are compressed, and its depths, two bytes a position. Values that come from a file
/// scores.N are held in a scratch file in DEST instead, of a byte a position. scores.N has no
/// checksum: awari verify --dir DEST compares what came of it with the tables that are known.
///
/// Certificates of proofs are not copied: awari verify --prove makes them.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Convert {
    /// What to write
    #[arg(long, value_name = "FORMAT")]
    to: Format,
    /// The directory to write to, another than --dir; it is made if it is missing
    #[arg(value_name = "DEST")]
    dest: PathBuf,
    /// Only the table of N stones [default: every table that is there]
    #[arg(long, value_name = "N", value_parser = stones_parser())]
    stones: Option<u32>,
    #[command(flatten)]
    rules: RulesOption,
    /// Print one JSON object a line for each table
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  awari convert --to compressed small
  awari convert --to packed --rules abapa --dir small databases
  awari convert --to vu --stones 12 scores
  awari convert --to packed --dir scores databases";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// DEST/RULES/NN.awari in a bit or two a position; to be read, the smaller tables are needed too
    Compressed,
    /// DEST/RULES/NN.awari as awari build writes them, quicker to read
    Packed,
    /// DEST/scores.N of rules awari: one signed byte for each stored position in ascending order
    /// of (pit 11, …, pit 0), no header
    Vu,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Format::Compressed => "compressed",
            Format::Packed => "packed",
            Format::Vu => "vu",
        }
    }
}

#[derive(Serialize)]
struct Line {
    rules: &'static str,
    stones: u32,
    to: &'static str,
    ok: bool,
    #[serde(flatten)]
    written: Option<Written>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct Written {
    #[serde(serialize_with = "super::info::readable")]
    path: PathBuf,
    /// Whether this command wrote it.
    written: bool,
    positions: u64,
    bytes: u64,
    bits_per_position: f64,
    /// SHA-256 of the values in the order of tables.
    content_hash: String,
    /// SHA-256 of a file that has no header.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<WrittenDepths>,
}

#[derive(Serialize)]
struct WrittenDepths {
    #[serde(serialize_with = "super::info::readable")]
    path: PathBuf,
    written: bool,
    bytes: u64,
}

impl Convert {
    /// Runs the command.
    ///
    /// # Errors
    /// If a table cannot be read or written.
    pub fn run(self, dir: &Path) -> Result<(), Failure> {
        let rules = self.rules.rules;
        if self.to == Format::Vu && rules != Rules::Awari {
            return Err(Failure::usage(format_args!(
                "the layout of the Vrije Universiteit is of rules awari alone, not of {rules}."
            )));
        }
        let tables = Tablebase::open(dir, rules).map_err(Failure::new)?;
        let chosen = chosen(&tables, self.stones)?;
        let below = |dir: &Path| dir.join(rules.name());
        if same(dir, &self.dest) || same(&below(dir), &below(&self.dest)) {
            return Err(Failure::usage(format_args!(
                "{} is where the tables are read from: name another directory to write to.",
                self.dest.display()
            )));
        }
        let interrupt = Interrupt::listen()?;
        start_threads()?;
        let to = if self.to == Format::Vu { self.dest.clone() } else { below(&self.dest) };
        for path in table::remove_leftovers(to).map_err(Failure::new)? {
            let _ = writeln!(io::stderr(), "Removed what a killed program left: {}", path.display());
        }
        let mut failed = 0;
        for &stones in &chosen {
            if interrupt.pressed() {
                return Err(Failure::interrupted(
                    "stopped. Finished files are in place; the same command goes on from there.",
                ));
            }
            let bar = Bar::new(&format!("{:2}", Stones(stones)));
            bar.update(&self.to.name(), 0, 1);
            let converted = self.convert(&tables, stones);
            drop(bar);
            if let Err(error) = &converted {
                failed += 1;
                let _ = Style::stderr().error(error);
            }
            self.print(stones, converted).map_err(|error| Failure::output(&error))?;
        }
        match failed {
            0 => Ok(()),
            _ if chosen.len() == 1 => Err(Failure::said()),
            _ => Err(Failure::new(format_args!("{failed} of {} tables were not converted.", chosen.len()))),
        }
    }

    fn convert(&self, tables: &Tablebase, stones: u32) -> Result<Written, String> {
        let said = |error: &dyn fmt::Display| error.to_string();
        let source = tables.source(stones).map_err(|error| said(&error))?;
        match self.to {
            Format::Vu => self.convert_to_vu(tables, source),
            Format::Packed => self.convert_to(Encoding::Packed, tables, source),
            Format::Compressed => self.convert_to(Encoding::Compressed, tables, source),
        }
    }

    fn convert_to(
        &self,
        encoding: Encoding,
        tables: &Tablebase,
        source: Source<'_>,
    ) -> Result<Written, String> {
        let (rules, stones) = (tables.rules(), source.index().stones());
        let content_hash = source.content_hash().map_err(|error| error.to_string())?;
        let path = table_path(&self.dest, rules, stones);
        let there = is_there(&path)?;
        let header = if there {
            let right = Table::open(&path, rules, stones).and_then(|table| table.check().map(|()| table));
            let table = right.map_err(|error| in_the_way(&path, error))?;
            let header = table.header();
            if header.content_hash != content_hash {
                return Err(in_the_way(&path, "a table of other values"));
            }
            if header.encoding != encoding {
                return Err(in_the_way(&path, format_args!("a table that is {}", header.encoding)));
            }
            header.clone()
        } else {
            let values = self.values(tables, source)?;
            table::write_as(encoding, &path, rules, stones, &values).map_err(|error| error.to_string())?
        };
        compare(&path, content_hash, header.content_hash)?;
        let (positions, bytes) = (header.positions(), header.file_bytes());
        Ok(Written {
            path,
            written: !there,
            positions,
            bytes,
            bits_per_position: bytes as f64 * 8.0 / positions as f64,
            content_hash: header.content_hash.to_string(),
            sha256: None,
            depth: self.convert_depths(encoding, tables, stones)?,
        })
    }

    /// All values of a table, in the order of tables.
    fn values(
        &self,
        tables: &Tablebase,
        source: Source<'_>,
    ) -> Result<Box<dyn Deref<Target = [i8]>>, String> {
        match source {
            Source::Own(table) => {
                let values = tables.unpack(table.header().stones).map_err(|error| error.to_string())?;
                Ok(Box::new(values))
            }
            Source::Vu(table) => {
                let values = table.unpack_to_disk(&self.dest).map_err(|error| error.to_string())?;
                Ok(Box::new(values))
            }
        }
    }

    /// Writes the depths of a table, if there are any.
    fn convert_depths(
        &self,
        encoding: Encoding,
        tables: &Tablebase,
        stones: u32,
    ) -> Result<Option<WrittenDepths>, String> {
        let Some(source) = tables.depths(stones).map_err(|error| error.to_string())? else { return Ok(None) };
        let path = depth_path(&self.dest, tables.rules(), stones);
        let DepthHeader { rules, values_hash, content_hash, .. } = *source.header();
        let there = is_there(&path)?;
        let header = if there {
            let depths = DepthTable::open(&path, rules, stones, values_hash)
                .and_then(|depths| depths.check().map(|()| depths))
                .map_err(|error| in_the_way(&path, error))?;
            if depths.header().content_hash != content_hash {
                return Err(in_the_way(&path, "other depths"));
            }
            if depths.header().encoding != encoding {
                let found = depths.header().encoding;
                return Err(in_the_way(&path, format_args!("a table that is {found}")));
            }
            depths.header().clone()
        } else {
            let depths = tables.unpack_depths(stones).map_err(|error| error.to_string())?;
            let written = match encoding {
                Encoding::Packed => table::write_depths(&path, rules, stones, values_hash, &depths),
                Encoding::Compressed => {
                    let values = tables.unpack(stones).map_err(|error| error.to_string())?;
                    table::write_compressed_depths(&path, rules, stones, values_hash, &values, &depths)
                }
                _ => return Err(format!("{}: depths cannot be {encoding}.", path.display())),
            };
            written.map_err(|error| error.to_string())?
        };
        let bytes = header.file_bytes();
        Ok(Some(WrittenDepths { path, written: !there, bytes }))
    }

    fn convert_to_vu(&self, tables: &Tablebase, source: Source<'_>) -> Result<Written, String> {
        let said = |error: TableError| error.to_string();
        let (stones, positions) = (source.index().stones(), source.positions());
        let path = vu::path(&self.dest, stones);
        let there = is_there(&path)?;
        // Compares the values with their content hash.
        let values = self.values(tables, source)?;
        let sha256 = if there {
            let right = vu::content_hash(stones, &values);
            // A pipe could take for ever.
            let fits = fs::metadata(&path).is_ok_and(|found| found.is_file() && found.len() == positions);
            if !fits || vu::file_hash(&path).map_err(said)? != right {
                return Err(in_the_way(&path, "a file of other contents"));
            }
            right
        } else {
            vu::write(&path, stones, &values).map_err(said)?
        };
        Ok(Written {
            path,
            written: !there,
            positions,
            bytes: positions,
            bits_per_position: 8.0,
            content_hash: source.content_hash().map_err(said)?.to_string(),
            sha256: Some(sha256.to_string()),
            depth: None,
        })
    }

    fn print(&self, stones: u32, converted: Result<Written, String>) -> io::Result<()> {
        let (rules, to, mut out) = (self.rules.rules.name(), self.to.name(), io::stdout().lock());
        if self.json {
            let (ok, error) = (converted.is_ok(), converted.as_ref().err().cloned());
            return json_line(&mut out, &Line { rules, stones, to, ok, written: converted.ok(), error });
        }
        let style = Style::stdout();
        let Ok(written) = converted else {
            return writeln!(out, "{rules}, {:2}: {}", Stones(stones), style.bad("failed"));
        };
        let how = |written: bool| if written { "written" } else { "there" };
        write!(
            out,
            "{rules}, {:2}: {} {}, {}, {:.2} bits a position",
            Stones(stones),
            super::info::harmless(&written.path),
            style.good(how(written.written)),
            units::bytes(written.bytes),
            written.bits_per_position,
        )?;
        if let Some(sha256) = &written.sha256 {
            write!(out, ", SHA-256 {sha256}")?;
        }
        if let Some(depth) = &written.depth {
            write!(out, "; depths {}, {}", how(depth.written), units::bytes(depth.bytes))?;
        }
        writeln!(out)
    }
}

/// Whether two paths lead to one directory.
fn same(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Whether there is anything of this name, be it a link to nowhere.
fn is_there(path: &Path) -> Result<bool, String> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(format!("{}: cannot look for the file: {error}.", path.display())),
    }
}

/// What to say of a file that would have to be overwritten.
fn in_the_way(path: &Path, found: impl fmt::Display) -> String {
    let (path, found) = (path.display().to_string(), found.to_string());
    let found = found.strip_prefix(&format!("{path}: ")).unwrap_or(&found).trim_end_matches('.');
    format!(
        "{path}: in the way: {found}. Nothing was overwritten: if you do not need the file, delete it and \
         give the same command again."
    )
}

/// The values must be the same before and after.
fn compare(path: &Path, expected: ContentHash, found: ContentHash) -> Result<(), String> {
    let path = path.to_owned();
    if found == expected {
        Ok(())
    } else {
        Err(TableError::WrongContent { path, expected, found }.to_string())
    }
}
