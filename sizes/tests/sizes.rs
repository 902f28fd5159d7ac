//! Sizes and shapes of small programs: what is known is exact, what is not is told.

mod build;

use build::*;
use migfit_schema::kernel::Extent;
use migfit_schema::profile::JobProfile;
use migfit_schema::program::*;
use migfit_schema::units::Bytes;
use migfit_sizes::{DeviceProperties, Limits, Verdict, evaluate};

/// `cudaMalloc(argv[1] * 4)`, then a smaller one after the first is freed.
fn two_phases() -> Build {
    let mut build = Build::new();
    build.main(|body, params| {
        let count = body.argument(params[1], 1);
        let wide = body.sext(count);
        let bytes = body.binary(BinaryOp::Mul, I64, wide, int(4));
        let (first, _) = body.cuda_malloc(bytes);
        body.cuda_free(first);
        let half = body.binary(BinaryOp::LShr, I64, bytes, int(1));
        body.cuda_malloc(half);
        body.ret(int(0));
    });
    build
}

#[test]
fn the_peak_is_over_what_is_alive_at_once() {
    let need = two_phases().need(&["1000000"]);
    assert_eq!(need.verdict, Verdict::Exact);
    assert_eq!(need.peak, Some(Bytes(4_000_000)));
    assert_eq!(need.peak_rounded, Some(Bytes(4 << 20)));
    assert_eq!(need.live_at_end, Bytes(2_000_000));
    assert_eq!(need.allocations.len(), 2);
    assert_eq!(need.allocations[0].site.to_string(), "test.cu:7");
    assert_eq!(need.allocations[0].api, "cudaMalloc");
    assert!(need.unknowns.is_empty() && need.assumptions.is_empty());
}

#[test]
fn a_missing_argument_is_told() {
    let need = two_phases().need(&[]);
    assert_eq!((need.verdict, need.peak), (Verdict::Unknown, None));
    assert!(
        need.unknowns[0].reason.contains("is an argument missing?"),
        "{:?}",
        need.unknowns
    );
}

#[test]
fn a_usage_exit_is_told_with_code_and_place() {
    let mut build = Build::new();
    build.main(|body, params| {
        let (usage, go) = (body.block(), body.block());
        let wrong = body.compare(Compare::Ne, params[0], int(2));
        body.branch(wrong, usage, go, OnUnknown::Stop);
        body.at(usage);
        body.call("exit", &[(int(1), I32)]);
        body.at(go);
        body.cuda_malloc(int(64));
        body.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!(need.verdict, Verdict::Unknown);
    assert_eq!(
        need.unknowns[0].reason,
        "the program exits with code 1 at test.cu:3 before any CUDA call: wrong arguments?"
    );
    assert_eq!(build.need(&["x"]).peak, Some(Bytes(64)));
}

#[test]
fn a_size_from_the_device_makes_a_lower_bound() {
    let mut build = Build::new();
    build.main(|body, _| {
        body.cuda_malloc(int(1024));
        let count = body.device_result();
        let bytes = body.sext(count);
        body.cuda_malloc(bytes);
        body.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!(need.verdict, Verdict::LowerBound);
    assert_eq!(need.peak, Some(Bytes(1028)));
    assert_eq!(need.allocations[2].bytes, None);
    assert_eq!(need.unknowns[0].what, "size of cudaMalloc");
    assert_eq!(
        need.unknowns[0].reason,
        "it depends on a result of the device (test.cu:8)"
    );
}

#[test]
fn a_size_by_free_memory_is_elastic() {
    let mut build = Build::new();
    build.main(|body, _| {
        let (free, total) = (body.alloca(8), body.alloca(8));
        body.call("cudaMemGetInfo", &[(free, Type::Ptr), (total, Type::Ptr)]);
        let bytes = body.load(I64, free);
        let most = body.binary(BinaryOp::UDiv, I64, bytes, int(2));
        body.cuda_malloc(most);
        body.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!(need.verdict, Verdict::Elastic);
    assert_eq!(need.peak, Some(Bytes(2432 << 20)));
}

#[test]
fn grids_follow_the_device() {
    let mut build = Build::new();
    let kernel = build.kernel("spread");
    build.main(|body, _| {
        let properties = body.alloca(1008);
        body.call(
            "cudaGetDeviceProperties",
            &[(properties, Type::Ptr), (int(0), I32)],
        );
        let field = body.offset(properties, 384, Vec::new());
        let sms = body.load(I32, field);
        let wide = body.sext(sms);
        let grid = body.binary(BinaryOp::Or, I64, wide, int(2 << 32));
        body.launch(kernel, grid, 128);
        body.ret(int(0));
    });
    let grid = |sm_count| {
        let device = DeviceProperties {
            sm_count,
            ..device()
        };
        let need = evaluate(&build.profile(), &command(&[]), &device, &Limits::default());
        assert_eq!(need.verdict, Verdict::Exact);
        assert_eq!(need.launches[0].name, "spread");
        assert_eq!(need.launches[0].warps(), Some(u64::from(sm_count) * 2 * 4));
        need.launches[0].grid
    };
    assert_eq!(grid(14), Some(Extent { x: 14, y: 2, z: 1 }));
    assert_eq!(grid(98), Some(Extent { x: 98, y: 2, z: 1 }));
}

#[test]
fn a_property_that_is_not_an_input_is_not_made_up() {
    let mut build = Build::new();
    build.main(|body, _| {
        let properties = body.alloca(1008);
        body.call(
            "cudaGetDeviceProperties",
            &[(properties, Type::Ptr), (int(0), I32)],
        );
        let field = body.offset(properties, 592, Vec::new());
        let width = body.load(I32, field);
        let bytes = body.sext(width);
        body.cuda_malloc(bytes);
        body.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!(need.verdict, Verdict::Unknown);
    assert!(
        need.unknowns[0].reason.contains("device property"),
        "{:?}",
        need.unknowns
    );
}

#[test]
fn half_of_a_packed_grid_that_is_overwritten_does_not_matter() {
    let mut build = Build::new();
    let kernel = build.kernel("square");
    build.main(|body, params| {
        let side = body.argument(params[1], 1);
        let wide = body.sext(side);
        // As clang keeps a dim3: the upper half is whatever it was, then it is replaced.
        let upper = body.binary(BinaryOp::And, I64, Operand::Undef, int(-4_294_967_296));
        let with_x = body.binary(BinaryOp::Or, I64, upper, wide);
        let x = body.binary(BinaryOp::And, I64, with_x, int(0xffff_ffff));
        let y = body.binary(BinaryOp::Shl, I64, wide, int(32));
        let grid = body.binary(BinaryOp::Or, I64, x, y);
        body.launch(kernel, grid, 16);
        body.ret(int(0));
    });
    let need = build.need(&["7"]);
    assert_eq!(need.verdict, Verdict::Exact);
    assert_eq!(need.launches[0].grid, Some(Extent { x: 7, y: 7, z: 1 }));
}

#[test]
fn an_unknown_grid_leaves_the_peak_and_is_told() {
    let mut build = Build::new();
    let kernel = build.kernel("frontier");
    build.main(|body, _| {
        let count = body.device_result();
        let grid = body.sext(count);
        body.launch(kernel, grid, 64);
        body.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::Assumed, Some(Bytes(4)))
    );
    assert_eq!(need.launches[0].grid, None);
    assert_eq!(need.launches[0].block, Some(Extent { x: 64, y: 1, z: 1 }));
    assert_eq!(need.unknowns[0].what, "grid of frontier");
}

#[test]
fn managed_memory_is_unknown_after_a_launch() {
    let mut build = Build::new();
    let kernel = build.kernel("touch");
    build.main(|body, _| {
        let slot = body.alloca(8);
        body.call(
            "cudaMallocManaged",
            &[(slot, Type::Ptr), (int(8), I64), (int(1), I32)],
        );
        let memory = body.load(Type::Ptr, slot);
        body.store(I64, int(100), memory);
        let before = body.load(I64, memory);
        body.cuda_malloc(before);
        body.launch(kernel, int((1 << 32) | 1), 1);
        let after = body.load(I64, memory);
        body.cuda_malloc(after);
        body.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::LowerBound, Some(Bytes(108)))
    );
}

#[test]
fn a_host_buffer_beyond_the_limit_stops_nothing() {
    let mut build = Build::new();
    build.main(|body, _| {
        let host = body.call("malloc", &[(int(1 << 40), I64)]);
        let (device, _) = body.cuda_malloc(int(1 << 32));
        let to = body.load(Type::Ptr, device);
        body.call(
            "cudaMemcpy",
            &[
                (to, Type::Ptr),
                (host, Type::Ptr),
                (int(1 << 32), I64),
                (int(1), I32),
            ],
        );
        body.call("free", &[(host, Type::Ptr)]);
        body.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::Exact, Some(Bytes(1 << 32)))
    );
}

#[test]
fn pitched_rows_round_up() {
    let mut build = Build::new();
    build.main(|body, _| {
        let (slot, pitch) = (body.alloca(8), body.alloca(8));
        body.call(
            "cudaMallocPitch",
            &[
                (slot, Type::Ptr),
                (pitch, Type::Ptr),
                (int(1000), I64),
                (int(10), I64),
            ],
        );
        let row = body.load(I64, pitch);
        body.cuda_malloc(row);
        body.ret(int(0));
    });
    assert_eq!(build.need(&[]).peak, Some(Bytes(10_240 + 1024)));
}

#[test]
fn a_closed_library_is_a_line_of_its_own_beside_an_exact_peak() {
    let mut build = Build::new();
    build.main(|body, _| {
        body.cuda_malloc(int(64));
        let handle = body.alloca(8);
        body.call("cublasCreate_v2", &[(handle, Type::Ptr)]);
        body.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!((need.verdict, need.peak), (Verdict::Exact, Some(Bytes(64))));
    let library = &need.closed[0];
    assert_eq!(
        (library.library.as_str(), library.call.as_str()),
        ("cuBLAS", "cublasCreate_v2")
    );
    assert_eq!(Some(need.beside()), library.bytes);
    assert_eq!(need.verdict_with_libraries(), Verdict::Exact);
}

#[test]
fn a_library_of_which_nothing_is_known_bounds_nothing() {
    let mut build = Build::new();
    build.main(|body, _| {
        body.cuda_malloc(int(64));
        let bytes = body.alloca(8);
        body.call("cusolverDnDgetrf_bufferSize", &[(bytes, Type::Ptr)]);
        let bytes = body.load(I64, bytes);
        body.cuda_malloc(bytes);
        body.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!(need.closed[0].bytes, None);
    assert_eq!(need.verdict_with_libraries(), Verdict::LowerBound);
    assert!(
        need.unknowns[0]
            .reason
            .contains("cusolverDnDgetrf_bufferSize"),
        "{:?}",
        need.unknowns
    );
}

#[test]
fn a_profile_without_a_program_says_why() {
    let mut profile = Build::new().profile();
    profile.program = None;
    profile.summary.failure = Some("the analysis ran out of memory".to_owned());
    let need = evaluate(&profile, &command(&[]), &device(), &Limits::default());
    assert_eq!(need.verdict, Verdict::Unknown);
    assert_eq!(need.unknowns[0].reason, "the analysis ran out of memory");
}

#[test]
fn a_call_into_an_object_that_analysis_did_not_see_may_allocate() {
    let mut build = Build::new();
    build.main(|body, _| {
        body.cuda_malloc(int(64));
        body.call("fill_buffers", &[]);
        body.ret(int(0));
    });
    let mut profile = build.profile();
    let verdict = |profile: &JobProfile| {
        evaluate(profile, &command(&[]), &device(), &Limits::default()).verdict
    };
    assert_eq!(verdict(&profile), Verdict::Exact);
    profile.summary.without_ir.push("buffers.o".to_owned());
    assert_eq!(verdict(&profile), Verdict::LowerBound);
}

#[test]
fn the_size_of_a_device_variable_is_known() {
    let mut build = Build::new();
    let table = build.global("table", 8, Vec::new(), false);
    build.program.globals[0].device_bytes = Some(4096);
    build.main(|body, _| {
        let size = body.alloca(8);
        body.call(
            "cudaGetSymbolSize",
            &[(size, Type::Ptr), (table, Type::Ptr)],
        );
        let bytes = body.load(I64, size);
        body.cuda_malloc(bytes);
        body.ret(int(0));
    });
    assert_eq!(build.need(&[]).peak, Some(Bytes(4096)));
}
