//! Builds size programs for tests: one function after the other, instruction by instruction. Each instruction has
//! a line of its own in `test.cu`.

#![allow(dead_code, reason = "each test binary uses a part")]

mod often;

use migfit_schema::profile::{JobProfile, Summary};
use migfit_schema::program::*;
use migfit_sizes::{CommandLine, DeviceProperties, Limits, Need, evaluate};

pub const I32: Type = Type::Int(32);
pub const I64: Type = Type::Int(64);

/// A program under construction.
#[derive(Default)]
pub struct Build {
    pub program: SizeProgram,
    line: u32,
}

/// A function under construction.
pub struct Body<'b> {
    build: &'b mut Build,
    function: Function,
    block: usize,
}

pub fn int(number: i64) -> Operand {
    Operand::Const(number as u64)
}

impl Build {
    pub fn new() -> Build {
        let mut build = Build::default();
        build.program.files.push("src/test.cu".to_owned());
        build
    }

    /// A constant text.
    pub fn text(&mut self, text: &str) -> Operand {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        self.global("text", bytes.len() as u64, bytes, true)
    }

    pub fn global(&mut self, name: &str, size: u64, bytes: Vec<u8>, constant: bool) -> Operand {
        self.program.globals.push(Global {
            name: name.to_owned(),
            size,
            align: 8,
            bytes,
            addresses: Vec::new(),
            constant,
            external: matches!(name, "optarg" | "optind" | "stderr" | "environ"),
            device_bytes: None,
        });
        Operand::Global(self.program.globals.len() as u32 - 1, 0)
    }

    pub fn kernel(&mut self, name: &str) -> u32 {
        self.program
            .kernels
            .push((format!("_Z{}{name}v", name.len()), name.to_owned()));
        self.program.kernels.len() as u32 - 1
    }

    /// Adds a function that `fill` writes; gives its index.
    pub fn function(
        &mut self,
        name: &str,
        params: &[Type],
        fill: impl FnOnce(&mut Body<'_>, &[Operand]),
    ) -> u32 {
        let registers: Vec<(Reg, Type)> = (0..).zip(params.iter().copied()).collect();
        let mut body = Body {
            function: Function {
                name: name.to_owned(),
                registers: registers.len() as u32,
                params: registers.clone(),
                results: vec![I32],
                blocks: Vec::new(),
                names: Vec::new(),
            },
            block: 0,
            build: self,
        };
        body.block();
        let operands: Vec<Operand> = registers
            .iter()
            .map(|(reg, _)| Operand::Reg(*reg))
            .collect();
        fill(&mut body, &operands);
        let function = body.function;
        self.program.functions.push(function);
        self.program.functions.len() as u32 - 1
    }

    /// Adds `main(argc, argv)`.
    pub fn main(&mut self, fill: impl FnOnce(&mut Body<'_>, &[Operand])) {
        let main = self.function("main", &[I32, Type::Ptr], fill);
        self.program.main = Some(main);
    }

    pub fn profile(&self) -> JobProfile {
        JobProfile {
            checked: None,
            summary: summary(),
            program: Some(self.program.clone()),
        }
    }

    /// Evaluates for some words behind the program's name.
    pub fn need(&self, words: &[&str]) -> Need {
        evaluate(
            &self.profile(),
            &command(words),
            &device(),
            &Limits::default(),
        )
    }
}

pub fn summary() -> Summary {
    Summary::blank("test")
}

pub fn command(words: &[&str]) -> CommandLine {
    CommandLine {
        args: ["test"]
            .iter()
            .chain(words)
            .map(|word| (*word).to_owned())
            .collect(),
        env: vec![("SIZE".to_owned(), "77".to_owned())],
        cwd: std::env::temp_dir(),
    }
}

pub fn device() -> DeviceProperties {
    DeviceProperties {
        name: "virtual".to_owned(),
        compute_capability: (8, 0),
        sm_count: 14,
        total_bytes: 4864 << 20,
        l2_bytes: 5 << 20,
        clock_khz: 1_410_000,
        ..DeviceProperties::default()
    }
}

impl Body<'_> {
    /// Adds an empty block; the first is written to at once.
    pub fn block(&mut self) -> BlockId {
        self.function.blocks.push(Block {
            phis: Vec::new(),
            ops: Vec::new(),
            end: Terminator::Unreachable,
            end_place: Place::default(),
        });
        self.function.blocks.len() as BlockId - 1
    }

    /// Goes on writing in a block.
    pub fn at(&mut self, block: BlockId) {
        self.block = block as usize;
    }

    /// The block written to.
    pub fn here(&self) -> BlockId {
        self.block as BlockId
    }

    pub fn register(&mut self) -> Reg {
        self.function.registers += 1;
        self.function.registers - 1
    }

    fn place(&mut self) -> Place {
        self.build.line += 1;
        Place {
            file: 0,
            line: self.build.line,
        }
    }

    pub fn op(&mut self, op: Op) -> u32 {
        let place = self.place();
        self.function.blocks[self.block]
            .ops
            .push(Instruction { op, place });
        place.line
    }

    pub fn binary(&mut self, op: BinaryOp, ty: Type, a: Operand, b: Operand) -> Operand {
        self.arithmetic(op, ty, (a, b), false)
    }

    /// Arithmetic whose signed overflow is undefined.
    pub fn no_wrap(&mut self, op: BinaryOp, ty: Type, a: Operand, b: Operand) -> Operand {
        self.arithmetic(op, ty, (a, b), true)
    }

    fn arithmetic(
        &mut self,
        op: BinaryOp,
        ty: Type,
        (a, b): (Operand, Operand),
        no_wrap: bool,
    ) -> Operand {
        let dst = self.register();
        self.op(Op::Binary {
            dst,
            ty,
            op,
            a,
            b,
            no_wrap,
        });
        Operand::Reg(dst)
    }

    pub fn cast(&mut self, kind: Cast, from: Type, to: Type, a: Operand) -> Operand {
        let dst = self.register();
        self.op(Op::Cast {
            dst,
            kind,
            from,
            to,
            a,
        });
        Operand::Reg(dst)
    }

    pub fn compare(&mut self, op: Compare, a: Operand, b: Operand) -> Operand {
        let dst = self.register();
        self.op(Op::Compare {
            dst,
            ty: I32,
            op,
            a,
            b,
        });
        Operand::Reg(dst)
    }

    pub fn sext(&mut self, a: Operand) -> Operand {
        let dst = self.register();
        self.op(Op::Cast {
            dst,
            kind: Cast::Sext,
            from: I32,
            to: I64,
            a,
        });
        Operand::Reg(dst)
    }

    pub fn alloca(&mut self, size: u64) -> Operand {
        let dst = self.register();
        self.op(Op::Alloca {
            dst,
            size,
            count: int(1),
            align: 8,
        });
        Operand::Reg(dst)
    }

    pub fn load(&mut self, ty: Type, address: Operand) -> Operand {
        let dst = self.register();
        self.op(Op::Load { dst, ty, address });
        Operand::Reg(dst)
    }

    pub fn store(&mut self, ty: Type, value: Operand, address: Operand) {
        self.op(Op::Store { ty, value, address });
    }

    pub fn offset(
        &mut self,
        base: Operand,
        constant: i64,
        terms: Vec<(Operand, Type, i64)>,
    ) -> Operand {
        let dst = self.register();
        self.op(Op::Offset {
            dst,
            base,
            constant,
            terms,
        });
        Operand::Reg(dst)
    }

    /// Calls an external function; gives its result.
    pub fn call(&mut self, name: &str, args: &[(Operand, Type)]) -> Operand {
        self.callee(Callee::External(name.to_owned()), args).0
    }

    /// The same, giving the line as well.
    pub fn callee(&mut self, callee: Callee, args: &[(Operand, Type)]) -> (Operand, u32) {
        let dst = self.register();
        let line = self.op(Op::Call {
            dst: vec![dst],
            results: vec![I64],
            callee,
            args: args.to_vec(),
        });
        (Operand::Reg(dst), line)
    }

    pub fn phi(&mut self, ty: Type, incoming: Vec<(BlockId, Operand)>) -> Operand {
        let dst = self.register();
        self.function.blocks[self.block]
            .phis
            .push(Phi { dst, ty, incoming });
        Operand::Reg(dst)
    }

    pub fn add_incoming(&mut self, block: BlockId, phi: usize, from: BlockId, value: Operand) {
        self.function.blocks[block as usize].phis[phi]
            .incoming
            .push((from, value));
    }

    fn end(&mut self, end: Terminator) -> u32 {
        let place = self.place();
        let block = &mut self.function.blocks[self.block];
        block.end = end;
        block.end_place = place;
        place.line
    }

    pub fn jump(&mut self, target: BlockId) {
        self.end(Terminator::Jump(target));
    }

    pub fn branch(
        &mut self,
        condition: Operand,
        then: BlockId,
        otherwise: BlockId,
        unknown: OnUnknown,
    ) -> u32 {
        self.end(Terminator::Branch {
            condition,
            then,
            otherwise,
            unknown,
        })
    }

    pub fn ret(&mut self, value: Operand) {
        self.end(Terminator::Return(vec![value]));
    }
}
