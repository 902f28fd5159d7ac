//! scanf and its relatives on streams and texts. Results are gathered first and written after, so that reading
//! borrows nothing of memory but the format.

use super::files::Stream;
use super::number::arg;
use super::scan_format::{Directive, Item, Scanned, directives, scan};
use super::scan_input::{FromStream, FromText};
use super::scan_pass::{length_of_integers, plain_integers};
use super::settings;
use super::stdio::stream;
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::{Mark, Source};
use crate::machine::object::Kind;
use crate::machine::value::Value;
use std::rc::Rc;

/// Most formats that are kept.
const MOST_FORMATS: usize = 64;

/// The models of this file.
pub const MODELS: Family = &[
    ("fscanf", fscanf),
    ("__isoc99_fscanf", fscanf),
    ("__isoc23_fscanf", fscanf),
    ("sscanf", sscanf),
    ("__isoc99_sscanf", sscanf),
    ("__isoc23_sscanf", sscanf),
];

fn fscanf(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    // The stream is asked first: it marks what cannot be known.
    if let Err(halt) = stream(host, arg(args, 0)) {
        return spoil_all(host, args, halt);
    }
    let format = format(host, arg(args, 1))?;
    if let Some(mark) = in_language(host, &format) {
        return spoil_all(host, args, mark.into());
    }
    let handle = arg(args, 0).get()?;
    if let Some(count) = pass_over(host, args, &format, handle) {
        return Ok(Value::int(count));
    }
    let mut scanned = std::mem::take(&mut host.scanned);
    scanned.clear();
    let mut read = 0;
    if let Some(Stream::Reader(reader)) = host.files.get(handle) {
        let mut input = FromStream { reader, read: 0 };
        scan(&mut input, &format, &mut scanned);
        read = input.read;
    } else {
        scanned.ended = true;
    }
    host.charge_bytes(read as u64);
    let count = give(host, args, &scanned);
    host.scanned = scanned;
    Ok(count)
}

/// Numbers that go nowhere are not made: the stream only moves on. Gives their count.
fn pass_over(
    host: &mut Host<'_>,
    args: &[Value],
    format: &[Directive],
    handle: u64,
) -> Option<i32> {
    let mut destinations = args.iter().skip(2);
    if !destinations.all(|pointer| pointer.get().is_ok_and(|address| address == 0)) {
        return None;
    }
    let count = plain_integers(format)?;
    let Some(Stream::Reader(reader)) = host.files.get(handle) else {
        return None;
    };
    let length = length_of_integers(reader.ahead(), count)?;
    reader.pass(length);
    host.charge_bytes(length as u64);
    i32::try_from(count).ok()
}

fn sscanf(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = match host.text(arg(args, 0)) {
        Ok(text) => text,
        Err(mark) => return spoil_all(host, args, Halt::from(mark)),
    };
    let format = format(host, arg(args, 1))?;
    let written = in_language(host, &format).filter(|_| settings::fraction(host, &text).is_err());
    if let Some(mark) = written {
        return spoil_all(host, args, mark.into());
    }
    let mut scanned = Scanned::default();
    let mut input = FromText { text: &text, at: 0 };
    scan(&mut input, &format, &mut scanned);
    Ok(give(host, args, &scanned))
}

/// Why what a format reads hangs on the program's language, if it does.
fn in_language(host: &Host<'_>, format: &[Directive]) -> Option<Mark> {
    let fractions = |part: &Directive| matches!(part, Directive::Convert(one) if one.is_float());
    host.language.filter(|_| format.iter().any(fractions))
}

/// A format taken apart; one that is never written is taken apart once.
fn format(host: &mut Host<'_>, format: Value) -> Result<Rc<[Directive]>, Halt> {
    let address = format.get()?;
    if let Some((_, known)) = host.formats.iter().find(|(known, _)| *known == address) {
        return Ok(Rc::clone(known));
    }
    let parts: Rc<[Directive]> = directives(host.memory.text(address)?).into();
    let kind = host.memory.kind(address);
    if kind.is_some_and(|(kind, _)| kind == Kind::Constant) && host.formats.len() < MOST_FORMATS {
        host.formats.push((address, Rc::clone(&parts)));
    }
    Ok(parts)
}

/// The input is not known: neither is anything that the call would have written.
fn spoil_all(host: &mut Host<'_>, args: &[Value], halt: Halt) -> Result<Value, Halt> {
    if let Halt::Unknown(mark) = halt {
        for pointer in args.iter().skip(2) {
            // How much each conversion writes is not looked up: 8 bytes cover every scalar.
            host.spoil(*pointer, 8, mark);
        }
    }
    Err(halt)
}

/// Writes the results through the pointers and gives the count, or -1 at the end of input.
fn give(host: &mut Host<'_>, args: &[Value], scanned: &Scanned) -> Value {
    for (pointer, item) in args.iter().skip(2).zip(&scanned.items) {
        // The slice leaves out destinations that nothing kept reads: only the stream moves on.
        if pointer.get().is_ok_and(|address| address == 0) {
            continue;
        }
        match item {
            Item::Scalar(bits, size) => host.store(*pointer, *size, Value::known(*bits)),
            Item::Bytes(bytes) => host.write(*pointer, bytes),
            Item::LongDouble => {
                let mark = host.mark(Source::Unsupported("a long double".to_owned()));
                host.spoil(*pointer, 16, mark);
            }
        }
    }
    let count = if scanned.ended && scanned.converted == 0 {
        -1
    } else {
        scanned.converted
    };
    Value::int(count)
}
