//! Creating and destroying GPU instances and compute instances by the driver's rules, in the tables.

use super::error::StateError;
use super::layout::{ComputeInstanceRow, GpuInstanceRow, Tables};
use super::placing;
use super::processes::reap;
use crate::model::{CiProfile, GiProfile, Model, Placement};

/// A GPU instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuInstance {
    /// GI id.
    pub id: u32,
    /// Id of its MIG profile.
    pub profile: u32,
    /// Its memory slices.
    pub placement: Placement,
}

/// A compute instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComputeInstance {
    /// GI id of its GPU instance.
    pub gpu_instance: u32,
    /// CI id within that GPU instance.
    pub id: u32,
    /// Id of its compute-instance profile.
    pub profile: u32,
    /// Its SM slices within the GPU instance.
    pub placement: Placement,
}

/// All GPU instances, by id.
pub fn gpu_instances(tables: &Tables, model: &Model) -> Vec<GpuInstance> {
    let rows = tables.gpu_instances.iter().filter(|row| row.taken == 1);
    let mut found: Vec<_> = rows
        .map(|row| GpuInstance {
            id: row.id,
            profile: row.profile,
            placement: Placement {
                start: row.start,
                size: model
                    .profile(row.profile)
                    .map_or(0, |profile| profile.memory_slices),
            },
        })
        .collect();
    found.sort_by_key(|instance| instance.id);
    found
}

/// All compute instances, by GI id and CI id.
pub fn compute_instances(tables: &Tables, model: &Model) -> Vec<ComputeInstance> {
    let owners = gpu_instances(tables, model);
    let size = |row: &ComputeInstanceRow| {
        let owner = owners.iter().find(|owner| owner.id == row.gpu_instance)?;
        let profile = model.profile(owner.profile)?.compute_profile(row.profile)?;
        Some(profile.sm_slices)
    };
    let rows = tables.compute_instances.iter().filter(|row| row.taken == 1);
    let mut found: Vec<_> = rows
        .map(|row| ComputeInstance {
            gpu_instance: row.gpu_instance,
            id: row.id,
            profile: row.profile,
            placement: Placement {
                start: row.start,
                size: size(row).unwrap_or(0),
            },
        })
        .collect();
    found.sort_by_key(|instance| (instance.gpu_instance, instance.id));
    found
}

/// Places on which a GPU instance of this MIG profile could be created now, in the driver's order.
pub fn free_placements(tables: &Tables, model: &Model, profile: &GiProfile) -> Vec<Placement> {
    let taken = gpu_instances(tables, model);
    let of_profile = taken
        .iter()
        .filter(|instance| instance.profile == profile.id)
        .count();
    if of_profile >= profile.max_count as usize || !engines_left(&taken, model, profile) {
        return Vec::new();
    }
    let size = profile.memory_slices;
    let places = profile
        .default_order
        .iter()
        .map(|&start| Placement { start, size });
    places
        .filter(|place| !taken.iter().any(|other| other.placement.overlaps(*place)))
        .collect()
}

/// Whether the GPU has media engines for one more: decoders, encoders, JPEG, OFA. (Copy engines are shared where short.)
fn engines_left(taken: &[GpuInstance], model: &Model, profile: &GiProfile) -> bool {
    let others = taken
        .iter()
        .filter_map(|instance| model.profile(instance.profile));
    let mut left = model.engines;
    for one in others.chain(std::iter::once(profile)) {
        for (left, needed) in left.iter_mut().zip(one.engines).skip(1) {
            match left.checked_sub(needed) {
                Some(rest) => *left = rest,
                None => return false,
            }
        }
    }
    true
}

/// Creates a GPU instance, at the given place or where the driver would put it.
pub fn create_gpu_instance(
    tables: &mut Tables,
    model: &Model,
    profile: u32,
    place: Option<Placement>,
) -> Result<GpuInstance, StateError> {
    require_mig(tables)?;
    let profile = gpu_profile(model, profile)?;
    if let Some(place) = place {
        check_place(profile, place)?;
    }
    let free = free_placements(tables, model, profile);
    let chosen = match place {
        None => free.first().copied(),
        Some(place) => free.contains(&place).then_some(place),
    };
    let placement = chosen.ok_or_else(|| no_place(profile, place))?;
    let id = placing::gpu_instance_id(model, placement, tables.swapped == 1);
    let row = tables.gpu_instances.iter_mut().find(|row| row.taken == 0);
    *row.ok_or(StateError::TableFull("GPU instances"))? = GpuInstanceRow {
        taken: 1,
        id,
        profile: profile.id,
        start: placement.start,
        lingering: 0,
        reserved: 0,
    };
    Ok(GpuInstance {
        id,
        profile: profile.id,
        placement,
    })
}

/// Destroys a GPU instance that has neither compute instances nor processes.
pub fn destroy_gpu_instance(tables: &mut Tables, id: u32) -> Result<(), StateError> {
    require_mig(tables)?;
    reap(tables);
    gpu_instance_row(tables, id)?;
    let compute = tables.compute_instances.iter();
    let compute = compute
        .filter(|row| row.taken == 1 && row.gpu_instance == id)
        .count();
    let busy = tables
        .processes
        .iter()
        .any(|row| row.taken == 1 && row.gpu_instance == id);
    if compute > 0 || busy {
        return Err(StateError::InUse(format!("GPU instance {id}")));
    }
    let row = gpu_instance_row(tables, id)?;
    still_lingers(&mut row.lingering, || format!("GPU instance {id}"))?;
    row.taken = 0;
    Ok(())
}

/// Creates a compute instance in a GPU instance, on the first SM slices that are free or on the given ones.
pub fn create_compute_instance(
    tables: &mut Tables,
    model: &Model,
    owner: u32,
    profile: u32,
    place: Option<Placement>,
) -> Result<ComputeInstance, StateError> {
    require_mig(tables)?;
    let owner_profile = gpu_profile(model, gpu_instance_row(tables, owner)?.profile)?;
    let profile = owner_profile.compute_profile(profile).ok_or_else(|| {
        let name = &owner_profile.name;
        StateError::InvalidArgument(format!(
            "a {name} has no compute-instance profile {profile}"
        ))
    })?;
    let sisters: Vec<_> = compute_instances(tables, model)
        .into_iter()
        .filter(|instance| instance.gpu_instance == owner)
        .collect();
    let placement = free_sm_slices(owner_profile, profile, &sisters, place)?;
    let id = (0..)
        .find(|id| sisters.iter().all(|sister| sister.id != *id))
        .unwrap_or(0);
    let row = tables
        .compute_instances
        .iter_mut()
        .find(|row| row.taken == 0);
    *row.ok_or(StateError::TableFull("compute instances"))? = ComputeInstanceRow {
        taken: 1,
        gpu_instance: owner,
        id,
        profile: profile.id,
        start: placement.start,
        lingering: 0,
    };
    Ok(ComputeInstance {
        gpu_instance: owner,
        id,
        profile: profile.id,
        placement,
    })
}

/// Destroys a compute instance on which no process runs.
pub fn destroy_compute_instance(
    tables: &mut Tables,
    owner: u32,
    id: u32,
) -> Result<(), StateError> {
    require_mig(tables)?;
    reap(tables);
    let busy = tables
        .processes
        .iter()
        .any(|row| row.taken == 1 && row.gpu_instance == owner && row.compute_instance == id);
    let row = tables.compute_instances.iter_mut();
    let row = row
        .into_iter()
        .find(|row| row.taken == 1 && row.gpu_instance == owner && row.id == id)
        .ok_or_else(|| {
            StateError::NotFound(format!("compute instance {id} in GPU instance {owner}"))
        })?;
    let name = || format!("compute instance {id} of GPU instance {owner}");
    if busy {
        return Err(StateError::InUse(name()));
    }
    still_lingers(&mut row.lingering, name)?;
    row.taken = 0;
    Ok(())
}

/// Counts an attempt to destroy what was in use until a moment ago; an error while there are such attempts to go.
fn still_lingers(left: &mut u32, name: impl FnOnce() -> String) -> Result<(), StateError> {
    match left.checked_sub(1) {
        None => Ok(()),
        Some(fewer) => {
            *left = fewer;
            let name = name();
            Err(StateError::InUse(format!(
                "{name}, whose process has just ended,"
            )))
        }
    }
}

fn require_mig(tables: &Tables) -> Result<(), StateError> {
    if tables.mig_mode == 1 {
        Ok(())
    } else {
        Err(StateError::MigOff)
    }
}

fn gpu_profile(model: &Model, id: u32) -> Result<&GiProfile, StateError> {
    model.profile(id).ok_or_else(|| {
        StateError::InvalidArgument(format!("GPU model {} has no MIG profile {id}", model.name))
    })
}

fn gpu_instance_row(tables: &mut Tables, id: u32) -> Result<&mut GpuInstanceRow, StateError> {
    let rows = tables.gpu_instances.iter_mut();
    rows.into_iter()
        .find(|row| row.taken == 1 && row.id == id)
        .ok_or_else(|| StateError::NotFound(format!("GPU instance {id}")))
}

fn check_place(profile: &GiProfile, place: Placement) -> Result<(), StateError> {
    if place.size == profile.memory_slices && profile.starts.contains(&place.start) {
        return Ok(());
    }
    let Placement { start, size } = place;
    Err(StateError::InvalidArgument(format!(
        "a {} cannot lie at {start}:{size}; its size is {} and it starts at one of {:?}",
        profile.name, profile.memory_slices, profile.starts
    )))
}

fn no_place(profile: &GiProfile, place: Option<Placement>) -> StateError {
    let name = &profile.name;
    StateError::InsufficientResources(match place {
        None => format!("no free place for a {name}"),
        Some(Placement { start, size }) => format!("{start}:{size} is not free for a {name}"),
    })
}

fn free_sm_slices(
    owner: &GiProfile,
    profile: &CiProfile,
    sisters: &[ComputeInstance],
    place: Option<Placement>,
) -> Result<Placement, StateError> {
    let size = profile.sm_slices;
    let last = owner.sm_slices.saturating_sub(size);
    if let Some(place) = place
        && (place.size != size || place.start > last)
    {
        return Err(StateError::InvalidArgument(format!(
            "a compute instance of {size} SM slices cannot lie at {}:{} of a {}",
            place.start, place.size, owner.name
        )));
    }
    let of_profile = sisters
        .iter()
        .filter(|sister| sister.profile == profile.id)
        .count();
    let mut places = (0..=last).map(|start| Placement { start, size });
    places
        .find(|candidate| {
            of_profile < profile.max_count as usize
                && place.is_none_or(|place| place == *candidate)
                && !sisters
                    .iter()
                    .any(|sister| sister.placement.overlaps(*candidate))
        })
        .ok_or_else(|| {
            StateError::InsufficientResources(format!(
                "no {size} free SM slices in this {}",
                owner.name
            ))
        })
}
