//! Maps the file of a table into memory.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use memmap2::MmapMut;
use rustix::fs::OFlags;

use super::error::TableError;
use super::guard::Map;

/// The bytes of the file `path`. Anything else than a file is refused at once: a pipe in its place
/// must not keep the program waiting for a writer.
pub(super) fn map(path: &Path) -> Result<Map, TableError> {
    let failed = |action| {
        move |source: io::Error| match source.kind() {
            ErrorKind::NotFound => TableError::Missing { path: path.to_owned() },
            _ => TableError::Io { path: path.to_owned(), action, source },
        }
    };
    let opened = File::options().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path);
    let file = opened.map_err(failed("open the file"))?;
    let metadata = file.metadata().map_err(failed("ask what the file is"))?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "it is a directory" } else { "it is no regular file" };
        return Err(failed("read the table")(io::Error::other(what)));
    }
    Map::new(&file).map_err(failed("map the file into memory"))
}

/// `bytes` zeros in a file without a name in `directory`, for what is too much for memory.
pub(super) fn scratch(directory: &Path, bytes: u64) -> Result<MmapMut, TableError> {
    let failed = |action| move |source| TableError::writing(directory, action, source);
    std::fs::create_dir_all(directory).map_err(failed("create the directory"))?;
    let file = tempfile::tempfile_in(directory).map_err(failed("create a temporary file"))?;
    super::writer::reserve(directory, directory, &file, bytes)?;
    file.set_len(bytes).map_err(failed("reserve space"))?;
    // SAFETY: the file has no name, so no other process can open it to change or shorten it, and
    // its space is reserved, so a full disk cannot turn a write into a signal.
    unsafe { MmapMut::map_mut(&file) }.map_err(failed("map the file into memory"))
}
