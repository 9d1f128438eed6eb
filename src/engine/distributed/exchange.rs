//! How the ranks of a distributed solve talk to one another.

use std::cell::Cell;

/// One rank's end of the connections among all ranks. Between two ranks messages arrive in the order in
/// which they were sent. MPI is one way to have it; [`Threads`](super::Threads) another.
///
/// A connection that breaks ends the process, or at least the thread: no rank can go on without the others.
pub trait Exchange {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn ranks(&self) -> usize;

    /// How many of them share this rank's machine and its memory, with this one.
    fn on_this_machine(&self) -> usize;

    /// Makes room for messages on their way that were sent and not yet received: so many, of so many bytes
    /// together.
    fn reserve(&self, messages: usize, bytes: usize);

    /// Sends a message without waiting until it is received, if there is room for it.
    fn send(&self, to: usize, message: &[u8]);

    /// Waits for the next message of a rank.
    fn receive(&self, from: usize) -> Vec<u8>;

    /// Sends a message to each rank, by number, and waits for that of each. All ranks call it together.
    fn swap(&self, messages: Vec<Vec<u8>>) -> Vec<Vec<u8>>;
}

/// What a rank has sent to others.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Traffic {
    /// Messages that were not empty.
    pub messages: u64,
    /// Bytes in them.
    pub bytes: u64,
}

/// Connections on which everything is counted.
pub(super) struct Counted<'a> {
    exchange: &'a dyn Exchange,
    sent: Cell<Traffic>,
}

impl<'a> Counted<'a> {
    pub fn new(exchange: &'a dyn Exchange) -> Counted<'a> {
        Counted { exchange, sent: Cell::default() }
    }

    pub fn rank(&self) -> usize {
        self.exchange.rank()
    }

    pub fn ranks(&self) -> usize {
        self.exchange.ranks()
    }

    pub fn reserve(&self, messages: usize, bytes: usize) {
        self.exchange.reserve(messages, bytes);
    }

    pub fn send(&self, to: usize, message: &[u8]) {
        self.count(message.len());
        self.exchange.send(to, message);
    }

    pub fn receive(&self, from: usize) -> Vec<u8> {
        self.exchange.receive(from)
    }

    pub fn swap(&self, messages: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let me = self.rank();
        messages.iter().enumerate().filter(|&(to, _)| to != me).for_each(|(_, m)| self.count(m.len()));
        self.exchange.swap(messages)
    }

    /// The sums over all ranks.
    pub fn sum<const N: usize>(&self, numbers: [u64; N]) -> [u64; N] {
        sum(self.exchange, numbers)
    }

    /// What this rank has sent, but for sums.
    pub fn sent(&self) -> Traffic {
        self.sent.get()
    }

    fn count(&self, bytes: usize) {
        let Traffic { messages, bytes: before } = self.sent.get();
        self.sent.set(Traffic { messages: messages + u64::from(bytes > 0), bytes: before + bytes as u64 });
    }
}

/// The sums of numbers over all ranks, which all call it together.
pub fn sum<const N: usize>(exchange: &dyn Exchange, numbers: [u64; N]) -> [u64; N] {
    let mine: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut sums = [0; N];
    for theirs in exchange.swap(vec![mine; exchange.ranks()]) {
        for (sum, bytes) in sums.iter_mut().zip(theirs.as_chunks().0) {
            *sum += u64::from_le_bytes(*bytes);
        }
    }
    sums
}
