//! The fundamental types and the state spaces of PTX, with their names.

/// A fundamental type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is its name in PTX")]
pub enum Type {
    Pred,
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    Tf32,
    F32,
    F64,
    Texref,
    Samplerref,
    Surfref,
}

const TYPES: [(&str, Type, u32); 24] = [
    ("pred", Type::Pred, 1),
    ("b8", Type::B8, 1),
    ("b16", Type::B16, 2),
    ("b32", Type::B32, 4),
    ("b64", Type::B64, 8),
    ("b128", Type::B128, 16),
    ("u8", Type::U8, 1),
    ("u16", Type::U16, 2),
    ("u32", Type::U32, 4),
    ("u64", Type::U64, 8),
    ("s8", Type::S8, 1),
    ("s16", Type::S16, 2),
    ("s32", Type::S32, 4),
    ("s64", Type::S64, 8),
    ("f16", Type::F16, 2),
    ("f16x2", Type::F16x2, 4),
    ("bf16", Type::Bf16, 2),
    ("bf16x2", Type::Bf16x2, 4),
    ("tf32", Type::Tf32, 4),
    ("f32", Type::F32, 4),
    ("f64", Type::F64, 8),
    ("texref", Type::Texref, 8),
    ("samplerref", Type::Samplerref, 8),
    ("surfref", Type::Surfref, 8),
];

impl Type {
    /// The type of a name without its dot.
    #[must_use]
    pub fn named(name: &str) -> Option<Type> {
        let mut all = TYPES.iter();
        all.find(|(text, ..)| *text == name).map(|(_, ty, _)| *ty)
    }

    /// Its name without the dot.
    #[must_use]
    pub fn name(self) -> &'static str {
        let mut all = TYPES.iter();
        all.find(|(_, ty, _)| *ty == self)
            .map_or("b32", |(text, ..)| text)
    }

    /// Bytes in memory.
    #[must_use]
    pub fn bytes(self) -> u32 {
        let mut all = TYPES.iter();
        all.find(|(_, ty, _)| *ty == self)
            .map_or(4, |(.., bytes)| *bytes)
    }

    /// Whether it is a signed integer.
    #[must_use]
    pub fn is_signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32 | Type::S64)
    }

    /// Whether it is a floating-point number of one element.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Type::F16 | Type::Bf16 | Type::F32 | Type::F64)
    }
}

/// A state space that variables lie in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is its name in PTX")]
pub enum Space {
    Reg,
    Const,
    Global,
    Local,
    Param,
    Shared,
    Tex,
    Sreg,
}

const SPACES: [(&str, Space); 8] = [
    ("reg", Space::Reg),
    ("const", Space::Const),
    ("global", Space::Global),
    ("local", Space::Local),
    ("param", Space::Param),
    ("shared", Space::Shared),
    ("tex", Space::Tex),
    ("sreg", Space::Sreg),
];

impl Space {
    /// The space of a name without its dot; `shared::cta` is `shared`.
    #[must_use]
    pub fn named(name: &str) -> Option<Space> {
        let name = match name {
            "shared::cta" => "shared",
            "param::entry" | "param::func" => "param",
            name => name,
        };
        let mut all = SPACES.iter();
        all.find(|(text, _)| *text == name).map(|(_, space)| *space)
    }

    /// Its name without the dot.
    #[must_use]
    pub fn name(self) -> &'static str {
        let mut all = SPACES.iter();
        all.find(|(_, space)| *space == self)
            .map_or("reg", |(text, _)| text)
    }
}
