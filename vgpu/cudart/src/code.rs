//! Device code that the program registered at its start: fat binaries, and which host addresses stand for which of
//! their kernels and variables. A fat binary is handed to the driver when one of them is first used.

use crate::bound::bound;
use crate::driver;
use crate::error::{Outcome, Status, checked};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the program registered.
struct Registry {
    /// Fat binaries by handle: the wrapper's address, and the driver's library once it is loaded.
    binaries: BTreeMap<usize, Binary>,
    /// Kernels by the host stub's address.
    kernels: BTreeMap<usize, Item>,
    /// Variables by the host shadow's address.
    variables: BTreeMap<usize, Item>,
    /// Managed variables by the address of their host pointer.
    managed: BTreeMap<usize, Item>,
    next: usize,
}

struct Binary {
    wrapper: usize,
    library: Option<usize>,
}

struct Item {
    binary: usize,
    name: CString,
    /// The driver's kernel once it was asked for.
    kernel: Option<usize>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    binaries: BTreeMap::new(),
    kernels: BTreeMap::new(),
    variables: BTreeMap::new(),
    managed: BTreeMap::new(),
    next: 1,
});

/// Takes a fat binary in; the driver is not touched yet.
pub fn register_binary(wrapper: *const c_void) -> usize {
    let mut registry = registry();
    let handle = registry.next;
    registry.next += 1;
    registry.binaries.insert(
        handle,
        Binary {
            wrapper: wrapper.expose_provenance(),
            library: None,
        },
    );
    handle
}

/// Forgets a fat binary and what is in it.
pub fn unregister_binary(handle: usize) {
    let mut registry = registry();
    registry.kernels.retain(|_, item| item.binary != handle);
    registry.variables.retain(|_, item| item.binary != handle);
    registry.managed.retain(|_, item| item.binary != handle);
    let library = registry
        .binaries
        .remove(&handle)
        .and_then(|binary| binary.library);
    if let (Some(library), Ok(driver)) = (library, driver::loaded()) {
        // SAFETY: the handle is live. At the program's end a failure concerns nobody.
        unsafe { (driver.library_unload)(library) };
    }
}

/// A host stub stands for a kernel of a fat binary.
pub fn register_kernel(binary: usize, stub: usize, name: *const c_char) {
    let item = Item {
        binary,
        name: owned(name),
        kernel: None,
    };
    registry().kernels.insert(stub, item);
}

/// A host shadow stands for a device variable of a fat binary.
pub fn register_variable(binary: usize, shadow: usize, name: *const c_char) {
    let item = Item {
        binary,
        name: owned(name),
        kernel: None,
    };
    registry().variables.insert(shadow, item);
}

/// A host pointer is to point to a managed variable of a fat binary.
pub fn register_managed(binary: usize, pointer: usize, name: *const c_char) {
    let item = || Item {
        binary,
        name: owned(name),
        kernel: None,
    };
    let mut registry = registry();
    registry.variables.insert(pointer, item());
    registry.managed.insert(pointer, item());
}

/// Sets the host pointers to a fat binary's managed variables: compiled code asks for it before it uses one.
pub fn place_managed(binary: usize) -> Outcome {
    bound()?;
    place(|item| item.binary == binary)
}

/// Sets the host pointers to all managed variables: fat binaries that have some are loaded into a new primary context
/// at once, since the host may look at them at any time. The context is current already.
pub fn place_all_managed() -> Outcome {
    place(|_| true)
}

fn place(wanted: impl Fn(&Item) -> bool) -> Outcome {
    let mut registry = registry();
    let items = registry.managed.iter().filter(|(_, item)| wanted(item));
    let items: Vec<_> = items
        .map(|(pointer, item)| (*pointer, item.binary, item.name.clone()))
        .collect();
    for (pointer, binary, name) in items {
        let library = library(&mut registry, binary)?;
        let mut address = 0_u64;
        let size = std::ptr::null_mut();
        // SAFETY: room for the address, none for the size, a live library and a NUL-terminated name.
        checked(unsafe {
            (driver::driver()?.library_managed)(&raw mut address, size, library, name.as_ptr())
        })?;
        // SAFETY: compiled code registered this address as that of its pointer variable.
        unsafe { std::ptr::with_exposed_provenance_mut::<u64>(pointer).write(address) };
    }
    Ok(())
}

/// The driver's kernel of a host stub.
pub fn kernel(stub: usize) -> Outcome<usize> {
    let driver = bound()?;
    let mut registry = registry();
    let item = registry
        .kernels
        .get(&stub)
        .ok_or(Status::INVALID_DEVICE_FUNCTION)?;
    if let Some(kernel) = item.kernel {
        return Ok(kernel);
    }
    let (binary, name) = (item.binary, item.name.clone());
    let library = library(&mut registry, binary)?;
    let mut kernel = 0;
    // SAFETY: room for one handle, a live library and a NUL-terminated name.
    let result = unsafe { (driver.library_kernel)(&raw mut kernel, library, name.as_ptr()) };
    checked(result).map_err(|status| match status {
        Status::SYMBOL_NOT_FOUND => Status::INVALID_DEVICE_FUNCTION,
        other => other,
    })?;
    if let Some(item) = registry.kernels.get_mut(&stub) {
        item.kernel = Some(kernel);
    }
    Ok(kernel)
}

/// The driver's function, in the current context, of a host stub or of a kernel handle that a program holds.
pub fn function(stub_or_kernel: usize) -> Outcome<usize> {
    let driver = bound()?;
    let known = registry().kernels.contains_key(&stub_or_kernel);
    let kernel = if known {
        kernel(stub_or_kernel)?
    } else {
        stub_or_kernel
    };
    let mut function = 0;
    // SAFETY: room for one handle; the driver refuses a handle that is none.
    let result = unsafe { (driver.kernel_function)(&raw mut function, kernel) };
    checked(result).map_err(|status| match status {
        Status::INVALID_HANDLE => Status::INVALID_DEVICE_FUNCTION,
        // Its code could not be loaded into the context: no memory, most of the time.
        other => other,
    })?;
    Ok(function)
}

/// The host stub of one of the driver's kernels or functions, where the program has one.
pub fn stub_of(kernel: usize) -> Option<usize> {
    let registry = registry();
    let of_kernel = |(_, item): &(&usize, &Item)| item.kernel == Some(kernel);
    registry
        .kernels
        .iter()
        .find(of_kernel)
        .map(|(stub, _)| *stub)
}

/// Device address and size of a variable's host shadow.
pub fn variable(shadow: usize) -> Outcome<(u64, usize)> {
    let driver = bound()?;
    let mut registry = registry();
    let item = registry
        .variables
        .get(&shadow)
        .ok_or(Status::INVALID_SYMBOL)?;
    let (binary, name) = (item.binary, item.name.clone());
    let library = library(&mut registry, binary)?;
    let (mut address, mut bytes) = (0, 0);
    // SAFETY: room for both results, a live library and a NUL-terminated name.
    let result = unsafe {
        (driver.library_global)(&raw mut address, &raw mut bytes, library, name.as_ptr())
    };
    checked(result).map_err(|status| match status {
        Status::SYMBOL_NOT_FOUND => Status::INVALID_SYMBOL,
        other => other,
    })?;
    Ok((address, bytes))
}

/// The driver's library of a fat binary, loaded when first asked for.
fn library(registry: &mut Registry, binary: usize) -> Outcome<usize> {
    let binary = registry
        .binaries
        .get_mut(&binary)
        .ok_or(Status::INVALID_DEVICE_FUNCTION)?;
    if let Some(library) = binary.library {
        return Ok(library);
    }
    let driver = driver::driver()?;
    let wrapper = std::ptr::with_exposed_provenance::<c_void>(binary.wrapper);
    let mut library = 0;
    // SAFETY: room for one handle, the program's own record, and no options.
    checked(unsafe { (driver.library_load)(&raw mut library, wrapper, 0, 0, 0, 0, 0, 0) })?;
    binary.library = Some(library);
    Ok(library)
}

fn owned(name: *const c_char) -> CString {
    if name.is_null() {
        return CString::default();
    }
    // SAFETY: compiled code hands in NUL-terminated names.
    unsafe { CStr::from_ptr(name) }.to_owned()
}

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}
