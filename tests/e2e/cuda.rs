//! The CUDA calls that ordinary programs make before and around kernels: each fixture checks its own family and ends
//! with 0; and what the runtime records of them is what the device says it held.

use migfit_tests::{Gpu, JobFile, Migfit, Source};

/// Runs a fixture; it must find nothing wrong, and no call may be missing.
fn family(name: &str, args: &str, said: &str) {
    let program = Source::fixture(name).built_without_migfit();
    let gpu = Gpu::a100();
    let ran = Migfit::run(&program, &gpu).args(args).done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    assert_eq!(ran.outcome.stdout, said);
    let log = std::fs::read_to_string(format!("{}.log", gpu.state().display()));
    let log = log.unwrap_or_default();
    // The launcher's own calls of NVML are another matter; memory between processes is refused on purpose.
    let missing: Vec<_> = log.lines().filter(|line| line.starts_with("cu")).collect();
    let known = missing.iter().all(|line| line.contains("IpcGetMemHandle"));
    assert!(known, "calls that are not done: {missing:?}");
    gpu.expect_empty();
}

#[test]
fn structures_are_laid_out_as_in_the_real_headers() {
    // A program without a job profile gets the whole GPU.
    family("layouts", "", "98 SMs, 1\n");
}

#[test]
fn arrays_textures_and_surfaces() {
    family("array_copies", "", "all came back\n");
}

#[test]
fn calls_that_come_when_main_is_over() {
    let program = Source::fixture("after_main").built_without_migfit();
    let gpu = Gpu::a100();
    let ran = Migfit::run(&program, &gpu).done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    let said = "exit handler: no error\nstatic object: no error\ndestructor function: no error\n";
    assert_eq!(ran.outcome.stdout, said);
    assert!(!ran.outcome.stderr.contains("panic"), "{}", ran.outcome);
    gpu.expect_empty();
}

#[test]
fn memory_pools() {
    family("pools", "", "pools hold\n");
}

#[test]
fn streams_and_events() {
    family("streams", "", "streams ran\n");
}

#[test]
fn addresses_hints_and_peers() {
    family("pointers", "", "addresses are known\n");
}

#[test]
fn launches_of_a_graph_count_each_time_and_those_of_a_capture_do_not() {
    let program = Source::fixture("graphs").built_without_migfit();
    let gpu = Gpu::a100();
    let jobs = JobFile::new().job("graphs", &program, "4");
    let ran = Migfit::run_file(&jobs, &gpu).done();
    assert_eq!(ran.job("graphs").exit_code, Some(0), "{}", ran.outcome);
    let records = ran.records("graphs");
    let mut rows: Vec<_> = records
        .iter()
        .flat_map(|record| &record.kernels)
        .map(|row| (row.kernel.as_str(), row.grid.x, row.count))
        .collect();
    rows.sort_unstable();
    // Two kernels captured; one in a graph within a graph; the same with another grid once.
    let expected = [
        ("_Z5firstPii", 2, 4),
        ("_Z6secondPi", 1, 4),
        ("_Z6secondPi", 3, 4),
        ("_Z6secondPi", 9, 1),
    ];
    assert_eq!(rows, expected);
    assert_eq!(records[0].refused_launches, 0);
}

#[test]
fn memory_of_every_kind_is_recorded_as_the_device_holds_it() {
    let program = Source::fixture("all_memory").built_without_migfit();
    let gpu = Gpu::a100();
    let jobs = JobFile::new().job("memory", &program, "");
    let ran = Migfit::run_file(&jobs, &gpu).done();
    assert_eq!(ran.job("memory").exit_code, Some(0), "{}", ran.outcome);
    let records = ran.records("memory");
    let said = std::fs::read_to_string(ran.folder().join("out/jobs/memory/stdout"));
    let most: u64 = said
        .expect("its output is kept")
        .trim()
        .parse()
        .expect("bytes");
    let record = &records[0];
    assert_eq!(record.peak_rounded_bytes, most, "{record:?}");
    assert_eq!((record.current_bytes, record.failures), (0, 0));
    gpu.expect_empty();
}
