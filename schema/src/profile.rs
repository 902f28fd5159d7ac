//! The job profile: what analysis foretells of one program. Version first; a reader refuses others by name.

use crate::annotation::Annotation;
use crate::formula::Expr;
use crate::kernel::Kernel;
use crate::program::SizeProgram;
use crate::site::Site;
use serde::{Deserialize, Serialize};

/// Version of the stored form. Raised at any change of `Summary` or `SizeProgram`.
pub const PROFILE_VERSION: u32 = 8;

/// What analysis foretells of one program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobProfile {
    /// For people and tools: formulas with their places.
    pub summary: Summary,
    /// For evaluation: the host code that sizes depend on. `None` when analysis failed.
    pub program: Option<SizeProgram>,
    /// The same with all checks that the host's own work decides, and that work: for when `program` goes past one of
    /// them and there is time to look. `None` where it goes past none.
    pub checked: Option<SizeProgram>,
}

/// The readable half of a job profile; JSON in the ELF section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// `PROFILE_VERSION`.
    pub version: u32,
    /// Version of migfit that wrote it.
    pub migfit: String,
    /// Name of the program.
    pub name: String,
    /// Every allocation site reachable from `main`.
    pub allocations: Vec<Allocation>,
    /// Every launch site reachable from `main`.
    pub launches: Vec<Launch>,
    /// Largest sum of requested bytes alive at once, over all phases of the program.
    pub peak: Expr,
    /// Kernels of the program.
    pub kernels: Vec<Kernel>,
    /// Bytes of the program's own device variables (`__device__`, `__constant__`, `__managed__`): they take device
    /// memory as soon as a kernel's module is loaded.
    pub device_variables: u64,
    /// Comments in the source that speak to migfit.
    pub annotations: Vec<Annotation>,
    /// What could not be followed, with place and reason.
    pub unknowns: Vec<Unknown>,
    /// Linked objects, members of archives and shared libraries that carried no IR (compiled by a compiler that
    /// migfit did not see).
    pub without_ir: Vec<String>,
    /// Shared libraries that are loaded with it and are neither the system's nor CUDA's runtime, in the order of
    /// loading: as they were when the file was linked.
    pub libraries: Vec<Library>,
    /// What tells one state of this file's own host code from another; `None` where the file holds no `Part`.
    pub identity: Option<String>,
    /// Why there is no size program, when there is none.
    pub failure: Option<String>,
}

impl Summary {
    /// A summary of this form that tells nothing but the program's name.
    #[must_use]
    pub fn blank(name: &str) -> Summary {
        Summary {
            version: PROFILE_VERSION,
            migfit: env!("CARGO_PKG_VERSION").to_owned(),
            name: name.to_owned(),
            allocations: Vec::new(),
            launches: Vec::new(),
            peak: Expr::Int(0),
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
}

/// A shared library that a program is loaded with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Library {
    /// The name under which it is needed.
    pub name: String,
    /// Its `Summary::identity`: its code is part of the size program. `None` where it has no host code that migfit
    /// can look into.
    pub identity: Option<String>,
}

impl Library {
    /// How one that was not looked into stands in `Summary::without_ir`.
    #[must_use]
    pub fn unseen(name: &str) -> String {
        format!("{name} (shared library)")
    }
}

/// One allocation site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Allocation {
    /// Where.
    pub site: Site,
    /// The call: `cudaMalloc`.
    pub api: String,
    /// Requested bytes of one call.
    pub size: Expr,
    /// How many times the site runs; `Int(1)` outside loops.
    pub times: Expr,
    /// Where this is 0 the site does not run; `Int(1)`: it runs, or what it hangs on has no closed form.
    pub condition: Expr,
    /// Bytes of all its requests together, 0 where it does not run.
    pub total: Expr,
}

/// One launch site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// Where.
    pub site: Site,
    /// Mangled name of the kernel (a key into `Summary::kernels`).
    pub kernel: String,
    /// Grid in blocks: x, y, z.
    pub grid: [Expr; 3],
    /// Block in threads: x, y, z.
    pub block: [Expr; 3],
    /// Dynamic shared memory in bytes.
    pub shared: Expr,
    /// How many times the site runs.
    pub times: Expr,
    /// Where this is 0 the site does not run; `Int(1)`: it runs, or what it hangs on has no closed form.
    pub condition: Expr,
    /// True for a cooperative launch.
    pub cooperative: bool,
}

/// Something that analysis could not follow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unknown {
    /// Where.
    pub site: Option<Site>,
    /// What, as a noun phrase: "size of cudaMalloc", "call of foo".
    pub what: String,
    /// Why, as a clause.
    pub reason: String,
}
