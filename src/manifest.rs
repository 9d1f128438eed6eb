//! Lists of tables that somebody has built, to compare one's own with.
//!
//! A table is the same for everyone, so two people who built it have the same content hash,
//! whatever the encodings of their files. `databases/manifest.json` lists what we have built and
//! what of it is proved; the program carries it inside.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::rules::Rules;
use crate::table::ContentHash;

/// Bytes of a list that are read, at most: a thousand times ours.
const LONGEST: u64 = 1 << 26;

/// A list of tables.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Manifest {
    /// The program and version that built them.
    pub built_by: String,
    /// The tables; each rule set and number of stones once at most.
    pub tables: Vec<Entry>,
}

/// A table of a list.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Entry {
    /// The rules.
    #[serde(with = "crate::text")]
    pub rules: Rules,
    /// Stones on the board, 0..=48.
    pub stones: u32,
    /// Positions stored.
    pub positions: u64,
    /// Those of value above 0,
    pub win: u64,
    /// of value 0,
    pub draw: u64,
    /// and below.
    pub loss: u64,
    /// The least value, if it is listed,
    #[serde(default)]
    pub min: Option<i8>,
    /// and the greatest.
    #[serde(default)]
    pub max: Option<i8>,
    /// The content hash of the values.
    #[serde(with = "crate::text")]
    pub content_hash: ContentHash,
    /// Its depths, if they were built.
    #[serde(default)]
    pub depth: Option<DepthEntry>,
    /// Whether it was proved, and so were all that the proof relied on.
    #[serde(default)]
    pub proved: bool,
}

/// The depths of a table of a list.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct DepthEntry {
    /// The greatest, in plies.
    pub max: u16,
    /// Their content hash.
    #[serde(with = "crate::text")]
    pub content_hash: ContentHash,
}

/// What a list says about values or depths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// The list has the same.
    Good,
    /// The list has none of these rules and so many stones.
    Unknown,
    /// The list has others, of this hash.
    Differs(ContentHash),
}

impl Known {
    /// `good`, `unknown` or `differs`.
    pub fn name(self) -> &'static str {
        match self {
            Known::Good => "good",
            Known::Unknown => "unknown",
            Known::Differs(_) => "differs",
        }
    }

    fn of(listed: Option<ContentHash>, found: ContentHash) -> Known {
        match listed {
            None => Known::Unknown,
            Some(listed) if listed == found => Known::Good,
            Some(listed) => Known::Differs(listed),
        }
    }
}

/// Why a list cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ManifestError {
    /// The system refused.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is no list of tables.
    NotAManifest {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ManifestError::Io { path, source } => {
                write!(f, "{}: cannot read the list of tables: {source}.", path.display())
            }
            ManifestError::NotAManifest { path, problem } => write!(
                f,
                "{}: not a list of tables: {problem}. It should be like databases/manifest.json.",
                path.display()
            ),
        }
    }
}

impl std::error::Error for ManifestError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ManifestError::Io { source, .. } => Some(source),
            ManifestError::NotAManifest { .. } => None,
        }
    }
}

/// Our list.
static OURS: LazyLock<Manifest> = LazyLock::new(|| {
    let text = include_str!("../databases/manifest.json");
    Manifest::parse(text.as_bytes()).expect("the list in the program is read by a test")
});

impl Manifest {
    /// The list of tables we have built, `databases/manifest.json` as it was when this program was
    /// compiled.
    ///
    /// ```
    /// use awari::{Rules, manifest::{Known, Manifest}};
    /// let ours = Manifest::ours();
    /// let one = ours.entry(Rules::Awari, 1).ok_or("not listed")?;
    /// assert_eq!((one.positions, one.win, one.loss), (12, 5, 7));
    /// assert_eq!(ours.values(Rules::Awari, 1, one.content_hash), Known::Good);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ours() -> &'static Manifest {
        &OURS
    }

    /// Reads a list from a file.
    ///
    /// # Errors
    /// If the file cannot be read, is no such list, or lists a table twice.
    pub fn read(path: impl AsRef<Path>) -> Result<Manifest, ManifestError> {
        let path = path.as_ref();
        let read = || {
            let metadata = fs::metadata(path)?;
            // Only a file has an end.
            if !metadata.is_file() || metadata.len() > LONGEST {
                return Err(io::Error::other("it is no regular file, or far too long"));
            }
            fs::read(path)
        };
        let text = read().map_err(|source| ManifestError::Io { path: path.to_owned(), source })?;
        let wrong = |problem| ManifestError::NotAManifest { path: path.to_owned(), problem };
        Manifest::parse(&text).map_err(wrong)
    }

    fn parse(text: &[u8]) -> Result<Manifest, String> {
        let manifest: Manifest = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        let mut listed = HashSet::new();
        match manifest.tables.iter().find(|table| !listed.insert((table.rules, table.stones))) {
            Some(Entry { rules, stones, .. }) => {
                Err(format!("{stones} stones of rules {rules} are listed twice"))
            }
            None => Ok(manifest),
        }
    }

    /// What is listed of a table.
    pub fn entry(&self, rules: Rules, stones: u32) -> Option<&Entry> {
        self.tables.iter().find(|entry| (entry.rules, entry.stones) == (rules, stones))
    }

    /// Compares the content hash of values.
    pub fn values(&self, rules: Rules, stones: u32, found: ContentHash) -> Known {
        Known::of(self.entry(rules, stones).map(|entry| entry.content_hash), found)
    }

    /// Compares the content hash of depths.
    pub fn depths(&self, rules: Rules, stones: u32, found: ContentHash) -> Known {
        let depth = self.entry(rules, stones).and_then(|entry| entry.depth.as_ref());
        Known::of(depth.map(|depth| depth.content_hash), found)
    }
}
