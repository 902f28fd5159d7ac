//! What a job file says of jobs against what is foretold and what the host has -> sentences for the user before
//! anything starts. Stops nothing.

use crate::jobs::Job;
use crate::policy::HostRoom;
use crate::run::need::Foretold;
use crate::run::ready::ReadyJob;
use migfit_sizes::Verdict;

/// All sentences, in the order of the jobs.
#[must_use]
pub fn warnings(jobs: &[ReadyJob], host: HostRoom) -> Vec<String> {
    let each = jobs.iter().flat_map(|ready| {
        let program = ready.program.as_ref().ok();
        let memory = program.and_then(|program| understated(&ready.job, &program.foretold));
        memory.into_iter().chain(beyond(&ready.job, host))
    });
    each.collect()
}

/// A stated memory that is less than a forecast which is sure.
#[must_use]
pub fn understated(job: &Job, foretold: &Foretold) -> Option<String> {
    let (memory, peak) = (job.memory?, foretold.peak?);
    let sure = matches!(foretold.verdict, Verdict::Exact | Verdict::UpperBound);
    (sure && memory < peak).then(|| {
        format!(
            "{}: the job file says {memory}, {peak} foretold ({})",
            job.name, foretold.verdict
        )
    })
}

/// What a job asks for and this host does not have.
fn beyond(job: &Job, host: HostRoom) -> Vec<String> {
    let mut said = Vec::new();
    if job.cpus > host.cpus {
        said.push(format!(
            "{}: cpus = {} is more than this host has ({})",
            job.name, job.cpus, host.cpus
        ));
    }
    if let (Some(wanted), Some(free)) = (job.host_memory, host.memory)
        && wanted > free
    {
        said.push(format!(
            "{}: host_memory of {wanted} is more than this host has free ({free})",
            job.name
        ));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_schema::units::{Bytes, Mib};

    fn job(memory: u64) -> Job {
        Job {
            memory: Some(Mib(memory).to_bytes()),
            cpus: 3,
            host_memory: Some(Bytes(2 << 30)),
            ..Job::new("a".to_owned(), vec!["sh".into()], "/".into())
        }
    }

    fn foretold(verdict: Verdict) -> Foretold {
        Foretold {
            peak: Some(Bytes(2 << 30)),
            verdict,
            fitting: Vec::new(),
            why: String::new(),
            needs: None,
            special: String::new(),
            launches: 0,
            variables: Bytes(0),
        }
    }

    #[test]
    fn memory_below_a_sure_forecast_is_told() {
        assert_eq!(
            understated(&job(1024), &foretold(Verdict::Exact)).unwrap(),
            "a: the job file says 1.00 GiB, 2.00 GiB foretold (exact)"
        );
        assert!(understated(&job(1024), &foretold(Verdict::UpperBound)).is_some());
        assert_eq!(understated(&job(2048), &foretold(Verdict::Exact)), None);
        assert_eq!(
            understated(&job(1024), &foretold(Verdict::LowerBound)),
            None
        );
    }

    #[test]
    fn what_the_host_does_not_have_is_told() {
        let host = |cpus, gib: u64| HostRoom {
            cpus,
            memory: Some(Bytes(gib << 30)),
        };
        assert_eq!(
            beyond(&job(1), host(2, 1)),
            [
                "a: cpus = 3 is more than this host has (2)",
                "a: host_memory of 2.00 GiB is more than this host has free (1.00 GiB)",
            ]
        );
        assert!(beyond(&job(1), host(3, 2)).is_empty());
    }
}
