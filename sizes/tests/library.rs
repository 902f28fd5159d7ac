//! Models of libc, seen through sizes: each program allocates what a library call gave.

mod build;

use build::*;
use migfit_schema::program::*;
use migfit_schema::units::Bytes;
use migfit_sizes::{Limits, Need, Verdict, evaluate};

/// The need of a program that allocates as many bytes as `size` gives.
fn need_of(
    words: &[&str],
    size: impl FnOnce(&mut Build, &mut Vec<Operand>),
    body: impl FnOnce(&mut Body<'_>, &[Operand], &[Operand]) -> Operand,
) -> Need {
    let mut build = Build::new();
    let mut given = Vec::new();
    size(&mut build, &mut given);
    build.main(|main, params| {
        let bytes = body(main, params, &given);
        main.cuda_malloc(bytes);
        main.ret(int(0));
    });
    build.need(words)
}

/// The bytes of a program that calls one function with texts and allocates the result.
fn bytes_of(function: &str, texts: &[&str], more: &[(Operand, Type)]) -> Option<Bytes> {
    let need = need_of(
        &[],
        |build, given| given.extend(texts.iter().map(|text| build.text(text))),
        |body, _, given| {
            let mut args: Vec<(Operand, Type)> =
                given.iter().map(|text| (*text, Type::Ptr)).collect();
            args.extend(more);
            let result = body.call(function, &args);
            body.binary(BinaryOp::And, I64, result, int(0xffff_ffff))
        },
    );
    need.peak
}

#[test]
fn texts_are_measured_compared_and_read() {
    assert_eq!(bytes_of("strlen", &["12345"], &[]), Some(Bytes(5)));
    assert_eq!(bytes_of("atoi", &[" 4096x"], &[]), Some(Bytes(4096)));
    assert_eq!(
        bytes_of("strtol", &["0x20"], &[(int(0), Type::Ptr), (int(0), I32)]),
        Some(Bytes(32))
    );
    // Where texts differ only the sign is promised, and that is no number of bytes.
    assert_eq!(bytes_of("strcmp", &["b", "a"], &[]), None);
    assert_eq!(bytes_of("strcmp", &["a", "a"], &[]), Some(Bytes(0)));
    assert_eq!(
        bytes_of("strncmp", &["abc", "abd"], &[(int(2), I64)]),
        Some(Bytes(0))
    );
    assert_eq!(bytes_of("strcasecmp", &["ABC", "abc"], &[]), Some(Bytes(0)));
    assert_eq!(
        bytes_of("strcspn", &["key=value", "="], &[]),
        Some(Bytes(3))
    );
}

#[test]
fn the_first_numbers_of_rand_are_glibcs() {
    assert_eq!(bytes_of("rand", &[], &[]), Some(Bytes(1_804_289_383)));
}

#[test]
fn the_environment_is_an_input() {
    let need = need_of(
        &[],
        |build, given| given.push(build.text("SIZE")),
        |body, _, given| {
            let value = body.call("getenv", &[(given[0], Type::Ptr)]);
            body.call("atol", &[(value, Type::Ptr)])
        },
    );
    assert_eq!((need.verdict, need.peak), (Verdict::Exact, Some(Bytes(77))));
}

#[test]
fn the_clock_is_unknown_and_so_is_rand_seeded_by_it() {
    let need = need_of(
        &[],
        |_, _| {},
        |body, _, _| {
            let now = body.call("time", &[(int(0), Type::Ptr)]);
            body.call("srand", &[(now, I32)]);
            body.call("rand", &[])
        },
    );
    assert_eq!(need.verdict, Verdict::Unknown);
    assert!(
        need.unknowns[0]
            .reason
            .starts_with("it depends on the clock")
    );
}

#[test]
fn a_function_without_a_model_matters_only_where_a_size_depends_on_it() {
    let with = |matters: bool| {
        need_of(
            &[],
            |_, _| {},
            |body, _, _| {
                let answer = body.call("mystery", &[]);
                if matters { answer } else { int(16) }
            },
        )
    };
    assert_eq!(with(false).verdict, Verdict::Exact);
    assert!(with(false).unknowns.is_empty());
    assert_eq!(with(true).verdict, Verdict::Unknown);
    assert!(
        with(true).unknowns[0]
            .reason
            .starts_with("it depends on mystery, which has no model")
    );
}

#[test]
fn a_function_without_a_model_spoils_what_it_is_given() {
    let need = need_of(
        &[],
        |_, _| {},
        |body, _, _| {
            let slot = body.alloca(8);
            body.store(I64, int(5), slot);
            body.call("mystery", &[(slot, Type::Ptr)]);
            body.load(I64, slot)
        },
    );
    assert_eq!(need.verdict, Verdict::Unknown);
}

#[test]
fn formatted_text_is_read_back() {
    let need = need_of(
        &[],
        |build, given| given.extend([build.text("%s%03d"), build.text("1"), build.text("%d")]),
        |body, _, given| {
            let (buffer, number) = (body.alloca(32), body.alloca(4));
            body.call(
                "sprintf",
                &[
                    (buffer, Type::Ptr),
                    (given[0], Type::Ptr),
                    (given[1], Type::Ptr),
                    (int(7), I32),
                ],
            );
            body.call(
                "__isoc99_sscanf",
                &[
                    (buffer, Type::Ptr),
                    (given[2], Type::Ptr),
                    (number, Type::Ptr),
                ],
            );
            let loaded = body.load(I32, number);
            body.sext(loaded)
        },
    );
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::Exact, Some(Bytes(1007)))
    );
}

/// Reads two numbers from the file named by `argv[1]` and allocates their product.
fn file_program() -> Build {
    let mut build = Build::new();
    let (mode, format) = (build.text("r"), build.text("%d %d"));
    build.main(|body, params| {
        let slot = body.offset(params[1], 8, Vec::new());
        let path = body.load(Type::Ptr, slot);
        let file = body.call("fopen", &[(path, Type::Ptr), (mode, Type::Ptr)]);
        let (rows, cols) = (body.alloca(4), body.alloca(4));
        body.call(
            "__isoc99_fscanf",
            &[
                (file, Type::Ptr),
                (format, Type::Ptr),
                (rows, Type::Ptr),
                (cols, Type::Ptr),
            ],
        );
        let (rows, cols) = (body.load(I32, rows), body.load(I32, cols));
        let cells = body.binary(BinaryOp::Mul, I32, rows, cols);
        let bytes = body.sext(cells);
        body.cuda_malloc(bytes);
        body.ret(int(0));
    });
    build
}

#[test]
fn sizes_come_from_files_and_the_files_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("matrix"), "12\n34\n0.5 0.25\n").unwrap();
    let mut line = command(&["matrix"]);
    line.cwd = folder.path().to_owned();
    let need = evaluate(
        &file_program().profile(),
        &line,
        &device(),
        &Limits::default(),
    );
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::Exact, Some(Bytes(408)))
    );
    assert_eq!(need.files, ["matrix"]);
}

#[test]
fn a_missing_file_is_named() {
    let need = file_program().need(&["no-such-file"]);
    assert_eq!(need.verdict, Verdict::Unknown);
    assert!(
        need.unknowns[0]
            .reason
            .contains("no-such-file, which cannot be opened: No such file"),
        "{:?}",
        need.unknowns
    );
}

#[test]
fn a_device_file_is_not_opened_and_its_content_is_unknown() {
    let need = file_program().need(&["/dev/zero"]);
    assert_eq!(need.verdict, Verdict::Unknown);
    assert!(
        need.unknowns[0].reason.contains("/dev/zero"),
        "{:?}",
        need.unknowns
    );
}

/// `getopt(argc, argv, "n:v")` until it ends; allocates the last `-n`'s number.
fn option_program() -> Build {
    let mut build = Build::new();
    let letters = build.text("n:v");
    let optarg = build.global("optarg", 8, Vec::new(), false);
    build.global("optind", 4, Vec::new(), false);
    build.main(|body, params| {
        let size = body.alloca(8);
        body.store(I64, int(1), size);
        let (head, is_n, take, done) = (body.block(), body.block(), body.block(), body.block());
        body.jump(head);
        body.at(head);
        let letter = body.call(
            "getopt",
            &[
                (params[0], I32),
                (params[1], Type::Ptr),
                (letters, Type::Ptr),
            ],
        );
        let end = body.compare(Compare::Eq, letter, int(0xffff_ffff));
        body.branch(end, done, is_n, OnUnknown::Stop);
        body.at(is_n);
        let found = body.compare(Compare::Eq, letter, int(i64::from(b'n')));
        body.branch(found, take, head, OnUnknown::Stop);
        body.at(take);
        let text = body.load(Type::Ptr, optarg);
        let number = body.call("atol", &[(text, Type::Ptr)]);
        body.store(I64, number, size);
        body.jump(head);
        body.at(done);
        let bytes = body.load(I64, size);
        body.cuda_malloc(bytes);
        body.ret(int(0));
    });
    build
}

#[test]
fn options_are_found_in_any_order() {
    let peak = |words: &[&str]| option_program().need(words).peak;
    assert_eq!(peak(&["-n", "640"]), Some(Bytes(640)));
    assert_eq!(peak(&["-n640"]), Some(Bytes(640)));
    assert_eq!(peak(&["-vn", "640"]), Some(Bytes(640)));
    assert_eq!(
        peak(&["file", "-v", "other", "-n", "640", "last"]),
        Some(Bytes(640))
    );
    assert_eq!(peak(&["--", "-n", "640"]), Some(Bytes(1)));
    assert_eq!(peak(&[]), Some(Bytes(1)));
}

#[test]
fn qsort_calls_the_comparator() {
    let mut build = Build::new();
    let numbers: Vec<u8> = [30i32, 10, 20]
        .iter()
        .flat_map(|n| n.to_le_bytes())
        .collect();
    let array = build.global("numbers", 12, numbers, false);
    let compare = build.function("ascending", &[Type::Ptr, Type::Ptr], |body, params| {
        let (a, b) = (body.load(I32, params[0]), body.load(I32, params[1]));
        let order = body.binary(BinaryOp::Sub, I32, a, b);
        body.ret(order);
    });
    build.main(|body, _| {
        body.call(
            "qsort",
            &[
                (array, Type::Ptr),
                (int(3), I64),
                (int(4), I64),
                (Operand::Function(compare), Type::Ptr),
            ],
        );
        let middle = body.offset(array, 4, Vec::new());
        let number = body.load(I32, middle);
        let bytes = body.sext(number);
        body.cuda_malloc(bytes);
        body.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!((need.verdict, need.peak), (Verdict::Exact, Some(Bytes(20))));
}

#[test]
fn the_macros_of_ctype_have_their_table() {
    let need = need_of(
        &[],
        |_, _| {},
        |body, _, _| {
            let holder = body.call("__ctype_b_loc", &[]);
            let table = body.load(Type::Ptr, holder);
            let entry = body.offset(table, 0, vec![(int(i64::from(b'7')), I32, 2)]);
            let classes = body.load(Type::Int(16), entry);
            // _ISdigit
            body.binary(BinaryOp::And, I64, classes, int(0x800))
        },
    );
    assert_eq!(need.peak, Some(Bytes(0x800)));
}
