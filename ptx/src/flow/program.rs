//! The modules of a program as one whole: which function and which variable a name in a module means.

use super::stops;
use crate::link::LinkError;
use crate::text::ast::{
    Function, Instruction, Item, Linking, Module, Operand, Statement, Variable,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A function with more instructions than this is called, if it can be; a smaller one stands in place of its calls.
const SMALL: usize = 200;

/// The modules of a program.
pub struct Program {
    modules: Vec<Module>,
    /// Modules and positions of the definitions that all modules see.
    functions: HashMap<String, (usize, usize)>,
    variables: HashMap<String, (usize, usize)>,
    /// Definitions that are a module's own.
    own: HashMap<(usize, String), usize>,
    /// Of every function that is defined; filled when the whole is made.
    inlined: Mutex<HashMap<(usize, String), Inlining>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inlining {
    /// Being looked at: a call that comes back here is recursion.
    Open,
    Must,
    May,
    Never,
}

impl Program {
    /// Makes a whole of modules.
    ///
    /// # Errors
    /// When two of them define the same name for all.
    pub fn new(modules: Vec<Module>) -> Result<Program, LinkError> {
        let mut program = Program {
            modules: Vec::new(),
            functions: HashMap::new(),
            variables: HashMap::new(),
            own: HashMap::new(),
            inlined: Mutex::default(),
        };
        for (file, module) in modules.iter().enumerate() {
            for (nth, item) in module.items.iter().enumerate() {
                program.add(&modules, file, nth, item)?;
            }
        }
        program.modules = modules;
        for (file, module) in program.modules.iter().enumerate() {
            for function in module.functions().filter(|one| one.body.is_some()) {
                program.inlining(file, function);
            }
        }
        Ok(program)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<(usize, String), Inlining>> {
        self.inlined.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(
        &mut self,
        modules: &[Module],
        file: usize,
        nth: usize,
        item: &Item,
    ) -> Result<(), LinkError> {
        let (known, name, linking) = match item {
            Item::Function(function) if function.body.is_some() => {
                (&mut self.functions, &function.name, function.linking)
            }
            Item::Variable(one) => (&mut self.variables, &one.name, one.linking),
            _ => return Ok(()),
        };
        if linking == Linking::Extern {
            return Ok(());
        }
        if linking == Linking::None {
            self.own.insert((file, name.clone()), nth);
            return Ok(());
        }
        let before = known.get(name).and_then(|(file, nth)| {
            let item = modules.get(*file)?.items.get(*nth)?;
            Some(linking_of(item))
        });
        match before {
            Some(Linking::Visible) if linking == Linking::Visible => {
                return Err(LinkError::Twice(name.clone()));
            }
            Some(_) if linking != Linking::Visible => {}
            _ => drop(known.insert(name.clone(), (file, nth))),
        }
        Ok(())
    }

    /// The modules.
    #[must_use]
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    fn item(
        &self,
        file: usize,
        name: &str,
        shared: &HashMap<String, (usize, usize)>,
    ) -> Option<(usize, &Item)> {
        let own = self.own.get(&(file, name.to_owned()));
        let (file, nth) = match own {
            Some(nth) => (file, *nth),
            None => *shared.get(name)?,
        };
        Some((file, self.modules.get(file)?.items.get(nth)?))
    }

    /// The function that a name means in a module, and the module that defines it.
    #[must_use]
    pub fn function(&self, file: usize, name: &str) -> Option<(usize, &Function)> {
        match self.item(file, name, &self.functions)? {
            (file, Item::Function(function)) => Some((file, function)),
            _ => None,
        }
    }

    /// The variable that a name means in a module, and the module that defines it.
    #[must_use]
    pub fn variable(&self, file: usize, name: &str) -> Option<(usize, &Variable)> {
        match self.item(file, name, &self.variables)? {
            (file, Item::Variable(variable)) => Some((file, variable)),
            _ => None,
        }
    }

    /// A module-wide shared array without an extent, which a launch sizes.
    #[must_use]
    pub fn dynamic_shared(&self, file: usize, name: &str) -> Option<&Variable> {
        let mut all = self.modules.get(file)?.variables();
        all.find(|one| one.name == name && one.linking == Linking::Extern)
    }

    /// Kernels by name, with the module that defines each.
    #[must_use]
    pub fn kernels(&self) -> BTreeMap<&str, (usize, &Function)> {
        let mut all = BTreeMap::new();
        for (file, module) in self.modules.iter().enumerate() {
            for function in module
                .functions()
                .filter(|one| one.entry && one.body.is_some())
            {
                all.entry(function.name.as_str())
                    .or_insert((file, function));
            }
        }
        all
    }

    /// Whether a function stands in place of its calls: it is small, or threads wait for each other in it.
    #[must_use]
    pub fn is_inlined(&self, file: usize, function: &Function) -> bool {
        matches!(
            self.inlining(file, function),
            Inlining::Must | Inlining::May
        )
    }

    fn inlining(&self, file: usize, function: &Function) -> Inlining {
        let key = (file, function.name.clone());
        if let Some(known) = self.known().get(&key) {
            return match known {
                Inlining::Open => Inlining::Never,
                known => *known,
            };
        }
        self.known().insert(key.clone(), Inlining::Open);
        let mut look = Look {
            program: self,
            file,
            count: 0,
            must: false,
            recursive: false,
        };
        look.at(function.body.as_deref().unwrap_or_default());
        let found = match look {
            Look {
                recursive: true, ..
            } => Inlining::Never,
            Look { must: true, .. } => Inlining::Must,
            Look {
                count: 0..=SMALL, ..
            } => Inlining::May,
            _ => Inlining::Never,
        };
        self.known().insert(key, found);
        found
    }
}

fn linking_of(item: &Item) -> Linking {
    match item {
        Item::Function(function) => function.linking,
        Item::Variable(variable) => variable.linking,
        _ => Linking::None,
    }
}

/// A look through a function's statements.
struct Look<'a> {
    program: &'a Program,
    file: usize,
    count: usize,
    must: bool,
    recursive: bool,
}

impl Look<'_> {
    fn at(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Block(inner) => self.at(inner),
                Statement::Instruction(instruction) => self.instruction(instruction),
                _ => {}
            }
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        self.count += 1;
        self.must |= stops::is_stop(instruction) || stops::touches_shared(instruction);
        if instruction.opcode != "call" {
            return;
        }
        let mut names = instruction
            .operands
            .iter()
            .filter_map(|operand| match operand {
                Operand::Name(name) => Some(name),
                _ => None,
            });
        let callee = names
            .next()
            .and_then(|name| self.program.function(self.file, name));
        if let Some((file, callee)) = callee {
            match self.program.inlining(file, callee) {
                Inlining::Must => self.must = true,
                Inlining::Never => {
                    let key = (file, callee.name.clone());
                    let open = self.program.known().get(&key) == Some(&Inlining::Open);
                    self.recursive |= open;
                }
                _ => {}
            }
        }
    }
}
