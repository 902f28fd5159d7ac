//! What the system tells of a file without reading it (stat and its relatives), and files mapped into memory.

use super::errno;
use super::files::{About, Stream};
use super::number::arg;
use super::stdio::{handle_of, stream};
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::{Mark, Source};
use crate::machine::object::Kind;
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("stat", |host, args| {
        by_path(host, arg(args, 0), arg(args, 1))
    }),
    ("stat64", |host, args| {
        by_path(host, arg(args, 0), arg(args, 1))
    }),
    ("lstat", |host, args| {
        by_link(host, arg(args, 0), arg(args, 1))
    }),
    ("lstat64", |host, args| {
        by_link(host, arg(args, 0), arg(args, 1))
    }),
    ("__xstat", |host, args| {
        by_path(host, arg(args, 1), arg(args, 2))
    }),
    ("__xstat64", |host, args| {
        by_path(host, arg(args, 1), arg(args, 2))
    }),
    ("__lxstat", |host, args| {
        by_link(host, arg(args, 1), arg(args, 2))
    }),
    ("__lxstat64", |host, args| {
        by_link(host, arg(args, 1), arg(args, 2))
    }),
    ("fstat", |host, args| {
        by_number(host, arg(args, 0), arg(args, 1))
    }),
    ("fstat64", |host, args| {
        by_number(host, arg(args, 0), arg(args, 1))
    }),
    ("__fxstat", |host, args| {
        by_number(host, arg(args, 1), arg(args, 2))
    }),
    ("__fxstat64", |host, args| {
        by_number(host, arg(args, 1), arg(args, 2))
    }),
    ("access", access),
    ("mmap", mmap),
    ("mmap64", mmap),
    ("munmap", |_, _| Ok(Value::int(0))),
];

/// Bytes of `struct stat` (x86-64 Linux).
const STAT: u64 = 144;
/// Offset and size of `st_mode`, and offset of `st_size` (8 bytes).
const MODE: (u64, usize) = (24, 4);
const SIZE: u64 = 48;
/// `MAP_ANONYMOUS`.
const ANONYMOUS: u64 = 0x20;

/// Writes the structure: kind, rights and size are known; owner, times and numbers of the disk are not.
fn fill(host: &mut Host<'_>, to: Value, about: About) {
    let mark = host.mark(Source::File(
        "the owner, times and place of a file".to_owned(),
    ));
    host.spoil(to, STAT, mark);
    if let Ok(base) = to.get() {
        let mode = Value::known(u64::from(about.mode));
        host.memory.store(base.wrapping_add(MODE.0), MODE.1, mode);
        let size = Value::known(about.size);
        host.memory.store(base.wrapping_add(SIZE), 8, size);
    }
}

fn answered(host: &mut Host<'_>, to: Value, about: Option<About>) -> Value {
    match about {
        Some(about) => {
            fill(host, to, about);
            Value::int(0)
        }
        None => Value::int(-1),
    }
}

fn by_path(host: &mut Host<'_>, path: Value, to: Value) -> Result<Value, Halt> {
    named(host, path, to, false)
}

fn by_link(host: &mut Host<'_>, path: Value, to: Value) -> Result<Value, Halt> {
    named(host, path, to, true)
}

fn named(host: &mut Host<'_>, path: Value, to: Value, of_link: bool) -> Result<Value, Halt> {
    let path = String::from_utf8_lossy(&host.text(path)?).into_owned();
    match host.files.about(&path, of_link) {
        Ok(about) => {
            errno::after_path(host, &path);
            Ok(answered(host, to, about))
        }
        Err(name) => {
            let mark = host.mark(Source::File(name));
            host.spoil(to, STAT, mark);
            Err(Halt::Unknown(mark))
        }
    }
}

fn by_number(host: &mut Host<'_>, descriptor: Value, to: Value) -> Result<Value, Halt> {
    let handle = handle_of(host, descriptor)?;
    if handle == Value::known(0) {
        return Ok(Value::int(-1));
    }
    let about = match stream(host, handle) {
        Ok(Stream::Reader(reader)) => reader.about(),
        Ok(_) => None,
        Err(halt) => {
            if let Halt::Unknown(mark) = halt {
                host.spoil(to, STAT, mark);
            }
            return Err(halt);
        }
    };
    if let Some(about) = about {
        return Ok(answered(host, to, Some(about)));
    }
    let mark = host.mark(Source::File("a file that the program writes".to_owned()));
    host.spoil(to, STAT, mark);
    Err(Halt::Unknown(mark))
}

/// Whether a file is there; what this process may do with it is taken from its rights.
fn access(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    const ANY_EXECUTE: u32 = 0o111;
    let path = String::from_utf8_lossy(&host.text(arg(args, 0))?).into_owned();
    let wanted = arg(args, 1).as_int()?;
    let about = host.files.about(&path, false);
    let about = about.map_err(|name| Halt::Unknown(host.mark(Source::File(name))))?;
    let Some(about) = about else {
        errno::after_path(host, &path);
        return Ok(Value::int(-1));
    };
    let refused = wanted & 1 != 0 && about.mode & ANY_EXECUTE == 0;
    Ok(Value::int(if refused { -1 } else { 0 }))
}

/// A mapping is a copy: of a file's bytes, or zeros.
fn mmap(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (len, flags) = (arg(args, 1), arg(args, 3).get()?);
    let failed = Value::known(u64::MAX);
    if len == Value::known(0) {
        return Ok(failed);
    }
    let Ok(bytes) = len.get() else {
        let address = host.memory.add_or_hollow(Kind::Host, 0, len.mark)?;
        return Ok(Value::known(address));
    };
    let address = host.memory.add_or_hollow(Kind::Host, bytes, Mark::KNOWN)?;
    if flags & ANONYMOUS != 0 {
        return Ok(Value::known(address));
    }
    let handle = handle_of(host, arg(args, 4))?;
    if handle == Value::known(0) {
        return Ok(failed);
    }
    let offset = arg(args, 5).get()?;
    let object = host.memory.object(address);
    let is_kept = object.is_some_and(|object| object.rest(0) as u64 >= bytes);
    let read = match stream(host, handle) {
        Ok(Stream::Reader(reader)) if is_kept => Ok(reader.at(offset, bytes)),
        Ok(_) => Ok(Vec::new()),
        Err(Halt::Unknown(mark)) => Err(mark),
        Err(end) => return Err(end),
    };
    match read {
        Ok(read) => host.write(Value::known(address), &read),
        Err(mark) => host.spoil(Value::known(address), bytes, mark),
    }
    Ok(Value::known(address))
}
