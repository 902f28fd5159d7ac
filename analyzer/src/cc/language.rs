//! What the compiler takes an input file for, by `-x` or by the end of its name.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What the compiler takes an input file for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C, preprocessed or not.
    C,
    /// C++, preprocessed or not.
    Cxx,
    /// Goes to the linker as it is: objects, archives, shared libraries, linker scripts.
    Linked,
    /// Assembler, Fortran, CUDA and others that we leave to the compiler.
    Foreign,
}

impl Language {
    /// From the value of `-x`; `None` for `-x none`, which goes back to the name.
    pub fn named(value: &OsStr) -> Option<Language> {
        match value.as_bytes() {
            b"none" => None,
            b"c" | b"cpp-output" => Some(Language::C),
            b"c++" | b"c++-cpp-output" => Some(Language::Cxx),
            _ => Some(Language::Foreign),
        }
    }

    /// From a file's name; `plain_c` is what a C++ driver makes of `.c`.
    pub fn of_file(path: &Path, plain_c: Language) -> Language {
        match path.extension().map(OsStr::as_bytes) {
            Some(b"c" | b"i") => plain_c,
            Some(b"cc" | b"cp" | b"cxx" | b"cpp" | b"CPP" | b"c++" | b"C" | b"ii") => Language::Cxx,
            Some(
                b"s" | b"S" | b"sx" | b"cu" | b"m" | b"mm" | b"f" | b"F" | b"f90" | b"F90" | b"for"
                | b"h" | b"hh" | b"hpp" | b"H" | b"ll" | b"bc" | b"d" | b"go" | b"ads" | b"adb"
                | b"hip",
            ) => Language::Foreign,
            _ => Language::Linked,
        }
    }

    /// Whether clang makes host IR of it for us.
    pub fn has_ir(self) -> bool {
        matches!(self, Language::C | Language::Cxx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_decide_unless_x_does() {
        let of = |name: &str| Language::of_file(Path::new(name), Language::C);
        assert_eq!(of("main.c"), Language::C);
        assert_eq!(of("a.b/solver.cpp"), Language::Cxx);
        assert_eq!(of("big.C"), Language::Cxx);
        assert_eq!(of("boot.S"), Language::Foreign);
        assert_eq!(of("libm.so.6"), Language::Linked);
        assert_eq!(of("link.stub"), Language::Linked);
        assert_eq!(
            Language::of_file(Path::new("main.c"), Language::Cxx),
            Language::Cxx
        );
        assert_eq!(Language::named("none".as_ref()), None);
        assert_eq!(Language::named("c++".as_ref()), Some(Language::Cxx));
        assert_eq!(
            Language::named("assembler-with-cpp".as_ref()),
            Some(Language::Foreign)
        );
    }
}
