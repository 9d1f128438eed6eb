//! Time spent.

use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

/// What some work took, in nanoseconds.
#[derive(Clone, Copy)]
pub struct Cost {
    /// Time of all processors together, user and system: `CLOCK_PROCESS_CPUTIME_ID`, which is what
    /// `getrusage` reports, but to the nanosecond.
    pub cpu: f64,
    /// Time that passed.
    pub wall: f64,
}

impl Cost {
    /// The share of one of `parts`.
    pub fn per(self, parts: u64) -> Cost {
        Cost { cpu: self.cpu / parts as f64, wall: self.wall / parts as f64 }
    }
}

fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Does some work and says what it took.
pub fn measure<T>(work: impl FnOnce() -> T) -> (T, Cost) {
    let (start, cpu_start) = (Instant::now(), cpu());
    let result = work();
    let cost = Cost { cpu: cpu() - cpu_start, wall: start.elapsed().as_secs_f64() * 1e9 };
    (result, cost)
}

/// The middle of some numbers; NaN if there are none.
pub fn median(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.into_iter().collect();
    numbers.sort_by(f64::total_cmp);
    match (numbers.len() / 2, numbers.len() % 2) {
        (0, 0) => f64::NAN,
        (half, 0) => (numbers[half - 1] + numbers[half]) / 2.0,
        (half, _) => numbers[half],
    }
}
