//! Read-only views of LLVM values, types and debug locations, with the unsafe C interface below them.
//! A view borrows the module it came from. Must not know CUDA or the size program.

/// Asks LLVM's C interface something about a view's handle.
macro_rules! query {
    ($call:expr) => {{
        // SAFETY: every handle given here was handed out by LLVM for a module that the view's lifetime
        // keeps alive, is not null, and is of the kind that the C function asks for (checked by the caller's match on
        // the kind). The functions called only read, and nothing changes the module while a view exists.
        unsafe { $call }
    }};
}

pub mod text;

pub mod types;

pub mod value;

pub mod constant;

pub mod instruction;

pub mod function;

pub mod metadata;

pub mod module;
