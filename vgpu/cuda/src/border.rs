//! The C border as the driver interface has it: pointers and texts of its callers, and the macro that exports functions.

use crate::status::{Outcome, Status};

/// Where the caller wants a result.
pub type Out<T> = migfit_vgpu_border::Out<T, Status>;

/// What the caller hands in by pointer.
pub type In<T> = migfit_vgpu_border::In<T, Status>;

/// Runs the body of an exported function; a panic becomes an error code.
pub fn guard(body: impl FnOnce() -> Outcome) -> u32 {
    migfit_vgpu_border::guard(body)
}

/// Copies a text into a caller's buffer of `len` bytes, cut to fit, NUL-terminated.
pub fn put_text(room: Out<u8>, len: i32, text: &str) -> Outcome {
    let len = usize::try_from(len)
        .ok()
        .filter(|len| *len > 0)
        .ok_or(Status::INVALID_VALUE)?;
    let cut = text.bytes().take(len - 1).chain(std::iter::once(0));
    room.put_all(cut)
}

/// Exports functions of the driver interface: each body gives an `Outcome`.
macro_rules! exports {
    ($($functions:tt)*) => {
        migfit_vgpu_border::exports! { $crate::border::guard; $($functions)* }
    };
}
