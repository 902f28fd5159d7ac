//! A loop's turns as one value: the sum of what each takes, in closed form where that is a polynomial, and the largest.

use super::conditions::where_it_holds;
use crate::formula::simplify::{binary, unary};
use crate::formula::turns::count;
use crate::formula::unknown::{first, parts, unknown};
use migfit_schema::formula::{BinaryOp, Expr, Fold, LoopVar, Over, UnaryOp};

/// The sum of what each turn takes.
pub fn sum(variable: &LoopVar, each: Expr) -> Expr {
    if let Some(unknown) = first(&each) {
        return unknown.clone();
    }
    let Some(turns) = turns(variable) else {
        return unknown(None, "a loop without a closed form");
    };
    if !mentions(&each, variable) {
        return binary(BinaryOp::Mul, turns, each);
    }
    let closed = coefficients(&each, variable).map(|of| polynomial(variable, &turns, of));
    closed.unwrap_or_else(|| over(Fold::Sum, variable, each))
}

/// The largest of what each turn takes.
pub fn largest(variable: &LoopVar, each: Expr) -> Expr {
    if let Some(unknown) = first(&each) {
        return unknown.clone();
    }
    if mentions(&each, variable) {
        return over(Fold::Max, variable, each);
    }
    match turns(variable) {
        Some(turns) => where_it_holds(&runs(turns), each),
        None => unknown(None, "a loop without a closed form"),
    }
}

/// Whether a loop with so many turns makes any.
pub fn runs(turns: Expr) -> Expr {
    binary(BinaryOp::Less, Expr::Int(0), turns)
}

/// How many turns a loop makes; never fewer than none.
pub fn turns(variable: &LoopVar) -> Option<Expr> {
    Some(match count(variable)? {
        Expr::Int(turns) => Expr::Int(turns.max(0)),
        turns => binary(BinaryOp::Max, turns, Expr::Int(0)),
    })
}

fn over(fold: Fold, variable: &LoopVar, each: Expr) -> Expr {
    Expr::Over(Box::new(Over {
        fold,
        variable: variable.clone(),
        each,
    }))
}

/// Whether a value changes with a loop's variable.
pub fn mentions(expr: &Expr, variable: &LoopVar) -> bool {
    matches!(expr, Expr::Loop(one) if **one == *variable)
        || parts(expr).into_iter().any(|part| mentions(part, variable))
}

/// Whether a value changes with a loop whose turns it is not made of.
pub fn is_open(expr: &Expr, bound: &mut Vec<LoopVar>) -> bool {
    match expr {
        Expr::Loop(variable) => !bound.contains(variable),
        Expr::Over(over) => {
            let limits = [
                &over.variable.first,
                &over.variable.step,
                &over.variable.bound,
            ];
            if limits.into_iter().any(|limit| is_open(limit, bound)) {
                return true;
            }
            bound.push(over.variable.clone());
            let open = is_open(&over.each, bound);
            bound.pop();
            open
        }
        other => parts(other).into_iter().any(|part| is_open(part, bound)),
    }
}

/// `a`, `b` and `c` of a value that is `a + b v + c v v`, each without the variable.
fn coefficients(expr: &Expr, variable: &LoopVar) -> Option<[Expr; 3]> {
    let zero = || Expr::Int(0);
    if !mentions(expr, variable) {
        return Some([expr.clone(), zero(), zero()]);
    }
    match expr {
        Expr::Loop(_) => Some([zero(), Expr::Int(1), zero()]),
        Expr::Unary(UnaryOp::Neg, inner) => {
            let inner = coefficients(inner, variable)?;
            Some(inner.map(|one| unary(UnaryOp::Neg, one)))
        }
        Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
            let (a, b) = (coefficients(a, variable)?, coefficients(b, variable)?);
            let mut b = b.into_iter();
            let sums = a.map(|a| b.next().map(|b| binary(*op, a, b)));
            let [a, b, c] = sums;
            Some([a?, b?, c?])
        }
        Expr::Binary(BinaryOp::Mul, a, b) => {
            product(&coefficients(a, variable)?, &coefficients(b, variable)?)
        }
        _ => None,
    }
}

/// A product, where it has no higher power than the second.
fn product([a, b, c]: &[Expr; 3], [d, e, f]: &[Expr; 3]) -> Option<[Expr; 3]> {
    let is_zero = |one: &Expr| *one == Expr::Int(0);
    let high = |x: &Expr, y: &Expr| !is_zero(x) && !is_zero(y);
    if high(c, e) || high(b, f) || high(c, f) {
        return None;
    }
    let times = |x: &Expr, y: &Expr| binary(BinaryOp::Mul, x.clone(), y.clone());
    let plus = |x: Expr, y: Expr| binary(BinaryOp::Add, x, y);
    let middle = plus(times(a, e), times(b, d));
    let last = plus(plus(times(a, f), times(b, e)), times(c, d));
    Some([times(a, d), middle, last])
}

/// The sum of `a + b v + c v v` over `t` turns from `f` by `s`.
fn polynomial(variable: &LoopVar, t: &Expr, [a, b, c]: [Expr; 3]) -> Expr {
    let times = |x: Expr, y: Expr| binary(BinaryOp::Mul, x, y);
    let plus = |x: Expr, y: Expr| binary(BinaryOp::Add, x, y);
    let (f, s) = (|| variable.first.clone(), || variable.step.clone());
    let before = || binary(BinaryOp::Sub, t.clone(), Expr::Int(1));
    // 0 + 1 + ... + (t - 1), and the same of squares.
    let line = || {
        let twice = times(t.clone(), before());
        binary(BinaryOp::Div, twice, Expr::Int(2))
    };
    let squares = || {
        let odd = binary(BinaryOp::Sub, times(Expr::Int(2), t.clone()), Expr::Int(1));
        let six = times(times(t.clone(), before()), odd);
        binary(BinaryOp::Div, six, Expr::Int(6))
    };
    let first = plus(times(f(), t.clone()), times(s(), line()));
    let second = || {
        let ends = times(times(f(), f()), t.clone());
        let mixed = times(times(times(Expr::Int(2), f()), s()), line());
        plus(plus(ends, mixed), times(times(s(), s()), squares()))
    };
    let mut sum = plus(times(t.clone(), a), times(b, first));
    if c != Expr::Int(0) {
        sum = plus(sum, times(c, second()));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_schema::formula::CompareOp;

    fn variable(first: i64, step: i64, bound: i64) -> LoopVar {
        LoopVar {
            name: "i".to_owned(),
            first: Expr::Int(first),
            step: Expr::Int(step),
            compare: CompareOp::Less,
            bound: Expr::Int(bound),
        }
    }

    #[test]
    fn a_polynomial_becomes_a_number_and_what_does_not_change_a_product() {
        let over = variable(1, 2, 8);
        let i = || Expr::Loop(Box::new(over.clone()));
        let each = binary(BinaryOp::Add, binary(BinaryOp::Mul, i(), i()), Expr::Int(5));
        // 1 + 9 + 25 + 49, and four times 5; the count of turns is a ratio rounded up, which stays as it is.
        let open = variable(0, 1, 4);
        let j = Expr::Loop(Box::new(open.clone()));
        assert_eq!(
            sum(&open, binary(BinaryOp::Mul, j.clone(), j)),
            Expr::Int(14)
        );
        assert_eq!(sum(&open, Expr::Int(7)), Expr::Int(28));
        assert!(!mentions(&sum(&over, each), &over));
        assert_eq!(sum(&variable(3, 1, 0), Expr::Int(7)), Expr::Int(0));
    }

    #[test]
    fn what_is_no_polynomial_stays_a_sum() {
        let over = variable(0, 1, 4);
        let i = Expr::Loop(Box::new(over.clone()));
        let each = binary(BinaryOp::Div, Expr::Int(64), i);
        let sum = sum(&over, each);
        assert!(matches!(&sum, Expr::Over(over) if over.fold == Fold::Sum));
        assert!(!is_open(&sum, &mut Vec::new()));
    }
}
