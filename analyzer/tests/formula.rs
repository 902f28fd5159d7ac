//! Formulas of small programs of our own: as people read them, and evaluated against what the size program gives.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use inkwell::context::Context;
use migfit_analyzer::formula::{Formulas, formulas};
use migfit_analyzer::ir::load;
use migfit_analyzer::{pipeline, slice};
use migfit_schema::formula::{Expr, Input};
use migfit_sizes::{CommandLine, DeviceProperties, Number, evaluate_formula};
use std::path::Path;

fn found(name: &str) -> Formulas {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/slice");
    let context = Context::create();
    let module = load::read(&context, &folder.join(format!("{name}.ll"))).unwrap();
    let program = pipeline::size_program(&context, &module).unwrap();
    formulas(&slice::slice(&program))
}

/// A formula in one line.
fn show(expr: &Expr) -> String {
    let list = |all: &[Expr]| all.iter().map(show).collect::<Vec<_>>().join(" | ");
    match expr {
        Expr::Int(value) => value.to_string(),
        Expr::Float(value) => format!("{value:?}"),
        Expr::Input(input) => show_input(input),
        Expr::Loop(variable) => format!(
            "loop({} + {} while {:?} {})",
            show(&variable.first),
            show(&variable.step),
            variable.compare,
            show(&variable.bound)
        ),
        Expr::Over(over) => format!(
            "{:?} of {} over {}",
            over.fold,
            show(&over.each),
            show(&Expr::Loop(Box::new(over.variable.clone())))
        ),
        Expr::Binary(op, a, b) => format!("({} {op:?} {})", show(a), show(b)),
        Expr::Unary(op, a) => format!("{op:?}({})", show(a)),
        Expr::Select {
            condition,
            then,
            otherwise,
        } => format!(
            "({} ? {} : {})",
            show(condition),
            show(then),
            show(otherwise)
        ),
        Expr::OneOf(all) => format!("one of {{{}}}", list(all)),
        Expr::Unknown { reason, .. } => format!("unknown: {reason}"),
    }
}

fn show_input(input: &Input) -> String {
    match input {
        Input::ArgInt(index) => format!("arg({index})"),
        Input::WordInt(index) => format!("word({index})"),
        Input::ArgFloat(index) => format!("float arg({index})"),
        Input::ArgCount => "argc".to_owned(),
        Input::OptionInt(names) => format!("option({})", names.join(", ")),
        Input::EnvInt(name) => format!("env({name})"),
        Input::FileInt { path, nth } => format!("number {nth:?} of {path}"),
        Input::Device(name) => format!("device({name})"),
    }
}

fn lines(name: &str) -> Vec<String> {
    let all = found(name);
    let only_if = |condition: &Expr| match condition {
        Expr::Int(1) => String::new(),
        condition => format!(" if {}", show(condition)),
    };
    let sizes = all.allocations.iter().map(|one| {
        format!(
            "{} at {}: {} times {}{}, in all {}",
            one.api,
            one.site,
            show(&one.size),
            show(&one.times),
            only_if(&one.condition),
            show(&one.total)
        )
    });
    let peak = format!("peak: {}", show(&all.peak));
    let launches = all.launches.iter().map(|one| {
        let extent = |all: &[Expr; 3]| all.iter().map(show).collect::<Vec<_>>().join(", ");
        format!(
            "{} at {}: [{}] of [{}] shared {} times {}{}",
            one.kernel,
            one.site,
            extent(&one.grid),
            extent(&one.block),
            show(&one.shared),
            show(&one.times),
            only_if(&one.condition)
        )
    });
    sizes.chain([peak]).chain(launches).collect()
}

#[test]
fn formulas_read_as_people_write_them() {
    let names = [
        "container",
        "converge",
        "endings",
        "graph_file",
        "growing",
        "lines",
        "options",
        "phases",
        "shrinking",
        "story",
        "table",
        "verify",
        "words",
    ];
    let listing = |name: &str| format!("{name}\n  {}\n", lines(name).join("\n  "));
    let listing: String = names.into_iter().map(listing).collect();
    insta::with_settings!({
        snapshot_path => "fixtures/slice",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::assert_snapshot!("formulas", listing);
    });
}

/// The value of a formula for a command line.
fn value(expr: &Expr, words: &[&str]) -> Option<Number> {
    let command = CommandLine {
        args: words.iter().map(|word| (*word).to_owned()).collect(),
        env: vec![("ROWS".to_owned(), "99".to_owned())],
        cwd: "/".into(),
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
    evaluate_formula(expr, &command, &device)
}

#[test]
fn formulas_have_the_values_that_the_program_computes() {
    let shrinking = found("shrinking");
    for blocks in [1_i128, 2, 20] {
        let words = ["shrinking", &blocks.to_string()];
        let bytes = value(&shrinking.allocations[0].size, &words);
        assert_eq!(bytes, Some(Number::Int(256 * blocks * blocks * 4)));
        let turns = value(&shrinking.launches[1].times, &words);
        assert_eq!(turns, Some(Number::Int(blocks - 1)), "{blocks}");
    }
    let words = found("words");
    let bytes = |line: &[&str]| value(&words.allocations[0].size, line);
    assert_eq!(bytes(&["words", "5"]), Some(Number::Int(5120)));
    let blocks = |line: &[&str]| value(&words.launches[0].grid[0], line);
    assert_eq!(blocks(&["words", "5"]), Some(Number::Int(256)));
    assert_eq!(blocks(&["words", "50", "x"]), Some(Number::Int(25)));
    let turns = value(&words.launches[0].times, &["words", "9"]);
    assert_eq!(turns, Some(Number::Int(3)));
}

#[test]
fn the_peak_is_the_largest_of_all_phases() {
    let story = found("story");
    for n in [0_i128, 1, 7, 100, 5000] {
        for extra in [0, 1000] {
            let words = ["story", &n.to_string(), "x"];
            let words = &words[..if extra > 0 { 3 } else { 2 }];
            let levels: i128 = (0..8).map(|level| (n >> level) * 8).sum();
            let phases = [
                12 * n,
                4 * n + extra + 16 * n,
                4 * n + extra + levels,
                4 * n + extra + 1000 * n + 77,
            ];
            let peak = phases.into_iter().max().map(Number::Int);
            assert_eq!(value(&story.peak, words), peak, "{n} {extra}");
        }
    }
    assert_eq!(value(&story.peak, &["story"]), Some(Number::Int(0)));
    let twice = found("phases");
    for (n, peak) in [("100", 400), ("5000", 20000)] {
        assert_eq!(value(&twice.peak, &["phases", n]), Some(Number::Int(peak)));
    }
}

#[test]
fn what_has_no_formula_says_so_with_its_place() {
    let lines = found("lines");
    assert!(
        lines
            .unknowns
            .iter()
            .any(|one| one.what.contains("lines.cu:18"))
    );
    assert!(found("shrinking").unknowns.is_empty());
    let converge = found("converge");
    let reasons: Vec<&str> = converge
        .unknowns
        .iter()
        .map(|one| one.reason.as_str())
        .collect();
    assert!(
        reasons
            .iter()
            .all(|reason| reason.contains("copied back from the device")
                || *reason == "a condition within a loop"),
        "{reasons:?}"
    );
    assert!(converge.unknowns.iter().all(|one| one.site.is_some()));
}
