//! `libcudart.so.12`: what a program built with CUDA 12 finds there, in that version's forms.

use migfit_tests::{Gpu, Sandbox, Stage, process};
use std::process::Command;

/// Declares what it calls by itself, as CUDA 12's headers have it.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stddef.h>
#include <string.h>
typedef struct { int type; int device; void *device_pointer, *host_pointer; } Pointer;
int cudaRuntimeGetVersion(int *);
int cudaGetDeviceProperties_v2(void *, int);
int cudaPointerGetAttributes(Pointer *, const void *);
int cudaMallocManaged(void **, size_t, unsigned);
int cudaMemPrefetchAsync(const void *, size_t, int, void *);
int cudaMemAdvise(const void *, size_t, int, int);
int cudaThreadSynchronize(void);
int cudaGraphCreate(void **, unsigned);
int cudaGraphAddEmptyNode(void **, void *, void *const *, size_t);
int cudaGraphAddDependencies(void *, void *const *, void *const *, size_t);
int cudaGraphGetEdges(void *, void **, void **, size_t *);
int cudaGraphNodeGetDependencies(void *, void **, size_t *);
int cudaSetDoubleForHost(double *);

#define TELL(call) printf("%s %d\n", #call, call)

int main(void) {
    int version;
    TELL(cudaRuntimeGetVersion(&version));
    unsigned char raw[2048];
    memset(raw, 0x5a, sizeof raw);
    TELL(cudaGetDeviceProperties_v2(raw, 0));
    int clock, sms, ratio;
    memcpy(&clock, raw + 348, 4);
    memcpy(&sms, raw + 388, 4);
    memcpy(&ratio, raw + 668, 4);
    int untouched = 1;
    for (size_t i = 1032; i < sizeof raw; i++) untouched &= raw[i] == 0x5a;
    printf("%d %s %d %d %d %d\n", version, (char *)raw, clock, sms, ratio, untouched);
    struct { Pointer told; unsigned char behind[128]; } pointer;
    memset(&pointer, 0x5a, sizeof pointer);
    void *managed;
    TELL(cudaMallocManaged(&managed, 1 << 20, 1));
    TELL(cudaPointerGetAttributes(&pointer.told, managed));
    printf("%d %d\n", pointer.told.type, pointer.behind[0] == 0x5a);
    TELL(cudaMemPrefetchAsync(managed, 1 << 20, 0, 0));
    TELL(cudaMemPrefetchAsync(managed, 1 << 20, -1, 0));
    TELL(cudaMemAdvise(managed, 1 << 20, 3, -1));
    TELL(cudaMemPrefetchAsync(managed, 1 << 20, 7, 0));
    void *graph, *first, *second, *before = NULL;
    size_t edges = 0, count = 1;
    TELL(cudaGraphCreate(&graph, 0));
    TELL(cudaGraphAddEmptyNode(&first, graph, 0, 0));
    TELL(cudaGraphAddEmptyNode(&second, graph, 0, 0));
    TELL(cudaGraphAddDependencies(graph, &first, &second, 1));
    TELL(cudaGraphGetEdges(graph, 0, 0, &edges));
    TELL(cudaGraphNodeGetDependencies(second, &before, &count));
    printf("%zu %d\n", edges, before == first);
    TELL(cudaThreadSynchronize());
    double none;
    TELL(cudaSetDoubleForHost(&none));
    return 0;
}
"#;

#[test]
fn a_program_of_cuda_12_finds_that_version_s_forms() {
    let sandbox = Sandbox::new();
    let source = sandbox.put("twelve.c", PROGRAM);
    let program = sandbox.path("twelve");
    let library = Stage::ready().virtual_gpu().join("libcudart.so.12");
    let mut compiler = Command::new("cc");
    let built = compiler
        .arg(source)
        .arg(&library)
        .arg("-o")
        .arg(&program)
        .status();
    assert!(built.unwrap().success());
    let gpu = Gpu::a100();
    let slice = gpu.cut("7g.40gb");
    let mut command = Command::new(&program);
    let outcome = process::output(gpu.put(process::clean(&mut command), &slice));
    let said: Vec<&str> = outcome.stdout.lines().collect();
    let failing: Vec<&&str> = said
        .iter()
        .filter(|line| line.starts_with("cuda") && !line.ends_with(" 0"))
        .collect();
    // There is no device 7; the last one is not done, and says so.
    assert_eq!(
        failing,
        [
            &"cudaMemPrefetchAsync(managed, 1 << 20, 7, 0) 101",
            &"cudaSetDoubleForHost(&none) 801"
        ],
        "{outcome}"
    );
    let told: Vec<&&str> = said
        .iter()
        .filter(|line| !line.starts_with("cuda"))
        .collect();
    assert_eq!(
        told,
        [
            &"12090 NVIDIA A100-SXM4-40GB MIG 7g.40gb 1410000 98 2 1",
            &"3 1",
            &"1 1"
        ],
        "{outcome}"
    );
    let log = std::fs::read_to_string(format!("{}.log", gpu.state().display())).unwrap();
    assert_eq!(log, "cudaSetDoubleForHost\n");
    // The loader binds to the version node.
    assert!(
        !outcome.stderr.contains("no version information"),
        "{outcome}"
    );
}
