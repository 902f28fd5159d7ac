//! What is named -> its job profile: read from a linked program, made by `migfit-analyze` from IR, from the IR inside
//! an object, or from the object that `migfit build` makes of a source.

use super::compile::{self, Source};
use super::error::AnalyzeError;
use crate::program;
use migfit_schema::container::{self, IR_SECTION};
use migfit_schema::profile::JobProfile;
use object::read::{Object, ObjectSection};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Section in which clang's `-fembed-bitcode` puts a module.
const EMBEDDED: &str = ".llvmbc";
/// Largest object or module that is read.
const MOST_BYTES: u64 = 1 << 30;
/// Characters of the analyzer's own message that are kept.
const MESSAGE: usize = 400;

/// The job profile of the file.
///
/// # Errors
/// When it is of no kind that can be read, a tool is missing, or it cannot be compiled or analysed.
pub fn profile(file: &Path) -> Result<JobProfile, AnalyzeError> {
    let found = file
        .metadata()
        .map_err(|cause| AnalyzeError::unreadable(file, cause))?;
    if !found.is_file() {
        return Err(AnalyzeError::NotAFile(file.to_owned()));
    }
    let kind = kind(file)?;
    if !matches!(kind, Kind::Program) && found.len() > MOST_BYTES {
        return Err(AnalyzeError::TooLarge {
            file: file.to_owned(),
            bytes: found.len(),
        });
    }
    match kind {
        Kind::Ir => from_ir(file, &[file.to_owned()], None),
        Kind::Source(source) => {
            let scratch = scratch()?;
            let object = compile::object(file, source, scratch.path())?;
            from_object(file, &object)
        }
        Kind::Object => from_object(file, file),
        Kind::Program => Ok(program::read_profile_here(file)?),
    }
}

/// Whether the file is no linked program.
pub fn is_source_or_ir(file: &Path) -> bool {
    matches!(extension(file), "ll" | "bc" | "o" | "obj") || Source::of(extension(file)).is_some()
}

/// The file's name without its ending.
pub fn stem(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or(file.as_os_str());
    stem.to_string_lossy().into_owned()
}

enum Kind {
    Ir,
    Source(Source),
    Object,
    Program,
}

fn extension(file: &Path) -> &str {
    file.extension()
        .and_then(|end| end.to_str())
        .unwrap_or_default()
}

/// The kind, by the first bytes where they tell and else by the ending.
fn kind(file: &Path) -> Result<Kind, AnalyzeError> {
    let mut start = [0; 18];
    let read = std::fs::File::open(file)
        .and_then(|mut open| std::io::Read::read(&mut open, &mut start))
        .map_err(|cause| AnalyzeError::unreadable(file, cause))?;
    let start = start.get(..read).unwrap_or_default();
    let is_bitcode = start.starts_with(b"BC\xc0\xde") || start.starts_with(b"\xde\xc0\x17\x0b");
    if start.starts_with(b"\x7fELF") {
        // The file type: 1 is an object, others are linked.
        return Ok(match start.get(16) {
            Some(1) => Kind::Object,
            _ => Kind::Program,
        });
    }
    match (is_bitcode, extension(file)) {
        (true, _) | (false, "ll" | "bc") => Ok(Kind::Ir),
        (false, end) => Source::of(end)
            .map(Kind::Source)
            .ok_or_else(|| AnalyzeError::OtherKind(file.to_owned())),
    }
}

fn scratch() -> Result<tempfile::TempDir, AnalyzeError> {
    tempfile::tempdir().map_err(AnalyzeError::Scratch)
}

/// The modules inside an object: those of `migfit build`, else one of clang's.
fn from_object(named: &Path, object: &Path) -> Result<JobProfile, AnalyzeError> {
    let bytes = std::fs::read(object).map_err(|cause| AnalyzeError::unreadable(object, cause))?;
    let modules = modules(named, &bytes)?;
    if modules.is_empty() {
        return Err(AnalyzeError::NoIr(named.to_owned()));
    }
    let scratch = scratch()?;
    let mut files = Vec::new();
    for (number, module) in modules.iter().enumerate() {
        let file = scratch.path().join(format!("{number:05}.bc"));
        std::fs::write(&file, module).map_err(AnalyzeError::Scratch)?;
        files.push(file);
    }
    from_ir(named, &files, Some(object))
}

fn modules(named: &Path, bytes: &[u8]) -> Result<Vec<Vec<u8>>, AnalyzeError> {
    let damaged = |reason: String| AnalyzeError::Damaged {
        file: named.to_owned(),
        reason,
    };
    let elf = object::File::parse(bytes).map_err(|error| damaged(error.to_string()))?;
    let data = |name| match elf.section_by_name(name) {
        Some(section) => section.data().map_err(|error| damaged(error.to_string())),
        None => Ok(&[][..]),
    };
    let ours = container::bitcode(data(IR_SECTION)?).map_err(|error| damaged(error.to_string()))?;
    let ours: Vec<Vec<u8>> = ours.into_iter().map(<[u8]>::to_vec).collect();
    // clang leaves one zero byte in the section of a source without code.
    let embedded = data(EMBEDDED)?;
    Ok(match ours.is_empty() && embedded.len() > 4 {
        true => vec![embedded.to_vec()],
        false => ours,
    })
}

/// Runs `migfit-analyze` as a child: LLVM may end the process on bad input.
fn from_ir(
    named: &Path,
    files: &[PathBuf],
    object: Option<&Path>,
) -> Result<JobProfile, AnalyzeError> {
    let scratch = scratch()?;
    let out = scratch.path().join("profile");
    let tool = compile::beside_us("migfit-analyze")?;
    let mut command = Command::new(&tool);
    command
        .args(["profile", "--limited", "--name", &stem(named), "--out"])
        .arg(&out);
    if let Some(object) = object {
        command.arg("--device-code").arg(object);
    }
    let output = command
        .args(files)
        // The message alone, without a trace behind it.
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .output()
        .map_err(|cause| AnalyzeError::NotStarted { tool, cause })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().find(|line| !line.trim().is_empty());
        let reason = match first {
            Some(line) => line
                .trim_start_matches("Error: ")
                .chars()
                .take(MESSAGE)
                .collect(),
            None => format!("migfit-analyze ended with {}", output.status),
        };
        return Err(AnalyzeError::Analysis {
            file: named.to_owned(),
            reason,
        });
    }
    let section = std::fs::read(&out).map_err(AnalyzeError::Scratch)?;
    Ok(program::decode(named, &section)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_told_by_its_bytes_before_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let kind_of = |name: &str, bytes: &[u8]| {
            let file = folder.path().join(name);
            std::fs::write(&file, bytes).unwrap();
            match kind(&file) {
                Ok(Kind::Ir) => "ir",
                Ok(Kind::Source(_)) => "source",
                Ok(Kind::Object) => "object",
                Ok(Kind::Program) => "program",
                Err(_) => "none",
            }
        };
        let elf = |kind: u8| {
            let mut bytes = b"\x7fELF".to_vec();
            bytes.resize(16, 0);
            bytes.push(kind);
            bytes
        };
        assert_eq!(kind_of("a.bin", b"BC\xc0\xde12"), "ir");
        assert_eq!(kind_of("a.ll", b"; text"), "ir");
        assert_eq!(kind_of("a.cu", b"int main"), "source");
        assert_eq!(kind_of("a.cu", &elf(1)), "object");
        assert_eq!(kind_of("a.o", &elf(3)), "program");
        assert_eq!(kind_of("a.py", b"import"), "none");
        assert_eq!(kind_of("empty", b""), "none");
    }

    #[test]
    fn what_is_missing_or_no_file_is_told() {
        let missing = profile(Path::new("/no/such.bc")).unwrap_err();
        assert!(missing.to_string().contains("/no/such.bc"), "{missing}");
        assert!(matches!(
            profile(Path::new("/")),
            Err(AnalyzeError::NotAFile(_))
        ));
    }
}
