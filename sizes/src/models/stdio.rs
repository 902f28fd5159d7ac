//! stdio.h and the system calls on files, but for formatted input and output.

use super::errno;
use super::files::Stream;
use super::number::arg;
use super::table::Family;
use crate::machine::host::{End, Halt, Host};
use crate::machine::mark::{Mark, Source};
use crate::machine::object::Kind;
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("fopen", fopen),
    ("fopen64", fopen),
    ("fclose", fclose),
    ("fgets", fgets),
    ("fgets_unlocked", fgets),
    ("fgetc", fgetc),
    ("getc", fgetc),
    ("_IO_getc", fgetc),
    ("getc_unlocked", fgetc),
    ("fgetc_unlocked", fgetc),
    ("getchar", getchar),
    ("ungetc", ungetc),
    ("fread", fread),
    ("fread_unlocked", fread),
    ("fseek", fseek),
    ("fseeko", fseek),
    ("fseeko64", fseek),
    ("ftell", ftell),
    ("ftello", ftell),
    ("ftello64", ftell),
    ("rewind", rewind),
    ("feof", feof),
    ("feof_unlocked", feof),
    ("ferror", ferror),
    ("clearerr", rewind_flags),
    ("fflush", zero),
    ("setvbuf", zero),
    ("setbuf", zero),
    ("fwrite", fwrite),
    ("fileno", fileno),
    ("fdopen", fdopen),
    ("open", open),
    ("open64", open),
    ("read", read),
    ("pread", pread),
    ("pread64", pread),
    ("lseek", lseek),
    ("lseek64", lseek),
    ("close", close),
    ("write", write),
    ("remove", change_first),
    ("unlink", change_first),
    ("truncate", change_first),
    ("rename", change_both),
    ("link", change_both),
    ("symlink", change_both),
    ("chdir", enter),
    ("mkdir", zero),
];

const END_OF_FILE: i32 = -1;

fn zero(_: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Ok(Value::int(0))
}

/// The mark of content that is not known.
fn hidden(host: &mut Host<'_>, name: String) -> Mark {
    host.mark(Source::File(name))
}

/// Opens a path; null or a handle.
fn open_path(host: &mut Host<'_>, path: Value, mode: &str) -> Result<Option<u64>, Halt> {
    let path = String::from_utf8_lossy(&host.text(path)?).into_owned();
    match host.files.open(&path, mode) {
        Ok(stream) => {
            let handle = host.memory.add(Kind::Handle, 0, Mark::KNOWN)?;
            host.files.insert(handle, stream);
            Ok(Some(handle))
        }
        Err(reason) => {
            errno::after_path(host, &path);
            host.notes.missing_files.insert(path, reason);
            Ok(None)
        }
    }
}

fn fopen(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let mode = String::from_utf8_lossy(&host.text(arg(args, 1))?).into_owned();
    Ok(Value::known(
        open_path(host, arg(args, 0), &mode)?.unwrap_or(0),
    ))
}

fn fclose(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let handle = arg(args, 0).get()?;
    host.files.close(handle);
    Ok(Value::int(0))
}

/// What happens to a program that reads a file it could not open.
fn not_open(host: &Host<'_>) -> String {
    match host.notes.missing_files.last_key_value() {
        Some((path, reason)) => format!("it reads {path}, which cannot be opened: {reason}"),
        None => "it reads a file that is not open".to_owned(),
    }
}

/// The stream of a call; an error marks what the call would have given.
pub fn stream<'h>(host: &'h mut Host<'_>, handle: Value) -> Result<&'h mut Stream, Halt> {
    let handle = handle.get()?;
    if handle == 0 {
        return Err(Halt::End(End::Died(not_open(host))));
    }
    let name = match host.files.get(handle) {
        Some(Stream::Hidden(name)) => Some(name.clone()),
        Some(_) => None,
        None => Some("a file that is not open".to_owned()),
    };
    if let Some(name) = name {
        return Err(Halt::Unknown(hidden(host, name)));
    }
    host.files.get(handle).ok_or(Halt::Unknown(Mark::OUTSIDE))
}

fn fgets(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (to, most) = (arg(args, 0), arg(args, 1).as_int()?);
    let room = usize::try_from(most).unwrap_or(0).saturating_sub(1);
    let line = match stream(host, arg(args, 2)) {
        Ok(Stream::Reader(reader)) => reader.line(room),
        Ok(_) => Vec::new(),
        Err(halt) => return spoiled(host, to, most.unsigned_abs().into(), halt),
    };
    if line.is_empty() {
        return Ok(Value::known(0));
    }
    let mut text = line;
    text.push(0);
    host.write(to, &text);
    Ok(to)
}

/// Marks a buffer that would have been filled from content that is not known.
fn spoiled(host: &mut Host<'_>, to: Value, len: u64, halt: Halt) -> Result<Value, Halt> {
    if let Halt::Unknown(mark) = halt {
        host.spoil(to, len, mark);
    }
    Err(halt)
}

fn fgetc(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let byte = match stream(host, arg(args, 0))? {
        Stream::Reader(reader) => reader.next(),
        _ => None,
    };
    Ok(Value::int(byte.map_or(END_OF_FILE, i32::from)))
}

fn ungetc(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let handle = arg(args, 1);
    let byte = match arg(args, 0).as_int() {
        Ok(byte) => byte,
        Err(mark) => {
            // Everything behind an unknown byte is read as unknown.
            let name = "a stream that an unknown byte was put back into".to_owned();
            if let Some(stream) = host.files.get(handle.get()?) {
                *stream = Stream::Hidden(name);
            }
            return Err(Halt::Unknown(mark));
        }
    };
    match stream(host, handle)? {
        Stream::Reader(reader) if byte != END_OF_FILE => {
            reader.put_back(byte as u8);
            Ok(Value::int(byte & 0xff))
        }
        _ => Ok(Value::int(END_OF_FILE)),
    }
}

fn fread(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (to, size, count) = (arg(args, 0), arg(args, 1).get()?, arg(args, 2).get()?);
    let wanted = size.saturating_mul(count);
    let bytes = match stream(host, arg(args, 3)) {
        Ok(Stream::Reader(reader)) => reader.take(wanted),
        Ok(_) => Vec::new(),
        Err(halt) => return spoiled(host, to, wanted, halt),
    };
    host.write(to, &bytes);
    Ok(Value::known(
        (bytes.len() as u64).checked_div(size).unwrap_or(0),
    ))
}

/// The position that `whence` and an offset name, if it is in a file that is read.
fn target(host: &mut Host<'_>, handle: Value, by: i64, whence: i32) -> Result<Option<u64>, Halt> {
    let Stream::Reader(reader) = stream(host, handle)? else {
        return Ok(None);
    };
    let from = match whence {
        0 => 0,
        1 => reader.position(),
        _ => reader.size(),
    };
    let to = from.checked_add_signed(by);
    if let Some(to) = to {
        reader.seek(to);
    }
    Ok(to)
}

fn fseek(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (by, whence) = (arg(args, 1).get()? as i64, arg(args, 2).as_int()?);
    target(host, arg(args, 0), by, whence)?;
    Ok(Value::int(0))
}

fn ftell(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    match stream(host, arg(args, 0))? {
        Stream::Reader(reader) => Ok(Value::known(reader.position())),
        // How much was written is not kept.
        _ => Err(Halt::Unknown(hidden(
            host,
            "a file that the program writes".to_owned(),
        ))),
    }
}

fn rewind(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    target(host, arg(args, 0), 0, 0)?;
    Ok(Value::known(0))
}

fn rewind_flags(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    if let Stream::Reader(reader) = stream(host, arg(args, 0))? {
        reader.ended = false;
    }
    Ok(Value::known(0))
}

fn feof(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    match stream(host, arg(args, 0))? {
        Stream::Reader(reader) => Ok(Value::int(i32::from(reader.ended))),
        _ => Ok(Value::int(0)),
    }
}

fn ferror(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    stream(host, arg(args, 0))?;
    Ok(Value::int(0))
}

/// Writing succeeds and goes nowhere.
fn fwrite(_: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Ok(arg(args, 2))
}

fn open(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let flags = arg(args, 1).as_int()?;
    let mode = if flags & 3 == 0 { "r" } else { "w" };
    let handle = open_path(host, arg(args, 0), mode)?;
    Ok(Value::int(
        handle.map_or(-1, |handle| host.files.add_descriptor(handle)),
    ))
}

/// The handle behind a descriptor, 0 where there is none.
pub fn handle_of(host: &Host<'_>, descriptor: Value) -> Result<Value, Halt> {
    Ok(Value::known(
        host.files.handle(descriptor.as_int()?).unwrap_or(0),
    ))
}

fn read(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let handle = handle_of(host, arg(args, 0))?;
    fread(host, &[arg(args, 1), Value::known(1), arg(args, 2), handle])
}

fn pread(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let handle = handle_of(host, arg(args, 0))?;
    let (to, most, offset) = (arg(args, 1), arg(args, 2).get()?, arg(args, 3).get()?);
    let bytes = match stream(host, handle) {
        Ok(Stream::Reader(reader)) => reader.at(offset, most),
        Ok(_) => Vec::new(),
        Err(halt) => return spoiled(host, to, most, halt),
    };
    host.write(to, &bytes);
    Ok(Value::known(bytes.len() as u64))
}

fn fileno(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let handle = arg(args, 0).get()?;
    stream(host, arg(args, 0))?;
    Ok(Value::int(host.files.descriptor_of(handle)))
}

fn fdopen(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    handle_of(host, arg(args, 0))
}

fn getchar(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Err(Halt::Unknown(hidden(host, "standard input".to_owned())))
}

fn lseek(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let handle = handle_of(host, arg(args, 0))?;
    let (by, whence) = (arg(args, 1).get()? as i64, arg(args, 2).as_int()?);
    Ok(Value::known(
        target(host, handle, by, whence)?.unwrap_or(u64::MAX),
    ))
}

fn close(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let closed = host.files.close_descriptor(arg(args, 0).as_int()?);
    Ok(Value::int(if closed { 0 } else { -1 }))
}

fn write(_: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Ok(arg(args, 2))
}

fn path(host: &mut Host<'_>, name: Value) -> Option<String> {
    let name = host.text(name).ok()?;
    String::from_utf8(name).ok()
}

/// A file changes or goes: taken to succeed.
fn change_first(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let name = path(host, arg(args, 0));
    host.files.change(name.as_deref());
    Ok(Value::int(0))
}

fn change_both(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    change_first(host, args)?;
    change_first(host, args.get(1..).unwrap_or_default())
}

fn enter(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let folder = path(host, arg(args, 0));
    match host.files.enter(folder.as_deref()) {
        true => Ok(Value::int(0)),
        false => Ok(host.unknown(Source::File(folder.unwrap_or("a folder".to_owned())))),
    }
}
