//! A size program and what one evaluation saw of it -> for each allocation and launch that ran, its sizes as trees back
//! to the program's inputs, with the places in the source.

use super::expression::{self, Definition, Writer, constant, definition, type_of};
use super::watch::{At, Held, Watch};
use crate::report::people_name;
use migfit_schema::names::takes_device_memory;
use migfit_schema::program::{
    BlockId, Callee, FunctionId, Instruction, Op, Operand, Place, Reg, SizeProgram, Type,
};
use migfit_schema::site::Site;
use std::collections::BTreeSet;

/// Lines of one tree.
const MOST_NODES: usize = 60;
/// Levels of one tree.
const DEEPEST: usize = 24;

/// A call that sizes belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteTree {
    /// Where it stands.
    pub site: Site,
    /// The call, or the kernel that it launches.
    pub call: String,
    /// Its sizes.
    pub sizes: Vec<Node>,
}

/// A value and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The value's name; none where it is what stands above it.
    pub name: Option<String>,
    /// What it is made of, or where it is read.
    pub text: String,
    /// What it held.
    pub seen: Option<ValueSeen>,
    /// The place of what it is made by.
    pub site: Option<Site>,
    /// What kind of thing gave it.
    pub origin: Origin,
    /// What it is made from.
    pub from: Vec<Node>,
}

/// What a value held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueSeen {
    /// At first.
    pub first: String,
    /// At last.
    pub last: String,
    /// How often it was computed.
    pub times: u64,
    /// Whether it was not known at some time.
    pub unknown: bool,
}

/// What kind of thing gives a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An expression over other values.
    Expression,
    /// A loop's variable, or a choice between ways.
    Choice,
    /// A function outside the program: the command line, a file, the device.
    Input,
    /// What a caller gives.
    Parameter,
    /// Memory that the program wrote before.
    Memory,
    /// It stands above.
    Above,
    /// The tree is cut here.
    Cut,
}

/// The trees of all allocations and launches: of those that ran, with what was seen; of all, where nothing ran yet.
#[must_use]
pub fn sites(program: &SizeProgram, watch: Option<&Watch>) -> Vec<SiteTree> {
    let mut found = Vec::new();
    for (id, function) in (0u32..).zip(&program.functions) {
        for (number, block) in (0u32..).zip(&function.blocks) {
            for (index, instruction) in (0u32..).zip(&block.ops) {
                let at = At {
                    function: id,
                    block: number,
                    index,
                };
                if watch.is_none_or(|watch| watch.ran(at))
                    && let Some(tree) = site(program, watch, at, instruction)
                {
                    found.push(tree);
                }
            }
        }
    }
    found
}

fn site(
    program: &SizeProgram,
    watch: Option<&Watch>,
    at: At,
    instruction: &Instruction,
) -> Option<SiteTree> {
    let Op::Call {
        callee: Callee::External(name),
        args,
        ..
    } = &instruction.op
    else {
        return None;
    };
    let is_launch = name == "__cudaPushCallConfiguration";
    if !is_launch && !takes_device_memory(name) {
        return None;
    }
    let mut grower = Grower {
        program,
        watch,
        above: BTreeSet::new(),
        left: MOST_NODES,
    };
    let place = instruction.place;
    let sizes = match is_launch {
        true => grower.shape(at, args, place),
        false => grower.size(at, args, place),
    };
    Some(SiteTree {
        site: crate::report::site(program, place),
        call: match is_launch {
            true => launched(program, at).unwrap_or_else(|| "a launch".to_owned()),
            false => people_name(name),
        },
        sizes: sizes.into_iter().map(flat).collect(),
    })
}

/// A line that only names the one below it takes that one's place.
fn flat(mut node: Node) -> Node {
    node.from = node.from.into_iter().map(flat).collect();
    let names_it = |only: &Node| {
        only.name.as_ref() == Some(&node.text)
            && node
                .name
                .as_ref()
                .is_none_or(|name| only.name.as_ref() == Some(name))
    };
    match node.from.as_slice() {
        [only] if names_it(only) => {
            let only = only.clone();
            Node {
                site: only.site.or(node.site),
                ..only
            }
        }
        _ => node,
    }
}

/// The kernel launched next behind a push of its configuration, looked for on the straight way.
fn launched(program: &SizeProgram, at: At) -> Option<String> {
    let function = program.functions.get(at.function as usize)?;
    let mut waiting = std::collections::VecDeque::from([(at.block, at.index as usize)]);
    let mut seen = BTreeSet::new();
    while let Some((number, from)) = waiting.pop_front() {
        let block = function.blocks.get(number as usize)?;
        let launch = block
            .ops
            .iter()
            .skip(from)
            .find_map(|found| match &found.op {
                Op::Launch { kernel } => program.kernels.get(*kernel as usize),
                _ => None,
            });
        if let Some((_, name)) = launch {
            return Some(name.clone());
        }
        if seen.insert(number) {
            let next = crate::machine::effects::successors(block);
            waiting.extend(next.into_iter().map(|next| (next, 0)));
        }
    }
    None
}

/// The calls of a function of the program.
fn callers(program: &SizeProgram, called: FunctionId) -> Vec<At> {
    let mut found = Vec::new();
    for (function, body) in (0u32..).zip(&program.functions) {
        for (block, code) in (0u32..).zip(&body.blocks) {
            for (index, instruction) in (0u32..).zip(&code.ops) {
                let calls = matches!(&instruction.op, Op::Call { callee: Callee::Function(id), .. } if *id == called);
                if calls {
                    found.push(At {
                        function,
                        block,
                        index,
                    });
                }
            }
        }
    }
    found
}

struct Grower<'a> {
    program: &'a SizeProgram,
    watch: Option<&'a Watch>,
    above: BTreeSet<(FunctionId, Reg)>,
    left: usize,
}

impl Grower<'_> {
    /// The numbers that an allocation is given.
    fn size(&mut self, at: At, args: &[(Operand, Type)], place: Place) -> Vec<Node> {
        let numbers: Vec<_> = args
            .iter()
            .enumerate()
            .filter(|(_, (_, ty))| matches!(ty, Type::Int(64)))
            .collect();
        let several = numbers.len() > 1;
        let nodes = numbers.into_iter().map(|(index, (operand, ty))| {
            let name = match several {
                false => "bytes".to_owned(),
                true => format!("argument {}", index + 1),
            };
            self.root(at.function, &name, *operand, *ty, place)
        });
        nodes.collect()
    }

    /// Grid, block and shared memory of a launch: (x and y, z) twice, then bytes.
    fn shape(&mut self, at: At, args: &[(Operand, Type)], place: Place) -> Vec<Node> {
        let operand = |index: usize| args.get(index).map_or(Operand::Undef, |(value, _)| *value);
        let mut nodes = Vec::new();
        for (name, first) in [("grid", 0), ("block", 2)] {
            let Some(mut writer) = Writer::new(self.program, at.function) else {
                continue;
            };
            let z = writer.operand(operand(first + 1), Type::Int(32));
            let text = match writer.pair(operand(first)) {
                Some((x, y)) => {
                    let all = [x, y, z];
                    let said = 3 - all.iter().rev().take_while(|one| *one == "1").count();
                    all.get(..said.max(1)).unwrap_or_default().join(", ")
                }
                None => format!("{}, {z}", writer.operand(operand(first), Type::Int(64))),
            };
            let from = self.named(at.function, &writer.named, 1);
            nodes.push(Node {
                name: Some(name.to_owned()),
                text,
                seen: None,
                site: self.place(place),
                origin: Origin::Expression,
                from,
            });
        }
        if operand(4) != Operand::Const(0) {
            nodes.push(self.root(
                at.function,
                "shared bytes",
                operand(4),
                Type::Int(64),
                place,
            ));
        }
        nodes
    }

    /// A size itself. Where a variable is handed over, its own line says how it came about.
    fn root(
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

    fn named(&mut self, function: FunctionId, registers: &[Reg], depth: usize) -> Vec<Node> {
        let nodes = registers.iter();
        nodes
            .map(|register| self.value(function, *register, depth))
            .collect()
    }

    /// A register with a line of its own.
    fn value(&mut self, function: FunctionId, register: Reg, depth: usize) -> Node {
        let name = expression::name(self.program, function, register);
        let seen = self.seen(function, register);
        let plain = |text: String, origin| Node {
            name: Some(name.clone()),
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
        use migfit_schema::program::Terminator;
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

    fn place(&self, place: Place) -> Option<Site> {
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
