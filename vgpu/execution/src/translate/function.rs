//! The frame of compiled code: the loop over threads, and the steps in order.

use super::fixed::Fixed;
use super::frame::Frame;
use crate::context::offset;
use crate::layout::Layout;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use migfit_ptx::flow::flat::{Flat, Op, Reg, Step, Symbol};
use migfit_ptx::flow::graph::Graph;
use migfit_ptx::flow::stops;
use migfit_ptx::text::ast::Variable as Declared;
use migfit_ptx::text::types::Type;
use migfit_schema::record::Work;

/// What a translation asks of the program around it.
pub trait Environment {
    /// Offset of a variable in the program's block of variables.
    fn variable(&self, file: usize, name: &str) -> Option<u64>;
    /// The function with this name, to be called by the code that is made.
    fn function(&mut self, into: &mut ir::Function, file: usize, name: &str)
    -> Option<ir::FuncRef>;
    /// What stands for the address of a function.
    fn function_number(&mut self, file: usize, name: &str) -> Option<u64>;
    /// The functions whose addresses are taken, in order: module, name and shape.
    fn taken(&self) -> Vec<(usize, String, Shape)>;
    /// A counter of code that does this work; none where nothing is counted.
    fn counter(&mut self, work: Work) -> Option<usize>;
    /// Whether the processor has fused multiply-add.
    fn has_fma(&self) -> bool;
}

/// Bytes of a function's arguments, and of its results.
pub type Shape = (Vec<u64>, Vec<u64>);

/// What cannot be translated.
pub struct Refusal(pub String);

/// The result of a translation.
pub type Done<T = ()> = Result<T, Refusal>;

/// An operand or instruction that is not known.
pub fn refuse<T>(what: impl Into<String>) -> Done<T> {
    Err(Refusal(what.into()))
}

/// A translation under way.
pub struct Translation<'a, 'b, 'e> {
    /// Where instructions go.
    pub build: &'a mut FunctionBuilder<'b>,
    /// The function.
    pub flat: &'a Flat<'a>,
    /// Where its storage lies.
    pub layout: &'a Layout,
    /// The program around it.
    pub env: &'e mut dyn Environment,
    /// Offsets of its parameters.
    pub parameters: &'a [u64],
    /// Offsets of its results.
    pub returns: &'a [u64],
    /// Variables of its registers.
    pub variables: Vec<Option<Variable>>,
    /// Registers that have one value in a thread, known at its start.
    pub fixed: Fixed,
    /// The launch's context.
    pub context: Value,
    /// Number of the thread in its block.
    pub thread: Value,
    /// Its position in the block.
    pub position: [Value; 3],
    /// Where results of a call go, and its arguments are.
    pub call: Option<(Value, Value)>,
    /// Where its storage lies.
    pub frame: Frame,
    /// Blocks by the step that they begin with.
    pub blocks: Vec<Option<Block>>,
    /// The carry of `add.cc` and the like.
    pub carry: Option<Variable>,
    /// Where a thread goes that ends or waits.
    pub next: Block,
    /// Blocks where waiting threads go on; the first is where threads begin.
    pub resumptions: Vec<Block>,
}

/// Step of a refusal, and why.
pub type Refused = (usize, Refusal);

/// Makes the code of a kernel: `fn(context, first thread, count of threads)`.
pub fn kernel(
    build: &mut FunctionBuilder,
    flat: &Flat,
    layout: &Layout,
    parameters: &[u64],
    env: &mut dyn Environment,
) -> Result<u64, Refused> {
    let graph = Graph::of(flat);
    let entry = build.create_block();
    build.append_block_params_for_function_params(entry);
    build.switch_to_block(entry);
    let [context, first, count] = *build.block_params(entry) else {
        return Err((0, Refusal("the signature".to_owned())));
    };
    let (head, body, next, over) = (
        build.create_block(),
        build.create_block(),
        build.create_block(),
        build.create_block(),
    );
    for _ in 0..4 {
        build.append_block_param(head, types::I32);
    }
    let thread = build.block_params(head)[0];
    let position = [1, 2, 3].map(|nth| build.block_params(head)[nth]);
    let has_stops = flat.steps.iter().any(is_stop);
    let mut this = Translation::new(build, flat, layout, env, context, thread, position, next);
    this.parameters = parameters;
    let size = [0, 1, 2].map(|nth| this.word(offset::BLOCK_SIZE + 4 * nth));
    let begin = this.position_of(first, size);
    let end = this.build.ins().iadd(first, count);
    this.jump_with(head, &[first, begin[0], begin[1], begin[2]]);
    this.build.switch_to_block(head);
    let more = this.build.ins().icmp(IntCC::UnsignedLessThan, thread, end);
    this.build.ins().brif(more, body, &[], over, &[]);
    this.build.switch_to_block(body);
    if has_stops {
        this.frame_of_thread();
    } else {
        this.frame_on_stack();
    }
    this.build
        .ins()
        .store(MemFlagsData::trusted(), thread, context, offset::THREAD);
    let dispatch = this.build.create_block();
    this.fix()?;
    this.build.ins().jump(dispatch, &[]);
    let start = this.build.create_block();
    this.resumptions.push(start);
    this.build.switch_to_block(start);
    this.steps(&graph)?;
    this.build.switch_to_block(dispatch);
    this.dispatch();
    this.build.switch_to_block(next);
    this.advance(head, size);
    this.build.switch_to_block(over);
    this.build.ins().return_(&[]);
    this.build.seal_all_blocks();
    Ok(this.frame.end)
}

/// Makes the code of another function: `fn(context, thread, x, y, z, arguments, results)`.
pub fn device_function(
    build: &mut FunctionBuilder,
    flat: &Flat,
    layout: &Layout,
    (parameters, returns): (&[u64], &[u64]),
    env: &mut dyn Environment,
) -> Result<(), Refused> {
    let graph = Graph::of(flat);
    let entry = build.create_block();
    build.append_block_params_for_function_params(entry);
    build.switch_to_block(entry);
    let [context, thread, x, y, z, arguments, results] = *build.block_params(entry) else {
        return Err((0, Refusal("the signature".to_owned())));
    };
    let next = build.create_block();
    let mut this = Translation::new(build, flat, layout, env, context, thread, [x, y, z], next);
    (this.parameters, this.returns) = (parameters, returns);
    this.call = Some((arguments, results));
    if let Some(stop) = flat.steps.iter().position(is_stop) {
        return Err((
            stop,
            Refusal("waiting in a function that is called".to_owned()),
        ));
    }
    this.frame_on_stack();
    this.steps(&graph)?;
    this.build.switch_to_block(next);
    this.build.ins().return_(&[]);
    this.build.seal_all_blocks();
    Ok(())
}

fn is_stop(step: &Step) -> bool {
    matches!(step.op, Op::Given(instruction) if stops::is_stop(instruction))
}

impl<'a, 'b, 'e> Translation<'a, 'b, 'e> {
    #[expect(
        clippy::too_many_arguments,
        reason = "each is another thing that the code begins with"
    )]
    fn new(
        build: &'a mut FunctionBuilder<'b>,
        flat: &'a Flat<'a>,
        layout: &'a Layout,
        env: &'e mut dyn Environment,
        context: Value,
        thread: Value,
        position: [Value; 3],
        next: Block,
    ) -> Translation<'a, 'b, 'e> {
        Translation {
            build,
            flat,
            layout,
            env,
            parameters: &[],
            returns: &[],
            variables: vec![None; flat.registers.len()],
            fixed: Fixed::default(),
            context,
            thread,
            position,
            call: None,
            frame: Frame::default(),
            blocks: vec![None; flat.steps.len() + 1],
            carry: None,
            next,
            resumptions: Vec::new(),
        }
    }

    /// The variable of a register.
    pub fn variable(&mut self, reg: Reg) -> Variable {
        let nth = reg.0 as usize;
        if let Some(known) = self.variables[nth] {
            return known;
        }
        let fresh = self.build.declare_var(clif(self.flat.registers[nth]));
        self.variables[nth] = Some(fresh);
        fresh
    }

    /// A 64-bit part of the context, which does not change while the code runs.
    pub fn pointer(&mut self, offset: i32) -> Value {
        self.build
            .ins()
            .load(types::I64, constant_memory(), self.context, offset)
    }

    /// A 32-bit part of the context.
    pub fn word(&mut self, offset: i32) -> Value {
        self.build
            .ins()
            .load(types::I32, constant_memory(), self.context, offset)
    }

    /// Jumps with arguments.
    pub fn jump_with(&mut self, block: Block, values: &[Value]) {
        let args: Vec<_> = values
            .iter()
            .map(|value| ir::BlockArg::from(*value))
            .collect();
        self.build.ins().jump(block, &args);
    }

    fn position_of(&mut self, thread: Value, [width, height, _]: [Value; 3]) -> [Value; 3] {
        let ins = |this: &mut Self, op: fn(&mut Self, Value, Value) -> Value, a, b| op(this, a, b);
        let div: fn(&mut Self, Value, Value) -> Value = |this, a, b| this.build.ins().udiv(a, b);
        let rem: fn(&mut Self, Value, Value) -> Value = |this, a, b| this.build.ins().urem(a, b);
        let rest = ins(self, div, thread, width);
        let x = ins(self, rem, thread, width);
        let y = ins(self, rem, rest, height);
        let z = ins(self, div, rest, height);
        [x, y, z]
    }

    /// On to the next thread of the block.
    fn advance(&mut self, head: Block, [width, height, _]: [Value; 3]) {
        let [x, y, z] = self.position;
        let thread = self.build.ins().iadd_imm_s(self.thread, 1);
        let x = self.build.ins().iadd_imm_s(x, 1);
        let (row, layer) = (self.build.create_block(), self.build.create_block());
        let within = self.build.ins().icmp(IntCC::UnsignedLessThan, x, width);
        let args = |values: [Value; 4]| values.map(ir::BlockArg::from);
        self.build
            .ins()
            .brif(within, head, &args([thread, x, y, z]), row, &[]);
        self.build.switch_to_block(row);
        let zero = self.build.ins().iconst(types::I32, 0);
        let y = self.build.ins().iadd_imm_s(y, 1);
        let within = self.build.ins().icmp(IntCC::UnsignedLessThan, y, height);
        self.build
            .ins()
            .brif(within, head, &args([thread, zero, y, z]), layer, &[]);
        self.build.switch_to_block(layer);
        let z = self.build.ins().iadd_imm_s(z, 1);
        self.jump_with(head, &[thread, zero, zero, z]);
    }

    /// Where parameters of the function itself lie.
    pub fn parameter_base(&mut self) -> Value {
        match self.call {
            Some((arguments, _)) => arguments,
            None => self.pointer(offset::PARAMETERS),
        }
    }

    /// Address and offset of a symbol in this function's own memory.
    pub fn own_address(&mut self, symbol: &Symbol) -> Option<(Value, i64)> {
        match symbol {
            Symbol::Parameter(nth) => {
                let offset = self.parameters.get(*nth)?.cast_signed();
                Some((self.parameter_base(), offset))
            }
            Symbol::Return(nth) => {
                let offset = self.returns.get(*nth)?.cast_signed();
                self.call.map(|(_, results)| (results, offset))
            }
            _ => None,
        }
    }
}

/// Offsets of parameters that lie one behind the other, and the bytes of all.
pub fn offsets(parameters: &[Declared]) -> (Vec<u64>, u64) {
    let mut end = 0_u64;
    let mut place = |one: &Declared| {
        let start = end.next_multiple_of(one.alignment().min(crate::layout::MOST_ALIGN));
        end = start.saturating_add(one.bytes());
        start
    };
    let all = parameters.iter().map(&mut place).collect();
    (all, end)
}

/// Flags of memory that does not change while the code runs.
pub fn constant_memory() -> MemFlagsData {
    MemFlagsData::trusted().with_readonly().with_can_move()
}

/// The code generator's type for a register or value.
pub fn clif(ty: Type) -> ir::Type {
    match ty {
        Type::Pred | Type::B8 | Type::U8 | Type::S8 => types::I8,
        Type::B16 | Type::U16 | Type::S16 | Type::F16 | Type::Bf16 => types::I16,
        Type::F32 => types::F32,
        Type::F64 => types::F64,
        Type::B64 | Type::U64 | Type::S64 | Type::Texref | Type::Samplerref | Type::Surfref => {
            types::I64
        }
        Type::B128 => types::I128,
        _ => types::I32,
    }
}
