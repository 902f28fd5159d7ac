//! Expressions of a given type.

use super::text::{ELEMENTS, Text};
use super::types::Type;

impl Text {
    /// An expression of this type, at most so deep.
    pub fn expression(&mut self, kind: Type, depth: u32) -> String {
        if depth == 0 || self.chance(20) {
            return self.leaf(kind);
        }
        let inner = match self.below(10) {
            0 => self.chosen(kind, depth),
            1 => self.called(kind, depth),
            2 => self.element(kind, depth),
            3 => {
                let other = Type::any(&mut self.random);
                return self.converted(kind, other, depth);
            }
            _ if kind.is_float() => self.float_arithmetic(kind, depth),
            _ => self.arithmetic(kind, depth),
        };
        format!("({})({inner})", kind.name())
    }

    /// A condition.
    pub fn condition(&mut self, depth: u32) -> String {
        let kind = Type::any(&mut self.random);
        let (a, b) = (self.expression(kind, depth), self.expression(kind, depth));
        let compare = ["<", ">", "<=", ">=", "==", "!="][self.random.usize(..6)];
        match self.below(8) {
            0 => format!("{a} {compare} {b} && {}", self.condition_part()),
            1 => format!("{a} {compare} {b} || {}", self.condition_part()),
            2 => format!("!({a} {compare} {b})"),
            3 => format!("({} & {})", self.integer(1), 1u32 << self.below(6)),
            _ => format!("{a} {compare} {b}"),
        }
    }

    fn condition_part(&mut self) -> String {
        let kind = Type::any_integer(&mut self.random);
        format!("({} < {})", self.leaf(kind), self.leaf(kind))
    }

    /// An expression of type long.
    pub fn integer(&mut self, depth: u32) -> String {
        self.expression(Type::I64, depth)
    }

    /// A literal or a variable.
    pub fn leaf(&mut self, kind: Type) -> String {
        if self.chance(70)
            && let Some(variable) = self.readable()
        {
            return self.cast(kind, variable.kind, &variable.name);
        }
        self.literal(kind)
    }

    fn literal(&mut self, kind: Type) -> String {
        let number = match self.below(4) {
            0 => self.below(4),
            1 => 1 << self.below(7),
            2 => self.below(100),
            _ => self.below(3000),
        };
        match kind {
            Type::F32 => format!("{number}.{}f", 25 * self.below(4)),
            Type::F64 => format!("{number}.{}", self.below(1000)),
            _ => format!("({}){number}", kind.name()),
        }
    }

    /// A value of one type as another; from float to integer through a function that is defined for all.
    pub fn cast(&self, to: Type, from: Type, value: &str) -> String {
        if from.is_float() && !to.is_float() {
            format!("({})whole({value})", to.name())
        } else {
            format!("({})({value})", to.name())
        }
    }

    fn converted(&mut self, kind: Type, other: Type, depth: u32) -> String {
        let value = self.expression(other, depth - 1);
        self.cast(kind, other, &value)
    }

    fn chosen(&mut self, kind: Type, depth: u32) -> String {
        let condition = self.condition(depth - 1);
        let (a, b) = (
            self.expression(kind, depth - 1),
            self.expression(kind, depth - 1),
        );
        format!("({condition}) ? {a} : {b}")
    }

    fn called(&mut self, kind: Type, depth: u32) -> String {
        let able: Vec<usize> = (0..self.functions.len())
            .filter(|&at| {
                self.functions[at].gives.is_some() && self.can_pay(self.functions[at].cost)
            })
            .collect();
        if able.is_empty() {
            return self.leaf(kind);
        }
        let function = self.functions[able[self.random.usize(..able.len())]].clone();
        self.pay(function.cost);
        let given: Vec<String> = function
            .takes
            .iter()
            .map(|&takes| self.expression(takes, (depth - 1).min(1)))
            .collect();
        let call = format!("{}({})", function.name, given.join(", "));
        match function.gives {
            Some(gives) => self.cast(kind, gives, &call),
            None => call,
        }
    }

    /// A place in one of the arrays.
    pub fn place(&mut self, depth: u32) -> (String, Type) {
        let at = self.expression(Type::U32, depth);
        let at = format!("{at} & {}", ELEMENTS - 1);
        match self.below(5) {
            0 => (format!("table[{at}]"), Type::I32),
            1 => (format!("reals[{at}]"), Type::F64),
            2 => (format!("heap[{at}]"), Type::I64),
            3 => (
                format!("items[{at}].{}", ["a", "b"][self.random.usize(..2)]),
                Type::I32,
            ),
            _ => (
                format!("setup->{}", ["n", "m"][self.random.usize(..2)]),
                Type::I64,
            ),
        }
    }

    fn element(&mut self, kind: Type, depth: u32) -> String {
        let (place, of) = self.place(depth - 1);
        self.cast(kind, of, &place)
    }

    fn arithmetic(&mut self, kind: Type, depth: u32) -> String {
        let (a, b) = (
            self.expression(kind, depth - 1),
            self.expression(kind, depth - 1),
        );
        match self.below(12) {
            0..3 => format!("{a} + {b}"),
            3..5 => format!("{a} - {b}"),
            5 | 6 => format!("{a} * {b}"),
            7 => format!("{a} / (({b} & 31) + 1)"),
            8 => format!("{a} % (({b} & 127) + 3)"),
            9 => {
                let bits = ["&", "|", "^"][self.random.usize(..3)];
                format!("{a} {bits} {b}")
            }
            10 => format!("{a} >> ({b} & {})", kind.shift_mask()),
            _ => format!("{a} << ({b} & {})", kind.shift_mask().min(9)),
        }
    }

    fn float_arithmetic(&mut self, kind: Type, depth: u32) -> String {
        let (a, b) = (
            self.expression(kind, depth - 1),
            self.expression(kind, depth - 1),
        );
        let single = kind == Type::F32;
        match self.below(11) {
            0..2 => format!("{a} + {b}"),
            2 => format!("{a} - {b}"),
            3 | 4 => format!("{a} * {b}"),
            5 => format!("{a} / {b}"),
            6 => format!("{}({a})", if single { "ceilf" } else { "ceil" }),
            7 => format!("floor({a})"),
            8 => format!(
                "{0}({1}({a}))",
                if single { "sqrtf" } else { "sqrt" },
                if single { "fabsf" } else { "fabs" }
            ),
            9 => format!("log2(fabs({a}) + 1)"),
            _ => format!("pow(2.0, floor(fabs({a}) > 20 ? 20.0 : fabs({a})))"),
        }
    }
}
