//! Allocations and frees. Device memory is an address without bytes; pinned memory is host memory.

use super::failure::{self, INVALID_VALUE, fail};
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::object::Kind;
use crate::machine::value::Value;
use crate::models::heap::new_object;
use crate::models::number::arg;
use crate::models::table::Family;

/// The models of this file.
pub const MODELS: Family = &[
    ("cudaMalloc", |host, args| {
        one(host, args, "cudaMalloc", Kind::Device)
    }),
    ("cudaMallocManaged", |host, args| {
        one(host, args, "cudaMallocManaged", Kind::Managed)
    }),
    ("cudaMallocAsync", |host, args| {
        one(host, args, "cudaMallocAsync", Kind::Device)
    }),
    ("cudaMallocFromPoolAsync", |host, args| {
        one(host, args, "cudaMallocFromPoolAsync", Kind::Device)
    }),
    ("cudaMallocPitch", pitched),
    ("cudaMalloc3D", pitched_3d),
    ("cudaMallocHost", pinned),
    ("cudaHostAlloc", mappable),
    ("cudaFree", free),
    ("cudaFreeAsync", free),
    ("cudaFreeArray", free),
    ("cudaFreeMipmappedArray", free),
    ("cudaIpcCloseMemHandle", super::query::success),
    ("cudaFreeHost", free_pinned),
    ("cudaHostGetDevicePointer", same_pointer),
    ("cudaDeviceReset", reset),
];

/// Alignment of a pitched row on the devices that have MIG.
const PITCH: u64 = 512;
/// Flag of cudaHostAlloc for memory that kernels reach.
const MAPPED: u64 = 2;

const SUCCESS: Result<Value, Halt> = Ok(Value::known(0));

/// Allocates device memory: notes the request, writes the address through `out` and gives the status. A request that
/// the device has no room for changes nothing.
pub fn allocate(
    host: &mut Host<'_>,
    out: Value,
    size: Value,
    api: &'static str,
    kind: Kind,
) -> Result<Value, Halt> {
    host.notes.cuda_calls += 1;
    let place = host.place;
    let size = bounded(host, size, api);
    if size.mark == Mark::ELASTIC {
        let what = format!("size of {api}");
        host.notes.take_what_is_free(place, &what);
    }
    if let Err(mark) = size.get() {
        let reason = host.explain(mark);
        host.notes.unknown(place, &format!("size of {api}"), reason);
        host.notes.missed_allocation = true;
    }
    let bytes = size.get().ok();
    if let Some(status) = failure::lack(host, api, kind, bytes) {
        return Ok(status);
    }
    let address = match (bytes, kind) {
        (Some(0), _) => 0,
        (_, Kind::Managed) => {
            host.memory
                .add_or_hollow(kind, bytes.unwrap_or(0), Mark::UNWRITTEN)?
        }
        _ => host
            .memory
            .add(kind, bytes.unwrap_or(0), Mark::DEVICE_MEMORY)?,
    };
    host.notes.rest_on_unseen();
    if host.notes.are_doubtful() {
        host.ledger.doubt();
    }
    host.ledger.allocate(place, api, address, bytes);
    host.store(out, 8, Value::known(address));
    SUCCESS
}

/// The size, or where it is not known the most that the user says it is.
fn bounded(host: &mut Host<'_>, size: Value, api: &str) -> Value {
    let Some((most, number)) = host.word.bound.take() else {
        return size;
    };
    let known = size.get().ok();
    if let Some(bytes) = known.filter(|bytes| *bytes > most) {
        let reason = format!("it asks for {bytes} bytes, and the user's word is {most} at most");
        let place = host.place;
        host.notes.remark(place, &format!("size of {api}"), reason);
    }
    if size.mark == Mark::KNOWN {
        return size;
    }
    let why = host.explain(size.mark);
    let before = host.notes.assumptions.len();
    host.taken_at_word(
        number,
        &format!("size of {api}, at most {most} bytes"),
        &why,
    );
    host.notes.users_bounds += host.notes.assumptions.len() - before;
    Value::known(known.map_or(most, |bytes| bytes.min(most)))
}

fn one(host: &mut Host<'_>, args: &[Value], api: &'static str, kind: Kind) -> Result<Value, Halt> {
    allocate(host, arg(args, 0), arg(args, 1), api, kind)
}

/// The product of sizes, unknown if one is; saturating.
pub(super) fn product(factors: &[Value]) -> Value {
    factors.iter().fold(Value::known(1), |product, factor| {
        Value::made(
            product.bits.saturating_mul(factor.bits),
            product.mark.with(factor.mark),
        )
    })
}

fn rounded_row(width: Value) -> Value {
    let row = width
        .bits
        .checked_next_multiple_of(PITCH)
        .unwrap_or(u64::MAX);
    Value::made(row, width.mark)
}

/// (out, pitch, width in bytes, height).
fn pitched(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    pitched_as(host, args, "cudaMallocPitch")
}

/// The same under the name of a call.
pub fn pitched_as(host: &mut Host<'_>, args: &[Value], api: &'static str) -> Result<Value, Halt> {
    let row = rounded_row(arg(args, 2));
    host.store(arg(args, 1), 8, row);
    allocate(
        host,
        arg(args, 0),
        product(&[row, arg(args, 3)]),
        api,
        Kind::Device,
    )
}

/// Three 8-byte words of a structure passed by value: cudaExtent.
pub(super) fn extent(host: &Host<'_>, at: Value) -> [Value; 3] {
    let word = |index: u64| match at.get() {
        Ok(address) => host.memory.load(address.wrapping_add(8 * index), 8),
        Err(mark) => Value::unknown(mark),
    };
    [word(0), word(1), word(2)]
}

/// (cudaPitchedPtr: pointer, pitch, width, height; extent by value).
fn pitched_3d(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let out = arg(args, 0);
    let [width, height, depth] = extent(host, arg(args, 1));
    let row = rounded_row(width);
    let status = allocate(
        host,
        out,
        product(&[row, height, depth]),
        "cudaMalloc3D",
        Kind::Device,
    )?;
    for (index, word) in [row, width, height].into_iter().enumerate() {
        let at = out.moved_to(out.bits.wrapping_add(8 + 8 * index as u64));
        host.store(at, 8, word);
    }
    Ok(status)
}

/// Bytes of an element: the sum of the four bit counts of cudaChannelFormatDesc.
pub(super) fn element(host: &Host<'_>, description: Value) -> Value {
    let Ok(address) = description.get() else {
        return description;
    };
    (0..4).fold(Value::known(0), |sum, index| {
        let bits = host.memory.load(address.wrapping_add(4 * index), 4);
        Value::made(sum.bits + bits.bits / 8, sum.mark.with(bits.mark))
    })
}

/// A missing extent counts as one.
pub(super) fn at_least_one(extent: Value) -> Value {
    extent.moved_to(extent.bits.max(1))
}

pub fn pinned(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.notes.cuda_calls += 1;
    let address = new_object(host, arg(args, 1), Mark::UNWRITTEN)?;
    host.store(arg(args, 0), 8, Value::known(address));
    SUCCESS
}

/// Mapped memory may be written by kernels, as managed memory, but lies on the host and is not charged.
pub fn mappable(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    if arg(args, 2).get().is_ok_and(|flags| flags & MAPPED == 0) {
        return pinned(host, args);
    }
    host.notes.cuda_calls += 1;
    let size = arg(args, 1).get().unwrap_or(0);
    let address = host
        .memory
        .add_or_hollow(Kind::Managed, size, Mark::UNWRITTEN)?;
    host.store(arg(args, 0), 8, Value::known(address));
    SUCCESS
}

/// Frees device memory. A null pointer is how programs start the device.
pub fn free(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.notes.cuda_calls += 1;
    let pointer = arg(args, 0);
    match pointer.get() {
        Ok(0) => {}
        Ok(address) if host.ledger.free(address) => {
            host.memory.free(address);
        }
        // Memory that calls without a model took.
        Ok(address) if matches!(host.memory.kind(address), Some((Kind::Handle, _))) => {}
        Ok(_) => {
            let why = "it fails: nothing alive was allocated at this address".to_owned();
            return Ok(fail(host, INVALID_VALUE, "cudaFree", why));
        }
        Err(mark) => {
            let (place, reason) = (host.place, host.explain(mark));
            host.notes.unknown(
                place,
                "pointer of cudaFree",
                format!("nothing is taken to be freed: {reason}"),
            );
            host.notes.missed_free = true;
        }
    }
    SUCCESS
}

pub fn free_pinned(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    if let Ok(address) = arg(args, 0).get()
        && matches!(
            host.memory.kind(address),
            Some((Kind::Host | Kind::Managed, _))
        )
    {
        host.memory.free(address);
    }
    SUCCESS
}

pub fn same_pointer(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.store(arg(args, 0), 8, arg(args, 1));
    SUCCESS
}

pub fn reset(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    host.notes.cuda_calls += 1;
    for address in host.ledger.free_all() {
        host.memory.free(address);
    }
    SUCCESS
}
