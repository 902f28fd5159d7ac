//! Functions, globals and files that nothing kept refers to.

use migfit_schema::program::{
    Callee, FunctionId, Global, GlobalId, Op, Operand, Place, SizeProgram,
};
use std::collections::{BTreeMap, BTreeSet};

/// Drops them, and gives new numbers to the others.
pub fn drop_unused(program: &mut SizeProgram) {
    let used = Used::of(program);
    let functions = numbers(&used.functions);
    let globals = numbers(&used.globals);
    retain(&mut program.functions, &functions);
    retain(&mut program.globals, &globals);
    program.main = program.main.and_then(|id| functions.get(&id).copied());
    let constructors = program.constructors.iter();
    program.constructors = constructors
        .filter_map(|id| functions.get(id).copied())
        .collect();
    let rename = |operand: &mut Operand| match operand {
        Operand::Function(id) => *id = new(&functions, *id),
        Operand::Global(id, _) => *id = new(&globals, *id),
        Operand::Reg(_) | Operand::Const(_) | Operand::Undef => {}
    };
    for global in &mut program.globals {
        let addresses = global.addresses.iter_mut();
        addresses.map(|(_, address)| address).for_each(rename);
    }
    for function in &mut program.functions {
        function.operands_mut().for_each(rename);
        let ops = function.blocks.iter_mut().flat_map(|block| &mut block.ops);
        for instruction in ops {
            if let Op::Call {
                callee: Callee::Function(id),
                ..
            } = &mut instruction.op
            {
                *id = new(&functions, *id);
            }
        }
    }
    drop_files(program);
}

/// New numbers in the old order.
fn numbers(used: &BTreeSet<u32>) -> BTreeMap<u32, u32> {
    used.iter().copied().zip(0..).collect()
}

/// The new number; what never existed still does not.
fn new(numbers: &BTreeMap<u32, u32>, id: u32) -> u32 {
    numbers.get(&id).copied().unwrap_or(u32::MAX)
}

fn retain<T>(all: &mut Vec<T>, numbers: &BTreeMap<u32, u32>) {
    let mut id = 0..;
    all.retain(|_| id.next().is_some_and(|id| numbers.contains_key(&id)));
}

/// Files that no instruction stands in.
fn drop_files(program: &mut SizeProgram) {
    let files = std::mem::take(&mut program.files);
    let mut new: BTreeMap<u32, u32> = BTreeMap::new();
    let blocks = program
        .functions
        .iter_mut()
        .flat_map(|function| &mut function.blocks);
    let places = blocks.flat_map(|block| {
        let ops = block.ops.iter_mut().map(|found| &mut found.place);
        ops.chain([&mut block.end_place])
    });
    for place in places.chain(&mut program.catches) {
        let Some(name) = files.get(place.file as usize).filter(|_| place.line > 0) else {
            *place = Place::default();
            continue;
        };
        let next = u32::try_from(new.len()).unwrap_or(0);
        place.file = *new.entry(place.file).or_insert_with(|| {
            program.files.push(name.clone());
            next
        });
    }
}

/// What is referred to, from `main`, the constructors and device variables on.
#[derive(Default)]
struct Used {
    functions: BTreeSet<FunctionId>,
    globals: BTreeSet<GlobalId>,
}

impl Used {
    fn of(program: &mut SizeProgram) -> Used {
        let mut used = Used::default();
        let roots = program.constructors.iter().copied().chain(program.main);
        let mut waiting: Vec<Operand> = roots.map(Operand::Function).collect();
        if program.main.is_none() {
            let all = (0u32..).zip(&program.functions);
            waiting.extend(all.map(|(id, _)| Operand::Function(id)));
        }
        let on_device = |global: &Global| global.device_bytes.is_some();
        let globals = (0u32..).zip(&program.globals);
        let shadows = globals.filter(|(_, global)| on_device(global));
        waiting.extend(shadows.map(|(id, _)| Operand::Global(id, 0)));
        while let Some(operand) = waiting.pop() {
            match operand {
                Operand::Function(id) => used.function(program, id, &mut waiting),
                Operand::Global(id, _) => used.global(program, id, &mut waiting),
                Operand::Reg(_) | Operand::Const(_) | Operand::Undef => {}
            }
        }
        used
    }

    fn function(&mut self, program: &mut SizeProgram, id: FunctionId, waiting: &mut Vec<Operand>) {
        let Some(body) = program.functions.get_mut(id as usize) else {
            return;
        };
        if !self.functions.insert(id) {
            return;
        }
        waiting.extend(body.operands_mut().map(|operand| *operand));
        let ops = body.blocks.iter().flat_map(|block| &block.ops);
        let called = ops.filter_map(|found| match &found.op {
            Op::Call {
                callee: Callee::Function(id),
                ..
            } => Some(Operand::Function(*id)),
            _ => None,
        });
        waiting.extend(called);
    }

    fn global(&mut self, program: &SizeProgram, id: GlobalId, waiting: &mut Vec<Operand>) {
        if let Some(global) = program.globals.get(id as usize)
            && self.globals.insert(id)
        {
            waiting.extend(global.addresses.iter().map(|(_, address)| *address));
        }
    }
}
