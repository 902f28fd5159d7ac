//! A type of LLVM in, the scalars that its values consist of out: their types and offsets in memory, in order.

use super::wide::WIDTH;
use crate::ir::view::types::{Layout, Ty, TyKind};
use migfit_schema::program::Type;

/// More scalars than this in one value are refused: such values come from copies of whole arrays.
const MOST_LANES: usize = 256;

/// One scalar of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Its type.
    pub ty: Type,
    /// Where it lies in memory, from the value's start.
    pub offset: u64,
}

/// The scalars of a type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lanes {
    /// In order. A scalar that has no form here takes the place of one register all the same.
    pub scalars: Vec<Lane>,
    /// Why values of this type cannot be computed with.
    pub refused: Option<String>,
    /// True where scalars share bytes in memory (vectors of `i1`).
    pub packed: bool,
    /// Whether 128-bit integers are among the parts: their halves are scalars, to be moved but not computed with alone.
    pub wide: bool,
}

impl Lanes {
    /// The scalars of `ty`.
    #[must_use]
    pub fn of(layout: Layout<'_>, ty: Ty<'_>) -> Self {
        let mut lanes = Lanes::default();
        lanes.add(layout, ty, 0);
        lanes
    }

    /// The scalars' types.
    #[must_use]
    pub fn types(&self) -> Vec<Type> {
        self.scalars.iter().map(|lane| lane.ty).collect()
    }

    /// The scalars, or why they cannot be computed with.
    ///
    /// # Errors
    /// When the type has no form here.
    pub fn usable(self) -> Result<Vec<Lane>, String> {
        if self.wide {
            return Err("128-bit integer".to_owned());
        }
        self.movable()
    }

    /// The scalars, halves of 128-bit integers among them, or why they cannot be moved.
    ///
    /// # Errors
    /// When the type has no form here.
    pub fn movable(self) -> Result<Vec<Lane>, String> {
        match self.refused {
            None => Ok(self.scalars),
            Some(reason) => Err(reason),
        }
    }

    /// The scalars with offsets that hold, or why they cannot be loaded or stored.
    ///
    /// # Errors
    /// When the type has no form here, or its scalars share bytes.
    pub fn in_memory(self) -> Result<Vec<Lane>, String> {
        if self.packed {
            return Err("vector whose lanes share bytes in memory".to_owned());
        }
        self.movable()
    }

    fn add(&mut self, layout: Layout<'_>, ty: Ty<'_>, offset: u64) {
        match ty.kind() {
            TyKind::Void => {}
            TyKind::Int(WIDTH) => {
                self.wide = true;
                self.push(Type::Int(64), offset);
                self.push(Type::Int(64), offset.wrapping_add(8));
            }
            TyKind::Int(width) => match u8::try_from(width) {
                Ok(width) if width <= 64 => self.push(Type::Int(width), offset),
                _ => self.refuse(Type::Int(64), offset, format!("{width}-bit integer")),
            },
            TyKind::Float => self.push(Type::F32, offset),
            TyKind::Double => self.push(Type::F64, offset),
            TyKind::Pointer => self.push(Type::Ptr, offset),
            TyKind::Struct(fields) => {
                for (index, field) in (0..).zip(fields) {
                    self.add(layout, field, offset + layout.field_offset(ty, index));
                }
            }
            TyKind::Array(element, length) => {
                self.add_row(layout, element, length, layout.size(element), offset);
            }
            TyKind::Vector(lane, length) => {
                self.packed |= matches!(lane.kind(), TyKind::Int(width) if width % 8 != 0);
                self.add_row(layout, lane, u64::from(length), layout.size(lane), offset);
            }
            TyKind::Other(name) => {
                self.refuse(Type::F64, offset, format!("value of type {name}"));
            }
        }
    }

    fn add_row(
        &mut self,
        layout: Layout<'_>,
        element: Ty<'_>,
        length: u64,
        stride: u64,
        offset: u64,
    ) {
        for index in 0..length {
            if self.scalars.len() >= MOST_LANES {
                self.refused = Some(format!("value of more than {MOST_LANES} parts"));
                return;
            }
            self.add(
                layout,
                element,
                offset.wrapping_add(index.wrapping_mul(stride)),
            );
        }
    }

    fn push(&mut self, ty: Type, offset: u64) {
        self.scalars.push(Lane { ty, offset });
    }

    fn refuse(&mut self, ty: Type, offset: u64, reason: String) {
        self.push(ty, offset);
        self.refused.get_or_insert(reason);
    }
}

/// Bits of a scalar's type.
#[must_use]
pub fn width(ty: Type) -> u8 {
    match ty {
        Type::Int(width) => width,
        Type::F32 => 32,
        Type::F64 | Type::Ptr => 64,
    }
}
