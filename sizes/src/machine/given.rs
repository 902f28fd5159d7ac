//! What the user says, asked where an evaluation does not know better. The words enter the answer as an assumption;
//! words that were not needed are told as well.

use super::effects::successors;
use super::host::{End, Host};
use super::run::{Machine, malformed};
use crate::assumed::{Assumption, Given, USERS_WORD, globals_named};
use migfit_schema::amount::Amount;
use migfit_schema::program::{BlockId, OnUnknown, Op, Operand, Place, Reg, Terminator};
use std::collections::BTreeSet;

/// What the user says, and which of it was of use.
#[derive(Debug, Default)]
pub struct UsersWord {
    /// All of it.
    pub all: Vec<Given>,
    /// Numbers of what the answer rests on.
    used: BTreeSet<usize>,
    /// The bound of the allocation that is being made: bytes, and its number.
    pub bound: Option<(u64, usize)>,
}

impl Host<'_> {
    /// Notes that the answer rests on the user's word, with what is not known without it.
    pub fn taken_at_word(&mut self, number: usize, what: &str, why: &str) {
        let Some(given) = self.word.all.get(number) else {
            return;
        };
        self.word.used.insert(number);
        let reason = format!("{USERS_WORD}, {}; without it: {why}", given.said);
        self.notes.assume(self.place, what, reason);
    }

    /// Tells which of the first `spoken` things the evaluation knew without being told.
    pub fn note_unused_words(&mut self, spoken: usize) {
        // Comments in the source stand there for all command lines: they need not be of use for each.
        let all = self.word.all.iter().enumerate().take(spoken);
        let unused = all.filter(|(number, _)| !self.word.used.contains(number));
        let said: Vec<String> = unused.map(|(_, given)| given.said.clone()).collect();
        for said in said {
            let reason = format!(
                "{said} was not needed: the evaluation knew, did not come there, or met a loop, for which \"N turns\" is said"
            );
            self.notes.remark(Place::default(), USERS_WORD, reason);
        }
    }
}

impl Machine<'_> {
    /// Looks up the bound that the user gave for an allocation at the present place, or at a caller's.
    pub fn look_up_bound(&mut self) {
        self.host.word.bound = None;
        let here = self.host.place;
        let callers = self.frames.iter().rev().skip(1).filter_map(|frame| {
            let block = self.block(frame.function, frame.block)?;
            Some(block.ops.get(frame.next.checked_sub(1)?)?.place)
        });
        let places: Vec<Place> = std::iter::once(here).chain(callers).collect();
        let found = self
            .host
            .word
            .all
            .iter()
            .enumerate()
            .find_map(|(number, given)| {
                let Assumption::Bound { spot, most } = &given.assumption else {
                    return None;
                };
                let hit = places.iter().any(|place| spot.holds(self.program, *place));
                hit.then(|| (number, most.clone(), given.said.clone()))
            });
        let Some((number, most, said)) = found else {
            return;
        };
        match self.amount(&most) {
            Ok(bytes) => self.host.word.bound = Some((bytes, number)),
            Err(why) => {
                let reason = format!("{said}: {why}");
                self.host.notes.unknown(here, "the user's bound", reason);
            }
        }
    }

    fn amount(&self, amount: &Amount) -> Result<u64, String> {
        amount.value(&|name| self.variable(name))
    }

    /// What a variable of this name holds, in the innermost function that has a known one: its latest definition; else
    /// the global variable of that name.
    fn variable(&self, name: &str) -> Option<i128> {
        let local = self.frames.iter().rev().find_map(|frame| {
            let function = self.program.functions.get(frame.function as usize)?;
            let stamps = self.entered.get(frame.function as usize)?;
            let named = function.names.iter().filter(|(_, known)| known == name);
            let known = named.filter_map(|(register, _)| {
                let value = self.registers.get(frame.base + *register as usize)?;
                let (when, kind) = definition(function, *register)?;
                let bits = value.get().ok()?;
                let number = match kind {
                    Kept::Register(width) => signed(bits, width),
                    Kept::Memory(bytes) => self.in_memory(bits, bytes)?,
                };
                let stamp = stamps.get(when.0).copied().unwrap_or(0);
                Some(((stamp, when.1), number))
            });
            known.max_by_key(|(when, _)| *when).map(|(_, value)| value)
        });
        local.or_else(|| {
            globals_named(self.program, name).find_map(|global| {
                let Operand::Global(id, _) = global else {
                    return None;
                };
                let size = self.program.globals.get(id as usize)?.size;
                self.in_memory(self.operand(&global).get().ok()?, size)
            })
        })
    }

    /// A whole number in memory.
    fn in_memory(&self, address: u64, bytes: u64) -> Option<i128> {
        let width = u8::try_from(bytes.checked_mul(8)?).ok()?;
        if !matches!(width, 8 | 16 | 32 | 64) {
            return None;
        }
        let value = self.host.memory.load(address, bytes as usize);
        Some(signed(value.get().ok()?, width))
    }

    /// Where the user says that a branch on what is not known goes; none where nothing is said of it.
    pub fn users_way(&mut self, rule: OnUnknown, why: &str) -> Result<Option<BlockId>, End> {
        let place = self.host.place;
        let frame = self.frame()?;
        let block = self
            .block(frame.function, frame.block)
            .ok_or_else(malformed)?;
        let all = self.host.word.all.iter().enumerate();
        let said = all
            .into_iter()
            .find_map(|(number, given)| match &given.assumption {
                // Of a loop a user must say how often it turns: a condition that always holds would never end.
                Assumption::Branch { spot, holds }
                    if !matches!(rule, OnUnknown::LoopOnce { .. })
                        && spot.holds(self.program, place) =>
                {
                    Some((number, Way::Branch(*holds)))
                }
                Assumption::Turns { spot, turns } if spot.holds(self.program, place) => {
                    Some((number, Way::Turns(*turns)))
                }
                _ => None,
            });
        let (
            Some((number, way)),
            Terminator::Branch {
                then, otherwise, ..
            },
        ) = (said, &block.end)
        else {
            return Ok(None);
        };
        let key = (frame.function, frame.block);
        let target = match way {
            Way::Branch(holds) => {
                self.host.taken_at_word(number, "branch", why);
                if holds { *then } else { *otherwise }
            }
            Way::Turns(turns) => {
                let sides = sides(rule, &successors(block));
                let Some((body, exit, tested_behind)) = sides else {
                    return Ok(None);
                };
                self.host.taken_at_word(number, "turns of a loop", why);
                let done = self.turned.entry(key).or_insert(u64::from(tested_behind));
                if *done < turns {
                    *done += 1;
                    body
                } else {
                    self.turned.remove(&key);
                    exit
                }
            }
        };
        Ok(Some(target))
    }
}

enum Way {
    Branch(bool),
    Turns(u64),
}

/// The body and the exit of a loop, and whether the body has run when its branch is met first.
fn sides(rule: OnUnknown, successors: &[BlockId]) -> Option<(BlockId, BlockId, bool)> {
    let other = |exit: BlockId| successors.iter().copied().find(|next| *next != exit);
    match rule {
        OnUnknown::LoopOnce { body, exit } if body != exit => Some((body, exit, false)),
        OnUnknown::LoopOnce { exit, .. } => Some((other(exit)?, exit, true)),
        _ => None,
    }
}

/// Where a variable is kept.
enum Kept {
    /// In a register of so many bits.
    Register(u8),
    /// In so many bytes of memory, whose address the register holds.
    Memory(u64),
}

/// Where a register is written, block and position, and what it holds.
fn definition(
    function: &migfit_schema::program::Function,
    register: Reg,
) -> Option<((usize, usize), Kept)> {
    use migfit_schema::program::Type;
    let width = |ty: Type| match ty {
        Type::Int(width) => Some(Kept::Register(width)),
        Type::F32 | Type::F64 | Type::Ptr => None,
    };
    let parameter = function.params.iter().find(|(known, _)| *known == register);
    if let Some((_, ty)) = parameter {
        return Some(((0, 0), width(*ty)?));
    }
    function
        .blocks
        .iter()
        .enumerate()
        .find_map(|(number, block)| {
            if let Some(phi) = block.phis.iter().find(|phi| phi.dst == register) {
                return Some(((number, 0), width(phi.ty)?));
            }
            block.ops.iter().enumerate().find_map(|(at, instruction)| {
                let ty = match &instruction.op {
                    Op::Binary { dst, ty, .. }
                    | Op::Copy { dst, ty, .. }
                    | Op::Select { dst, ty, .. }
                    | Op::Load { dst, ty, .. }
                        if *dst == register =>
                    {
                        *ty
                    }
                    Op::Cast { dst, to, .. } if *dst == register => *to,
                    Op::Call { dst, results, .. } if dst.first() == Some(&register) => {
                        *results.first()?
                    }
                    Op::Alloca {
                        dst, size, count, ..
                    } if *dst == register && *count == Operand::Const(1) => {
                        return Some(((number, at + 1), Kept::Memory(*size)));
                    }
                    _ => return None,
                };
                Some(((number, at + 1), width(ty)?))
            })
        })
}

fn signed(bits: u64, width: u8) -> i128 {
    let shift = 64 - u32::from(width.clamp(1, 64));
    i128::from((bits << shift).cast_signed() >> shift)
}
