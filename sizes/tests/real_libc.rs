//! Models of libc against the C library of this machine, on texts, paths and files of any kind.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod build;

use build::*;
use migfit_schema::program::*;
use migfit_schema::units::Bytes;
use proptest::prelude::*;
use std::ffi::{CStr, CString};

/// Bytes that a program allocates which gathers numbers of up to 3 digits; the real library's are gathered alike.
fn gather(sum: u64, number: u64) -> u64 {
    (sum * 31 + number) % 1_000_003
}

fn emit_gather(body: &mut Body<'_>, sum: Operand, number: Operand) -> Operand {
    let scaled = body.binary(BinaryOp::Mul, I64, sum, int(31));
    let added = body.binary(BinaryOp::Add, I64, scaled, number);
    body.binary(BinaryOp::URem, I64, added, int(1_000_003))
}

/// A text's length and first byte, as one number.
fn look(text: &CStr) -> u64 {
    let bytes = text.to_bytes();
    bytes.len() as u64 * 256 + u64::from(bytes.first().copied().unwrap_or(0))
}

fn emit_look(body: &mut Body<'_>, text: Operand) -> Operand {
    let len = body.call("strlen", &[(text, Type::Ptr)]);
    let first = body.load(Type::Int(8), text);
    let first = body.cast(Cast::Bits, Type::Int(8), I64, first);
    let scaled = body.binary(BinaryOp::Mul, I64, len, int(256));
    body.binary(BinaryOp::Add, I64, scaled, first)
}

/// 1 where both are equal, else 0.
fn emit_equal(body: &mut Body<'_>, ty: Type, a: Operand, b: Operand) -> Operand {
    let dst = body.register();
    body.op(Op::Compare {
        dst,
        ty,
        op: Compare::Eq,
        a,
        b,
    });
    body.cast(Cast::Bits, Type::Int(1), I64, Operand::Reg(dst))
}

/// The peak of a program that has a text of its own to change, and constant ones.
fn peak_of(
    text: &str,
    others: &[&str],
    fill: impl FnOnce(&mut Body<'_>, Operand, &[Operand]) -> Operand,
) -> Option<Bytes> {
    let mut build = Build::new();
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    let buffer = build.global("buffer", bytes.len() as u64, bytes, false);
    let others: Vec<Operand> = others.iter().map(|text| build.text(text)).collect();
    build.main(|main, _| {
        let result = fill(main, buffer, &others);
        // Never zero, so that it is a request.
        let bytes = main.binary(BinaryOp::Add, I64, result, int(1));
        main.cuda_malloc(bytes);
        main.ret(int(0));
    });
    build.need(&[]).peak
}

fn split_by(
    text: &str,
    set: &str,
    real: impl Fn(*mut libc::c_char, *const libc::c_char, &mut *mut libc::c_char) -> *mut libc::c_char,
) -> Vec<u64> {
    let mut owned = CString::new(text).unwrap().into_bytes_with_nul();
    let set = CString::new(set).unwrap();
    let mut place = owned.as_mut_ptr().cast::<libc::c_char>();
    let mut first = place;
    let mut found = Vec::new();
    loop {
        let token = real(first, set.as_ptr(), &mut place);
        if token.is_null() {
            return found;
        }
        // SAFETY: the token is a terminated text within `owned`, which is alive.
        found.push(look(unsafe { CStr::from_ptr(token) }));
        first = std::ptr::null_mut();
    }
}

/// Gathers what a function gives at each call until null, and whether the call after gives null.
fn emit_split(
    body: &mut Body<'_>,
    count: usize,
    next: impl Fn(&mut Body<'_>, bool) -> Operand,
) -> Operand {
    let mut sum = int(7);
    for turn in 0..count {
        let token = next(body, turn == 0);
        let number = emit_look(body, token);
        sum = emit_gather(body, sum, number);
    }
    let last = next(body, count == 0);
    let null = emit_equal(body, Type::Ptr, last, int(0));
    emit_gather(body, sum, null)
}

fn expected(numbers: &[u64]) -> Option<Bytes> {
    let sum = numbers.iter().fold(7, |sum, number| gather(sum, *number));
    Some(Bytes(gather(sum, 1) + 1))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn tokens_are_those_of_the_real_library(text in "[ab,; =]{0,24}", set in "[,; =]{0,3}") {
        // SAFETY: all three are terminated texts or places that are alive.
        let numbers = split_by(&text, &set, |first, set, place| unsafe { libc::strtok_r(first, set, place) });
        for name in ["strtok_r", "strtok"] {
            let peak = peak_of(&text, &[&set], |body, buffer, others| {
                let place = body.alloca(8);
                emit_split(body, numbers.len(), |body, first| {
                    let start = if first { buffer } else { int(0) };
                    body.call(name, &[(start, Type::Ptr), (others[0], Type::Ptr), (place, Type::Ptr)])
                })
            });
            prop_assert_eq!(peak, expected(&numbers), "{}", name);
        }
    }

    #[test]
    fn fields_are_those_of_the_real_library(text in "[ab,; ]{0,24}", set in "[,; ]{0,3}") {
        // SAFETY: as above; strsep goes on in `place`.
        let numbers = split_by(&text, &set, |_, set, place| unsafe { strsep(place, set) });
        let peak = peak_of(&text, &[&set], |body, buffer, others| {
            let place = body.alloca(8);
            body.store(Type::Ptr, buffer, place);
            emit_split(body, numbers.len(), |body, _| {
                body.call("strsep", &[(place, Type::Ptr), (others[0], Type::Ptr)])
            })
        });
        prop_assert_eq!(peak, expected(&numbers));
    }

    #[test]
    fn parts_of_paths_are_those_of_the_real_library(path in "[ab./]{0,12}") {
        for (name, real) in [
            ("dirname", dirname as unsafe extern "C" fn(*mut libc::c_char) -> *mut libc::c_char),
            ("__xpg_basename", __xpg_basename),
        ] {
            let mut owned = CString::new(path.clone()).unwrap().into_bytes_with_nul();
            // SAFETY: the path is terminated and may be written; the answer lies in it or is the library's own.
            let part = unsafe { CStr::from_ptr(real(owned.as_mut_ptr().cast())) };
            let number = look(part);
            let peak = peak_of(&path, &[], |body, buffer, _| {
                let part = body.call(name, &[(buffer, Type::Ptr)]);
                emit_look(body, part)
            });
            prop_assert_eq!(peak, Some(Bytes(number + 1)), "{} of {:?}", name, path);
        }
    }

    #[test]
    fn lines_are_those_of_the_real_library(text in "[a\n]{0,400}") {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("lines"), &text).unwrap();
        let path = folder.path().join("lines");
        let mut numbers = Vec::new();
        let name = CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: the file is there; getline keeps `line` and `room` as it wants them.
        unsafe {
            let file = libc::fopen(name.as_ptr(), c"r".as_ptr());
            let (mut line, mut room) = (std::ptr::null_mut(), 0);
            loop {
                let length = libc::getline(&raw mut line, &raw mut room, file);
                if length < 0 {
                    break;
                }
                numbers.extend([length.unsigned_abs() as u64, room as u64]);
            }
            libc::free(line.cast());
            libc::fclose(file);
        }
        let peak = peak_of("", &[path.to_str().unwrap(), "r"], |body, _, others| {
            let file = body.call("fopen", &[(others[0], Type::Ptr), (others[1], Type::Ptr)]);
            let (line, room) = (body.alloca(8), body.alloca(8));
            body.store(I64, int(0), line);
            body.store(I64, int(0), room);
            let args = [(line, Type::Ptr), (room, Type::Ptr), (file, Type::Ptr)];
            let mut sum = int(7);
            for _ in 0..numbers.len() / 2 {
                let length = body.call("getline", &args);
                sum = emit_gather(body, sum, length);
                let has = body.load(I64, room);
                sum = emit_gather(body, sum, has);
            }
            let end = body.call("getline", &args);
            let ended = emit_equal(body, I64, end, int(-1));
            emit_gather(body, sum, ended)
        });
        prop_assert_eq!(peak, expected(&numbers));
    }
}

unsafe extern "C" {
    fn strsep(place: *mut *mut libc::c_char, set: *const libc::c_char) -> *mut libc::c_char;
    fn dirname(path: *mut libc::c_char) -> *mut libc::c_char;
    fn __xpg_basename(path: *mut libc::c_char) -> *mut libc::c_char;
}
