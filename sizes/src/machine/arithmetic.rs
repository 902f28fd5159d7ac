//! Two-operand and one-operand arithmetic on bits of a type, as LLVM defines it. No memory, no marks.

use migfit_schema::program::{BinaryOp, Compare, Type, Unary};

/// Bits of a type that count.
#[inline(always)]
pub fn mask(ty: Type) -> u64 {
    match ty {
        Type::Int(width) if width < 64 => (1u64 << width) - 1,
        Type::F32 => 0xffff_ffff,
        _ => u64::MAX,
    }
}

/// Width of a type in bits.
#[inline(always)]
pub fn width(ty: Type) -> u32 {
    match ty {
        Type::Int(width) => u32::from(width).clamp(1, 64),
        Type::F32 => 32,
        Type::F64 | Type::Ptr => 64,
    }
}

/// Bytes of a type in memory.
#[inline(always)]
pub fn bytes(ty: Type) -> usize {
    match width(ty) {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        33..=64 => 8,
        _ => 8,
    }
}

/// The bits as a signed number.
#[inline(always)]
pub fn signed(ty: Type, bits: u64) -> i64 {
    let unused = 64 - width(ty);
    ((bits << unused) as i64) >> unused
}

/// The result of a two-operand operation; `None` where there is none (division by zero).
#[inline(always)]
pub fn binary(op: BinaryOp, ty: Type, a: u64, b: u64) -> Option<u64> {
    let result = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => shift(ty, b).map(|by| a << by)?,
        BinaryOp::LShr => shift(ty, b).map(|by| a >> by)?,
        BinaryOp::AShr => shift(ty, b).map(|by| (signed(ty, a) >> by) as u64)?,
        BinaryOp::UMin => a.min(b),
        BinaryOp::UMax => a.max(b),
        BinaryOp::SMin => signed(ty, a).min(signed(ty, b)) as u64,
        BinaryOp::SMax => signed(ty, a).max(signed(ty, b)) as u64,
        BinaryOp::UDiv => a.checked_div(b)?,
        BinaryOp::URem => a.checked_rem(b)?,
        BinaryOp::SDiv => signed(ty, a).checked_div(signed(ty, b))? as u64,
        BinaryOp::SRem => signed(ty, a).checked_rem(signed(ty, b))? as u64,
        _ => return Some(float_binary(op, ty, a, b)),
    };
    Some(result & mask(ty))
}

/// True where the signed result of an operation does not fit its type.
#[inline(always)]
pub fn overflows(op: BinaryOp, ty: Type, a: u64, b: u64) -> bool {
    let (a, b) = (signed(ty, a), signed(ty, b));
    let (result, too_wide) = match op {
        BinaryOp::Add => a.overflowing_add(b),
        BinaryOp::Sub => a.overflowing_sub(b),
        BinaryOp::Mul => a.overflowing_mul(b),
        BinaryOp::Shl => {
            let by = (b as u32).min(width(ty) - 1);
            let shifted = a << by;
            (shifted, shifted >> by != a)
        }
        _ => return false,
    };
    too_wide || signed(ty, result as u64) != result
}

/// A shift amount below the width; `None` for the others, which have no defined result.
fn shift(ty: Type, by: u64) -> Option<u32> {
    u32::try_from(by).ok().filter(|by| *by < width(ty))
}

fn float_binary(op: BinaryOp, ty: Type, a: u64, b: u64) -> u64 {
    if ty == Type::F32 {
        let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        let result = match op {
            BinaryOp::FAdd => x + y,
            BinaryOp::FSub => x - y,
            BinaryOp::FMul => x * y,
            BinaryOp::FDiv => x / y,
            BinaryOp::FRem => x % y,
            BinaryOp::FMin => x.min(y),
            BinaryOp::FMax => x.max(y),
            BinaryOp::CopySign => x.copysign(y),
            _ => x.powf(y),
        };
        return u64::from(result.to_bits());
    }
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    let result = match op {
        BinaryOp::FAdd => x + y,
        BinaryOp::FSub => x - y,
        BinaryOp::FMul => x * y,
        BinaryOp::FDiv => x / y,
        BinaryOp::FRem => x % y,
        BinaryOp::FMin => x.min(y),
        BinaryOp::FMax => x.max(y),
        BinaryOp::CopySign => x.copysign(y),
        _ => x.powf(y),
    };
    result.to_bits()
}

/// The result of a one-operand operation.
pub fn unary(op: Unary, ty: Type, a: u64) -> u64 {
    let result = match op {
        Unary::Abs => signed(ty, a).unsigned_abs(),
        Unary::Ctlz => u64::from((a & mask(ty)).leading_zeros() - (64 - width(ty))),
        Unary::Cttz => u64::from((a & mask(ty)).trailing_zeros().min(width(ty))),
        Unary::Ctpop => u64::from((a & mask(ty)).count_ones()),
        Unary::Bswap => a.swap_bytes() >> (64 - width(ty)),
        _ if ty == Type::F32 => {
            return u64::from(float_unary_32(op, f32::from_bits(a as u32)).to_bits());
        }
        _ => return float_unary_64(op, f64::from_bits(a)).to_bits(),
    };
    result & mask(ty)
}

fn float_unary_32(op: Unary, x: f32) -> f32 {
    match op {
        Unary::FNeg => -x,
        Unary::FAbs => x.abs(),
        Unary::Sqrt => x.sqrt(),
        Unary::Ceil => x.ceil(),
        Unary::Floor => x.floor(),
        Unary::Trunc => x.trunc(),
        Unary::Round => x.round(),
        Unary::RoundEven => x.round_ties_even(),
        Unary::Exp => x.exp(),
        Unary::Exp2 => x.exp2(),
        Unary::Log => x.ln(),
        Unary::Log2 => x.log2(),
        Unary::Log10 => x.log10(),
        Unary::Sin => x.sin(),
        Unary::Cos => x.cos(),
        Unary::Abs | Unary::Ctlz | Unary::Cttz | Unary::Ctpop | Unary::Bswap => f32::NAN,
    }
}

fn float_unary_64(op: Unary, x: f64) -> f64 {
    match op {
        Unary::FNeg => -x,
        Unary::FAbs => x.abs(),
        Unary::Sqrt => x.sqrt(),
        Unary::Ceil => x.ceil(),
        Unary::Floor => x.floor(),
        Unary::Trunc => x.trunc(),
        Unary::Round => x.round(),
        Unary::RoundEven => x.round_ties_even(),
        Unary::Exp => x.exp(),
        Unary::Exp2 => x.exp2(),
        Unary::Log => x.ln(),
        Unary::Log2 => x.log2(),
        Unary::Log10 => x.log10(),
        Unary::Sin => x.sin(),
        Unary::Cos => x.cos(),
        Unary::Abs | Unary::Ctlz | Unary::Cttz | Unary::Ctpop | Unary::Bswap => f64::NAN,
    }
}

/// The result of a comparison.
#[inline(always)]
pub fn compare(op: Compare, ty: Type, a: u64, b: u64) -> bool {
    match op {
        Compare::Eq => a == b,
        Compare::Ne => a != b,
        Compare::ULt => a < b,
        Compare::ULe => a <= b,
        Compare::UGt => a > b,
        Compare::UGe => a >= b,
        Compare::SLt => signed(ty, a) < signed(ty, b),
        Compare::SLe => signed(ty, a) <= signed(ty, b),
        Compare::SGt => signed(ty, a) > signed(ty, b),
        Compare::SGe => signed(ty, a) >= signed(ty, b),
        _ => float_compare(op, as_f64(ty, a), as_f64(ty, b)),
    }
}

/// The bits of a float type as a number; widening changes no comparison.
#[inline(always)]
pub fn as_f64(ty: Type, bits: u64) -> f64 {
    if ty == Type::F32 {
        f64::from(f32::from_bits(bits as u32))
    } else {
        f64::from_bits(bits)
    }
}

fn float_compare(op: Compare, a: f64, b: f64) -> bool {
    let unordered = a.is_nan() || b.is_nan();
    match op {
        Compare::FOEq => a == b,
        Compare::FONe => !unordered && a != b,
        Compare::FOLt => a < b,
        Compare::FOLe => a <= b,
        Compare::FOGt => a > b,
        Compare::FOGe => a >= b,
        Compare::FUEq => unordered || a == b,
        Compare::FUNe => unordered || a != b,
        Compare::FULt => unordered || a < b,
        Compare::FULe => unordered || a <= b,
        Compare::FUGt => unordered || a > b,
        Compare::FUGe => unordered || a >= b,
        Compare::FOrd => !unordered,
        Compare::FUno => unordered,
        Compare::FTrue => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_at_their_width() {
        assert_eq!(binary(BinaryOp::Add, Type::Int(8), 255, 2), Some(1));
        assert_eq!(
            binary(BinaryOp::Sub, Type::Int(32), 0, 1),
            Some(0xffff_ffff)
        );
        assert_eq!(
            binary(BinaryOp::SDiv, Type::Int(32), 0xffff_fff9, 2),
            Some(0xffff_fffd)
        );
        assert_eq!(
            binary(BinaryOp::SMax, Type::Int(32), 0xffff_ffff, 1),
            Some(1)
        );
    }

    #[test]
    fn operations_without_a_result_have_none() {
        assert_eq!(binary(BinaryOp::UDiv, Type::Int(32), 1, 0), None);
        assert_eq!(
            binary(BinaryOp::SDiv, Type::Int(64), 1 << 63, u64::MAX),
            None
        );
        assert_eq!(binary(BinaryOp::Shl, Type::Int(32), 1, 32), None);
    }

    #[test]
    fn comparisons_know_signs_and_nan() {
        assert!(compare(Compare::SLt, Type::Int(32), 0xffff_ffff, 0));
        assert!(compare(Compare::UGt, Type::Int(32), 0xffff_ffff, 0));
        let nan = f64::NAN.to_bits();
        assert!(!compare(Compare::FOLt, Type::F64, nan, 0));
        assert!(compare(Compare::FULt, Type::F64, nan, 0));
    }

    #[test]
    fn signed_results_that_do_not_fit_are_overflows() {
        let (least, most) = (0x8000_0000, 0x7fff_ffff);
        let all_ones = 0xffff_ffff;
        let wide = |op, a, b| overflows(op, Type::Int(32), a, b);
        assert!(wide(BinaryOp::Add, most, 1) && !wide(BinaryOp::Add, most, all_ones));
        assert!(wide(BinaryOp::Sub, least, 1) && !wide(BinaryOp::Sub, least, all_ones));
        assert!(wide(BinaryOp::Mul, 50_000, 50_000) && !wide(BinaryOp::Mul, 40_000, 50_000));
        assert!(wide(BinaryOp::Shl, 1, 31) && !wide(BinaryOp::Shl, all_ones, 31));
        assert!(overflows(BinaryOp::Mul, Type::Int(64), 1 << 40, 1 << 40));
        assert!(!overflows(BinaryOp::Mul, Type::Int(64), 1 << 40, 1 << 22));
        assert!(overflows(BinaryOp::Add, Type::Int(8), 127, 1));
        assert!(!wide(BinaryOp::UDiv, least, all_ones));
    }

    #[test]
    fn bit_counts_respect_the_width() {
        assert_eq!(unary(Unary::Ctlz, Type::Int(32), 1), 31);
        assert_eq!(unary(Unary::Cttz, Type::Int(16), 0), 16);
        assert_eq!(unary(Unary::Bswap, Type::Int(32), 0x0102_0304), 0x0403_0201);
        assert_eq!(unary(Unary::Abs, Type::Int(32), 0xffff_fffe), 2);
    }
}
