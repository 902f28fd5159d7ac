//! An amount of memory as people write it -> bytes.

use migfit_schema::units::Bytes;

/// Units that we read, with their sizes.
const UNITS: [(&str, u64); 5] = [
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

/// A plain number below this was hardly meant in bytes.
const SMALLEST_PLAIN: u64 = 1 << 20;

/// Reads `6 GiB`, `512MiB`, `1.5 GiB` or plain `1048576`.
///
/// # Errors
/// A hint on how to write it.
pub fn read(text: &str) -> Result<Bytes, String> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, unit) = text.split_at(split.unwrap_or(text.len()));
    let unit = unit.trim();
    let size = match UNITS
        .iter()
        .find(|(name, _)| unit.is_empty() || *name == unit)
    {
        Some((_, size)) => *size,
        None => return Err(unit_hint(unit)),
    };
    let number: f64 = number.parse().map_err(|_| unit_hint(""))?;
    let bytes = (number * size as f64).ceil();
    if unit.is_empty() && bytes < SMALLEST_PLAIN as f64 {
        return Err(format!(
            "a plain number counts bytes: did you mean \"{number} GiB\"? {number} bytes are \"{number} B\""
        ));
    }
    if bytes < 1.0 || bytes >= u64::MAX as f64 {
        return Err("write an amount above 0 that a GPU could have".to_owned());
    }
    Ok(Bytes(bytes as u64))
}

fn unit_hint(unit: &str) -> String {
    let lower = unit.to_lowercase();
    let first = lower.chars().next();
    let meant = UNITS
        .iter()
        .find(|(name, _)| name.to_lowercase().chars().next() == first);
    match meant.filter(|_| lower.starts_with(['k', 'm', 'g', 't', 'b'])) {
        Some((name, _)) => format!("did you mean {name}? units: B KiB MiB GiB TiB"),
        None => "write it like \"6 GiB\", \"512 MiB\", or as a number of bytes".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_read_with_and_without_a_space() {
        assert_eq!(read("6 GiB"), Ok(Bytes(6 << 30)));
        assert_eq!(read("512MiB"), Ok(Bytes(512 << 20)));
        assert_eq!(read("1.5 KiB"), Ok(Bytes(1536)));
        assert_eq!(read("1048576"), Ok(Bytes(1 << 20)));
        assert_eq!(read("6 B"), Ok(Bytes(6)));
    }

    #[test]
    fn what_is_ambiguous_or_nothing_is_refused() {
        assert!(read("6 GB").unwrap_err().contains("did you mean GiB"));
        assert!(read("6").unwrap_err().contains("did you mean \"6 GiB\"?"));
        assert!(read("6g").unwrap_err().contains("did you mean GiB"));
        for text in [
            "",
            "much",
            "-1 GiB",
            "0",
            "0.0 GiB",
            "99999999999 TiB",
            "1.2.3 GiB",
            "GiB",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
