//! Two 32-bit numbers in one 64-bit argument: how the push of a launch configuration takes x and y of a grid.

use crate::formula::expression::Builder;
use crate::formula::simplify::{binary, one_of, select};
use crate::formula::unknown::unknown;
use crate::slice::definitions::Definition;
use migfit_schema::formula as shape;
use migfit_schema::formula::Expr;
use migfit_schema::program::{BinaryOp, Cast, Op, Operand, Type};

/// Which half.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Bits 0 to 31.
    Low,
    /// Bits 32 to 63.
    High,
}

const LOW: u64 = 0xffff_ffff;

/// The expression of one half of a 64-bit value.
pub fn half(builder: &mut Builder<'_>, value: Operand, which: Half) -> Expr {
    half_within(builder, value, which, 0)
}

fn half_within(builder: &mut Builder<'_>, value: Operand, which: Half, depth: usize) -> Expr {
    const STEPS: usize = 24;
    if depth > STEPS || !builder.spend() {
        return unknown(None, "packed in a long computation");
    }
    match value {
        Operand::Const(bits) => Expr::Int(
            (if which == Half::Low {
                bits & LOW
            } else {
                bits >> 32
            })
            .cast_signed(),
        ),
        Operand::Undef => Expr::Int(0),
        Operand::Reg(register) => match builder.scene.definition(builder.function, register) {
            Some(Definition::Op(_, op, _)) => of_op(builder, value, op, which, depth),
            Some(Definition::Phi(block, phi)) => {
                let flow = builder.scene.graphs.flow(builder.function);
                if phi
                    .incoming
                    .iter()
                    .any(|(from, _)| flow.reaches(block, *from))
                {
                    return unknown(None, "packed in a loop");
                }
                let all = phi
                    .incoming
                    .iter()
                    .map(|(_, value)| half_within(builder, *value, which, depth + 1));
                one_of(all.collect())
            }
            _ => whole(builder, value, which),
        },
        _ => unknown(None, "an address"),
    }
}

fn of_op(builder: &mut Builder<'_>, value: Operand, op: &Op, which: Half, depth: usize) -> Expr {
    match op {
        Op::Binary { op, a, b, .. } => {
            let half = of_binary(builder, (*op, *a, *b), which, depth);
            half.unwrap_or_else(|| whole(builder, value, which))
        }
        Op::Cast {
            kind: Cast::Bits,
            from: Type::Int(1..=32),
            a,
            ..
        } => match which {
            Half::Low => builder.expr(*a, Type::Int(32)),
            Half::High => Expr::Int(0),
        },
        Op::Cast {
            kind: Cast::Sext,
            from: from @ Type::Int(1..=32),
            a,
            ..
        } if which == Half::Low => builder.expr(*a, *from),
        Op::Copy { a, .. } => half_within(builder, *a, which, depth + 1),
        Op::Select {
            condition, a, b, ..
        } => {
            let condition = builder.expr(*condition, Type::Int(1));
            let then = half_within(builder, *a, which, depth + 1);
            let otherwise = half_within(builder, *b, which, depth + 1);
            select(condition, then, otherwise)
        }
        _ => whole(builder, value, which),
    }
}

/// Half of what packing code computes; `None` where the operation mixes the halves.
fn of_binary(
    builder: &mut Builder<'_>,
    (op, a, b): (BinaryOp, Operand, Operand),
    which: Half,
    depth: usize,
) -> Option<Expr> {
    let mut half = |value, which| half_within(builder, value, which, depth + 1);
    match (op, b, which) {
        (BinaryOp::Or, _, _) => {
            let (a, b) = (half(a, which), half(b, which));
            Some(binary(shape::BinaryOp::Or, a, b))
        }
        (BinaryOp::Add, _, _) => match (half(a, which), half(b, which)) {
            (Expr::Int(0), other) | (other, Expr::Int(0)) => Some(other),
            // A sum within a half may carry into the other.
            _ => None,
        },
        (BinaryOp::And, Operand::Const(mask), _) => {
            let bits = match which {
                Half::Low => mask & LOW,
                Half::High => mask >> 32,
            };
            match bits {
                0 => Some(Expr::Int(0)),
                LOW => Some(half(a, which)),
                _ => None,
            }
        }
        (BinaryOp::Shl, Operand::Const(32), Half::Low) => Some(Expr::Int(0)),
        (BinaryOp::Shl, Operand::Const(32), Half::High) => Some(half(a, Half::Low)),
        _ => None,
    }
}

/// A value that is not visibly packed.
fn whole(builder: &mut Builder<'_>, value: Operand, which: Half) -> Expr {
    let expr = builder.expr(value, Type::Int(64));
    match which {
        Half::Low => binary(shape::BinaryOp::And, expr, Expr::Int(LOW.cast_signed())),
        Half::High => binary(shape::BinaryOp::Shr, expr, Expr::Int(32)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::scene::Scene;
    use crate::slice::draft::{I64, binary, block, c, function, get, give, program, r};
    use crate::slice::position::Position;
    use migfit_schema::program::Reg;

    fn zext(dst: Reg, a: Operand) -> Op {
        Op::Cast {
            dst,
            kind: Cast::Bits,
            from: Type::Int(32),
            to: Type::Int(64),
            a,
        }
    }

    /// x and y of a register that these instructions pack; register 2 is argc.
    fn halves(ops: Vec<Op>, packed: Operand) -> (Expr, Expr) {
        let mut main = function("main", 0, vec![block(ops, give(c(0)))]);
        main.params = vec![(2, Type::Int(32)), (1, Type::Ptr)];
        let program = program(vec![main], vec![]);
        let scene = Scene::of(&program);
        let at = Position {
            function: 0,
            block: 0,
            index: 0,
        };
        let of = |which| half(&mut Builder::at(&scene, at), packed, which);
        (of(Half::Low), of(Half::High))
    }

    fn argc() -> Expr {
        Expr::Input(shape::Input::ArgCount)
    }

    #[test]
    fn a_constant_is_cut_in_two() {
        let (x, y) = halves(vec![], c(16 << 32 | 8));
        assert_eq!((x, y), (Expr::Int(8), Expr::Int(16)));
    }

    #[test]
    fn shifted_and_joined_halves_come_apart() {
        let ops = || {
            vec![
                zext(3, r(2)),
                binary(4, BinaryOp::Shl, r(3), c(32)),
                binary(5, BinaryOp::Or, r(4), c(7)),
                binary(6, BinaryOp::Or, r(4), r(3)),
                binary(7, BinaryOp::And, r(6), c(LOW)),
                binary(8, BinaryOp::Add, r(4), r(3)),
                binary(9, BinaryOp::Add, r(3), c(5)),
            ]
        };
        assert_eq!(halves(ops(), r(5)), (Expr::Int(7), argc()));
        assert_eq!(halves(ops(), r(6)), (argc(), argc()));
        assert_eq!(halves(ops(), r(7)), (argc(), Expr::Int(0)));
        assert_eq!(halves(ops(), r(8)), (argc(), argc()));
        let (sum, _) = halves(ops(), r(9));
        assert!(
            matches!(sum, Expr::Binary(shape::BinaryOp::And, _, _)),
            "{sum:?}"
        );
    }

    #[test]
    fn what_is_not_visibly_packed_is_cut_by_arithmetic() {
        let (x, y) = halves(vec![get(3, I64, "atol", &[r(1)])], r(3));
        assert!(matches!(x, Expr::Binary(shape::BinaryOp::And, _, _)));
        assert!(matches!(y, Expr::Binary(shape::BinaryOp::Shr, _, _)));
    }
}
