//! What the machine itself can do: reads at random places.

use std::hint::black_box;

use rayon::prelude::*;

use super::clock::{Cost, measure};
use super::huge::Huge;

/// Reads whose places are known before the first of them is waited for.
const BATCH: usize = 32;

/// Random reads of each thread in one measurement.
const READS: usize = 1 << 22;

/// Bytes of the buffer to read at random: far more than the caches hold, unless memory is short.
pub fn large() -> usize {
    let wanted = 1 << 30;
    available().map_or(wanted, |available| wanted.min(available / 4))
}

/// Bytes of memory that can be had without pushing something out.
fn available() -> Option<usize> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<usize>().ok()? * 1024)
}

/// A buffer without equal pages.
pub fn filled(bytes: usize) -> Huge<u8> {
    let mut buffer = Huge::new(bytes);
    buffer.par_chunks_mut(1 << 16).enumerate().for_each(|(chunk, bytes)| {
        bytes.iter_mut().enumerate().for_each(|(i, byte)| *byte = (i * 31 + chunk) as u8);
    });
    buffer
}

/// A read of one byte at a random place, in batches, by all threads of the current pool at once.
pub fn random_read(buffer: &[u8]) -> Cost {
    let threads = rayon::current_num_threads() as u64;
    let read = |context: rayon::BroadcastContext| {
        black_box(sum_at_random(buffer, context.index() as u64 + 1, READS));
    };
    let (_, cost) = measure(|| rayon::broadcast(read));
    let cost = cost.per(READS as u64);
    Cost { cpu: cost.cpu / threads as f64, wall: cost.wall / threads as f64 }
}

fn sum_at_random(buffer: &[u8], seed: u64, reads: usize) -> u64 {
    let (mut state, mut sum) = (seed, 0);
    let mut places = [0; BATCH];
    for _ in 0..reads / BATCH {
        for place in &mut places {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *place = (((state >> 32) * buffer.len() as u64) >> 32) as usize;
            prefetch(&buffer[*place]);
        }
        sum += places.iter().map(|&place| u64::from(buffer[place])).sum::<u64>();
    }
    sum
}

#[inline(always)]
fn prefetch(byte: &u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of a byte that is there.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = byte;
}
