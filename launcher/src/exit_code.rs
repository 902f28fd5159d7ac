//! Every exit code of `migfit`, named and documented. Codes 80 to 99 are migfit's own; any other code that is
//! not 0 comes from the user's command or job, so a failing job always differs from a failing launcher.

/// What `migfit` tells its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// 0: everything asked for was done; every job ended with exit code 0.
    Success,
    /// The user's own command (`migfit build -- make`) or single job (`migfit run ./a.out`) ended with this code;
    /// 128 + signal when a signal ended it.
    Command(u8),
    /// 80: the command line makes no sense.
    Usage,
    /// 81: the program or file named is not there, or may not be read.
    NoSuchTarget,
    /// 82: the file named is not a program (a folder, a script, bytes of another kind, a cut ELF file), or may not be
    /// executed.
    NotAProgram,
    /// 83: the program carries no job profile.
    NoJobProfile,
    /// 84: the program's job profile cannot be read: damaged, or of another version.
    BadJobProfile,
    /// 85: no GPU model, MIG profile or policy of that name.
    UnknownName,
    /// 86: standard output, a result file, a temporary folder or the state of a virtual GPU could not be written.
    CannotWrite,
    /// 87: the user's command is there and could not be started.
    CannotStart,
    /// 88: a part of migfit (a library of the virtual GPU, too), or a tool that it needs, is missing or unfit.
    Incomplete,
    /// 89: `migfit run -f`: the run went through, and at least one job failed.
    JobsFailed,
    /// 90: a job needs more memory than the largest slice has; nothing was started.
    TooLarge,
    /// 91: the job file is wrong, at the line and column told.
    BadJobFile,
    /// 92: no NVIDIA driver or management library, or no such GPU or MIG device.
    NoGpu,
    /// 93: slices are demanded and the GPU's MIG mode is off, or its mode is about to change.
    MigOff,
    /// 94: no permission to change the GPU's MIG layout.
    NoPermission,
    /// 95: others hold the GPU, or the places that are needed on it.
    GpuOccupied,
    /// 96: the driver failed, or contradicts itself or migfit's model of the GPU.
    GpuFailed,
    /// 97: a signal stopped the run; jobs were stopped and slices destroyed.
    Interrupted,
    /// 98: the program cannot run on the virtual GPU: it holds the static CUDA runtime.
    NotForVirtualGpu,
    /// 99: `migfit doctor` found something that is broken.
    Unhealthy,
}

impl ExitCode {
    /// The exit code of a user's command or job, passed on; what does not fit in eight bits is 1.
    #[must_use]
    pub fn of_command(code: i32) -> ExitCode {
        match u8::try_from(code) {
            Ok(0) => ExitCode::Success,
            Ok(code) => ExitCode::Command(code),
            Err(_) => ExitCode::Command(1),
        }
    }

    /// The number that the shell sees.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            ExitCode::Success => 0,
            ExitCode::Command(code) => code,
            ExitCode::Usage => 80,
            ExitCode::NoSuchTarget => 81,
            ExitCode::NotAProgram => 82,
            ExitCode::NoJobProfile => 83,
            ExitCode::BadJobProfile => 84,
            ExitCode::UnknownName => 85,
            ExitCode::CannotWrite => 86,
            ExitCode::CannotStart => 87,
            ExitCode::Incomplete => 88,
            ExitCode::JobsFailed => 89,
            ExitCode::TooLarge => 90,
            ExitCode::BadJobFile => 91,
            ExitCode::NoGpu => 92,
            ExitCode::MigOff => 93,
            ExitCode::NoPermission => 94,
            ExitCode::GpuOccupied => 95,
            ExitCode::GpuFailed => 96,
            ExitCode::Interrupted => 97,
            ExitCode::NotForVirtualGpu => 98,
            ExitCode::Unhealthy => 99,
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        code.number().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_s_code_is_passed_on() {
        assert_eq!(ExitCode::of_command(0), ExitCode::Success);
        assert_eq!(ExitCode::of_command(137).number(), 137);
        assert_eq!(ExitCode::of_command(-1).number(), 1);
        assert_eq!(ExitCode::of_command(256).number(), 1);
    }
}
