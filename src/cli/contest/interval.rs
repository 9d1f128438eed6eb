//! How sure a result is: intervals that hold the truth in 95 of 100 cases.

use serde::Serialize;

/// Standard deviations of a normal distribution between which 95 % lie.
const Z: f64 = 1.959_964;

/// An estimate with its interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// A share, `count` of `total`, by E. B. Wilson (1927): right also for shares near 0 and 1. None of
/// nothing.
pub fn share(count: u64, total: u64) -> Option<Estimate> {
    if total == 0 {
        return None;
    }
    let (n, p) = (total as f64, count as f64 / total as f64);
    let square = Z * Z / n;
    let middle = (p + square / 2.0) / (1.0 + square);
    let half = Z * (p * (1.0 - p) / n + square / (4.0 * n)).sqrt() / (1.0 + square);
    Some(Estimate { value: p, low: (middle - half).max(0.0), high: (middle + half).min(1.0) })
}

/// A mean, by the normal distribution: roughly right from some dozens of numbers on. None of fewer
/// than two.
pub fn mean(numbers: &[f64]) -> Option<Estimate> {
    if numbers.len() < 2 {
        return None;
    }
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half = Z * (variance / n).sqrt();
    Some(Estimate { value: mean, low: mean - half, high: mean + half })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_literature() {
        // R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3: 81/263 and 15/148, 0/20.
        for (count, total, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)]
        {
            let share = share(count, total).unwrap();
            assert!((share.low - low).abs() < 1e-4 && (share.high - high).abs() < 1e-4, "{share:?}");
        }
        assert_eq!(share(0, 0), None);
    }

    #[test]
    fn means_have_their_standard_error() {
        let mean = mean(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        // Variance 5/3, error of the mean sqrt(5/12).
        assert!(
            (mean.value - 2.5).abs() < 1e-12 && (mean.high - 2.5 - Z * (5.0f64 / 12.0).sqrt()).abs() < 1e-12
        );
        assert_eq!(super::mean(&[1.0]), None);
    }
}
