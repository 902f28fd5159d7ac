//! Limits of a context: the malloc heap and the printf buffer are device memory that the context takes, told as a line
//! of their own and not part of the peak.

use super::properties;
use super::query::success;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Source;
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;

/// The models of this file.
pub const MODELS: Family = &[
    ("cudaDeviceSetLimit", set),
    ("cudaThreadSetLimit", set),
    ("cuCtxSetLimit", set),
    ("cudaDeviceGetLimit", get),
    ("cuCtxGetLimit", get),
];

/// Numbers of the limits that take device memory.
const STACK: i32 = 0;
const PRINTF: i32 = 1;
const HEAP: i32 = 2;

/// What a limit is until a program sets it, by the programming guide; `None`: not known here.
fn usual(limit: i32) -> Option<u64> {
    Some(match limit {
        STACK => 1024,
        PRINTF => 1 << 20,
        HEAP => 8 << 20,
        3 => 2,
        4 => 2048,
        _ => return None,
    })
}

/// Bytes that the context takes beyond what it takes with the usual limits.
pub fn raised(host: &Host<'_>) -> u64 {
    let threads = properties::attribute(host.device, 39).unwrap_or(0);
    let threads = u64::from(threads) * u64::from(host.device.sm_count);
    [(STACK, threads), (PRINTF, 1), (HEAP, 1)]
        .iter()
        .filter_map(|(limit, times)| {
            let more = (*host.limits.get(limit)?)?.saturating_sub(usual(*limit)?);
            Some(more.saturating_mul(*times))
        })
        .fold(0, u64::saturating_add)
}

/// (limit, value).
fn set(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (Ok(limit), value) = (arg(args, 0).as_int(), arg(args, 1)) else {
        return success(host, args);
    };
    match value.get() {
        Ok(bytes) => host.limits.insert(limit, Some(bytes)),
        Err(_) => host.limits.insert(limit, None),
    };
    let what = match limit {
        STACK => "stack of each device thread",
        PRINTF => "printf buffer of the device",
        HEAP => "malloc heap of the device",
        _ => return success(host, args),
    };
    let place = host.place;
    match value.get() {
        Ok(bytes) => {
            let reason = match limit {
                STACK => format!(
                    "it is set to {bytes} bytes: the context takes them for each thread that the device holds at once, beside the peak"
                ),
                _ => format!("it is set to {bytes} bytes, which the context takes beside the peak"),
            };
            host.notes.remark(place, what, reason);
        }
        Err(mark) => {
            let reason = format!(
                "the context takes it beside the peak; how much is not known: {}",
                host.explain(mark)
            );
            host.notes.remark(place, what, reason);
        }
    }
    success(host, args)
}

/// (out, limit).
fn get(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let limit = arg(args, 1).as_int()?;
    let value = match host.limits.get(&limit) {
        Some(set) => *set,
        None => usual(limit),
    };
    let value = match value {
        Some(value) => Value::known(value),
        None => host.unknown(Source::Property(format!("limit number {limit}"))),
    };
    host.store(arg(args, 0), 8, value);
    success(host, args)
}
