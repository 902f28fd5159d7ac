//! The whole program, and command lines for it.

use super::text::Text;
use super::types::Type;

/// A generated program.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it was made from.
    pub seed: u64,
    /// CUDA source for fixtures/random/cuda.h.
    pub source: String,
    /// Command lines, without the program's name.
    pub runs: Vec<Vec<String>>,
    /// Flags for clang that say which form of IR is made.
    pub form: Vec<&'static str>,
}

const BEGIN: &str = r#"#include "cuda.h"
__global__ void kernel0(int *, int) {}
__global__ void kernel1(int *, int) {}
__global__ void kernel2(int *, int) {}
struct Item { int a, b; };
struct Setup { long n, m; };
static void *pool[6];
static int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
static double reals[8] = {0.5, 2.25, 100.125};
static Item items[8];
static long *heap;
static Setup *setup;
static void *pool_of_forms;
static char buffer[64];
static cudaError_t take(void **to, size_t bytes) {
    if (bytes > 5000 && table[0] > 3)
        bytes /= 2;
    return cudaMalloc(to, bytes);
}
static long number(int count, char **words, const char *name, long fallback) {
    for (int i = 1; i + 1 < count; ++i)
        if (!strcmp(words[i], name))
            return atoi(words[i + 1]);
    return fallback;
}
struct Buffer {
    void *at = nullptr;
    size_t bytes;
    explicit Buffer(long n) : bytes(within(n, 3000) * 8) { cudaMalloc(&at, bytes); }
    ~Buffer() { cudaFree(at); }
    Buffer(const Buffer &) = delete;
};
static void launch_on(const Buffer &buffer) { kernel2<<<(unsigned)(buffer.bytes + 255) / 256, 256>>>((int *)buffer.at, 1); }
"#;

/// The forms of IR in which programs reach the analyzer.
const FORMS: [&[&str]; 5] = [
    &["-O0"],
    &["-O1", "-Xclang", "-disable-llvm-passes"],
    &[
        "-O1",
        "-Xclang",
        "-disable-llvm-passes",
        "-fno-strict-return",
        "-g1",
    ],
    &["-O1"],
    &["-O2"],
];

/// The program of this number: always the same.
pub fn program(seed: u64) -> Program {
    let mut text = Text::new(seed);
    text.out.push_str(BEGIN);
    for _ in 0..1 + text.below(3) {
        let (kind, name) = (Type::any(&mut text.random), text.fresh("w"));
        let value = text.below(500);
        text.line(&format!("static {} {name} = {value};", kind.name()));
        text.declare(name, kind, false);
    }
    for _ in 0..text.below(6) {
        match text.chance(45) {
            true => text.form(),
            false => text.function(),
        }
    }
    if text.chance(30) {
        text.recursion();
    }
    text.mainline();
    let runs = (0..3).map(|at| arguments(&mut text, at)).collect();
    let form = FORMS[text.random.usize(..FORMS.len())].to_vec();
    Program {
        seed,
        source: text.out,
        runs,
        form,
    }
}

fn arguments(text: &mut Text, at: u32) -> Vec<String> {
    const WORDS: [&str; 8] = ["-x", "-n", "12", "0x1f", "3.75", "-4", "abc", "1000000"];
    let count = if at == 0 { 3 } else { text.below(4) };
    (0..count)
        .map(|_| match text.chance(50) {
            true => text.below(4000).to_string(),
            false => WORDS[text.random.usize(..WORDS.len())].to_owned(),
        })
        .collect()
}
