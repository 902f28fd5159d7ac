//! Names of files taken apart (basename, dirname), and the working folder.

use super::heap;
use super::number::arg;
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::value::Value;
use std::os::unix::ffi::OsStrExt;

/// The models of this file.
pub const MODELS: Family = &[
    ("basename", basename),
    ("__xpg_basename", xpg_basename),
    ("dirname", dirname),
    ("getcwd", getcwd),
];

/// Linux's `ERANGE` leaves a null pointer.
const NULL: Value = Value::known(0);

/// GNU's: what follows the last slash, in place; nothing is written.
fn basename(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let path = host.text(arg(args, 0))?;
    let last = path.iter().rposition(|byte| *byte == b'/');
    let start = last.map_or(0, |slash| slash + 1);
    Ok(Value::known(arg(args, 0).bits.wrapping_add(start as u64)))
}

/// The path without slashes at its end; `None` where nothing else is left of it.
fn trimmed(path: &[u8]) -> Option<usize> {
    path.iter()
        .rposition(|byte| *byte != b'/')
        .map(|last| last + 1)
}

/// POSIX's: slashes at the end are cut off first.
fn xpg_basename(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let at = arg(args, 0);
    if at == NULL {
        return Ok(host.fixed_text(b".")?);
    }
    let path = host.text(at)?;
    if path.is_empty() {
        return Ok(host.fixed_text(b".")?);
    }
    let Some(end) = trimmed(&path) else {
        // Slashes alone: the last of them.
        return Ok(Value::known(at.bits.wrapping_add(path.len() as u64 - 1)));
    };
    if end < path.len() {
        host.write(Value::known(at.bits.wrapping_add(end as u64)), &[0]);
    }
    let name = path.get(..end).unwrap_or_default();
    let slash = name.iter().rposition(|byte| *byte == b'/');
    let start = slash.map_or(0, |slash| slash + 1);
    Ok(Value::known(at.bits.wrapping_add(start as u64)))
}

fn dirname(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let at = arg(args, 0);
    let path = match at == NULL {
        true => Vec::new(),
        false => host.text(at)?,
    };
    let Some(end) = trimmed(&path) else {
        return match path.first() {
            None => Ok(host.fixed_text(b".")?),
            Some(_) => Ok(cut(host, at, root(&path))),
        };
    };
    let name = path.get(..end).unwrap_or_default();
    let Some(slash) = name.iter().rposition(|byte| *byte == b'/') else {
        return Ok(host.fixed_text(b".")?);
    };
    let folder = name.get(..slash).unwrap_or_default();
    Ok(match trimmed(folder) {
        Some(end) => cut(host, at, end),
        None => cut(host, at, root(&path)),
    })
}

/// How much of a path that begins with slashes names the root: two alone stay two, as glibc has it.
fn root(path: &[u8]) -> usize {
    let slashes = path.iter().take_while(|byte| **byte == b'/').count();
    if slashes == 2 { 2 } else { 1 }
}

fn cut(host: &mut Host<'_>, at: Value, len: usize) -> Value {
    host.write(Value::known(at.bits.wrapping_add(len as u64)), &[0]);
    at
}

fn getcwd(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (to, room) = (arg(args, 0), arg(args, 1).get()?);
    let Ok(folder) = host.files.cwd().canonicalize() else {
        return Ok(NULL);
    };
    let mut text = folder.as_os_str().as_bytes().to_vec();
    text.push(0);
    let len = text.len() as u64;
    if to == NULL {
        let bytes = if room == 0 { len } else { room };
        if bytes < len {
            return Ok(NULL);
        }
        let new = heap::new_object(
            host,
            Value::known(bytes),
            crate::machine::mark::Mark::UNWRITTEN,
        )?;
        host.write(Value::known(new), &text);
        return Ok(Value::known(new));
    }
    if room < len {
        return Ok(NULL);
    }
    host.write(to, &text);
    Ok(to)
}
