//! CUDA sources in, clang's host IR as text out: one process of the front end for all sources of one form.

use migfit_tests::{Sandbox, process};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The front end, with the words that it is called with for each form of IR.
pub struct FrontEnd {
    folder: PathBuf,
    words: BTreeMap<Vec<&'static str>, Vec<String>>,
}

impl FrontEnd {
    /// One that keeps what it needs in this folder.
    pub fn new(folder: &Sandbox) -> FrontEnd {
        FrontEnd {
            folder: folder.folder().to_owned(),
            words: BTreeMap::new(),
        }
    }

    /// Compiles each `NAME.cu` to `NAME.ll` beside it.
    pub fn compile(&mut self, form: &[&'static str], sources: &[PathBuf]) {
        let folder = &self.folder;
        let words = self.words.entry(form.to_vec());
        let words = words.or_insert_with(|| front_end(folder, form));
        let mut command = Command::new(&words[0]);
        process::clean(&mut command).args(&words[1..]).args(sources);
        process::output(&mut command).expect_success();
    }
}

/// How clang's driver would call the front end for one source, less that source: it takes many, and names each output
/// itself.
fn front_end(folder: &Path, form: &[&str]) -> Vec<String> {
    // Any file will do as device code: it is there so that kernels are registered by name.
    let device = folder.join("device");
    for file in [&device, &folder.join("source.cu")] {
        std::fs::write(file, "none").expect("the folder can be written");
    }
    let given = std::env::var("MIGFIT_CLANG").ok();
    let mut command = Command::new(given.unwrap_or_else(|| "clang++-19".to_owned()));
    process::clean(&mut command)
        .current_dir(folder)
        .args(["-###", "-x", "cuda", "--cuda-host-only", "-nocudainc"])
        .args(["-nocudalib", "-w", "-fwrapv", "-std=c++17"])
        .args(["-Xclang", "-target-sdk-version=12.4"])
        .args(["-Xclang", "-fcuda-include-gpubinary", "-Xclang"])
        .arg(device)
        .args(form)
        .args(["-S", "-emit-llvm", "-I"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/random"))
        .args(["source.cu", "-o", "output.ll"]);
    let shown = process::output(&mut command).expect_success().stderr;
    let line = shown.lines().find(|line| line.contains("\"-cc1\""));
    let line = line
        .expect("the driver shows the front end's command")
        .trim();
    let words = line.trim_matches('"').split("\" \"").map(str::to_owned);
    without(words.collect())
}

fn without(words: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-main-file-name" | "-o" => drop(words.next()),
            "source.cu" => (),
            _ => kept.push(word),
        }
    }
    kept
}
