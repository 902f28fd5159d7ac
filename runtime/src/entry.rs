//! How a program comes to its driver functions, and which of them we answer with a hook of ours.
//!
//! 1. By linked name: a program (or library) that was linked with -lcuda. The loader binds each name to the first
//!    library that exports it, and a preloaded one comes first: exporting the name (symbols.rs) is enough.
//! 2. By `dlsym`: CUDA runtimes before 11.3, and everything that opens libcuda by itself (PyTorch, Numba, cudarc).
//!    They ask with the handle of libcuda, where preloading does not help: we stand in for `dlsym` and `dlvsym` (dl.rs).
//! 3. By `cuGetProcAddress`: runtimes since 11.3. The static one inside a program opens libcuda, asks `dlsym` for
//!    `cuGetProcAddress` or, since 12, for `cuGetProcAddress_v2`, and that one for all else, itself included.
//!
//! The third way asks for a name *without* suffix and a CUDA version: "cuMemAlloc" at 2000 is `cuMemAlloc`, from 3020 on
//! it is `cuMemAlloc_v2`; a flag asks for the `_ptsz` form, whose default stream is the calling thread's own.
//! Comes in: a name. Goes out: the row of the table. It must not know what the hooks do.

use crate::symbols::{Stream, Symbol, TABLE};
use std::ffi::CStr;

/// `CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM`.
const PER_THREAD_FLAG: u64 = 2;

/// The newest CUDA version whose driver functions the table was compared with. A driver may have a newer form of a
/// function for a newer version, with other arguments: there only the very address of a known form is trusted.
const KNOWN_VERSION: i32 = 13_050;

/// The row that exports exactly this name.
pub fn by_export(name: &CStr) -> Option<&'static Symbol> {
    // Nearly every look-up of a program is for another name: turn those away at once.
    if !name.to_bytes().starts_with(b"cu") {
        return None;
    }
    TABLE.iter().find(|symbol| symbol.name == name)
}

/// The row that a driver means by a name without suffix, a CUDA version and the flags of `cuGetProcAddress`.
pub fn by_rule(base: &CStr, version: i32, flags: u64) -> Option<&'static Symbol> {
    let newest = |stream: Stream| {
        TABLE
            .iter()
            .filter(|symbol| symbol.base == base && symbol.stream == stream)
            .filter(|symbol| symbol.since <= version)
            .max_by_key(|symbol| symbol.since)
    };
    let per_thread = (flags & PER_THREAD_FLAG != 0)
        .then(|| newest(Stream::PerThread))
        .flatten();
    per_thread.or_else(|| newest(Stream::Legacy))
}

/// The row of what the driver's `cuGetProcAddress` answered: the one whose real function it is, else by the rule.
pub fn by_answer(
    base: &CStr,
    version: i32,
    flags: u64,
    is_real: impl Fn(&Symbol) -> bool,
) -> Option<&'static Symbol> {
    // Some drivers answer to a name with its suffix too.
    let asked = |symbol: &&Symbol| symbol.base == base || symbol.name == base;
    let by_address = TABLE.iter().filter(asked).find(|symbol| is_real(symbol));
    by_address.or_else(|| {
        (version <= KNOWN_VERSION)
            .then(|| by_rule(base, version, flags))
            .flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;

    /// The forms as the integration tests and their fake driver know them: export, name to ask with, first version, stream.
    const FORMS: &str = include_str!("../tests/fake/forms.txt");

    fn forms() -> Vec<(CString, CString, i32, u64)> {
        let lines = FORMS.lines().filter(|line| !line.starts_with('#'));
        lines
            .map(|line| {
                let words: Vec<_> = line.split_whitespace().collect();
                let flags = if words[3] == "thread" { 2 } else { 0 };
                let text = |at: usize| CString::new(words[at]).unwrap();
                (text(0), text(1), words[2].parse().unwrap(), flags)
            })
            .collect()
    }

    #[test]
    fn every_hook_is_found_in_each_of_the_three_ways() {
        let forms = forms();
        assert_eq!(forms.len(), TABLE.len(), "forms.txt and the table differ");
        for (name, base, since, flags) in forms {
            let exported = by_export(&name).expect("found by its exported name");
            let ruled = by_rule(&base, since, flags).expect("found by the rule");
            assert_eq!(exported.looked_up, ruled.looked_up, "{name:?}");
            assert_eq!(exported.name, name.as_c_str());
        }
    }

    #[test]
    fn the_rule_takes_the_newest_form_that_the_version_allows() {
        let name = |base: &CStr, version, flags| by_rule(base, version, flags).map(|row| row.name);
        assert_eq!(name(c"cuMemAlloc", 2000, 0), Some(c"cuMemAlloc"));
        assert_eq!(name(c"cuMemAlloc", 3019, 0), Some(c"cuMemAlloc"));
        assert_eq!(name(c"cuMemAlloc", 12_000, 0), Some(c"cuMemAlloc_v2"));
        assert_eq!(
            name(c"cuMemAlloc", 12_000, 2),
            Some(c"cuMemAlloc_v2"),
            "no form of its own for the thread's stream"
        );
        assert_eq!(name(c"cuLaunchKernel", 12_000, 1), Some(c"cuLaunchKernel"));
        assert_eq!(
            name(c"cuLaunchKernel", 12_000, 2),
            Some(c"cuLaunchKernel_ptsz")
        );
        assert_eq!(
            name(c"cuGetProcAddress", 11_030, 0),
            Some(c"cuGetProcAddress")
        );
        assert_eq!(
            name(c"cuGetProcAddress", 13_000, 0),
            Some(c"cuGetProcAddress_v2")
        );
        assert_eq!(name(c"cuMemAllocAsync", 11_010, 0), None, "not yet there");
    }

    #[test]
    fn an_address_beats_the_rule_and_an_unknown_version_needs_one() {
        let old = |symbol: &Symbol| symbol.name == c"cuMemAlloc";
        let row = by_answer(c"cuMemAlloc", 12_000, 0, old).unwrap();
        assert_eq!(row.name, c"cuMemAlloc");
        assert!(by_answer(c"cuMemAlloc", KNOWN_VERSION + 1, 0, |_| false).is_none());
        assert!(by_answer(c"cuMemAlloc", KNOWN_VERSION + 1, 0, old).is_some());
    }

    #[test]
    fn foreign_names_are_left_alone() {
        for name in [
            c"cudnnCreate",
            c"cuMemAlloc_v3",
            c"cublasCreate_v2",
            c"cu",
            c"",
        ] {
            assert!(by_export(name).is_none(), "{name:?}");
        }
    }
}
