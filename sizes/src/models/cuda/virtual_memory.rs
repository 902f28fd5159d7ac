//! The driver's virtual memory: addresses cost nothing; physical memory is charged when it is made, and is alive until
//! it is released and no longer mapped anywhere.

use super::allocate::allocate;
use super::query::success;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::object::Kind;
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;
use std::collections::BTreeMap;

/// The models of this file.
pub const MODELS: Family = &[
    ("cuMemGetAllocationGranularity", granularity),
    ("cuMemAddressReserve", reserve),
    ("cuMemAddressFree", success),
    ("cuMemCreate", create),
    ("cuMemRelease", release),
    ("cuMemRetainAllocationHandle", retain),
    ("cuMemMap", map),
    ("cuMemUnmap", unmap),
    ("cuMemSetAccess", success),
    ("cuMemExportToShareableHandle", super::query::new_handle),
];

/// Smallest and recommended granule of device memory on all devices that have MIG.
const GRANULE: u64 = 2 << 20;
/// CU_MEM_LOCATION_TYPE_DEVICE.
const ON_DEVICE: i32 = 1;
/// CUDA_ERROR_INVALID_VALUE.
const INVALID_VALUE: i32 = 1;

/// Physical memory by handle, and where it is mapped.
#[derive(Debug, Default)]
pub struct Physical {
    users: BTreeMap<u64, u64>,
    mapped: BTreeMap<u64, u64>,
}

impl Physical {
    /// One user fewer; true where it was the last.
    fn leave(&mut self, handle: u64) -> bool {
        let Some(users) = self.users.get_mut(&handle) else {
            return false;
        };
        *users = users.saturating_sub(1);
        *users == 0
    }

    fn join(&mut self, handle: u64) {
        *self.users.entry(handle).or_default() += 1;
    }
}

fn granularity(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.store(arg(args, 0), 8, Value::known(GRANULE));
    success(host, args)
}

/// (out, bytes, alignment, address, flags).
fn reserve(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let bytes = arg(args, 1).get().unwrap_or(0);
    let address = host.memory.add(Kind::Device, bytes, Mark::DEVICE_MEMORY)?;
    host.store(arg(args, 0), 8, Value::known(address));
    success(host, args)
}

/// (out, bytes, properties: kind of the place at 8, flags).
fn create(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (out, bytes) = (arg(args, 0), arg(args, 1));
    let refused = |bytes: u64| bytes == 0 || !bytes.is_multiple_of(GRANULE);
    if bytes.get().is_ok_and(refused) {
        host.notes.cuda_calls += 1;
        return Ok(Value::int(INVALID_VALUE));
    }
    let place = match arg(args, 2).get() {
        Ok(address) => host.memory.load(address.wrapping_add(8), 4),
        Err(mark) => Value::unknown(mark),
    };
    if place.as_int().is_ok_and(|place| place != ON_DEVICE) {
        return super::query::new_handle(host, args);
    }
    if let Err(mark) = place.get() {
        let (at, reason) = (host.place, host.explain(mark));
        let reason = format!("it is taken to be the device: {reason}");
        host.notes.assume(at, "place of cuMemCreate", reason);
    }
    allocate(host, out, bytes, "cuMemCreate", Kind::Device)?;
    if let Ok(address) = out.get() {
        let handle = host.memory.load(address, 8);
        host.physical.join(handle.bits);
    }
    Ok(Value::int(0))
}

fn leave(host: &mut Host<'_>, handle: u64) {
    if host.physical.leave(handle) {
        host.ledger.free(handle);
    }
}

/// What is released without a handle that is known stays alive in the answer.
fn release(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    match arg(args, 0).get() {
        Ok(handle) => leave(host, handle),
        Err(mark) => not_freed(host, "handle of cuMemRelease", mark),
    }
    success(host, args)
}

/// (out, address).
fn retain(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let at = arg(args, 1).get()?;
    let handle = host.physical.mapped.get(&at).copied();
    if let Some(handle) = handle {
        host.physical.join(handle);
        host.store(arg(args, 0), 8, Value::known(handle));
    }
    success(host, args)
}

/// (address, bytes, offset, handle, flags).
fn map(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    match (arg(args, 0).get(), arg(args, 3).get()) {
        (Ok(at), Ok(handle)) => {
            host.physical.join(handle);
            host.physical.mapped.insert(at, handle);
        }
        (Err(mark), _) | (_, Err(mark)) => not_freed(host, "place of cuMemMap", mark),
    }
    success(host, args)
}

/// (address, bytes).
fn unmap(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    match (arg(args, 0).get(), arg(args, 1).get()) {
        (Ok(at), Ok(bytes)) => {
            let within = host.physical.mapped.range(at..at.saturating_add(bytes));
            let gone: Vec<(u64, u64)> = within.map(|(at, handle)| (*at, *handle)).collect();
            for (at, handle) in gone {
                host.physical.mapped.remove(&at);
                leave(host, handle);
            }
        }
        (Err(mark), _) | (_, Err(mark)) => not_freed(host, "place of cuMemUnmap", mark),
    }
    success(host, args)
}

fn not_freed(host: &mut Host<'_>, what: &str, mark: Mark) {
    let (place, reason) = (host.place, host.explain(mark));
    let reason = format!("nothing is taken to be freed: {reason}");
    host.notes.unknown(place, what, reason);
    host.notes.missed_free = true;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_lives_until_its_last_user_leaves() {
        let mut physical = Physical::default();
        physical.join(1);
        physical.join(1);
        assert!(!physical.leave(1));
        assert!(physical.leave(1));
        assert!(!physical.leave(2));
    }
}
