//! A global variable of LLVM in, its size, initial bytes and the addresses among them out.

use super::constant::{parts, scalar};
use super::program::Lowering;
use crate::ir::view::constant::{Constant, ConstantKind, Global};
use crate::ir::view::types::TyKind;
use migfit_schema::program::{self as schema, Operand};

/// Lowers one global.
pub(super) fn lower<'m>(program: &mut Lowering<'m>, global: Global<'m>) -> schema::Global {
    let layout = program.layout;
    let name = global.name();
    let initialiser = global.initialiser();
    let mut image = Image::default();
    if let Some(constant) = initialiser {
        image.write(program, constant, 0);
    }
    image.trim();
    if let Some(bytes) = program.facts.managed_bytes.get(&name) {
        let variable = program.managed(&name, *bytes);
        image.addresses.push((0, Operand::Global(variable, 0)));
    }
    schema::Global {
        size: layout.size(global.content()),
        align: global.align().max(layout.align(global.content())),
        bytes: image.bytes,
        addresses: image.addresses,
        constant: global.is_constant(),
        external: initialiser.is_none(),
        device_bytes: program.facts.device_bytes.get(&name).copied(),
        name,
    }
}

/// The managed variable behind the pointer that nvcc puts in its place, and that the runtime sets before `main`.
pub(super) fn managed(pointer: &str, bytes: u64) -> schema::Global {
    schema::Global {
        name: format!("{pointer}.managed"),
        size: bytes,
        align: 16,
        bytes: Vec::new(),
        addresses: Vec::new(),
        constant: false,
        external: false,
        device_bytes: Some(bytes),
    }
}

/// The initial value as it will lie in memory.
#[derive(Default)]
struct Image {
    bytes: Vec<u8>,
    addresses: Vec<(u64, Operand)>,
}

impl Image {
    fn write<'m>(&mut self, program: &mut Lowering<'m>, constant: Constant<'m>, offset: u64) {
        if let Some(bytes) = constant.bytes() {
            return self.put(offset, &bytes);
        }
        match constant.kind() {
            ConstantKind::Zero | ConstantKind::Undefined => {}
            ConstantKind::Aggregate => self.write_parts(program, constant, offset),
            _ => self.write_scalar(program, constant, offset),
        }
    }

    fn write_parts<'m>(&mut self, program: &mut Lowering<'m>, constant: Constant<'m>, offset: u64) {
        let layout = program.layout;
        let ty = constant.ty();
        let stride = match ty.kind() {
            TyKind::Array(element, _) | TyKind::Vector(element, _) => Some(layout.size(element)),
            _ => None,
        };
        for (index, part) in (0..).zip(parts(constant)) {
            let at = match stride {
                Some(stride) => stride.wrapping_mul(u64::from(index)),
                None => layout.field_offset(ty, index),
            };
            self.write(program, part, offset.wrapping_add(at));
        }
    }

    fn write_scalar<'m>(
        &mut self,
        program: &mut Lowering<'m>,
        constant: Constant<'m>,
        offset: u64,
    ) {
        let ty = constant.ty();
        match scalar(program, constant) {
            Ok(Operand::Const(bits)) => {
                let size = usize::try_from(program.layout.size(ty)).unwrap_or(0);
                let bytes = bits.to_le_bytes();
                self.put(offset, bytes.get(..size).unwrap_or(&bytes));
            }
            Ok(operand @ (Operand::Global(..) | Operand::Function(_))) => {
                self.addresses.push((offset, operand));
            }
            // The evaluator knows an undefined value in memory as unknown: a constant without form must not read as zero.
            Ok(Operand::Undef | Operand::Reg(_)) | Err(_) => {
                self.addresses.push((offset, Operand::Undef));
            }
        }
    }

    fn put(&mut self, offset: u64, bytes: &[u8]) {
        let Ok(start) = usize::try_from(offset) else {
            return;
        };
        let end = start + bytes.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        if let Some(room) = self.bytes.get_mut(start..end) {
            room.copy_from_slice(bytes);
        }
    }

    /// Zeros at the end need not be stored.
    fn trim(&mut self) {
        let used = self.bytes.iter().rposition(|byte| *byte != 0);
        self.bytes.truncate(used.map_or(0, |last| last + 1));
    }
}
