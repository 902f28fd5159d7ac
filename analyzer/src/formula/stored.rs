//! What a load from memory reads: what was stored there, what a library call left there, or the initial value.

use crate::formula::expression::Builder;
use crate::formula::file;
use crate::formula::overwritten::Last;
use crate::formula::scene::Scene;
use crate::formula::simplify::one_of;
use crate::formula::sites::rounded_row;
use crate::formula::spots::{Base, Meets, Spot, meets, spot};
use crate::formula::unknown::unknown;
use crate::ir::stubs::people_name;
use crate::slice::position::{Position, instruction};
use migfit_schema::formula::Expr;
use migfit_schema::program::{Op, Operand, Place, Type};
use migfit_schema::site::Site;

/// The expression of what a load reads.
pub fn loaded(
    builder: &mut Builder<'_>,
    at: Position,
    address: Operand,
    ty: Type,
    place: Place,
) -> Expr {
    let site = builder.scene.site(place);
    match spot(builder.scene, at.function, address) {
        Some(target) => found(builder, (at, address), target, ty, site),
        None => unknown(site, "read from an array at a varying place"),
    }
}

/// What stands in a spot where an instruction reads that goes through this address.
fn found(
    builder: &mut Builder<'_>,
    (at, address): (Position, Operand),
    target: Spot,
    ty: Type,
    site: Option<Site>,
) -> Expr {
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
        } => match meets(
            scene,
            (writer, *address),
            target,
            (size_of(*stored), size_of(ty)),
        ) {
            Meets::Not => None,
            Meets::At(0) if same_size(*stored, ty) => {
                Some(builder.expr_at(writer, *value, *stored))
            }
            Meets::At(_) if *value == Operand::Const(0) => Some(Expr::Int(0)),
            Meets::At(_) => Some(unknown(site, "stored in parts")),
            Meets::Perhaps => Some(unknown(site, "stored through another pointer")),
        },
        Op::MemSet { byte, to, bytes } => {
            match meets(scene, (writer, *to), target, (length(*bytes), size_of(ty))) {
                Meets::Not => None,
                _ if *byte == Operand::Const(0) => Some(Expr::Int(0)),
                _ => Some(unknown(site, "set byte by byte")),
            }
        }
        Op::MemCopy { to, from, bytes } => {
            match meets(scene, (writer, *to), target, (length(*bytes), size_of(ty))) {
                Meets::Not => None,
                Meets::At(behind) => Some(copied(builder, (writer, *from), behind, ty, site)),
                Meets::Perhaps => Some(unknown(site, "copied through another pointer")),
            }
        }
        op => {
            let (name, args) = Scene::external(op)?;
            by_library(builder, writer, (name, &args), target).map(|expr| match expr {
                Expr::Unknown { site: None, reason } => Expr::Unknown { site, reason },
                other => other,
            })
        }
    }
}

/// What stands so many bytes behind the start of what is copied.
fn copied(
    builder: &mut Builder<'_>,
    (at, from): (Position, Operand),
    behind: i64,
    ty: Type,
    site: Option<Site>,
) -> Expr {
    let source = spot(builder.scene, at.function, from);
    let source = source.and_then(|source| source.moved(behind));
    match source {
        Some(source) if builder.spend() => found(builder, (at, from), source, ty, site),
        _ => unknown(site, "copied from a varying place"),
    }
}

/// Bytes of a copy or a fill; as many as there may be where that varies.
fn length(bytes: Operand) -> i64 {
    match bytes {
        Operand::Const(bytes) => i64::try_from(bytes).unwrap_or(i64::MAX),
        _ => i64::MAX,
    }
}

/// Bytes of a value in memory.
fn size_of(ty: Type) -> i64 {
    match ty {
        Type::Int(bits) => i64::from(bits).div_euclid(8).max(1),
        Type::F32 => 4,
        Type::F64 | Type::Ptr => 8,
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
