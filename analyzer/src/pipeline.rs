//! Bitcode files in, a job profile or its bytes out. The one place that states the order of the stages.

use crate::annotations;
use crate::device::code::DeviceCode;
use crate::error::AnalyzeError;
use crate::formula::{self, Formulas};
use crate::ir::stubs::{self, CudaFacts};
use crate::ir::view::module::ModuleView;
use crate::ir::{library, load, normalise, returns};
use crate::lower;
use crate::outside::{self, Exports, SystemFunctions};
use crate::slice;
use inkwell::context::Context;
use inkwell::module::Module;
use migfit_schema::container;
use migfit_schema::kernel::Kernel;
use migfit_schema::profile::{JobProfile, PROFILE_VERSION, Summary, Unknown};
use migfit_schema::program::{Part, Place, SizeProgram, join};
use std::path::{Path, PathBuf};

/// Whether the size program is cut down to what sizes depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slicing {
    /// Only what sizes depend on: what programs carry.
    On,
    /// All host code: for debugging, and as the oracle of the slice.
    Off,
}

/// What lies around a program when it is analysed.
#[derive(Debug, Default)]
pub struct Surroundings {
    /// Functions whose code needs no look.
    pub system: SystemFunctions,
    /// What the linked file offers to others; `None`: it stands alone.
    pub exports: Option<Exports>,
    /// The shared libraries that are loaded with it, in that order.
    pub libraries: Vec<Part>,
    /// Objects or programs whose device code belongs to this host code.
    pub device_code: Vec<PathBuf>,
}

/// What an analysis gives.
#[derive(Debug)]
pub struct Analysis {
    /// The job profile.
    pub profile: JobProfile,
    /// What the file brings to a process with others; `None` where it stands alone.
    pub part: Option<Part>,
}

/// Links the files and analyses the program that they make, together with the libraries around it.
///
/// # Errors
/// When a file is no IR, the files do not link, or LLVM refuses its passes.
pub fn analyze(
    name: &str,
    bitcode: &[impl AsRef<Path>],
    slicing: Slicing,
    around: &Surroundings,
) -> Result<Analysis, AnalyzeError> {
    let context = Context::create();
    let module = load::link(&context, bitcode)?;
    let device = device_code(&module, around);
    let facts = prepared(&context, &module)?;
    let own = lowered(&context, &module, &facts, around)?;
    let part = around
        .exports
        .as_ref()
        .map(|exports| part(&own, exports, &facts));
    let whole = match &part {
        Some(part) if !around.libraries.is_empty() => with_libraries(part, &around.libraries),
        _ => own,
    };
    // Of a library without CUDA calls only its part is wanted.
    let (program, checked, formulas) = match whole.main.is_some() || slice::calls_cuda(&whole) {
        true => cut(whole, slicing),
        false => Default::default(),
    };
    let libraries = around.libraries.iter();
    let variables = libraries.map(|library| library.device_variables);
    let summary = Summary {
        device_variables: variables.fold(facts.device_variables(), u64::saturating_add),
        identity: part.as_ref().map(identity).transpose()?,
        ..summary(name, &program, formulas, device)
    };
    Ok(Analysis {
        profile: JobProfile {
            summary,
            program: Some(program),
            checked,
        },
        part,
    })
}

fn device_code(module: &Module<'_>, around: &Surroundings) -> DeviceCode {
    let mut device = DeviceCode::default();
    device.add_module(module);
    for file in &around.device_code {
        device.add_file(file);
    }
    device
}

fn cut(whole: SizeProgram, slicing: Slicing) -> (SizeProgram, Option<SizeProgram>, Formulas) {
    let (sliced, checked) = slice::slices(&whole);
    let formulas = formula::formulas(&sliced);
    match slicing {
        Slicing::On => (sliced, checked, formulas),
        Slicing::Off => (whole, None, formulas),
    }
}

fn with_libraries(own: &Part, libraries: &[Part]) -> SizeProgram {
    let mut all = vec![own.clone()];
    all.extend_from_slice(libraries);
    join(&all)
}

/// What a file with this code offers to others.
fn part(own: &SizeProgram, exports: &Exports, facts: &CudaFacts) -> Part {
    let functions = (0u32..).zip(&own.functions);
    let functions = functions.filter(|(_, function)| exports.contain(&function.name));
    let globals = (0u32..).zip(&own.globals);
    let globals = globals.filter(|(_, one)| !one.external && exports.contain(&one.name));
    Part {
        functions: functions.map(|(id, _)| id).collect(),
        globals: globals.map(|(id, _)| id).collect(),
        program: slice::advise(own),
        device_variables: facts.device_variables(),
    }
}

/// A checksum over what the code does: lines and names of registers may change.
fn identity(part: &Part) -> Result<String, AnalyzeError> {
    let mut plain = part.clone();
    plain.program.files.clear();
    plain.program.catches.fill(Place::default());
    for function in &mut plain.program.functions {
        function.names.clear();
        for block in &mut function.blocks {
            block.end_place = Place::default();
            for found in &mut block.ops {
                found.place = Place::default();
            }
        }
    }
    let bytes = postcard::to_stdvec(&plain).map_err(refused)?;
    Ok(format!("{:016x}", container::checksum(&bytes)))
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
pub fn size_program<'c>(
    context: &'c Context,
    module: &Module<'c>,
) -> Result<SizeProgram, AnalyzeError> {
    let facts = prepared(context, module)?;
    lowered(context, module, &facts, &Surroundings::default())
}

/// Gives a program what its compiler left out of it, and reads what the CUDA compiler wrote into it.
fn prepared<'c>(context: &'c Context, module: &Module<'c>) -> Result<CudaFacts, AnalyzeError> {
    library::complete(context, module, slice::has_effect_row)?;
    returns::restore(module);
    Ok(stubs::take(module))
}

fn lowered(
    context: &Context,
    module: &Module<'_>,
    facts: &CudaFacts,
    around: &Surroundings,
) -> Result<SizeProgram, AnalyzeError> {
    let exports = around.exports.as_ref();
    normalise::normalise(context, module, exports)?;
    let mut program = lower::program::lower(ModuleView::of(module), facts, exports);
    slice::decide(&mut program);
    program.opaque = outside::opaque(&program, &around.system);
    program.captures = slice::captures(&program);
    Ok(program)
}

fn summary(
    name: &str,
    program: &SizeProgram,
    formulas: Formulas,
    mut device: DeviceCode,
) -> Summary {
    let unreadable = device.troubles.into_iter().map(|reason| Unknown {
        site: None,
        what: "device code".to_owned(),
        reason,
    });
    let mut unknowns = formulas.unknowns;
    unknowns.extend(unreadable);
    let kernels = program.kernels.iter().map(|(symbol, name)| Kernel {
        symbol: symbol.clone(),
        name: name.clone(),
        images: device.images.remove(symbol).unwrap_or_default(),
    });
    Summary {
        version: PROFILE_VERSION,
        migfit: env!("CARGO_PKG_VERSION").to_owned(),
        name: name.to_owned(),
        allocations: formulas.allocations,
        launches: formulas.launches,
        peak: formulas.peak,
        kernels: kernels.collect(),
        device_variables: 0,
        annotations: annotations::of(program),
        unknowns,
        without_ir: Vec::new(),
        libraries: Vec::new(),
        identity: None,
        failure: None,
    }
}

/// The analysis as the bytes of an ELF section.
///
/// # Errors
/// When an encoder refuses it.
pub fn section(analysis: &Analysis) -> Result<Vec<u8>, AnalyzeError> {
    let profile = &analysis.profile;
    let mut section = Vec::new();
    let summary = serde_json::to_vec(&profile.summary).map_err(refused)?;
    container::append(&mut section, container::SUMMARY, &summary);
    if let Some(program) = &profile.program {
        let program = postcard::to_stdvec(program).map_err(refused)?;
        container::append(&mut section, container::PROGRAM, &program);
    }
    if let Some(checked) = &profile.checked {
        let checked = postcard::to_stdvec(checked).map_err(refused)?;
        container::append(&mut section, container::CHECKED, &checked);
    }
    if let Some(part) = &analysis.part {
        let part = postcard::to_stdvec(part).map_err(refused)?;
        container::append(&mut section, container::PART, &part);
    }
    container::seal(&mut section);
    Ok(section)
}

fn refused(error: impl std::fmt::Display) -> AnalyzeError {
    AnalyzeError::Encode {
        message: error.to_string(),
    }
}
