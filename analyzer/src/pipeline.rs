//! Bitcode files in, a job profile or its bytes out. The one place that states the order of the stages.

use crate::error::AnalyzeError;
use crate::formula::{self, Formulas};
use crate::ir::view::module::ModuleView;
use crate::ir::{load, normalise, stubs};
use crate::lower;
use crate::slice;
use inkwell::context::Context;
use inkwell::module::Module;
use migfit_schema::container;
use migfit_schema::kernel::Kernel;
use migfit_schema::profile::{JobProfile, PROFILE_VERSION, Summary};
use migfit_schema::program::SizeProgram;
use std::path::Path;

/// Whether the size program is cut down to what sizes depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slicing {
    /// Only what sizes depend on: what programs carry.
    On,
    /// All host code: for debugging, and as the oracle of the slice.
    Off,
}

/// Links the files and analyses the program that they make.
///
/// # Errors
/// When a file is no IR, the files do not link, or LLVM refuses its passes.
pub fn analyze(
    name: &str,
    bitcode: &[impl AsRef<Path>],
    slicing: Slicing,
) -> Result<JobProfile, AnalyzeError> {
    let context = Context::create();
    let module = load::link(&context, bitcode)?;
    let whole = size_program(&context, &module)?;
    let sliced = slice::slice(&whole);
    let formulas = formula::formulas(&sliced);
    let program = match slicing {
        Slicing::On => sliced,
        Slicing::Off => whole,
    };
    Ok(JobProfile {
        summary: summary(name, &program, formulas),
        program: Some(program),
    })
}

/// Links the files and lowers the program that they make, whole or sliced.
///
/// # Errors
/// As for `analyze`.
pub fn program(
    bitcode: &[impl AsRef<Path>],
    slicing: Slicing,
) -> Result<SizeProgram, AnalyzeError> {
    let context = Context::create();
    let module = load::link(&context, bitcode)?;
    let whole = size_program(&context, &module)?;
    Ok(match slicing {
        Slicing::On => slice::slice(&whole),
        Slicing::Off => whole,
    })
}

/// Brings a module into its plain form and lowers it.
///
/// # Errors
/// When LLVM refuses its passes.
pub fn size_program(context: &Context, module: &Module<'_>) -> Result<SizeProgram, AnalyzeError> {
    let facts = stubs::take(module);
    normalise::normalise(context, module)?;
    Ok(lower::program::lower(ModuleView::of(module), &facts))
}

fn summary(name: &str, program: &SizeProgram, formulas: Formulas) -> Summary {
    let kernels = program.kernels.iter().map(|(symbol, name)| Kernel {
        symbol: symbol.clone(),
        name: name.clone(),
        registers: None,
        static_shared: None,
    });
    Summary {
        version: PROFILE_VERSION,
        migfit: env!("CARGO_PKG_VERSION").to_owned(),
        name: name.to_owned(),
        allocations: formulas.allocations,
        launches: formulas.launches,
        kernels: kernels.collect(),
        device_variables: device_variables(program),
        unknowns: formulas.unknowns,
        without_ir: Vec::new(),
        failure: None,
    }
}

/// Bytes of the device's memory that the program's own variables take.
fn device_variables(program: &SizeProgram) -> u64 {
    let globals = program.globals.iter();
    globals
        .filter_map(|global| global.device_bytes)
        .fold(0, u64::saturating_add)
}

/// The job profile as the bytes of its ELF section.
///
/// # Errors
/// When an encoder refuses it.
pub fn section(profile: &JobProfile) -> Result<Vec<u8>, AnalyzeError> {
    let refuse = |message: String| AnalyzeError::Encode { message };
    let mut section = Vec::new();
    let summary =
        serde_json::to_vec(&profile.summary).map_err(|error| refuse(error.to_string()))?;
    container::append(&mut section, container::SUMMARY, &summary);
    if let Some(program) = &profile.program {
        let program = postcard::to_stdvec(program).map_err(|error| refuse(error.to_string()))?;
        container::append(&mut section, container::PROGRAM, &program);
    }
    container::seal(&mut section);
    Ok(section)
}
