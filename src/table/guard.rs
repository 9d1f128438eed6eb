//! A file that is cut short while it is mapped: an error, not the end of the process.
//!
//! What is read behind the new end of a mapped file makes the system send SIGBUS, and so does a disk that
//! fails. [`catch_signals`] has that signal caught: from the page that is not there to the end of the map,
//! zeros are put in its place, and the map is marked. Readers look at the mark **after** they have
//! read, so a zero is never taken for a value. The mark costs a probe one load.

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, compiler_fence};
use std::sync::{Once, OnceLock};

use memmap2::Mmap;

/// Where a map is, for the signal handler. Never freed: a handler may be looking.
#[derive(Debug)]
struct Place {
    /// Its first address; 0 if no map is here.
    start: AtomicUsize,
    length: AtomicUsize,
    /// Whether something that was to be read was not there.
    cut: AtomicBool,
    /// Whether a map is here, or about to be.
    taken: AtomicBool,
    next: *const Place,
}

// SAFETY: `next` is set before a place is seen by anyone else, and leads to a place that is never freed.
unsafe impl Sync for Place {}
// SAFETY: as above; nothing belongs to a thread.
unsafe impl Send for Place {}

/// All places, the newest first.
static PLACES: AtomicPtr<Place> = AtomicPtr::new(ptr::null_mut());

fn places() -> impl Iterator<Item = &'static Place> {
    let mut next: *const Place = PLACES.load(Ordering::Acquire);
    std::iter::from_fn(move || {
        // SAFETY: places are leaked boxes, complete before they are put into the list.
        let place = unsafe { next.as_ref() }?;
        next = place.next;
        Some(place)
    })
}

impl Place {
    /// A place that nobody uses, a new one if there is none.
    fn take() -> &'static Place {
        let free = |place: &&Place| !place.taken.swap(true, Ordering::AcqRel);
        if let Some(place) = places().find(free) {
            return place;
        }
        let place = Box::leak(Box::new(Place {
            start: AtomicUsize::new(0),
            length: AtomicUsize::new(0),
            cut: AtomicBool::new(false),
            taken: AtomicBool::new(true),
            next: PLACES.load(Ordering::Acquire),
        }));
        while let Err(first) =
            PLACES.compare_exchange(place.next.cast_mut(), place, Ordering::AcqRel, Ordering::Acquire)
        {
            place.next = first;
        }
        place
    }
}

/// A file mapped for reading, and whether it was cut short meanwhile.
#[derive(Debug)]
pub(super) struct Map {
    map: Mmap,
    place: &'static Place,
}

impl Map {
    /// Maps a file.
    pub(super) fn new(file: &File) -> io::Result<Map> {
        // SAFETY: a map is sound while nobody changes the file. Tables are never changed in place but
        // replaced by a rename, which leaves this map the old file; the documentation of the types
        // that keep it asks other programs for the same. The map is read-only, and slices taken from
        // it borrow from it. If the file is cut short all the same, see above.
        let map = unsafe { Mmap::map(file) }?;
        let place = Place::take();
        place.cut.store(false, Ordering::Relaxed);
        place.length.store(map.len(), Ordering::Relaxed);
        // Last: with a start the place counts.
        place.start.store(map.as_ptr() as usize, Ordering::Release);
        Ok(Map { map, place })
    }

    /// Has [`Map::is_cut`] say yes from now on: what was read turned out not to be what it was.
    #[cold]
    pub(super) fn mark_changed(&self) {
        self.place.cut.store(true, Ordering::Relaxed);
    }

    /// Whether something that was read before was not there, so that zeros were read.
    #[inline(always)]
    pub(super) fn is_cut(&self) -> bool {
        // The handler runs in the thread that reads: the compiler alone could have the mark looked at
        // before the bytes are.
        compiler_fence(Ordering::SeqCst);
        self.place.cut.load(Ordering::Relaxed)
    }
}

impl Deref for Map {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        &self.map
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // Before the map goes: then its addresses may belong to another.
        self.place.start.store(0, Ordering::Release);
        self.place.taken.store(false, Ordering::Release);
    }
}

/// What was done about SIGBUS before.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

static PAGE: AtomicUsize = AtomicUsize::new(4096);

/// Has trouble with files be errors where the system otherwise ends the process: that a table which is
/// open is cut short or its disk fails (SIGBUS; reading it is then
/// [`TableError::Changed`](super::TableError::Changed)), and that a file becomes larger than `ulimit -f`
/// allows (SIGXFSZ). For programs that run long; the `awari` program does it. It takes over both signals
/// for the whole process, and hands on what does not concern a table.
///
/// # Errors
/// If the system refuses.
pub fn catch_signals() -> io::Result<()> {
    static ONCE: Once = Once::new();
    let mut done = Ok(());
    ONCE.call_once(|| done = install());
    done
}

fn install() -> io::Result<()> {
    // SAFETY: plain calls of the C library; `action` is complete: all zeros is a valid value of it, and what
    // matters is set. The handler does nothing but what a handler may: see there.
    unsafe {
        if let Ok(page) = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)) {
            PAGE.store(page, Ordering::Relaxed);
        }
        let mut before = MaybeUninit::<libc::sigaction>::zeroed();
        if libc::sigaction(libc::SIGBUS, ptr::null(), before.as_mut_ptr()) != 0 {
            return Err(io::Error::last_os_error());
        }
        let _ = BEFORE.set(before.assume_init());
        let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        action.sa_sigaction = on_sigbus as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut action.sa_mask);
        let ignored = libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        if ignored == libc::SIG_ERR || libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut()) != 0
        {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Puts zeros where a map has lost its file, and marks it. Uses atomics and system calls alone, as a
/// handler must: no memory is asked for and no lock taken.
extern "C" fn on_sigbus(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system hands a handler with SA_SIGINFO a valid `info`, and for SIGBUS it has an address.
    let (address, code) = unsafe { ((*info).si_addr() as usize, (*info).si_code) };
    if code == libc::BUS_ADRERR
        && let Some((place, end)) = places().find_map(|place| {
            let start = place.start.load(Ordering::Acquire);
            let end = start + place.length.load(Ordering::Relaxed);
            (start != 0 && (start..end).contains(&address)).then_some((place, end))
        })
    {
        place.cut.store(true, Ordering::Relaxed);
        let page = PAGE.load(Ordering::Relaxed);
        let from = address / page * page;
        let length = end.next_multiple_of(page) - from;
        // SAFETY: these pages belong to the map of `place`, which lives: this thread was reading it. Other
        // readers of it find zeros there, and the mark, which was set before. On failure the old
        // pages stay.
        let zeros = unsafe {
            let errno = *libc::__errno_location();
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
            let zeros = libc::mmap(from as *mut libc::c_void, length, libc::PROT_READ, flags, -1, 0);
            *libc::__errno_location() = errno;
            zeros
        };
        if zeros != libc::MAP_FAILED {
            return;
        }
    }
    hand_on(signal, info, context);
}

/// Does what was done about the signal before this handler came.
fn hand_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: `sa_sigaction` is what the system gave for this signal: a function of the kind that
    // the flags say, or one of the two constants. To restore the default is always allowed, and the
    // signal comes again on return, because the read is tried again.
    unsafe {
        match BEFORE.get() {
            Some(before) if ![libc::SIG_DFL, libc::SIG_IGN].contains(&before.sa_sigaction) => {
                if before.sa_flags & libc::SA_SIGINFO != 0 {
                    let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                        std::mem::transmute(before.sa_sigaction);
                    handler(signal, info, context);
                } else {
                    let handler: extern "C" fn(libc::c_int) = std::mem::transmute(before.sa_sigaction);
                    handler(signal);
                }
            }
            _ => {
                libc::signal(libc::SIGBUS, libc::SIG_DFL);
            }
        }
    }
}
