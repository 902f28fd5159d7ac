//! printf and its relatives: formatted into memory or only for their length; what goes to a stream is dropped.

use super::number::arg;
use super::settings;
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::{Mark, Source};
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("printf", |host, args| length(host, args, 0)),
    ("__printf_chk", |host, args| length(host, args, 1)),
    ("fprintf", |host, args| length(host, args, 1)),
    ("__fprintf_chk", |host, args| length(host, args, 2)),
    ("sprintf", |host, args| to_memory(host, args, 1, u64::MAX)),
    ("__sprintf_chk", |host, args| {
        to_memory(host, args, 3, u64::MAX)
    }),
    ("snprintf", bounded),
    ("__snprintf_chk", |host, args| {
        let room = arg(args, 1).get()?;
        to_memory(host, args, 4, room)
    }),
    ("asprintf", |host, args| to_new(host, args, 1)),
    ("__asprintf_chk", |host, args| to_new(host, args, 2)),
    ("puts", |_, _| Ok(Value::int(1))),
    ("putchar", |_, args| Ok(arg(args, 0))),
    ("putc", |_, args| Ok(arg(args, 0))),
    ("fputc", |_, args| Ok(arg(args, 0))),
    ("fputs", |_, _| Ok(Value::int(1))),
    ("perror", |_, _| Ok(Value::int(0))),
];

/// A conversion that cannot be done here ends the format with this mark's result.
const ODD: Mark = Mark::LEFT_OUT;
/// What a null text prints as.
const NULL_TEXT: &[u8] = b"(null)";
/// Widest field or precision that is followed.
const WIDEST: usize = 1 << 16;

pub(super) fn length(host: &mut Host<'_>, args: &[Value], format: usize) -> Result<Value, Halt> {
    let text = formatted(host, args, format)?;
    Ok(Value::int(text.len() as i32))
}

fn bounded(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let room = arg(args, 1).get()?;
    to_memory(host, args, 2, room)
}

pub(super) fn to_memory(
    host: &mut Host<'_>,
    args: &[Value],
    format: usize,
    room: u64,
) -> Result<Value, Halt> {
    let to = arg(args, 0);
    match formatted(host, args, format) {
        Ok(mut text) => {
            let len = text.len() as i32;
            if room > 0 {
                text.truncate(usize::try_from(room - 1).unwrap_or(usize::MAX));
                text.push(0);
                host.write(to, &text);
            }
            Ok(Value::int(len))
        }
        Err(mark) => {
            host.store_somewhere(Value::somewhere_in(to.bits, mark));
            Err(Halt::Unknown(mark))
        }
    }
}

/// Into memory made for it, whose address is stored.
pub(super) fn to_new(host: &mut Host<'_>, args: &[Value], format: usize) -> Result<Value, Halt> {
    let place = arg(args, 0);
    let text = formatted(host, args, format);
    let text = text.inspect_err(|mark| host.store(place, 8, Value::unknown(*mark)))?;
    let new = host.new_text(&text)?;
    host.store(place, 8, Value::known(new));
    Ok(Value::int(text.len() as i32))
}

/// A conversion of the format.
#[derive(Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    zero: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    size: u32,
    letter: u8,
}

/// The text that a format and its arguments give.
pub(super) fn formatted(
    host: &mut Host<'_>,
    args: &[Value],
    format: usize,
) -> Result<Vec<u8>, Mark> {
    let template = host.text(arg(args, format))?;
    let mut values = args.iter().skip(format + 1).copied();
    let mut text = Vec::new();
    let mut rest = template.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            text.push(byte);
            continue;
        }
        let spec = Spec::read(&mut rest, &mut values)?;
        if spec.letter == b'%' {
            text.push(b'%');
            continue;
        }
        let value = values.next().ok_or(ODD)?;
        let field = spec.field(host, value)?;
        spec.pad(&mut text, field);
    }
    Ok(text)
}

/// What a format takes, in order: bytes of whole numbers and addresses, 0 for a floating-point number. It ends at a
/// conversion that cannot be done here.
pub(super) fn kinds(template: &[u8]) -> Vec<usize> {
    let mut kinds = Vec::new();
    let mut rest = template.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        let mut stars = 0;
        let mut any = std::iter::from_fn(|| {
            stars += 1;
            Some(Value::int(0))
        });
        let Ok(spec) = Spec::read(&mut rest, &mut any) else {
            break;
        };
        kinds.extend(std::iter::repeat_n(4, stars));
        match spec.letter {
            b'%' => {}
            b's' | b'p' | b'n' => kinds.push(8),
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => kinds.push(0),
            b'c' => kinds.push(4),
            _ => kinds.push(spec.size.max(4) as usize),
        }
    }
    kinds
}

impl Spec {
    fn read(
        rest: &mut std::iter::Peekable<impl Iterator<Item = u8>>,
        values: &mut impl Iterator<Item = Value>,
    ) -> Result<Spec, Mark> {
        let mut spec = Spec {
            size: 4,
            ..Spec::default()
        };
        while let Some(flag) = rest.next_if(|byte| matches!(byte, b'-' | b'+' | b' ' | b'0' | b'#'))
        {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'0' => spec.zero = true,
                _ => spec.alternate = true,
            }
        }
        let width = number(rest, values)?.unwrap_or(0);
        spec.left |= width < 0;
        spec.width = (width.unsigned_abs() as usize).min(WIDEST);
        if rest.next_if_eq(&b'.').is_some() {
            let precision = number(rest, values)?.unwrap_or(0);
            spec.precision = usize::try_from(precision)
                .ok()
                .map(|precision| precision.min(WIDEST));
        }
        while let Some(length) =
            rest.next_if(|byte| matches!(byte, b'h' | b'l' | b'L' | b'q' | b'z' | b'j' | b't'))
        {
            spec.size = match (length, spec.size) {
                (b'h', 2) => 1,
                (b'h', _) => 2,
                (b'L', _) => return Err(ODD),
                _ => 8,
            };
        }
        spec.letter = rest.next().ok_or(ODD)?;
        Ok(spec)
    }

    fn field(&self, host: &mut Host<'_>, value: Value) -> Result<Vec<u8>, Mark> {
        match self.letter {
            b's' => self.text(host, value),
            b'c' => Ok(vec![value.get()? as u8]),
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => Ok(self.whole(value.get()?)),
            b'p' if value.get()? == 0 => Ok(b"(nil)".to_vec()),
            // Addresses differ from run to run.
            b'p' => Err(host.mark(Source::Undefined("an address of the process".to_owned()))),
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => {
                settings::fraction(host, b".")?;
                self.float(value.as_double()?)
            }
            _ => Err(ODD),
        }
    }

    fn text(&self, host: &mut Host<'_>, value: Value) -> Result<Vec<u8>, Mark> {
        if value == Value::known(0) {
            // As glibc has it: cut short only to nothing.
            let fits = self.precision.is_none_or(|most| most >= NULL_TEXT.len());
            return Ok(if fits { NULL_TEXT.to_vec() } else { Vec::new() });
        }
        match self.precision {
            Some(most) => host.memory_text_prefix(value, Value::known(most as u64)),
            None => host.text(value),
        }
    }

    fn whole(&self, bits: u64) -> Vec<u8> {
        let unused = 64 - 8 * self.size.clamp(1, 8);
        let unsigned = (bits << unused) >> unused;
        let signed = ((bits << unused) as i64) >> unused;
        let is_signed = matches!(self.letter, b'd' | b'i');
        let digits = match self.letter {
            b'x' => format!("{unsigned:x}"),
            b'X' => format!("{unsigned:X}"),
            b'o' => format!("{unsigned:o}"),
            b'u' => unsigned.to_string(),
            _ => signed.unsigned_abs().to_string(),
        };
        let mut field = self.sign(is_signed && signed < 0, is_signed);
        match self.letter {
            b'x' if self.alternate && unsigned != 0 => field.push_str("0x"),
            b'X' if self.alternate && unsigned != 0 => field.push_str("0X"),
            _ => {}
        }
        let wanted = match self.precision {
            Some(precision) => precision,
            None if self.zero && !self.left => self.width.saturating_sub(field.len()),
            None => 0,
        };
        field.extend(std::iter::repeat_n(
            '0',
            wanted.saturating_sub(digits.len()),
        ));
        field.push_str(&digits);
        field.into_bytes()
    }

    fn sign(&self, negative: bool, signed: bool) -> String {
        match (negative, self.plus && signed, self.space && signed) {
            (true, _, _) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
        .to_owned()
    }

    fn float(&self, number: f64) -> Result<Vec<u8>, Mark> {
        let precision = self.precision.unwrap_or(6);
        let magnitude = number.abs();
        let digits = match self.letter {
            _ if !number.is_finite() => if number.is_nan() { "nan" } else { "inf" }.to_owned(),
            b'f' | b'F' => format!("{magnitude:.precision$}"),
            b'e' | b'E' => exponential(magnitude, precision),
            _ => general(magnitude, precision.max(1), self.alternate),
        };
        let digits = if self.letter.is_ascii_uppercase() {
            digits.to_uppercase()
        } else {
            digits
        };
        let mut field = self.sign(number.is_sign_negative() && !number.is_nan(), true);
        if self.zero && !self.left && number.is_finite() {
            let missing = self.width.saturating_sub(field.len() + digits.len());
            field.extend(std::iter::repeat_n('0', missing));
        }
        field.push_str(&digits);
        Ok(field.into_bytes())
    }

    fn pad(&self, text: &mut Vec<u8>, field: Vec<u8>) {
        let missing = self.width.saturating_sub(field.len());
        if !self.left {
            text.extend(std::iter::repeat_n(b' ', missing));
        }
        text.extend(field);
        if self.left {
            text.extend(std::iter::repeat_n(b' ', missing));
        }
    }
}

/// A width or precision: digits, or `*` for the next argument.
fn number(
    rest: &mut std::iter::Peekable<impl Iterator<Item = u8>>,
    values: &mut impl Iterator<Item = Value>,
) -> Result<Option<i32>, Mark> {
    if rest.next_if_eq(&b'*').is_some() {
        return Ok(Some(values.next().ok_or(ODD)?.as_int()?));
    }
    let mut number = None;
    while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
        let so_far: i32 = number.unwrap_or(0);
        number = Some(
            so_far
                .saturating_mul(10)
                .saturating_add(i32::from(digit - b'0')),
        );
    }
    Ok(number)
}

/// C writes at least two digits of the exponent, and its sign.
pub(super) fn exponential(magnitude: f64, precision: usize) -> String {
    let text = format!("{magnitude:.precision$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => match exponent.strip_prefix('-') {
            Some(exponent) => format!("{digits}e-{exponent:0>2}"),
            None => format!("{digits}e+{exponent:0>2}"),
        },
        None => text,
    }
}

/// `%g`: the shorter of both forms, without trailing zeros unless asked for.
pub(super) fn general(magnitude: f64, precision: usize, keep_zeros: bool) -> String {
    let text = exponential(magnitude, precision - 1);
    let exponent = text
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse().ok())
        .unwrap_or(0i32);
    let trimmed = |text: &str| match text.contains('.') && !keep_zeros {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent < -4 || exponent >= precision as i32 {
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
        return format!("{}e{exponent}", trimmed(digits));
    }
    let decimals = usize::try_from(precision as i32 - 1 - exponent).unwrap_or(0);
    trimmed(&format!("{magnitude:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(format: &str) -> Spec {
        let mut rest = format.bytes().peekable();
        Spec::read(&mut rest, &mut std::iter::empty()).unwrap()
    }

    fn whole(format: &str, bits: i64) -> String {
        let (spec, mut text) = (spec(format), Vec::new());
        let field = spec.whole(bits as u64);
        spec.pad(&mut text, field);
        String::from_utf8(text).unwrap()
    }

    fn float(format: &str, number: f64) -> String {
        let (spec, mut text) = (spec(format), Vec::new());
        let field = spec.float(number).unwrap();
        spec.pad(&mut text, field);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn whole_numbers_print_as_c_prints_them() {
        assert_eq!(whole("5d", -42), "  -42");
        assert_eq!(whole("-5d", 42), "42   ");
        assert_eq!(whole("05d", -42), "-0042");
        assert_eq!(whole("u", -1), "4294967295");
        assert_eq!(whole("ld", -1), "-1");
        assert_eq!(whole("#x", 255), "0xff");
        assert_eq!(whole(".3d", 7), "007");
        assert_eq!(whole("hhd", 300), "44");
    }

    #[test]
    fn a_format_tells_what_it_takes() {
        assert_eq!(
            kinds(b"%d %% %-*.*f %s %zu %hd %c"),
            [4, 4, 4, 0, 8, 8, 4, 4]
        );
        assert_eq!(kinds(b"%d %Lf %d"), [4]);
    }

    #[test]
    fn floats_print_as_c_prints_them() {
        assert_eq!(float("f", 1.5), "1.500000");
        assert_eq!(float("8.2f", -1.005), "   -1.00");
        assert_eq!(float("e", 12345.678), "1.234568e+04");
        assert_eq!(float("g", 0.0001), "0.0001");
        assert_eq!(float("g", 1e10), "1e+10");
        assert_eq!(float("g", 100000.0), "100000");
        assert_eq!(float(".3g", 1234.0), "1.23e+03");
        assert_eq!(float("f", f64::INFINITY), "inf");
    }
}
