//! Faults that are set: the name of a function of NVML -> the code that it answers instead of being done.

use crate::code::{Code, Outcome};
use crate::library;
use migfit_vgpu_device::{Answer, Faults, Operation, StateError};

/// Every function of nvml.h, one a line.
const NAMES: &str = include_str!("../nvml-names.txt");

/// An error when a fault is set for this function and due.
pub fn check(function: &str) -> Outcome {
    due(function, &operations(function))
}

/// The same for what any function tells administrators only: of a GPU under MIG as a whole, who is on it and how much
/// they hold.
pub fn check_admin() -> Outcome {
    due("", &[Operation::Admin])
}

fn due(function: &str, operations: &[Operation]) -> Outcome {
    let answer = library::faults().and_then(|faults| faults.answer(function, operations));
    answer.map_or(Ok(()), |answer| Err(code(answer)))
}

/// The faults that the environment sets.
pub fn from_env() -> Result<Faults, StateError> {
    let faults = Faults::from_env()?;
    faults.require_functions(|name| NAMES.lines().any(|known| known == name))?;
    Ok(faults)
}

fn operations(function: &str) -> Vec<Operation> {
    let groups = [
        own_operation(function),
        admin(function),
        about_gpu(function),
    ];
    groups.into_iter().flatten().collect()
}

fn own_operation(function: &str) -> Option<Operation> {
    Some(match function {
        "nvmlInit" | "nvmlInit_v2" | "nvmlInitWithFlags" => Operation::Start,
        "nvmlDeviceCreateGpuInstance" | "nvmlDeviceCreateGpuInstanceWithPlacement" => {
            Operation::CreateGpuInstance
        }
        "nvmlGpuInstanceDestroy" => Operation::DestroyGpuInstance,
        "nvmlGpuInstanceCreateComputeInstance"
        | "nvmlGpuInstanceCreateComputeInstanceWithPlacement" => Operation::CreateComputeInstance,
        "nvmlComputeInstanceDestroy" => Operation::DestroyComputeInstance,
        "nvmlDeviceSetMigMode" => Operation::SetMigMode,
        "nvmlDeviceGetGpuInstances" | "nvmlGpuInstanceGetComputeInstances" => Operation::List,
        _ => return None,
    })
}

/// What nvml.h says to require a privileged user.
fn admin(function: &str) -> Option<Operation> {
    let reads = ["PossiblePlacements", "RemainingCapacity", "InstanceById"];
    let read = || reads.iter().any(|read| function.contains(read));
    let own = own_operation(function);
    (own.is_some_and(|own| own != Operation::Start) || read()).then_some(Operation::Admin)
}

fn about_gpu(function: &str) -> Option<Operation> {
    let starts = ["nvmlDevice", "nvmlGpuInstance", "nvmlComputeInstance"];
    let about = starts.iter().any(|start| function.starts_with(start));
    // How many there are is known without asking one of them.
    let count = function.starts_with("nvmlDeviceGetCount");
    (about && !count).then_some(Operation::Gpu)
}

fn code(answer: Answer) -> Code {
    match answer {
        Answer::NoPermission => Code::NO_PERMISSION,
        Answer::InUse => Code::IN_USE,
        Answer::InsufficientResources => Code::INSUFFICIENT_RESOURCES,
        Answer::GpuIsLost => Code::GPU_IS_LOST,
        Answer::FunctionNotFound => Code::FUNCTION_NOT_FOUND,
        Answer::NotSupported => Code::NOT_SUPPORTED,
        Answer::NotFound => Code::NOT_FOUND,
        Answer::InvalidArgument => Code::INVALID_ARGUMENT,
        Answer::ResetRequired => Code::RESET_REQUIRED,
        Answer::DriverNotLoaded => Code::DRIVER_NOT_LOADED,
        Answer::VersionMismatch => Code::LIB_RM_VERSION_MISMATCH,
        Answer::Timeout => Code::TIMEOUT,
        Answer::Unknown => Code::UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_what_they_do() {
        use Operation::{Admin, CreateGpuInstance, Gpu, Start};
        let of = |name| operations(name);
        assert_eq!(of("nvmlInit_v2"), [Start]);
        let create = "nvmlDeviceCreateGpuInstanceWithPlacement";
        assert_eq!(of(create), [CreateGpuInstance, Admin, Gpu]);
        let placements = "nvmlDeviceGetGpuInstancePossiblePlacements_v2";
        assert_eq!(of(placements), [Admin, Gpu]);
        assert_eq!(of("nvmlDeviceGetName"), [Gpu]);
        assert_eq!(of("nvmlDeviceGetCount_v2"), []);
        assert_eq!(of("nvmlSystemGetDriverVersion"), []);
    }

    #[test]
    fn every_operation_has_functions_of_nvml_h() {
        use Operation::*;
        let all: Vec<_> = NAMES.lines().flat_map(operations).collect();
        for operation in [
            Start,
            CreateGpuInstance,
            DestroyGpuInstance,
            CreateComputeInstance,
            DestroyComputeInstance,
            SetMigMode,
            List,
            Admin,
            Gpu,
        ] {
            assert!(all.contains(&operation), "{operation:?}");
        }
    }
}
