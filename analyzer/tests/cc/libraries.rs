//! Links of shared libraries and of programs that need them: what the analyzer is told, and what is kept.

use crate::fixture::{CALLS_CUDA, Fixture, section};
use migfit_schema::container::{PART, PROFILE_SECTION, SUMMARY, append, seal};
use migfit_schema::profile::{Library, Summary};
use std::path::PathBuf;

/// A main that uses a library's function.
const USES: &str = "int needle(int);\nint main(int argc, char **) { return needle(argc) - 7; }\n";

/// An object of a library and one of a program, and a runtime to link with.
fn compiled() -> Fixture {
    let fixture = Fixture::new(&[("a.cpp", CALLS_CUDA), ("m.cpp", USES)]).with_cuda_runtime();
    fixture.cc("-fPIC -c a.cpp -o a.o").quiet();
    fixture.shim("g++", "-c m.cpp -o m.o").quiet();
    fixture
}

/// What the stand-in for the analyzer gives for a library.
fn container(part: &[u8]) -> Vec<u8> {
    let summary = Summary {
        identity: Some("0123".into()),
        ..Summary::blank("liba.so")
    };
    let mut container = Vec::new();
    append(
        &mut container,
        SUMMARY,
        &serde_json::to_vec(&summary).unwrap(),
    );
    append(&mut container, PART, part);
    seal(&mut container);
    container
}

fn linked_library(fixture: &Fixture) {
    std::fs::write(fixture.path("given"), container(b"the part")).unwrap();
    let given = fixture.path("given").display().to_string();
    let link = fixture.cc("-shared a.o -L. -lcudart -Wl,-soname,liba.so.1 -o liba.so");
    link.with("STAND_IN", &given).quiet();
}

#[test]
fn a_library_tells_what_it_exports_and_keeps_its_part() {
    let fixture = compiled();
    linked_library(&fixture);
    let log = fixture.analyzer_log();
    let exports = log
        .lines()
        .find(|line| line.starts_with("exports "))
        .unwrap();
    assert!(exports.split(' ').any(|name| name == "_Z6needlei"), "{log}");
    assert!(!exports.contains("cudaMalloc"), "{log}");
    let kept = section(&fixture.read("liba.so"), PROFILE_SECTION).unwrap();
    assert!(kept.windows(8).any(|bytes| bytes == b"the part"));
    assert!(fixture.built()[0].is_library);
}

#[test]
fn a_program_is_analysed_with_its_libraries_though_it_makes_no_cuda_call_itself() {
    let fixture = compiled();
    linked_library(&fixture);
    // By -l and by its path; loaded under another name than the linker found it by.
    for given in ["-L. -la", "./liba.so"] {
        std::fs::write(fixture.path("analyzer.log"), "").unwrap();
        let link = format!("m.o {given} -Wl,-rpath-link,. -o prog");
        fixture.shim("g++", &link).quiet();
        let log = fixture.analyzer_log();
        assert!(log.contains("library the part\n"), "{log}");
        let summary = fixture.summary("prog");
        let library = Library {
            name: "liba.so.1".into(),
            identity: Some("0123".into()),
        };
        assert_eq!(summary.libraries, [library]);
        assert_eq!(summary.without_ir, Vec::<String>::new());
    }
}

#[test]
fn a_library_without_cuda_is_kept_for_programs_and_not_told() {
    let fixture = Fixture::new(&[("b.cpp", "int b(int n) { return n + 1; }\n")]);
    fixture.shim("g++", "-fPIC -c b.cpp -o b.o").quiet();
    fixture.shim("g++", "-shared b.o -o libb.so").quiet();
    assert!(section(&fixture.read("libb.so"), PROFILE_SECTION).is_some());
    assert!(fixture.built().is_empty());
    // One whose analysis fails is a library like any other.
    let failed = fixture.shim("g++", "-shared b.o -o libc.so");
    failed.with("STAND_IN", "refuse").quiet();
    assert_eq!(section(&fixture.read("libc.so"), PROFILE_SECTION), None);
}

#[test]
fn copies_are_kept_under_the_build_id() {
    let fixture = compiled();
    linked_library(&fixture);
    let names = || -> Vec<PathBuf> {
        let folder = fixture.path("data/migfit/profiles").read_dir();
        folder
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().path())
            .collect()
    };
    let notes = fixture.tool("readelf", "-n liba.so");
    let notes = String::from_utf8(notes.stdout).unwrap();
    let copies = names();
    assert_eq!(copies.len(), 1);
    let name = copies[0].file_name().unwrap().to_str().unwrap();
    assert!(notes.contains(name), "{notes} {name}");
    assert!(
        std::fs::read(&copies[0])
            .unwrap()
            .ends_with(&section(&fixture.read("liba.so"), PROFILE_SECTION).unwrap())
    );
    // Without one, under a checksum of its contents.
    fixture
        .cc("-shared a.o -L. -lcudart -Wl,--build-id=none -o libn.so")
        .quiet();
    let by_sum = |path: &PathBuf| {
        path.file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with("sum-")
    };
    assert_eq!(names().iter().filter(|path| by_sum(path)).count(), 1);
    assert_eq!(fixture.notes(), []);
}
