//! What a job file may say, and where each complaint points.

use super::*;
use migfit_schema::units::Bytes;
use proptest::prelude::*;

fn jobs(text: &str) -> Vec<Job> {
    parse(text, Path::new("/mix"), Commands::Needed).unwrap()
}

/// `line:column what`, and the hint.
fn complaint(text: &str) -> (String, String) {
    let complaint = parse(text, Path::new("/mix"), Commands::Needed).unwrap_err();
    let (line, column) = line_and_column(text, complaint.span.start);
    (
        format!("{line}:{column} {}", complaint.what),
        complaint.hint,
    )
}

#[test]
fn a_whole_job_is_read() {
    let text = r#"
        [[jobs]]
        name = "lud"
        command = ["../lud/lud", "-s", "1024"]
        cwd = "proc"
        env = { A = "1" }
        memory = "6 GiB"
    "#;
    let read = parse(text, Path::new("/"), Commands::Needed).unwrap();
    let expected = Job {
        env: vec![("A".to_owned(), "1".to_owned())],
        memory: Some(Bytes(6 << 30)),
        stated_at: Some("4:19".to_owned()),
        ..Job::new(
            "lud".to_owned(),
            ["../lud/lud", "-s", "1024"].map(Into::into).to_vec(),
            "/proc".into(),
        )
    };
    assert_eq!(read, [expected]);
}

#[test]
fn a_string_is_split_as_a_shell_does_and_the_program_names_the_job() {
    let all = jobs("[[jobs]]\ncommand = 'bin/a.out \"two words\" 3'\n");
    assert_eq!(all[0].name, "a.out");
    assert_eq!(all[0].command, ["bin/a.out", "two words", "3"]);
    assert_eq!(all[0].cwd, Path::new("/mix"));
}

#[test]
fn copies_are_numbered() {
    let all = jobs("[[jobs]]\nname = 'a'\ncommand = 'x'\ncount = 3\nmemory = 4194304\n");
    let names: Vec<&str> = all.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["a#1", "a#2", "a#3"]);
    assert_eq!(all[2].memory, Some(Bytes(4 << 20)));
}

#[test]
fn unknown_keys_are_refused_with_the_one_meant() {
    let (what, hint) = complaint("[[jobs]]\ncomand = 'x'\n");
    assert_eq!(what, "2:1 a job has no key 'comand'");
    assert!(hint.starts_with("did you mean 'command'?"), "{hint}");
    let (what, hint) = complaint("[[job]]\ncommand = 'x'\n");
    assert_eq!(what, "1:3 the job file has no key 'job'");
    assert!(hint.starts_with("did you mean 'jobs'?"), "{hint}");
}

#[test]
fn broken_toml_has_line_and_column() {
    let (what, _) = complaint("[[jobs]]\nname = \"a\ncommand = 'x'\n");
    assert!(
        what.starts_with("2:10 the job file is no valid TOML"),
        "{what}"
    );
}

/// Lines of a job, and the complaint about them.
const WRONG: &[(&str, &str)] = &[
    ("name = 'a'", "1:1 a job without command"),
    ("command = 5", "2:11 command is of type integer"),
    ("command = []", "2:11 command names no program"),
    ("command = ['']", "2:11 command names no program"),
    (
        "command = 'a \"b'",
        "2:11 command has a quote that is never closed",
    ),
    (
        "command = ['a', 5]",
        "2:17 a word of command is of type integer",
    ),
    ("command = 'a'\ncount = 0", "3:9 count = 0"),
    (
        "command = 'a'\ncount = 99999999999999999999",
        "3:9 count = 99999999999999999999",
    ),
    (
        "command = 'a'\nmemory = 6",
        "3:10 memory = 6 is no amount of memory",
    ),
    (
        "command = 'a'\nmemory = 99999999999999999999",
        "3:10 memory = 99999999999999999999 is no amount of memory",
    ),
    (
        "command = 'a'\ncwd = 'nowhere'",
        "3:7 cwd: there is no folder 'nowhere'",
    ),
    (
        "command = 'a'\ncwd = '/dev/null'",
        "3:7 cwd = '/dev/null' is no folder",
    ),
    ("command = 'a'\ncount = 'x'", "3:9 count is of type string"),
    (
        "command = 'a'\nmemory = '6 GB'",
        "3:10 memory = 6 GB is no amount of memory",
    ),
    (
        "command = 'a'\nmemory = -5",
        "3:10 memory = -5 is no amount of memory",
    ),
    (
        "command = 'a'\nmemory = 1.5",
        "3:10 memory is of type float",
    ),
    (
        "command = 'a'\nname = '../x'",
        "3:8 '../x' cannot be a job's name",
    ),
    (
        "command = 'a'\nname = 'x/y'",
        "3:8 'x/y' cannot be a job's name",
    ),
    ("command = 'a'\nenv = 'x'", "3:7 env is of type string"),
    (
        "command = 'a'\nenv = { 'a=b' = 'x' }",
        "3:9 no environment variable can be called or hold that",
    ),
];

#[test]
fn wrong_values_are_refused_where_they_stand() {
    for (lines, expected) in WRONG {
        let (what, hint) = complaint(&format!("[[jobs]]\n{lines}\n"));
        assert_eq!(&what, expected);
        assert!(!hint.is_empty(), "{lines}");
    }
}

#[test]
fn two_jobs_of_one_name_are_refused() {
    let text = "[[jobs]]\nname = 'a'\ncommand = 'x'\n[[jobs]]\nname = 'a'\ncommand = 'y'\n";
    assert_eq!(complaint(text).0, "5:8 two jobs are called 'a'");
}

#[test]
fn no_jobs_at_all_is_a_complaint() {
    assert_eq!(complaint("").0, "1:1 the job file holds no jobs");
    assert_eq!(complaint("jobs = []").0, "1:1 the job file holds no jobs");
    assert_eq!(complaint("jobs = 3").0, "1:8 jobs is of type integer");
    assert_eq!(complaint("jobs = [3]").0, "1:9 a job is of type integer");
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "(\\[\\[jobs\\]\\]\n)?((name|command|cwd|env|count|memory|x) = ['\"a-z0-9\\[\\]{}=, ]{0,12}\n){0,5}") {
        if let Err(complaint) = parse(&text, Path::new("/mix"), Commands::Needed) {
            prop_assert!(complaint.span.start <= text.len());
        }
    }
}
