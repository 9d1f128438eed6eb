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

/// Reads a number of bytes with a decimal unit as [`bytes`] writes them, or shorter: `800M`,
/// `1.5 GB`, `4096`. None if it is none, or more than a 64-bit number.
///
/// ```
/// assert_eq!(awari::units::parse_bytes("1.5G"), Some(1_500_000_000));
/// assert_eq!(awari::units::parse_bytes("94.1 MB"), Some(94_100_000));
/// assert_eq!(awari::units::parse_bytes("many"), None);
/// ```
pub fn parse_bytes(text: &str) -> Option<u64> {
    let number = text.trim().trim_end_matches(['b', 'B']);
    let (number, unit) = match number.char_indices().last()? {
        (_, digit) if digit.is_ascii_digit() => (number, 1.0),
        (at, unit) => {
            let power = "kMGTPE".find(unit).or_else(|| "Kmgtpe".find(unit))?;
            (&number[..at], 1000f64.powi(power as i32 + 1))
        }
    };
    let number = number.trim_end();
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let bytes = (number.parse::<f64>().ok()? * unit).round();
    (bytes < u64::MAX as f64).then_some(bytes as u64)
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
    fn sizes_read_back() {
        for (text, expected) in
            [("0", 0), ("4096", 4096), ("150M", 150_000_000), ("2 kB", 2000), ("1.5t", 1_500_000_000_000)]
        {
            assert_eq!(parse_bytes(text), Some(expected), "{text}");
        }
        for text in ["", "G", "-1G", "1e3", "1.2.3", "12X", "99999999E", "é", "1é", "NaN", "inf"] {
            assert_eq!(parse_bytes(text), None, "{text}");
        }
    }

    #[test]
    fn digits_in_threes() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1000), "1,000");
        assert_eq!(count(889_063_398_406), "889,063,398,406");
    }
}
