//! An amount as a user states it, `64 MiB` or `n * 64 + 4096`: text -> expression -> bytes. Knows no program: what names
//! stand for is told by whoever asks.

use serde::{Deserialize, Serialize};

/// An amount.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Amount {
    /// A number; of bytes where the amount is one of memory.
    Number(u64),
    /// What a variable of the program holds.
    Name(String),
    /// Two amounts.
    Pair(Sign, Box<Amount>, Box<Amount>),
}

/// Operators of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`, rounded towards zero.
    Over,
}

/// Units behind a number.
const UNITS: [(&str, u64); 5] = [
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

/// Parentheses deeper than this are not read.
const DEEPEST: u32 = 50;

impl Amount {
    /// Reads an amount: numbers, units (`B KiB MiB GiB TiB`), names, `+ - * /` and parentheses.
    ///
    /// # Errors
    /// What is wrong, as a clause.
    pub fn parse(text: &str) -> Result<Amount, String> {
        let mut rest = Words {
            words: words(text)?,
            at: 0,
        };
        let amount = sum(&mut rest, 0)?;
        match rest.next() {
            None => Ok(amount),
            Some(word) => Err(format!("'{word}' stands where the amount should end")),
        }
    }

    /// Its value, where `name` tells what names stand for.
    ///
    /// # Errors
    /// A name that stands for nothing known, or a value that is no amount.
    pub fn value(&self, name: &dyn Fn(&str) -> Option<i128>) -> Result<u64, String> {
        let value = self.whole(name)?;
        u64::try_from(value).map_err(|_| format!("it comes to {value}, which is no amount"))
    }

    fn whole(&self, name: &dyn Fn(&str) -> Option<i128>) -> Result<i128, String> {
        match self {
            Amount::Number(number) => Ok(i128::from(*number)),
            Amount::Name(known) => {
                name(known).ok_or_else(|| format!("the value of '{known}' is not known there"))
            }
            Amount::Pair(sign, a, b) => {
                let (a, b) = (a.whole(name)?, b.whole(name)?);
                let value = match sign {
                    Sign::Plus => a.checked_add(b),
                    Sign::Minus => a.checked_sub(b),
                    Sign::Times => a.checked_mul(b),
                    Sign::Over => a.checked_div(b),
                };
                value.ok_or_else(|| "it overflows, or divides by zero".to_owned())
            }
        }
    }

    /// The names in it.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        match self {
            Amount::Number(_) => Vec::new(),
            Amount::Name(name) => vec![name],
            Amount::Pair(_, a, b) => [a.names(), b.names()].concat(),
        }
    }
}

struct Words<'t> {
    words: Vec<&'t str>,
    at: usize,
}

impl<'t> Words<'t> {
    fn peek(&self) -> Option<&'t str> {
        self.words.get(self.at).copied()
    }

    fn next(&mut self) -> Option<&'t str> {
        let word = self.peek();
        self.at += 1;
        word
    }
}

fn words(text: &str) -> Result<Vec<&str>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let part_of = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = match first {
            '+' | '-' | '*' | '/' | '(' | ')' => 1,
            c if part_of(c) => rest.find(|c| !part_of(c)).unwrap_or(rest.len()),
            other => return Err(format!("'{other}' is no part of an amount")),
        };
        let (word, after) = rest.split_at(length);
        found.push(word);
        rest = after.trim_start();
    }
    Ok(found)
}

fn sum(words: &mut Words<'_>, depth: u32) -> Result<Amount, String> {
    let mut left = product(words, depth)?;
    while let Some(sign) = match words.peek() {
        Some("+") => Some(Sign::Plus),
        Some("-") => Some(Sign::Minus),
        _ => None,
    } {
        words.next();
        left = Amount::Pair(sign, left.into(), product(words, depth)?.into());
    }
    Ok(left)
}

fn product(words: &mut Words<'_>, depth: u32) -> Result<Amount, String> {
    let mut left = single(words, depth)?;
    while let Some(sign) = match words.peek() {
        Some("*") => Some(Sign::Times),
        Some("/") => Some(Sign::Over),
        _ => None,
    } {
        words.next();
        left = Amount::Pair(sign, left.into(), single(words, depth)?.into());
    }
    Ok(left)
}

fn single(words: &mut Words<'_>, depth: u32) -> Result<Amount, String> {
    match words.next() {
        None => Err("an amount is missing".to_owned()),
        Some("(") if depth < DEEPEST => {
            let inner = sum(words, depth + 1)?;
            match words.next() {
                Some(")") => Ok(inner),
                _ => Err("a parenthesis is not closed".to_owned()),
            }
        }
        Some(word) if word.starts_with(|c: char| c.is_ascii_digit()) => number(word, words),
        Some(word) if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => {
            Ok(Amount::Name(word.to_owned()))
        }
        Some(word) => Err(format!("'{word}' stands where an amount should")),
    }
}

/// `64`, `64MiB` or `64 MiB`.
fn number(word: &str, words: &mut Words<'_>) -> Result<Amount, String> {
    let split = word.find(|c: char| !c.is_ascii_digit());
    let (digits, glued) = word.split_at(split.unwrap_or(word.len()));
    let unit = match (glued, words.peek()) {
        ("", Some(next)) if UNITS.iter().any(|(name, _)| *name == next) => {
            words.next();
            next
        }
        ("", _) => "B",
        (glued, _) => glued,
    };
    let size = UNITS.iter().find(|(name, _)| *name == unit);
    let (_, size) = size.ok_or_else(|| format!("'{unit}' is no unit (B KiB MiB GiB TiB)"))?;
    let number: Option<u64> = digits.parse().ok();
    let bytes = number.and_then(|number| number.checked_mul(*size));
    bytes
        .map(Amount::Number)
        .ok_or_else(|| format!("{word} is too large"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<u64, String> {
        let names = |name: &str| (name == "n").then_some(1000);
        Amount::parse(text)?.value(&names)
    }

    #[test]
    fn amounts_are_read_as_c_would() {
        assert_eq!(value("64 MiB"), Ok(64 << 20));
        assert_eq!(value("64MiB + 4096"), Ok((64 << 20) + 4096));
        assert_eq!(value("n * 64"), Ok(64_000));
        assert_eq!(value("(n + 255) / 256 * 256 * 4"), Ok(4096));
        assert_eq!(value("n - 1 - 1"), Ok(998));
    }

    #[test]
    fn what_is_no_amount_is_told() {
        let told = |text: &str| value(text).unwrap_err();
        assert_eq!(told(""), "an amount is missing");
        assert_eq!(told("64 MB"), "'MB' stands where the amount should end");
        assert_eq!(told("64MB"), "'MB' is no unit (B KiB MiB GiB TiB)");
        assert_eq!(told("n * "), "an amount is missing");
        assert_eq!(told("(n"), "a parenthesis is not closed");
        assert_eq!(told("m * 4"), "the value of 'm' is not known there");
        assert_eq!(told("n - 1001"), "it comes to -1, which is no amount");
        assert_eq!(told("n[0]"), "'[' is no part of an amount");
        assert_eq!(told("n / (n - n)"), "it overflows, or divides by zero");
        assert!(value(&"(".repeat(10_000)).is_err());
    }
}
