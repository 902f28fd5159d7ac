//! A normalised module and what its CUDA code said in, the size program out. Lowers what `main` and the static
//! constructors can reach, in the order in which it is met, so that the same module gives the same program.

use super::function;
use super::global;
use super::leaving::MayThrow;
use super::unwind::Throwers;
use crate::ir::places::Places;
use crate::ir::stubs::CudaFacts;
use crate::ir::view::constant::Global;
use crate::ir::view::function::Function;
use crate::ir::view::metadata::Location;
use crate::ir::view::module::ModuleView;
use crate::ir::view::types::Layout;
use crate::outside::Exports;
use migfit_schema::program::{
    self as schema, Block, Callee, FunctionId, GlobalId, Instruction, Op, Operand, Place,
    SizeProgram, Terminator, Type,
};
use std::collections::{HashMap, HashSet, VecDeque};

/// Lowers everything that the program can reach from `main`, static constructors and exports. A module without `main`
/// of which no exports are known starts from all its functions.
#[must_use]
pub fn lower(module: ModuleView<'_>, facts: &CudaFacts, exports: Option<&Exports>) -> SizeProgram {
    let mut lowering = Lowering::new(module, facts);
    let main = module.function("main").filter(|main| main.has_body());
    let main = main.map(|main| lowering.function(main));
    let constructors: Vec<FunctionId> = module
        .constructors()
        .into_iter()
        .filter(|constructor| constructor.has_body())
        .filter(|constructor| !facts.registrations.contains(&constructor.name()))
        .map(|constructor| lowering.function(constructor))
        .collect();
    let destructors: Vec<FunctionId> = module
        .destructors()
        .into_iter()
        .filter(|destructor| destructor.has_body())
        .filter(|destructor| !facts.registrations.contains(&destructor.name()))
        .map(|destructor| lowering.function(destructor))
        .collect();
    let offered = |name: &str| match exports {
        Some(exports) => exports.contain(name),
        None => main.is_none(),
    };
    if exports.is_some() || main.is_none() {
        let bodies = module.functions().filter(|f| f.has_body() && !f.is_copy());
        for function in bodies.filter(|f| offered(&f.name())) {
            lowering.function(function);
        }
    }
    if exports.is_some() {
        let defined = module.globals().filter(|g| g.initialiser().is_some());
        for global in defined.filter(|g| offered(&g.name())) {
            lowering.global(global);
        }
    }
    let mut program = lowering.finish(constructors, main);
    register_destructors(&mut program, &destructors);
    program
}

/// What runs at the very end is registered at the very beginning, as handlers at exit are.
fn register_destructors(program: &mut SizeProgram, destructors: &[FunctionId]) {
    if destructors.is_empty() {
        return;
    }
    let register = |(dst, destructor): (u32, &FunctionId)| Instruction {
        op: Op::Call {
            dst: vec![dst],
            results: vec![Type::Int(32)],
            callee: Callee::External("__cxa_atexit".to_owned()),
            args: vec![
                (Operand::Function(*destructor), Type::Ptr),
                (Operand::Const(0), Type::Ptr),
                (Operand::Const(0), Type::Ptr),
            ],
        },
        place: Place::default(),
    };
    program
        .constructors
        .insert(0, index(program.functions.len()));
    program.functions.push(schema::Function {
        name: "(destructors)".to_owned(),
        params: Vec::new(),
        results: Vec::new(),
        registers: index(destructors.len()),
        blocks: vec![Block {
            phis: Vec::new(),
            ops: (0u32..).zip(destructors).map(register).collect(),
            end: Terminator::Return(Vec::new()),
            end_place: Place::default(),
        }],
        names: Vec::new(),
    });
}

/// A global that has its number and is not lowered yet.
enum Waiting<'m> {
    Module(Global<'m>),
    Managed(schema::Global),
}

/// What is known while a program is lowered.
pub(super) struct Lowering<'m> {
    module: ModuleView<'m>,
    pub(super) layout: Layout<'m>,
    pub(super) facts: &'m CudaFacts,
    /// Where the program catches exceptions: who may throw.
    pub(super) throwers: Option<Throwers<'m>>,
    places: Places,
    place_of: HashMap<Location<'m>, Place>,
    files: Vec<String>,
    pub(super) loose_floats: Option<String>,
    functions: HashMap<Function<'m>, FunctionId>,
    lowered: Vec<schema::Function>,
    waiting: VecDeque<Function<'m>>,
    globals: HashMap<Global<'m>, GlobalId>,
    waiting_globals: VecDeque<Waiting<'m>>,
    next_global: GlobalId,
    lowered_globals: Vec<schema::Global>,
}

impl<'m> Lowering<'m> {
    fn new(module: ModuleView<'m>, facts: &'m CudaFacts) -> Self {
        Lowering {
            module,
            layout: module.layout(),
            facts,
            throwers: (!facts.handlers.is_empty()).then(|| Throwers::of(module)),
            places: Places::of(module),
            place_of: HashMap::new(),
            files: Vec::new(),
            loose_floats: None,
            functions: HashMap::new(),
            lowered: Vec::new(),
            waiting: VecDeque::new(),
            globals: HashMap::new(),
            next_global: 0,
            waiting_globals: VecDeque::new(),
            lowered_globals: Vec::new(),
        }
    }

    /// Number of a function; it is lowered in its turn. One that is only declared gets a body that calls it.
    pub(super) fn function(&mut self, function: Function<'m>) -> FunctionId {
        let next = index(self.functions.len());
        *self.functions.entry(function).or_insert_with(|| {
            self.waiting.push_back(function);
            next
        })
    }

    /// Number of a global; its initial value is lowered in its turn.
    pub(super) fn global(&mut self, global: Global<'m>) -> GlobalId {
        if let Some(known) = self.globals.get(&global) {
            return *known;
        }
        let id = self.queue(Waiting::Module(global));
        self.globals.insert(global, id);
        id
    }

    /// Number of the global of this name, where the module has one.
    pub(super) fn global_named(&mut self, name: &str) -> Option<GlobalId> {
        let found = self.module.globals().find(|global| global.name() == name)?;
        Some(self.global(found))
    }

    /// Number of a global that the module does not have: the variable that a managed pointer is set to.
    pub(super) fn managed(&mut self, pointer: &str, bytes: u64) -> GlobalId {
        self.queue(Waiting::Managed(global::managed(pointer, bytes)))
    }

    fn queue(&mut self, waiting: Waiting<'m>) -> GlobalId {
        let id = self.next_global;
        self.waiting_globals.push_back(waiting);
        self.next_global += 1;
        id
    }

    /// The place in the user's source that stands for a location.
    pub(super) fn place(&mut self, location: Option<Location<'m>>) -> Place {
        let Some(location) = location else {
            return Place::default();
        };
        if let Some(known) = self.place_of.get(&location) {
            return *known;
        }
        let place = match self.places.of_location(location) {
            Some((file, line)) => Place {
                file: self.file(file),
                line,
            },
            None => Place::default(),
        };
        self.place_of.insert(location, place);
        place
    }

    /// The place that stands for a handler of exceptions.
    fn handler(&mut self, (file, line): (String, u32)) -> Place {
        match line {
            0 => Place::default(),
            line => Place {
                file: self.file(file),
                line,
            },
        }
    }

    fn file(&mut self, path: String) -> u32 {
        let known = self.files.iter().position(|file| *file == path);
        index(known.unwrap_or_else(|| {
            self.files.push(path);
            self.files.len() - 1
        }))
    }

    /// Gives every function ways out for exceptions, where they are followed.
    fn lead_out(&mut self, first: HashSet<FunctionId>) {
        let Some(throwers) = &self.throwers else {
            return;
        };
        let known = self.functions.iter();
        let may_throw = MayThrow {
            functions: known
                .filter(|(one, _)| throwers.contain(**one))
                .map(|(_, id)| *id)
                .collect(),
            pointers: throwers.any(),
        };
        for (id, function) in (0u32..).zip(&mut self.lowered) {
            may_throw.lead_out(function, first.contains(&id));
        }
    }

    /// Lowers what waits until nothing new is met.
    fn finish(mut self, constructors: Vec<FunctionId>, main: Option<FunctionId>) -> SizeProgram {
        loop {
            if let Some(function) = self.waiting.pop_front() {
                let lowered = function::lower(&mut self, function);
                self.lowered.push(lowered);
            } else if let Some(global) = self.waiting_globals.pop_front() {
                let lowered = match global {
                    Waiting::Module(global) => global::lower(&mut self, global),
                    Waiting::Managed(global) => global,
                };
                self.lowered_globals.push(lowered);
            } else {
                break;
            }
        }
        self.lead_out(constructors.iter().copied().chain(main).collect());
        let handlers = self.facts.handlers.clone();
        let catches = handlers.into_iter().map(|at| self.handler(at)).collect();
        SizeProgram {
            files: self.files,
            functions: self.lowered,
            globals: self.lowered_globals,
            constructors,
            main,
            kernels: self.facts.kernels.clone(),
            opaque: Vec::new(),
            captures: false,
            kernel_names: self.facts.named.clone(),
            catches,
            loose_floats: self.loose_floats,
        }
    }
}

/// A position as the schema stores it. No module that LLVM can hold has four billion of anything.
pub(super) fn index(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
