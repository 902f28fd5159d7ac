//! A module in which inline functions of libstdc++ are only declared in (clang leaves their bodies out at -O0), the same
//! with bodies out. Must not know which functions have models: it is told.

use super::generated;
use crate::error::AnalyzeError;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use std::path::Path;

/// What build.rs made of library.cpp.
const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.bc"));

/// Tables of virtual functions and names of types: the evaluator has its own.
const TABLES: [&str; 4] = ["_ZTV", "_ZTT", "_ZTI", "_ZTS"];

/// Members of `std::string` that the headers do not define in the class: their models are what optimised code calls, too.
const OUT_OF_LINE: [&str; 21] = [
    "10_M_disposeEv",
    "10_M_replace",
    "12find_last_of",
    "13find_first_of",
    "14_M_replace_aux",
    "16find_last_not_of",
    "17find_first_not_of",
    "4copy",
    "4find",
    "4swap",
    "5rfind",
    "6resize",
    "7compare",
    "7reserve",
    "8_M_erase",
    "9_M_append",
    "9_M_assign",
    "9_M_create",
    "9_M_mutate",
    "D1Ev",
    "D2Ev",
];

/// Whether a function is an inline member of `std::string`: those are taken, whatever is known of them.
fn is_inline_of_string(name: &str) -> bool {
    const CLASS: &str = "St7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";
    let plain = name.strip_prefix("_ZNK").or(name.strip_prefix("_ZN"));
    let member = plain.and_then(|rest| rest.strip_prefix(CLASS));
    member.is_some_and(|member| !OUT_OF_LINE.iter().any(|start| member.starts_with(start)))
}

/// Adds the bodies that are missing, and what they call in turn; what has a model stays declared.
///
/// # Errors
/// When LLVM refuses the library.
pub fn complete<'c>(
    context: &'c Context,
    module: &Module<'c>,
    has_model: impl Fn(&str) -> bool,
) -> Result<(), AnalyzeError> {
    let has_model = |name: &str| !is_inline_of_string(name) && has_model(name);
    let missing =
        |name: &str| (name.starts_with("_ZNS") || name.starts_with("_ZNKS")) && !has_model(name);
    let mut declared = module
        .get_functions()
        .filter(|function| function.count_basic_blocks() == 0);
    if !declared.any(|function| function.get_name().to_str().is_ok_and(missing)) {
        return Ok(());
    }
    let refused = |message: String| AnalyzeError::Link {
        path: Path::new("the C++ library").to_owned(),
        message,
    };
    let bytes = MemoryBuffer::create_from_memory_range_copy(LIBRARY, "library");
    let library = Module::parse_bitcode_from_buffer(&bytes, context)
        .map_err(|error| refused(error.to_string()))?;
    if library.get_triple() != module.get_triple() {
        return Ok(());
    }
    offer(&library, has_model);
    module
        .link_in_module(library)
        .map_err(|error| refused(error.to_string()))
}

/// Leaves of the library what may be taken from it, each function for itself.
fn offer(library: &Module<'_>, has_model: impl Fn(&str) -> bool) {
    for alias in generated::aliases(library) {
        let (name, function) = (alias.name(), alias.stands_for());
        match has_model(&name) || has_model(&function) {
            true => alias.forget(library),
            false => alias.offer(),
        }
    }
    let functions: Vec<_> = library.get_functions().collect();
    for function in functions.iter().filter(|one| one.count_basic_blocks() != 0) {
        let name = function.get_name().to_string_lossy().into_owned();
        if has_model(&name) {
            generated::forget_body(library, &name);
        } else {
            // Only what is asked for is taken then.
            function.set_linkage(Linkage::LinkOnceODR);
        }
    }
    for global in library.get_globals() {
        let name = global.get_name().to_string_lossy();
        if TABLES.iter().any(|start| name.starts_with(start)) {
            generated::forget_value(global);
        } else if global.get_linkage() == Linkage::WeakODR {
            global.set_linkage(Linkage::LinkOnceODR);
        }
    }
}
