//! A sandbox to run `migfit` in, and ELF programs that carry what a test says.

use migfit_schema::container::{self, PROFILE_SECTION, PROGRAM, SUMMARY};
use migfit_schema::formula::{BinaryOp, Expr, Input};
use migfit_schema::profile::{Allocation, PROFILE_VERSION, Summary};
use migfit_schema::program::{
    self, Block, Callee, Cast, Function, Instruction, Op, Operand, Place, SizeProgram, Terminator,
    Type,
};
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
    container::seal(&mut bytes);
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
            condition: Expr::Int(1),
            total: Expr::Int(1),
        }],
        launches: Vec::new(),
        peak: Expr::Binary(
            BinaryOp::Mul,
            Expr::Input(Input::ArgInt(1)).into(),
            Expr::Int(4).into(),
        ),
        kernels: Vec::new(),
        device_variables: 0,
        annotations: Vec::new(),
        unknowns: Vec::new(),
        without_ir: Vec::new(),
        libraries: Vec::new(),
        identity: None,
        failure: None,
    }
}

/// The host code of `summary`: `cudaMalloc(&p, atoi(argv[1]) * 4)`.
pub fn size_program() -> SizeProgram {
    const INT: Type = Type::Int(32);
    const SIZE: Type = Type::Int(64);
    let argument = Op::Offset {
        dst: 2,
        base: Operand::Reg(1),
        constant: 8,
        terms: Vec::new(),
    };
    let text = Op::Load {
        dst: 3,
        ty: Type::Ptr,
        address: Operand::Reg(2),
    };
    let count = call("atoi", &[4], &[INT], vec![(Operand::Reg(3), Type::Ptr)]);
    let wide = Op::Cast {
        dst: 5,
        kind: Cast::Sext,
        from: INT,
        to: SIZE,
        a: Operand::Reg(4),
    };
    let bytes = Op::Binary {
        dst: 6,
        ty: SIZE,
        op: program::BinaryOp::Mul,
        a: Operand::Reg(5),
        b: Operand::Const(4),
        no_wrap: false,
    };
    let slot = Op::Alloca {
        dst: 7,
        size: 8,
        count: Operand::Const(1),
        align: 8,
    };
    let asked = vec![(Operand::Reg(7), Type::Ptr), (Operand::Reg(6), SIZE)];
    let malloc = call("cudaMalloc", &[8], &[INT], asked);
    let place = Place { file: 0, line: 12 };
    let ops = [argument, text, count, wide, bytes, slot, malloc];
    let block = Block {
        phis: Vec::new(),
        ops: ops.map(|op| Instruction { op, place }).into(),
        end: Terminator::Return(vec![Operand::Const(0)]),
        end_place: place,
    };
    SizeProgram {
        files: vec!["src/vector.cu".to_owned()],
        functions: vec![Function {
            name: "main".to_owned(),
            params: vec![(0, INT), (1, Type::Ptr)],
            results: vec![INT],
            registers: 9,
            blocks: vec![block],
            names: Vec::new(),
        }],
        main: Some(0),
        ..SizeProgram::default()
    }
}

fn call(name: &str, dst: &[u32], results: &[Type], args: Vec<(Operand, Type)>) -> Op {
    Op::Call {
        dst: dst.to_vec(),
        results: results.to_vec(),
        callee: Callee::External(name.to_owned()),
        args,
    }
}

/// The same, after it asked its device how much memory is free (and made nothing of the answer).
pub fn asking_size_program() -> SizeProgram {
    let mut program = size_program();
    let slot = |dst| Op::Alloca {
        dst,
        size: 8,
        count: Operand::Const(1),
        align: 8,
    };
    let out = |reg| (Operand::Reg(reg), Type::Ptr);
    let asks = call(
        "cudaMemGetInfo",
        &[11],
        &[Type::Int(32)],
        vec![out(9), out(10)],
    );
    let place = Place { file: 0, line: 11 };
    let ops = [slot(9), slot(10), asks].map(|op| Instruction { op, place });
    let main = &mut program.functions[0];
    main.registers = 12;
    main.blocks[0].ops.splice(0..0, ops);
    program
}
