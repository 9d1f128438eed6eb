//! A new file of games.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use awari::game::{Game, ogn};
use tempfile::NamedTempFile;

/// A file of games that is there whole or not at all.
pub struct NewGames {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
    games: usize,
}

impl NewGames {
    /// A file that gets this name in the end.
    ///
    /// # Errors
    /// A message if something is there already, or nothing can be written there.
    pub fn new(path: &Path) -> Result<NewGames, String> {
        if fs::symlink_metadata(path).is_ok() {
            return Err(format!(
                "{}: in the way. Nothing was overwritten: name a new file, or delete it first.",
                path.display()
            ));
        }
        let file = tempfile::Builder::new()
            .prefix(".games.tmp-")
            .permissions(fs::Permissions::from_mode(0o666))
            .tempfile_in(directory(path))
            .map_err(|error| failed(path, error))?;
        Ok(NewGames { path: path.to_owned(), file: BufWriter::new(file), games: 0 })
    }

    /// Adds a game.
    ///
    /// # Errors
    /// A message if the file cannot be written.
    pub fn add(&mut self, game: &Game) -> Result<(), String> {
        let between = if self.games > 0 { "\n" } else { "" };
        self.games += 1;
        write!(self.file, "{between}{}", ogn::write(game)).map_err(|error| failed(&self.path, error))
    }

    /// Puts the file in place.
    ///
    /// # Errors
    /// A message if that cannot be done.
    pub fn finish(self) -> Result<(), String> {
        let NewGames { path, file, .. } = self;
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
    format!("{}: cannot write the games: {error}.", path.display())
}
