//! The model of a GPU from what its driver tells: MIG profiles with ids, sizes, engines and placements, whatever the
//! board is called. Three things no driver tells, and they come from the built-in model of that board where there is
//! one: the order in which the driver places by default (a tie-break), the SMs without MIG while MIG is on, and our
//! name for it. Pure.

use crate::gpu::GpuError;
use crate::gpu::driver::{ToldBoard, ToldProfile, ToldSlice};
use migfit_mig::{Attribute, MemorySource, MigProfile, Model, Placement, ProfileName};
use migfit_schema::units::Mib;

/// Memory slices that a set of places can tell apart.
const MOST_SLICES: u32 = 32;

/// A MIG profile with its legal placements, as told.
pub type Offered = (ToldProfile, Vec<Placement>);

/// The model of a GPU under MIG.
///
/// # Errors
/// When the driver offers nothing that has a place, or placements that cannot be.
pub fn live_model(board: &ToldBoard, offered: &[Offered]) -> Result<Model, GpuError> {
    let known = migfit_mig::find(&board.name).ok();
    let mut profiles: Vec<MigProfile> = Vec::new();
    for (told, places) in offered.iter().filter(|(_, places)| !places.is_empty()) {
        let Some(name) = name(board, told, offered) else {
            continue;
        };
        if profiles.iter().any(|other| other.name == name) {
            continue;
        }
        profiles.push(profile(board, known, told, places, name)?);
    }
    profiles.sort_by_key(|p| (p.memory_slices, p.name.slices, p.name.attribute));
    let ends = profiles.iter().flat_map(MigProfile::placements);
    let memory_slices = ends.map(|place| place.start + place.size).max();
    let Some(memory_slices) = memory_slices else {
        return Err(contradiction(
            board,
            "MIG mode is on, and no MIG profile has a place",
        ));
    };
    let compute_slices = profiles.iter().map(|p| p.name.slices).max();
    Ok(Model {
        memory_slices,
        compute_slices: compute_slices.unwrap_or_default(),
        profiles,
        ..frame(board, known, total(board, offered))
    })
}

/// The model of a GPU that is not divided: one slice with the memory that is free, and all SMs.
///
/// # Errors
/// When the driver does not tell the memory.
pub fn undivided(board: &ToldBoard) -> Result<Model, GpuError> {
    let known = migfit_mig::find(&board.name).ok();
    let memory = board.memory.ok_or_else(|| GpuError::Driver {
        call: "nvmlDeviceGetMemoryInfo",
        reason: format!("the memory of {} is not told", board.name),
    })?;
    let mib = |bytes: u64| Mib(bytes >> 20);
    let frame = frame(board, known, mib(memory.total.0));
    let slice = MigProfile {
        name: ProfileName::WHOLE_GPU,
        nvml_index: 0,
        id: 0,
        memory_slices: 1,
        memory_mib: mib(memory.free.0),
        memory_from: MemorySource::Read,
        sms: frame.sm_count,
        engines: None,
        max_count: 1,
        starts: vec![0],
        driver_order: Vec::new(),
        compute_instances: Vec::new(),
    };
    Ok(Model {
        memory_slices: 1,
        compute_slices: 1,
        profiles: vec![slice],
        ..frame
    })
}

/// The model of a GPU of which one MIG device is to be used as it is, and nothing else.
#[must_use]
pub fn lent(board: &ToldBoard, slice: &ToldSlice) -> Model {
    let known = migfit_mig::find(&board.name).ok();
    let name = lent_name(slice);
    let usual = known.and_then(|known| known.profile(name));
    let size = usual.map_or(1, |usual| usual.memory_slices);
    let place = slice.placement.unwrap_or(Placement { start: 0, size });
    let profile = MigProfile {
        name,
        nvml_index: 0,
        id: 0,
        memory_slices: place.size,
        memory_mib: Mib(slice.memory_mib),
        memory_from: MemorySource::Read,
        sms: Some(slice.sms),
        engines: None,
        max_count: 1,
        starts: vec![place.start],
        driver_order: Vec::new(),
        compute_instances: Vec::new(),
    };
    let total = board
        .memory
        .map_or(slice.memory_mib, |memory| memory.total.0 >> 20);
    Model {
        memory_slices: place.start + place.size,
        compute_slices: name.slices,
        profiles: vec![profile],
        ..frame(board, known, Mib(total))
    }
}

/// Name of the MIG profile: what stands behind `MIG` in that of the MIG device, else made up from its size.
fn lent_name(slice: &ToldSlice) -> ProfileName {
    let told = slice
        .name
        .as_deref()
        .and_then(|name| name.rsplit_once("MIG "));
    let told = told.and_then(|(_, profile)| profile.trim().parse().ok());
    told.unwrap_or_else(|| {
        let gb = slice.memory_mib.div_ceil(1024);
        ProfileName::plain(
            slice.sm_slices.max(1),
            u32::try_from(gb).unwrap_or(u32::MAX).max(1),
        )
    })
}

/// Everything of a model but its slices.
fn frame(board: &ToldBoard, known: Option<&Model>, memory: Mib) -> Model {
    let cores = board.cores.zip(cores_per_sm(board.compute_capability));
    let told = cores.map(|(cores, each)| cores / each);
    Model {
        name: known.map_or_else(|| board.name.clone(), |known| known.name.clone()),
        aliases: Vec::new(),
        boards: vec![board.name.clone()],
        architecture: architecture(board.compute_capability).to_owned(),
        compute_capability: board.compute_capability,
        pci_device_id: board.pci_device_id.unwrap_or_default(),
        memory_mib: memory,
        sm_count: told.or_else(|| known.and_then(|known| known.sm_count)),
        compute_slices: 0,
        memory_slices: 0,
        power_limit_w: None,
        confirmed: true,
        source: "the driver of this machine, through NVML".to_owned(),
        profiles: Vec::new(),
    }
}

fn profile(
    board: &ToldBoard,
    known: Option<&Model>,
    told: &ToldProfile,
    places: &[Placement],
    name: ProfileName,
) -> Result<MigProfile, GpuError> {
    let size = places.first().map_or(0, |place| place.size);
    let fits = |place: &Placement| {
        place.size == size && place.start.saturating_add(size) <= MOST_SLICES && place.mask() != 0
    };
    if !places.iter().all(fits) {
        let places: Vec<String> = places.iter().map(ToString::to_string).collect();
        let what = format!("{name} has the placements {}", places.join(" "));
        return Err(contradiction(board, &what));
    }
    let starts: Vec<u32> = places.iter().map(|place| place.start).collect();
    let usual = known.and_then(|known| known.profile(name));
    let order = usual.map(|usual| usual.driver_order.clone());
    Ok(MigProfile {
        name,
        nvml_index: told.index.0,
        id: told.id.0,
        memory_slices: size,
        memory_mib: Mib(told.memory_mib),
        memory_from: MemorySource::Read,
        sms: Some(told.sms),
        engines: Some(told.engines),
        max_count: told.count,
        driver_order: order
            .filter(|order| same(order, &starts))
            .unwrap_or_default(),
        starts,
        compute_instances: Vec::new(),
    })
}

/// Whether two lists hold the same numbers.
fn same(one: &[u32], other: &[u32]) -> bool {
    let sorted = |list: &[u32]| {
        let mut list = list.to_vec();
        list.sort_unstable();
        list
    };
    sorted(one) == sorted(other)
}

/// The driver's name where it tells one that we can read; else the one that the vendor's libraries make up: none for
/// a kind of MIG profile that is newer than we are, of which we could not say what it is.
fn name(board: &ToldBoard, told: &ToldProfile, offered: &[Offered]) -> Option<ProfileName> {
    if let Some(text) = &told.name {
        let text = text.trim();
        return text.strip_prefix("MIG ").unwrap_or(text).parse().ok();
    }
    let attribute = match told.index.0 {
        0..=6 | 9 => None,
        7 | 8 => Some(Attribute::Media),
        10..=12 | 17 => Some(Attribute::Graphics),
        13 | 14 => Some(Attribute::NoMedia),
        15 | 16 => Some(Attribute::AllMedia),
        _ => return None,
    };
    let made = ProfileName {
        attribute,
        ..ProfileName::plain(
            told.sm_slices,
            nominal_gb(told.memory_mib, total(board, offered)),
        )
    };
    // Of nothing (no SM slice, no memory) no name can be made that users could give.
    (made.to_string().parse() == Ok(made)).then_some(made)
}

/// GB in a name: eighths of the board's memory, rounded up, of its GiB rounded up. Source: MIG.md 1.2, read in the
/// vendor's go-nvlib; it reproduces every name of the built-in models.
fn nominal_gb(memory_mib: u64, Mib(total): Mib) -> u32 {
    let total = total.max(1);
    let eighths = memory_mib.saturating_mul(8).div_ceil(total);
    let gib = total.div_ceil(1024);
    let rounded = eighths.saturating_mul(gib).saturating_add(4) / 8;
    u32::try_from(rounded).unwrap_or(u32::MAX)
}

/// Memory of the board; where the driver does not tell it, that of the largest MIG profile.
fn total(board: &ToldBoard, offered: &[Offered]) -> Mib {
    let largest = offered.iter().map(|(told, _)| told.memory_mib).max();
    let told = board.memory.map(|memory| memory.total.0 >> 20);
    Mib(told.or(largest).unwrap_or_default())
}

/// CUDA cores of one SM; none for capabilities that we do not know. Source: CUDA C++ Programming Guide, arithmetic
/// instructions (32-bit floating-point additions per clock and SM).
fn cores_per_sm((major, minor): (u32, u32)) -> Option<u32> {
    match (major, minor) {
        (6, 0) | (7, _) | (8, 0) => Some(64),
        (5 | 6 | 8 | 9 | 10 | 12, _) => Some(128),
        _ => None,
    }
}

fn architecture((major, minor): (u32, u32)) -> &'static str {
    match (major, minor) {
        (5, _) => "Maxwell",
        (6, _) => "Pascal",
        (7, 5) => "Turing",
        (7, _) => "Volta",
        (8, 9) => "Ada",
        (8, _) => "Ampere",
        (9, _) => "Hopper",
        (10 | 12, _) => "Blackwell",
        _ => "architecture not known",
    }
}

fn contradiction(board: &ToldBoard, what: &str) -> GpuError {
    GpuError::Contradiction {
        board: board.name.clone(),
        what: what.to_owned(),
    }
}

#[cfg(test)]
#[path = "live_model_tests.rs"]
mod tests;
