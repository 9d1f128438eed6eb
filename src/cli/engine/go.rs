//! What `go` asks for, and the time to take.

use std::time::Duration;

use super::{say, shortened};

/// The limits of a search; times in milliseconds.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Go {
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    pub move_time: Option<u64>,
    /// What South and North have left on their clocks,
    pub left: [Option<u64>; 2],
    /// and get for each move.
    pub increment: [u64; 2],
    /// Moves until the clocks are set anew.
    pub moves_to_go: Option<u64>,
    pub infinite: bool,
    pub ponder: bool,
}

/// Milliseconds when nothing is said about an end.
const DEFAULT_TIME: u64 = 2_000;

/// Moves that a clock has to last for, if nothing is said.
const MOVES: u64 = 25;

impl Go {
    /// Reads what follows `go`. What cannot be read is told and passed over.
    pub fn read(words: &[&str]) -> Go {
        let mut go = Go::default();
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            match word {
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "depth" | "nodes" | "movetime" | "wtime" | "btime" | "winc" | "binc" | "movestogo" => {
                    let value = words.next().copied().unwrap_or_default();
                    // A clock that has run out may be below 0.
                    let Ok(number) = value.parse::<i64>() else {
                        say(&format!("info string go: {word} {:?} is not a number", shortened(value)));
                        continue;
                    };
                    let number = number.max(0) as u64;
                    match word {
                        "depth" => go.depth = Some(u32::try_from(number).unwrap_or(u32::MAX)),
                        "nodes" => go.nodes = Some(number),
                        "movetime" => go.move_time = Some(number),
                        "wtime" => go.left[0] = Some(number),
                        "btime" => go.left[1] = Some(number),
                        "winc" => go.increment[0] = number,
                        "binc" => go.increment[1] = number,
                        _ => go.moves_to_go = Some(number),
                    }
                }
                _ => say(&format!("info string go: {:?} is passed over", shortened(word))),
            }
        }
        go
    }

    /// Whether the answer has to wait for `stop`.
    pub fn waits(&self) -> bool {
        self.infinite || self.ponder
    }

    /// The time to take, if there is a limit; `overhead` milliseconds are left for what lies between
    /// the two programs.
    pub fn time(&self, south: bool, overhead: u64) -> Option<Duration> {
        if self.waits() {
            return None;
        }
        let side = usize::from(!south);
        let by_clock = self.left[side].map(|left| {
            let usable = left.saturating_sub(overhead);
            let moves = self.moves_to_go.unwrap_or(MOVES).clamp(1, MOVES);
            // Never more than half of what is left, unless the clock is set anew after this move.
            let most = if self.moves_to_go == Some(1) { usable - usable / 10 } else { usable / 2 };
            (usable / moves).saturating_add(self.increment[side] / 4 * 3).min(most)
        });
        let by_move = self.move_time.map(|time| time.saturating_sub(overhead.min(time / 10)));
        let least = match (by_clock, by_move) {
            (None, None) if self.depth.is_some() || self.nodes.is_some() => return None,
            (None, None) => DEFAULT_TIME,
            (Some(clock), Some(time)) => clock.min(time),
            (time, None) | (None, time) => time.unwrap_or(DEFAULT_TIME),
        };
        // A day is as good as for ever.
        Some(Duration::from_millis(least.clamp(1, 86_400_000)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Go {
        Go::read(&text.split_whitespace().collect::<Vec<_>>())
    }

    fn millis(text: &str, south: bool) -> Option<u128> {
        read(text).time(south, 50).map(|time| time.as_millis())
    }

    #[test]
    fn the_clock_of_the_player_to_move_counts() {
        assert_eq!(millis("wtime 180000 btime 1050", true), Some(7198));
        assert_eq!(millis("wtime 180000 btime 1050", false), Some(40));
        assert_eq!(millis("wtime 1050 btime 9 winc 400", true), Some(340));
        assert_eq!(millis("movetime 1000 depth 10", true), Some(950));
        assert_eq!(millis("depth 10", true), None);
        assert_eq!(millis("infinite", true), None);
        assert_eq!(millis("", true), Some(2000));
    }

    #[test]
    fn a_clock_never_runs_out() {
        for left in (0..5000).chain([u64::MAX >> 1]) {
            for rest in
                ["", "winc 1000", "winc 9223372036854775807", "movestogo 1", "movestogo 0", "movetime 99999"]
            {
                let time = read(&format!("wtime {left} {rest}")).time(true, 50).unwrap();
                let most = u128::from(left.saturating_sub(50)).max(1);
                assert!(time.as_millis() <= most, "{left} {rest}: {time:?}");
            }
        }
        assert_eq!(millis("wtime -300", true), Some(1));
    }

    #[test]
    fn nonsense_is_passed_over() {
        let go = read("depth x nodes 7 fast movetime");
        assert_eq!(go, Go { nodes: Some(7), ..Go::default() });
    }
}
