//! string.h and ctype.h: searching, splitting and classes of characters.

use super::number::{arg, is_space};
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("strchr", strchr),
    ("strchrnul", strchrnul),
    ("rawmemchr", strchr),
    ("index", strchr),
    ("strrchr", strrchr),
    ("rindex", strrchr),
    ("strstr", strstr),
    ("strcasestr", strcasestr),
    ("memchr", memchr),
    ("memrchr", memrchr),
    ("strspn", strspn),
    ("strcspn", strcspn),
    ("strpbrk", strpbrk),
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

fn strchrnul(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let c = arg(args, 1).get()? as u8;
    let text = host.text(arg(args, 0))?;
    let index = text.iter().position(|byte| *byte == c);
    Ok(found(arg(args, 0), index.or(Some(text.len()))))
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

fn strcasestr(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = host.text(arg(args, 0))?;
    let part = host.text(arg(args, 1))?;
    if part.is_empty() {
        return Ok(arg(args, 0));
    }
    let mut windows = text.windows(part.len());
    let index = windows.position(|window| window.eq_ignore_ascii_case(&part));
    Ok(found(arg(args, 0), index))
}

fn memrchr(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let c = arg(args, 1).get()? as u8;
    let bytes = host.bytes(arg(args, 0), arg(args, 2).get()?)?;
    let index = bytes.iter().rposition(|byte| *byte == c);
    Ok(found(arg(args, 0), index))
}

/// Length of the start of the text whose bytes are all in (or all not in) the set.
pub fn span(text: &[u8], set: &[u8], inside: bool) -> usize {
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
