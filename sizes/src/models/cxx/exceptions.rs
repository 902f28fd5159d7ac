//! Exceptions on their way from a throw to a handler. The size program asks behind each call that may throw whether one
//! is on its way (`__migfit_thrown`), and at each landing which type catches it; this file keeps what is asked for.

use super::exception_types::{self, Thrown};
use crate::machine::address::number_of;
use crate::machine::host::{End, Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::value::Value;
use crate::models::heap;
use crate::models::number::arg;
use crate::models::process;
use crate::models::table::Family;
use migfit_schema::program::{Place, UNCHECKED};
use std::collections::BTreeMap;

/// The models of this file.
pub const MODELS: Family = &[
    ("__cxa_allocate_exception", allocate),
    ("__cxa_free_exception", |_, _| Ok(Value::known(0))),
    ("__cxa_throw", throw),
    ("__cxa_rethrow", rethrow),
    ("__migfit_thrown", thrown),
    ("__migfit_landing", landing),
    ("__migfit_type_number", type_number),
    ("__migfit_leaves", |_, _| Ok(Value::known(0))),
    ("__migfit_uncaught", |_, _| process::uncaught()),
    ("_Unwind_Resume", resume),
    ("__cxa_begin_catch", begin_catch),
    ("__cxa_get_exception_ptr", pointer),
    ("__cxa_end_catch", end_catch),
    ("_ZSt18uncaught_exceptionv", uncaught_count),
    ("_ZSt19uncaught_exceptionsv", uncaught_count),
    ("_ZSt17current_exceptionv", current),
    (
        "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE",
        rethrow_kept,
    ),
    ("_ZNSt15__exception_ptr13exception_ptrC1ERKS0_", copy),
    ("_ZNSt15__exception_ptr13exception_ptrC2ERKS0_", copy),
    ("_ZNSt15__exception_ptr13exception_ptraSERKS0_", copy),
    (
        "_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv",
        |_, _| Ok(Value::known(0)),
    ),
    (
        "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv",
        |_, _| Ok(Value::known(0)),
    ),
    ("_ZNSt15__exception_ptr13exception_ptrD1Ev", |_, _| {
        Ok(Value::known(0))
    }),
    ("_ZNSt15__exception_ptr13exception_ptrD2Ev", |_, _| {
        Ok(Value::known(0))
    }),
];

/// The number that a landing gives for `catch (...)`; nothing asks for it.
const ANY: u64 = 0x7fff_ffff;

/// An exception.
#[derive(Clone, Debug)]
pub struct Exception {
    /// Its object.
    object: u64,
    /// The object as its handler sees it: a base within it, or the pointer that was thrown.
    seen: Value,
    /// Its type.
    ty: Thrown,
}

/// All exceptions of an evaluation.
#[derive(Debug, Default)]
pub struct Exceptions {
    /// Thrown, and neither landed nor out of the program.
    on_the_way: Option<Exception>,
    /// Landed where something is cleaned up or caught, the innermost last.
    landed: Vec<Exception>,
    /// Caught by handlers that run, the innermost last.
    caught: Vec<Exception>,
    /// Where the last one was thrown.
    thrown_at: Place,
    /// By object, for those that an `exception_ptr` keeps.
    kept: BTreeMap<u64, Exception>,
}

impl Exceptions {
    /// Whether one is on its way.
    pub fn on_the_way(&self) -> bool {
        self.on_the_way.is_some()
    }
}

/// Whether a function is one by which exceptions are followed: others are not called while one is on its way.
pub fn follows(name: &str) -> bool {
    name.starts_with("__migfit_") || name == "_Unwind_Resume" || name == UNCHECKED
}

/// An exception is on its way into code that does not follow it: a library, or a function that was joined later.
pub fn lost(host: &mut Host<'_>) -> End {
    host.place = host.exceptions.thrown_at;
    End::Stopped {
        what: "exception".to_owned(),
        reason: "an exception is thrown here; its way to a handler is not followed".to_owned(),
    }
}

fn allocate(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let object = heap::new_object(host, arg(args, 0), Mark::UNWRITTEN)?;
    Ok(Value::known(object))
}

/// (object, type, destructor).
fn throw(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let ty = arg(args, 1)
        .get()
        .map_or(Thrown::Unknown, Thrown::Described);
    begin(host, arg(args, 0).bits, ty)
}

/// The library throws one of its own classes, with a text.
pub fn throw_library(host: &mut Host<'_>, class: &'static str, text: &[u8]) -> Result<Value, Halt> {
    let object = exception_types::new_object(host, text)?;
    begin(host, object, Thrown::Library(class))
}

/// A model throws a class of the library, and does no more.
pub fn thrown_by_model(host: &mut Host<'_>, class: &'static str) -> Halt {
    match throw_library(host, class, b"basic_string: a position is out of range") {
        Ok(_) => Halt::Thrown,
        Err(halt) => halt,
    }
}

/// Where nothing of the program's own catches exceptions, a throw ends the process.
fn begin(host: &mut Host<'_>, object: u64, ty: Thrown) -> Result<Value, Halt> {
    if host.program.catches.is_empty() {
        return process::uncaught();
    }
    host.exceptions.thrown_at = host.place;
    host.exceptions.on_the_way = Some(Exception {
        object,
        seen: Value::known(object),
        ty,
    });
    Ok(Value::known(0))
}

fn rethrow(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    match host.exceptions.caught.last().cloned() {
        Some(exception) => host.exceptions.on_the_way = Some(exception),
        None => return process::uncaught(),
    }
    Ok(Value::known(0))
}

fn thrown(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Ok(Value::known(u64::from(host.exceptions.on_the_way())))
}

/// (types that are caught; null: any): the object and, as second result, the type's number.
fn landing(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let Some(mut exception) = host.exceptions.on_the_way.take() else {
        return Err(Halt::End(lost(host)));
    };
    let mut number = 0;
    for wanted in args {
        let wanted = wanted.get()?;
        if wanted == 0 {
            number = ANY;
            break;
        }
        match exception_types::seen_as(host, &exception.ty, exception.object, wanted) {
            Ok(Some(seen)) => {
                exception.seen = seen;
                number = number_of_type(wanted);
                break;
            }
            Ok(None) => {}
            Err(()) => return Err(Halt::End(lost(host))),
        }
    }
    let object = exception.object;
    host.exceptions.landed.push(exception);
    host.second_result = Some(Value::known(number));
    Ok(Value::known(object))
}

fn number_of_type(description: u64) -> u64 {
    number_of(description).map_or(0, |(_, number)| number as u64) & ANY
}

fn type_number(_: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Ok(Value::known(number_of_type(arg(args, 0).get()?)))
}

fn resume(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    host.exceptions.on_the_way = host.exceptions.landed.pop();
    match host.exceptions.on_the_way() {
        true => Ok(Value::known(0)),
        false => process::uncaught(),
    }
}

fn begin_catch(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    let Some(exception) = host.exceptions.landed.pop() else {
        return Err(Halt::End(lost(host)));
    };
    let seen = exception.seen;
    host.exceptions.caught.push(exception);
    Ok(seen)
}

fn pointer(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    match host.exceptions.landed.last() {
        Some(exception) => Ok(exception.seen),
        None => Err(Halt::End(lost(host))),
    }
}

fn end_catch(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    host.exceptions.caught.pop();
    Ok(Value::known(0))
}

fn uncaught_count(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Ok(Value::known(host.exceptions.landed.len() as u64))
}

/// (result): an `exception_ptr`, which is one pointer.
fn current(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let caught = host.exceptions.caught.last().cloned();
    let object = caught.as_ref().map_or(0, |exception| exception.object);
    if let Some(exception) = caught {
        host.exceptions.kept.insert(object, exception);
    }
    host.store(arg(args, 0), 8, Value::known(object));
    Ok(Value::known(0))
}

fn rethrow_kept(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let kept = host.memory.load(arg(args, 0).get()?, 8).get()?;
    match host.exceptions.kept.get(&kept).cloned() {
        Some(exception) => host.exceptions.on_the_way = Some(exception),
        None => return Err(Halt::End(lost(host))),
    }
    Ok(Value::known(0))
}

fn copy(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let from = arg(args, 1).get()?;
    let pointer = host.memory.load(from, 8);
    host.store(arg(args, 0), 8, pointer);
    Ok(arg(args, 0))
}

/// What a function of the library throws, by its name (`std::__throw_out_of_range_fmt`).
pub fn library_throw(host: &mut Host<'_>, name: &str, args: &[Value]) -> Result<Value, Halt> {
    let Some(class) = exception_types::class_of(name) else {
        return match host.program.catches.is_empty() {
            true => process::uncaught(),
            false => Err(Halt::End(lost(host))),
        };
    };
    let text = host.text(arg(args, 0)).unwrap_or_default();
    throw_library(host, class, &text)
}
