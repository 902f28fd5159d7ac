//! Help, version and sentences that make no sense.

use crate::fixture::Sandbox;

#[test]
fn help_and_version_are_results() {
    let help = Sandbox::new().migfit(&["--help"]);
    assert_eq!((help.code, help.stderr.as_str()), (0, ""));
    assert!(
        help.stdout.contains("Usage: migfit <COMMAND>"),
        "{}",
        help.stdout
    );
    assert!(help.stdout.contains("MIGFIT=off"), "{}", help.stdout);
    let version = Sandbox::new().migfit(&["--version"]);
    assert_eq!(
        version.stdout,
        format!("migfit {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn nonsense_is_refused_with_a_suggestion_on_standard_error() {
    for (words, part) in [
        (&["ft"][..], "fit"),
        (&["fit"], "PROGRAM"),
        (&["fit", "--jsn", "./a"], "--json"),
        (&["build", "make"], "--"),
        (&[], "Usage"),
    ] {
        let outcome = Sandbox::new().migfit(words);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (80, ""),
            "{words:?}"
        );
        assert!(
            outcome.stderr.contains(part),
            "{words:?}: {}",
            outcome.stderr
        );
    }
}

#[test]
fn a_build_command_s_exit_code_is_the_only_answer() {
    let outcome = Sandbox::new().migfit(&["build", "--", "no-such-make"]);
    assert_ne!(outcome.code, 0);
    assert!(outcome.stderr.contains("hint: "), "{}", outcome.stderr);
}
