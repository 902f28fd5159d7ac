//! First values of variables that hold addresses of others: known only when their block has its place.

use migfit_ptx::flow::addresses;
use migfit_ptx::flow::program::Program;
use migfit_ptx::text::ast::{Initial, InitialAddress};
use migfit_ptx::text::types::Space;
use migfit_vgpu_execution::Symbols;

/// Bytes of such variables, each with its offset in the block at this address.
pub fn addresses(program: &Program, symbols: &dyn Symbols, block: u64) -> Vec<(u64, Vec<u8>)> {
    let mut all = Vec::new();
    let taken = addresses::taken(program);
    for (file, module) in program.modules().iter().enumerate() {
        let variables = module
            .variables()
            .filter(|one| matches!(one.space, Space::Global | Space::Const));
        for variable in variables {
            let Some(initial) = variable.initial.as_ref().filter(|one| has_address(one)) else {
                continue;
            };
            let Some(offset) = symbols.offset(file, &variable.name) else {
                continue;
            };
            let mut bytes = Vec::new();
            let address = |of: &InitialAddress| {
                let variable = symbols.offset(file, &of.symbol);
                let function = || {
                    let (file, function) = program.function(file, &of.symbol)?;
                    addresses::address(&taken, file, &function.name)
                };
                let variable = variable.map(|offset| block.wrapping_add(offset));
                let target = variable.or_else(function).unwrap_or(0);
                let value = target.wrapping_add(of.offset.cast_unsigned());
                of.mask.map_or(value, |mask| {
                    (value & mask) >> mask.trailing_zeros().min(63)
                })
            };
            flatten(initial, variable.ty.bytes() as usize, &address, &mut bytes);
            bytes.truncate(usize::try_from(variable.bytes()).unwrap_or(0));
            all.push((offset, bytes));
        }
    }
    all
}

fn has_address(initial: &Initial) -> bool {
    match initial {
        Initial::Number(_) => false,
        Initial::Address(_) => true,
        Initial::List(all) => all.iter().any(has_address),
    }
}

fn flatten(
    initial: &Initial,
    size: usize,
    address: &dyn Fn(&InitialAddress) -> u64,
    bytes: &mut Vec<u8>,
) {
    let value = match initial {
        Initial::Number(number) => number.bits(),
        Initial::Address(of) => address(of),
        Initial::List(all) => {
            return all
                .iter()
                .for_each(|one| flatten(one, size, address, bytes));
        }
    };
    bytes.extend(value.to_le_bytes().into_iter().take(size));
}
