//! An image of device code that a C caller points to -> the PTX texts in it, which are one program's device files. Only
//! here are such pointers followed.

use migfit_ptx::container;
use migfit_ptx::source::{self, SourceError, WRAPPER_MAGIC};
use std::ffi::CStr;

/// The record that nvcc's code hands in for its device code.
#[repr(C)]
#[derive(Clone, Copy)]
struct Wrapper {
    magic: u32,
    version: u32,
    container: *const u8,
    /// In the version of linked device code: the device files' containers, null behind the last.
    files: *const *const u8,
}

/// The version of a wrapper for device code that was linked (`nvcc -rdc=true`).
const LINKED: u32 = 2;

/// The PTX of an image: a wrapper record, a container, or NUL-terminated text.
pub fn texts(image: *const u8, capability: (u32, u32)) -> Result<Vec<String>, SourceError> {
    const ELF: [u8; 4] = *b"\x7fELF";
    let (major, minor) = capability;
    // SAFETY: every form of image has at least four bytes (PTX text ends in a NUL, and is longer).
    let first = unsafe { image.cast::<[u8; 4]>().read_unaligned() };
    let text = match u32::from_le_bytes(first) {
        WRAPPER_MAGIC => {
            // SAFETY: that magic begins a wrapper record.
            let wrapper = unsafe { image.cast::<Wrapper>().read_unaligned() };
            return of_wrapper(&wrapper, capability);
        }
        container::MAGIC => source::from_container(container_bytes(image)?, capability),
        _ if first == ELF => Err(SourceError::NoPtx { major, minor }),
        // SAFETY: what is none of the above is NUL-terminated text by the C interface.
        _ => source::from_text(unsafe { CStr::from_ptr(image.cast()) }.to_bytes()),
    };
    Ok(vec![text?])
}

fn of_wrapper(wrapper: &Wrapper, capability: (u32, u32)) -> Result<Vec<String>, SourceError> {
    let whole = source::from_container(container_bytes(wrapper.container)?, capability);
    match whole {
        // nvlink left machine code, or nothing; the PTX is with the files that it came from.
        Err(SourceError::NoPtx { .. }) if wrapper.version == LINKED && !wrapper.files.is_null() => {
            source::from_device_files(&device_files(wrapper.files)?, capability)
        }
        whole => Ok(vec![whole?]),
    }
}

/// The containers of a list that a null pointer ends.
fn device_files<'a>(mut list: *const *const u8) -> Result<Vec<&'a [u8]>, SourceError> {
    let mut found = Vec::new();
    loop {
        // SAFETY: the list goes on up to its null pointer, which is not reached yet.
        let file = unsafe { list.read_unaligned() };
        if file.is_null() {
            return Ok(found);
        }
        found.push(container_bytes(file)?);
        // SAFETY: as above.
        list = unsafe { list.add(1) };
    }
}

/// The bytes of the container that begins here; its header tells how many.
fn container_bytes<'a>(container: *const u8) -> Result<&'a [u8], SourceError> {
    if container.is_null() {
        return Err(container::ContainerError::Truncated(0).into());
    }
    // SAFETY: the caller vouches for a container, which has at least a header.
    let header = unsafe { std::slice::from_raw_parts(container, container::HEADER) };
    let length = container::length(header)?;
    // SAFETY: the container is as long as its header says.
    Ok(unsafe { std::slice::from_raw_parts(container, length) })
}
