//! Ways in which CUDA programs come to their sizes, each a small program through the whole chain: real nvcc, `fit`,
//! `run`. The expected bytes are worked out by hand in the fixture's first lines.

use migfit_tests::project::built_project;
use migfit_tests::{Gpu, Migfit, Program, Sandbox, Source, launches};

/// What was foretold, and what was seen: both must be `bytes`, launches included.
#[track_caller]
fn expect(program: &Program, args: &str, bytes: u64) {
    let answer = Migfit::fit(program).on("a100-40gb").args(args).json();
    let gpu = Gpu::a100();
    let ran = Migfit::run(program, &gpu).args(args).done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    let job = ran.job("program");
    assert_eq!(answer.peak(), bytes, "foretold for {args}");
    assert_eq!(job.observed_peak_bytes, Some(bytes), "seen for {args}");
    assert_eq!(
        (job.verdict.as_str(), job.mig_profile.as_deref()),
        ("exact", Some("1g.5gb"))
    );
    let foretold = launches::foretold(&answer.need().launches);
    assert_eq!(
        foretold,
        launches::seen(&job.launches),
        "launches for {args}"
    );
    gpu.expect_empty();
}

fn fixture(name: &str) -> Program {
    Source::fixture(name).built_for_the_virtual_gpu()
}

#[test]
fn fields_of_a_struct() {
    let program = fixture("struct_fields");
    expect(&program, "300 200", 4 * 300 * 200 * 2);
    expect(&program, "1 1", 8);
}

#[test]
fn a_loop_that_frees_what_it_allocates() {
    let program = fixture("loop_with_frees");
    expect(&program, "10", 11 << 20);
    expect(&program, "0", 1 << 20);
}

#[test]
fn a_loop_whose_pieces_stay_in_a_vector() {
    expect(&fixture("kept_in_array"), "7 1000", 8 * 7 * 1000);
}

#[test]
fn a_global_that_an_option_sets() {
    let program = fixture("global_option");
    expect(&program, "-n 1250000", 5_000_000);
    expect(&program, "-d", 8000);
    expect(&program, "-d -n 10", 80);
}

#[test]
fn a_file_that_begins_with_its_dimensions() {
    let (program, files) = (fixture("file_header"), Sandbox::new());
    let header = [0x4d41_5431_u32, 300, 77].map(u32::to_le_bytes).concat();
    files.put("matrix", header);
    expect(&program, &files.text("matrix"), 300 * 77 * 8 + 4 * 300);
}

#[test]
fn a_constant_table() {
    let program = fixture("static_table");
    expect(&program, "3", 1024 * 92);
    expect(&program, "0", 1024 * 3);
}

#[test]
fn managed_memory() {
    expect(&fixture("managed"), "1000000", 12_000_000);
}

#[test]
fn padded_rows() {
    let program = fixture("pitch");
    expect(&program, "1000 100", 1024 * 100);
    expect(&program, "512 3", 512 * 3);
}

#[test]
fn stream_ordered_allocation() {
    expect(&fixture("stream_ordered"), "1000000", 4_000_000);
}

#[test]
fn kernel_templates() {
    let program = fixture("template_kernel");
    for block in ["64", "128", "256"] {
        expect(&program, &format!("10000 {block}"), 80_000);
    }
}

#[test]
fn dynamic_shared_memory() {
    let program = fixture("dynamic_shared");
    expect(&program, "100000 128", 400_000);
    let answer = Migfit::fit(&program).args("100000 128").json();
    let launches = &answer.need().launches;
    assert!(
        launches
            .iter()
            .all(|launch| launch.shared_bytes == Some(512))
    );
    let grids = launches
        .iter()
        .filter_map(|launch| launch.grid)
        .map(|grid| grid.x);
    assert_eq!(grids.collect::<Vec<_>>(), [782, 7, 1]);
}

#[test]
fn an_environment_variable() {
    let program = fixture("environment");
    let fit = |value: &str| {
        Migfit::fit(&program)
            .args("")
            .env("CELLS", value)
            .json()
            .peak()
    };
    assert_eq!((fit("1000"), fit("7")), (16_000, 112));
    let unset = Migfit::fit(&program).args("").json().peak();
    assert_eq!(unset, 16 * 4096);
    let gpu = Gpu::a100();
    let ran = Migfit::run(&program, &gpu).env("CELLS", "1000").done();
    let job = ran.job("program");
    assert_eq!(
        (job.predicted_bytes, job.observed_peak_bytes),
        (Some(16_000), Some(16_000))
    );
}

#[test]
fn long_options() {
    let program = fixture("long_options");
    expect(&program, "name", 4 * 64 * 64);
    expect(
        &program,
        "--rows 100 name --columns=200 --twice",
        4 * 100 * 200 * 2,
    );
}

#[test]
fn floating_point_sizes() {
    let program = fixture("pyramid");
    for (args, edge, factor) in [("1000 2.0", 1000.0_f64, 2.0), ("333 1.5", 333.0, 1.5)] {
        let edges = std::iter::successors(Some(edge), |edge| Some(edge / factor));
        let cells = edges.map(f64::ceil).take_while(|cells| *cells > 1.0);
        expect(
            &program,
            args,
            cells.map(|cells| 4 * (cells * cells) as u64).sum(),
        );
    }
}

#[test]
fn recursion() {
    let levels = [100_000, 50_000, 25_000, 12_500, 6250, 3125, 1562];
    expect(
        &fixture("recursion"),
        "100000",
        4 * levels.iter().sum::<u64>(),
    );
}

#[test]
fn a_buffer_that_doubles() {
    let program = fixture("growing");
    // The last step copies 256 KiB to 512 KiB.
    expect(&program, "500000", (256 + 512) << 10);
    expect(&program, "0x1000", 4096);
}

#[test]
fn ways_that_the_number_of_words_decides() {
    let program = fixture("branches");
    expect(&program, "1000", 4000);
    expect(&program, "1000 5000", 4000 + 40_000);
}

#[test]
fn a_c_program_with_a_cuda_library() {
    expect(&built_project("mixed"), "1000000 3", 4_000_000);
}

#[test]
fn a_buffer_for_each_sm() {
    let program = fixture("per_sm");
    let gpu = Gpu::a100();
    let ran = Migfit::run(&program, &gpu).args("1024").done();
    let job = ran.job("program");
    // A 1g slice of an A100 has 14 SMs; the figure is the chosen slice's own.
    assert_eq!(job.mig_profile.as_deref(), Some("1g.5gb"));
    assert_eq!(
        (job.predicted_bytes, job.observed_peak_bytes),
        (Some(14 << 20), Some(14 << 20))
    );
    // One at a time on the whole GPU: 98 SMs.
    let whole = Migfit::run(&program, &gpu).policy("sequential");
    let whole = whole.args("1024").done();
    let job = whole.job("program");
    assert_eq!(
        (job.predicted_bytes, job.observed_peak_bytes),
        (Some(98 << 20), Some(98 << 20))
    );
}

#[test]
fn strings_of_the_standard_library() {
    let source = Source::fixture("strings").with_flags(["-O2"]);
    let program = source.built_for_the_virtual_gpu();
    expect(
        &program,
        "ab 5000",
        15 + 4 + 6 + 5000 + 100 + 1000 + 100 + 10,
    );
    let long = "a-long-name-of-thirty-letters-0 77";
    expect(&program, long, 42 + 4 + 5 + 108 + 1000 + 100 + 10);
}
