//! Programs whose CUDA code lies in shared libraries: arguments flow from `main` into the library's allocations, for the
//! library that the loader will take.

use migfit_tests::{FitAnswer, Gpu, Migfit, Program, Project, process};

fn answer(project: &Project, args: &str) -> FitAnswer {
    Migfit::fit(&project.program("program")).args(args).json()
}

fn seen(project: &Project, args: &str) -> Option<u64> {
    let gpu = Gpu::a100();
    let ran = Migfit::run(&project.program("program"), &gpu)
        .args(args)
        .done();
    let job = ran.job("program");
    assert_eq!(job.exit_code, Some(0));
    assert_eq!(job.predicted_bytes, job.observed_peak_bytes);
    job.observed_peak_bytes
}

/// Makes the library take three times as much.
fn tripled(project: &Project) {
    let source = std::fs::read_to_string(project.folder().path("scale.cu")).expect("a source");
    let source = source.replace("&device, n * sizeof", "&device, 3 * n * sizeof");
    project.folder().put("scale.cu", source);
}

#[test]
fn a_c_program_is_foretold_with_its_library() {
    let project = Project::fixture("library");
    let build = project.built(&["make"]);
    assert!(
        build.stderr.contains("1 CUDA program and 1 library"),
        "{build}"
    );
    for (args, bytes) in [("1000 3", 4000), ("300000 1", 1_200_000)] {
        let answer = answer(&project, args);
        assert_eq!(
            (answer.peak(), answer.need().verdict.as_str()),
            (bytes, "exact")
        );
        assert_eq!(seen(&project, args), Some(bytes));
    }
    // The library's sites, in the program's words.
    let text = Migfit::fit(&project.program("program"))
        .outcome()
        .expect_success()
        .stdout;
    assert!(
        text.contains("scale.cu:10  cudaMalloc\n      bytes   4 * arg(1)\n"),
        "{text}"
    );
}

#[test]
fn a_library_built_again_is_the_one_that_counts() {
    let project = Project::fixture("library");
    project.built(&["make"]);
    tripled(&project);
    project.built(&["make", "libscale.so"]);
    let answer = answer(&project, "1000 3");
    assert_eq!(
        (answer.peak(), answer.need().verdict.as_str()),
        (12000, "exact")
    );
    assert_eq!(seen(&project, "1000 3"), Some(12000));
    // Formulas are of the link, and say so.
    let text = Migfit::fit(&project.program("program"))
        .outcome()
        .expect_success()
        .stdout;
    assert!(
        text.contains("formulas of libscale.so: the library is not the one"),
        "{text}"
    );
}

#[test]
fn the_library_that_the_loader_takes_is_asked() {
    let project = Project::fixture("library");
    project.built(&["make"]);
    // Another one goes before it by LD_LIBRARY_PATH: RUNPATH comes behind.
    tripled(&project);
    let build = "mkdir other && mv libscale.so kept.so && make libscale.so && mv libscale.so other && mv kept.so libscale.so";
    project.built(&["sh", "-c", build]);
    let with = Migfit::fit(&project.program("program"))
        .args("1000 3")
        .env("LD_LIBRARY_PATH", &project.folder().text("other"));
    assert_eq!(with.json().peak(), 12000);
    assert_eq!(answer(&project, "1000 3").peak(), 4000);
}

#[test]
fn a_library_that_is_not_found_is_named_with_what_helps() {
    let project = Project::fixture("library");
    project.built(&["make"]);
    project.tool("sh", &["-c", "mkdir elsewhere && mv libscale.so elsewhere"]);
    let text = Migfit::fit(&project.program("program"))
        .args("1000 3")
        .outcome()
        .expect_success()
        .stdout;
    assert!(
        text.contains("libscale.so (shared library; not found from here: is LD_LIBRARY_PATH set"),
        "{text}"
    );
    let found = Migfit::fit(&project.program("program")).args("1000 3");
    let found = found
        .env("LD_LIBRARY_PATH", &project.folder().text("elsewhere"))
        .json();
    assert_eq!(
        (found.peak(), found.need().verdict.as_str()),
        (4000, "exact")
    );
}

#[test]
fn a_library_without_migfit_is_named_and_bounds_nothing() {
    let project = Project::fixture("library");
    let runtime = "-lcudart";
    project.tool("sh", &["-c", &format!("make libscale.so && g++ -shared -o libscale.so scale.o -L$(dirname $(command -v nvcc))/../lib {runtime}")]);
    let build = project.built(&["make"]);
    assert!(
        build.stderr.contains("libscale.so (shared library)"),
        "{build}"
    );
    let answer = answer(&project, "1000 3");
    assert_eq!(answer.need().verdict, "unknown");
    assert!(
        answer
            .need()
            .unknowns
            .iter()
            .any(|one| one.what == "call of scale")
    );
    // Built with migfit later, it is looked into, though the program was linked before.
    project.built(&["sh", "-c", "touch scale.cu && make libscale.so"]);
    assert_eq!(answer_now(&project).peak(), 4000);
}

fn answer_now(project: &Project) -> FitAnswer {
    answer(project, "1000 3")
}

#[test]
fn libraries_of_libraries_share_what_the_loader_shares() {
    let project = Project::fixture("layers");
    project.built(&["make"]);
    // 8 * n by the lower library, plus the program's own hook that the upper one calls back, plus its constructor.
    let expected = 8 * 1000 + 100 + 4096;
    let answer = answer(&project, "1000");
    assert_eq!(
        (answer.peak(), answer.need().verdict.as_str()),
        (expected, "exact")
    );
    assert_eq!(seen(&project, "1000"), Some(expected));
}

#[test]
fn a_library_opened_at_run_time_stays_a_lower_bound_with_its_place() {
    let project = Project::fixture("library");
    project.folder().put(
        "main.c",
        "#include <dlfcn.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    void *library = dlopen(\"./libscale.so\", RTLD_NOW);\n    \
         int (*scale)(float *, unsigned long, int) = dlsym(library, \"scale\");\n    \
         float *numbers = calloc(1000, 4);\n    return scale(numbers, 1000, argc);\n}\n",
    );
    project.folder().put(
        "extra.cu",
        "extern \"C\" int probe() { void *p; return cudaMalloc(&p, 64); }\n",
    );
    let build = "make libscale.so && make main.o && nvcc -c extra.cu && nvcc -o program main.o extra.o -ldl";
    process::output(&mut project.build(&["sh", "-c", build])).expect_success();
    let answer = answer(&project, "");
    assert_ne!(answer.need().verdict, "exact");
    let unknowns = &answer.need().unknowns;
    assert!(
        unknowns
            .iter()
            .any(|one| one.what.contains("dlopen") && one.site.is_some()),
        "{unknowns:?}"
    );
}

#[test]
fn what_streamcluster_s_library_takes_follows_from_the_program_s_arguments() {
    // The search decides by device results, so the answer is never exact; all is taken before the search.
    let program = Program::rodinia("streamcluster").built_for_the_virtual_gpu();
    for (args, points, most, dim) in [
        ("3 5 16 4096 1024 500 none /dev/null 1", 1024, 5, 16),
        (
            "10 20 32 0 4096 1000 inputs/stream_16384 /dev/null 1",
            4096,
            20,
            32,
        ),
    ] {
        let bytes = points * (8 * most + 4 * dim + 21);
        let answer = Migfit::fit(&program).args(args).json();
        assert_eq!(answer.peak(), bytes);
        assert_ne!(answer.need().verdict, "exact");
        let ran = Migfit::run(&program, &Gpu::a100()).args(args).done();
        assert_eq!(ran.job("streamcluster").observed_peak_bytes, Some(bytes));
    }
}
