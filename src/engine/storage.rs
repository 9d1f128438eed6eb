//! Where the engine keeps a number for every position: in memory, or in a scratch file.

use std::fmt;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::num::NonZeroU64;
use std::ops::{Deref, DerefMut, Range};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use bytemuck::Pod;
use memmap2::{Advice, MmapMut};
use rustix::fs::fadvise;

/// Where to keep what a solve works on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Storage {
    /// In memory, in huge pages where the kernel offers them.
    #[default]
    Memory,
    /// In files in this directory that have no name, so nothing remains of them however the
    /// process ends. A few levels of the table are in memory at a time.
    Scratch(PathBuf),
}

/// There is not enough memory or scratch space, or a scratch file fails.
#[derive(Debug)]
pub struct StorageError {
    /// Where it was sought.
    pub storage: Storage,
    /// Bytes wanted; None if they were there and cannot be read or written any more.
    pub bytes: Option<u64>,
    /// What the machine said.
    pub source: io::Error,
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StorageError { storage, bytes, source } = self;
        match (storage, bytes) {
            (Storage::Memory, bytes) => {
                write!(f, "cannot have {} bytes of memory: {source}", bytes.unwrap_or(0))
            }
            (Storage::Scratch(dir), Some(bytes)) => {
                write!(f, "cannot have a scratch file of {bytes} bytes in {}: {source}", dir.display())
            }
            (Storage::Scratch(dir), None) => {
                write!(f, "cannot read or write the scratch file in {}: {source}", dir.display())
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
    /// The scratch file, if it is one, and its directory.
    file: Option<(File, PathBuf)>,
    length: usize,
    kind: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    /// A buffer of `length` zeros.
    pub fn new(storage: &Storage, length: usize) -> Result<Buffer<T>, StorageError> {
        let bytes = (length * size_of::<T>()).max(1);
        let made = match storage {
            Storage::Memory => anonymous(bytes).map(|map| (map, None)),
            Storage::Scratch(dir) => scratch(dir, bytes).map(|(map, file)| (map, Some((file, dir.clone())))),
        };
        let failed = |source| StorageError { storage: storage.clone(), bytes: Some(bytes as u64), source };
        let (map, file) = made.map_err(failed)?;
        Ok(Buffer { map, file, length, kind: PhantomData })
    }

    /// Whether it is a scratch file, of which parts are best read into memory in one go.
    pub fn is_scratch(&self) -> bool {
        self.file.is_some()
    }

    /// Reads a part of a scratch file into `window`; of memory, nothing.
    pub fn read(&self, part: Range<usize>, window: &mut Window<T>) -> Result<(), StorageError> {
        let Some((file, dir)) = &self.file else { return Ok(()) };
        window.place(&part);
        let first = Window::<T>::first_page(&part);
        let whole = (part.end * size_of::<T>() - first).next_multiple_of(PAGE);
        read_pages(file, &mut window.map[..whole], first).map_err(|source| failed(dir, source))
    }

    /// Writes the part of a scratch file that is in `window`.
    pub fn write(&mut self, part: Range<usize>, window: &Window<T>) -> Result<(), StorageError> {
        let Some((file, dir)) = &self.file else { return Ok(()) };
        let first = Window::<T>::first_page(&part);
        let (start, end) = (part.start * size_of::<T>(), part.end * size_of::<T>());
        // Whole pages go to the disk at once, the edges by way of the map.
        let from = start.next_multiple_of(PAGE).min(end);
        let until = (end / PAGE * PAGE).max(from);
        let pages = &window.map[from - first..until - first];
        file.write_all_at(pages, from as u64).map_err(|source| failed(dir, source))?;
        for edge in [start..from, until..end] {
            self.map[edge.clone()].copy_from_slice(&window.map[edge.start - first..edge.end - first]);
        }
        Ok(())
    }

    /// Starts reading the pages of a scratch file that these parts are in, so that many are on
    /// their way at the same time.
    pub fn will_touch(&self, parts: impl Iterator<Item = Range<usize>>) {
        #[cfg(target_os = "linux")]
        if let Some((file, _)) = &self.file {
            let page = |item: usize| item * size_of::<T>() / PAGE;
            let pages = parts.filter(|part| !part.is_empty());
            let mut pages: Vec<usize> =
                pages.flat_map(|part| page(part.start)..page(part.end - 1) + 1).collect();
            pages.sort_unstable();
            pages.dedup();
            for pages in pages.chunk_by(|page, next| page + 1 == *next) {
                let length = NonZeroU64::new((pages.len() * PAGE) as u64);
                // Only for speed: what is not read ahead is read when it is touched.
                let _ = fadvise(file, (pages[0] * PAGE) as u64, length, rustix::fs::Advice::WillNeed);
            }
        }
    }

    /// Says that all of it is about to be read in order.
    pub fn read_in_order(&self) {
        let _ = self.map.advise(Advice::Sequential); // only for speed
    }
}

fn failed(dir: &Path, source: io::Error) -> StorageError {
    StorageError { storage: Storage::Scratch(dir.to_owned()), bytes: None, source }
}

/// Fills `pages` from `first` on, which is a whole page too.
fn read_pages(file: &File, pages: &mut [u8], first: usize) -> io::Result<()> {
    let mut at = 0;
    while at < pages.len() {
        match file.read_at(&mut pages[at..], (first + at) as u64) {
            Ok(read) if read < PAGE => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => at += read / PAGE * PAGE,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Bytes in which files are read and written past the file cache.
const PAGE: usize = 4096;

/// A part of a scratch file in memory: an array, with some more items behind it.
pub(super) struct Window<T> {
    /// From the page the part starts in.
    map: MmapMut,
    /// Where in it the part starts, in items.
    start: usize,
    length: usize,
    slack: usize,
    kind: PhantomData<T>,
}

impl<T: Pod> Window<T> {
    /// Room for parts of at most `most` items, and `slack` more behind each.
    pub fn new(most: usize, slack: usize) -> Result<Window<T>, StorageError> {
        let bytes = (most + slack) * size_of::<T>() + 2 * PAGE;
        let failed = |source| StorageError { storage: Storage::Memory, bytes: Some(bytes as u64), source };
        let map = anonymous(bytes).map_err(failed)?;
        Ok(Window { map, start: 0, length: 0, slack, kind: PhantomData })
    }

    /// Makes it the place for `part`, with no matter what in it.
    pub fn place(&mut self, part: &Range<usize>) {
        self.start = part.start - Self::first_page(part) / size_of::<T>();
        self.length = part.len();
    }

    /// All there is room for, with no matter what in it.
    pub fn all(&mut self) -> &mut [T] {
        let whole = self.map.len() / size_of::<T>();
        self.place(&(0..whole - self.slack));
        self
    }

    /// Where the page starts in which a part does, in bytes.
    fn first_page(part: &Range<usize>) -> usize {
        part.start * size_of::<T>() / PAGE * PAGE
    }
}

impl<T: Pod> Deref for Window<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        let bytes = self.map.len() / size_of::<T>() * size_of::<T>();
        &bytemuck::cast_slice(&self.map[..bytes])[self.start..][..self.length + self.slack]
    }
}

impl<T: Pod> DerefMut for Window<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        let bytes = self.map.len() / size_of::<T>() * size_of::<T>();
        &mut bytemuck::cast_slice_mut(&mut self.map[..bytes])[self.start..][..self.length + self.slack]
    }
}

fn anonymous(bytes: usize) -> io::Result<MmapMut> {
    let map = MmapMut::map_anon(bytes)?;
    // Only for speed: a kernel that has no huge pages says so and works without.
    #[cfg(target_os = "linux")]
    let _ = map.advise(Advice::HugePage);
    Ok(map)
}

fn scratch(dir: &Path, bytes: usize) -> io::Result<(MmapMut, File)> {
    let file = tempfile::tempfile_in(dir)?;
    reserve(&file, bytes.next_multiple_of(PAGE) as u64)?;
    // Past the file cache, which would take memory: not every file system can.
    #[cfg(target_os = "linux")]
    let _ = rustix::fs::fcntl_setfl(&file, rustix::fs::OFlags::DIRECT);
    // SAFETY: the file has no name, so no other process can open it to change or shorten it, and
    // its space is reserved, so a full disk cannot turn a write into a signal.
    let map = unsafe { MmapMut::map_mut(&file) }?;
    // Whole levels are read; what is touched besides is far from what was touched before.
    #[cfg(target_os = "linux")]
    let _ = map.advise(Advice::Random);
    Ok((map, file))
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
