//! Copies and fills. What comes from the device is unknown; what goes there leaves no trace here.

use crate::machine::host::{Halt, Host};
use crate::machine::mark::Source;
use crate::machine::object::Kind;
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;

/// The models of this file.
pub const MODELS: Family = &[
    ("cudaMemcpy", copy),
    ("cudaMemcpyAsync", copy),
    ("cudaMemcpy2D", copy_2d),
    ("cudaMemcpy2DAsync", copy_2d),
    ("cudaMemcpy3D", copy_3d),
    ("cudaMemcpy3DAsync", copy_3d),
    ("cudaMemcpyPeer", arrives),
    ("cudaMemcpyPeerAsync", arrives),
    ("cudaMemcpyToSymbol", nothing),
    ("cudaMemcpyToSymbolAsync", nothing),
    ("cudaMemcpyToArray", nothing),
    ("cudaMemcpyToArrayAsync", nothing),
    ("cudaMemcpy2DToArray", nothing),
    ("cudaMemcpy2DToArrayAsync", nothing),
    ("cudaMemcpyArrayToArray", nothing),
    ("cudaMemcpy2DArrayToArray", nothing),
    ("cudaMemcpyFromArray", |host, args| {
        from_device(host, arg(args, 0), arg(args, 4))
    }),
    ("cudaMemcpyFromArrayAsync", |host, args| {
        from_device(host, arg(args, 0), arg(args, 4))
    }),
    ("cudaMemcpyFromSymbol", from_symbol),
    ("cudaMemcpyFromSymbolAsync", from_symbol),
    ("cudaMemcpy2DFromArray", from_array_2d),
    ("cudaMemcpy2DFromArrayAsync", from_array_2d),
    ("cudaMemset", fill),
    ("cudaMemsetAsync", fill),
    ("cudaMemset2D", fill_rows),
    ("cudaMemset2DAsync", fill_rows),
    ("cudaMemset3D", nothing),
    ("cudaMemset3DAsync", nothing),
    ("cudaMemPrefetchAsync", nothing),
    ("cudaMemAdvise", nothing),
    ("cudaStreamAttachMemAsync", nothing),
    ("cuMemcpy", unified),
    ("cuMemcpyAsync", unified),
    ("cuMemsetD8_v2", fill),
    ("cuMemsetD8Async", fill),
    ("cuMemsetD16_v2", fill_words),
    ("cuMemsetD16Async", fill_words),
    ("cuMemsetD32_v2", fill_words),
    ("cuMemsetD32Async", fill_words),
    ("cuMemcpyDtoDAsync_v2", nothing),
    ("cuMemcpyDtoH_v2", |host, args| {
        from_device(host, arg(args, 0), arg(args, 2))
    }),
    ("cuMemcpyDtoHAsync_v2", |host, args| {
        from_device(host, arg(args, 0), arg(args, 2))
    }),
    ("cuMemcpyHtoD_v2", nothing),
    ("cuMemcpyHtoDAsync_v2", nothing),
    ("cuMemcpyDtoD_v2", nothing),
];

/// Kinds of a copy, as the runtime numbers them.
const HOST_TO_HOST: u64 = 0;
const DEVICE_TO_HOST: u64 = 2;

fn nothing(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    host.notes.cuda_calls += 1;
    Ok(Value::known(0))
}

fn kind_at(host: &Host<'_>, pointer: Value) -> Option<Kind> {
    host.memory.kind(pointer.bits).map(|(kind, _)| kind)
}

/// The target becomes a device result.
fn from_device(host: &mut Host<'_>, to: Value, len: Value) -> Result<Value, Halt> {
    host.notes.cuda_calls += 1;
    let mark = host.mark(Source::Device);
    match (to.get(), len.get()) {
        (Ok(_), Ok(len)) => host.spoil(to, len, mark),
        (Ok(address), Err(_)) => host.memory.spoil_object(address, mark),
        (Err(_), _) => host.store_somewhere(to),
    }
    Ok(Value::known(0))
}

/// (to, from, bytes, kind). Where the kind leaves it open, the pointers decide.
pub fn copy(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.notes.cuda_calls += 1;
    let (to, from, len) = (arg(args, 0), arg(args, 1), arg(args, 2));
    let from_host = matches!(kind_at(host, from), Some(Kind::Host | Kind::Constant));
    match arg(args, 3).get() {
        Ok(DEVICE_TO_HOST) => return from_device(host, to, len),
        Ok(HOST_TO_HOST) => host.copy(to, from, len),
        _ if kind_at(host, to) == Some(Kind::Device) => {}
        _ if from_host => host.copy(to, from, len),
        _ => return from_device(host, to, len),
    }
    Ok(Value::known(0))
}

/// (to): what a graph copies there, of a length that is not looked at. Null and device memory need no mark.
pub fn arrives(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let to = arg(args, 0);
    match to == Value::known(0) || kind_at(host, to) == Some(Kind::Device) {
        true => nothing(host, args),
        false => from_device(host, to, Value::known(u64::MAX)),
    }
}

/// (to, pitch, from, pitch, width, height, kind).
fn copy_2d(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    spoil_rows(host, arg(args, 0), arg(args, 1), arg(args, 5))
}

/// (to, pitch, array, x, y, width, height, kind).
fn from_array_2d(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    spoil_rows(host, arg(args, 0), arg(args, 1), arg(args, 6))
}

/// Rows that may come from the device: the whole span becomes unknown, unless it lies on the device.
fn spoil_rows(host: &mut Host<'_>, to: Value, pitch: Value, rows: Value) -> Result<Value, Halt> {
    if kind_at(host, to) == Some(Kind::Device) {
        return nothing(host, &[]);
    }
    let len = Value::made(
        pitch.bits.saturating_mul(rows.bits),
        pitch.mark.with(rows.mark),
    );
    from_device(host, to, len)
}

/// (parameters): the target's pitched pointer is at byte 96 of cudaMemcpy3DParms.
fn copy_3d(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    const TARGET: u64 = 96;
    let to = host
        .memory
        .load(arg(args, 0).get()?.wrapping_add(TARGET), 8);
    if to == Value::known(0) || kind_at(host, to) == Some(Kind::Device) {
        return nothing(host, args);
    }
    from_device(host, to, Value::known(u64::MAX))
}

/// (to, symbol, bytes, offset, kind).
fn from_symbol(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    from_device(host, arg(args, 0), arg(args, 2))
}

/// (target, byte, bytes): only managed memory is seen by the host.
fn fill(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.notes.cuda_calls += 1;
    if kind_at(host, arg(args, 0)) == Some(Kind::Managed) {
        host.set(arg(args, 0), arg(args, 1), arg(args, 2));
    }
    Ok(Value::known(0))
}

/// (target, pitch, byte, width, height): managed memory becomes unknown, for it is rarely filled so.
fn fill_rows(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    spoil_managed(host, arg(args, 0))
}

/// (target, value, count) by two or four bytes.
fn fill_words(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    spoil_managed(host, arg(args, 0))
}

fn spoil_managed(host: &mut Host<'_>, to: Value) -> Result<Value, Halt> {
    host.notes.cuda_calls += 1;
    if kind_at(host, to) == Some(Kind::Managed) {
        let mark = host.mark(Source::Device);
        host.memory.spoil_object(to.bits, mark);
    }
    Ok(Value::known(0))
}

/// (to, from, bytes): the pointers tell from where to where.
fn unified(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    const DEFAULT: u64 = 4;
    let given = [
        arg(args, 0),
        arg(args, 1),
        arg(args, 2),
        Value::known(DEFAULT),
    ];
    copy(host, &given)
}
