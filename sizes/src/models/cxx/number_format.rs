//! How `out << number` writes: base, precision, notation, width and fill, as the stream's flags have them. Knows streams
//! only by those fields.

use super::ios::Ios;
use crate::machine::host::Host;
use crate::machine::mark::Mark;
use crate::machine::value::Value;
use crate::models::print::{exponential, general};

const BOOL_WORDS: u64 = 1;
const FIXED: u64 = 1 << 2;
const HEX: u64 = 1 << 3;
const INTERNAL: u64 = 1 << 4;
const LEFT: u64 = 1 << 5;
const OCT: u64 = 1 << 6;
const SCIENTIFIC: u64 = 1 << 8;
const SHOW_BASE: u64 = 1 << 9;
const SHOW_POINT: u64 = 1 << 10;
const SHOW_PLUS: u64 = 1 << 11;
const UPPER: u64 = 1 << 14;

/// Where the fields are in a `std::ios`.
const PRECISION: u64 = 8;
const WIDTH: u64 = 16;
const FLAGS: u64 = 24;
const FILL: u64 = 224;
const HAS_FILL: u64 = 225;
/// Wider fields than this are not written out.
const MOST: u64 = 1 << 16;

/// The fields of one stream.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    flags: u64,
    precision: usize,
    width: usize,
    fill: u8,
}

impl Format {
    /// Reads them; the width holds for one piece of output.
    pub fn take(host: &mut Host<'_>, ios: Ios) -> Result<Format, Mark> {
        let load = |host: &Host<'_>, at: u64, size: usize| {
            host.memory.load(ios.0.wrapping_add(at), size).get()
        };
        let width = load(host, WIDTH, 8)?;
        let precision = load(host, PRECISION, 8)?;
        if width > MOST || precision > MOST {
            return Err(Mark::TOO_LARGE);
        }
        let fill = match load(host, HAS_FILL, 1)? {
            0 => b' ',
            _ => load(host, FILL, 1)? as u8,
        };
        host.memory
            .store(ios.0.wrapping_add(WIDTH), 8, Value::known(0));
        Ok(Format {
            flags: load(host, FLAGS, 4)?,
            precision: precision as usize,
            width: width as usize,
            fill,
        })
    }

    fn has(self, flag: u64) -> bool {
        self.flags & flag != 0
    }

    /// A text or a character.
    pub fn text(self, text: &[u8]) -> Vec<u8> {
        self.padded(text, 0)
    }

    /// `true` and `false`, or 1 and 0.
    pub fn truth(self, value: bool) -> Vec<u8> {
        match self.has(BOOL_WORDS) {
            true => self.text(if value { b"true" } else { b"false" }),
            false => self.whole(u64::from(value), 4, true),
        }
    }

    /// A whole number of so many bytes.
    pub fn whole(self, bits: u64, size: u32, signed: bool) -> Vec<u8> {
        let unused = 64 - 8 * size.clamp(1, 8);
        let unsigned = (bits << unused) >> unused;
        let value = ((bits << unused) as i64) >> unused;
        let (sign, digits) = match self.flags & (HEX | OCT) {
            HEX if self.has(SHOW_BASE) && unsigned != 0 => ("0x", format!("{unsigned:x}")),
            HEX => ("", format!("{unsigned:x}")),
            OCT if self.has(SHOW_BASE) && unsigned != 0 => ("", format!("0{unsigned:o}")),
            OCT => ("", format!("{unsigned:o}")),
            _ if signed && value < 0 => ("-", value.unsigned_abs().to_string()),
            _ if signed && self.has(SHOW_PLUS) => ("+", value.to_string()),
            _ if signed => ("", value.to_string()),
            _ => ("", unsigned.to_string()),
        };
        self.cased(format!("{sign}{digits}"), sign.len())
    }

    /// A floating-point number; `None` where it is written in hexadecimal.
    pub fn float(self, number: f64) -> Option<Vec<u8>> {
        let (magnitude, precision) = (number.abs(), self.precision);
        let digits = match self.flags & (FIXED | SCIENTIFIC) {
            _ if number.is_nan() => "nan".to_owned(),
            _ if number.is_infinite() => "inf".to_owned(),
            FIXED => format!("{magnitude:.precision$}"),
            SCIENTIFIC => exponential(magnitude, precision),
            0 => general(magnitude, precision.max(1), self.has(SHOW_POINT)),
            _ => return None,
        };
        let point = self.has(SHOW_POINT) && !digits.contains('.') && number.is_finite();
        let digits = if point { format!("{digits}.") } else { digits };
        let sign = match number.is_sign_negative() && !number.is_nan() {
            true => "-",
            false if self.has(SHOW_PLUS) => "+",
            false => "",
        };
        Some(self.cased(format!("{sign}{digits}"), sign.len()))
    }

    fn cased(self, text: String, head: usize) -> Vec<u8> {
        let text = if self.has(UPPER) {
            text.to_uppercase()
        } else {
            text
        };
        self.padded(text.as_bytes(), head)
    }

    /// Fills up to the width: behind, between sign and digits, or in front.
    fn padded(self, text: &[u8], head: usize) -> Vec<u8> {
        let missing = self.width.saturating_sub(text.len());
        let at = match self.flags & (LEFT | INTERNAL) {
            LEFT => text.len(),
            INTERNAL => head,
            _ => 0,
        };
        let mut field = text.to_vec();
        field.splice(at..at, std::iter::repeat_n(self.fill, missing));
        field
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(flags: u64, precision: usize, width: usize, fill: u8) -> Format {
        Format {
            flags,
            precision,
            width,
            fill,
        }
    }

    fn text(bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn whole_numbers_are_written_as_the_library_writes_them() {
        // Printed by a program against libstdc++ 12.
        let dec = 2;
        assert_eq!(text(format(dec, 6, 4, b'0').whole(12, 4, true)), "0012");
        assert_eq!(
            text(format(dec | INTERNAL, 6, 6, b'0').whole(-12i64 as u64, 4, true)),
            "-00012"
        );
        assert_eq!(
            text(format(dec | LEFT, 6, 5, b'.').whole(7, 8, false)),
            "7...."
        );
        assert_eq!(
            text(format(HEX, 6, 0, b' ').whole(-1i64 as u64, 4, true)),
            "ffffffff"
        );
        assert_eq!(
            text(format(HEX | SHOW_BASE | UPPER, 6, 0, b' ').whole(255, 4, true)),
            "0XFF"
        );
        assert_eq!(
            text(format(OCT | SHOW_BASE, 6, 0, b' ').whole(8, 4, true)),
            "010"
        );
        assert_eq!(
            text(format(dec | SHOW_PLUS, 6, 0, b' ').whole(5, 4, true)),
            "+5"
        );
        assert_eq!(text(format(BOOL_WORDS, 6, 6, b' ').truth(true)), "  true");
    }

    #[test]
    fn floats_are_written_as_the_library_writes_them() {
        assert_eq!(text(format(0, 6, 0, b' ').float(0.1).unwrap()), "0.1");
        assert_eq!(text(format(0, 6, 0, b' ').float(1e20).unwrap()), "1e+20");
        assert_eq!(
            text(format(FIXED, 3, 8, b'*').float(-2.5).unwrap()),
            "**-2.500"
        );
        assert_eq!(
            text(format(SCIENTIFIC, 2, 0, b' ').float(12345.0).unwrap()),
            "1.23e+04"
        );
        assert_eq!(
            text(format(SHOW_POINT, 4, 0, b' ').float(2.0).unwrap()),
            "2.000"
        );
        assert_eq!(format(FIXED | SCIENTIFIC, 6, 0, b' ').float(2.0), None);
    }
}
