//! Contexts: the primary one, those that the program makes, and which one is current.

use crate::border::{In, Out};
use crate::capture;
use crate::contexts::{self, CudaContext};
use crate::driver::{device, driver};
use crate::handles::Object;
use crate::host_calls;
use crate::status::{Outcome, Status};
use crate::streams;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

/// Parameters of `cuCtxCreate_v4`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CreateParameters {
    affinity: usize,
    affinities: i32,
    graphics: usize,
}

exports! {
    fn cuDevicePrimaryCtxRetain(context: Out<usize>, ordinal: i32) {
        if context.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        context.put(contexts::retain_primary(device(ordinal)?)?)
    }

    fn cuDevicePrimaryCtxRelease_v2(ordinal: i32) {
        device(ordinal)?;
        contexts::release_primary()
    }

    fn cuDevicePrimaryCtxReset_v2(ordinal: i32) {
        device(ordinal)?;
        contexts::reset_primary();
        Ok(())
    }

    fn cuDevicePrimaryCtxSetFlags_v2(ordinal: i32, flags: u32) {
        device(ordinal)?;
        contexts::set_primary_flags(flags);
        Ok(())
    }

    fn cuDevicePrimaryCtxGetState(ordinal: i32, flags: Out<u32>, active: Out<i32>) {
        device(ordinal)?;
        let (set, there) = contexts::primary_state();
        flags.offer(set);
        active.offer(i32::from(there));
        Ok(())
    }

    fn cuDevicePrimaryCtxRelease(ordinal: i32) {
        device(ordinal)?;
        contexts::release_primary()
    }

    fn cuDevicePrimaryCtxReset(ordinal: i32) {
        device(ordinal)?;
        contexts::reset_primary();
        Ok(())
    }

    fn cuDevicePrimaryCtxSetFlags(ordinal: i32, flags: u32) {
        device(ordinal)?;
        contexts::set_primary_flags(flags);
        Ok(())
    }

    fn cuCtxCreate(context: Out<usize>, flags: u32, ordinal: i32) {
        create(&context, flags, ordinal)
    }

    fn cuCtxCreate_v2(context: Out<usize>, flags: u32, ordinal: i32) {
        create(&context, flags, ordinal)
    }

    fn cuCtxCreate_v3(context: Out<usize>, _affinity: usize, affinities: i32, flags: u32, ordinal: i32) {
        // Execution affinity needs NVIDIA's multi-process service.
        if affinities != 0 {
            return Err(Status::NOT_SUPPORTED);
        }
        create(&context, flags, ordinal)
    }

    fn cuCtxCreate_v4(context: Out<usize>, parameters: In<CreateParameters>, flags: u32, ordinal: i32) {
        let special = parameters.get().is_ok_and(|given| given.affinities != 0 || given.graphics != 0);
        if special {
            return Err(Status::NOT_SUPPORTED);
        }
        create(&context, flags, ordinal)
    }

    fn cuCtxDestroy(context: usize) {
        contexts::destroy(context)
    }

    fn cuCtxDestroy_v2(context: usize) {
        contexts::destroy(context)
    }

    fn cuCtxSetCurrent(context: usize) {
        driver()?;
        contexts::set_current(context)
    }

    fn cuCtxGetCurrent(context: Out<usize>) {
        driver()?;
        context.put(contexts::current_handle())
    }

    fn cuCtxPushCurrent_v2(context: usize) {
        contexts::get(context)?;
        contexts::push(context);
        Ok(())
    }

    fn cuCtxPopCurrent_v2(context: Out<usize>) {
        driver()?;
        context.offer(contexts::pop().ok_or(Status::INVALID_CONTEXT)?);
        Ok(())
    }

    fn cuCtxPushCurrent(context: usize) {
        contexts::get(context)?;
        contexts::push(context);
        Ok(())
    }

    fn cuCtxPopCurrent(context: Out<usize>) {
        driver()?;
        context.offer(contexts::pop().ok_or(Status::INVALID_CONTEXT)?);
        Ok(())
    }

    fn cuCtxGetDevice(ordinal: Out<i32>) {
        contexts::current()?;
        ordinal.put(0)
    }

    fn cuCtxGetDevice_v2(ordinal: Out<i32>, context: usize) {
        named_or_current(context)?;
        ordinal.put(0)
    }

    fn cuCtxGetFlags(flags: Out<u32>) {
        flags.put(contexts::current()?.flags.load(Ordering::Relaxed))
    }

    fn cuCtxSetFlags(flags: u32) {
        contexts::current()?.flags.store(flags, Ordering::Relaxed);
        Ok(())
    }

    fn cuCtxGetId(context: usize, id: Out<u64>) {
        id.put(named_or_current(context)?.id)
    }

    fn cuCtxSynchronize() {
        contexts::current()?;
        settle_all()
    }

    fn cuCtxSynchronize_v2(context: usize) {
        let context = named_or_current(context)?;
        settle_all()?;
        context.require_sound()
    }

    fn cuCtxGetApiVersion(context: usize, version: Out<u32>) {
        const SINCE_CUDA_3_2: u32 = 3020;
        named_or_current(context)?;
        version.put(SINCE_CUDA_3_2)
    }

    fn cuCtxSetLimit(limit: u32, value: usize) {
        default_limit(limit)?;
        let context = contexts::current()?;
        context.limits.lock().unwrap_or_else(PoisonError::into_inner).insert(limit, value);
        Ok(())
    }

    fn cuCtxGetLimit(value: Out<usize>, limit: u32) {
        let default = default_limit(limit)?;
        let context = contexts::current()?;
        let limits = context.limits.lock().unwrap_or_else(PoisonError::into_inner);
        value.put(limits.get(&limit).copied().unwrap_or(default))
    }

    /// Banks of shared memory have four bytes.
    fn cuCtxGetSharedMemConfig(config: Out<u32>) {
        const FOUR_BYTES: u32 = 1;
        contexts::current()?;
        config.put(FOUR_BYTES)
    }

    /// A hint, which no GPU of today takes.
    fn cuCtxSetSharedMemConfig(_config: u32) {
        contexts::current().map(drop)
    }

    /// No lines of the cache are kept with MIG.
    fn cuCtxResetPersistingL2Cache() {
        contexts::current().map(drop)
    }

    fn cuCtxAttach(context: Out<usize>, flags: u32) {
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        context.put(contexts::current()?.handle())
    }

    fn cuCtxDetach(context: usize) {
        contexts::get(context).map(drop)
    }

    fn cuCtxGetCacheConfig(config: Out<u32>) {
        config.put(contexts::current()?.cache_config.load(Ordering::Relaxed))
    }

    fn cuCtxSetCacheConfig(config: u32) {
        contexts::current()?.cache_config.store(config, Ordering::Relaxed);
        Ok(())
    }

    fn cuCtxGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) {
        contexts::current()?;
        least.offer(streams::LEAST_PRIORITY);
        greatest.offer(streams::GREATEST_PRIORITY);
        Ok(())
    }
}

/// Waits for all streams; what is captured cannot be waited for.
fn settle_all() -> Outcome {
    capture::forbid()?;
    host_calls::wait(host_calls::last());
    Ok(())
}

fn create(context: &Out<usize>, flags: u32, ordinal: i32) -> Outcome {
    if context.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    let handle = contexts::create(device(ordinal)?, flags)?.handle();
    contexts::push(handle);
    context.put(handle)
}

/// The context of a handle, or the current one for a null handle.
fn named_or_current(context: usize) -> Outcome<std::sync::Arc<CudaContext>> {
    if context == 0 {
        contexts::current()
    } else {
        contexts::get(context)
    }
}

/// A limit's value until the program sets it: stack, printf buffer, heap of device code, nested launches.
fn default_limit(limit: u32) -> Outcome<usize> {
    match limit {
        0 => Ok(1024),
        1 => Ok(1 << 20),
        2 => Ok(8 << 20),
        3 => Ok(2),
        4 => Ok(2048),
        5 => Ok(128),
        6 => Ok(0),
        _ => Err(Status::INVALID_VALUE),
    }
}
