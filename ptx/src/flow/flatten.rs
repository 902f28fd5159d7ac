//! Statements of a function -> its flat form. A small callee, and one that threads wait in, stands in place of its calls.

use super::flat::{Arg, Flat, Label, Op, Reg, Step, Storage, Symbol};
use super::program::Program;
use super::scope::{Entity, Scope};
use crate::text::ast::{Function, Instruction, Operand, Statement, Variable};
use crate::text::error::PtxError;
use crate::text::types::{Space, Type};
use std::collections::HashMap;

/// More steps than this are no function of today's compilers.
const MOST_STEPS: usize = 4_000_000;

impl<'a> Flat<'a> {
    /// The flat form of a function of a module.
    ///
    /// # Errors
    /// When a name is not declared, or calls are in each other without end.
    pub fn of(
        program: &'a Program,
        file: usize,
        function: &'a Function,
    ) -> Result<Flat<'a>, PtxError> {
        let mut flattening = Flattening {
            program,
            flat: Flat {
                name: &function.name,
                registers: Vec::new(),
                storage: Vec::new(),
                steps: Vec::new(),
                labels: Vec::new(),
                targets: Vec::new(),
            },
            scope: Scope::default(),
            shared: HashMap::new(),
            file,
            function: &function.name,
            end: None,
        };
        flattening.scope.open();
        for (nth, parameter) in function.parameters.iter().enumerate() {
            flattening.own(parameter, Entity::Parameter(nth));
        }
        for (nth, result) in function.returns.iter().enumerate() {
            flattening.own(result, Entity::Return(nth));
        }
        flattening.statements(function.body.as_deref().unwrap_or_default())?;
        Ok(flattening.flat)
    }
}

pub(super) struct Flattening<'a> {
    pub(super) program: &'a Program,
    pub(super) flat: Flat<'a>,
    pub(super) scope: Scope<'a>,
    /// Shared variables outside functions that have their place.
    shared: HashMap<(usize, String), usize>,
    /// The module that the statements are of.
    pub(super) file: usize,
    pub(super) function: &'a str,
    /// Where `ret` goes in a callee that stands in place of its call.
    pub(super) end: Option<Label>,
}

impl<'a> Flattening<'a> {
    fn own(&mut self, variable: &'a Variable, entity: Entity) {
        if variable.space == Space::Reg {
            self.declare(variable);
        } else {
            self.scope.declare(&variable.name, entity);
        }
    }

    pub(super) fn statements(&mut self, statements: &'a [Statement]) -> Result<(), PtxError> {
        self.scope.open();
        for statement in statements {
            if let Statement::Label(label) = statement {
                let fresh = self.label();
                self.scope.declare(label, Entity::Label(fresh));
            }
        }
        for statement in statements {
            self.statement(statement)?;
        }
        self.scope.close();
        Ok(())
    }

    fn statement(&mut self, statement: &'a Statement) -> Result<(), PtxError> {
        match statement {
            Statement::Label(label) => {
                if let Some(Entity::Label(label)) = self.scope.find(label) {
                    self.place(label);
                }
            }
            Statement::Variable(variable) => self.declare(variable),
            Statement::Block(inner) => self.statements(inner)?,
            Statement::Instruction(instruction) => self.instruction(instruction)?,
            Statement::Targets {
                label,
                calls,
                targets,
            } => {
                let found = targets
                    .iter()
                    .filter_map(|name| match self.scope.find(name) {
                        Some(Entity::Label(label)) => Some(label),
                        _ => None,
                    });
                let found: Vec<_> = found.collect();
                if *calls {
                    self.scope.declare(label, Entity::Prototype);
                } else {
                    self.flat.targets.push(found);
                    let list = self.flat.targets.len() - 1;
                    self.scope.declare(label, Entity::Targets(list));
                }
            }
            Statement::Prototype(prototype) => {
                self.scope.declare(&prototype.label, Entity::Prototype);
            }
            Statement::Raw(_) => {}
        }
        Ok(())
    }

    fn declare(&mut self, variable: &'a Variable) {
        let name = &variable.name;
        if variable.space != Space::Reg {
            let entity = Entity::Storage(self.store(variable));
            self.scope.declare(name, entity);
        } else if let Some(count) = variable.count {
            let first = self.registers(variable.ty, count);
            self.scope.declare_range(name, first, count);
        } else if variable.vector > 1 {
            let first = self.registers(variable.ty, variable.vector);
            let all = (first..first + variable.vector).map(Reg).collect();
            self.scope.declare(name, Entity::Vector(all));
        } else {
            let entity = Entity::Register(Reg(self.registers(variable.ty, 1)));
            self.scope.declare(name, entity);
        }
    }

    pub(super) fn registers(&mut self, ty: Type, count: u32) -> u32 {
        const MOST: u32 = 1 << 22;
        let first = u32::try_from(self.flat.registers.len()).unwrap_or(MOST);
        let end = first.saturating_add(count).min(MOST);
        self.flat.registers.resize(end.max(first) as usize, ty);
        first
    }

    fn store(&mut self, variable: &Variable) -> usize {
        self.flat.storage.push(Storage {
            space: variable.space,
            bytes: variable.bytes(),
            align: variable.alignment(),
            dynamic: variable.extents.contains(&None),
        });
        self.flat.storage.len() - 1
    }

    pub(super) fn label(&mut self) -> Label {
        self.flat.labels.push(usize::MAX);
        Label(u32::try_from(self.flat.labels.len() - 1).unwrap_or(u32::MAX))
    }

    pub(super) fn place(&mut self, label: Label) {
        self.flat.labels[label.0 as usize] = self.flat.steps.len();
    }

    fn instruction(&mut self, instruction: &'a Instruction) -> Result<(), PtxError> {
        if self.flat.steps.len() > MOST_STEPS {
            return Err(PtxError::new(
                instruction.at,
                "a function with too many instructions",
            ));
        }
        let guard = match &instruction.guard {
            Some((name, negated)) => Some((self.register(instruction, name)?, *negated)),
            None => None,
        };
        if instruction.opcode == "call"
            && let Some(call) = self.inlined_call(instruction)
        {
            return self.inline(instruction, guard, call);
        }
        let args = self.operands(instruction, &instruction.operands)?;
        let (op, args) = match (instruction.opcode.as_str(), self.end) {
            ("ret", Some(end)) => (Op::Jump, vec![Arg::Label(end)]),
            _ => (Op::Given(instruction), args),
        };
        self.step(instruction, guard, op, args);
        Ok(())
    }

    pub(super) fn step(
        &mut self,
        instruction: &Instruction,
        guard: Option<(Reg, bool)>,
        op: Op<'a>,
        args: Vec<Arg>,
    ) {
        self.flat.steps.push(Step {
            guard,
            op,
            args,
            function: self.function,
            at: instruction.at,
        });
    }

    fn register(&self, instruction: &Instruction, name: &str) -> Result<Reg, PtxError> {
        match self.scope.find(name) {
            Some(Entity::Register(reg)) => Ok(reg),
            _ => Err(PtxError::new(
                instruction.at,
                format!("'{name}' is no register here"),
            )),
        }
    }

    pub(super) fn operands(
        &mut self,
        instruction: &Instruction,
        all: &[Operand],
    ) -> Result<Vec<Arg>, PtxError> {
        all.iter()
            .map(|one| self.operand(instruction, one))
            .collect()
    }

    fn operand(&mut self, instruction: &Instruction, operand: &Operand) -> Result<Arg, PtxError> {
        Ok(match operand {
            Operand::Name(name) if name == "_" => Arg::Sink,
            Operand::Name(name) => self.name(name, 0),
            Operand::Offset(name, offset) => self.name(name, *offset),
            Operand::Number(number) => Arg::Number(*number),
            Operand::Not(name) => Arg::Not(self.register(instruction, name)?),
            Operand::Vector(inner) => Arg::Vector(self.operands(instruction, inner)?),
            Operand::Pair(first, second) => Arg::Pair(
                Box::new(self.operand(instruction, first)?),
                Box::new(self.operand(instruction, second)?),
            ),
            Operand::Memory(inner) => Arg::Memory(self.operands(instruction, inner)?),
            Operand::List(inner) => Arg::List(self.operands(instruction, inner)?),
        })
    }

    fn name(&mut self, name: &str, offset: i64) -> Arg {
        match self.scope.find(name) {
            Some(Entity::Register(reg)) if offset == 0 => Arg::Reg(reg),
            Some(Entity::Register(reg)) => Arg::RegOffset(reg, offset),
            Some(Entity::Vector(all)) => Arg::Vector(all.into_iter().map(Arg::Reg).collect()),
            Some(Entity::Storage(nth)) => Arg::Symbol(Symbol::Storage(nth), offset),
            Some(Entity::Parameter(nth)) => Arg::Symbol(Symbol::Parameter(nth), offset),
            Some(Entity::Return(nth)) => Arg::Symbol(Symbol::Return(nth), offset),
            Some(Entity::Label(label)) => Arg::Label(label),
            Some(Entity::Targets(list)) => Arg::Targets(list),
            Some(Entity::Prototype) => Arg::Sink,
            None => match self.component(name) {
                Some(component) => component,
                None => Arg::Symbol(self.outer(name), offset),
            },
        }
    }

    /// `%v.x` of a vector register.
    fn component(&self, name: &str) -> Option<Arg> {
        let (vector, component) = name.split_once('.')?;
        let nth = ["x", "y", "z", "w"]
            .iter()
            .position(|one| *one == component)?;
        match self.scope.find(vector)? {
            Entity::Vector(all) => all.get(nth).map(|reg| Arg::Reg(*reg)),
            _ => None,
        }
    }

    /// What a name outside the function means.
    fn outer(&mut self, name: &str) -> Symbol {
        let program = self.program;
        if let Some((file, function)) = program.function(self.file, name) {
            return Symbol::Function(file, function.name.clone());
        }
        let variable = program.variable(self.file, name);
        let dynamic = || {
            program
                .dynamic_shared(self.file, name)
                .map(|one| (self.file, one))
        };
        match variable.or_else(dynamic) {
            Some((file, variable)) if variable.space == Space::Shared => {
                let key = (file, variable.name.clone());
                if let Some(known) = self.shared.get(&key) {
                    return Symbol::Storage(*known);
                }
                let storage = self.store(variable);
                self.shared.insert(key, storage);
                Symbol::Storage(storage)
            }
            Some((file, variable)) => Symbol::Variable(file, variable.name.clone()),
            None => Symbol::Foreign(name.to_owned()),
        }
    }
}
