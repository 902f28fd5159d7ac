//! What the targets evaluate with: one command line and one device. Knows no parser.

use migfit_sizes::{CommandLine, DeviceProperties};

/// A command line with numbers, an option and a file that is not there.
#[must_use]
pub fn command() -> CommandLine {
    let words = ["program", "64", "-s", "3.5", "no-such-file"];
    CommandLine {
        args: words.map(str::to_owned).to_vec(),
        env: vec![("SIZE".to_owned(), "7".to_owned())],
        cwd: "/nonexistent".into(),
    }
}

/// A slice of an A100.
#[must_use]
pub fn device() -> DeviceProperties {
    DeviceProperties {
        name: "NVIDIA A100-SXM4-40GB MIG 2g.10gb".to_owned(),
        compute_capability: (8, 0),
        sm_count: 28,
        total_bytes: 9856 << 20,
        l2_bytes: 10 << 20,
        clock_khz: 1_410_000,
        ..DeviceProperties::default()
    }
}
