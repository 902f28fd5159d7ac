//! In which form a program is given to the analyzer: the object that `migfit build` makes of it with nvcc, or the IR that
//! clang makes of it by itself, at three levels, as text and as bitcode, with and without the registration of kernels. All
//! forms must get the same answer.

use crate::build;
use crate::fixture::Fixture;
use crate::judged::Grade;
use migfit_tests::{process, stage};
use std::path::{Path, PathBuf};
use std::process::Command;

/// One form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The object of `migfit build -- nvcc`.
    Nvcc,
    /// clang without optimisation, as text.
    O0,
    /// What clang's optimiser would be given, with registered kernels, as bitcode.
    O1np,
    /// clang with optimisation, as bitcode.
    O2,
}

impl Form {
    /// Those that clang makes.
    pub const OF_CLANG: [Form; 3] = [Form::O0, Form::O1np, Form::O2];

    /// Its name, as headers of fixtures write it.
    pub fn name(self) -> &'static str {
        match self {
            Form::Nvcc => "nvcc",
            Form::O0 => "O0",
            Form::O1np => "O1np",
            Form::O2 => "O2",
        }
    }

    /// Whether the fixture has no such form: by its name, or `clang` for all that clang makes.
    pub fn is_left_out(self, fixture: &Fixture) -> bool {
        let mut names = fixture.left_out.iter();
        names.any(|name| name == self.name() || name == "clang" && self != Form::Nvcc)
    }

    /// A program in this form, for people.
    pub fn name_of(self, fixture: &Fixture) -> String {
        match self {
            Form::Nvcc => fixture.name.clone(),
            _ => format!("{} {}", fixture.name, self.name()),
        }
    }

    /// Whether another verdict than the stated one is accepted: where the fixture says so, and a right "exact"
    /// where clang has already decided what is assumed of the usual form. What is wrong never is.
    pub fn may_differ(self, fixture: &Fixture, stated: &str, grade: Grade) -> bool {
        let named = |names: &[String]| names.iter().any(|name| name == self.name());
        let knows_less = named(&fixture.knows_less_in);
        match grade {
            Grade::Exact => named(&fixture.exact_in) || self != Form::Nvcc && stated == "assumed",
            Grade::Assumed => knows_less || named(&fixture.assumed_in),
            Grade::Bound | Grade::Unknown => knows_less,
            Grade::AssumedWrong | Grade::Wrong => false,
        }
    }

    /// The file that the analyzer is given, made where it is missing.
    pub fn input(self, fixture: &Fixture) -> PathBuf {
        let what = match self {
            Form::Nvcc => return build::object(fixture),
            Form::O0 => "O0.ll",
            Form::O1np => "O1np.bc",
            Form::O2 => "O2.bc",
        };
        let how = format!("{} {}", clang().display(), self.options().join(" "));
        build::made(fixture, what, &how, |new| self.compile(fixture, new))
    }

    fn options(self) -> &'static [&'static str] {
        match self {
            Form::Nvcc => &[],
            Form::O0 => &["-O0"],
            Form::O1np => &["-O1", "-Xclang", "-disable-llvm-passes"],
            Form::O2 => &["-O2"],
        }
    }

    fn compile(self, fixture: &Fixture, new: &Path) {
        let number = 0..fixture.sources.len();
        let parts: Vec<PathBuf> = number
            .map(|n| new.with_extension(format!("part-{n}")))
            .collect();
        for (source, part) in fixture.sources.iter().zip(&parts) {
            self.compile_one(fixture, source, part);
        }
        let mut join = Command::new("llvm-link-19");
        join.args((self == Form::O0).then_some("-S"));
        join.arg("-o").arg(new).args(&parts);
        process::output(&mut join).expect_success();
        for part in parts {
            std::fs::remove_file(part).expect("own files can be removed");
        }
    }

    fn compile_one(self, fixture: &Fixture, source: &Path, part: &Path) {
        let toolkit = stage::target().join("migfit/clang-cuda");
        assert!(
            toolkit.is_dir(),
            "CUDA headers for clang are missing: `cargo xtask test` brings them"
        );
        let mut command = Command::new(clang());
        command
            .args(["-w", "-c", "-emit-llvm"])
            .args(self.options());
        if source.extension().is_some_and(|end| end == "cu") {
            command.args(["-x", "cuda", "--cuda-host-only", "-nocudalib"]);
            let mut path = std::ffi::OsString::from("--cuda-path=");
            path.push(&toolkit);
            command.arg(path);
            if self == Form::O1np {
                // Any file will do: what is wanted are the calls that register kernels and variables.
                command.args(["-Xclang", "-fcuda-include-gpubinary", "-Xclang"]);
                command.arg(&fixture.truth);
            }
        } else {
            // GCC takes old C with a warning at most.
            command.args(["-Wno-implicit-int", "-Wno-implicit-function-declaration"]);
            command.arg("-isystem").arg(toolkit.join("include"));
        }
        command.args(flags(fixture)).arg(source).arg("-o").arg(part);
        process::output(&mut command).expect_success();
    }
}

/// The clang that makes IR: another version by `MIGFIT_CLANG`.
fn clang() -> PathBuf {
    std::env::var_os("MIGFIT_CLANG").map_or_else(|| "clang-19".into(), PathBuf::from)
}

/// Those of nvcc's flags that mean the same to clang, and what those that hand something on hold.
fn flags(fixture: &Fixture) -> Vec<String> {
    const SAME: [&str; 5] = ["-D", "-U", "-I", "-std", "-f"];
    let mut found = Vec::new();
    let mut flags = fixture.flags.iter();
    while let Some(flag) = flags.next() {
        if flag == "-Xcompiler" {
            let handed = flags.next().map(String::as_str).unwrap_or_default();
            found.extend(handed.split(',').map(str::to_owned));
        } else if flag == "-rdc=true" || flag == "-dc" {
            found.push("-fgpu-rdc".to_owned());
        } else if SAME.iter().any(|same| flag.starts_with(same)) {
            found.push(flag.clone());
        }
    }
    found
}
