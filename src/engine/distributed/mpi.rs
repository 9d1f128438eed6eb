//! Ranks that are processes of an MPI job.

use std::cell::{Cell, RefCell};
use std::thread;
use std::time::Duration;

use mpi::Threading;
use mpi::environment::Universe;
use mpi::point_to_point::Message;
use mpi::request::{multiple_scope, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Equivalence, Source};

use super::exchange::Exchange;

/// This process's place in the MPI job that it belongs to. MPI is called on the thread that joined only.
/// Whatever goes wrong with a connection ends the whole job.
pub struct MpiJob {
    world: SimpleCommunicator,
    on_this_machine: usize,
    /// Room for messages that are sent without waiting, and how much of it is left at least.
    universe: RefCell<Universe>,
    room: Cell<usize>,
}

/// The exit code of a Rust program that panics.
const PANICKED: i32 = 101;

/// Bytes that a message on its way takes besides its own, at most (`MPI_BSEND_OVERHEAD` and alignment).
const OVERHEAD: usize = 1 << 10;

/// The most room there can be: MPI counts it in an `int`.
const MOST_ROOM: usize = i32::MAX as usize;

impl MpiJob {
    /// Joins the job; None if this process has done so before. A process that no `mpirun` has started is
    /// the only rank of a job of its own.
    pub fn join() -> Option<MpiJob> {
        let (universe, _) = mpi::initialize_with_threading(Threading::Funneled)?;
        let world = universe.world();
        let on_this_machine = world.split_shared(world.rank()).size() as usize;
        Some(MpiJob { world, on_this_machine, universe: RefCell::new(universe), room: Cell::new(0) })
    }

    /// The next message of a rank, as soon as its first part is here.
    fn next(&self, from: usize) -> (Message, usize) {
        let from = self.world.process_at_rank(from as i32);
        let (message, status) = poll(|| from.immediate_matched_probe());
        (message, status.count(u8::equivalent_datatype()) as usize)
    }
}

impl Drop for MpiJob {
    /// A rank that panics ends the whole job: the others would wait for it for ever.
    fn drop(&mut self) {
        if thread::panicking() {
            self.world.abort(PANICKED);
        }
    }
}

impl Exchange for MpiJob {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn ranks(&self) -> usize {
        self.world.size() as usize
    }

    fn on_this_machine(&self) -> usize {
        self.on_this_machine
    }

    fn reserve(&self, messages: usize, bytes: usize) {
        let wanted = bytes.saturating_add(messages.saturating_mul(OVERHEAD)).min(MOST_ROOM);
        if self.room.get() < wanted {
            self.universe.borrow_mut().set_buffer_size(wanted);
            self.room.set(wanted);
        }
    }

    fn send(&self, to: usize, message: &[u8]) {
        let to = self.world.process_at_rank(to as i32);
        if self.room.get() < MOST_ROOM {
            to.buffered_send(message);
        } else {
            to.send(message); // there may be no room: it has to be received first
        }
    }

    fn receive(&self, from: usize) -> Vec<u8> {
        let (message, length) = self.next(from);
        let mut bytes = vec![0; length];
        scope(|scope| {
            let mut request = Some(message.immediate_matched_receive_into(scope, &mut bytes[..]));
            poll(|| match request.take()?.test() {
                Ok(_) => Some(()),
                Err(waiting) => {
                    request = Some(waiting);
                    None
                }
            });
        });
        bytes
    }

    fn swap(&self, mut messages: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let me = self.rank();
        let mine = std::mem::take(&mut messages[me]);
        let others = || (0..self.ranks()).filter(|&rank| rank != me);
        let mut received: Vec<Vec<u8>> = multiple_scope(self.ranks(), |scope, sending| {
            for to in others() {
                let process = self.world.process_at_rank(to as i32);
                sending.add(process.immediate_send(scope, &messages[to][..]));
            }
            let received = others().map(|from| self.receive(from)).collect();
            while sending.incomplete() > 0 {
                poll(|| sending.test_any());
            }
            received
        });
        received.insert(me, mine);
        received
    }
}

/// How often to ask before others may have the processor.
const EAGER: u32 = 200;

/// The shortest and the longest time to leave it to them, in microseconds.
const SHORTEST: u64 = 20;
const LONGEST: u64 = 1000;

/// Asks until there is an answer. Whoever waits for long lets others have the processor, which ranks that
/// wait for one another may share; the longer he has waited, the longer he sleeps.
fn poll<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    for _ in 0..EAGER {
        if let Some(answer) = ask() {
            return answer;
        }
        std::hint::spin_loop();
    }
    let mut nap = SHORTEST;
    loop {
        thread::sleep(Duration::from_micros(nap));
        if let Some(answer) = ask() {
            return answer;
        }
        nap = (nap * 5 / 4).min(LONGEST);
    }
}
