//! Tables of a state file -> what in them cannot be, as a clause. Any bytes are tables, so a damaged file that kept
//! its header would otherwise pass. Pure: it knows no file.

use super::instances::{self, ComputeInstance, GpuInstance};
use super::layout::{BOARD_BYTES, Tables};
use super::placing;
use crate::model::Model;

/// The first thing in the tables that the virtual GPU never writes there.
///
/// # Errors
/// What it is, as a clause.
pub fn check(tables: &Tables, model: &Model) -> Result<(), String> {
    check_marks(tables)?;
    let owners = instances::gpu_instances(tables, model);
    let computes = instances::compute_instances(tables, model);
    check_mig_mode(tables, model, &owners, &computes)?;
    for (nth, owner) in owners.iter().enumerate() {
        let before = owners.get(..nth).unwrap_or_default();
        check_gpu_instance(owner, before, model, tables.swapped == 1)?;
    }
    for (nth, compute) in computes.iter().enumerate() {
        let before = computes.get(..nth).unwrap_or_default();
        check_compute_instance(compute, before, &owners, model)?;
    }
    check_board(&tables.board)?;
    check_processes(tables, model)
}

fn check_marks(tables: &Tables) -> Result<(), String> {
    let owners = tables.gpu_instances.iter().map(|row| row.taken);
    let computes = tables.compute_instances.iter().map(|row| row.taken);
    let processes = tables.processes.iter().map(|row| row.taken);
    let taken = owners.chain(computes).chain(processes);
    match taken.into_iter().find(|taken| *taken > 1) {
        None => Ok(()),
        Some(taken) => Err(format!("a row is marked {taken}, neither free nor taken")),
    }
}

fn check_mig_mode(
    tables: &Tables,
    model: &Model,
    owners: &[GpuInstance],
    computes: &[ComputeInstance],
) -> Result<(), String> {
    let settings = [tables.has_mig, tables.mig_pending, tables.swapped];
    if let Some(odd) = settings.into_iter().find(|setting| *setting > 1) {
        return Err(format!("a setting of MIG is {odd}, neither on nor off"));
    }
    match tables.mig_mode {
        1 if model.has_mig() => Ok(()),
        0 if owners.is_empty() && computes.is_empty() => Ok(()),
        0 => Err("it has instances while MIG mode is off".to_owned()),
        mode => Err(format!("MIG mode {mode} is none of {}", model.name)),
    }
}

fn check_board(board: &[u8; BOARD_BYTES]) -> Result<(), String> {
    let text = board.split(|byte| *byte == 0).next().unwrap_or_default();
    let rest = board.iter().skip(text.len());
    match std::str::from_utf8(text) {
        Ok(_) if text.len() < BOARD_BYTES && rest.into_iter().all(|byte| *byte == 0) => Ok(()),
        _ => Err("the board's name is no text".to_owned()),
    }
}

fn check_gpu_instance(
    owner: &GpuInstance,
    before: &[GpuInstance],
    model: &Model,
    swapped: bool,
) -> Result<(), String> {
    let (id, place) = (owner.id, owner.placement);
    let profile = model.profile(owner.profile).ok_or_else(|| {
        let (number, name) = (owner.profile, &model.name);
        format!("GPU instance {id} is of MIG profile {number}, which {name} has not")
    })?;
    if !profile.starts.contains(&place.start) {
        let (name, start) = (&profile.name, place.start);
        return Err(format!(
            "GPU instance {id}, a {name}, lies at {start}, where none can"
        ));
    }
    if id != placing::gpu_instance_id(model, place, swapped) {
        return Err(format!("GPU instance {id} lies where another id belongs"));
    }
    if before.iter().any(|other| other.placement.overlaps(place)) {
        return Err(format!("GPU instance {id} lies on another one"));
    }
    let same = before.iter().filter(|other| other.profile == owner.profile);
    if same.count() >= profile.max_count as usize {
        return Err(format!("there are too many {}", profile.name));
    }
    Ok(())
}

fn check_compute_instance(
    compute: &ComputeInstance,
    before: &[ComputeInstance],
    owners: &[GpuInstance],
    model: &Model,
) -> Result<(), String> {
    let name = format!(
        "compute instance {} of GPU instance {}",
        compute.id, compute.gpu_instance
    );
    let owner = owners.iter().find(|owner| owner.id == compute.gpu_instance);
    let owner = owner.and_then(|owner| model.profile(owner.profile));
    let owner = owner.ok_or_else(|| format!("{name} is in none"))?;
    let profile = owner.compute_profile(compute.profile);
    let profile =
        profile.ok_or_else(|| format!("{name} is of a kind that a {} has not", owner.name))?;
    let place = compute.placement;
    if place.start > owner.sm_slices.saturating_sub(profile.sm_slices) {
        return Err(format!("{name} lies outside it"));
    }
    let mut sisters = before
        .iter()
        .filter(|other| other.gpu_instance == compute.gpu_instance);
    if sisters.any(|other| other.id == compute.id || other.placement.overlaps(place)) {
        return Err(format!("{name} lies on another one"));
    }
    Ok(())
}

fn check_processes(tables: &Tables, model: &Model) -> Result<(), String> {
    let most = model.memory.to_bytes().0;
    let mut rows = tables.processes.iter().filter(|row| row.taken == 1);
    match rows.find(|row| row.bytes > most) {
        None => Ok(()),
        Some(row) => Err(format!(
            "process {} holds {} bytes, more than the GPU has",
            row.pid, row.bytes
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Placement;
    use crate::state::layout::{ComputeInstanceRow, GpuInstanceRow, PROCESSES};
    use proptest::prelude::*;

    fn a100() -> Model {
        Model::named("a100-40gb").unwrap()
    }

    /// A 3g.20gb at 4 with two compute instances, and a 1g.5gb at 0.
    fn sound() -> Tables {
        let mut tables = Tables {
            mig_mode: 1,
            ..Tables::EMPTY
        };
        let model = a100();
        let half = Placement { start: 4, size: 4 };
        instances::create_gpu_instance(&mut tables, &model, 9, Some(half)).unwrap();
        let first = Placement { start: 0, size: 1 };
        instances::create_gpu_instance(&mut tables, &model, 19, Some(first)).unwrap();
        for _ in 0..2 {
            instances::create_compute_instance(&mut tables, &model, 2, 0, None).unwrap();
        }
        tables.processes[3].taken = 1;
        tables.processes[3].bytes = 5 << 30;
        tables
    }

    fn damage(change: impl FnOnce(&mut Tables)) -> String {
        let mut tables = sound();
        change(&mut tables);
        check(&tables, &a100()).unwrap_err()
    }

    #[test]
    fn what_the_gpu_itself_wrote_is_sound() {
        assert_eq!(check(&sound(), &a100()), Ok(()));
        assert_eq!(check(&Tables::EMPTY, &a100()), Ok(()));
    }

    #[test]
    fn impossible_gpu_instances_are_told() {
        let row = |change: fn(&mut GpuInstanceRow)| damage(|t| change(&mut t.gpu_instances[0]));
        assert_eq!(
            row(|row| row.taken = 7),
            "a row is marked 7, neither free nor taken"
        );
        assert!(row(|row| row.profile = 99).contains("MIG profile 99"));
        assert!(row(|row| row.start = 3).contains("lies at 3"));
        assert!(row(|row| row.start = u32::MAX).contains("where none can"));
        assert!(row(|row| row.id = 1).contains("another id belongs"));
        let twice = damage(|tables| tables.gpu_instances[5] = tables.gpu_instances[1]);
        assert_eq!(twice, "GPU instance 7 lies on another one");
    }

    #[test]
    fn impossible_compute_instances_are_told() {
        let row =
            |change: fn(&mut ComputeInstanceRow)| damage(|t| change(&mut t.compute_instances[1]));
        assert!(row(|row| row.gpu_instance = 40).contains("is in none"));
        assert!(row(|row| row.profile = 99).contains("of a kind that a 3g.20gb has not"));
        assert!(row(|row| row.start = 3).contains("lies outside it"));
        assert!(row(|row| row.start = 0).contains("lies on another one"));
        assert!(row(|row| row.id = 0).contains("lies on another one"));
    }

    #[test]
    fn impossible_modes_and_amounts_are_told() {
        assert!(damage(|tables| tables.mig_mode = 0).contains("while MIG mode is off"));
        assert!(damage(|tables| tables.mig_mode = 2).contains("MIG mode 2"));
        assert!(damage(|tables| tables.mig_pending = 2).contains("setting of MIG is 2"));
        assert!(damage(|tables| tables.has_mig = 9).contains("setting of MIG is 9"));
        assert!(damage(|tables| tables.board = [b'x'; BOARD_BYTES]).contains("board's name"));
        assert!(damage(|tables| tables.board[3] = b'x').contains("board's name"));
        assert!(damage(|tables| tables.board[0] = 0xff).contains("board's name"));
        assert!(damage(|tables| tables.processes[3].bytes = u64::MAX).contains("more than"));
    }

    proptest! {
        #[test]
        fn no_words_make_it_panic(words in prop::collection::vec((0_usize..PROCESSES, any::<u32>()), 1..20)) {
            let mut tables = sound();
            for (nth, word) in words {
                let owner = &mut tables.gpu_instances[nth % 16];
                (owner.taken, owner.id, owner.start) = (word % 2, word >> 8, word >> 4);
                owner.profile = if word % 3 == 0 { 19 } else { word };
                let compute = &mut tables.compute_instances[nth % 64];
                (compute.taken, compute.gpu_instance) = (word % 2, word >> 9);
                (compute.profile, compute.start) = (word % 5, word);
                tables.processes[nth].bytes = u64::from(word) << 20;
            }
            let _ = check(&tables, &a100());
        }
    }
}
