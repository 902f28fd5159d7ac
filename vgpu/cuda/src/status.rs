//! The driver's results, and how failures of the virtual GPU map to them.

use migfit_vgpu_border::Refusal;
use migfit_vgpu_device::StateError;

/// A `CUresult` other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub u32);

/// Outcome of a driver call.
pub type Outcome<T = ()> = Result<T, Status>;

impl Status {
    pub const INVALID_VALUE: Status = Status(1);
    pub const OUT_OF_MEMORY: Status = Status(2);
    pub const NOT_INITIALIZED: Status = Status(3);
    pub const NO_DEVICE: Status = Status(100);
    pub const INVALID_DEVICE: Status = Status(101);
    pub const INVALID_IMAGE: Status = Status(200);
    pub const INVALID_CONTEXT: Status = Status(201);
    pub const NO_BINARY_FOR_GPU: Status = Status(209);
    pub const INVALID_PTX: Status = Status(218);
    pub const FILE_NOT_FOUND: Status = Status(301);
    pub const INVALID_HANDLE: Status = Status(400);
    pub const NOT_FOUND: Status = Status(500);
    pub const CONTEXT_IS_DESTROYED: Status = Status(709);
    pub const HOST_MEMORY_ALREADY_REGISTERED: Status = Status(712);
    pub const HOST_MEMORY_NOT_REGISTERED: Status = Status(713);
    pub const ILLEGAL_STATE: Status = Status(401);
    pub const NOT_READY: Status = Status(600);
    pub const PEER_ACCESS_NOT_ENABLED: Status = Status(705);
    pub const NOT_PERMITTED: Status = Status(800);
    pub const ILLEGAL_ADDRESS: Status = Status(700);
    pub const LAUNCH_TIMEOUT: Status = Status(702);
    pub const ASSERT: Status = Status(710);
    pub const HARDWARE_STACK_ERROR: Status = Status(714);
    pub const ILLEGAL_INSTRUCTION: Status = Status(715);
    pub const LAUNCH_FAILED: Status = Status(719);
    pub const STREAM_CAPTURE_UNSUPPORTED: Status = Status(900);
    pub const STREAM_CAPTURE_INVALIDATED: Status = Status(901);
    pub const STREAM_CAPTURE_MERGE: Status = Status(902);
    pub const STREAM_CAPTURE_UNMATCHED: Status = Status(903);
    pub const STREAM_CAPTURE_UNJOINED: Status = Status(904);
    pub const STREAM_CAPTURE_ISOLATION: Status = Status(905);
    pub const STREAM_CAPTURE_IMPLICIT: Status = Status(906);
    pub const CAPTURED_EVENT: Status = Status(907);
    pub const STREAM_CAPTURE_WRONG_THREAD: Status = Status(908);
    pub const GRAPH_EXEC_UPDATE_FAILURE: Status = Status(910);
    pub const COOPERATIVE_LAUNCH_TOO_LARGE: Status = Status(720);
    pub const NOT_SUPPORTED: Status = Status(801);
    pub const SYSTEM_NOT_READY: Status = Status(802);
    pub const UNKNOWN: Status = Status(999);
}

impl Refusal for Status {
    const NULL_POINTER: Status = Status::INVALID_VALUE;
    const NO_SUCH_NAME: Status = Status::NOT_FOUND;
    const PANICKED: Status = Status::UNKNOWN;

    fn answer(self) -> u32 {
        self.0
    }
}

impl From<StateError> for Status {
    fn from(error: StateError) -> Status {
        match error {
            StateError::OutOfMemory { .. } | StateError::TableFull(_) => Status::OUT_OF_MEMORY,
            // The slice was destroyed under the process: to CUDA the device is gone.
            StateError::NotConfigured | StateError::NotFound(_) => Status::NO_DEVICE,
            StateError::NoPermission(_)
            | StateError::UnknownModel(_)
            | StateError::Setting { .. }
            | StateError::OtherModel { .. }
            | StateError::Foreign { .. }
            | StateError::NoFolder { .. }
            | StateError::File { .. } => Status::SYSTEM_NOT_READY,
            StateError::MigOff
            | StateError::ResetRequired
            | StateError::InvalidArgument(_)
            | StateError::InsufficientResources(_)
            | StateError::InUse(_) => Status::UNKNOWN,
        }
    }
}

/// Value, name and text of every result.
static NAMES: &[(u32, &std::ffi::CStr, &std::ffi::CStr)] =
    include!(concat!(env!("OUT_DIR"), "/errors.rs"));

/// Name and text of a result.
pub fn describe(value: u32) -> Option<(&'static std::ffi::CStr, &'static std::ffi::CStr)> {
    let found = NAMES.iter().find(|(known, _, _)| *known == value);
    found.map(|(_, name, text)| (*name, *text))
}
