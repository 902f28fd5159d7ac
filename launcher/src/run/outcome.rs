//! What became of one job: its attempts, how it ended, and the sentence that the report gives as its reason.

use crate::run::attempt::{Attempt, Missing};
use crate::run::ending::Ending;

/// What became of one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How the job ended.
    pub ending: Ending,
    /// Its starts, in order; the last one counts.
    pub attempts: Vec<Attempt>,
}

impl Outcome {
    /// A job that never started.
    pub fn not_started(why: impl Into<String>) -> Outcome {
        Outcome {
            ending: Ending::NotStarted(why.into()),
            attempts: Vec::new(),
        }
    }

    /// A job that was started as often as `attempts` tells.
    pub fn of(attempts: Vec<Attempt>) -> Outcome {
        let ending = attempts.last().map(|last| last.ending.clone());
        Outcome {
            ending: ending.unwrap_or_else(|| Ending::NotStarted("no attempt".to_owned())),
            attempts,
        }
    }

    /// The attempt that counts.
    pub fn last(&self) -> Option<&Attempt> {
        self.attempts.last()
    }

    /// Those that were followed by another.
    pub fn earlier(&self) -> &[Attempt] {
        let all = self.attempts.as_slice();
        all.split_last().map_or(&[], |(_, earlier)| earlier)
    }

    /// Why it failed; none where it did not.
    pub fn failure(&self) -> Option<String> {
        match self.last() {
            Some(last) => last.failure(),
            None => Some(self.ending.to_string()),
        }
    }

    /// Launches that did not come about; `foretold` were to come.
    pub fn missing(&self, foretold: u64) -> Option<Missing> {
        self.last().and_then(|last| last.missing(foretold))
    }

    /// What a reader must know beside success and failure: earlier attempts, what was not tried again, hidden lacks.
    pub fn remarks(&self) -> Vec<String> {
        let earlier = self.earlier().iter().zip(1..);
        let earlier = earlier.map(|(attempt, number)| {
            let ran_out = attempt.lack().map(ToString::to_string).unwrap_or_default();
            format!("attempt {number} ran out on {}: {ran_out}", attempt.placed)
        });
        let last = self.last();
        let hidden = last.and_then(Attempt::hidden_lack);
        let then = last.and_then(|last| last.then.clone());
        earlier.chain(hidden).chain(then).collect()
    }

    /// The reason in the report: why it failed, which launches are missing, what happened before, then why it was
    /// placed so, then what the record lacks.
    pub fn reason(&self, foretold: &str, launches: u64) -> String {
        let mut parts: Vec<String> = self.failure().into_iter().collect();
        parts.extend(self.missing(launches).map(|missing| missing.to_string()));
        parts.extend(self.remarks());
        parts.push(foretold.to_owned());
        if let Some(last) = self.last() {
            let again = self.earlier().last().and_then(|before| before.then.clone());
            parts.extend(again);
            parts.push(last.placing.clone());
            if last.seen.processes > 1 {
                let processes = last.seen.processes;
                parts.push(format!("seen peak: the largest of {processes} processes"));
            }
            parts.extend(last.seen.troubles.iter().cloned());
        }
        parts.retain(|part| !part.is_empty());
        parts.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::attempt::tests::{ended, lack};

    #[test]
    fn reasons_stand_in_order_of_weight() {
        let mut attempt = ended(Ending::Exit(3));
        attempt.placing = "created on free slices".to_owned();
        attempt.seen.processes = 2;
        assert_eq!(
            Outcome::of(vec![attempt]).reason("3 MiB foretold", 0),
            "exit code 3; 3 MiB foretold; created on free slices; seen peak: the largest of 2 processes"
        );
        let absent = Outcome::not_started("no such file");
        assert_eq!(absent.reason("", 5), "not started: no such file");
        assert_eq!(absent.ending.exit_code(), None);
    }

    #[test]
    fn missing_launches_are_part_of_the_reason() {
        let mut attempt = ended(Ending::Exit(0));
        attempt.seen.peak = Some(1);
        let outcome = Outcome::of(vec![attempt]);
        assert_eq!(outcome.reason("", 3), "3 launches foretold, none seen");
    }

    #[test]
    fn a_job_that_was_mended_tells_its_story() {
        let mut first = ended(Ending::Exit(2));
        first.seen.lacks = vec![lack(4096, 2048)];
        first.then = Some("started again: it needs 6300 MiB".to_owned());
        let mut second = ended(Ending::Exit(0));
        second.placing = "reused".to_owned();
        let outcome = Outcome::of(vec![first, second]);
        assert_eq!(outcome.failure(), None);
        assert_eq!(
            outcome.reason("1.00 GiB by the job file's word", 0),
            "attempt 1 ran out on 1g.5gb@6: asked for 4.00 GiB with 2.00 GiB in use; 1.00 GiB by the job file's \
             word; started again: it needs 6300 MiB; reused"
        );
    }

    #[test]
    fn why_a_job_was_not_tried_again_stands_behind_its_failure() {
        let mut only = ended(Ending::Exit(2));
        only.seen.lacks = vec![lack(4096, 2048)];
        only.then = Some("not started again: restart = \"never\"".to_owned());
        assert_eq!(
            Outcome::of(vec![only]).reason("", 0),
            "out of device memory: asked for 4.00 GiB with 2.00 GiB in use: proved by the run record (exit code 2); \
             not started again: restart = \"never\""
        );
    }
}
