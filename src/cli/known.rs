//! The list of tables that those here are compared with.

use std::borrow::Cow;
use std::path::PathBuf;

use awari::manifest::{Known, Manifest};
use awari::table::ContentHash;

use super::Failure;

/// The option that names another list.
#[derive(clap::Args)]
pub struct ManifestOption {
    /// Compare with the content hashes of another list than that in the program; like
    /// databases/manifest.json
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
}

impl ManifestOption {
    /// The list.
    ///
    /// # Errors
    /// If the file cannot be read or is no list.
    pub fn read(&self) -> Result<Cow<'static, Manifest>, Failure> {
        match &self.manifest {
            None => Ok(Cow::Borrowed(Manifest::ours())),
            Some(path) => Manifest::read(path).map(Cow::Owned).map_err(Failure::new),
        }
    }
}

/// For people.
pub fn words(known: Known) -> &'static str {
    match known {
        Known::Good => "known good",
        Known::Unknown => "unknown",
        Known::Differs(_) => "DIFFERS",
    }
}

/// What to say of `what` (values or depths) whose hash is not the listed one.
pub fn differs(what: &str, listed: ContentHash, found: ContentHash) -> String {
    format!(
        "the {what} DIFFER from the known ones: their SHA-256 is {found}, and {listed} is listed. Do not \
         use the table: delete it and build it again, or copy it from elsewhere."
    )
}
