//! `Expr` -> the text that people read: `arg(1) * arg(1) * 4`. Loop variables, and values that are one of several,
//! have a name in the text and are explained once, in clauses behind it. Simplifying is the analyzer's work.

use migfit_schema::formula::{BinaryOp, CompareOp, Expr, Fold, Input, LoopVar, Over, UnaryOp};
use std::collections::BTreeSet;

/// Prints expressions that belong together, so that what is named has one name and one clause in all of them.
#[derive(Default)]
pub struct FormulaPrinter {
    /// Loop variables and `OneOf` values with their names.
    named: Vec<(Expr, String)>,
    clauses: Vec<String>,
    inputs: BTreeSet<&'static str>,
}

/// Names of values that are one of several: free ones are taken in this order, then with primes.
const VALUE_NAMES: [&str; 4] = ["n", "m", "k", "q"];

/// How strongly the outermost operator of a text binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Choice,
    /// Comparisons, shifts and bit operations: always in parentheses inside another operator.
    Apart,
    Sum,
    Product,
    Sign,
    Whole,
}

/// What is divided in `(x + d - 1) / d`, which rounds a quotient up.
fn rounded_up<'e>(op: BinaryOp, a: &'e Expr, b: &Expr) -> Option<&'e Expr> {
    let (BinaryOp::Div, Expr::Binary(BinaryOp::Add, x, more)) = (op, a) else {
        return None;
    };
    match (x.as_ref(), more.as_ref(), b) {
        (x, Expr::Int(more), Expr::Int(by)) if *by > 1 && more.checked_add(1) == Some(*by) => {
            Some(x)
        }
        (Expr::Binary(BinaryOp::Add, x, by), Expr::Int(-1), b) if by.as_ref() == b => Some(x),
        _ => None,
    }
}

impl FormulaPrinter {
    /// The text of one expression.
    pub fn text(&mut self, expr: &Expr) -> String {
        self.print(expr).0
    }

    /// A clause for each name met so far: `i = 0, 16 .. < n`, `n = one of 0, arg(1)`.
    #[must_use]
    pub fn clauses(&self) -> &[String] {
        &self.clauses
    }

    /// What the ways of writing inputs met so far mean.
    #[must_use]
    pub fn legend(&self) -> &BTreeSet<&'static str> {
        &self.inputs
    }

    fn print(&mut self, expr: &Expr) -> (String, Binding) {
        match expr {
            Expr::Int(value) if *value < 0 => (value.to_string(), Binding::Sign),
            Expr::Int(value) => (value.to_string(), Binding::Whole),
            Expr::Float(value) if *value < 0.0 => (format!("{value:?}"), Binding::Sign),
            Expr::Float(value) => (format!("{value:?}"), Binding::Whole),
            Expr::Input(input) => {
                self.inputs.insert(meaning(input));
                (input_text(input), Binding::Whole)
            }
            Expr::Loop(variable) => {
                let name = self.name(expr, std::slice::from_ref(&variable.name.as_str()));
                (name, Binding::Whole)
            }
            Expr::Over(over) => (self.over(over), Binding::Whole),
            Expr::Binary(op, a, b) => self.binary(*op, a, b),
            Expr::Unary(op, a) => self.unary(*op, a),
            Expr::Select {
                condition,
                then,
                otherwise,
            } => self.choice(condition, then, otherwise),
            Expr::OneOf(_) => (self.name(expr, &VALUE_NAMES), Binding::Whole),
            Expr::Unknown { site, reason } => {
                let place = site.as_ref().map(|site| format!(" at {site}"));
                let place = place.unwrap_or_default();
                (format!("unknown({reason}{place})"), Binding::Whole)
            }
        }
    }

    fn choice(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr) -> (String, Binding) {
        let condition = self.at_least(condition, Binding::Apart);
        let then = self.at_least(then, Binding::Apart);
        let otherwise = self.at_least(otherwise, Binding::Apart);
        (
            format!("{condition} ? {then} : {otherwise}"),
            Binding::Choice,
        )
    }

    /// `sum over i of (4 * i)`: what the variable runs over stands in its clause.
    fn over(&mut self, over: &Over) -> String {
        let variable = Expr::Loop(Box::new(over.variable.clone()));
        let name = self.name(
            &variable,
            std::slice::from_ref(&over.variable.name.as_str()),
        );
        let fold = match over.fold {
            Fold::Sum => "sum",
            Fold::Max => "largest",
        };
        let each = self.text(&over.each);
        format!("({fold} over {name} of {each})")
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> (String, Binding) {
        if let Some(dividend) = rounded_up(op, a, b) {
            let dividend = self.at_least(dividend, Binding::Product);
            let divisor = self.at_least(b, Binding::Whole);
            return (format!("ceil({dividend} / {divisor})"), Binding::Whole);
        }
        let (a, b) = (beside(a, b), beside(b, a));
        let (sign, binding) = match op {
            BinaryOp::Min => return (self.call("min", &[a, b]), Binding::Whole),
            BinaryOp::Max => {
                let mut all = Vec::new();
                maxima(a, &mut all);
                maxima(b, &mut all);
                return (self.call("max", &all), Binding::Whole);
            }
            BinaryOp::Add => ("+", Binding::Sum),
            BinaryOp::Sub => ("-", Binding::Sum),
            BinaryOp::Mul => ("*", Binding::Product),
            BinaryOp::Div => ("/", Binding::Product),
            BinaryOp::Rem => ("%", Binding::Product),
            BinaryOp::Shl => ("<<", Binding::Apart),
            BinaryOp::Shr => (">>", Binding::Apart),
            BinaryOp::And => ("&", Binding::Apart),
            BinaryOp::Or => ("|", Binding::Apart),
            BinaryOp::Xor => ("^", Binding::Apart),
            BinaryOp::Less => ("<", Binding::Apart),
            BinaryOp::LessEqual => ("<=", Binding::Apart),
            BinaryOp::Equal => ("==", Binding::Apart),
            BinaryOp::NotEqual => ("!=", Binding::Apart),
        };
        if let (BinaryOp::Add, Expr::Int(value @ ..0)) = (op, b) {
            let left = self.at_least(a, Binding::Sum);
            return (format!("{left} - {}", value.unsigned_abs()), Binding::Sum);
        }
        let left = self.at_least(a, left_of(binding));
        let right = match (op, b) {
            (BinaryOp::Add, Expr::Binary(BinaryOp::Add, ..)) => self.text(b),
            // 8 * (n / 16 * m) is not 8 * n / 16 * m in whole numbers.
            (BinaryOp::Mul, Expr::Binary(BinaryOp::Mul, ..)) if !divides(b) => self.text(b),
            _ => self.at_least(b, right_of(binding)),
        };
        (format!("{left} {sign} {right}"), binding)
    }

    fn unary(&mut self, op: UnaryOp, a: &Expr) -> (String, Binding) {
        let name = match op {
            UnaryOp::Neg => {
                return (
                    format!("-{}", self.at_least(a, Binding::Whole)),
                    Binding::Sign,
                );
            }
            UnaryOp::Not => {
                return (
                    format!("~{}", self.at_least(a, Binding::Whole)),
                    Binding::Sign,
                );
            }
            UnaryOp::ToInt if rounds(a) => return self.print(a),
            UnaryOp::Ceil => "ceil",
            UnaryOp::Floor => "floor",
            UnaryOp::Sqrt => "sqrt",
            UnaryOp::ToInt => "int",
            UnaryOp::ToFloat => "float",
        };
        (self.call(name, &[a]), Binding::Whole)
    }

    fn call(&mut self, name: &str, operands: &[&Expr]) -> String {
        let operands: Vec<String> = operands.iter().map(|operand| self.text(operand)).collect();
        format!("{name}({})", operands.join(", "))
    }

    /// The text, in parentheses where it binds less than its surroundings ask.
    fn at_least(&mut self, expr: &Expr, asked: Binding) -> String {
        match self.print(expr) {
            (text, binding) if binding < asked => format!("({text})"),
            (text, _) => text,
        }
    }

    /// The name of a loop variable or of one of several values; a name that is taken gets a prime.
    fn name(&mut self, expr: &Expr, wanted: &[&str]) -> String {
        if let Some((_, name)) = self.named.iter().find(|(known, _)| known == expr) {
            return name.clone();
        }
        let taken = |name: &str| self.named.iter().any(|(_, known)| known == name);
        let free = wanted.iter().find(|name| !taken(name));
        let mut name = free.or(wanted.first()).map_or("n", |name| name).to_owned();
        while taken(&name) {
            name.push('\'');
        }
        self.named.push((expr.clone(), name.clone()));
        let range = match expr {
            Expr::Loop(variable) => self.range(variable),
            Expr::OneOf(values) => {
                let values: Vec<String> = values.iter().map(|value| self.text(value)).collect();
                format!("one of {}", values.join(", "))
            }
            other => self.text(other),
        };
        self.clauses.push(format!("{name} = {range}"));
        name
    }

    fn range(&mut self, variable: &LoopVar) -> String {
        let first = self.text(&variable.first);
        let second = match (&variable.first, &variable.step) {
            (_, Expr::Int(1)) => String::new(),
            (_, Expr::Int(-1)) => " down".to_owned(),
            (Expr::Int(first), Expr::Int(step)) => format!(", {}", first.saturating_add(*step)),
            (first, step) => {
                let sum = Expr::Binary(BinaryOp::Add, first.clone().into(), step.clone().into());
                format!(", {}", self.text(&sum))
            }
        };
        let bound = self.text(&variable.bound);
        format!("{first}{second} .. {} {bound}", sign(variable.compare))
    }
}

/// The operands of a maximum, those of maxima among them.
fn maxima<'e>(expr: &'e Expr, all: &mut Vec<&'e Expr>) {
    match expr {
        Expr::Binary(BinaryOp::Max, a, b) => {
            maxima(a, all);
            maxima(b, all);
        }
        other => all.push(other),
    }
}

/// An operand without its conversion to floating point, where the operand beside it shows that the arithmetic is
/// floating-point and the operand holds no whole-number division, which would then be misread.
fn beside<'a>(operand: &'a Expr, other: &Expr) -> &'a Expr {
    match (operand, other) {
        (Expr::Unary(UnaryOp::ToFloat, inner), Expr::Float(_)) if !divides(inner) => inner,
        _ => operand,
    }
}

fn divides(expr: &Expr) -> bool {
    match expr {
        Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => {
            divides(a) || divides(b)
        }
        Expr::Int(_) | Expr::Input(_) | Expr::Loop(_) | Expr::OneOf(_) => false,
        _ => true,
    }
}

/// Whether the value is whole already, so that a conversion says nothing.
fn rounds(expr: &Expr) -> bool {
    matches!(expr, Expr::Unary(UnaryOp::Ceil | UnaryOp::Floor, _))
}

fn left_of(binding: Binding) -> Binding {
    match binding {
        Binding::Apart => Binding::Sign,
        same => same,
    }
}

fn right_of(binding: Binding) -> Binding {
    match binding {
        Binding::Sum => Binding::Product,
        Binding::Apart => Binding::Sign,
        _ => Binding::Whole,
    }
}

/// What the way of writing an input means.
fn meaning(input: &Input) -> &'static str {
    match input {
        Input::ArgInt(_) => "arg(1): the first word behind the program, as a number",
        Input::WordInt(_) => {
            "word(1): the first word that is no option, as a number (or the file that it names)"
        }
        Input::ArgFloat(_) => {
            "float(arg(1)): the first word behind the program, as a floating-point number"
        }
        Input::ArgCount => "argc: the number of words, the program's own name included",
        Input::OptionInt(_) => {
            "option(NAMES): the number behind this option, in any of its spellings"
        }
        Input::EnvInt(_) => "env(NAME): the environment variable, as a number",
        Input::FileInt { .. } => "file(F, number 0): the first number in the file F",
        Input::Device(_) => "device(P): the property P of the slice that the program runs on",
    }
}

fn input_text(input: &Input) -> String {
    match input {
        Input::ArgInt(index) => format!("arg({index})"),
        Input::WordInt(index) => format!("word({index})"),
        Input::ArgFloat(index) => format!("float(arg({index}))"),
        Input::ArgCount => "argc".to_owned(),
        Input::OptionInt(spellings) => format!("option({})", spellings.join(", ")),
        Input::EnvInt(name) => format!("env({name})"),
        Input::FileInt {
            path,
            nth: Some(nth),
        } => format!("file({path}, number {nth})"),
        Input::FileInt { path, nth: None } => format!("file({path}, a later number)"),
        Input::Device(property) => format!("device({property})"),
    }
}

fn sign(compare: CompareOp) -> &'static str {
    match compare {
        CompareOp::Less => "<",
        CompareOp::LessEqual => "<=",
        CompareOp::Greater => ">",
        CompareOp::GreaterEqual => ">=",
        CompareOp::NotEqual => "!=",
    }
}

#[cfg(test)]
#[path = "formula_text_tests.rs"]
mod tests;
