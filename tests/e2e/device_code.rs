//! Registers and static shared memory of kernels, read from the device code, against what ptxas says as it assembles;
//! and the shape of each launch in the answer for machines.

use migfit_tests::source::tool;
use migfit_tests::{Sandbox, Stage, process};
use serde_json::Value;
use std::collections::BTreeMap;

const SOURCE: &str = r"
#include <cmath>
__constant__ float table[64];
template <int N> __global__ void __launch_bounds__(256) tile(float *a, int n) {
    __shared__ float s[N][33];
    int t = threadIdx.x;
    s[t / 32][t % 32] = a[t] + table[t % 64];
    __syncthreads();
    a[t] = s[t % 8][t / 8 % 32] * n;
}
__global__ void plain(double *a, int n) {
    extern __shared__ double d[];
    double x = 0;
    for (int i = 0; i < n; i++) { d[i % 64] = a[i]; x += sin(a[i]) * d[(i * 7) % 64]; }
    a[0] = x;
}
__global__ void empty() {}
int main() {
    float *f; double *d;
    cudaMalloc(&f, 4096);
    cudaMalloc(&d, 8192);
    tile<8><<<3, 200>>>(f, 3);
    for (int i = 0; i < 5; i++) plain<<<dim3(4, 2), 64, 512>>>(d, 9);
    empty<<<1, 1>>>();
    return 0;
}
";

/// An object of the source, and what ptxas said of each kernel: registers and static shared memory.
fn built(flags: &[&str]) -> (Sandbox, BTreeMap<String, (u64, u64)>) {
    let folder = Sandbox::new();
    let source = folder.put("k.cu", SOURCE);
    let mut build = tool(Stage::ready().program("migfit"));
    build.args(["build", "--", "nvcc", "-Xptxas", "-v", "-c"]);
    build.args(flags).arg(source).arg("-o");
    build.arg(folder.folder().join("k.o"));
    let outcome = process::output(&mut build).expect_success();
    let mut said = BTreeMap::new();
    let mut kernel = String::new();
    for line in outcome.stderr.lines().chain(outcome.stdout.lines()) {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            kernel = rest.split('\'').next().unwrap_or_default().to_owned();
        } else if let Some((_, rest)) = line.split_once("Used ") {
            let number = |unit: &str| {
                let part = rest.split(", ").find(|part| part.ends_with(unit));
                let digits = part.and_then(|part| part.split(' ').next());
                digits.map_or(0, |digits| digits.parse().expect("a number"))
            };
            said.insert(
                kernel.clone(),
                (number(" registers"), number(" bytes smem")),
            );
        }
    }
    assert_eq!(said.len(), 3, "ptxas tells of three kernels:\n{outcome}");
    (folder, said)
}

fn launches(folder: &Sandbox, device: &str) -> Vec<Value> {
    let mut analyze = tool(Stage::ready().program("migfit"));
    analyze.arg("analyze").arg(folder.folder().join("k.o"));
    analyze.args(["--json", "--device", device]);
    let outcome = process::output(&mut analyze).expect_success();
    let answer: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    answer["launches"].as_array().cloned().expect("launches")
}

/// What the answer says of each kernel, where it says that it is exact.
fn told(launches: &[Value]) -> BTreeMap<String, (u64, u64)> {
    let exact = launches
        .iter()
        .filter(|launch| launch["not_exact"] == serde_json::json!({}));
    let number = |launch: &Value, key: &str| launch[key].as_u64().expect("a number");
    exact
        .map(|launch| {
            let kernel = launch["kernel"].as_str().expect("a name").to_owned();
            let facts = (
                number(launch, "registers"),
                number(launch, "static_shared_bytes"),
            );
            (kernel, facts)
        })
        .collect()
}

#[test]
fn registers_and_shared_memory_are_those_of_ptxas() {
    for (architecture, device) in [("-arch=sm_80", "a100-40gb"), ("-arch=sm_90", "h200-141gb")] {
        let (folder, said) = built(&[architecture]);
        assert_eq!(told(&launches(&folder, device)), said, "{architecture}");
    }
}

#[test]
fn shapes_of_launches_are_told_in_full() {
    let (folder, _) = built(&["-arch=sm_90"]);
    let launches = launches(&folder, "h200-141gb");
    let shape = |at: usize| {
        ["blocks", "threads", "warps_per_block", "trips"].map(|key| launches[at][key].as_u64())
    };
    assert_eq!(shape(0), [3, 200, 7, 1].map(Some));
    assert_eq!(shape(1), [8, 64, 2, 5].map(Some));
    assert_eq!(launches[1]["shared_bytes"], 512);
}

#[test]
fn code_for_another_device_gives_an_estimate_that_says_so() {
    let (folder, said) = built(&["-arch=sm_80"]);
    let launches = launches(&folder, "h200-141gb");
    assert_eq!(told(&launches), BTreeMap::new());
    for launch in launches {
        let why = launch["not_exact"]["registers"].as_str().expect("a reason");
        assert!(
            why.starts_with("estimate from the machine code for sm_80"),
            "{why}"
        );
        let kernel = launch["kernel"].as_str().expect("a name");
        assert_eq!(launch["registers"].as_u64(), Some(said[kernel].0));
    }
}

#[test]
fn ptx_alone_gives_an_estimate_of_registers_and_its_own_shared_memory() {
    let (folder, said) = built(&["-gencode", "arch=compute_80,code=sm_80"]);
    let source = folder.folder().join("k.cu");
    let mut build = tool(Stage::ready().program("migfit"));
    build.args([
        "build",
        "--",
        "nvcc",
        "-gencode",
        "arch=compute_80,code=compute_80",
        "-c",
    ]);
    build.arg(source).arg("-o").arg(folder.folder().join("k.o"));
    process::output(&mut build).expect_success();
    for launch in launches(&folder, "a100-40gb") {
        let kernel = launch["kernel"].as_str().expect("a name");
        let (registers, shared) = said[kernel];
        assert_eq!(
            launch["static_shared_bytes"].as_u64(),
            Some(shared),
            "{kernel}"
        );
        let why = launch["not_exact"]["registers"].as_str().expect("a reason");
        assert!(why.starts_with("estimate from PTX for sm_80"), "{why}");
        let estimate = launch["registers"].as_u64().expect("an estimate");
        assert!(
            estimate <= 4 * registers + 8 && registers <= 4 * estimate,
            "{kernel}: {estimate}, really {registers}"
        );
    }
}
