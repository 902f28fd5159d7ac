//! What may still come where an evaluation stopped: whether device memory may be allocated behind that point. If not,
//! the peak is known all the same. Looks at code only, and takes every way that it has.

use super::address::function_at;
use super::effects::successors;
use super::host::End;
use super::run::{Frame, Machine, malformed};
use super::value::Value;
use crate::models::{callback, fallback};
use migfit_schema::program::{
    Block, BlockId, Callee, Function, FunctionId, Op, Operand, Terminator,
};
use std::collections::{BTreeSet, HashSet};

/// Beginnings of CUDA calls that leave the program's device memory as it is, or give some back.
const HARMLESS: [&str; 18] = [
    "__cudaPopCallConfiguration",
    "__cudaPushCallConfiguration",
    "__cudaGetKernel",
    "__cudaLaunchKernel",
    "cudaDeviceGet",
    "cudaDeviceSynchronize",
    "cudaEvent",
    "cudaFree",
    "cudaFunc",
    "cudaGetDevice",
    "cudaGetErr",
    "cudaGetLastError",
    "cudaLaunchKernel",
    "cudaMemcpy",
    "cudaMemset",
    "cudaPeekAtLastError",
    "cudaSetDevice",
    "cudaStreamSynchronize",
];

impl Machine<'_> {
    /// Notes where the evaluation stopped so late that the peak is known. Not while an
    /// exception is on its way: what runs next lies with its handler.
    pub fn note_what_is_ahead(&mut self, end: &End) {
        let stopped = matches!(end, End::Stopped { .. }) && *end != malformed();
        let late = !self.host.ledger.requests.is_empty();
        if !stopped
            || !late
            || self.host.exceptions.on_the_way()
            || self.host.notes.thrown
            || self.may_allocate_ahead()
        {
            return;
        }
        self.host.notes.only_launches_ahead = true;
    }

    /// Runs a handler at the end of the process, unless all that it can do is give memory back.
    pub fn at_end(&mut self, handler: u64, arguments: &[Value]) -> Result<(), End> {
        let Some(function) = function_at(handler) else {
            return Ok(());
        };
        let mut ahead = Ahead {
            functions: &self.program.functions,
            opaque: &self.opaque,
            seen: BTreeSet::new(),
            waiting: vec![function],
            launches_count: true,
        };
        if !ahead.any_called() {
            return Ok(());
        }
        self.nested = 0;
        self.run_function(function, arguments).map(|_| ())
    }

    /// True unless no way from here leads to a call that may allocate device memory.
    fn may_allocate_ahead(&self) -> bool {
        let in_main = self.frames.first().map(|frame| frame.function) == self.program.main;
        // A callback's way back is the library's.
        if !in_main || self.nested > 0 || self.host.parts_unseen {
            return true;
        }
        let mut ahead = Ahead {
            functions: &self.program.functions,
            opaque: &self.opaque,
            seen: BTreeSet::new(),
            waiting: Vec::new(),
            launches_count: false,
        };
        self.frames.iter().any(|frame| ahead.behind(*frame)) || ahead.any_called()
    }
}

/// Whether a function or the process may end behind a block.
fn is_end(block: &Block) -> bool {
    matches!(block.end, Terminator::Return(_) | Terminator::Unreachable)
}

struct Ahead<'m> {
    functions: &'m [Function],
    opaque: &'m HashSet<&'m str>,
    seen: BTreeSet<FunctionId>,
    waiting: Vec<FunctionId>,
    /// Launches are looked for as well.
    launches_count: bool,
}

impl Ahead<'_> {
    /// Whether the rest of a running function may allocate; notes what it calls.
    fn behind(&mut self, frame: Frame) -> bool {
        let functions = self.functions;
        let Some(function) = functions.get(frame.function as usize) else {
            return true;
        };
        let block = |id: BlockId| function.blocks.get(id as usize);
        let Some(current) = block(frame.block) else {
            return true;
        };
        if self.allocates(current, frame.next) {
            return true;
        }
        let mut seen = BTreeSet::new();
        let mut ends = is_end(current);
        let mut waiting = successors(current);
        while let Some(id) = waiting.pop() {
            let Some(next) = block(id).filter(|_| seen.insert(id)) else {
                continue;
            };
            if self.allocates(next, 0) {
                return true;
            }
            ends |= is_end(next);
            waiting.extend(successors(next));
        }
        // Where no way leads out of a loop, an optimiser cut what follows: of a function without return statement.
        !ends
    }

    /// Whether a function that is called may allocate, or one that it calls.
    fn any_called(&mut self) -> bool {
        let functions = self.functions;
        while let Some(id) = self.waiting.pop() {
            if !self.seen.insert(id) {
                continue;
            }
            let Some(function) = functions.get(id as usize) else {
                return true;
            };
            if function.blocks.iter().any(|block| self.allocates(block, 0)) {
                return true;
            }
        }
        false
    }

    /// Whether a call in the block, from an instruction on, may allocate by itself.
    fn allocates(&mut self, block: &Block, from: usize) -> bool {
        block
            .ops
            .iter()
            .skip(from)
            .any(|instruction| match &instruction.op {
                Op::Call { callee, args, .. } => {
                    let given = args.iter().filter_map(|(operand, _)| match operand {
                        Operand::Function(function) => Some(*function),
                        _ => None,
                    });
                    self.waiting.extend(given);
                    match callee {
                        Callee::Function(function) => {
                            self.waiting.push(*function);
                            false
                        }
                        Callee::External(name) => self.may_allocate(name),
                        Callee::Indirect(_) => true,
                    }
                }
                Op::Launch { .. } => self.launches_count,
                _ => false,
            })
    }

    fn may_allocate(&self, name: &str) -> bool {
        if fallback::is_cuda(name) {
            let launches = name.contains("LaunchKernel");
            return (self.launches_count && launches)
                || !HARMLESS.iter().any(|start| name.starts_with(start));
        }
        self.opaque.contains(name) || fallback::is_closed(name) || callback::is_model(name)
    }
}
