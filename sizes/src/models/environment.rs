//! The environment: getenv, setenv and their relatives, and the list that `main` and `environ` see. Variables that a
//! run on a slice sets itself are not known before it; neither are the length and the order of the list.

use super::number::arg;
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Source;
use crate::machine::memory::Full;
use crate::machine::object::Kind;
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("getenv", getenv),
    ("secure_getenv", getenv),
    ("setenv", setenv),
    ("putenv", putenv),
    ("unsetenv", unsetenv),
    ("clearenv", clearenv),
];

/// What a run on a slice sets, beside everything that begins with `OURS`.
const SET_BY_RUN: [&[u8]; 3] = [b"CUDA_VISIBLE_DEVICES", b"LD_LIBRARY_PATH", b"LD_PRELOAD"];
/// How migfit's own variables begin.
const OURS: &[u8] = b"MIGFIT";

/// The environment of the evaluated program.
#[derive(Debug, Default)]
pub struct Environment {
    /// Names with the addresses of their texts, `NAME=value`.
    entries: Vec<(Vec<u8>, u64)>,
    /// Address of the list of texts.
    pub list: u64,
    /// Of what a run sets: what the program took away.
    unset: Vec<Vec<u8>>,
    /// The program took everything away.
    cleared: bool,
}

/// Fills the environment with what the program is started with.
pub fn start(host: &mut Host<'_>) -> Result<(), Full> {
    let command = host.command;
    for (name, value) in &command.env {
        if !set_by_run(name.as_bytes()) {
            let text = host.new_text(format!("{name}={value}").as_bytes())?;
            let name = name.clone().into_bytes();
            host.environment.entries.push((name, text));
        }
    }
    let what = "the variables that a run on a slice adds, and the order of all".to_owned();
    let mark = host.mark(Source::Undefined(what));
    let size = 8 * (command.env.len() as u64 + 1);
    host.environment.list = host.memory.add(Kind::Host, size, mark)?;
    Ok(())
}

fn set_by_run(name: &[u8]) -> bool {
    SET_BY_RUN.contains(&name) || name.starts_with(OURS)
}

fn getenv(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let name = host.text(arg(args, 0))?;
    let found = host
        .environment
        .entries
        .iter()
        .find(|(key, _)| *key == name);
    if let Some((name, text)) = found {
        return Ok(Value::known(text + name.len() as u64 + 1));
    }
    let is_gone = host.environment.cleared || host.environment.unset.contains(&name);
    if set_by_run(&name) && !is_gone {
        let name = String::from_utf8_lossy(&name);
        let what = format!("the variable {name}, which a run on a slice sets");
        return Ok(host.unknown(Source::Undefined(what)));
    }
    Ok(Value::known(0))
}

/// What a variable holds now.
pub fn value_of(host: &mut Host<'_>, name: &str) -> Option<Vec<u8>> {
    let mut entries = host.environment.entries.iter();
    let (name, text) = entries.find(|(key, _)| key == name.as_bytes())?;
    let value = Value::known(text + name.len() as u64 + 1);
    host.text(value).ok()
}

/// Gives a name a text.
fn put(host: &mut Host<'_>, name: Vec<u8>, text: u64) {
    let entries = &mut host.environment.entries;
    match entries.iter_mut().find(|(key, _)| *key == name) {
        Some(entry) => entry.1 = text,
        None => entries.push((name, text)),
    }
}

/// (name, value, whether to replace one that is there).
fn setenv(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (name, value) = (host.text(arg(args, 0))?, host.text(arg(args, 1))?);
    let replaces = arg(args, 2).as_int()? != 0;
    let is_there = host.environment.entries.iter().any(|(key, _)| *key == name);
    if replaces || !is_there {
        let text = host.new_text(&[&name[..], b"=", &value[..]].concat())?;
        put(host, name, text);
    }
    Ok(Value::int(0))
}

/// (`NAME=value`): the text itself becomes part of the environment; without an equals sign the name is taken away.
fn putenv(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = host.text(arg(args, 0))?;
    match text.iter().position(|byte| *byte == b'=') {
        Some(at) => {
            let address = arg(args, 0).get()?;
            put(host, text.into_iter().take(at).collect(), address);
        }
        None => take_away(host, &text),
    }
    Ok(Value::int(0))
}

fn take_away(host: &mut Host<'_>, name: &[u8]) {
    let environment = &mut host.environment;
    environment.entries.retain(|(key, _)| key != name);
    if set_by_run(name) {
        environment.unset.push(name.to_vec());
    }
}

fn unsetenv(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let name = host.text(arg(args, 0))?;
    take_away(host, &name);
    Ok(Value::int(0))
}

fn clearenv(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    host.environment.entries.clear();
    host.environment.cleared = true;
    Ok(Value::int(0))
}
