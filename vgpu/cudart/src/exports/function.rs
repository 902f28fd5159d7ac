//! Kernels: their attributes and occupancy.

use crate::border::{In, Out};
use crate::bound::bound;
use crate::code;
use crate::error::{Outcome, checked};
use crate::exports::launch::Configuration;
use std::ffi::c_char;

/// `cudaFuncAttributes`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Attributes {
    shared: usize,
    constant: usize,
    local: usize,
    threads: i32,
    registers: i32,
    ptx_version: i32,
    binary_version: i32,
    cache_mode: i32,
    dynamic_shared: i32,
    carveout: i32,
    cluster_must_be_set: i32,
    cluster: [i32; 3],
    cluster_policy: i32,
    odd_clusters: i32,
    reserved: [i32; 16],
}

const _: () = assert!(size_of::<Attributes>() == 144);

exports! {
    fn cudaFuncGetAttributes(attributes: Out<Attributes>, stub: usize) {
        attributes.put(attributes_of(code::function(stub)?)?)
    }

    fn cudaFuncSetAttribute(stub: usize, attribute: u32, value: i32) {
        let function = code::function(stub)?;
        // SAFETY: a live function and plain values.
        checked(unsafe { (bound()?.set_function_attribute)(function, attribute, value) })
    }

    fn cudaFuncSetCacheConfig(stub: usize, config: u32) {
        let function = code::function(stub)?;
        // SAFETY: a live function and a plain value.
        checked(unsafe { (bound()?.set_function_cache_config)(function, config) })
    }

    fn cudaFuncGetName(name: Out<*const c_char>, stub: usize) {
        let function = code::function(stub)?;
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.function_name)(name.room()?, function) })
    }

    fn cudaFuncGetParamInfo(stub: usize, nth: usize, offset: usize, bytes: usize) {
        let function = code::function(stub)?;
        // SAFETY: the driver checks the pointers.
        checked(unsafe { (bound()?.parameter_info)(function, nth, offset, bytes) })
    }

    fn cudaFuncGetParamCount(stub: usize, count: usize) {
        let function = code::function(stub)?;
        // SAFETY: the driver checks the pointer.
        checked(unsafe { (bound()?.parameter_count)(function, count) })
    }

    fn cudaOccupancyMaxPotentialClusterSize(size: Out<i32>, stub: usize, configuration: In<Configuration>) {
        let function = code::function(stub)?;
        let given = configuration.get()?.described()?;
        // SAFETY: the caller's room is checked not to be null; the configuration lives through the call.
        checked(unsafe { (bound()?.cluster_size)(size.room()?, function, &raw const given) })
    }

    fn cudaOccupancyMaxActiveClusters(count: Out<i32>, stub: usize, configuration: In<Configuration>) {
        let function = code::function(stub)?;
        let given = configuration.get()?.described()?;
        // SAFETY: as above.
        checked(unsafe { (bound()?.cluster_count)(count.room()?, function, &raw const given) })
    }

    fn cudaGetFuncBySymbol(function: Out<usize>, stub: usize) {
        function.put(code::function(stub)?)
    }

    fn cudaGetKernel(kernel: Out<usize>, stub: usize) {
        kernel.put(code::kernel(stub)?)
    }

    fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks: Out<i32>, stub: usize, threads: i32, shared: usize) {
        let function = code::function(stub)?;
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.blocks_per_sm)(blocks.room()?, function, threads, shared) })
    }

    fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: Out<i32>, stub: usize, threads: i32, shared: usize, flags: u32,
    ) {
        let function = code::function(stub)?;
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.blocks_per_sm_with_flags)(blocks.room()?, function, threads, shared, flags) })
    }

    fn cudaOccupancyAvailableDynamicSMemPerBlock(bytes: Out<usize>, stub: usize, blocks: i32, threads: i32) {
        let function = code::function(stub)?;
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.available_shared)(bytes.room()?, function, blocks, threads) })
    }
}

fn attributes_of(function: usize) -> Outcome<Attributes> {
    let driver = bound()?;
    let ask = |attribute| -> Outcome<i32> {
        let mut value = 0;
        // SAFETY: room for one value, and a live function.
        checked(unsafe { (driver.function_attribute)(&raw mut value, attribute, function) })?;
        Ok(value)
    };
    let size = |attribute| ask(attribute).map(|value| usize::try_from(value).unwrap_or(0));
    Ok(Attributes {
        shared: size(1)?,
        constant: size(2)?,
        local: size(3)?,
        threads: ask(0)?,
        registers: ask(4)?,
        ptx_version: ask(5)?,
        binary_version: ask(6)?,
        cache_mode: ask(7)?,
        dynamic_shared: ask(8)?,
        carveout: ask(9)?,
        cluster_must_be_set: ask(10)?,
        cluster: [ask(11)?, ask(12)?, ask(13)?],
        cluster_policy: ask(15)?,
        odd_clusters: ask(14)?,
        reserved: [0; 16],
    })
}
