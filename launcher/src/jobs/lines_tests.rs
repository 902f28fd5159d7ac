//! What a list of commands may say.

use super::*;
use proptest::prelude::*;

fn jobs(text: &str) -> Vec<Job> {
    parse(text, Path::new("/here")).unwrap()
}

fn complaint(text: &str) -> String {
    let complaint = parse(text, Path::new("/here")).unwrap_err();
    let (line, column) = line_and_column(text, complaint.span.start);
    assert!(!complaint.hint.is_empty());
    format!("{line}:{column} {}", complaint.what)
}

#[test]
fn each_line_is_a_job_and_equal_names_are_numbered() {
    let all = jobs("# three\n./lud -s 1024\n\n  bin/nw 'a b' 10 # ten\nA=1 B= ./lud -s 2048\n");
    let names: Vec<&str> = all.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["lud#1", "nw", "lud#2"]);
    assert_eq!(all[1].command, ["bin/nw", "a b", "10"]);
    assert_eq!(all[1].stated_at.as_deref(), Some("4:3"));
    let variables = [("A", "1"), ("B", "")].map(|(n, v)| (n.to_owned(), v.to_owned()));
    assert_eq!(all[2].env, variables);
    assert_eq!(all[2].cwd, Path::new("/here"));
}

#[test]
fn a_last_line_without_end_and_carriage_returns_are_read() {
    let all = jobs("./a 1\r\n./b 2");
    assert_eq!(all[0].command, ["./a", "1"]);
    assert_eq!(all[1].command, ["./b", "2"]);
}

#[test]
fn what_no_command_is_is_refused_at_its_line() {
    let nothing = "1:1 standard input holds no command";
    assert_eq!(complaint(""), nothing);
    assert_eq!(complaint("\n  # nothing\n"), nothing);
    let quote = "2:2 a quote is never closed, or the line ends in a backslash";
    assert_eq!(complaint("./a\n ./b 'x\n"), quote);
    assert_eq!(complaint("./a\n ./b \\\n"), quote);
    assert_eq!(
        complaint("./a > out"),
        "1:1 '>' stands in the line, and no shell reads it"
    );
    assert_eq!(complaint("''"), "1:1 the line names no program");
    assert_eq!(complaint("A=1"), "1:1 the line names no program");
    assert_eq!(complaint("./.x"), "1:1 '.x' cannot be a job's name");
    assert_eq!(complaint("./a \0"), "1:1 the line holds a zero byte");
    assert_eq!(
        complaint(&"a\n".repeat(10_001)),
        "10001:1 more than 10000 jobs"
    );
}

#[test]
fn a_job_file_is_told_from_commands() {
    assert!(is_job_file("# jobs\n\n  [[jobs]]\nname = 'a'\n"));
    for commands in ["", "[ -f x ]", "./a [[jobs]]", "# [[jobs]]"] {
        assert!(!is_job_file(commands), "{commands}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "([ab./='\"\\\\#> \t\0é]{0,12}\r?\n){0,4}.{0,8}") {
        match parse(&text, Path::new("/here")) {
            Ok(jobs) => for job in jobs {
                prop_assert!(!job.command[0].is_empty());
                prop_assert!(!job.name.contains('/'));
            },
            Err(complaint) => prop_assert!(complaint.span.start <= text.len()),
        }
    }
}
