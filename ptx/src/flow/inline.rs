//! A callee in place of its call: its parameters and results are the caller's arguments, its returns go behind the call.

use super::flat::{Arg, Op, Reg, Symbol};
use super::flatten::Flattening;
use super::scope::Entity;
use crate::text::ast::{Function, Instruction, Operand, Variable};
use crate::text::error::PtxError;
use crate::text::types::Space;

/// A call that its callee stands in place of.
pub(super) struct Call<'a> {
    file: usize,
    callee: &'a Function,
    results: &'a [Operand],
    arguments: &'a [Operand],
}

impl<'a> Flattening<'a> {
    /// The callee that stands in place of a call, with results and arguments.
    pub(super) fn inlined_call(&self, instruction: &'a Instruction) -> Option<Call<'a>> {
        let mut operands = instruction.operands.iter();
        let mut next = operands.next()?;
        let mut results: &[Operand] = &[];
        if let Operand::List(list) = next {
            results = list;
            next = operands.next()?;
        }
        let Operand::Name(name) = next else {
            return None;
        };
        if self.scope.find(name).is_some() {
            return None;
        }
        let (file, callee) = self.program.function(self.file, name)?;
        let arguments: &[Operand] = match operands.next() {
            Some(Operand::List(list)) => list,
            _ => &[],
        };
        self.program.is_inlined(file, callee).then_some(Call {
            file,
            callee,
            results,
            arguments,
        })
    }

    pub(super) fn inline(
        &mut self,
        instruction: &'a Instruction,
        guard: Option<(Reg, bool)>,
        call: Call<'a>,
    ) -> Result<(), PtxError> {
        let over = self.label();
        if let Some((guard, negated)) = guard {
            let label = vec![Arg::Label(over)];
            self.step(instruction, Some((guard, !negated)), Op::Jump, label);
        }
        let arguments = self.operands(instruction, call.arguments)?;
        let results = self.operands(instruction, call.results)?;
        let outer = std::mem::take(&mut self.scope);
        let (file, function, end) = (self.file, self.function, self.end);
        (self.file, self.function, self.end) = (call.file, &call.callee.name, Some(over));
        self.scope.open();
        for (parameter, argument) in call.callee.parameters.iter().zip(arguments) {
            self.bind(instruction, parameter, argument, true);
        }
        let mut back = Vec::new();
        for (result, given) in call.callee.returns.iter().zip(results) {
            if let Some(inner) = self.bind(instruction, result, given.clone(), false) {
                back.push((given, inner));
            }
        }
        self.statements(call.callee.body.as_deref().unwrap_or_default())?;
        (self.file, self.function, self.end) = (file, function, end);
        self.scope = outer;
        self.place(over);
        for (given, inner) in back {
            self.step(instruction, None, Op::Move, vec![given, Arg::Reg(inner)]);
        }
        Ok(())
    }

    /// Makes a callee's parameter or result the caller's argument; a register is a copy.
    fn bind(
        &mut self,
        instruction: &Instruction,
        variable: &'a Variable,
        given: Arg,
        forth: bool,
    ) -> Option<Reg> {
        match given {
            Arg::Symbol(Symbol::Storage(storage), 0) if variable.space != Space::Reg => {
                self.scope.declare(&variable.name, Entity::Storage(storage));
                None
            }
            given => {
                let inner = Reg(self.registers(variable.ty, 1));
                if forth {
                    self.step(instruction, None, Op::Move, vec![Arg::Reg(inner), given]);
                }
                self.scope.declare(&variable.name, Entity::Register(inner));
                (!forth).then_some(inner)
            }
        }
    }
}
