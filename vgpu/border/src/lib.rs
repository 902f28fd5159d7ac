//! The C border of the virtual GPU's libraries: pointers that callers hand in, the guard that no panic passes, and
//! macros that export functions. Knows no interface: each library brings its own codes, as a [`Refusal`].

mod exports;
mod guard;
mod pointers;

pub use guard::{Refusal, guard};
pub use pointers::{In, Out};
