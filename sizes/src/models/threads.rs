//! Threads: each runs to its end where it is started, which the size program says. What waits for another thread cannot
//! go on here.

use super::number::arg;
use super::table::Family;
use crate::machine::host::{End, Halt, Host};
use crate::machine::mark::Source;
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("__migfit_thread_begins", begins),
    ("__migfit_thread_ends", ends),
    ("_ZNSt6thread4joinEv", joined),
    ("_ZNSt6thread6detachEv", joined),
    ("_ZNSt6thread20hardware_concurrencyEv", processors),
    ("_ZNSt6thread6_StateD2Ev", nothing),
    ("pthread_self", |_, _| Ok(Value::known(1))),
    ("pthread_join", posix_joined),
    ("pthread_detach", nothing),
    ("pthread_attr_init", nothing),
    ("pthread_attr_destroy", nothing),
    ("pthread_mutex_trylock", nothing),
    ("pthread_cond_signal", nothing),
    ("pthread_cond_broadcast", nothing),
    ("_ZNSt18condition_variableC1Ev", nothing),
    ("_ZNSt18condition_variableD1Ev", nothing),
    ("_ZNSt18condition_variable10notify_oneEv", nothing),
    ("_ZNSt18condition_variable10notify_allEv", nothing),
    (
        "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
        waits,
    ),
    ("pthread_cond_wait", waits),
    ("pthread_cond_timedwait", waits),
    ("pthread_barrier_wait", waits),
    ("sem_wait", waits),
];

fn nothing(_: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Ok(Value::known(0))
}

fn begins(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    host.threads.push(host.notes.cuda_calls);
    Ok(Value::known(0))
}

/// A thread without CUDA calls changes nothing of what others do with the device.
fn ends(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    let before = host.threads.pop();
    if before.is_some_and(|before| before != host.notes.cuda_calls) {
        let reason =
            "it is taken to run to its end before anything else does; others may overlap with it";
        let place = host.place;
        host.notes
            .assume(place, "thread with CUDA calls", reason.to_owned());
    }
    Ok(Value::known(0))
}

/// (thread): it is none any more.
fn joined(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.store(arg(args, 0), 8, Value::known(0));
    Ok(Value::known(0))
}

/// (thread, where its result goes).
fn posix_joined(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let result = arg(args, 1);
    if result != Value::known(0) {
        let mark = host.mark(Source::Missing("the result of a thread".to_owned()));
        host.spoil(result, 8, mark);
    }
    Ok(Value::known(0))
}

fn processors(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    let what = "the number of the host's processors".to_owned();
    Err(Halt::Unknown(host.mark(Source::Undefined(what))))
}

fn waits(_: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Err(Halt::End(End::Stopped {
        what: "wait for another thread".to_owned(),
        reason: "threads run one after the other here, so nothing would wake it".to_owned(),
    }))
}
