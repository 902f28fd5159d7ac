//! getline and getdelim: a whole line, in memory that grows with it.

use super::files::Stream;
use super::heap;
use super::number::arg;
use super::stdio::stream;
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("getline", |host, args| {
        let newline = Value::known(u64::from(b'\n'));
        line(host, [arg(args, 0), arg(args, 1), arg(args, 2)], newline)
    }),
    ("getdelim", getdelim),
    ("__getdelim", getdelim),
];

/// Smallest buffer that glibc takes.
const SMALLEST: u64 = 120;

fn getdelim(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let places = [arg(args, 0), arg(args, 1), arg(args, 3)];
    line(host, places, arg(args, 2))
}

fn line(
    host: &mut Host<'_>,
    [text, room, handle]: [Value; 3],
    delimiter: Value,
) -> Result<Value, Halt> {
    let delimiter = delimiter.as_int().unwrap_or(-1);
    let read = match stream(host, handle) {
        Ok(Stream::Reader(reader)) => reader.until(delimiter as u8),
        Ok(_) => Vec::new(),
        Err(Halt::Unknown(mark)) => return unknown_line(host, text, room, mark),
        Err(end) => return Err(end),
    };
    if read.is_empty() {
        return Ok(Value::known(u64::MAX));
    }
    let needed = read.len() as u64 + 1;
    let buffer = with_room(host, text, room, needed)?;
    let len = read.len() as u64;
    host.write(buffer, &[read, vec![0]].concat());
    Ok(Value::known(len))
}

/// The buffer, made or grown where it has no room for so many bytes, as glibc grows it.
fn with_room(host: &mut Host<'_>, text: Value, room: Value, needed: u64) -> Result<Value, Halt> {
    let old = host.memory.load(text.get()?, 8);
    let has = host.memory.load(room.get()?, 8);
    if old != Value::known(0) && has.get()? >= needed {
        return Ok(old);
    }
    let bytes = match old == Value::known(0) {
        true => needed.max(SMALLEST),
        false => needed.max(2 * has.get()?),
    };
    let new = heap::realloc(host, &[old, Value::known(bytes)])?;
    host.store(text, 8, new);
    host.store(room, 8, Value::known(bytes));
    Ok(new)
}

/// A line that is not known: its text, its room and its length.
fn unknown_line(host: &mut Host<'_>, text: Value, room: Value, mark: Mark) -> Result<Value, Halt> {
    let old = host.memory.load(text.get()?, 8);
    if let Ok(address) = old.get() {
        host.memory.spoil_object(address, mark);
    }
    if old == Value::known(0) {
        host.store(text, 8, Value::unknown(mark));
    }
    host.store(room, 8, Value::unknown(mark));
    Err(Halt::Unknown(mark))
}
