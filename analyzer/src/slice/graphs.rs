//! Control flow, control dependence and loops of every function of a program.

use crate::slice::control::Control;
use crate::slice::flow::Flow;
use crate::slice::loops::Loops;
use crate::slice::work::working;
use migfit_schema::program::{FunctionId, SizeProgram};

/// What is known of each function's blocks.
pub struct Graphs {
    flows: Vec<Flow>,
    controls: Vec<Control>,
    loops: Vec<Loops>,
}

static NO_FLOW: Flow = Flow::NONE;
static NO_CONTROL: Control = Control::NONE;
static NO_LOOPS: Loops = Loops::NONE;

impl Graphs {
    /// Looks at every function.
    pub fn of(program: &SizeProgram) -> Graphs {
        let flows: Vec<Flow> = program.functions.iter().map(Flow::of).collect();
        let working = working(program);
        let functions = program.functions.iter().zip(&flows).zip(&working);
        let control = if program.catches.is_empty() {
            Control::of
        } else {
            Control::with_handlers
        };
        Graphs {
            controls: functions
                .map(|((function, flow), working)| control(function, flow, working))
                .collect(),
            loops: flows.iter().map(Loops::of).collect(),
            flows,
        }
    }

    /// A function's control flow; empty for a function that does not exist.
    pub fn flow(&self, function: FunctionId) -> &Flow {
        self.flows.get(function as usize).unwrap_or(&NO_FLOW)
    }

    /// A function's control dependence; empty for a function that does not exist.
    pub fn control(&self, function: FunctionId) -> &Control {
        self.controls.get(function as usize).unwrap_or(&NO_CONTROL)
    }

    /// A function's loops; none for a function that does not exist.
    pub fn loops(&self, function: FunctionId) -> &Loops {
        self.loops.get(function as usize).unwrap_or(&NO_LOOPS)
    }
}
