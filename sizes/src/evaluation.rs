//! One evaluation from start to end: constructors, `main`, then the need and, where wanted, the trace.

use crate::input::{CommandLine, DeviceProperties, Limits};
use crate::machine::host::{End, Host};
use crate::machine::provenance::{LAYOUTS, Layout};
use crate::machine::run::Machine;
use crate::machine::start;
use crate::machine::step::UNSET;
use crate::machine::value::Value;
use crate::models::at_exit;
use crate::need::Need;
use crate::report;
use crate::trace::Trace;
use migfit_schema::profile::{JobProfile, Unknown};
use migfit_schema::program::SizeProgram;
use migfit_schema::site::Site;

/// What `command` needs of `device`. Reads the regular files that the program would read; has no other effect.
#[must_use]
pub fn evaluate(
    profile: &JobProfile,
    command: &CommandLine,
    device: &DeviceProperties,
    limits: &Limits,
) -> Need {
    let program = profile.program.as_ref();
    let first = run(profile, program, command, device, limits, false);
    let Some(checked) = profile.checked.as_ref().filter(|_| first.past_checks) else {
        return first.need;
    };
    // The same with the checks made: where that comes to the program's end it is what happens. Where not, the work
    // that the checks look at is too much or cannot be followed, and they are taken to pass.
    let second = run(profile, Some(checked), command, device, limits, false);
    if second.ended {
        second.need
    } else {
        first.need
    }
}

/// The same, with each conditional branch taken and each CUDA event: for tests of the slicer.
#[must_use]
pub fn evaluate_traced(
    profile: &JobProfile,
    command: &CommandLine,
    device: &DeviceProperties,
    limits: &Limits,
) -> (Need, Trace) {
    let program = profile.program.as_ref();
    let run = run(profile, program, command, device, limits, true);
    (run.need, run.trace)
}

/// What comes of one run.
struct Run {
    need: Need,
    trace: Trace,
    /// Whether the program came to its end.
    ended: bool,
    /// Whether something rests on a check of the host's own work that was not made.
    past_checks: bool,
    /// Where something first came to hang on where objects lie.
    address_used: Option<Site>,
}

impl Run {
    fn nothing(what: &str, reason: String) -> Run {
        Run {
            need: report::nothing(what, reason),
            trace: Trace::default(),
            ended: false,
            past_checks: false,
            address_used: None,
        }
    }
}

/// Where something hangs on where objects lie, several layouts are tried. One answer for all of them is the answer;
/// else what hangs on the layout is unknown.
fn run(
    profile: &JobProfile,
    program: Option<&SizeProgram>,
    command: &CommandLine,
    device: &DeviceProperties,
    limits: &Limits,
    traced: bool,
) -> Run {
    let Some(program) = program else {
        let failure = profile.summary.failure.clone();
        let reason = failure
            .unwrap_or_else(|| "the job profile holds none; build the program again".to_owned());
        return Run::nothing("size program", reason);
    };
    let under =
        |layout| match start::host(program, &profile.summary, command, device, limits, layout) {
            Ok(host) => run_host(host, program, limits, traced),
            Err(end) => Run::nothing("start of the program", format!("{end:?}")),
        };
    let [first, others @ ..] = LAYOUTS;
    let mut run = under(first);
    let Some(site) = run.address_used.take() else {
        return run;
    };
    let mut others = others.into_iter().map(|layout| under(layout).need);
    if !others.all(|other| says_the_same(&run.need, other)) {
        return under(Layout::Open);
    }
    let reason =
        "the program looks at addresses here; wherever objects were laid, the answer was this";
    run.need.notes.push(Unknown {
        site: (site.line > 0).then_some(site),
        what: "where objects lie".to_owned(),
        reason: reason.to_owned(),
    });
    run
}

fn says_the_same(one: &Need, other: Need) -> bool {
    let steps = one.steps;
    *one == Need { steps, ..other }
}

fn run_host(host: Host<'_>, program: &SizeProgram, limits: &Limits, traced: bool) -> Run {
    let mut machine = Machine::new(host, limits.steps, traced);
    machine.host.ledger.events = traced.then(Vec::new);
    let end = run_program(&mut machine, program);
    let place = machine.known_place();
    machine.host.place = place;
    machine.note_what_is_ahead(&end);
    machine.note_loose_floats();
    let mut trace = machine.trace.take().unwrap_or_default();
    trace.events = machine.host.ledger.events.take().unwrap_or_default();
    let mut checks = machine.host.ledger.taken_to_pass.iter();
    let past_checks = checks.any(|(_, on_device)| !on_device);
    let address_used = machine.host.address_used;
    Run {
        need: report::need(&mut machine.host, &end, place),
        trace,
        ended: matches!(end, End::Exit(_)),
        past_checks,
        address_used: address_used.map(|place| report::site(program, place)),
    }
}

/// Runs the program and, at its end, what was registered to run then; says how it ended.
fn run_program(machine: &mut Machine<'_>, program: &SizeProgram) -> End {
    let mut end = run_main(machine, program);
    while let End::Exit(code) = end {
        let Some(handler) = at_exit::next(&mut machine.host) else {
            break;
        };
        end = match handler.function.get() {
            Ok(address) => {
                let status = code.map_or(UNSET, Value::int);
                let arguments = handler.arguments(status);
                machine.at_end(address, &arguments).err().unwrap_or(end)
            }
            Err(mark) => {
                let why = machine.host.explain(mark);
                let reason = format!("it may allocate and launch: {why}");
                let place = machine.host.place;
                machine.host.notes.unknown(place, "handler at exit", reason);
                machine.host.notes.missed_allocation = true;
                end
            }
        };
    }
    end
}

/// Runs the constructors and `main`; says how it ended.
fn run_main(machine: &mut Machine<'_>, program: &SizeProgram) -> End {
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
