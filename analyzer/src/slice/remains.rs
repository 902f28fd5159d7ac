//! An instruction that is not kept in, what has to stay of it out: ends of the process, and the steps of an exception from
//! a throw to a handler, since nothing else is called while one is on its way.

use crate::outside::{LANDING, RESUME, UNCAUGHT, throws};
use crate::slice::control::is_exit;
use migfit_schema::program::{Callee, Op, Operand, SizeProgram, Type};

/// What stays of it, where control may still come to it.
pub fn remains(program: &SizeProgram, op: &Op) -> Option<Op> {
    let Op::Call {
        callee: Callee::External(name),
        args,
        ..
    } = op
    else {
        return None;
    };
    if ends_process(name) {
        // An exit stays with its status where that is a constant.
        let status = |(value, ty): &(Operand, Type)| match value {
            Operand::Const(_) => (*value, *ty),
            _ => (Operand::Undef, *ty),
        };
        return Some(bare(name, args.iter().map(status).collect()));
    }
    let step = !program.catches.is_empty() && is_step(name);
    step.then(|| bare(name, Vec::new()))
}

fn bare(name: &str, args: Vec<(Operand, Type)>) -> Op {
    Op::Call {
        dst: Vec::new(),
        results: Vec::new(),
        callee: Callee::External(name.to_owned()),
        args,
    }
}

/// Whether a function ends the process, if nothing catches what it throws.
fn ends_process(name: &str) -> bool {
    const OTHERS: [&str; 4] = ["abort", "__assert_fail", "_ZSt9terminatev", UNCAUGHT];
    is_exit(name) || OTHERS.contains(&name) || throws(name)
}

/// Whether a call takes an exception from one state to the next.
fn is_step(name: &str) -> bool {
    [LANDING, RESUME, "__cxa_begin_catch", "__cxa_end_catch"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slice::draft::{c, call, program, r};
    use migfit_schema::program::Place;

    fn of(program: &SizeProgram, name: &str) -> Option<Op> {
        remains(program, &call(name, &[c(1), r(0)]))
    }

    #[test]
    fn ends_stay_with_constants_only() {
        let plain = program(Vec::new(), Vec::new());
        let Some(Op::Call { args, .. }) = of(&plain, "exit") else {
            panic!("an exit stays");
        };
        let values: Vec<Operand> = args.iter().map(|(value, _)| *value).collect();
        assert_eq!(values, [c(1), Operand::Undef]);
        assert_eq!(of(&plain, "puts"), None);
    }

    #[test]
    fn steps_of_exceptions_stay_where_some_are_caught() {
        let mut caught = program(Vec::new(), Vec::new());
        assert_eq!(of(&caught, LANDING), None);
        caught.catches.push(Place::default());
        for name in [LANDING, RESUME, "__cxa_begin_catch", "__cxa_end_catch"] {
            assert!(of(&caught, name).is_some(), "{name}");
        }
    }
}
