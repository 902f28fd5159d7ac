//! nvcc commands that are the user's compiler's from the start, because of a flag for the host compiler: one whose
//! runtime library clang does not share with it, or one that clang does not take. Words in, the flag out.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};

/// nvcc's option whose value is for the host compiler.
const OPTIONS: [&str; 3] = ["-Xcompiler", "--compiler-options", "-compiler-options"];
/// Beginnings of flags whose code calls a library of the compiler's own.
const OWN_LIBRARIES: [&str; 5] = [
    "-fopenmp",
    "--coverage",
    "-fprofile-",
    "-ftest-coverage",
    "-fsanitize=",
];

/// What of nvcc's words, its variables' included, makes the command the user's compiler's; `None`: it is for clang.
pub fn reason(words: &[OsString], clang: &Path) -> Option<String> {
    let for_host = for_host_compiler(words);
    let own_words = words.iter().map(|word| word.to_string_lossy().into_owned());
    let mut all = for_host.iter().cloned().chain(own_words);
    let own_library = |flag: &String| OWN_LIBRARIES.iter().any(|start| flag.starts_with(start));
    all.find(own_library)
        .or_else(|| (!takes(clang, &for_host)).then(|| for_host.join(" ")))
}

/// The values of `-Xcompiler`, which are lists.
fn for_host_compiler(words: &[OsString]) -> Vec<String> {
    let mut flags = Vec::new();
    let mut words = words.iter().map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        let value = match word.split_once('=') {
            Some((option, value)) if OPTIONS.contains(&option) => value.to_owned(),
            _ if OPTIONS.contains(&&*word) => words.next().unwrap_or_default().into_owned(),
            _ => continue,
        };
        let value = value.trim_matches(['"', '\'']);
        let parts = value.split([',', ' ']).filter(|part| !part.is_empty());
        flags.extend(parts.map(str::to_owned));
    }
    flags
}

/// Whether clang's driver takes these flags for a compile; it starts nothing.
fn takes(clang: &Path, flags: &[String]) -> bool {
    // A linker's list was cut at its commas, and a lone `-` or name would be an input.
    let whole = |flag: &String| flag.starts_with('-') && flag.len() > 1;
    if flags.is_empty() || !flags.iter().all(whole) {
        return true;
    }
    let mut command = Command::new(clang);
    command.args(["-###", "-c", "-x", "c++", "/dev/null"]);
    command.args(flags.iter().map(OsStr::new));
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let status = command.stderr(Stdio::null()).status();
    status.map_or(true, |status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn flags_of_own_libraries_are_found_in_every_spelling() {
        let of = |text: &str| reason(&words(text), Path::new("true"));
        let openmp = Some("-fopenmp".to_owned());
        assert_eq!(of("nvcc -Xcompiler -fopenmp a.cu"), openmp);
        assert_eq!(of("nvcc -Xcompiler=-Wall,-fopenmp a.cu"), openmp);
        assert_eq!(of("nvcc --compiler-options '-fopenmp' a.cu"), openmp);
        assert_eq!(of("nvcc -fopenmp a.cu"), openmp);
        assert_eq!(
            of("nvcc -Xcompiler --coverage"),
            Some("--coverage".to_owned())
        );
        assert_eq!(of("nvcc -O2 -Xcompiler -Wall a.cu"), None);
    }

    #[test]
    fn what_the_driver_refuses_is_told_and_lists_for_the_linker_are_not_asked() {
        let refuses = Path::new("false");
        assert_eq!(reason(&words("nvcc a.cu"), refuses), None);
        let of = |text: &str| reason(&words(text), refuses);
        let told = of("nvcc -Xcompiler -fno-gnu-unique,-O2 a.cu");
        assert_eq!(told.as_deref(), Some("-fno-gnu-unique -O2"));
        assert_eq!(of("nvcc -Xcompiler -Wl,-rpath,/x a.cu"), None);
    }
}
