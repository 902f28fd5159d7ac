//! Bitcode files in, a job profile or its bytes out. The one place that states the order of the stages.

use crate::error::AnalyzeError;
use crate::formula::{self, Formulas};
use crate::ir::stubs::{self, CudaFacts};
use crate::ir::view::module::ModuleView;
use crate::ir::{load, normalise};
use crate::lower;
use crate::outside::{self, SystemFunctions};
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

/// Links the files and analyses the program that they make. `system` tells whose code needs no look.
///
/// # Errors
/// When a file is no IR, the files do not link, or LLVM refuses its passes.
pub fn analyze(
    name: &str,
    bitcode: &[impl AsRef<Path>],
    slicing: Slicing,
    system: &SystemFunctions,
) -> Result<JobProfile, AnalyzeError> {
    let context = Context::create();
    let module = load::link(&context, bitcode)?;
    let facts = stubs::take(&module);
    let whole = lowered(&context, &module, &facts, system)?;
    let sliced = slice::slice(&whole);
    let formulas = formula::formulas(&sliced);
    let program = match slicing {
        Slicing::On => sliced,
        Slicing::Off => whole,
    };
    let summary = Summary {
        device_variables: facts.device_variables(),
        ..summary(name, &program, formulas)
    };
    Ok(JobProfile {
        summary,
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

/// Brings a module into its plain form and lowers it; of the system's functions only those are known that have a row.
///
/// # Errors
/// When LLVM refuses its passes.
pub fn size_program(context: &Context, module: &Module<'_>) -> Result<SizeProgram, AnalyzeError> {
    let facts = stubs::take(module);
    lowered(context, module, &facts, &SystemFunctions::default())
}

fn lowered(
    context: &Context,
    module: &Module<'_>,
    facts: &CudaFacts,
    system: &SystemFunctions,
) -> Result<SizeProgram, AnalyzeError> {
    normalise::normalise(context, module)?;
    let mut program = lower::program::lower(ModuleView::of(module), facts);
    program.opaque = outside::opaque(&program, system);
    Ok(program)
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
        device_variables: 0,
        unknowns: formulas.unknowns,
        without_ir: Vec::new(),
        failure: None,
    }
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
