//! CMake's CUDA language: static and shared libraries, separable compilation, out of the tree, installed and stripped.

use migfit_tests::{Gpu, JobFile, Migfit, Project, Stage, run};

/// Program, arguments, device bytes.
const PROGRAMS: [(&str, &str, u64); 3] = [
    ("alone", "1000 3", 8000),
    ("separate", "1000 3", 8000),
    ("sharing", "1000 3", 4000),
];

fn job_name(folder: &str, name: &str) -> String {
    format!("{name} in {}", folder.replace('/', "-"))
}

fn holds(generator: &str) {
    let project = Project::fixture("cmake");
    let here = project.folder().text("installed");
    let build = format!(
        "cmake -G '{generator}' -S . -B out -DCMAKE_CUDA_HOST_COMPILER=/usr/bin/g++ -DCMAKE_INSTALL_PREFIX={here} \
         && cmake --build out && cmake --install out --strip"
    );
    let build = project.built(&["sh", "-c", &build]);
    assert!(
        build
            .stderr
            .contains("written into 3 CUDA programs and 1 library"),
        "{build}"
    );
    assert!(!build.stderr.contains("without migfit"), "{build}");
    assert!(!build.stderr.contains("compiler-bindir"), "{build}");
    // The compilers that CMake keeps by their path are there when the build is over, and do what they did.
    // The shared library is for the virtual GPU: the linker looks for the runtime that it needs.
    let runtime = Stage::ready().virtual_gpu().display().to_string();
    let again =
        format!("touch src/step.cu src/main.c && LD_LIBRARY_PATH='{runtime}' cmake --build out");
    project.tool("sh", &["-c", &again]);
    let built_again = project.built(&[
        "sh",
        "-c",
        "touch src/alone.cu src/step.cu src/take.cpp src/scale.cu src/main.c && cmake --build out",
    ]);
    assert!(
        !built_again.stderr.contains("without migfit"),
        "{built_again}"
    );
    let mut jobs = JobFile::new();
    for (name, args, bytes) in PROGRAMS {
        for folder in ["out", "installed/bin"] {
            let program = project.program(&format!("{folder}/{name}"));
            let answer = Migfit::fit(&program).args(args).json();
            assert_eq!(
                (answer.peak(), answer.need().verdict.as_str()),
                (bytes, "exact"),
                "{folder}/{name}"
            );
            jobs = jobs.job(&job_name(folder, name), &program, args);
        }
    }
    let report = Migfit::run_file(&jobs, &Gpu::a100()).report();
    for (name, _, bytes) in PROGRAMS {
        for folder in ["out", "installed/bin"] {
            let job = run::job(&report, &job_name(folder, name));
            assert_eq!(job.observed_peak_bytes, Some(bytes), "{folder}/{name}");
            assert_eq!(job.exit_code, Some(0), "{folder}/{name}");
        }
    }
}

#[test]
fn with_makefiles() {
    holds("Unix Makefiles");
}

#[test]
fn with_ninja() {
    holds("Ninja");
}
