//! string.h and ctype.h: searching, splitting and classes of characters.

use super::number::{arg, is_space};
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("strchr", strchr),
    ("index", strchr),
    ("strrchr", strrchr),
    ("rindex", strrchr),
    ("strstr", strstr),
    ("memchr", memchr),
    ("strspn", strspn),
    ("strcspn", strcspn),
    ("strpbrk", strpbrk),
    ("strtok", strtok),
    ("isdigit", |_, args| class(args, |c| c.is_ascii_digit())),
    ("isalpha", |_, args| {
        class(args, |c| c.is_ascii_alphabetic())
    }),
    ("isalnum", |_, args| {
        class(args, |c| c.is_ascii_alphanumeric())
    }),
    ("isspace", |_, args| class(args, is_space)),
    ("isupper", |_, args| class(args, |c| c.is_ascii_uppercase())),
    ("islower", |_, args| class(args, |c| c.is_ascii_lowercase())),
    ("ispunct", |_, args| {
        class(args, |c| c.is_ascii_punctuation())
    }),
    ("isxdigit", |_, args| class(args, |c| c.is_ascii_hexdigit())),
    ("isprint", |_, args| {
        class(args, |c| (b' '..=b'~').contains(&c))
    }),
    ("toupper", |_, args| {
        change(args, |c| c.to_ascii_uppercase())
    }),
    ("tolower", |_, args| {
        change(args, |c| c.to_ascii_lowercase())
    }),
];

fn class(args: &[Value], is: fn(u8) -> bool) -> Result<Value, Halt> {
    let c = u8::try_from(arg(args, 0).as_int()?);
    Ok(Value::int(i32::from(c.is_ok_and(is))))
}

fn change(args: &[Value], to: fn(u8) -> u8) -> Result<Value, Halt> {
    let c = arg(args, 0).as_int()?;
    Ok(Value::int(u8::try_from(c).map_or(c, |c| i32::from(to(c)))))
}

/// The address at an index of a text, or null.
fn found(text: Value, index: Option<usize>) -> Value {
    index.map_or(Value::known(0), |index| {
        Value::known(text.bits.wrapping_add(index as u64))
    })
}

fn strchr(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let c = arg(args, 1).get()? as u8;
    let mut text = host.text(arg(args, 0))?;
    text.push(0);
    Ok(found(arg(args, 0), text.iter().position(|byte| *byte == c)))
}

fn strrchr(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let c = arg(args, 1).get()? as u8;
    let mut text = host.text(arg(args, 0))?;
    text.push(0);
    Ok(found(
        arg(args, 0),
        text.iter().rposition(|byte| *byte == c),
    ))
}

fn strstr(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = host.text(arg(args, 0))?;
    let part = host.text(arg(args, 1))?;
    if part.is_empty() {
        return Ok(arg(args, 0));
    }
    Ok(found(
        arg(args, 0),
        text.windows(part.len()).position(|window| window == part),
    ))
}

fn memchr(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let c = arg(args, 1).get()? as u8;
    let bytes = host.bytes(arg(args, 0), arg(args, 2).get()?)?;
    Ok(found(
        arg(args, 0),
        bytes.iter().position(|byte| *byte == c),
    ))
}

/// Length of the start of the text whose bytes are all in (or all not in) the set.
fn span(text: &[u8], set: &[u8], inside: bool) -> usize {
    text.iter()
        .take_while(|byte| set.contains(byte) == inside)
        .count()
}

fn strspn(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (text, set) = (host.text(arg(args, 0))?, host.text(arg(args, 1))?);
    Ok(Value::known(span(&text, &set, true) as u64))
}

fn strcspn(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (text, set) = (host.text(arg(args, 0))?, host.text(arg(args, 1))?);
    Ok(Value::known(span(&text, &set, false) as u64))
}

fn strpbrk(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (text, set) = (host.text(arg(args, 0))?, host.text(arg(args, 1))?);
    let index = span(&text, &set, false);
    Ok(found(arg(args, 0), (index < text.len()).then_some(index)))
}

fn strtok(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let given = arg(args, 0);
    let start = if given == Value::known(0) {
        host.strtok
    } else {
        given
    };
    host.strtok = start;
    if start == Value::known(0) {
        return Ok(start);
    }
    let (text, set) = (host.text(start)?, host.text(arg(args, 1))?);
    let skipped = span(&text, &set, true);
    let rest = text.get(skipped..).unwrap_or_default();
    if rest.is_empty() {
        host.strtok = Value::known(0);
        return Ok(Value::known(0));
    }
    let len = span(rest, &set, false);
    let token = start.bits.wrapping_add(skipped as u64);
    if len == rest.len() {
        host.strtok = Value::known(0);
    } else {
        host.write(Value::known(token.wrapping_add(len as u64)), &[0]);
        host.strtok = Value::known(token.wrapping_add(len as u64 + 1));
    }
    Ok(Value::known(token))
}
