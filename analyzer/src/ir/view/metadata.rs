//! Debug information: locations, files, variables of `llvm.dbg.value`.

use super::text;
use super::value::{Value, ValueKind};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::LLVMMetadataRef;
use std::marker::PhantomData;

/// A place in the source, maybe inside a function that was inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location<'m> {
    raw: LLVMMetadataRef,
    module: PhantomData<&'m ()>,
}

/// A source file as the compiler was given it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceFile {
    /// Folder in which the compiler ran.
    pub folder: String,
    /// Path, absolute or from that folder.
    pub path: String,
}

impl Location<'_> {
    pub(super) fn new(raw: LLVMMetadataRef) -> Option<Self> {
        (!raw.is_null()).then_some(Location {
            raw,
            module: PhantomData,
        })
    }

    /// Line, from 1; 0 for code that stands nowhere.
    #[must_use]
    pub fn line(self) -> u32 {
        query!(LLVMDILocationGetLine(self.raw))
    }

    /// The file.
    #[must_use]
    pub fn file(self) -> Option<SourceFile> {
        let scope = query!(LLVMDILocationGetScope(self.raw));
        file_of_scope(scope)
    }

    /// The call that this code was inlined at.
    #[must_use]
    pub fn inlined_at(self) -> Option<Self> {
        Location::new(query!(LLVMDILocationGetInlinedAt(self.raw)))
    }

    /// This location, then the calls it was inlined at, innermost first.
    pub fn chain(self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), |location| location.inlined_at())
    }
}

/// The file of a scope or subprogram.
pub(super) fn file_of_scope(scope: LLVMMetadataRef) -> Option<SourceFile> {
    if scope.is_null() {
        return None;
    }
    let file = query!(LLVMDIScopeGetFile(scope));
    if file.is_null() {
        return None;
    }
    let mut length = 0;
    let folder = query!(LLVMDIFileGetDirectory(file, &raw mut length));
    let folder = text::lent(folder, length as usize);
    let path = query!(LLVMDIFileGetFilename(file, &raw mut length));
    let path = text::lent(path, length as usize);
    Some(SourceFile { folder, path })
}

impl<'m> Value<'m> {
    /// The value that a metadata argument wraps (first argument of `llvm.dbg.value`).
    #[must_use]
    pub fn wrapped(self) -> Option<Value<'m>> {
        let value = query!(LLVMIsAValueAsMetadata(self.raw()));
        if self.kind() != ValueKind::Metadata || value.is_null() {
            return None;
        }
        self.metadata_operands().first().copied().flatten()
    }

    /// The name of the variable that a metadata argument describes (second argument of `llvm.dbg.value`).
    #[must_use]
    pub fn variable_name(self) -> Option<String> {
        if self.kind() != ValueKind::Metadata || query!(LLVMIsAMDNode(self.raw())).is_null() {
            return None;
        }
        // Operands of a local variable: scope, name, file, type, annotations.
        let name = self.metadata_operands().get(1).copied().flatten()?;
        if query!(LLVMIsAMDString(name.raw())).is_null() {
            return None;
        }
        let mut length = 0;
        let start = query!(LLVMGetMDString(name.raw(), &raw mut length));
        Some(text::lent(start, length as usize))
    }

    /// True where the expression (third argument of `llvm.dbg.value`) is empty: the value is the variable itself.
    #[must_use]
    pub fn is_plain_expression(self) -> bool {
        let text = text::given(query!(LLVMPrintValueToString(self.raw())));
        text.trim_end().ends_with("!DIExpression()")
    }

    fn metadata_operands(self) -> Vec<Option<Value<'m>>> {
        let count = query!(LLVMGetMDNodeNumOperands(self.raw())) as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        query!(LLVMGetMDNodeOperands(self.raw(), raw.as_mut_ptr()));
        raw.into_iter().map(Value::new).collect()
    }
}
