//! The GPUs: MIG mode and whether it can be had, permission, what others made, and who holds the devices.

use crate::doctor::finding::{Finding, State};
use crate::exit_code::ExitCode;
use crate::failure::Explain;
use crate::gpu::capability::{self, Right};
use crate::gpu::driver::{Driver, Machine, MigMode};
use crate::gpu::driver_gpu::DriverGpu;
use crate::gpu::holders::{Holders, Place, holding};
use crate::gpu::virtual_gpu::STATE_VARIABLE;
use crate::gpu::{GpuError, GpuInstance, MigGpu, Which, Wish};
use migfit_mig::Layout;
use std::path::{Path, PathBuf};

/// Where the system shows processes and the driver's files.
#[derive(Clone, Copy, Debug)]
pub struct System<'s> {
    /// `/proc`.
    pub proc: &'s Path,
    /// Whether the display driver holds GPUs.
    pub display_driver: bool,
}

/// Findings about all GPUs, or the one that is wished for.
#[must_use]
pub fn gpus<M: Machine>(machine: &M, wish: Option<&Wish>, system: System<'_>) -> Vec<Finding> {
    let demanded = wish.is_some_and(|wish| wish.slices_demanded);
    match wish.map(|wish| &wish.which) {
        Some(Which::Index(index)) => one(
            &index.to_string(),
            machine.by_index(*index),
            demanded,
            system,
        ),
        Some(Which::Uuid(uuid)) => one(uuid, machine.by_uuid(uuid), demanded, system),
        None | Some(Which::Auto) => all(machine, demanded, system),
    }
}

fn all<M: Machine>(machine: &M, demanded: bool, system: System<'_>) -> Vec<Finding> {
    let count = match machine.count() {
        Ok(count) => count,
        Err(error) => return vec![Finding::of_error("gpu", State::Broken, &error)],
    };
    if count == 0 {
        let what = "the driver lists no GPU";
        return vec![Finding::new(
            "gpu",
            State::Broken,
            what,
            "nvidia-smi -L; dmesg | grep -i nvidia",
        )];
    }
    let each = (0..count).flat_map(|index| {
        one(
            &index.to_string(),
            machine.by_index(index),
            demanded,
            system,
        )
    });
    each.chain([auto(machine, demanded)]).collect()
}

/// What `--gpu auto` would take.
fn auto<M: Machine>(machine: &M, demanded: bool) -> Finding {
    let wish = Wish {
        which: Which::Auto,
        slices_demanded: demanded,
    };
    match crate::gpu::open(machine, &wish) {
        Ok(opened) => {
            let facts = opened.gpu.facts();
            Finding::ok(
                "gpu.auto",
                format!(
                    "migfit run --gpu {wish} takes {} ({})",
                    facts.name, facts.uuid
                ),
            )
        }
        Err(error) => {
            let occupied = error.exit_code() == ExitCode::GpuOccupied;
            let state = if occupied { State::Warn } else { State::Broken };
            Finding::of_error("gpu.auto", state, &error)
        }
    }
}

fn one<D: Driver>(
    name: &str,
    opened: Result<D, GpuError>,
    demanded: bool,
    system: System<'_>,
) -> Vec<Finding> {
    let id = format!("gpu.{name}");
    let broken = |error: GpuError| vec![Finding::of_error(id.clone(), State::Broken, &error)];
    let driver = match opened {
        Ok(driver) => driver,
        Err(error) => return broken(error),
    };
    let (board, mode) = match driver
        .board()
        .and_then(|board| Ok((board, driver.mig_mode()?)))
    {
        Ok(told) => told,
        Err(error) => return broken(error),
    };
    let about = format!("{} ({})", board.name, driver.uuid());
    let needs_reset = board.compute_capability.0 == 8;
    let switch = Switch {
        mode,
        demanded,
        needs_reset,
        gpu: driver.uuid(),
        display_driver: system.display_driver,
    };
    let mut found = vec![Finding::ok(id.clone(), about), mig_mode(&id, &switch)];
    found.push(holders(&id, &driver, system));
    if mode == MigMode::On {
        found.extend(divided(&id, driver, system));
    }
    found
}

/// What there is to say about a MIG mode.
struct Switch<'s> {
    mode: MigMode,
    demanded: bool,
    needs_reset: bool,
    gpu: &'s str,
    display_driver: bool,
}

fn mig_mode(id: &str, switch: &Switch<'_>) -> Finding {
    let id = format!("{id}.mig");
    let Switch { gpu, demanded, .. } = switch;
    let off = if *demanded {
        State::Broken
    } else {
        State::Warn
    };
    let reset = format!(
        "as root, when nobody uses the GPU: nvidia-smi -i {gpu} --gpu-reset (in a virtual machine: restart it)"
    );
    let display = if switch.display_driver {
        "; nvidia_drm is loaded and blocks the reset: stop the display first"
    } else {
        ""
    };
    match switch.mode {
        MigMode::On => Finding::ok(id, "MIG mode is on"),
        MigMode::Off if switch.needs_reset => Finding::new(
            id,
            off,
            "MIG mode is off, and can be had after a reset: jobs run one at a time on the whole GPU",
            format!(
                "as root: nvidia-smi -i {gpu} -mig 1; nvidia-smi -i {gpu} --gpu-reset{display}"
            ),
        ),
        MigMode::Off => Finding::new(
            id,
            off,
            "MIG mode is off, and can be had: jobs run one at a time on the whole GPU",
            format!("as root: nvidia-smi -i {gpu} -mig 1"),
        ),
        MigMode::TurningOn => Finding::new(
            id,
            off,
            "MIG mode is off now and on after the next reset",
            reset + display,
        ),
        MigMode::TurningOff => Finding::new(
            id,
            State::Broken,
            "MIG mode is on now and off after the next reset: no slices are cut",
            format!("{reset}, or keep it on: nvidia-smi -i {gpu} -mig 1"),
        ),
        MigMode::Absent => Finding::new(
            id,
            if *demanded {
                State::Broken
            } else {
                State::NotHere
            },
            "this GPU has no MIG: jobs run one at a time on the whole GPU",
            "for slices take an A100, A30, H100 or later data-centre GPU",
        ),
    }
}

/// Findings about a GPU with MIG mode on.
fn divided<D: Driver>(id: &str, driver: D, system: System<'_>) -> Vec<Finding> {
    let gpu = match DriverGpu::new(driver) {
        Ok(gpu) => gpu,
        Err(error) => return vec![refused(id, &error, system)],
    };
    let names = gpu
        .model()
        .profiles
        .iter()
        .map(|profile| profile.name.to_string());
    let names: Vec<String> = names.collect();
    let slices = format!("MIG profiles as the driver tells them: {}", names.join(" "));
    let mut found = vec![Finding::ok(format!("{id}.slices"), slices)];
    match gpu.check_permission().and_then(|()| gpu.observe()) {
        Err(error) => found.push(refused(id, &error, system)),
        Ok(others) => {
            let may = "this user may cut and destroy slices";
            found.push(Finding::ok(format!("{id}.permission"), may));
            found.push(places(id, &gpu, &others));
        }
    }
    found
}

/// A driver that does not let us look or cut.
fn refused(id: &str, error: &GpuError, system: System<'_>) -> Finding {
    match error {
        GpuError::NoPermission { .. } => Finding::new(
            format!("{id}.permission"),
            State::Broken,
            format!("this user may not cut slices: {error}"),
            rights(system.proc),
        ),
        other => Finding::of_error(format!("{id}.slices"), State::Broken, other),
    }
}

/// What opens the driver's rights to this user.
fn rights(proc: &Path) -> String {
    let node = |name| match capability::right(proc, name) {
        Right::Open(node) | Right::Closed(node) => Some(node),
        Right::NoFile => None,
    };
    let nodes = [capability::CONFIG, capability::MONITOR].map(node);
    let nodes: Vec<String> = nodes
        .into_iter()
        .flatten()
        .map(|node| node.display().to_string())
        .collect();
    match nodes.is_empty() {
        false => format!(
            "run as root, or as root: setfacl -m u:USER:r {}",
            nodes.join(" ")
        ),
        true => "run as root; in a container, start it with the MIG devices of the driver: \
                 NVIDIA_MIG_CONFIG_DEVICES=all and NVIDIA_MIG_MONITOR_DEVICES=all"
            .to_owned(),
    }
}

fn places(id: &str, gpu: &dyn MigGpu, others: &[GpuInstance]) -> Finding {
    let id = format!("{id}.places");
    if others.is_empty() {
        return Finding::ok(id, "no GPU instance is there: every place is free");
    }
    let uuid = &gpu.facts().uuid;
    let layout = match Layout::of(gpu.model(), others.iter().map(|other| other.placed)) {
        Ok(layout) => layout,
        Err(error) => {
            let report = "please report the output of nvidia-smi mig -lgi and -lgipp";
            return Finding::new(
                id,
                State::Broken,
                format!("what is there cannot be: {error}"),
                report,
            );
        }
    };
    let room = match layout.placeable(gpu.model()).is_empty() {
        true => "no place is left",
        false => "places are left beside them",
    };
    Finding::new(
        id,
        State::Warn,
        format!("GPU instances are there that migfit leaves alone: {layout}; {room}"),
        match gpu.facts().is_virtual {
            true => format!(
                "if nobody needs them (an earlier migfit that was killed leaves its own): remove the virtual GPU's \
                 state file, which {STATE_VARIABLE} names, when nobody uses it"
            ),
            false => format!(
                "those of them that nobody needs (an earlier migfit that was killed leaves its own): {}",
                by_hand(uuid, others)
            ),
        },
    )
}

/// The commands that take GPU instances away, for each its own: without `-gi` they would take everybody's.
fn by_hand(gpu: &str, instances: &[GpuInstance]) -> String {
    let each = instances.iter().map(|GpuInstance { gi, placed }| {
        format!(
            "{placed}: nvidia-smi mig -i {gpu} -dci -gi {gi}; nvidia-smi mig -i {gpu} -dgi -gi {gi}"
        )
    });
    each.collect::<Vec<_>>().join("; ")
}

fn holders(id: &str, driver: &dyn Driver, system: System<'_>) -> Finding {
    let id = format!("{id}.holders");
    let place = Place {
        proc: system.proc,
        minor: driver.minor(),
        gi: None,
    };
    let listed = match driver.processes() {
        Ok(listed) => listed,
        Err(error) => {
            let what = format!("who runs on this GPU is not told: {error}");
            return Finding::new(id, State::Warn, what, "run migfit doctor as root");
        }
    };
    let mut all = Holders::find(&listed, place);
    if let Some(minor) = driver.minor() {
        let open = holding(system.proc, &PathBuf::from(format!("/dev/nvidia{minor}")));
        let new = |holder: &crate::gpu::holders::Holder| {
            !listed.iter().any(|process| process.pid == holder.pid)
        };
        let known = all.0.iter().map(|holder| holder.pid).collect::<Vec<_>>();
        all.0.extend(
            open.into_iter()
                .filter(new)
                .filter(|holder| !known.contains(&holder.pid)),
        );
    }
    match all.0.is_empty() {
        true => Finding::ok(id, "no process that this user can see holds this GPU"),
        false => Finding::new(
            id,
            State::Warn,
            format!("held by {all}"),
            "slices that they run on stay, and a change of MIG mode waits for them",
        ),
    }
}

#[cfg(test)]
#[path = "gpus_tests.rs"]
mod tests;
