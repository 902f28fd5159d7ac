//! `std::filesystem`: what is at a path, how large it is. Files are looked at, never changed; what a program makes or
//! removes itself is not known afterwards.

use super::exceptions::throw_library;
use super::path;
use super::text::content;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::{Mark, Source};
use crate::machine::value::Value;
use crate::models::files::At;
use crate::models::number::arg;
use crate::models::table::Family;

const ERROR: &str = "NSt10filesystem7__cxx1116filesystem_errorE";

/// The models of this file.
pub const MODELS: Family = &[
    ("_ZNSt10filesystem6statusERKNS_7__cxx114pathE", status),
    (
        "_ZNSt10filesystem6statusERKNS_7__cxx114pathERSt10error_code",
        status_or_code,
    ),
    ("_ZNSt10filesystem9file_sizeERKNS_7__cxx114pathE", size),
    (
        "_ZNSt10filesystem9file_sizeERKNS_7__cxx114pathERSt10error_code",
        size_or_code,
    ),
    (
        "_ZNSt10filesystem18create_directoriesERKNS_7__cxx114pathE",
        is_new,
    ),
    (
        "_ZNSt10filesystem18create_directoriesERKNS_7__cxx114pathERSt10error_code",
        is_new,
    ),
    (
        "_ZNSt10filesystem16create_directoryERKNS_7__cxx114pathE",
        is_new,
    ),
    (
        "_ZNSt10filesystem16create_directoryERKNS_7__cxx114pathERSt10error_code",
        is_new,
    ),
    ("_ZNSt10filesystem12current_pathB5cxx11Ev", |host, args| {
        let folder = host.command.cwd.to_string_lossy().into_owned();
        path::make(host, arg(args, 0), Ok(folder.into_bytes()))
    }),
    (
        "_ZNSt10filesystem8absoluteERKNS_7__cxx114pathE",
        |host, args| {
            let folder = host.command.cwd.clone();
            let text = content(host, arg(args, 1)).map(|text| {
                let whole = folder.join(String::from_utf8_lossy(&text).as_ref());
                whole.to_string_lossy().into_owned().into_bytes()
            });
            path::make(host, arg(args, 0), text)
        },
    ),
    ("_ZNSt3_V215system_categoryEv", category),
    ("_ZNSt3_V216generic_categoryEv", category),
];

/// `std::filesystem::file_type`.
const NOT_FOUND: u64 = 0xff;
const REGULAR: u64 = 1;
const DIRECTORY: u64 = 2;
const OTHER: u64 = 8;
/// Linux's `ENOENT` and `EISDIR`.
const NO_ENTRY: u64 = 2;
const IS_DIRECTORY: u64 = 21;

fn category(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Ok(host.fixed_text(b"\0category of errors")?)
}

fn look(host: &mut Host<'_>, path: Value) -> Result<At, Halt> {
    let text = content(host, path)?;
    let name = String::from_utf8_lossy(&text).into_owned();
    match host.files.look(&name) {
        At::Hidden => {
            let mark = host.mark(Source::File(name));
            Err(Halt::Unknown(mark))
        }
        at => Ok(at),
    }
}

/// The kind in the lowest byte, permissions in the upper half: those are not known.
fn kind_of(host: &mut Host<'_>, at: &At) -> Value {
    let kind = match at {
        At::Missing => return Value::known(NOT_FOUND | 0xffff << 32),
        At::File(_) => REGULAR,
        At::Folder => DIRECTORY,
        At::Other | At::Hidden => OTHER,
    };
    let mark = host.mark(Source::Missing("permissions of a file".to_owned()));
    Value::partly(kind, 0xffff_ffff_0000_0000, mark)
}

fn status(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let at = look(host, arg(args, 0))?;
    Ok(kind_of(host, &at))
}

fn set_code(host: &mut Host<'_>, code: Value, number: u64) -> Result<(), Halt> {
    let category = category(host, &[])?;
    host.store(code, 4, Value::known(number));
    host.store(super::text::at(code, 8), 8, category);
    Ok(())
}

fn lose_code(host: &mut Host<'_>, code: Value, halt: &Halt) {
    if let Halt::Unknown(mark) = halt {
        host.spoil(code, 4, *mark);
    }
}

/// (path, error code).
fn status_or_code(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let at = look(host, arg(args, 0)).inspect_err(|halt| lose_code(host, arg(args, 1), halt))?;
    set_code(
        host,
        arg(args, 1),
        if at == At::Missing { NO_ENTRY } else { 0 },
    )?;
    Ok(kind_of(host, &at))
}

fn size_of(at: &At) -> Result<u64, u64> {
    match at {
        At::File(size) => Ok(*size),
        At::Missing => Err(NO_ENTRY),
        _ => Err(IS_DIRECTORY),
    }
}

fn size(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    match size_of(&look(host, arg(args, 0))?) {
        Ok(size) => Ok(Value::known(size)),
        Err(_) => {
            throw_library(host, ERROR, b"filesystem error: cannot get file size")?;
            Err(Halt::Thrown)
        }
    }
}

fn size_or_code(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let at = look(host, arg(args, 0)).inspect_err(|halt| lose_code(host, arg(args, 1), halt))?;
    let size = size_of(&at);
    set_code(host, arg(args, 1), size.err().unwrap_or(0))?;
    Ok(Value::known(size.unwrap_or(u64::MAX)))
}

/// Whether a folder is made here: it is, where nothing was.
fn is_new(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let at = look(host, arg(args, 0))?;
    if args.len() > 1 {
        set_code(host, arg(args, 1), 0)?;
    }
    let text = content(host, arg(args, 0)).map_err(|mark: Mark| Halt::Unknown(mark))?;
    host.files.note_written(&String::from_utf8_lossy(&text));
    Ok(Value::known(u64::from(at == At::Missing)))
}
