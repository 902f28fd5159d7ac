//! A job whose process has ended -> what was seen of this attempt, and what follows from it.

use crate::run::attempt::Attempt;
use crate::run::batch::Batch;
use crate::run::ending::Ending;
use crate::run::folder::JobFolder;
use crate::run::record::{self, Seen};
use crate::run::restart::{self, Case, Next};
use crate::run::running::RunningJob;
use crate::run::verified;
use migfit_mig::{Held, ProfileName, place};
use migfit_schema::units::{Bytes, Mib};

impl Batch<'_> {
    /// What was seen of an attempt that has ended.
    pub fn attempt(&self, running: RunningJob, ending: Ending) -> Attempt {
        let run = running.started.elapsed();
        let seen = record::read(&running.files.records);
        Attempt {
            executed: self.executed(&seen),
            own_check: self.own_check(&running.files),
            ending,
            placed: running.device.spec.0,
            placing: running.placing,
            wait: running.wait,
            run,
            seen,
            stopped: running.stopped,
            then: None,
            next_needs: None,
            files: running.files,
        }
    }

    /// Whether the job is started again, and on what: slices that the policy wants and that there can be beside the
    /// GPU instances of others. `number` is that of the attempt, from 1.
    pub fn after(&self, job: usize, number: usize, attempt: &Attempt, others: &[Held]) -> Next {
        let ready = &self.jobs[job];
        let foretold = ready.program.as_ref().map(|program| &program.foretold);
        let case = Case {
            allowed: ready.job.restart,
            attempt,
            number,
            variables: foretold.map_or(Bytes(0), |foretold| foretold.variables),
            input: self.input.kind(),
        };
        match restart::next(case, self.board) {
            Next::Again { slices, why, need } => self.possible(&slices, (why, need), others),
            other => other,
        }
    }

    fn possible(
        &self,
        fitting: &[ProfileName],
        (why, need): (String, Mib),
        others: &[Held],
    ) -> Next {
        let whole = self.graph.model().whole().map(|whole| whole.name);
        let wanted = whole.map_or_else(Vec::new, |whole| self.policy.choose(fitting, whole));
        let can_be = |slice: &ProfileName| place(self.graph, others, *slice).is_ok();
        let slices: Vec<ProfileName> = wanted.into_iter().filter(can_be).collect();
        match slices.is_empty() {
            true => Next::GiveUp(
                "not started again: GPU instances of others leave no place for a larger slice"
                    .to_owned(),
            ),
            false => Next::Again { slices, why, need },
        }
    }

    /// Whether the launches of a job were executed: on the virtual GPU only where the record says so.
    fn executed(&self, seen: &Seen) -> bool {
        let seen_by_nobody = self.around.virtual_gpu.is_some() && seen.peak.is_none();
        !seen_by_nobody && seen.not_executed == 0
    }

    /// What the job's own check said, where its output is a file.
    fn own_check(&self, files: &JobFolder) -> Option<bool> {
        (!self.terminal)
            .then(|| verified::read(&files.stdout))
            .flatten()
    }
}
