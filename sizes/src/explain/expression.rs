//! The value of a register -> its text as people write it, with the values in it that deserve a line of their own.
//! Walks instructions of one function; knows nothing of evaluations.

use super::definition::{Definition, definition};
use super::words::{comparison, constant, global, name, signed, source_name, unary};
use crate::assumed::MODEL;
use crate::report::people_name;
use migfit_schema::program::{
    BinaryOp, Callee, Cast, Function, FunctionId, Op, Operand, Reg, SizeProgram, Type, Unary,
};

/// Texts longer than this are cut into values with lines of their own.
const LONGEST: usize = 120;
/// Operators within each other in one text.
pub const DEEPEST: u32 = 12;

/// Writes expressions of one function, and collects the registers that they name.
pub struct Writer<'p> {
    program: &'p SizeProgram,
    /// The function.
    pub function: &'p Function,
    id: FunctionId,
    /// Registers that are named, in order of first use.
    pub named: Vec<Reg>,
}

/// How strongly the outermost operator of a text binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Loose,
    Sum,
    Product,
    Whole,
}

impl<'p> Writer<'p> {
    /// For a function of a program.
    pub fn new(program: &'p SizeProgram, id: FunctionId) -> Option<Writer<'p>> {
        Some(Writer {
            program,
            function: program.functions.get(id as usize)?,
            id,
            named: Vec::new(),
        })
    }

    /// The text of an operand.
    pub fn operand(&mut self, operand: Operand, ty: Type) -> String {
        self.text(operand, ty, 0).0
    }

    /// The text of a register's own definition, its name apart.
    pub fn defined(&mut self, register: Reg) -> String {
        match definition(self.function, register) {
            Some(Definition::Op(op, ..)) => self.op(op, register, 0).0,
            _ => self.name(register),
        }
    }

    fn name(&mut self, register: Reg) -> String {
        if !self.named.contains(&register) {
            self.named.push(register);
        }
        name(self.program, self.id, register)
    }

    fn text(&mut self, operand: Operand, ty: Type, depth: u32) -> (String, Binding) {
        match operand {
            Operand::Const(bits) => (constant(bits, ty), Binding::Whole),
            Operand::Global(id, 0) => (global(self.program, id), Binding::Whole),
            Operand::Global(id, offset) => (
                format!("{} + {offset}", global(self.program, id)),
                Binding::Sum,
            ),
            Operand::Function(id) => {
                let function = self.program.functions.get(id as usize);
                let name = function.map(|function| people_name(&function.name));
                (name.unwrap_or_default(), Binding::Whole)
            }
            Operand::Undef => ("unset".to_owned(), Binding::Whole),
            Operand::Reg(register) => self.register(register, depth),
        }
    }

    fn register(&mut self, register: Reg, depth: u32) -> (String, Binding) {
        let has_name = source_name(self.function, register).is_some();
        let folds = match definition(self.function, register) {
            Some(Definition::Op(op, ..)) => matches!(
                op,
                Op::Binary { .. }
                    | Op::Compare { .. }
                    | Op::Cast { .. }
                    | Op::Copy { .. }
                    | Op::Select { .. }
                    | Op::Unary { .. }
            ),
            _ => false,
        };
        if has_name || !folds || depth >= DEEPEST {
            return (self.name(register), Binding::Whole);
        }
        let before = self.named.len();
        let Some(Definition::Op(op, ..)) = definition(self.function, register) else {
            return (self.name(register), Binding::Whole);
        };
        let (text, binding) = self.op(op, register, depth + 1);
        if text.len() > LONGEST && depth > 0 {
            self.named.truncate(before);
            return (self.name(register), Binding::Whole);
        }
        (text, binding)
    }

    fn op(&mut self, op: &Op, register: Reg, depth: u32) -> (String, Binding) {
        match op {
            Op::Binary { ty, op, a, b, .. } => self.binary(*op, (*a, *b), *ty, depth),
            Op::Compare { ty, op, a, b, .. } => {
                let (a, b) = (
                    self.within(*a, *ty, Binding::Sum, depth),
                    self.within(*b, *ty, Binding::Sum, depth),
                );
                (format!("{a} {} {b}", comparison(*op)), Binding::Loose)
            }
            Op::Cast { kind, from, a, .. } => {
                let (text, binding) = self.text(*a, *from, depth);
                match kind {
                    Cast::Bits | Cast::Sext | Cast::FToF => (text, binding),
                    Cast::UToF | Cast::SToF => (format!("float({text})"), Binding::Whole),
                    Cast::FToU | Cast::FToS => (format!("int({text})"), Binding::Whole),
                }
            }
            Op::Copy { ty, a, .. } => self.text(*a, *ty, depth),
            Op::Select {
                ty,
                condition,
                a,
                b,
                ..
            } => {
                let condition = self.text(*condition, Type::Int(1), depth).0;
                let a = self.within(*a, *ty, Binding::Sum, depth);
                let b = self.within(*b, *ty, Binding::Sum, depth);
                (format!("{condition} ? {a} : {b}"), Binding::Loose)
            }
            Op::Unary { ty, op, a, .. } => {
                let a = self.text(*a, *ty, depth).0;
                let sign = if *op == Unary::FNeg { "-" } else { "" };
                match sign {
                    "" => (format!("{}({a})", unary(*op)), Binding::Whole),
                    sign => (format!("{sign}({a})"), Binding::Whole),
                }
            }
            Op::Call { callee, args, .. } => (self.call(callee, args, depth), Binding::Whole),
            Op::Load { address, .. } => {
                let text = match address {
                    Operand::Global(..) => self.text(*address, Type::Ptr, depth).0,
                    _ => "read from memory".to_owned(),
                };
                (text, Binding::Whole)
            }
            Op::Unsupported { what, .. } => (what.clone(), Binding::Whole),
            _ => (self.name(register), Binding::Whole),
        }
    }

    /// A call with those of its arguments that are numbers.
    fn call(&mut self, callee: &Callee, args: &[(Operand, Type)], depth: u32) -> String {
        let name = match callee {
            Callee::External(name) if name == MODEL => return "by the user's word".to_owned(),
            Callee::External(name) => people_name(name),
            Callee::Function(id) => {
                let function = self.program.functions.get(*id as usize);
                function.map_or_else(|| "a function".to_owned(), |one| people_name(&one.name))
            }
            Callee::Indirect(_) => "a function behind a pointer".to_owned(),
        };
        let floats = |ty: &Type| matches!(ty, Type::F32 | Type::F64);
        let numbers = args.iter().filter(|(_, ty)| floats(ty));
        let numbers: Vec<String> = numbers
            .map(|(value, ty)| self.text(*value, *ty, depth).0)
            .collect();
        format!("{name}({})", numbers.join(", "))
    }

    fn within(&mut self, operand: Operand, ty: Type, asked: Binding, depth: u32) -> String {
        match self.text(operand, ty, depth) {
            (text, binding) if binding < asked => format!("({text})"),
            (text, _) => text,
        }
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        (a, b): (Operand, Operand),
        ty: Type,
        depth: u32,
    ) -> (String, Binding) {
        use BinaryOp as B;
        let (sign, binding) = match op {
            B::Add | B::FAdd => ("+", Binding::Sum),
            B::Sub | B::FSub => ("-", Binding::Sum),
            B::Mul | B::FMul => ("*", Binding::Product),
            B::UDiv | B::SDiv | B::FDiv => ("/", Binding::Product),
            B::URem | B::SRem | B::FRem => ("%", Binding::Product),
            B::And => ("&", Binding::Loose),
            B::Or => ("|", Binding::Loose),
            B::Xor => ("^", Binding::Loose),
            // A shift by a constant is how compilers multiply and divide.
            B::Shl | B::LShr | B::AShr => return self.shift(op, (a, b), ty, depth),
            B::UMin | B::SMin | B::FMin => {
                return (self.pair_call("min", (a, b), ty, depth), Binding::Whole);
            }
            B::UMax | B::SMax | B::FMax => {
                return (self.pair_call("max", (a, b), ty, depth), Binding::Whole);
            }
            B::Pow => return (self.pair_call("pow", (a, b), ty, depth), Binding::Whole),
            B::CopySign => {
                return (
                    self.pair_call("copysign", (a, b), ty, depth),
                    Binding::Whole,
                );
            }
        };
        if let (B::Add, Operand::Const(bits)) = (op, b)
            && let Some(less) = signed(bits, ty).filter(|value| *value < 0)
        {
            let left = self.within(a, ty, Binding::Sum, depth);
            return (format!("{left} - {}", less.unsigned_abs()), Binding::Sum);
        }
        let right = match binding {
            Binding::Loose => Binding::Whole,
            Binding::Sum => Binding::Product,
            Binding::Product | Binding::Whole => Binding::Whole,
        };
        let left = match binding {
            Binding::Loose => Binding::Whole,
            other => other,
        };
        let a = self.within(a, ty, left, depth);
        let b = self.within(b, ty, right, depth);
        (format!("{a} {sign} {b}"), binding)
    }

    fn shift(
        &mut self,
        op: BinaryOp,
        (a, b): (Operand, Operand),
        ty: Type,
        depth: u32,
    ) -> (String, Binding) {
        let factor = match b {
            Operand::Const(by) => 1u64.checked_shl(u32::try_from(by).unwrap_or(64)),
            _ => None,
        };
        let left = op == BinaryOp::Shl;
        match factor {
            Some(factor) if left => {
                let a = self.within(a, ty, Binding::Product, depth);
                (format!("{a} * {factor}"), Binding::Product)
            }
            Some(factor) if op == BinaryOp::LShr => {
                let a = self.within(a, ty, Binding::Product, depth);
                (format!("{a} / {factor}"), Binding::Product)
            }
            _ => {
                let sign = if left { "<<" } else { ">>" };
                let a = self.within(a, ty, Binding::Whole, depth);
                let b = self.within(b, ty, Binding::Whole, depth);
                (format!("{a} {sign} {b}"), Binding::Loose)
            }
        }
    }

    fn pair_call(
        &mut self,
        name: &str,
        (a, b): (Operand, Operand),
        ty: Type,
        depth: u32,
    ) -> String {
        let (a, b) = (self.text(a, ty, depth).0, self.text(b, ty, depth).0);
        format!("{name}({a}, {b})")
    }
}
