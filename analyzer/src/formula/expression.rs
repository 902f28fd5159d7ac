//! A value of the size program as an expression over named inputs, found by walking back from where it is used.

use crate::formula::scene::{Definition, Scene};
use crate::formula::simplify::{binary, one_of, select, unary};
use crate::formula::{input, stored};
use crate::slice::points_to::returned;
use crate::slice::position::Position;
use migfit_schema::formula as shape;
use migfit_schema::formula::{Expr, Input, LoopVar, UnaryOp};
use migfit_schema::program::{
    BinaryOp, BlockId, Callee, Cast, Compare, FunctionId, Op, Operand, Phi, Place, Reg, Terminator,
    Type, Unary,
};

/// Expressions deeper than this are cut: nobody reads them.
const DEPTH: usize = 48;

/// Walks back from one place of use.
pub struct Builder<'a> {
    /// The program.
    pub scene: &'a Scene<'a>,
    /// The function that is looked at.
    pub function: FunctionId,
    /// The block where the value is used: a loop's variable means its running value only inside the loop.
    pub used_in: BlockId,
    on_the_way: Vec<(FunctionId, Reg)>,
}

impl<'a> Builder<'a> {
    /// A builder for values used at a position.
    pub fn at(scene: &'a Scene<'a>, at: Position) -> Builder<'a> {
        Builder {
            scene,
            function: at.function,
            used_in: at.block,
            on_the_way: Vec::new(),
        }
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

    /// The same in the function that calls this one.
    fn in_caller(&mut self, index: usize) -> Expr {
        if Some(self.function) == self.scene.program.main {
            return match index {
                0 => Expr::Input(Input::ArgCount),
                _ => unknown(None, "the command line itself"),
            };
        }
        let Some(call) = self.scene.only_call(self.function) else {
            return unknown(None, "a parameter that differs from call to call");
        };
        let Some(Op::Call { args, .. }) = self.scene.op(call) else {
            return unknown(None, "a parameter");
        };
        let Some((value, ty)) = args.get(index) else {
            return unknown(None, "a parameter that is not given");
        };
        let (function, used_in) = (self.function, self.used_in);
        (self.function, self.used_in) = (call.function, call.block);
        let expr = self.expr(*value, *ty);
        (self.function, self.used_in) = (function, used_in);
        expr
    }

    fn register(&mut self, register: Reg) -> Expr {
        let key = (self.function, register);
        if self.on_the_way.contains(&key) {
            return unknown(None, "changes in a loop");
        }
        if self.on_the_way.len() > DEPTH {
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

    fn binary(&mut self, ty: Type, op: BinaryOp, a: Operand, b: Operand, place: Place) -> Expr {
        let shape = match op {
            BinaryOp::Add | BinaryOp::FAdd => shape::BinaryOp::Add,
            BinaryOp::Sub | BinaryOp::FSub => shape::BinaryOp::Sub,
            BinaryOp::Mul | BinaryOp::FMul => shape::BinaryOp::Mul,
            BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::FDiv => shape::BinaryOp::Div,
            BinaryOp::URem | BinaryOp::SRem | BinaryOp::FRem => shape::BinaryOp::Rem,
            BinaryOp::Shl => shape::BinaryOp::Shl,
            BinaryOp::LShr | BinaryOp::AShr => shape::BinaryOp::Shr,
            BinaryOp::And => shape::BinaryOp::And,
            BinaryOp::Or => shape::BinaryOp::Or,
            BinaryOp::Xor => shape::BinaryOp::Xor,
            BinaryOp::UMin | BinaryOp::SMin | BinaryOp::FMin => shape::BinaryOp::Min,
            BinaryOp::UMax | BinaryOp::SMax | BinaryOp::FMax => shape::BinaryOp::Max,
            BinaryOp::CopySign | BinaryOp::Pow => {
                return unknown(self.scene.site(place), "a power or a copied sign");
            }
        };
        binary(shape, self.expr(a, ty), self.expr(b, ty))
    }

    fn compare(&mut self, ty: Type, op: Compare, a: Operand, b: Operand, place: Place) -> Expr {
        let (shape, swapped) = match op {
            Compare::Eq | Compare::FOEq | Compare::FUEq => (shape::BinaryOp::Equal, false),
            Compare::Ne | Compare::FONe | Compare::FUNe => (shape::BinaryOp::NotEqual, false),
            Compare::ULt | Compare::SLt | Compare::FOLt | Compare::FULt => {
                (shape::BinaryOp::Less, false)
            }
            Compare::ULe | Compare::SLe | Compare::FOLe | Compare::FULe => {
                (shape::BinaryOp::LessEqual, false)
            }
            Compare::UGt | Compare::SGt | Compare::FOGt | Compare::FUGt => {
                (shape::BinaryOp::Less, true)
            }
            Compare::UGe | Compare::SGe | Compare::FOGe | Compare::FUGe => {
                (shape::BinaryOp::LessEqual, true)
            }
            Compare::FOrd | Compare::FUno | Compare::FTrue | Compare::FFalse => {
                return unknown(self.scene.site(place), "a comparison with no number");
            }
        };
        let (a, b) = (self.expr(a, ty), self.expr(b, ty));
        if swapped {
            binary(shape, b, a)
        } else {
            binary(shape, a, b)
        }
    }

    fn cast(&mut self, kind: Cast, from: Type, to: Type, a: Operand) -> Expr {
        let inner = self.expr(a, from);
        match kind {
            Cast::UToF | Cast::SToF => unary(UnaryOp::ToFloat, inner),
            Cast::FToU | Cast::FToS => unary(UnaryOp::ToInt, inner),
            Cast::FToF | Cast::Sext => inner,
            Cast::Bits => match (from, to) {
                (Type::F32 | Type::F64, Type::Int(_)) | (Type::Int(_), Type::F32 | Type::F64) => {
                    unknown(None, "the bits of a float")
                }
                _ => inner,
            },
        }
    }

    fn unary(&mut self, ty: Type, op: Unary, a: Operand, place: Place) -> Expr {
        let shape = match op {
            Unary::FNeg => UnaryOp::Neg,
            Unary::Ceil => UnaryOp::Ceil,
            Unary::Floor => UnaryOp::Floor,
            Unary::Sqrt => UnaryOp::Sqrt,
            _ => return unknown(self.scene.site(place), "a function without a formula"),
        };
        unary(shape, self.expr(a, ty))
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
        let (function, used_in) = (self.function, self.used_in);
        self.function = target;
        let all = returned(body, index)
            .into_iter()
            .map(|value| self.expr(value, ty))
            .collect();
        (self.function, self.used_in) = (function, used_in);
        one_of(all)
    }

    fn external(
        &mut self,
        at: Position,
        name: &str,
        args: &'a [(Operand, Type)],
        place: Place,
    ) -> Expr {
        let first = args.first().map(|(value, _)| *value);
        match (name, first) {
            (
                "strtol" | "strtoul" | "strtoll" | "strtoull" | "atoi" | "atol" | "atoll",
                Some(word),
            ) => input::whole_number(self, at, word, place),
            ("strtod" | "strtof" | "atof", Some(word)) => {
                input::float_number(self, at, word, place)
            }
            ("ceil" | "ceilf", Some(value)) => unary(UnaryOp::Ceil, self.expr(value, args[0].1)),
            ("floor" | "floorf", Some(value)) => unary(UnaryOp::Floor, self.expr(value, args[0].1)),
            ("sqrt" | "sqrtf", Some(value)) => unary(UnaryOp::Sqrt, self.expr(value, args[0].1)),
            _ => unknown(self.scene.site(place), &format!("the result of {name}")),
        }
    }

    fn phi(&mut self, block: BlockId, phi: &'a Phi) -> Expr {
        let flow = &self.scene.flows[self.function as usize];
        if phi
            .incoming
            .iter()
            .any(|(from, _)| flow.reaches(block, *from))
        {
            return self.loop_variable(block, phi);
        }
        if let Some(expr) = self.two_ways(block, phi) {
            return expr;
        }
        one_of(
            phi.incoming
                .iter()
                .map(|(_, value)| self.expr(*value, phi.ty))
                .collect(),
        )
    }

    /// `condition ? a : b`, where one branch with an expressible condition decides between two ways in.
    fn two_ways(&mut self, block: BlockId, phi: &'a Phi) -> Option<Expr> {
        let [(first, a), (second, b)] = phi.incoming.as_slice() else {
            return None;
        };
        let body = self.scene.body(self.function)?;
        let controllers = |of: BlockId| self.scene.controls[self.function as usize].controllers(of);
        let branch = [*first, *second].into_iter().find_map(|edge| {
            match body.blocks.get(edge as usize)?.end {
                Terminator::Branch {
                    then, otherwise, ..
                } if then == block || otherwise == block => Some(edge),
                _ => controllers(edge).last().copied(),
            }
        })?;
        let Terminator::Branch {
            condition,
            then,
            otherwise,
            ..
        } = body.blocks.get(branch as usize)?.end
        else {
            return None;
        };
        let flow = &self.scene.flows[self.function as usize];
        let leads = |way: BlockId, edge: BlockId| {
            way == edge
                || (way != block && flow.reaches(way, edge))
                || (way == block && edge == branch)
        };
        let (yes, no) = match (
            leads(then, *first),
            leads(otherwise, *first),
            leads(then, *second),
            leads(otherwise, *second),
        ) {
            (true, false, false, true) => (*a, *b),
            (false, true, true, false) => (*b, *a),
            _ => return None,
        };
        let condition = self.expr(condition, Type::Int(1));
        if has_unknown(&condition) {
            return None;
        }
        Some(select(
            condition,
            self.expr(yes, phi.ty),
            self.expr(no, phi.ty),
        ))
    }

    fn loop_variable(&mut self, head: BlockId, phi: &'a Phi) -> Expr {
        let inside = self.scene.loops[self.function as usize]
            .blocks(head)
            .is_some_and(|blocks| blocks.contains(&self.used_in));
        let head_at = Position {
            function: self.function,
            block: head,
            index: 0,
        };
        match self.counted(head_at, phi) {
            Some(variable) if inside => Expr::Loop(variable.into()),
            Some(_) => unknown(None, "a value that a loop leaves behind"),
            None => self.chosen_in_loop(phi),
        }
    }

    /// A variable that a loop over options sets: one of the values that it is given anywhere.
    fn chosen_in_loop(&mut self, phi: &'a Phi) -> Expr {
        let mut seen = std::collections::BTreeSet::from([phi.dst]);
        let mut waiting = vec![phi];
        let mut values = Vec::new();
        while let Some(phi) = waiting.pop() {
            for (_, value) in &phi.incoming {
                let inner = match value {
                    Operand::Reg(register) if seen.contains(register) => continue,
                    Operand::Reg(register) => self.scene.definition(self.function, *register),
                    _ => None,
                };
                match (inner, value) {
                    (Some(Definition::Phi(_, inner)), _) => {
                        seen.insert(inner.dst);
                        waiting.push(inner);
                    }
                    _ => values.push(self.expr(*value, phi.ty)),
                }
            }
        }
        if values.iter().any(has_unknown) {
            return unknown(None, "changes in a loop");
        }
        one_of(values)
    }

    /// The variable of a counted loop: starts somewhere, goes on by a fixed step, is compared with a bound.
    pub fn counted(&mut self, head: Position, phi: &'a Phi) -> Option<LoopVar> {
        let flow = &self.scene.flows[self.function as usize];
        let (back, entries): (Vec<_>, Vec<_>) = phi
            .incoming
            .iter()
            .partition(|(from, _)| flow.reaches(head.block, *from));
        let ([(_, first)], [(_, next)]) = (entries.as_slice(), back.as_slice()) else {
            return None;
        };
        let step = self.step(phi, *next)?;
        let (compare, bound) = self.bound(head.block, phi, *next, &step)?;
        let first = self.expr(*first, phi.ty);
        let name = self
            .scene
            .name(self.function, phi.dst)
            .unwrap_or("i")
            .to_owned();
        Some(LoopVar {
            name,
            first,
            step,
            compare,
            bound,
        })
    }

    fn step(&mut self, phi: &Phi, next: Operand) -> Option<Expr> {
        let Operand::Reg(register) = next else {
            return None;
        };
        let Some(Definition::Op(_, Op::Binary { ty, op, a, b, .. }, _)) =
            self.scene.definition(self.function, register)
        else {
            return None;
        };
        let step = match (op, *a == Operand::Reg(phi.dst), *b == Operand::Reg(phi.dst)) {
            (BinaryOp::Add, true, _) => self.expr(*b, *ty),
            (BinaryOp::Add, _, true) => self.expr(*a, *ty),
            (BinaryOp::Sub, true, _) => unary(UnaryOp::Neg, self.expr(*b, *ty)),
            _ => return None,
        };
        (!has_unknown(&step)).then_some(step)
    }

    /// The comparison that ends the loop, read so that the variable stands on its left and the loop goes on.
    fn bound(
        &mut self,
        head: BlockId,
        phi: &Phi,
        next: Operand,
        step: &Expr,
    ) -> Option<(shape::CompareOp, Expr)> {
        let body = self.scene.body(self.function)?;
        let blocks = self.scene.loops[self.function as usize].blocks(head)?;
        blocks.iter().find_map(|block| {
            let Terminator::Branch {
                condition,
                then,
                otherwise,
                ..
            } = body.blocks.get(*block as usize)?.end
            else {
                return None;
            };
            let goes_on = match (blocks.contains(&then), blocks.contains(&otherwise)) {
                (true, false) => true,
                (false, true) => false,
                _ => return None,
            };
            let Operand::Reg(condition) = condition else {
                return None;
            };
            let Some(Definition::Op(_, Op::Compare { ty, op, a, b, .. }, _)) =
                self.scene.definition(self.function, condition)
            else {
                return None;
            };
            let (left, right, op) = if [Operand::Reg(phi.dst), next].contains(a) {
                (*a, *b, *op)
            } else if [Operand::Reg(phi.dst), next].contains(b) {
                (*b, *a, mirrored(*op))
            } else {
                return None;
            };
            let compare = comparison(op, goes_on)?;
            let bound = self.expr(right, *ty);
            // Compared after the step: the loop goes on while variable + step is in bounds.
            let bound = if left == next {
                binary(shape::BinaryOp::Sub, bound, step.clone())
            } else {
                bound
            };
            Some((compare, bound))
        })
    }
}

/// A constant of a type, with its sign.
fn constant(bits: u64, ty: Type) -> Expr {
    match ty {
        Type::F64 => Expr::Float(f64::from_bits(bits)),
        Type::F32 => Expr::Float(f64::from(f32::from_bits(bits as u32))),
        Type::Int(width) if (2..64).contains(&width) && bits >> (width - 1) & 1 == 1 => {
            Expr::Int((bits | u64::MAX << width).cast_signed())
        }
        Type::Int(_) | Type::Ptr => Expr::Int(bits.cast_signed()),
    }
}

/// Not known, with the reason.
pub fn unknown(site: Option<migfit_schema::site::Site>, reason: &str) -> Expr {
    Expr::Unknown {
        site,
        reason: reason.to_owned(),
    }
}

/// Whether some part is not known.
pub fn has_unknown(expr: &Expr) -> bool {
    match expr {
        Expr::Unknown { .. } => true,
        Expr::Int(_) | Expr::Float(_) | Expr::Input(_) => false,
        Expr::Loop(variable) => [&variable.first, &variable.step, &variable.bound]
            .into_iter()
            .any(has_unknown),
        Expr::Binary(_, a, b) => has_unknown(a) || has_unknown(b),
        Expr::Unary(_, a) => has_unknown(a),
        Expr::Select {
            condition,
            then,
            otherwise,
        } => [condition, then, otherwise]
            .into_iter()
            .any(|one| has_unknown(one)),
        Expr::OneOf(all) => all.iter().any(has_unknown),
    }
}

fn mirrored(op: Compare) -> Compare {
    match op {
        Compare::ULt => Compare::UGt,
        Compare::ULe => Compare::UGe,
        Compare::UGt => Compare::ULt,
        Compare::UGe => Compare::ULe,
        Compare::SLt => Compare::SGt,
        Compare::SLe => Compare::SGe,
        Compare::SGt => Compare::SLt,
        Compare::SGe => Compare::SLe,
        other => other,
    }
}

/// The comparison under which the loop goes on.
fn comparison(op: Compare, goes_on: bool) -> Option<shape::CompareOp> {
    use shape::CompareOp::{Greater, GreaterEqual, Less, LessEqual, NotEqual};
    Some(match (op, goes_on) {
        (Compare::ULt | Compare::SLt, true) | (Compare::UGe | Compare::SGe, false) => Less,
        (Compare::ULe | Compare::SLe, true) | (Compare::UGt | Compare::SGt, false) => LessEqual,
        (Compare::UGt | Compare::SGt, true) | (Compare::ULe | Compare::SLe, false) => Greater,
        (Compare::UGe | Compare::SGe, true) | (Compare::ULt | Compare::SLt, false) => GreaterEqual,
        (Compare::Ne, true) | (Compare::Eq, false) => NotEqual,
        _ => return None,
    })
}
