//! The memory objects of a program: each alloca, each global, each function, each call that returns fresh memory
//! or stores it through an argument, the command line, and hidden state of library calls.

use crate::slice::effects::{Returns, State, Use, effect};
use crate::slice::position::{Position, instructions};
use migfit_schema::program::{Callee, FunctionId, GlobalId, Op, SizeProgram};
use std::collections::HashMap;
use std::ops::Range;

/// Index of an object.
pub type ObjectId = usize;

/// What is known of one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// Stack memory, by its instruction.
    Stack(Position),
    /// A global variable.
    Global(GlobalId),
    /// Code.
    Function(FunctionId),
    /// Memory made by a call: what it returns, or stores through an argument.
    Fresh(Position),
    /// The array `argv` (its elements point to `Words`) and the environment.
    Arguments,
    /// The bytes of the command line's words.
    Words,
    /// What a library keeps to itself.
    Hidden,
    /// Hidden state of one kind.
    State(State),
}

/// All objects of a program.
pub struct Objects {
    all: Vec<Object>,
    stack: HashMap<Position, ObjectId>,
    fresh: HashMap<Position, ObjectId>,
    globals: Range<ObjectId>,
    functions: Range<ObjectId>,
}

impl Objects {
    /// Finds them.
    pub fn of(program: &SizeProgram) -> Objects {
        let mut all: Vec<Object> = vec![Object::Arguments, Object::Words, Object::Hidden];
        all.extend(State::ALL.map(Object::State));
        let first = all.len();
        all.extend(
            (0u32..)
                .zip(&program.globals)
                .map(|(id, _)| Object::Global(id)),
        );
        let middle = all.len();
        all.extend(
            (0u32..)
                .zip(&program.functions)
                .map(|(id, _)| Object::Function(id)),
        );
        let (globals, functions) = (first..middle, middle..all.len());
        let (mut stack, mut fresh) = (HashMap::new(), HashMap::new());
        for (at, instruction) in instructions(program) {
            match &instruction.op {
                Op::Alloca { .. } => {
                    stack.insert(at, all.len());
                    all.push(Object::Stack(at));
                }
                Op::Call {
                    callee: Callee::External(name),
                    args,
                    ..
                } if makes_memory(name, args.len()) => {
                    fresh.insert(at, all.len());
                    all.push(Object::Fresh(at));
                }
                _ => {}
            }
        }
        Objects {
            all,
            stack,
            fresh,
            globals,
            functions,
        }
    }

    /// Number of objects.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// What an object is.
    pub fn get(&self, id: ObjectId) -> Option<Object> {
        self.all.get(id).copied()
    }

    /// The array `argv`.
    pub const ARGUMENTS: ObjectId = 0;
    /// The words of the command line.
    pub const WORDS: ObjectId = 1;
    /// Memory that libraries keep to themselves.
    pub const HIDDEN: ObjectId = 2;

    /// Hidden state of one kind.
    pub fn state(&self, state: State) -> ObjectId {
        let place = State::ALL.iter().position(|one| *one == state).unwrap_or(0);
        Self::HIDDEN + 1 + place
    }

    /// A global's object.
    pub fn global(&self, id: GlobalId) -> ObjectId {
        self.globals.start + id as usize
    }

    /// Objects of all globals, in the program's order.
    pub fn globals(&self) -> Range<ObjectId> {
        self.globals.clone()
    }

    /// Objects of all functions, in the program's order.
    pub fn functions(&self) -> Range<ObjectId> {
        self.functions.clone()
    }

    /// The stack memory that an instruction makes.
    pub fn stack(&self, at: Position) -> Option<ObjectId> {
        self.stack.get(&at).copied()
    }

    /// The memory that a call makes.
    pub fn fresh(&self, at: Position) -> Option<ObjectId> {
        self.fresh.get(&at).copied()
    }
}

fn makes_memory(name: &str, arguments: usize) -> bool {
    match effect(name) {
        Some(effect) => {
            effect.returns == Returns::Fresh
                || (0..arguments).any(|index| {
                    matches!(effect.of_argument(index), Use::StoresFresh | Use::TextBoth)
                })
        }
        None => true,
    }
}
