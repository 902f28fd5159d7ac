//! What the CUDA compiler's generated host code says: which functions are kernels' stubs, which variables live on the device.
//! Leaves only declarations of stubs in the module, so that no pass inlines one, makes inlined ones calls again, and lets
//! launches stand where the user wrote them. Registration code stays, since it keeps passes from taking shadow variables for constants.
//! Must not know the size program.

use super::view::constant::ConstantKind;
use super::view::function::Function;
use super::view::instruction::Instruction;
use super::view::module::ModuleView;
use super::view::value::{Value, ValueKind};
use super::{generated, handlers, inlined};
use cpp_demangle::{DemangleOptions, Symbol};
use inkwell::module::Module;
use llvm_sys::LLVMOpcode;
use migfit_schema::kernel::kernel_of_stub;
use std::collections::{BTreeMap, BTreeSet};

/// Part of the name of the function that nvcc puts between a kernel template and its stub.
const TEMPLATE_WRAPPER: &str = "__wrapper__device_stub_";

/// Facts of the generated code, by mangled names.
#[derive(Debug, Default)]
pub struct CudaFacts {
    /// Kernels: (symbol on the device, name for people).
    pub kernels: Vec<(String, String)>,
    /// Stub function -> index into `kernels`.
    pub stubs: BTreeMap<String, u32>,
    /// Host functions that are registered for kernels of another name: (host's, kernel's).
    pub named: Vec<(String, String)>,
    /// Host shadow variable -> bytes on the device.
    pub device_bytes: BTreeMap<String, u64>,
    /// Pointer that the runtime sets to a managed variable before `main` -> bytes of that variable.
    pub managed_bytes: BTreeMap<String, u64>,
    /// Constructors that give the fat binary and its kernels and variables to the runtime.
    pub registrations: BTreeSet<String>,
    /// Where the user's code catches exceptions: file and line, 0 where unknown.
    pub handlers: Vec<(String, u32)>,
}

/// Reads the facts, takes the stubs' bodies away and the wrappers' lines.
pub fn take(module: &Module<'_>) -> CudaFacts {
    let mut found = read(ModuleView::of(module));
    found.facts.handlers = handlers::places(ModuleView::of(module));
    for name in found.facts.stubs.keys() {
        generated::forget_body(module, name);
    }
    inlined::call_again(module, &found.facts.stubs);
    for name in found.wrappers {
        generated::hide_lines(module, &name);
    }
    found.facts
}

/// What reading the module gave.
#[derive(Default)]
struct Found {
    facts: CudaFacts,
    /// Functions between the user's launch and the stub, which stand at the kernel's line in the source.
    wrappers: Vec<String>,
}

fn read(module: ModuleView<'_>) -> Found {
    let mut found = Found::default();
    let mut registered = BTreeMap::new();
    let mut stubs = Vec::new();
    for function in module.functions() {
        let calls = DirectCalls::of(function);
        for call in &calls.0 {
            match call.callee.as_str() {
                "__cudaRegisterFunction" => registered.extend(call.registered_kernel()),
                "__cudaRegisterVar" => {
                    found.facts.device_bytes.extend(call.registered_variable());
                }
                "__cudaRegisterManagedVar" => {
                    found.facts.managed_bytes.extend(call.registered_variable());
                }
                _ => {}
            }
        }
        if calls.contains("__cudaPopCallConfiguration") {
            let host = launched(function, &calls);
            let host = host.filter(|host| calls.are_of_stub(&function.name(), host));
            stubs.extend(host.map(|host| (function.name(), host)));
        } else if calls.registers_binary() {
            found.facts.registrations.insert(function.name());
        } else if function.name().contains(TEMPLATE_WRAPPER) {
            found.wrappers.push(function.name());
        }
    }
    let named = registered.iter().filter(|(host, symbol)| host != symbol);
    found.facts.named = named
        .map(|(host, symbol)| (host.clone(), symbol.clone()))
        .collect();
    for (stub, host) in stubs {
        found.wrappers.push(host.clone());
        let symbol = registered.get(&host).cloned();
        let symbol = symbol.or_else(|| kernel_of_stub(&host)).unwrap_or(host);
        found.facts.add_stub(stub, symbol);
    }
    found
}

impl CudaFacts {
    /// Bytes of device memory that the program's own variables take.
    #[must_use]
    pub fn device_variables(&self) -> u64 {
        let bytes = self
            .device_bytes
            .values()
            .chain(self.managed_bytes.values());
        bytes.fold(0, |sum, bytes| sum.saturating_add(*bytes))
    }

    fn add_stub(&mut self, stub: String, symbol: String) {
        let known = self.kernels.iter().position(|(known, _)| *known == symbol);
        let index = known.unwrap_or_else(|| {
            let name = people_name(&symbol);
            self.kernels.push((symbol, name));
            self.kernels.len() - 1
        });
        self.stubs
            .insert(stub, u32::try_from(index).unwrap_or(u32::MAX));
    }
}

/// Calls of a function whose callee is known by name.
struct DirectCalls<'m>(Vec<DirectCall<'m>>);

struct DirectCall<'m> {
    callee: String,
    args: Vec<Value<'m>>,
}

impl<'m> DirectCalls<'m> {
    fn of(function: Function<'m>) -> Self {
        let calls = function.instructions().filter_map(|instruction| {
            let is_call = matches!(
                instruction.opcode(),
                LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke
            );
            let callee = is_call.then(|| instruction.callee()).flatten()?;
            Some(DirectCall {
                callee: callee.as_function()?.name(),
                args: instruction.arguments(),
            })
        });
        DirectCalls(calls.collect())
    }

    fn contains(&self, callee: &str) -> bool {
        self.0.iter().any(|call| call.callee == callee)
    }

    /// Whether these are the calls of a stub, and not of a function that an optimiser put stubs into: those of clang
    /// name themselves in the launch, those of nvcc are called where the configuration was pushed.
    fn are_of_stub(&self, function: &str, host: &str) -> bool {
        function == host || !self.contains("__cudaPushCallConfiguration")
    }

    /// The constructor that gives the fat binary to the runtime; programs linked with -rdc call another one per file.
    fn registers_binary(&self) -> bool {
        self.0.iter().any(|call| {
            call.callee == "__cudaRegisterFatBinary"
                || call.callee.starts_with("__cudaRegisterLinkedBinary")
        })
    }
}

impl DirectCall<'_> {
    /// (host function, symbol on the device) of `__cudaRegisterFunction(handle, host, symbol, name, ...)`.
    fn registered_kernel(&self) -> Option<(String, String)> {
        let host = self.args.get(1)?.as_function()?.name();
        let ValueKind::Constant(symbol) = self.args.get(3)?.kind() else {
            return None;
        };
        Some((host, symbol.as_text()?))
    }

    /// (variable, bytes) of `__cudaRegisterVar(handle, variable, address, name, extern, bytes, ...)`.
    fn registered_variable(&self) -> Option<(String, u64)> {
        let ValueKind::Constant(variable) = self.args.get(1)?.kind() else {
            return None;
        };
        let ValueKind::Constant(bytes) = self.args.get(5)?.kind() else {
            return None;
        };
        match (variable.kind(), bytes.kind()) {
            (ConstantKind::Global(global), ConstantKind::Int(bytes)) => {
                Some((global.name(), bytes))
            }
            _ => None,
        }
    }
}

/// The host function by which a stub names its kernel. What a stub calls differs by version: nvcc 13 looks the kernel
/// up once, earlier ones and clang hand the function to the launch; nvcc also stores it in a static variable.
fn launched<'m>(stub: Function<'m>, calls: &DirectCalls<'m>) -> Option<String> {
    let argument = |callee: &str, index: usize| {
        let call = calls.0.iter().find(|call| call.callee == callee)?;
        call.args.get(index)?.as_function()
    };
    argument("__cudaGetKernel", 1)
        .or_else(|| argument("cudaLaunchKernel", 0))
        .or_else(|| stub.instructions().find_map(stored_function))
        .map(Function::name)
}

fn stored_function(instruction: Instruction<'_>) -> Option<Function<'_>> {
    if instruction.opcode() != LLVMOpcode::LLVMStore {
        return None;
    }
    instruction.operand(0)?.as_function()
}

/// A function's name without parameters; the symbol itself where it is not mangled.
pub(crate) fn people_name(symbol: &str) -> String {
    let options = DemangleOptions::new().no_params().no_return_type();
    Symbol::new(symbol)
        .ok()
        .and_then(|mangled| mangled.demangle(&options).ok())
        .unwrap_or_else(|| symbol.to_owned())
}

#[cfg(test)]
mod tests {
    use super::people_name;

    #[test]
    fn names_for_people_have_no_parameters() {
        assert_eq!(people_name("_Z4Fan1PfPKfii"), "Fan1");
        assert_eq!(people_name("_Z5scaleIdEvPT_i"), "scale<double>");
        assert_eq!(people_name("plain_c"), "plain_c");
    }
}
