//! `setjmp` and its relatives: a first return of 0 is followed, a jump back is not. They are opaque to the analyzer, so
//! that they stay in the slice; what is known of them is here.

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

/// True for a function that this file models.
pub fn is_model(name: &str) -> bool {
    MODELS.iter().any(|(known, _)| *known == name)
}

/// Whoever jumps back here is met on the way, or was not looked into, which is told there.
fn set(_: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Ok(Value::int(0))
}

fn jump(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    let reason = "the program jumps back to its setjmp here, which is not followed";
    host.notes.thrown = true;
    Err(Halt::End(End::Stopped {
        what: "longjmp".to_owned(),
        reason: reason.to_owned(),
    }))
}
