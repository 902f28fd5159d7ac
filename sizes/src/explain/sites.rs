//! A size program and what one evaluation saw of it -> for each allocation and launch that ran, its sizes as trees.

use super::expression::Writer;
use super::node::{Node, Origin, SiteTree};
use super::tree::Grower;
use super::watch::{At, Watch};
use crate::report::people_name;
use migfit_schema::names::takes_device_memory;
use migfit_schema::program::{Callee, Instruction, Op, Operand, Place, SizeProgram, Type};
use std::collections::BTreeSet;

/// The trees of all allocations and launches: of those that ran, with what was seen; of all, where nothing ran yet.
#[must_use]
pub fn sites(program: &SizeProgram, watch: Option<&Watch>) -> Vec<SiteTree> {
    let mut found = Vec::new();
    for (id, function) in (0u32..).zip(&program.functions) {
        for (number, block) in (0u32..).zip(&function.blocks) {
            for (index, instruction) in (0u32..).zip(&block.ops) {
                let at = At {
                    function: id,
                    block: number,
                    index,
                };
                if watch.is_none_or(|watch| watch.ran(at))
                    && let Some(tree) = site(program, watch, at, instruction)
                {
                    found.push(tree);
                }
            }
        }
    }
    found
}

fn site(
    program: &SizeProgram,
    watch: Option<&Watch>,
    at: At,
    instruction: &Instruction,
) -> Option<SiteTree> {
    let Op::Call {
        callee: Callee::External(name),
        args,
        ..
    } = &instruction.op
    else {
        return None;
    };
    let is_launch = name == "__cudaPushCallConfiguration";
    if !is_launch && !takes_device_memory(name) {
        return None;
    }
    let mut grower = Grower::new(program, watch);
    let place = instruction.place;
    let sizes = match is_launch {
        true => grower.shape(at, args, place),
        false => grower.size(at, args, place),
    };
    Some(SiteTree {
        site: crate::report::site(program, place),
        call: match is_launch {
            true => launched(program, at).unwrap_or_else(|| "a launch".to_owned()),
            false => people_name(name),
        },
        sizes: sizes.into_iter().map(flat).collect(),
    })
}

/// A line that only names the one below it takes that one's place.
fn flat(mut node: Node) -> Node {
    node.from = node.from.into_iter().map(flat).collect();
    let names_it = |only: &Node| {
        only.name.as_ref() == Some(&node.text)
            && node
                .name
                .as_ref()
                .is_none_or(|name| only.name.as_ref() == Some(name))
    };
    match node.from.as_slice() {
        [only] if names_it(only) => {
            let only = only.clone();
            Node {
                site: only.site.or(node.site),
                ..only
            }
        }
        _ => node,
    }
}

/// The kernel launched next behind a push of its configuration, looked for on the straight way.
fn launched(program: &SizeProgram, at: At) -> Option<String> {
    let function = program.functions.get(at.function as usize)?;
    let mut waiting = std::collections::VecDeque::from([(at.block, at.index as usize)]);
    let mut seen = BTreeSet::new();
    while let Some((number, from)) = waiting.pop_front() {
        let block = function.blocks.get(number as usize)?;
        let launch = block
            .ops
            .iter()
            .skip(from)
            .find_map(|found| match &found.op {
                Op::Launch { kernel } => program.kernels.get(*kernel as usize),
                _ => None,
            });
        if let Some((_, name)) = launch {
            return Some(name.clone());
        }
        if seen.insert(number) {
            let next = crate::machine::effects::successors(block);
            waiting.extend(next.into_iter().map(|next| (next, 0)));
        }
    }
    None
}

impl Grower<'_> {
    /// The numbers that an allocation is given.
    fn size(&mut self, at: At, args: &[(Operand, Type)], place: Place) -> Vec<Node> {
        let numbers: Vec<_> = args
            .iter()
            .enumerate()
            .filter(|(_, (_, ty))| matches!(ty, Type::Int(64)))
            .collect();
        let several = numbers.len() > 1;
        let nodes = numbers.into_iter().map(|(index, (operand, ty))| {
            let name = match several {
                false => "bytes".to_owned(),
                true => format!("argument {}", index + 1),
            };
            self.root(at.function, &name, *operand, *ty, place)
        });
        nodes.collect()
    }

    /// Grid, block and shared memory of a launch: (x and y, z) twice, then bytes.
    fn shape(&mut self, at: At, args: &[(Operand, Type)], place: Place) -> Vec<Node> {
        let operand = |index: usize| args.get(index).map_or(Operand::Undef, |(value, _)| *value);
        let mut nodes = Vec::new();
        for (name, first) in [("grid", 0), ("block", 2)] {
            let Some(mut writer) = Writer::new(self.program, at.function) else {
                continue;
            };
            let z = writer.operand(operand(first + 1), Type::Int(32));
            let text = match writer.pair(operand(first)) {
                Some((x, y)) => {
                    let all = [x, y, z];
                    let said = 3 - all.iter().rev().take_while(|one| *one == "1").count();
                    all.get(..said.max(1)).unwrap_or_default().join(", ")
                }
                None => format!("{}, {z}", writer.operand(operand(first), Type::Int(64))),
            };
            let from = self.named(at.function, &writer.named, 1);
            nodes.push(Node {
                name: Some(name.to_owned()),
                text,
                seen: None,
                site: self.place(place),
                origin: Origin::Expression,
                from,
            });
        }
        if operand(4) != Operand::Const(0) {
            nodes.push(self.root(
                at.function,
                "shared bytes",
                operand(4),
                Type::Int(64),
                place,
            ));
        }
        nodes
    }
}
