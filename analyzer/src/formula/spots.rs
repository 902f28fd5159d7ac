//! Places in memory that a formula can name, and whether two of them may be one.

use crate::formula::scene::Scene;
use crate::slice::definitions::Definition;
use crate::slice::position::Position;
use migfit_schema::program::{Callee, FunctionId, Op, Operand, Reg, Type};

/// A known place in memory: an alloca's register or a global, and the offset in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// What the offset counts from.
    pub base: Base,
    /// Bytes behind it.
    pub offset: i64,
}

/// What a spot's offset counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The register that an alloca, a parameter or a call left a pointer in.
    Register(FunctionId, Reg),
    /// A global.
    Global(u32),
}

/// Resolves an address; `None` where an index varies.
pub fn spot(scene: &Scene<'_>, function: FunctionId, address: Operand) -> Option<Spot> {
    /// Offsets of offsets deeper than this are not followed: in a broken program they may go in a ring.
    const DEPTH: usize = 64;
    spot_within(scene, function, address, DEPTH)
}

fn spot_within(
    scene: &Scene<'_>,
    function: FunctionId,
    address: Operand,
    depth: usize,
) -> Option<Spot> {
    let depth = depth.checked_sub(1)?;
    match address {
        Operand::Global(id, offset) => Some(Spot {
            base: Base::Global(id),
            offset,
        }),
        Operand::Reg(register) => match scene.definition(function, register) {
            Some(Definition::Op(
                _,
                Op::Offset {
                    base,
                    constant,
                    terms,
                    ..
                },
                _,
            )) => {
                let fixed = terms
                    .iter()
                    .try_fold(*constant, |sum, (index, ty, scale)| {
                        let index = match (index, ty) {
                            (Operand::Const(bits), Type::Int(32)) => i64::from(*bits as u32 as i32),
                            (Operand::Const(bits), _) => bits.cast_signed(),
                            _ => return None,
                        };
                        sum.checked_add(index.checked_mul(*scale)?)
                    })?;
                let inner = spot_within(scene, function, *base, depth)?;
                Some(Spot {
                    base: inner.base,
                    offset: inner.offset.checked_add(fixed)?,
                })
            }
            Some(Definition::Op(_, Op::Copy { a, .. }, _)) => {
                spot_within(scene, function, *a, depth)
            }
            definition => {
                let given = match definition {
                    Some(Definition::Parameter(index)) => given(scene, function, index)
                        .and_then(|(caller, value)| spot_within(scene, caller, value, depth)),
                    _ => None,
                };
                given.or(Some(Spot {
                    base: Base::Register(function, register),
                    offset: 0,
                }))
            }
        },
        _ => None,
    }
}

impl Spot {
    /// So many bytes behind.
    pub fn moved(self, by: i64) -> Option<Spot> {
        let offset = self.offset.checked_add(by)?;
        Some(Spot { offset, ..self })
    }
}

/// What the only call of a function gives it.
fn given(scene: &Scene<'_>, function: FunctionId, index: usize) -> Option<(FunctionId, Operand)> {
    let call = scene.only_call(function)?;
    match scene.op(call)? {
        Op::Call {
            callee: Callee::Function(_) | Callee::Indirect(_),
            args,
            ..
        } => {
            let (value, _) = args.get(index)?;
            Some((call.function, *value))
        }
        _ => None,
    }
}

/// How a write stands to a spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meets {
    /// It writes elsewhere.
    Not,
    /// The spot lies so many bytes behind the start of what is written, and some of it is written.
    At(i64),
    /// That is not told.
    Perhaps,
}

/// How a write of `sizes.0` bytes through an address stands to a spot of `sizes.1` bytes.
pub fn meets(
    scene: &Scene<'_>,
    (writer, address): (Position, Operand),
    target: Spot,
    (written, read): (i64, i64),
) -> Meets {
    /// Calls of calls deeper than this are not followed.
    const DEPTH: usize = 4;
    let Some(spot) = spot(scene, writer.function, address) else {
        return Meets::Perhaps;
    };
    let mut met = Meets::Not;
    for spot in roots(scene, spot, DEPTH) {
        if spot.base == target.base {
            let behind = target.offset.saturating_sub(spot.offset);
            if behind < written && behind > -read {
                met = Meets::At(behind);
            }
        } else if !(is_root(scene, spot.base) && is_root(scene, target.base)) {
            return Meets::Perhaps;
        }
    }
    met
}

/// A spot behind a parameter as the spots that the callers give.
fn roots(scene: &Scene<'_>, found: Spot, depth: usize) -> Vec<Spot> {
    let Base::Register(function, register) = found.base else {
        return vec![found];
    };
    let Some(Definition::Parameter(index)) = scene.definition(function, register) else {
        return vec![found];
    };
    let calls = scene.calls(function);
    if depth == 0 || calls.is_empty() || !scene.spend(calls.len()) {
        return vec![found];
    }
    let mut all = Vec::new();
    for call in calls {
        let outer = match scene.op(*call) {
            Some(Op::Call {
                callee: Callee::Function(_) | Callee::Indirect(_),
                args,
                ..
            }) => args
                .get(index)
                .and_then(|(value, _)| spot(scene, call.function, *value))
                .and_then(|outer| outer.moved(found.offset)),
            _ => None,
        };
        match outer {
            Some(outer) => all.extend(roots(scene, outer, depth - 1)),
            None => return vec![found],
        }
    }
    all
}

/// Whether a base is memory of its own: two such are never one.
fn is_root(scene: &Scene<'_>, base: Base) -> bool {
    let Base::Register(function, register) = base else {
        return true;
    };
    match scene.definition(function, register) {
        Some(Definition::Op(_, Op::Alloca { .. }, _)) => true,
        Some(Definition::Op(at, Op::Call { .. }, _)) => scene.memory_made_by(at).is_some(),
        _ => false,
    }
}
