//! The copy of a job profile under the program's build-id: found when the section is gone, never that of another link,
//! and never a reason for a build to fail.

use migfit_tests::{FitAnswer, Migfit, Outcome, Project, process, source::tool};
use std::path::Path;

/// The shapes project, built with its copies in a data folder of its own.
fn built(project: &Project, data: &Path, words: &[&str]) -> Outcome {
    let mut build = project.build(words);
    process::output(build.env("XDG_DATA_HOME", data)).expect_success()
}

fn fit(project: &Project, data: &Path) -> Outcome {
    let fit = Migfit::fit(&project.program("program")).args("1000 3");
    fit.env("XDG_DATA_HOME", &data.display().to_string())
        .outcome()
}

fn peak(project: &Project, data: &Path) -> u64 {
    let fit = Migfit::fit(&project.program("program")).args("1000 3");
    let answer: FitAnswer = fit.env("XDG_DATA_HOME", &data.display().to_string()).json();
    answer.peak()
}

fn strip(project: &Project) {
    let objcopy = ["--strip-all", "--remove-section=.migfit.profile", "program"];
    project.tool("objcopy", &objcopy);
    assert_eq!(project.program("program").job_profile(), None);
}

const PLAIN: [&str; 3] = ["make", "WAY=plain", "plain"];

#[test]
fn a_program_that_lost_its_section_is_foretold_by_its_copy() {
    let project = Project::fixture("shapes");
    let data = project.folder().path("data");
    built(&project, &data, &PLAIN);
    strip(&project);
    assert_eq!(peak(&project, &data), 8000);
    // Elsewhere there is no copy, and the program is told to have no job profile.
    let elsewhere = fit(&project, &project.folder().path("elsewhere")).expect_code(83);
    assert!(
        elsewhere.stderr.contains("carries no job profile"),
        "{elsewhere}"
    );
}

#[test]
fn another_link_never_gets_an_old_copy() {
    // The build-id is given by hand and stays; the program changes.
    let flags = "NVCCFLAGS=-Xlinker --build-id=0x0123456789abcdef";
    let project = Project::fixture("shapes");
    let data = project.folder().path("data");
    let words = ["make", "WAY=plain", flags, "plain"];
    built(&project, &data, &words);
    let take = std::fs::read_to_string(project.folder().path("take.cpp")).expect("a source");
    project
        .folder()
        .put("take.cpp", take.replace("n * sizeof", "3 * n * sizeof"));
    project.tool("make", &["WAY=plain", flags, "plain"]);
    assert_eq!(project.program("program").job_profile(), None);
    fit(&project, &data).expect_code(83);
    // Linked by migfit again, it has its own.
    project.tool("rm", &["-f", "take.o", "main.o", "step.o"]);
    built(&project, &data, &words);
    strip(&project);
    assert_eq!(peak(&project, &data), 24000);
}

#[test]
fn a_data_folder_that_cannot_be_written_is_a_note() {
    let project = Project::fixture("shapes");
    let data = project
        .folder()
        .put("data", "a file, where a folder should be");
    let build = built(&project, &data, &PLAIN);
    assert!(
        build
            .stderr
            .contains("note: no copy of a job profile was kept"),
        "{build}"
    );
    assert!(project.program("program").job_profile().is_some());
}

#[test]
fn a_link_without_build_id_is_known_by_its_contents() {
    let project = Project::fixture("shapes");
    let data = project.folder().path("data");
    let flags = "NVCCFLAGS=-Xlinker --build-id=none";
    let words = ["make", "WAY=plain", flags, "plain"];
    built(&project, &data, &words);
    let notes = tool("readelf".into())
        .arg("-n")
        .arg(project.program("program").path())
        .output();
    let notes = notes.expect("readelf runs").stdout;
    assert!(!String::from_utf8_lossy(&notes).contains("Build ID"));
    strip(&project);
    assert_eq!(peak(&project, &data), 8000);
    // A program of other contents is another.
    let take = std::fs::read_to_string(project.folder().path("take.cpp")).expect("a source");
    let more = take.replace("n * sizeof", "3 * n * sizeof");
    project.folder().put("take.cpp", more);
    project.tool("make", &words[1..]);
    fit(&project, &data).expect_code(83);
}
