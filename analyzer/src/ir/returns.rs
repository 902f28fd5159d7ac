//! Functions that run into their end without a return statement in, functions that return an unknown value there out, as
//! compilers without optimisation make them. What an optimiser has cut already stays cut. Must not know CUDA.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    AnyValueEnum, BasicValue, CallSiteValue, FunctionValue, InstructionOpcode, InstructionValue,
};

/// A variable that no module defines: what is read there is not known.
const UNKNOWN: &str = "the result of a function without return statement";

/// Puts returns where control runs into the end of a function that no optimiser has seen.
pub fn restore(module: &Module<'_>) {
    let plain = module
        .get_functions()
        .all(|function| looks_plain(function) != Some(false));
    for function in module.get_functions() {
        let Some(result) = function.get_type().get_return_type() else {
            continue;
        };
        if looks_plain(function).unwrap_or(plain) && !is_noreturn(function) {
            let blocks = function.get_basic_blocks();
            for block in blocks.iter().filter(|block| falls_off(**block, &blocks)) {
                return_unknown(module, *block, result);
            }
        }
    }
}

/// Whether a function is as the front end wrote it: each parameter is stored once, and read from there. `None` where no
/// parameter tells.
fn looks_plain(function: FunctionValue<'_>) -> Option<bool> {
    if function.count_basic_blocks() == 0 {
        return None;
    }
    let mut plain = None;
    for (place, param) in (0..).zip(function.get_params()) {
        let by_memory = ["byval", "sret"].iter().any(|name| {
            let kind = Attribute::get_named_enum_kind_id(name);
            function
                .get_enum_attribute(AttributeLoc::Param(place), kind)
                .is_some()
        });
        match param.get_first_use() {
            Some(_) if by_memory => {}
            None => {}
            Some(only) => {
                let stored = only.get_next_use().is_none() && is_store(only.get_user());
                plain = Some(stored && plain.unwrap_or(true));
            }
        }
    }
    plain
}

/// A truth value is made a byte first.
fn is_store(user: AnyValueEnum<'_>) -> bool {
    let AnyValueEnum::InstructionValue(user) = user else {
        // As a value of its own kind: what a widening gives.
        return match user {
            AnyValueEnum::IntValue(byte) => byte.as_instruction().is_some_and(is_stored_byte),
            _ => false,
        };
    };
    user.get_opcode() == InstructionOpcode::Store || is_stored_byte(user)
}

fn is_stored_byte(widened: InstructionValue<'_>) -> bool {
    let only = widened
        .get_first_use()
        .filter(|only| only.get_next_use().is_none());
    widened.get_opcode() == InstructionOpcode::ZExt
        && only.is_some_and(|only| {
            matches!(only.get_user(), AnyValueEnum::InstructionValue(user) if user.get_opcode() == InstructionOpcode::Store)
        })
}

/// Whether a block ends in `unreachable` though nothing in it or before it keeps control from coming there.
fn falls_off(block: BasicBlock<'_>, all: &[BasicBlock<'_>]) -> bool {
    let Some(end) = block.get_terminator() else {
        return false;
    };
    if end.get_opcode() != InstructionOpcode::Unreachable {
        return false;
    }
    match end.get_previous_instruction() {
        // What clang puts there without optimisation.
        Some(before) if is_trap(before) => true,
        Some(before) => !never_returns(before),
        None => !all.iter().any(|other| {
            let end = other.get_terminator();
            end.is_some_and(|end| {
                end.get_opcode() == InstructionOpcode::Invoke && leads_to(end, block)
            })
        }),
    }
}

fn leads_to(end: InstructionValue<'_>, block: BasicBlock<'_>) -> bool {
    let mut operands = (0..end.get_num_operands()).filter_map(|index| end.get_operand(index));
    operands.any(|operand| operand.block() == Some(block))
}

fn is_trap(instruction: InstructionValue<'_>) -> bool {
    instruction.get_opcode() == InstructionOpcode::Call
        && callee(instruction).is_some_and(|callee| callee.get_name().to_bytes() == b"llvm.trap")
}

fn never_returns(instruction: InstructionValue<'_>) -> bool {
    let Ok(call) = CallSiteValue::try_from(instruction) else {
        return false;
    };
    let kind = Attribute::get_named_enum_kind_id("noreturn");
    call.get_enum_attribute(AttributeLoc::Function, kind)
        .is_some()
        || callee(instruction).is_some_and(is_noreturn)
}

fn is_noreturn(function: FunctionValue<'_>) -> bool {
    let kind = Attribute::get_named_enum_kind_id("noreturn");
    function
        .get_enum_attribute(AttributeLoc::Function, kind)
        .is_some()
}

fn callee(call: InstructionValue<'_>) -> Option<FunctionValue<'_>> {
    CallSiteValue::try_from(call).ok()?.get_called_fn_value()
}

fn return_unknown<'c>(module: &Module<'c>, block: BasicBlock<'c>, result: BasicTypeEnum<'c>) {
    let Some(end) = block.get_terminator() else {
        return;
    };
    let unknown = module
        .get_global(UNKNOWN)
        .unwrap_or_else(|| module.add_global(module.get_context().i8_type(), None, UNKNOWN));
    let builder = module.get_context().create_builder();
    builder.position_before(&end);
    let Ok(value) = builder.build_load(result, unknown.as_pointer_value(), "") else {
        return;
    };
    if builder
        .build_return(Some(&value as &dyn BasicValue<'_>))
        .is_ok()
    {
        end.erase_from_basic_block();
        if let Some(trap) = block.get_instructions().find(|one| is_trap(*one)) {
            trap.erase_from_basic_block();
        }
    }
}
