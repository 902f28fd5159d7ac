//! The measured run times of jobs against a GPU model: whether it has all the MIG profiles that they name.

use crate::exit_code::ExitCode;
use crate::failure::Explain;
use crate::jobs::Job;
use migfit_mig::{Model, ProfileName};

/// Times of a MIG profile that the GPU model lacks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("job '{job}' has a time for {named}, which {model} has not")]
pub struct ForeignTimes {
    job: String,
    named: ProfileName,
    model: String,
    /// MIG profiles of the model.
    known: Vec<ProfileName>,
    /// Built-in models that have all MIG profiles which the job's times name.
    elsewhere: Vec<String>,
    stated_at: Option<String>,
}

impl Explain for ForeignTimes {
    fn place(&self) -> Option<String> {
        self.stated_at.clone()
    }

    fn hint(&self) -> Option<String> {
        let names: Vec<String> = self.known.iter().map(ToString::to_string).collect();
        let elsewhere = match self.elsewhere.is_empty() {
            true => String::new(),
            false => format!(
                "measured on another GPU? --gpu {}; ",
                self.elsewhere.join(" or ")
            ),
        };
        Some(format!("{elsewhere}{} has {}", self.model, names.join(" ")))
    }

    fn exit_code(&self) -> ExitCode {
        ExitCode::BadJobFile
    }
}

/// Refuses times of MIG profiles that the model lacks.
///
/// # Errors
/// The first such time.
pub fn check(model: &Model, jobs: &[Job]) -> Result<(), Box<ForeignTimes>> {
    for job in jobs {
        let foreign = job
            .times
            .keys()
            .find(|name| model.profile(**name).is_none());
        if let Some(&named) = foreign {
            return Err(Box::new(ForeignTimes {
                job: job.name.clone(),
                named,
                model: model.name.clone(),
                known: model.plain_profiles(),
                elsewhere: elsewhere(job),
                stated_at: job.times_at.clone(),
            }));
        }
    }
    Ok(())
}

fn elsewhere(job: &Job) -> Vec<String> {
    let models = migfit_mig::builtin().unwrap_or_default();
    let has_all = |model: &&Model| job.times.keys().all(|name| model.profile(*name).is_some());
    let models = models.iter().filter(has_all);
    models.map(|model| model.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::job::SliceTime;

    fn job(names: &[&str]) -> Job {
        let time = SliceTime {
            startup_s: 1.0,
            iteration_s: 0.0,
        };
        let times = names.iter().map(|name| (name.parse().unwrap(), time));
        Job {
            times: times.collect(),
            times_at: Some("jobs.toml:3:9".to_owned()),
            ..Job::new("a".to_owned(), Vec::new(), "/".into())
        }
    }

    #[test]
    fn times_of_another_model_are_refused_with_the_models_that_have_them() {
        let model = migfit_mig::find("a30-24gb").unwrap();
        assert_eq!(check(model, &[job(&["1g.6gb"])]), Ok(()));
        let error = check(model, &[job(&["1g.6gb"]), job(&["1g.5gb"])]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "job 'a' has a time for 1g.5gb, which a30-24gb has not"
        );
        assert_eq!(error.place().as_deref(), Some("jobs.toml:3:9"));
        let hint = error.hint().unwrap();
        assert!(
            hint.starts_with("measured on another GPU? --gpu a100-40gb"),
            "{hint}"
        );
        assert!(
            hint.ends_with("a30-24gb has 1g.6gb 2g.12gb 4g.24gb"),
            "{hint}"
        );
    }
}
