//! IR text in, machine code in this process's memory out. All of LLVM's C interface that is needed for it.

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::core::{
    LLVMContextCreate, LLVMCreateMemoryBufferWithContentsOfFile, LLVMDisposeMessage,
};
use llvm_sys::execution_engine::{
    LLVMCreateMCJITCompilerForModule, LLVMExecutionEngineRef, LLVMGetFunctionAddress,
    LLVMInitializeMCJITCompilerOptions, LLVMLinkInMCJIT, LLVMMCJITCompilerOptions,
    LLVMRunStaticConstructors,
};
use llvm_sys::ir_reader::LLVMParseIRInContext;
use llvm_sys::prelude::LLVMModuleRef;
use llvm_sys::target::{
    LLVMInitializeX86AsmPrinter, LLVMInitializeX86Target, LLVMInitializeX86TargetInfo,
    LLVMInitializeX86TargetMC,
};
use std::ffi::{CStr, CString, c_char, c_int};
use std::mem::{MaybeUninit, size_of};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::null_mut;

type Main = extern "C" fn(c_int, *const *const c_char) -> c_int;

/// Once, before any module is compiled.
pub fn set_up() {
    // SAFETY: these only enter the processor and the compiler into LLVM's lists.
    unsafe {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
        LLVMLinkInMCJIT();
    }
}

/// A compiled program. It is never freed: the process that made it ends with it.
pub struct Code {
    engine: LLVMExecutionEngineRef,
    main: Main,
}

impl Code {
    /// Compiles a module, without optimisation of its own.
    ///
    /// # Errors
    /// What LLVM says where the text is no valid module.
    pub fn of(ir: &Path) -> Result<Code, String> {
        let engine = engine(parsed(ir)?)?;
        // SAFETY: the engine and the name are live.
        let at = unsafe { LLVMGetFunctionAddress(engine, c"main".as_ptr()) };
        if at == 0 {
            return Err("there is no main".to_owned());
        }
        // SAFETY: the module's `main` is C's: generated programs define it with both parameters.
        let main = unsafe { std::mem::transmute::<u64, Main>(at) };
        Ok(Code { engine, main })
    }

    /// What a started process does: constructors, then `main`; its exit code.
    pub fn run(&self, words: &[CString]) -> c_int {
        let mut pointers: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).unwrap_or(0);
        pointers.push(null_mut());
        // SAFETY: the engine is live; its constructors are the program's.
        unsafe { LLVMRunStaticConstructors(self.engine) };
        (self.main)(count, pointers.as_ptr())
    }
}

fn parsed(ir: &Path) -> Result<LLVMModuleRef, String> {
    let path = CString::new(ir.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    let (mut buffer, mut module, mut said) = (null_mut(), null_mut(), null_mut());
    // SAFETY: all places are live; the context is never freed. The reader takes the buffer.
    let failed = unsafe {
        let context = LLVMContextCreate();
        LLVMCreateMemoryBufferWithContentsOfFile(path.as_ptr(), &raw mut buffer, &raw mut said) != 0
            || LLVMParseIRInContext(context, buffer, &raw mut module, &raw mut said) != 0
    };
    if failed {
        return Err(message(said));
    }
    let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
    // SAFETY: the module was read just now.
    match unsafe { LLVMVerifyModule(module, action, &raw mut said) } {
        0 => Ok(module),
        _ => Err(message(said)),
    }
}

fn engine(module: LLVMModuleRef) -> Result<LLVMExecutionEngineRef, String> {
    let size = size_of::<LLVMMCJITCompilerOptions>();
    let mut options = MaybeUninit::uninit();
    let (mut engine, mut said) = (null_mut(), null_mut());
    // SAFETY: the options are filled by the first call; all places are live. The engine takes the module.
    let failed = unsafe {
        LLVMInitializeMCJITCompilerOptions(options.as_mut_ptr(), size);
        let options: &mut LLVMMCJITCompilerOptions = options.assume_init_mut();
        options.OptLevel = 0;
        options.EnableFastISel = 1;
        LLVMCreateMCJITCompilerForModule(&raw mut engine, module, options, size, &raw mut said) != 0
    };
    match failed {
        true => Err(message(said)),
        false => Ok(engine),
    }
}

/// LLVM's own words, which are then freed.
fn message(said: *mut c_char) -> String {
    if said.is_null() {
        return "LLVM gives no reason".to_owned();
    }
    // SAFETY: LLVM's messages are C strings that belong to whoever asked.
    unsafe {
        let text = CStr::from_ptr(said).to_string_lossy().into_owned();
        LLVMDisposeMessage(said);
        text
    }
}
