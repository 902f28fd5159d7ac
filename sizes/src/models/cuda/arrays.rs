//! Arrays of the runtime and the driver, in one level or several, and what an array tells of itself.

use super::allocate::{allocate, at_least_one, element, extent, product};
use super::query::success;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Source;
use crate::machine::object::Kind;
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;

/// The models of this file.
pub const MODELS: Family = &[
    ("cudaMallocArray", array),
    ("cudaMalloc3DArray", array_3d),
    ("cudaArrayGetInfo", info),
    ("cudaGetChannelDesc", description),
    ("cudaMallocMipmappedArray", mipmapped),
    ("cudaGetMipmappedArrayLevel", level),
    ("cuArrayCreate_v2", |host, args| {
        driver_array(host, args, "cuArrayCreate", 16, false)
    }),
    ("cuArray3DCreate_v2", |host, args| {
        driver_array(host, args, "cuArray3DCreate", 24, true)
    }),
];

/// Flags of arrays whose depth counts layers or faces.
const LAYERED_OR_CUBE: u64 = 1 | 4;

/// (out, description, width in elements, height, flags).
fn array(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (width, height) = (arg(args, 2), arg(args, 3));
    let size = product(&[element(host, arg(args, 1)), width, at_least_one(height)]);
    allocate(host, arg(args, 0), size, "cudaMallocArray", Kind::Device)?;
    remember(host, args, [width, height, Value::known(0)], arg(args, 4));
    success(host, args)
}

/// (out, description, extent by value, flags).
fn array_3d(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let extent = extent(host, arg(args, 2));
    let [width, height, depth] = extent;
    let element = element(host, arg(args, 1));
    let size = product(&[element, width, at_least_one(height), at_least_one(depth)]);
    allocate(host, arg(args, 0), size, "cudaMalloc3DArray", Kind::Device)?;
    remember(host, args, extent, arg(args, 3));
    success(host, args)
}

/// Keeps what an array was made of: its address was just written through the first argument.
fn remember(host: &mut Host<'_>, args: &[Value], extent: [Value; 3], flags: Value) {
    let word = |at: Value, offset: u64, size: usize| match at.get() {
        Ok(address) => host.memory.load(address.wrapping_add(offset), size),
        Err(mark) => Value::unknown(mark),
    };
    let description = [0, 4, 8, 12, 16].map(|offset| word(arg(args, 1), offset, 4));
    if let Ok(array) = word(arg(args, 0), 0, 8).get() {
        let shape = ArrayShape {
            description,
            extent,
            flags,
        };
        host.arrays.insert(array, shape);
    }
}

/// (description, extent, flags, array): each is left out where null.
fn info(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let shape = shape_of(host, arg(args, 3));
    let four = |index: usize| (4 * index as u64, 4, shape.description[index]);
    let eight = |index: usize| (8 * index as u64, 8, shape.extent[index]);
    put(
        host,
        arg(args, 0),
        &[four(0), four(1), four(2), four(3), four(4)],
    );
    put(host, arg(args, 1), &[eight(0), eight(1), eight(2)]);
    put(host, arg(args, 2), &[(0, 4, shape.flags)]);
    success(host, args)
}

/// (description, array).
fn description(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let shape = shape_of(host, arg(args, 1));
    let four = |index: usize| (4 * index as u64, 4, shape.description[index]);
    put(
        host,
        arg(args, 0),
        &[four(0), four(1), four(2), four(3), four(4)],
    );
    success(host, args)
}

fn put(host: &mut Host<'_>, to: Value, fields: &[(u64, usize, Value)]) {
    if to == Value::known(0) {
        return;
    }
    for (offset, size, value) in fields {
        host.store(to.moved_to(to.bits.wrapping_add(*offset)), *size, *value);
    }
}

fn shape_of(host: &mut Host<'_>, array: Value) -> ArrayShape {
    let found = array.get().ok().and_then(|array| host.arrays.get(&array));
    if let Some(shape) = found {
        return *shape;
    }
    let value = host.unknown(Source::Undefined("an array that is not known".to_owned()));
    ArrayShape {
        description: [value; 5],
        extent: [value; 3],
        flags: value,
    }
}

/// (out, description, extent by value, levels, flags): each level has half the extent of the one above.
fn mipmapped(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let element = element(host, arg(args, 1));
    let [width, height, depth] = extent(host, arg(args, 2));
    let (levels, flags) = (arg(args, 3), arg(args, 4));
    let mark = levels.mark.with(flags.mark);
    let mut sum = Value::made(0, mark);
    /// An extent of 64 bits has no more levels.
    const MOST: u64 = 64;
    for level in 0..levels.bits.min(MOST) {
        let halved = |value: Value| at_least_one(value.moved_to(value.bits >> level));
        let layers = flags.bits & LAYERED_OR_CUBE != 0;
        let depth = if layers {
            at_least_one(depth)
        } else {
            halved(depth)
        };
        let bytes = product(&[element, halved(width), halved(height), depth]);
        sum = Value::made(
            sum.bits.saturating_add(bytes.bits),
            sum.mark.with(bytes.mark),
        );
    }
    allocate(
        host,
        arg(args, 0),
        sum,
        "cudaMallocMipmappedArray",
        Kind::Device,
    )?;
    success(host, args)
}

/// (out, array, level): a level is a thing of its own with no memory of its own.
fn level(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    super::query::new_handle(host, args)
}

/// (out, description: width, height, \[depth\]; format and channels at `format`).
fn driver_array(
    host: &mut Host<'_>,
    args: &[Value],
    api: &'static str,
    format: u64,
    deep: bool,
) -> Result<Value, Halt> {
    let at = arg(args, 1).get()?;
    let word = |offset: u64, size: usize| host.memory.load(at.wrapping_add(offset), size);
    let (kind, channels) = (word(format, 4), word(format + 4, 4));
    let depth = if deep { word(16, 8) } else { Value::known(1) };
    let (width, height) = (word(0, 8), word(8, 8));
    let bytes = match kind.get().map(channel_bytes) {
        Ok(Some(bytes)) => Value::known(bytes),
        Ok(None) => host.unknown(Source::Property(format!(
            "bytes of array format {}",
            kind.bits
        ))),
        Err(mark) => Value::unknown(mark),
    };
    let size = product(&[
        bytes,
        channels,
        width,
        at_least_one(height),
        at_least_one(depth),
    ]);
    allocate(host, arg(args, 0), size, api, Kind::Device)?;
    success(host, args)
}

/// Bytes of a channel of a `CUarray_format`.
fn channel_bytes(format: u64) -> Option<u64> {
    Some(match format {
        0x01 | 0x08 => 1,
        0x02 | 0x09 | 0x10 => 2,
        0x03 | 0x0a | 0x20 => 4,
        _ => return None,
    })
}

/// What an array was made of, for those who ask it: description, extent, flags.
#[derive(Clone, Copy, Debug)]
pub struct ArrayShape {
    /// Bits of the four channels and the kind.
    pub description: [Value; 5],
    /// Width, height and depth.
    pub extent: [Value; 3],
    /// Flags.
    pub flags: Value,
}
