//! What goes into `.migfit.profile`: the analysis with the objects that had no IR, or an empty job profile that says
//! why there is no analysis.

use super::analysis::AnalysisError;
use migfit_schema::build::BuiltProgram;
use migfit_schema::container::{SUMMARY, append, seal, sealed_entries};
use migfit_schema::profile::{Library, PROFILE_VERSION, Summary};
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
        libraries: Vec<Library>,
    ) -> Stored {
        let read = analysed.and_then(|container| Entries::read(&container));
        let entries = read.unwrap_or_else(|reason| Entries::unknown(name, &reason));
        let summary = Summary {
            without_ir,
            libraries,
            ..entries.summary
        };
        let mut section = Vec::new();
        // A summary is plain data: writing it as JSON cannot fail.
        append(
            &mut section,
            SUMMARY,
            &serde_json::to_vec(&summary).unwrap_or_default(),
        );
        for (mark, payload) in &entries.others {
            append(&mut section, *mark, payload);
        }
        seal(&mut section);
        Stored { section, summary }
    }

    /// What the build's log says of it.
    pub fn told(&self, path: &Path, is_library: bool) -> BuiltProgram {
        BuiltProgram {
            path: path.display().to_string(),
            is_library,
            allocations: self.summary.allocations.len(),
            launches: self.summary.launches.len(),
            unknowns: self.summary.unknowns.len(),
            without_ir: self.summary.without_ir.clone(),
            failure: self.summary.failure.clone(),
        }
    }
}

/// The entries of a container: the summary, and the others as they are.
struct Entries {
    summary: Summary,
    others: Vec<([u8; 8], Vec<u8>)>,
}

impl Entries {
    fn read(container: &[u8]) -> Result<Entries, AnalysisError> {
        let broken = |reason: String| AnalysisError::Output(reason);
        let entries = sealed_entries(container).map_err(|error| broken(error.to_string()))?;
        let json = entries.iter().find(|(mark, _)| *mark == SUMMARY);
        let (_, json) = json.ok_or_else(|| broken("it has no summary".into()))?;
        let summary: Summary =
            serde_json::from_slice(json).map_err(|error| broken(error.to_string()))?;
        if summary.version != PROFILE_VERSION {
            return Err(broken(format!(
                "its version is {}, ours {PROFILE_VERSION}",
                summary.version
            )));
        }
        let others = entries.iter().filter(|(mark, _)| *mark != SUMMARY);
        let others = others.map(|(mark, payload)| (*mark, payload.to_vec()));
        Ok(Entries {
            summary,
            others: others.collect(),
        })
    }

    fn unknown(name: &str, reason: &AnalysisError) -> Entries {
        Entries {
            summary: Summary {
                failure: Some(reason.to_string()),
                ..Summary::blank(name)
            },
            others: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_schema::container::PROGRAM;

    #[test]
    fn a_failed_analysis_gives_an_empty_profile_that_says_why() {
        let stored = Stored::new(
            "prog",
            Err(AnalysisError::TooLong(60)),
            vec!["a.o".into()],
            Vec::new(),
        );
        let entries = sealed_entries(&stored.section).unwrap();
        assert_eq!(entries.len(), 1);
        let summary: Summary = serde_json::from_slice(entries[0].1).unwrap();
        assert_eq!(
            summary.failure.as_deref(),
            Some("the analysis took more than 60 s")
        );
        assert_eq!(summary.without_ir, ["a.o"]);
        assert_eq!(stored.told(Path::new("/w/prog"), false).path, "/w/prog");
    }

    #[test]
    fn an_analysis_is_kept_and_gets_the_objects_without_ir() {
        let done = Stored::new("prog", Err(AnalysisError::NoIr), Vec::new(), Vec::new());
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
        let stored = Stored::new("prog", Ok(container), vec!["b.o".into()], Vec::new());
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
            Stored::new("p", Ok(container.to_vec()), Vec::new(), Vec::new())
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
