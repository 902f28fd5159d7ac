//! Members of `std::string` that look at it: find and compare in their forms, and what is inlined but in `-O0` code.

use super::text::{at, content};
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;

macro_rules! member {
    ($tail:literal) => {
        concat!(
            "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE",
            $tail
        )
    };
}

/// The models of this file.
pub const MODELS: Family = &[
    (member!("4findEPKcm"), |host, args| {
        text_with(host, args, find)
    }),
    (member!("4findERKS4_m"), |host, args| {
        string_with(host, args, find)
    }),
    (member!("5rfindEPKcmm"), |host, args| {
        bytes_with(host, args, rfind)
    }),
    (member!("5rfindEPKcm"), |host, args| {
        text_with(host, args, rfind)
    }),
    (member!("13find_first_ofEPKcmm"), |host, args| {
        bytes_with(host, args, first_of)
    }),
    (member!("13find_first_ofEPKcm"), |host, args| {
        text_with(host, args, first_of)
    }),
    (member!("12find_last_ofEPKcmm"), |host, args| {
        bytes_with(host, args, last_of)
    }),
    (member!("12find_last_ofEPKcm"), |host, args| {
        text_with(host, args, last_of)
    }),
    (member!("17find_first_not_ofEPKcmm"), |host, args| {
        bytes_with(host, args, first_not_of)
    }),
    (member!("17find_first_not_ofEPKcm"), |host, args| {
        text_with(host, args, first_not_of)
    }),
    (member!("17find_first_not_ofEcm"), |host, args| {
        one_with(host, args, first_not_of)
    }),
    (member!("16find_last_not_ofEPKcmm"), |host, args| {
        bytes_with(host, args, last_not_of)
    }),
    (member!("16find_last_not_ofEPKcm"), |host, args| {
        text_with(host, args, last_not_of)
    }),
    (member!("16find_last_not_ofEcm"), |host, args| {
        one_with(host, args, last_not_of)
    }),
    (member!("7compareEmmRKS4_"), compare_part),
    (member!("7compareEmmPKc"), compare_part_text),
    (member!("7compareEmmPKcm"), compare_part_bytes),
    (member!("4sizeEv"), length),
    (member!("6lengthEv"), length),
    (member!("5c_strEv"), pointer),
    (member!("4dataEv"), pointer),
    (member!("5emptyEv"), is_empty),
    (member!("4copyEPcmm"), copy),
];

/// Where `wanted` is found in a text, seen from a position.
type Search = fn(&[u8], &[u8], usize) -> Option<usize>;

fn find(text: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    if wanted.is_empty() {
        return Some(from);
    }
    let found = rest
        .windows(wanted.len())
        .position(|window| window == wanted);
    found.map(|found| from + found)
}

fn rfind(text: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    let last = text.len().checked_sub(wanted.len())?.min(from);
    let starts = (0..=last).rev();
    starts.into_iter().find(|start| {
        text.get(*start..)
            .is_some_and(|rest| rest.starts_with(wanted))
    })
}

fn first_of(text: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    let mut numbered = text.iter().enumerate().skip(from);
    numbered
        .find(|(_, byte)| wanted.contains(byte))
        .map(|found| found.0)
}

fn first_not_of(text: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    let mut numbered = text.iter().enumerate().skip(from);
    numbered
        .find(|(_, byte)| !wanted.contains(byte))
        .map(|found| found.0)
}

fn last_of(text: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    let until = text.get(..from.saturating_add(1)).unwrap_or(text);
    until.iter().rposition(|byte| wanted.contains(byte))
}

fn last_not_of(text: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    let until = text.get(..from.saturating_add(1)).unwrap_or(text);
    until.iter().rposition(|byte| !wanted.contains(byte))
}

fn search(
    host: &mut Host<'_>,
    string: Value,
    wanted: Result<Vec<u8>, Mark>,
    from: Value,
    how: Search,
) -> Result<Value, Halt> {
    let text = content(host, string)?;
    let from = usize::try_from(from.get()?).unwrap_or(usize::MAX);
    host.charge_bytes(16 * text.len() as u64);
    let found = how(&text, &wanted?, from);
    Ok(Value::known(found.map_or(u64::MAX, |found| found as u64)))
}

/// (string, characters, position, how many).
fn bytes_with(host: &mut Host<'_>, args: &[Value], how: Search) -> Result<Value, Halt> {
    let count = arg(args, 3).get()?;
    let wanted = host.bytes(arg(args, 1), count);
    search(host, arg(args, 0), wanted, arg(args, 2), how)
}

/// (string, text, position).
fn text_with(host: &mut Host<'_>, args: &[Value], how: Search) -> Result<Value, Halt> {
    let wanted = host.text(arg(args, 1));
    search(host, arg(args, 0), wanted, arg(args, 2), how)
}

/// (string, string, position).
fn string_with(host: &mut Host<'_>, args: &[Value], how: Search) -> Result<Value, Halt> {
    let wanted = content(host, arg(args, 1));
    search(host, arg(args, 0), wanted, arg(args, 2), how)
}

/// (string, character, position).
fn one_with(host: &mut Host<'_>, args: &[Value], how: Search) -> Result<Value, Halt> {
    let wanted = arg(args, 1).get().map(|byte| vec![byte as u8]);
    search(host, arg(args, 0), wanted, arg(args, 2), how)
}

/// As the library compares: the first difference, else the difference of the lengths.
fn order(first: &[u8], second: &[u8]) -> Value {
    let difference = first.iter().zip(second).find(|(a, b)| a != b);
    let order = match difference {
        Some((a, b)) => i64::from(*a) - i64::from(*b),
        None => first.len() as i64 - second.len() as i64,
    };
    Value::int(order.clamp(i32::MIN.into(), i32::MAX.into()) as i32)
}

/// (string, position, count, ...): the part of the first.
fn part(host: &mut Host<'_>, args: &[Value]) -> Result<Vec<u8>, Mark> {
    let (start, count) = (arg(args, 1).get()?, arg(args, 2).get()?);
    let text = content(host, arg(args, 0))?;
    let start = usize::try_from(start).unwrap_or(usize::MAX);
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    Ok(text.into_iter().skip(start).take(count).collect())
}

fn compare_part(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Ok(order(&part(host, args)?, &content(host, arg(args, 3))?))
}

fn compare_part_text(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Ok(order(&part(host, args)?, &host.text(arg(args, 3))?))
}

fn compare_part_bytes(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let count = arg(args, 4).get()?;
    Ok(order(&part(host, args)?, &host.bytes(arg(args, 3), count)?))
}

fn length(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Ok(host.memory.load(at(arg(args, 0), 8).get()?, 8))
}

fn is_empty(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let length = length(host, args)?.get()?;
    Ok(Value::known(u64::from(length == 0)))
}

fn pointer(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Ok(host.memory.load(arg(args, 0).get()?, 8))
}

/// (string, to, count, position): how many were copied.
fn copy(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let part = part(host, &[arg(args, 0), arg(args, 3), arg(args, 2)])?;
    host.write(arg(args, 1), &part);
    Ok(Value::known(part.len() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_agree_with_the_library() {
        let text = b"a=b=c";
        assert_eq!(find(text, b"=", 0), Some(1));
        assert_eq!(find(text, b"=", 2), Some(3));
        assert_eq!(find(text, b"", 5), Some(5));
        assert_eq!(find(text, b"", 6), None);
        assert_eq!(rfind(text, b"=", usize::MAX), Some(3));
        assert_eq!(rfind(text, b"=", 2), Some(1));
        assert_eq!(rfind(b"ab", b"abc", usize::MAX), None);
        assert_eq!(first_of(text, b"cb", 0), Some(2));
        assert_eq!(first_not_of(text, b"a=", 0), Some(2));
        assert_eq!(last_of(text, b"=", usize::MAX), Some(3));
        assert_eq!(last_not_of(text, b"c", usize::MAX), Some(3));
        assert_eq!(last_not_of(b"cc", b"c", usize::MAX), None);
        assert_eq!(last_of(text, b"=", 1), Some(1));
    }

    #[test]
    fn order_is_by_the_first_difference_and_then_by_length() {
        assert_eq!(order(b"abc", b"abd").as_int(), Ok(-1));
        assert_eq!(order(b"ab", b"abd").as_int(), Ok(-1));
        assert_eq!(order(b"", b"").as_int(), Ok(0));
        assert_eq!(order(b"\xff", b"\x01").as_int(), Ok(254));
    }
}
