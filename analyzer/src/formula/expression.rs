//! A value of the size program as an expression over named inputs, found by walking back from where it is used.

use crate::formula::scene::Scene;
use crate::formula::simplify::{one_of, select, unary};
use crate::formula::unknown::unknown;
use crate::formula::{input, stored};
use crate::ir::stubs::people_name;
use crate::slice::definitions::Definition;
use crate::slice::effects::gives_status;
use crate::slice::points_to::returned;
use crate::slice::position::Position;
use migfit_schema::formula::{Expr, Input, UnaryOp};
use migfit_schema::program::{BlockId, Callee, FunctionId, Op, Operand, Place, Reg, Type};
use std::cell::Cell;

/// Expressions deeper than this are cut: nobody reads them.
const DEPTH: usize = 48;
/// Values looked at for one formula before it is given up: a value used twice is walked through twice.
const STEPS: usize = 4096;
/// Writes to memory, and blocks between them and a read, looked at for one formula before it is given up.
const WRITES: usize = 1 << 20;

/// Walks back from one place of use.
pub struct Builder<'a> {
    /// The program.
    pub scene: &'a Scene<'a>,
    /// The function that is looked at.
    pub function: FunctionId,
    /// The block where the value is used: a loop's variable means its running value only inside the loop.
    pub used_in: BlockId,
    /// The calls by which the place of use was come to, the outermost first; empty: any.
    called_by: Vec<Position>,
    on_the_way: Vec<(FunctionId, Reg)>,
    steps: Cell<usize>,
    writes: Cell<usize>,
}

impl<'a> Builder<'a> {
    /// A builder for values used at a position.
    pub fn at(scene: &'a Scene<'a>, at: Position) -> Builder<'a> {
        Builder {
            scene,
            function: at.function,
            used_in: at.block,
            called_by: Vec::new(),
            on_the_way: Vec::new(),
            steps: Cell::new(STEPS),
            writes: Cell::new(WRITES),
        }
    }

    /// The same for a place that was come to by these calls.
    pub fn called_by(self, calls: &[Position]) -> Builder<'a> {
        Builder {
            called_by: calls.to_vec(),
            ..self
        }
    }

    /// Takes one step, if there is one left.
    pub fn spend(&self) -> bool {
        take(&self.steps, 1) && self.scene.spend(1)
    }

    /// Pays for looking at so many writes, if that can be paid.
    pub fn spend_on_writes(&self, count: usize) -> bool {
        take(&self.writes, count) && self.scene.spend(count)
    }

    /// The same as `expr`, for a value that is used elsewhere.
    pub fn expr_at(&mut self, at: Position, value: Operand, ty: Type) -> Expr {
        let here = (self.function, self.used_in);
        (self.function, self.used_in) = (at.function, at.block);
        let expr = self.expr(value, ty);
        (self.function, self.used_in) = here;
        expr
    }

    /// The expression of a value of this type.
    pub fn expr(&mut self, value: Operand, ty: Type) -> Expr {
        match value {
            Operand::Const(bits) => constant(bits, ty),
            Operand::Reg(register) => self.register(register),
            Operand::Global(..) | Operand::Function(_) => unknown(None, "an address"),
            Operand::Undef => unknown(None, "never set"),
        }
    }

    /// A parameter: what the callers give.
    fn in_caller(&mut self, index: usize) -> Expr {
        if Some(self.function) == self.scene.program.main {
            return match index {
                0 => Expr::Input(Input::ArgCount),
                _ => unknown(None, "the command line itself"),
            };
        }
        let all = self.scene.calls(self.function);
        let mut known = self.called_by.iter().rev();
        let calls = match known.find(|call| all.contains(call)) {
            Some(call) => vec![*call],
            None => all.to_vec(),
        };
        let calls = calls.into_iter();
        let all: Vec<Expr> = calls.map(|call| self.argument(call, index)).collect();
        if all.is_empty() {
            return unknown(None, "a parameter of a function that nothing calls");
        }
        one_of(all)
    }

    fn argument(&mut self, call: Position, index: usize) -> Expr {
        let Some(Op::Call { callee, args, .. }) = self.scene.op(call) else {
            return unknown(None, "a parameter");
        };
        match (callee, args.get(index)) {
            (Callee::External(name), _) => {
                unknown(None, &format!("given by {}", people_name(name)))
            }
            (_, Some((value, ty))) => self.expr_at(call, *value, *ty),
            (_, None) => unknown(None, "a parameter that is not given"),
        }
    }

    fn register(&mut self, register: Reg) -> Expr {
        let key = (self.function, register);
        if self.on_the_way.contains(&key) {
            return unknown(None, "changes in a loop");
        }
        if self.on_the_way.len() > DEPTH || !self.spend() {
            return unknown(None, "a long computation");
        }
        self.on_the_way.push(key);
        let expr = match self.scene.definition(self.function, register) {
            Some(Definition::Op(at, op, place)) => self.op(at, op, place),
            Some(Definition::Phi(block, phi)) => self.phi(block, phi),
            Some(Definition::Parameter(index)) => self.in_caller(index),
            None => unknown(None, "not kept"),
        };
        self.on_the_way.pop();
        expr
    }

    fn op(&mut self, at: Position, op: &'a Op, place: Place) -> Expr {
        match op {
            Op::Binary { ty, op, a, b, .. } => self.binary(*ty, *op, *a, *b, place),
            Op::Compare { ty, op, a, b, .. } => self.compare(*ty, *op, *a, *b, place),
            Op::Cast {
                kind, from, to, a, ..
            } => self.cast(*kind, *from, *to, *a),
            Op::Copy { ty, a, .. } => self.expr(*a, *ty),
            Op::Select {
                ty,
                condition,
                a,
                b,
                ..
            } => {
                let condition = self.expr(*condition, Type::Int(1));
                select(condition, self.expr(*a, *ty), self.expr(*b, *ty))
            }
            Op::Unary { ty, op, a, .. } => self.unary(*ty, *op, *a, place),
            Op::Load { ty, address, .. } => stored::loaded(self, at, *address, *ty, place),
            Op::Call {
                dst, callee, args, ..
            } => self.call(at, dst, callee, args, place),
            Op::Unsupported { what, .. } => unknown(self.scene.site(place), what),
            _ => unknown(self.scene.site(place), "an address"),
        }
    }

    fn call(
        &mut self,
        at: Position,
        dst: &[Reg],
        callee: &'a Callee,
        args: &'a [(Operand, Type)],
        place: Place,
    ) -> Expr {
        match callee {
            Callee::External(name) => self.external(at, name, args, place),
            Callee::Indirect(_) => unknown(self.scene.site(place), "a call through a pointer"),
            Callee::Function(target) => {
                let result = self
                    .on_the_way
                    .last()
                    .and_then(|(_, register)| dst.iter().position(|one| one == register));
                self.result(*target, result.unwrap_or(0), place)
            }
        }
    }

    /// What a function of the program returns, where all its ends return the same.
    fn result(&mut self, target: FunctionId, index: usize, place: Place) -> Expr {
        let Some(body) = self.scene.body(target) else {
            return unknown(self.scene.site(place), "a call");
        };
        let ty = body.results.get(index).copied().unwrap_or(Type::Int(64));
        let here = self.function;
        self.function = target;
        let all = returned(body, index)
            .into_iter()
            .map(|value| self.expr(value, ty))
            .collect();
        self.function = here;
        one_of(all)
    }

    fn external(
        &mut self,
        at: Position,
        name: &str,
        args: &'a [(Operand, Type)],
        place: Place,
    ) -> Expr {
        let plain = name.strip_prefix("__isoc23_").unwrap_or(name);
        match (plain, args.first()) {
            (
                "strtol" | "strtoul" | "strtoll" | "strtoull" | "atoi" | "atol" | "atoll",
                Some((word, _)),
            ) => input::whole_number(self, at, *word, place),
            ("strtod" | "strtof" | "atof", Some((word, _))) => {
                input::float_number(self, at, *word, place)
            }
            ("ceil" | "ceilf", Some((value, ty))) => unary(UnaryOp::Ceil, self.expr(*value, *ty)),
            ("floor" | "floorf", Some((value, ty))) => {
                unary(UnaryOp::Floor, self.expr(*value, *ty))
            }
            ("sqrt" | "sqrtf", Some((value, ty))) => unary(UnaryOp::Sqrt, self.expr(*value, *ty)),
            // Formulas take for granted that CUDA calls succeed.
            _ if gives_status(name) => Expr::Int(0),
            _ => unknown(
                self.scene.site(place),
                &format!("the result of {}", people_name(name)),
            ),
        }
    }
}

/// Takes from a budget; one that does not suffice is spent.
pub fn take(budget: &Cell<usize>, amount: usize) -> bool {
    let left = budget.get().checked_sub(amount);
    budget.set(left.unwrap_or(0));
    left.is_some()
}

/// A constant of a type, with its sign.
pub fn constant(bits: u64, ty: Type) -> Expr {
    match ty {
        Type::F64 => Expr::Float(f64::from_bits(bits)),
        Type::F32 => Expr::Float(f64::from(f32::from_bits(bits as u32))),
        Type::Int(width) if (2..64).contains(&width) && bits >> (width - 1) & 1 == 1 => {
            Expr::Int((bits | u64::MAX << width).cast_signed())
        }
        Type::Int(_) | Type::Ptr => Expr::Int(bits.cast_signed()),
    }
}
