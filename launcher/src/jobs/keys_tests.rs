//! What the keys of a job may say beside its command: after, times and limits; and where each complaint points.

use crate::jobs::complaint::Complaint;
use crate::jobs::file::parse;
use crate::jobs::job::{Restart, SliceTime};
use crate::jobs::toml_place::line_and_column;
use crate::jobs::{Commands, Job};
use migfit_schema::units::Bytes;
use proptest::prelude::*;
use std::path::Path;
use std::time::Duration;

/// The jobs of a text.
pub(super) fn read(text: &str) -> Result<Vec<Job>, Complaint> {
    parse(text, Path::new("/"), Commands::Optional)
}

pub(super) fn jobs(text: &str) -> Vec<Job> {
    read(text).unwrap()
}

/// `line:column what`, and the hint.
pub(super) fn complaint(text: &str) -> (String, String) {
    let complaint = read(text).unwrap_err();
    let (line, column) = line_and_column(text, complaint.span.start);
    let what = format!("{line}:{column} {}", complaint.what);
    (what, complaint.hint)
}

#[test]
fn limits_and_restarts_are_read() {
    let text = "[[jobs]]\ncommand = 'a'\nrestart = 'early'\ncpus = 4\nhost_memory = '2 GiB'\n\
                time_limit = '15 min'\niterations = 500\n";
    let job = &jobs(text)[0];
    assert_eq!((job.restart, job.cpus), (Restart::Early, 4));
    assert_eq!(job.host_memory, Some(Bytes(2 << 30)));
    assert_eq!(job.time_limit, Some(Duration::from_secs(900)));
    assert_eq!(job.iterations, Some(500));
    let plain = &jobs("[[jobs]]\ncommand = 'a'\n")[0];
    assert_eq!((plain.restart, plain.cpus), (Restart::Oom, 1));
}

#[test]
fn times_are_of_the_whole_job_or_of_startup_and_iterations() {
    let text = "[[jobs]]\nname = 'bert'\niterations = 500\n\
                times = { '1g.5gb' = 12.5, '2g.10gb' = { startup = 13.22, iteration = 0.1222 }, '7g.40gb' = 3 }\n";
    let job = &jobs(text)[0];
    let time = |name: &str| job.measured_s(name.parse().unwrap());
    assert_eq!(time("1g.5gb"), Some(12.5));
    assert_eq!(time("2g.10gb"), Some(13.22 + 500.0 * 0.1222));
    assert_eq!(time("7g.40gb"), Some(3.0));
    assert_eq!(time("3g.20gb"), None);
    let iteration = job.times[&"2g.10gb".parse().unwrap()];
    let expected = SliceTime {
        startup_s: 13.22,
        iteration_s: 0.1222,
    };
    assert_eq!(iteration, expected);
}

/// Numbers of the jobs that each job comes after.
fn after(text: &str) -> Vec<Vec<usize>> {
    jobs(text).into_iter().map(|job| job.after).collect()
}

#[test]
fn after_names_jobs_and_groups_of_jobs() {
    let text = "[[jobs]]\nname = 'last'\ncommand = 'x'\nafter = ['prep', 'b#2', 'prep-2']\n\
                [[jobs]]\nname = 'prep'\ncommand = 'x {n}'\nmatrix = { n = [1, 2] }\n\
                [[jobs]]\nname = 'b'\ncommand = 'x'\ncount = 2\nafter = 'prep'\n";
    assert_eq!(
        after(text),
        [vec![1, 2, 4], vec![], vec![], vec![1, 2], vec![1, 2]]
    );
}

#[test]
fn a_point_comes_after_its_own() {
    let text = "[[jobs]]\nname = 'prep-{n}'\ncommand = 'x {n}'\nmatrix = { n = [1, 2] }\n\
                [[jobs]]\nname = 'go'\ncommand = 'x {n}'\nafter = 'prep-{n}'\nmatrix = { n = [1, 2] }\n\
                [[jobs]]\nname = 'all'\ncommand = 'x'\nafter = 'prep-{n}'\n";
    assert_eq!(after(text), [vec![], vec![], vec![0], vec![1], vec![0, 1]]);
}

#[test]
fn nobody_and_circles_are_refused() {
    let job = |name: &str, after: &str| {
        format!("[[jobs]]\nname = '{name}'\ncommand = 'x'\nafter = {after}\n")
    };
    let (what, hint) = complaint(&job("a", "['prpe']").replace("'a'", "'prep'"));
    assert_eq!(what, "4:10 after: no job is called 'prpe'");
    assert_eq!(hint, "did you mean 'prep'?");
    let circle = [job("x", "[]"), job("a", "'b'"), job("b", "['x', 'a']")].concat();
    let what = complaint(&circle).0;
    assert_eq!(what, "8:9 after goes round in a circle: a -> b -> a");
    let itself = complaint(&job("a", "'a'")).0;
    assert_eq!(itself, "4:9 after goes round in a circle: a -> a");
    let copies = "[[jobs]]\nname = 'a'\ncommand = 'x'\nafter = 'a'\ncount = 2\n";
    assert_eq!(
        complaint(copies).0,
        "4:9 after goes round in a circle: a#1 -> a#1"
    );
    let ring: String = (0..20)
        .map(|i| job(&format!("j{i}"), &format!("'j{}'", (i + 1) % 20)))
        .collect();
    let what = complaint(&ring).0;
    assert!(what.ends_with("j6 -> j7 -> ... -> j0"), "{what}");
    assert_eq!(complaint(&job("a", "5")).0, "4:9 after is of type integer");
}

#[test]
fn a_chain_as_long_as_a_file_may_be_is_followed() {
    let job = |i: usize| {
        format!(
            "[[jobs]]\nname = 'j{i}'\ncommand = 'x'\nafter = 'j{}'\n",
            i + 1
        )
    };
    let chain: String = (0..9_999).map(job).collect();
    let last = "[[jobs]]\nname = 'j9999'\ncommand = 'x'\n";
    assert_eq!(after(&format!("{chain}{last}"))[9_998], [9_999]);
    let crowd = "[[jobs]]\nname = 'a'\ncommand = 'x'\ncount = 5000\n\
                 [[jobs]]\nname = 'b'\ncommand = 'x'\ncount = 5000\nafter = 'a'\n";
    assert_eq!(
        complaint(crowd).0,
        "9:9 after: more than 1000000 pairs of jobs"
    );
}

/// Keys of a job, and the complaint about them.
const WRONG: &[(&str, &str)] = &[
    ("restart = 'eraly'", "3:11 restart = 'eraly'"),
    ("restart = true", "3:11 restart is of type boolean"),
    ("cpus = 0", "3:8 cpus = 0"),
    ("cpus = '4'", "3:8 cpus is of type string"),
    ("cpus = 99999999999", "3:8 cpus = 99999999999"),
    (
        "host_memory = 4",
        "3:15 host_memory = 4 is no amount of memory",
    ),
    (
        "time_limit = '0 s'",
        "3:14 time_limit = 0 s is no length of time",
    ),
    ("time_limit = 0", "3:14 time_limit = 0 is no length of time"),
    (
        "time_limit = 90",
        "3:14 time_limit = 90 is no length of time",
    ),
    ("time_limit = []", "3:14 time_limit is of type array"),
    ("iterations = 0", "3:14 iterations = 0"),
    ("iterations = -5", "3:14 iterations = -5"),
    ("count = 10001", "3:9 count = 10001"),
    ("times = 5", "3:9 times is of type integer"),
    ("times = {}", "3:9 times is empty"),
    ("times = { '1g' = 5 }", "3:11 '1g' is no MIG profile"),
    (
        "times = { '1g.5gb+me' = 5 }",
        "3:11 no job is given a slice of MIG profile 1g.5gb+me",
    ),
    (
        "times = { '1c.2g.10gb' = 5 }",
        "3:11 no job is given a slice of MIG profile 1c.2g.10gb",
    ),
    (
        "times = { '1g.5gb' = -5 }",
        "3:22 a time = -5 is no time in seconds",
    ),
    (
        "times = { '1g.5gb' = nan }",
        "3:22 a time = nan is no time in seconds",
    ),
    (
        "times = { '1g.5gb' = inf }",
        "3:22 a time = inf is no time in seconds",
    ),
    ("times = { '1g.5gb' = 0 }", "3:22 a time of 0 seconds"),
    (
        "times = { '1g.5gb' = 1e300 }",
        "3:22 a time = 1e300 is no time in seconds",
    ),
    (
        "times = { '1g.5gb' = '5 s' }",
        "3:22 a time is of type string",
    ),
    (
        "times = { '1g.5gb' = { startup = 5 } }",
        "3:22 a time without iteration",
    ),
    (
        "times = { '1g.5gb' = { iteration = 0 } }\niterations = 5",
        "3:36 iteration of 0 seconds",
    ),
    (
        "times = { '1g.5gb' = { iteration = 1 } }",
        "3:22 1g.5gb has a time for each iteration, and the job has no iterations",
    ),
    (
        "times = { '1g.5gb' = { iteration = 1e8 } }\niterations = 4000000000",
        "3:22 1g.5gb: more than ten years",
    ),
    (
        "times = { '1g.5gb' = { startup = -1, iteration = 1 } }\niterations = 5",
        "3:34 startup = -1 is no time in seconds",
    ),
    (
        "times = { '1g.5gb' = { iterations = 1 } }",
        "3:24 a time has no key 'iterations'",
    ),
];

#[test]
fn wrong_values_are_refused_where_they_stand() {
    for (lines, expected) in WRONG {
        let (what, hint) = complaint(&format!("[[jobs]]\ncommand = 'a'\n{lines}\n"));
        assert_eq!(&what, expected);
        assert!(!hint.is_empty(), "{lines}");
    }
}

#[test]
fn only_a_plan_does_without_a_command() {
    let text = "[[jobs]]\nname = 'a'\ntimes = { '1g.5gb' = 5 }\n";
    assert!(jobs(text)[0].command.is_empty());
    let refused = parse(text, Path::new("/"), Commands::Needed).unwrap_err();
    assert_eq!(refused.what, "a job without command");
    assert!(refused.hint.contains("--plan"), "{}", refused.hint);
    assert_eq!(
        complaint("[[jobs]]\nname = 'a'\n").0,
        "1:1 a job without command"
    );
    let nameless = "[[jobs]]\ntimes = { '1g.5gb' = 5 }\n";
    assert_eq!(complaint(nameless).0, "1:1 a job without name and command");
}

/// A line of a job: a key with a value that is often of its kind.
fn line() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        "[0-9a-z{}'\", .-]{0,8}".prop_map(String::from),
        "'[a-z0-9{} /.]{0,8}'".prop_map(String::from),
        "\\['a', '\\{n\\}', '[a-z{}]{0,3}'\\]".prop_map(String::from),
        "\\{ n = \\[[0-9, ]{0,6}\\](, p = \\['a'\\])? \\}".prop_map(String::from),
        "\\{ '[1-7]g\\.(5|10)gb' = -?[0-9]{1,3} \\}".prop_map(String::from),
        "\\{ '1g\\.5gb' = \\{ startup = [0-9], iteration = [0-9e.]{1,4} \\} \\}"
            .prop_map(String::from),
        "'[0-9.]{1,3} ?(s|ms|h|GiB|MiB|x)'".prop_map(String::from),
        "-?[0-9]{1,20}".prop_map(String::from),
    ];
    let key = prop::sample::select(vec![
        "name",
        "command",
        "env",
        "count",
        "matrix",
        "after",
        "memory",
        "restart",
        "cpus",
        "host_memory",
        "time_limit",
        "times",
        "iterations",
    ]);
    (key, value).prop_map(|(key, value)| format!("{key} = {value}\n"))
}

proptest! {
    #[test]
    fn any_job_is_read_or_refused(lines in prop::collection::vec(line(), 0..5), more in prop::collection::vec(line(), 0..4)) {
        let text = format!("[[jobs]]\ncommand = 'x {{n}}'\n{}[[jobs]]\n{}", lines.concat(), more.concat());
        match read(&text) {
            Ok(jobs) => {
                let names: std::collections::HashSet<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
                prop_assert_eq!(names.len(), jobs.len());
                for job in &jobs {
                    prop_assert!(job.after.iter().all(|&other| other < jobs.len()));
                    prop_assert!(job.cpus > 0 && !job.name.contains('/'));
                }
            }
            Err(complaint) => prop_assert!(complaint.span.start <= text.len()),
        }
    }
}
