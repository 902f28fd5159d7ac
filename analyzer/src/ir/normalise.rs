//! The linked module as the compiler left it in, the same module in the plain form that lowering wants out.
//! Must not know the size program.
//!
//! Why not LLVM's default O2: it duplicates blocks (jump threading), turns loops round (rotation) and rewrites their
//! exit tests (induction variables), and formulas are derived from what is left. What matters for sizes is
//! inlining, which splits allocation sites and contexts; so this pipeline inlines nearly everything bottom-up,
//! cleans up, and leaves loops as the programmer wrote them. No instcombine either: it writes `n + 1` as `n | 1` where
//! n is even and `2 * n * 4` as masks and shifts, and in pipelines of one's own it has aborted the process.
//! instsimplify only removes; on the Rodinia-like programs it leaves 1% more instructions.

use super::view::text;
use crate::error::AnalyzeError;
use crate::outside::Exports;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use llvm_sys::core::LLVMSetIsNewDbgInfoFormat;
use llvm_sys::error::LLVMGetErrorMessage;
use llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPasses,
};
use std::ffi::CString;

/// Largest cost at which a call is still inlined; LLVM's own default is 225.
const INLINE_THRESHOLD: &str = "3000";

/// Attributes that keep functions from being inlined or optimised; `-O0` builds carry them everywhere.
const HINDRANCES: [&str; 2] = ["optnone", "noinline"];

/// Passes in order. GlobalsAA lets loads of file-level variables pass calls that cannot write them.
const PIPELINE: &str = concat!(
    "function(lower-expect,sroa,early-cse,simplifycfg,instsimplify),",
    "ipsccp,globalopt,",
    "cgscc(inline,function(sroa,early-cse<memssa>,simplifycfg,instsimplify)),",
    "ipsccp,globalopt,",
    "require<globals-aa>,function(invalidate<aa>),",
    "function(lower-constant-intrinsics,sroa,early-cse<memssa>,gvn,instsimplify,simplifycfg,adce),",
    "globaldce",
);

/// Brings a linked module into its plain form. What is exported keeps its name and its body.
///
/// # Errors
/// When LLVM refuses the passes.
pub fn normalise(
    context: &Context,
    module: &Module<'_>,
    exports: Option<&Exports>,
) -> Result<(), AnalyzeError> {
    free_functions(context, module);
    if exports.is_some() || module.get_function("main").is_some() {
        internalise(module, exports);
    }
    run_passes(module)?;
    // SAFETY: the module is alive; the call only changes how it holds debug variables. As intrinsic calls
    // they can be read by the C interface, as records they cannot.
    unsafe { LLVMSetIsNewDbgInfoFormat(module.as_mut_ptr(), 0) };
    Ok(())
}

/// Removes what hinders inlining, and raises its threshold.
fn free_functions(context: &Context, module: &Module<'_>) {
    let threshold = context.create_string_attribute("function-inline-threshold", INLINE_THRESHOLD);
    for function in module.get_functions() {
        for name in HINDRANCES {
            let kind = Attribute::get_named_enum_kind_id(name);
            function.remove_enum_attribute(AttributeLoc::Function, kind);
        }
        if function.count_basic_blocks() != 0 {
            function.add_attribute(AttributeLoc::Function, threshold);
        }
    }
}

/// Makes everything but `main`, exports and LLVM's own arrays private to the module: there is nobody else to call it.
fn internalise(module: &Module<'_>, exports: Option<&Exports>) {
    let exported = |name: &[u8]| exports.is_some_and(|exports| exports.contain_bytes(name));
    let stays = |linkage| {
        matches!(
            linkage,
            Linkage::Internal
                | Linkage::Private
                | Linkage::AvailableExternally
                | Linkage::Appending
        )
    };
    for function in module.get_functions() {
        let name = function.get_name().to_bytes();
        if function.count_basic_blocks() == 0 || stays(function.get_linkage()) {
            continue;
        }
        if exported(name) {
            // One that may be left out where nothing calls it, as templates and inline functions, is wanted here.
            function.set_linkage(Linkage::External);
        } else if name != b"main" {
            function.set_linkage(Linkage::Internal);
        }
    }
    for global in module.get_globals() {
        if global.get_initializer().is_some() && !stays(global.get_linkage()) {
            global.set_linkage(match exported(global.get_name().to_bytes()) {
                true => Linkage::External,
                false => Linkage::Internal,
            });
        }
    }
}

fn run_passes(module: &Module<'_>) -> Result<(), AnalyzeError> {
    let pipeline = CString::new(PIPELINE).map_err(|error| AnalyzeError::Passes {
        message: error.to_string(),
    })?;
    // SAFETY: module and pipeline are alive for the call; no target machine is needed for passes that do
    // not ask for costs; the options are disposed of once; an error is consumed by reading its message.
    let message = unsafe {
        let options = LLVMCreatePassBuilderOptions();
        let error = LLVMRunPasses(
            module.as_mut_ptr(),
            pipeline.as_ptr(),
            std::ptr::null_mut(),
            options,
        );
        LLVMDisposePassBuilderOptions(options);
        (!error.is_null()).then(|| text::given(LLVMGetErrorMessage(error)))
    };
    match message {
        None => Ok(()),
        Some(message) => Err(AnalyzeError::Passes { message }),
    }
}
