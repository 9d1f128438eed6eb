//! Where the engine keeps a number for every position: in memory, or in a scratch file.

use std::fmt;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;

use bytemuck::Pod;
use memmap2::MmapMut;

/// Where to keep what a solve works on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Storage {
    /// In memory, in huge pages where the kernel offers them.
    #[default]
    Memory,
    /// In files in this directory that have no name, so nothing remains of them however the
    /// process ends. The kernel keeps in memory what there is room for.
    Scratch(PathBuf),
}

/// There is not enough memory or scratch space.
#[derive(Debug)]
pub struct StorageError {
    /// Where it was sought.
    pub storage: Storage,
    /// Bytes wanted.
    pub bytes: u64,
    /// What the machine said.
    pub source: io::Error,
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StorageError { storage, bytes, source } = self;
        match storage {
            Storage::Memory => write!(f, "cannot have {bytes} bytes of memory: {source}"),
            Storage::Scratch(dir) => {
                write!(f, "cannot have a scratch file of {bytes} bytes in {}: {source}", dir.display())
            }
        }
    }
}

impl std::error::Error for StorageError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// A fixed number of plain values, zero at first.
pub(super) struct Buffer<T> {
    map: MmapMut,
    length: usize,
    kind: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    /// A buffer of `length` zeros.
    pub fn new(storage: &Storage, length: usize) -> Result<Buffer<T>, StorageError> {
        let bytes = (length * size_of::<T>()).max(1);
        let map = match storage {
            Storage::Memory => anonymous(bytes),
            Storage::Scratch(dir) => scratch(dir, bytes),
        };
        let map =
            map.map_err(|source| StorageError { storage: storage.clone(), bytes: bytes as u64, source })?;
        Ok(Buffer { map, length, kind: PhantomData })
    }
}

fn anonymous(bytes: usize) -> io::Result<MmapMut> {
    let map = MmapMut::map_anon(bytes)?;
    // Only for speed: a kernel that has no huge pages says so and works without.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    Ok(map)
}

fn scratch(dir: &std::path::Path, bytes: usize) -> io::Result<MmapMut> {
    let file = tempfile::tempfile_in(dir)?;
    reserve(&file, bytes as u64)?;
    // SAFETY: the file has no name, so no other process can open it to change or shorten it, and
    // its space is reserved, so a full disk cannot turn a write into a signal.
    unsafe { MmapMut::map_mut(&file) }
}

/// Makes the file `bytes` long and has the disk set them aside now rather than when written.
fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    match rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes) {
        Err(rustix::io::Errno::OPNOTSUPP) => {} // then only the length
        other => return Ok(other?),
    }
    file.set_len(bytes)
}

impl<T: Pod> Deref for Buffer<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // Maps start at a page, so the bytes are aligned for every plain type.
        &bytemuck::cast_slice(&self.map[..self.length * size_of::<T>()])[..self.length]
    }
}

impl<T: Pod> DerefMut for Buffer<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut bytemuck::cast_slice_mut(&mut self.map[..self.length * size_of::<T>()])[..self.length]
    }
}

/// The values of all positions of one number of stones: one signed byte a position, −n..=n, in the
/// order of [`crate::index::Index`].
pub struct Values {
    buffer: Buffer<u8>,
    positions: usize,
}

impl Values {
    /// Takes over a buffer of worths whose first `positions` have been made values.
    pub(super) fn new(buffer: Buffer<u8>, positions: usize) -> Values {
        Values { buffer, positions }
    }
}

impl Deref for Values {
    type Target = [i8];

    fn deref(&self) -> &[i8] {
        bytemuck::cast_slice(&self.buffer[..self.positions])
    }
}

/// The depths of all positions of one number of stones, in plies, in the order of
/// [`crate::index::Index`].
pub struct Depths {
    buffer: Buffer<i16>,
    positions: usize,
}

impl Depths {
    /// Takes over a buffer of worths whose first `positions` have been made depths.
    pub(super) fn new(buffer: Buffer<i16>, positions: usize) -> Depths {
        Depths { buffer, positions }
    }
}

impl Deref for Depths {
    type Target = [u16];

    fn deref(&self) -> &[u16] {
        bytemuck::cast_slice(&self.buffer[..self.positions])
    }
}
