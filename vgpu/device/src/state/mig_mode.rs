//! The switch for being partitioned, and the reset that some boards need for it, in the tables.

use super::error::StateError;
use super::layout::Tables;
use super::processes::reap;
use crate::model::Model;

/// Ampere boards switch MIG mode at a reset only; later ones at once (MIG User Guide).
const SWITCHES_AT_RESET: u32 = 8;

/// Asks for MIG mode to be on or off; only an unused GPU can switch. What is asked for stays pending.
pub fn set(tables: &mut Tables, model: &Model, on: bool) -> Result<(), StateError> {
    if tables.has_mig == 0 {
        return Err(StateError::MigOff);
    }
    reap(tables);
    tables.mig_pending = u64::from(on);
    if tables.mig_mode == tables.mig_pending {
        return Ok(());
    }
    if tables.gpu_instances.iter().any(|row| row.taken == 1) || has_processes(tables) {
        return Err(StateError::InUse("the GPU".to_owned()));
    }
    if model.compute_capability.0 == SWITCHES_AT_RESET {
        return Err(StateError::ResetRequired);
    }
    tables.mig_mode = tables.mig_pending;
    Ok(())
}

/// Forgets all instances and makes MIG mode what was last asked for.
pub fn reset(tables: &mut Tables) -> Result<(), StateError> {
    reap(tables);
    if has_processes(tables) {
        return Err(StateError::InUse("the GPU".to_owned()));
    }
    tables.gpu_instances = Tables::EMPTY.gpu_instances;
    tables.compute_instances = Tables::EMPTY.compute_instances;
    tables.mig_mode = tables.mig_pending;
    Ok(())
}

fn has_processes(tables: &Tables) -> bool {
    tables.processes.iter().any(|row| row.taken == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(mig_mode: u64) -> Tables {
        Tables {
            mig_mode,
            mig_pending: mig_mode,
            ..Tables::EMPTY
        }
    }

    #[test]
    fn hopper_switches_at_once_and_ampere_at_a_reset() {
        let model = |name| Model::named(name).unwrap();
        let mut hopper = tables(0);
        set(&mut hopper, &model("h100-80gb-sxm"), true).unwrap();
        assert_eq!((hopper.mig_mode, hopper.mig_pending), (1, 1));
        let mut ampere = tables(0);
        let answer = set(&mut ampere, &model("a100-40gb"), true);
        assert!(matches!(answer, Err(StateError::ResetRequired)));
        assert_eq!((ampere.mig_mode, ampere.mig_pending), (0, 1));
        reset(&mut ampere).unwrap();
        assert_eq!((ampere.mig_mode, ampere.mig_pending), (1, 1));
    }

    #[test]
    fn what_was_asked_for_can_be_taken_back() {
        let model = Model::named("a100-40gb").unwrap();
        let mut ampere = tables(1);
        assert!(set(&mut ampere, &model, false).is_err());
        set(&mut ampere, &model, true).unwrap();
        assert_eq!((ampere.mig_mode, ampere.mig_pending), (1, 1));
    }

    #[test]
    fn a_gpu_in_use_keeps_its_mode_and_a_board_without_mig_has_none() {
        let model = Model::named("h100-80gb-sxm").unwrap();
        let mut used = tables(1);
        used.gpu_instances[3].taken = 1;
        assert!(matches!(
            set(&mut used, &model, false),
            Err(StateError::InUse(_))
        ));
        assert_eq!((used.mig_mode, used.mig_pending), (1, 0));
        let mut none = tables(0);
        none.has_mig = 0;
        assert!(matches!(
            set(&mut none, &model, true),
            Err(StateError::MigOff)
        ));
    }
}
