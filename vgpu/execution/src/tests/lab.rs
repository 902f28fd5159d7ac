//! Runs a kernel of a PTX text on memory of the test.

use crate::{CompileError, Compiled, Counting, Fault, Launch, Symbols, compile, launch};
use migfit_ptx::flow::program::Program;
use migfit_ptx::text::parse;
use migfit_schema::record::Work;

/// Head of a text.
pub const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

struct AtZero;

impl Symbols for AtZero {
    fn offset(&self, _file: usize, _name: &str) -> Option<u64> {
        Some(0)
    }
}

/// Compiles a kernel of a text without its head.
pub fn compiled(text: &str, kernel: &str) -> Result<Compiled, CompileError> {
    let module = parse(&format!("{HEAD}{text}")).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let program = Program::new(vec![module]).unwrap();
    compile(&program, kernel, &AtZero, Counting::Work)
}

/// Parameters as bytes, each at a multiple of 8.
pub fn parameters(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Runs a kernel whose parameters have 8 bytes each.
pub fn run_with(
    kernel: &Compiled,
    grid: [u32; 3],
    block: [u32; 3],
    words: &[u64],
    workers: usize,
) -> Result<Work, Fault> {
    let parameters = parameters(words);
    let shape = Launch {
        grid,
        block,
        shared: 256,
        parameters: &parameters,
        variables: 0,
        sms: 14,
        workers,
    };
    launch(kernel, &shape).map_err(|failure| failure.unwrap())
}

/// Runs the kernel `k` of a text, which writes to its first parameter; what it wrote.
pub fn run<T: Default + Copy>(
    text: &str,
    grid: [u32; 3],
    block: [u32; 3],
    room: usize,
    more: &[u64],
) -> Vec<T> {
    let kernel = compiled(text, "k").unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut out = vec![T::default(); room];
    let mut words = vec![out.as_mut_ptr().expose_provenance() as u64];
    words.extend(more);
    run_with(&kernel, grid, block, &words, 1).unwrap();
    out
}

/// One thread's instructions between the loads of its operands and the store of its result `%out`.
pub fn one<T: Default + Copy>(
    declarations: &str,
    instructions: &str,
    store: &str,
    operands: &[u64],
) -> T {
    let names: String = (0..operands.len())
        .map(|nth| format!(", .param .b64 p{nth}"))
        .collect();
    let text = format!(
        ".entry k(.param .u64 out{names}) {{ .reg .b64 %result; {declarations}\n\
         ld.param.u64 %result, [out];\n{instructions}\nst.global.{store} [%result], %out;\nret; }}"
    );
    run(&text, [1; 3], [1; 3], 1, operands)[0]
}
