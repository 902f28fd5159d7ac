//! The arithmetic types of generated programs.

use fastrand::Rng;

/// One type of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    U8,
    I16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

use Type::{F32, F64, I16, I32, I64, U8, U32, U64};

impl Type {
    /// As C spells it.
    pub fn name(self) -> &'static str {
        match self {
            U8 => "unsigned char",
            I16 => "short",
            I32 => "int",
            U32 => "unsigned",
            I64 => "long",
            U64 => "size_t",
            F32 => "float",
            F64 => "double",
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, F32 | F64)
    }

    /// Bits of an integer after promotion less one: what a shift's amount is masked with.
    pub fn shift_mask(self) -> u32 {
        match self {
            U8 | I16 => 7,
            I64 | U64 => 63,
            _ => 31,
        }
    }

    /// Any type, ints more often than others.
    pub fn any(random: &mut Rng) -> Type {
        const ALL: [Type; 12] = [U8, I16, I32, I32, I32, U32, U32, I64, I64, U64, F32, F64];
        ALL[random.usize(..ALL.len())]
    }

    /// Any integer type.
    pub fn any_integer(random: &mut Rng) -> Type {
        const ALL: [Type; 8] = [U8, I16, I32, I32, U32, I64, I64, U64];
        ALL[random.usize(..ALL.len())]
    }
}
