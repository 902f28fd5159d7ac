//! malloc, operator new and their relatives. A request of unknown size succeeds, with an object without bytes.

use super::number::arg;
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::memory::Full;
use crate::machine::object::Kind;
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("malloc", malloc),
    ("valloc", valloc),
    ("_Znwm", malloc),
    ("_Znam", malloc),
    ("_ZnwmRKSt9nothrow_t", malloc),
    ("_ZnamRKSt9nothrow_t", malloc),
    ("_ZnwmSt11align_val_t", aligned_new),
    ("_ZnamSt11align_val_t", aligned_new),
    ("calloc", calloc),
    ("realloc", realloc),
    ("aligned_alloc", aligned_alloc),
    ("memalign", aligned_alloc),
    ("posix_memalign", posix_memalign),
    ("free", free),
    ("_ZdlPv", free),
    ("_ZdaPv", free),
    ("_ZdlPvm", free),
    ("_ZdaPvm", free),
    ("_ZdlPvSt11align_val_t", free),
    ("_ZdaPvSt11align_val_t", free),
    ("_ZdlPvmSt11align_val_t", free),
    ("_ZdaPvmSt11align_val_t", free),
];

/// A new object of a size that may be unknown.
pub fn new_object(host: &mut Host<'_>, size: Value, base: Mark) -> Result<u64, Full> {
    let size = size.get().unwrap_or(0);
    host.memory.add_or_hollow(Kind::Host, size, base)
}

fn malloc(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Ok(Value::known(new_object(
        host,
        arg(args, 0),
        Mark::UNWRITTEN,
    )?))
}

fn calloc(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (count, size) = (arg(args, 0), arg(args, 1));
    let total = Value::made(
        count.bits.saturating_mul(size.bits),
        count.mark.with(size.mark),
    );
    Ok(Value::known(new_object(host, total, Mark::KNOWN)?))
}

/// (alignment, size).
fn aligned_alloc(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    new_aligned(host, arg(args, 1), arg(args, 0))
}

/// (size, alignment).
fn aligned_new(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    new_aligned(host, arg(args, 0), arg(args, 1))
}

fn valloc(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    const PAGE: u64 = 4096;
    new_aligned(host, arg(args, 0), Value::known(PAGE))
}

fn new_aligned(host: &mut Host<'_>, size: Value, align: Value) -> Result<Value, Halt> {
    let address = new_object(host, size, Mark::UNWRITTEN)?;
    if let Ok(align) = align.get() {
        host.memory.set_alignment(address, align);
    }
    Ok(Value::known(address))
}

fn posix_memalign(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let address = new_aligned(host, arg(args, 2), arg(args, 1))?;
    host.store(arg(args, 0), 8, address);
    Ok(Value::int(0))
}

/// Grows or shrinks; contents are kept.
pub fn realloc(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (old, size) = (arg(args, 0), arg(args, 1));
    if old == Value::known(0) {
        return Ok(Value::known(new_object(host, size, Mark::UNWRITTEN)?));
    }
    let (address, bytes) = (old.get()?, size.get()?);
    host.charge_bytes(bytes);
    match host.memory.resize(address, bytes) {
        Ok(true) => Ok(old),
        Ok(false) => Err(Halt::Unknown(Mark::OUTSIDE)),
        Err(Full) => {
            host.memory.free(address);
            Ok(Value::known(new_object(host, size, Mark::UNWRITTEN)?))
        }
    }
}

/// An unknown pointer frees nothing: later uses are then merely kept alive.
fn free(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    if let Ok(address) = arg(args, 0).get()
        && matches!(host.memory.kind(address), Some((Kind::Host, _)))
    {
        host.memory.free(address);
    }
    Ok(Value::known(0))
}
