//! A source -> an object that carries its host IR: `migfit build` with the compiler that the language asks for.

use super::error::AnalyzeError;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Lines of the compiler's message that are kept.
const LINES: usize = 12;

/// A language that can be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// CUDA, by nvcc.
    Cuda,
    /// C++.
    Cpp,
    /// C.
    C,
}

impl Source {
    /// The language of a file with this ending.
    pub fn of(extension: &str) -> Option<Source> {
        match extension {
            "cu" => Some(Source::Cuda),
            "cpp" | "cc" | "cxx" | "C" => Some(Source::Cpp),
            "c" => Some(Source::C),
            _ => None,
        }
    }

    fn compiler(self) -> &'static str {
        match self {
            Source::Cuda => "nvcc",
            Source::Cpp => "c++",
            Source::C => "cc",
        }
    }
}

/// Compiles a source into the folder; gives the object.
pub fn object(file: &Path, source: Source, folder: &Path) -> Result<PathBuf, AnalyzeError> {
    let object = folder.join("source.o");
    let tool = std::env::current_exe().map_err(AnalyzeError::Scratch)?;
    let output = Command::new(&tool)
        .args(["build", "--host-compiler", "clang", "--"])
        .args([source.compiler(), "-c"])
        .arg(file)
        .arg("-o")
        .arg(&object)
        .stdin(Stdio::null())
        .output()
        .map_err(|cause| AnalyzeError::NotStarted { tool, cause })?;
    if output.status.success() {
        return Ok(object);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said.lines().take(LINES).collect();
    Err(AnalyzeError::Compile {
        file: file.to_owned(),
        said: lines.join("\n"),
    })
}

/// A program of ours that is installed beside `migfit`.
pub fn beside_us(name: &str) -> Result<PathBuf, AnalyzeError> {
    let own = std::env::current_exe().and_then(|path| path.canonicalize());
    let own = own.map_err(AnalyzeError::Scratch)?;
    let path = own.parent().unwrap_or(&own).join(name);
    match path.is_file() {
        true => Ok(path),
        false => Err(AnalyzeError::Missing(path)),
    }
}
