//! Arithmetic, comparisons and conversions of the size program as operators of formulas.

use crate::formula::expression::Builder;
use crate::formula::simplify::{binary, unary};
use crate::formula::unknown::unknown;
use migfit_schema::formula as shape;
use migfit_schema::formula::{Expr, UnaryOp};
use migfit_schema::program::{BinaryOp, Cast, Compare, Operand, Place, Type, Unary};

impl Builder<'_> {
    pub(super) fn binary(
        &mut self,
        ty: Type,
        op: BinaryOp,
        a: Operand,
        b: Operand,
        place: Place,
    ) -> Expr {
        let shape = match op {
            BinaryOp::Add | BinaryOp::FAdd => shape::BinaryOp::Add,
            BinaryOp::Sub | BinaryOp::FSub => shape::BinaryOp::Sub,
            BinaryOp::Mul | BinaryOp::FMul => shape::BinaryOp::Mul,
            BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::FDiv => shape::BinaryOp::Div,
            BinaryOp::URem | BinaryOp::SRem | BinaryOp::FRem => shape::BinaryOp::Rem,
            BinaryOp::Shl => shape::BinaryOp::Shl,
            BinaryOp::LShr | BinaryOp::AShr => shape::BinaryOp::Shr,
            BinaryOp::And => shape::BinaryOp::And,
            BinaryOp::Or => shape::BinaryOp::Or,
            BinaryOp::Xor => shape::BinaryOp::Xor,
            BinaryOp::UMin | BinaryOp::SMin | BinaryOp::FMin => shape::BinaryOp::Min,
            BinaryOp::UMax | BinaryOp::SMax | BinaryOp::FMax => shape::BinaryOp::Max,
            BinaryOp::CopySign | BinaryOp::Pow => {
                return unknown(self.scene.site(place), "a power or a copied sign");
            }
        };
        binary(shape, self.expr(a, ty), self.expr(b, ty))
    }

    pub(super) fn compare(
        &mut self,
        ty: Type,
        op: Compare,
        a: Operand,
        b: Operand,
        place: Place,
    ) -> Expr {
        let (shape, swapped) = match op {
            Compare::Eq | Compare::FOEq | Compare::FUEq => (shape::BinaryOp::Equal, false),
            Compare::Ne | Compare::FONe | Compare::FUNe => (shape::BinaryOp::NotEqual, false),
            Compare::ULt | Compare::SLt | Compare::FOLt | Compare::FULt => {
                (shape::BinaryOp::Less, false)
            }
            Compare::ULe | Compare::SLe | Compare::FOLe | Compare::FULe => {
                (shape::BinaryOp::LessEqual, false)
            }
            Compare::UGt | Compare::SGt | Compare::FOGt | Compare::FUGt => {
                (shape::BinaryOp::Less, true)
            }
            Compare::UGe | Compare::SGe | Compare::FOGe | Compare::FUGe => {
                (shape::BinaryOp::LessEqual, true)
            }
            Compare::FOrd | Compare::FUno | Compare::FTrue | Compare::FFalse => {
                return unknown(self.scene.site(place), "a comparison with no number");
            }
        };
        let (a, b) = (self.expr(a, ty), self.expr(b, ty));
        if swapped {
            binary(shape, b, a)
        } else {
            binary(shape, a, b)
        }
    }

    pub(super) fn cast(&mut self, kind: Cast, from: Type, to: Type, a: Operand) -> Expr {
        let inner = self.expr(a, from);
        match kind {
            Cast::UToF | Cast::SToF => unary(UnaryOp::ToFloat, inner),
            Cast::FToU | Cast::FToS => unary(UnaryOp::ToInt, inner),
            Cast::FToF | Cast::Sext => inner,
            Cast::Bits => match (from, to) {
                (Type::F32 | Type::F64, Type::Int(_)) | (Type::Int(_), Type::F32 | Type::F64) => {
                    unknown(None, "the bits of a float")
                }
                _ => inner,
            },
        }
    }

    pub(super) fn unary(&mut self, ty: Type, op: Unary, a: Operand, place: Place) -> Expr {
        let shape = match op {
            Unary::FNeg => UnaryOp::Neg,
            Unary::Ceil => UnaryOp::Ceil,
            Unary::Floor => UnaryOp::Floor,
            Unary::Sqrt => UnaryOp::Sqrt,
            _ => return unknown(self.scene.site(place), "a function without a formula"),
        };
        unary(shape, self.expr(a, ty))
    }
}
