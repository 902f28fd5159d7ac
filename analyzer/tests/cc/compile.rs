//! Under nvcc: objects come from the bitcode that they carry, and look like clang's own.

use crate::fixture::{CALLS_CUDA, CLANG, Fixture, MAIN, said, section};
use migfit_schema::container::{self, IR_SECTION};

fn bitcode(object: &[u8]) -> Vec<Vec<u8>> {
    let section = section(object, IR_SECTION).expect("an IR section");
    let modules = container::bitcode(&section).unwrap();
    modules.into_iter().map(<[u8]>::to_vec).collect()
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|window| window == text.as_bytes())
}

#[test]
fn an_object_carries_its_bitcode_with_debug_information_and_has_none_itself() {
    let fixture = Fixture::new(&[("a.cpp", CALLS_CUDA)]);
    fixture.cc("-O2 -c a.cpp -o a.o").quiet();
    let object = fixture.read("a.o");
    let modules = bitcode(&object);
    assert_eq!(modules.len(), 1);
    assert_eq!(&modules[0][..4], b"BC\xC0\xDE");
    assert!(contains(&modules[0], "_Z6needlei"));
    std::fs::write(fixture.path("a.bc"), &modules[0]).unwrap();
    let text = fixture.tool("llvm-dis-19", "a.bc -o -");
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(
        text.contains("DILocation(line: 2") && text.contains("!DILocalVariable(name: \"n\""),
        "{text}"
    );
    assert_eq!(section(&object, ".debug_info"), None);
}

#[test]
fn the_code_is_what_clang_makes_of_the_source() {
    let fixture = Fixture::new(&[("a.cpp", CALLS_CUDA)]);
    for options in ["-O0", "-O2 -fPIC", "-O3 -ffast-math -std=c++14", "-g -O1"] {
        fixture.cc(&format!("{options} -c a.cpp -o ours.o")).quiet();
        let theirs = fixture.tool(
            CLANG,
            &format!("-fno-strict-return {options} -c a.cpp -o theirs.o"),
        );
        assert!(theirs.status.success());
        let (ours, theirs) = (fixture.read("ours.o"), fixture.read("theirs.o"));
        for name in [".text", ".eh_frame"] {
            assert_eq!(
                section(&ours, name),
                section(&theirs, name),
                "{name} with {options}"
            );
        }
    }
}

#[test]
fn debug_information_that_was_asked_for_stays() {
    let fixture = Fixture::new(&[("a.cpp", CALLS_CUDA)]);
    fixture.cc("-g -c a.cpp -o a.o").quiet();
    assert!(section(&fixture.read("a.o"), ".debug_info").is_some());
}

#[test]
fn the_bitcode_survives_archives_and_relocatable_links() {
    let fixture = Fixture::new(&[("a.cpp", CALLS_CUDA), ("m.cpp", MAIN)]);
    fixture.cc("-c a.cpp -o a.o").quiet();
    fixture.cc("-c m.cpp -o m.o").quiet();
    let one = bitcode(&fixture.read("a.o"));
    assert!(fixture.tool("ar", "rcs liba.a a.o").status.success());
    std::fs::rename(fixture.path("a.o"), fixture.path("first.o")).unwrap();
    assert!(fixture.tool("ar", "x liba.a a.o").status.success());
    assert_eq!(bitcode(&fixture.read("a.o")), one);
    fixture.cc("-r a.o m.o -o both.o").quiet();
    assert_eq!(bitcode(&fixture.read("both.o")).len(), 2);
    assert!(fixture.tool("strip", "-g both.o").status.success());
    assert_eq!(bitcode(&fixture.read("both.o")).len(), 2);
}

#[test]
fn dependency_files_name_the_users_object() {
    let fixture = Fixture::new(&[("a.cpp", "#include \"a.h\"\n"), ("a.h", "\n")]);
    fixture.cc("-MMD -c a.cpp -o a.o").quiet();
    assert_eq!(fixture.read("a.d"), b"a.o: a.cpp a.h\n");
}

#[test]
fn a_source_that_does_not_compile_gives_clangs_own_error_once() {
    let fixture = Fixture::new(&[("a.cpp", "int f() { return absent; }\n")]);
    let ours = fixture.cc("-c a.cpp -o a.o").output();
    let theirs = fixture.tool(CLANG, "--driver-mode=g++ -c a.cpp -o a.o");
    assert_eq!(ours.status.code(), theirs.status.code());
    assert_eq!(said(&ours), said(&theirs));
    assert!(!fixture.path("a.o").exists());
}

#[test]
fn warnings_are_said_once() {
    let fixture = Fixture::new(&[("a.cpp", "int f(int unused) { return 1; }\n")]);
    let ours = fixture.cc("-Wall -Wextra -c a.cpp -o a.o").output();
    let theirs = fixture.tool(CLANG, "--driver-mode=g++ -Wall -Wextra -c a.cpp -o b.o");
    assert!(said(&ours).contains("unused"));
    assert_eq!(said(&ours), said(&theirs));
}

#[test]
fn questions_and_preprocessing_are_clangs() {
    let fixture = Fixture::new(&[("a.cpp", "#define N 3\nint x = N;\n")]);
    for words in [
        "--version",
        "-dumpmachine",
        "-print-prog-name=ar",
        "-E a.cpp",
        "-MM a.cpp",
        "-S a.cpp -o -",
    ] {
        let ours = fixture.cc(words).output();
        let theirs = fixture.tool(CLANG, &format!("--driver-mode=g++ {words}"));
        assert_eq!(ours.stdout, theirs.stdout, "{words}");
        assert_eq!(ours.status.code(), theirs.status.code(), "{words}");
    }
}

#[test]
fn c_in_c_mode_and_several_sources_carry_ir() {
    let fixture = Fixture::new(&[
        ("a.c", "int a(void) { return sizeof 'x'; }\n"),
        ("c.cc", "int c() { return 3; }\n"),
        ("b.cpp", "int b() { return 2; }\n"),
    ]);
    fixture.cc("-c -x c a.c -o a.o").quiet();
    assert!(contains(&bitcode(&fixture.read("a.o"))[0], "a.c"));
    fixture.cc("-c c.cc b.cpp").quiet();
    assert_eq!(bitcode(&fixture.read("b.o")).len(), 1);
    assert_eq!(bitcode(&fixture.read("c.o")).len(), 1);
}

#[test]
fn options_that_want_the_source_keep_it_and_ir_comes_from_a_second_pass() {
    let fixture = Fixture::new(&[("a.cpp", CALLS_CUDA)]);
    fixture.cc("--coverage -c a.cpp -o a.o").quiet();
    assert!(fixture.path("a.gcno").exists());
    assert_eq!(bitcode(&fixture.read("a.o")).len(), 1);
}
