//! Every combination of a matrix: commands, names, limits; and where each complaint points.

use crate::jobs::Job;
use crate::jobs::keys_tests::{complaint, jobs};
use std::path::Path;

fn names(text: &str) -> Vec<String> {
    jobs(text).into_iter().map(|job| job.name).collect()
}

/// Each job as `name: command`.
fn commands(text: &str) -> Vec<String> {
    let shown = |job: Job| {
        let words: Vec<_> = job.command.iter().map(|w| w.to_string_lossy()).collect();
        format!("{}: {}", job.name, words.join("|"))
    };
    jobs(text).into_iter().map(shown).collect()
}

#[test]
fn a_matrix_makes_every_combination_the_last_axis_fastest() {
    let text = "[[jobs]]\nname = 'x'\ncommand = ['./{p}', '-s', '{n}k', '{{n}}', '}']\n\
                matrix = { n = [1024, 2_048], p = ['a', 'b c'] }\n";
    assert_eq!(
        commands(text),
        [
            "x-1024-a: ./a|-s|1024k|{n}|}",
            "x-1024-b c: ./b c|-s|1024k|{n}|}",
            "x-2048-a: ./a|-s|2048k|{n}|}",
            "x-2048-b c: ./b c|-s|2048k|{n}|}",
        ]
    );
}

#[test]
fn a_matrix_fills_name_cwd_and_env_too() {
    let text = "[[jobs]]\nname = 'at {d} {t}'\ncommand = 'x'\ncwd = '{d}'\nenv = { T = 't{t}' }\n\
                matrix = { d = ['dev', 'proc'], t = [0.50, true] }\n";
    let all = jobs(text);
    assert_eq!(all[0].name, "at dev 0.50");
    assert_eq!(all[3].name, "at proc true");
    assert_eq!(all[3].cwd, Path::new("/proc"));
    assert_eq!(all[1].env, [("T".to_owned(), "ttrue".to_owned())]);
    let missing = "[[jobs]]\ncommand = 'x'\ncwd = '{d}'\nmatrix = { d = ['dev', 'nowhere'] }\n";
    assert_eq!(
        complaint(missing).0,
        "3:7 cwd: there is no folder 'nowhere'"
    );
}

#[test]
fn names_stay_unique_and_fit_for_a_folder() {
    let text = "[[jobs]]\ncommand = 'bin/x {f}'\nmatrix = { f = ['a/b', 'a#b', 'c'] }\n";
    assert_eq!(names(text), ["x-a_b#1", "x-a_b#2", "x-c"]);
    let copies = "[[jobs]]\ncommand = 'x {n}'\ncount = 2\nmatrix = { n = [1, 2] }\n";
    assert_eq!(names(copies), ["x-1#1", "x-1#2", "x-2#1", "x-2#2"]);
    let twice = "[[jobs]]\nname = 'x-1'\ncommand = 'x'\n\
                 [[jobs]]\ncommand = 'x {n}'\nmatrix = { n = [1, 2] }\n";
    assert_eq!(complaint(twice).0, "4:1 two jobs are called 'x-1'");
}

#[test]
fn braces_without_a_matrix_are_left_alone() {
    let text = "[[jobs]]\nname = '{n}'\ncommand = ['awk', '{print {{$1}', '{']\n";
    assert_eq!(commands(text), ["{n}: awk|{print {{$1}|{"]);
}

#[test]
fn slips_in_a_matrix_are_told_where_they_stand() {
    let of = |command: &str, matrix: &str| {
        complaint(&format!(
            "[[jobs]]\ncommand = {command}\nmatrix = {matrix}\n"
        ))
    };
    let (what, hint) = of("['x', '{size}']", "{ sizes = [1] }");
    assert_eq!(what, "2:17 the matrix has no axis 'size'");
    assert!(hint.starts_with("did you mean {sizes}?"), "{hint}");
    let what = |command, matrix| of(command, matrix).0;
    assert_eq!(
        what("'x {n'", "{ n = [1] }"),
        "2:11 a brace is opened and never closed"
    );
    assert_eq!(what("'x {n}'", "{ n = [] }"), "3:16 axis n is empty");
    assert_eq!(what("'x {n}'", "{}"), "3:10 matrix has no axis");
    assert_eq!(
        what("'x {n}'", "{ n = 1 }"),
        "3:16 axis n is of type integer"
    );
    assert_eq!(
        what("'x {n}'", "{ n = [1, [2]] }"),
        "3:20 a value of axis n is of type array"
    );
    assert_eq!(
        what("'x {n}'", "{ n = [1, 2, '1'] }"),
        "3:23 axis n has the value 1 twice"
    );
    assert_eq!(
        what("'x {n}'", "{ n = [1], p = [2] }"),
        "3:21 {p} stands nowhere in this job"
    );
    assert_eq!(what("'x {n}'", "[1]"), "3:10 matrix is of type array");
    assert_eq!(
        what("'x {n}'", "{ n = [0x10] }"),
        "3:17 axis n has a number that is not decimal"
    );
    assert_eq!(
        what("'{n}'", "{ n = ['', 'a'] }"),
        "2:11 command names no program"
    );
}

#[test]
fn products_have_a_limit() {
    let axis = |n: usize| (0..n).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    let text = |n, p, count| {
        let (n, p) = (axis(n), axis(p));
        format!(
            "[[jobs]]\ncommand = 'x {{n}} {{p}}'\ncount = {count}\nmatrix = {{ n = [{n}], p = [{p}] }}\n"
        )
    };
    assert_eq!(jobs(&text(100, 50, 2)).len(), 10_000);
    let (what, hint) = complaint(&text(100, 50, 3));
    assert_eq!(what, "4:10 more than 10000 jobs in one job file");
    assert_eq!(hint, "make count and matrix smaller, or several job files");
    // A product that does not fit in 64 bits, told before anything is multiplied out.
    let axes: Vec<String> = (0..30).map(|i| format!("a{i} = [{}]", axis(10))).collect();
    let uses: String = (0..30).map(|i| format!("{{a{i}}}")).collect();
    let huge = format!(
        "[[jobs]]\ncommand = 'x {uses}'\nmatrix = {{ {} }}\n",
        axes.join(",")
    );
    assert_eq!(
        complaint(&huge).0,
        "3:10 more than 10000 jobs in one job file"
    );
    let long = format!(
        "[[jobs]]\ncommand = 'x {}'\ncount = 10000\n",
        "a".repeat(10_000)
    );
    let what = complaint(&long).0;
    assert_eq!(
        what,
        "3:9 the commands of all jobs take more than 64.00 MiB"
    );
}
