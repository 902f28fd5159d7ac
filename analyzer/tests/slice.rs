//! Small programs of our own, whole and sliced, evaluated for several command lines: a slice must give the same events
//! and the same need in fewer steps, and may only take branches that the whole program takes, in the same order.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use inkwell::context::Context;
use migfit_analyzer::ir::load;
use migfit_analyzer::{pipeline, slice};
use migfit_schema::profile::{JobProfile, Summary};
use migfit_schema::program::SizeProgram;
use migfit_sizes::trace::MOST_BRANCHES;
use migfit_sizes::{
    BranchTaken, CommandLine, DeviceProperties, Event, Limits, Need, Trace, Verdict,
    evaluate_traced,
};
use std::path::{Path, PathBuf};

mod well_formed;

fn whole(name: &str) -> SizeProgram {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/slice/{name}.ll"));
    let context = Context::create();
    let module = load::read(&context, &path).unwrap();
    let program = pipeline::size_program(&context, &module).unwrap();
    slice::advise(&program)
}

fn run(program: &SizeProgram, words: &[&str], cwd: PathBuf) -> (Need, Trace) {
    let profile = JobProfile {
        checked: None,
        summary: Summary::blank(""),
        program: Some(program.clone()),
    };
    let command = CommandLine {
        args: words.iter().map(|word| (*word).to_owned()).collect(),
        env: Vec::new(),
        cwd,
    };
    let device = DeviceProperties {
        name: "test".to_owned(),
        compute_capability: (8, 0),
        sm_count: 98,
        total_bytes: 40 << 30,
        l2_bytes: 40 << 20,
        clock_khz: 1_410_000,
        ..DeviceProperties::default()
    };
    evaluate_traced(&profile, &command, &device, &Limits::default())
}

/// Position of the first branch that the whole program does not take, in order.
fn strange(part: &[BranchTaken], whole: &[BranchTaken]) -> Option<usize> {
    let mut rest = whole.iter();
    part.iter()
        .position(|taken| !rest.any(|other| other == taken))
}

/// What a program and its slice give for one command line.
struct Compared {
    need: Need,
    events: Vec<Event>,
    steps_of_whole: u64,
}

fn compare_in(name: &str, words: &[&str], cwd: &Path) -> Compared {
    let whole = whole(name);
    let (cut, slim) = (slice::cut(&whole), slice::slice(&whole));
    well_formed::check(&cut);
    well_formed::check(&slim);
    let (need, trace) = run(&whole, words, cwd.to_owned());
    let (_, cut_trace) = run(&cut, words, cwd.to_owned());
    let (slim_need, slim_trace) = run(&slim, words, cwd.to_owned());
    assert!(trace.branches.len() < MOST_BRANCHES, "{name} {words:?}");
    assert_eq!(cut_trace.events, trace.events, "{name} {words:?}");
    assert_eq!(slim_trace.events, trace.events, "{name} {words:?}");
    let strange = strange(&cut_trace.branches, &trace.branches);
    assert_eq!(
        strange.map(|at| cut_trace.branches[at]),
        None,
        "{name} {words:?}"
    );
    assert_eq!(
        (slim_need.peak, slim_need.live_at_end),
        (need.peak, need.live_at_end),
        "{name} {words:?}"
    );
    // A check that a slice leaves out is one that it has to assume; the whole assumes others.
    let only_checks = |need: &Need| need.assumptions.iter().all(|one| one.what == "check");
    let of_checks = [Verdict::Exact, Verdict::Assumed];
    let passed = [&slim_need, &need]
        .iter()
        .all(|need| of_checks.contains(&need.verdict) && only_checks(need));
    assert!(
        slim_need.verdict == need.verdict || passed,
        "{name} {words:?}: {slim_need:?}, whole {need:?}"
    );
    assert_eq!(slim_need.allocations, need.allocations, "{name} {words:?}");
    assert_eq!(slim_need.launches, need.launches, "{name} {words:?}");
    Compared {
        need: slim_need,
        events: slim_trace.events,
        steps_of_whole: need.steps,
    }
}

fn compare(name: &str, words: &[&str]) -> Compared {
    compare_in(name, words, Path::new("/"))
}

fn peak(compared: &Compared) -> u64 {
    compared.need.peak.unwrap().0
}

#[test]
fn phases_peak_at_the_larger_one_and_fill_loops_cost_nothing() {
    let small = compare("phases", &["phases", "100"]);
    assert_eq!((peak(&small), small.events.len()), (400, 3));
    let large = compare("phases", &["phases", "100000"]);
    assert_eq!((peak(&large), large.events.len()), (400_000, 6));
    assert_eq!(large.need.verdict, Verdict::Exact);
    assert!(large.need.steps < 200, "{}", large.need.steps);
    assert!(large.steps_of_whole > 100_000, "{}", large.steps_of_whole);
}

#[test]
fn options_reach_sizes_through_globals_and_the_heap() {
    for words in [
        &["options"][..],
        &["options", "-s", "100", "-r", "3"],
        &["options", "-q", "-r", "2"],
    ] {
        let compared = compare("options", words);
        assert_eq!(compared.need.verdict, Verdict::Exact, "{words:?}");
    }
    let compared = compare("options", &["options", "-s", "200", "-r", "5"]);
    assert_eq!((peak(&compared), compared.events.len()), (201 * 401 * 4, 7));
    assert!(compared.need.steps * 100 < compared.steps_of_whole);
}

#[test]
fn a_number_behind_a_list_in_a_file_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let starts = (0..50).map(|start| format!("{start}\n"));
    let text = format!("50\n{}\n3\n1 2 3\n", starts.collect::<String>());
    std::fs::write(folder.path().join("graph"), text).unwrap();
    let compared = compare_in("graph_file", &["graph_file", "graph"], folder.path());
    assert_eq!((peak(&compared), compared.events.len()), (212, 5));
    assert_eq!(compared.need.verdict, Verdict::Exact);
}

#[test]
fn rows_and_columns_are_counted_from_lines() {
    let folder = tempfile::tempdir().unwrap();
    let text = "1 2 3\n4 5 6\n\n7 8 9\n10 11 12\n";
    std::fs::write(folder.path().join("points"), text).unwrap();
    let compared = compare_in("lines", &["lines", "points"], folder.path());
    assert_eq!(
        (peak(&compared), compared.need.verdict),
        (48, Verdict::Exact)
    );
}

#[test]
fn a_grid_shrinks_from_turn_to_turn() {
    for blocks in ["1", "2", "9"] {
        let compared = compare("shrinking", &["shrinking", blocks]);
        assert_eq!(compared.need.verdict, Verdict::Exact, "{blocks}");
    }
    let compared = compare("shrinking", &["shrinking", "20"]);
    assert_eq!(compared.events.len(), 2 + 2 * 19 + 1);
    assert!(compared.need.steps < 700, "{}", compared.need.steps);
}

#[test]
fn a_comparison_that_the_library_calls_is_kept_whole() {
    let words = ["sorted", "5", "3", "9", "4", "8"];
    let compared = compare("sorted", &words);
    assert_eq!(compared.need.verdict, Verdict::Exact);
    // By size * 7 % 11: 5 -> 2, 3 -> 10, 9 -> 8, 4 -> 6, 8 -> 1.
    assert_eq!(peak(&compared), 4);
    assert_eq!(compared.need.launches[0].block.unwrap().x, 8);
}

#[test]
fn pointers_survive_a_growing_array() {
    let compared = compare("growing", &["growing", "10", "20", "30", "5"]);
    assert_eq!(compared.need.verdict, Verdict::Exact);
    assert_eq!(compared.need.live_at_end.0, 0);
    let rows: [u64; 4] = [10 + 2, 20 + 4, 30 + 6, 5 + 8];
    let buffers: u64 = rows.iter().map(|rows| 4 * rows * rows).sum();
    let before_last = buffers - 4 * 13 * 13;
    assert_eq!(
        peak(&compared),
        1024 + (before_last + 36 * 4).max(buffers + 13 * 4)
    );
}

#[test]
fn a_normal_end_in_a_helper_ends_the_slice_too() {
    let ends = |words: &[&str]| compare("endings", words).events.len();
    assert_eq!(ends(&["endings", "a", "b"]), 3);
    assert_eq!(ends(&["endings", "a", "--help"]), 0);
    assert_eq!(ends(&["endings", "--status"]), 0);
    assert_eq!(ends(&["endings", "a", "b", "c"]), 2);
}

#[test]
fn a_result_check_is_taken_to_pass() {
    let plain = compare("verify", &["verify", "-n", "1000"]);
    assert_eq!((peak(&plain), plain.need.verdict), (4000, Verdict::Exact));
    let more = compare("verify", &["verify", "-n", "1000", "3"]);
    assert_eq!(peak(&more), 12_000);
    let verified = compare("verify", &["verify", "-v", "-n", "1000"]);
    assert_eq!((peak(&verified), verified.need.live_at_end.0), (4000, 0));
}

#[test]
fn loops_on_device_results_run_once_inside_other_loops_too() {
    let compared = compare("converge", &["converge", "3"]);
    assert_eq!(compared.need.verdict, Verdict::Assumed);
    let launches = &compared.need.launches;
    let relaxed = launches.iter().filter(|launch| launch.grid.unwrap().x < 7);
    assert_eq!(relaxed.map(|launch| launch.count).sum::<u64>(), 6);
    assert_eq!(compared.events.len(), 2 + 3 * 3);
}

#[test]
fn functions_are_found_through_tables() {
    let sort = compare("table", &["table", "sort", "1"]);
    assert_eq!((peak(&sort), sort.events.len()), (8 << 10, 3));
    let scan = compare("table", &["table", "scan", "2", "large"]);
    assert_eq!(
        (peak(&scan), scan.events.len()),
        ((32 << 20) + (32 << 14), 5)
    );
    assert_eq!(compare("table", &["table", "none", "2"]).events.len(), 0);
}

#[test]
fn a_slice_closes_up_and_slicing_it_again_changes_no_event() {
    for name in [
        "phases",
        "options",
        "shrinking",
        "growing",
        "table",
        "verify",
    ] {
        let whole = whole(name);
        let slim = slice::slice(&whole);
        let blocks = |program: &SizeProgram| -> usize {
            program.functions.iter().map(|one| one.blocks.len()).sum()
        };
        assert!(blocks(&slim) <= blocks(&whole), "{name}");
        assert!(slim.globals.len() <= whole.globals.len(), "{name}");
        assert!(slim.files.len() <= whole.files.len(), "{name}");
        let words = [name, "7", "2"];
        let again = slice::slice(&slim);
        well_formed::check(&again);
        let events = |program| run(program, &words, PathBuf::from("/")).1.events;
        assert_eq!(events(&slim), events(&again), "{name}");
    }
}

#[test]
fn the_same_program_gives_the_same_slice() {
    for name in ["options", "table", "growing"] {
        let whole = whole(name);
        assert_eq!(slice::slice(&whole), slice::slice(&whole), "{name}");
    }
}

#[test]
fn words_and_options_are_told_apart() {
    let compared = compare("words", &["words", "12", "--extra", "40", "x"]);
    assert_eq!(
        (peak(&compared), compared.need.verdict),
        (12 * 1024 + 48, Verdict::Exact)
    );
    assert_eq!(compared.events.len(), 3 + 3);
    assert_eq!(peak(&compare("words", &["words", "3"])), 3 * 1024 + 16 + 8);
}

/// What is noted as unknown.
fn unknown(compared: &Compared) -> Vec<String> {
    let unknowns = compared.need.unknowns.iter();
    unknowns.map(|one| one.what.clone()).collect()
}

#[test]
fn calls_of_code_that_nobody_looked_into_stay_without_what_they_are_given() {
    let plain = compare("opaque", &["opaque"]);
    assert_eq!((peak(&plain), plain.need.verdict), (1000, Verdict::Exact));
    // No bound stands on which way is taken behind them.
    for (mode, name, verdict) in [
        ("library", "library_create", Verdict::LowerBound),
        ("process", "fork", Verdict::Unknown),
        ("driver", "cuMemImportFromShareableHandle", Verdict::Unknown),
    ] {
        let compared = compare("opaque", &["opaque", mode]);
        assert_eq!(
            compared.need.verdict, verdict,
            "{mode}: {:?}",
            compared.need
        );
        let call = format!("call of {name}");
        assert!(
            unknown(&compared).contains(&call),
            "{mode}: {:?}",
            compared.need
        );
        assert!(compared.need.steps < 300, "{}", compared.need.steps);
    }
    let whole = compare("opaque", &["opaque", "library"]);
    assert!(whole.steps_of_whole > 60_000, "{}", whole.steps_of_whole);
}

#[test]
fn what_code_that_nobody_looked_into_writes_is_unknown() {
    let query = compare("opaque", &["opaque", "query"]);
    assert_ne!(query.need.verdict, Verdict::Exact);
    assert!(
        query.need.peak.is_none_or(|peak| peak.0 != 1000),
        "{:?}",
        query.need
    );
}

#[test]
fn a_throw_is_followed_to_its_handler() {
    let fine = compare("handlers", &["handlers", "100"]);
    assert_eq!((peak(&fine), fine.need.verdict), (100_500, Verdict::Exact));
    assert!(fine.need.steps < 200, "{}", fine.need.steps);
    let thrown = compare("handlers", &["handlers", "101"]);
    let verdict = thrown.need.verdict;
    assert_eq!((peak(&thrown), verdict), (505_000, Verdict::Exact));
    assert_eq!(thrown.events.len(), 2);
}

#[test]
fn checks_in_switches_and_in_loops_over_words_are_seen() {
    let words = ["checks", "2", "500", "x"];
    let fine = compare("checks", &words);
    assert_eq!((peak(&fine), fine.need.verdict), (1500, Verdict::Assumed));
    // The slice that keeps the host's work has nothing to assume.
    let careful = slice::slices(&whole("checks")).1.unwrap();
    let (careful, _) = run(&careful, &words, PathBuf::from("/"));
    assert_eq!(careful.verdict, Verdict::Exact, "{:?}", careful.assumptions);
    assert_eq!(careful.peak, fine.need.peak);
    assert!(fine.need.steps < 300, "{}", fine.need.steps);
    assert!(fine.steps_of_whole > 200_000, "{}", fine.steps_of_whole);
    for refused in [
        &["checks", "7", "500"][..],
        &["checks", "9", "500"],
        &["checks", "1", "500", "x", "+9"],
        &["checks", "1", "500", "x", "-v"],
        &["checks", "1", "500", "x", "y", "stop"],
    ] {
        let compared = compare("checks", refused);
        assert_eq!(peak(&compared), 1000, "{refused:?}");
        assert_eq!(compared.events.len(), 1, "{refused:?}");
    }
}
