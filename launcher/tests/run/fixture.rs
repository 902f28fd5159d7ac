//! An installed migfit with the virtual GPU's NVML, and a folder to run jobs in.

use migfit_vgpu_device::VirtualGpu;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// What one call of `migfit` came to.
pub struct Outcome {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// The virtual GPU's libraries: cargo's names and the staged ones.
const VIRTUAL_GPU: [(&str, &str); 4] = [
    ("libmigfit_vgpu_nvml.so", "libnvidia-ml.so.1"),
    ("libmigfit_vgpu_cuda.so", "libcuda.so.1"),
    ("libmigfit_vgpu_cudart.so", "libcudart.so.13"),
    ("libmigfit_vgpu_cudart12.so", "libcudart.so.12"),
];

/// Lays migfit out as it is installed; cargo does not build the virtual GPU for these tests by itself.
pub fn installed() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let built = Path::new(env!("CARGO_BIN_EXE_migfit")).parent().unwrap();
        let cargo = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "migfit-vgpu-nvml"])
            .args([
                "--package",
                "migfit-vgpu-cuda",
                "--package",
                "migfit-vgpu-cudart",
                "--package",
                "migfit-vgpu-cudart12",
            ])
            .args(["--target-dir".as_ref(), built.parent().unwrap().as_os_str()])
            .status();
        assert!(
            cargo.unwrap().success(),
            "the virtual GPU's libraries do not build"
        );
        let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join("installed");
        lay(&built.join("migfit"), &prefix.join("bin/migfit"));
        for (built_name, name) in VIRTUAL_GPU {
            let library = prefix.join("lib/migfit/vgpu").join(name);
            lay(&built.join(built_name), &library);
        }
        prefix
    })
}

fn lay(from: &Path, to: &Path) {
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    let fresh = to.with_extension(std::process::id().to_string());
    std::fs::copy(from, &fresh).unwrap();
    std::fs::rename(&fresh, to).unwrap();
}

/// A folder of its own for each test; `migfit` runs in it.
pub struct Place(tempfile::TempDir);

impl Place {
    pub fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn put(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// `migfit` with these words, not started yet.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(installed().join("bin/migfit"));
        command
            .args(words)
            .current_dir(self.0.path())
            .stdin(Stdio::null());
        for variable in [
            "MIGFIT",
            "MIGFIT_VGPU",
            "MIGFIT_VGPU_STATE",
            "MIGFIT_VGPU_NAME",
            "MIGFIT_VGPU_MIG",
            "MIGFIT_VGPU_DELAY",
            "MIGFIT_VGPU_FAULTS",
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
        ] {
            command.env_remove(variable);
        }
        command
    }

    pub fn migfit(&self, words: &[&str]) -> Outcome {
        outcome(&mut self.command(words))
    }

    /// Runs this job file on the virtual A100 into the folder `out`.
    pub fn run(&self, jobs: &str) -> Outcome {
        self.run_with(&[], jobs)
    }

    pub fn run_with(&self, flags: &[&str], jobs: &str) -> Outcome {
        self.put("jobs.toml", jobs);
        let usual = [
            "run",
            "-f",
            "jobs.toml",
            "--gpu",
            "virtual:a100-40gb",
            "--out",
            "out",
        ];
        self.migfit(&[&usual, flags].concat())
    }

    pub fn report(&self) -> Value {
        serde_json::from_str(&self.read("out/report.json")).unwrap()
    }

    /// The line of a job in the report.
    pub fn job(&self, name: &str) -> Value {
        let report = self.report();
        let jobs = report["jobs"].as_array().unwrap();
        jobs.iter().find(|job| job["name"] == name).unwrap().clone()
    }

    /// Names and places of the GPU instances on the virtual GPU with this state.
    pub fn layout(&self, state: &str) -> Vec<String> {
        let gpu = VirtualGpu::open(&self.path(state), None).unwrap();
        let model = gpu.model().clone();
        let there = gpu.snapshot().unwrap().gpu_instances;
        let named = there.iter().map(|instance| {
            let profile = model.profile(instance.profile).unwrap();
            format!("{}@{}", profile.name, instance.placement.start)
        });
        named.collect()
    }
}

pub fn outcome(command: &mut Command) -> Outcome {
    let output = command.output().unwrap();
    Outcome {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// State file of a run's own virtual GPU.
pub const OWN_STATE: &str = "out/virtual-gpu.state";
