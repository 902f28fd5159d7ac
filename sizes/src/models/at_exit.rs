//! What runs when the process ends: handlers of atexit, destructors of static and thread-local objects. Registering is
//! here; who runs them is `evaluation`.

use super::number::arg;
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("atexit", |host, args| {
        register(host, [arg(args, 0), Value::known(0)], Kind::Plain)
    }),
    ("__cxa_atexit", |host, args| {
        register(host, [arg(args, 0), arg(args, 1)], Kind::Plain)
    }),
    ("on_exit", |host, args| {
        register(host, [arg(args, 0), arg(args, 1)], Kind::WithStatus)
    }),
    ("__cxa_thread_atexit", |host, args| {
        register(host, [arg(args, 0), arg(args, 1)], Kind::OfThread)
    }),
];

/// What a handler is given, and when it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// What it was registered with.
    Plain,
    /// The exit's status before that.
    WithStatus,
    /// As the plain ones, before all others.
    OfThread,
}

/// One handler.
#[derive(Clone, Copy, Debug)]
pub struct Handler {
    /// The function.
    pub function: Value,
    with: Value,
    kind: Kind,
}

impl Handler {
    /// The arguments of its call.
    pub fn arguments(self, status: Value) -> Vec<Value> {
        match self.kind {
            Kind::WithStatus => vec![status, self.with],
            Kind::Plain | Kind::OfThread => vec![self.with],
        }
    }
}

fn register(host: &mut Host<'_>, [function, with]: [Value; 2], kind: Kind) -> Result<Value, Halt> {
    host.at_exit.push(Handler {
        function,
        with,
        kind,
    });
    Ok(Value::int(0))
}

/// Takes the handler that runs next.
pub fn next(host: &mut Host<'_>) -> Option<Handler> {
    let of_thread = host
        .at_exit
        .iter()
        .rposition(|handler| handler.kind == Kind::OfThread);
    match of_thread {
        Some(index) => Some(host.at_exit.remove(index)),
        None => host.at_exit.pop(),
    }
}
