//! From a stub's address or a driver handle to the kernel that it stands for.

use crate::machine::address::function_at;
use crate::machine::host::Host;
use crate::machine::value::Value;
use migfit_schema::kernel::Kernel;

/// What clang puts before the name of a kernel's stub.
const STUB: &str = "__device_stub__";

/// The mangled name of the kernel behind a function pointer or handle.
pub fn symbol(host: &Host<'_>, pointer: Value) -> Option<String> {
    let address = pointer.get().ok()?;
    if let Some(name) = host.handle_names.get(&address) {
        return Some(name.clone());
    }
    let function = host.program.functions.get(function_at(address)? as usize)?;
    Some(kernel_of_stub(&function.name).unwrap_or_else(|| function.name.clone()))
}

/// `_Z18__device_stub__foov` stands for `_Z3foov`.
pub fn kernel_of_stub(stub: &str) -> Option<String> {
    let at = stub.find(STUB)?;
    let (before, after) = (stub.get(..at)?, stub.get(at + STUB.len()..)?);
    let prefix = before.trim_end_matches(|c: char| c.is_ascii_digit());
    let Some(len) = before
        .get(prefix.len()..)
        .and_then(|digits| digits.parse::<usize>().ok())
    else {
        return Some(format!("{before}{after}"));
    };
    Some(format!("{prefix}{}{after}", len.checked_sub(STUB.len())?))
}

/// What is known of a kernel.
pub fn known<'h>(host: &Host<'h>, symbol: &str) -> Option<&'h Kernel> {
    host.kernels.iter().find(|kernel| kernel.symbol == symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_names_its_kernel() {
        assert_eq!(
            kernel_of_stub("_Z18__device_stub__foov").as_deref(),
            Some("_Z3foov")
        );
        assert_eq!(
            kernel_of_stub("_ZN2ns18__device_stub__barEPf").as_deref(),
            Some("_ZN2ns3barEPf")
        );
        assert_eq!(
            kernel_of_stub("__device_stub__plain").as_deref(),
            Some("plain")
        );
        assert_eq!(kernel_of_stub("main"), None);
    }
}
