//! The environment: getenv, setenv and their relatives, and the list that `main` and `environ` see. Variables that a
//! run on a slice sets itself are not known before it.

use super::number::arg;
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::{Mark, Source};
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
    /// Address of the C library's pointer to the list, where the program names it.
    pub pointer: Option<u64>,
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
    make_list(host)
}

fn set_by_run(name: &[u8]) -> bool {
    SET_BY_RUN.contains(&name) || name.starts_with(OURS)
}

/// Makes the list anew: the texts, something unknown for what the run adds, null.
fn make_list(host: &mut Host<'_>) -> Result<(), Full> {
    let texts = host.environment.entries.iter().map(|(_, text)| *text);
    let mut slots: Vec<Value> = texts.map(Value::known).collect();
    if !host.environment.cleared {
        let what = "the variables that a run on a slice adds".to_owned();
        slots.push(host.unknown(Source::Undefined(what)));
    }
    slots.push(Value::known(0));
    let size = 8 * slots.len() as u64;
    let list = host.memory.add(Kind::Host, size, Mark::KNOWN)?;
    for (index, slot) in slots.into_iter().enumerate() {
        host.memory.store(list + 8 * index as u64, 8, slot);
    }
    host.environment.list = list;
    if let Some(pointer) = host.environment.pointer {
        host.memory.store(pointer, 8, Value::known(list));
    }
    Ok(())
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
    if set_by_run(&name) && !host.environment.cleared {
        let name = String::from_utf8_lossy(&name);
        let what = format!("the variable {name}, which a run on a slice sets");
        return Ok(host.unknown(Source::Undefined(what)));
    }
    Ok(Value::known(0))
}

/// Gives a name a text; where it had one, in its slot of the list.
fn put(host: &mut Host<'_>, name: Vec<u8>, text: u64) -> Result<(), Full> {
    let entries = &mut host.environment.entries;
    match entries.iter().position(|(key, _)| *key == name) {
        Some(index) => {
            if let Some(entry) = entries.get_mut(index) {
                entry.1 = text;
            }
            let slot = host.environment.list + 8 * index as u64;
            host.memory.store(slot, 8, Value::known(text));
            Ok(())
        }
        None => {
            entries.push((name, text));
            make_list(host)
        }
    }
}

/// (name, value, whether to replace one that is there).
fn setenv(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (name, value) = (host.text(arg(args, 0))?, host.text(arg(args, 1))?);
    let replaces = arg(args, 2).as_int()? != 0;
    let is_there = host.environment.entries.iter().any(|(key, _)| *key == name);
    if replaces || !is_there {
        let text = host.new_text(&[&name[..], b"=", &value[..]].concat())?;
        put(host, name, text)?;
    }
    Ok(Value::int(0))
}

/// (`NAME=value`): the text itself becomes part of the environment; without an equals sign the name is taken away.
fn putenv(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = host.text(arg(args, 0))?;
    match text.iter().position(|byte| *byte == b'=') {
        Some(at) => put(
            host,
            text.into_iter().take(at).collect(),
            arg(args, 0).get()?,
        )?,
        None => take_away(host, &text)?,
    }
    Ok(Value::int(0))
}

fn take_away(host: &mut Host<'_>, name: &[u8]) -> Result<(), Full> {
    host.environment.entries.retain(|(key, _)| key != name);
    make_list(host)
}

fn unsetenv(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let name = host.text(arg(args, 0))?;
    take_away(host, &name)?;
    Ok(Value::int(0))
}

fn clearenv(host: &mut Host<'_>, _: &[Value]) -> Result<Value, Halt> {
    host.environment.entries.clear();
    host.environment.cleared = true;
    make_list(host)?;
    Ok(Value::int(0))
}
