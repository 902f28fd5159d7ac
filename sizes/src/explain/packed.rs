//! The halves of a 64-bit word that two 32-bit values were put together in, as x and y of an extent travel.

use super::definition::{Definition, definition};
use super::expression::{DEEPEST, Writer};
use migfit_schema::program::{BinaryOp, Cast, Op, Operand, Type};

impl Writer<'_> {
    /// Low and high half of two 32-bit values in one 64-bit word, as extents travel; none where it is no such pair.
    pub fn pair(&mut self, operand: Operand) -> Option<(String, String)> {
        let before = self.named.len();
        let (low, high) = self.halves(operand, 0);
        let pair = low.zip(high);
        if pair.is_none() {
            self.named.truncate(before);
        }
        pair
    }

    /// The halves of a word, as far as it is put together here.
    fn halves(&mut self, operand: Operand, depth: u32) -> (Option<String>, Option<String>) {
        let zero = || Some("0".to_owned());
        if let Operand::Const(bits) = operand {
            let half = |bits: u64| Some((bits & 0xffff_ffff).to_string());
            return (half(bits), half(bits >> 32));
        }
        let Operand::Reg(register) = operand else {
            return (None, None);
        };
        let Some(Definition::Op(op, ..)) = definition(self.function, register) else {
            return (None, None);
        };
        if depth >= DEEPEST {
            return (None, None);
        }
        match op {
            Op::Cast {
                kind: Cast::Bits,
                from: from @ Type::Int(..=32),
                a,
                ..
            } => (Some(self.operand(*a, *from)), zero()),
            Op::Copy { a, .. } => self.halves(*a, depth + 1),
            Op::Binary { op, a, b, .. } => match (op, b) {
                (BinaryOp::Shl, Operand::Const(32)) => (zero(), self.halves(*a, depth + 1).0),
                (BinaryOp::LShr, Operand::Const(32)) => (self.halves(*a, depth + 1).1, zero()),
                (BinaryOp::And, Operand::Const(mask)) => {
                    let (low, high) = self.halves(*a, depth + 1);
                    (masked(low, *mask), masked(high, mask >> 32))
                }
                (BinaryOp::Or | BinaryOp::Add, _) => {
                    let (a, b) = (self.halves(*a, depth + 1), self.halves(*b, depth + 1));
                    (joined(a.0, b.0), joined(a.1, b.1))
                }
                _ => (None, None),
            },
            _ => (None, None),
        }
    }
}

/// A half under a mask that keeps all of it or nothing.
fn masked(half: Option<String>, mask: u64) -> Option<String> {
    match mask & 0xffff_ffff {
        0 => Some("0".to_owned()),
        0xffff_ffff => half,
        _ => None,
    }
}

/// Two halves of which one is zero.
fn joined(a: Option<String>, b: Option<String>) -> Option<String> {
    match (a.as_deref(), b.as_deref()) {
        (Some("0"), _) => b,
        (_, Some("0")) => a,
        _ => None,
    }
}
