//! `in >> x` and `std::getline`: what is read, and the state that it leaves behind.

use super::ios::{END, FAIL, Ios};
use super::string;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::{Mark, Source};
use crate::machine::value::Value;
use crate::models::files::Reader;
use crate::models::number::{arg, is_space};
use crate::models::scan_float::floating;
use crate::models::scan_input::FromStream;
use crate::models::table::Family;

/// The models of this file.
pub const MODELS: Family = &[
    ("_ZNSirsERi", |host, args| whole(host, args, 4, true)),
    ("_ZNSirsERj", |host, args| whole(host, args, 4, false)),
    ("_ZNSirsERl", |host, args| whole(host, args, 8, true)),
    ("_ZNSirsERm", |host, args| whole(host, args, 8, false)),
    ("_ZNSirsERs", |host, args| whole(host, args, 2, true)),
    ("_ZNSirsERt", |host, args| whole(host, args, 2, false)),
    ("_ZNSirsERx", |host, args| whole(host, args, 8, true)),
    ("_ZNSirsERy", |host, args| whole(host, args, 8, false)),
    ("_ZNSirsERf", |host, args| float(host, args, 4)),
    ("_ZNSirsERd", |host, args| float(host, args, 8)),
    ("_ZNSi10_M_extractIjEERSiRT_", |host, args| {
        whole(host, args, 4, false)
    }),
    ("_ZNSi10_M_extractIlEERSiRT_", |host, args| {
        whole(host, args, 8, true)
    }),
    ("_ZNSi10_M_extractImEERSiRT_", |host, args| {
        whole(host, args, 8, false)
    }),
    ("_ZNSi10_M_extractItEERSiRT_", |host, args| {
        whole(host, args, 2, false)
    }),
    ("_ZNSi10_M_extractIxEERSiRT_", |host, args| {
        whole(host, args, 8, true)
    }),
    ("_ZNSi10_M_extractIyEERSiRT_", |host, args| {
        whole(host, args, 8, false)
    }),
    ("_ZNSi10_M_extractIbEERSiRT_", |host, args| {
        whole(host, args, 1, false)
    }),
    ("_ZNSi10_M_extractIfEERSiRT_", |host, args| {
        float(host, args, 4)
    }),
    ("_ZNSi10_M_extractIdEERSiRT_", |host, args| {
        float(host, args, 8)
    }),
    (
        "_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_",
        character,
    ),
    (
        "_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE",
        word,
    ),
    (
        "_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_",
        line,
    ),
    (
        "_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE",
        |host, args| {
            line(
                host,
                &[arg(args, 0), arg(args, 1), Value::known(b'\n'.into())],
            )
        },
    ),
];

/// Where a call of an input stream stands.
pub enum Begun {
    /// Its state is good: this is read from.
    Ready(Ios),
    /// Its state is bad: nothing is read and nothing stored.
    Failed,
    /// Nothing is known of what would be read.
    Unknown(Mark),
}

/// What every reading call does first.
pub fn begin(host: &mut Host<'_>, stream: Value) -> Result<Begun, Halt> {
    let ios = match Ios::of(host, stream) {
        Ok(ios) => ios,
        Err(mark) => return Ok(Begun::Unknown(mark)),
    };
    match ios.state(host) {
        Ok(0) => {}
        Ok(_) => {
            ios.add(host, FAIL);
            return Ok(Begun::Failed);
        }
        Err(mark) => return Ok(Begun::Unknown(mark)),
    }
    match ios.reader(host) {
        Ok(Some(_)) => Ok(Begun::Ready(ios)),
        Ok(None) => {
            ios.add(host, END | FAIL);
            Ok(Begun::Failed)
        }
        Err(Halt::Unknown(mark)) => {
            ios.lose(host, mark);
            Ok(Begun::Unknown(mark))
        }
        Err(end) => Err(end),
    }
}

/// `std::ws`: (stream). The end that it meets is no failure.
pub fn pass_space(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let stream = arg(args, 0);
    let ios = match begin(host, stream)? {
        Begun::Ready(ios) => ios,
        Begun::Failed | Begun::Unknown(_) => return Ok(stream),
    };
    if let Some(reader) = ios.reader(host)? {
        let before = reader.position();
        let ended = !skip(reader);
        let passed = reader.position().saturating_sub(before);
        host.charge_bytes(passed);
        if ended {
            ios.add(host, END);
        }
    }
    Ok(stream)
}

/// Passes white space. False at the end.
fn skip(reader: &mut Reader) -> bool {
    while let Some(byte) = reader.peek() {
        if !is_space(byte) {
            return true;
        }
        reader.advance();
    }
    false
}

/// A number as far as it goes: sign, digits, and whether the end was met.
fn digits(reader: &mut Reader, base: u32) -> (Option<u128>, bool, bool) {
    let negative = reader.peek() == Some(b'-');
    if matches!(reader.peek(), Some(b'+' | b'-')) {
        reader.advance();
    }
    let mut number = None;
    loop {
        let digit = reader
            .peek()
            .and_then(|byte| char::from(byte).to_digit(base));
        let prefix = base == 16 && number == Some(0) && matches!(reader.peek(), Some(b'x' | b'X'));
        if prefix {
            // Only once: a number that begins anew has no digit yet.
            number = None;
            reader.advance();
            continue;
        }
        let Some(digit) = digit else { break };
        let so_far: u128 = number.unwrap_or(0);
        number = Some(
            so_far
                .saturating_mul(base.into())
                .saturating_add(digit.into()),
        );
        reader.advance();
    }
    (number, negative, reader.peek().is_none())
}

/// (stream, where to): a whole number of so many bytes.
fn whole(host: &mut Host<'_>, args: &[Value], size: usize, signed: bool) -> Result<Value, Halt> {
    let (stream, to) = (arg(args, 0), arg(args, 1));
    let ios = match begin(host, stream)? {
        Begun::Ready(ios) => ios,
        Begun::Failed => return Ok(stream),
        Begun::Unknown(mark) => {
            host.spoil(to, size as u64, mark);
            return Ok(stream);
        }
    };
    let Ok(Some(base)) = ios.base(host) else {
        let mark = host.mark(Source::Unsupported(
            "a number that tells its base itself".to_owned(),
        ));
        ios.lose(host, mark);
        host.spoil(to, size as u64, mark);
        return Ok(stream);
    };
    let Some(reader) = ios.reader(host)? else {
        return Ok(stream);
    };
    if !skip(reader) {
        ios.add(host, END | FAIL);
        return Ok(stream);
    }
    let before = reader.position();
    let (number, negative, ended) = digits(reader, base);
    let passed = reader.position().saturating_sub(before);
    host.charge_bytes(16 * passed);
    let (bits, fits) = fitted(number, negative, size, signed);
    let mut state = if ended { END } else { 0 };
    if !fits {
        state |= FAIL;
    }
    ios.add(host, state);
    store(host, to, size, bits);
    Ok(stream)
}

/// The slice leaves out where to store what nothing reads.
fn store(host: &mut Host<'_>, to: Value, size: usize, bits: u64) {
    if to != Value::known(0) {
        host.store(to, size, Value::known(bits));
    }
}

/// The number cut to what fits, as the library does it, and whether it did fit.
fn fitted(number: Option<u128>, negative: bool, size: usize, signed: bool) -> (u64, bool) {
    let Some(number) = number else {
        return (0, false);
    };
    let bits = if size == 1 { 1 } else { 8 * size as u32 };
    let mask = u64::MAX >> (64 - bits);
    if signed {
        let limit = (1i128 << (bits - 1)) - i128::from(!negative);
        let number = i128::try_from(number).unwrap_or(i128::MAX);
        let cut = number.min(limit);
        let value = if negative { -cut } else { cut };
        return (value as u64 & mask, number <= limit);
    }
    match u64::try_from(number) {
        Ok(number) if number <= mask && negative => (number.wrapping_neg() & mask, true),
        Ok(number) if number <= mask => (number, true),
        _ => (mask, false),
    }
}

/// (stream, where to).
fn float(host: &mut Host<'_>, args: &[Value], size: usize) -> Result<Value, Halt> {
    let (stream, to) = (arg(args, 0), arg(args, 1));
    let ios = match begin(host, stream)? {
        Begun::Ready(ios) => ios,
        Begun::Failed => return Ok(stream),
        Begun::Unknown(mark) => {
            host.spoil(to, size as u64, mark);
            return Ok(stream);
        }
    };
    let Some(reader) = ios.reader(host)? else {
        return Ok(stream);
    };
    if !skip(reader) {
        ios.add(host, END | FAIL);
        return Ok(stream);
    }
    let mut input = FromStream { reader, read: 0 };
    let number = floating(&mut input, usize::MAX);
    let read = input.read as u64;
    let ended = reader_ended(host, ios)?;
    host.charge_bytes(16 * read);
    ios.add(
        host,
        if ended { END } else { 0 } | if number.is_none() { FAIL } else { 0 },
    );
    let bits = match (number, size) {
        (Some(number), 4) => u64::from(number.single.to_bits()),
        (Some(number), _) => number.double.to_bits(),
        (None, _) => 0,
    };
    store(host, to, size, bits);
    Ok(stream)
}

fn reader_ended(host: &mut Host<'_>, ios: Ios) -> Result<bool, Halt> {
    Ok(ios
        .reader(host)?
        .is_none_or(|reader| reader.peek().is_none()))
}

/// (stream, where to): the next character that is no space.
fn character(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (stream, to) = (arg(args, 0), arg(args, 1));
    match begin(host, stream)? {
        Begun::Ready(ios) => {
            let next = ios
                .reader(host)?
                .filter(|_| true)
                .and_then(|reader| skip(reader).then(|| reader.next()).flatten());
            match next {
                Some(byte) => store(host, to, 1, byte.into()),
                None => ios.add(host, END | FAIL),
            }
        }
        Begun::Failed => {}
        Begun::Unknown(mark) => host.spoil(to, 1, mark),
    }
    Ok(stream)
}

/// (stream, string): up to the next space.
fn word(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (stream, to) = (arg(args, 0), arg(args, 1));
    let ios = match begin(host, stream)? {
        Begun::Ready(ios) => ios,
        Begun::Failed => return Ok(stream),
        Begun::Unknown(mark) => {
            string::lose(host, to, mark);
            return Ok(stream);
        }
    };
    let Some(reader) = ios.reader(host)? else {
        return Ok(stream);
    };
    if !skip(reader) {
        ios.add(host, END | FAIL);
        return Ok(stream);
    }
    let mut text = Vec::new();
    while let Some(byte) = reader.peek().filter(|byte| !is_space(*byte)) {
        text.push(byte);
        reader.advance();
    }
    let ended = reader.peek().is_none();
    host.charge_bytes(16 * text.len() as u64);
    ios.add(host, if ended { END } else { 0 });
    string::write(host, to, &text)?;
    Ok(stream)
}

/// (stream, string, end): up to the end, which is passed and left out.
fn line(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (stream, to) = (arg(args, 0), arg(args, 1));
    let ios = match begin(host, stream)? {
        Begun::Ready(ios) => ios,
        Begun::Failed => return Ok(stream),
        Begun::Unknown(mark) => {
            string::lose(host, to, mark);
            return Ok(stream);
        }
    };
    let end = arg(args, 2).get()? as u8;
    let Some(reader) = ios.reader(host)? else {
        return Ok(stream);
    };
    let (mut text, mut state) = (Vec::new(), 0);
    loop {
        match reader.peek() {
            None => {
                state = if text.is_empty() { END | FAIL } else { END };
                break;
            }
            Some(byte) => {
                reader.advance();
                if byte == end {
                    break;
                }
                text.push(byte);
            }
        }
    }
    host.charge_bytes(16 * text.len() as u64);
    ios.add(host, state);
    string::write(host, to, &text)?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use super::fitted;

    #[test]
    fn numbers_are_cut_as_the_library_cuts_them() {
        assert_eq!(fitted(Some(7), true, 4, true), (0xffff_fff9, true));
        assert_eq!(fitted(Some(1 << 31), false, 4, true), (0x7fff_ffff, false));
        assert_eq!(fitted(Some(1 << 31), true, 4, true), (0x8000_0000, true));
        assert_eq!(fitted(Some(1), true, 4, false), (0xffff_ffff, true));
        assert_eq!(fitted(Some(1 << 32), false, 4, false), (0xffff_ffff, false));
        assert_eq!(fitted(None, false, 8, true), (0, false));
        assert_eq!(fitted(Some(2), false, 1, false), (1, false));
        assert_eq!(
            fitted(Some(u128::MAX), false, 8, true),
            (i64::MAX as u64, false)
        );
    }
}
