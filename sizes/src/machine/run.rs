//! The machine: frames, registers and the loop that executes blocks. Instructions are in `step`, calls in
//! `call`, branches in `branch`.

use super::call::Outside;
use super::host::{End, Host};
use super::patience::Patience;
use super::step::{UNSET, set, step, value};
use super::value::Value;
use crate::explain::Watch;
use crate::trace::{BranchTaken, MOST_BRANCHES, Trace};
use migfit_schema::program::{Block, BlockId, Function, FunctionId, Op, Place, SizeProgram};
use std::collections::{HashMap, HashSet};

/// Most registers of all running functions together.
const MOST_REGISTERS: usize = 1 << 23;
/// Most running functions.
const MOST_FRAMES: usize = 200_000;

/// Callers that are asked for a place: each call of a model asks anew, however deep it lies.
const CALLERS_ASKED: usize = 32;

/// Call sites whose model is remembered.
pub const MODEL_CACHE: usize = 256;

/// A running function.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The function.
    pub function: FunctionId,
    /// The block it is in.
    pub block: BlockId,
    /// Next instruction of the block.
    pub next: usize,
    /// Its first register.
    pub base: usize,
    /// Stack objects below it.
    pub stack_height: usize,
}

/// The machine.
#[derive(Debug)]
pub struct Machine<'p> {
    /// Everything but registers and control.
    pub host: Host<'p>,
    /// The program.
    pub program: &'p SizeProgram,
    /// Registers of all running functions.
    pub registers: Vec<Value>,
    /// Running functions, the innermost last.
    pub frames: Vec<Frame>,
    /// For each block of each function the step at which it was last entered.
    pub entered: Vec<Vec<u64>>,
    /// For each loop branch the step of its last decision without a known condition.
    pub decided: HashMap<(FunctionId, BlockId), u64>,
    /// For each loop branch whose turns the user gave: how many were taken.
    pub turned: HashMap<(FunctionId, BlockId), u64>,
    /// Reused for values that are all read before any is written.
    pub scratch: Vec<Value>,
    /// What is called, by the address of the name at a call site.
    pub models: Vec<(usize, Outside)>,
    /// Functions outside that may do anything.
    pub opaque: HashSet<&'p str>,
    /// Nested runs, for callbacks.
    pub nested: u32,
    /// How long this may take.
    pub patience: Patience,
    /// The step at which patience is asked.
    pub asked_at: u64,
    /// What is seen, where it is wanted.
    pub watch: Option<Box<Watch>>,
    /// Branches, where they are wanted.
    pub trace: Option<Trace>,
}

/// What a call led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// A function with a body was entered.
    Entered,
    /// It is done; the program goes on behind it.
    Done,
}

impl<'p> Machine<'p> {
    /// A machine at rest.
    pub fn new(host: Host<'p>, patience: Patience, traced: bool) -> Machine<'p> {
        let program = host.program;
        let entered = program
            .functions
            .iter()
            .map(|function| vec![0; function.blocks.len()]);
        Machine {
            program,
            registers: Vec::new(),
            frames: Vec::new(),
            entered: entered.collect(),
            decided: HashMap::new(),
            turned: HashMap::new(),
            scratch: Vec::new(),
            models: vec![(0, Outside::Plain(None)); MODEL_CACHE],
            opaque: program.opaque.iter().map(String::as_str).collect(),
            nested: 0,
            patience,
            asked_at: 0,
            watch: None,
            trace: traced.then(Trace::default),
            host,
        }
    }

    /// Runs a function to its end and gives its results.
    pub fn run_function(
        &mut self,
        function: FunctionId,
        args: &[Value],
    ) -> Result<Vec<Value>, End> {
        let floor = self.frames.len();
        self.push_frame(function, args)?;
        self.run(floor)
    }

    /// Enters a function.
    pub fn push_frame(&mut self, id: FunctionId, args: &[Value]) -> Result<(), End> {
        let function = self
            .program
            .functions
            .get(id as usize)
            .ok_or_else(malformed)?;
        let base = self.registers.len();
        let top = base.saturating_add(function.registers as usize);
        if top > MOST_REGISTERS || self.frames.len() >= MOST_FRAMES {
            return Err(End::Stopped {
                what: format!("call of {}", function.name),
                reason: "calls are nested too deeply".to_owned(),
            });
        }
        self.registers.resize(top, UNSET);
        if let Some(registers) = self.registers.get_mut(base..) {
            for ((register, _), arg) in function.params.iter().zip(args) {
                set(registers, *register, *arg);
            }
        }
        self.host.steps = self
            .host
            .steps
            .saturating_add(1 + u64::from(function.registers) / 8);
        self.frames.push(Frame {
            function: id,
            block: 0,
            next: 0,
            base,
            stack_height: self.host.memory.stack_height(),
        });
        self.arrive(id, 0)?;
        Ok(())
    }

    /// Leaves the innermost function.
    pub fn pop_frame(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.registers.truncate(frame.base);
            self.host.memory.pop_stack(frame.stack_height);
        }
    }

    /// The running function, by copy.
    pub fn frame(&self) -> Result<Frame, End> {
        self.frames.last().copied().ok_or_else(malformed)
    }

    /// Counts the steps of a block that is entered, and notes when.
    #[inline(always)]
    fn arrive(&mut self, function: FunctionId, block: BlockId) -> Result<&'p Block, End> {
        let program = self.program;
        let body = program
            .functions
            .get(function as usize)
            .and_then(|function| function.blocks.get(block as usize))
            .ok_or_else(malformed)?;
        self.host.steps = self.host.steps.saturating_add(body.ops.len() as u64 + 1);
        if self.host.steps > self.asked_at {
            self.asked_at = self.patience.ask(self.host.steps)?;
        }
        let stamps = self.entered.get_mut(function as usize);
        if let Some(stamp) = stamps.and_then(|stamps| stamps.get_mut(block as usize)) {
            *stamp = self.host.steps;
        }
        Ok(body)
    }

    /// Runs until only `floor` functions are left; gives the results of the last one.
    pub fn run(&mut self, floor: usize) -> Result<Vec<Value>, End> {
        loop {
            let frame = self.frame()?;
            let program = self.program;
            let function = program
                .functions
                .get(frame.function as usize)
                .ok_or_else(malformed)?;
            let block = function
                .blocks
                .get(frame.block as usize)
                .ok_or_else(malformed)?;
            if self.run_ops(block, frame)? == Called::Entered {
                continue;
            }
            self.host.place = block.end_place;
            if self.watch.is_some() {
                self.watch_block(frame, usize::MAX);
            }
            if let Some(results) = self.end_block(function, block, floor)? {
                return Ok(results);
            }
        }
    }

    /// Executes the instructions of a block until its end or until a function is entered.
    fn run_ops(&mut self, block: &'p Block, frame: Frame) -> Result<Called, End> {
        let ops = block.ops.get(frame.next..).unwrap_or_default();
        for (index, instruction) in ops.iter().enumerate() {
            self.host.place = instruction.place;
            if self.watch.is_some() {
                self.watch_op(frame, frame.next + index, &instruction.op);
            }
            match &instruction.op {
                Op::Call {
                    dst, callee, args, ..
                } => {
                    if let Some(frame) = self.frames.last_mut() {
                        frame.next += index + 1;
                    }
                    if self.call(dst, callee, args)? == Called::Entered {
                        return Ok(Called::Entered);
                    }
                    if let Some(current) = self.frames.last_mut() {
                        current.next = frame.next;
                    }
                }
                Op::Launch { kernel } => self.launch(*kernel),
                op => {
                    let registers = self.registers.get_mut(frame.base..).unwrap_or_default();
                    step(op, registers, &mut self.host)?;
                }
            }
        }
        Ok(Called::Done)
    }

    /// The place of the running instruction, or of the innermost caller that has one.
    pub fn known_place(&self) -> Place {
        if self.host.place.line > 0 {
            return self.host.place;
        }
        let callers = self.frames.iter().rev().skip(1).take(CALLERS_ASKED);
        let places = callers.filter_map(|frame| {
            let block = self.block(frame.function, frame.block)?;
            Some(block.ops.get(frame.next.checked_sub(1)?)?.place)
        });
        places
            .into_iter()
            .find(|place| place.line > 0)
            .unwrap_or(self.host.place)
    }

    /// A block.
    pub fn block(&self, function: FunctionId, block: BlockId) -> Option<&'p Block> {
        let function: &'p Function = self.program.functions.get(function as usize)?;
        function.blocks.get(block as usize)
    }

    /// Goes to a block of the running function.
    #[inline(always)]
    pub fn jump(&mut self, target: BlockId) -> Result<(), End> {
        let Some(frame) = self.frames.last_mut() else {
            return Err(malformed());
        };
        let (function, from, base) = (frame.function, frame.block, frame.base);
        frame.block = target;
        frame.next = 0;
        let block = self.arrive(function, target)?;
        if !block.phis.is_empty() {
            self.choose_phis(block, from, base);
        }
        Ok(())
    }

    /// Gives the values that depend on where control came from.
    #[inline(always)]
    fn choose_phis(&mut self, block: &Block, from: BlockId, base: usize) {
        let registers = self.registers.get_mut(base..).unwrap_or_default();
        self.scratch.clear();
        for phi in &block.phis {
            let incoming = phi.incoming.iter().find(|(block, _)| *block == from);
            let chosen = match incoming {
                Some((_, operand)) => value(registers, operand),
                None => only_value(registers, phi.incoming.iter().map(|(_, operand)| operand)),
            };
            self.scratch.push(chosen);
        }
        for (phi, chosen) in block.phis.iter().zip(&self.scratch) {
            set(registers, phi.dst, *chosen);
        }
    }

    /// Notes a conditional branch for the trace.
    #[inline(always)]
    pub fn note_branch(&mut self, target: BlockId) {
        if self.trace.is_some() {
            self.keep_branch(target);
        }
    }

    fn keep_branch(&mut self, target: BlockId) {
        let (Some(trace), Some(frame)) = (&mut self.trace, self.frames.last()) else {
            return;
        };
        if trace.branches.len() >= MOST_BRANCHES {
            trace.cut = true;
            return;
        }
        trace.branches.push(BranchTaken {
            function: frame.function,
            block: frame.block,
            target,
        });
    }
}

/// The value that all operands agree on; else one that was left out.
pub fn only_value<'o>(
    registers: &[Value],
    mut operands: impl Iterator<Item = &'o migfit_schema::program::Operand>,
) -> Value {
    let Some(first) = operands.next().map(|operand| value(registers, operand)) else {
        return UNSET;
    };
    let agree = operands.all(|operand| value(registers, operand) == first);
    if agree { first } else { UNSET }
}

/// A size program that names what it does not have.
pub fn malformed() -> End {
    End::Stopped {
        what: "size program".to_owned(),
        reason:
            "it names a function, block or register that it does not have; build the program again"
                .to_owned(),
    }
}
