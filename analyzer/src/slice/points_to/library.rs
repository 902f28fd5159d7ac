//! Calls of functions outside the program: what their rows say of pointers, and the worst for those without a row.

use super::bind::returned;
use super::sets::Node;
use super::solve::{Rule, Solver};
use crate::slice::effects::{Effect, Returns, State, Use, effect, may_call};
use crate::slice::objects::Objects;
use crate::slice::position::Position;
use migfit_schema::program::{Function, FunctionId, Operand, Reg, Type};

impl Solver<'_> {
    /// Rules of one call.
    pub(super) fn external(
        &mut self,
        at: Position,
        dst: &[Reg],
        name: &str,
        args: &[(Operand, Type)],
    ) {
        self.callbacks(at, name, args);
        if makes_host_node(name) {
            self.host_node(at, args);
        }
        let Some(effect) = effect(name) else {
            return self.stranger(at, dst, args);
        };
        let result = dst
            .first()
            .and_then(|register| self.points.register(at.function, *register));
        if let Some(node) = result {
            self.returns(at, node, effect, args);
        }
        self.stores(at, effect, args);
        if let ("memcpy" | "memmove" | "strcpy" | "strncpy", [(to, _), (from, _), ..]) =
            (name, args)
        {
            self.copy_contents(at.function, *from, *to);
        }
        if let ("realloc", Some(to), [(from, _), ..]) = (name, result, args) {
            self.moved(at.function, *from, to);
        }
        if effect.state == Some(State::Token) {
            self.tokens(at.function, result, args);
        }
        if effect.state == Some(State::Exceptions) {
            self.exceptions(at.function, result, args);
        }
        if let ("strtok_r" | "__strtok_r", [(text, _), _, (place, _)]) = (name, args) {
            self.kept_place(at.function, result, *text, *place);
        }
        if let ("pthread_join", Some((place, _))) = (name, args.get(1)) {
            self.joined(at.function, *place);
        }
        if name.starts_with("getopt") {
            self.options(args, at.function);
        }
    }

    /// A function that is given a function may call it.
    fn callbacks(&mut self, at: Position, name: &str, args: &[(Operand, Type)]) {
        for (index, (value, _)) in args.iter().enumerate() {
            let may_be_code = matches!(value, Operand::Reg(_) | Operand::Function(_));
            if may_be_code && may_call(name, index) {
                let pointer = self.holder(at.function, *value);
                self.rules.push(Rule::Call { pointer, at });
            }
        }
    }

    /// The function of a graph's node lies in the node's description.
    fn host_node(&mut self, at: Position, args: &[(Operand, Type)]) {
        if let Some((description, _)) = args.last() {
            let address = self.holder(at.function, *description);
            let pointer = self.points.add_node();
            self.rules.push(Rule::Load {
                address,
                to: pointer,
            });
            self.rules.push(Rule::Call { pointer, at });
        }
    }

    fn returns(&mut self, at: Position, node: Node, effect: Effect, args: &[(Operand, Type)]) {
        match effect.returns {
            Returns::Fresh => {
                if let Some(object) = self.objects.fresh(at) {
                    self.points.include(node, object);
                }
            }
            Returns::Hidden => self.points.include(node, Objects::HIDDEN),
            Returns::Errno => self.points.include(node, self.objects.state(State::Errno)),
            Returns::Into(index) => {
                if let Some((value, _)) = args.get(index) {
                    let from = self.holder(at.function, *value);
                    self.rules.push(Rule::Copy { from, to: node });
                }
            }
            Returns::Behind(index) => {
                if let Some((value, _)) = args.get(index) {
                    let address = self.holder(at.function, *value);
                    self.rules.push(Rule::Load { address, to: node });
                }
            }
            Returns::Reached => {
                let all = self.reached(at.function, effect, args);
                self.rules.push(Rule::Copy {
                    from: all,
                    to: node,
                });
            }
            Returns::Value | Returns::Status => {}
        }
    }

    /// All that the nodes among the arguments lead to.
    fn reached(&mut self, function: FunctionId, effect: Effect, args: &[(Operand, Type)]) -> Node {
        let all = self.points.add_node();
        for (index, (value, _)) in args.iter().enumerate() {
            if matches!(effect.of_argument(index), Use::Links | Use::Follows) {
                let from = self.holder(function, *value);
                self.rules.push(Rule::Copy { from, to: all });
            }
        }
        self.rules.push(Rule::Load {
            address: all,
            to: all,
        });
        all
    }

    /// Pointers that the call stores through its arguments.
    fn stores(&mut self, at: Position, effect: Effect, args: &[(Operand, Type)]) {
        if (0..args.len()).any(|index| effect.of_argument(index) == Use::Links) {
            let all = self.reached(at.function, effect, args);
            self.rules.push(Rule::Store {
                from: all,
                address: all,
            });
        }
        for (index, (value, _)) in args.iter().enumerate() {
            if effect.of_argument(index) == Use::TextBoth {
                // A short string points into itself.
                let itself = self.holder(at.function, *value);
                self.rules.push(Rule::Store {
                    from: itself,
                    address: itself,
                });
            }
            if let (Use::KeptInFirst, Some((first, _))) = (effect.of_argument(index), args.first())
            {
                let from = self.holder(at.function, *value);
                let address = self.holder(at.function, *first);
                self.rules.push(Rule::Store { from, address });
            }
            let stored = match effect.of_argument(index) {
                Use::TextBoth => self.objects.fresh(at).map(|object| self.constant(object)),
                Use::StoresFresh => self.objects.fresh(at).map(|object| self.constant(object)),
                Use::StoresFirst => args
                    .first()
                    .map(|(first, _)| self.holder(at.function, *first)),
                _ => None,
            };
            if let Some(from) = stored {
                let address = self.holder(at.function, *value);
                self.rules.push(Rule::Store { from, address });
            }
        }
    }

    /// realloc: what lay in the old memory lies in the new.
    fn moved(&mut self, function: FunctionId, from: Operand, to: Node) {
        let between = self.points.add_node();
        let from = self.holder(function, from);
        self.rules.push(Rule::Load {
            address: from,
            to: between,
        });
        self.rules.push(Rule::Store {
            from: between,
            address: to,
        });
    }

    /// strtok goes on in the string that it was given last.
    fn tokens(&mut self, function: FunctionId, result: Option<Node>, args: &[(Operand, Type)]) {
        let state = self.objects.state(State::Token);
        let (Some(kept), Some((text, _))) = (self.points.contents(state), args.first()) else {
            return;
        };
        let from = self.holder(function, *text);
        self.rules.push(Rule::Copy { from, to: kept });
        if let Some(to) = result {
            self.rules.push(Rule::Copy { from: kept, to });
        }
    }

    /// What was thrown comes out where it lands and is caught: its object, or the pointer in it. Its type is no place.
    fn exceptions(&mut self, function: FunctionId, result: Option<Node>, args: &[(Operand, Type)]) {
        let state = self.objects.state(State::Exceptions);
        let Some(kept) = self.points.contents(state) else {
            return;
        };
        if let Some((object, _)) = args.first().filter(|_| result.is_none()) {
            let from = self.holder(function, *object);
            self.rules.push(Rule::Copy { from, to: kept });
            // An `std::exception_ptr` holds the pointer.
            self.rules.push(Rule::Load {
                address: from,
                to: kept,
            });
            self.rules.push(Rule::Store {
                from: kept,
                address: from,
            });
        }
        if let Some(to) = result {
            self.points.include(kept, Objects::HIDDEN);
            self.rules.push(Rule::Copy { from: kept, to });
            self.rules.push(Rule::Load { address: kept, to });
        }
    }

    /// strtok_r goes on in the string whose place it was given.
    fn kept_place(
        &mut self,
        function: FunctionId,
        result: Option<Node>,
        text: Operand,
        place: Operand,
    ) {
        let from = self.holder(function, text);
        let address = self.holder(function, place);
        self.rules.push(Rule::Store { from, address });
        if let Some(to) = result {
            self.rules.push(Rule::Load { address, to });
        }
    }

    /// pthread_join stores what any thread returned.
    fn joined(&mut self, function: FunctionId, place: Operand) {
        let state = self.objects.state(State::Threads);
        if let Some(from) = self.points.contents(state) {
            let address = self.holder(function, place);
            self.rules.push(Rule::Store { from, address });
        }
    }

    /// What a function returns that a library calls may be kept as what a thread returned.
    pub(super) fn thread_results(&mut self, target: FunctionId, body: &Function) {
        let state = self.objects.state(State::Threads);
        let Some(to) = self.points.contents(state) else {
            return;
        };
        for value in returned(body, 0) {
            let from = self.holder(target, value);
            self.rules.push(Rule::Copy { from, to });
        }
    }

    /// getopt leaves pointers to the words in `optarg`.
    fn options(&mut self, args: &[(Operand, Type)], function: FunctionId) {
        let globals = (0u32..).zip(&self.program.globals);
        let optarg = globals
            .into_iter()
            .find(|(_, global)| global.name == "optarg");
        let node = optarg.and_then(|(id, _)| self.points.contents(self.objects.global(id)));
        if let (Some(to), Some((words, _))) = (node, args.get(1)) {
            let address = self.holder(function, *words);
            self.rules.push(Rule::Load { address, to });
        }
    }

    /// A function without a row: anything reachable from its arguments may be stored in anything reachable.
    fn stranger(&mut self, at: Position, dst: &[Reg], args: &[(Operand, Type)]) {
        let all = self.points.add_node();
        if let Some(object) = self.objects.fresh(at) {
            self.points.include(all, object);
        }
        for (value, _) in args {
            let from = self.holder(at.function, *value);
            self.rules.push(Rule::Copy { from, to: all });
        }
        self.rules.push(Rule::Load {
            address: all,
            to: all,
        });
        self.rules.push(Rule::Store {
            from: all,
            address: all,
        });
        for register in dst {
            if let Some(to) = self.points.register(at.function, *register) {
                self.rules.push(Rule::Copy { from: all, to });
            }
        }
    }
}

/// Whether a call may hand a function to a graph in a structure.
pub fn makes_host_node(name: &str) -> bool {
    const STARTS: [&str; 3] = [
        "cudaGraphAddHostNode",
        "cudaGraphAddNode",
        "cuGraphAddHostNode",
    ];
    STARTS.iter().any(|start| name.starts_with(start))
}
