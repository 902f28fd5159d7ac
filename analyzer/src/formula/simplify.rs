//! Building expressions in their shortest form: constants folded, neutral elements dropped.

use migfit_schema::formula::{BinaryOp, Expr, UnaryOp};

/// `left op right`, simplified.
pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    if let (Expr::Int(a), Expr::Int(b)) = (&left, &right)
        && let Some(value) = folded(op, *a, *b)
    {
        return Expr::Int(value);
    }
    if let Some(sum) = merged_sum(op, &left, &right) {
        return sum;
    }
    match (op, &left, &right) {
        (
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Or,
            _,
            Expr::Int(0),
        )
        | (BinaryOp::Mul | BinaryOp::Div, _, Expr::Int(1)) => left,
        (BinaryOp::Add | BinaryOp::Or, Expr::Int(0), _) | (BinaryOp::Mul, Expr::Int(1), _) => right,
        (BinaryOp::Mul, _, Expr::Int(0)) | (BinaryOp::Mul, Expr::Int(0), _) => Expr::Int(0),
        (BinaryOp::Add, _, Expr::Int(value)) if *value < 0 && *value > i64::MIN => {
            binary(BinaryOp::Sub, left, Expr::Int(-value))
        }
        (BinaryOp::Sub, _, Expr::Int(value)) if *value < 0 && *value > i64::MIN => {
            binary(BinaryOp::Add, left, Expr::Int(-value))
        }
        // A constant factor goes in front, as people write it.
        (BinaryOp::Mul, _, Expr::Int(_)) => Expr::Binary(op, right.into(), left.into()),
        _ => Expr::Binary(op, left.into(), right.into()),
    }
}

/// `(x - 1) + 1` and the like: constants at the end of a sum become one.
fn merged_sum(op: BinaryOp, left: &Expr, right: &Expr) -> Option<Expr> {
    let sign = |op| match op {
        BinaryOp::Add => Some(1),
        BinaryOp::Sub => Some(-1),
        _ => None,
    };
    let (Expr::Binary(inner, start, last), Expr::Int(second)) = (left, right) else {
        return None;
    };
    let Expr::Int(first) = **last else {
        return None;
    };
    let sum = first
        .checked_mul(sign(*inner)?)?
        .checked_add(second.checked_mul(sign(op)?)?)?;
    Some(binary(BinaryOp::Add, (**start).clone(), Expr::Int(sum)))
}

/// `op operand`, simplified.
pub fn unary(op: UnaryOp, operand: Expr) -> Expr {
    match (op, &operand) {
        (UnaryOp::Neg, Expr::Int(value)) if *value > i64::MIN => Expr::Int(-value),
        // Rounding a whole number changes nothing.
        (UnaryOp::ToInt, Expr::Unary(UnaryOp::ToFloat, inner)) => (**inner).clone(),
        _ => Expr::Unary(op, operand.into()),
    }
}

/// One of several, each once; just the one where all are the same.
pub fn one_of(all: Vec<Expr>) -> Expr {
    let mut distinct: Vec<Expr> = Vec::new();
    for expr in all {
        let flat = match expr {
            Expr::OneOf(inner) => inner,
            other => vec![other],
        };
        for one in flat {
            if !distinct.contains(&one) {
                distinct.push(one);
            }
        }
    }
    match distinct.len() {
        1 => distinct.remove(0),
        _ => Expr::OneOf(distinct),
    }
}

/// `condition ? then : otherwise`, simplified.
pub fn select(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    if then == otherwise {
        return then;
    }
    Expr::Select {
        condition: condition.into(),
        then: then.into(),
        otherwise: otherwise.into(),
    }
}

fn folded(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        BinaryOp::Shl => u32::try_from(b)
            .ok()
            .filter(|b| *b < 63)
            .and_then(|b| a.checked_mul(1 << b)),
        BinaryOp::Shr => u32::try_from(b).ok().and_then(|b| a.checked_shr(b)),
        BinaryOp::And => Some(a & b),
        BinaryOp::Or => Some(a | b),
        BinaryOp::Xor => Some(a ^ b),
        BinaryOp::Min => Some(a.min(b)),
        BinaryOp::Max => Some(a.max(b)),
        BinaryOp::Less => Some(i64::from(a < b)),
        BinaryOp::LessEqual => Some(i64::from(a <= b)),
        BinaryOp::Equal => Some(i64::from(a == b)),
        BinaryOp::NotEqual => Some(i64::from(a != b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_schema::formula::Input;

    #[test]
    fn neutral_elements_vanish_and_constants_fold() {
        let n = || Expr::Input(Input::ArgInt(1));
        assert_eq!(binary(BinaryOp::Add, n(), Expr::Int(0)), n());
        assert_eq!(
            binary(BinaryOp::Mul, Expr::Int(6), Expr::Int(7)),
            Expr::Int(42)
        );
        assert_eq!(
            binary(BinaryOp::Div, Expr::Int(1), Expr::Int(0)),
            Expr::Binary(BinaryOp::Div, Expr::Int(1).into(), Expr::Int(0).into())
        );
        assert_eq!(one_of(vec![n(), Expr::OneOf(vec![n()])]), n());
        let less_one = binary(BinaryOp::Add, n(), Expr::Int(-1));
        assert_eq!(
            less_one,
            Expr::Binary(BinaryOp::Sub, n().into(), Expr::Int(1).into())
        );
    }
}
