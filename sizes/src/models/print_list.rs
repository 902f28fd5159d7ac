//! vprintf and its relatives: as printf, with the arguments in a `va_list` of the x86-64 ABI.

use super::number::arg;
use super::print::{kinds, length, to_memory, to_new};
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("vprintf", |host, args| only_length(host, args, 0)),
    ("__vprintf_chk", |host, args| only_length(host, args, 1)),
    ("vfprintf", |host, args| only_length(host, args, 1)),
    ("__vfprintf_chk", |host, args| only_length(host, args, 2)),
    ("vsprintf", |host, args| into(host, args, 1, u64::MAX)),
    ("__vsprintf_chk", |host, args| into(host, args, 3, u64::MAX)),
    ("vsnprintf", |host, args| bounded(host, args, 2)),
    ("__vsnprintf_chk", |host, args| bounded(host, args, 4)),
    ("vasprintf", |host, args| new(host, args, 1)),
    ("__vasprintf_chk", |host, args| new(host, args, 2)),
];

/// Offset at which the saved registers for whole numbers end, and at which those for floating-point numbers do.
const ENDS: [u64; 2] = [48, 176];

fn bounded(host: &mut Host<'_>, args: &[Value], format: usize) -> Result<Value, Halt> {
    let room = arg(args, 1).get()?;
    into(host, args, format, room)
}

fn into(host: &mut Host<'_>, args: &[Value], format: usize, room: u64) -> Result<Value, Halt> {
    let args = listed(host, args, format);
    to_memory(host, &args, format, room)
}

fn only_length(host: &mut Host<'_>, args: &[Value], format: usize) -> Result<Value, Halt> {
    let args = listed(host, args, format);
    length(host, &args, format)
}

fn new(host: &mut Host<'_>, args: &[Value], format: usize) -> Result<Value, Halt> {
    let args = listed(host, args, format);
    to_new(host, &args, format)
}

/// The arguments with those of the list in its place, which stands behind the format.
fn listed(host: &mut Host<'_>, args: &[Value], format: usize) -> Vec<Value> {
    let mut all: Vec<Value> = args.iter().take(format + 1).copied().collect();
    let Ok(template) = host.text(arg(args, format)) else {
        return all;
    };
    let wanted = kinds(&template);
    match List::read(host, arg(args, format + 1)) {
        Ok(mut list) => all.extend(wanted.into_iter().map(|kind| list.next(host, kind))),
        Err(mark) => all.extend(wanted.iter().map(|_| Value::unknown(mark))),
    }
    all
}

/// A `va_list`.
struct List {
    /// Offsets of the next argument among the saved registers: whole and floating-point numbers.
    offsets: [u64; 2],
    saved: u64,
    stack: u64,
}

impl List {
    fn read(host: &Host<'_>, at: Value) -> Result<List, Mark> {
        let start = at.get()?;
        let field =
            |offset: u64, size: usize| host.memory.load(start.wrapping_add(offset), size).get();
        Ok(List {
            offsets: [field(0, 4)?, field(4, 4)?],
            saved: field(16, 8)?,
            stack: field(8, 8)?,
        })
    }

    /// The next argument: its bytes, 0 for a floating-point number.
    fn next(&mut self, host: &Host<'_>, bytes: usize) -> Value {
        let (class, room) = if bytes == 0 { (1, 16) } else { (0, 8) };
        let (Some(offset), Some(end)) = (self.offsets.get_mut(class), ENDS.get(class)) else {
            return Value::unknown(Mark::OUTSIDE);
        };
        let place = if *offset + room <= *end {
            *offset += room;
            self.saved.wrapping_add(*offset - room)
        } else {
            self.stack = self.stack.wrapping_add(8);
            self.stack.wrapping_sub(8)
        };
        host.memory.load(place, if bytes == 0 { 8 } else { bytes })
    }
}
