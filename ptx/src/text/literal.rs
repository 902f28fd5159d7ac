//! Numbers as PTX writes them: integers, and floating-point numbers by value or by their bits.

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// An integer of 64 bits, and whether it says that it has no sign.
    Integer(u64, bool),
    /// A single-precision number by its bits.
    Single(u32),
    /// A double-precision number by its bits.
    Double(u64),
}

impl Literal {
    /// The number that a word is.
    #[must_use]
    pub fn parse(word: &str) -> Option<Literal> {
        let digits = |start: usize| word.get(start..);
        let hexadecimal = |text: &str| u64::from_str_radix(text, 16).ok();
        let head = word.get(..2).unwrap_or_default();
        match head {
            "0f" | "0F" => {
                let bits = digits(2).filter(|digits| digits.len() == 8)?;
                u32::from_str_radix(bits, 16).ok().map(Literal::Single)
            }
            "0d" | "0D" => {
                let bits = digits(2).filter(|digits| digits.len() == 16)?;
                hexadecimal(bits).map(Literal::Double)
            }
            _ => integer(word).or_else(|| decimal(word)),
        }
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negated(self) -> Literal {
        match self {
            Literal::Integer(value, unsigned) => Literal::Integer(value.wrapping_neg(), unsigned),
            Literal::Single(bits) => Literal::Single(bits ^ 1 << 31),
            Literal::Double(bits) => Literal::Double(bits ^ 1 << 63),
        }
    }

    /// Its bits, as a variable of so many bytes is given them.
    #[must_use]
    pub fn bits(self) -> u64 {
        match self {
            Literal::Integer(bits, _) | Literal::Double(bits) => bits,
            Literal::Single(bits) => bits.into(),
        }
    }
}

fn integer(word: &str) -> Option<Literal> {
    let plain = word.trim_end_matches('U');
    let unsigned = plain.len() < word.len();
    let radix = |digits: &str, radix| u64::from_str_radix(digits, radix).ok();
    let value = match plain.as_bytes() {
        [b'0', b'x' | b'X', ..] => radix(plain.get(2..)?, 16),
        [b'0', b'b' | b'B', ..] => radix(plain.get(2..)?, 2),
        [b'0', _, ..] => radix(plain.get(1..)?, 8),
        _ => plain.parse().ok(),
    };
    value.map(|value| Literal::Integer(value, unsigned))
}

fn decimal(word: &str) -> Option<Literal> {
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    let value = word.parse::<f64>().ok().filter(|_| is_number);
    value.map(|value| Literal::Double(value.to_bits()))
}

impl std::fmt::Display for Literal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Literal::Integer(value, true) => write!(f, "{value}U"),
            Literal::Integer(value, false) => write!(f, "{}", value.cast_signed()),
            Literal::Single(bits) => write!(f, "0f{bits:08X}"),
            Literal::Double(bits) => write!(f, "0d{bits:016X}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_all_their_forms() {
        let integer = |value| Some(Literal::Integer(value, false));
        for (word, value) in [
            ("0", 0),
            ("42", 42),
            ("0x2A", 42),
            ("052", 42),
            ("0b101010", 42),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(Literal::parse(word), integer(value), "{word}");
        }
        assert_eq!(Literal::parse("7U"), Some(Literal::Integer(7, true)));
        assert_eq!(
            Literal::parse("0f3F800000"),
            Some(Literal::Single(0x3f80_0000))
        );
        assert_eq!(
            Literal::parse("1.5"),
            Some(Literal::Double(1.5_f64.to_bits()))
        );
        for none in ["0f3F8", "x", "inf", "0x", "18446744073709551616U"] {
            assert_eq!(Literal::parse(none), None, "{none}");
        }
    }

    #[test]
    fn what_is_printed_is_read_again() {
        for literal in [
            Literal::Integer(u64::MAX, true),
            Literal::Single(1),
            Literal::Double(0x7ff8_0000_0000_0000),
        ] {
            assert_eq!(Literal::parse(&literal.to_string()), Some(literal));
        }
        // A sign is a word of its own.
        assert_eq!(Literal::Integer(1, false).negated().to_string(), "-1");
    }
}
