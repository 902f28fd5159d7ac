//! A module as a whole: its functions, its globals, its layout.

use super::constant::{Constant, ConstantKind, Global};
use super::function::Function;
use super::metadata::{SourceFile, file_of_scope};
use super::types::Layout;
use super::value::{Value, ValueKind};
use inkwell::module::Module;
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMGetSubprogram;
use llvm_sys::prelude::LLVMModuleRef;
use std::ffi::CString;
use std::marker::PhantomData;

/// A read-only view of a module.
#[derive(Clone, Copy, Debug)]
pub struct ModuleView<'m> {
    raw: LLVMModuleRef,
    module: PhantomData<&'m ()>,
}

impl<'m> ModuleView<'m> {
    /// Looks at a module, which must not change while views of it are used.
    #[must_use]
    pub fn of(module: &'m Module<'_>) -> Self {
        ModuleView {
            raw: module.as_mut_ptr(),
            module: PhantomData,
        }
    }

    /// Sizes and offsets.
    #[must_use]
    pub fn layout(self) -> Layout<'m> {
        Layout::of(self.raw)
    }

    /// All functions, declared ones included.
    pub fn functions(self) -> impl Iterator<Item = Function<'m>> {
        let first = Value::new(query!(LLVMGetFirstFunction(self.raw)));
        std::iter::successors(first, |value| {
            Value::new(query!(LLVMGetNextFunction(value.raw())))
        })
        .map(Function::of)
    }

    /// All globals, declared ones included.
    pub fn globals(self) -> impl Iterator<Item = Global<'m>> {
        let first = Value::new(query!(LLVMGetFirstGlobal(self.raw)));
        let all = std::iter::successors(first, |value| {
            Value::new(query!(LLVMGetNextGlobal(value.raw())))
        });
        all.filter_map(|value| match Constant::of(value).kind() {
            ConstantKind::Global(global) => Some(global),
            _ => None,
        })
    }

    /// A function by its mangled name.
    #[must_use]
    pub fn function(self, name: &str) -> Option<Function<'m>> {
        let name = CString::new(name).ok()?;
        Value::new(query!(LLVMGetNamedFunction(self.raw, name.as_ptr()))).map(Function::of)
    }

    /// A global by its mangled name.
    #[must_use]
    pub fn global(self, name: &str) -> Option<Global<'m>> {
        let name = CString::new(name).ok()?;
        let value = Value::new(query!(LLVMGetNamedGlobal(self.raw, name.as_ptr())))?;
        match Constant::of(value).kind() {
            ConstantKind::Global(global) => Some(global),
            _ => None,
        }
    }

    /// Static constructors in the order in which they run: by priority, then as listed.
    #[must_use]
    pub fn constructors(self) -> Vec<Function<'m>> {
        self.listed("llvm.global_ctors")
    }

    /// Functions that run when the process ends, the last one first.
    #[must_use]
    pub fn destructors(self) -> Vec<Function<'m>> {
        self.listed("llvm.global_dtors")
    }

    fn listed(self, list: &str) -> Vec<Function<'m>> {
        let Some(list) = self.global(list).and_then(Global::initialiser) else {
            return Vec::new();
        };
        let mut found: Vec<(u64, Function<'m>)> = (0..)
            .map_while(|i| list.element(i))
            .filter_map(|entry| {
                let ValueKind::Constant(entry) = entry.kind() else {
                    return None;
                };
                let priority = number(entry.element(0)?)?;
                Some((priority, entry.element(1)?.as_function()?))
            })
            .collect();
        found.sort_by_key(|(priority, _)| *priority);
        found.into_iter().map(|(_, function)| function).collect()
    }
}

/// The number that a constant is.
fn number(value: Value<'_>) -> Option<u64> {
    match value.kind() {
        ValueKind::Constant(constant) => match constant.kind() {
            ConstantKind::Int(number) => Some(number),
            ConstantKind::Zero => Some(0),
            _ => None,
        },
        _ => None,
    }
}

impl Function<'_> {
    /// The file that declares it, where debug information says so.
    #[must_use]
    pub fn declared_in(self) -> Option<SourceFile> {
        file_of_scope(query!(LLVMGetSubprogram(self.value().raw())))
    }
}
