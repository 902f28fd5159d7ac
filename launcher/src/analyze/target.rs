//! What is named -> its job profile: read from a linked program, or made by `migfit-analyze` from all modules together:
//! IR, the IR inside objects, and that of the objects that `migfit build` makes of sources.

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

/// The job profile of the program that the files make together; the first one gives its name.
///
/// # Errors
/// When one is of no kind that can be read, a linked program stands beside others, a tool is missing, or something
/// cannot be compiled, linked or analysed.
pub fn profile(files: &[PathBuf]) -> Result<JobProfile, AnalyzeError> {
    let mut parts = Parts::new()?;
    for file in files {
        match read_kind(file)? {
            Kind::Program if files.len() == 1 => return Ok(program::read_profile_here(file)?),
            Kind::Program => return Err(AnalyzeError::ProgramAmongOthers(file.clone())),
            Kind::Ir => parts.modules.push(file.clone()),
            Kind::Source(source) => {
                let folder = parts.folder()?;
                let object = compile::object(file, source, &folder)?;
                parts.add_object(file, &object)?;
            }
            Kind::Object => parts.add_object(file, file)?,
        }
    }
    let name = files.first().map(PathBuf::as_path).unwrap_or(Path::new(""));
    parts.analysed(name)
}

/// The kind of a file that is there and not too large.
fn read_kind(file: &Path) -> Result<Kind, AnalyzeError> {
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
    Ok(kind)
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

/// What the analyzer is given of one program.
struct Parts {
    /// Files of bitcode or IR text.
    modules: Vec<PathBuf>,
    /// Objects with device code.
    device_code: Vec<PathBuf>,
    /// Where what is taken out of objects lies.
    scratch: tempfile::TempDir,
}

impl Parts {
    fn new() -> Result<Parts, AnalyzeError> {
        Ok(Parts {
            modules: Vec::new(),
            device_code: Vec::new(),
            scratch: tempfile::tempdir().map_err(AnalyzeError::Scratch)?,
        })
    }

    /// A folder of its own for the next file.
    fn folder(&self) -> Result<PathBuf, AnalyzeError> {
        let number = self.device_code.len();
        let folder = self.scratch.path().join(format!("{number:05}"));
        std::fs::create_dir_all(&folder).map_err(AnalyzeError::Scratch)?;
        Ok(folder)
    }

    /// Adds the modules inside an object: those of `migfit build`, else one of clang's.
    fn add_object(&mut self, named: &Path, object: &Path) -> Result<(), AnalyzeError> {
        let bytes =
            std::fs::read(object).map_err(|cause| AnalyzeError::unreadable(object, cause))?;
        let modules = modules(named, &bytes)?;
        if modules.is_empty() {
            return Err(AnalyzeError::NoIr(named.to_owned()));
        }
        let folder = self.folder()?;
        for (number, module) in modules.iter().enumerate() {
            let file = folder.join(format!("{number:05}.bc"));
            std::fs::write(&file, module).map_err(AnalyzeError::Scratch)?;
            self.modules.push(file);
        }
        self.device_code.push(object.to_owned());
        Ok(())
    }

    /// Runs `migfit-analyze` as a child: LLVM may end the process on bad input.
    fn analysed(&self, named: &Path) -> Result<JobProfile, AnalyzeError> {
        let out = self.scratch.path().join("profile");
        let tool = compile::beside_us("migfit-analyze")?;
        let mut command = Command::new(&tool);
        command
            .args(["profile", "--limited", "--name", &stem(named), "--out"])
            .arg(&out);
        for object in &self.device_code {
            command.arg("--device-code").arg(object);
        }
        let output = command
            .args(&self.modules)
            // The message alone, without a trace behind it.
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .output()
            .map_err(|cause| AnalyzeError::NotStarted { tool, cause })?;
        if !output.status.success() {
            return Err(AnalyzeError::Analysis {
                file: named.to_owned(),
                reason: reason(&output),
            });
        }
        let section = std::fs::read(&out).map_err(AnalyzeError::Scratch)?;
        Ok(program::decode(named, &section)?)
    }
}

/// Why an analysis failed, in the analyzer's words.
fn reason(output: &std::process::Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().find(|line| !line.trim().is_empty());
    match first {
        Some(line) => line
            .trim_start_matches("Error: ")
            .chars()
            .take(MESSAGE)
            .collect(),
        None => format!("migfit-analyze ended with {}", output.status),
    }
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
    fn a_linked_program_stands_alone() {
        let folder = tempfile::tempdir().unwrap();
        let module = folder.path().join("a.ll");
        std::fs::write(&module, "; text").unwrap();
        let both = [module, std::env::current_exe().unwrap()];
        let error = profile(&both).unwrap_err();
        assert!(
            matches!(error, AnalyzeError::ProgramAmongOthers(_)),
            "{error}"
        );
    }

    #[test]
    fn what_is_missing_or_no_file_is_told() {
        let profile = |file: &str| profile(&[PathBuf::from(file)]);
        let missing = profile("/no/such.bc").unwrap_err();
        assert!(missing.to_string().contains("/no/such.bc"), "{missing}");
        assert!(matches!(profile("/"), Err(AnalyzeError::NotAFile(_))));
    }
}
