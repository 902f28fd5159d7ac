//! Syntax tree -> PTX text that means the same.

use super::ast::{
    Function, Initial, InitialAddress, Instruction, Item, Module, Operand, Prototype, Statement,
    Variable,
};
use std::fmt::{Display, Formatter, Result, Write};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(f, ".version {}", self.version)?;
        writeln!(f, ".target {}", self.target.join(", "))?;
        if let Some(bits) = self.address_size {
            writeln!(f, ".address_size {bits}")?;
        }
        for item in &self.items {
            match item {
                Item::Variable(variable) => writeln!(f, "{variable};")?,
                Item::Function(function) => writeln!(f, "{function}")?,
                Item::Alias(name, other) => writeln!(f, ".alias {name}, {other};")?,
                Item::Raw(text) => writeln!(f, "{text}")?,
            }
        }
        Ok(())
    }
}

impl Display for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}.{}", self.linking.text(), self.space.name())?;
        if let Some(attribute) = &self.attribute {
            write!(f, " {attribute}")?;
        }
        if let Some(align) = self.align {
            write!(f, " .align {align}")?;
        }
        if self.vector > 1 {
            write!(f, " .v{}", self.vector)?;
        }
        write!(f, " .{}", self.ty.name())?;
        if let Some((space, align)) = &self.pointer {
            f.write_str(" .ptr")?;
            if let Some(space) = space {
                write!(f, " .{space}")?;
            }
            if let Some(align) = align {
                write!(f, " .align {align}")?;
            }
        }
        write!(f, " {}", self.name)?;
        if let Some(count) = self.count {
            write!(f, "<{count}>")?;
        }
        for extent in &self.extents {
            match extent {
                Some(extent) => write!(f, "[{extent}]")?,
                None => f.write_str("[]")?,
            }
        }
        match &self.initial {
            Some(initial) => write!(f, " = {initial}"),
            None => Ok(()),
        }
    }
}

impl Display for Initial {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Initial::Number(number) => number.fmt(f),
            Initial::Address(address) => address.fmt(f),
            Initial::List(all) => enclosed(f, '{', all, '}'),
        }
    }
}

impl Display for InitialAddress {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if let Some(mask) = self.mask {
            write!(f, "{mask:#X}(")?;
        }
        match self.generic {
            true => write!(f, "generic({})", self.symbol)?,
            false => f.write_str(&self.symbol)?,
        }
        offset(f, self.offset)?;
        f.write_str(if self.mask.is_some() { ")" } else { "" })
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let kind = if self.entry { ".entry" } else { ".func" };
        write!(f, "{}{kind} ", self.linking.text())?;
        if let Some(attribute) = &self.attribute {
            write!(f, "{attribute} ")?;
        }
        if !self.returns.is_empty() {
            enclosed(f, '(', &self.returns, ')')?;
        }
        write!(f, " {}", self.name)?;
        enclosed(f, '(', &self.parameters, ')')?;
        for (name, numbers) in &self.directives {
            let dot = if name.starts_with('.') { "" } else { "." };
            write!(f, "\n{dot}{name}")?;
            let mut sign = ' ';
            for number in numbers {
                write!(f, "{sign}{number}")?;
                sign = ',';
            }
        }
        match &self.body {
            None => f.write_str(";"),
            Some(body) => block(f, body),
        }
    }
}

fn block(f: &mut Formatter<'_>, statements: &[Statement]) -> Result {
    f.write_str("\n{\n")?;
    for statement in statements {
        match statement {
            Statement::Label(label) => writeln!(f, "{label}:")?,
            Statement::Variable(variable) => writeln!(f, "\t{variable};")?,
            Statement::Block(inner) => {
                block(f, inner)?;
                f.write_char('\n')?;
            }
            Statement::Instruction(instruction) => writeln!(f, "\t{instruction};")?,
            Statement::Targets {
                label,
                calls,
                targets,
            } => {
                let kind = if *calls {
                    "calltargets"
                } else {
                    "branchtargets"
                };
                writeln!(f, "{label}: .{kind} {};", targets.join(", "))?;
            }
            Statement::Prototype(prototype) => writeln!(f, "{prototype};")?,
            Statement::Raw(text) => writeln!(f, "\t{text}")?,
        }
    }
    f.write_str("}")
}

impl Display for Prototype {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}: .callprototype ", self.label)?;
        enclosed(f, '(', &self.returns, ')')?;
        f.write_str(" _ ")?;
        enclosed(f, '(', &self.parameters, ')')?;
        for directive in &self.directives {
            write!(f, " .{directive}")?;
        }
        Ok(())
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if let Some((register, negated)) = &self.guard {
            let sign = if *negated { "!" } else { "" };
            write!(f, "@{sign}{register} ")?;
        }
        f.write_str(&self.opcode)?;
        for modifier in &self.modifiers {
            write!(f, ".{modifier}")?;
        }
        let mut sign = " ";
        for operand in &self.operands {
            write!(f, "{sign}{operand}")?;
            sign = ", ";
        }
        Ok(())
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Operand::Name(name) => f.write_str(name),
            Operand::Offset(name, bytes) => {
                f.write_str(name)?;
                offset(f, *bytes)
            }
            Operand::Number(number) => number.fmt(f),
            Operand::Not(name) => write!(f, "!{name}"),
            Operand::Vector(all) => enclosed(f, '{', all, '}'),
            Operand::Pair(first, second) => write!(f, "{first}|{second}"),
            Operand::Memory(all) => enclosed(f, '[', all, ']'),
            Operand::List(all) => enclosed(f, '(', all, ')'),
        }
    }
}

fn offset(f: &mut Formatter<'_>, bytes: i64) -> Result {
    match bytes {
        0 => Ok(()),
        bytes => write!(f, "+{bytes}"),
    }
}

fn enclosed<T: Display>(f: &mut Formatter<'_>, open: char, all: &[T], close: char) -> Result {
    f.write_char(open)?;
    let mut sign = "";
    for one in all {
        write!(f, "{sign}{one}")?;
        sign = ", ";
    }
    f.write_char(close)
}
