//! Names that are visible at a place of a function, and what they stand for.

use super::flat::{Label, Reg};
use std::collections::HashMap;

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Entity {
    /// A register.
    Register(Reg),
    /// The registers of a vector.
    Vector(Vec<Reg>),
    /// Storage of the function.
    Storage(usize),
    /// A parameter of the function itself.
    Parameter(usize),
    /// A result of the function itself.
    Return(usize),
    /// A place in the code.
    Label(Label),
    /// A list of targets.
    Targets(usize),
    /// A prototype of indirect calls.
    Prototype,
}

/// Names by the braces that they are declared in, innermost last.
#[derive(Default)]
pub struct Scope<'a> {
    levels: Vec<Level<'a>>,
}

#[derive(Default)]
struct Level<'a> {
    names: HashMap<&'a str, Entity>,
    /// `%r<43>`: the first of the registers and how many.
    ranges: HashMap<&'a str, (u32, u32)>,
}

impl<'a> Scope<'a> {
    /// An opening brace.
    pub fn open(&mut self) {
        self.levels.push(Level::default());
    }

    /// A closing brace.
    pub fn close(&mut self) {
        self.levels.pop();
    }

    /// Declares a name.
    pub fn declare(&mut self, name: &'a str, entity: Entity) {
        if let Some(level) = self.levels.last_mut() {
            level.names.insert(name, entity);
        }
    }

    /// Declares `prefix0`, `prefix1` and on.
    pub fn declare_range(&mut self, prefix: &'a str, first: u32, count: u32) {
        if let Some(level) = self.levels.last_mut() {
            level.ranges.insert(prefix, (first, count));
        }
    }

    /// What a name stands for.
    pub fn find(&self, name: &str) -> Option<Entity> {
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = name
            .get(prefix.len()..)
            .and_then(|text| text.parse::<u32>().ok());
        self.levels.iter().rev().find_map(|level| {
            if let Some(entity) = level.names.get(name) {
                return Some(entity.clone());
            }
            let (first, count) = level.ranges.get(prefix)?;
            let number = number.filter(|number| number < count)?;
            Some(Entity::Register(Reg(first + number)))
        })
    }
}
