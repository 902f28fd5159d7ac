//! What `migfit analyze` answers.

use crate::fixture::{Fixture, Run};
use crate::form::Form;
use crate::scene::Scene;
use migfit_tests::{Stage, process, source::tool};
use serde::Deserialize;

/// The answer.
#[derive(Clone, Debug, Deserialize)]
pub struct Answer {
    pub peak_bytes: Option<u64>,
    pub verdict: String,
    pub launches: Vec<Launch>,
    pub unknowns: Vec<Note>,
    pub assumptions: Vec<Note>,
    pub closed_forms: ClosedForms,
    pub steps: u64,
}

/// The job profile's formulas against the evaluation.
#[derive(Clone, Debug, Deserialize)]
pub struct ClosedForms {
    pub peak_agrees: Option<bool>,
    pub differ: Vec<DifferentForm>,
}

/// A formula that gives other bytes than the evaluation.
#[derive(Clone, Debug, Deserialize)]
#[expect(dead_code, reason = "told as a whole")]
pub struct DifferentForm {
    pub site: String,
    pub formula_bytes: String,
    pub evaluated_bytes: u64,
}

/// One shape.
#[derive(Clone, Debug, Deserialize)]
pub struct Launch {
    pub kernel: String,
    pub grid: Option<[u32; 3]>,
    pub block: Option<[u32; 3]>,
    pub shared_bytes: Option<u64>,
    pub count: u64,
}

/// What is not known, or taken for granted.
#[derive(Clone, Debug, Deserialize)]
pub struct Note {
    pub site: Option<String>,
    pub what: String,
    pub reason: String,
}

/// Asks for a run's need, and how long the answer took in seconds.
pub fn of(fixture: &Fixture, form: Form, run: &Run) -> (Answer, f64) {
    let scene = Scene::of(fixture, run);
    let mut command = tool(Stage::ready().program("migfit"));
    command.arg("analyze").arg(form.input(fixture));
    command
        .args(["--json", "--args", &run.args, "--cwd"])
        .arg(scene.folder.folder());
    if let Some(device) = &scene.setting.device {
        command.args(["--device", device]);
    }
    scene.dress(&mut command);
    let begun = std::time::Instant::now();
    let outcome = process::output(&mut command).expect_success();
    let seconds = begun.elapsed().as_secs_f64();
    let answer = serde_json::from_str(&outcome.stdout)
        .unwrap_or_else(|error| panic!("{}: {error}\n{outcome}", fixture.name));
    (answer, seconds)
}

/// Names that nvcc gives to unnamed namespaces hold the path of the source; all become the one that clang gives.
pub fn unnamed(text: &str) -> String {
    const MARK: &str = "_GLOBAL__N_";
    let Some(at) = text.find(MARK) else {
        return text.to_owned();
    };
    let (before, name) = text.split_at(at);
    let head = before.trim_end_matches(|c: char| c.is_ascii_digit());
    let length = before
        .strip_prefix(head)
        .and_then(|length| length.parse().ok());
    match length.and_then(|length: usize| name.get(length..)) {
        Some(rest) => format!("{head}12{MARK}1{}", unnamed(rest)),
        None => text.to_owned(),
    }
}

impl Launch {
    /// Kernel and shape as the logging library writes them; none where a part is not known.
    pub fn shape(&self) -> Option<String> {
        let three = |[x, y, z]: [u32; 3]| format!("{x}x{y}x{z}");
        let (grid, block) = (three(self.grid?), three(self.block?));
        let kernel = unnamed(&self.kernel);
        Some(format!("{kernel} {grid} {block} {}", self.shared_bytes?))
    }
}

#[test]
fn names_without_the_path_of_the_source() {
    let by_nvcc = "_ZN3app41_GLOBAL__N__185d8823_9_solver_cu_d11c3a747combineEPPdS1_ii 18x1x1";
    let by_clang = "_ZN3app12_GLOBAL__N_17combineEPPdS1_ii 18x1x1";
    assert_eq!(unnamed(by_nvcc), by_clang);
    assert_eq!(unnamed(by_clang), by_clang);
    assert_eq!(unnamed("_Z1kv 1x1x1"), "_Z1kv 1x1x1");
}
