//! What we must know of nvcc's words: files of options, which host compiler they name, and what the command makes.
//! Starts nothing.

use crate::response;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

/// Spellings of the option that names the host compiler.
const CCBIN: [&str; 3] = ["-ccbin", "--compiler-bindir", "-compiler-bindir"];
/// Spellings of the option that names a file of options.
const OPTIONS_FILE: [&str; 3] = ["-optf", "--options-file", "-options-file"];
/// Files within files, at most.
const DEEPEST: usize = 8;

/// Words with which nvcc compiles nothing for the host, or prints what it would do.
const NOTHING_FOR_THE_HOST: &[&str] = &[
    "--dryrun",
    "-dryrun",
    "--version",
    "-V",
    "--help",
    "-h",
    "-E",
    "--preprocess",
    "-M",
    "--generate-dependencies",
    "-MM",
    "--generate-nonsystem-dependencies",
    "-cubin",
    "--cubin",
    "-ptx",
    "--ptx",
    "-fatbin",
    "--fatbin",
    "-ltoir",
    "--ltoir",
    "-optix-ir",
    "--optix-ir",
    "-cuda",
    "--cuda",
    "-clean",
    "--clean-targets",
    "-code-ls",
    "--list-gpu-code",
    "-arch-ls",
    "--list-gpu-arch",
    "-lib",
    "--lib",
];

/// Words with which more device code than was asked for makes the command fail or means nothing.
const ITS_OWN_DEVICE_CODE: &[&str] = &[
    "-dlto",
    "--dlink-time-opt",
    "-arch=native",
    "-arch=all",
    "-arch=all-major",
];

/// All words, those in files of options in their place.
pub fn expanded(words: &[OsString]) -> Vec<OsString> {
    let mut all = Vec::new();
    expand(words, 0, &mut all);
    all
}

fn expand(words: &[OsString], depth: usize, all: &mut Vec<OsString>) {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let joined = valued(word, &OPTIONS_FILE).map(OsStr::to_owned);
        let file = match joined {
            Some(name) if name.is_empty() => rest.next().cloned(),
            Some(name) => Some(name),
            None => word.as_bytes().strip_prefix(b"@").map(to_word),
        };
        let text = file
            .filter(|_| depth < DEEPEST)
            .and_then(|name| std::fs::read(name).ok());
        match text {
            Some(text) => expand(&response::split(&text), depth + 1, all),
            None => all.push(word.clone()),
        }
    }
}

/// The host compiler that counts: the last that is named.
pub fn host_compiler(words: &[OsString]) -> Option<OsString> {
    let places = (0..words.len()).rev();
    let mut named = places.filter_map(|place| ccbin_at(words, place));
    named.next()
}

fn ccbin_at(words: &[OsString], place: usize) -> Option<OsString> {
    let value = valued(words.get(place)?, &CCBIN)?;
    match value.is_empty() {
        true => words.get(place + 1).cloned(),
        false => Some(value.to_owned()),
    }
}

/// The words with another host compiler wherever one is named.
pub fn with_host_compiler(words: &[OsString], other: &Path) -> Vec<OsString> {
    let mut changed = Vec::with_capacity(words.len());
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let Some(value) = valued(word, &CCBIN) else {
            changed.push(word.clone());
            continue;
        };
        if value.is_empty() {
            changed.push(word.clone());
            if rest.next().is_some() {
                changed.push(other.into());
            }
        } else {
            let option = word.len() - value.len();
            let mut bytes = word.as_bytes()[..option].to_vec();
            bytes.extend_from_slice(other.as_os_str().as_bytes());
            changed.push(OsString::from_vec(bytes));
        }
    }
    changed
}

/// The value joined to one of these options with `=`, empty where it is the next word.
fn valued<'a>(word: &'a OsStr, options: &[&str]) -> Option<&'a OsStr> {
    options.iter().find_map(|option| {
        let rest = word.as_bytes().strip_prefix(option.as_bytes())?;
        match rest {
            [] => Some(OsStr::new("")),
            [b'=', value @ ..] if !value.is_empty() => Some(OsStr::from_bytes(value)),
            _ => None,
        }
    })
}

/// Whether nvcc starts its host compiler for code or a link.
pub fn is_for_the_host(words: &[OsString]) -> bool {
    let has_input = words.iter().any(|word| !word.as_bytes().starts_with(b"-"));
    has_input && !any_of(words, NOTHING_FOR_THE_HOST)
}

/// Whether nvcc shows what it runs.
pub fn is_shown(words: &[OsString]) -> bool {
    any_of(words, &["-v", "--verbose"])
}

/// Whether nvcc runs what it made.
pub fn runs_the_program(words: &[OsString]) -> bool {
    any_of(words, &["-run", "--run"])
}

/// Whether code for one more architecture can be asked for.
pub fn takes_more_device_code(words: &[OsString]) -> bool {
    let for_lto = |word: &OsString| word.to_string_lossy().contains("code=lto_");
    let mut pairs = words.windows(2);
    let all = pairs.any(|pair| {
        let architecture = matches!(pair[0].to_str(), Some("-arch" | "--gpu-architecture"));
        architecture && matches!(pair[1].to_str(), Some("native" | "all" | "all-major"))
    });
    let alone = words.iter().any(|word| {
        let word = word.to_string_lossy();
        matches!(
            word.strip_prefix("--gpu-architecture="),
            Some("native" | "all" | "all-major")
        )
    });
    !(all || alone || any_of(words, ITS_OWN_DEVICE_CODE) || words.iter().any(for_lto))
}

fn any_of(words: &[OsString], options: &[&str]) -> bool {
    words
        .iter()
        .any(|word| options.iter().any(|option| word == option))
}

fn to_word(bytes: &[u8]) -> OsString {
    OsString::from_vec(bytes.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn the_host_compiler_is_found_and_replaced_in_every_spelling() {
        for (text, named, changed) in [
            (
                "-c a.cu -ccbin g++-11 -O2",
                "g++-11",
                "-c a.cu -ccbin /m -O2",
            ),
            ("-ccbin=/opt/g++ a.cu", "/opt/g++", "-ccbin=/m a.cu"),
            (
                "-ccbin a --compiler-bindir=b x.cu",
                "b",
                "-ccbin /m --compiler-bindir=/m x.cu",
            ),
            ("--compiler-bindir c a.cu", "c", "--compiler-bindir /m a.cu"),
        ] {
            let all = words(text);
            assert_eq!(host_compiler(&all), Some(named.into()), "{text}");
            assert_eq!(with_host_compiler(&all, Path::new("/m")), words(changed));
        }
        assert_eq!(host_compiler(&words("-O2 a.cu -ccbinx")), None);
        assert_eq!(host_compiler(&words("a.cu -ccbin")), None);
    }

    #[test]
    fn options_are_read_from_files_in_every_spelling() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("options");
        std::fs::write(&file, "-ccbin g++-11 -Xcompiler \"-fopenmp\"\n").unwrap();
        for form in ["-optf FILE", "--options-file=FILE", "@FILE"] {
            let text = format!("-c a.cu {}", form.replace("FILE", &file.to_string_lossy()));
            let all = expanded(&words(&text));
            assert_eq!(
                all,
                words("-c a.cu -ccbin g++-11 -Xcompiler -fopenmp"),
                "{form}"
            );
        }
        assert_eq!(expanded(&words("@absent a.cu")), words("@absent a.cu"));
    }

    #[test]
    fn questions_and_device_code_alone_are_not_for_the_host() {
        for text in [
            "-c a.cu",
            "a.o -o p",
            "-rdc=true -dc a.cu",
            "-dlink a.o -o d.o",
        ] {
            assert!(is_for_the_host(&words(text)), "{text}");
        }
        for text in [
            "--version",
            "-ptx a.cu",
            "-cubin a.cu",
            "--dryrun a.cu",
            "-E a.cu",
            "-M a.cu",
        ] {
            assert!(!is_for_the_host(&words(text)), "{text}");
        }
    }

    #[test]
    fn architectures_of_their_own_are_left_alone() {
        for text in [
            "-c a.cu -arch=sm_90",
            "a.cu -gencode arch=compute_90,code=sm_90",
        ] {
            assert!(takes_more_device_code(&words(text)), "{text}");
        }
        for text in [
            "-dlto a.cu",
            "-arch=native a.cu",
            "-arch all a.cu",
            "--gpu-architecture=all-major a.cu",
            "-gencode arch=compute_80,code=lto_80 a.cu",
        ] {
            assert!(!takes_more_device_code(&words(text)), "{text}");
        }
    }
}
