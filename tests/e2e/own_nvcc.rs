//! The nvcc that a build finds under `migfit build`: as the real one in all it says, a whole toolkit around it, and never
//! the reason for a failure.

use migfit_tests::source::tool;
use migfit_tests::{Migfit, Outcome, Project, process};

fn plain(project: &Project, words: &[&str]) -> Outcome {
    let mut command = tool(words[0].into());
    command
        .args(&words[1..])
        .current_dir(project.folder().folder());
    process::output(&mut command)
}

fn under(project: &Project, flags: &[&str], words: &[&str]) -> Outcome {
    process::output(&mut project.build_as(flags, words))
}

/// What migfit itself says of a build stands behind what the build says.
fn without_ours(text: &str) -> String {
    let ours = |line: &&str| !line.starts_with("migfit: ") && !line.starts_with("  ");
    text.lines()
        .filter(ours)
        .map(|line| format!("{line}\n"))
        .collect()
}

/// Names of temporary files differ from run to run.
fn without_numbers(text: &str) -> String {
    let parts = text.split("tmpxft_").enumerate();
    let cut = |(place, part): (usize, &str)| match place {
        0 => part.to_owned(),
        _ => part.chars().skip("00003b16_00000000".len()).collect(),
    };
    let whole: String = parts.map(cut).collect();
    let lines = whole.lines().filter(|line| !line.starts_with("#$ PATH="));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn what_it_says_is_what_the_real_one_says() {
    let project = Project::fixture("own");
    for words in [
        "nvcc --version",
        "nvcc -E sums.cu",
        "nvcc -M sums.cu",
        "nvcc --dryrun -c sums.cu",
        "nvcc -v -c sums.cu -o v.o",
        "nvcc --list-gpu-arch",
        "nvcc -c absent.cu",
        "nvcc -c sums.cu -ccbin /no/such/compiler",
        "nvcc -Xcompiler -Wall,-Wextra -DUNUSED -c warns.cu",
        "nvcc -c wrong.cu",
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let (real, ours) = (plain(&project, &words), under(&project, &[], &words));
        assert_eq!(ours.code, real.code, "{ours}");
        assert_eq!(
            without_numbers(&ours.stdout),
            without_numbers(&real.stdout),
            "{words:?}"
        );
        let (ours, real) = (
            without_ours(&without_numbers(&ours.stderr)),
            without_ours(&without_numbers(&real.stderr)),
        );
        assert_eq!(ours, real, "{words:?}");
    }
}

#[test]
fn dependency_files_are_the_compilers() {
    let project = Project::fixture("own");
    let read =
        |name: &str| std::fs::read_to_string(project.folder().path(name)).expect("it was made");
    for words in [
        "nvcc -MD -c sums.cu -o sums.o",
        "nvcc -MMD -MF sums.d -MT other.o -c sums.cu",
        "g++ -MMD -MP -MF sums.d -c host.cpp",
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        plain(&project, &words).expect_success();
        let before = read("sums.d");
        std::fs::remove_file(project.folder().path("sums.d")).expect("it is ours");
        under(&project, &[], &words).expect_success();
        assert_eq!(read("sums.d"), before, "{words:?}");
    }
}

#[test]
fn device_code_alone_is_made_for_the_virtual_gpu_too() {
    let project = Project::fixture("own");
    let read = || std::fs::read(project.folder().path("out")).expect("it was made");
    for form in ["-cubin", "-ptx", "-fatbin"] {
        let words = ["nvcc", form, "-arch=sm_80", "sums.cu", "-o", "out"];
        plain(&project, &words).expect_success();
        let before = read();
        under(&project, &["--virtual"], &words).expect_success();
        assert_eq!(read(), before, "{form}");
    }
    let words = "nvcc -dlto -arch=sm_80 -rdc=true -c sums.cu -o lto.o";
    let words: Vec<&str> = words.split(' ').collect();
    under(&project, &["--virtual"], &words).expect_success();
}

#[test]
fn a_compile_that_fails_only_under_us_is_done_without_us() {
    let project = Project::fixture("own");
    project.folder().put(
        "gcc_only.cu",
        "#ifdef __clang__\n#error not for clang\n#endif\nint main() { void *p; return cudaMalloc(&p, 4000); }\n",
    );
    let words = ["nvcc", "-c", "gcc_only.cu"];
    let ours = under(&project, &["--host-compiler", "clang"], &words).expect_success();
    assert!(
        ours.stderr.contains("was run again without: gcc_only.cu"),
        "{ours}"
    );
    assert!(project.folder().path("gcc_only.o").is_file());
}

#[test]
fn flags_that_the_build_itself_sets_do_not_lose_us() {
    let project = Project::fixture("own");
    project.folder().put(
        "Makefile",
        "export NVCC_APPEND_FLAGS = -DSCALE=5 -ccbin /usr/bin/g++\nprogram: sums.cu\n\tnvcc -o $@ $<\n",
    );
    let build = project.built(&["make"]);
    assert!(!build.stderr.contains("not analysed"), "{build}");
    let answer = Migfit::fit(&project.program("program")).args("1000").json();
    assert_eq!(
        (answer.peak(), answer.need().verdict.as_str()),
        (20000, "exact")
    );
}

#[test]
fn whoever_looks_for_a_toolkit_finds_a_whole_one() {
    let project = Project::fixture("own");
    let script = "set -e\nroot=$(dirname $(dirname $(command -v nvcc)))\n\
        for f in include/cuda_runtime.h lib/libcudart_static.a bin/ptxas bin/nvcc.profile nvvm; do test -e $root/$f; done\n\
        test \"$CUDA_HOME\" = \"$root\"\n\"$CUDA_HOME/bin/nvcc\" -c sums.cu\n\
        g++ -I$CUDA_HOME/include -L$CUDA_HOME/lib sums.o -lcudart_static -ldl -lrt -lpthread -o program\n";
    project.folder().put("build.sh", script);
    let mut build = project.build_as(&[], &["sh", "build.sh"]);
    let stage = migfit_tests::Stage::ready();
    let toolkit = migfit_tests::toolkit::find(&stage.cuda()).expect("tests have a toolkit");
    let build = process::output(build.env("CUDA_HOME", toolkit)).expect_success();
    assert!(build.stderr.contains("1 CUDA program"), "{build}");
    assert!(!build.stderr.contains("not analysed"), "{build}");
    let cmake = "cmake_minimum_required(VERSION 3.18)\nproject(p LANGUAGES CXX)\nfind_package(CUDAToolkit REQUIRED)\n\
        add_executable(program host.cpp)\ntarget_link_libraries(program CUDA::cudart)\n";
    project.folder().put("CMakeLists.txt", cmake);
    project.built(&["sh", "-c", "cmake -S . -B out && cmake --build out"]);
}

#[test]
fn an_nvcc_by_its_full_path_is_seen() {
    let project = Project::fixture("own");
    let stage = migfit_tests::Stage::ready();
    let toolkit = migfit_tests::toolkit::find(&stage.cuda()).expect("tests have a toolkit");
    let nvcc = toolkit.join("bin/nvcc").display().to_string();
    let build = project.built(&[&nvcc, "sums.cu", "-o", "program"]);
    assert!(!build.stderr.contains("not analysed"), "{build}");
    assert_eq!(
        Migfit::fit(&project.program("program"))
            .args("1000")
            .json()
            .peak(),
        4000
    );
}
