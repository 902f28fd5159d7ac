//! What a load from memory reads: what was stored there, what a library call left there, or the initial value.

use crate::formula::expression::Builder;
use crate::formula::file;
use crate::formula::overwritten::Last;
use crate::formula::scene::Scene;
use crate::formula::simplify::one_of;
use crate::formula::sites::rounded_row;
use crate::formula::unknown::unknown;
use crate::ir::stubs::people_name;
use crate::slice::definitions::Definition;
use crate::slice::position::{Position, instruction};
use migfit_schema::formula::Expr;
use migfit_schema::program::{FunctionId, Op, Operand, Place, Reg, Type};

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
            _ => Some(Spot {
                base: Base::Register(function, register),
                offset: 0,
            }),
        },
        _ => None,
    }
}

/// The expression of what a load reads.
pub fn loaded(
    builder: &mut Builder<'_>,
    at: Position,
    address: Operand,
    ty: Type,
    place: Place,
) -> Expr {
    let site = builder.scene.site(place);
    let Some(target) = spot(builder.scene, at.function, address) else {
        return unknown(site, "read from an array at a varying place");
    };
    let mut all = Vec::new();
    if !builder.spend_on_writes(reach(builder.scene, at, address)) {
        return unknown(site, "a long computation");
    }
    let writers = writers(builder.scene, at, address);
    let last = Last::of(builder.scene, at, &writers, target, ty);
    for writer in &writers {
        let mut visited = 0;
        let hidden = last.hides(builder.scene, *writer, &mut visited);
        if !builder.spend() || !builder.spend_on_writes(visited) {
            return unknown(site, "a long computation");
        }
        if !hidden {
            all.extend(written(builder, *writer, target, ty));
        }
    }
    let start = initial(builder.scene, target, ty);
    if !all.is_empty() {
        // Zero is how a variable says that it was not set; any other start is a default.
        let default = start.filter(|start| *start != Expr::Int(0));
        return one_of(default.into_iter().chain(all).collect());
    }
    start.unwrap_or_else(|| unknown(site, "read from memory that nothing kept fills"))
}

/// How many writes are looked at for an address.
fn reach(scene: &Scene<'_>, at: Position, address: Operand) -> usize {
    let objects = scene.pointers.of(at.function, address).into_iter();
    objects
        .map(|object| scene.memory.writer_count(object))
        .sum()
}

/// Instructions that may write what an instruction reads, and may come before it.
pub fn writers(scene: &Scene<'_>, at: Position, address: Operand) -> Vec<Position> {
    let objects = scene.pointers.of(at.function, address);
    let mut all: Vec<Position> = objects
        .iter()
        .flat_map(|object| scene.memory.writers(*object))
        .copied()
        .collect();
    all.sort_unstable();
    all.dedup();
    all.retain(|writer| comes_before(scene, *writer, at));
    all
}

fn comes_before(scene: &Scene<'_>, first: Position, second: Position) -> bool {
    let same = first.function == second.function;
    let later = first.block == second.block && first.index < second.index;
    !same
        || later
        || scene
            .graphs
            .flow(first.function)
            .reaches(first.block, second.block)
}

/// What one writer leaves in a spot; `None` where it writes another spot.
fn written(builder: &mut Builder<'_>, writer: Position, target: Spot, ty: Type) -> Option<Expr> {
    let scene = builder.scene;
    let found = instruction(scene.program, writer)?;
    let site = scene.site(found.place);
    match &found.op {
        Op::Store {
            ty: stored,
            value,
            address,
        } => match spot(scene, writer.function, *address) {
            Some(spot) if spot == target && same_size(*stored, ty) => {
                Some(builder.expr_at(writer, *value, *stored))
            }
            Some(spot) if spot.base == target.base => None,
            Some(_) => None,
            None => Some(unknown(site, "stored at a varying place")),
        },
        Op::MemSet {
            byte: Operand::Const(0),
            ..
        } => Some(Expr::Int(0)),
        op => {
            let (name, args) = Scene::external(op)?;
            by_library(builder, writer, (name, &args), target).map(|expr| match expr {
                Expr::Unknown { site: None, reason } => Expr::Unknown { site, reason },
                other => other,
            })
        }
    }
}

/// Whether two types take the same room in memory.
pub fn same_size(one: Type, other: Type) -> bool {
    let bits = |ty: Type| match ty {
        Type::Int(bits) => u32::from(bits),
        Type::F32 => 32,
        Type::F64 | Type::Ptr => 64,
    };
    bits(one) == bits(other)
}

/// What a library call leaves in a spot that it is given the address of.
fn by_library(
    builder: &mut Builder<'_>,
    writer: Position,
    (name, args): (&str, &[Operand]),
    target: Spot,
) -> Option<Expr> {
    let scene = builder.scene;
    let given = args
        .iter()
        .position(|value| spot(scene, writer.function, *value) == Some(target));
    match name {
        "fscanf" | "__isoc99_fscanf" | "__isoc23_fscanf" => {
            let number = given?.checked_sub(2)?;
            Some(file::number(builder, writer, *args.first()?, number))
        }
        "cudaMemcpy" | "cudaMemcpyAsync" | "cudaMemcpyFromSymbol" => {
            given.filter(|index| *index == 0)?;
            Some(unknown(None, "copied back from the device"))
        }
        // The second result of a pitched allocation is its row.
        "cudaMallocPitch" if given == Some(1) => {
            let width = builder.expr_at(writer, *args.get(2)?, Type::Int(64));
            Some(rounded_row(width))
        }
        name if name.starts_with("cudaGetDevice") || name.starts_with("cudaDeviceGet") => {
            Some(unknown(None, "a property of the device"))
        }
        name if name.starts_with("cudaMemGetInfo") => {
            Some(unknown(None, "the memory that happens to be free"))
        }
        name => Some(unknown(None, &format!("filled by {}", people_name(name)))),
    }
}

/// A global's initial value.
fn initial(scene: &Scene<'_>, target: Spot, ty: Type) -> Option<Expr> {
    let Base::Global(id) = target.base else {
        return None;
    };
    let global = scene
        .program
        .globals
        .get(id as usize)
        .filter(|global| !global.external)?;
    let width = match ty {
        Type::Int(bits) => usize::from(bits).div_ceil(8),
        Type::F32 => 4,
        Type::F64 | Type::Ptr => 8,
    };
    let start = usize::try_from(target.offset).ok()?;
    let mut bytes = [0u8; 8];
    for (index, byte) in bytes.iter_mut().enumerate().take(width) {
        let at = start.checked_add(index)?;
        *byte = global.bytes.get(at).copied().unwrap_or(0);
    }
    match ty {
        Type::F64 => Some(Expr::Float(f64::from_le_bytes(bytes))),
        Type::F32 => None,
        _ => Some(Expr::Int(i64::from_le_bytes(bytes))),
    }
}
