//! A value of a size program -> its tree back to the program's inputs: expressions, callers, ways of a choice, writers
//! of memory, each with what an evaluation saw of it.

use super::definition::{Definition, callers, definition, type_of};
use super::expression::Writer;
use super::node::{Node, Origin, ValueSeen};
use super::watch::{At, Held, Watch};
use super::words::{constant, name};
use crate::report::people_name;
use migfit_schema::program::{
    BlockId, Callee, FunctionId, Instruction, Op, Operand, Place, Reg, SizeProgram, Terminator,
    Type,
};
use migfit_schema::site::Site;
use std::collections::BTreeSet;

/// Lines of one tree.
const MOST_NODES: usize = 60;
/// Levels of one tree.
const DEEPEST: usize = 24;

/// Grows trees; each value once.
pub struct Grower<'a> {
    /// The program.
    pub program: &'a SizeProgram,
    watch: Option<&'a Watch>,
    above: BTreeSet<(FunctionId, Reg)>,
    left: usize,
}

impl<'a> Grower<'a> {
    /// For one call of a program.
    pub fn new(program: &'a SizeProgram, watch: Option<&'a Watch>) -> Grower<'a> {
        Grower {
            program,
            watch,
            above: BTreeSet::new(),
            left: MOST_NODES,
        }
    }
}

impl Grower<'_> {
    /// A size itself. Where a variable is handed over, its own line says how it came about.
    pub fn root(
        &mut self,
        function: FunctionId,
        name: &str,
        operand: Operand,
        ty: Type,
        place: Place,
    ) -> Node {
        let (text, from) = self.written(function, operand, ty, 0);
        Node {
            name: Some(name.to_owned()),
            text,
            seen: self.seen_operand(function, operand),
            site: self.place(place),
            origin: Origin::Expression,
            from,
        }
    }

    /// An operand's text and the trees of the values in it.
    fn written(
        &mut self,
        function: FunctionId,
        operand: Operand,
        ty: Type,
        depth: usize,
    ) -> (String, Vec<Node>) {
        let Some(mut writer) = Writer::new(self.program, function) else {
            return (String::new(), Vec::new());
        };
        let text = writer.operand(operand, ty);
        (text, self.named(function, &writer.named, depth + 1))
    }

    /// The trees of registers.
    pub fn named(&mut self, function: FunctionId, registers: &[Reg], depth: usize) -> Vec<Node> {
        let nodes = registers.iter();
        nodes
            .map(|register| self.value(function, *register, depth))
            .collect()
    }

    /// A register with a line of its own.
    fn value(&mut self, function: FunctionId, register: Reg, depth: usize) -> Node {
        let own_name = name(self.program, function, register);
        let seen = self.seen(function, register);
        let plain = |text: String, origin| Node {
            name: Some(own_name.clone()),
            text,
            seen: seen.clone(),
            site: None,
            origin,
            from: Vec::new(),
        };
        if !self.above.insert((function, register)) {
            return plain("see above".to_owned(), Origin::Above);
        }
        if depth >= DEEPEST || self.left == 0 {
            return plain("not followed further here".to_owned(), Origin::Cut);
        }
        self.left -= 1;
        let Some(body) = self.program.functions.get(function as usize) else {
            return plain(String::new(), Origin::Cut);
        };
        match definition(body, register) {
            Some(Definition::Parameter(index, _)) => {
                let text = format!("given to {}", people_name(&body.name));
                Node {
                    from: self.arguments(function, index, depth),
                    ..plain(text, Origin::Parameter)
                }
            }
            Some(Definition::Phi(phi)) => Node {
                from: self.ways(function, register, &phi.incoming, phi.ty, depth),
                ..plain("depends on the way taken".to_owned(), Origin::Choice)
            },
            Some(Definition::Op(op, place, (block, index))) => {
                let at = At {
                    function,
                    block,
                    index,
                };
                self.made(
                    plain(String::new(), Origin::Expression),
                    at,
                    op,
                    place,
                    register,
                    depth,
                )
            }
            None => plain("never set".to_owned(), Origin::Cut),
        }
    }

    /// A value that an instruction makes.
    fn made(
        &mut self,
        plain: Node,
        at: At,
        op: &Op,
        place: Place,
        register: Reg,
        depth: usize,
    ) -> Node {
        let site = self.place(place);
        let Some(mut writer) = Writer::new(self.program, at.function) else {
            return plain;
        };
        let text = writer.defined(register);
        let named = writer.named.clone();
        let named: Vec<Reg> = named.into_iter().filter(|one| *one != register).collect();
        match op {
            Op::Load { .. } => Node {
                text,
                site,
                origin: Origin::Memory,
                from: self.writers(at.function, register, depth),
                ..plain
            },
            Op::Call { callee, args, .. } => match callee {
                Callee::External(_) => {
                    let lines = self.lines(at);
                    let text = match lines.is_empty() {
                        true => text,
                        false => format!("{text} {lines}"),
                    };
                    let from = self.named(at.function, &named, depth + 1);
                    Node {
                        text,
                        site,
                        origin: Origin::Input,
                        from,
                        ..plain
                    }
                }
                Callee::Function(called) => {
                    let _ = args;
                    Node {
                        text,
                        site,
                        from: self.results(*called, depth),
                        ..plain
                    }
                }
                Callee::Indirect(_) => Node {
                    text,
                    site,
                    ..plain
                },
            },
            _ => Node {
                text,
                site,
                from: self.named(at.function, &named, depth + 1),
                ..plain
            },
        }
    }

    /// What the callers that ran give for a parameter.
    fn arguments(&mut self, function: FunctionId, index: usize, depth: usize) -> Vec<Node> {
        let callers: Vec<At> = match self.watch {
            Some(watch) => watch.callers(function).collect(),
            None => callers(self.program, function),
        };
        let given = callers.into_iter().filter_map(|at| {
            let instruction = self.instruction(at)?;
            let Op::Call { args, .. } = &instruction.op else {
                return None;
            };
            let (operand, ty) = *args.get(index)?;
            let place = instruction.place;
            Some(self.unnamed(at.function, operand, ty, place, depth))
        });
        given.collect()
    }

    /// The values that a choice had, from the ways whose values were seen.
    fn ways(
        &mut self,
        function: FunctionId,
        register: Reg,
        incoming: &[(BlockId, Operand)],
        ty: Type,
        depth: usize,
    ) -> Vec<Node> {
        let incoming = self.taken(function, register, incoming);
        let mut done: Vec<Operand> = Vec::new();
        let mut nodes = Vec::new();
        for (from, operand) in &incoming {
            let known = match operand {
                Operand::Reg(register) => self
                    .watch
                    .is_none_or(|watch| watch.held(function, *register).is_some()),
                Operand::Undef => false,
                _ => true,
            };
            if !known || done.contains(operand) {
                continue;
            }
            done.push(*operand);
            let block = self.program.functions.get(function as usize);
            let block = block.and_then(|body| body.blocks.get(*from as usize));
            let place = block.map(|block| block.end_place).unwrap_or_default();
            nodes.push(self.unnamed(function, *operand, ty, place, depth));
        }
        nodes
    }

    /// The ways that can have been taken: of a choice made once, those with the value that it had.
    fn taken(
        &self,
        function: FunctionId,
        register: Reg,
        incoming: &[(BlockId, Operand)],
    ) -> Vec<(BlockId, Operand)> {
        let held = self.watch.and_then(|watch| watch.held(function, register));
        let Some(held) = held.filter(|held| held.times == 1 && !held.unknown) else {
            return incoming.to_vec();
        };
        let gave = |(_, operand): &&(BlockId, Operand)| match operand {
            Operand::Const(bits) => *bits == held.last,
            Operand::Reg(from) => {
                let from = self.watch.and_then(|watch| watch.held(function, *from));
                from.is_some_and(|from| !from.unknown && from.last == held.last)
            }
            _ => false,
        };
        let taken: Vec<_> = incoming.iter().filter(gave).copied().collect();
        match taken.is_empty() {
            true => incoming.to_vec(),
            false => taken,
        }
    }

    /// What the ends of a function return, as far as they were seen.
    fn results(&mut self, function: FunctionId, depth: usize) -> Vec<Node> {
        let Some(body) = self.program.functions.get(function as usize) else {
            return Vec::new();
        };
        let ty = body.results.first().copied().unwrap_or(Type::Int(64));
        let returns: Vec<(Operand, Place)> = body
            .blocks
            .iter()
            .filter_map(|block| match &block.end {
                Terminator::Return(values) => Some((*values.first()?, block.end_place)),
                _ => None,
            })
            .collect();
        let nodes = returns.into_iter();
        nodes
            .map(|(operand, place)| self.unnamed(function, operand, ty, place, depth))
            .collect()
    }

    /// Who wrote what a load read.
    fn writers(&mut self, function: FunctionId, register: Reg, depth: usize) -> Vec<Node> {
        let writers = self.watch.map(|watch| watch.writers(function, register));
        let writers: Vec<At> = writers.into_iter().flatten().collect();
        let nodes = writers.into_iter().filter_map(|at| {
            let instruction = self.instruction(at)?;
            let place = instruction.place;
            match &instruction.op {
                Op::Store { value, ty, .. } => {
                    Some(self.unnamed(at.function, *value, *ty, place, depth))
                }
                Op::Call {
                    callee: Callee::External(name),
                    ..
                } => Some(Node {
                    name: None,
                    text: format!("{}() {}", people_name(name), self.lines(at)),
                    seen: None,
                    site: self.place(place),
                    origin: Origin::Input,
                    from: Vec::new(),
                }),
                _ => Some(Node {
                    name: None,
                    text: "copied or set as a whole".to_owned(),
                    seen: None,
                    site: self.place(place),
                    origin: Origin::Memory,
                    from: Vec::new(),
                }),
            }
        });
        nodes.collect()
    }

    /// An operand as a line without a name.
    fn unnamed(
        &mut self,
        function: FunctionId,
        operand: Operand,
        ty: Type,
        place: Place,
        depth: usize,
    ) -> Node {
        let (text, from) = self.written(function, operand, ty, depth + 1);
        Node {
            name: None,
            text,
            seen: self.seen_operand(function, operand),
            site: self.place(place),
            origin: Origin::Expression,
            from,
        }
    }

    fn lines(&self, at: At) -> String {
        let lines = self.watch.map(|watch| watch.lines(at).join("; "));
        lines.unwrap_or_default()
    }

    fn instruction(&self, at: At) -> Option<&'_ Instruction> {
        let function = self.program.functions.get(at.function as usize)?;
        function
            .blocks
            .get(at.block as usize)?
            .ops
            .get(at.index as usize)
    }

    /// A place as people know it.
    pub fn place(&self, place: Place) -> Option<Site> {
        (place.line > 0).then(|| crate::report::site(self.program, place))
    }

    fn seen_operand(&self, function: FunctionId, operand: Operand) -> Option<ValueSeen> {
        match operand {
            Operand::Reg(register) => self.seen(function, register),
            _ => None,
        }
    }

    fn seen(&self, function: FunctionId, register: Reg) -> Option<ValueSeen> {
        let Held {
            times,
            first,
            last,
            unknown,
        } = self.watch?.held(function, register)?;
        let body = self.program.functions.get(function as usize)?;
        let ty = type_of(body, register)?;
        Some(ValueSeen {
            first: constant(first, ty),
            last: constant(last, ty),
            times,
            unknown,
        })
    }
}
