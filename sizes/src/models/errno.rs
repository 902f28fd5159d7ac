//! `errno`: what the program stores there and what its conversions set. After a call of a library that may set it, it is
//! unknown.

use super::cxx::exceptions;
use super::float_text::Float;
use super::number::Whole;
use super::table::Family;
use super::{ctype, heap, print, print_list, string_members, text, text_search};
use crate::machine::host::{End, Halt, Host};
use crate::machine::mark::{Mark, Source};
use crate::machine::object::Kind;
use crate::machine::step::full;
use crate::machine::value::Value;
use migfit_schema::program::{Callee, Op, Place, SizeProgram};

/// The models of this file.
pub const MODELS: Family = &[(LOCATION, location)];

const LOCATION: &str = "__errno_location";
/// Linux's `ERANGE`.
const ERANGE: u64 = 34;

/// Where `errno` lies, in a program that asks for it.
#[derive(Clone, Copy, Debug)]
pub struct Errno {
    address: u64,
    /// The mark of what a library may have set.
    by_library: Mark,
}

/// Makes `errno`, zero, where the program asks for it.
pub fn start(host: &mut Host<'_>) -> Result<(), End> {
    if !asks(host.program) {
        return Ok(());
    }
    let address = host.memory.add(Kind::Host, 4, Mark::KNOWN).map_err(full)?;
    let what = "errno, which a call of a library may have set".to_owned();
    let by_library = host.marks.of(Source::Undefined(what), Place::default());
    host.errno = Some(Errno {
        address,
        by_library,
    });
    Ok(())
}

fn asks(program: &SizeProgram) -> bool {
    let blocks = program.functions.iter().flat_map(|f| &f.blocks);
    let mut ops = blocks.flat_map(|block| &block.ops);
    ops.any(|instruction| {
        matches!(&instruction.op, Op::Call { callee: Callee::External(name), .. } if name == LOCATION)
    })
}

/// A function outside the program is called: unless it is known to leave `errno` alone, or to set it by its own
/// model, `errno` is unknown from here on.
pub fn before_call(host: &mut Host<'_>, name: &str) {
    if !leaves_alone(name) && !exceptions::follows(name) {
        lose(host);
    }
}

/// Functions that set no `errno` where they succeed, as they do here, or that set it by their own model. Output keeps
/// what was there (glibc saves it around the question whether it writes to a terminal).
fn leaves_alone(name: &str) -> bool {
    const FAMILIES: [Family; 7] = [
        ctype::MODELS,
        heap::MODELS,
        print::MODELS,
        print_list::MODELS,
        string_members::MODELS,
        text::MODELS,
        text_search::MODELS,
    ];
    const OTHERS: [&str; 12] = [
        LOCATION,
        "strcasecmp",
        "strncasecmp",
        "abs",
        "labs",
        "llabs",
        "atexit",
        "__cxa_atexit",
        "__cxa_guard_acquire",
        "__cxa_guard_release",
        "getenv",
        "fflush",
    ];
    let has = |family: &Family| family.iter().any(|(own, _)| *own == name);
    let plain = name.strip_prefix("__isoc23_").unwrap_or(name);
    let converts = plain.starts_with("strto") && !plain.starts_with("strtok");
    // Opening files is the one thing of the C++ library that sets it.
    let of_library = ["_ZNSt", "_ZNKSt", "_ZSt", "_ZNSo", "_ZNSi"];
    let cxx = of_library.iter().any(|start| name.starts_with(start))
        && !name.contains("file")
        && !name.contains("fstream");
    converts || cxx || OTHERS.contains(&name) || FAMILIES.iter().any(has)
}

fn lose(host: &mut Host<'_>) {
    if let Some(errno) = host.errno {
        host.memory.spoil(errno.address, 4, errno.by_library);
    }
}

fn out_of_range(host: &mut Host<'_>) {
    if let Some(errno) = host.errno {
        host.memory.store(errno.address, 4, Value::known(ERANGE));
    }
}

/// A path could not be opened or looked at: the system's reason, where asking gives one.
pub fn after_path(host: &mut Host<'_>, path: &str) {
    if let (Some(errno), Some(code)) = (host.errno, host.files.error_of(path)) {
        let code = Value::known(u64::from(code.unsigned_abs()));
        host.memory.store(errno.address, 4, code);
    }
}

/// A text that is not known was converted.
pub fn after_unknown(host: &mut Host<'_>, mark: Mark) {
    if let Some(errno) = host.errno {
        host.memory.spoil(errno.address, 4, mark);
    }
}

/// A whole number was read; `fits`: it is in the range of the result.
pub fn after_whole(host: &mut Host<'_>, base: i32, fits: bool) {
    if !fits {
        out_of_range(host);
    } else if base != 0 && !(2..=36).contains(&base) {
        lose(host);
    }
}

/// True where a number is in the range of `strtol`.
pub fn fits_signed(number: Whole) -> bool {
    let most = u128::from(i64::MAX.unsigned_abs()) + u128::from(number.negative);
    number.magnitude <= most
}

/// True where a number is in the range of `strtoul`.
pub fn fits_unsigned(number: Whole) -> bool {
    u64::try_from(number.magnitude).is_ok()
}

/// A floating-point number was read from a text: infinite and tiny results may be out of range.
pub fn after_float(host: &mut Host<'_>, text: &[u8], number: &Float) {
    let used = text.get(..number.used).unwrap_or(text);
    let is_zero = number.single == 0.0 && !used.iter().any(|byte| matches!(byte, b'1'..=b'9'));
    if !number.single.is_normal() && !is_zero {
        lose(host);
    }
}

fn location(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    let errno = host.errno.ok_or(Mark::OUTSIDE)?;
    Ok(Value::known(errno.address))
}
