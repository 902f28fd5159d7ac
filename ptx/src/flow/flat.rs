//! A function whose names are resolved: registers and storage by number, callees in place of their calls.

use crate::text::ast::Instruction;
use crate::text::error::Place;
use crate::text::literal::Literal;
use crate::text::types::{Space, Type};

/// A register, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u32);

/// A place in the code, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(pub u32);

/// A function, flat.
#[derive(Debug)]
pub struct Flat<'a> {
    /// Its name.
    pub name: &'a str,
    /// Types of the registers.
    pub registers: Vec<Type>,
    /// What it keeps in memory: local variables, parameters of calls, shared variables.
    pub storage: Vec<Storage>,
    /// What it does.
    pub steps: Vec<Step<'a>>,
    /// The step that each label stands before.
    pub labels: Vec<usize>,
    /// Lists of targets of indirect branches.
    pub targets: Vec<Vec<Label>>,
}

/// A variable of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage {
    /// Where it lies: `Local`, `Param` or `Shared`.
    pub space: Space,
    /// Its size; 0 of shared memory that the launch sizes.
    pub bytes: u64,
    /// Its alignment.
    pub align: u64,
    /// Whether the launch says its size.
    pub dynamic: bool,
}

/// Something with an address or a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// A parameter of the function itself, by its number.
    Parameter(usize),
    /// What the function itself returns, by its number.
    Return(usize),
    /// Storage of the function, by its number.
    Storage(usize),
    /// A variable of the program: the module that defines it, and its name.
    Variable(usize, String),
    /// A function of the program: its module and name.
    Function(usize, String),
    /// A name that the program does not define: a special register, or what the driver brings along.
    Foreign(String),
}

/// A step: an instruction with its operands resolved.
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// The predicate under which it is done, and whether that is negated.
    pub guard: Option<(Reg, bool)>,
    /// What is done.
    pub op: Op<'a>,
    /// Its operands.
    pub args: Vec<Arg>,
    /// The function that it is written in.
    pub function: &'a str,
    /// Where it stands in its module.
    pub at: Place,
}

/// What a step does.
#[derive(Clone, Copy, Debug)]
pub enum Op<'a> {
    /// What the instruction says.
    Given(&'a Instruction),
    /// Goes on at the label that is its operand: the end of a function that stands in place of its call.
    Jump,
    /// Gives its first operand the value of the second: an argument that is passed in a register.
    Move,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// A register.
    Reg(Reg),
    /// A register plus bytes.
    RegOffset(Reg, i64),
    /// The address of something, plus bytes.
    Symbol(Symbol, i64),
    /// A place in the code.
    Label(Label),
    /// A list of targets, by its number.
    Targets(usize),
    /// A number.
    Number(Literal),
    /// A negated predicate.
    Not(Reg),
    /// Elements of a vector.
    Vector(Vec<Arg>),
    /// `a|b`.
    Pair(Box<Arg>, Box<Arg>),
    /// What lies at an address.
    Memory(Vec<Arg>),
    /// Arguments or results of a call.
    List(Vec<Arg>),
    /// `_`: the value is not wanted.
    Sink,
}
