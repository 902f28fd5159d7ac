//! The block size with the most threads on an SM, as the driver and the runtime's header look for it.

use super::{kernel, occupancy, query};
use crate::machine::host::Halt;
use crate::machine::mark::Source;
use crate::machine::run::Machine;
use crate::machine::value::Value;
use crate::models::number::arg;

/// Threads of a warp.
const WARP: u32 = 32;
/// Most threads of a block.
const MOST: u32 = 1024;

/// (grid out, block out, function, shared memory by block or null, shared memory, limit).
pub fn best_block(machine: &mut Machine<'_>, args: &[Value]) -> Result<Value, Halt> {
    let host = &mut machine.host;
    let symbol = kernel::symbol(host, arg(args, 2));
    let found = symbol
        .as_deref()
        .and_then(|symbol| kernel::known(host, symbol));
    let kernel = match found {
        Some(kernel) => query::used(host, kernel),
        None => query::assumed_unseen(host, symbol.as_deref().unwrap_or("?")),
    };
    let device = host.device;
    let sms = host.device.sm_count;
    let limit = match arg(args, 5).as_int()? {
        limit if limit > 0 => limit.cast_unsigned().min(MOST),
        _ => MOST,
    };
    let (mut best, mut block, mut grid) = (0, 0, 0);
    let mut aligned = limit.next_multiple_of(WARP);
    while aligned > 0 {
        let threads = aligned.min(limit);
        let shared = shared_of(machine, args, threads)?;
        let Some(blocks) = occupancy::blocks_per_sm(kernel, device, threads, shared) else {
            let mark = machine
                .host
                .mark(Source::Property("occupancy of a kernel".to_owned()));
            machine.host.store(arg(args, 0), 4, Value::unknown(mark));
            machine.host.store(arg(args, 1), 4, Value::unknown(mark));
            return Ok(Value::int(0));
        };
        if blocks * threads > best {
            (best, block, grid) = (blocks * threads, threads, blocks * sms);
        }
        aligned -= WARP;
    }
    machine.host.notes.cuda_calls += 1;
    machine
        .host
        .store(arg(args, 0), 4, Value::known(u64::from(grid)));
    machine
        .host
        .store(arg(args, 1), 4, Value::known(u64::from(block)));
    Ok(Value::int(0))
}

fn shared_of(machine: &mut Machine<'_>, args: &[Value], threads: u32) -> Result<u64, Halt> {
    let by_block = arg(args, 3);
    if by_block == Value::known(0) {
        return Ok(arg(args, 4).get()?);
    }
    let given = [Value::known(u64::from(threads))];
    Ok(machine.call_back(by_block, &given)?.get()?)
}
