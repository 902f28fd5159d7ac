//! The environment and the system's files, seen through sizes.

mod build;

use build::*;
use migfit_schema::program::*;
use migfit_schema::units::Bytes;
use migfit_sizes::{Need, Verdict};

fn need_of(texts: &[&str], size: impl FnOnce(&mut Body<'_>, &[Operand]) -> Operand) -> Need {
    let mut build = Build::new();
    let texts: Vec<Operand> = texts.iter().map(|text| build.text(text)).collect();
    build.main(|body, _| {
        let bytes = size(body, &texts);
        body.cuda_malloc(bytes);
        body.ret(int(0));
    });
    build.need(&[])
}

fn number_of(body: &mut Body<'_>, name: Operand) -> Operand {
    let value = body.call("getenv", &[(name, Type::Ptr)]);
    body.call("atol", &[(value, Type::Ptr)])
}

#[test]
fn what_the_program_sets_is_found_again() {
    let set = |name: &str, replaces: i64| {
        need_of(&[name, "123"], |body, texts| {
            let args = [
                (texts[0], Type::Ptr),
                (texts[1], Type::Ptr),
                (int(replaces), I32),
            ];
            body.call("setenv", &args);
            number_of(body, texts[0])
        })
    };
    assert_eq!(set("NEW", 0).peak, Some(Bytes(123)));
    assert_eq!(set("SIZE", 0).peak, Some(Bytes(77)));
    assert_eq!(set("SIZE", 1).peak, Some(Bytes(123)));
    let put = need_of(&["PUT=55", "PUT"], |body, texts| {
        body.call("putenv", &[(texts[0], Type::Ptr)]);
        number_of(body, texts[1])
    });
    assert_eq!(put.peak, Some(Bytes(55)));
    let unset = need_of(&["SIZE"], |body, texts| {
        body.call("unsetenv", &[(texts[0], Type::Ptr)]);
        body.call("getenv", &[(texts[0], Type::Ptr)])
    });
    assert_eq!(unset.peak, Some(Bytes(0)));
}

#[test]
fn what_a_run_sets_is_not_known_before() {
    for name in ["LD_PRELOAD", "CUDA_VISIBLE_DEVICES", "MIGFIT_RECORD_DIR"] {
        let need = need_of(&[name], |body, texts| {
            body.call("getenv", &[(texts[0], Type::Ptr)])
        });
        assert_eq!(need.verdict, Verdict::Unknown);
        let reason = &need.unknowns[0].reason;
        assert!(reason.contains(name), "{reason}");
    }
}

#[test]
fn a_value_may_be_cut_in_place() {
    let need = need_of(&["SIZE"], |body, texts| {
        let value = body.call("getenv", &[(texts[0], Type::Ptr)]);
        let second = body.offset(value, 1, Vec::new());
        body.store(Type::Int(8), int(0), second);
        body.call("atol", &[(value, Type::Ptr)])
    });
    assert_eq!(need.peak, Some(Bytes(7)));
}

/// The length of the environment's entry of this number.
fn entry_len(body: &mut Body<'_>, list: Operand, index: i64) -> Operand {
    let slot = body.offset(list, 8 * index, Vec::new());
    let entry = body.load(Type::Ptr, slot);
    body.call("strlen", &[(entry, Type::Ptr)])
}

#[test]
fn main_and_environ_see_the_list() {
    let mut build = Build::new();
    let environ = build.global("environ", 8, Vec::new(), false);
    let (name, value) = (build.text("ANOTHER"), build.text("1"));
    let main = build.function("main", &[I32, Type::Ptr, Type::Ptr], |body, params| {
        let first = entry_len(body, params[2], 0);
        body.cuda_malloc(first);
        let args = [(name, Type::Ptr), (value, Type::Ptr), (int(1), I32)];
        body.call("setenv", &args);
        let list = body.load(Type::Ptr, environ);
        let second = entry_len(body, list, 1);
        body.cuda_malloc(second);
        // Behind what is set comes what a run adds, then the end.
        let end = body.offset(list, 24, Vec::new());
        let end = body.load(Type::Ptr, end);
        body.cuda_malloc(end);
        body.ret(int(0));
    });
    build.program.main = Some(main);
    let need = build.need(&[]);
    assert_eq!(need.peak, Some(Bytes(7 + 9)));
    assert_eq!(need.verdict, Verdict::Exact);
}

#[test]
fn addresses_differ_from_run_to_run_but_null_prints_as_glibc_has_it() {
    let printed = |pointer: bool| {
        need_of(&["%p|%s"], |body, texts| {
            let slot = body.alloca(8);
            let pointer = if pointer { slot } else { int(0) };
            let args = [
                (int(0), Type::Ptr),
                (int(0), I64),
                (texts[0], Type::Ptr),
                (pointer, Type::Ptr),
                (int(0), Type::Ptr),
            ];
            body.call("snprintf", &args)
        })
    };
    assert_eq!(printed(false).peak, Some(Bytes(12)));
    assert_eq!(printed(true).verdict, Verdict::Unknown);
}

#[test]
fn a_byte_put_back_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("numbers");
    std::fs::write(&path, b"12").unwrap();
    let need = need_of(&[path.to_str().unwrap(), "r", "%ld"], |body, texts| {
        let file = body.call("fopen", &[(texts[0], Type::Ptr), (texts[1], Type::Ptr)]);
        body.call("fgetc", &[(file, Type::Ptr)]);
        body.call("ungetc", &[(int(i64::from(b'9')), I32), (file, Type::Ptr)]);
        let slot = body.alloca(8);
        let args = [(file, Type::Ptr), (texts[2], Type::Ptr), (slot, Type::Ptr)];
        body.call("__isoc99_fscanf", &args);
        body.load(I64, slot)
    });
    assert_eq!(need.peak, Some(Bytes(92)));
}

#[test]
fn the_systems_files_are_not_read() {
    for path in ["/proc/self/stat", "/dev/stdin", "/sys/kernel/mm/ksm/run"] {
        let need = need_of(&[path, "r"], |body, texts| {
            let file = body.call("fopen", &[(texts[0], Type::Ptr), (texts[1], Type::Ptr)]);
            body.call("fgetc", &[(file, Type::Ptr)])
        });
        assert_eq!(need.verdict, Verdict::Unknown, "{path}");
        assert!(need.unknowns[0].reason.contains(path));
        assert!(need.files.is_empty());
    }
}
