//! Members of `std::string` that change it or make one, beside those of `string_members`: forms that are calls only in
//! code without any optimisation.

use super::exceptions::thrown_by_model;
use super::text::{at, begin, content, give, set, spoil};
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
    (member!("6assignERKS4_"), assign),
    (member!("aSERKS4_"), assign),
    (member!("6assignEPKc"), assign_text),
    (member!("aSEPKc"), assign_text),
    (member!("6appendEPKcm"), append_bytes),
    (member!("pLEPKc"), append_text),
    (member!("6appendERKS4_"), append),
    (member!("pLERKS4_"), append),
    (member!("pLEc"), push_back),
    (member!("7replaceEmmPKcm"), replace),
    (member!("5eraseEmm"), erase_checked),
    (member!("7reserveEv"), |_, _| Ok(Value::known(0))),
    (member!("12_M_constructEmc"), construct),
    (member!("4swapERS4_"), swap),
    (member!("5clearEv"), |host, args| {
        give(host, arg(args, 0), Ok(Vec::new()))
    }),
    (member!("C1Ev"), empty),
    (member!("C2Ev"), empty),
    (member!("C1IS3_EEPKcRKS3_"), from_text),
    (member!("C2IS3_EEPKcRKS3_"), from_text),
    (
        "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6substrEmm",
        substr,
    ),
];

fn assign(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = content(host, arg(args, 1));
    give(host, arg(args, 0), text)
}

fn assign_text(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = host.text(arg(args, 1));
    give(host, arg(args, 0), text)
}

fn appended(
    host: &mut Host<'_>,
    string: Value,
    more: Result<Vec<u8>, Mark>,
) -> Result<Value, Halt> {
    let whole = content(host, string).and_then(|mut text| {
        text.extend(more?);
        Ok(text)
    });
    give(host, string, whole)
}

/// (string, characters, how many).
fn append_bytes(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let more = bytes(host, arg(args, 1), arg(args, 2));
    appended(host, arg(args, 0), more)
}

fn bytes(host: &mut Host<'_>, from: Value, count: Value) -> Result<Vec<u8>, Mark> {
    let count = count.get()?;
    host.bytes(from, count)
}

fn append_text(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let more = host.text(arg(args, 1));
    appended(host, arg(args, 0), more)
}

fn append(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let more = content(host, arg(args, 1));
    appended(host, arg(args, 0), more)
}

fn push_back(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let more = arg(args, 1).get().map(|byte| vec![byte as u8]);
    appended(host, arg(args, 0), more)
}

/// Puts `new` in the place of `count` characters from `position` on.
fn spliced(
    host: &mut Host<'_>,
    string: Value,
    (position, count): (Value, Value),
    new: Result<Vec<u8>, Mark>,
) -> Result<Value, Halt> {
    let whole = content(host, string).and_then(|mut text| {
        let start = position.get()?.min(text.len() as u64) as usize;
        let end = (start as u64)
            .saturating_add(count.get()?)
            .min(text.len() as u64) as usize;
        text.splice(start..end, new?);
        Ok(text)
    });
    give(host, string, whole)
}

/// (string, position, count, characters, how many).
fn replace(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let new = bytes(host, arg(args, 3), arg(args, 4));
    spliced(host, arg(args, 0), (arg(args, 1), arg(args, 2)), new)
}

fn erase(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    spliced(
        host,
        arg(args, 0),
        (arg(args, 1), arg(args, 2)),
        Ok(Vec::new()),
    )
}

fn erase_checked(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    check_position(host, arg(args, 0), arg(args, 1))?;
    erase(host, args)
}

/// The library throws where a position lies behind the end.
fn check_position(host: &mut Host<'_>, string: Value, position: Value) -> Result<(), Halt> {
    let length = host.memory.load(at(string, 8).get()?, 8);
    match (length.get(), position.get()) {
        (Ok(length), Ok(position)) if position > length => {
            Err(thrown_by_model(host, "St12out_of_range"))
        }
        _ => Ok(()),
    }
}

fn repeated(host: &mut Host<'_>, count: Value, byte: Value) -> Result<Result<Vec<u8>, Mark>, Halt> {
    const MOST: u64 = 1 << 24;
    let (Ok(count), Ok(byte)) = (count.get(), byte.get()) else {
        return Ok(Err(count.mark.with(byte.mark)));
    };
    if count > MOST {
        return Ok(Err(Mark::TOO_LARGE));
    }
    host.charge_bytes(count);
    Ok(Ok(vec![byte as u8; count as usize]))
}

/// (string, how many, character).
fn construct(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    begin(host, arg(args, 0));
    let text = repeated(host, arg(args, 1), arg(args, 2))?;
    give(host, arg(args, 0), text)
}

fn swap(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (first, second) = (content(host, arg(args, 0)), content(host, arg(args, 1)));
    give(host, arg(args, 0), second)?;
    give(host, arg(args, 1), first)?;
    Ok(Value::known(0))
}

fn empty(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    begin(host, arg(args, 0));
    Ok(Value::known(0))
}

fn from_text(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    begin(host, arg(args, 0));
    assign_text(host, args)
}

/// (string, other, position, count).
fn part(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    begin(host, arg(args, 0));
    check_position(host, arg(args, 1), arg(args, 2))?;
    let (position, count) = (arg(args, 2), arg(args, 3));
    let text = content(host, arg(args, 1)).and_then(|text| {
        let start = position.get()?.min(text.len() as u64) as usize;
        let count = usize::try_from(count.get()?).unwrap_or(usize::MAX);
        Ok(text.into_iter().skip(start).take(count).collect())
    });
    give(host, arg(args, 0), text)
}

/// (result, string, position, count).
fn substr(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    part(host, args)
}

/// What models of streams write to a string.
pub fn write(host: &mut Host<'_>, string: Value, text: &[u8]) -> Result<(), Halt> {
    set(host, string, text)
}

/// What models of streams make unknown.
pub fn lose(host: &mut Host<'_>, string: Value, mark: Mark) {
    spoil(host, string, mark);
}
