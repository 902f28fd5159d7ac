//! A PTX text -> its words and signs, each with its place. Comments are left out.

use super::error::{Place, PtxError};

/// A word or sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// What kind it is.
    pub kind: Kind,
    /// Its text; of a string with its quotes.
    pub text: &'a str,
    /// Where it begins in the text, in bytes.
    pub offset: usize,
    /// Its line.
    pub line: u32,
    /// Its column.
    pub column: u32,
}

/// A kind of word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `.entry`, `.f32`, `.shared::cta`.
    Dotted,
    /// `add`, `%r1`, `$L__BB0_1`, `%tid.x`.
    Word,
    /// `12`, `0f3F800000`.
    Number,
    /// `"nounroll"`.
    Text,
    /// A single sign.
    Sign,
    /// The end of the text.
    End,
}

impl Token<'_> {
    /// Where it stands.
    pub fn place(&self) -> Place {
        Place {
            line: self.line,
            column: self.column,
        }
    }
}

/// The words and signs of a text; the last one is its end.
pub fn tokens(text: &str) -> Result<Vec<Token<'_>>, PtxError> {
    let mut found = Vec::with_capacity(text.len() / 4);
    let bytes = text.as_bytes();
    let (mut at, mut line, mut line_start) = (0, 1_u32, 0);
    while let Some(&first) = bytes.get(at) {
        let (kind, length) = match first {
            b'\n' => {
                (line, line_start, at) = (line.saturating_add(1), at + 1, at + 1);
                continue;
            }
            b' ' | b'\t' | b'\r' | b'\x0c' => {
                at += 1;
                continue;
            }
            _ if first == b'/' && bytes.get(at + 1) == Some(&b'/') => {
                at += length_until(&bytes[at..], |byte| byte == b'\n');
                continue;
            }
            _ => (kind(&bytes[at..]), length(&bytes[at..])),
        };
        let column = u32::try_from(at - line_start).unwrap_or(u32::MAX) + 1;
        let place = Place { line, column };
        let word = text.get(at..at + length);
        let word = word.ok_or_else(|| PtxError::new(place, "a sign that PTX does not have"))?;
        if word.starts_with("/*") {
            let lines = word.bytes().filter(|byte| *byte == b'\n').count();
            line = line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
            line_start = word.rfind('\n').map_or(line_start, |last| at + last + 1);
        } else {
            found.push(Token {
                kind,
                text: word,
                offset: at,
                line,
                column,
            });
        }
        at += length;
    }
    let column = u32::try_from(at - line_start).unwrap_or(u32::MAX - 1) + 1;
    found.push(Token {
        kind: Kind::End,
        text: "",
        offset: at,
        line,
        column,
    });
    Ok(found)
}

fn kind(rest: &[u8]) -> Kind {
    match rest {
        [b'.', next, ..] if is_word(*next) => Kind::Dotted,
        [b'0'..=b'9', ..] => Kind::Number,
        [b'"', ..] => Kind::Text,
        [first, ..] if is_word(*first) => Kind::Word,
        _ => Kind::Sign,
    }
}

fn length(rest: &[u8]) -> usize {
    match kind(rest) {
        Kind::Dotted => 1 + dotted_length(&rest[1..]),
        Kind::Number => number_length(rest),
        Kind::Text => {
            let inner = length_until(&rest[1..], |byte| byte == b'"');
            (inner + 2).min(rest.len())
        }
        Kind::Word => {
            let name = length_until(rest, |byte| !is_word(byte));
            // A component of a vector register belongs to its name.
            match rest.get(name..) {
                Some([b'.', b'x' | b'y' | b'z' | b'w', after @ ..])
                    if rest.first() == Some(&b'%')
                        && after.first().is_none_or(|b| !is_word(*b)) =>
                {
                    name + 2
                }
                _ => name,
            }
        }
        Kind::Sign if rest.starts_with(b"/*") => {
            let end = rest.windows(2).skip(2).position(|pair| pair == b"*/");
            end.map_or(rest.len(), |end| end + 4)
        }
        Kind::Sign | Kind::End => 1,
    }
}

/// `global`, `shared::cta`, `L2::128B`.
fn dotted_length(rest: &[u8]) -> usize {
    let mut end = length_until(rest, |byte| !is_word(byte));
    while let Some([b':', b':', next, ..]) = rest.get(end..)
        && is_word(*next)
    {
        end += 2 + length_until(&rest[end + 2..], |byte| !is_word(byte));
    }
    end
}

fn number_length(rest: &[u8]) -> usize {
    let end = length_until(rest, |byte| !byte.is_ascii_alphanumeric());
    match rest.get(end..) {
        // Only a decimal number goes on behind a point, and has a sign in its exponent.
        Some([b'.', next, ..]) if next.is_ascii_digit() || *next == b'e' || *next == b'E' => {
            let mut tail = end + 1 + length_until(&rest[end + 1..], |b| !b.is_ascii_alphanumeric());
            let exponent = matches!(rest.get(tail - 1), Some(b'e' | b'E'));
            if exponent && matches!(rest.get(tail), Some(b'+' | b'-')) {
                tail += 1 + length_until(&rest[tail + 1..], |b| !b.is_ascii_digit());
            }
            tail
        }
        _ => end,
    }
}

fn length_until(rest: &[u8], stop: impl Fn(u8) -> bool) -> usize {
    let end = rest.iter().position(|byte| stop(*byte));
    end.unwrap_or(rest.len())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        tokens(text)
            .unwrap()
            .iter()
            .map(|token| token.text)
            .collect()
    }

    #[test]
    fn words_signs_and_numbers_are_told_apart() {
        assert_eq!(
            words("@!%p1 ld.shared::cta.f32 %f1, [%rd1+-4]; // x\n/* y\n */mov.u32 %r1, %tid.x;"),
            [
                "@",
                "!",
                "%p1",
                "ld",
                ".shared::cta",
                ".f32",
                "%f1",
                ",",
                "[",
                "%rd1",
                "+",
                "-",
                "4",
                "]",
                ";",
                "mov",
                ".u32",
                "%r1",
                ",",
                "%tid.x",
                ";",
                ""
            ]
        );
        assert_eq!(
            words("9.5 1.5e+3 0f00000000"),
            ["9.5", "1.5e+3", "0f00000000", ""]
        );
    }

    #[test]
    fn places_count_lines_within_comments_too() {
        let found = tokens("/* a\n b */ ret\n  exit").unwrap();
        let places: Vec<_> = found.iter().map(Token::place).collect();
        let place = |line, column| Place { line, column };
        assert_eq!(places, [place(2, 7), place(3, 3), place(3, 7)]);
        let error = tokens("add \u{e9}").unwrap_err();
        assert_eq!(error.at, place(1, 5));
    }
}
