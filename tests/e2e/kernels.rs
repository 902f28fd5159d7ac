//! Kernels on the virtual GPU: programs that check their own results, kernels that fail, and what is not done.

use migfit_tests::program::rodinia_folder;
use migfit_tests::rodinia_arguments::cases;
use migfit_tests::{Gpu, Outcome, Program, process, source};
use std::collections::BTreeSet;
use std::process::Command;

/// A program of the test on the whole of a virtual A100.
fn run(text: &str, setting: Option<(&str, &str)>) -> (Outcome, String) {
    let program = Program::from_cuda(text).built_for_the_virtual_gpu();
    let gpu = Gpu::a100();
    let slice = gpu.cut("7g.40gb");
    let mut command = Command::new(program.path());
    gpu.put(process::clean(&mut command), &slice).envs(setting);
    let outcome = process::output(&mut command);
    let log = std::fs::read_to_string(format!("{}.log", gpu.state().display()));
    (outcome, log.unwrap_or_default())
}

#[test]
fn every_program_of_rodinia_gives_its_true_answer() {
    let gpus = ["1g.5gb", "7g.40gb"].map(|mig_profile| {
        let gpu = Gpu::a100();
        let slice = gpu.cut(mig_profile);
        (mig_profile, gpu, slice)
    });
    let mut verified = BTreeSet::new();
    for case in cases() {
        if verified.contains(case.program) {
            continue;
        }
        let program = Program::rodinia(case.program).built_for_the_virtual_gpu();
        for (mig_profile, gpu, slice) in &gpus {
            let mut command = source::tool(program.path().to_owned());
            command.current_dir(rodinia_folder());
            command
                .args(case.arguments.split_whitespace())
                .arg("--verify");
            let outcome = process::output(gpu.put(&mut command, slice));
            let is_true = outcome.code == 0 && outcome.stdout.contains("verify: ok");
            assert!(is_true, "{} on {mig_profile}: {outcome}", case.program);
        }
        verified.insert(case.program);
    }
    assert_eq!(verified.len(), 13);
}

const FAILING: &str = r#"
#include <cstdio>
__global__ void write(int *to) { if (threadIdx.x == 7) to[blockIdx.x] = 1; }
__global__ void stop() { if (threadIdx.x == 3) asm volatile("trap;"); }
int main(int argc, char **argv) {
    int *there;
    cudaMalloc(&there, 4096);
    bool trap = getenv("TRAP") != nullptr;
    if (trap) stop<<<2, 32>>>(); else write<<<4, 32>>>((int *)64);
    int launch = cudaGetLastError(), wait = cudaDeviceSynchronize();
    int later = cudaMemset(there, 0, 4096);
    printf("%d %d %d\n", launch, wait, later);
    cudaDeviceReset();
    write<<<1, 32>>>((int *)nullptr);
    return 0;
}
"#;

#[test]
fn a_kernel_s_fault_is_an_error_of_the_calls_that_follow() {
    let text = FAILING.replace("#include <cstdio>", "#include <cstdio>\n#include <cstdlib>");
    let (outcome, _) = run(&text, None);
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (0, "0 700 700\n"),
        "{outcome}"
    );
    let said = "in block (0, 0, 0), thread (7, 0, 0): no memory at address 0x40";
    assert!(outcome.stderr.contains(said), "{outcome}");
    let (outcome, _) = run(&text, Some(("TRAP", "1")));
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (0, "0 719 719\n"),
        "{outcome}"
    );
}

const COUNTED: &str = r#"
#include <cstdio>
__device__ int table[4] = {1, 2, 3, 4};
__global__ void add(int *sum) { atomicAdd(sum, table[threadIdx.x % 4]); }
int main() {
    int *sum, value = -1, more[4] = {10, 20, 30, 40};
    cudaMalloc(&sum, 4);
    cudaMemset(sum, 0, 4);
    add<<<10, 64>>>(sum);
    cudaMemcpyToSymbol(table, more, sizeof more);
    add<<<1, 4>>>(sum);
    cudaMemcpy(&value, sum, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", value);
    return cudaGetLastError();
}
"#;

#[test]
fn launches_run_unless_they_are_to_be_counted_only() {
    let (ran, _) = run(COUNTED, None);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "1700\n"), "{ran}");
    let (counted, _) = run(COUNTED, Some(("MIGFIT_VGPU_KERNELS", "count")));
    assert_eq!(
        (counted.code, counted.stdout.as_str()),
        (0, "0\n"),
        "{counted}"
    );
}

#[test]
fn what_a_kernel_does_that_is_not_done_is_named() {
    let text = r#"
#include <cstdio>
__global__ void round(float *a) { asm("cvt.rna.tf32.f32 %0, %0;" : "+f"(*a)); }
int main() { float *a; cudaMalloc(&a, 4); round<<<1, 1>>>(a); printf("%d\n", cudaGetLastError()); }
"#;
    let (outcome, log) = run(text, None);
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (0, "801\n"),
        "{outcome}"
    );
    assert!(
        outcome.stderr.contains("'cvt.rna.tf32.f32' at PTX "),
        "{outcome}"
    );
    assert!(
        log.contains("cvt.rna.tf32.f32 in kernel _Z5roundPf at PTX "),
        "{log}"
    );
}

const TALKING: &str = r#"
#include <cassert>
#include <cstdio>
#include <cstdlib>
struct Shape { virtual __device__ int area() const = 0; };
struct Square : Shape {
    int side;
    __device__ Square(int side) : side(side) {}
    __device__ int area() const override { return side * side; }
};
struct Strip : Shape {
    int length;
    __device__ Strip(int length) : length(length) {}
    __device__ int area() const override { return 10 * length; }
};
__global__ void say(int most) {
    int nth = threadIdx.x;
    Shape *shape = nth % 2 ? (Shape *)new Square(nth) : (Shape *)new Strip(nth);
    printf("%d: %d %s, %.2f\n", nth, shape->area(), "units", nth / 2.0f);
    delete shape;
    assert(nth < most);
}
int main() {
    printf("first\n");
    say<<<1, 4>>>(getenv("MOST") ? atoi(getenv("MOST")) : 4);
    int answer = cudaDeviceSynchronize();
    printf("last %d\n", answer);
}
"#;

#[test]
fn kernels_print_allocate_call_virtual_functions_and_assert() {
    let lines = [
        "0: 0 units, 0.00",
        "1: 1 units, 0.50",
        "2: 20 units, 1.00",
        "3: 9 units, 1.50",
    ];
    let (outcome, _) = run(TALKING, None);
    let expected = format!("first\n{}\nlast 0\n", lines.join("\n"));
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (0, expected.as_str()),
        "{outcome}"
    );
    let (outcome, _) = run(TALKING, Some(("MOST", "2")));
    assert!(outcome.stdout.ends_with("last 710\n"), "{outcome}");
    let said = "void say(int): block: [0,0,0], thread: [2,0,0] Assertion `nth < most` failed.";
    assert!(outcome.stderr.contains(said), "{outcome}");
}
