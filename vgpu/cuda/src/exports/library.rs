//! Device code: modules and libraries (one thing here), functions and kernels (one thing here), and their attributes.
//! A module is loaded into the current context at once; a library lazily, into each context at the first use of one
//! of its kernels or variables there, as by default since CUDA 12. From then on its variables take device memory.

use crate::border::{In, Out};
use crate::contexts::{self, CudaContext};
use crate::images::{self, Kernel};
use crate::limits;
use crate::occupancy::REGISTERS_PER_THREAD;
use crate::status::{Outcome, Status};
use std::ffi::c_char;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::Ordering;

exports! {
    fn cuModuleLoad(module: Out<usize>, file: In<c_char>) {
        let context = contexts::current()?;
        module.put(loaded_into(&context, load_file(&file)?)?)
    }

    fn cuModuleLoadData(module: Out<usize>, image: *const u8) {
        let context = contexts::current()?;
        module.put(loaded_into(&context, load(&module, image)?)?)
    }

    fn cuModuleLoadDataEx(module: Out<usize>, image: *const u8, _options: u32, _names: usize, _values: usize) {
        let context = contexts::current()?;
        module.put(loaded_into(&context, load(&module, image)?)?)
    }

    fn cuModuleLoadFatBinary(module: Out<usize>, image: *const u8) {
        let context = contexts::current()?;
        module.put(loaded_into(&context, load(&module, image)?)?)
    }

    fn cuModuleUnload(module: usize) {
        images::unload(module)
    }

    fn cuModuleGetLoadingMode(mode: Out<u32>) {
        const LAZY: u32 = 2;
        mode.put(LAZY)
    }

    fn cuModuleGetFunction(function: Out<usize>, module: usize, name: In<c_char>) {
        function.put(images::image(module)?.kernel(name.name()?)?)
    }

    fn cuModuleGetFunctionCount(count: Out<u32>, module: usize) {
        count.put(u32::try_from(images::image(module)?.kernels().len()).unwrap_or(u32::MAX))
    }

    fn cuModuleEnumerateFunctions(functions: Out<usize>, room: u32, module: usize) {
        functions.put_all(images::image(module)?.kernels().take(room as usize))
    }

    fn cuModuleGetGlobal_v2(address: Out<u64>, bytes: Out<usize>, module: usize, name: In<c_char>) {
        variable(&address, &bytes, module, &name)
    }

    fn cuLibraryLoadData(
        library: Out<usize>, image: *const u8, _names: usize, _values: usize, _options: u32,
        _library_names: usize, _library_values: usize, _library_options: u32,
    ) {
        library.put(load(&library, image)?)
    }

    fn cuLibraryLoadFromFile(
        library: Out<usize>, file: In<c_char>, _names: usize, _values: usize, _options: u32,
        _library_names: usize, _library_values: usize, _library_options: u32,
    ) {
        library.put(load_file(&file)?)
    }

    fn cuLibraryUnload(library: usize) {
        images::unload(library)
    }

    fn cuLibraryGetKernel(kernel: Out<usize>, library: usize, name: In<c_char>) {
        kernel.put(images::image(library)?.kernel(name.name()?)?)
    }

    fn cuLibraryGetKernelCount(count: Out<u32>, library: usize) {
        count.put(u32::try_from(images::image(library)?.kernels().len()).unwrap_or(u32::MAX))
    }

    fn cuLibraryEnumerateKernels(kernels: Out<usize>, room: u32, library: usize) {
        kernels.put_all(images::image(library)?.kernels().take(room as usize))
    }

    fn cuLibraryGetModule(module: Out<usize>, library: usize) {
        images::image(library)?.load_into(&*contexts::current()?)?;
        module.put(library)
    }

    fn cuLibraryGetGlobal(address: Out<u64>, bytes: Out<usize>, library: usize, name: In<c_char>) {
        variable(&address, &bytes, library, &name)
    }

    /// Managed variables are device variables here: the host can read and write all device memory.
    fn cuLibraryGetManaged(address: Out<u64>, bytes: Out<usize>, library: usize, name: In<c_char>) {
        variable(&address, &bytes, library, &name)
    }

    fn cuKernelGetFunction(function: Out<usize>, kernel: usize) {
        images::kernel_of(kernel)?.load_into(&*contexts::current()?)?;
        function.put(kernel)
    }

    fn cuKernelGetLibrary(library: Out<usize>, kernel: usize) {
        library.put(images::kernel_of(kernel)?.image()?)
    }

    fn cuKernelGetName(name: Out<*const c_char>, kernel: usize) {
        name.put(images::kernel_of(kernel)?.name.as_ptr())
    }

    fn cuKernelGetAttribute(value: Out<i32>, attribute: u32, kernel: usize, _device: i32) {
        value.put(attribute_of(&*images::kernel_of(kernel)?, attribute)?)
    }

    fn cuKernelSetAttribute(attribute: u32, value: i32, kernel: usize, _device: i32) {
        set_attribute(&*images::kernel_of(kernel)?, attribute, value)
    }

    fn cuKernelSetCacheConfig(kernel: usize, _config: u32, _device: i32) {
        images::kernel_of(kernel).map(drop)
    }

    fn cuKernelGetParamInfo(kernel: usize, nth: usize, offset: Out<usize>, bytes: Out<usize>) {
        parameter(kernel, nth, &offset, &bytes)
    }

    fn cuKernelGetParamCount(kernel: usize, count: Out<usize>) {
        count.put(images::kernel_of(kernel)?.outline.parameters.len())
    }

    fn cuFuncGetModule(module: Out<usize>, function: usize) {
        module.put(images::kernel_of(function)?.image()?)
    }

    fn cuFuncGetName(name: Out<*const c_char>, function: usize) {
        name.put(images::kernel_of(function)?.name.as_ptr())
    }

    fn cuFuncGetAttribute(value: Out<i32>, attribute: u32, function: usize) {
        value.put(attribute_of(&*images::kernel_of(function)?, attribute)?)
    }

    fn cuFuncSetAttribute(function: usize, attribute: u32, value: i32) {
        set_attribute(&*images::kernel_of(function)?, attribute, value)
    }

    /// A hint, which no GPU of today takes.
    fn cuFuncSetSharedMemConfig(function: usize, _config: u32) {
        images::kernel_of(function).map(drop)
    }

    /// Without an assembler there is no machine code to link.
    fn cuLinkCreate_v2(_options: u32, _names: usize, _values: usize, _state: Out<usize>) {
        refuse_linking()
    }

    fn cuLinkCreate(_options: u32, _names: usize, _values: usize, _state: Out<usize>) {
        refuse_linking()
    }

    fn cuFuncSetCacheConfig(function: usize, _config: u32) {
        images::kernel_of(function).map(drop)
    }

    fn cuFuncGetParamInfo(function: usize, nth: usize, offset: Out<usize>, bytes: Out<usize>) {
        parameter(function, nth, &offset, &bytes)
    }

    fn cuFuncGetParamCount(function: usize, count: Out<usize>) {
        count.put(images::kernel_of(function)?.outline.parameters.len())
    }

    fn cuFuncIsLoaded(state: Out<u32>, function: usize) {
        const LOADED: u32 = 1;
        images::kernel_of(function)?;
        state.put(LOADED)
    }

    fn cuFuncLoad(function: usize) {
        images::kernel_of(function).map(drop)
    }
}

fn refuse_linking() -> Outcome {
    crate::log::unsupported("cuLinkCreate");
    crate::log::explain(
        "device code cannot be linked at run time here: cuModuleLoadData takes PTX, and programs linked by nvcc \
         -rdc=true run",
    );
    Err(Status::NOT_SUPPORTED)
}

fn load(handle: &Out<usize>, image: *const u8) -> Outcome<usize> {
    if handle.is_null() || image.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    images::load(image)
}

/// The device code of a handle, loaded into a context; where it does not fit there it is gone again.
fn loaded_into(context: &CudaContext, module: usize) -> Outcome<usize> {
    match images::image(module)?.load_into(context) {
        Ok(()) => Ok(module),
        Err(status) => images::unload(module).and(Err(status)),
    }
}

fn load_file(file: &In<c_char>) -> Outcome<usize> {
    let path = std::ffi::OsStr::from_bytes(file.text()?.to_bytes());
    let mut bytes = std::fs::read(path).map_err(|_| Status::FILE_NOT_FOUND)?;
    // Text without a NUL gets one; four bytes are the least that `load` looks at.
    bytes.resize(bytes.len() + 4, 0);
    images::load(bytes.as_ptr())
}

fn variable(address: &Out<u64>, bytes: &Out<usize>, image: usize, name: &In<c_char>) -> Outcome {
    let context = contexts::current()?;
    let (found, size) = images::image(image)?.variable(&context, name.name()?)?;
    address.offer(found);
    bytes.offer(size);
    Ok(())
}

fn parameter(kernel: usize, nth: usize, offset: &Out<usize>, bytes: &Out<usize>) -> Outcome {
    let kernel = images::kernel_of(kernel)?;
    let found = kernel
        .outline
        .parameters
        .get(nth)
        .ok_or(Status::INVALID_VALUE)?;
    offset.put(found.0)?;
    bytes.offer(found.1);
    Ok(())
}

const MAX_DYNAMIC_SHARED: u32 = 8;
const CARVEOUT: u32 = 9;
const LARGE_CLUSTERS: u32 = 14;

fn attribute_of(kernel: &Kernel, attribute: u32) -> Outcome<i32> {
    let (major, minor) = crate::driver::driver()?.gpu.model().compute_capability;
    let value = match attribute {
        0 => kernel.outline.most_threads.unwrap_or(limits::BLOCK_THREADS),
        1 => kernel.static_shared(),
        // Constant and local memory: known only to an assembler, which the virtual GPU has not.
        2 | 3 => 0,
        4 => REGISTERS_PER_THREAD,
        5 | 6 => major * 10 + minor,
        MAX_DYNAMIC_SHARED => kernel.most_dynamic_shared(),
        CARVEOUT => return Ok(kernel.carveout.load(Ordering::Relaxed)),
        LARGE_CLUSTERS => kernel.large_clusters.load(Ordering::Relaxed).into(),
        7 | 10..=17 => 0,
        _ => return Err(Status::INVALID_VALUE),
    };
    i32::try_from(value).map_err(|_| Status::INVALID_VALUE)
}

fn set_attribute(kernel: &Kernel, attribute: u32, value: i32) -> Outcome {
    let capability = crate::driver::driver()?.gpu.model().compute_capability;
    let most = (limits::architecture(capability).shared_kib - 1) << 10;
    let room = most.saturating_sub(kernel.static_shared());
    match attribute {
        MAX_DYNAMIC_SHARED if u32::try_from(value).is_ok_and(|value| value <= room) => {
            kernel.dynamic_shared.store(value, Ordering::Relaxed);
            Ok(())
        }
        CARVEOUT if (-1..=100).contains(&value) => {
            kernel.carveout.store(value, Ordering::Relaxed);
            Ok(())
        }
        LARGE_CLUSTERS if value == 0 || value == 1 => {
            kernel.large_clusters.store(value == 1, Ordering::Relaxed);
            Ok(())
        }
        MAX_DYNAMIC_SHARED | CARVEOUT | LARGE_CLUSTERS => Err(Status::INVALID_VALUE),
        _ => Err(Status::NOT_SUPPORTED),
    }
}
