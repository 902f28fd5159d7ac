//! What a trial draws by chance from a seed: which jobs, how far their foretold times are off, when they arrive. The same
//! seed gives the same trial on every machine.

use crate::cli::request::Trials;
use migfit_mig::ProfileName;
use std::time::Duration;

/// Iterations that a drawn job has, one of these: as in the study that the bench's targets come from.
const ITERATIONS: [u32; 5] = [100, 200, 500, 1000, 2000];

/// A source of chance.
pub struct Chance {
    random: fastrand::Rng,
    trials: Trials,
}

impl Chance {
    /// That of one trial.
    #[must_use]
    pub fn of(trials: Trials, trial: u32) -> Chance {
        let mut random = fastrand::Rng::with_seed(trials.seed);
        let seed = random.u64(..) ^ u64::from(trial).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Chance {
            random: fastrand::Rng::with_seed(seed),
            trials,
        }
    }

    /// Numbers of the jobs that take part, of so many.
    pub fn jobs(&mut self, of: usize) -> Vec<usize> {
        match self.trials.draw {
            None => (0..of).collect(),
            Some((least, most)) => {
                let count = self.random.usize(least..=most);
                (0..count).map(|_| self.random.usize(..of)).collect()
            }
        }
    }

    /// How many iterations a drawn job has.
    pub fn iterations(&mut self) -> Option<u32> {
        self.trials.draw?;
        self.random.choice(ITERATIONS)
    }

    /// Times as they would be foretold.
    pub fn foretold(&mut self, times: &[(ProfileName, Duration)]) -> Vec<(ProfileName, Duration)> {
        if self.trials.error <= 0.0 {
            return times.to_vec();
        }
        // Half of the variance is shared by the slices of a job.
        let part = self.trials.error / 2f64.sqrt();
        let shared = part * self.normal();
        let off = |(name, time): &(ProfileName, Duration)| {
            let factor = (shared + part * self.normal()).exp();
            let seconds = time.as_secs_f64() * factor;
            (*name, Duration::try_from_secs_f64(seconds).unwrap_or(*time))
        };
        times.iter().map(off).collect()
    }

    /// Arrivals of so many jobs whose joint area is `mean` seconds of one GPU each; none without a load.
    pub fn arrivals(&mut self, count: usize, mean: f64, gpus: usize) -> Vec<Duration> {
        let Some(load) = self.trials.load else {
            return vec![Duration::ZERO; count];
        };
        let between = mean / (load * gpus as f64);
        let mut now = 0.0;
        let arrive = |_| {
            now += -between * (1.0 - self.random.f64()).ln();
            Duration::try_from_secs_f64(now).unwrap_or_default()
        };
        (0..count).map(arrive).collect()
    }

    /// A standard normal number (Box and Muller).
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.random.f64()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.random.f64()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIALS: Trials = Trials {
        count: 1,
        seed: 7,
        draw: Some((20, 20)),
        error: 0.1,
        load: Some(0.5),
    };

    #[test]
    fn a_trial_repeats_and_another_differs() {
        let drawn = |trial| Chance::of(TRIALS, trial).jobs(1000);
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }

    #[test]
    fn errors_and_arrivals_have_the_spread_asked_for() {
        let mut chance = Chance::of(TRIALS, 0);
        let one = [(ProfileName::plain(1, 5), Duration::from_secs(100))];
        let logs: Vec<f64> = (0..20_000)
            .map(|_| (chance.foretold(&one)[0].1.as_secs_f64() / 100.0).ln())
            .collect();
        let mean = logs.iter().sum::<f64>() / 20_000.0;
        let sd = (logs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0).sqrt();
        assert!(
            mean.abs() < 0.003 && (sd - 0.1).abs() < 0.003,
            "{mean} {sd}"
        );
        let arrivals = chance.arrivals(20_000, 10.0, 2);
        let between = arrivals.last().unwrap().as_secs_f64() / 20_000.0;
        assert!((between - 10.0).abs() < 0.3, "{between}");
    }
}
