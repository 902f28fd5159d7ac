//! "Did you mean": the known name that is spelt most like what was given.

/// Least likeness (Jaro-Winkler, 0 to 1) of a name worth offering.
const LIKE_ENOUGH: f64 = 0.75;

/// The known name most like the one given, if any is like enough; of equals the first.
#[must_use]
pub fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    let given = given.to_lowercase();
    let mut best = (LIKE_ENOUGH, None);
    for name in known {
        let likeness = strsim::jaro_winkler(&given, name);
        if likeness > best.0 {
            best = (likeness, Some(*name));
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name_and_nonsense_finds_none() {
        let known = ["a100-40gb", "a100-80gb", "h100-80gb", "a30-24gb"];
        assert_eq!(nearest("a100-40g", &known), Some("a100-40gb"));
        assert_eq!(nearest("A100_80GB", &known), Some("a100-80gb"));
        assert_eq!(nearest("h100-80", &known), Some("h100-80gb"));
        assert_eq!(nearest("toaster", &known), None);
        assert_eq!(nearest("", &known), None);
    }
}
