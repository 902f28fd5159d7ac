//! string.h: copying, comparing and filling. Searching is in `text_search`.

use super::number::arg;
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::sign;
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("strlen", strlen),
    ("strnlen", strnlen),
    ("strcmp", strcmp),
    ("strcoll", strcmp),
    ("strncmp", strncmp),
    ("strcasecmp", strcasecmp),
    ("strncasecmp", strncasecmp),
    ("memcmp", memcmp),
    ("bcmp", memcmp),
    ("strcpy", strcpy),
    ("__strcpy_chk", strcpy),
    ("stpcpy", stpcpy),
    ("strncpy", strncpy),
    ("__strncpy_chk", strncpy),
    ("strcat", strcat),
    ("__strcat_chk", strcat),
    ("strncat", strncat),
    ("strdup", strdup),
    ("__strdup", strdup),
    ("strndup", strndup),
    ("memcpy", memcpy),
    ("memmove", memcpy),
    ("mempcpy", |host, args| {
        let to = memcpy(host, args)?;
        let len = arg(args, 2);
        Ok(Value::made(
            to.bits.wrapping_add(len.bits),
            to.mark.with(len.mark),
        ))
    }),
    ("__memcpy_chk", memcpy),
    ("__memmove_chk", memcpy),
    ("memset", memset),
    ("__memset_chk", memset),
    ("bzero", bzero),
];

/// How two texts differ, as far as the standard promises it.
fn difference(a: &[u8], b: &[u8]) -> Value {
    sign::of(a.cmp(b))
}

fn strlen(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Ok(Value::known(host.text(arg(args, 0))?.len() as u64))
}

fn strnlen(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let most = arg(args, 1).get()?;
    Ok(Value::known(
        (host.text(arg(args, 0))?.len() as u64).min(most),
    ))
}

fn two_texts(host: &mut Host<'_>, args: &[Value]) -> Result<(Vec<u8>, Vec<u8>), Halt> {
    Ok((host.text(arg(args, 0))?, host.text(arg(args, 1))?))
}

fn strcmp(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (a, b) = two_texts(host, args)?;
    Ok(difference(&a, &b))
}

fn cut(mut text: Vec<u8>, most: u64) -> Vec<u8> {
    text.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    text
}

fn strncmp(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let most = arg(args, 2).get()?;
    let (a, b) = two_texts(host, args)?;
    Ok(difference(&cut(a, most), &cut(b, most)))
}

fn strcasecmp(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (a, b) = two_texts(host, args)?;
    Ok(difference(&a.to_ascii_lowercase(), &b.to_ascii_lowercase()))
}

fn strncasecmp(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let most = arg(args, 2).get()?;
    let (a, b) = two_texts(host, args)?;
    Ok(difference(
        &cut(a, most).to_ascii_lowercase(),
        &cut(b, most).to_ascii_lowercase(),
    ))
}

fn memcmp(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let len = arg(args, 2).get()?;
    let (a, b) = (host.bytes(arg(args, 0), len), host.bytes(arg(args, 1), len));
    match (a, b) {
        (Ok(a), Ok(b)) => Ok(difference(&a, &b)),
        (a, b) => match known_difference(host, (arg(args, 0), arg(args, 1)), len)? {
            Some(found) => Ok(found),
            None => Err(Halt::from(a.and(b).err().unwrap_or(Mark::UNWRITTEN))),
        },
    }
}

/// How bytes differ before the first that is not known: a compiler compares a short text and what nothing wrote behind it
/// with the whole of a longer one.
fn known_difference(
    host: &mut Host<'_>,
    (a, b): (Value, Value),
    len: u64,
) -> Result<Option<Value>, Mark> {
    let (a, b) = (a.get()?, b.get()?);
    for at in 0..len {
        let byte = |start: u64| host.memory.read(start.wrapping_add(at), 1);
        match (byte(a), byte(b)) {
            (Ok(x), Ok(y)) if x == y => {}
            (Ok(x), Ok(y)) => return Ok(Some(difference(x, y))),
            _ => break,
        }
        host.charge_bytes(1);
    }
    Ok(None)
}

/// Writes a text and its zero; where the text is unknown, what it would overwrite becomes unknown.
fn put(host: &mut Host<'_>, to: Value, text: Result<Vec<u8>, Halt>) -> Result<u64, Halt> {
    match text {
        Ok(mut text) => {
            text.push(0);
            host.write(to, &text);
            Ok(text.len() as u64 - 1)
        }
        Err(Halt::Unknown(mark)) => {
            host.store_somewhere(Value::somewhere_in(to.bits, mark));
            Err(Halt::Unknown(mark))
        }
        Err(end) => Err(end),
    }
}

fn strcpy(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = host.text(arg(args, 1)).map_err(Halt::from);
    // The result is the target, known even where its content is not.
    let _len = put(host, arg(args, 0), text);
    Ok(arg(args, 0))
}

fn stpcpy(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = host.text(arg(args, 1)).map_err(Halt::from);
    let len = put(host, arg(args, 0), text)?;
    Ok(Value::made(
        arg(args, 0).bits.wrapping_add(len),
        arg(args, 0).mark,
    ))
}

fn strncpy(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (to, most) = (arg(args, 0), arg(args, 2));
    match (host.memory_text_prefix(arg(args, 1), most), most.get()) {
        (Ok(text), Ok(most)) => {
            host.write(to, &text);
            let rest = Value::made(to.bits.wrapping_add(text.len() as u64), to.mark);
            host.set(
                rest,
                Value::known(0),
                Value::known(most - text.len() as u64),
            );
        }
        (Err(mark), _) | (_, Err(mark)) => {
            host.store_somewhere(Value::somewhere_in(to.bits, mark));
        }
    }
    Ok(to)
}

fn append(host: &mut Host<'_>, args: &[Value], most: u64) -> Result<Value, Halt> {
    let to = arg(args, 0);
    let start = host.text(to)?.len() as u64;
    let text = host
        .text(arg(args, 1))
        .map(|text| cut(text, most))
        .map_err(Halt::from);
    put(
        host,
        Value::made(to.bits.wrapping_add(start), to.mark),
        text,
    )?;
    Ok(to)
}

fn strcat(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    append(host, args, u64::MAX)
}

fn strncat(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let most = arg(args, 2).get()?;
    append(host, args, most)
}

fn strdup(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = host.text(arg(args, 0))?;
    Ok(Value::known(host.new_text(&text)?))
}

fn strndup(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = host.memory_text_prefix(arg(args, 0), arg(args, 1))?;
    Ok(Value::known(host.new_text(&text)?))
}

fn memcpy(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.copy(arg(args, 0), arg(args, 1), arg(args, 2));
    Ok(arg(args, 0))
}

fn memset(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.set(arg(args, 0), arg(args, 1), arg(args, 2));
    Ok(arg(args, 0))
}

fn bzero(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.set(arg(args, 0), Value::known(0), arg(args, 1));
    Ok(Value::known(0))
}
