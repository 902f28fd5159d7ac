//! The steps of a function in order, each under its predicate.

use super::function::{Done, Refused, Translation, refuse};
use crate::context::ENDED;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};
use migfit_ptx::flow::flat::{Op, Step};
use migfit_ptx::flow::graph::Graph;
use migfit_ptx::flow::liveness::Liveness;
use migfit_ptx::flow::stops;

impl<'a> Translation<'a, '_, '_> {
    /// The steps, from the current block on.
    pub fn steps(&mut self, graph: &Graph) -> Result<(), Refused> {
        let liveness = Liveness::of(self.flat, graph);
        for piece in &graph.pieces {
            self.blocks[piece.start] = Some(self.build.create_block());
        }
        let end = self.flat.steps.len();
        self.blocks[end] = Some(self.build.create_block());
        let mut open = true;
        let mut pieces = graph.pieces.iter().peekable();
        for nth in 0..end {
            open = self.enter(nth, open);
            if let Some(piece) = pieces.next_if(|piece| piece.start == nth) {
                self.count_piece(piece.clone());
            }
            if open && !self.fixed.defines(nth) {
                open = self
                    .step(nth, &liveness)
                    .map_err(|refusal| (nth, refusal))?;
            }
        }
        self.enter(end, open);
        self.leave();
        Ok(())
    }

    /// Begins the block of a step, if it has one. Whether instructions can follow.
    fn enter(&mut self, step: usize, open: bool) -> bool {
        let Some(block) = self.blocks[step] else {
            return open;
        };
        if open {
            self.build.ins().jump(block, &[]);
        }
        self.build.switch_to_block(block);
        true
    }

    /// One step; whether the next one can follow it.
    fn step(&mut self, nth: usize, liveness: &Liveness) -> Done<bool> {
        let step = &self.flat.steps[nth];
        let Some((guard, negated)) = step.guard else {
            return self.unguarded(nth, step, liveness);
        };
        let condition = self.predicate(guard);
        let (then, after) = (self.build.create_block(), self.build.create_block());
        let (yes, no) = if negated {
            (after, then)
        } else {
            (then, after)
        };
        self.build.ins().brif(condition, yes, &[], no, &[]);
        self.build.switch_to_block(then);
        self.count_guarded(step);
        if self.unguarded(nth, step, liveness)? {
            self.build.ins().jump(after, &[]);
        }
        self.build.switch_to_block(after);
        Ok(true)
    }

    fn unguarded(&mut self, nth: usize, step: &'a Step<'a>, liveness: &Liveness) -> Done<bool> {
        let instruction = match step.op {
            Op::Given(instruction) => instruction,
            Op::Jump => return self.branch(step),
            Op::Move => {
                let [to, from] = step.args.as_slice() else {
                    return refuse("an argument");
                };
                self.argument(to, from)?;
                return Ok(true);
            }
        };
        if stops::is_stop(instruction) {
            self.stop(nth, instruction, step, liveness)?;
            return Ok(true);
        }
        match instruction.opcode.as_str() {
            "bra" => return self.branch(step),
            "brx" => return self.branch_table(step),
            "ret" | "exit" => {
                if instruction.opcode == "exit" && self.call.is_some() {
                    return refuse("exit in a function that is called");
                }
                self.leave();
                return Ok(false);
            }
            "trap" | "brkpt" => {
                self.trap(crate::error::FaultKind::Trap);
                return Ok(false);
            }
            _ => {}
        }
        self.plain(instruction, step)?;
        Ok(true)
    }

    /// The thread ends, or the function returns.
    fn leave(&mut self) {
        if let Some(state) = self.frame.state {
            let ended = self.build.ins().iconst(types::I32, i64::from(ENDED));
            self.build
                .ins()
                .store(MemFlagsData::trusted(), ended, state, 0);
        }
        self.build.ins().jump(self.next, &[]);
    }
}
