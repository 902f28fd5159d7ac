//! One instruction in, its line out.

use super::function::Listing;
use super::words::{function_name, type_name, type_names, word};
use migfit_schema::program::{Callee, Op, Operand, Reg, Type};
use std::fmt::Write;

impl Listing<'_> {
    /// One instruction.
    pub(super) fn op(&self, op: &Op) -> String {
        match op {
            Op::Call {
                dst,
                results,
                callee,
                args,
            } => self.call(dst, results, callee, args),
            Op::Launch { kernel } => match self.program.kernels.get(*kernel as usize) {
                Some((_, name)) => format!("launch {kernel} ({name})"),
                None => format!("launch {kernel}"),
            },
            Op::Unsupported { dst, what } if dst.is_empty() => format!("unsupported \"{what}\""),
            Op::Unsupported { dst, what } => {
                format!("{} = unsupported \"{what}\"", self.registers(dst))
            }
            Op::Store { .. } | Op::MemCopy { .. } | Op::MemSet { .. } => self.write_of(op),
            _ => match self.value_of(op) {
                Some((dst, value)) => format!("{} = {value}", self.register(dst)),
                None => String::new(),
            },
        }
    }

    /// What an instruction with one result writes into which register.
    fn value_of(&self, op: &Op) -> Option<(Reg, String)> {
        let pair = |a: &Operand, b: &Operand, ty: &Type| {
            format!(
                "{} {}, {}",
                type_name(*ty),
                self.typed(*a, *ty),
                self.typed(*b, *ty)
            )
        };
        let one = |a: &Operand, ty: &Type| format!("{} {}", type_name(*ty), self.typed(*a, *ty));
        Some(match op {
            Op::Binary {
                dst,
                ty,
                op,
                a,
                b,
                no_wrap,
            } => {
                let mark = if *no_wrap { " nsw" } else { "" };
                (*dst, format!("{}{mark} {}", word(op), pair(a, b, ty)))
            }
            Op::Compare { dst, ty, op, a, b } => {
                (*dst, format!("is {} {}", word(op), pair(a, b, ty)))
            }
            Op::Cast {
                dst,
                kind,
                from,
                to,
                a,
            } => (
                *dst,
                format!("cast {} {} to {}", word(kind), one(a, from), type_name(*to)),
            ),
            Op::Copy { dst, ty, a } => (*dst, format!("copy {}", one(a, ty))),
            Op::Unary { dst, ty, op, a } => (*dst, format!("{} {}", word(op), one(a, ty))),
            Op::Select {
                dst,
                ty,
                condition,
                a,
                b,
            } => {
                let (condition, b) = (self.operand(*condition), self.typed(*b, *ty));
                let (ty, a) = (type_name(*ty), self.typed(*a, *ty));
                (*dst, format!("select {ty} {condition} ? {a} : {b}"))
            }
            Op::Load { dst, ty, address } => (
                *dst,
                format!("load {} [{}]", type_name(*ty), self.operand(*address)),
            ),
            Op::Alloca {
                dst,
                size,
                count,
                align,
            } => {
                let count = self.operand(*count);
                (*dst, format!("alloca {size} x {count}, align {align}"))
            }
            Op::Offset {
                dst,
                base,
                constant,
                terms,
            } => (*dst, self.sum(*base, *constant, terms)),
            _ => return None,
        })
    }

    fn sum(&self, base: Operand, constant: i64, terms: &[(Operand, Type, i64)]) -> String {
        let mut sum = self.operand(base);
        for (index, ty, scale) in terms {
            let index = self.operand(*index);
            let _ = write!(sum, " + {} {index} * {scale}", type_name(*ty));
        }
        if constant != 0 || terms.is_empty() {
            let _ = write!(sum, " {constant:+}");
        }
        sum
    }

    fn write_of(&self, op: &Op) -> String {
        let show = |operand: &Operand| self.operand(*operand);
        match op {
            Op::Store { ty, value, address } => {
                let value = self.typed(*value, *ty);
                format!("store {} [{}] = {value}", type_name(*ty), show(address))
            }
            Op::MemCopy { to, from, bytes } => {
                format!(
                    "copy [{}] = [{}], {} bytes",
                    show(to),
                    show(from),
                    show(bytes)
                )
            }
            Op::MemSet { to, byte, bytes } => {
                format!(
                    "fill [{}] = {}, {} bytes",
                    show(to),
                    show(byte),
                    show(bytes)
                )
            }
            _ => String::new(),
        }
    }

    fn call(
        &self,
        dst: &[Reg],
        results: &[Type],
        callee: &Callee,
        args: &[(Operand, Type)],
    ) -> String {
        let callee = match callee {
            Callee::Function(id) => function_name(self.program, *id),
            Callee::External(name) => name.clone(),
            Callee::Indirect(pointer) => format!("[{}]", self.operand(*pointer)),
        };
        let args: Vec<String> = args
            .iter()
            .map(|(operand, ty)| format!("{} {}", type_name(*ty), self.typed(*operand, *ty)))
            .collect();
        let call = format!("call {callee}({})", args.join(", "));
        if dst.is_empty() {
            return call;
        }
        format!("{} = {} {call}", self.registers(dst), type_names(results))
    }
}
