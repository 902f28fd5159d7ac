//! The driver's calls, for programs that use it directly.

use super::allocate::{self, allocate};
use super::failure;
use super::launch::launch;
use super::query::{attribute, memory_info, new_handle, priorities, success, version, write_int};
use crate::machine::host::{Configuration, Halt, Host};
use crate::machine::mark::Mark;
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
    ("cuDeviceGetName", device_name),
    ("cuDeviceComputeCapability", capability),
    ("cuDeviceCanAccessPeer", |host, args| {
        write_int(host, arg(args, 0), 0)
    }),
    ("cuDriverGetVersion", version),
    ("cuCtxCreate_v2", new_handle),
    ("cuCtxCreate_v3", new_handle),
    ("cuCtxCreate_v4", new_handle),
    // What was taken in a context goes with it; more than one is rare, and all is taken in one.
    ("cuCtxDestroy_v2", allocate::reset),
    ("cuDevicePrimaryCtxReset_v2", allocate::reset),
    ("cuDevicePrimaryCtxRelease_v2", success),
    ("cuDevicePrimaryCtxSetFlags_v2", success),
    ("cuDevicePrimaryCtxRetain", new_handle),
    ("cuCtxSynchronize", success),
    ("cuCtxSetCurrent", success),
    ("cuCtxPushCurrent_v2", success),
    ("cuCtxPopCurrent_v2", context),
    ("cuCtxGetCurrent", context),
    ("cuCtxGetDevice", |host, args| {
        write_int(host, arg(args, 0), 0)
    }),
    ("cuCtxSetCacheConfig", success),
    ("cuCtxSetSharedMemConfig", success),
    ("cuCtxGetStreamPriorityRange", priorities),
    ("cudaDeviceGetStreamPriorityRange", priorities),
    ("cuModuleLoad", load_file),
    ("cuModuleLoadData", new_handle),
    ("cuModuleLoadDataEx", new_handle),
    ("cuModuleLoadFatBinary", new_handle),
    ("cuModuleUnload", success),
    ("cuModuleGetFunction", get_function),
    ("cuLibraryLoadData", new_handle),
    ("cudaLibraryLoadData", new_handle),
    ("cuLibraryUnload", success),
    ("cudaLibraryUnload", success),
    ("cuLibraryGetKernel", get_function),
    ("cudaLibraryGetKernel", get_function),
    ("cuKernelGetFunction", |host, args| {
        host.store(arg(args, 0), 8, arg(args, 1));
        success(host, args)
    }),
    ("cuLinkCreate_v2", |host, args| {
        let handle = host.memory.add(Kind::Handle, 0, Mark::KNOWN)?;
        host.store(arg(args, 3), 8, Value::known(handle));
        success(host, args)
    }),
    ("cuLinkAddData_v2", success),
    ("cuLinkAddFile_v2", success),
    ("cuLinkDestroy", success),
    ("cuFuncSetCacheConfig", success),
    ("cuFuncSetSharedMemConfig", success),
    ("cuMemAllocPitch_v2", |host, args| {
        allocate::pitched_as(host, args, "cuMemAllocPitch")
    }),
    ("cuMemAllocHost_v2", allocate::pinned),
    ("cuMemHostAlloc", allocate::mappable),
    ("cuMemFreeHost", allocate::free_pinned),
    ("cuMemHostGetDevicePointer_v2", allocate::same_pointer),
    ("cuMemHostRegister_v2", success),
    ("cuMemHostUnregister", success),
    ("cuArrayDestroy", allocate::free),
    ("cuMipmappedArrayDestroy", allocate::free),
    ("cuMemAllocFromPoolAsync", |host, args| {
        one(host, args, "cuMemAllocFromPoolAsync", Kind::Device)
    }),
    ("cuDeviceGetDefaultMemPool", new_handle),
    ("cuMemPoolCreate", new_handle),
    ("cuMemPoolDestroy", success),
    ("cuMemPoolSetAttribute", success),
    ("cuMemPoolTrimTo", success),
    ("cuMemAdvise_v2", success),
    ("cuMemPrefetchAsync_v2", success),
    ("cuStreamCreate", new_handle),
    ("cuStreamCreateWithPriority", new_handle),
    ("cuStreamDestroy_v2", success),
    ("cuStreamSynchronize", success),
    ("cuStreamQuery", success),
    ("cuEventCreate", new_handle),
    ("cuEventDestroy_v2", success),
    ("cuEventSynchronize", success),
    ("cuEventQuery", success),
    ("cuTexObjectCreate", new_handle),
    ("cuTexObjectDestroy", success),
    ("cuProfilerStart", success),
    ("cuProfilerStop", success),
    ("cuLaunchKernelEx", launch_by_structure),
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
    allocate(host, arg(args, 0), arg(args, 1), api, kind)
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
    match (name, arg(args, 0).get()) {
        (Ok(name), Ok(out)) => {
            let handle = host.memory.load(out, 8);
            let name = String::from_utf8_lossy(&name).into_owned();
            host.handle_names.insert(handle.bits, name);
        }
        // What is launched is not known, and why.
        (Err(mark), _) => host.store(arg(args, 0), 8, Value::unknown(mark)),
        (Ok(_), Err(_)) => {}
    }
    Ok(result)
}

/// (out, room, device).
fn device_name(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let room = usize::try_from(arg(args, 1).get()?).unwrap_or(usize::MAX);
    let mut name = host.device.name.clone().into_bytes();
    name.truncate(room.saturating_sub(1));
    name.push(0);
    host.write(arg(args, 0), &name);
    success(host, args)
}

/// (major, minor, device).
fn capability(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (major, minor) = host.device.compute_capability;
    host.store(arg(args, 0), 4, Value::known(u64::from(major)));
    host.store(arg(args, 1), 4, Value::known(u64::from(minor)));
    success(host, args)
}

/// Some context; a null pointer is allowed.
fn context(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    match arg(args, 0) == Value::known(0) {
        true => success(host, args),
        false => new_handle(host, args),
    }
}

/// (out, path): fails where there is no such file, as the driver does.
fn load_file(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    /// CUDA_ERROR_FILE_NOT_FOUND.
    const NOT_FOUND: i32 = 301;
    let path = host.text(arg(args, 1))?;
    let path = String::from_utf8_lossy(&path).into_owned();
    if host.command.cwd.join(&path).is_file() {
        return new_handle(host, args);
    }
    let why = "there is no such file".to_owned();
    host.notes.missing_files.insert(path, why);
    Ok(Value::int(NOT_FOUND))
}

/// (function, grid x y z, block x y z, shared, stream, parameters, extra).
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
    Ok(launch_function(host, arg(args, 0), &with))
}

/// CUDA_ERROR_INVALID_VALUE where the launch is refused.
fn launch_function(host: &mut Host<'_>, function: Value, with: &Configuration) -> Value {
    let symbol = super::kernel::symbol(host, function);
    if symbol.is_none() {
        super::launch::note_unknown_kernel(host, function);
    }
    let refused = launch(host, symbol.as_deref().unwrap_or("?"), with).is_some();
    failure::status(i32::from(refused))
}

/// (CUlaunchConfig: grid at 0, block at 12, shared memory at 24, stream at 32; function, parameters, extra).
fn launch_by_structure(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let at = arg(args, 0).get()?;
    let field = |offset: u64, size: usize| host.memory.load(at.wrapping_add(offset), size);
    let with = Configuration {
        grid_xy: field(0, 8),
        grid_z: field(8, 4),
        block_xy: field(12, 8),
        block_z: field(20, 4),
        shared: field(24, 4),
        stream: field(32, 8),
        place: host.place,
    };
    Ok(launch_function(host, arg(args, 1), &with))
}
