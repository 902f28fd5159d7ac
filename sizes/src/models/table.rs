//! The one table from a function's name to its model, and what is known of effects without running a model.

use super::{
    assumed, at_exit, clock, ctype, cuda, cxx, environment, errno, heap, jumps, lines, math, mpi,
    number, openmp, options, paths, print, print_list, process, random, scan, settings, stat,
    stdio, string_members, text, text_search, threads, tokens, unchecked,
};
use crate::machine::host::{Halt, Host};
use crate::machine::value::Value;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A model: the result of the call, or why it has none.
pub type Model = for<'a, 'p> fn(&'a mut Host<'p>, &'a [Value]) -> Result<Value, Halt>;

/// Models of one family.
pub type Family = &'static [(&'static str, Model)];

/// All families.
const FAMILIES: [Family; 62] = [
    assumed::MODELS,
    at_exit::MODELS,
    ctype::MODELS,
    number::MODELS,
    heap::MODELS,
    text::MODELS,
    text_search::MODELS,
    tokens::MODELS,
    lines::MODELS,
    paths::MODELS,
    stat::MODELS,
    threads::MODELS,
    openmp::MODELS,
    mpi::MODELS,
    string_members::MODELS,
    stdio::MODELS,
    scan::MODELS,
    print::MODELS,
    print_list::MODELS,
    options::MODELS,
    process::MODELS,
    settings::MODELS,
    environment::MODELS,
    errno::MODELS,
    jumps::MODELS,
    clock::MODELS,
    random::MODELS,
    math::MODELS,
    cxx::exceptions::MODELS,
    cxx::exception_types::MODELS,
    cxx::exception_types::MEMBERS,
    cxx::trees::MODELS,
    cxx::lists::MODELS,
    cxx::hash_tables::MODELS,
    cxx::buffers::MODELS,
    cxx::path::MODELS,
    cxx::filesystem::MODELS,
    cxx::extract::MODELS,
    cxx::ios::MODELS,
    cxx::open::MODELS,
    cxx::output::MODELS,
    cxx::seek::MODELS,
    cxx::string::MODELS,
    cxx::string_places::MODELS,
    cxx::string_plain::MODELS,
    cxx::string_splices::MODELS,
    cxx::string_search::MODELS,
    cuda::allocate::MODELS,
    cuda::copy::MODELS,
    cuda::launch::MODELS,
    cuda::opt_in::MODELS,
    cuda::room::MODELS,
    cuda::query::MODELS,
    cuda::driver::MODELS,
    unchecked::MODELS,
    cuda::arrays::MODELS,
    cuda::closed::MODELS,
    cuda::graph_calls::MODELS,
    cuda::graph_nodes::MODELS,
    cuda::limits::MODELS,
    cuda::symbols::MODELS,
    cuda::virtual_memory::MODELS,
];

static TABLE: LazyLock<HashMap<&'static str, Model>> = LazyLock::new(|| {
    FAMILIES
        .iter()
        .flat_map(|family| family.iter().copied())
        .collect()
});

/// The model of a function, by its name as the linker sees it.
pub fn find(name: &str) -> Option<Model> {
    TABLE
        .get(name)
        .or_else(|| TABLE.get(plain_name(name)?))
        .copied()
}

/// The plain name within variants: a typed overload (`_Z10cudaMallocIfE...`), a per-thread stream's suffix.
fn plain_name(name: &str) -> Option<&str> {
    if let Some(base) = name
        .strip_suffix("_ptsz")
        .or_else(|| name.strip_suffix("_ptds"))
    {
        return Some(base);
    }
    let mangled = name
        .strip_prefix("_ZL")
        .or_else(|| name.strip_prefix("_Z"))?;
    let digits = mangled.bytes().take_while(u8::is_ascii_digit).count();
    let (len, rest) = mangled.split_at_checked(digits)?;
    let base = rest.get(..len.parse().ok()?)?;
    base.starts_with("cuda").then_some(base)
}

/// True for a function that writes nothing a size may depend on.
pub fn only_reads(name: &str) -> bool {
    const READERS: [&str; 24] = [
        "printf",
        "fprintf",
        "puts",
        "putchar",
        "putc",
        "fputc",
        "fputs",
        "fwrite",
        "fflush",
        "perror",
        "strlen",
        "strcmp",
        "strncmp",
        "strcasecmp",
        "memcmp",
        "bcmp",
        "atoi",
        "atol",
        "atof",
        "free",
        "fclose",
        "__printf_chk",
        "__fprintf_chk",
        "exit",
    ];
    READERS.contains(&name) || super::fallback::is_output(name) || math::is_model(name)
}

/// True for a function whose result points to memory that nothing else points to.
pub fn gives_new_memory(name: &str) -> bool {
    matches!(
        name,
        "malloc"
            | "calloc"
            | "strdup"
            | "_Znwm"
            | "_Znam"
            | "fopen"
            | "mmap"
            | "aligned_alloc"
            | "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_overloads_and_suffixes_find_the_plain_model() {
        assert!(find("_ZL10cudaMallocIfE9cudaErrorPPT_m").is_some());
        assert!(find("cudaMemcpyAsync_ptsz").is_some());
        assert!(find("_Z6mallocIfEvv").is_none());
        assert!(find("_Z99cudaMalloc").is_none());
        assert!(find("").is_none());
    }

    #[test]
    fn no_name_has_two_models() {
        let mut names: Vec<&str> = FAMILIES
            .iter()
            .flat_map(|family| family.iter().map(|(name, _)| *name))
            .collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
