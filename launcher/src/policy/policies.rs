//! The one trait of all policies.

use crate::policy::{Situation, Step};
use migfit_mig::{NoPlacement, ProfileName};

/// Who goes where, when.
pub trait Policy {
    /// MIG profiles that this policy would give to a job, the one to prefer first, of those that hold it
    /// (tightest first) and the one that takes the whole GPU; all that hold it, unless a policy says otherwise.
    fn choose(&self, fitting: &[ProfileName], _whole: ProfileName) -> Vec<ProfileName> {
        fitting.to_vec()
    }

    /// The next thing to do. Asked again after each start and after each end.
    ///
    /// # Errors
    /// When the situation contradicts itself: GPU instances that cannot exist together, an unknown MIG profile.
    fn next(&self, situation: &Situation<'_>) -> Result<Step, NoPlacement>;
}
