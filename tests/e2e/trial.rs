//! `migfit fit --run`: what a real run took, and that it leaves nothing behind.

use migfit_tests::migfit::migfit;
use migfit_tests::{Outcome, Program, Sandbox, process};
use serde_json::Value;

/// Doubles a number on the device until it is large; each turn keeps a MiB. Writes over one file and makes another.
const LOOP: &str = r#"
#include <cstdio>
#include <cstdlib>
__global__ void twice(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 2.0f * x[i];
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *x, first = 1.0f;
    cudaMalloc(&x, n * sizeof(float));
    cudaMemcpy(x, &first, sizeof first, cudaMemcpyHostToDevice);
    int turns = 0;
    while (first < 100.0f && turns < 20) {
        void *kept;
        cudaMalloc(&kept, 1 << 20);
        twice<<<(n + 127) / 128, 128>>>(x, n);
        cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost);
        turns++;
    }
    FILE *file = fopen("kept.txt", "w");
    fprintf(file, "%d\n", turns);
    fclose(file);
    file = fopen("made.txt", "w");
    fclose(file);
    printf("%d turns\n", turns);
    return 0;
}
"#;

fn program(text: &str) -> Program {
    Program::from_cuda(text).built_for_the_virtual_gpu()
}

/// `migfit fit --run --json FLAGS PROGRAM ARGS` in the program's folder.
fn tried(program: &Program, flags: &[&str], args: &[&str]) -> (Outcome, Value) {
    let mut command = migfit();
    command.args(["fit", "--run", "--json"]).args(flags);
    command.arg(program.path()).args(args);
    let outcome = process::output(command.current_dir(program.folder()));
    let json = serde_json::from_str(&outcome.stdout).unwrap_or(Value::Null);
    (outcome, json)
}

#[test]
fn a_run_tells_what_it_took_and_leaves_the_files_alone() {
    let program = program(LOOP);
    let kept = program.folder().join("kept.txt");
    std::fs::write(&kept, "mine").unwrap();
    let (outcome, json) = tried(&program, &[], &["1000"]);
    assert_eq!(outcome.code, 0, "{outcome}");
    assert!(outcome.stderr.contains("7 turns"), "{outcome}");
    assert_eq!(json["peak_bytes"], 4000 + 7 * (1 << 20), "{json}");
    assert_eq!(
        (&json["verdict"], &json["notes"]),
        (&"assumed".into(), &Value::Array(Vec::new()))
    );
    let launch = &json["launches"][0];
    assert_eq!(
        (&launch["name"], &launch["count"]),
        (&"twice".into(), &7.into())
    );
    assert_eq!(
        (&launch["grid"]["x"], &launch["warps"]),
        (&8.into(), &32.into())
    );
    // 1,000 of the 1,024 threads read and write four bytes.
    assert_eq!(launch["work"]["read_bytes"], 7 * 4000, "{launch}");
    assert_eq!(launch["work"]["written_bytes"], 7 * 4000, "{launch}");
    assert_eq!(json["copies"]["to_host"], 7);
    assert_eq!(
        (&json["written_files"], &json["scratch_layer"]),
        (&2.into(), &true.into())
    );
    assert_eq!(json["gpus"][0]["mig_profile"], "1g.5gb", "{json}");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "mine");
    assert!(!program.folder().join("made.txt").exists());
}

#[test]
fn what_hangs_on_skipped_kernels_is_said_to_be_unreal() {
    let (outcome, json) = tried(&program(LOOP), &["--skip-kernels", "--in-place"], &["1000"]);
    assert_eq!(
        (outcome.code, &json["peak_bytes"]),
        (0, &(4000 + 20 * (1 << 20)).into()),
        "{outcome}"
    );
    assert_eq!(json["verdict"], "lower bound");
    let note = json["notes"][0].as_str().unwrap();
    assert!(
        note.starts_with("kernels were skipped, and the host read"),
        "{note}"
    );
}

/// `SIZE` bytes, which are never touched.
const LARGE: &str = r#"
#include <cstdio>
#include <unistd.h>
int main() {
    void *p;
    int code = cudaMalloc(&p, SIZE);
    printf("%d\n", code);
    return code;
}
"#;

#[test]
fn a_board_that_is_too_small_is_made_larger() {
    // Nobody knows a process's number before it runs.
    let program = program(&LARGE.replace("SIZE", "(50ull << 30) + (getpid() == 0)"));
    let (outcome, json) = tried(&program, &["--gpu", "a100-40gb"], &[]);
    assert_eq!(
        (outcome.code, &json["peak_bytes"]),
        (0, &(50u64 << 30).into()),
        "{outcome}"
    );
    assert!(outcome.stderr.contains("once more with"), "{outcome}");
    assert_eq!(json["gpus"][0]["choice"], "too_large", "{json}");
    // What writes in place is not run twice.
    let (outcome, json) = tried(&program, &["--gpu", "a100-40gb", "--in-place"], &[]);
    assert_eq!(
        (outcome.code, &json["verdict"]),
        (2, &"lower bound".into()),
        "{outcome}"
    );
}

#[test]
fn what_the_machine_cannot_hold_is_not_started() {
    let program = program(&LARGE.replace("SIZE", "1ull << 42"));
    let (outcome, _) = tried(&program, &[], &[]);
    assert_eq!(outcome.code, 90, "{outcome}");
    assert!(
        outcome
            .stderr
            .contains("needs at least 4.00 TiB of device memory"),
        "{outcome}"
    );
    let (outcome, json) = tried(&program, &["--skip-kernels", "--in-place"], &[]);
    assert_eq!(
        (outcome.code, &json["peak_bytes"]),
        (0, &(1u64 << 42).into()),
        "{outcome}"
    );
}

#[test]
fn a_run_that_is_cut_short_is_a_lower_bound() {
    let text = r#"
        #include <unistd.h>
        int main() { void *p; cudaMalloc(&p, 3 << 20); for (;;) usleep(10000); }"#;
    let (outcome, json) = tried(&program(text), &["--limit", "500 ms"], &[]);
    assert_eq!(
        (outcome.code, &json["peak_bytes"]),
        (0, &(3 << 20).into()),
        "{outcome}"
    );
    assert_eq!(json["verdict"], "lower bound");
    assert_eq!(json["gpus"][0]["choice"], "whole");
}

#[test]
fn a_program_that_asks_for_free_memory_is_elastic() {
    let text = r#"
        int main() {
            size_t free, total;
            void *p;
            cudaMemGetInfo(&free, &total);
            cudaMalloc(&p, free / 2);
            return 0;
        }"#;
    let (outcome, json) = tried(&program(text), &[], &[]);
    assert_eq!(
        (outcome.code, &json["verdict"]),
        (0, &"elastic".into()),
        "{outcome}"
    );
}

#[test]
fn a_program_that_needs_a_closed_library_is_told_its_name_before_it_starts() {
    let sandbox = Sandbox::new();
    let library = sandbox.put(
        "blas.c",
        "int cublasCreate_v2(void **h) { *h = 0; return 0; }",
    );
    let user = sandbox.put(
        "user.c",
        "int cublasCreate_v2(void **); int main() { void *h; return cublasCreate_v2(&h); }",
    );
    let (so, exe) = (sandbox.path("libcublas.so.13"), sandbox.path("user"));
    let compile = |args: &[&std::ffi::OsStr]| {
        assert!(
            std::process::Command::new("cc")
                .args(args)
                .status()
                .unwrap()
                .success()
        );
    };
    compile(&[
        "-shared".as_ref(),
        "-Wl,-soname,libcublas.so.13".as_ref(),
        library.as_ref(),
        "-o".as_ref(),
        so.as_ref(),
    ]);
    compile(&[user.as_ref(), so.as_ref(), "-o".as_ref(), exe.as_ref()]);
    let mut command = migfit();
    let outcome = process::output(
        command
            .args(["fit", "--run"])
            .arg(&exe)
            .current_dir(sandbox.folder()),
    );
    assert_eq!(outcome.code, 98, "{outcome}");
    assert!(
        outcome
            .stderr
            .contains("cuBLAS (libcublas.so.13), which the virtual GPU cannot run"),
        "{outcome}"
    );
    assert!(outcome.stderr.contains("a real GPU"), "{outcome}");
}

#[test]
fn modelled_times_do_not_hang_on_cores_and_fall_with_the_slice() {
    let program = program(LOOP);
    let with = |workers: &str| {
        let mut command = migfit();
        command.args(["fit", "--run", "--json", "--gpu", "a100-40gb"]);
        command.arg(program.path()).arg("3000000");
        command.env("MIGFIT_VGPU_WORKERS", workers);
        let outcome = process::output(command.current_dir(program.folder())).expect_success();
        let json: Value = serde_json::from_str(&outcome.stdout).unwrap();
        json["modelled"]["a100-40gb"].clone()
    };
    let (one, many) = (with("1"), with("7"));
    assert_eq!(one, many);
    let seconds = |slice: &str| one[slice]["kernels_s"].as_f64().unwrap();
    // 7 turns read and write 12 MB each at 1,555 GB/s, of which 1g.5gb has an eighth.
    let bytes = 7.0 * 24e6 / 1.555e12;
    let near = |found: f64, parts: f64| (found / (parts * bytes + 7.0 * 2.5e-6) - 1.0).abs() < 0.2;
    assert!(
        near(seconds("7g.40gb"), 1.0) && near(seconds("1g.5gb"), 8.0),
        "{one}"
    );
    assert_eq!(one["1g.5gb"]["bound_by"], "memory");
    assert!(one["1g.5gb"]["added_j"].as_f64().unwrap() > 0.0);
}
