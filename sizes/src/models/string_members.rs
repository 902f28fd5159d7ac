//! Members of libstdc++'s `std::string` whose bodies lie in the library: constructors, changes, searches.

use super::cxx::exceptions::thrown_by_model;
use super::number::arg;
use super::string::{Piece, Text, changed, grown, local, new_characters};
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::sign;
use crate::machine::value::Value;
use std::cmp::Ordering;

/// A member of the class, by the end of its name.
macro_rules! member {
    ($end:literal, $model:ident) => {
        (
            concat!(
                "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE",
                $end
            ),
            $model,
        )
    };
}

/// A member that changes nothing.
macro_rules! reader {
    ($end:literal, $model:ident) => {
        (
            concat!(
                "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE",
                $end
            ),
            $model,
        )
    };
}

/// The models of this file.
pub const MODELS: Family = &[
    member!("9_M_createERmm", create),
    member!("9_M_mutateEmmPKcm", mutate),
    member!("9_M_appendEPKcm", append),
    member!("9_M_assignERKS4_", assign),
    member!("10_M_replaceEmmPKcm", replace),
    member!("14_M_replace_auxEmmmc", replace_by_fill),
    member!("8_M_eraseEmm", erase),
    member!("10_M_disposeEv", dispose),
    member!("6appendEPKc", append_text),
    member!("6resizeEmc", resize),
    member!("7reserveEm", reserve),
    member!("9push_backEc", push_back),
    member!("C1ERKS4_", copy_of),
    member!("C2ERKS4_", copy_of),
    member!("C1ERKS4_mm", part_of),
    member!("C2ERKS4_mm", part_of),
    member!("D1Ev", dispose),
    member!("D2Ev", dispose),
    reader!("4findEcm", find_character),
    reader!("4findEPKcmm", find_text),
    reader!("5rfindEcm", find_last_character),
    reader!("7compareEPKc", compare_text),
    reader!("7compareERKS4_", compare),
];

/// What `find` gives for nothing.
const NOWHERE: Value = Value::known(u64::MAX);

fn copied(from: Value, len: Value) -> Result<Piece, Mark> {
    Ok(Piece::Copied {
        from,
        len: len.get()?,
    })
}

fn create(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let wanted = host.memory.load(arg(args, 1).get()?, 8).get()?;
    let capacity = grown(host, wanted, arg(args, 2).get()?)?;
    host.store(arg(args, 1), 8, Value::known(capacity));
    Ok(Value::known(new_characters(host, capacity)?))
}

fn mutate(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    changed(host, args, |host, mut text| {
        let (start, erased) = (arg(args, 1).get()?, arg(args, 2).get()?);
        let piece = match arg(args, 3) {
            // Room only: the caller fills it.
            null if null == Value::known(0) => Piece::Filled {
                byte: Value::known(0),
                len: arg(args, 4).get()?,
            },
            from => copied(from, arg(args, 4))?,
        };
        let wanted = text.len.saturating_add(piece.len()).saturating_sub(erased);
        let capacity = grown(host, wanted, text.capacity)?;
        text.rebuild(host, start, erased, piece, capacity)
    })
}

fn append(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    changed(host, args, |host, mut text| {
        let piece = copied(arg(args, 1), arg(args, 2))?;
        text.splice(host, text.len, 0, piece)
    })
}

fn append_text(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    changed(host, args, |host, mut text| {
        let len = Value::known(host.text(arg(args, 1))?.len() as u64);
        text.splice(host, text.len, 0, copied(arg(args, 1), len)?)
    })
}

fn push_back(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let byte = arg(args, 1);
    changed(host, args, |host, mut text| {
        text.splice(host, text.len, 0, Piece::Filled { byte, len: 1 })
    })
}

fn assign(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    changed(host, args, |host, mut text| {
        let other = Text::read(host, arg(args, 1))?;
        if other.at == text.at {
            return Ok(());
        }
        let piece = copied(Value::known(other.data), Value::known(other.len))?;
        text.splice(host, 0, text.len, piece)
    })
}

fn replace(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    changed(host, args, |host, mut text| {
        let piece = copied(arg(args, 3), arg(args, 4))?;
        text.splice(host, arg(args, 1).get()?, arg(args, 2).get()?, piece)
    })
}

fn replace_by_fill(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    changed(host, args, |host, mut text| {
        let (byte, len) = (arg(args, 4), arg(args, 3).get()?);
        let piece = Piece::Filled { byte, len };
        text.splice(host, arg(args, 1).get()?, arg(args, 2).get()?, piece)
    })
}

fn erase(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    changed(host, args, |host, mut text| {
        let (start, erased) = (arg(args, 1).get()?, arg(args, 2).get()?);
        text.splice(host, start, erased, Piece::NOTHING)
    })
}

pub(super) fn resize(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    changed(host, args, |host, mut text| {
        let (wanted, byte) = (arg(args, 1).get()?, arg(args, 2));
        let len = wanted.saturating_sub(text.len);
        let kept = wanted.min(text.len);
        text.splice(host, kept, text.len, Piece::Filled { byte, len })
    })
}

fn reserve(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    changed(host, args, |host, mut text| {
        let wanted = arg(args, 1).get()?;
        if wanted <= text.capacity {
            return Ok(());
        }
        let capacity = grown(host, wanted, text.capacity)?;
        text.rebuild(host, text.len, 0, Piece::NOTHING, capacity)?;
        text.set_len(host, text.len);
        Ok(())
    })
}

/// What is not known keeps its memory.
fn dispose(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    if let Ok(text) = Text::read(host, arg(args, 0))
        && text.data != local(text.at)
    {
        host.memory.free(text.data);
    }
    Ok(Value::known(0))
}

/// An empty string where there was none.
fn construct(host: &mut Host<'_>, args: &[Value]) {
    let this = arg(args, 0);
    host.store(this, 8, this.moved_to(local(this.bits)));
    let length = this.moved_to(this.bits.wrapping_add(8));
    host.store(length, 8, Value::known(0));
}

fn copy_of(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    construct(host, args);
    assign(host, args)
}

fn part_of(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    construct(host, args);
    changed(host, args, |host, mut text| {
        let other = Text::read(host, arg(args, 1))?;
        let (start, most) = (arg(args, 2).get()?, arg(args, 3).get()?);
        let Some(behind) = other.len.checked_sub(start) else {
            return Err(thrown_by_model(host, "St12out_of_range"));
        };
        let from = Value::known(other.data.wrapping_add(start));
        let piece = copied(from, Value::known(behind.min(most)))?;
        text.splice(host, 0, 0, piece)
    })
}

fn at(index: Option<usize>) -> Value {
    index.map_or(NOWHERE, |index| Value::known(index as u64))
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn find_character(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let bytes = Text::read(host, arg(args, 0))?.bytes(host)?;
    let (byte, from) = (arg(args, 1).get()? as u8, index(arg(args, 2).get()?));
    let behind = bytes.get(from..).unwrap_or_default();
    let found = behind.iter().position(|other| *other == byte);
    Ok(at(found.map(|found| found + from)))
}

fn find_last_character(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let bytes = Text::read(host, arg(args, 0))?.bytes(host)?;
    let (byte, last) = (arg(args, 1).get()? as u8, index(arg(args, 2).get()?));
    let until = bytes.len().min(last.saturating_add(1));
    let before = bytes.get(..until).unwrap_or_default();
    Ok(at(before.iter().rposition(|other| *other == byte)))
}

fn find_text(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let bytes = Text::read(host, arg(args, 0))?.bytes(host)?;
    let wanted = host.bytes(arg(args, 1), arg(args, 3).get()?)?;
    let from = index(arg(args, 2).get()?);
    let Some(behind) = bytes.get(from..) else {
        return Ok(NOWHERE);
    };
    if wanted.is_empty() {
        return Ok(at(Some(from)));
    }
    let found = behind.windows(wanted.len()).position(|part| part == wanted);
    Ok(at(found.map(|found| found + from)))
}

/// Below, at or above zero, as memcmp and then the lengths tell; how far is promised of the lengths alone.
fn ordered(a: &[u8], b: &[u8]) -> Value {
    let difference = a.len() as i64 - b.len() as i64;
    let shorter = a.len().min(b.len());
    match a.iter().take(shorter).cmp(b.iter().take(shorter)) {
        Ordering::Equal => Value::int(difference.clamp(i32::MIN.into(), i32::MAX.into()) as i32),
        other => sign::of(other),
    }
}

fn compare(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let a = Text::read(host, arg(args, 0))?.bytes(host)?;
    let b = Text::read(host, arg(args, 1))?.bytes(host)?;
    Ok(ordered(&a, &b))
}

fn compare_text(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let a = Text::read(host, arg(args, 0))?.bytes(host)?;
    let b = host.text(arg(args, 1))?;
    Ok(ordered(&a, &b))
}
