//! A built program, and what it carries.

use crate::lock;
use crate::process;
use crate::sandbox::Sandbox;
use crate::source::{Source, tool};
use crate::stage::{Stage, root, target};
use migfit_schema::container::PROFILE_SECTION;
use object::{Object, ObjectSection};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A program, with the folder that it wants to be run in.
#[derive(Clone)]
pub struct Program {
    path: PathBuf,
    folder: PathBuf,
    _alive: Option<Arc<Sandbox>>,
}

/// One of the programs under rodinia/, not built yet.
pub struct Rodinia(String);

impl Program {
    /// One of the programs under rodinia/, with its inputs.
    #[must_use]
    pub fn rodinia(name: &str) -> Rodinia {
        Rodinia(name.to_owned())
    }

    /// CUDA source of the test's own.
    #[must_use]
    pub fn from_cuda(text: &str) -> Source {
        Source::of(text)
    }

    /// A program in a sandbox, which lives as long as the program.
    #[must_use]
    pub fn in_sandbox(sandbox: Arc<Sandbox>, name: &str) -> Program {
        Program {
            path: sandbox.path(name),
            folder: sandbox.folder().to_owned(),
            _alive: Some(sandbox),
        }
    }

    /// Its file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder to run it in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Bytes of a section of its file; none where it has no such section.
    ///
    /// # Panics
    /// When it is no ELF file.
    #[must_use]
    pub fn section(&self, name: &str) -> Option<Vec<u8>> {
        let bytes = std::fs::read(&self.path).expect("the program was built");
        let file = object::File::parse(&*bytes).expect("nvcc makes ELF files");
        let section = file.section_by_name(name)?;
        Some(
            section
                .data()
                .expect("a section's data can be read")
                .to_vec(),
        )
    }

    /// Bytes of the job profile's section.
    #[must_use]
    pub fn job_profile(&self) -> Option<Vec<u8>> {
        self.section(PROFILE_SECTION)
    }
}

static RODINIA: OnceLock<PathBuf> = OnceLock::new();

impl Rodinia {
    /// Built by its own Makefile, unchanged, and the real nvcc; once for all tests.
    #[must_use]
    pub fn built_for_the_virtual_gpu(self) -> Program {
        let folder = rodinia_folder();
        Program {
            path: folder.join(&self.0).join(&self.0),
            folder: folder.to_owned(),
            _alive: None,
        }
    }
}

/// The folder of the built programs and their `inputs`.
pub fn rodinia_folder() -> &'static Path {
    RODINIA.get_or_init(|| {
        let folder = target().join("tests/rodinia");
        let stage = Stage::ready();
        lock::holding(&target().join("tests/rodinia.lock"), || {
            build_rodinia(stage, &folder)
        });
        folder
    })
}

fn build_rodinia(stage: &Stage, folder: &Path) {
    copy_changed(&root().join("rodinia"), folder);
    let (stamp, tools) = (folder.join("built-by"), fingerprint(stage));
    // make knows when the sources changed; that the analyzer did is for us to see.
    if std::fs::read_to_string(&stamp).ok().as_ref() != Some(&tools) {
        make(folder, &["clean"]);
    }
    let mut build = tool(stage.program("migfit"));
    build
        .args(["build", "--host-compiler", "clang", "--virtual", "--"])
        .args(["make", "-C"])
        .arg(folder);
    process::output(&mut build).expect_success();
    make(folder, &["inputs"]);
    std::fs::write(&stamp, tools).expect("the stamp can be written");
}

fn make(folder: &Path, goals: &[&str]) {
    let mut make = tool("make".into());
    make.arg("-C").arg(folder).args(goals);
    process::output(&mut make).expect_success();
}

/// Size and time of the programs that make job profiles.
fn fingerprint(stage: &Stage) -> String {
    let of = |name| {
        let meta = std::fs::metadata(stage.program(name)).expect("migfit is staged");
        let time = meta.modified().expect("files have times");
        format!("{name} {} {time:?}\n", meta.len())
    };
    ["migfit-cc", "migfit-analyze"].map(of).concat()
}

/// Copies sources; leaves alone what is the same, so that make rebuilds only what changed.
fn copy_changed(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("the target folder can be written");
    for entry in std::fs::read_dir(from)
        .expect("the sources can be read")
        .flatten()
    {
        let (source, copy) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() && entry.file_name() != "inputs" && entry.file_name() != "build" {
            copy_changed(&source, &copy);
        } else if is_source(&source) {
            let contents = std::fs::read(&source).expect("the sources can be read");
            if std::fs::read(&copy).ok().as_ref() != Some(&contents) {
                std::fs::write(&copy, contents).expect("the target folder can be written");
            }
        }
    }
}

fn is_source(path: &Path) -> bool {
    let ending = path.extension().and_then(std::ffi::OsStr::to_str);
    let named = path
        .file_name()
        .is_some_and(|name| name == "Makefile" || name == "CMakeLists.txt");
    path.is_file() && (named || matches!(ending, Some("c" | "cu" | "cpp" | "h" | "toml")))
}
