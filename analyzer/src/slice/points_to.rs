//! Which objects a register or an object's contents may point to: Andersen's analysis, blind to fields and
//! contexts. Inlining before lowering is what makes it sharp enough.

use crate::slice::effects::{Returns, Use, effect};
use crate::slice::objects::{Object, ObjectId, Objects};
use crate::slice::position::{Position, instructions};
use fixedbitset::FixedBitSet;
use migfit_schema::program::{
    BinaryOp, Callee, Function, FunctionId, Op, Operand, Reg, SizeProgram, Terminator, Type,
};

/// Where pointers may lead.
pub struct PointsTo {
    /// First node of each function's registers.
    bases: Vec<usize>,
    /// First node of the objects' contents.
    contents: usize,
    sets: Vec<FixedBitSet>,
    global_base: usize,
    function_base: usize,
}

/// `to` includes what `from` points to.
enum Rule {
    /// Node to node.
    Copy { from: usize, to: usize },
    /// `to` includes the contents of everything that `address` points to.
    Load { address: usize, to: usize },
    /// Contents of everything that `address` points to include `from`.
    Store { from: usize, address: usize },
    /// A call through a pointer.
    Indirect { pointer: usize, at: Position },
}

/// Solves for a program.
pub fn solve(program: &SizeProgram, objects: &Objects) -> PointsTo {
    let mut solver = Solver::new(program, objects);
    solver.generate();
    solver.iterate();
    solver.points
}

impl PointsTo {
    /// Objects that a value may point to.
    pub fn of(&self, function: FunctionId, value: Operand) -> Vec<ObjectId> {
        match value {
            Operand::Reg(register) => self
                .node(function, register)
                .map_or_else(Vec::new, |node| self.listed(node)),
            Operand::Global(id, _) => vec![self.global_base + id as usize],
            Operand::Function(id) => vec![self.function_base + id as usize],
            Operand::Const(_) | Operand::Undef => Vec::new(),
        }
    }

    /// Functions that a value may point to.
    pub fn functions(
        &self,
        program: &SizeProgram,
        function: FunctionId,
        value: Operand,
    ) -> Vec<FunctionId> {
        let objects = self.of(function, value).into_iter();
        let ids = objects.filter_map(|object| object.checked_sub(self.function_base));
        ids.filter(|id| *id < program.functions.len())
            .filter_map(|id| u32::try_from(id).ok())
            .collect()
    }

    /// Those objects and everything that can be reached from their contents.
    pub fn closure(&self, start: Vec<ObjectId>) -> Vec<ObjectId> {
        let mut seen = FixedBitSet::with_capacity(self.sets.len() - self.contents);
        let mut waiting = start;
        let mut all = Vec::new();
        while let Some(object) = waiting.pop() {
            if object < seen.len() && !seen.put(object) {
                all.push(object);
                waiting.extend(self.listed(self.contents + object));
            }
        }
        all
    }

    fn node(&self, function: FunctionId, register: Reg) -> Option<usize> {
        self.bases
            .get(function as usize)
            .map(|base| base + register as usize)
    }

    fn listed(&self, node: usize) -> Vec<ObjectId> {
        self.sets
            .get(node)
            .map_or_else(Vec::new, |set| set.ones().collect())
    }
}

struct Solver<'a> {
    program: &'a SizeProgram,
    objects: &'a Objects,
    rules: Vec<Rule>,
    points: PointsTo,
}

impl<'a> Solver<'a> {
    fn new(program: &'a SizeProgram, objects: &'a Objects) -> Solver<'a> {
        let mut next = 0;
        let mut bases = Vec::new();
        for function in &program.functions {
            bases.push(next);
            next += function.registers as usize;
        }
        let contents = next;
        let sets = vec![FixedBitSet::with_capacity(objects.len()); contents + objects.len()];
        let points = PointsTo {
            bases,
            contents,
            sets,
            global_base: objects.global(0),
            function_base: objects.function(program, 0),
        };
        Solver {
            program,
            objects,
            rules: Vec::new(),
            points,
        }
    }

    fn generate(&mut self) {
        self.command_line();
        self.global_contents();
        for (function, body) in (0u32..).zip(&self.program.functions) {
            for block in &body.blocks {
                for phi in &block.phis {
                    for (_, value) in &phi.incoming {
                        self.flow(function, *value, function, phi.dst);
                    }
                }
            }
        }
        for (at, instruction) in instructions(self.program) {
            self.instruction(at, &instruction.op);
        }
    }

    /// `main`'s second and third parameter lead to the words.
    fn command_line(&mut self) {
        let content = self.points.contents;
        self.include(content + Objects::ARGUMENTS, Objects::WORDS);
        self.include(content + Objects::HIDDEN, Objects::HIDDEN);
        let main = self
            .program
            .main
            .and_then(|id| Some((id, self.program.functions.get(id as usize)?)));
        if let Some((id, body)) = main {
            for (register, ty) in &body.params {
                if let (Type::Ptr, Some(node)) = (ty, self.points.node(id, *register)) {
                    self.include(node, Objects::ARGUMENTS);
                }
            }
        }
    }

    fn global_contents(&mut self) {
        for (id, global) in (0u32..).zip(&self.program.globals) {
            let node = self.points.contents + self.objects.global(id);
            for (_, address) in &global.addresses {
                for object in self.points.of(0, *address) {
                    self.include(node, object);
                }
            }
            if global.external {
                self.include(node, Objects::HIDDEN);
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
            } if carries_pointer(*op) => {
                self.flow(function, *a, function, *dst);
                self.flow(function, *b, function, *dst);
            }
            Op::Cast { dst, a, .. } | Op::Copy { dst, a, .. } => {
                self.flow(function, *a, function, *dst)
            }
            Op::Select { dst, a, b, .. } => {
                self.flow(function, *a, function, *dst);
                self.flow(function, *b, function, *dst);
            }
            Op::Offset { dst, base, .. } => self.flow(function, *base, function, *dst),
            Op::Alloca { dst, .. } => {
                if let (Some(object), Some(node)) =
                    (self.objects.stack(at), self.points.node(function, *dst))
                {
                    self.include(node, object);
                }
            }
            Op::Load {
                dst,
                ty: Type::Ptr | Type::Int(64),
                address,
            } => {
                if let Some(to) = self.points.node(function, *dst) {
                    let address = self.holder(function, *address);
                    self.rules.push(Rule::Load { address, to });
                }
            }
            Op::Store {
                ty: Type::Ptr | Type::Int(64),
                value,
                address,
            } => {
                let (from, address) = (
                    self.holder(function, *value),
                    self.holder(function, *address),
                );
                self.rules.push(Rule::Store { from, address });
            }
            Op::MemCopy { to, from, .. } => self.copy_contents(function, *from, *to),
            Op::Call {
                dst, callee, args, ..
            } => self.call(at, dst, callee, args),
            _ => {}
        }
    }

    fn call(&mut self, at: Position, dst: &[Reg], callee: &Callee, args: &[(Operand, Type)]) {
        match callee {
            Callee::Function(target) => self.bind(at.function, dst, *target, args),
            Callee::External(name) => self.external(at, dst, name, args),
            Callee::Indirect(pointer) => {
                let pointer = self.holder(at.function, *pointer);
                self.rules.push(Rule::Indirect { pointer, at });
            }
        }
    }

    /// Arguments flow to parameters, results back.
    fn bind(
        &mut self,
        caller: FunctionId,
        dst: &[Reg],
        target: FunctionId,
        args: &[(Operand, Type)],
    ) {
        let Some(body) = self.program.functions.get(target as usize) else {
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

    fn external(&mut self, at: Position, dst: &[Reg], name: &str, args: &[(Operand, Type)]) {
        let Some(effect) = effect(name) else {
            return self.stranger(at, dst, args);
        };
        let result = dst
            .first()
            .and_then(|register| self.points.node(at.function, *register));
        if let Some(node) = result {
            match effect.returns {
                Returns::Fresh => self
                    .objects
                    .fresh(at)
                    .into_iter()
                    .for_each(|object| self.include(node, object)),
                Returns::Hidden => self.include(node, Objects::HIDDEN),
                Returns::Into(index) => {
                    if let Some((value, _)) = args.get(index) {
                        let from = self.holder(at.function, *value);
                        self.rules.push(Rule::Copy { from, to: node });
                    }
                }
                Returns::Value | Returns::Status => {}
            }
        }
        for (index, (value, _)) in args.iter().enumerate() {
            let stored = match effect.of_argument(index) {
                Use::StoresFresh => self.objects.fresh(at).map(|object| self.constant(object)),
                Use::StoresFirst => args
                    .first()
                    .map(|(first, _)| self.holder(at.function, *first)),
                _ => None,
            };
            if let Some(from) = stored {
                let address = self.holder(at.function, *value);
                self.rules.push(Rule::Store { from, address });
            }
        }
        if matches!(name, "memcpy" | "memmove" | "strcpy" | "strncpy") && args.len() > 1 {
            self.copy_contents(at.function, args[1].0, args[0].0);
        }
        if name.starts_with("getopt") {
            self.options(args, at.function);
        }
    }

    /// getopt leaves pointers to the words in `optarg`.
    fn options(&mut self, args: &[(Operand, Type)], function: FunctionId) {
        let optarg = self
            .program
            .globals
            .iter()
            .position(|global| global.name == "optarg");
        if let (Some(place), Some((words, _))) = (optarg, args.get(1)) {
            let address = self.holder(function, *words);
            let to = self.points.contents + self.objects.global(0) + place;
            self.rules.push(Rule::Load { address, to });
        }
    }

    /// A function without a row: anything reachable from its arguments may be stored in anything reachable.
    fn stranger(&mut self, at: Position, dst: &[Reg], args: &[(Operand, Type)]) {
        let all = self.fresh_node();
        if let Some(object) = self.objects.fresh(at) {
            self.include(all, object);
        }
        for (value, _) in args {
            let from = self.holder(at.function, *value);
            self.rules.push(Rule::Copy { from, to: all });
        }
        self.rules.push(Rule::Load {
            address: all,
            to: all,
        });
        self.rules.push(Rule::Store {
            from: all,
            address: all,
        });
        for register in dst {
            if let Some(to) = self.points.node(at.function, *register) {
                self.rules.push(Rule::Copy { from: all, to });
            }
        }
    }

    fn copy_contents(&mut self, function: FunctionId, from: Operand, to: Operand) {
        let between = self.fresh_node();
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

    fn flow(
        &mut self,
        from_function: FunctionId,
        value: Operand,
        to_function: FunctionId,
        register: Reg,
    ) {
        if let Some(to) = self.points.node(to_function, register) {
            match value {
                Operand::Const(_) | Operand::Undef => {}
                value => {
                    let from = self.holder(from_function, value);
                    self.rules.push(Rule::Copy { from, to });
                }
            }
        }
    }

    /// A node that points to what the value points to.
    fn holder(&mut self, function: FunctionId, value: Operand) -> usize {
        if let Operand::Reg(register) = value
            && let Some(node) = self.points.node(function, register)
        {
            return node;
        }
        let node = self.fresh_node();
        for object in self.points.of(function, value) {
            self.include(node, object);
        }
        node
    }

    fn constant(&mut self, object: ObjectId) -> usize {
        let node = self.fresh_node();
        self.include(node, object);
        node
    }

    /// A node beyond the registers and contents.
    fn fresh_node(&mut self) -> usize {
        self.points
            .sets
            .push(FixedBitSet::with_capacity(self.objects.len()));
        self.points.sets.len() - 1
    }

    fn include(&mut self, node: usize, object: ObjectId) {
        if let Some(set) = self.points.sets.get_mut(node) {
            set.insert(object);
        }
    }

    /// Applies every rule until nothing changes; indirect calls found on the way add rules.
    fn iterate(&mut self) {
        let mut bound = std::collections::HashSet::new();
        let mut changed = true;
        while changed {
            changed = false;
            for index in 0..self.rules.len() {
                changed |= self.apply(index, &mut bound);
            }
        }
    }

    fn apply(
        &mut self,
        index: usize,
        bound: &mut std::collections::HashSet<(Position, FunctionId)>,
    ) -> bool {
        let contents = self.points.contents;
        match self.rules[index] {
            Rule::Copy { from, to } => self.merge(from, to),
            Rule::Load { address, to } => {
                let objects = self.points.listed(address);
                objects.into_iter().fold(false, |changed, object| {
                    self.merge(contents + object, to) | changed
                })
            }
            Rule::Store { from, address } => {
                let objects = self.points.listed(address);
                objects.into_iter().fold(false, |changed, object| {
                    self.merge(from, contents + object) | changed
                })
            }
            Rule::Indirect { pointer, at } => {
                let targets =
                    self.points
                        .listed(pointer)
                        .into_iter()
                        .filter_map(|object| match self.objects.get(object) {
                            Some(Object::Function(target)) if bound.insert((at, target)) => {
                                Some(target)
                            }
                            _ => None,
                        });
                let targets: Vec<FunctionId> = targets.collect();
                targets
                    .iter()
                    .for_each(|target| self.bind_indirect(at, *target));
                !targets.is_empty()
            }
        }
    }

    fn bind_indirect(&mut self, at: Position, target: FunctionId) {
        let program = self.program;
        if let Some(Op::Call { dst, args, .. }) =
            crate::slice::position::instruction(program, at).map(|instruction| &instruction.op)
        {
            self.bind(at.function, dst, target, args);
        }
    }

    fn merge(&mut self, from: usize, to: usize) -> bool {
        if from == to {
            return false;
        }
        let source = std::mem::take(&mut self.points.sets[from]);
        let target = &mut self.points.sets[to];
        let before = target.count_ones(..);
        target.union_with(&source);
        let changed = target.count_ones(..) != before;
        self.points.sets[from] = source;
        changed
    }
}

fn carries_pointer(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor
    )
}

/// The values that a function may return as its `index`th flattened result.
pub fn returned(body: &Function, index: usize) -> Vec<Operand> {
    let ends = body.blocks.iter().filter_map(|block| match &block.end {
        Terminator::Return(values) => values.get(index).copied(),
        _ => None,
    });
    ends.collect()
}
