//! Findings as text, in groups, with what mends each below it; or as JSON.

use crate::doctor::finding::{Finding, State};
use serde::Serialize;
use std::fmt::Write;

/// Version of the JSON form.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'f> {
    version: u32,
    broken: usize,
    findings: &'f [Finding],
}

/// How many are in this state.
#[must_use]
pub fn count(findings: &[Finding], state: State) -> usize {
    findings
        .iter()
        .filter(|finding| finding.state == state)
        .count()
}

/// For programs.
///
/// # Errors
/// When the JSON cannot be made.
pub fn json(findings: &[Finding]) -> Result<String, serde_json::Error> {
    let document = Document {
        version: VERSION,
        broken: count(findings, State::Broken),
        findings,
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

/// For people.
#[must_use]
pub fn text(findings: &[Finding]) -> String {
    let mut text = String::new();
    let mut group = "";
    for finding in findings {
        let own = finding.id.split('.').next().unwrap_or_default();
        if own != group {
            let _ = writeln!(text, "{own}");
            group = own;
        }
        let _ = writeln!(text, "  {:8}  {}", finding.state, finding.what);
        if finding.state != State::Ok
            && let Some(mend) = &finding.mend
        {
            let _ = writeln!(text, "            -> {mend}");
        }
    }
    let states = [
        (State::Ok, "ok"),
        (State::Warn, "to know"),
        (State::Broken, "broken"),
        (State::NotHere, "not here"),
    ];
    let counts = states.map(|(state, word)| format!("{} {word}", count(findings, state)));
    let _ = writeln!(text, "{}", counts.join(", "));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings() -> Vec<Finding> {
        vec![
            Finding::ok("build.clang", "clang 19"),
            Finding::new("build.nvcc", State::NotHere, "no nvcc", "install it"),
            Finding::new(
                "gpu.0.permission",
                State::Broken,
                "not allowed",
                "run as root",
            ),
        ]
    }

    #[test]
    fn text_has_groups_states_and_what_mends() {
        assert_eq!(
            text(&findings()),
            "build\n  ok        clang 19\n  not here  no nvcc\n            -> install it\ngpu\n  broken    not allowed\n\
             \x20           -> run as root\n1 ok, 0 to know, 1 broken, 1 not here\n"
        );
    }

    #[test]
    fn json_keeps_the_names() {
        let json: serde_json::Value = serde_json::from_str(&json(&findings()).unwrap()).unwrap();
        assert_eq!((&json["version"], &json["broken"]), (&1.into(), &1.into()));
        assert_eq!(json["findings"][1]["state"], "not_here");
        assert_eq!(json["findings"][2]["id"], "gpu.0.permission");
        assert!(json["findings"][0]["mend"].is_null());
    }
}
