//! Files of one process in, one size program out: what the dynamic loader does with their symbols. Of several
//! definitions of an exported name the first file's holds, for the file that has another one too; what is not exported
//! is its file's own, whatever its name. Pure.

use crate::program::{
    Callee, Function, FunctionId, Global, GlobalId, Instruction, Op, Operand, Part, Place,
    SizeProgram,
};
use std::collections::HashMap;

/// Joins a program (first) with its shared libraries, in the order in which they are loaded.
#[must_use]
pub fn join(parts: &[Part]) -> SizeProgram {
    let symbols = Symbols::of(parts);
    let mut joined = SizeProgram::default();
    let mut constructors = Vec::new();
    for part in parts {
        let own = Numbers::of(part, &joined, &symbols);
        add(&mut joined, part, &own);
        let ready = part.program.constructors.iter();
        let ready: Vec<FunctionId> = ready.map(|id| own.function(*id)).collect();
        constructors.push(ready);
    }
    // A library is ready before what needs it.
    joined.constructors = constructors.into_iter().rev().flatten().collect();
    joined.main = parts.first().and_then(|program| program.program.main);
    joined.opaque = opaque(parts, &symbols);
    let named = parts.iter().flat_map(|part| &part.program.kernel_names);
    joined.kernel_names = named.cloned().collect();
    joined.captures = parts.iter().any(|part| part.program.captures);
    joined
}

/// Exported definitions by name, under the numbers that they get.
struct Symbols<'p> {
    functions: HashMap<&'p str, FunctionId>,
    globals: HashMap<&'p str, GlobalId>,
}

impl<'p> Symbols<'p> {
    fn of(parts: &'p [Part]) -> Symbols<'p> {
        let mut symbols = Symbols {
            functions: HashMap::new(),
            globals: HashMap::new(),
        };
        let (mut first_function, mut first_global) = (0, 0);
        for part in parts {
            for id in &part.functions {
                if let Some(function) = part.program.functions.get(*id as usize) {
                    let number = first_function + id;
                    symbols.functions.entry(&function.name).or_insert(number);
                }
            }
            for id in &part.globals {
                if let Some(global) = part.program.globals.get(*id as usize) {
                    let number = first_global + id;
                    symbols.globals.entry(&global.name).or_insert(number);
                }
            }
            first_function += count(&part.program.functions);
            first_global += count(&part.program.globals);
        }
        symbols
    }
}

/// New numbers for everything of one part.
struct Numbers<'s> {
    symbols: &'s Symbols<'s>,
    functions: Vec<FunctionId>,
    globals: Vec<GlobalId>,
    first_file: u32,
    first_kernel: u32,
}

impl<'s> Numbers<'s> {
    fn of(part: &Part, joined: &SizeProgram, symbols: &'s Symbols<'s>) -> Numbers<'s> {
        let first_function = count(&joined.functions);
        let first_global = count(&joined.globals);
        let functions = (0u32..).zip(&part.program.functions);
        let globals = (0u32..).zip(&part.program.globals);
        let functions = functions.map(|(id, function)| {
            let symbol = symbols.functions.get(function.name.as_str());
            let shared = symbol.filter(|_| part.functions.contains(&id));
            shared.copied().unwrap_or(first_function + id)
        });
        let globals = globals.map(|(id, global)| {
            let symbol = symbols.globals.get(global.name.as_str());
            let shared = symbol.filter(|_| global.external || part.globals.contains(&id));
            shared.copied().unwrap_or(first_global + id)
        });
        Numbers {
            symbols,
            functions: functions.collect(),
            globals: globals.collect(),
            first_file: count(&joined.files),
            first_kernel: count(&joined.kernels),
        }
    }

    fn function(&self, id: FunctionId) -> FunctionId {
        // What never existed still does not.
        self.functions.get(id as usize).copied().unwrap_or(u32::MAX)
    }

    fn operand(&self, operand: &mut Operand) {
        match operand {
            Operand::Function(id) => *id = self.function(*id),
            Operand::Global(id, _) => {
                *id = self.globals.get(*id as usize).copied().unwrap_or(u32::MAX);
            }
            Operand::Reg(_) | Operand::Const(_) | Operand::Undef => {}
        }
    }

    fn place(&self, place: Place) -> Place {
        match place.line {
            0 => Place::default(),
            line => Place {
                file: place.file.saturating_add(self.first_file),
                line,
            },
        }
    }

    fn instruction(&self, found: &mut Instruction) {
        found.place = self.place(found.place);
        match &mut found.op {
            Op::Call { callee, .. } => match callee {
                Callee::Function(id) => *id = self.function(*id),
                Callee::External(name) => {
                    if let Some(id) = self.symbols.functions.get(name.as_str()) {
                        *callee = Callee::Function(*id);
                    }
                }
                Callee::Indirect(_) => {}
            },
            Op::Launch { kernel } => *kernel = kernel.saturating_add(self.first_kernel),
            _ => {}
        }
    }
}

fn add(joined: &mut SizeProgram, part: &Part, numbers: &Numbers<'_>) {
    let program = &part.program;
    joined.files.extend(program.files.iter().cloned());
    let functions = program.functions.iter();
    joined
        .functions
        .extend(functions.map(|function| renumbered(function, numbers)));
    let globals = program.globals.iter();
    joined
        .globals
        .extend(globals.map(|global| moved(global, numbers)));
    joined.kernels.extend(program.kernels.iter().cloned());
    let catches = program.catches.iter();
    joined
        .catches
        .extend(catches.map(|place| numbers.place(*place)));
    let loose = program.loose_floats.clone();
    joined.loose_floats = joined.loose_floats.take().or(loose);
}

fn renumbered(function: &Function, numbers: &Numbers<'_>) -> Function {
    let mut function = function.clone();
    function
        .operands_mut()
        .for_each(|operand| numbers.operand(operand));
    for block in &mut function.blocks {
        block.end_place = numbers.place(block.end_place);
        block
            .ops
            .iter_mut()
            .for_each(|found| numbers.instruction(found));
    }
    function
}

fn moved(global: &Global, numbers: &Numbers<'_>) -> Global {
    let mut global = global.clone();
    for (_, address) in &mut global.addresses {
        numbers.operand(address);
    }
    global
}

/// What no part has code for.
fn opaque(parts: &[Part], symbols: &Symbols<'_>) -> Vec<String> {
    let names = parts.iter().flat_map(|part| &part.program.opaque);
    let unknown = names.filter(|name| !symbols.functions.contains_key(name.as_str()));
    let mut unknown: Vec<String> = unknown.cloned().collect();
    unknown.sort();
    unknown.dedup();
    unknown
}

/// Number of elements, as the schema stores ids.
fn count<T>(all: &[T]) -> u32 {
    u32::try_from(all.len()).unwrap_or(u32::MAX)
}
