//! Launches that were accepted -> kernels that run, and what a kernel's failure does to its context.

use crate::arguments::Arguments;
use crate::contexts::CudaContext;
use crate::driver::Driver;
use crate::images::Kernel;
use crate::launching::Launch;
use crate::log;
use crate::observed;
use crate::status::{Outcome, Status};
use crate::times;
use migfit_ptx::flow::program::Program;
use migfit_ptx::text::{PtxError, parse};
use migfit_vgpu_device::settings::{Kernels, kernels, workers};
use migfit_vgpu_execution::{
    CompileError, Compiled, Counting, Fault, FaultKind, Symbols, compile, launch,
};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// The PTX texts of a piece of device code, read when a kernel of it is first launched.
pub struct Code {
    texts: Vec<String>,
    program: OnceLock<Result<Program, Status>>,
}

impl Code {
    /// Of these device files.
    pub fn new(texts: Vec<String>) -> Code {
        Code {
            texts,
            program: OnceLock::new(),
        }
    }

    /// All of them as one program.
    pub fn program(&self) -> Outcome<&Program> {
        let program = self.program.get_or_init(|| read(&self.texts));
        program.as_ref().map_err(|status| *status)
    }
}

fn read(texts: &[String]) -> Outcome<Program> {
    let modules: Result<Vec<_>, PtxError> = texts.iter().map(|text| parse(text)).collect();
    let modules = modules.map_err(|error| {
        log::explain(&error.to_string());
        Status::INVALID_PTX
    })?;
    Program::new(modules).map_err(|error| {
        log::explain(&error.to_string());
        Status::INVALID_PTX
    })
}

/// A kernel's machine code, made at its first launch.
pub type Made = OnceLock<Outcome<Arc<Compiled>>>;

/// Whether launches are run; else they are counted only.
pub fn executes() -> bool {
    kernels().is_ok_and(|kernels| kernels == Kernels::Run)
}

/// Runs a launch whose shape was checked. A fault in it is told by the calls that follow, as on a GPU.
pub fn run(
    driver: &Driver,
    context: &CudaContext,
    kernel: &Kernel,
    shape: &Launch,
    arguments: &Arguments,
) -> Outcome {
    if !executes() {
        observed::skipped();
        return Ok(());
    }
    let image = kernel.code()?;
    let compiled = kernel.made.get_or_init(|| {
        let name = kernel.name.to_string_lossy();
        let begun = Instant::now();
        let made = compile(
            image.code.program()?,
            &name,
            &image.variables as &dyn Symbols,
            counting(),
        );
        if let Ok(made) = &made {
            times::compiled(&name, made.instructions, begun.elapsed());
        }
        made.map(Arc::new).map_err(|error| refused(&error))
    });
    let compiled = compiled.as_ref().map_err(|status| *status)?;
    let several = shape.grid != [1; 3];
    if shape.cooperative && several && compiled.watches {
        let name = kernel.name.to_string_lossy();
        log::explain(&format!(
            "kernel '{name}': blocks that wait for each other (grid.sync()) are not done by the virtual GPU"
        ));
        log::unsupported(&format!("blocks that wait for each other in kernel {name}"));
        return Err(Status::NOT_SUPPORTED);
    }
    let parameters = arguments.laid_out(&compiled.parameters);
    let launched = migfit_vgpu_execution::Launch {
        grid: shape.grid,
        block: shape.block,
        shared: shape.shared,
        parameters: &parameters,
        variables: image.variables.block_in(context)?,
        sms: driver.slice.sms,
        workers: workers().unwrap_or(1).min(driver.slice.sms as usize),
    };
    let begun = Instant::now();
    let outcome = launch(compiled, &launched);
    let extents = shape.grid.iter().chain(&shape.block);
    let threads = extents.map(|extent| u64::from(*extent)).product();
    times::ran(&compiled.name, threads, begun.elapsed());
    match outcome {
        Ok(work) => {
            observed::launched(&kernel.name, shape, work);
            Ok(())
        }
        Err(Ok(fault)) => {
            log::explain(&fault.to_string());
            context.poison(status_of(&fault));
            Ok(())
        }
        Err(Err(error)) => {
            log::explain(&format!("no memory for the threads of a kernel: {error}"));
            Err(Status::OUT_OF_MEMORY)
        }
    }
}

/// Whether kernels count what they do: where somebody listens.
fn counting() -> Counting {
    match observed::is_heard() {
        true => Counting::Work,
        false => Counting::Nothing,
    }
}

fn refused(error: &CompileError) -> Status {
    log::explain(&error.to_string());
    match error {
        CompileError::Unsupported {
            kernel, what, at, ..
        } => {
            log::unsupported(&format!("{what} in kernel {kernel} at PTX {at}"));
            Status::NOT_SUPPORTED
        }
        CompileError::Generator { kernel, .. } => {
            log::unsupported(&format!("kernel {kernel}"));
            Status::NOT_SUPPORTED
        }
        CompileError::Text { .. } | CompileError::NoKernel(_) => Status::INVALID_PTX,
    }
}

fn status_of(fault: &Fault) -> Status {
    match fault.kind {
        FaultKind::Address => Status::ILLEGAL_ADDRESS,
        FaultKind::Trap => Status::LAUNCH_FAILED,
        FaultKind::Assert => Status::ASSERT,
        FaultKind::Deadlock => Status::LAUNCH_TIMEOUT,
        FaultKind::Stack => Status::HARDWARE_STACK_ERROR,
        FaultKind::Instruction => Status::ILLEGAL_INSTRUCTION,
    }
}
