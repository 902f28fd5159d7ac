//! Members of `std::string` that erase, insert and replace parts: calls only in code without any optimisation. Iterators are
//! plain pointers.

use super::string_places::{check, data, moved};
use super::string_plain::{NOTHING, bytes, filled};
use super::text::{content, give};
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
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

/// The models of this file.
pub const MODELS: Family = &[
    (
        member!("5eraseEN9__gnu_cxx17__normal_iteratorIPKcS4_EE"),
        erase_one,
    ),
    (
        member!("5eraseEN9__gnu_cxx17__normal_iteratorIPcS4_EE"),
        erase_one,
    ),
    (
        member!("5eraseEN9__gnu_cxx17__normal_iteratorIPKcS4_EES9_"),
        erase_range,
    ),
    (
        member!("5eraseEN9__gnu_cxx17__normal_iteratorIPcS4_EES8_"),
        erase_range,
    ),
    (member!("6insertEmPKc"), |host, args| {
        let new = host.text(arg(args, 2));
        splice(host, arg(args, 0), arg(args, 1), NOTHING, new)
    }),
    (member!("6insertEmPKcm"), |host, args| {
        let new = bytes(host, arg(args, 2), arg(args, 3));
        splice(host, arg(args, 0), arg(args, 1), NOTHING, new)
    }),
    (member!("6insertEmRKS4_"), |host, args| {
        let new = content(host, arg(args, 2));
        splice(host, arg(args, 0), arg(args, 1), NOTHING, new)
    }),
    (member!("6insertEmmc"), |host, args| {
        let new = filled(host, arg(args, 2), arg(args, 3));
        splice(host, arg(args, 0), arg(args, 1), NOTHING, new)
    }),
    (
        member!("6insertEN9__gnu_cxx17__normal_iteratorIPKcS4_EEc"),
        insert_one,
    ),
    (
        member!("6insertEN9__gnu_cxx17__normal_iteratorIPcS4_EEc"),
        insert_one,
    ),
    (member!("7replaceEmmPKc"), |host, args| {
        let new = host.text(arg(args, 3));
        splice(host, arg(args, 0), arg(args, 1), arg(args, 2), new)
    }),
    (member!("7replaceEmmRKS4_"), |host, args| {
        let new = content(host, arg(args, 3));
        splice(host, arg(args, 0), arg(args, 1), arg(args, 2), new)
    }),
    (member!("7replaceEmmmc"), |host, args| {
        let new = filled(host, arg(args, 3), arg(args, 4));
        splice(host, arg(args, 0), arg(args, 1), arg(args, 2), new)
    }),
    (
        member!("7replaceEN9__gnu_cxx17__normal_iteratorIPKcS4_EES9_S8_m"),
        replace_range,
    ),
    (
        member!("7replaceEN9__gnu_cxx17__normal_iteratorIPcS4_EES8_PKcm"),
        replace_range,
    ),
    (
        member!("7replaceEN9__gnu_cxx17__normal_iteratorIPKcS4_EES9_RKS4_"),
        replace_range_by_string,
    ),
    (
        member!("7replaceEN9__gnu_cxx17__normal_iteratorIPcS4_EES8_RKS4_"),
        replace_range_by_string,
    ),
];

/// Puts `new` in the place of `count` characters from `position` on.
pub(super) fn splice(
    host: &mut Host<'_>,
    string: Value,
    position: Value,
    count: Value,
    new: Result<Vec<u8>, Mark>,
) -> Result<Value, Halt> {
    check(host, &[string, position])?;
    let whole = content(host, string).and_then(|mut text| {
        let start = (position.get()? as usize).min(text.len());
        let most = (text.len() - start) as u64;
        let end = start + count.get()?.min(most) as usize;
        text.splice(start..end, new?);
        Ok(text)
    });
    give(host, string, whole)
}

/// How far an iterator stands from the start.
fn distance(host: &Host<'_>, string: Value, iterator: Value) -> Result<Value, Halt> {
    let start = data(host, string)?.get()?;
    Ok(Value::known(iterator.get()?.wrapping_sub(start)))
}

/// (string, iterator): an iterator behind what was erased.
fn erase_one(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let position = distance(host, arg(args, 0), arg(args, 1))?;
    splice(
        host,
        arg(args, 0),
        position,
        Value::known(1),
        Ok(Vec::new()),
    )?;
    moved(host, arg(args, 0), position)
}

fn erase_range(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (from, to) = (
        distance(host, arg(args, 0), arg(args, 1))?,
        distance(host, arg(args, 0), arg(args, 2))?,
    );
    let count = Value::known(to.bits.wrapping_sub(from.bits));
    splice(host, arg(args, 0), from, count, Ok(Vec::new()))?;
    moved(host, arg(args, 0), from)
}

fn insert_one(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let position = distance(host, arg(args, 0), arg(args, 1))?;
    let new = arg(args, 2).get().map(|byte| vec![byte as u8]);
    splice(host, arg(args, 0), position, NOTHING, new)?;
    moved(host, arg(args, 0), position)
}

/// (string, from, to, characters, how many).
fn replace_range(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let new = bytes(host, arg(args, 3), arg(args, 4));
    replace_between(host, args, new)
}

fn replace_range_by_string(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let new = content(host, arg(args, 3));
    replace_between(host, args, new)
}

fn replace_between(
    host: &mut Host<'_>,
    args: &[Value],
    new: Result<Vec<u8>, Mark>,
) -> Result<Value, Halt> {
    let (from, to) = (
        distance(host, arg(args, 0), arg(args, 1))?,
        distance(host, arg(args, 0), arg(args, 2))?,
    );
    splice(
        host,
        arg(args, 0),
        from,
        Value::known(to.bits.wrapping_sub(from.bits)),
        new,
    )
}
