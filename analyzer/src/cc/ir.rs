//! Host IR by clang: one source and the user's options in, one bitcode file out; and the object back from it. The IR
//! is what the front end makes, before any pass, with debug information for places and names.

use super::command_line::{CommandLine, Kind, Source, Token, beside};
use super::language::Language;
use super::options;
use super::process;
use super::settings::Settings;
use super::watched::Group;
use std::ffi::OsString;
use std::path::Path;

/// IR as the front end makes it. Without the last one clang deletes code behind a missing return statement.
const IR_OPTIONS: [&str; 5] = [
    "-c",
    "-emit-llvm",
    "-Xclang",
    "-disable-llvm-passes",
    "-fno-strict-return",
];

/// Without any optimisation clang leaves the bodies of the C++ library's inline functions out of the IR. With this it
/// writes them down for the analysis, no pass runs all the same, and the source sees what it would have seen.
const WITH_BODIES: [&str; 3] = ["-O1", "-U__OPTIMIZE__", "-D__NO_INLINE__=1"];

/// Options of an object that comes from bitcode: what fed the front end is not used again.
const OBJECT_OPTIONS: [&str; 2] = ["-c", "-Wno-unused-command-line-argument"];

/// Keeps debug information that only the IR needs out of the object.
const WITHOUT_DEBUG: [&str; 2] = ["-mllvm", "-disable-debug-info-print"];

/// Other compilers let these pass in C; so do we, beside them.
const RELAXED_C: [&str; 5] = [
    "-Wno-unknown-warning-option",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
];

/// GCC's omp.h through clang, which knows no arguments of that attribute.
const READABLE_OPENMP: &str =
    "#define __malloc__(...) __nothrow__\n#include_next <omp.h>\n#undef __malloc__\n";

/// Why there is no IR where there is no clang.
const NO_CLANG: &str = "no clang was found";

/// Whether the IR of the user's own compile leaves out what the analysis wants to see.
pub fn lacks_bodies(line: &CommandLine) -> bool {
    !with_bodies(line).is_empty()
}

/// The front end of the user's own compile, to `bitcode`; what clang said, or `None` when it failed. With `bodies`
/// those of inline functions come too: such IR is for the analysis, not for the object.
pub fn front_end(
    settings: &Settings,
    line: &CommandLine,
    source: &Source,
    bitcode: &Path,
    bodies: bool,
) -> Option<Vec<u8>> {
    let unwanted = |token: &Token| matches!(token.kind, Kind::Output | Kind::CompileOnly);
    let mut words = words_without(line, unwanted);
    words.extend(IR_OPTIONS.map(OsString::from));
    words.push("-Wno-unused-command-line-argument".into());
    if bodies {
        words.extend(with_bodies(line));
    }
    if !line.wants_debug() {
        words.push("-g".into());
    }
    words.extend(dependency_words(line, source));
    words.extend(["-o".into(), bitcode.into()]);
    process::run_quietly(settings, &Group::new(), settings.clang.as_deref()?, &words).ok()
}

/// The back end of the user's own compile, from `bitcode` to the object.
pub fn back_end(
    settings: &Settings,
    line: &CommandLine,
    bitcode: &Path,
    object: &Path,
) -> Option<Vec<u8>> {
    let mut words = words_without(line, |token| token.kind != Kind::Other);
    words.extend(OBJECT_OPTIONS.map(OsString::from));
    if !line.wants_debug() {
        words.extend(WITHOUT_DEBUG.map(OsString::from));
    }
    words.extend([bitcode.into(), "-o".into(), object.into()]);
    process::run_quietly(settings, &Group::new(), settings.clang.as_deref()?, &words).ok()
}

/// IR of a source beside the compile that made the object, to `bitcode`; the reason where clang cannot.
pub fn side_pass(
    settings: &Settings,
    group: &Group,
    line: &CommandLine,
    source: &Source,
    bitcode: &Path,
) -> Result<(), String> {
    let clang = settings.clang.as_deref().ok_or(NO_CLANG)?;
    let mut words = kept_beside(settings, line);
    words.extend(own_headers(settings, scratch(bitcode)));
    words.extend(for_ir(line));
    if source.language == Language::C {
        words.extend(RELAXED_C.map(OsString::from));
        words.extend(["-x".into(), "c".into()]);
    } else {
        words.extend(["-x".into(), "c++".into()]);
    }
    words.extend([source.path.clone().into(), "-o".into(), bitcode.into()]);
    process::run_quietly(settings, group, clang, &words).map(|_| ())
}

/// Where a pass puts what it needs: beside its result.
fn scratch(bitcode: &Path) -> &Path {
    bitcode.parent().unwrap_or(bitcode)
}

/// What of the user's words a pass by clang beside the compile needs.
pub fn kept_beside(settings: &Settings, line: &CommandLine) -> Vec<OsString> {
    let wanted = |token: &Token| match token.kind {
        Kind::Preprocessor => true,
        Kind::Other if options::leaves_files(token.option()) => false,
        Kind::Other => settings.clang_stands_in() || options::changes_meaning(token.option()),
        _ => false,
    };
    let mut words = words_without(line, |token| !wanted(token));
    let joined = line.tokens.iter().map(Token::option);
    words.extend(
        joined
            .flat_map(options::defined_through_wp)
            .map(OsString::from),
    );
    words
}

/// What makes a compile give IR for the analysis, whatever the user's own wishes.
pub fn for_ir(line: &CommandLine) -> Vec<OsString> {
    let mut words: Vec<OsString> = IR_OPTIONS.map(OsString::from).into();
    words.extend([
        "-w".into(),
        "-g".into(),
        "-Wno-unused-command-line-argument".into(),
    ]);
    words.extend(with_bodies(line));
    words
}

/// Headers that the user's compiler has of its own (OpenMP's, quadmath.h), where clang has none of that name: they come
/// last. What clang cannot read in them is mended by a header of ours, which goes into `scratch`.
pub fn own_headers(settings: &Settings, scratch: &Path) -> Vec<OsString> {
    let folder = process::asked(settings, "-print-file-name=include");
    let Some(folder) = folder.filter(|folder| Path::new(folder).is_absolute()) else {
        return Vec::new();
    };
    let mut words = Vec::new();
    if std::fs::write(scratch.join("omp.h"), READABLE_OPENMP).is_ok() {
        words.extend(["-idirafter".into(), scratch.into()]);
    }
    words.extend(["-idirafter".into(), folder]);
    words
}

/// What makes bodies appear where the user asked for no optimisation; the last of such options counts.
fn with_bodies(line: &CommandLine) -> Vec<OsString> {
    let mut wishes = line
        .tokens
        .iter()
        .map(Token::option)
        .filter(|option| option.starts_with("-O"));
    if !matches!(wishes.next_back(), None | Some("-O0")) {
        return Vec::new();
    }
    let mut words: Vec<OsString> = WITH_BODIES.map(OsString::from).into();
    // Without optimisation functions keep their frame pointers: the object is made of this IR.
    if !line.has_option(|option| option.ends_with("omit-frame-pointer")) {
        words.push("-fno-omit-frame-pointer".into());
    }
    words
}

fn words_without(line: &CommandLine, unwanted: impl Fn(&Token) -> bool) -> Vec<OsString> {
    let wanted = line.tokens.iter().filter(|token| !unwanted(token));
    wanted
        .flat_map(|token| token.words.iter().cloned())
        .collect()
}

/// What `-MD` and `-MMD` would have taken from the object's name, which is not the bitcode's.
fn dependency_words(line: &CommandLine, source: &Source) -> Vec<OsString> {
    if !line.has_option(|option| matches!(option, "-MD" | "-MMD")) {
        return Vec::new();
    }
    let mut words = Vec::new();
    if !line.has_option(|option| option.starts_with("-MF")) {
        let file = line.output().map_or_else(
            || beside(&source.path, "d"),
            |object| object.with_extension("d"),
        );
        words.extend(["-MF".into(), file.into()]);
    }
    if !line.has_option(|option| option.starts_with("-MT") || option.starts_with("-MQ")) {
        words.extend(["-MQ".into(), source.object.clone().into()]);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dependencies(command: &str) -> String {
        let words: Vec<OsString> = command.split_whitespace().map(OsString::from).collect();
        let line = CommandLine::parse(&words, Language::C);
        let added = dependency_words(&line, &line.sources()[0]);
        added.join(" ".as_ref()).to_string_lossy().into_owned()
    }

    #[test]
    fn bodies_are_asked_for_where_nothing_is_optimised() {
        let added = |command: &str| {
            let words: Vec<OsString> = command.split_whitespace().map(OsString::from).collect();
            with_bodies(&CommandLine::parse(&words, Language::C)).len()
        };
        assert_eq!((added("-c a.c"), added("-O2 -O0 -c a.c")), (4, 4));
        assert_eq!(added("-fomit-frame-pointer -c a.c"), 3);
        assert_eq!((added("-O2 -c a.c"), added("-O0 -O -c a.c")), (0, 0));
    }

    #[test]
    fn dependency_files_name_the_users_object() {
        assert_eq!(
            dependencies("-MMD -c s/a.c -o o/a.o"),
            "-MF o/a.d -MQ o/a.o"
        );
        assert_eq!(dependencies("-MD -c s/a.c"), "-MF a.d -MQ a.o");
        assert_eq!(dependencies("-MD -MF x.d -c a.c"), "-MQ a.o");
        assert_eq!(dependencies("-MD -MTall -MFx -c a.c"), "");
        assert_eq!(dependencies("-c a.c"), "");
    }
}
