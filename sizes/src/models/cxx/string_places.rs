//! Members of `std::string` that give a place among its characters, or tell of its room: calls only in code without any
//! optimisation. Iterators are plain pointers.

use super::exceptions::thrown_by_model;
use super::text::at;
use crate::machine::host::{Halt, Host};
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;

macro_rules! member {
    ($tail:literal) => {
        concat!(
            "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE",
            $tail
        )
    };
}
macro_rules! reader {
    ($tail:literal) => {
        concat!(
            "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE",
            $tail
        )
    };
}

/// Members that change nothing, and those that give a place in the characters.
pub const MODELS: Family = &[
    (reader!("5beginEv"), first),
    (reader!("6cbeginEv"), first),
    (reader!("7_M_dataEv"), first),
    (reader!("3endEv"), behind),
    (reader!("4cendEv"), behind),
    (reader!("5frontEv"), first),
    (reader!("4backEv"), last),
    (reader!("ixEm"), place),
    (reader!("2atEm"), checked_place),
    (reader!("8capacityEv"), capacity),
    (reader!("8max_sizeEv"), |_, _| Ok(Value::known(MOST))),
    (reader!("13_M_local_dataEv"), local),
    (reader!("11_M_is_localEv"), is_local),
    (reader!("8_M_limitEmm"), limit),
    (reader!("8_M_checkEmPKc"), check),
    (reader!("15_M_check_lengthEmmPKc"), |_, _| {
        Ok(Value::known(0))
    }),
    (reader!("11_M_disjunctEPKc"), is_apart),
    (reader!("16_M_get_allocatorEv"), |_, args| Ok(arg(args, 0))),
    (reader!("13get_allocatorEv"), |_, args| Ok(arg(args, 0))),
    (reader!("cvSt17basic_string_viewIcS2_EEv"), view),
    (member!("5beginEv"), first),
    (member!("3endEv"), behind),
    (member!("5frontEv"), first),
    (member!("4backEv"), last),
    (member!("ixEm"), place),
    (member!("2atEm"), checked_place),
    (member!("13_M_local_dataEv"), local),
    (member!("16_M_get_allocatorEv"), |_, args| Ok(arg(args, 0))),
    (member!("10_S_compareEmm"), compare_lengths),
];

/// What `max_size` gives.
const MOST: u64 = (1 << 62) - 1;

pub(super) fn data(host: &Host<'_>, string: Value) -> Result<Value, Halt> {
    Ok(host.memory.load(string.get()?, 8))
}

pub(super) fn length(host: &Host<'_>, string: Value) -> Result<Value, Halt> {
    Ok(host.memory.load(string.get()?.wrapping_add(8), 8))
}

fn first(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    data(host, arg(args, 0))
}

/// The characters' start, moved on by a number that may be unknown.
pub(super) fn moved(host: &Host<'_>, string: Value, by: Value) -> Result<Value, Halt> {
    let start = data(host, string)?;
    Ok(match by.get() {
        Ok(by) => at(start, by),
        Err(mark) => Value::somewhere_in(start.bits, mark.with(start.mark)),
    })
}

fn behind(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let length = length(host, arg(args, 0))?;
    moved(host, arg(args, 0), length)
}

fn last(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let end = behind(host, args)?;
    Ok(at(end, u64::MAX))
}

fn place(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    moved(host, arg(args, 0), arg(args, 1))
}

fn checked_place(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (length, index) = (length(host, arg(args, 0))?.get()?, arg(args, 1).get()?);
    if index >= length {
        return Err(thrown_by_model(host, "St12out_of_range"));
    }
    place(host, args)
}

fn is_local(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let own = data(host, arg(args, 0))?.get()? == arg(args, 0).get()?.wrapping_add(16);
    Ok(Value::known(u64::from(own)))
}

fn capacity(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    match is_local(host, args)?.bits {
        1 => Ok(Value::known(15)),
        _ => Ok(host.memory.load(arg(args, 0).get()?.wrapping_add(16), 8)),
    }
}

fn local(_: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Ok(at(arg(args, 0), 16))
}

/// (string, position, count): the count, cut to what is there.
fn limit(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let behind = length(host, arg(args, 0))?
        .get()?
        .wrapping_sub(arg(args, 1).get()?);
    Ok(Value::known(arg(args, 2).get()?.min(behind)))
}

/// (string, position, text of the error): the position.
pub(super) fn check(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    if arg(args, 1).get()? > length(host, arg(args, 0))?.get()? {
        return Err(thrown_by_model(host, "St12out_of_range"));
    }
    Ok(arg(args, 1))
}

fn is_apart(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (start, other) = (data(host, arg(args, 0))?.get()?, arg(args, 1).get()?);
    let end = behind(host, args)?.get()?;
    Ok(Value::known(u64::from(other < start || other > end)))
}

/// A view is a length and a pointer.
fn view(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.second_result = Some(data(host, arg(args, 0))?);
    length(host, arg(args, 0))
}

fn compare_lengths(_: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let difference = arg(args, 0).get()?.wrapping_sub(arg(args, 1).get()?) as i64;
    Ok(Value::int(
        difference.clamp(i32::MIN.into(), i32::MAX.into()) as i32,
    ))
}
