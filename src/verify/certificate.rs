//! What was proved, as a file beside the tables.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::rules::Rules;
use crate::table::{self, ContentHash, TableError};
use crate::tablebase::{ProbeError, Tablebase, table_path};

/// That [`super::prove`] found the values and depths of one number of stones right, provided that
/// the values it relied on are.
///
/// It is as good as the word of who hands it over, and quick to read; who does not take it can
/// run the proof again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Certificate {
    /// The program and version that checked.
    pub program: String,
    /// The rules.
    #[serde(with = "crate::text")]
    pub rules: Rules,
    /// Stones on the board.
    pub stones: u32,
    /// Positions checked: all that are stored.
    pub positions: u64,
    /// Those of value above 0,
    pub wins: u64,
    /// of value 0,
    pub draws: u64,
    /// and below.
    pub losses: u64,
    /// The greatest depth.
    pub max_depth: u16,
    /// The sum of the depths.
    pub sum_of_depths: u64,
    /// The content hash of the values.
    #[serde(with = "crate::text")]
    pub values: ContentHash,
    /// The content hash of the depths.
    #[serde(with = "crate::text")]
    pub depths: ContentHash,
    /// The smaller tables whose values were taken as right, ascending.
    pub relied_on: Vec<ReliedOn>,
}

/// A smaller table that a proof relied on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReliedOn {
    /// Its stones.
    pub stones: u32,
    /// The content hash of its values.
    #[serde(with = "crate::text")]
    pub values: ContentHash,
}

/// Where the certificate of `stones` stones lies: `<directory>/<rules>/<stones>.proof.json`.
pub fn certificate_path(directory: impl AsRef<Path>, rules: Rules, stones: u32) -> PathBuf {
    table_path(directory, rules, stones).with_extension("proof.json")
}

/// Why a certificate cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum CertificateError {
    /// The system refused.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not a certificate.
    NotACertificate {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertificateError::Io { path, source } => {
                write!(f, "{}: cannot read the certificate: {source}.", path.display())
            }
            CertificateError::NotACertificate { path, source } => {
                write!(f, "{}: not a certificate: {source}. Prove the table again.", path.display())
            }
        }
    }
}

impl std::error::Error for CertificateError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CertificateError::Io { source, .. } => Some(source),
            CertificateError::NotACertificate { source, .. } => Some(source),
        }
    }
}

impl Certificate {
    /// Writes it as JSON, whole or not at all.
    ///
    /// # Errors
    /// If the disk is full, the directory cannot be written, or the system refuses.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), TableError> {
        let path = path.as_ref();
        let failed = |error: serde_json::Error| TableError::Io {
            path: path.to_owned(),
            action: "write the certificate",
            source: error.into(),
        };
        let mut text = serde_json::to_vec_pretty(self).map_err(failed)?;
        text.push(b'\n');
        table::write_whole(path, text.len() as u64, |file| file.write_all_at(&text, 0), |_| Ok(()))
    }

    /// Reads one; None if there is no such file.
    ///
    /// # Errors
    /// If the file cannot be read or is not a certificate.
    pub fn read(path: impl AsRef<Path>) -> Result<Option<Certificate>, CertificateError> {
        let path = path.as_ref();
        // Only a file has an end.
        let read = || match fs::metadata(path)?.is_file() {
            true => fs::read(path),
            false => Err(io::Error::other("it is no regular file")),
        };
        let text = match read() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|source| CertificateError::Io { path: path.to_owned(), source })?,
        };
        let wrong = |source| CertificateError::NotACertificate { path: path.to_owned(), source };
        serde_json::from_slice(&text).map(Some).map_err(wrong)
    }

    /// Whether it is about the tables that are there now: the same rules, stones and hashes.
    ///
    /// # Errors
    /// If a table it is about is there and cannot be used.
    fn is_about(&self, tables: &Tablebase, stones: u32) -> Result<bool, ProbeError> {
        let values = |stones| match tables.source(stones) {
            Ok(table) => Ok(Some(table.content_hash()?)),
            Err(ProbeError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        };
        if (self.rules, self.stones) != (tables.rules(), stones) || values(stones)? != Some(self.values) {
            return Ok(false);
        }
        if tables.depths(stones)?.is_some_and(|depths| depths.header().content_hash != self.depths) {
            return Ok(false);
        }
        // All that captures lead to, and each as it is there.
        let smaller = 0..(stones + 1).saturating_sub(2);
        if !smaller.clone().eq(self.relied_on.iter().map(|table| table.stones)) {
            return Ok(false);
        }
        for table in &self.relied_on {
            if values(table.stones)? != Some(table.values) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What is known about the proof of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// There is no certificate.
    None,
    /// The certificate is about other tables than those that are there.
    Stale,
    /// The table was proved from the values of smaller tables, of which these (stones, ascending)
    /// were not proved themselves.
    Relative(Vec<u32>),
    /// The table was proved, and so was everything that it relied on.
    Complete,
}

/// What the certificates beside the tables say about the table of `stones` stones. Compares the
/// hashes in the headers; that the data are those of the headers says [`crate::table::Table::check`].
///
/// # Errors
/// If a certificate or a table is there and cannot be used.
pub fn proof(tables: &Tablebase, stones: u32) -> Result<Proof, Box<dyn std::error::Error + Send + Sync>> {
    let state = |stones| {
        let path = certificate_path(tables.directory(), tables.rules(), stones);
        let Some(certificate) = Certificate::read(path)? else { return Ok(Proof::None) };
        let fits = certificate.is_about(tables, stones)?;
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(if fits { Proof::Complete } else { Proof::Stale })
    };
    match state(stones)? {
        Proof::Complete => {}
        other => return Ok(other),
    }
    let mut unproved = Vec::new();
    for smaller in 0..(stones + 1).saturating_sub(2) {
        if state(smaller)? != Proof::Complete {
            unproved.push(smaller);
        }
    }
    Ok(if unproved.is_empty() { Proof::Complete } else { Proof::Relative(unproved) })
}
