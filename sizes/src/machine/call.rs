//! Calls: into functions with a body, of models, and of functions that nothing is known about.

use super::address::function_at;
use super::host::{End, Halt, Host};
use super::mark::{Mark, Source};
use super::object::Kind;
use super::run::{Called, MODEL_CACHE, Machine};
use super::sign;
use super::step::{UNSET, set, value};
use super::value::Value;
use crate::models;
use crate::models::callback;
use crate::models::cuda::graph_run;
use crate::models::cxx::{exceptions, vtables};
use crate::report;
use migfit_schema::names::takes_device_memory;
use migfit_schema::program::{Callee, Operand, Reg, Type};

/// A function outside the program, as its name tells.
#[derive(Clone, Copy, Debug)]
pub enum Outside {
    /// It calls back into the program.
    CallsBack,
    /// Nothing is known of what it does.
    Opaque,
    /// A function with a model, or one that is judged by its name.
    Plain(Option<models::Model>),
}

/// What a function outside is given: the driver's pointers are whole numbers, any other number is a plain one, and one
/// of which only the sign is known is not known.
#[cold]
fn numbers_for(host: &mut Host<'_>, name: &str, values: &mut [Value]) {
    for value in values {
        if models::fallback::is_cuda(name) {
            *value = host.number_to_address(*value);
        }
        if value.mark == Mark::ADDRESS {
            *value = host.plain_value(*value);
        }
        *value = sign::plain(*value);
    }
}

impl Machine<'_> {
    /// Calls a function.
    pub fn call(
        &mut self,
        dst: &[Reg],
        callee: &Callee,
        args: &[(Operand, Type)],
    ) -> Result<Called, End> {
        let mut values = std::mem::take(&mut self.scratch);
        values.clear();
        let base = self.frames.last().map_or(0, |frame| frame.base);
        let registers = self.registers.get(base..).unwrap_or_default();
        for (operand, _) in args {
            values.push(value(registers, operand));
        }
        if let Callee::External(name) = callee
            && values
                .iter()
                .any(|value| matches!(value.mark, Mark::ADDRESS | Mark::SIGN))
        {
            self.host.place = self.known_place();
            numbers_for(&mut self.host, name, &mut values);
        }
        let called = match callee {
            Callee::Function(function) => self
                .push_frame(*function, &values)
                .map(|()| Called::Entered),
            Callee::External(name) => self.external(name, dst, args, &values),
            Callee::Indirect(pointer) => self.indirect(pointer, dst, args, &values),
        };
        self.scratch = values;
        called
    }

    fn indirect(
        &mut self,
        pointer: &Operand,
        dst: &[Reg],
        args: &[(Operand, Type)],
        values: &[Value],
    ) -> Result<Called, End> {
        let pointer = self.operand(pointer);
        if let Some(function) = pointer.get().ok().and_then(function_at) {
            self.push_frame(function, values)?;
            return Ok(Called::Entered);
        }
        if let Some(name) = pointer.get().ok().and_then(vtables::library_function) {
            return self.external(name, dst, args, values);
        }
        let place = self.known_place();
        let why = match pointer.mark.is_hard() {
            true => self.host.explain(pointer.mark),
            false => "the pointer names no function of the program".to_owned(),
        };
        let reason = format!("it may allocate and launch: {why}");
        self.host
            .notes
            .unknown(place, "call through a pointer", reason);
        self.host.notes.missed_allocation = true;
        self.host.notes.may_have_freed = true;
        let mark = self
            .host
            .mark(Source::Missing("a call through a pointer".to_owned()));
        self.spoil_pointed(args, values, mark);
        self.give(dst, Value::unknown(mark), mark);
        Ok(Called::Done)
    }

    fn external(
        &mut self,
        name: &str,
        dst: &[Reg],
        args: &[(Operand, Type)],
        values: &[Value],
    ) -> Result<Called, End> {
        self.host.place = self.known_place();
        if self.host.exceptions.on_the_way() && !exceptions::follows(name) {
            return Err(exceptions::lost(&mut self.host));
        }
        if self.host.errno.is_some() {
            models::errno::before_call(&mut self.host, name);
        }
        if !self.host.word.all.is_empty() && takes_device_memory(name) {
            self.look_up_bound();
        }
        let result = match self.outside(name) {
            Outside::Plain(Some(model)) => self.run_model(name, model, values),
            Outside::Plain(None) => self.without_model(name, args, values),
            Outside::CallsBack => callback::run(self, name, values),
            Outside::Opaque => {
                let place = self.host.place;
                self.host
                    .notes
                    .not_looked_into(place, &report::people_name(name));
                let device =
                    |value: &Value| self.host.memory.kind(value.bits).map(|(kind, _)| kind);
                if values
                    .iter()
                    .any(|value| device(value) == Some(Kind::Device))
                {
                    self.host.notes.may_have_freed = true;
                }
                self.unknown_result(name, args, values)
            }
        };
        let second = self.host.second_result.take();
        match result {
            Ok(value) => {
                self.give(dst, value, Mark::LEFT_OUT);
                if let (Some(second), Some(register)) = (second, dst.get(1)) {
                    self.give(&[*register], second, Mark::LEFT_OUT);
                }
            }
            Err(Halt::Unknown(mark)) => self.give(dst, Value::unknown(mark), mark),
            Err(Halt::Thrown) => self.give(dst, UNSET, Mark::LEFT_OUT),
            Err(Halt::End(end)) => return Err(end),
        }
        Ok(Called::Done)
    }

    /// Runs a model, or makes a node of the call where its stream is captured.
    fn run_model(
        &mut self,
        name: &str,
        model: models::Model,
        values: &[Value],
    ) -> Result<Value, Halt> {
        if self.host.graphs.is_capturing()
            && let Some(noted) = graph_run::captured(&mut self.host, name, model, values)
        {
            return noted;
        }
        if models::fallback::is_closed(name) {
            name.clone_into(&mut self.host.called);
        }
        model(&mut self.host, values)
    }

    /// What a function is, looked up once per call site as long as its place in the cache is not taken.
    #[inline(always)]
    fn outside(&mut self, name: &str) -> Outside {
        let key = name.as_ptr() as usize;
        let slot = (key >> 4) % MODEL_CACHE;
        match self.models.get(slot) {
            Some((cached, outside)) if *cached == key => *outside,
            _ => {
                let outside = self.find(name);
                if let Some(entry) = self.models.get_mut(slot) {
                    *entry = (key, outside);
                }
                outside
            }
        }
    }

    /// A library may define a name that has a model here: then it is the library's. CUDA's own names are ours, and jumps.
    fn find(&self, name: &str) -> Outside {
        let model = models::find(name);
        let is_cuda = models::fallback::is_cuda(name) && model.is_some();
        let is_ours = is_cuda || models::jumps::is_model(name);
        if !is_ours && self.opaque.contains(name) {
            Outside::Opaque
        } else if callback::is_model(name) {
            Outside::CallsBack
        } else {
            Outside::Plain(model)
        }
    }

    /// A function that has neither body nor model: what its arguments point to becomes unknown.
    fn without_model(
        &mut self,
        name: &str,
        args: &[(Operand, Type)],
        values: &[Value],
    ) -> Result<Value, Halt> {
        if models::fallback::is_output(name) {
            return Ok(values.first().copied().unwrap_or(UNSET));
        }
        self.note_handed_on(name, values);
        let status = models::fallback::call(&mut self.host, name, values)?;
        let unknown = self.unknown_result(name, args, values)?;
        Ok(status.unwrap_or(unknown))
    }

    fn unknown_result(
        &mut self,
        name: &str,
        args: &[(Operand, Type)],
        values: &[Value],
    ) -> Result<Value, Halt> {
        let mark = self.host.mark(Source::Missing(name.to_owned()));
        self.spoil_pointed(args, values, mark);
        Ok(Value::unknown(mark))
    }

    /// Spoils each object that an argument points into.
    fn spoil_pointed(&mut self, args: &[(Operand, Type)], values: &[Value], mark: Mark) {
        for ((_, ty), value) in args.iter().zip(values) {
            if *ty == Type::Ptr && value.bits != 0 {
                self.host.memory.spoil_object(value.bits, mark);
            }
        }
    }

    /// Writes the results of a call: the first as given, others unknown.
    fn give(&mut self, dst: &[Reg], value: Value, others: Mark) {
        let base = self.frames.last().map_or(0, |frame| frame.base);
        let registers = self.registers.get_mut(base..).unwrap_or_default();
        for (index, register) in dst.iter().enumerate() {
            let value = if index == 0 {
                value
            } else {
                Value::unknown(others)
            };
            set(registers, *register, value);
        }
    }

    /// Launches a kernel with the configuration pushed last.
    pub fn launch(&mut self, kernel: u32) {
        let place = self.known_place();
        self.host.place = place;
        let symbol = self
            .program
            .kernels
            .get(kernel as usize)
            .map(|(symbol, _)| symbol.as_str());
        models::cuda::launch::launch_pushed(&mut self.host, symbol.unwrap_or_default());
    }

    /// Calls a function of the program from a model (a comparator) and gives its first result.
    pub fn call_back(&mut self, function: Value, args: &[Value]) -> Result<Value, Halt> {
        const DEEPEST: u32 = 16;
        let function = function_at(function.get()?).ok_or(Mark::OUTSIDE)?;
        if self.nested >= DEEPEST {
            return Err(Halt::End(End::Stopped {
                what: "callback".to_owned(),
                reason: "callbacks are nested too deeply".to_owned(),
            }));
        }
        self.nested += 1;
        let scratch = std::mem::take(&mut self.scratch);
        let results = self.run_function(function, args);
        self.scratch = scratch;
        self.nested -= 1;
        let results = results.map_err(Halt::End)?;
        if self.host.exceptions.on_the_way() {
            return Err(Halt::End(exceptions::lost(&mut self.host)));
        }
        Ok(value(&results, &Operand::Reg(0)))
            .map(|first| if results.is_empty() { UNSET } else { first })
    }
}
