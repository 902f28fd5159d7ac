//! Which functions are the system's: told by the linked program (versions of its undefined symbols), or, where that is
//! not known, by how their names look.

use super::host;
use crate::slice::has_effect_row;
use std::collections::BTreeSet;

/// How names of the C++ library, of its run-time support and of OpenMP's begin.
const BEGINNINGS: &[&str] = &[
    "_ZSt",
    "_ZNSt",
    "_ZNKSt",
    "_ZNSo",
    "_ZNSi",
    "_ZNSs",
    "_ZNKSs",
    "_ZN9__gnu_cxx",
    "_ZNK9__gnu_cxx",
    "_ZThn",
    "_ZTv",
    "_Zn",
    "_Zd",
    "__cxa_",
    "__gxx",
    "__clang_call_terminate",
    "_Unwind",
    "__kmpc_",
    "__stack_chk_",
    "GOMP_",
    "omp_",
];

/// The system's functions that a program calls.
#[derive(Clone, Debug, Default)]
pub struct SystemFunctions {
    /// Names that the linked program takes from the system's libraries; empty where it was not looked at.
    names: BTreeSet<String>,
    /// This host's libraries are asked too.
    as_here: bool,
}

impl SystemFunctions {
    /// Those that the libraries of this host define: for IR that was never linked.
    #[must_use]
    pub fn of_this_host() -> SystemFunctions {
        SystemFunctions {
            names: BTreeSet::new(),
            as_here: true,
        }
    }

    /// From a list of names, one on each line.
    #[must_use]
    pub fn listed(list: &str) -> SystemFunctions {
        let names = list.lines().map(str::trim).filter(|name| !name.is_empty());
        SystemFunctions {
            names: names.map(str::to_owned).collect(),
            as_here: false,
        }
    }

    /// Whether a function is one of them. A compiler may have put its own code in a call's place, so that the linked
    /// program does not name the function: those with a row in our tables count too.
    #[must_use]
    pub fn contain(&self, name: &str) -> bool {
        self.names.contains(name)
            || BEGINNINGS.iter().any(|start| name.starts_with(start))
            || has_effect_row(name)
            || (self.as_here && host::defines(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_on_the_list_and_those_that_we_know_are_the_systems() {
        let functions = SystemFunctions::listed("getpriority\n wait4 \n\n");
        for name in [
            "getpriority",
            "wait4",
            "strlen",
            "sqrtf",
            "_ZNSolsEi",
            "__isoc99_sscanf",
        ] {
            assert!(functions.contain(name), "{name}");
        }
        for name in ["", "xalloc", "library_create", "_Z6xallocm"] {
            assert!(!functions.contain(name), "{name:?}");
        }
        assert!(!SystemFunctions::default().contain("wait4"));
    }
}
