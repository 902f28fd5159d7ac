//! Ends of blocks: jumps, returns, and what to do where a condition is not known.

use super::effects::successors;
use super::host::End;
use super::mark::Mark;
use super::run::{Machine, malformed};
use super::sign;
use super::step::{set, value};
use super::value::Value;
use crate::models::cxx::exceptions;
use migfit_schema::program::{Block, BlockId, Function, OnUnknown, Op, Operand, Terminator};

impl<'p> Machine<'p> {
    /// Ends a block. Results where the function that was to be run has returned.
    #[inline(always)]
    pub fn end_block(
        &mut self,
        function: &'p Function,
        block: &'p Block,
        floor: usize,
    ) -> Result<Option<Vec<Value>>, End> {
        match &block.end {
            Terminator::Jump(target) => self.jump(*target)?,
            Terminator::Branch {
                condition,
                then,
                otherwise,
                unknown,
            } => {
                let condition = self.operand(condition);
                if condition.mark.is_hard() {
                    self.decide(*unknown, condition.mark)?;
                } else {
                    let target = if condition.bits & 1 == 1 {
                        *then
                    } else {
                        *otherwise
                    };
                    if condition.mark != Mark::KNOWN {
                        self.look(condition.mark, *unknown, target);
                    }
                    self.note_branch(target);
                    self.jump(target)?;
                }
            }
            Terminator::Switch {
                value,
                cases,
                default,
                unknown,
                ..
            } => {
                let value = self.operand(value);
                let value = match value.mark {
                    Mark::ADDRESS => self.host.plain_value(value),
                    // Two signs are told apart by no number but zero.
                    Mark::SIGN if cases.iter().all(|(bits, _)| *bits == 0) => value,
                    _ => sign::plain(value),
                };
                if value.mark.is_hard() {
                    self.decide(*unknown, value.mark)?;
                } else {
                    let case = cases.iter().find(|(bits, _)| *bits == value.bits);
                    let target = case.map_or(*default, |(_, target)| *target);
                    if !matches!(value.mark, Mark::KNOWN | Mark::SIGN) {
                        self.look(value.mark, *unknown, target);
                    }
                    self.note_branch(target);
                    self.jump(target)?;
                }
            }
            Terminator::Return(operands) => return self.give_back(operands, floor),
            Terminator::Unreachable if self.host.exceptions.on_the_way() => {
                return Err(exceptions::lost(&mut self.host));
            }
            Terminator::Unreachable => {
                return Err(End::Died(format!(
                    "{} ends without a return statement, and an optimiser may have cut what follows \
                     (-fno-strict-return keeps it)",
                    function.name
                )));
            }
        }
        Ok(None)
    }

    /// The value of an operand in the running function.
    #[inline(always)]
    pub fn operand(&self, operand: &Operand) -> Value {
        let base = self.frames.last().map_or(0, |frame| frame.base);
        value(self.registers.get(base..).unwrap_or_default(), operand)
    }

    /// Returns from the running function.
    fn give_back(&mut self, operands: &[Operand], floor: usize) -> Result<Option<Vec<Value>>, End> {
        let mut results = std::mem::take(&mut self.scratch);
        results.clear();
        results.extend(operands.iter().map(|operand| self.operand(operand)));
        self.pop_frame();
        if self.frames.len() <= floor {
            return Ok(Some(results));
        }
        let frame = self.frame()?;
        let block = self
            .block(frame.function, frame.block)
            .ok_or_else(malformed)?;
        let call = frame
            .next
            .checked_sub(1)
            .and_then(|index| block.ops.get(index));
        if let Some(Op::Call { dst, .. }) = call.map(|instruction| &instruction.op) {
            let registers = self.registers.get_mut(frame.base..).unwrap_or_default();
            for (register, result) in dst.iter().zip(&results) {
                set(registers, *register, *result);
            }
        }
        self.scratch = results;
        Ok(None)
    }

    /// A branch on a value that is known and more than that: a failed call's status, or what hangs on free memory. A
    /// check of free memory that passes passes wherever there is as much.
    fn look(&mut self, mark: Mark, rule: OnUnknown, target: BlockId) {
        if mark == Mark::STATUS {
            self.host.notes.see_failures();
        }
        if mark == Mark::ELASTIC && rule != OnUnknown::CheckPasses(target) {
            let place = self.known_place();
            self.host.notes.take_what_is_free(place, "branch");
        }
    }

    /// Decides a branch whose condition is not known (SIZES.md, rule 7).
    fn decide(&mut self, rule: OnUnknown, mark: Mark) -> Result<(), End> {
        let place = self.known_place();
        let why = self.host.explain(mark);
        if !self.host.word.all.is_empty() {
            self.host.place = place;
            if let Some(target) = self.users_way(rule, &why)? {
                return self.take(target);
            }
        }
        match rule {
            OnUnknown::Stop => {
                if let Some(frame) = self.frames.last_mut() {
                    // All of the block was done; see `ahead`.
                    frame.next = usize::MAX;
                }
                Err(End::Stopped {
                    what: "branch".to_owned(),
                    reason: format!("its condition is unknown: {why}"),
                })
            }
            OnUnknown::CheckPasses(target) => {
                self.host
                    .notes
                    .assume(place, "check", format!("it is taken to pass: {why}"));
                self.take(target)
            }
            OnUnknown::TakeCuda(target) => {
                let reason = format!("the side with CUDA calls is taken: {why}");
                self.host.notes.assume(place, "branch", reason);
                self.take(target)
            }
            OnUnknown::LoopOnce { body, exit } => {
                // How often it turns is what a run decides, or what we do not know: only the first may be assumed.
                if self.host.marks.is_our_lack(mark) {
                    let reason = format!("how often it turns is not known: {why}");
                    self.host.notes.unknown(place, "loop", reason);
                } else {
                    let reason = format!("its body is taken once: {why}");
                    self.host.notes.assume(place, "loop", reason);
                }
                let target = self.loop_once(body, exit)?;
                self.take(target)
            }
            OnUnknown::Join(target) => self.join(target, mark),
        }
    }

    fn take(&mut self, target: BlockId) -> Result<(), End> {
        self.note_branch(target);
        self.jump(target)
    }

    /// Where a loop on an unknown condition goes: into the body, unless the body has run since the last
    /// decision at this branch. A loop tested at its end has run its body already: there `body` is the exit.
    fn loop_once(&mut self, body: BlockId, exit: BlockId) -> Result<BlockId, End> {
        let frame = self.frame()?;
        let key = (frame.function, frame.block);
        let decided = self.decided.insert(key, self.host.steps).unwrap_or(0);
        let stamps = self.entered.get(frame.function as usize);
        let entered = |block: BlockId| {
            let stamp = stamps.and_then(|stamps| stamps.get(block as usize));
            stamp.copied().unwrap_or(0)
        };
        let start = if body == exit {
            let block = self
                .block(frame.function, frame.block)
                .ok_or_else(malformed)?;
            let others = successors(block).into_iter().filter(|next| *next != exit);
            others.map(entered).max().unwrap_or(0)
        } else {
            entered(body)
        };
        if start <= decided && body != exit {
            return Ok(body);
        }
        self.host.ledger.doubt_counts_since(start);
        Ok(exit)
    }
}
