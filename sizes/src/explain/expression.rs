//! The value of a register -> its text as people write it, with the values in it that deserve a line of their own.
//! Walks instructions of one function; knows nothing of evaluations.

use crate::report::people_name;
use migfit_schema::program::{
    BinaryOp, BlockId, Callee, Cast, Compare, Function, FunctionId, Op, Operand, Phi, Place, Reg,
    SizeProgram, Type, Unary,
};

/// Texts longer than this are cut into values with lines of their own.
const LONGEST: usize = 120;
/// Operators within each other in one text.
const DEEPEST: u32 = 12;

/// How a register gets its value.
pub enum Definition<'p> {
    /// It is the nth parameter.
    Parameter(usize, Type),
    /// It depends on where control came from.
    Phi(&'p Phi),
    /// An instruction, with its place and where it stands: block and index.
    Op(&'p Op, Place, (BlockId, u32)),
}

/// The definition of a register.
pub fn definition(function: &Function, register: Reg) -> Option<Definition<'_>> {
    let mut params = function.params.iter().enumerate();
    if let Some((at, (_, ty))) = params.find(|(_, (known, _))| *known == register) {
        return Some(Definition::Parameter(at, *ty));
    }
    (0u32..).zip(&function.blocks).find_map(|(number, block)| {
        if let Some(phi) = block.phis.iter().find(|phi| phi.dst == register) {
            return Some(Definition::Phi(phi));
        }
        (0u32..).zip(&block.ops).find_map(|(index, found)| {
            let writes = match &found.op {
                Op::Call { dst, .. } | Op::Unsupported { dst, .. } => dst.contains(&register),
                Op::Binary { dst, .. }
                | Op::Compare { dst, .. }
                | Op::Cast { dst, .. }
                | Op::Copy { dst, .. }
                | Op::Select { dst, .. }
                | Op::Unary { dst, .. }
                | Op::Alloca { dst, .. }
                | Op::Load { dst, .. }
                | Op::Offset { dst, .. } => *dst == register,
                Op::Store { .. } | Op::MemCopy { .. } | Op::MemSet { .. } | Op::Launch { .. } => {
                    false
                }
            };
            writes.then_some(Definition::Op(&found.op, found.place, (number, index)))
        })
    })
}

/// The type of a register.
pub fn type_of(function: &Function, register: Reg) -> Option<Type> {
    Some(match definition(function, register)? {
        Definition::Parameter(_, ty) => ty,
        Definition::Phi(phi) => phi.ty,
        Definition::Op(op, ..) => match op {
            Op::Binary { ty, .. }
            | Op::Copy { ty, .. }
            | Op::Select { ty, .. }
            | Op::Unary { ty, .. }
            | Op::Load { ty, .. } => *ty,
            Op::Cast { to, .. } => *to,
            Op::Compare { .. } => Type::Int(1),
            Op::Call { dst, results, .. } => {
                let at = dst.iter().position(|known| *known == register)?;
                *results.get(at)?
            }
            _ => return None,
        },
    })
}

/// Writes expressions of one function, and collects the registers that they name.
pub struct Writer<'p> {
    program: &'p SizeProgram,
    function: &'p Function,
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

    /// Low and high half of two 32-bit values in one 64-bit word, as extents travel; none where it is no such pair.
    pub fn pair(&mut self, operand: Operand) -> Option<(String, String)> {
        if let Operand::Const(bits) = operand {
            return Some(((bits & 0xffff_ffff).to_string(), (bits >> 32).to_string()));
        }
        let Operand::Reg(register) = operand else {
            return None;
        };
        let Definition::Op(Op::Binary { op, a, b, .. }, ..) = definition(self.function, register)?
        else {
            return None;
        };
        if !matches!(op, BinaryOp::Or | BinaryOp::Add) {
            return None;
        }
        let (high, low) = match (self.upper(*a), self.upper(*b)) {
            (Some(high), _) => (high, *b),
            (None, Some(high)) => (high, *a),
            (None, None) => return None,
        };
        let int = Type::Int(32);
        let low = match low {
            Operand::Const(bits) => (bits & 0xffff_ffff).to_string(),
            low => self.operand(low, int),
        };
        Some((low, high))
    }

    /// The upper half, where an operand holds nothing but that.
    fn upper(&mut self, operand: Operand) -> Option<String> {
        if let Operand::Const(bits) = operand {
            return (bits & 0xffff_ffff == 0).then(|| (bits >> 32).to_string());
        }
        let Operand::Reg(register) = operand else {
            return None;
        };
        match definition(self.function, register)? {
            Definition::Op(
                Op::Binary {
                    op: BinaryOp::Shl,
                    a,
                    b: Operand::Const(32),
                    ..
                },
                ..,
            ) => Some(self.operand(*a, Type::Int(32))),
            _ => None,
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

/// The source's name of a register.
pub fn source_name(function: &Function, register: Reg) -> Option<&str> {
    let mut names = function.names.iter();
    let found = names.find(|(known, _)| *known == register);
    found.map(|(_, name)| name.as_str())
}

/// A register's name: the source's, else one that tells where it comes from.
pub fn name(program: &SizeProgram, id: FunctionId, register: Reg) -> String {
    let Some(function) = program.functions.get(id as usize) else {
        return format!("v{register}");
    };
    if let Some(name) = source_name(function, register) {
        return name.to_owned();
    }
    match definition(function, register) {
        Some(Definition::Op(
            Op::Load {
                address: Operand::Global(global_id, 0),
                ..
            },
            ..,
        )) => global(program, *global_id),
        Some(Definition::Op(
            Op::Call {
                callee: Callee::External(name),
                ..
            },
            ..,
        )) => {
            format!("{}()", people_name(name))
        }
        Some(Definition::Op(
            Op::Call {
                callee: Callee::Function(called),
                ..
            },
            ..,
        )) => {
            let called = program.functions.get(*called as usize);
            called.map_or_else(
                || format!("v{register}"),
                |called| format!("{}()", people_name(&called.name)),
            )
        }
        _ => format!("v{register}"),
    }
}

fn global(program: &SizeProgram, id: u32) -> String {
    let global = program.globals.get(id as usize);
    global.map_or_else(
        || format!("global {id}"),
        |global| people_name(&global.name),
    )
}

/// A constant of a type, as people write it.
pub fn constant(bits: u64, ty: Type) -> String {
    match ty {
        Type::F64 => format!("{:?}", f64::from_bits(bits)),
        Type::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        Type::Int(_) => {
            signed(bits, ty).map_or_else(|| bits.to_string(), |value| value.to_string())
        }
        Type::Ptr => format!("{bits:#x}"),
    }
}

/// The signed value of an integer's bits; a truth value is 0 or 1.
fn signed(bits: u64, ty: Type) -> Option<i64> {
    match ty {
        Type::Int(1) => Some(i64::from(bits & 1 == 1)),
        Type::Int(width) => {
            let shift = 64 - u32::from(width.clamp(1, 64));
            Some((bits << shift).cast_signed() >> shift)
        }
        Type::F32 | Type::F64 | Type::Ptr => None,
    }
}

fn comparison(op: Compare) -> &'static str {
    use Compare as C;
    match op {
        C::Eq | C::FOEq | C::FUEq => "==",
        C::Ne | C::FONe | C::FUNe => "!=",
        C::ULt | C::SLt | C::FOLt | C::FULt => "<",
        C::ULe | C::SLe | C::FOLe | C::FULe => "<=",
        C::UGt | C::SGt | C::FOGt | C::FUGt => ">",
        C::UGe | C::SGe | C::FOGe | C::FUGe => ">=",
        C::FOrd => "comparable with",
        C::FUno => "not comparable with",
        C::FTrue => "or not",
        C::FFalse => "never",
    }
}

fn unary(op: Unary) -> &'static str {
    match op {
        Unary::FNeg => "-",
        Unary::FAbs | Unary::Abs => "abs",
        Unary::Sqrt => "sqrt",
        Unary::Ceil => "ceil",
        Unary::Floor => "floor",
        Unary::Trunc => "trunc",
        Unary::Round => "round",
        Unary::RoundEven => "rint",
        Unary::Exp => "exp",
        Unary::Exp2 => "exp2",
        Unary::Log => "log",
        Unary::Log2 => "log2",
        Unary::Log10 => "log10",
        Unary::Sin => "sin",
        Unary::Cos => "cos",
        Unary::Ctlz => "leading_zeros",
        Unary::Cttz => "trailing_zeros",
        Unary::Ctpop => "set_bits",
        Unary::Bswap => "swapped_bytes",
    }
}
