//! One evaluation from start to end: constructors, `main`, then the need and, where wanted, the trace.

use crate::input::{CommandLine, DeviceProperties, Limits};
use crate::machine::host::End;
use crate::machine::run::Machine;
use crate::machine::start;
use crate::need::Need;
use crate::report;
use crate::trace::Trace;
use migfit_schema::profile::JobProfile;
use migfit_schema::program::SizeProgram;

/// What `command` needs of `device`. Reads the regular files that the program would read; has no other effect.
#[must_use]
pub fn evaluate(
    profile: &JobProfile,
    command: &CommandLine,
    device: &DeviceProperties,
    limits: &Limits,
) -> Need {
    run(profile, command, device, limits, false).0
}

/// The same, with each conditional branch taken and each CUDA event: for tests of the slicer.
#[must_use]
pub fn evaluate_traced(
    profile: &JobProfile,
    command: &CommandLine,
    device: &DeviceProperties,
    limits: &Limits,
) -> (Need, Trace) {
    run(profile, command, device, limits, true)
}

fn run(
    profile: &JobProfile,
    command: &CommandLine,
    device: &DeviceProperties,
    limits: &Limits,
    traced: bool,
) -> (Need, Trace) {
    let Some(program) = &profile.program else {
        let failure = profile.summary.failure.clone();
        let reason = failure
            .unwrap_or_else(|| "the job profile holds none; build the program again".to_owned());
        return (report::nothing("size program", reason), Trace::default());
    };
    let host = match start::host(program, &profile.summary, command, device, limits) {
        Ok(host) => host,
        Err(end) => {
            return (
                report::nothing("start of the program", format!("{end:?}")),
                Trace::default(),
            );
        }
    };
    let mut machine = Machine::new(host, limits.steps, traced);
    machine.host.ledger.events = traced.then(Vec::new);
    let end = run_program(&mut machine, program);
    let place = machine.known_place();
    machine.host.place = place;
    machine.note_what_is_ahead(&end);
    machine.note_loose_floats();
    let mut trace = machine.trace.take().unwrap_or_default();
    trace.events = machine.host.ledger.events.take().unwrap_or_default();
    (report::need(&mut machine.host, &end, place), trace)
}

/// Runs the constructors and `main`; says how it ended.
fn run_program(machine: &mut Machine<'_>, program: &SizeProgram) -> End {
    for constructor in &program.constructors {
        if let Err(end) = machine.run_function(*constructor, &[]) {
            return end;
        }
    }
    let Some(main) = program.main else {
        return End::Stopped {
            what: "main".to_owned(),
            reason: "the program has none that analysis saw".to_owned(),
        };
    };
    let args = match start::main_args(&mut machine.host) {
        Ok(args) => args,
        Err(end) => return end,
    };
    match machine.run_function(main, &args) {
        Ok(results) => End::Exit(results.first().and_then(|code| code.as_int().ok())),
        Err(end) => end,
    }
}
