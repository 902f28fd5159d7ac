//! Places in files and on standard input.

use super::*;

fn place(error: &JobFileError) -> String {
    match error {
        JobFileError::Wrong {
            file, line, column, ..
        } => format!("{}:{line}:{column}", file.display()),
        other => other.to_string(),
    }
}

#[test]
fn commands_and_job_files_are_read_from_standard_input() {
    let names = |text: &str| {
        let jobs = of_standard_input(text.as_bytes(), Commands::Needed).unwrap();
        let named = |job: Job| format!("{} {}", job.name, job.stated_at.unwrap());
        jobs.into_iter().map(named).collect::<Vec<_>>()
    };
    assert_eq!(
        names("./a 1\n./b\n"),
        ["a standard input:1:1", "b standard input:2:1"]
    );
    assert_eq!(
        names("# a job file\n[[jobs]]\ncommand = './c'\n"),
        ["c standard input:3:11"]
    );
}

#[test]
fn errors_name_standard_input_and_the_line() {
    let place = |text: &[u8]| place(&of_standard_input(text, Commands::Needed).unwrap_err());
    assert_eq!(place(b"./a\n./b 'x\n"), "standard input:2:1");
    assert_eq!(place(b"[[jobs]]\ncommand = 5\n"), "standard input:2:11");
    assert_eq!(place(b""), "standard input:1:1");
    assert_eq!(place(b"./a\n\xff"), "standard input:2:1");
    let endless = std::io::repeat(b'a');
    let error = of_standard_input(endless, Commands::Needed).unwrap_err();
    assert_eq!(error.to_string(), "the jobs take more than 16 MiB");
}

#[test]
fn a_file_s_jobs_know_where_they_are_stated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.toml");
    std::fs::write(&path, "[[jobs]]\nname = 'a'\ntimes = { '1g.5gb' = 2 }\n").unwrap();
    let jobs = of_file(&path, Commands::Optional).unwrap();
    assert!(jobs[0].command.is_empty());
    assert_eq!(jobs[0].stated_at, Some(format!("{}:1:1", path.display())));
    assert_eq!(jobs[0].times_at, Some(format!("{}:3:9", path.display())));
    let error = of_file(&path, Commands::Needed).unwrap_err();
    assert_eq!(error.to_string(), "a job without command");
    assert!(of_file(folder.path(), Commands::Needed).is_err());
    assert!(of_file(Path::new("/nowhere/jobs.toml"), Commands::Needed).is_err());
}
