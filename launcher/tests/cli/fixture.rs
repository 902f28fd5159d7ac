//! A sandbox to run `migfit` in, and ELF programs that carry what a test says.

use migfit_schema::container::{self, PROFILE_SECTION, PROGRAM, SUMMARY};
use migfit_schema::formula::{BinaryOp, Expr, Input};
use migfit_schema::profile::{Allocation, PROFILE_VERSION, Summary};
use migfit_schema::program::SizeProgram;
use migfit_schema::site::Site;
use object::write::Object;
use object::{Architecture, BinaryFormat, Endianness, SectionKind};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

/// What one call of `migfit` came to.
pub struct Outcome {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// A folder of its own for each test; `migfit` runs in it.
pub struct Sandbox(tempfile::TempDir);

impl Sandbox {
    pub fn new() -> Sandbox {
        Sandbox(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes an executable file.
    pub fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs `migfit` with these words.
    pub fn migfit(&self, words: &[&str]) -> Outcome {
        let output = Command::new(env!("CARGO_BIN_EXE_migfit"))
            .args(words)
            .current_dir(self.0.path())
            .output()
            .unwrap();
        Outcome {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A linked ELF file with this in its job-profile section; none: without the section.
pub fn elf(section: Option<&[u8]>) -> Vec<u8> {
    let mut bytes = relocatable(section);
    bytes[16] = 3; // e_type: a linked, position-independent program
    bytes
}

/// The same as an object file.
pub fn relocatable(section: Option<&[u8]>) -> Vec<u8> {
    let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    if let Some(data) = section {
        let id = object.add_section(
            Vec::new(),
            PROFILE_SECTION.as_bytes().to_vec(),
            SectionKind::Note,
        );
        object.append_section_data(id, data, 1);
    }
    object.write().unwrap()
}

/// Section bytes of a summary and a size program.
pub fn section(summary: &Summary, program: Option<&SizeProgram>) -> Vec<u8> {
    let mut bytes = Vec::new();
    container::append(&mut bytes, SUMMARY, &serde_json::to_vec(summary).unwrap());
    if let Some(program) = program {
        let program = postcard::to_allocvec(program).unwrap();
        container::append(&mut bytes, PROGRAM, &program);
    }
    bytes
}

/// A summary with one allocation of `arg(1) * 4` bytes.
pub fn summary() -> Summary {
    Summary {
        version: PROFILE_VERSION,
        migfit: "0.1.0".to_owned(),
        name: "vector".to_owned(),
        allocations: vec![Allocation {
            site: Site {
                file: "src/vector.cu".to_owned(),
                line: 12,
            },
            api: "cudaMalloc".to_owned(),
            size: Expr::Binary(
                BinaryOp::Mul,
                Expr::Input(Input::ArgInt(1)).into(),
                Expr::Int(4).into(),
            ),
            times: Expr::Int(1),
        }],
        launches: Vec::new(),
        kernels: Vec::new(),
        unknowns: Vec::new(),
        without_ir: Vec::new(),
        failure: None,
    }
}
