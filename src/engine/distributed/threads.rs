//! Ranks that are threads of one process: everything that ranks of an MPI job do, without MPI.

use std::sync::mpsc::{Receiver, Sender, channel};

use super::exchange::Exchange;

/// A rank that is a thread, connected with the others by channels.
pub struct Threads {
    rank: usize,
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
}

impl Threads {
    /// So many ranks, each to be taken to a thread of its own.
    pub fn connect(ranks: usize) -> Vec<Threads> {
        let mut all: Vec<Threads> =
            (0..ranks).map(|rank| Threads { rank, to: Vec::new(), from: Vec::new() }).collect();
        for from in 0..ranks {
            for to in 0..ranks {
                let (sender, receiver) = channel();
                all[from].to.push(sender);
                all[to].from.push(receiver);
            }
        }
        all
    }
}

impl Exchange for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.to.len()
    }

    fn on_this_machine(&self) -> usize {
        self.to.len()
    }

    fn reserve(&self, _: usize, _: usize) {}

    /// # Panics
    /// If the other rank's thread has ended.
    fn send(&self, to: usize, message: &[u8]) {
        assert!(self.to[to].send(message.to_vec()).is_ok(), "rank {to} has ended");
    }

    /// # Panics
    /// If the other rank's thread has ended.
    fn receive(&self, from: usize) -> Vec<u8> {
        match self.from[from].recv() {
            Ok(message) => message,
            Err(_) => panic!("rank {from} has ended"),
        }
    }

    fn swap(&self, messages: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        for (to, message) in messages.into_iter().enumerate() {
            assert!(self.to[to].send(message).is_ok(), "rank {to} has ended");
        }
        (0..self.ranks()).map(|from| self.receive(from)).collect()
    }
}
