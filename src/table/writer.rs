//! Writes a table: whole and checked, or not at all.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustix::fs::{Advice, FallocateFlags, FlockOperation};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use super::BLOCK_POSITIONS;
use super::compressed::{Encoder, Source, Until, Values};
use super::counts::Counts;
use super::error::TableError;
use super::header::{self, ContentHash, Encoding, HEADER_BYTES, Header, IndexOrder, Metric};
use super::packed::{Packing, packed_bytes};
use super::reader::{Table, as_bytes};
use crate::board::MAX_STONES;
use crate::index::Index;
use crate::rules::Rules;

/// What the names of temporary files contain between that of the table and random letters.
const TEMPORARY: &str = ".awari.tmp-";

/// Blocks packed between two writes to the file: a few megabytes.
const BATCH: u64 = 64;

/// Writes the values of all positions of `stones` stones, in the order of [`Index`], as the table
/// `path`, and returns its header. An old table of that name is replaced at the last moment, when
/// the new one is on disk and was read back and compared. Packing uses the threads of the current
/// rayon pool; the bytes do not depend on how many those are. Missing directories are created.
///
/// # Errors
/// If the values are not as many as positions or one is not in −n..=n, the disk is too full, the
/// directory cannot be written, or what was written does not read back. The old table, if there
/// is one, is then still in place, unless the error says that the directory cannot be forced to
/// disk: the new table is then in place, and may be lost if the machine stops.
pub fn write(path: impl AsRef<Path>, rules: Rules, stones: u32, values: &[i8]) -> Result<Header, TableError> {
    write_as(Encoding::Packed, path, rules, stones, values)
}

/// Writes values like [`write()`], in any encoding. Compressing takes a few seconds for every
/// hundred million positions.
///
/// # Errors
/// As [`write()`].
pub fn write_as(
    encoding: Encoding,
    path: impl AsRef<Path>,
    rules: Rules,
    stones: u32,
    values: &[i8],
) -> Result<Header, TableError> {
    write_until(&|| false, encoding, path.as_ref(), rules, stones, values)
}

/// Whether to stop. Asked often, from several threads.
pub(crate) type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// Writes values like [`write_as`] unless `stop` says to stop; then nothing is written.
pub(crate) fn write_until(
    stop: Stop,
    encoding: Encoding,
    path: &Path,
    rules: Rules,
    stones: u32,
    values: &[i8],
) -> Result<Header, TableError> {
    let counts = count(path, stones, values)?;
    let mut header = Header {
        rules,
        stones,
        metric: Metric::Value,
        order: IndexOrder::Halves,
        encoding,
        counts,
        content_hash: ContentHash([0; 32]),
        compressed_bytes: 0,
    };

    // How long a compressed table will be is not known before it is written.
    let bytes = header.file_bytes();
    let fill = |file: &File| {
        let (hash, written) = rayon::join(
            || ContentHash(Sha256::digest(as_bytes(values)).into()),
            || match encoding {
                Encoding::Packed => write_packed(file, &header, values),
                Encoding::Compressed => {
                    let encoder = Encoder::new(Until { source: Values::new(stones, values), stop });
                    write_streams(stop, file, header.data_offset(), header.blocks(), &encoder)
                }
            },
        );
        header.content_hash = hash;
        let (bytes, directory) = written?;
        header.compressed_bytes = bytes;
        write_start(file, &header, directory)
    };
    write_whole(path, bytes, fill, |file| Table::open(file, rules, stones)?.check_against(values, stop))?;
    Ok(header)
}

/// An error if it is time to stop.
pub(super) fn go_on(stop: Stop) -> std::io::Result<()> {
    if stop() { Err(ErrorKind::Interrupted.into()) } else { Ok(()) }
}

/// Makes a file of `bytes` bytes that `fill` writes, and gives it the name `path` once it is on
/// disk and `check`, given its temporary name, has found it right.
pub(crate) fn write_whole(
    path: &Path,
    bytes: u64,
    fill: impl FnOnce(&File) -> std::io::Result<()>,
    check: impl FnOnce(&Path) -> Result<(), TableError>,
) -> Result<(), TableError> {
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let failed = |action| move |source| TableError::writing(path, action, source);
    fs::create_dir_all(directory).map_err(failed("create the directory"))?;
    let file = create_temporary(path, directory).map_err(failed("create a temporary file"))?;
    reserve(path, directory, file.as_file(), bytes)?;
    fill(file.as_file()).and_then(|()| file.as_file().sync_all()).map_err(|source| match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => no_space(path, directory, bytes),
        _ => TableError::writing(path, "write the table", source),
    })?;

    // Without the pages in memory, the check reads what is on the disk. Not every file system
    // does as it is told; then the check is the weaker for it.
    let _ = rustix::fs::fadvise(file.as_file(), 0, None, Advice::DontNeed);
    check(file.path())?;

    file.persist(path)
        .map_err(|error| TableError::writing(path, "rename the temporary file", error.error))?;
    File::open(directory)
        .and_then(|directory| directory.sync_all())
        .map_err(failed("force the directory to disk"))
}

/// Removes the temporary files that writers left in `directory` when they were killed, and
/// returns their paths. Files that a running process is still writing are left alone. A directory
/// that does not exist has none.
///
/// # Errors
/// If the directory cannot be read or a file cannot be removed.
pub fn remove_leftovers(directory: impl AsRef<Path>) -> Result<Vec<PathBuf>, TableError> {
    let directory = directory.as_ref();
    let failed = |action| move |source| TableError::Io { path: directory.to_owned(), action, source };
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed("list the directory"))?,
    };
    let mut removed = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed("list the directory"))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // Anything but a file is not a writer's, and opening a pipe could take for ever.
        let is_file = entry.file_type().map_err(failed("list the directory"))?.is_file();
        let is_temporary = is_file && name.starts_with('.') && name.contains(TEMPORARY);
        if !is_temporary || is_locked(&entry.path()) {
            continue;
        }
        match fs::remove_file(entry.path()) {
            // Another process may clean up at the same time.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(TableError::writing(&entry.path(), "remove the file", error)),
            Ok(()) => removed.push(entry.path()),
        }
    }
    removed.sort();
    Ok(removed)
}

fn count(path: &Path, stones: u32, values: &[i8]) -> Result<Counts, TableError> {
    let wrong = |problem| Err(TableError::WrongValues { path: path.to_owned(), problem });
    if stones > MAX_STONES {
        return wrong(format!("{stones} stones, and a game has {MAX_STONES}"));
    }
    let positions = Index::new(stones).positions();
    if values.len() as u64 != positions {
        let found = values.len();
        return wrong(format!("{found} values, and a table of {stones} stones has {positions} positions"));
    }
    let too_large = |value: &i8| u32::from(value.unsigned_abs()) > stones;
    let chunks = values.par_chunks(BLOCK_POSITIONS as usize);
    if chunks.clone().any(|values| values.iter().fold(false, |some, value| some | too_large(value))) {
        let place = values.iter().position(too_large).unwrap_or_default();
        let value = values[place];
        return wrong(format!("value {value} at place {place}, and {stones} stones are on the board"));
    }
    Ok(chunks
        .map(|values| values.iter().copied().collect())
        .reduce(Counts::default, |some, more| some.plus(&more)))
}

fn create_temporary(path: &Path, directory: &Path) -> std::io::Result<NamedTempFile> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let file = tempfile::Builder::new()
        .prefix(&format!(".{stem}{TEMPORARY}"))
        // As any new file: the system takes away what the umask forbids.
        .permissions(fs::Permissions::from_mode(0o666))
        .tempfile_in(directory)?;
    // Says that the writer is alive; the system lets go when it is not. On a file system without
    // locks, a second process that cleans up can make this one fail, but not write a wrong table.
    let _ = rustix::fs::flock(file.as_file(), FlockOperation::NonBlockingLockExclusive);
    Ok(file)
}

fn is_locked(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| {
        rustix::fs::flock(file.as_fd(), FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK)
    })
}

fn no_space(path: &Path, directory: &Path, needed: u64) -> TableError {
    let free = free_bytes(directory).unwrap_or(0);
    TableError::NoSpace { path: path.to_owned(), needed, free }
}

/// Bytes on the disk that this user may fill.
fn free_bytes(directory: &Path) -> rustix::io::Result<u64> {
    let disk = rustix::fs::statvfs(directory)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Takes the disk space now, so that a full disk is known before the work.
pub(super) fn reserve(path: &Path, directory: &Path, file: &File, bytes: u64) -> Result<(), TableError> {
    let io = |action| move |errno: Errno| TableError::writing(path, action, errno.into());
    let free = free_bytes(directory).map_err(io("read the free space of the disk"))?;
    if free < bytes {
        return Err(TableError::NoSpace { path: path.to_owned(), needed: bytes, free });
    }
    match rustix::fs::fallocate(file, FallocateFlags::empty(), 0, bytes) {
        Ok(()) => Ok(()),
        // Some file systems cannot; there the space is taken by writing.
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
        Err(Errno::NOSPC | Errno::DQUOT) => Err(no_space(path, directory, bytes)),
        Err(errno) => Err(io("reserve space for the table")(errno)),
    }
}

/// Writes the data; returns how many bytes, and the directory.
fn write_packed(file: &File, header: &Header, values: &[i8]) -> std::io::Result<(u64, Vec<u8>)> {
    let packing = Packing::new(&header.counts);
    let block_bytes = packed_bytes(BLOCK_POSITIONS, header.bits()) as usize;
    let mut checksums = Vec::new();
    let mut buffer = Vec::new();
    for (batch, values) in values.chunks((BATCH * BLOCK_POSITIONS) as usize).enumerate() {
        let first = batch as u64 * BATCH;
        let blocks = first..header.blocks().min(first + BATCH);
        let start = header.packed_block(first).start;
        let end = header.packed_block(blocks.end - 1).end;
        buffer.clear();
        buffer.resize((end - start) as usize, 0);
        if block_bytes > 0 {
            let codes = packed_bytes(values.len() as u64, header.bits()) as usize;
            let places = values.par_chunks(BLOCK_POSITIONS as usize);
            let packed = buffer[..codes].par_chunks_mut(block_bytes);
            places.zip(packed).for_each(|(values, packed)| packing.encode(values, packed));
        }
        checksums.par_extend(blocks.into_par_iter().map(|block| {
            let bytes = header.packed_block(block);
            crc32fast::hash(&buffer[(bytes.start - start) as usize..(bytes.end - start) as usize])
        }));
        file.write_all_at(&buffer, header.data_offset() + start)?;
    }
    let directory = checksums.iter().flat_map(|checksum| checksum.to_le_bytes());
    Ok((header.data_bytes(), directory.collect()))
}

/// Writes model and blocks of compressed data at `offset`, `blocks` together; returns how many
/// bytes, and the directory.
pub(super) fn write_streams<S: Source>(
    stop: Stop,
    file: &File,
    offset: u64,
    blocks: u64,
    encoder: &Encoder<S>,
) -> std::io::Result<(u64, Vec<u8>)> {
    let (mut bytes, mut directory) = (0, Vec::new());
    let mut append = |block: &[u8]| {
        directory.extend(crc32fast::hash(block).to_le_bytes());
        directory.extend((block.len() as u32).to_le_bytes());
        let at = offset + bytes;
        bytes += block.len() as u64;
        file.write_all_at(block, at)
    };
    go_on(stop)?;
    append(&encoder.model())?;
    let blocks: Vec<u64> = (0..blocks - 1).collect();
    for batch in blocks.chunks(BATCH as usize) {
        let encoded: Vec<Vec<u8>> = batch.par_iter().map(|&block| encoder.block(block)).collect();
        go_on(stop)?;
        encoded.iter().try_for_each(|block| append(block))?;
    }
    Ok((bytes, directory))
}

/// Writes what comes before the data.
fn write_start(file: &File, header: &Header, mut directory: Vec<u8>) -> std::io::Result<()> {
    directory.resize(header.data_offset() as usize - HEADER_BYTES, 0);
    file.write_all_at(&header::encode(header, crc32fast::hash(&directory)), 0)?;
    file.write_all_at(&directory, HEADER_BYTES as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_file_is_known_by_its_name_and_safe_while_its_writer_lives() {
        let directory = tempfile::tempdir().unwrap();
        let file = create_temporary(&directory.path().join("16.awari"), directory.path()).unwrap();
        let name = file.path().file_name().unwrap().to_string_lossy().into_owned();
        assert!(name.starts_with(".16.awari.tmp-"), "{name}");
        assert_eq!(remove_leftovers(directory.path()).unwrap(), [] as [PathBuf; 0]);
        // A killed process closes its files and removes none.
        let (_, path) = file.keep().unwrap();
        assert_eq!(remove_leftovers(directory.path()).unwrap(), [path]);
    }

    #[test]
    fn a_table_larger_than_the_disk_is_refused_in_numbers() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("48.awari");
        let file = create_temporary(&path, directory.path()).unwrap();
        let error = reserve(&path, directory.path(), file.as_file(), 1 << 60).unwrap_err();
        let said = error.to_string();
        assert!(said.contains("needs 1.2 EB (1152921504606846976 bytes)"), "{said}");
        assert_eq!(file.as_file().metadata().unwrap().len(), 0);
    }
}
