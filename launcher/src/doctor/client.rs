//! The program of the self-test (`migfit self-test`, hidden): comes to one driver function by each of the three ways
//! that programs have, tells whether it came to the preloaded library, and may allocate a little by each. Comes in: the
//! environment of a job. Goes out: one line of JSON.

use serde::{Deserialize, Serialize};
use std::arch::global_asm;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;

/// What the test allocates by each way, so that the sum tells which ways were seen.
pub const BYTES: [(&str, u64); 3] = [
    ("linked", 2 << 20),
    ("dlsym", 4 << 20),
    ("get-proc-address", 8 << 20),
];

/// What the client saw.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Why there is nothing to see.
    pub trouble: Option<String>,
    /// By each way, whether it led to the preloaded library.
    pub hooked: Vec<(String, bool)>,
    /// Bytes that the driver gave.
    pub allocated: u64,
    /// Why it gave no more.
    pub refused: Option<String>,
}

// A name as a program that was linked with -lcuda has it: the loader binds it before anything runs. Weak, so that
// migfit itself needs no driver.
global_asm!(
    ".pushsection .data.rel.ro.migfit_linked, \"aw\", @progbits",
    ".balign 8",
    ".weak cuMemAlloc_v2",
    ".globl migfit_linked_allocate",
    ".hidden migfit_linked_allocate",
    "migfit_linked_allocate: .quad cuMemAlloc_v2",
    ".popsection",
);

unsafe extern "C" {
    /// Where the loader bound `cuMemAlloc_v2`; null where nobody has it.
    static migfit_linked_allocate: *mut c_void;
}

type Allocate = unsafe extern "C" fn(*mut u64, usize) -> c_int;
type GetProcAddress =
    unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64, *mut c_int) -> c_int;

/// Makes the look-ups, and the allocations where they are wanted; the line to print.
#[must_use]
pub fn client(allocate: bool) -> String {
    let seen = look(allocate).unwrap_or_else(|trouble| Seen {
        trouble: Some(trouble),
        ..Seen::default()
    });
    // Texts, numbers and flags: this cannot fail.
    serde_json::to_string(&seen).unwrap_or_default() + "\n"
}

fn look(allocate: bool) -> Result<Seen, String> {
    // SAFETY: the name ends with zero; libraries may be loaded at any time.
    let driver =
        unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    if driver.is_null() {
        return Err("there is no libcuda.so.1".to_owned());
    }
    // SAFETY: a word that the loader wrote before `main`; volatile, since the compiler takes it for a constant.
    let linked = unsafe { (&raw const migfit_linked_allocate).read_volatile() };
    let ways = [
        linked,
        find(driver, c"cuMemAlloc_v2"),
        by_get_proc_address(driver),
    ];
    let maps = std::fs::read_to_string("/proc/self/maps").map_err(|error| error.to_string())?;
    let hooked = BYTES.iter().zip(ways).map(|((way, _), address)| {
        let library = library_of(&maps, address as usize);
        (
            way.to_string(),
            library.is_some_and(|path| path.ends_with("/libmigfit_runtime.so")),
        )
    });
    let given = allocate.then(|| allocate_by(driver, ways));
    let (allocated, refused) = match given {
        None => (0, None),
        Some(Ok(bytes)) => (bytes, None),
        Some(Err(why)) => (0, Some(why)),
    };
    Ok(Seen {
        trouble: None,
        hooked: hooked.collect(),
        allocated,
        refused,
    })
}

fn find(driver: *mut c_void, name: &CStr) -> *mut c_void {
    // SAFETY: the handle is that of a loaded library; the name ends with zero.
    unsafe { libc::dlsym(driver, name.as_ptr()) }
}

/// As CUDA runtimes since 12 do; null where the driver has no such function.
fn by_get_proc_address(driver: *mut c_void) -> *mut c_void {
    let mut found = null_mut();
    let ask = find(driver, c"cuGetProcAddress_v2");
    if ask.is_null() {
        return found;
    }
    // SAFETY: the driver's function of this name has this form.
    let ask: GetProcAddress = unsafe { std::mem::transmute(ask) };
    let mut status = 0;
    // SAFETY: both places live through the call; the name ends with zero.
    let code = unsafe {
        ask(
            c"cuMemAlloc".as_ptr(),
            &raw mut found,
            12_000,
            0,
            &raw mut status,
        )
    };
    if code == 0 { found } else { null_mut() }
}

/// Allocates by each way on the first device; how much the driver gave. The process's end frees it.
fn allocate_by(driver: *mut c_void, ways: [*mut c_void; 3]) -> Result<u64, String> {
    begin(driver)?;
    let mut given = 0;
    for ((way, bytes), address) in BYTES.iter().zip(ways) {
        if address.is_null() {
            return Err(format!("cuMemAlloc was not found by {way}"));
        }
        // SAFETY: whoever answered to the name has its form.
        let allocate: Allocate = unsafe { std::mem::transmute(address) };
        let mut pointer = 0;
        // SAFETY: a context is current; the driver writes one pointer.
        let code = unsafe { allocate(&raw mut pointer, usize::try_from(*bytes).unwrap_or(0)) };
        if code != 0 {
            return Err(format!("cuMemAlloc by {way}: CUDA error {code}"));
        }
        given += bytes;
    }
    Ok(given)
}

/// A context on the first device.
fn begin(driver: *mut c_void) -> Result<(), String> {
    type Init = unsafe extern "C" fn(c_uint) -> c_int;
    type Retain = unsafe extern "C" fn(*mut *mut c_void, c_int) -> c_int;
    type SetCurrent = unsafe extern "C" fn(*mut c_void) -> c_int;
    let function = |name: &CStr| match find(driver, name) {
        found if found.is_null() => Err(format!("the driver has no {}", name.to_string_lossy())),
        found => Ok(found),
    };
    let well = |call: &str, code: c_int| match code {
        0 => Ok(()),
        code => Err(format!("{call}: CUDA error {code}")),
    };
    // SAFETY: the driver's functions of these names have these forms.
    let (init, retain, set_current): (Init, Retain, SetCurrent) = unsafe {
        (
            std::mem::transmute::<*mut c_void, Init>(function(c"cuInit")?),
            std::mem::transmute::<*mut c_void, Retain>(function(c"cuDevicePrimaryCtxRetain")?),
            std::mem::transmute::<*mut c_void, SetCurrent>(function(c"cuCtxSetCurrent")?),
        )
    };
    let mut context = null_mut();
    // SAFETY: the calls of every CUDA program, in its order; the driver writes one handle.
    unsafe {
        well("cuInit", init(0))?;
        well("cuDevicePrimaryCtxRetain", retain(&raw mut context, 0))?;
        well("cuCtxSetCurrent", set_current(context))
    }
}

/// The file that an address was loaded from, by `/proc/self/maps`.
fn library_of(maps: &str, address: usize) -> Option<&str> {
    let line = maps.lines().find(|line| {
        let range = line
            .split(' ')
            .next()
            .and_then(|range| range.split_once('-'));
        let number = |text| usize::from_str_radix(text, 16).ok();
        range
            .and_then(|(from, to)| Some((number(from)?, number(to)?)))
            .is_some_and(|(from, to)| (from..to).contains(&address))
    })?;
    line.split_whitespace().nth(5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_traced_to_its_file() {
        let maps =
            "7f00-7f10 r-xp 00000000 08:01 12  /lib/a.so\n7f10-7f20 rw-p 00000000 00:00 0 \n";
        assert_eq!(library_of(maps, 0x7f05), Some("/lib/a.so"));
        assert_eq!(library_of(maps, 0x7f10), None);
        assert_eq!(library_of(maps, 0), None);
    }

    #[test]
    fn without_preload_nothing_is_hooked() {
        let seen: Seen = serde_json::from_str(&client(false)).unwrap();
        assert!(seen.trouble.is_some() || seen.hooked.iter().all(|(_, hooked)| !hooked));
    }
}
