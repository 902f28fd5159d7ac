//! Texts of chosen expressions, and a property: a text read back by the rules of arithmetic has the expression's value.

use super::*;
use BinaryOp::{Add, And, Div, Less, Max, Mul, Rem, Shl, Sub};
use proptest::prelude::*;

fn n() -> Expr {
    Expr::Input(Input::ArgInt(1))
}

fn two(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, a.into(), b.into())
}

fn counted(name: &str, first: Expr, step: i64, bound: Expr) -> Expr {
    Expr::Loop(Box::new(LoopVar {
        name: name.to_owned(),
        first,
        step: Expr::Int(step),
        compare: CompareOp::Less,
        bound,
    }))
}

fn text(expr: &Expr) -> String {
    FormulaPrinter::default().text(expr)
}

#[test]
fn products_and_sums_need_no_parentheses_where_they_mean_the_same() {
    let square = two(Mul, two(Mul, n(), n()), Expr::Int(4));
    assert_eq!(text(&square), "arg(1) * arg(1) * 4");
    let right = two(Mul, Expr::Int(4), two(Mul, n(), n()));
    assert_eq!(text(&right), "4 * arg(1) * arg(1)");
    let padded = two(Mul, two(Add, n(), Expr::Int(1)), Expr::Int(4));
    assert_eq!(text(&padded), "(arg(1) + 1) * 4");
}

#[test]
fn parentheses_stay_where_they_change_the_value() {
    assert_eq!(
        text(&two(Sub, n(), two(Add, n(), n()))),
        "arg(1) - (arg(1) + arg(1))"
    );
    assert_eq!(
        text(&two(Mul, n(), two(Div, n(), Expr::Int(2)))),
        "arg(1) * (arg(1) / 2)"
    );
    assert_eq!(
        text(&two(Div, n(), two(Div, n(), Expr::Int(2)))),
        "arg(1) / (arg(1) / 2)"
    );
    assert_eq!(
        text(&two(Add, n(), two(Sub, n(), n()))),
        "arg(1) + (arg(1) - arg(1))"
    );
}

#[test]
fn bits_shifts_and_comparisons_always_stand_apart() {
    let mask = two(And, two(Add, n(), Expr::Int(255)), Expr::Int(-256));
    assert_eq!(text(&mask), "(arg(1) + 255) & -256");
    let shifted = two(Add, two(Shl, n(), Expr::Int(2)), Expr::Int(1));
    assert_eq!(text(&shifted), "(arg(1) << 2) + 1");
}

#[test]
fn negative_constants_read_as_subtraction() {
    assert_eq!(text(&two(Add, n(), Expr::Int(-3))), "arg(1) - 3");
    assert_eq!(text(&two(Mul, n(), Expr::Int(-3))), "arg(1) * (-3)");
    let lowest = two(Add, n(), Expr::Int(i64::MIN));
    assert_eq!(text(&lowest), "arg(1) - 9223372036854775808");
}

#[test]
fn a_product_with_a_division_in_it_keeps_its_parentheses() {
    let n = || Expr::Input(Input::ArgInt(1));
    let blocks = || two(Div, n(), Expr::Int(16));
    let square = two(Mul, blocks(), blocks());
    assert_eq!(
        text(&two(Mul, Expr::Int(8), square)),
        "8 * (arg(1) / 16 * (arg(1) / 16))"
    );
}

#[test]
fn a_float_constant_makes_its_neighbour_s_conversion_plain() {
    let file = Expr::Input(Input::FileInt {
        path: "argv[1]".to_owned(),
        nth: Some(0),
    });
    let float = |expr: Expr| Expr::Unary(UnaryOp::ToFloat, expr.into());
    let blocks = |inner: Expr| {
        let ratio = two(Div, float(inner), Expr::Float(512.0));
        let up = Expr::Unary(UnaryOp::Ceil, ratio.into());
        Expr::Unary(UnaryOp::ToInt, up.into())
    };
    assert_eq!(
        text(&blocks(file.clone())),
        "ceil(file(argv[1], number 0) / 512.0)"
    );
    let halved = two(Div, file, Expr::Int(2));
    assert_eq!(
        text(&blocks(halved)),
        "ceil(float(file(argv[1], number 0) / 2) / 512.0)"
    );
    let both = two(Div, float(n()), float(n()));
    assert_eq!(text(&both), "float(arg(1)) / float(arg(1))");
}

#[test]
fn choices_and_calls() {
    let choice = Expr::Select {
        condition: two(Less, n(), Expr::Int(512)).into(),
        then: n().into(),
        otherwise: Expr::Int(512).into(),
    };
    assert_eq!(text(&choice), "arg(1) < 512 ? arg(1) : 512");
    assert_eq!(
        text(&two(Mul, choice, n())),
        "(arg(1) < 512 ? arg(1) : 512) * arg(1)"
    );
    assert_eq!(text(&two(Max, n(), Expr::Int(1))), "max(arg(1), 1)");
    let unknown = Expr::Unknown {
        site: None,
        reason: "read from device memory".to_owned(),
    };
    assert_eq!(text(&unknown), "unknown(read from device memory)");
}

#[test]
fn a_loop_variable_is_explained_once_and_a_namesake_gets_a_prime() {
    let mut printer = FormulaPrinter::default();
    let outer = counted("i", Expr::Int(0), 16, two(Sub, n(), Expr::Int(16)));
    let inner = counted("i", outer.clone(), 1, n());
    assert_eq!(printer.text(&two(Sub, n(), outer.clone())), "arg(1) - i");
    assert_eq!(printer.text(&two(Add, outer, inner)), "i + i'");
    assert_eq!(
        printer.clauses(),
        ["i = 0, 16 .. < arg(1) - 16", "i' = i .. < arg(1)"]
    );
}

/// `arg(1)` in the property.
const ARG: i64 = 7;

/// The value; none where something is divided by 0 or overflows.
fn value(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Int(value) => Some(*value),
        Expr::Binary(op, a, b) => apply(*op, value(a)?, value(b)?),
        Expr::Unary(UnaryOp::Neg, a) => value(a)?.checked_neg(),
        _ => Some(ARG),
    }
}

fn apply(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    match op {
        Add => a.checked_add(b),
        Sub => a.checked_sub(b),
        Mul => a.checked_mul(b),
        Div => a.checked_div(b),
        Rem => a.checked_rem(b),
        And => Some(a & b),
        Less => Some((a < b).into()),
        Shl => Some(a.wrapping_shl(b as u32)),
        _ => None,
    }
}

/// Reads a text by the rules of school: products before sums, from the left; other operators one at a time.
struct Reader<'t>(std::iter::Peekable<std::vec::IntoIter<&'t str>>);

impl Reader<'_> {
    fn read(text: &str) -> Option<i64> {
        let spaced = text
            .replace("arg(1)", "n")
            .replace('(', "( ")
            .replace(')', " )")
            .replace('-', "- ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let mut reader = Reader(words.into_iter().peekable());
        let value = reader.apart();
        assert_eq!(reader.0.next(), None, "unread: {text}");
        value
    }

    fn apart(&mut self) -> Option<i64> {
        let left = self.level(&["+", "-"], Self::product)?;
        match self.0.next_if(|word| ["&", "<", "<<"].contains(word)) {
            None => Some(left),
            Some(sign) => apply(meaning(sign), left, self.level(&["+", "-"], Self::product)?),
        }
    }

    fn product(&mut self) -> Option<i64> {
        self.level(&["*", "/", "%"], Self::signed)
    }

    fn level(&mut self, signs: &[&str], part: fn(&mut Self) -> Option<i64>) -> Option<i64> {
        let mut left = part(self);
        while let Some(sign) = self.0.next_if(|word| signs.contains(word)) {
            let right = part(self);
            left = left
                .zip(right)
                .and_then(|(left, right)| apply(meaning(sign), left, right));
        }
        left
    }

    fn signed(&mut self) -> Option<i64> {
        match self.0.next()? {
            "-" => self.signed()?.checked_neg(),
            "n" => Some(ARG),
            "(" => {
                let value = self.apart();
                assert_eq!(self.0.next(), Some(")"));
                value
            }
            digits => Some(digits.parse().unwrap()),
        }
    }
}

fn meaning(sign: &str) -> BinaryOp {
    match sign {
        "+" => Add,
        "-" => Sub,
        "*" => Mul,
        "/" => Div,
        "%" => Rem,
        "&" => And,
        "<" => Less,
        "<<" => Shl,
        other => panic!("no operator: {other}"),
    }
}

fn expressions() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![(-9i64..9).prop_map(Expr::Int), Just(n())];
    leaf.prop_recursive(5, 24, 2, |inner| {
        let op = prop::sample::select(vec![Add, Sub, Mul, Div, Rem, And, Less, Shl]);
        prop_oneof![
            4 => (op, inner.clone(), inner.clone()).prop_map(|(op, a, b)| two(op, a, b)),
            1 => inner.prop_map(|a| Expr::Unary(UnaryOp::Neg, a.into())),
        ]
    })
}

proptest! {
    #[test]
    fn a_text_reads_back_as_the_value(expr in expressions()) {
        prop_assume!(value(&expr).is_some());
        prop_assert_eq!(Reader::read(&text(&expr)), value(&expr), "{}", text(&expr));
    }
}

#[test]
fn one_of_several_values_has_a_name_and_a_clause() {
    let mut printer = FormulaPrinter::default();
    let side = Expr::OneOf(vec![Expr::Int(0), n()]);
    let other = Expr::OneOf(vec![side.clone(), Expr::Int(4)]);
    let area = two(Mul, side.clone(), two(Mul, other, side));
    assert_eq!(printer.text(&area), "n * m * n");
    assert_eq!(
        printer.clauses(),
        ["n = one of 0, arg(1)", "m = one of n, 4"]
    );
    let legend: Vec<&str> = printer.legend().iter().copied().collect();
    assert_eq!(
        legend,
        ["arg(1): the first word behind the program, as a number"]
    );
}

#[test]
fn a_loop_that_counts_down_says_so() {
    let mut printer = FormulaPrinter::default();
    let down = counted("i", two(Sub, n(), Expr::Int(1)), -1, Expr::Int(0));
    printer.text(&down);
    assert_eq!(printer.clauses(), ["i = arg(1) - 1 down .. < 0"]);
}
