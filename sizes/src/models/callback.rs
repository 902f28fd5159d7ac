//! Library functions that call back into the program: qsort, bsearch, pthread_once, threads, graphs and host functions of CUDA.

use super::cuda::{graph_run, potential};
use super::number::arg;
use super::openmp;
use super::threads;
use crate::machine::host::Halt;
use crate::machine::mark::Mark;
use crate::machine::object::Kind;
use crate::machine::run::Machine;
use crate::machine::sign;
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

/// A merge sort, as glibc's: stable, which programs that rely on glibc may notice. Elements are moved, never looked at:
/// they may hold addresses, and what nobody knows.
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
    let memory = &mut machine.host.memory;
    if memory.room(base) < total {
        let mark = memory.missing(base);
        memory.spoil(base, total, mark);
        return Err(mark.into());
    }
    let before = memory.add(Kind::Host, total, Mark::KNOWN)?;
    let mut slots = [0; 2];
    for slot in &mut slots {
        *slot = memory.add(Kind::Host, size, Mark::KNOWN)?;
    }
    memory.copy(before, base, total);
    machine.host.charge_bytes(total);
    let mut elements: Vec<u64> = (0..count).map(|index| before + index * size).collect();
    let sorted = merge_sort(machine, &mut elements, (slots, size), arg(args, 3));
    let memory = &mut machine.host.memory;
    if sorted.is_ok() {
        for (index, element) in (0..).zip(&elements) {
            memory.copy(base + index * size, *element, size);
        }
    }
    for scratch in slots.into_iter().chain([before]) {
        memory.free(scratch);
    }
    match sorted {
        Ok(()) => machine.host.charge_bytes(total),
        Err(Halt::Unknown(mark)) => memory.spoil(base, total, mark),
        Err(end) => return Err(end),
    }
    Ok(Value::known(0))
}

/// Sorts the addresses of elements; the comparator sees copies of two at a time.
fn merge_sort(
    machine: &mut Machine<'_>,
    elements: &mut Vec<u64>,
    (slots, size): ([u64; 2], u64),
    compare: Value,
) -> Result<(), Halt> {
    let mut width = 1;
    while width < elements.len() {
        let mut merged = Vec::with_capacity(elements.len());
        for run in elements.chunks(2 * width) {
            let (left, right) = run.split_at(width.min(run.len()));
            let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
            while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
                for (slot, element) in slots.iter().zip([**a, **b]) {
                    machine.host.memory.copy(*slot, element, size);
                }
                let after = slots.map(Value::known);
                let order = sign::sign(machine.call_back(compare, &after)?)?;
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

fn bsearch(machine: &mut Machine<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (key, base) = (arg(args, 0), arg(args, 1).get()?);
    let (mut low, mut high) = (0, arg(args, 2).get()?);
    let size = arg(args, 3).get()?;
    while low < high {
        let middle = low + (high - low) / 2;
        let element = Value::known(base.wrapping_add(middle.wrapping_mul(size)));
        match sign::sign(machine.call_back(arg(args, 4), &[key, element])?)? {
            0 => return Ok(element),
            order if order < 0 => high = middle,
            _ => low = middle + 1,
        }
    }
    Ok(Value::known(0))
}
