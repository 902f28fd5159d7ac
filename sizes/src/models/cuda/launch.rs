//! Launch configurations and launches.

use super::graph::{self, Step};
use super::kernel;
use super::refusal::refusal;
use super::{failure, opt_in};
use crate::ledger::Shape;
use crate::machine::host::{Configuration, Halt, Host};
use crate::machine::mark::{Mark, Source};
use crate::machine::step::UNSET;
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;
use migfit_schema::kernel::Extent;
use migfit_schema::program::Place;

/// The models of this file.
pub const MODELS: Family = &[
    ("__cudaPushCallConfiguration", push),
    ("__cudaPopCallConfiguration", pop),
    ("cudaLaunchKernel", launch_kernel),
    ("__cudaLaunchKernel", launch_kernel),
    ("cudaLaunchCooperativeKernel", launch_kernel),
    ("cudaLaunchKernelExC", launch_by_structure),
    ("__cudaGetKernel", get_kernel),
    ("cudaGetKernel", get_kernel),
    ("cudaGetFuncBySymbol", get_kernel),
];

/// (grid x and y, grid z, block x and y, block z, shared, stream).
fn configuration(args: &[Value], place: Place) -> Configuration {
    Configuration {
        grid_xy: arg(args, 0),
        grid_z: arg(args, 1),
        block_xy: arg(args, 2),
        block_z: arg(args, 3),
        shared: arg(args, 4),
        stream: arg(args, 5),
        place,
    }
}

fn push(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    // A pushed configuration that nothing uses is one whose launch was left out.
    const MOST: usize = 1024;
    if host.pushed.len() >= MOST {
        host.pushed.clear();
    }
    host.pushed.push(configuration(args, host.place));
    Ok(Value::known(0))
}

/// (grid, block, shared, stream): writes the configuration back, where stubs keep their bodies.
fn pop(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let Some(pushed) = host.pushed.pop() else {
        return Ok(Value::int(1));
    };
    let dims = [
        (0, pushed.grid_xy, pushed.grid_z),
        (1, pushed.block_xy, pushed.block_z),
    ];
    for (index, xy, z) in dims {
        let to = arg(args, index);
        host.store(to, 8, xy);
        host.store(to.moved_to(to.bits.wrapping_add(8)), 4, z);
    }
    host.store(arg(args, 2), 8, pushed.shared);
    host.store(arg(args, 3), 8, pushed.stream);
    Ok(Value::known(0))
}

/// Launches with the configuration pushed last.
pub fn launch_pushed(host: &mut Host<'_>, symbol: &str) {
    let pushed = host
        .pushed
        .pop()
        .unwrap_or_else(|| configuration(&[UNSET; 6], host.place));
    // People look for a launch where they wrote the triple brackets, not in the kernel's stub.
    if pushed.place.line > 0 {
        host.place = pushed.place;
    }
    launch_by_runtime(host, symbol, &pushed);
}

/// (function, grid x and y, grid z, block x and y, block z, arguments, shared, stream).
fn launch_kernel(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let mut numbers = args.get(1..5).unwrap_or_default().to_vec();
    numbers.extend([arg(args, 6), arg(args, 7)]);
    let with = configuration(&numbers, host.place);
    launch_named(host, arg(args, 0), &with)
}

/// (cudaLaunchConfig_t: grid, block, shared at 24, stream at 32; function, arguments).
fn launch_by_structure(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let at = arg(args, 0).get()?;
    let field = |offset: u64, size: usize| host.memory.load(at.wrapping_add(offset), size);
    let fields = [(0, 8), (8, 4), (12, 8), (20, 4), (24, 8), (32, 8)];
    let with = configuration(
        &fields.map(|(offset, size)| field(offset, size)),
        host.place,
    );
    launch_named(host, arg(args, 1), &with)
}

/// A launch of a kernel whose name is not known.
pub fn note_unknown_kernel(host: &mut Host<'_>, function: Value) {
    let reason = match function.mark.is_hard() {
        true => host.explain(function.mark),
        false => "its function is not known".to_owned(),
    };
    let place = host.place;
    host.notes.unknown(place, "kernel of a launch", reason);
    host.notes.unknown_shape = true;
}

fn launch_named(host: &mut Host<'_>, function: Value, with: &Configuration) -> Result<Value, Halt> {
    let symbol = kernel::symbol(host, function);
    if symbol.is_none() {
        note_unknown_kernel(host, function);
    }
    let status = launch_by_runtime(host, symbol.as_deref().unwrap_or("?"), with);
    Ok(failure::status(status))
}

/// (out, function): the handle is the function itself.
fn get_kernel(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.store(arg(args, 0), 8, arg(args, 1));
    Ok(Value::known(0))
}

/// Launches and gives the runtime's status, which is its last error where it is none of success.
fn launch_by_runtime(host: &mut Host<'_>, symbol: &str, with: &Configuration) -> i32 {
    let refused = launch(host, symbol, with);
    if let Some(error) = refused {
        host.call_fails(error);
    }
    refused.unwrap_or(0)
}

/// Notes a launch, or a node of a graph where its stream is captured.
pub fn launch(host: &mut Host<'_>, symbol: &str, with: &Configuration) -> Option<i32> {
    if host.graphs.is_capturing() {
        let step = Step::Launch {
            symbol: Some(symbol.to_owned()),
            with: Configuration {
                place: host.place,
                ..*with
            },
        };
        graph::capture(host, with.stream, step)?;
    }
    launch_now(host, symbol, with)
}

/// Notes a launch; what kernels may write becomes unknown. One that is refused is only told, with its error.
pub fn launch_now(host: &mut Host<'_>, symbol: &str, with: &Configuration) -> Option<i32> {
    host.notes.cuda_calls += 1;
    let shape = Shape {
        place: host.place,
        kernel: symbol.to_owned(),
        grid: extent(with.grid_xy, with.grid_z),
        block: extent(with.block_xy, with.block_z),
        shared: with.shared.get().ok(),
    };
    if let Some(refusal) = refusal(
        shape.grid,
        shape.block,
        shape.shared,
        opt_in::limit(host, symbol),
    ) {
        let what = format!("launch of {}", name_of(host, symbol));
        let reason = format!("it is refused by the driver: {}", refusal.what);
        failure::note(host, &what, reason, false);
        return Some(refusal.error);
    }
    let parts = [
        ("grid", with.grid_xy.mark.with(with.grid_z.mark)),
        ("block", with.block_xy.mark.with(with.block_z.mark)),
        ("dynamic shared memory", with.shared.mark),
    ];
    for (part, mark) in parts {
        note_unknown(host, symbol, part, mark);
    }
    host.notes.rest_on_unseen();
    let now = host.steps;
    host.ledger.launch(shape, now);
    let mark = host.mark(Source::Device);
    host.memory.spoil_managed(mark);
    None
}

fn extent(xy: Value, z: Value) -> Option<Extent> {
    let (xy, z) = (xy.get().ok()?, z.get().ok()?);
    Some(Extent {
        x: xy as u32,
        y: (xy >> 32) as u32,
        z: z as u32,
    })
}

/// The kernel's name for people.
fn name_of(host: &Host<'_>, symbol: &str) -> String {
    let mut names = host.program.kernels.iter();
    let name = names.find(|(kernel, _)| kernel == symbol);
    name.map_or(symbol, |(_, name)| name).to_owned()
}

fn note_unknown(host: &mut Host<'_>, symbol: &str, part: &str, mark: Mark) {
    let what = format!("{part} of {}", name_of(host, symbol));
    if mark == Mark::ELASTIC {
        let place = host.place;
        host.notes.take_what_is_free(place, &what);
    }
    if !mark.is_hard() {
        return;
    }
    let (place, reason) = (host.place, host.explain(mark));
    host.notes.unknown(place, &what, reason);
    host.notes.unknown_shape = true;
}
