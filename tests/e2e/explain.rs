//! `migfit fit --explain`, `--assume` and comments in the source, with programs that nvcc built.

use migfit_tests::source::tool;
use migfit_tests::{Program, Sandbox, Source, Stage, process};
use std::path::Path;

const SOURCE: &str = r#"
#include <cstdio>
#include <cstdlib>
__global__ void step(float *a, int n) { if (n) a[0] = n; }
static float *room(size_t bytes) {
    float *p = nullptr;
    cudaMalloc(&p, bytes);
    return p;
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1024, rows = 10, found = 0, more = 1, *flag;
    if (argc > 2) {
        FILE *f = fopen(argv[2], "r");
        if (!f || fscanf(f, "%d", &rows) != 1) return 1;
        fclose(f);
    }
    float *a = room((size_t)n * n * sizeof(float));
    float *b = room(rows * 64);
    cudaMalloc(&flag, 4);
    while (more) {
        step<<<(n + 255) / 256, 256>>>(a, n);
        cudaMemcpy(&more, flag, 4, cudaMemcpyDeviceToHost);
    }
    cudaMemcpy(&found, flag, 4, cudaMemcpyDeviceToHost);
    float *list;
    @COMMENT@
    cudaMalloc(&list, found * sizeof(float));
    for (int i = 1; i < n; i *= 2) step<<<i, 64>>>(b, i);
    cudaFree(a); cudaFree(b); cudaFree(list); cudaFree(flag);
    return 0;
}
"#;

fn program(comment: &str) -> Program {
    Source::of(&SOURCE.replace("@COMMENT@", comment))
        .with_flags(["-g"])
        .built_for_a_real_gpu()
}

fn fit(program: &Program, folder: &Path, flags: &[&str], args: &[&str]) -> process::Outcome {
    let mut command = tool(Stage::ready().program("migfit"));
    command.args(["fit", "--gpu", "a100-40gb"]).args(flags);
    command.arg(program.path()).args(args).current_dir(folder);
    process::output(&mut command)
}

#[test]
fn sizes_are_traced_back_to_words_and_files() {
    let (program, files) = (program(""), Sandbox::new());
    files.put("rows.txt", "77\n");
    let outcome = fit(
        &program,
        files.folder(),
        &["--explain"],
        &["2048", "rows.txt"],
    );
    let text = outcome.expect_success().stdout;
    for said in [
        "bytes = n * n * 4 = 16777216",
        "atoi() \"2048\", word 1 of the command line = 2048",
        "bytes = rows * 64 = 4928",
        "from the file rows.txt, at byte 0",
        "grid = (n + 255) / 256",
        "i = depends on the way taken = 1 .. 2048 (12 times)",
    ] {
        assert!(text.contains(said), "{said}:\n{text}");
    }
    let trees = text
        .split("where sizes come from")
        .nth(1)
        .unwrap_or_default();
    let trees = trees.split("\nslices\n").next().unwrap_or_default();
    assert!(
        trees.lines().all(|line| line.chars().count() <= 80),
        "{trees}"
    );
    let json = fit(&program, files.folder(), &["--explain", "--json"], &["64"]);
    let json: serde_json::Value =
        serde_json::from_str(&json.expect_success().stdout).expect("JSON");
    assert_eq!(json["explained"][0]["sizes"][0]["last"], "16384");
    assert_eq!(json["known_by"], "whole_gpu");
    let formulas = fit(&program, files.folder(), &["--explain"], &[])
        .expect_success()
        .stdout;
    assert!(formulas.contains("bytes = n * n * 4 "), "{formulas}");
}

#[test]
fn the_users_word_makes_an_answer_and_slips_are_errors() {
    let (program, here) = (program(""), Sandbox::new());
    let fit = |assume: &[&str]| {
        let flags: Vec<&str> = assume.iter().flat_map(|one| ["--assume", one]).collect();
        fit(&program, here.folder(), &flags, &["2048"])
    };
    let without = fit(&[]).expect_success().stdout;
    assert!(without.contains(", lower bound\n"), "{without}");
    assert!(
        without.contains("known by: nothing that bounds the job"),
        "{without}"
    );
    let valued = fit(&["found=100", "program.cu:20=5 turns"])
        .expect_success()
        .stdout;
    assert!(valued.contains("(16778260 bytes; "), "{valued}");
    assert!(valued.contains("known by: your word"), "{valued}");
    assert!(valued.contains(" 5\n"), "five launches: {valued}");
    // A bound beside an assumption (the loop) is none, so the answer is "assumed".
    let bounded = fit(&["program.cu:27=64MiB"]).expect_success().stdout;
    assert!(bounded.contains(", assumed\n"), "{bounded}");
    assert!(
        bounded.contains("--assume program.cu:27=64MiB; without it: "),
        "{bounded}"
    );
    for (slip, hint) in [
        ("fund=1", "did you mean 'found'?"),
        ("program.cu:26=1MiB", "program.cu:27"),
    ] {
        let refused = fit(&[slip]);
        assert_eq!(refused.code, 85, "{refused}");
        assert!(refused.stderr.contains(hint), "{refused}");
    }
    assert_eq!(fit(&["nonsense"]).code, 80);
}

#[test]
fn a_comment_bounds_an_allocation_and_a_stale_one_is_told() {
    let here = Sandbox::new();
    let told = |comment: &str| {
        fit(&program(comment), here.folder(), &[], &["2048"])
            .expect_success()
            .stdout
    };
    let bounded = told("// migfit: bytes <= n * 64");
    assert!(bounded.contains(", assumed\n"), "{bounded}");
    assert!(
        bounded.contains("at most 131072 bytes: the user's word, the comment at program.cu:26"),
        "{bounded}"
    );
    let wrong = told("// migfit: at most 64 MB");
    assert!(
        wrong.contains("comment at program.cu:26, 'at most 64 MB': "),
        "{wrong}"
    );
    assert!(wrong.contains(", lower bound\n"), "{wrong}");
    let stale = told("// migfit: at most 64 MiB\n    more = 2;");
    assert!(stale.contains("allocates no device memory"), "{stale}");
}

#[test]
fn a_job_file_may_hold_the_users_word() {
    let (program, folder) = (program(""), Sandbox::new());
    let plan = |assume: &str| {
        let path = program.path().display().to_string();
        folder.put(
            "jobs.toml",
            format!("[[jobs]]\ncommand = [\"{path}\", \"64\"]\nassume = [\"{assume}\"]\n"),
        );
        let mut command = tool(Stage::ready().program("migfit"));
        command.args(["run", "--plan", "--gpu", "a100-40gb", "-f", "jobs.toml"]);
        process::output(command.current_dir(folder.folder()))
    };
    let good = plan("found=100").expect_success().stdout;
    assert!(!good.contains("unknown"), "{good}");
    let slip = plan("fund=100");
    assert_eq!(slip.code, 85, "{slip}");
    assert!(slip.stderr.contains("did you mean 'found'?"), "{slip}");
    let nonsense = plan("found");
    assert_eq!(nonsense.code, 91, "{nonsense}");
    assert!(nonsense.stderr.contains("jobs.toml:3"), "{nonsense}");
}
