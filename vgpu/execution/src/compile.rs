//! A kernel of a program, with the functions that it calls -> machine code of this computer.

use crate::context::Context;
use crate::error::CompileError;
use crate::layout::Layout;
use crate::translate::function::{Refused, Shape, offsets};
use crate::translate::{Environment, Refusal, device_function, kernel};
use cranelift_codegen::ir::{self, AbiParam, Signature, UserFuncName, types};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};
use migfit_ptx::flow::addresses;
use migfit_ptx::flow::flat::{Arg, Flat, Op};
use migfit_ptx::flow::program::Program;
use migfit_ptx::flow::stops;
use migfit_ptx::text::ast::{Function, Variable};
use migfit_schema::record::Work;
use std::collections::HashMap;

/// Where the variables of a program lie.
pub trait Symbols {
    /// Offset of a variable of a module in the program's block of variables.
    fn offset(&self, file: usize, name: &str) -> Option<u64>;
}

/// Whether kernels count what they do: it takes some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// They do not.
    Nothing,
    /// Instructions and bytes.
    Work,
}

/// How the threads of a kernel wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// They do not.
    Never,
    /// All at barrier 0.
    Together,
    /// In other ways as well.
    Variously,
}

/// A compiled kernel.
pub struct Compiled {
    /// Its name.
    pub name: String,
    /// Offsets and sizes of its parameters.
    pub parameters: Vec<(u64, u64)>,
    /// Bytes of shared memory that are not dynamic, up to where that begins.
    pub shared: u64,
    /// Bytes of a thread's frame.
    pub frame: u64,
    /// How its threads wait for each other.
    pub waiting: Waiting,
    /// Whether it reads memory that others may write meanwhile: its blocks may wait for each other.
    pub watches: bool,
    /// What the code does that each of its counters counts; empty where nothing is counted.
    pub counted: Vec<Work>,
    /// Instructions that it was made of.
    pub instructions: usize,
    code: usize,
    module: Option<JITModule>,
}

/// `fn(context, first thread, count of threads)`.
pub type Code = unsafe extern "C" fn(*mut Context, u32, u32);

impl Compiled {
    /// Its code.
    #[must_use]
    pub fn code(&self) -> Code {
        let start = std::ptr::with_exposed_provenance::<()>(self.code);
        // SAFETY: the code generator made a function of this signature there, and it lives as long as the module.
        unsafe { std::mem::transmute::<*const (), Code>(start) }
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the code is reachable through this value alone.
            unsafe { module.free_memory() };
        }
    }
}

// SAFETY: the code generator's module is only touched when it is freed; the code itself does not change.
unsafe impl Send for Compiled {}
// SAFETY: as above; running the code needs no more than a shared reference.
unsafe impl Sync for Compiled {}

/// Compiles a kernel.
///
/// # Errors
/// When the program has no such kernel, or it does what the virtual GPU cannot do.
pub fn compile(
    program: &Program,
    name: &str,
    symbols: &dyn Symbols,
    counting: Counting,
) -> Result<Compiled, CompileError> {
    let kernels = program.kernels();
    let no_kernel = || CompileError::NoKernel(name.to_owned());
    let &(file, function) = kernels.get(name).ok_or_else(no_kernel)?;
    let mut compilation = Compilation::new(program, name, symbols, counting)?;
    let flat = compilation.flat(file, function)?;
    let layout = Layout::of(&flat);
    let (starts, _) = offsets(&function.parameters);
    let id = compilation.declare("kernel", &[types::I64, types::I32, types::I32])?;
    let build = |builder: &mut FunctionBuilder, env: &mut dyn Environment| {
        kernel(builder, &flat, &layout, &starts, env)
    };
    let frame = compilation.define(id, &flat, build)?;
    compilation.callees()?;
    let sizes = function
        .parameters
        .iter()
        .map(|parameter| parameter.bytes());
    let mut compiled = Compiled {
        name: name.to_owned(),
        parameters: starts.iter().copied().zip(sizes).collect(),
        shared: layout.dynamic,
        frame: frame.next_multiple_of(16),
        waiting: waiting(&flat),
        watches: watches(&flat),
        counted: compilation.counted.unwrap_or_default(),
        instructions: flat.steps.len(),
        code: 0,
        module: None,
    };
    let mut module = compilation.module;
    let finished = module.finalize_definitions();
    finished.map_err(|error| generator(name, &error))?;
    compiled.code = module.get_finalized_function(id).expose_provenance();
    compiled.module = Some(module);
    Ok(compiled)
}

/// How threads wait in a function.
fn waiting(flat: &Flat) -> Waiting {
    let mut waiting = Waiting::Never;
    for step in &flat.steps {
        if let Op::Given(instruction) = step.op
            && stops::is_stop(instruction)
        {
            let is_zero = |arg: &Arg| matches!(arg, Arg::Number(number) if number.bits() == 0);
            let block = matches!(instruction.opcode.as_str(), "bar" | "barrier")
                && instruction.has("sync")
                && !instruction.has("warp");
            if !block || !matches!(step.args.as_slice(), [barrier] if is_zero(barrier)) {
                return Waiting::Variously;
            }
            waiting = Waiting::Together;
        }
    }
    waiting
}

/// Whether a function has loads that see what other blocks write.
fn watches(flat: &Flat) -> bool {
    let words = ["acquire", "relaxed", "volatile"];
    flat.steps.iter().any(|step| match step.op {
        Op::Given(instruction) => {
            instruction.opcode == "ld"
                && !instruction.has("shared")
                && words.iter().any(|word| instruction.has(word))
        }
        _ => false,
    })
}

fn generator(kernel: &str, error: &dyn std::fmt::Display) -> CompileError {
    CompileError::Generator {
        kernel: kernel.to_owned(),
        what: error.to_string(),
    }
}

/// The instruction set of this computer.
fn target(kernel: &str) -> Result<OwnedTargetIsa, CompileError> {
    let mut flags = settings::builder();
    for (name, value) in [
        ("use_colocated_libcalls", "false"),
        ("is_pic", "false"),
        ("opt_level", "speed"),
        ("enable_verifier", if cfg!(test) { "true" } else { "false" }),
        ("enable_probestack", "false"),
    ] {
        flags
            .set(name, value)
            .map_err(|error| generator(kernel, &error))?;
    }
    let builder = cranelift_native::builder().map_err(|error| generator(kernel, &error))?;
    let target = builder.finish(settings::Flags::new(flags));
    target.map_err(|error| generator(kernel, &error))
}

/// A kernel that is being compiled, with its callees.
struct Compilation<'a> {
    program: &'a Program,
    kernel: &'a str,
    symbols: &'a dyn Symbols,
    module: JITModule,
    has_fma: bool,
    /// None where nothing is counted.
    counted: Option<Vec<Work>>,
    functions: HashMap<(usize, String), FuncId>,
    /// Functions that are called and not yet made.
    open: Vec<(usize, String, FuncId)>,
}

impl<'a> Compilation<'a> {
    fn new(
        program: &'a Program,
        kernel: &'a str,
        symbols: &'a dyn Symbols,
        counting: Counting,
    ) -> Result<Compilation<'a>, CompileError> {
        let target = target(kernel)?;
        let has_fma = target
            .isa_flags()
            .iter()
            .any(|flag| flag.name == "has_fma" && flag.as_bool() == Some(true));
        let module = JITModule::new(JITBuilder::with_isa(target, default_libcall_names()));
        Ok(Compilation {
            program,
            kernel,
            symbols,
            module,
            has_fma,
            counted: (counting == Counting::Work).then(Vec::new),
            functions: HashMap::new(),
            open: Vec::new(),
        })
    }

    fn flat(&self, file: usize, function: &'a Function) -> Result<Flat<'a>, CompileError> {
        Flat::of(self.program, file, function).map_err(|error| CompileError::Text {
            kernel: self.kernel.to_owned(),
            error,
        })
    }

    fn declare(&mut self, name: &str, parameters: &[ir::Type]) -> Result<FuncId, CompileError> {
        let mut signature = self.module.make_signature();
        signature.params = parameters.iter().map(|ty| AbiParam::new(*ty)).collect();
        let id = self
            .module
            .declare_function(name, Linkage::Local, &signature);
        id.map_err(|error| generator(self.kernel, &error))
    }

    fn define<T>(
        &mut self,
        id: FuncId,
        flat: &Flat,
        build: impl FnOnce(&mut FunctionBuilder, &mut dyn Environment) -> Result<T, Refused>,
    ) -> Result<T, CompileError> {
        let mut context = self.module.make_context();
        let declared = self.module.declarations().get_function_decl(id);
        context.func.signature = Signature::clone(&declared.signature);
        context.func.name = UserFuncName::user(0, id.as_u32());
        let mut parts = FunctionBuilderContext::new();
        let mut builder = FunctionBuilder::new(&mut context.func, &mut parts);
        let made = build(&mut builder, self).map_err(|refused| self.refusal(flat, refused))?;
        builder.finalize(self.module.target_config());
        let defined = self.module.define_function(id, &mut context);
        defined.map_err(|error| generator(self.kernel, &format!("{error:?}")))?;
        Ok(made)
    }

    fn refusal(&self, flat: &Flat, (step, Refusal(what)): Refused) -> CompileError {
        let step = flat.steps.get(step);
        let instruction = step.and_then(|step| match step.op {
            Op::Given(instruction) => Some(instruction.name()),
            _ => None,
        });
        let what = match instruction {
            Some(name) if name != what => format!("{name} ({what})"),
            _ => what,
        };
        CompileError::Unsupported {
            kernel: self.kernel.to_owned(),
            function: step.map_or(flat.name, |step| step.function).to_owned(),
            what,
            at: step.map(|step| step.at).unwrap_or_default(),
        }
    }

    /// Makes the functions that are called, and those that they call.
    fn callees(&mut self) -> Result<(), CompileError> {
        while let Some((file, name, id)) = self.open.pop() {
            let program = self.program;
            let Some((file, function)) = program.function(file, &name) else {
                continue;
            };
            let flat = self.flat(file, function)?;
            let layout = Layout::of(&flat);
            let (parameters, returns) = (
                offsets(&function.parameters).0,
                offsets(&function.returns).0,
            );
            self.define(id, &flat, |builder, env| {
                device_function(builder, &flat, &layout, (&parameters, &returns), env)
            })?;
        }
        Ok(())
    }
}

impl Environment for Compilation<'_> {
    fn variable(&self, file: usize, name: &str) -> Option<u64> {
        self.symbols.offset(file, name)
    }

    fn function(
        &mut self,
        into: &mut ir::Function,
        file: usize,
        name: &str,
    ) -> Option<ir::FuncRef> {
        let key = (file, name.to_owned());
        let id = match self.functions.get(&key) {
            Some(id) => *id,
            None => {
                let (word, pointer) = (types::I32, types::I64);
                let parameters = [pointer, word, word, word, word, pointer, pointer];
                let id = self.declare(&format!("{file} {name}"), &parameters).ok()?;
                self.functions.insert(key, id);
                self.open.push((file, name.to_owned(), id));
                id
            }
        };
        Some(self.module.declare_func_in_func(id, into))
    }

    fn function_number(&mut self, file: usize, name: &str) -> Option<u64> {
        addresses::address(&addresses::taken(self.program), file, name)
    }

    fn taken(&self) -> Vec<(usize, String, Shape)> {
        let shaped = |(file, name): (usize, String)| {
            let (file, function) = self.program.function(file, &name)?;
            let bytes = |all: &[Variable]| all.iter().map(Variable::bytes).collect();
            Some((
                file,
                name,
                (bytes(&function.parameters), bytes(&function.returns)),
            ))
        };
        let taken = addresses::taken(self.program).into_iter();
        taken.filter_map(shaped).collect()
    }

    fn counter(&mut self, work: Work) -> Option<usize> {
        let counted = self.counted.as_mut()?;
        counted.push(work);
        Some(counted.len() - 1)
    }

    fn has_fma(&self) -> bool {
        self.has_fma
    }
}
