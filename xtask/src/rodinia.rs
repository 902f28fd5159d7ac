//! The CUDA programs under rodinia/: a copy in the target folder, built there by the real nvcc through
//! `migfit build`, with their inputs; and the argument lists that demo and bench use.

use crate::error::{ChoreError, file};
use crate::setup::cuda;
use crate::{paths, process};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program and argument lists for it; `inputs/` stands for the folder of generated inputs.
pub struct Program {
    /// Its folder and file name.
    pub name: &'static str,
    /// Three argument lists that run here, small to large.
    pub arguments: [&'static str; 3],
    /// One that asks for as much as it can, mostly gigabytes: only `fit` is shown it.
    pub large: &'static str,
}

/// The programs.
pub const PROGRAMS: &[Program] = &[
    Program {
        name: "hotspot",
        arguments: [
            "512 2 20 inputs/temp_512 inputs/power_512 /dev/null",
            "512 4 60 inputs/temp_512 inputs/power_512 /dev/null",
            "1024 2 40 inputs/temp_1024 inputs/power_1024 /dev/null",
        ],
        large: "32768 2 40 inputs/temp_1024 inputs/power_1024 /dev/null",
    },
    Program {
        name: "nw",
        arguments: ["1024 10", "2048 10", "8192 10"],
        large: "49152 10",
    },
    Program {
        name: "lud",
        arguments: ["-i inputs/matrix_128", "-s 1024", "-s 2048"],
        large: "-s 40960",
    },
    Program {
        name: "bfs",
        arguments: [
            "inputs/graph_4096",
            "inputs/graph_65536",
            "inputs/graph_262144",
        ],
        large: "inputs/graph_262144",
    },
    Program {
        name: "gaussian",
        arguments: ["-f inputs/system_64", "-s 1024 -q", "-s 4096 -q"],
        large: "-s 30000 -q",
    },
    Program {
        name: "pathfinder",
        arguments: ["1000 50 7", "10000 1000 1", "100000 100 20"],
        large: "1000000 2000 20",
    },
    Program {
        name: "nn",
        arguments: [
            "inputs/records_10000 -r 5 -lat 30 -lng 90",
            "inputs/records_10000 -q",
            "inputs/records_42764 -q",
        ],
        large: "inputs/records_42764 -q",
    },
    Program {
        name: "kmeans",
        arguments: [
            "-i inputs/points_10000",
            "-i inputs/points_10000 -n 2 -m 9",
            "-b -i inputs/points_65536.bin -m 8 -n 8",
        ],
        large: "-b -i inputs/points_65536.bin -m 20000 -n 20000",
    },
    Program {
        name: "srad",
        arguments: [
            "64 64 0 31 0 31 0.5 4",
            "512 512 0 127 0 127 0.5 40",
            "2048 2048 0 127 0 127 0.5 4",
        ],
        large: "16384 16384 0 127 0 127 0.5 4",
    },
    Program {
        name: "backprop",
        arguments: ["1024", "65536", "262144"],
        large: "1048560",
    },
    Program {
        name: "streamcluster",
        arguments: [
            "3 6 8 1000 500 100 none /dev/null 1",
            "4 8 32 0 2048 500 inputs/stream_16384 /dev/null 1",
            "10 20 32 4096 4096 1000 none /dev/null 1",
        ],
        large: "3 6 8 1000 500 1000000 none /dev/null 1",
    },
    Program {
        name: "lavaMD",
        arguments: ["-boxes1d 4", "-boxes1d 10", "-boxes1d 24"],
        large: "-boxes1d 100",
    },
    Program {
        name: "particlefilter",
        arguments: [
            "-x 128 -y 128 -z 10 -np 1000",
            "-x 128 -y 128 -z 10 -np 40000",
            "-x 512 -y 512 -z 20 -np 10000",
        ],
        large: "-x 128 -y 128 -z 10 -np 1000000",
    },
];

impl Program {
    /// The built program.
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(self.name).join(self.name)
    }
}

/// Copies the sources to `folder`, leaving files that are the same, so that make rebuilds only what changed; all of
/// it when the tools that write job profiles changed.
pub fn copy(folder: &Path) -> Result<(), ChoreError> {
    let (stamp, tools) = (folder.join("built-with"), tools()?);
    let same = std::fs::read_to_string(&stamp).is_ok_and(|old| old == tools);
    if folder.exists() && !same {
        std::fs::remove_dir_all(folder).map_err(file("remove", folder))?;
    }
    copy_folder(&paths::root().join("rodinia"), folder)?;
    std::fs::write(&stamp, tools).map_err(file("write", &stamp))
}

/// What tells one build of `migfit-cc` and `migfit-analyze` from another.
fn tools() -> Result<String, ChoreError> {
    let mut hash = std::hash::DefaultHasher::new();
    for name in ["migfit-cc", "migfit-analyze"] {
        let path = paths::program(name);
        std::fs::read(&path)
            .map_err(file("read", path))?
            .hash(&mut hash);
    }
    Ok(format!("{:016x}\n", hash.finish()))
}

/// Builds the programs for the virtual GPU with the real nvcc and their own Makefiles.
pub fn build_command(folder: &Path) -> Result<Command, ChoreError> {
    let mut command = Command::new(paths::program("migfit"));
    command
        .args([
            "build",
            "--host-compiler",
            "clang",
            "--virtual",
            "--",
            "make",
            "--no-print-directory",
            "-C",
        ])
        .arg(folder);
    command.env("PATH", cuda::path_variable()?);
    Ok(command)
}

/// Writes the inputs with the programs' own generators.
pub fn make_inputs(folder: &Path) -> Result<(), ChoreError> {
    let mut make = Command::new("make");
    make.args(["--no-print-directory", "--silent", "-C"])
        .arg(folder)
        .arg("inputs");
    process::quiet(
        &mut make,
        "the generators need g++; `cargo xtask setup` brings it",
    )
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), ChoreError> {
    std::fs::create_dir_all(to).map_err(file("create", to))?;
    for entry in std::fs::read_dir(from)
        .map_err(file("read", from))?
        .flatten()
    {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            if entry.file_name() != "inputs" && entry.file_name() != "build" {
                copy_folder(&source, &target)?;
            }
        } else if is_source(&source) {
            copy_changed(&source, &target)?;
        }
    }
    Ok(())
}

/// Built programs and objects in the source tree stay there.
fn is_source(path: &Path) -> bool {
    let text = path.extension().is_some_and(|ending| {
        ["c", "cu", "cpp", "h", "toml", "md"]
            .iter()
            .any(|one| ending == *one)
    });
    text || path
        .file_name()
        .is_some_and(|name| name == "Makefile" || name == "CMakeLists.txt")
}

fn copy_changed(source: &Path, target: &Path) -> Result<(), ChoreError> {
    let contents = std::fs::read(source).map_err(file("read", source))?;
    if std::fs::read(target).is_ok_and(|there| there == contents) {
        return Ok(());
    }
    std::fs::write(target, contents).map_err(file("write", target))
}
