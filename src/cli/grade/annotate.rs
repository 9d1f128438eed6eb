//! Graded games, written with a comment on each move.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use awari::game::{Game, ogn};
use awari::grade::Verdict;
use tempfile::NamedTempFile;

use super::text;

/// Comments of ours start like this.
const MARK: &str = "awari: ";

/// A file of graded games that is there whole or not at all.
pub struct Annotated {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
    games: usize,
}

impl Annotated {
    /// A file that gets this name in the end.
    ///
    /// # Errors
    /// A message if something is there already, or nothing can be written there.
    pub fn new(path: &Path) -> Result<Annotated, String> {
        if fs::symlink_metadata(path).is_ok() {
            return Err(format!(
                "{}: in the way. Nothing was overwritten: name a new file, or delete it first.",
                path.display()
            ));
        }
        let file = tempfile::Builder::new()
            .prefix(".graded.tmp-")
            .permissions(fs::Permissions::from_mode(0o666))
            .tempfile_in(directory(path))
            .map_err(|error| failed(path, error))?;
        Ok(Annotated { path: path.to_owned(), file: BufWriter::new(file), games: 0 })
    }

    /// Adds a game with its grades.
    ///
    /// # Errors
    /// A message if the file cannot be written.
    pub fn add(&mut self, game: &mut Game, verdicts: &[Verdict]) -> Result<(), String> {
        for (ply, verdict) in verdicts.iter().enumerate() {
            let south = game.start().south_to_move == (ply % 2 == 0);
            let Some(comment) = game.comment_mut(ply) else { continue };
            // What an earlier run said is said anew.
            let theirs = comment.take().unwrap_or_default();
            let theirs = theirs.split_once(MARK).map_or(theirs.as_str(), |(theirs, _)| theirs).trim();
            let ours = match verdict {
                Verdict::Graded(grade) => format!("{MARK}{}", text::remark(grade, south)),
                Verdict::NoTable(_) | Verdict::Decided => String::new(),
            };
            let both = [theirs, ours.as_str()].join(" ");
            *comment = Some(both.trim().to_owned()).filter(|both| !both.is_empty());
        }
        let between = if self.games > 0 { "\n" } else { "" };
        self.games += 1;
        write!(self.file, "{between}{}", ogn::write(game)).map_err(|error| failed(&self.path, error))
    }

    /// Puts the file in place.
    ///
    /// # Errors
    /// A message if that cannot be done.
    pub fn finish(self) -> Result<(), String> {
        let Annotated { path, file, .. } = self;
        let file = file.into_inner().map_err(|error| failed(&path, error.into_error()))?;
        file.as_file().sync_all().map_err(|error| failed(&path, error))?;
        file.persist_noclobber(&path).map_err(|error| failed(&path, error.error))?;
        File::open(directory(&path)).and_then(|dir| dir.sync_all()).map_err(|error| failed(&path, error))
    }
}

fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn failed(path: &Path, error: std::io::Error) -> String {
    format!("{}: cannot write the graded games: {error}.", path.display())
}
