//! The conversions of scanf: a format and characters in, items out. Knows nothing of memory.

use super::float_text::Float;
use super::number::{is_space, whole};
use super::scan_float::floating;
use super::scan_input::Input;

/// Longest text of one conversion.
const LONGEST: usize = 1 << 20;

/// What one conversion gave, for the pointer argument in turn.
#[derive(Debug)]
pub enum Item {
    /// A scalar: bytes, size.
    Scalar(u64, usize),
    /// Bytes as they are.
    Bytes(Vec<u8>),
    /// A number in a form that is not followed.
    LongDouble,
}

/// What a scan gave.
#[derive(Debug, Default)]
pub struct Scanned {
    /// Items in the order of the format.
    pub items: Vec<Item>,
    /// Conversions that count.
    pub converted: i32,
    /// The input ended before the first conversion.
    pub ended: bool,
}

/// What a format asks for, step by step: it is taken apart once and used for every scan.
#[derive(Debug)]
pub enum Directive {
    /// Any white space, or none.
    Space,
    /// This character.
    Literal(u8),
    /// A conversion.
    Convert(Conversion),
}

/// A conversion of the format.
#[derive(Debug)]
pub struct Conversion {
    suppressed: bool,
    width: usize,
    /// Bytes of the integer, or of the float: 4 or 8.
    size: usize,
    long: bool,
    letter: u8,
    /// Of `%[`: its bytes, and whether they are those that fit.
    set: (Vec<u8>, bool),
}

impl Conversion {
    /// A number that may have a fraction.
    pub fn is_float(&self) -> bool {
        matches!(self.letter.to_ascii_lowercase(), b'a' | b'e' | b'f' | b'g')
    }

    /// `%d` and nothing more.
    pub fn is_plain_decimal(&self) -> bool {
        self.letter == b'd' && self.size == 4 && self.width == LONGEST && !self.suppressed
    }
}

impl Scanned {
    /// Makes it ready for the next scan.
    pub fn clear(&mut self) {
        self.items.clear();
        self.converted = 0;
        self.ended = false;
    }
}

/// Takes a format apart.
pub fn directives(format: &[u8]) -> Vec<Directive> {
    let mut directives = Vec::new();
    let mut at = 0;
    while let Some(byte) = format.get(at).copied() {
        at += 1;
        match byte {
            b'%' if format.get(at) == Some(&b'%') => {
                at += 1;
                directives.extend([Directive::Space, Directive::Literal(b'%')]);
            }
            b'%' => directives.push(Directive::Convert(Conversion::read(format, &mut at))),
            byte if is_space(byte) => directives.push(Directive::Space),
            byte => directives.push(Directive::Literal(byte)),
        }
    }
    directives
}

/// Reads as the directives say, until they end or something does not fit.
pub fn scan<I: Input>(input: &mut I, directives: &[Directive], scanned: &mut Scanned) {
    for directive in directives {
        match directive {
            Directive::Space => skip_space(input),
            Directive::Literal(literal) => match input.peek() {
                Some(next) if next == *literal => input.advance(),
                next => {
                    scanned.ended = next.is_none();
                    return;
                }
            },
            Directive::Convert(conversion) => {
                if !convert(input, conversion, scanned) {
                    return;
                }
            }
        }
    }
}

fn skip_space<I: Input>(input: &mut I) {
    while input.peek().is_some_and(is_space) {
        input.advance();
    }
}

impl Conversion {
    /// Reads what follows a percent sign.
    fn read(format: &[u8], at: &mut usize) -> Conversion {
        let mut next = || {
            let byte = format.get(*at).copied().unwrap_or(0);
            *at += 1;
            byte
        };
        let mut byte = next();
        let suppressed = byte == b'*';
        if suppressed {
            byte = next();
        }
        let mut width = 0usize;
        while byte.is_ascii_digit() {
            width = width
                .saturating_mul(10)
                .saturating_add(usize::from(byte - b'0'));
            byte = next();
        }
        let (mut size, mut long) = (4, false);
        while matches!(byte, b'h' | b'l' | b'L' | b'q' | b'z' | b'j' | b't') {
            size = match (byte, size) {
                (b'h', 2) => 1,
                (b'h', _) => 2,
                _ => 8,
            };
            long = byte == b'L';
            byte = next();
        }
        let width = if width == 0 { LONGEST } else { width };
        let set = match byte {
            b'[' => read_set(format, at),
            _ => (Vec::new(), true),
        };
        Conversion {
            suppressed,
            width,
            size,
            long,
            letter: byte,
            set,
        }
    }

    fn float(&self, number: &Float) -> Item {
        match (self.long, self.size) {
            (true, _) => Item::LongDouble,
            (_, 8) => Item::Scalar(number.double.to_bits(), 8),
            _ => Item::Scalar(u64::from(number.single.to_bits()), 4),
        }
    }

    fn keep(&self, scanned: &mut Scanned, item: Item) {
        if !self.suppressed {
            scanned.items.push(item);
            scanned.converted += 1;
        }
    }
}

/// Does one conversion. False where the scan ends.
fn convert<I: Input>(input: &mut I, conversion: &Conversion, scanned: &mut Scanned) -> bool {
    if !matches!(conversion.letter, b'c' | b'[' | b'n') {
        skip_space(input);
    }
    if conversion.letter != b'n' && input.peek().is_none() {
        scanned.ended = true;
        return false;
    }
    let item = match conversion.letter {
        b'd' | b'u' => integer(input, conversion, 10),
        b'i' => integer(input, conversion, 0),
        b'x' | b'X' | b'p' => integer(input, conversion, 16),
        b'o' => integer(input, conversion, 8),
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            floating(input, conversion.width).map(|number| conversion.float(&number))
        }
        b's' => word(input, conversion.width, |byte| !is_space(byte)),
        b'[' => {
            let (set, inside) = &conversion.set;
            word(input, conversion.width, |byte| {
                set.contains(&byte) == *inside
            })
        }
        b'c' => characters(input, conversion.width),
        b'n' => {
            // Not counted as a conversion.
            scanned
                .items
                .push(Item::Scalar(input.read() as u64, conversion.size));
            return true;
        }
        _ => None,
    };
    match item {
        Some(item) => {
            conversion.keep(scanned, item);
            true
        }
        None => false,
    }
}

/// Reads a whole number. Decimal digits, by far the most frequent, are added up as they come.
fn integer<I: Input>(input: &mut I, conversion: &Conversion, base: u32) -> Option<Item> {
    if base == 10 {
        return decimal(input, conversion);
    }
    let text = gather(input, conversion.width, |text, byte| {
        byte.is_ascii_alphanumeric() && (byte.is_ascii_hexdigit() || matches!(byte, b'x' | b'X'))
            || text.is_empty() && matches!(byte, b'+' | b'-')
    });
    let number = whole(&text, base);
    (number.used > 0).then_some(Item::Scalar(number.to_i64() as u64, conversion.size))
}

fn decimal<I: Input>(input: &mut I, conversion: &Conversion) -> Option<Item> {
    let mut left = conversion.width;
    let sign = input.peek().filter(|byte| matches!(byte, b'+' | b'-'));
    if sign.is_some() {
        input.advance();
        left -= 1;
    }
    let mut number: u64 = 0;
    let mut digits = 0;
    while left > 0 && input.peek().is_some_and(|byte| byte.is_ascii_digit()) {
        let mut count = 0;
        for byte in input.ahead().iter().take(left) {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            number = number.saturating_mul(10).saturating_add(u64::from(digit));
            count += 1;
        }
        input.pass(count);
        digits += count;
        left -= count;
    }
    let negative = sign == Some(b'-');
    // Unsigned numbers may use all bits; signed ones end where strtol's do.
    let bits = match (conversion.letter, negative) {
        (b'u', false) => number,
        (_, false) => number.min(i64::MAX as u64),
        (_, true) => number.min(1 << 63).wrapping_neg(),
    };
    (digits > 0).then_some(Item::Scalar(bits, conversion.size))
}

/// Characters as long as they fit together.
fn gather<I: Input>(input: &mut I, width: usize, fits: impl Fn(&[u8], u8) -> bool) -> Vec<u8> {
    let mut text = Vec::new();
    while text.len() < width {
        match input.peek() {
            Some(byte) if fits(&text, byte) => {
                text.push(byte);
                input.advance();
            }
            _ => break,
        }
    }
    text
}

fn word<I: Input>(input: &mut I, width: usize, fits: impl Fn(u8) -> bool) -> Option<Item> {
    let mut text = gather(input, width, |_, byte| fits(byte));
    if text.is_empty() {
        return None;
    }
    text.push(0);
    Some(Item::Bytes(text))
}

fn characters<I: Input>(input: &mut I, width: usize) -> Option<Item> {
    let width = if width == LONGEST { 1 } else { width };
    let text = gather(input, width, |_, _| true);
    (text.len() == width).then_some(Item::Bytes(text))
}

/// Reads a set (`a-z]`, `^,]`): its bytes, and whether they are those that fit.
fn read_set(format: &[u8], at: &mut usize) -> (Vec<u8>, bool) {
    let inside = format.get(*at) != Some(&b'^');
    *at += usize::from(!inside);
    let mut set = Vec::new();
    while let Some(byte) = format.get(*at).copied() {
        *at += 1;
        if byte == b']' && !set.is_empty() {
            break;
        }
        match (set.last().copied(), format.get(*at)) {
            (Some(first), Some(last)) if byte == b'-' && *last != b']' => {
                set.extend(first..=*last);
                *at += 1;
            }
            _ => set.push(byte),
        }
    }
    (set, inside)
}

#[cfg(test)]
mod tests {
    use super::super::scan_input::FromText;
    use super::*;

    fn scanned(text: &str, format: &str) -> (i32, bool, Vec<String>) {
        let mut scanned = Scanned::default();
        scan(
            &mut FromText {
                text: text.as_bytes(),
                at: 0,
            },
            &directives(format.as_bytes()),
            &mut scanned,
        );
        let items = scanned.items.iter().map(|item| match item {
            Item::Scalar(bits, 8) => (*bits as i64).to_string(),
            Item::Scalar(bits, _) => (*bits as i32).to_string(),
            Item::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Item::LongDouble => "long double".to_owned(),
        });
        (scanned.converted, scanned.ended, items.collect())
    }

    #[test]
    fn numbers_words_and_sets_are_read() {
        assert_eq!(
            scanned(" 12 -3x", "%d%d"),
            (2, false, vec!["12".into(), "-3".into()])
        );
        assert_eq!(
            scanned("a,b", "%[^,],%c"),
            (2, false, vec!["a\0".into(), "b".into()])
        );
        assert_eq!(scanned("n=5;", "n=%ld"), (1, false, vec!["5".into()]));
        assert_eq!(scanned("0x1f 10", "%i %*d"), (1, false, vec!["31".into()]));
        assert_eq!(
            scanned("abc", "%2s%n"),
            (1, false, vec!["ab\0".into(), "2".into()])
        );
    }

    #[test]
    fn decimal_numbers_keep_to_their_width_and_limits() {
        let one = |text: &str, format: &str| scanned(text, format).2.concat();
        assert_eq!(one("12345", "%3d%*d"), "123");
        assert_eq!(one("-12345", "%3d"), "-12");
        assert_eq!(one("99999999999999999999", "%ld"), i64::MAX.to_string());
        assert_eq!(one("-99999999999999999999", "%ld"), i64::MIN.to_string());
        assert_eq!(one("18446744073709551615", "%lu"), "-1");
    }

    #[test]
    fn a_mismatch_stops_and_an_end_is_told() {
        assert_eq!(scanned("x", "%d"), (0, false, vec![]));
        assert_eq!(scanned("  ", "%d"), (0, true, vec![]));
        assert_eq!(scanned("5", "%d %d"), (1, true, vec!["5".into()]));
    }

    #[test]
    fn floats_have_the_asked_width() {
        let mut scanned = Scanned::default();
        scan(
            &mut FromText {
                text: b"1.5 2.5e1",
                at: 0,
            },
            &directives(b"%f %lf"),
            &mut scanned,
        );
        let bits: Vec<u64> = scanned
            .items
            .iter()
            .map(|item| match item {
                Item::Scalar(bits, _) => *bits,
                Item::Bytes(_) | Item::LongDouble => 0,
            })
            .collect();
        assert_eq!(bits, [u64::from(1.5f32.to_bits()), 25.0f64.to_bits()]);
    }
}
