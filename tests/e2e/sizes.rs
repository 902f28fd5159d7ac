//! Foretold against seen for the programs under rodinia/: peak bytes to the byte, launches by kernel and shape.
//! Necessary, not evidence: we wrote both sides. So the figures are also held against closed formulas.

use migfit_tests::rodinia_arguments::{Known, cases};
use migfit_tests::{FitAnswer, Gpu, JobFile, Migfit, Program, Source, launches, run, stage};
use std::collections::BTreeMap;

fn fit(name: &str, args: &str) -> FitAnswer {
    let program = Program::rodinia(name).built_for_the_virtual_gpu();
    Migfit::fit(&program).on("a100-40gb").args(args).json()
}

#[test]
fn every_program_has_two_argument_lists() {
    let mut lists: BTreeMap<String, usize> = BTreeMap::new();
    let folders = std::fs::read_dir(stage::root().join("rodinia")).expect("rodinia is there");
    for folder in folders.flatten() {
        if folder.path().join("Makefile").is_file() {
            lists.insert(folder.file_name().to_string_lossy().into_owned(), 0);
        }
    }
    for case in cases() {
        *lists.get_mut(case.program).expect("a program of rodinia") += 1;
    }
    lists.retain(|_, count| *count < 2);
    assert_eq!(lists, BTreeMap::new());
}

#[test]
fn the_foretold_peak_is_the_formula_s() {
    for case in cases() {
        let answer = fit(case.program, case.arguments);
        assert_eq!(answer.peak(), case.bytes, "{case:?}");
        let expected = if case.launches == Known::All {
            "exact"
        } else {
            "assumed"
        };
        assert_eq!(answer.need().verdict, expected, "{case:?}");
        // The device decides how many centres a chunk leaves, and so the grid of the launch over them.
        let unknowns = &answer.need().unknowns;
        let only_grids = unknowns
            .iter()
            .all(|one| case.launches == Known::SomeShapes && one.what.starts_with("grid of "));
        assert!(only_grids, "{case:?}: {unknowns:?}");
    }
}

#[test]
fn what_was_foretold_is_what_is_seen() {
    let mut jobs = JobFile::new();
    for (number, case) in cases().into_iter().enumerate() {
        let program = Program::rodinia(case.program).built_for_the_virtual_gpu();
        jobs = jobs.job(&format!("job {number}"), &program, case.arguments);
    }
    let gpu = Gpu::a100();
    let report = Migfit::run_file(&jobs, &gpu).report();
    for (number, case) in cases().into_iter().enumerate() {
        let job = run::job(&report, &format!("job {number}"));
        assert_eq!(job.observed_peak_bytes, Some(case.bytes), "{case:?}");
        assert_eq!(job.predicted_bytes, job.observed_peak_bytes, "{case:?}");
        let mut launches = fit(case.program, case.arguments).need().launches.clone();
        if case.launches == Known::SomeShapes {
            launches.retain(|launch| launch.grid.is_some());
            assert!(!launches.is_empty(), "{case:?}");
        }
        let foretold = launches::foretold(&launches);
        let seen = launches::seen(&job.launches);
        let shapes = foretold.keys().all(|shape| seen.contains_key(shape));
        match case.launches {
            Known::All => assert_eq!(foretold, seen, "{case:?}"),
            Known::Shapes => assert!(foretold.keys().eq(seen.keys()), "{foretold:?} {seen:?}"),
            Known::SomeShapes => assert!(shapes, "{foretold:?} {seen:?}"),
        }
    }
    gpu.expect_empty();
}

#[test]
fn counts_that_depend_on_the_device_are_marked() {
    let answer = fit("bfs", "inputs/graph_4096");
    assert!(
        answer
            .need()
            .launches
            .iter()
            .all(|launch| !launch.count_known)
    );
    let places: Vec<_> = answer
        .need()
        .assumptions
        .iter()
        .flat_map(|one| &one.site)
        .collect();
    assert!(!places.is_empty(), "no place of the assumption is told");
    let all_known = |name, args| {
        fit(name, args)
            .need()
            .launches
            .iter()
            .all(|one| one.count_known)
    };
    assert!(all_known("lud", "-s 64") && all_known("gaussian", "-s 64"));
}

#[test]
fn the_formulas_say_where() {
    let program = Program::rodinia("gaussian").built_for_the_virtual_gpu();
    let text = Migfit::fit(&program).outcome().expect_success().stdout;
    for part in ["gaussian.cu:", "cudaMalloc", "Fan1", "Fan2"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
}

#[test]
fn every_gpu_model_gets_its_slice() {
    let program = Program::rodinia("nw").built_for_the_virtual_gpu();
    let fit = Migfit::fit(&program)
        .on("a100-40gb")
        .on("a30-24gb")
        .on("h100-80gb-sxm");
    // 8 * (30000 + 1)^2 bytes are 6.7 GiB.
    let answer = fit.args("30000 10").json();
    assert_eq!(answer.peak(), 8 * 30_001 * 30_001);
    let slices = answer.gpus.iter().map(|gpu| gpu.mig_profile.as_deref());
    assert_eq!(
        slices.collect::<Vec<_>>(),
        [Some("1g.10gb"), Some("2g.12gb"), Some("1g.10gb")]
    );
}

#[test]
fn device_variables_are_part_of_the_need_and_not_of_the_peak() {
    let program = Source::fixture("device_variable").built_for_the_virtual_gpu();
    let answer = Migfit::fit(&program).on("a100-40gb").args("").json();
    assert_eq!(answer.need().peak_bytes, Some(1000));
    assert_eq!(answer.need().device_variable_bytes, 8 << 20);
    let ran = Migfit::run(&program, &Gpu::a100()).done();
    let job = ran.job("program");
    assert_eq!(
        (job.exit_code, job.observed_peak_bytes),
        (Some(0), Some(1000))
    );
}
