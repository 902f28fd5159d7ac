//! The driver's calls, for programs that use it directly.

use super::allocate::{self, allocate};
use super::launch::launch;
use super::query::{attribute, memory_info, new_handle, success, write_int};
use crate::machine::host::{Configuration, Halt, Host};
use crate::machine::object::Kind;
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;

/// The models of this file.
pub const MODELS: Family = &[
    ("cuInit", success),
    ("cuDeviceGetCount", |host, args| {
        write_int(host, arg(args, 0), 1)
    }),
    ("cuDeviceGet", |host, args| write_int(host, arg(args, 0), 0)),
    ("cuDeviceGetAttribute", attribute),
    ("cuDeviceTotalMem_v2", total_memory),
    ("cuMemGetInfo_v2", memory_info),
    ("cuCtxCreate_v2", new_handle),
    ("cuCtxDestroy_v2", success),
    ("cuCtxSynchronize", success),
    ("cuDevicePrimaryCtxRetain", new_handle),
    ("cuCtxSetCurrent", success),
    ("cuModuleLoad", new_handle),
    ("cuModuleLoadData", new_handle),
    ("cuModuleUnload", success),
    ("cuModuleGetFunction", get_function),
    ("cuMemAlloc_v2", |host, args| {
        one(host, args, "cuMemAlloc", Kind::Device)
    }),
    ("cuMemAllocManaged", |host, args| {
        one(host, args, "cuMemAllocManaged", Kind::Managed)
    }),
    ("cuMemAllocAsync", |host, args| {
        one(host, args, "cuMemAllocAsync", Kind::Device)
    }),
    ("cuMemFree_v2", allocate::free),
    ("cuMemFreeAsync", allocate::free),
    ("cuLaunchKernel", launch_kernel),
    ("cuLaunchCooperativeKernel", launch_kernel),
];

fn one(host: &mut Host<'_>, args: &[Value], api: &'static str, kind: Kind) -> Result<Value, Halt> {
    allocate(host, arg(args, 0), arg(args, 1), api, kind)?;
    Ok(Value::int(0))
}

fn total_memory(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let total = host.device.total_bytes;
    host.store(arg(args, 0), 8, Value::known(total));
    success(host, args)
}

/// (out, module, name): the handle remembers the kernel's name.
fn get_function(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let name = host.text(arg(args, 2));
    let result = new_handle(host, args)?;
    if let (Ok(name), Ok(out)) = (name, arg(args, 0).get()) {
        let handle = host.memory.load(out, 8);
        host.handle_names
            .insert(handle.bits, String::from_utf8_lossy(&name).into_owned());
    }
    Ok(result)
}

/// CUDA_ERROR_INVALID_VALUE is 1. (function, grid x y z, block x y z, shared, stream, parameters, extra).
fn launch_kernel(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let packed = |x: Value, y: Value| {
        Value::made((y.bits << 32) | (x.bits & 0xffff_ffff), x.mark.with(y.mark))
    };
    let with = Configuration {
        grid_xy: packed(arg(args, 1), arg(args, 2)),
        grid_z: arg(args, 3),
        block_xy: packed(arg(args, 4), arg(args, 5)),
        block_z: arg(args, 6),
        shared: arg(args, 7),
        stream: arg(args, 8),
        place: host.place,
    };
    let symbol = super::kernel::symbol(host, arg(args, 0));
    let refused = launch(host, symbol.as_deref().unwrap_or("?"), &with).is_some();
    Ok(Value::int(i32::from(refused)))
}
