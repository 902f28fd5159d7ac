//! From what an evaluation noted to the need: sites instead of places, one verdict, nothing unknown dropped.

use crate::ledger::{Launches, Requests};
use crate::machine::host::{End, Host, Notes};
use crate::models::cuda::limits;
use crate::models::threads;
use crate::need::{AllocationNeed, ClosedNeed, LaunchNeed, Need, Verdict};
use crate::verdict::{Facts, verdict};
use cpp_demangle::{DemangleOptions, Symbol};
use migfit_schema::profile::Unknown;
use migfit_schema::program::{Place, SizeProgram};
use migfit_schema::site::Site;
use migfit_schema::units::Bytes;

/// A function's name as people know it: without parameters; the symbol itself where it is not mangled.
pub fn people_name(symbol: &str) -> String {
    let options = DemangleOptions::new().no_params().no_return_type();
    Symbol::new(symbol)
        .ok()
        .and_then(|mangled| mangled.demangle(&options).ok())
        .unwrap_or_else(|| symbol.to_owned())
}

/// A place as people know it.
pub fn site(program: &SizeProgram, place: Place) -> Site {
    if place.line == 0 {
        return Site::default();
    }
    Site {
        file: program
            .files
            .get(place.file as usize)
            .cloned()
            .unwrap_or_default(),
        line: place.line,
    }
}

fn optional_site(program: &SizeProgram, place: Place) -> Option<Site> {
    (place.line > 0).then(|| site(program, place))
}

/// A need of which nothing is known, with the reason.
pub fn nothing(what: &str, reason: String) -> Need {
    Need {
        peak: None,
        peak_rounded: None,
        live_at_end: Bytes(0),
        lacked: None,
        verdict: Verdict::Unknown,
        returned: false,
        a_call_failed: false,
        allocations: Vec::new(),
        launches: Vec::new(),
        assumptions: Vec::new(),
        notes: Vec::new(),
        closed: Vec::new(),
        raised_limits: Bytes(0),
        unknowns: vec![Unknown {
            site: None,
            what: what.to_owned(),
            reason,
        }],
        files: Vec::new(),
        steps: 0,
    }
}

/// The need that follows from an evaluation and how it ended.
pub fn need(host: &mut Host<'_>, end: &End, place: Place) -> Need {
    for (place, on_device) in std::mem::take(&mut host.ledger.taken_to_pass) {
        let why = match on_device {
            true => "it depends on a result of the device",
            false => "the work that it looks at is not done here",
        };
        let reason = format!("it is taken to pass: {why}");
        host.notes.assume(place, "check", reason);
    }
    threads::finish(host);
    assume_missed_frees(&mut host.notes);
    let verdict = verdict(facts(host, end));
    note_end(host, end, place);
    let peaks = peaks(host, verdict);
    let program = host.program;
    let notes = |list: &[(Place, String, String)]| {
        list.iter()
            .map(|(place, what, reason)| Unknown {
                site: optional_site(program, *place),
                what: what.clone(),
                reason: reason.clone(),
            })
            .collect()
    };
    Need {
        peak: peaks.map(|(peak, _)| Bytes(peak)),
        peak_rounded: peaks.map(|(_, rounded)| Bytes(rounded)),
        lacked: host.notes.lacked.map(Bytes),
        live_at_end: Bytes(host.ledger.live),
        verdict,
        returned: host.returned,
        a_call_failed: host.notes.a_call_failed,
        allocations: host
            .ledger
            .requests
            .iter()
            .map(|requests| allocation(program, requests))
            .collect(),
        launches: host
            .ledger
            .launches
            .iter()
            .map(|launches| launch(program, launches, host.notes.only_launches_ahead))
            .collect(),
        assumptions: notes(&host.notes.assumptions),
        unknowns: notes(&host.notes.unknowns),
        notes: notes(&host.notes.remarks),
        closed: closed(host),
        raised_limits: Bytes(limits::raised(host)),
        files: host.files.read.clone(),
        steps: host.steps,
    }
}

fn closed(host: &Host<'_>) -> Vec<ClosedNeed> {
    let all = host.notes.closed.iter();
    all.map(|(place, one)| ClosedNeed {
        site: site(host.program, *place),
        library: one.library.to_owned(),
        call: one.call.clone(),
        bytes: one.bytes.map(Bytes),
        source: one.source.clone(),
    })
    .collect()
}

/// True where the program gave up before it asked the device for anything.
fn gave_up_early(host: &Host<'_>, end: &End) -> bool {
    fails(end) && host.ledger.requests.is_empty() && host.ledger.launches.is_empty()
}

fn fails(end: &End) -> bool {
    matches!(end, End::Killed { .. }) || matches!(end, End::Exit(Some(code)) if *code != 0)
}

fn facts(host: &Host<'_>, end: &End) -> Facts {
    let notes = &host.notes;
    // One that prints what went wrong and returns 0 does not go on with less.
    let went_on = matches!(end, End::Exit(None | Some(0)))
        && host.ledger.went_on_with_less()
        && !notes.lack_unseen;
    Facts {
        gave_up_early: gave_up_early(host, end),
        cut: !matches!(end, End::Exit(_) | End::Killed { .. }) && !notes.only_launches_ahead,
        missed_allocation: notes.missed_allocation,
        missed_free: notes.missed_free || notes.users_bounds > 0,
        assumed: notes.assumptions.len() > notes.users_bounds,
        unknown_launches: notes.unknown_shape || notes.only_launches_ahead,
        elastic: notes.elastic || went_on,
        certain_bytes: host.ledger.certain_peaks().0 > 0,
    }
}

/// A lower bound is what is certain to be reached; what the program may reach beyond is told.
fn peaks(host: &mut Host<'_>, verdict: Verdict) -> Option<(u64, u64)> {
    let all = (host.ledger.peak, host.ledger.peak_rounded);
    match verdict {
        Verdict::Unknown => None,
        Verdict::LowerBound => {
            let certain = host.ledger.certain_peaks();
            if certain.0 < all.0 {
                let reason = format!("{} if all that is assumed holds", Bytes(all.0));
                let place = Place::default();
                host.notes
                    .remark(place, "the known part of the peak", reason);
            }
            Some(certain)
        }
        _ => Some(all),
    }
}

/// Beside other assumptions a free that was not counted is one more: no bound stands on them.
fn assume_missed_frees(notes: &mut Notes) {
    if notes.missed_free && !notes.assumptions.is_empty() {
        let reason = "it is taken to free nothing, as its pointer is unknown";
        notes.assume(Place::default(), "a free", reason.to_owned());
    }
}

/// Notes an end that tells something: a stop, a death, an exit that looks like wrong arguments.
fn note_end(host: &mut Host<'_>, end: &End, place: Place) {
    let at = match optional_site(host.program, place) {
        Some(site) => format!(" at {site}"),
        None => String::new(),
    };
    match end {
        End::Stopped { what, reason } if host.notes.only_launches_ahead => {
            let what = "launches from here on".to_owned();
            let reason = format!("{reason}; no allocation can follow");
            host.notes.unknowns.push((place, what, reason));
        }
        End::Stopped { what, reason } => {
            host.notes
                .unknowns
                .push((place, what.clone(), reason.clone()))
        }
        End::Died(how) => {
            let reason = format!("the evaluation ends there: {how}");
            host.notes
                .unknowns
                .push((place, "rest of the program".to_owned(), reason));
        }
        End::Exit(Some(code)) if *code != 0 => {
            note_failure(host, end, &format!("exits with code {code}"), (place, at));
        }
        End::Killed { how, .. } => {
            note_failure(host, end, &format!("is killed, as {how},"), (place, at));
        }
        End::Exit(_) => {}
    }
}

/// Notes a failing exit. One before anything was asked of the device leaves the need unknown; a later one is the
/// end of that run, of which all is known.
fn note_failure(host: &mut Host<'_>, end: &End, what_it_does: &str, (place, at): (Place, String)) {
    let early = gave_up_early(host, end);
    let calls = host.notes.cuda_calls;
    let missing = std::mem::take(&mut host.notes.missing_files);
    let (list, what, reason) = if early {
        let what_before = if calls == 0 {
            "CUDA call"
        } else {
            "allocation"
        };
        let reason =
            format!("the program {what_it_does}{at} before any {what_before}: wrong arguments?");
        (&mut host.notes.unknowns, "rest of the program", reason)
    } else {
        let reason = match end {
            End::Exit(Some(code)) => format!("it fails with code {code}"),
            _ => format!("the program {what_it_does} here"),
        };
        (&mut host.notes.remarks, "end of the program", reason)
    };
    list.push((place, what.to_owned(), reason));
    list.extend(missing.into_iter().map(|(path, why)| {
        let reason = format!("it cannot be opened: {why}");
        (Place::default(), format!("file {path}"), reason)
    }));
}

fn allocation(program: &SizeProgram, requests: &Requests) -> AllocationNeed {
    let range = requests.range.filter(|_| !requests.unknown);
    AllocationNeed {
        site: site(program, requests.place),
        api: requests.api.to_owned(),
        times: requests.times,
        bytes: range.map(|(low, high)| (Bytes(low), Bytes(high))),
        total: Bytes(requests.total),
        sizes: requests
            .sizes
            .iter()
            .map(|(bytes, times)| (bytes.map(Bytes), *times))
            .collect(),
    }
}

/// `cut_short`: more launches may follow than were counted.
fn launch(program: &SizeProgram, launches: &Launches, cut_short: bool) -> LaunchNeed {
    let shape = &launches.shape;
    let names = program.kernels.iter();
    let name = names
        .clone()
        .find(|(symbol, _)| *symbol == shape.kernel)
        .map(|(_, name)| name.clone());
    LaunchNeed {
        site: site(program, shape.place),
        kernel: shape.kernel.clone(),
        name: name.unwrap_or_else(|| shape.kernel.clone()),
        grid: shape.grid,
        block: shape.block,
        shared: shape.shared,
        count: launches.count,
        count_known: launches.count_known && !cut_short,
    }
}
