//! Which slices hold a job, and what is told of it.

use super::*;
use crate::jobs::job::SliceTime;
use crate::policy::{fifo::Fifo, sequential::Sequential};

fn job(memory: Option<u64>) -> Job {
    Job {
        memory: memory.map(|mib| Mib(mib).to_bytes()),
        ..Job::new("a".to_owned(), vec!["sh".into()], "/".into())
    }
}

fn board() -> Board<'static> {
    Board::virtual_gpu(migfit_mig::find("a100-40gb").unwrap())
}

fn script() -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "#!/bin/sh\n").unwrap();
    file
}

#[test]
fn a_program_without_job_profile_gets_the_whole_gpu_and_the_reason() {
    let foretold = foretell(board(), &job(None), Ok(script().path()), &Fifo).unwrap();
    assert_eq!(foretold.fitting, ["7g.40gb".parse().unwrap()]);
    assert_eq!((foretold.peak, foretold.verdict), (None, Verdict::Unknown));
    assert_eq!(foretold.needs, None);
    assert_eq!(foretold.special, "need unknown: whole GPU");
    assert_eq!(
        foretold.why,
        "need unknown, so the whole GPU: it is a script, which carries no job profile"
    );
}

#[test]
fn the_user_s_word_goes_before_what_is_foretold() {
    let foretold = foretell(board(), &job(Some(6 << 10)), Ok(script().path()), &Fifo).unwrap();
    let names: Vec<String> = foretold.fitting.iter().map(ToString::to_string).collect();
    assert_eq!(
        names,
        ["1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"]
    );
    assert_eq!(foretold.needs, Some(Mib(6144 + 64 + 4 * 14)));
    assert_eq!(foretold.special, "by the job file's word");
    assert!(
        foretold.why.starts_with("6.00 GiB by the job file's word"),
        "{}",
        foretold.why
    );
}

#[test]
fn a_job_that_no_slice_holds_is_refused_with_the_numbers() {
    let error = foretell(board(), &job(Some(40 << 10)), Ok(script().path()), &Fifo).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a: needs 41416 MiB (40.00 GiB and a CUDA context of 456.00 MiB), the largest slice 7g.40gb has 40192 MiB"
    );
    let named = error.of_the_named().to_string();
    assert!(
        named.ends_with(", the slice that --slice names, 7g.40gb has 40192 MiB"),
        "{named}"
    );
}

#[test]
fn what_is_told_is_of_the_slice_that_the_policy_prefers() {
    let script = script();
    let told =
        |policy: &dyn Policy| foretell(board(), &job(Some(6 << 10)), Ok(script.path()), policy);
    let needs = |policy: &dyn Policy| told(policy).unwrap().needs;
    assert_eq!(needs(&Fifo), Some(Mib(6144 + 64 + 4 * 14)));
    assert_eq!(needs(&Sequential), Some(Mib(6144 + 64 + 4 * 98)));
}
#[test]
fn measured_times_say_which_slices_hold_a_job() {
    let time = SliceTime {
        startup_s: 1.0,
        iteration_s: 0.0,
    };
    let timed = |memory| Job {
        times: ["7g.40gb", "2g.10gb", "1g.5gb"]
            .map(|name| (name.parse().unwrap(), time))
            .into(),
        ..job(memory)
    };
    let fitting = |memory| {
        let told = foretell(board(), &timed(memory), Err("no program"), &Fifo).unwrap();
        let names: Vec<String> = told.fitting.iter().map(ToString::to_string).collect();
        (names.join(" "), told.special, told.why)
    };
    let (names, special, why) = fitting(None);
    assert_eq!(names, "1g.5gb 2g.10gb 7g.40gb");
    assert_eq!(special, "by the job file's times");
    assert_eq!(
        why,
        "measured on 1g.5gb 2g.10gb 7g.40gb, by the job file's times"
    );
    assert_eq!(fitting(Some(6 << 10)).0, "2g.10gb 7g.40gb");
}

#[test]
fn times_of_another_gpu_change_nothing_and_it_is_told() {
    let time = SliceTime {
        startup_s: 1.0,
        iteration_s: 0.0,
    };
    let timed = Job {
        times: [("1g.6gb".parse().unwrap(), time)].into(),
        ..job(Some(6 << 10))
    };
    let told = foretell(board(), &timed, Err("no program"), &Fifo).unwrap();
    assert_eq!(told.fitting[0], "1g.10gb".parse().unwrap());
    assert_eq!(
        told.special,
        "by the job file's word; its times are of other slices than this GPU has"
    );
}
