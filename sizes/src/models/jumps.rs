//! `setjmp` and its relatives: a first return of 0 is followed, a jump back is not.

use super::table::Family;
use crate::machine::host::{End, Halt, Host};
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("setjmp", set),
    ("_setjmp", set),
    ("__setjmp", set),
    ("sigsetjmp", set),
    ("__sigsetjmp", set),
    ("longjmp", jump),
    ("_longjmp", jump),
    ("__longjmp_chk", jump),
    ("siglongjmp", jump),
];

/// Code outside may jump back here: what follows such a return is not counted.
fn set(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    let reason = "a jump back to this place is not followed; it may lead to more allocations";
    let place = host.place;
    host.notes.unknown(place, "setjmp", reason.to_owned());
    host.notes.missed_allocation = true;
    Ok(Value::int(0))
}

fn jump(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    let reason = "the program jumps back to its setjmp here, which is not followed";
    let place = host.place;
    host.notes.unknown(place, "longjmp", reason.to_owned());
    host.notes.missed_allocation = true;
    Err(Halt::End(End::Stopped {
        what: "longjmp".to_owned(),
        reason: reason.to_owned(),
    }))
}
