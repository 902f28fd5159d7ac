//! Code that formulas say nothing of: functions that nobody looked into, and handlers of exceptions.

use crate::formula::scene::Scene;
use crate::ir::stubs::people_name;
use crate::slice::position::instructions;
use migfit_schema::profile::Unknown;

/// One note for each place that calls such a function, and one for each handler.
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
    all.extend(program.catches.iter().map(|place| {
        let site = scene.site(*place);
        let at = site
            .as_ref()
            .map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        Unknown {
            site,
            what: format!("handler of exceptions at {at}"),
            reason: "what it does is not looked into".to_owned(),
        }
    }));
    all
}
