//! The syntax tree of a PTX text: a module with its variables and functions, down to single operands. An instruction keeps
//! its modifiers as words, in order; what they mean is for those who use them.

use super::error::Place;
use super::literal::Literal;
use super::types::{Space, Type};

/// A PTX text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// Version of the language, `9.5`.
    pub version: String,
    /// Target and its options: `sm_80`, `debug`.
    pub target: Vec<String>,
    /// Bits of an address.
    pub address_size: Option<u32>,
    /// What it declares and defines, in order.
    pub items: Vec<Item>,
}

impl Module {
    /// Its functions, in order.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(function),
            _ => None,
        })
    }

    /// Its variables outside functions, in order.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.items.iter().filter_map(|item| match item {
            Item::Variable(variable) => Some(variable),
            _ => None,
        })
    }
}

/// Something of a module.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A variable.
    Variable(Variable),
    /// A kernel or another function, declared or defined.
    Function(Function),
    /// A name for a function: `.alias name, aliasee;`.
    Alias(String, String),
    /// A line or section for debuggers and assemblers, kept as it is: `.file 1 "a.cu"`, `.section .debug_str { … }`.
    Raw(String),
}

/// What a name means to other modules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is its name in PTX")]
pub enum Linking {
    #[default]
    None,
    Extern,
    Visible,
    Weak,
    Common,
}

impl Linking {
    /// The directive with a space behind it, or nothing.
    pub(super) fn text(self) -> &'static str {
        match self {
            Linking::None => "",
            Linking::Extern => ".extern ",
            Linking::Visible => ".visible ",
            Linking::Weak => ".weak ",
            Linking::Common => ".common ",
        }
    }
}

/// A variable, parameter or register declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// What its name means to other modules.
    pub linking: Linking,
    /// Where it lies.
    pub space: Space,
    /// `.attribute(…)`, as it is.
    pub attribute: Option<String>,
    /// Alignment in bytes, where it is given.
    pub align: Option<u32>,
    /// Of a pointer parameter: `.ptr` with the space that it points to and the alignment there.
    pub pointer: Option<(Option<String>, Option<u32>)>,
    /// Elements of its vector type; 1: none.
    pub vector: u32,
    /// Type of an element.
    pub ty: Type,
    /// Its name; in a prototype `_`.
    pub name: String,
    /// Of registers `%r<N>`: so many, `%r0` and on.
    pub count: Option<u32>,
    /// Extents of an array; `None`: not given (`[]`).
    pub extents: Vec<Option<u64>>,
    /// First values.
    pub initial: Option<Initial>,
    /// Where it stands.
    pub at: Place,
}

impl Variable {
    /// Its size; of an array without extent 0.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let element = u64::from(self.ty.bytes()) * u64::from(self.vector);
        let extents = self.extents.iter().map(|extent| extent.unwrap_or(0));
        extents.fold(element, u64::saturating_mul)
    }

    /// Its address is a multiple of this.
    #[must_use]
    pub fn alignment(&self) -> u64 {
        let natural = self.ty.bytes() * self.vector;
        u64::from(self.align.unwrap_or(natural).max(1))
    }
}

/// First values of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    /// A number.
    Number(Literal),
    /// An address.
    Address(InitialAddress),
    /// Values of the elements, one behind the other.
    List(Vec<Initial>),
}

/// An address as a first value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitialAddress {
    /// What it is the address of.
    pub symbol: String,
    /// Bytes behind it.
    pub offset: i64,
    /// Whether it is the generic address: `generic(name)`.
    pub generic: bool,
    /// The byte of it that is meant: `0xFF00(name)`.
    pub mask: Option<u64>,
}

/// A kernel or another function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// What its name means to other modules.
    pub linking: Linking,
    /// Whether it is a kernel.
    pub entry: bool,
    /// `.attribute(…)`, as it is.
    pub attribute: Option<String>,
    /// What it returns.
    pub returns: Vec<Variable>,
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Variable>,
    /// `.maxntid 256, 1, 1` and the like: a name without its dot and numbers.
    pub directives: Vec<(String, Vec<u32>)>,
    /// What it does; `None`: only declared.
    pub body: Option<Vec<Statement>>,
    /// Where it stands.
    pub at: Place,
}

/// A statement of a function.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// A name for the place.
    Label(String),
    /// A variable or registers.
    Variable(Variable),
    /// Statements with names of their own.
    Block(Vec<Statement>),
    /// An instruction.
    Instruction(Instruction),
    /// Targets of indirect branches (`.branchtargets`) or calls (`.calltargets`): the label, and the names.
    Targets {
        /// The name that instructions know it by.
        label: String,
        /// Whether they are targets of calls.
        calls: bool,
        /// The targets.
        targets: Vec<String>,
    },
    /// What a function that is called indirectly takes and returns.
    Prototype(Prototype),
    /// A line for debuggers and assemblers, kept as it is: `.loc 1 5 0`, `.pragma "nounroll";`.
    Raw(String),
}

/// `label: .callprototype (…) _ (…)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype {
    /// The name that calls know it by.
    pub label: String,
    /// What is returned.
    pub returns: Vec<Variable>,
    /// What is taken.
    pub parameters: Vec<Variable>,
    /// `.noreturn` and the like, without dots.
    pub directives: Vec<String>,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// The predicate under which it is done, and whether that is negated.
    pub guard: Option<(String, bool)>,
    /// `ld` of `ld.global.f32`.
    pub opcode: String,
    /// `global`, `f32` of `ld.global.f32`.
    pub modifiers: Vec<String>,
    /// Its operands, in order.
    pub operands: Vec<Operand>,
    /// Where it stands.
    pub at: Place,
}

impl Instruction {
    /// Opcode and modifiers as they are written.
    #[must_use]
    pub fn name(&self) -> String {
        let mut name = self.opcode.clone();
        for modifier in &self.modifiers {
            name.push('.');
            name.push_str(modifier);
        }
        name
    }

    /// Whether it has this modifier.
    #[must_use]
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers.iter().any(|word| word == modifier)
    }

    /// The types among its modifiers, in order.
    pub fn types(&self) -> impl Iterator<Item = Type> + '_ {
        self.modifiers.iter().filter_map(|word| Type::named(word))
    }
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register, variable, label, function or special register.
    Name(String),
    /// `name+8`.
    Offset(String, i64),
    /// A number.
    Number(Literal),
    /// `!%p1`.
    Not(String),
    /// `{%f1, %f2}`.
    Vector(Vec<Operand>),
    /// `%r1|%p1`.
    Pair(Box<Operand>, Box<Operand>),
    /// `[%rd1+8]`; with further parts: `[texture, {%f1, %f2}]`.
    Memory(Vec<Operand>),
    /// `(param0, param1)` of a call.
    List(Vec<Operand>),
}
