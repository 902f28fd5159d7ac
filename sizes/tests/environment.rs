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

/// Allocates the length of the first text of the list that `list` gives.
fn first_of(list: impl FnOnce(&mut Body<'_>, &[Operand], Operand) -> Operand) -> Need {
    let mut build = Build::new();
    let environ = build.global("environ", 8, Vec::new(), false);
    let main = build.function("main", &[I32, Type::Ptr, Type::Ptr], |body, params| {
        let list = list(body, params, environ);
        let first = body.load(Type::Ptr, list);
        let length = body.call("strlen", &[(first, Type::Ptr)]);
        body.cuda_malloc(length);
        body.ret(int(0));
    });
    build.program.main = Some(main);
    build.need(&[])
}

#[test]
fn main_and_environ_see_a_list_of_which_a_run_decides() {
    let of_main = first_of(|_, params, _| params[2]);
    let of_environ = first_of(|body, _, environ| body.load(Type::Ptr, environ));
    for need in [of_main, of_environ] {
        assert_eq!(need.verdict, Verdict::Unknown);
        assert_eq!(
            need.unknowns[0].reason,
            "it depends on the variables that a run on a slice adds, and the order of all"
        );
    }
}

#[test]
fn what_a_run_sets_may_be_taken_away() {
    let need = need_of(&["LD_PRELOAD"], |body, texts| {
        body.call("unsetenv", &[(texts[0], Type::Ptr)]);
        body.call("getenv", &[(texts[0], Type::Ptr)])
    });
    assert_eq!(need.peak, Some(Bytes(0)));
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
