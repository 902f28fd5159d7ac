//! The call that stands behind the definition of a variable with an assumed value (`crate::assumed`).

use super::number::arg;
use super::table::Family;
use crate::assumed::MODEL;
use crate::machine::host::{Halt, Host};
use crate::machine::value::Value;

/// The model of this file.
pub const MODELS: Family = &[(MODEL, assumed)];

/// (value, assumed bits, number of the assumption): the value where it is known, else the user's.
fn assumed(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let value = arg(args, 0);
    if !value.mark.is_hard() {
        return Ok(value);
    }
    let why = host.explain(value.mark);
    let number = arg(args, 2).bits as usize;
    host.taken_at_word(number, "value", &why);
    Ok(Value::known(arg(args, 1).bits))
}
