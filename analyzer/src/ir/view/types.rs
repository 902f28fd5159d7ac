//! Types and their layout in memory.

use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMModuleRef, LLVMTypeRef};
use llvm_sys::target::*;
use std::marker::PhantomData;

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ty<'m> {
    raw: LLVMTypeRef,
    module: PhantomData<&'m ()>,
}

/// What a type is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum TyKind<'m> {
    /// No value.
    Void,
    /// Whole number of so many bits.
    Int(u32),
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// Any pointer.
    Pointer,
    /// Fields in order.
    Struct(Vec<Ty<'m>>),
    /// Element and length.
    Array(Ty<'m>, u64),
    /// Lane and length.
    Vector(Ty<'m>, u32),
    /// A type that has no form here, by name.
    Other(&'static str),
}

impl<'m> Ty<'m> {
    pub(super) fn new(raw: LLVMTypeRef) -> Self {
        Ty {
            raw,
            module: PhantomData,
        }
    }

    pub(super) fn raw(self) -> LLVMTypeRef {
        self.raw
    }

    /// What it is made of.
    #[must_use]
    pub fn kind(self) -> TyKind<'m> {
        use LLVMTypeKind::*;
        let element = || Ty::new(query!(LLVMGetElementType(self.raw)));
        match query!(LLVMGetTypeKind(self.raw)) {
            LLVMVoidTypeKind => TyKind::Void,
            LLVMIntegerTypeKind => TyKind::Int(query!(LLVMGetIntTypeWidth(self.raw))),
            LLVMFloatTypeKind => TyKind::Float,
            LLVMDoubleTypeKind => TyKind::Double,
            LLVMPointerTypeKind => TyKind::Pointer,
            LLVMStructTypeKind => TyKind::Struct(self.fields()),
            LLVMArrayTypeKind => TyKind::Array(element(), query!(LLVMGetArrayLength2(self.raw))),
            LLVMVectorTypeKind => TyKind::Vector(element(), query!(LLVMGetVectorSize(self.raw))),
            LLVMHalfTypeKind => TyKind::Other("half"),
            LLVMBFloatTypeKind => TyKind::Other("bfloat"),
            LLVMX86_FP80TypeKind => TyKind::Other("long double"),
            LLVMFP128TypeKind => TyKind::Other("fp128"),
            LLVMScalableVectorTypeKind => TyKind::Other("scalable vector"),
            LLVMLabelTypeKind => TyKind::Other("label"),
            LLVMMetadataTypeKind => TyKind::Other("metadata"),
            LLVMTokenTypeKind => TyKind::Other("token"),
            _ => TyKind::Other("target type"),
        }
    }

    fn fields(self) -> Vec<Ty<'m>> {
        let count = query!(LLVMCountStructElementTypes(self.raw));
        (0..count)
            .map(|i| Ty::new(query!(LLVMStructGetTypeAtIndex(self.raw, i))))
            .collect()
    }

    /// True where the type has a size (an opaque structure has none).
    #[must_use]
    pub fn is_sized(self) -> bool {
        query!(LLVMTypeIsSized(self.raw)) != 0
    }

    /// Parameter types of a function type.
    #[must_use]
    pub fn params(self) -> Vec<Ty<'m>> {
        let count = query!(LLVMCountParamTypes(self.raw)) as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        query!(LLVMGetParamTypes(self.raw, raw.as_mut_ptr()));
        raw.into_iter().map(Ty::new).collect()
    }

    /// Whether a function of this type takes any number of further arguments.
    #[must_use]
    pub fn is_variadic(self) -> bool {
        query!(LLVMIsFunctionVarArg(self.raw)) != 0
    }

    /// Result type of a function type.
    #[must_use]
    pub fn result(self) -> Ty<'m> {
        Ty::new(query!(LLVMGetReturnType(self.raw)))
    }
}

/// Sizes and offsets as the module's data layout has them.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'m> {
    raw: LLVMTargetDataRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Layout<'m> {
    pub(super) fn of(module: LLVMModuleRef) -> Self {
        Layout {
            raw: query!(LLVMGetModuleDataLayout(module)),
            module: PhantomData,
        }
    }

    /// Bytes from one array element to the next; 0 for a type without size.
    #[must_use]
    pub fn size(self, ty: Ty<'m>) -> u64 {
        if ty.is_sized() {
            query!(LLVMABISizeOfType(self.raw, ty.raw()))
        } else {
            0
        }
    }

    /// Alignment in bytes; 1 for a type without size.
    #[must_use]
    pub fn align(self, ty: Ty<'m>) -> u32 {
        if ty.is_sized() {
            query!(LLVMABIAlignmentOfType(self.raw, ty.raw()))
        } else {
            1
        }
    }

    /// Offset of a field in bytes. `ty` must be a sized structure with such a field.
    #[must_use]
    pub fn field_offset(self, ty: Ty<'m>, field: u32) -> u64 {
        query!(LLVMOffsetOfElement(self.raw, ty.raw(), field))
    }
}
