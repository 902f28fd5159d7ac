//! scanf's floating-point conversions: which characters glibc takes for one, and the number that they make.

use super::float_text::{Float, float};
use super::scan_input::Input;

/// The characters of one conversion as they are taken.
struct Taking<'i, I> {
    input: &'i mut I,
    text: Vec<u8>,
    width: usize,
}

impl<I: Input> Taking<'_, I> {
    /// The next character in lower case, while the width allows one.
    fn next(&mut self) -> Option<u8> {
        if self.text.len() >= self.width {
            return None;
        }
        self.input.peek().map(|byte| byte.to_ascii_lowercase())
    }

    /// Takes the next character if it fits.
    fn take(&mut self, fits: impl Fn(u8) -> bool) -> bool {
        let Some(byte) = self.next().filter(|byte| fits(*byte)) else {
            return false;
        };
        self.text.push(byte);
        self.input.advance();
        true
    }

    fn word(&mut self, word: &str) -> bool {
        word.bytes().all(|wanted| self.take(|byte| byte == wanted))
    }

    /// `nan`, `inf` or `infinity`; a word begun must be ended. `None` where there is no word.
    fn name(&mut self) -> Option<bool> {
        match self.next() {
            Some(b'n') => Some(self.word("nan")),
            Some(b'i') => {
                let inf = self.word("inf");
                Some(inf && (self.next() != Some(b'i') || self.word("inity")))
            }
            _ => None,
        }
    }

    /// Digits with one point and one exponent.
    fn digits(&mut self) {
        let zero = self.take(|byte| byte == b'0');
        let hexadecimal = zero && self.take(|byte| byte == b'x');
        let letter = if hexadecimal { b'p' } else { b'e' };
        let (mut digit, mut point, mut exponent) = (zero && !hexadecimal, false, false);
        loop {
            let after_letter = exponent && self.text.last() == Some(&letter);
            let is_digit = |byte: u8| {
                byte.is_ascii_digit() || hexadecimal && !exponent && byte.is_ascii_hexdigit()
            };
            if self.take(is_digit) {
                digit = true;
            } else if after_letter && self.take(|byte| matches!(byte, b'+' | b'-')) {
            } else if digit && !exponent && self.take(|byte| byte == letter) {
                exponent = true;
            } else if !point && !exponent && self.take(|byte| byte == b'.') {
                point = true;
            } else {
                break;
            }
        }
    }
}

/// Reads a number of at most `width` characters; `None` where there is none.
pub fn floating<I: Input>(input: &mut I, width: usize) -> Option<Float> {
    let text = Vec::new();
    let mut taking = Taking { input, text, width };
    taking.take(|byte| matches!(byte, b'+' | b'-'));
    match taking.name() {
        Some(false) => return None,
        Some(true) => {}
        None => taking.digits(),
    }
    let text = taking.text;
    let unsigned = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+"));
    let number = float(&text);
    (number.used > 0 && unsigned.unwrap_or(&text) != b"0x").then_some(number)
}

#[cfg(test)]
mod tests {
    use super::super::scan_input::FromText;
    use super::*;

    fn scanned(text: &str, width: usize) -> (Option<f64>, usize) {
        let text = text.as_bytes();
        let mut input = FromText { text, at: 0 };
        let number = floating(&mut input, width);
        (number.map(|number| number.double), input.at)
    }

    #[test]
    fn numbers_end_where_glibc_ends_them() {
        assert_eq!(scanned("1.5e1x", 99), (Some(15.0), 5));
        assert_eq!(scanned("1.5.2", 99), (Some(1.5), 3));
        assert_eq!(scanned("1e", 99), (Some(1.0), 2));
        assert_eq!(scanned("-12345", 3), (Some(-12.0), 3));
        assert_eq!(scanned("1e5.5", 99), (Some(1e5), 3));
        assert_eq!(scanned(".", 99), (None, 1));
        assert_eq!(scanned("x", 99), (None, 0));
        assert_eq!(scanned("e5", 99), (None, 0));
    }

    #[test]
    fn hexadecimal_numbers_and_names_are_read() {
        assert_eq!(scanned("0x1.8p3,", 99), (Some(12.0), 7));
        assert_eq!(scanned("0x1p+2", 99), (Some(4.0), 6));
        assert_eq!(scanned("0XfE", 99), (Some(254.0), 4));
        assert_eq!(scanned("0x", 99), (None, 2));
        assert_eq!(scanned("0x1p12", 3), (Some(1.0), 3));
        assert_eq!(scanned("-inf ", 99), (Some(f64::NEG_INFINITY), 4));
        assert_eq!(scanned("Infinity", 99), (Some(f64::INFINITY), 8));
        assert_eq!(scanned("infix", 99), (None, 4));
        assert_eq!(scanned("nap", 99), (None, 2));
        assert!(scanned("nan", 99).0.is_some_and(f64::is_nan));
    }
}
