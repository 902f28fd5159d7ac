//! Whether the libraries of this very host (libc, libm, libstdc++ ...) define a function: asked of the dynamic linker
//! of this process, which has them all loaded because LLVM needs them. For IR that was never linked, where no program
//! tells what it takes from the system.

use std::ffi::{CStr, CString};

/// How the system's own libraries are called, by the beginning of their files' names.
const LIBRARIES: [&str; 9] = [
    "libc.so",
    "libm.so",
    "libstdc++.so",
    "libgcc_s.so",
    "libpthread.so",
    "librt.so",
    "libdl.so",
    "ld-linux",
    "libc-2",
];

/// Whether one of the system's libraries defines it.
pub fn defines(name: &str) -> bool {
    let Ok(name) = CString::new(name) else {
        return false;
    };
    // SAFETY: the name is zero-terminated; a lookup runs no code of the program.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    if address.is_null() {
        return false;
    }
    let mut found = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: `found` is a live structure of the right type; the address came from the linker.
    if unsafe { libc::dladdr(address, &raw mut found) } == 0 || found.dli_fname.is_null() {
        return false;
    }
    // SAFETY: the linker keeps the name, zero-terminated, for as long as the library is loaded: always.
    let file = unsafe { CStr::from_ptr(found.dli_fname) }.to_string_lossy();
    let file = file.rsplit('/').next().unwrap_or_default();
    LIBRARIES.iter().any(|library| file.starts_with(library))
}

#[cfg(test)]
mod tests {
    use super::defines;

    #[test]
    fn the_c_library_is_the_systems_and_llvm_is_not() {
        assert!(defines("getrusage") && defines("sysconf") && defines("hypot"));
        assert!(!defines("LLVMContextCreate") && !defines("xalloc") && !defines("a\0b"));
    }
}
