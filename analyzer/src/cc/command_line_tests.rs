//! Tests of the command-line reader: a table of commands and their tasks, and arbitrary words.

use super::*;
use proptest::prelude::*;

fn parse(command: &str) -> CommandLine {
    let words: Vec<OsString> = command.split_whitespace().map(OsString::from).collect();
    CommandLine::parse(&words, Language::C)
}

/// `o` nothing for us, `c FILE...` the objects of a compile, `l FILE` a link.
fn told(command: &str) -> String {
    match parse(command).task() {
        Task::Other => "o".into(),
        Task::Compile(sources) => {
            let objects = sources
                .iter()
                .map(|source| source.object.display().to_string());
            format!("c {}", objects.collect::<Vec<_>>().join(" "))
        }
        Task::Link(output) => format!("l {}", output.display()),
    }
}

#[test]
fn commands_and_their_tasks() {
    let table = [
        // What nvcc sends.
        (
            "-D__CUDA_ARCH_LIST__=800 -E -x c++ -D__NVCC__ -O2 -include cuda_runtime.h -m64 a.cu -o a.ii",
            "o",
        ),
        (
            "-D__CUDA_ARCH__=800 -c -x c++ -DX -O2 -Iinc -isystem cccl -m64 t/a.cudafe1.cpp -o t/a.o",
            "c t/a.o",
        ),
        (
            "-c -x c++ -I. -m64 crt/link.stub -o t/a_dlink.o",
            "c t/a_dlink.o",
        ),
        (
            "-O2 -m64 -Wl,--start-group a_dlink.o a.o -Llib -lcudadevrt -lcudart -Wl,--end-group -o prog",
            "l prog",
        ),
        ("-print-prog-name=ar", "o"),
        // What people write.
        ("-c main.c", "c main.o"),
        ("-c src/main.cpp -omain.o", "c main.o"),
        ("-c a.c b.cc", "c a.o b.o"),
        ("-c a.c b.c -o both.o", "o"),
        ("-O2 -MMD -MP -MF deps/a.d -c a.cpp -o obj/a.o", "c obj/a.o"),
        ("main.c util.o -lm", "l a.out"),
        ("-shared -fPIC -o libx.so a.o", "l libx.so"),
        ("-lfoo", "l a.out"),
        ("a.o -o first -o second", "l second"),
        ("-xc++ -c weird.txt", "c weird.o"),
        ("-x c++ a.txt -x none b.o -o p", "l p"),
        // What is left alone.
        ("--version", "o"),
        ("-dumpversion", "o"),
        ("-dumpmachine", "o"),
        ("-v a.o -o p", "o"),
        ("-M a.c", "o"),
        ("-MM a.c", "o"),
        ("-S a.c", "o"),
        ("-r a.o b.o -o ab.o", "o"),
        ("-c start.S", "o"),
        ("-c a.o", "o"),
        ("-flto -c a.c", "c a.o"),
        ("-fsyntax-only a.c", "o"),
        ("-save-temps -c a.c", "c a.o"),
        ("-x c -E -", "o"),
        ("-c -x c - -o a.o", "o"),
        ("-c a.c -o", "o"),
        ("-Wall", "o"),
        ("", "o"),
    ];
    for (command, task) in table {
        assert_eq!(told(command), task, "{command}");
    }
}

#[test]
fn values_of_options_are_no_inputs() {
    let line = parse("-Xlinker a.o -include b.c -L c.o -MF d.o -T e.o f.o -o g.o");
    let inputs: Vec<_> = line.linked_inputs().collect();
    assert_eq!(inputs, [Path::new("f.o")]);
}

#[test]
fn a_c_plus_plus_driver_makes_c_plus_plus_of_plain_c() {
    let words = ["-c", "a.c"].map(OsString::from);
    let line = CommandLine::parse(&words, Language::Cxx);
    assert_eq!(line.sources()[0].language, Language::Cxx);
}

#[test]
fn the_last_wish_for_debug_information_counts() {
    assert!(parse("-g0 -c a.c -g").wants_debug());
    assert!(!parse("-ggdb -c a.c -g0").wants_debug());
    assert!(!parse("-c a.c").wants_debug());
}

#[test]
fn response_files_are_part_of_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("words");
    std::fs::write(&file, "-o 'my prog' a.o").unwrap();
    assert_eq!(told(&format!("@{}", file.display())), "l my prog");
}

proptest! {
    #[test]
    fn no_word_is_lost_or_moved(words in proptest::collection::vec("(-[a-zA-Z]{0,3}|[a-z]{1,3}\\.(c|o|cpp|a)|-(o|x|I|MF|Xclang)|[^@]{0,6})", 0..12)) {
        let words: Vec<OsString> = words.into_iter().filter(|w| !w.starts_with('@')).map(OsString::from).collect();
        let line = CommandLine::parse(&words, Language::C);
        line.task();
        let back: Vec<OsString> = line.tokens.into_iter().flat_map(|token| token.words).collect();
        prop_assert_eq!(back, words);
    }

    #[test]
    fn words_that_are_not_text_are_taken(words in proptest::collection::vec(proptest::collection::vec(1u8..=255, 0..6), 0..6)) {
        use std::os::unix::ffi::OsStringExt;
        let words: Vec<OsString> = words.into_iter().map(OsString::from_vec).collect();
        CommandLine::parse(&words, Language::Cxx).task();
    }
}
