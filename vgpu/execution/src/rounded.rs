//! Arithmetic in single and double precision with a rounding that is not to nearest. The processor does it, in the
//! rounding mode asked for; the mode that was set before is set again.

use std::arch::asm;

/// All exceptions masked: the mode's two bits are added.
const MASKED: u32 = 0x1f80;

/// What `.rm`, `.rp` and `.rz` are to the processor.
pub mod mode {
    /// To the nearest number, ties to even.
    pub const NEAREST: u32 = 0;
    /// Towards minus infinity.
    pub const DOWN: u32 = 0x2000;
    /// Towards infinity.
    pub const UP: u32 = 0x4000;
    /// Towards zero.
    pub const ZERO: u32 = 0x6000;
}

/// One instruction on up to three operands between two changes of the mode, all in one piece of assembly, so that
/// nothing else is done in that mode.
macro_rules! in_mode {
    ($mode:expr, $instruction:literal, $a:ident $(, $more:ident)*) => {{
        let (wanted, mut before) = (MASKED | $mode, 0_u32);
        let mut value = $a;
        // SAFETY: the control register is set back before the end; the instruction works on registers alone.
        unsafe {
            asm!(
                "stmxcsr [{before}]", "ldmxcsr [{wanted}]", $instruction, "ldmxcsr [{before}]",
                before = in(reg) &raw mut before, wanted = in(reg) &raw const wanted,
                value = inout(xmm_reg) value, $($more = in(xmm_reg) $more,)*
                options(nostack)
            );
        }
        value
    }};
}

macro_rules! operations {
    ($float:ty, $add:ident $mul:ident $div:ident $fma:ident $root:ident $integer:ident,
        $add_as:literal $mul_as:literal $div_as:literal $fma_as:literal $root_as:literal $integer_as:literal) => {
        /// The sum.
        pub extern "C" fn $add(a: $float, b: $float, mode: u32) -> $float {
            in_mode!(mode, $add_as, a, b)
        }

        /// The product.
        pub extern "C" fn $mul(a: $float, b: $float, mode: u32) -> $float {
            in_mode!(mode, $mul_as, a, b)
        }

        /// The quotient.
        pub extern "C" fn $div(a: $float, b: $float, mode: u32) -> $float {
            in_mode!(mode, $div_as, a, b)
        }

        /// Product and sum, rounded once. The processor must have the instruction.
        pub extern "C" fn $fma(a: $float, b: $float, c: $float, mode: u32) -> $float {
            in_mode!(mode, $fma_as, a, b, c)
        }

        /// The square root.
        pub extern "C" fn $root(a: $float, mode: u32) -> $float {
            in_mode!(mode, $root_as, a)
        }

        /// A signed integer.
        pub extern "C" fn $integer(integer: i64, mode: u32) -> $float {
            let (wanted, mut before) = (MASKED | mode, 0_u32);
            let mut value: $float = 0.0;
            // SAFETY: as above.
            unsafe {
                asm!(
                    "stmxcsr [{before}]", "ldmxcsr [{wanted}]", $integer_as, "ldmxcsr [{before}]",
                    before = in(reg) &raw mut before, wanted = in(reg) &raw const wanted,
                    integer = in(reg) integer, value = inout(xmm_reg) value,
                    options(nostack)
                );
            }
            value
        }
    };
}

operations!(f32, add_single mul_single div_single fma_single root_single integer_single,
    "addss {value}, {b}" "mulss {value}, {b}" "divss {value}, {b}" "vfmadd213ss {value}, {b}, {c}"
    "sqrtss {value}, {value}" "cvtsi2ss {value}, {integer}");
operations!(f64, add_double mul_double div_double fma_double root_double integer_double,
    "addsd {value}, {b}" "mulsd {value}, {b}" "divsd {value}, {b}" "vfmadd213sd {value}, {b}, {c}"
    "sqrtsd {value}, {value}" "cvtsi2sd {value}, {integer}");

/// An unsigned integer in single precision.
pub extern "C" fn unsigned_single(integer: u64, mode: u32) -> f32 {
    match i64::try_from(integer) {
        Ok(integer) => integer_single(integer, mode),
        Err(_) => integer_single(halved(integer), mode) * 2.0,
    }
}

/// An unsigned integer in double precision.
pub extern "C" fn unsigned_double(integer: u64, mode: u32) -> f64 {
    match i64::try_from(integer) {
        Ok(integer) => integer_double(integer, mode),
        Err(_) => integer_double(halved(integer), mode) * 2.0,
    }
}

/// Half of a large integer; that something was cut off is kept in the last bit, far below what is rounded.
fn halved(integer: u64) -> i64 {
    (integer >> 1 | integer & 1).cast_signed()
}

/// A double-precision number in single precision.
pub extern "C" fn demoted(wide: f64, mode: u32) -> f32 {
    let mut value = 0.0_f32;
    let (wanted, mut before) = (MASKED | mode, 0_u32);
    // SAFETY: as above.
    unsafe {
        asm!(
            "stmxcsr [{before}]", "ldmxcsr [{wanted}]", "cvtsd2ss {value}, {wide}", "ldmxcsr [{before}]",
            before = in(reg) &raw mut before, wanted = in(reg) &raw const wanted,
            wide = in(xmm_reg) wide, value = inout(xmm_reg) value,
            options(nostack)
        );
    }
    value
}
