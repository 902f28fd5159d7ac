//! Whole numbers that are read and not wanted: a reader of a large file passes over most of it so. Works inside
//! what lies ready of the stream; at its edge the careful scan takes over.

use super::number::is_space;
use super::scan_format::Directive;

/// How many plain `%d` a format asks for, when it asks for nothing else.
pub fn plain_integers(format: &[Directive]) -> Option<usize> {
    let mut count = 0;
    for directive in format {
        match directive {
            Directive::Space => {}
            Directive::Convert(conversion) if conversion.is_plain_decimal() => count += 1,
            Directive::Literal(_) | Directive::Convert(_) => return None,
        }
    }
    (count > 0).then_some(count)
}

/// Bytes that so many numbers take, white space before them included; `None` unless each is there whole and a byte
/// that ends it follows.
pub fn length_of_integers(ready: &[u8], count: usize) -> Option<usize> {
    let mut at = 0;
    for _ in 0..count {
        while is_space(*ready.get(at)?) {
            at += 1;
        }
        if matches!(ready.get(at)?, b'+' | b'-') {
            at += 1;
        }
        let digits = at;
        while ready.get(at)?.is_ascii_digit() {
            at += 1;
        }
        if at == digits {
            return None;
        }
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::super::scan_format::directives;
    use super::*;

    #[test]
    fn only_plain_numbers_are_counted() {
        let count = |format: &[u8]| plain_integers(&directives(format));
        assert_eq!(count(b"%d %d"), Some(2));
        assert_eq!(count(b" %d\n"), Some(1));
        for other in [&b"%d,%d"[..], b"%*d", b"%3d", b"%ld", b"%s", b"%i", b""] {
            assert_eq!(count(other), None, "{}", String::from_utf8_lossy(other));
        }
    }

    #[test]
    fn numbers_at_the_edge_or_broken_are_left_to_the_careful_scan() {
        assert_eq!(length_of_integers(b" 12\n-3 4", 2), Some(6));
        assert_eq!(length_of_integers(b"12 3", 2), None);
        assert_eq!(length_of_integers(b"12 x", 2), None);
        assert_eq!(length_of_integers(b"- 1 ", 1), None);
        assert_eq!(length_of_integers(b"", 1), None);
    }
}
