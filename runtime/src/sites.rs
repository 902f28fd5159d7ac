//! The calling stack -> the program's own code that allocates, by file and offset. It must not know the driver: every
//! frame of a library of CUDA's, or of ours, is passed over.

use crate::record::{Record, Site};
use migfit_schema::record::SITE_FRAMES;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_int, c_void};

/// Rows by return addresses, of the call first and then of its callers.
#[derive(Default)]
pub struct Sites(BTreeMap<[usize; SITE_FRAMES], Option<Site>>);

/// Beginnings of the names of libraries whose frames are not the program's own.
const PASSED_OVER: [&[u8]; 3] = [b"libmigfit_runtime", b"libcuda.so", b"libcudart.so"];

impl Sites {
    /// Notes an allocation by the code that called CUDA.
    pub fn note(&mut self, record: &Record, bytes: u64) {
        let callers = callers();
        let row = self.0.entry(callers).or_insert_with(|| {
            let (file, base) = file_of(callers[0])?;
            // Callers in other files end the chain.
            let mut offsets = [0; SITE_FRAMES];
            for (offset, address) in offsets.iter_mut().zip(callers) {
                match file_of(address) {
                    Some((other, _)) if other == file => *offset = (address - base) as u64,
                    _ => break,
                }
            }
            record.site(file, offsets)
        });
        if let Some(site) = row {
            record.add_to_site(*site, bytes);
        }
    }
}

/// What a walk of the stack has found.
struct Found {
    addresses: [usize; SITE_FRAMES],
    count: usize,
}

/// The return addresses in the first frames outside the libraries passed over; 0 where there are no more.
fn callers() -> [usize; SITE_FRAMES] {
    extern "C" fn frame(context: *mut c_void, found: *mut c_void) -> c_int {
        // SAFETY: the unwinder hands on its own context.
        let address = unsafe { _Unwind_GetIP(context) };
        // SAFETY: the place below, which outlives the walk and is this walk's alone.
        let found = unsafe { &mut *found.cast::<Found>() };
        let own = found.count == 0
            && file_of(address).is_none_or(|(file, _)| {
                let name = file.rsplit(|byte| *byte == b'/').next().unwrap_or(file);
                PASSED_OVER.iter().any(|other| name.starts_with(other))
            });
        if own {
            return 0;
        }
        found.addresses[found.count] = address;
        found.count += 1;
        // _URC_NORMAL_STOP ends the walk.
        if found.count == SITE_FRAMES { 4 } else { 0 }
    }
    let mut found = Found {
        addresses: [0; SITE_FRAMES],
        count: 0,
    };
    // SAFETY: the function has the unwinder's signature and does not unwind.
    unsafe { _Unwind_Backtrace(frame, (&raw mut found).cast()) };
    found.addresses
}

/// The loaded file that holds this address, and where it is loaded.
fn file_of(address: usize) -> Option<(&'static [u8], usize)> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::uninit();
    let at = std::ptr::without_provenance(address);
    // SAFETY: the loader writes the structure where it finds the address.
    let info = unsafe {
        if libc::dladdr(at, info.as_mut_ptr()) == 0 {
            return None;
        }
        info.assume_init()
    };
    if info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's own text, which stays while the file is loaded: it is on the stack now.
    let file = unsafe { CStr::from_ptr(info.dli_fname) }.to_bytes();
    Some((file, info.dli_fbase.addr()))
}

unsafe extern "C" {
    fn _Unwind_Backtrace(
        frame: extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calling_code_is_found_in_this_very_program() {
        let [address, ..] = callers();
        let (file, base) = file_of(address).unwrap();
        let own = std::env::current_exe().unwrap();
        let own = own.file_name().unwrap().as_encoded_bytes();
        assert!(file.ends_with(own) && base < address);
    }

    #[test]
    fn allocations_of_one_place_are_one_row() {
        let folder = tempfile::tempdir().unwrap();
        let record = Record::create(folder.path(), 81).unwrap();
        let mut sites = Sites::default();
        for bytes in [10, 30, 20] {
            sites.note(&record, bytes);
        }
        let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap();
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let seen = migfit_schema::record::read(&bytes).unwrap();
        let [site] = seen.sites.as_slice() else {
            panic!("{:?}", seen.sites);
        };
        assert_eq!((site.count, site.bytes), (3, 60));
        assert_eq!((site.smallest, site.largest), (10, 30));
    }
}
