//! The story of `migfit simulate`: read the jobs, see which slices hold each, play every policy, tell the figures.

use crate::cli::request::{PolicyName, SimulateRequest, Trials};
use crate::jobs::{Commands, Job, source};
use crate::policy::fifo::Fifo;
use crate::policy::{HostRoom, Policy, Share};
use crate::run::need::foretell;
use crate::simulate::costs::{CREATION, expected, run_time};
use crate::simulate::error::{Untimed, all_began};
use crate::simulate::outcome::{Outcome, sum_up};
use crate::simulate::schedule::{self, Entrant, Ground, Schedule};
use crate::simulate::trials::{Lab, Tried, tried};
use crate::simulate::{SimulateError, json, text};
use crate::sizing::measured;
use migfit_mig::{LayoutGraph, ProfileName};

/// Where nothing of the host is stated, it bounds nothing.
const ANY_HOST: HostRoom = HostRoom {
    cpus: u32::MAX,
    memory: None,
};

/// What all policies came to, as text or JSON.
///
/// # Errors
/// When a job has no time on a slice that a policy would give it.
pub fn simulate(request: &SimulateRequest) -> Result<String, SimulateError> {
    let jobs = source::read(&request.jobs, Commands::Optional)?;
    let simulation = Simulation::new(request, &jobs)?;
    if let Some(trials) = request.trials {
        let tried = simulation.trials(trials)?;
        return Ok(match request.json {
            true => json::trials(request, &tried)?,
            false => text::trials(request, trials, &tried),
        });
    }
    let outcomes = simulation.outcomes(&request.policies)?;
    let answer = Answer {
        request,
        jobs: &jobs,
        outcomes: &outcomes,
    };
    match request.json {
        true => Ok(json::json(&answer)?),
        false => Ok(text::text(&answer)),
    }
}

/// What is told.
pub struct Answer<'a> {
    /// What was asked.
    pub request: &'a SimulateRequest,
    /// The jobs, in the order of the job file.
    pub jobs: &'a [Job],
    /// The policies, in the order asked for.
    pub outcomes: &'a [Outcome],
}

struct Simulation<'s> {
    request: &'s SimulateRequest,
    jobs: &'s [Job],
    graph: LayoutGraph,
}

impl<'s> Simulation<'s> {
    fn new(request: &'s SimulateRequest, jobs: &'s [Job]) -> Result<Simulation<'s>, SimulateError> {
        let model = request.board.model;
        measured::check(model, jobs)?;
        Ok(Simulation {
            request,
            jobs,
            graph: LayoutGraph::new(model, &model.plain_profiles())?,
        })
    }

    fn outcomes(&self, policies: &[PolicyName]) -> Result<Vec<Outcome>, SimulateError> {
        let sequential = match policies.contains(&PolicyName::Sequential) {
            true => Some(self.play(&PolicyName::Sequential)?),
            // Not asked for: figures against it are left out where it cannot be played.
            false => self.play(&PolicyName::Sequential).ok(),
        };
        let sequential = sequential.map(|schedule| schedule.makespan());
        let model = self.request.board.model;
        let gpus = self.request.gpus;
        let outcome = |policy: &PolicyName| {
            let schedule = self.play(policy)?;
            Ok(sum_up(policy.clone(), schedule, (model, gpus), sequential))
        };
        policies.iter().map(outcome).collect()
    }

    fn trials(&self, trials: Trials) -> Result<Vec<Tried>, SimulateError> {
        let fitting = self.jobs.iter().map(|job| self.fitting(job));
        let fitting: Vec<Vec<ProfileName>> = fitting.collect::<Result<_, _>>()?;
        let untimed = self.jobs.iter().filter(|job| job.times.is_empty());
        let jobs: Vec<Untimed> = untimed
            .map(|job| Untimed {
                job: job.name.clone(),
                slice: None,
                stated_at: job.stated_at.clone(),
            })
            .collect();
        if !jobs.is_empty() {
            return Err(SimulateError::Untimed {
                policy: "all".to_owned(),
                jobs,
                of: self.jobs.len(),
            });
        }
        let lab = Lab {
            jobs: self.jobs,
            fitting: &fitting,
            graph: &self.graph,
            gpus: self.request.gpus,
            host: self.request.host.over(ANY_HOST),
            trials,
        };
        tried(&lab, &self.request.policies)
    }

    /// The slices that hold a job.
    fn fitting(&self, job: &Job) -> Result<Vec<ProfileName>, SimulateError> {
        let foretold = foretell(self.request.board, job, Err("not looked at"), &Fifo);
        Ok(foretold.map_err(SimulateError::TooLarge)?.fitting)
    }

    fn play(&self, name: &PolicyName) -> Result<Schedule, SimulateError> {
        let policy = name.policy(&self.graph)?;
        let entrants = self.entrants(name, policy.as_ref())?;
        let ground = Ground {
            graph: &self.graph,
            gpus: self.request.gpus,
            policy: policy.as_ref(),
            host: self.request.host.over(ANY_HOST),
            creation: CREATION,
        };
        let time = |job: usize, slice: ProfileName| {
            self.jobs
                .get(job)
                .map(|job| run_time(job, slice))
                .unwrap_or_default()
        };
        let schedule = schedule::play(&ground, &entrants, &time)?;
        all_began(schedule, name, |job| {
            let job = self.jobs.get(job);
            job.map(|job| job.name.clone()).unwrap_or_default()
        })
    }

    fn entrants(
        &self,
        name: &PolicyName,
        policy: &dyn Policy,
    ) -> Result<Vec<Entrant>, SimulateError> {
        let mut entrants = Vec::new();
        let mut untimed = Vec::new();
        for job in self.jobs {
            let slices = self.slices(job, policy)?;
            let missing = slices.iter().find(|slice| !job.times.contains_key(slice));
            untimed.extend(missing.map(|slice| Untimed {
                job: job.name.clone(),
                slice: (!job.times.is_empty()).then_some(*slice),
                stated_at: job.times_at.clone().or_else(|| job.stated_at.clone()),
            }));
            entrants.push(Entrant {
                slices: Ok(slices),
                after: job.after.clone(),
                share: Share {
                    cpus: job.cpus,
                    memory: job.host_memory.unwrap_or_default(),
                },
                arrives: job.arrives,
                times: expected(job),
                foretold: false,
            });
        }
        match untimed.is_empty() {
            true => Ok(entrants),
            false => Err(SimulateError::Untimed {
                policy: name.name(),
                jobs: untimed,
                of: self.jobs.len(),
            }),
        }
    }

    /// The slices that the policy would give a job, of those that its times and its stated memory allow. Its program is
    /// not looked at.
    fn slices(&self, job: &Job, policy: &dyn Policy) -> Result<Vec<ProfileName>, SimulateError> {
        let board = self.request.board;
        let foretold = foretell(board, job, Err("not looked at"), policy);
        let fitting = foretold.map_err(SimulateError::TooLarge)?.fitting;
        let whole = board.model.whole().map(|whole| whole.name);
        Ok(whole.map_or_else(Vec::new, |whole| policy.choose(&fitting, whole)))
    }
}
