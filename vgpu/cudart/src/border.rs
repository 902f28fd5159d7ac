//! The C border as the runtime interface has it: where results go, and the macro that exports functions.

use crate::error::{Outcome, Status};

/// Where the caller wants a result.
pub type Out<T> = migfit_vgpu_border::Out<T, Status>;

/// What the caller hands in by pointer.
pub type In<T> = migfit_vgpu_border::In<T, Status>;

/// Three extents, passed by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3 {
    /// First dimension.
    pub x: u32,
    /// Second dimension.
    pub y: u32,
    /// Third dimension.
    pub z: u32,
}

/// Runs the body of an exported function: a panic becomes an error, and every error the thread's last one.
pub fn guard(body: impl FnOnce() -> Outcome) -> u32 {
    migfit_vgpu_border::guard(body)
}

/// Exports functions of the runtime interface: each body gives an `Outcome`.
macro_rules! exports {
    ($($functions:tt)*) => {
        migfit_vgpu_border::exports! { $crate::border::guard; $($functions)* }
    };
}

/// Exports functions that the driver has in the same form: `fn cudaName(arguments) => field of the driver;`. Pointers go
/// through as numbers; the driver checks them.
macro_rules! forwards {
    ($(fn $name:ident($($argument:ident: $kind:ty),* $(,)?) => $field:ident;)*) => {
        exports! {$(
            fn $name($($argument: $kind),*) {
                let driver = crate::bound::bound()?;
                // SAFETY: the driver's function of this name takes these arguments, and checks them.
                crate::error::checked(unsafe { (driver.$field)($($argument),*) })
            }
        )*}
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error;

    #[test]
    fn a_panic_becomes_an_error_and_the_last_one() {
        assert_eq!(guard(|| panic!("in a test")), Status::UNKNOWN.0);
        assert_eq!(error::take_last(), Status::UNKNOWN.0);
    }

    #[test]
    fn a_null_room_is_the_callers_error_and_the_last_one() {
        assert_eq!(guard(|| Out::<i32>::null().put(1)), Status::INVALID_VALUE.0);
        assert_eq!(error::take_last(), Status::INVALID_VALUE.0);
    }
}
