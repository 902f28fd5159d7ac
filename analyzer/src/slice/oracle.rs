//! Random programs in the shape that compilers give: branches, loops, memory, calls, random numbers. A slice of one
//! must give the events of the whole, and take only branches that the whole takes, in the same order.

use crate::slice::draft::{
    I64, alloca, binary, block, branch, c, call, device, element, enter, function, g, get, give,
    global, is, jump, load, phi, program, r, store,
};
use crate::slice::{advise, cut, slice};
use migfit_schema::profile::{JobProfile, Summary};
use migfit_schema::program::{
    BinaryOp, Block, BlockId, Compare, Function, Instruction, Op, Operand, Place, Reg, SizeProgram,
    Terminator, Type,
};
use migfit_sizes::{CommandLine, DeviceProperties, Limits, Trace, evaluate_traced};
use proptest::prelude::*;

/// Variables of each function, and places in memory.
const VARIABLES: usize = 4;
const PLACES: u32 = 3;

#[derive(Clone, Debug)]
enum Statement {
    /// a = b op c
    Compute(usize, usize, usize, u8),
    /// place[index & 7] = a
    Store(u32, usize, usize),
    /// a = place[index & 7]
    Load(usize, u32, usize),
    /// An allocation of a & 1023 bytes.
    Allocate(usize),
    /// a = rand()
    Random(usize),
    /// Output of a.
    Print(usize),
    /// a = helper(b)
    Call(usize, usize),
    /// Two ways by the lowest bit of a.
    If(usize, Vec<Statement>, Vec<Statement>),
    /// A few turns, left early when a is 7 modulo 8.
    Loop(u8, usize, Vec<Statement>),
    /// A check that never fails, with an error exit.
    Check(usize),
    /// A normal end of the process when a & 63 is 63.
    End(usize),
}

fn statements() -> impl Strategy<Value = Vec<Statement>> {
    let v = || 0..VARIABLES;
    let simple = prop_oneof![
        4 => (v(), v(), v(), any::<u8>()).prop_map(|(a, b, c, op)| Statement::Compute(a, b, c, op)),
        3 => (0..PLACES, v(), v()).prop_map(|(place, index, a)| Statement::Store(place, index, a)),
        3 => (v(), 0..PLACES, v()).prop_map(|(a, place, index)| Statement::Load(a, place, index)),
        3 => v().prop_map(Statement::Allocate),
        1 => v().prop_map(Statement::Random),
        1 => v().prop_map(Statement::Print),
        2 => (v(), v()).prop_map(|(a, b)| Statement::Call(a, b)),
        1 => v().prop_map(Statement::Check),
        1 => v().prop_map(Statement::End),
    ];
    let nested = simple.prop_recursive(3, 40, 5, move |inner| {
        let many = || proptest::collection::vec(inner.clone(), 0..5);
        prop_oneof![
            (v(), many(), many())
                .prop_map(|(a, then, otherwise)| Statement::If(a, then, otherwise)),
            (1..4u8, v(), many()).prop_map(|(turns, a, body)| Statement::Loop(turns, a, body)),
        ]
    });
    proptest::collection::vec(nested, 1..10)
}

/// Writes one function.
struct Writer {
    blocks: Vec<Block>,
    current: usize,
    values: Vec<Operand>,
    next: Reg,
    helper: Option<u32>,
}

impl Writer {
    fn write(name: &str, body: &[Statement], helper: Option<u32>) -> Function {
        let mut writer = Writer {
            blocks: vec![block(vec![], Terminator::Unreachable)],
            current: 0,
            values: vec![c(3), c(7), r(0), c(12)],
            next: 20,
            helper,
        };
        writer.push(alloca(10));
        writer.push(get(11, Type::Ptr, "malloc", &[c(64)]));
        for place in 0..PLACES {
            let address = writer.place(place);
            writer.push(Op::MemSet {
                to: address,
                byte: c(0),
                bytes: c(64),
            });
        }
        body.iter().for_each(|one| writer.statement(one));
        let end = give(writer.values[0]);
        writer.end(end);
        Function {
            registers: writer.next,
            ..function(name, 2, writer.blocks)
        }
    }

    fn push(&mut self, op: Op) {
        let place = Place { file: 0, line: 1 };
        self.blocks[self.current]
            .ops
            .push(Instruction { op, place });
    }

    fn end(&mut self, end: Terminator) {
        self.blocks[self.current].end = end;
    }

    fn fresh(&mut self) -> Reg {
        self.next += 1;
        self.next - 1
    }

    fn start(&mut self) -> BlockId {
        self.blocks.push(block(vec![], Terminator::Unreachable));
        self.current = self.blocks.len() - 1;
        self.current as BlockId
    }

    fn place(&self, place: u32) -> Operand {
        [r(10), r(11), g(1)][place as usize]
    }

    fn masked(&mut self, value: usize, mask: u64) -> Operand {
        let dst = self.fresh();
        self.push(binary(dst, BinaryOp::And, self.values[value], c(mask)));
        r(dst)
    }

    fn equals(&mut self, value: usize, mask: u64, wanted: u64) -> Operand {
        let masked = self.masked(value, mask);
        let dst = self.fresh();
        self.push(is(dst, Compare::Eq, masked, c(wanted)));
        r(dst)
    }

    fn address(&mut self, place: u32, index: usize) -> Operand {
        let index = self.masked(index, 7);
        let dst = self.fresh();
        self.push(element(dst, self.place(place), index));
        r(dst)
    }

    /// The current block goes one of two ways; gives the new blocks' ids once both are written.
    fn fork(&mut self, condition: Operand, then: BlockId, otherwise: BlockId) {
        self.end(branch(condition, then, otherwise));
    }

    /// A new block after some, each with its own values; differing values become phis.
    fn join(&mut self, ways: &[(usize, Vec<Operand>)]) {
        let id = self.start();
        for (from, _) in ways {
            let missing = self.blocks[*from].end == Terminator::Unreachable;
            if missing {
                self.blocks[*from].end = jump(id);
            }
        }
        for variable in 0..VARIABLES {
            let dst = self.fresh();
            let incoming: Vec<(BlockId, Operand)> = ways
                .iter()
                .map(|(from, values)| (*from as BlockId, values[variable]))
                .collect();
            let same = incoming.iter().all(|(_, value)| *value == incoming[0].1);
            self.values[variable] = if same {
                incoming[0].1
            } else {
                self.blocks[self.current].phis.push(phi(dst, &incoming));
                r(dst)
            };
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Compute(a, b, other, op) => {
                let all = [BinaryOp::Add, BinaryOp::Mul, BinaryOp::Xor, BinaryOp::Sub];
                let dst = self.fresh();
                let op = all[usize::from(*op) % all.len()];
                self.push(binary(dst, op, self.values[*b], self.values[*other]));
                self.values[*a] = r(dst);
            }
            Statement::Store(place, index, a) => {
                let address = self.address(*place, *index);
                self.push(store(I64, self.values[*a], address));
            }
            Statement::Load(a, place, index) => {
                let address = self.address(*place, *index);
                let dst = self.fresh();
                self.push(load(dst, I64, address));
                self.values[*a] = r(dst);
            }
            Statement::Allocate(a) => {
                let bytes = self.masked(*a, 1023);
                self.push(device(bytes));
            }
            Statement::Random(a) => {
                let dst = self.fresh();
                self.push(get(dst, I64, "rand", &[]));
                self.values[*a] = r(dst);
            }
            Statement::Print(a) => self.push(call("printf", &[g(1), self.values[*a]])),
            Statement::Call(a, b) => {
                if let Some(helper) = self.helper {
                    let dst = self.fresh();
                    self.push(enter(dst, helper, &[self.values[*b], c(0)]));
                    self.values[*a] = r(dst);
                }
            }
            Statement::If(a, then, otherwise) => self.two_ways(*a, then, otherwise),
            Statement::Loop(turns, a, body) => self.turns(*turns, *a, body),
            Statement::Check(a) => {
                let fails = self.equals(*a, 0, 1);
                self.leave(fails, 1);
            }
            Statement::End(a) => {
                let ends = self.equals(*a, 63, 63);
                self.leave(ends, 0);
            }
        }
    }

    fn leave(&mut self, condition: Operand, status: u64) {
        let from = self.current;
        let out = self.start();
        self.push(call("exit", &[c(status)]));
        self.current = from;
        let on = self.blocks.len() as BlockId;
        self.fork(condition, out, on);
        self.start();
    }

    fn two_ways(&mut self, a: usize, then: &[Statement], otherwise: &[Statement]) {
        let condition = self.equals(a, 1, 1);
        let (head, before) = (self.current, self.values.clone());
        let mut ways = Vec::new();
        let mut first = Vec::new();
        for body in [then, otherwise] {
            if body.is_empty() && ways.is_empty() {
                // The branch itself leads to the join.
                ways.push((head, before.clone()));
                first.push(None);
                continue;
            }
            self.values.clone_from(&before);
            first.push(Some(self.start()));
            body.iter().for_each(|one| self.statement(one));
            ways.push((self.current, self.values.clone()));
        }
        let join = self.blocks.len() as BlockId;
        let [then, otherwise] = [first[0], first[1]].map(|way| way.unwrap_or(join));
        self.blocks[head].end = branch(condition, then, otherwise);
        self.join(&ways);
    }

    fn turns(&mut self, turns: u8, a: usize, body: &[Statement]) {
        let entry = self.current;
        let before = self.values.clone();
        let head = self.start();
        self.blocks[entry].end = jump(head);
        let counter = self.fresh();
        let carried: Vec<Reg> = (0..VARIABLES).map(|_| self.fresh()).collect();
        self.values = carried.iter().map(|register| r(*register)).collect();
        let more = self.fresh();
        self.push(is(more, Compare::SLt, r(counter), c(u64::from(turns))));
        let at_head = (head as usize, self.values.clone());
        let first = self.start();
        self.blocks[head as usize].end = branch(r(more), first, 0);
        body.iter().for_each(|one| self.statement(one));
        let stop = self.equals(a, 7, 7);
        let at_break = (self.current, self.values.clone());
        let latch = self.start();
        let next = self.fresh();
        self.push(binary(next, BinaryOp::Add, r(counter), c(1)));
        self.end(jump(head));
        let exit = self.blocks.len() as BlockId;
        self.blocks[at_break.0].end = branch(stop, exit, latch);
        if let Terminator::Branch { otherwise, .. } = &mut self.blocks[head as usize].end {
            *otherwise = exit;
        }
        let mut phis = vec![phi(counter, &[(entry as BlockId, c(0)), (latch, r(next))])];
        let pairs = carried.iter().zip(before.iter().zip(&self.values));
        phis.extend(
            pairs
                .map(|(dst, (start, end))| phi(*dst, &[(entry as BlockId, *start), (latch, *end)])),
        );
        self.blocks[head as usize].phis = phis;
        self.join(&[at_head, at_break]);
    }
}

fn trace(program: &SizeProgram) -> Trace {
    let profile = JobProfile {
        checked: None,
        summary: Summary::blank(""),
        program: Some(program.clone()),
    };
    let command = CommandLine {
        args: vec!["random".to_owned(), "x".to_owned()],
        env: Vec::new(),
        cwd: "/".into(),
    };
    let device = DeviceProperties {
        name: "test".to_owned(),
        compute_capability: (8, 0),
        sm_count: 98,
        total_bytes: 40 << 30,
        l2_bytes: 40 << 20,
        clock_khz: 1_410_000,
        ..DeviceProperties::default()
    };
    let limits = Limits {
        steps: 1_000_000,
        ..Limits::default()
    };
    evaluate_traced(&profile, &command, &device, &limits).1
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_slice_of_a_random_program_gives_its_events(main in statements(), helper in statements()) {
        let helper = Writer::write("helper", &helper, None);
        let main = Writer::write("main", &main, Some(1));
        let whole = advise(&program(vec![main, helper], vec![global("variable")]));
        let (cut, slim) = (cut(&whole), slice(&whole));
        let wanted = trace(&whole);
        let seen = trace(&cut);
        prop_assert_eq!(&seen.events, &wanted.events);
        prop_assert_eq!(&trace(&slim).events, &wanted.events);
        prop_assert_eq!(&trace(&slice(&slim)).events, &wanted.events);
        let mut rest = wanted.branches.iter();
        let strange = seen.branches.iter().find(|taken| !rest.any(|other| other == *taken));
        prop_assert_eq!(strange, None);
    }
}
