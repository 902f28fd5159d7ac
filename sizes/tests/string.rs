//! Members of std::string, seen through sizes: what they make, and what they say of a string that is not known.

mod build;

use build::*;
use migfit_schema::program::*;
use migfit_schema::units::Bytes;
use migfit_sizes::{Need, Verdict};

const STRING: &str = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";

/// A string with this text, made as inlined code makes one.
fn string_of(build: &mut Body<'_>, text: Operand, len: i64) -> Operand {
    let string = build.alloca(32);
    let local = build.offset(string, 16, Vec::new());
    build.store(Type::Ptr, local, string);
    let length = build.offset(string, 8, Vec::new());
    build.store(I64, int(0), length);
    call(build, "9_M_appendEPKcm", &[string, text, int(len)]);
    string
}

fn call(body: &mut Body<'_>, member: &str, args: &[Operand]) -> Operand {
    let typed: Vec<_> = args
        .iter()
        .map(|arg| {
            (
                *arg,
                if matches!(arg, Operand::Const(_)) {
                    I64
                } else {
                    Type::Ptr
                },
            )
        })
        .collect();
    body.call(&format!("{STRING}{member}"), &typed)
}

/// The need of a program that allocates what `change` leaves as the length of a string of 20 letters.
fn length_after(change: impl FnOnce(&mut Body<'_>, Operand)) -> Need {
    let mut build = Build::new();
    let text = build.text("twenty letters, all!");
    build.main(|main, _| {
        let string = string_of(main, text, 20);
        change(main, string);
        let length = main.offset(string, 8, Vec::new());
        let bytes = main.load(I64, length);
        main.cuda_malloc(bytes);
        main.ret(int(0));
    });
    build.need(&[])
}

#[test]
fn changes_leave_the_length_that_they_should() {
    let after = |member, args: &[i64]| {
        length_after(|body, string| {
            let args: Vec<_> = args.iter().map(|arg| int(*arg)).collect();
            call(body, member, &[&[string], &args[..]].concat());
        })
        .peak
    };
    assert_eq!(after("6resizeEmc", &[5, 0]), Some(Bytes(5)));
    assert_eq!(after("6resizeEmc", &[500, 0]), Some(Bytes(500)));
    assert_eq!(after("8_M_eraseEmm", &[15, 99]), Some(Bytes(15)));
    assert_eq!(after("9push_backEc", &[65]), Some(Bytes(21)));
    assert_eq!(after("7reserveEm", &[1000]), Some(Bytes(20)));
    assert_eq!(
        after("14_M_replace_auxEmmmc", &[2, 3, 30, 65]),
        Some(Bytes(47))
    );
}

#[test]
fn a_string_may_be_put_into_itself() {
    let need = length_after(|body, string| {
        let characters = body.load(Type::Ptr, string);
        for _ in 0..3 {
            call(
                body,
                "10_M_replaceEmmPKcm",
                &[string, int(1), int(1), characters, int(10)],
            );
        }
    });
    // After the first the characters may lie elsewhere: then nothing is claimed of them.
    assert_eq!(need.peak, Some(Bytes(20 + 3 * 9)));
}

#[test]
fn a_place_behind_the_end_throws() {
    let need = length_after(|body, string| {
        call(
            body,
            "14_M_replace_auxEmmmc",
            &[string, int(21), int(0), int(1), int(65)],
        );
    });
    assert_eq!((need.verdict, need.peak), (Verdict::Unknown, None));
}

#[test]
fn an_unknown_change_makes_the_string_unknown() {
    let need = length_after(|body, string| {
        let count = body.device_result();
        body.call(
            &format!("{STRING}6resizeEmc"),
            &[(string, Type::Ptr), (count, I64), (int(0), I32)],
        );
    });
    assert_ne!(need.verdict, Verdict::Exact);
    assert_eq!(need.unknowns[0].what, "size of cudaMalloc");
}
