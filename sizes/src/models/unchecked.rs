//! Checks that a slice goes past: noted, and an assumption as soon as a CUDA call comes behind one.

use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::value::Value;
use migfit_schema::program::UNCHECKED;

/// The models of this file.
pub const MODELS: Family = &[(UNCHECKED, unchecked)];

fn unchecked(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let on_device = args.first().is_some_and(|value| value.bits & 1 == 1);
    host.ledger.pass_unchecked(host.place, on_device);
    Ok(Value::int(0))
}
