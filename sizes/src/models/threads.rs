//! Threads, POSIX and the C++ library's. A thread runs to its end where it is started; where several use the device before all are joined, the
//! answer says that this order is assumed, and what any of them frees counts until then.

use super::number::arg;
use super::openmp::Teams;
use super::table::Family;
use crate::machine::host::{End, Halt, Host};
use crate::machine::mark::Source;
use crate::machine::run::Machine;
use crate::machine::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The models of this file but for the start of a thread, which calls back.
pub const MODELS: Family = &[
    ("pthread_join", join),
    ("pthread_exit", exit),
    ("pthread_self", |host, _| {
        Ok(Value::known(host.ledger.agent))
    }),
    ("__migfit_thread_begins", begins),
    ("__migfit_thread_ends", ends),
    ("_ZNSt6thread4joinEv", joined),
    ("_ZNSt6thread6detachEv", joined),
    ("_ZNSt6thread20hardware_concurrencyEv", processors),
    ("_ZNSt6thread6_StateD2Ev", zero),
    ("pthread_detach", zero),
    ("pthread_mutex_trylock", zero),
    ("_ZNSt18condition_variableC1Ev", zero),
    ("_ZNSt18condition_variableD1Ev", zero),
    ("_ZNSt18condition_variable10notify_oneEv", zero),
    ("_ZNSt18condition_variable10notify_allEv", zero),
    (
        "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
        wait,
    ),
    ("pthread_cond_timedwait", wait),
    ("pthread_barrier_init", barrier_init),
    ("pthread_barrier_wait", barrier_wait),
    ("pthread_cond_wait", wait),
    ("sem_wait", wait),
];

/// Starts a thread.
pub const START: &str = "pthread_create";
/// What waiting at a barrier gives to one of those that wait (`PTHREAD_BARRIER_SERIAL_THREAD`).
const SERIAL: i32 = -1;

/// The threads of one evaluation. The main thread has number 0.
#[derive(Debug, Default)]
pub struct Threads {
    started: u64,
    unjoined: BTreeSet<u64>,
    results: BTreeMap<u64, Value>,
    /// What the thread gave that is ending by `pthread_exit`.
    ending: Option<Value>,
    /// How many wait at each barrier, and how many have come.
    barriers: BTreeMap<u64, (u64, u64)>,
    /// Of the C++ library's threads that run: CUDA calls before they began.
    running: Vec<u64>,
    /// OpenMP's.
    pub teams: Teams,
}

impl Threads {
    /// No thread runs beside the main one.
    pub fn all_joined(&self) -> bool {
        self.unjoined.is_empty()
    }
}

fn zero(_: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    Ok(Value::int(0))
}

/// Runs a thread to its end.
pub fn start(machine: &mut Machine<'_>, args: &[Value]) -> Result<Value, Halt> {
    let host = &mut machine.host;
    host.threads.started += 1;
    let id = host.threads.started;
    host.store(arg(args, 0), 8, Value::known(id));
    host.ledger.open_window();
    host.threads.unjoined.insert(id);
    let starter = std::mem::replace(&mut host.ledger.agent, id);
    let floor = machine.frames.len();
    let gave = match machine.call_back(arg(args, 2), &[arg(args, 3)]) {
        Ok(gave) => gave,
        Err(Halt::Unknown(mark)) => {
            let place = machine.host.place;
            machine
                .host
                .notes
                .not_looked_into(place, "a thread's function");
            Value::unknown(mark)
        }
        Err(Halt::End(end)) => {
            let gave = machine.host.threads.ending.take();
            let gave = gave.ok_or(Halt::End(end))?;
            while machine.frames.len() > floor {
                machine.pop_frame();
            }
            gave
        }
        // What leaves a thread's function ends the process.
        Err(Halt::Thrown) => {
            let how = "an exception leaves a thread".to_owned();
            return Err(Halt::End(End::Died(how)));
        }
    };
    machine.host.ledger.agent = starter;
    machine.host.threads.results.insert(id, gave);
    Ok(Value::int(0))
}

fn join(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let id = arg(args, 0).get()?;
    if let Some(gave) = host.threads.results.get(&id).copied()
        && arg(args, 1) != Value::known(0)
    {
        host.store(arg(args, 1), 8, gave);
    }
    host.threads.unjoined.remove(&id);
    if host.threads.unjoined.is_empty() {
        finish(host);
    }
    Ok(Value::int(0))
}

/// All threads have ended, or the program has.
pub fn finish(host: &mut Host<'_>) {
    if host.ledger.close_window() {
        assume_order(host);
    }
}

/// Notes that the order is assumed.
pub fn assume_order(host: &mut Host<'_>) {
    let reason = "several use the device: they are taken to run one after the other as they are started, and what \
                  they free is taken to be held until all are joined";
    let place = host.place;
    host.notes.assume(place, "threads", reason.to_owned());
}

/// The end of this thread; of the process where it is the main one.
fn exit(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    if host.ledger.agent == 0 {
        return Err(Halt::End(End::Exit(Some(0))));
    }
    host.threads.ending = Some(arg(args, 0));
    Err(Halt::End(stopped("a thread's end")))
}

fn stopped(what: &str) -> End {
    End::Stopped {
        what: what.to_owned(),
        reason: "it waits for what another thread does".to_owned(),
    }
}

fn barrier_init(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (barrier, count) = (arg(args, 0).get()?, arg(args, 2).get()?);
    host.threads.barriers.insert(barrier, (count, 0));
    Ok(Value::int(0))
}

/// Those that wait here go on at once, each in its turn; only where one thread alone comes nothing is assumed.
fn barrier_wait(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let barrier = host.threads.barriers.get_mut(&arg(args, 0).get()?);
    let Some((count, come)) = barrier else {
        return Err(Halt::Unknown(host.mark(Source::Missing(
            "a barrier that was not made here".to_owned(),
        ))));
    };
    *come += 1;
    let (last, alone) = (*come % (*count).max(1) == 0, *count == 1);
    if !alone {
        assume_order(host);
    }
    Ok(Value::int(if last { SERIAL } else { 0 }))
}

/// The main thread finds that all others have ended; a thread would wait for ever.
fn wait(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    match host.ledger.agent {
        0 => Ok(Value::int(0)),
        _ => Err(Halt::End(stopped("a wait"))),
    }
}

/// A thread of the C++ library begins; the size program calls its function then.
fn begins(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    host.threads.running.push(host.notes.cuda_calls);
    Ok(Value::known(0))
}

/// A thread without CUDA calls changes nothing of what others do with the device.
fn ends(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    let before = host.threads.running.pop();
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

fn processors(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    let what = "the number of the host's processors".to_owned();
    Err(Halt::Unknown(host.mark(Source::Undefined(what))))
}
