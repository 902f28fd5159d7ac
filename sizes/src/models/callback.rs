//! Library functions that call back into the program: qsort, bsearch, pthread_once, threads, graphs and host functions of CUDA.

use super::cuda::{graph_run, potential};
use super::number::arg;
use super::openmp;
use super::threads;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::object::Kind;
use crate::machine::run::Machine;
use crate::machine::value::Value;

/// True for a function that this file models.
pub fn is_model(name: &str) -> bool {
    model(name).is_some()
}

/// Runs one of them.
pub fn run(machine: &mut Machine<'_>, name: &str, args: &[Value]) -> Result<Value, Halt> {
    match model(name) {
        Some(model) => model(machine, args),
        None => Err(Mark::LEFT_OUT.into()),
    }
}

/// A model that may run code of the program.
type CallingModel = fn(&mut Machine<'_>, &[Value]) -> Result<Value, Halt>;

fn model(name: &str) -> Option<CallingModel> {
    Some(match name.strip_suffix("_ptsz").unwrap_or(name) {
        "qsort" => qsort,
        "bsearch" => bsearch,
        "pthread_once" => once,
        threads::START => threads::start,
        openmp::START => openmp::start,
        "cudaGraphLaunch" | "cuGraphLaunch" => graph_run::launch,
        "cudaLaunchHostFunc" | "cuLaunchHostFunc" => graph_run::host_function,
        "cudaStreamAddCallback" | "cuStreamAddCallback" => graph_run::callback,
        "cuOccupancyMaxPotentialBlockSize" => potential::best_block,
        _ => return None,
    })
}

/// (flag, function): glibc's flag is 2 where the function has run.
fn once(machine: &mut Machine<'_>, args: &[Value]) -> Result<Value, Halt> {
    let flag = arg(args, 0);
    let has_run = machine.host.memory.load(flag.get()?, 4).get()? != 0;
    if !has_run {
        machine.host.store(flag, 4, Value::known(2));
        machine.call_back(arg(args, 1), &[])?;
    }
    Ok(Value::known(0))
}

/// A merge sort, as glibc's: stable, which programs that rely on glibc may notice.
fn qsort(machine: &mut Machine<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (base, count, size) = (
        arg(args, 0).get()?,
        arg(args, 1).get()?,
        arg(args, 2).get()?,
    );
    let total = count.saturating_mul(size);
    if size == 0 || count < 2 {
        return Ok(Value::known(0));
    }
    let bytes = machine
        .host
        .bytes(Value::known(base), total)
        .inspect_err(|mark| {
            machine.host.memory.spoil(base, total, *mark);
        })?;
    let chunk = usize::try_from(size).unwrap_or(usize::MAX);
    let mut elements: Vec<&[u8]> = bytes.chunks(chunk).collect();
    let mut slots = [0; 2];
    for slot in &mut slots {
        *slot = machine.host.memory.add(Kind::Host, size, Mark::KNOWN)?;
    }
    let sorted = merge_sort(machine, &mut elements, slots, arg(args, 3));
    for slot in slots {
        machine.host.memory.free(slot);
    }
    match sorted {
        Ok(()) => machine.host.write(Value::known(base), &elements.concat()),
        Err(Halt::Unknown(mark)) => machine.host.memory.spoil(base, total, mark),
        Err(end) => return Err(end),
    }
    Ok(Value::known(0))
}

fn merge_sort(
    machine: &mut Machine<'_>,
    elements: &mut Vec<&[u8]>,
    slots: [u64; 2],
    compare: Value,
) -> Result<(), Halt> {
    let mut width = 1;
    while width < elements.len() {
        let mut merged = Vec::with_capacity(elements.len());
        for run in elements.chunks(2 * width) {
            let (left, right) = run.split_at(width.min(run.len()));
            let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
            while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
                let after = compared(&mut machine.host, slots, a, b);
                let order = machine.call_back(compare, &after)?.as_int()?;
                merged.extend(if order <= 0 {
                    left.next()
                } else {
                    right.next()
                });
            }
            merged.extend(left);
            merged.extend(right);
        }
        *elements = merged;
        width *= 2;
    }
    Ok(())
}

/// Puts two elements where the comparator finds them.
fn compared(host: &mut Host<'_>, slots: [u64; 2], a: &[u8], b: &[u8]) -> [Value; 2] {
    let [first, second] = slots;
    host.memory.write(first, a);
    host.memory.write(second, b);
    slots.map(Value::known)
}

fn bsearch(machine: &mut Machine<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (key, base) = (arg(args, 0), arg(args, 1).get()?);
    let (mut low, mut high) = (0, arg(args, 2).get()?);
    let size = arg(args, 3).get()?;
    while low < high {
        let middle = low + (high - low) / 2;
        let element = Value::known(base.wrapping_add(middle.wrapping_mul(size)));
        match machine.call_back(arg(args, 4), &[key, element])?.as_int()? {
            0 => return Ok(element),
            order if order < 0 => high = middle,
            _ => low = middle + 1,
        }
    }
    Ok(Value::known(0))
}
