//! Numbers as people read them.

/// A number of bytes with a decimal unit: `999 B`, `4.7 MB`, `94.1 GB`.
///
/// ```
/// assert_eq!(awari::units::bytes(999), "999 B");
/// assert_eq!(awari::units::bytes(94_123_456_789), "94.1 GB");
/// ```
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut amount = bytes as f64 / 1000.0;
    let mut unit = 0;
    // 999,950 rounds to 1000.0: that is one unit up.
    while amount >= 999.95 && unit + 1 < UNITS.len() {
        amount /= 1000.0;
        unit += 1;
    }
    format!("{amount:.1} {}", UNITS[unit])
}

/// A whole number in groups of three digits: `1,352,078`.
///
/// ```
/// assert_eq!(awari::units::count(1_352_078), "1,352,078");
/// ```
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_change_where_they_should() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1000), "1.0 kB");
        assert_eq!(bytes(999_949), "999.9 kB");
        assert_eq!(bytes(999_950), "1.0 MB");
        assert_eq!(bytes(u64::MAX), "18.4 EB");
    }

    #[test]
    fn digits_in_threes() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1000), "1,000");
        assert_eq!(count(889_063_398_406), "889,063,398,406");
    }
}
