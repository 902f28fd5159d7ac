//! The size program, with the lines that calls stand at -> comments in those source files that bound allocations
//! (`migfit_schema::annotation`), held against the calls. Knows no LLVM.

use migfit_schema::annotation::{self, Annotation};
use migfit_schema::names;
use migfit_schema::program::{Callee, Op, SizeProgram};
use std::collections::BTreeSet;

/// Files larger than this are not read.
const LARGEST: u64 = 32 << 20;

/// The annotations in the program's source files, as far as these are there.
#[must_use]
pub fn of(program: &SizeProgram) -> Vec<Annotation> {
    let mut found = Vec::new();
    for (number, file) in (0u32..).zip(&program.files) {
        let Some(text) = source(file) else { continue };
        let annotations = annotation::read(file, &text);
        if annotations.is_empty() {
            continue;
        }
        let calls = call_lines(program, number);
        found.extend(annotations.into_iter().map(|one| held_against(one, &calls)));
    }
    found
}

fn source(file: &str) -> Option<String> {
    let about = std::fs::metadata(file).ok()?;
    if !about.is_file() || about.len() > LARGEST {
        return None;
    }
    let bytes = std::fs::read(file).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A comment above something else than a call that allocates is stale.
fn held_against(one: Annotation, calls: &BTreeSet<u32>) -> Annotation {
    let (first, last) = one.lines;
    let usable = one.trouble.is_none();
    match usable && calls.range(first..=last.max(first)).next().is_none() {
        true => one.refused(
            "the statement below it allocates no device memory, by itself or in a function",
        ),
        false => one,
    }
}

/// Lines of a file with a call that allocates device memory, or of a function that may.
fn call_lines(program: &SizeProgram, file: u32) -> BTreeSet<u32> {
    let blocks = program
        .functions
        .iter()
        .flat_map(|function| &function.blocks);
    let ops = blocks.flat_map(|block| &block.ops);
    let calls = ops.filter(|found| found.place.file == file && may_allocate(&found.op));
    calls.map(|found| found.place.line).collect()
}

fn may_allocate(op: &Op) -> bool {
    let Op::Call { callee, .. } = op else {
        return false;
    };
    match callee {
        Callee::External(name) => names::takes_device_memory(name),
        Callee::Function(_) | Callee::Indirect(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_above_no_allocation_is_told() {
        let read = |text: &str| annotation::read("a.cu", text).remove(0);
        let comment = "// migfit: at most 1 MiB\nf(a,\n  b);\n";
        let good = held_against(read(comment), &BTreeSet::from([3]));
        assert_eq!(good.trouble, None);
        let stale = held_against(read(comment), &BTreeSet::from([1, 4]));
        assert!(stale.bound.is_none());
        assert!(
            stale
                .trouble
                .unwrap()
                .contains("allocates no device memory")
        );
    }
}
