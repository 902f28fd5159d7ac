//! Code that formulas say nothing of: functions that nobody looked into.

use crate::formula::scene::Scene;
use crate::ir::stubs::people_name;
use crate::slice::position::instructions;
use migfit_schema::profile::Unknown;

/// One note for each place that calls such a function.
pub fn notes(scene: &Scene<'_>) -> Vec<Unknown> {
    let mut all: Vec<Unknown> = Vec::new();
    let program = scene.program;
    for (_, found) in instructions(program) {
        let Some((name, _)) = Scene::external(&found.op) else {
            continue;
        };
        if program.opaque.iter().any(|opaque| opaque == name) {
            let note = Unknown {
                site: scene.site(found.place),
                what: format!("call of {}", people_name(name)),
                reason: "its code was not looked into; it may take device memory".to_owned(),
            };
            if !all.contains(&note) {
                all.push(note);
            }
        }
    }
    all
}
