//! What a linked file offers to the others of its process, by name.

use std::collections::BTreeSet;

/// Names of functions and variables that other files may use.
#[derive(Clone, Debug, Default)]
pub struct Exports(BTreeSet<Vec<u8>>);

impl Exports {
    /// From a list of names, one on each line.
    #[must_use]
    pub fn listed(list: &str) -> Exports {
        let names = list.lines().map(str::trim).filter(|name| !name.is_empty());
        Exports(names.map(|name| name.as_bytes().to_vec()).collect())
    }

    /// Whether a name is one of them.
    #[must_use]
    pub fn contain(&self, name: &str) -> bool {
        self.contain_bytes(name.as_bytes())
    }

    /// The same of a name as LLVM holds it.
    #[must_use]
    pub fn contain_bytes(&self, name: &[u8]) -> bool {
        self.0.contains(name)
    }
}

#[cfg(test)]
mod tests {
    use super::Exports;

    #[test]
    fn names_on_the_list_are_exported() {
        let exports = Exports::listed("scale\n _Z4takei \n\n");
        assert!(exports.contain("scale") && exports.contain_bytes(b"_Z4takei"));
        assert!(!exports.contain("") && !exports.contain("sc"));
    }
}
