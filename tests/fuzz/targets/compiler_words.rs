//! Lines of text -> words of a compiler's command line -> what `migfit-cc` takes it for.
//! It is a program, not a library, so its modules are part of this target by their paths.
#![no_main]
#![expect(dead_code, reason = "the target asks for less than the program")]

#[path = "../../../analyzer/src/cc/command_line.rs"]
mod command_line;
#[path = "../../../analyzer/src/cc/language.rs"]
mod language;
#[path = "../../../analyzer/src/cc/options.rs"]
mod options;
#[path = "../../../analyzer/src/cc/response.rs"]
mod response;

use command_line::CommandLine;
use language::Language;
use libfuzzer_sys::fuzz_target;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

fuzz_target!(|lines: &[u8]| {
    // A response file that is there would be another input.
    let words = lines.split(|byte| *byte == b'\n').map(|word| match word {
        [b'@', rest @ ..] => rest,
        _ => word,
    });
    let words: Vec<OsString> = words
        .map(|word| OsString::from_vec(word.to_vec()))
        .collect();
    let command = CommandLine::parse(&words, Language::C);
    let _ = (command.task(), command.wants_debug());
    let _ = (command.sources(), command.linked_inputs().count());
    let again: usize = command.tokens.iter().map(|token| token.words.len()).sum();
    assert_eq!(again, words.len(), "a word was lost");
});
