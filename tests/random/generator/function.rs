//! Functions: ones that give a value, ones that act, one that calls itself.

use super::statement::May;
use super::text::{Function, Text};
use super::types::Type;

impl Text {
    /// One function; those written before can be called in it.
    pub fn function(&mut self) {
        let may = if self.chance(45) {
            May::CallCuda
        } else {
            May::Compute
        };
        let gives = self.chance(70).then(|| Type::any(&mut self.random));
        let name = self.fresh("f");
        let count = 1 + self.below(3);
        let takes: Vec<Type> = (0..count).map(|_| Type::any(&mut self.random)).collect();
        let names: Vec<String> = takes.iter().map(|_| self.fresh("p")).collect();
        let list: Vec<String> = takes
            .iter()
            .zip(&names)
            .map(|(kind, name)| format!("{} {name}", kind.name()))
            .collect();
        let head = ["static ", "", "__attribute__((noinline)) "][self.random.usize(..3)];
        self.cost = 1;
        self.open(&format!(
            "{head}{} {name}({})",
            gives.map_or("void", Type::name),
            list.join(", ")
        ));
        for (kind, name) in takes.iter().zip(names) {
            self.declare(name, *kind, false);
        }
        self.statements(5, may);
        if self.chance(25) {
            let condition = self.condition(1);
            match gives {
                Some(kind) => {
                    let early = self.expression(kind, 1);
                    self.line(&format!("if ({condition}) return {early};"));
                }
                None => self.line(&format!("if ({condition}) return;")),
            }
            self.statements(2, may);
        }
        if let Some(kind) = gives {
            let value = self.expression(kind, 3);
            self.line(&format!("return {value};"));
        }
        self.close("");
        let cost = self.cost;
        self.functions.push(Function {
            name,
            gives,
            takes,
            cost,
        });
    }

    /// A function that calls itself at most eight times deep.
    pub fn recursion(&mut self) {
        let name = self.fresh("f");
        self.cost = 1;
        self.turns = 16;
        self.open(&format!("static long {name}(int depth, long value)"));
        self.declare("value".to_owned(), Type::I64, false);
        self.declare("depth".to_owned(), Type::I32, true);
        let end = self.expression(Type::I64, 1);
        self.line(&format!("if ((depth & 7) == 0) return {end};"));
        self.statements(2, May::CallCuda);
        let (next, more) = (self.expression(Type::I64, 1), self.expression(Type::I64, 1));
        self.line(&format!("return {name}((depth & 7) - 1, {next}) + {more};"));
        self.close("");
        self.turns = 1;
        let cost = self.cost;
        self.functions.push(Function {
            name,
            gives: Some(Type::I64),
            takes: vec![Type::I32, Type::I64],
            cost,
        });
    }
}
