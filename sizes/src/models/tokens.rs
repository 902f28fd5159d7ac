//! string.h: texts taken apart at delimiters: strtok, strtok_r, strsep.

use super::number::arg;
use super::table::Family;
use super::text_search::span;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("strtok", strtok),
    ("strtok_r", strtok_r),
    ("__strtok_r", strtok_r),
    ("strsep", strsep),
    ("__strsep", strsep),
];

/// Cuts the next token out of the text: the token and where to go on, null at the end.
fn next(host: &mut Host<'_>, start: Value, set: Value) -> Result<(Value, Value), Mark> {
    const NONE: Value = Value::known(0);
    if start == NONE {
        return Ok((NONE, NONE));
    }
    let (text, set) = (host.text(start)?, host.text(set)?);
    let skipped = span(&text, &set, true);
    let rest = text.get(skipped..).unwrap_or_default();
    if rest.is_empty() {
        return Ok((NONE, NONE));
    }
    let len = span(rest, &set, false);
    let token = start.bits.wrapping_add(skipped as u64);
    if len == rest.len() {
        return Ok((Value::known(token), NONE));
    }
    let end = token.wrapping_add(len as u64);
    host.write(Value::known(end), &[0]);
    Ok((Value::known(token), Value::known(end.wrapping_add(1))))
}

fn strtok(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let given = arg(args, 0);
    let start = if given == Value::known(0) {
        host.strtok
    } else {
        given
    };
    let set = arg(args, 1);
    let (token, rest) = next(host, start, set).inspect_err(|mark| {
        host.strtok = Value::unknown(*mark);
    })?;
    host.strtok = rest;
    Ok(token)
}

fn strtok_r(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (given, set, place) = (arg(args, 0), arg(args, 1), arg(args, 2));
    let start = match given == Value::known(0) {
        true => host.memory.load(place.get()?, 8),
        false => given,
    };
    let found = next(host, start, set);
    let (token, rest) = found.inspect_err(|mark| host.store(place, 8, Value::unknown(*mark)))?;
    host.store(place, 8, rest);
    Ok(token)
}

fn strsep(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let place = arg(args, 0);
    let start = host.memory.load(place.get()?, 8);
    if start == Value::known(0) {
        return Ok(start);
    }
    let both = host
        .text(start)
        .and_then(|text| Ok((text, host.text(arg(args, 1))?)));
    let (text, set) = both.inspect_err(|mark| host.store(place, 8, Value::unknown(*mark)))?;
    let len = span(&text, &set, false);
    let rest = if len == text.len() {
        Value::known(0)
    } else {
        let end = start.bits.wrapping_add(len as u64);
        host.write(Value::known(end), &[0]);
        Value::known(end.wrapping_add(1))
    };
    host.store(place, 8, rest);
    Ok(start)
}
