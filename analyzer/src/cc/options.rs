//! What we must know of a compiler's options: which take the next word as their value, which only feed the
//! preprocessor, and which make a command something other than a plain compile or link.

/// Options whose value is the next word when they stand alone. Exact spellings.
const TAKE_NEXT: &[&str] = &[
    "-o",
    "-x",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-F",
    "-T",
    "-u",
    "-e",
    "-z",
    "-A",
    "-B",
    "-G",
    "-V",
    "-b",
    "-h",
    "-J",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-imultilib",
    "-include-pch",
    "-ivfsoverlay",
    "-iframework",
    "-stdlib++-isystem",
    "-cxx-isystem",
    "--sysroot",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xclang",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xanalyzer",
    "-Xopenmp-target",
    "-Xarch_host",
    "-Xarch_device",
    "-mllvm",
    "-target",
    "-arch",
    "-aux-info",
    "-wrapper",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "--param",
    "-rpath",
    "-soname",
    "-framework",
    "-working-directory",
    "-gcc-toolchain",
    "-specs",
    "-plugin",
    "-R",
    "-Ttext",
    "-Tdata",
    "-Tbss",
    "-undefined",
    "-install_name",
    "--serialize-diagnostics",
    "-serialize-diagnostics",
    "-index-store-path",
];

/// Options that only feed the preprocessor, with their value joined or in the next word.
const PREPROCESS: &[&str] = &[
    "-I",
    "-D",
    "-U",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-Xpreprocessor",
    "-cxx-isystem",
    "-stdlib++-isystem",
    "-nostdinc",
];

/// Options with which a command is neither a plain compile nor a plain link, or prints instead of compiling.
const NOT_PLAIN: &[&str] = &[
    "-E",
    "-S",
    "-M",
    "-MM",
    "-v",
    "-###",
    "-r",
    "--help",
    "--version",
    "--target-help",
    "-fsyntax-only",
    "-emit-llvm",
    "-emit-ast",
    "--analyze",
    "-cc1",
    "-cc1as",
    "--precompile",
    "-rewrite-objc",
    "--preprocess",
    "--assemble",
    "--",
];

/// The same, by how they begin.
const NOT_PLAIN_BEGINNINGS: &[&str] = &[
    "-dump",
    "-print-",
    "--print-",
    "--help=",
    "-fembed-",
    "--cuda-",
    "-fmodules",
    "-fmodule-",
    "-Wl,-r,",
    "-Wl,--relocatable",
    "--output",
    "--compile",
    "--language",
];

/// Options that tie the object to the source in ways which a compile from bitcode would lose.
const WANT_THE_SOURCE: &[&str] = &[
    "--coverage",
    "-ftest-coverage",
    "-fprofile",
    "-fcoverage",
    "-gsplit-dwarf",
    "-fsanitize",
    "-fxray",
    "-fcs-profile",
    "-fplugin",
    "-fpass-plugin",
    "-ftime-",
    "-fsave-optimization-record",
    "-Rpass",
    "-MJ",
    "-serialize-diagnostics",
    "--serialize-diagnostics",
    "-include-pch",
    "-Wp,",
    "-no-integrated-as",
    "-fno-integrated-as",
    "-fsplit-stack",
    "-save-temps",
    "--save-temps",
];

/// Options of any compiler that clang understands and that can change what host code means.
const CHANGE_MEANING: &[&str] = &[
    "-std=",
    "-O",
    "-ansi",
    "-pthread",
    "-m32",
    "-m64",
    "-march=",
    "-mtune=",
    "-msse",
    "-mssse",
    "-mpopcnt",
    "-mlzcnt",
    "-maes",
    "-mpclmul",
    "-mno-",
    "-mavx",
    "-mfma",
    "-mf16c",
    "-mbmi",
    "-fPIC",
    "-fpic",
    "-fPIE",
    "-fpie",
    "-fopenmp",
    "-fexceptions",
    "-fno-exceptions",
    "-frtti",
    "-fno-rtti",
    "-funsigned-char",
    "-fsigned-char",
    "-fshort-enums",
    "-fgnu89-inline",
    "-fno-builtin",
    "-ffreestanding",
    "-fms-extensions",
    "-ffast-math",
    "-fwrapv",
    "-fpermissive",
    "-fconcepts",
    "-fcoroutines",
    "-fchar8_t",
    "-fno-char8_t",
    "-fvisibility",
    "-fconstexpr",
    "-ftemplate-depth",
    "-isysroot",
    "--sysroot",
];

/// Whether the option's value is the next word.
pub fn takes_next(option: &str) -> bool {
    TAKE_NEXT.contains(&option)
}

/// Whether the option only feeds the preprocessor.
pub fn feeds_preprocessor(option: &str) -> bool {
    begins(option, PREPROCESS)
}

/// Whether the command is to be left alone.
pub fn is_not_plain(option: &str) -> bool {
    NOT_PLAIN.contains(&option) || begins(option, NOT_PLAIN_BEGINNINGS) || option == "-Wl,-r"
}

/// Whether the object must be compiled from the source itself.
pub fn wants_the_source(option: &str) -> bool {
    begins(option, WANT_THE_SOURCE)
}

/// Whether the option asks for an object of link-time optimisation.
pub fn is_lto(option: &str) -> bool {
    option.starts_with("-flto")
}

/// Whether the option leaves files beside the object, which a pass for IR alone must not do.
pub fn leaves_files(option: &str) -> bool {
    begins(option, &["-save-temps", "--save-temps"])
}

/// Whether a side pass by clang needs the option that another compiler was given.
pub fn changes_meaning(option: &str) -> bool {
    begins(option, CHANGE_MEANING)
}

/// Definitions that go to the preprocessor through `-Wp,`.
pub fn defined_through_wp(option: &str) -> Vec<String> {
    let list = option.strip_prefix("-Wp,").unwrap_or_default();
    let parts = list
        .split(',')
        .filter(|part| begins(part, &["-D", "-U", "-I"]));
    parts
        .filter(|part| part.len() > 2)
        .map(str::to_owned)
        .collect()
}

/// What an option says of debug information: `Some(true)` asks for it, `Some(false)` refuses it.
pub fn debug_wish(option: &str) -> Option<bool> {
    let kind = option.strip_prefix("-g")?;
    match kind {
        "0" => Some(false),
        ""
        | "1"
        | "2"
        | "3"
        | "full"
        | "mlt"
        | "line-tables-only"
        | "line-directives-only"
        | "modules" => Some(true),
        _ if begins(kind, &["gdb", "lldb", "dwarf", "dbx", "stabs"]) => Some(true),
        _ => None,
    }
}

fn begins(option: &str, beginnings: &[&str]) -> bool {
    beginnings
        .iter()
        .any(|beginning| option.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_wishes_are_told_from_options_that_look_alike() {
        for asks in ["-g", "-g3", "-ggdb", "-gdwarf-4", "-gline-tables-only"] {
            assert_eq!(debug_wish(asks), Some(true), "{asks}");
        }
        assert_eq!(debug_wish("-g0"), Some(false));
        for silent in ["-gz", "-grecord-command-line", "-O2", "-fgnu89-inline"] {
            assert_eq!(debug_wish(silent), None, "{silent}");
        }
    }
}
