//! Clocks and other things that differ from run to run: their results are unknown.

use super::number::arg;
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Source;
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("time", time),
    ("clock", unknown),
    ("getpid", unknown),
    ("getppid", unknown),
    ("getuid", unknown),
    ("get_nprocs", unknown),
    ("omp_get_num_procs", unknown),
    ("sysconf", sysconf),
    ("getpagesize", |_, _| Ok(Value::known(PAGE))),
    ("gethostname", gethostname),
    ("uname", uname),
    ("getrusage", getrusage),
    ("gettimeofday", gettimeofday),
    ("clock_gettime", clock_gettime),
    ("omp_get_wtime", unknown),
    ("_ZNSt6chrono3_V212steady_clock3nowEv", unknown),
    ("_ZNSt6chrono3_V212system_clock3nowEv", unknown),
    ("usleep", zero),
    ("sleep", zero),
    ("nanosleep", zero),
];

fn zero(_: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Ok(Value::int(0))
}

fn unknown(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Ok(host.unknown(Source::Clock))
}

/// Bytes of a page on x86-64.
const PAGE: u64 = 4096;

fn sysconf(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    const PAGESIZE: i32 = 30;
    match arg(args, 0).as_int()? {
        PAGESIZE => Ok(Value::known(PAGE)),
        _ => unknown(host, args),
    }
}

/// Marks what a call tells of the machine as differing from run to run.
fn told(host: &mut Host<'_>, to: Value, bytes: u64) -> Result<Value, Halt> {
    let mark = host.mark(Source::Clock);
    host.spoil(to, bytes, mark);
    Ok(Value::int(0))
}

fn gethostname(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let room = arg(args, 1).get()?;
    told(host, arg(args, 0), room)
}

fn uname(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    /// Six texts of 65 bytes.
    const UTSNAME: u64 = 390;
    told(host, arg(args, 0), UTSNAME)
}

fn getrusage(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    const RUSAGE: u64 = 144;
    told(host, arg(args, 1), RUSAGE)
}

fn time(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let now = host.unknown(Source::Clock);
    if arg(args, 0) != Value::known(0) {
        host.store(arg(args, 0), 8, now);
    }
    Ok(now)
}

/// Both structures are two 8-byte words.
fn write_time(host: &mut Host<'_>, to: Value) -> Result<Value, Halt> {
    let mark = host.mark(Source::Clock);
    host.spoil(to, 16, mark);
    Ok(Value::int(0))
}

fn gettimeofday(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    write_time(host, arg(args, 0))
}

fn clock_gettime(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    write_time(host, arg(args, 1))
}
