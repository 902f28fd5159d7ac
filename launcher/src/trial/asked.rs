//! What is foretold of a program before it is tried out: which board it is to run on, and how much memory at least.

use crate::fit::evaluate::Evaluator;
use crate::sizing::{Board, device};
use migfit_mig::Model;
use migfit_schema::kernel::ImageCode;
use migfit_schema::profile::JobProfile;
use migfit_schema::units::Bytes;
use migfit_sizes::{CommandLine, Limits, Verdict};
use std::ffi::OsString;
use std::path::Path;

/// The first board that can be a virtual GPU and runs the program's device code; the first at all where none does.
#[must_use]
pub fn model(boards: &[Board<'static>], profile: Option<&JobProfile>) -> Option<&'static Model> {
    let able = |model: &&'static Model| crate::gpu::virtual_gpu::can_be(model);
    let models: Vec<&'static Model> = boards
        .iter()
        .map(|board| board.model)
        .filter(able)
        .collect();
    let lowest = profile.map_or(0, lowest_architecture);
    let runs = |model: &&&'static Model| {
        let (major, minor) = model.compute_capability;
        major * 10 + minor >= lowest
    };
    models.iter().find(runs).or(models.first()).copied()
}

/// Compute capability (times ten) from which on every kernel has PTX.
fn lowest_architecture(profile: &JobProfile) -> u32 {
    let kernels = profile.summary.kernels.iter();
    let of_kernel = |kernel: &migfit_schema::kernel::Kernel| {
        let ptx = kernel
            .images
            .iter()
            .filter(|image| image.code == ImageCode::Ptx);
        ptx.map(|image| image.architecture).min()
    };
    kernels.filter_map(of_kernel).max().unwrap_or(0)
}

/// Device memory that the program needs at least on the whole board, where that is foretold.
#[must_use]
pub fn least(
    profile: &JobProfile,
    model: &Model,
    words: &[OsString],
    folder: &Path,
    limits: &Limits,
) -> Option<Bytes> {
    let text = |word: &OsString| word.clone().into_string().ok();
    let command = CommandLine {
        args: words.iter().map(text).collect::<Option<_>>()?,
        env: environment(),
        cwd: folder.to_owned(),
    };
    let mut evaluator = Evaluator::new(profile, &command, &[], limits.clone());
    let need = evaluator.need(model, model.whole()?)?;
    match need.verdict {
        Verdict::Exact | Verdict::LowerBound => device::wanted(need),
        Verdict::Assumed | Verdict::UpperBound | Verdict::Unknown | Verdict::Elastic => None,
    }
}

fn environment() -> Vec<(String, String)> {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).collect()
}
