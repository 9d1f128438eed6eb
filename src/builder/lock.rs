//! One build at a time in a directory.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

/// The lock file, in the directory of a rule set.
const NAME: &str = ".lock";

/// No mark has as many bytes.
const LONGEST_MARK: u64 = 100;

/// A directory locked for this process. The system lets go of the lock when the process ends,
/// however it ends, so a lock file left by a killed build locks nobody out.
pub(super) struct Lock {
    path: PathBuf,
    file: File,
}

/// Why a directory could not be locked.
pub(super) enum LockError {
    /// Another process holds the lock.
    Held(PathBuf),
    /// The lock file could not be made.
    Io(io::Error),
}

impl Lock {
    /// Locks `dir`, which must be there, or says at once that somebody else has.
    pub(super) fn take(dir: &Path) -> Result<Lock, LockError> {
        let path = dir.join(NAME);
        loop {
            let file = File::options()
                .create(true)
                .truncate(false)
                .write(true)
                // A pipe of that name would have this wait for a reader for ever.
                .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed())
                .open(&path)
                .map_err(LockError::Io)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(LockError::Held(path)),
                Err(TryLockError::Error(error)) => return Err(LockError::Io(error)),
            }
            // Another build may have ended in between and removed the file: then this lock is on
            // a file that nobody else will find.
            let locked = file.metadata().map_err(LockError::Io)?;
            match fs::metadata(&path) {
                Ok(found) if (found.dev(), found.ino()) == (locked.dev(), locked.ino()) => {
                    return Ok(Lock { path, file });
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(LockError::Io(error)),
            }
        }
    }

    /// Leaves something in the lock file that no other lock has, by which those who see the same directory
    /// know it.
    pub(super) fn leave_mark(&self) -> io::Result<Vec<u8>> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mark = format!("{} {}", process::id(), now.as_nanos()).into_bytes();
        self.file.set_len(0)?;
        self.file.write_all_at(&mark, 0)?;
        self.file.sync_all()?;
        Ok(mark)
    }
}

/// The mark in the lock file of a directory.
pub(super) fn mark(dir: &Path) -> io::Result<Vec<u8>> {
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(dir.join(NAME))?;
    let mut mark = Vec::new();
    file.take(LONGEST_MARK).read_to_end(&mut mark)?;
    Ok(mark)
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is still locked. A file that stays does no harm.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_nothing_left() {
        let dir = tempfile::tempdir().unwrap();
        let lock = Lock::take(dir.path()).ok().unwrap();
        assert!(matches!(Lock::take(dir.path()), Err(LockError::Held(path)) if path.ends_with(".lock")));
        drop(lock);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        assert!(Lock::take(dir.path()).is_ok());
    }
}
