//! MPI as a program sees it that is started by itself: one process, of rank 0. The answer says that this is assumed.

use super::number::arg;
use super::table::Family;
use crate::machine::host::{End, Halt, Host};
use crate::machine::mark::Source;
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("MPI_Init", zero),
    ("MPI_Init_thread", |host, args| {
        host.store(arg(args, 3), 4, arg(args, 2));
        Ok(Value::int(0))
    }),
    ("MPI_Comm_rank", |host, args| told(host, args, 0)),
    ("MPI_Comm_size", |host, args| told(host, args, 1)),
    ("MPI_Comm_dup", |host, args| {
        host.store(arg(args, 1), 8, arg(args, 0));
        Ok(Value::int(0))
    }),
    ("MPI_Initialized", |host, args| flag(host, args, 1)),
    ("MPI_Finalized", |host, args| flag(host, args, 0)),
    ("MPI_Allreduce", reduce),
    ("MPI_Reduce", reduce),
    ("MPI_Wtime", |host, _| Ok(host.unknown(Source::Clock))),
    ("MPI_Abort", |_, args| {
        Err(Halt::End(End::Exit(arg(args, 1).as_int().ok())))
    }),
    ("MPI_Finalize", zero),
    ("MPI_Barrier", zero),
    ("MPI_Bcast", zero),
    ("MPI_Comm_free", zero),
];

fn zero(_: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Ok(Value::int(0))
}

fn told(host: &mut Host<'_>, args: &[Value], number: i32) -> Result<Value, Halt> {
    let reason = "the program is taken to run as one process, not under mpirun with several";
    let place = host.place;
    host.notes.assume(place, "MPI", reason.to_owned());
    host.store(arg(args, 1), 4, Value::int(number));
    Ok(Value::int(0))
}

fn flag(host: &mut Host<'_>, args: &[Value], number: i32) -> Result<Value, Halt> {
    host.store(arg(args, 0), 4, Value::int(number));
    Ok(Value::int(0))
}

/// Bytes of a type, which OpenMPI names by a global's address and MPICH by a number that holds them.
fn bytes_of(host: &Host<'_>, kind: Value) -> Option<u64> {
    const MPICH: u64 = 0x4c00_0000;
    let bits = kind.get().ok()?;
    if bits & 0xffff_0000 == MPICH {
        return Some(bits >> 8 & 0xff);
    }
    let globals = (0u32..).zip(&host.program.globals);
    let mut globals =
        globals.filter(|(id, _)| crate::machine::address::global_address(*id, 0) == bits);
    let (_, global) = globals.next()?;
    Some(match global.name.strip_prefix("ompi_mpi_")? {
        "char" | "signed_char" | "unsigned_char" | "byte" => 1,
        "short" | "unsigned_short" => 2,
        "int" | "unsigned" | "float" => 4,
        "long" | "unsigned_long" | "long_long_int" | "unsigned_long_long" | "double" => 8,
        _ => return None,
    })
}

/// Of one process each reduction is what it gave; in place nothing changes.
fn reduce(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    /// `MPI_IN_PLACE` of MPICH and OpenMPI.
    const IN_PLACE: [u64; 2] = [u64::MAX, 1];
    let (from, to) = (arg(args, 0), arg(args, 1));
    if IN_PLACE.contains(&from.bits) && !from.mark.is_hard() {
        return Ok(Value::int(0));
    }
    match bytes_of(host, arg(args, 3)) {
        Some(bytes) => {
            let count = arg(args, 2);
            let length = Value::made(count.bits.wrapping_mul(bytes), count.mark);
            host.copy(to, from, length);
        }
        None => {
            let mark = host.mark(Source::Missing("a reduction of MPI".to_owned()));
            host.store_somewhere(Value::somewhere_in(to.bits, mark));
        }
    }
    Ok(Value::int(0))
}
