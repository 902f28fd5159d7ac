//! What follows a GPU error's message: where, the next step, and what the shell is told.

use crate::exit_code::ExitCode;
use crate::failure::Explain;
use crate::gpu::GpuError;
use std::path::Path;

const VIRTUAL: &str = "run on the virtual GPU instead: --gpu virtual:a100-40gb";

impl Explain for GpuError {
    fn place(&self) -> Option<String> {
        match self {
            GpuError::NoLibrary { library, .. } => Some(searched(library)),
            GpuError::Mismatch { kernel, .. } => {
                let unknown = "not told by /proc/driver/nvidia/version";
                Some(format!(
                    "kernel driver: {}",
                    kernel.as_deref().unwrap_or(unknown)
                ))
            }
            GpuError::NoSlice { there, .. } => {
                let line = |(uuid, name): &(String, Option<String>)| {
                    format!("{uuid}  {}", name.as_deref().unwrap_or_default())
                };
                let lines: Vec<String> = there.iter().map(line).collect();
                Some(lines.join("\n"))
            }
            GpuError::NoneUsable { passed } => {
                let lines: Vec<String> = passed.iter().map(ToString::to_string).collect();
                Some(lines.join("\n"))
            }
            GpuError::Several { first, others } => {
                let own = first.place().into_iter();
                let also = others
                    .iter()
                    .map(|other| format!("also: {other}; {}", hint(other)));
                Some(own.chain(also).collect::<Vec<_>>().join("\n"))
            }
            _ => None,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(hint(self))
    }

    fn exit_code(&self) -> ExitCode {
        match self {
            GpuError::NoLibrary { .. }
            | GpuError::NoDriver
            | GpuError::NoGpu { .. }
            | GpuError::NoSlice { .. } => ExitCode::NoGpu,
            // What is wrong with the first GPU of several.
            GpuError::NoneUsable { passed } => passed
                .first()
                .map_or(ExitCode::NoGpu, |first| first.why.exit_code()),
            GpuError::Several { first, .. } => first.exit_code(),
            GpuError::MigOff { .. } | GpuError::ModePending { .. } => ExitCode::MigOff,
            GpuError::NoPermission { .. } => ExitCode::NoPermission,
            GpuError::InUse { .. }
            | GpuError::StaysInUse { .. }
            | GpuError::Held { .. }
            | GpuError::SliceInUse { .. }
            | GpuError::Full { .. }
            | GpuError::Shared { .. }
            | GpuError::NoRoom { .. } => ExitCode::GpuOccupied,
            GpuError::Mismatch { .. }
            | GpuError::Contradiction { .. }
            | GpuError::NotSupported { .. }
            | GpuError::ResetRequired { .. }
            | GpuError::Lost { .. }
            | GpuError::NotFound { .. }
            | GpuError::NoFunction { .. }
            | GpuError::Driver { .. }
            | GpuError::NotAsAsked { .. }
            | GpuError::LeftOver { .. }
            | GpuError::Unnamed { .. }
            | GpuError::StillThere { .. } => ExitCode::GpuFailed,
        }
    }
}

fn hint(error: &GpuError) -> String {
    match error {
        GpuError::NoLibrary { reason, .. } if reason.contains("No such file") => {
            format!("no NVIDIA driver here? {VIRTUAL}")
        }
        GpuError::NoLibrary { .. } => "install the NVIDIA driver's library package again".to_owned(),
        GpuError::NoDriver => {
            format!("load it (modprobe nvidia) or see why it does not start: dmesg | grep -i nvidia; or {VIRTUAL}")
        }
        GpuError::Mismatch { .. } => {
            "the driver was updated while the old one ran: restart the machine, or unload and load the kernel modules \
             when nobody uses the GPU"
                .to_owned()
        }
        GpuError::NoGpu { .. } => format!("nvidia-smi -L lists the GPUs; or {VIRTUAL}"),
        GpuError::NoSlice { there, .. } if there.is_empty() => {
            "there is none at all: leave --slice out, and migfit makes one".to_owned()
        }
        GpuError::NoSlice { .. } => "name one of these, or leave --slice out: migfit then makes one".to_owned(),
        GpuError::SliceInUse { .. } => {
            "wait until they have gone, name another, or leave --slice out: migfit then makes one".to_owned()
        }
        GpuError::NoneUsable { .. } => {
            "mend one of them (migfit doctor says how), or name one: --gpu 0".to_owned()
        }
        GpuError::Several { first, .. } => hint(first),
        GpuError::Contradiction { .. } => {
            "please report the output of nvidia-smi mig -lgip and -lgipp".to_owned()
        }
        GpuError::MigOff { gpu, has_mig: true, .. } => format!(
            "an administrator switches it on: nvidia-smi -i {gpu} -mig 1 (A100 and A30 then need a reset); without \
             mig: in --gpu, jobs run one at a time on the whole GPU"
        ),
        GpuError::MigOff { .. } => "take another GPU, or leave mig: out of --gpu: jobs then run one at a time".to_owned(),
        GpuError::ModePending { gpu, .. } => format!(
            "an administrator finishes it when nobody uses the GPU: nvidia-smi -i {gpu} --gpu-reset (in a virtual \
             machine: restart it)"
        ),
        GpuError::Full { .. } | GpuError::Shared { .. } => "wait until they have gone, or take another GPU".to_owned(),
        GpuError::NoPermission { .. } => {
            "run as root, or have an administrator open the driver's capabilities mig/config and mig/monitor to you \
             (migfit doctor names the files)"
                .to_owned()
        }
        GpuError::NotSupported { .. } => "migfit doctor tells the state of MIG mode and of the driver".to_owned(),
        GpuError::ResetRequired { .. } => {
            "an administrator resets it when nobody uses it: nvidia-smi --gpu-reset -i 0 (in a virtual machine: \
             restart it)"
                .to_owned()
        }
        GpuError::Lost { .. } => "see dmesg for Xid messages; the machine has to be restarted, or the GPU replaced".to_owned(),
        GpuError::InUse { .. } => "see who holds it: nvidia-smi, and open handles on /dev/nvidia*".to_owned(),
        GpuError::StaysInUse { gi, gpu, .. } => format!("when they have gone, {}", by_hand(gpu, *gi)),
        GpuError::Held { .. } => {
            "end them, or wait: a profiler, DCGM or a display driver may hold the whole GPU (migfit doctor looks for \
             such services)"
                .to_owned()
        }
        GpuError::NoRoom { .. } | GpuError::NotFound { .. } | GpuError::NotAsAsked { .. } => {
            "something else changes this GPU's layout: keep the GPU to one of us".to_owned()
        }
        GpuError::NoFunction { .. } => "install a newer NVIDIA driver (R525 or later)".to_owned(),
        GpuError::Driver { .. } => "see dmesg and nvidia-smi for the GPU's state".to_owned(),
        GpuError::LeftOver { gi, gpu, .. } | GpuError::StillThere { gi, gpu, .. } => by_hand(gpu, *gi),
        GpuError::Unnamed { .. } => {
            "nvidia-smi mig -lgi lists it; destroy it by hand: nvidia-smi mig -dgi -gi ID".to_owned()
        }
    }
}

/// The commands that take a GPU instance of ours away.
fn by_hand(gpu: &str, gi: u32) -> String {
    format!(
        "destroy it by hand: nvidia-smi mig -i {gpu} -dci -gi {gi}; nvidia-smi mig -i {gpu} -dgi -gi {gi}"
    )
}

/// Where the loader looked for a library.
fn searched(library: &Path) -> String {
    if library.is_absolute() {
        return format!("looked for as {}", library.display());
    }
    let given = std::env::var("LD_LIBRARY_PATH").ok();
    let given = given.filter(|folders| !folders.is_empty());
    format!(
        "looked for in LD_LIBRARY_PATH ({}), in the loader's cache (ldconfig -p) and in its usual folders",
        given.as_deref().unwrap_or("not set")
    )
}
