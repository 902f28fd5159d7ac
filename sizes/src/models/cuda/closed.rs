//! Closed libraries (cuBLAS, cuFFT ...): their handles, what they write to the host, and what is known of the device
//! memory that they take of their own: a documented bound, or only the call's name. It is never part of the peak.

use super::query::new_handle;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::object::Kind;
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;
use migfit_schema::closed::library;

/// The models of this file. Other calls of these libraries are judged by their names: `call`.
pub const MODELS: Family = &[
    ("cublasCreate_v2", blas),
    ("cublasLtCreate", first_handle),
    ("cusparseCreate", named_handle),
    ("cusolverDnCreate", named_handle),
    ("cusolverSpCreate", named_handle),
    ("curandCreateGenerator", named_handle),
    ("curandCreateGeneratorHost", first_handle),
    ("cudnnCreate", named_handle),
    ("cufftCreate", plan),
    ("cufftPlan1d", |host, args| {
        fft(host, args, &[arg(args, 1)], arg(args, 2), arg(args, 3))
    }),
    ("cufftPlan2d", |host, args| {
        fft(
            host,
            args,
            &[arg(args, 1), arg(args, 2)],
            arg(args, 3),
            Value::known(1),
        )
    }),
    ("cufftPlan3d", |host, args| {
        let lengths = [arg(args, 1), arg(args, 2), arg(args, 3)];
        fft(host, args, &lengths, arg(args, 4), Value::known(1))
    }),
    ("cufftPlanMany", |host, args| {
        let lengths = lengths(host, arg(args, 1), arg(args, 2));
        fft(host, args, &lengths, arg(args, 9), arg(args, 10))
    }),
    ("nvrtcCreateProgram", new_program),
    ("nvrtcGetLoweredName", lowered_name),
];

/// Device memory of a closed library, told beside the peak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    /// The library.
    pub library: &'static str,
    /// The call.
    pub call: String,
    /// At most so many bytes; `None`: not known.
    pub bytes: Option<u64>,
    /// Where the figure comes from, or why there is none.
    pub source: String,
}

/// A call without a model: success; what it writes is not known. Notes the library once by name.
pub fn call(host: &mut Host<'_>, name: &str) -> Option<Value> {
    let library = library(name)?;
    if !matches!(library, "NVRTC" | "NVTX") {
        let seen = |one: &Closed| one.library == library;
        if !host.notes.closed.iter().any(|(_, one)| seen(one)) {
            note(host, library, name, None, "what it takes is not documented");
        }
    }
    Some(Value::int(0))
}

fn note(host: &mut Host<'_>, library: &'static str, call: &str, bytes: Option<u64>, source: &str) {
    let place = host.place;
    let closed = Closed {
        library,
        call: call.to_owned(),
        bytes,
        source: source.to_owned(),
    };
    host.notes.closed.push((place, closed));
}

fn first_handle(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    new_handle(host, args)
}

/// A handle of a library whose memory is not documented.
fn named_handle(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let name = host.called.clone();
    call(host, &name);
    new_handle(host, args)
}

/// cuBLAS documentation, cublasSetWorkspace: the workspace of a handle is 32 MiB on compute capability 9.0 and data
/// centre 10.x, and 4 MiB on others (12 MiB on 12.x).
fn blas(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let mib: u64 = match host.device.compute_capability.0 {
        9 | 10 => 32,
        12 => 12,
        _ => 4,
    };
    let source = "the workspace of a handle as the cuBLAS documentation recommends it (cublasSetWorkspace); what the handle itself takes is not documented";
    note(host, "cuBLAS", "cublasCreate_v2", Some(mib << 20), source);
    new_handle(host, args)
}

/// A plan is an int.
fn plan(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let handle = host.memory.add(Kind::Handle, 0, Mark::KNOWN)?;
    host.store(arg(args, 0), 4, Value::known(handle & 0x7fff_ffff));
    Ok(Value::int(0))
}

/// (rank, lengths): an int for each dimension.
fn lengths(host: &Host<'_>, rank: Value, array: Value) -> Vec<Value> {
    /// cuFFT knows three.
    const MOST: u64 = 3;
    let (Ok(rank), Ok(array)) = (rank.get(), array.get()) else {
        return vec![Value::unknown(Mark::UNWRITTEN)];
    };
    (0..(rank & 0xffff_ffff).min(MOST))
        .map(|index| host.memory.load(array.wrapping_add(4 * index), 4))
        .collect()
}

/// cuFFT documentation, plans: in the worst case a plan takes 8 * batch * n\[0\] * .. * n\[rank-1\] complex elements.
fn fft(
    host: &mut Host<'_>,
    args: &[Value],
    lengths: &[Value],
    kind: Value,
    batch: Value,
) -> Result<Value, Halt> {
    /// Types of double precision: Z2D, D2Z, Z2Z.
    const DOUBLE: [u64; 3] = [0x6a, 0x6c, 0x69];
    let element = match kind.get() {
        Ok(kind) if DOUBLE.contains(&kind) => 16,
        _ => 8,
    };
    let mut factors = lengths.iter().chain([&batch]);
    let bytes = factors.try_fold(8 * element, |product: u64, factor| {
        let length = factor
            .as_int()
            .ok()
            .and_then(|one| u64::try_from(one).ok())?;
        Some(product.saturating_mul(length))
    });
    let source = "the worst case of the cuFFT documentation: 8 * batch * lengths complex elements for a plan's work area; usually it takes one";
    let name = host.called.clone();
    note(host, "cuFFT", &name, bytes, source);
    plan(host, args)
}

fn new_program(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    new_handle(host, args)
}

/// (program, expression, out): the mangled name is the compiler's; the kernel goes by its expression here.
fn lowered_name(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.store(arg(args, 2), 8, arg(args, 1));
    Ok(Value::int(0))
}
