//! `awari verify`

use std::io::{self, Write};
use std::path::Path;

use awari::Tablebase;
use awari::manifest::{Known, Manifest};
use awari::table::ContentHash;
use awari::verify::{Certificate, Step, VerifyError, certificate_path, prove, verify};
use serde::Serialize;

use super::interrupt::Interrupt;
use super::known::{ManifestOption, differs, words};
use super::progress::Bar;
use super::style::Style;
use super::{Failure, RulesOption, Stones, chosen, json_line, start_threads, stones_parser};

/// Check tables: bytes, and every position one ply ahead; or prove them
///
/// Compares each file with its checksums and its content hash, and the value of each position
/// with those of the positions after its moves, by code that shares nothing with the builder but
/// the rules and the order of positions. This finds damage and nearly every mistake. It is a check
/// of consistency, not a proof: positions that lead to each other in a circle could hold wrong values
/// that agree.
///
/// Then it compares the content hash with the list of tables we have built: known good, unknown (not
/// in the list), or DIFFERS, which is an error.
///
/// With --prove the depths are checked as well (awari build --depth makes them), and that is a
/// proof: docs/proof.md says why. It leaves a certificate beside the tables, NN.proof.json, which
/// awari info shows.
///
/// Files scores.N of the Vrije Universiteit have no checksums: of their bytes it can be said that each
/// is a possible value, whether the positions agree, and whether the content hash is known. To prove
/// them, depths that were built for the same values are needed: DIR/awari/NN.depth.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Verify {
    /// Only the table of N stones [default: every table that is there]
    #[arg(long, value_name = "N", value_parser = stones_parser())]
    stones: Option<u32>,
    /// Prove values and depths, and leave certificates
    #[arg(long)]
    prove: bool,
    #[command(flatten)]
    manifest: ManifestOption,
    #[command(flatten)]
    rules: RulesOption,
    /// Print one JSON object a line for each table
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  awari verify
  awari verify --stones 12 --rules abapa
  awari verify --prove
  awari verify --manifest theirs.json --json";

#[derive(Serialize)]
struct Line {
    rules: &'static str,
    stones: u32,
    /// What was checked, so that nobody takes it for more.
    check: &'static str,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    positions: Option<u64>,
    /// SHA-256 of the values in the order of tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
    /// Whether they are in the list of tables: `good`, `unknown` or `differs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// What was found out about a table.
struct Checked {
    positions: Option<u64>,
    /// The hash of the values and whether it is known, if the file is as it was written.
    values: Option<(ContentHash, Known)>,
    error: Option<String>,
}

impl Verify {
    /// Runs the command.
    ///
    /// # Errors
    /// If a table does not pass.
    pub fn run(self, dir: &Path) -> Result<(), Failure> {
        let manifest = self.manifest.read()?;
        let tables = Tablebase::open(dir, self.rules.rules).map_err(Failure::new)?;
        let chosen = chosen(&tables, self.stones)?;
        let interrupt = Interrupt::listen()?;
        start_threads()?;
        let path = |stones| certificate_path(dir, self.rules.rules, stones);
        let mut failed = 0;
        for &stones in &chosen {
            let checked = self.check(&tables, stones, &interrupt);
            if let Err(VerifyError::Stopped) = checked {
                return Err(Failure::interrupted(format_args!(
                    "stopped. The table of {} was not checked to its end.",
                    Stones(stones)
                )));
            }
            let mut result = Checked {
                positions: tables.source(stones).ok().map(|table| table.positions()),
                values: None,
                error: None,
            };
            if let Err(error) = checked.map_err(|error| error.to_string()).and_then(|certificate| {
                compare(&tables, stones, &manifest, certificate.as_ref(), &mut result)?;
                let Some(certificate) = certificate else { return Ok(()) };
                certificate.write(path(stones)).map_err(|error| error.to_string())
            }) {
                failed += 1;
                let _ = Style::stderr().error(&error);
                result.error = Some(error);
            }
            self.print(stones, result).map_err(|error| Failure::output(&error))?;
        }
        if !self.json && failed < chosen.len() {
            // With the results, so that whoever keeps them keeps what they mean.
            let meaning = if self.prove { PROVED } else { CONSISTENT };
            writeln!(io::stdout(), "{meaning}").map_err(|error| Failure::output(&error))?;
        }
        match failed {
            0 => Ok(()),
            _ if chosen.len() == 1 => Err(Failure::said()),
            _ => Err(Failure::new(format_args!("{failed} of {} tables did not pass.", chosen.len()))),
        }
    }

    /// Checks a table; a proof has a certificate.
    fn check(
        &self,
        tables: &Tablebase,
        stones: u32,
        interrupt: &Interrupt,
    ) -> Result<Option<Certificate>, VerifyError> {
        let (progress, stop) = (bar(stones), || interrupt.pressed());
        if self.prove {
            prove(tables, stones, &progress, &stop).map(Some)
        } else {
            verify(tables, stones, &progress, &stop).map(|()| None)
        }
    }

    fn print(&self, stones: u32, checked: Checked) -> io::Result<()> {
        let rules = self.rules.rules.name();
        let Checked { positions, values, error } = checked;
        let mut out = io::stdout().lock();
        let (check, good) = if self.prove { ("proof", "proved") } else { ("consistency", "consistent") };
        if self.json {
            let ok = error.is_none();
            let content_hash = values.map(|(hash, _)| hash.to_string());
            let known = values.map(|(_, known)| known.name());
            let line = Line { rules, stones, check, ok, positions, content_hash, known, error };
            return json_line(&mut out, &line);
        }
        let style = Style::stdout();
        let positions = positions.map(|positions| format!(", {}", super::positions(positions)));
        let positions = positions.unwrap_or_default();
        write!(out, "{rules}, {:2}{positions}: ", Stones(stones))?;
        match (&error, values) {
            (Some(_), Some((_, known @ Known::Differs(_)))) => writeln!(out, "{}", style.bad(words(known))),
            (Some(_), _) => writeln!(out, "{}", style.bad("failed")),
            (None, Some((_, known))) => writeln!(out, "{}, {}", style.good(good), words(known)),
            (None, None) => writeln!(out, "{}", style.good(good)),
        }
    }
}

/// Compares the hashes of values, and of depths that were checked, with those in the list.
fn compare(
    tables: &Tablebase,
    stones: u32,
    manifest: &Manifest,
    certificate: Option<&Certificate>,
    result: &mut Checked,
) -> Result<(), String> {
    let source = tables.source(stones).map_err(|error| error.to_string())?;
    let hash = source.content_hash().map_err(|error| error.to_string())?;
    let known = manifest.values(tables.rules(), stones, hash);
    result.values = Some((hash, known));
    if let Known::Differs(listed) = known {
        return Err(format!("{}: {}", source.path().display(), differs("values", listed, hash)));
    }
    if let Some(hash) = certificate.map(|certificate| certificate.depths)
        && let Known::Differs(listed) = manifest.depths(tables.rules(), stones, hash)
    {
        let path = tables.depth_path(stones);
        return Err(format!("{}: {}", path.display(), differs("depths", listed, hash)));
    }
    Ok(())
}

const CONSISTENT: &str = "\
Consistent: the file is as it was written, and every value is what the positions after its moves say.
This is a check of consistency, not a proof that the values are right.";

const PROVED: &str = "\
Proved: every value and depth is what the positions after its moves say, so the values are right if
those of the tables of fewer stones are. awari info shows whether these were proved too.";

/// A bar for one table.
fn bar(stones: u32) -> impl Fn(Step, u64, u64) + Sync {
    let bar = Bar::new(&format!("{:2}", Stones(stones)));
    move |step, done, total| {
        let step = match step {
            Step::File => "file",
            Step::Positions => "positions",
        };
        bar.update(&step, done, total);
    }
}
