//! Conditions as expressions that are 1 where they hold, else 0.

use crate::formula::simplify::{binary, select};
use migfit_schema::formula::{BinaryOp, Expr};

/// It certainly holds.
pub const ALWAYS: Expr = Expr::Int(1);

/// Both hold.
pub fn and(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Int(0), _) | (_, Expr::Int(0)) => Expr::Int(0),
        (Expr::Int(1), _) => b,
        (_, Expr::Int(1)) => a,
        _ if implies(&a, &b) => a,
        _ if implies(&b, &a) => b,
        _ => binary(BinaryOp::And, a, b),
    }
}

/// Whether one certainly holds where another does: the same, a part of it, or `x < y` beside `x <= y`.
fn implies(one: &Expr, other: &Expr) -> bool {
    match (one, other) {
        _ if one == other => true,
        (Expr::Binary(BinaryOp::And, a, b), _) => implies(a, other) || implies(b, other),
        (Expr::Binary(BinaryOp::Less, a, b), Expr::Binary(BinaryOp::LessEqual, c, d)) => {
            a == c && b == d
        }
        _ => false,
    }
}

/// One of them holds.
pub fn or(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Int(1), _) | (_, Expr::Int(1)) => ALWAYS,
        (Expr::Int(0), _) => b,
        (_, Expr::Int(0)) => a,
        _ if b == not(a.clone()) => ALWAYS,
        _ if implies(&b, &a) => a,
        _ if implies(&a, &b) => b,
        _ => binary(BinaryOp::Or, a, b),
    }
}

/// It does not hold.
pub fn not(condition: Expr) -> Expr {
    match condition {
        Expr::Int(value) => Expr::Int(i64::from(value == 0)),
        Expr::Binary(BinaryOp::Less, a, b) => Expr::Binary(BinaryOp::LessEqual, b, a),
        Expr::Binary(BinaryOp::LessEqual, a, b) => Expr::Binary(BinaryOp::Less, b, a),
        Expr::Binary(BinaryOp::Equal, a, b) => Expr::Binary(BinaryOp::NotEqual, a, b),
        Expr::Binary(BinaryOp::NotEqual, a, b) => Expr::Binary(BinaryOp::Equal, a, b),
        other => binary(BinaryOp::Equal, other, Expr::Int(0)),
    }
}

/// A value where a condition holds, else 0.
pub fn where_it_holds(condition: &Expr, value: Expr) -> Expr {
    match (condition, &value) {
        (Expr::Int(0), _) => Expr::Int(0),
        (Expr::Int(_), _) | (_, Expr::Int(0)) => value,
        _ => select(condition.clone(), value, Expr::Int(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_schema::formula::Input;

    #[test]
    fn conditions_are_put_together() {
        let more = || binary(BinaryOp::Less, Expr::Int(2), Expr::Input(Input::ArgCount));
        assert_eq!(and(ALWAYS, more()), more());
        let enough = binary(
            BinaryOp::LessEqual,
            Expr::Int(2),
            Expr::Input(Input::ArgCount),
        );
        assert_eq!(and(enough, more()), more());
        assert_eq!(or(more(), not(more())), ALWAYS);
        let both = and(more(), Expr::Input(Input::ArgInt(1)));
        assert_eq!(or(more(), both), more());
        assert_eq!(not(not(more())), more());
        assert_eq!(where_it_holds(&ALWAYS, Expr::Int(7)), Expr::Int(7));
    }
}
