//! One evaluation from start to end: constructors, `main`, then the need and, where wanted, the trace.

use crate::assumed::{self, Given};
use crate::explain::{self, SiteTree};
use crate::input::{CommandLine, DeviceProperties, Limits};
use crate::machine::host::{End, Host};
use crate::machine::patience::Patience;
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
use migfit_schema::program::{Place, SizeProgram};
use migfit_schema::site::Site;

/// What `command` needs of `device`. Reads the regular files that the program would read; has no other effect.
#[must_use]
pub fn evaluate(
    profile: &JobProfile,
    command: &CommandLine,
    device: &DeviceProperties,
    limits: &Limits,
) -> Need {
    best(profile, command, device, limits, Wanted::within(limits)).need
}

/// The same, where the user says what the evaluation cannot know. `given` was held against the program
/// (`assumed::check`).
#[must_use]
pub fn evaluate_given(
    profile: &JobProfile,
    command: &CommandLine,
    device: &DeviceProperties,
    limits: &Limits,
    given: &[Given],
) -> Need {
    let wanted = Wanted {
        given,
        ..Wanted::within(limits)
    };
    best(profile, command, device, limits, wanted).need
}

/// The same, with the trees of all sizes back to the program's inputs.
#[must_use]
pub fn evaluate_explained(
    profile: &JobProfile,
    command: &CommandLine,
    device: &DeviceProperties,
    limits: &Limits,
    given: &[Given],
) -> (Need, Vec<SiteTree>) {
    let wanted = Wanted {
        given,
        explained: true,
        ..Wanted::within(limits)
    };
    let run = best(profile, command, device, limits, wanted);
    (run.need, run.trees)
}

/// What is wanted of an evaluation beside the need, what the user says, and how long it may take.
#[derive(Clone, Copy)]
struct Wanted<'g> {
    given: &'g [Given],
    traced: bool,
    explained: bool,
    patience: Patience,
}

impl Wanted<'_> {
    fn within(limits: &Limits) -> Wanted<'static> {
        Wanted {
            given: &[],
            traced: false,
            explained: false,
            patience: Patience::new(limits),
        }
    }
}

fn best(
    profile: &JobProfile,
    command: &CommandLine,
    device: &DeviceProperties,
    limits: &Limits,
    wanted: Wanted<'_>,
) -> Run {
    let program = profile.program.as_ref();
    let first = run(profile, program, command, device, limits, wanted);
    let Some(checked) = profile.checked.as_ref().filter(|_| first.past_checks) else {
        return first;
    };
    // The same with the checks made: where that comes to the program's end it is what happens. Where not, the work
    // that the checks look at is too much or cannot be followed, and they are taken to pass.
    let second = run(profile, Some(checked), command, device, limits, wanted);
    if second.ended { second } else { first }
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
    let wanted = Wanted {
        traced: true,
        ..Wanted::within(limits)
    };
    let run = run(profile, program, command, device, limits, wanted);
    (run.need, run.trace)
}

/// What comes of one run.
struct Run {
    need: Need,
    trace: Trace,
    /// Where the sizes come from, where that is wanted.
    trees: Vec<SiteTree>,
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
            trees: Vec::new(),
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
    wanted: Wanted<'_>,
) -> Run {
    let Some(program) = program else {
        let failure = profile.summary.failure.clone();
        let reason = failure
            .unwrap_or_else(|| "the job profile holds none; build the program again".to_owned());
        return Run::nothing("size program", reason);
    };
    let program = assumed::with_values(program, wanted.given);
    let program = &*program;
    let under =
        |layout| match start::host(program, &profile.summary, command, device, limits, layout) {
            Ok(host) => run_host(host, profile, program, wanted),
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

fn run_host(
    mut host: Host<'_>,
    profile: &JobProfile,
    program: &SizeProgram,
    wanted: Wanted<'_>,
) -> Run {
    host.word.all = wanted.given.to_vec();
    host.word.all.extend(Given::annotations(&profile.summary));
    let mut machine = Machine::new(host, wanted.patience, wanted.traced);
    if wanted.explained {
        machine.watch();
    }
    machine.host.ledger.events = wanted.traced.then(Vec::new);
    let end = run_program(&mut machine, program);
    let end = machine.host.unless_handled(end);
    let place = machine.known_place();
    machine.host.place = place;
    machine.note_what_is_ahead(&end);
    machine.note_loose_floats();
    machine.host.note_unused_words(wanted.given.len());
    note_unusable(&mut machine.host, profile);
    let mut trace = machine.trace.take().unwrap_or_default();
    trace.events = machine.host.ledger.events.take().unwrap_or_default();
    let mut checks = machine.host.ledger.taken_to_pass.iter();
    let past_checks = checks.any(|(_, on_device)| !on_device);
    let address_used = machine.host.address_used;
    machine.watch_end();
    let watch = machine.watch.take();
    let trees = watch.map(|watch| explain::sites(program, Some(&watch)));
    Run {
        need: report::need(&mut machine.host, &end, place),
        trace,
        trees: trees.unwrap_or_default(),
        ended: matches!(end, End::Exit(_) | End::Killed { .. }),
        past_checks,
        address_used: address_used.map(|place| report::site(program, place)),
    }
}

/// Comments in the source that cannot be used are never passed over.
fn note_unusable(host: &mut Host<'_>, profile: &JobProfile) {
    for annotation in &profile.summary.annotations {
        if let Some(trouble) = &annotation.trouble {
            let what = format!("comment at {}, '{}'", annotation.site, annotation.said);
            host.notes.unknown(Place::default(), &what, trouble.clone());
        }
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
        Ok(results) => {
            let code = results.first().and_then(|code| code.as_int().ok());
            machine.host.returned = code.is_none_or(|code| code == 0);
            End::Exit(code)
        }
        Err(end) => end,
    }
}
