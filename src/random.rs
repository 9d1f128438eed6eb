//! Random numbers that are the same for the same seed on every machine, today and later.
//!
//! The generator is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
//! generators", OOPSLA 2014): a counter that grows by a constant, and a mixing of its bits. Numbers
//! below a limit are made without bias by drawing anew where the last, incomplete round would be.

/// A stream of random numbers.
///
/// ```
/// let mut random = awari::random::Random::new(1);
/// assert_eq!(random.number(), 0x910a_2dec_8902_5cc1);
/// assert!(random.below(6) < 6);
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of `seed`.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number, 0..2⁶⁴.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, each as likely.
    ///
    /// # Panics
    /// If `limit` is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        assert!(limit > 0, "no number is below 0");
        // 2⁶⁴ mod limit numbers at the low end are one too many for whole rounds.
        let surplus = limit.wrapping_neg() % limit;
        loop {
            let number = self.number();
            if number >= surplus {
                return number % limit;
            }
        }
    }

    /// One of the things in a slice, each as likely; None if there are none.
    pub fn choose<'a, T>(&mut self, things: &'a [T]) -> Option<&'a T> {
        if things.is_empty() { None } else { things.get(self.below(things.len() as u64) as usize) }
    }

    /// Puts the things in a slice in any order, each as likely.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            things.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_splitmix64() {
        // The first outputs of the reference implementation for seed 1234567.
        let mut random = Random::new(1_234_567);
        let numbers = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423u64];
        assert_eq!([random.number(), random.number(), random.number()], numbers);
    }

    #[test]
    fn every_number_below_the_limit_comes_as_often() {
        let mut random = Random::new(7);
        let mut seen = [0; 6];
        for _ in 0..60_000 {
            seen[random.below(6) as usize] += 1;
        }
        // Five standard deviations are 460.
        assert!(seen.iter().all(|&seen| (9_500..=10_500).contains(&seen)), "{seen:?}");
        let mut things: Vec<u32> = (0..100).collect();
        random.shuffle(&mut things);
        assert_ne!(things, (0..100).collect::<Vec<u32>>());
        things.sort_unstable();
        assert_eq!(things, (0..100).collect::<Vec<u32>>());
    }
}
