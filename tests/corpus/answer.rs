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

impl Launch {
    /// Kernel and shape as the logging library writes them; none where a part is not known.
    pub fn shape(&self) -> Option<String> {
        let three = |[x, y, z]: [u32; 3]| format!("{x}x{y}x{z}");
        let (grid, block) = (three(self.grid?), three(self.block?));
        Some(format!(
            "{} {grid} {block} {}",
            self.kernel, self.shared_bytes?
        ))
    }
}
