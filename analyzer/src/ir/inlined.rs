//! Stubs that an optimiser put into their callers in, calls of the stubs out: a launch looks the same in all code, however
//! it was compiled. Must not know how stubs are found.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::module::{Linkage, Module};
use inkwell::types::{BasicTypeEnum, FunctionType};
use inkwell::values::{
    BasicMetadataValueEnum, BasicValue, BasicValueEnum, FunctionValue, InstructionOpcode,
    InstructionValue, Operand,
};
use std::collections::BTreeMap;

/// Takes the configuration that was pushed last; the first thing that a stub calls.
const POP: &str = "__cudaPopCallConfiguration";
/// Launches with it; the last.
const LAUNCHES: [&str; 2] = ["cudaLaunchKernel", "cudaLaunchKernel_ptsz"];
/// Blocks between the two: each call is one's last where exceptions may leave it.
const MOST_BLOCKS: usize = 8;

/// An inlined stub.
struct Inlined<'c> {
    pop: InstructionValue<'c>,
    launch: InstructionValue<'c>,
    stub: String,
}

/// Turns each inlined stub into a call of it, which is a declaration of this module.
pub(super) fn call_again<'c, T>(module: &Module<'c>, stubs: &BTreeMap<String, T>) {
    let mut found = Vec::new();
    for function in module.get_functions() {
        for block in function.get_basic_blocks() {
            let pops = block.get_instructions().filter(|one| calls(*one, &[POP]));
            found.extend(pops.filter_map(|pop| inlined(pop, stubs)));
        }
    }
    let mut launchers = BTreeMap::new();
    for one in found {
        let launcher = *launchers
            .entry(one.stub.clone())
            .or_insert_with(|| launcher(module, &one));
        if let (Some(launcher), Some(popped)) = (launcher, nothing(module, one.pop)) {
            call_instead(one.launch, launcher);
            call_instead(one.pop, popped);
        }
    }
}

/// The launch that follows a pop with nothing between that could go another way.
fn inlined<'c, T>(pop: InstructionValue<'c>, stubs: &BTreeMap<String, T>) -> Option<Inlined<'c>> {
    let mut block = pop.get_parent()?;
    let mut next = pop.get_next_instruction();
    for _ in 0..MOST_BLOCKS {
        while let Some(instruction) = next {
            if calls(instruction, &LAUNCHES) {
                let stub = name_of(instruction, 0)?;
                let known = stubs.contains_key(&stub) && instruction.get_first_use().is_none();
                return known.then_some(Inlined {
                    pop,
                    launch: instruction,
                    stub,
                });
            }
            next = instruction.get_next_instruction();
        }
        block = only_way_on(block)?;
        next = block.get_first_instruction();
    }
    None
}

/// The block behind an unconditional jump, or a call that returns.
fn only_way_on(block: BasicBlock<'_>) -> Option<BasicBlock<'_>> {
    let end = block.get_terminator()?;
    let goes_on = match end.get_opcode() {
        InstructionOpcode::Br => end.get_num_operands() == 1,
        InstructionOpcode::Invoke => true,
        _ => false,
    };
    let mut operands = (0..end.get_num_operands()).map_while(|index| end.get_operand(index));
    // Of an invoke the normal way comes before the one of exceptions.
    goes_on.then(|| operands.find_map(Operand::block)).flatten()
}

fn calls(instruction: InstructionValue<'_>, names: &[&str]) -> bool {
    let is_call = matches!(
        instruction.get_opcode(),
        InstructionOpcode::Call | InstructionOpcode::Invoke
    );
    is_call
        && name_of(instruction, callee_index(instruction))
            .is_some_and(|name| names.contains(&name.as_str()))
}

/// LLVM keeps the callee behind the arguments and the blocks.
fn callee_index(call: InstructionValue<'_>) -> u32 {
    call.get_num_operands().saturating_sub(1)
}

fn name_of(instruction: InstructionValue<'_>, operand: u32) -> Option<String> {
    match instruction.get_operand(operand)?.value()? {
        BasicValueEnum::PointerValue(pointer) => Some(pointer.get_name().to_str().ok()?.to_owned()),
        _ => None,
    }
}

fn callee<'c>(module: &Module<'c>, call: InstructionValue<'c>) -> Option<FunctionValue<'c>> {
    module.get_function(&name_of(call, callee_index(call))?)
}

fn call_instead<'c>(call: InstructionValue<'c>, function: FunctionValue<'c>) {
    let function = function.as_global_value().as_pointer_value();
    call.set_operand(callee_index(call), function);
}

/// A function of the launch's type that calls the stub; the passes put it in place, whatever kind of call it is.
fn launcher<'c>(module: &Module<'c>, one: &Inlined<'c>) -> Option<FunctionValue<'c>> {
    let stub = module.get_function(&one.stub)?;
    let name = format!("migfit.launch.{}", one.stub);
    let (function, builder) = begun(module, &name, callee(module, one.launch)?.get_type())?;
    let parameters = stub.get_type().get_param_types();
    let zero = |ty| BasicTypeEnum::try_from(ty).map(|ty| ty.const_zero().into());
    // Only where and how often it is launched counts: a launch of the size program has no arguments.
    let arguments: Vec<BasicMetadataValueEnum<'_>> = parameters
        .into_iter()
        .map(zero)
        .collect::<Result<_, _>>()
        .ok()?;
    builder.build_call(stub, &arguments, "").ok()?;
    ended(function, &builder)
}

/// A function of the pop's type that does nothing.
fn nothing<'c>(module: &Module<'c>, pop: InstructionValue<'c>) -> Option<FunctionValue<'c>> {
    const NAME: &str = "migfit.popped";
    if let Some(known) = module.get_function(NAME) {
        return Some(known);
    }
    let (function, builder) = begun(module, NAME, callee(module, pop)?.get_type())?;
    ended(function, &builder)
}

fn begun<'c>(
    module: &Module<'c>,
    name: &str,
    ty: FunctionType<'c>,
) -> Option<(FunctionValue<'c>, Builder<'c>)> {
    let context = module.get_context();
    let function = module.add_function(name, ty, Some(Linkage::Internal));
    let kind = Attribute::get_named_enum_kind_id("alwaysinline");
    function.add_attribute(
        AttributeLoc::Function,
        context.create_enum_attribute(kind, 0),
    );
    let builder = context.create_builder();
    builder.position_at_end(context.append_basic_block(function, ""));
    Some((function, builder))
}

/// The status of success is 0.
fn ended<'c>(function: FunctionValue<'c>, builder: &Builder<'c>) -> Option<FunctionValue<'c>> {
    let status = function.get_type().get_return_type()?.const_zero();
    builder
        .build_return(Some(&status as &dyn BasicValue<'_>))
        .ok()?;
    Some(function)
}
