//! Device code of several files, as `nvcc -rdc=true` hands it in: a wrapper of the second version and its list.

use super::lab::{self, OwnContext};
use std::ffi::{CStr, c_void};

const INVALID_IMAGE: u32 = 200;
const NO_BINARY_FOR_GPU: u32 = 209;
const INVALID_PTX: u32 = 218;
const NOT_FOUND: u32 = 500;

const USER: &str = ".version 8.0
.target sm_80
.extern .func (.param .b32 r) weight(.param .b32 p);
.extern .global .align 4 .u32 counter;
.visible .entry weigh(.param .u64 a, .param .u32 n) { ret; }
";
const OWNER: &str = ".version 8.0
.target sm_80
.visible .func (.param .b32 r) weight(.param .b32 p) { ret; }
.visible .global .align 4 .u32 counter = 42;
.visible .entry count() { ret; }
";

/// A container with one entry: of PTX (1) or machine code (2).
fn container(kind: u64, payload: &[u8]) -> Vec<u8> {
    let mut payload = payload.to_vec();
    payload.resize((payload.len() + 1).next_multiple_of(8), 0);
    let size = payload.len() as u64;
    let words = [
        0x0010_0001_ba55_ed50,
        64 + size,
        kind | 64 << 32,
        size,
        0,
        80 << 32,
    ];
    let mut bytes: Vec<u8> = words
        .iter()
        .flat_map(|word: &u64| word.to_le_bytes())
        .collect();
    bytes.resize(16 + 64, 0);
    bytes.extend(payload);
    bytes
}

/// What nvcc's code hands in, with all that it points to.
struct Linked {
    _files: Vec<Vec<u8>>,
    _list: Vec<*const u8>,
    _whole: Vec<u8>,
    wrapper: [usize; 3],
}

impl Linked {
    fn new(files: Vec<Vec<u8>>, whole: Vec<u8>) -> Linked {
        const MAGIC_AND_VERSION: usize = 0x2_4662_43b1;
        let mut list: Vec<*const u8> = files.iter().map(Vec::as_ptr).collect();
        list.push(std::ptr::null());
        let pointers = [
            whole.as_ptr().expose_provenance(),
            list.as_ptr().expose_provenance(),
        ];
        Linked {
            wrapper: [MAGIC_AND_VERSION, pointers[0], pointers[1]],
            _files: files,
            _list: list,
            _whole: whole,
        }
    }

    fn load(&self) -> Result<usize, u32> {
        let mut library = 0;
        let image = self.wrapper.as_ptr().cast::<c_void>();
        // SAFETY: room for one handle, a wrapper whose parts live, and no options.
        match unsafe { lab::cuLibraryLoadData(&raw mut library, image, 0, 0, 0, 0, 0, 0) } {
            0 => Ok(library),
            error => Err(error),
        }
    }
}

fn nothing_linked() -> Vec<u8> {
    [0x0010_0001_ba55_ed50_u64, 0]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect()
}

fn kernel(library: usize, name: &CStr) -> u32 {
    let mut kernel = 0;
    // SAFETY: room for one handle, and a NUL-terminated name.
    unsafe { lab::cuLibraryGetKernel(&raw mut kernel, library, name.as_ptr()) }
}

#[test]
fn files_are_one_program_and_machine_code_beside_them_is_no_hindrance() {
    let _context = OwnContext::new();
    let files = [
        container(1, USER.as_bytes()),
        container(2, b"machine code"),
        container(1, OWNER.as_bytes()),
    ];
    for whole in [nothing_linked(), container(2, b"machine code, linked")] {
        let library = Linked::new(files.to_vec(), whole).load().unwrap();
        let names = [c"weigh", c"count", c"weight"].map(|name| kernel(library, name));
        assert_eq!(names, [0, 0, NOT_FOUND]);
        let (mut address, mut bytes, mut value) = (0, 0, 0_u32);
        // SAFETY: room for each result, live handles.
        unsafe {
            let name = c"counter".as_ptr();
            let found = lab::cuLibraryGetGlobal(&raw mut address, &raw mut bytes, library, name);
            assert_eq!((found, bytes), (0, 4));
            assert_eq!(lab::cuMemcpyDtoH_v2((&raw mut value).cast(), address, 4), 0);
            assert_eq!(lab::cuLibraryUnload(library), 0);
        }
        assert_eq!(value, 42);
    }
}

#[test]
fn files_that_are_no_whole_are_refused() {
    let _context = OwnContext::new();
    let load = |files: Vec<Vec<u8>>| Linked::new(files, nothing_linked()).load();
    assert_eq!(load(vec![container(1, USER.as_bytes())]), Err(INVALID_PTX));
    let twice = vec![container(1, OWNER.as_bytes()); 2];
    assert_eq!(load(twice), Err(INVALID_PTX));
    assert_eq!(
        load(vec![container(2, b"machine code")]),
        Err(NO_BINARY_FOR_GPU)
    );
    assert_eq!(
        load(vec![b"hello, I am no container".to_vec()]),
        Err(INVALID_IMAGE)
    );
    let mut without = Linked::new(Vec::new(), nothing_linked());
    without.wrapper[2] = 0;
    assert_eq!(without.load(), Err(NO_BINARY_FOR_GPU));
    without.wrapper[1] = 0;
    assert_eq!(without.load(), Err(INVALID_IMAGE));
}
