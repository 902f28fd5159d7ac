//! Device queries, streams, events and errors of the runtime.

use super::properties::{self, Layout};
use super::{failure, kernel, occupancy};
use crate::input::DeviceProperties;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::{Mark, Source};
use crate::machine::object::Kind;
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;
use migfit_schema::kernel::{Kernel, KernelUse};

/// The models of this file.
pub const MODELS: Family = &[
    ("cudaGetDeviceCount", |host, args| {
        write_int(host, arg(args, 0), 1)
    }),
    ("cudaGetDevice", |host, args| {
        write_int(host, arg(args, 0), 0)
    }),
    ("cudaChooseDevice", |host, args| {
        write_int(host, arg(args, 0), 0)
    }),
    ("cudaDeviceCanAccessPeer", |host, args| {
        write_int(host, arg(args, 0), 0)
    }),
    ("cudaSetDevice", set_device),
    ("cudaSetDeviceFlags", success),
    ("cudaInitDevice", set_device),
    ("cudaDeviceEnablePeerAccess", no_peer),
    ("cudaDeviceDisablePeerAccess", no_peer),
    ("cuCtxEnablePeerAccess", no_peer),
    ("cudaDriverGetVersion", version),
    ("cudaRuntimeGetVersion", version),
    ("cudaDeviceGetDefaultMemPool", new_handle),
    ("cudaDeviceGetMemPool", new_handle),
    ("cudaDeviceSetMemPool", success),
    ("cudaMemPoolCreate", new_handle),
    ("cudaMemPoolDestroy", success),
    ("cudaMemPoolTrimTo", success),
    ("cudaMemPoolSetAttribute", success),
    ("cudaMemPoolSetAccess", success),
    ("cudaCreateTextureObject", new_handle),
    ("cudaCreateSurfaceObject", new_handle),
    ("cudaDestroyTextureObject", success),
    ("cudaDestroySurfaceObject", success),
    ("cudaStreamSetAttribute", success),
    ("cudaStreamGetPriority", |host, args| {
        write_int(host, arg(args, 1), 0)
    }),
    ("cudaOccupancyMaxActiveClusters", active_clusters),
    ("cuOccupancyMaxActiveClusters", active_clusters),
    ("cuOccupancyMaxActiveBlocksPerMultiprocessor", active_blocks),
    (
        "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
        active_blocks,
    ),
    ("cudaGetDeviceProperties", |host, args| {
        device_properties(host, args, "cudaGetDeviceProperties")
    }),
    ("cudaGetDeviceProperties_v2", |host, args| {
        device_properties(host, args, "cudaGetDeviceProperties_v2")
    }),
    ("cudaDeviceGetAttribute", attribute),
    ("cudaMemGetInfo", memory_info),
    ("cudaDeviceSynchronize", success),
    ("cudaThreadSynchronize", success),
    ("cudaThreadExit", success),
    ("cudaDeviceSetCacheConfig", success),
    ("cudaFuncSetCacheConfig", success),
    ("cudaFuncGetAttributes", function_attributes),
    ("cudaHostRegister", success),
    ("cudaHostUnregister", success),
    ("cudaGetLastError", last_error),
    ("cudaPeekAtLastError", peek_at_last_error),
    ("cudaGetErrorString", error_text),
    ("cudaGetErrorName", error_text),
    ("cudaStreamCreate", new_handle),
    ("cudaStreamCreateWithFlags", new_handle),
    ("cudaStreamCreateWithPriority", new_handle),
    ("cudaStreamDestroy", success),
    ("cudaStreamSynchronize", success),
    ("cudaStreamQuery", success),
    ("cudaEventCreate", new_handle),
    ("cudaEventCreateWithFlags", new_handle),
    ("cudaEventDestroy", success),
    ("cudaEventSynchronize", success),
    ("cudaEventQuery", success),
    ("cudaEventElapsedTime", elapsed_time),
    ("cudaEventElapsedTime_v2", elapsed_time),
    ("cuEventElapsedTime", elapsed_time),
    ("cuEventElapsedTime_v2", elapsed_time),
    ("cudaProfilerStart", success),
    ("cudaProfilerStop", success),
    ("cudaCreateChannelDesc", channel_description),
    (
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
        active_blocks,
    ),
    (
        "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
        active_blocks,
    ),
    ("__cudaRegisterFatBinary", registered),
    ("__cudaRegisterFatBinaryEnd", registered),
    ("__cudaRegisterFunction", registered),
    ("__cudaRegisterVar", registered),
    ("__cudaUnregisterFatBinary", registered),
];

/// cudaErrorInvalidDevice.
const INVALID_DEVICE: i32 = 101;

/// Success, without effect.
pub fn success(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    host.notes.cuda_calls += 1;
    Ok(Value::int(0))
}

/// The last error, which is only a refused launch's; asking clears it.
fn last_error(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let error = peek_at_last_error(host, args);
    host.last_error = 0;
    error
}

fn peek_at_last_error(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    host.notes.cuda_calls += 1;
    Ok(failure::status(host.last_error))
}

/// Registration before `main`; not a call of the program.
fn registered(_: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Ok(Value::known(0))
}

/// Writes an int through a pointer and succeeds.
pub fn write_int(host: &mut Host<'_>, to: Value, number: i32) -> Result<Value, Halt> {
    host.store(to, 4, Value::int(number));
    success(host, &[])
}

/// A slice shows one device.
fn set_device(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.notes.cuda_calls += 1;
    match arg(args, 0).as_int() {
        Ok(0) => Ok(Value::int(0)),
        Ok(number) => {
            let why = format!("it fails: there is no device {number}, a slice is device 0");
            Ok(failure::fail(host, INVALID_DEVICE, "cudaSetDevice", why))
        }
        Err(mark) => {
            let (place, why) = (host.place, host.explain(mark));
            let reason = format!("device 0, the only one, is taken to be chosen: {why}");
            host.notes.assume(place, "cudaSetDevice", reason);
            Ok(Value::int(0))
        }
    }
}

/// A slice shows one device, which is nobody's peer.
fn no_peer(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    host.notes.cuda_calls += 1;
    host.call_fails(INVALID_DEVICE);
    Ok(Value::int(INVALID_DEVICE))
}

/// CUDA 13.0 is what this slice's driver is taken to be: programs ask whether it is new enough.
pub fn version(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    const VERSION: i32 = 13_000;
    write_int(host, arg(args, 0), VERSION)
}

/// (least, most): the same on all devices of today.
pub fn priorities(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    const MOST: i32 = -5;
    for (index, priority) in [(0, 0), (1, MOST)] {
        if arg(args, index) != Value::known(0) {
            host.store(arg(args, index), 4, Value::int(priority));
        }
    }
    success(host, args)
}

fn device_properties(host: &mut Host<'_>, args: &[Value], name: &str) -> Result<Value, Halt> {
    let to = arg(args, 0);
    let address = to.get()?;
    let mark = host.mark(Source::Property("among those of cudaDeviceProp".to_owned()));
    let room = host.memory.kind(address).map_or(0, |(_, size)| size);
    let layout = Layout::of(name, room);
    host.memory.spoil(address, layout.size(room), mark);
    let mut name = host.device.name.clone().into_bytes();
    name.truncate(255);
    name.resize(256, 0);
    host.memory.write(address, &name);
    for (offset, size, value) in properties::fields(host.device, layout) {
        host.memory
            .store(address.wrapping_add(offset), size, Value::known(value));
    }
    success(host, args)
}

/// (out, number, device): also the driver's.
pub fn attribute(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let number = arg(args, 1).as_int();
    let value = number
        .ok()
        .and_then(|number| properties::attribute(host.device, number));
    let value = match value {
        Some(value) => Value::known(u64::from(value)),
        None => host.unknown(Source::Property(format!("number {}", number.unwrap_or(-1)))),
    };
    host.store(arg(args, 0), 4, value);
    success(host, args)
}

/// (free, total): a program that sizes by what is free takes what it gets.
pub fn memory_info(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let total = host.device.total_bytes;
    // What the driver adds by rounding is not known, so this is never exact.
    let free = host.device.free_bytes.unwrap_or(total);
    let free = Value::made(free.saturating_sub(host.ledger.live), Mark::ELASTIC);
    host.store(arg(args, 0), 8, free);
    host.store(arg(args, 1), 8, Value::known(total));
    success(host, args)
}

fn error_text(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text: &[u8] = if arg(args, 0) == Value::known(0) {
        b"no error"
    } else {
        b"unknown error"
    };
    Ok(host.fixed_text(text)?)
}

/// Writes a new opaque handle through the first argument.
pub fn new_handle(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let handle = host.memory.add(Kind::Handle, 0, Mark::KNOWN)?;
    host.store(arg(args, 0), 8, Value::known(handle));
    success(host, args)
}

fn elapsed_time(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let time = host.unknown(Source::Clock);
    host.store(arg(args, 0), 4, time);
    success(host, args)
}

/// (result, x, y, z, w, kind): the structure is returned through a pointer.
fn channel_description(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let to = arg(args, 0);
    for index in 0..5 {
        let at = to.moved_to(to.bits.wrapping_add(4 * index as u64));
        host.store(at, 4, arg(args, index + 1));
    }
    Ok(to)
}

/// (out, function, threads, dynamic shared memory).
fn active_blocks(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let symbol = kernel::symbol(host, arg(args, 1));
    let known = symbol
        .as_deref()
        .and_then(|symbol| kernel::known(host, symbol));
    let kernel = match known {
        Some(kernel) => used(host, kernel),
        None => assumed_unseen(host, symbol.as_deref().unwrap_or("?")),
    };
    let blocks = match (Some(kernel), arg(args, 2).get(), arg(args, 3).get()) {
        (Some(kernel), Ok(threads), Ok(dynamic)) => {
            occupancy::blocks_per_sm(kernel, host.device, threads as u32, dynamic)
        }
        _ => None,
    };
    let blocks = match blocks {
        Some(blocks) => Value::known(u64::from(blocks)),
        None => host.unknown(Source::Property("occupancy of a kernel".to_owned())),
    };
    host.store(arg(args, 0), 4, blocks);
    success(host, args)
}

/// A kernel that is not in the job profile: one of a module that is loaded at run time.
pub fn assumed_unseen(host: &mut Host<'_>, name: &str) -> KernelUse {
    let kernel = Kernel {
        symbol: name.to_owned(),
        name: name.to_owned(),
        images: Vec::new(),
    };
    used(host, &kernel)
}

/// (out, function, configuration): how GPCs are cut is not known here.
fn active_clusters(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let mark = host.mark(Source::Property("clusters at once".to_owned()));
    host.store(arg(args, 0), 4, Value::unknown(mark));
    success(host, args)
}

/// What a kernel takes of an SM here. Where that is an estimate, it is said to be; a kernel whose device code was not
/// seen is taken to be small.
pub fn used(host: &mut Host<'_>, kernel: &Kernel) -> KernelUse {
    /// As many registers as let an SM hold as many threads as it can.
    const REGISTERS: u32 = 32;
    let found = kernel.on(host.device.compute_capability);
    let (registers, fixed) = (
        found.registers.unwrap_or(REGISTERS),
        found.static_shared.unwrap_or(0),
    );
    let known = found.registers.is_some() && found.static_shared.is_some();
    if let Some(doubt) = found.basis.doubt().or_else(|| {
        let contradicts = "its device code contradicts itself";
        (!known).then(|| contradicts.to_owned())
    }) {
        let what = format!("occupancy of {}", kernel.name);
        let reason = format!(
            "{doubt}; taken are {registers} registers and {fixed} bytes of static shared memory"
        );
        let place = host.place;
        host.notes.assume(place, &what, reason);
    }
    KernelUse {
        registers: Some(registers),
        static_shared: Some(fixed),
        ..found
    }
}

/// Most threads of a block, by launch bounds and by what an SM's registers hold.
fn most_threads(kernel: KernelUse, device: &DeviceProperties) -> u32 {
    /// Of any kernel.
    const THREADS: u32 = 1024;
    let bound = kernel.most_threads.unwrap_or(THREADS);
    let by_registers = kernel
        .registers
        .and_then(|registers| occupancy::threads_by_registers(registers, device))
        .unwrap_or(u32::MAX);
    bound.min(by_registers).min(THREADS)
}

/// (out, function): shared bytes at 0, most threads at 24, registers at 28, version of the PTX at 32, of the machine code
/// at 36 of cudaFuncAttributes.
fn function_attributes(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    const SIZE: u64 = 144;
    let address = arg(args, 0).get()?;
    let mark = host.mark(Source::Property("attributes of a kernel".to_owned()));
    host.memory.spoil(address, SIZE, mark);
    let symbol = kernel::symbol(host, arg(args, 1));
    let known = symbol
        .as_deref()
        .and_then(|symbol| kernel::known(host, symbol));
    if let Some(kernel) = known.map(|kernel| used(host, kernel)) {
        let threads = most_threads(kernel, host.device);
        let fields = [
            (0, 8, kernel.static_shared),
            (24, 4, Some(threads)),
            (28, 4, kernel.registers),
            (32, 4, kernel.ptx),
            (36, 4, Some(kernel.binary)),
        ];
        for (at, length, number) in fields {
            if let Some(number) = number {
                let value = Value::known(u64::from(number));
                host.memory.store(address.wrapping_add(at), length, value);
            }
        }
    }
    success(host, args)
}
