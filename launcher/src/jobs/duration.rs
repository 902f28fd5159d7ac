//! A duration as people write it -> a duration.

use std::time::Duration;

/// Units that we read, with their seconds.
const UNITS: [(&str, f64); 5] = [
    ("ms", 0.001),
    ("s", 1.0),
    ("min", 60.0),
    ("h", 3600.0),
    ("d", 86400.0),
];

/// Longest that is taken, in seconds: ten years.
const LONGEST_S: f64 = 10.0 * 365.0 * 86400.0;

/// Reads `90 s`, `15min`, `1.5 h`.
///
/// # Errors
/// A hint on how to write it.
pub fn read(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, unit) = text.split_at(split.unwrap_or(text.len()));
    let unit = unit.trim();
    let number: f64 = number.parse().map_err(|_| how())?;
    if unit.is_empty() {
        return Err(format!("did you mean \"{number} s\"? {}", how()));
    }
    let known = UNITS.iter().find(|(name, _)| *name == unit);
    let seconds = match known {
        Some((_, size)) => number * size,
        None => return Err(unit_hint(unit)),
    };
    let duration = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    match duration.is_zero() || seconds > LONGEST_S {
        true => Err("write a time above 0 and below ten years".to_owned()),
        false => Ok(duration),
    }
}

fn how() -> String {
    "write it like \"90 s\", \"15 min\" or \"2 h\"".to_owned()
}

fn unit_hint(unit: &str) -> String {
    let lower = unit.to_lowercase();
    // `m` could be minutes, months or metres; the rest begin with their unit's letter.
    let meant = match lower.as_str() {
        "m" => Some("min"),
        _ if lower.starts_with("mil") => Some("ms"),
        _ => UNITS
            .iter()
            .map(|(name, _)| *name)
            .filter(|name| lower.starts_with(name))
            .max_by_key(|name| name.len()),
    };
    match meant {
        Some(name) => format!("did you mean {name}? units: ms s min h d"),
        None => how(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_read_with_and_without_a_space() {
        let read = |text| read(text).unwrap().as_millis();
        assert_eq!(read("250 ms"), 250);
        assert_eq!(read("90 s"), 90_000);
        assert_eq!(read("15min"), 900_000);
        assert_eq!(read(" 1.5 h "), 5_400_000);
        assert_eq!(read("2 d"), 172_800_000);
    }

    #[test]
    fn what_is_ambiguous_or_nothing_is_refused_with_a_hint() {
        let hint = |text| read(text).unwrap_err();
        assert!(hint("90").starts_with("did you mean \"90 s\"?"));
        assert!(hint("2 m").starts_with("did you mean min?"));
        assert!(hint("2 hours").starts_with("did you mean h?"));
        assert!(hint("2 minutes").starts_with("did you mean min?"));
        assert!(hint("2 milliseconds").starts_with("did you mean ms?"));
        for text in [
            "",
            "0 s",
            "-1 s",
            "soon",
            "1.2.3 s",
            "99999999999 d",
            "4 weeks",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
