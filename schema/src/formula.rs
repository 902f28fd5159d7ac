//! Sizes as expressions over named inputs: what `migfit fit PROGRAM` prints without arguments.
//! Filled by the analyzer, printed by the launcher, evaluated by `sizes` where no part is unknown.

use crate::site::Site;
use serde::{Deserialize, Serialize};

/// An expression over named inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expr {
    /// A whole constant.
    Int(i64),
    /// A floating-point constant.
    Float(f64),
    /// A named input of the program.
    Input(Input),
    /// The value of a counted loop's variable.
    Loop(Box<LoopVar>),
    /// All values that an expression takes while a loop's variable runs, as one.
    Over(Box<Over>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// One of several values, which depends on conditions: `then` if `condition` is not zero, else `otherwise`.
    Select {
        /// The condition.
        condition: Box<Expr>,
        /// Value where the condition is not zero.
        then: Box<Expr>,
        /// Value where it is zero.
        otherwise: Box<Expr>,
    },
    /// One of several values; which one is decided by control flow that has no closed form here.
    OneOf(Vec<Expr>),
    /// Not known, with the place and the reason; never dropped.
    Unknown {
        /// Where it became unknown.
        site: Option<Site>,
        /// Why, as a clause: "read from device memory".
        reason: String,
    },
}

/// A named input of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// `argv[index]` read as a whole number (atoi, strtol).
    ArgInt(u32),
    /// The `index`th word (from 1) that is not an option, where the program itself collects such words; as a whole number.
    WordInt(u32),
    /// `argv[index]` read as a floating-point number.
    ArgFloat(u32),
    /// The number of command-line words, `argc`.
    ArgCount,
    /// The value of a command-line option as a whole number, under its spellings (`-s`, `--size`).
    OptionInt(Vec<String>),
    /// An environment variable as a whole number.
    EnvInt(String),
    /// The `nth` number (from 0) that the program reads from a file; `path` says which.
    FileInt {
        /// Which file, as people would say it: `arg(1)`, `option(-i)`, `"data.txt"`.
        path: String,
        /// Which number in reading order, from 0; `None` where that depends on other numbers in the file.
        nth: Option<u32>,
    },
    /// A device property (`multiProcessorCount`).
    Device(String),
}

/// A counted loop's variable: `name` runs from `first` by `step` while below (or above) `bound`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopVar {
    /// The source's name where debug information gave one, else `i`, `j` ...
    pub name: String,
    /// First value.
    pub first: Expr,
    /// Added each time round; may be negative.
    pub step: Expr,
    /// The loop goes on while the variable compares so with `bound`.
    pub compare: CompareOp,
    /// The value compared with.
    pub bound: Expr,
}

/// What becomes of all values of an expression while a loop's variable runs; 0 where the loop makes no turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Over {
    /// How they become one.
    pub fold: Fold,
    /// The variable, as it stands in `each`.
    pub variable: LoopVar,
    /// The expression.
    pub each: Expr,
}

/// How many values become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fold {
    /// Their sum.
    Sum,
    /// The largest of them.
    Max,
}

/// Operators of two operands; whole-number unless the name says float.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the operators")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Min,
    Max,
    Less,
    LessEqual,
    Equal,
    NotEqual,
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the operators")]
pub enum UnaryOp {
    Neg,
    Not,
    Ceil,
    Floor,
    Sqrt,
    ToInt,
    ToFloat,
}

/// How a loop variable is compared with its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the comparisons")]
pub enum CompareOp {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    NotEqual,
}
