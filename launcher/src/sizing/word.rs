//! The user's word for what cannot be known before a run (`--assume`), held against a program: a slip is an error that
//! names what was meant.

use crate::cli::nearest::nearest;
use crate::exit_code::ExitCode;
use crate::failure::Explain;
use migfit_schema::profile::JobProfile;
use migfit_sizes::assumed::{self, Given, Misplaced};

/// Names that a hint lists.
const LISTED: usize = 12;

/// An assumption about something that the program has not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {} ('{}')", .0.said, .0.what, .0.given)]
pub struct MisplacedWord(Misplaced);

impl Explain for MisplacedWord {
    fn hint(&self) -> Option<String> {
        let known: Vec<&str> = self.0.known.iter().map(String::as_str).collect();
        if known.is_empty() {
            return Some(
                "there is nothing of that kind: the evaluation knows all of it".to_owned(),
            );
        }
        let meant = nearest(&self.0.given, &known);
        let meant = meant.map(|name| format!("did you mean '{name}'? "));
        let listed = known.iter().take(LISTED).copied();
        let listed: Vec<&str> = listed.collect();
        let more = match known.len() > LISTED {
            true => " ...",
            false => "",
        };
        Some(format!(
            "{}there are: {}{more}",
            meant.unwrap_or_default(),
            listed.join(" ")
        ))
    }

    fn exit_code(&self) -> ExitCode {
        ExitCode::UnknownName
    }
}

/// Holds the user's word against a program.
///
/// # Errors
/// The first thing that speaks of nothing.
pub fn check(profile: &JobProfile, all: &[Given]) -> Result<(), MisplacedWord> {
    match &profile.program {
        Some(program) => assumed::check(program, all).map_err(MisplacedWord),
        // Without a size program nothing is evaluated, and the answer says why.
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::device::tests::calling;
    use migfit_schema::profile::Summary;

    fn refused(text: &str) -> MisplacedWord {
        let mut program = calling("cudaMalloc");
        program.files = vec!["src/main.cu".to_owned()];
        for function in &mut program.functions {
            function.names = vec![(0, "count".to_owned()), (1, "height".to_owned())];
        }
        let profile = JobProfile {
            summary: Summary::blank("a"),
            program: Some(program),
            checked: None,
        };
        check(&profile, &[Given::parse("count=4").unwrap()]).unwrap();
        check(&profile, &[Given::parse(text).unwrap()]).unwrap_err()
    }

    #[test]
    fn a_slip_is_told_with_what_was_meant() {
        let error = refused("counts=4");
        assert_eq!(
            error.to_string(),
            "--assume counts=4: sizes and launches depend on no variable of that name ('counts')"
        );
        assert_eq!(
            error.hint().as_deref(),
            Some("did you mean 'count'? there are: count height")
        );
        assert_eq!(error.exit_code(), ExitCode::UnknownName);
    }

    #[test]
    fn a_place_without_such_a_thing_is_told() {
        let error = refused("main.cu:900=true").to_string();
        assert!(
            error.contains("no condition that sizes or launches depend on"),
            "{error}"
        );
    }
}
