//! One or a few rules for each instruction that moves pointers.

use super::solve::{Rule, Solver};
use crate::slice::objects::Objects;
use crate::slice::position::{Position, instructions};
use migfit_schema::program::{BinaryOp, Callee, FunctionId, Op, Operand, Type};

impl Solver<'_> {
    /// Rules of the whole program.
    pub(super) fn generate(&mut self) {
        self.command_line();
        self.global_contents();
        let program = self.program;
        for (function, body) in (0u32..).zip(&program.functions) {
            let phis = body.blocks.iter().flat_map(|block| &block.phis);
            for phi in phis {
                for (_, value) in &phi.incoming {
                    self.flow(function, *value, function, phi.dst);
                }
            }
        }
        for (at, instruction) in instructions(program) {
            self.instruction(at, &instruction.op);
        }
    }

    /// `main`'s second and third parameter lead to the words.
    fn command_line(&mut self) {
        for (object, target) in [
            (Objects::ARGUMENTS, Objects::WORDS),
            (Objects::HIDDEN, Objects::HIDDEN),
        ] {
            if let Some(node) = self.points.contents(object) {
                self.points.include(node, target);
            }
        }
        let program = self.program;
        let main = program
            .main
            .and_then(|id| Some((id, program.functions.get(id as usize)?)));
        for (id, (register, ty)) in main
            .iter()
            .flat_map(|(id, body)| body.params.iter().map(move |param| (*id, *param)))
        {
            if let (Type::Ptr, Some(node)) = (ty, self.points.register(id, register)) {
                self.points.include(node, Objects::ARGUMENTS);
            }
        }
    }

    fn global_contents(&mut self) {
        let program = self.program;
        for (id, global) in (0u32..).zip(&program.globals) {
            let Some(node) = self.points.contents(self.objects.global(id)) else {
                continue;
            };
            for (_, address) in &global.addresses {
                // Addresses in initial bytes are of globals and functions: registers belong to no function here.
                if !matches!(address, Operand::Reg(_)) {
                    for object in self.points.of(0, *address) {
                        self.points.include(node, object);
                    }
                }
            }
            if global.external {
                self.points.include(node, Objects::HIDDEN);
            }
        }
    }

    fn instruction(&mut self, at: Position, op: &Op) {
        let function = at.function;
        match op {
            Op::Binary {
                dst,
                ty: Type::Int(64),
                op,
                a,
                b,
                ..
            } if carries_pointer(*op) => {
                self.flow(function, *a, function, *dst);
                self.flow(function, *b, function, *dst);
            }
            Op::Cast { dst, a, .. } | Op::Copy { dst, a, .. } => {
                self.flow(function, *a, function, *dst);
            }
            Op::Select { dst, a, b, .. } => {
                self.flow(function, *a, function, *dst);
                self.flow(function, *b, function, *dst);
            }
            Op::Offset { dst, base, .. } => self.flow(function, *base, function, *dst),
            Op::Alloca { dst, .. } => {
                let node = self.points.register(function, *dst);
                if let (Some(object), Some(node)) = (self.objects.stack(at), node) {
                    self.points.include(node, object);
                }
            }
            Op::Load {
                dst,
                ty: Type::Ptr | Type::Int(64),
                address,
            } => {
                if let Some(to) = self.points.register(function, *dst) {
                    let address = self.holder(function, *address);
                    self.rules.push(Rule::Load { address, to });
                }
            }
            Op::Store {
                ty: Type::Ptr | Type::Int(64),
                value,
                address,
            } => self.store(function, *value, *address),
            Op::MemCopy { to, from, .. } => self.copy_contents(function, *from, *to),
            Op::Call {
                dst, callee, args, ..
            } => match callee {
                Callee::Function(target) => self.bind(function, dst, *target, args),
                Callee::External(name) => self.external(at, dst, name, args),
                Callee::Indirect(pointer) => {
                    let pointer = self.holder(function, *pointer);
                    self.rules.push(Rule::Call { pointer, at });
                }
            },
            _ => {}
        }
    }

    fn store(&mut self, function: FunctionId, value: Operand, address: Operand) {
        let from = self.holder(function, value);
        let address = self.holder(function, address);
        self.rules.push(Rule::Store { from, address });
    }

    /// What lies behind one pointer may lie behind the other.
    pub(super) fn copy_contents(&mut self, function: FunctionId, from: Operand, to: Operand) {
        let between = self.points.add_node();
        let (from, to) = (self.holder(function, from), self.holder(function, to));
        self.rules.push(Rule::Load {
            address: from,
            to: between,
        });
        self.rules.push(Rule::Store {
            from: between,
            address: to,
        });
    }
}

fn carries_pointer(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor
    )
}
