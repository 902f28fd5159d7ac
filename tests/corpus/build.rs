//! The programs of the corpus, built and kept under target/corpus by the content of their sources: one object with host
//! IR for the analyzer, and a program by nvcc alone that runs under the logging library.

use crate::fixture::Fixture;
use migfit_tests::{Stage, logger, process, source::tool, stage};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// How IR is asked for: objects made in another way are made again.
const HOW: &str = include_str!("../../analyzer/src/cc/ir.rs");

/// What fixtures in a vendor's manner include.
const SAMPLE_KIT: &str = include_str!("../fixtures/corpus/sample_kit.h");

fn kept(fixture: &Fixture, what: &str, more: &str) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    for (path, text) in &fixture.texts {
        (path.file_name(), text).hash(&mut hasher);
    }
    (&fixture.flags, &fixture.libs, more).hash(&mut hasher);
    let in_that_manner = |(_, text): &(PathBuf, String)| text.contains("\"sample_kit.h\"");
    if fixture.texts.iter().any(in_that_manner) {
        SAMPLE_KIT.hash(&mut hasher);
    }
    let folder = stage::target().join("corpus");
    std::fs::create_dir_all(&folder).expect("target can be written");
    folder.join(format!("{}-{:016x}.{what}", fixture.name, hasher.finish()))
}

/// Makes a file unless it is there: first under another name, so that half a file is never taken for a whole one. What
/// older sources of the fixture left is removed.
pub fn made(fixture: &Fixture, what: &str, more: &str, make: impl FnOnce(&Path)) -> PathBuf {
    let path = kept(fixture, what, more);
    if !path.is_file() {
        let name = path.file_name().expect("it has a name").to_string_lossy();
        let new = path.with_file_name(format!("new-{}-{name}", std::process::id()));
        make(&new);
        forget_older(&path, &fixture.name, what);
        std::fs::rename(&new, &path).expect("a file can be renamed");
    }
    path
}

fn forget_older(path: &Path, fixture: &str, what: &str) {
    let folder = path.parent().expect("it lies in a folder");
    for entry in std::fs::read_dir(folder).expect("it can be read").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let hash = name
            .strip_prefix(fixture)
            .and_then(|rest| rest.strip_prefix('-'))
            .and_then(|rest| rest.strip_suffix(what))
            .and_then(|rest| rest.strip_suffix('.'));
        if hash.is_some_and(|hash| hash.len() == 16) {
            // Another process may have been faster.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// What `migfit build` makes: one object, of several files by `ld -r` without a link, so that it stays as it is while
/// the analyzer changes.
pub fn object(fixture: &Fixture) -> PathBuf {
    made(fixture, "o", HOW, |new| {
        let one = fixture.sources.len() == 1;
        let parts: Vec<PathBuf> = (0..fixture.sources.len())
            .map(|number| match one {
                true => new.to_owned(),
                false => new.with_extension(format!("part-{number}")),
            })
            .collect();
        for (source, part) in fixture.sources.iter().zip(&parts) {
            let mut build = tool(Stage::ready().program("migfit"));
            build
                .args(["build", "--host-compiler", "clang", "--"])
                .args(["nvcc", "-w", "-c"])
                .args(&fixture.flags);
            build.arg(source).arg("-o").arg(part);
            process::output(&mut build).expect_success();
        }
        if !one {
            let mut join = Command::new("ld");
            join.args(["-r", "-o"]).arg(new).args(&parts);
            process::output(&mut join).expect_success();
            for part in parts {
                std::fs::remove_file(part).expect("own files can be removed");
            }
        }
    })
}

/// The program that nvcc alone makes.
pub fn program(fixture: &Fixture) -> PathBuf {
    // Machine code of the fixture's own choice decides registers, and what a library's code is tuned for.
    let own_code = fixture.flags.iter().any(|flag| flag == "-gencode");
    made(
        fixture,
        "program",
        if own_code { "own code" } else { "" },
        |new| {
            let mut nvcc = tool("nvcc".into());
            nvcc.args(["-w", "-cudart", "shared"]);
            if !own_code {
                nvcc.args(["-gencode", "arch=compute_80,code=compute_80"]);
            }
            nvcc.args(&fixture.flags).args(&fixture.sources);
            nvcc.args(&fixture.outside);
            nvcc.args([
                "-Xlinker",
                "--unresolved-symbols=ignore-in-shared-libs",
                "-L",
            ]);
            nvcc.arg(logger::folder()).args(&fixture.libs);
            nvcc.arg("-o").arg(new);
            process::output(&mut nvcc).expect_success();
        },
    )
}
