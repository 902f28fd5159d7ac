//! From a stub's address or a driver handle to the kernel that it stands for.

use crate::machine::address::function_at;
use crate::machine::host::Host;
use crate::machine::value::Value;
use migfit_schema::kernel::{Kernel, kernel_of_stub};

/// The mangled name of the kernel behind a function pointer or handle.
pub fn symbol(host: &Host<'_>, pointer: Value) -> Option<String> {
    let address = pointer.get().ok()?;
    if let Some(name) = host.handle_names.get(&address) {
        return Some(name.clone());
    }
    let function = host.program.functions.get(function_at(address)? as usize)?;
    let mut named = host.program.kernel_names.iter();
    let registered = named.find(|(host, _)| *host == function.name);
    Some(match registered {
        Some((_, symbol)) => symbol.clone(),
        None => kernel_of_stub(&function.name).unwrap_or_else(|| function.name.clone()),
    })
}

/// What is known of a kernel.
pub fn known<'h>(host: &Host<'h>, symbol: &str) -> Option<&'h Kernel> {
    host.kernels.iter().find(|kernel| kernel.symbol == symbol)
}
