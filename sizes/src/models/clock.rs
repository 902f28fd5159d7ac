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
