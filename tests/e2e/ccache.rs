//! ccache in front of the compilers: what it gives back carries IR, and nothing that another migfit or no migfit made is
//! taken for ours. The real ccache, which the set-up brings.

use migfit_tests::{Migfit, Outcome, Project, process};

fn built(project: &Project, flags: &[&str], words: &[&str]) -> Outcome {
    let mut build = project.build_as(flags, words);
    build.env("CCACHE_DIR", project.folder().path("cache"));
    process::output(build.env("CCACHE_NODEPEND", "1")).expect_success()
}

/// Hits and misses so far.
fn counted(project: &Project) -> (u64, u64) {
    let mut stats = migfit_tests::source::tool("ccache".into());
    stats
        .arg("--print-stats")
        .env("CCACHE_DIR", project.folder().path("cache"));
    let text = process::output(&mut stats).expect_success().stdout;
    let of = |name: &str| -> u64 {
        let lines = text.lines().filter_map(|line| line.split_once('\t'));
        let values = lines.filter(|(key, _)| key.starts_with(name));
        values
            .filter_map(|(_, value)| value.trim().parse::<u64>().ok())
            .sum()
    };
    (
        of("direct_cache_hit") + of("preprocessed_cache_hit"),
        of("cache_miss"),
    )
}

fn peak(project: &Project) -> u64 {
    let answer = Migfit::fit(&project.program("program"))
        .args("1000 3")
        .json();
    assert_eq!(answer.need().verdict, "exact");
    answer.peak()
}

const CACHED: [&str; 3] = ["make", "WAY=ccache", "ccache"];

#[test]
fn what_the_cache_gives_back_carries_ir_and_is_of_this_migfit() {
    let project = Project::fixture("shapes");
    let fresh = || {
        for object in ["main.o", "step.o", "take.o", "program"] {
            let _ = std::fs::remove_file(project.folder().path(object));
        }
    };
    // First without migfit: none of it may come back.
    let mut plain = migfit_tests::source::tool("make".into());
    plain
        .args(&CACHED[1..])
        .current_dir(project.folder().folder());
    plain.env("CCACHE_DIR", project.folder().path("cache"));
    process::output(&mut plain).expect_success();
    assert_eq!(counted(&project), (0, 3));
    fresh();
    let build = built(&project, &["--virtual"], &CACHED);
    assert!(!build.stderr.contains("not analysed"), "{build}");
    assert_eq!((counted(&project), peak(&project)), ((0, 6), 8000));
    fresh();
    built(&project, &["--virtual"], &CACHED);
    assert_eq!((counted(&project), peak(&project)), ((3, 6), 8000));
    // Objects of another manner of building are others.
    fresh();
    built(
        &project,
        &["--host-compiler", "clang", "--virtual"],
        &CACHED,
    );
    let (hits, misses) = counted(&project);
    assert!(misses >= 8 && hits <= 4, "{hits} hits, {misses} misses");
}
