//! Evaluates a closed formula of the summary: one without an unknown part or a choice, and without a loop's variable but
//! in what is folded over that loop. For cross-checks of the size program, and for tables over inputs.

use crate::input::{CommandLine, DeviceProperties};
use crate::models::cuda::properties;
use crate::models::files::{Files, Stream};
use crate::models::float_text::float;
use crate::models::number::{is_space, whole};
use migfit_schema::formula::{BinaryOp, CompareOp, Expr, Fold, Input, LoopVar, Over, UnaryOp};

/// Turns of all loops of one formula together.
const MOST_TURNS: u64 = 1_000_000;

/// The value of a formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Int(i128),
    /// A floating-point number.
    Float(f64),
}

impl Number {
    fn is_true(self) -> bool {
        match self {
            Number::Int(number) => number != 0,
            Number::Float(number) => number != 0.0,
        }
    }

    fn to_f64(self) -> f64 {
        match self {
            Number::Int(number) => number as f64,
            Number::Float(number) => number,
        }
    }

    fn to_int(self) -> i128 {
        match self {
            Number::Int(number) => number,
            Number::Float(number) => number as i128,
        }
    }
}

/// The value of a formula for one command line; `None` where a part of it is unknown, a choice or the variable of a loop
/// that is not folded over, an input is missing, or the arithmetic has no result.
#[must_use]
pub fn evaluate_formula(
    expr: &Expr,
    command: &CommandLine,
    device: &DeviceProperties,
) -> Option<Number> {
    let mut evaluation = Evaluation {
        command,
        device,
        running: Vec::new(),
        turns: 0,
    };
    evaluation.value(expr)
}

/// One evaluation on its way.
struct Evaluation<'e> {
    command: &'e CommandLine,
    device: &'e DeviceProperties,
    /// Variables of the loops that are folded over, with their values.
    running: Vec<(&'e LoopVar, i128)>,
    turns: u64,
}

impl<'e> Evaluation<'e> {
    fn value(&mut self, expr: &'e Expr) -> Option<Number> {
        match expr {
            Expr::Int(number) => Some(Number::Int(i128::from(*number))),
            Expr::Float(number) => Some(Number::Float(*number)),
            Expr::Input(which) => input(which, self.command, self.device),
            Expr::Binary(op, a, b) => binary(*op, self.value(a)?, self.value(b)?),
            Expr::Unary(op, a) => Some(unary(*op, self.value(a)?)),
            Expr::Select {
                condition,
                then,
                otherwise,
            } => match self.value(condition)?.is_true() {
                true => self.value(then),
                false => self.value(otherwise),
            },
            Expr::Loop(variable) => {
                let mut running = self.running.iter().rev();
                let found = running.find(|(running, _)| **running == **variable);
                found.map(|(_, value)| Number::Int(*value))
            }
            Expr::Over(over) => self.folded(over),
            Expr::OneOf(_) | Expr::Unknown { .. } => None,
        }
    }

    fn whole(&mut self, expr: &'e Expr) -> Option<i128> {
        match self.value(expr)? {
            Number::Int(number) => Some(number),
            Number::Float(_) => None,
        }
    }

    fn folded(&mut self, over: &'e Over) -> Option<Number> {
        let variable = &over.variable;
        let (mut at, step) = (self.whole(&variable.first)?, self.whole(&variable.step)?);
        let bound = self.whole(&variable.bound)?;
        let mut result = 0;
        while goes_on(variable.compare, at, bound) {
            self.turns += 1;
            if self.turns > MOST_TURNS || step == 0 {
                return None;
            }
            self.running.push((variable, at));
            let each = self.whole(&over.each);
            self.running.pop();
            result = match over.fold {
                Fold::Sum => each?.checked_add(result)?,
                Fold::Max => each?.max(result),
            };
            at = at.checked_add(step)?;
        }
        Some(Number::Int(result))
    }
}

fn goes_on(compare: CompareOp, value: i128, bound: i128) -> bool {
    match compare {
        CompareOp::Less => value < bound,
        CompareOp::LessEqual => value <= bound,
        CompareOp::Greater => value > bound,
        CompareOp::GreaterEqual => value >= bound,
        CompareOp::NotEqual => value != bound,
    }
}

fn text_to_int(text: &str) -> Number {
    Number::Int(i128::from(whole(text.as_bytes(), 10).to_i64()))
}

fn input(input: &Input, command: &CommandLine, device: &DeviceProperties) -> Option<Number> {
    let word = |index: u32| command.args.get(index as usize);
    match input {
        Input::ArgInt(index) => Some(text_to_int(word(*index)?)),
        Input::WordInt(index) => Some(text_to_int(plain_word(*index, command)?)),
        Input::ArgFloat(index) => Some(Number::Float(float(word(*index)?.as_bytes()).double)),
        Input::ArgCount => Some(Number::Int(command.args.len() as i128)),
        Input::OptionInt(spellings) => spellings
            .iter()
            .find_map(|spelling| option(spelling, command))
            .map(text_to_int),
        Input::EnvInt(name) => {
            let found = command.env.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| text_to_int(value))
        }
        Input::FileInt { path, nth } => nth_number(&file_name(path, command)?, (*nth)?, command),
        Input::Device(name) => device_number(name, device),
    }
}

/// The value of an option: the next word, or what follows the spelling in the same word.
fn option<'c>(spelling: &str, command: &'c CommandLine) -> Option<&'c str> {
    let words = command.args.get(1..)?;
    for (index, word) in words.iter().enumerate() {
        let Some(rest) = word.strip_prefix(spelling) else {
            continue;
        };
        let is_long = spelling.starts_with("--");
        match rest.strip_prefix('=') {
            Some(value) if is_long => return Some(value),
            _ if rest.is_empty() => return words.get(index + 1).map(String::as_str),
            _ if !is_long && rest.starts_with(|c: char| c.is_ascii_digit()) => return Some(rest),
            _ => {}
        }
    }
    None
}

/// The `index`th word, from 1, that does not look like an option.
fn plain_word(index: u32, command: &CommandLine) -> Option<&str> {
    let words = command
        .args
        .iter()
        .skip(1)
        .filter(|word| !word.starts_with('-'));
    words
        .map(String::as_str)
        .nth(usize::try_from(index).ok()?.checked_sub(1)?)
}

/// A file as `Input::FileInt` names it: `arg(1)`, `word(1)`, `option(-i)`, `"data.txt"`.
fn file_name(path: &str, command: &CommandLine) -> Option<String> {
    if let Some(literal) = path
        .strip_prefix('"')
        .and_then(|path| path.strip_suffix('"'))
    {
        return Some(literal.to_owned());
    }
    let (kind, inner) = path.strip_suffix(')')?.split_once('(')?;
    match kind {
        "arg" => command.args.get(inner.parse::<usize>().ok()?).cloned(),
        "word" => plain_word(inner.parse().ok()?, command).map(str::to_owned),
        "option" => option(inner, command).map(str::to_owned),
        _ => None,
    }
}

/// The `nth` number of a file whose numbers stand between white space or commas.
fn nth_number(path: &str, nth: u32, command: &CommandLine) -> Option<Number> {
    let Ok(Stream::Reader(mut reader)) = Files::new(command.cwd.clone()).open(path, "r") else {
        return None;
    };
    let between = |byte: u8| is_space(byte) || byte == b',';
    for index in 0..=nth {
        while reader.peek().is_some_and(between) {
            reader.advance();
        }
        let mut token = Vec::new();
        while let Some(byte) = reader.peek().filter(|byte| !between(*byte)) {
            token.push(byte);
            reader.advance();
        }
        if token.is_empty() {
            return None;
        }
        if index == nth {
            let number = whole(&token, 10);
            return (number.used > 0).then(|| Number::Int(i128::from(number.to_i64())));
        }
    }
    None
}

/// A device property by the name of its field in `cudaDeviceProp`.
fn device_number(name: &str, device: &DeviceProperties) -> Option<Number> {
    let number = match name {
        "totalGlobalMem" => return Some(Number::Int(i128::from(device.total_bytes))),
        "multiProcessorCount" => 16,
        "major" => 75,
        "minor" => 76,
        "clockRate" => 13,
        "l2CacheSize" => 38,
        "warpSize" => 10,
        "maxThreadsPerBlock" => 1,
        "maxThreadsPerMultiProcessor" => 39,
        "sharedMemPerBlock" => 8,
        "sharedMemPerMultiprocessor" => 81,
        "regsPerBlock" => 12,
        _ => return None,
    };
    properties::attribute(device, number).map(|value| Number::Int(i128::from(value)))
}

fn binary(op: BinaryOp, a: Number, b: Number) -> Option<Number> {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => whole_binary(op, a, b).map(Number::Int),
        _ => float_binary(op, a.to_f64(), b.to_f64()),
    }
}

fn whole_binary(op: BinaryOp, a: i128, b: i128) -> Option<i128> {
    let shift = u32::try_from(b).ok();
    Some(match op {
        BinaryOp::Add => a.checked_add(b)?,
        BinaryOp::Sub => a.checked_sub(b)?,
        BinaryOp::Mul => a.checked_mul(b)?,
        BinaryOp::Div => a.checked_div(b)?,
        BinaryOp::Rem => a.checked_rem(b)?,
        BinaryOp::Shl => a.checked_mul(1i128.checked_shl(shift?).filter(|power| *power > 0)?)?,
        BinaryOp::Shr => a.checked_shr(shift?)?,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Min => a.min(b),
        BinaryOp::Max => a.max(b),
        BinaryOp::Less => i128::from(a < b),
        BinaryOp::LessEqual => i128::from(a <= b),
        BinaryOp::Equal => i128::from(a == b),
        BinaryOp::NotEqual => i128::from(a != b),
    })
}

fn float_binary(op: BinaryOp, a: f64, b: f64) -> Option<Number> {
    Some(match op {
        BinaryOp::Add => Number::Float(a + b),
        BinaryOp::Sub => Number::Float(a - b),
        BinaryOp::Mul => Number::Float(a * b),
        BinaryOp::Div => Number::Float(a / b),
        BinaryOp::Rem => Number::Float(a % b),
        BinaryOp::Min => Number::Float(a.min(b)),
        BinaryOp::Max => Number::Float(a.max(b)),
        BinaryOp::Less => Number::Int(i128::from(a < b)),
        BinaryOp::LessEqual => Number::Int(i128::from(a <= b)),
        BinaryOp::Equal => Number::Int(i128::from(a == b)),
        BinaryOp::NotEqual => Number::Int(i128::from(a != b)),
        BinaryOp::Shl | BinaryOp::Shr | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
            return None;
        }
    })
}

fn unary(op: UnaryOp, a: Number) -> Number {
    match (op, a) {
        (UnaryOp::Neg, Number::Int(a)) => Number::Int(a.wrapping_neg()),
        (UnaryOp::Neg, Number::Float(a)) => Number::Float(-a),
        (UnaryOp::Not, a) => Number::Int(i128::from(!a.is_true())),
        (UnaryOp::Ceil, a) => Number::Float(a.to_f64().ceil()),
        (UnaryOp::Floor, a) => Number::Float(a.to_f64().floor()),
        (UnaryOp::Sqrt, a) => Number::Float(a.to_f64().sqrt()),
        (UnaryOp::ToInt, a) => Number::Int(a.to_int()),
        (UnaryOp::ToFloat, a) => Number::Float(a.to_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str]) -> CommandLine {
        CommandLine {
            args: words.iter().map(|word| (*word).to_owned()).collect(),
            env: vec![("SIZE".to_owned(), "12".to_owned())],
            cwd: std::env::temp_dir(),
        }
    }

    fn device() -> DeviceProperties {
        DeviceProperties {
            name: "virtual".to_owned(),
            compute_capability: (8, 0),
            sm_count: 14,
            total_bytes: 1 << 30,
            l2_bytes: 1 << 20,
            clock_khz: 1_000_000,
            ..DeviceProperties::default()
        }
    }

    fn value(expr: Expr, words: &[&str]) -> Option<Number> {
        evaluate_formula(&expr, &command(words), &device())
    }

    fn int(number: i64) -> Box<Expr> {
        Box::new(Expr::Int(number))
    }

    #[test]
    fn arguments_options_and_the_environment_are_inputs() {
        let arg = Expr::Binary(
            BinaryOp::Mul,
            Box::new(Expr::Input(Input::ArgInt(1))),
            int(4),
        );
        assert_eq!(value(arg, &["p", "1000"]), Some(Number::Int(4000)));
        let size = || Expr::Input(Input::OptionInt(vec!["-s".to_owned(), "--size".to_owned()]));
        assert_eq!(value(size(), &["p", "-s", "64"]), Some(Number::Int(64)));
        assert_eq!(value(size(), &["p", "-s64"]), Some(Number::Int(64)));
        assert_eq!(value(size(), &["p", "--size=32"]), Some(Number::Int(32)));
        assert_eq!(value(size(), &["p"]), None);
        assert_eq!(
            value(Expr::Input(Input::EnvInt("SIZE".to_owned())), &["p"]),
            Some(Number::Int(12))
        );
        let sms = Expr::Input(Input::Device("multiProcessorCount".to_owned()));
        assert_eq!(value(sms, &["p"]), Some(Number::Int(14)));
    }

    #[test]
    fn what_a_loop_takes_is_summed_and_its_largest_found() {
        let variable = LoopVar {
            name: "i".to_owned(),
            first: Expr::Int(1),
            step: Expr::Int(2),
            compare: CompareOp::LessEqual,
            bound: Expr::Input(Input::ArgInt(1)),
        };
        let folded = |fold| {
            let each = Expr::Binary(
                BinaryOp::Div,
                int(60),
                Box::new(Expr::Loop(Box::new(variable.clone()))),
            );
            let variable = variable.clone();
            Expr::Over(Box::new(Over {
                fold,
                variable,
                each,
            }))
        };
        // 60 + 20 + 12 for 1, 3 and 5.
        assert_eq!(value(folded(Fold::Sum), &["p", "6"]), Some(Number::Int(92)));
        assert_eq!(value(folded(Fold::Max), &["p", "6"]), Some(Number::Int(60)));
        assert_eq!(value(folded(Fold::Sum), &["p", "0"]), Some(Number::Int(0)));
        assert_eq!(value(folded(Fold::Sum), &["p", "9999999999"]), None);
        assert_eq!(value(Expr::Loop(Box::new(variable)), &["p", "6"]), None);
    }

    #[test]
    fn the_nth_number_of_a_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("graph"), "8\n0 2\n3,4\n").unwrap();
        let mut command = command(&["p", "graph"]);
        command.cwd = folder.path().to_owned();
        let number = |nth| {
            let expr = Expr::Input(Input::FileInt {
                path: "arg(1)".to_owned(),
                nth: Some(nth),
            });
            evaluate_formula(&expr, &command, &device())
        };
        assert_eq!(number(0), Some(Number::Int(8)));
        assert_eq!(number(4), Some(Number::Int(4)));
        assert_eq!(number(5), None);
    }

    #[test]
    fn what_is_not_closed_or_has_no_result_has_no_value() {
        let zero = Expr::Binary(BinaryOp::Div, int(1), int(0));
        assert_eq!(value(zero, &["p"]), None);
        assert_eq!(value(Expr::OneOf(vec![Expr::Int(1)]), &["p"]), None);
        let ceil = Expr::Unary(
            UnaryOp::Ceil,
            Box::new(Expr::Binary(
                BinaryOp::Div,
                Box::new(Expr::Float(7.0)),
                int(2),
            )),
        );
        assert_eq!(
            value(Expr::Unary(UnaryOp::ToInt, Box::new(ceil)), &["p"]),
            Some(Number::Int(4))
        );
    }
}
