//! What goes into `.migfit.profile`: the analysis with the objects that had no IR, or an empty job profile that says
//! why there is no analysis.

use super::analysis::AnalysisError;
use migfit_schema::build::BuiltProgram;
use migfit_schema::container::{PROGRAM, SUMMARY, append, seal, sealed_entries};
use migfit_schema::profile::{PROFILE_VERSION, Summary};
use std::path::Path;

/// A job profile in its stored form.
pub struct Stored {
    /// The section's bytes.
    pub section: Vec<u8>,
    /// Its readable half.
    pub summary: Summary,
}

impl Stored {
    /// From the analyzer's container, or the reason why there is none.
    pub fn new(
        name: &str,
        analysed: Result<Vec<u8>, AnalysisError>,
        without_ir: Vec<String>,
    ) -> Stored {
        let read = analysed.and_then(|container| Parts::read(&container));
        let parts = read.unwrap_or_else(|reason| Parts::unknown(name, &reason));
        let summary = Summary {
            without_ir,
            ..parts.summary
        };
        let mut section = Vec::new();
        // A summary is plain data: writing it as JSON cannot fail.
        append(
            &mut section,
            SUMMARY,
            &serde_json::to_vec(&summary).unwrap_or_default(),
        );
        if let Some(program) = &parts.program {
            append(&mut section, PROGRAM, program);
        }
        seal(&mut section);
        Stored { section, summary }
    }

    /// The line for the build's log.
    pub fn log_line(&self, path: &Path) -> String {
        let built = BuiltProgram {
            path: path.display().to_string(),
            allocations: self.summary.allocations.len(),
            launches: self.summary.launches.len(),
            unknowns: self.summary.unknowns.len(),
            without_ir: self.summary.without_ir.clone(),
            failure: self.summary.failure.clone(),
        };
        serde_json::to_string(&built).unwrap_or_default() + "\n"
    }
}

struct Parts {
    summary: Summary,
    program: Option<Vec<u8>>,
}

impl Parts {
    fn read(container: &[u8]) -> Result<Parts, AnalysisError> {
        let broken = |reason: String| AnalysisError::Output(reason);
        let entries = sealed_entries(container).map_err(|error| broken(error.to_string()))?;
        let entry = |wanted| {
            entries
                .iter()
                .find(|(mark, _)| *mark == wanted)
                .map(|(_, payload)| *payload)
        };
        let json = entry(SUMMARY).ok_or_else(|| broken("it has no summary".into()))?;
        let summary: Summary =
            serde_json::from_slice(json).map_err(|error| broken(error.to_string()))?;
        if summary.version != PROFILE_VERSION {
            return Err(broken(format!(
                "its version is {}, ours {PROFILE_VERSION}",
                summary.version
            )));
        }
        Ok(Parts {
            summary,
            program: entry(PROGRAM).map(<[u8]>::to_vec),
        })
    }

    fn unknown(name: &str, reason: &AnalysisError) -> Parts {
        Parts {
            summary: Summary {
                failure: Some(reason.to_string()),
                ..Summary::blank(name)
            },
            program: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_analysis_gives_an_empty_profile_that_says_why() {
        let stored = Stored::new("prog", Err(AnalysisError::TooLong(60)), vec!["a.o".into()]);
        let entries = sealed_entries(&stored.section).unwrap();
        assert_eq!(entries.len(), 1);
        let summary: Summary = serde_json::from_slice(entries[0].1).unwrap();
        assert_eq!(
            summary.failure.as_deref(),
            Some("the analysis took more than 60 s")
        );
        assert_eq!(summary.without_ir, ["a.o"]);
        assert!(
            stored
                .log_line(Path::new("/w/prog"))
                .contains("\"path\":\"/w/prog\"")
        );
    }

    #[test]
    fn an_analysis_is_kept_and_gets_the_objects_without_ir() {
        let done = Stored::new("prog", Err(AnalysisError::NoIr), Vec::new());
        let mut container = Vec::new();
        let summary = Summary {
            failure: None,
            ..done.summary
        };
        append(
            &mut container,
            SUMMARY,
            &serde_json::to_vec(&summary).unwrap(),
        );
        append(&mut container, PROGRAM, b"code");
        seal(&mut container);
        let stored = Stored::new("prog", Ok(container), vec!["b.o".into()]);
        assert_eq!(stored.summary.failure, None);
        assert_eq!(stored.summary.without_ir, ["b.o"]);
        assert_eq!(
            sealed_entries(&stored.section).unwrap()[1],
            (PROGRAM, &b"code"[..])
        );
    }

    #[test]
    fn output_that_is_no_profile_of_ours_is_a_failure() {
        let failure = |container: &[u8]| {
            Stored::new("p", Ok(container.to_vec()), Vec::new())
                .summary
                .failure
        };
        assert!(
            failure(b"rubbish of some length")
                .unwrap()
                .contains("no known mark")
        );
        assert!(failure(b"").unwrap().contains("checksum"));
        let mut empty = Vec::new();
        seal(&mut empty);
        assert!(failure(&empty).unwrap().contains("no summary"));
    }
}
