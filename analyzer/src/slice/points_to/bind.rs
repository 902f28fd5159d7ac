//! Calls of functions with a body: arguments flow to parameters, returned values to results.

use super::solve::{Rule, Solver};
use migfit_schema::program::{Function, FunctionId, Operand, Reg, Terminator, Type};

impl Solver<'_> {
    /// Arguments flow to parameters, results back.
    pub(super) fn bind(
        &mut self,
        caller: FunctionId,
        dst: &[Reg],
        target: FunctionId,
        args: &[(Operand, Type)],
    ) {
        let program = self.program;
        let Some(body) = program.functions.get(target as usize) else {
            return;
        };
        for ((value, _), (parameter, _)) in args.iter().zip(&body.params) {
            self.flow(caller, *value, target, *parameter);
        }
        for (index, register) in dst.iter().enumerate() {
            for value in returned(body, index) {
                self.flow(target, value, caller, *register);
            }
        }
    }

    /// A library function may hand on to its callback whatever it was given, and what that leads to.
    pub(super) fn bind_callback(
        &mut self,
        caller: FunctionId,
        target: FunctionId,
        args: &[(Operand, Type)],
    ) {
        let program = self.program;
        let Some(body) = program.functions.get(target as usize) else {
            return;
        };
        for (value, _) in args {
            for (parameter, _) in &body.params {
                self.flow(caller, *value, target, *parameter);
            }
        }
        self.thread_results(target, body);
    }

    /// The data of a graph's node lies in the node's description.
    pub(super) fn bind_behind(
        &mut self,
        caller: FunctionId,
        target: FunctionId,
        args: &[(Operand, Type)],
    ) {
        let program = self.program;
        let (Some(body), Some((description, _))) =
            (program.functions.get(target as usize), args.last())
        else {
            return;
        };
        let address = self.holder(caller, *description);
        for (parameter, _) in &body.params {
            if let Some(to) = self.points.register(target, *parameter) {
                self.rules.push(Rule::Load { address, to });
            }
        }
    }

    /// A value of one function flows to a register of another, or of the same.
    pub(super) fn flow(
        &mut self,
        from_function: FunctionId,
        value: Operand,
        to_function: FunctionId,
        register: Reg,
    ) {
        if matches!(value, Operand::Const(_) | Operand::Undef) {
            return;
        }
        if let Some(to) = self.points.register(to_function, register) {
            let from = self.holder(from_function, value);
            self.rules.push(Rule::Copy { from, to });
        }
    }
}

/// The values that a function may return as its `index`th flattened result.
pub fn returned(body: &Function, index: usize) -> Vec<Operand> {
    let ends = body.blocks.iter().filter_map(|block| match &block.end {
        Terminator::Return(values) => values.get(index).copied(),
        _ => None,
    });
    ends.collect()
}
