//! How much dynamic shared memory a launch may have: 48 KiB without asking, more where the program opted in.

use super::failure::{INVALID_VALUE, fail};
use super::{kernel, properties};
use crate::machine::host::{Halt, Host};
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;

/// The models of this file.
pub const MODELS: Family = &[
    ("cudaFuncSetAttribute", set_attribute),
    ("cuFuncSetAttribute", |host, args| {
        // (function, attribute, value), with the runtime's numbers.
        set_attribute(host, args)
    }),
];

/// What a block has without opting in, static memory included.
const WITHOUT_ASKING: u64 = 48 << 10;
/// The most of any device that has MIG.
const MOST: u64 = 227 << 10;
/// The attribute's number: what a block of the device may have at most after opting in.
const OPT_IN: i32 = 97;
/// `cudaFuncAttributeMaxDynamicSharedMemorySize`.
const DYNAMIC: u64 = 8;

fn device_most(host: &Host<'_>) -> u64 {
    properties::attribute(host.device, OPT_IN).map_or(MOST, u64::from)
}

fn static_bytes(host: &Host<'_>, symbol: &str) -> u64 {
    let capability = host.device.compute_capability;
    let known = kernel::known(host, symbol).and_then(|kernel| kernel.on(capability).static_shared);
    known.map_or(0, u64::from)
}

/// The most dynamic shared memory of a launch.
pub fn limit(host: &Host<'_>, symbol: &str) -> u64 {
    let own = host.opted_in.get(symbol).or(host.opted_in.get(""));
    match own {
        Some(Some(bytes)) => *bytes,
        Some(None) => device_most(host),
        None => WITHOUT_ASKING.saturating_sub(static_bytes(host, symbol)),
    }
}

/// (function, attribute, value). A function that is not known may be any.
fn set_attribute(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.notes.cuda_calls += 1;
    let (attribute, value) = (arg(args, 1).get(), arg(args, 2).as_int());
    if attribute.is_ok_and(|attribute| attribute & 0xffff_ffff != DYNAMIC) {
        return Ok(Value::int(0));
    }
    let symbol = kernel::symbol(host, arg(args, 0)).unwrap_or_default();
    let most = device_most(host).saturating_sub(static_bytes(host, &symbol));
    let bytes = value
        .ok()
        .map(|bytes| u64::try_from(bytes).unwrap_or(u64::MAX));
    match bytes {
        Some(bytes) if bytes > most && !symbol.is_empty() && attribute.is_ok() => {
            let why = format!("it fails: a block of the device has {most} bytes at most");
            Ok(fail(host, INVALID_VALUE, "cudaFuncSetAttribute", why))
        }
        _ => {
            let known = bytes.filter(|_| attribute.is_ok());
            host.opted_in.insert(symbol, known);
            Ok(Value::int(0))
        }
    }
}
