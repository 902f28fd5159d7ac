//! Where threads wait for each other. A thread writes down what it asks for and what it will need, and leaves; it goes on
//! when the others are there.

use super::function::{Done, Translation, refuse};
use crate::context::{AT_BARRIER, WAITING, request, request_offset};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use migfit_ptx::flow::flat::{Arg, Reg, Step};
use migfit_ptx::flow::liveness::Liveness;
use migfit_ptx::flow::stops;
use migfit_ptx::text::ast::Instruction;
use migfit_ptx::text::types::Type;

/// What is asked for; operands that are not there are 0.
#[derive(Default)]
struct Ask<'a> {
    kind: u32,
    value: Option<(&'a Arg, Type)>,
    first: Option<&'a Arg>,
    second: Option<&'a Arg>,
    mask: Option<&'a Arg>,
    result: Option<(&'a Arg, Type)>,
    predicate: Option<&'a Arg>,
}

impl Translation<'_, '_, '_> {
    /// An instruction at which the thread waits.
    pub fn stop(
        &mut self,
        nth: usize,
        instruction: &Instruction,
        step: &Step,
        liveness: &Liveness,
    ) -> Done {
        if stops::is_lockstep_store(instruction) {
            let before: Vec<_> = liveness.before(nth).iter().collect();
            self.wait(
                &Ask {
                    kind: request::LOCKSTEP,
                    ..Ask::default()
                },
                &before,
            )?;
            self.store(instruction, &step.args)?;
            let behind: Vec<_> = liveness.behind(nth).iter().collect();
            return self.wait(
                &Ask {
                    kind: request::LOCKSTEP,
                    ..Ask::default()
                },
                &behind,
            );
        }
        let mut live: Vec<_> = liveness.behind(nth).iter().collect();
        step.access(&mut |_| {}, &mut |written| {
            live.retain(|reg| *reg != written)
        });
        if is_plain_barrier(instruction, &step.args) {
            self.part(&live, WAITING | AT_BARRIER);
            return Ok(());
        }
        let args = step.args.as_slice();
        let ask = match instruction.opcode.as_str() {
            "bar" | "barrier" => barrier(instruction, args),
            "shfl" => shuffle(instruction, args),
            "vote" => vote(instruction, args),
            "match" => matching(instruction, args),
            "redux" => reduction(instruction, args),
            "activemask" => single(request::ACTIVE, args),
            _ => None,
        };
        match ask {
            Some(ask) => self.wait(&ask, &live),
            None => refuse(instruction.name()),
        }
    }

    fn wait(&mut self, ask: &Ask, live: &[Reg]) -> Done {
        let base = self.frame_base();
        let kind = self.build.ins().iconst(types::I32, i64::from(ask.kind));
        self.put(base, request_offset::KIND, kind);
        if let Some((value, ty)) = ask.value {
            let value = self.read(value, ty)?;
            let value = self.fit(value, types::I64, false);
            self.put(base, request_offset::VALUE, value);
        }
        let operands = [
            (ask.first, request_offset::FIRST, 0),
            (ask.second, request_offset::SECOND, 0),
            (ask.mask, request_offset::MASK, u64::MAX),
        ];
        for (arg, offset, otherwise) in operands {
            let value = match arg {
                Some(arg) => self.read(arg, Type::U32)?,
                None => self.integer(types::I32, otherwise),
            };
            self.put(base, offset, value);
        }
        self.part(live, WAITING);
        if let Some((to, ty)) = ask.result {
            let got = self.build.ins().load(
                types::I64,
                MemFlagsData::trusted(),
                base,
                request_offset::RESULT,
            );
            let got = self.fit(got, super::function::clif(ty), false);
            self.write(to, ty, got)?;
        }
        if let Some(to) = ask.predicate {
            let got = self.build.ins().load(
                types::I8,
                MemFlagsData::trusted(),
                base,
                request_offset::PREDICATE,
            );
            self.write(to, Type::Pred, got)?;
        }
        Ok(())
    }

    /// Leaves in a state, and goes on from here another time.
    fn part(&mut self, live: &[Reg], mark: u32) {
        let kept: Vec<_> = live
            .iter()
            .copied()
            .filter(|reg| !self.fixed.holds(*reg))
            .collect();
        kept.iter().for_each(|reg| self.save(*reg));
        let number = u64::try_from(self.resumptions.len()).unwrap_or(0);
        let state = self.integer(types::I32, u64::from(mark) | number);
        if let Some(place) = self.frame.state {
            self.put(place, 0, state);
        }
        self.build.ins().jump(self.next, &[]);
        let resumed = self.build.create_block();
        self.resumptions.push(resumed);
        self.build.switch_to_block(resumed);
        kept.iter().for_each(|reg| self.restore(*reg));
    }

    fn put(&mut self, base: Value, offset: i32, value: Value) {
        self.build
            .ins()
            .store(MemFlagsData::trusted(), value, base, offset);
    }
}

/// `bar.sync 0`: all threads of the block.
fn is_plain_barrier(instruction: &Instruction, args: &[Arg]) -> bool {
    let is_zero = |arg: &Arg| matches!(arg, Arg::Number(number) if number.bits() == 0);
    let plain = matches!(instruction.opcode.as_str(), "bar" | "barrier")
        && instruction.has("sync")
        && !instruction.has("warp");
    plain && matches!(args, [barrier] if is_zero(barrier))
}

fn barrier<'a>(instruction: &Instruction, args: &'a [Arg]) -> Option<Ask<'a>> {
    if instruction.has("warp") {
        let ask = Ask {
            kind: request::WARP,
            mask: args.first(),
            ..Ask::default()
        };
        return Some(ask);
    }
    if !instruction.has("red") {
        let kind = if instruction.has("arrive") {
            request::BARRIER_ARRIVE
        } else {
            request::BARRIER
        };
        let ask = Ask {
            kind,
            first: args.first(),
            second: args.get(1),
            ..Ask::default()
        };
        return Some(ask);
    }
    let (kind, ty) = match () {
        () if instruction.has("popc") => (request::BARRIER_COUNT, Type::U32),
        () if instruction.has("and") => (request::BARRIER_AND, Type::Pred),
        () => (request::BARRIER_OR, Type::Pred),
    };
    let (barrier, count, value) = match args {
        [_, barrier, value] => (barrier, None, value),
        [_, barrier, count, value] => (barrier, Some(count), value),
        _ => return None,
    };
    Some(Ask {
        kind,
        value: Some((value, Type::Pred)),
        first: Some(barrier),
        second: count,
        result: Some((args.first()?, ty)),
        ..Ask::default()
    })
}

/// A result with or without a predicate behind it.
fn pair(arg: &Arg) -> (&Arg, Option<&Arg>) {
    match arg {
        Arg::Pair(result, predicate) => (result, Some(predicate)),
        one => (one, None),
    }
}

fn shuffle<'a>(instruction: &Instruction, args: &'a [Arg]) -> Option<Ask<'a>> {
    let kind = match () {
        () if instruction.has("up") => request::SHUFFLE_UP,
        () if instruction.has("down") => request::SHUFFLE_DOWN,
        () if instruction.has("bfly") => request::SHUFFLE_BUTTERFLY,
        () => request::SHUFFLE_INDEX,
    };
    let [to, value, lane, clamp, mask @ ..] = args else {
        return None;
    };
    let (result, predicate) = pair(to);
    Some(Ask {
        kind,
        value: Some((value, Type::B32)),
        first: Some(lane),
        second: Some(clamp),
        mask: mask.first(),
        result: Some((result, Type::B32)),
        predicate,
    })
}

fn vote<'a>(instruction: &Instruction, args: &'a [Arg]) -> Option<Ask<'a>> {
    let (kind, ty) = match () {
        () if instruction.has("all") => (request::VOTE_ALL, Type::Pred),
        () if instruction.has("any") => (request::VOTE_ANY, Type::Pred),
        () if instruction.has("uni") => (request::VOTE_UNIFORM, Type::Pred),
        () => (request::VOTE_BALLOT, Type::B32),
    };
    let [to, value, mask @ ..] = args else {
        return None;
    };
    Some(Ask {
        kind,
        value: Some((value, Type::Pred)),
        mask: mask.first(),
        result: Some((to, ty)),
        ..Ask::default()
    })
}

fn matching<'a>(instruction: &Instruction, args: &'a [Arg]) -> Option<Ask<'a>> {
    let kind = if instruction.has("all") {
        request::MATCH_ALL
    } else {
        request::MATCH_ANY
    };
    let ty = if instruction.has("b64") {
        Type::B64
    } else {
        Type::B32
    };
    let [to, value, mask] = args else {
        return None;
    };
    let (result, predicate) = pair(to);
    Some(Ask {
        kind,
        value: Some((value, ty)),
        mask: Some(mask),
        result: Some((result, Type::B32)),
        predicate,
        ..Ask::default()
    })
}

fn reduction<'a>(instruction: &Instruction, args: &'a [Arg]) -> Option<Ask<'a>> {
    let signed = instruction.has("s32");
    let kind = match instruction.modifiers.get(1).map(String::as_str)? {
        "add" => request::REDUCE_ADD,
        "min" if signed => request::REDUCE_MIN_SIGNED,
        "max" if signed => request::REDUCE_MAX_SIGNED,
        "min" => request::REDUCE_MIN,
        "max" => request::REDUCE_MAX,
        "and" => request::REDUCE_AND,
        "or" => request::REDUCE_OR,
        "xor" => request::REDUCE_XOR,
        _ => return None,
    };
    let [to, value, mask] = args else {
        return None;
    };
    Some(Ask {
        kind,
        value: Some((value, Type::B32)),
        mask: Some(mask),
        result: Some((to, Type::B32)),
        ..Ask::default()
    })
}

fn single(kind: u32, args: &[Arg]) -> Option<Ask<'_>> {
    Some(Ask {
        kind,
        result: Some((args.first()?, Type::B32)),
        ..Ask::default()
    })
}
