//! Ends of the process and start-up calls that do nothing here.

use super::cxx::exceptions;
use super::number::arg;
use super::table::Family;
use crate::machine::host::{ABRT, End, Halt, Host};
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("exit", exit),
    ("_exit", exit_at_once),
    ("_Exit", exit_at_once),
    ("quick_exit", exit_at_once),
    ("abort", |_, _| aborted("the program aborts")),
    ("__assert_fail", |_, _| aborted("an assertion fails")),
    ("__cxa_bad_cast", |host, args| {
        exceptions::library_throw(host, "__cxa_bad_cast", args)
    }),
    ("__cxa_bad_typeid", |host, args| {
        exceptions::library_throw(host, "__cxa_bad_typeid", args)
    }),
    ("__cxa_throw_bad_array_new_length", |host, args| {
        exceptions::library_throw(host, "__cxa_throw_bad_array_new_length", args)
    }),
    ("_ZSt9terminatev", |_, _| {
        died("the program terminates itself")
    }),
    ("__cxa_pure_virtual", |_, _| {
        died("a pure virtual function is called")
    }),
    ("__stack_chk_fail", |_, _| died("the stack is smashed")),
    ("__cxa_guard_acquire", guard_acquire),
    ("__cxa_guard_release", guard_release),
    ("__cxa_guard_abort", zero),
    ("_ZNSt8ios_base4InitC1Ev", zero),
    ("_ZNSt8ios_base4InitD1Ev", zero),
    ("_ZNSt8ios_base15sync_with_stdioEb", zero),
    ("pthread_mutex_lock", zero),
    ("pthread_mutex_unlock", zero),
    ("pthread_mutex_init", zero),
    ("pthread_mutex_destroy", zero),
    ("pthread_mutexattr_init", zero),
    ("pthread_mutexattr_settype", zero),
    ("pthread_mutexattr_destroy", zero),
    ("pthread_attr_init", zero),
    ("pthread_attr_destroy", zero),
    ("pthread_attr_setdetachstate", zero),
    ("pthread_attr_setstacksize", zero),
    ("pthread_barrier_destroy", zero),
    ("pthread_cond_init", zero),
    ("pthread_cond_signal", zero),
    ("pthread_cond_broadcast", zero),
    ("pthread_cond_destroy", zero),
    ("pthread_setaffinity_np", zero),
    ("sem_init", zero),
    ("sem_post", zero),
    ("sem_destroy", zero),
    ("madvise", zero),
    ("posix_madvise", zero),
    ("posix_fadvise", zero),
    ("msync", zero),
    ("fsync", zero),
    ("sigemptyset", zero),
    ("sigaddset", zero),
    ("alarm", zero),
    ("setrlimit", zero),
    ("mallopt", zero),
];

fn zero(_: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Ok(Value::known(0))
}

fn aborted(how: &str) -> Result<Value, Halt> {
    let how = how.to_owned();
    Err(Halt::End(End::Killed { signal: ABRT, how }))
}

fn died(how: &str) -> Result<Value, Halt> {
    Err(Halt::End(End::Died(how.to_owned())))
}

/// An exception that nothing catches ends the process.
pub fn uncaught() -> Result<Value, Halt> {
    died("the program throws an exception")
}

fn exit(_: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Err(Halt::End(End::Exit(arg(args, 0).as_int().ok())))
}

/// No handler runs.
fn exit_at_once(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.at_exit.clear();
    exit(host, args)
}

fn guard_acquire(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let done = host.memory.load(arg(args, 0).get()?, 1).get()?;
    Ok(Value::int(i32::from(done == 0)))
}

fn guard_release(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.store(arg(args, 0), 1, Value::known(1));
    Ok(Value::known(0))
}
