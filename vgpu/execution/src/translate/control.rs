//! Branches and traps.

use super::function::{Done, Translation, refuse};
use crate::context::offset;
use crate::error::FaultKind;
use cranelift_codegen::ir::{
    Block, BlockCall, InstBuilder, JumpTableData, MemFlagsData, TrapCode, types,
};
use migfit_ptx::flow::flat::{Arg, Label, Step};
use migfit_ptx::text::types::Type;

impl Translation<'_, '_, '_> {
    /// Goes on at a label.
    pub fn branch(&mut self, step: &Step) -> Done<bool> {
        let Some(Arg::Label(label)) = step.args.first() else {
            return refuse("branch without a label");
        };
        let block = self.block_of(*label)?;
        self.build.ins().jump(block, &[]);
        Ok(false)
    }

    /// Goes on at one of several labels.
    pub fn branch_table(&mut self, step: &Step) -> Done<bool> {
        let [index, Arg::Targets(list)] = step.args.as_slice() else {
            return refuse("branch table");
        };
        let index = self.read(index, Type::U32)?;
        let labels = self.flat.targets.get(*list).cloned().unwrap_or_default();
        let blocks = labels.into_iter().map(|label| self.block_of(label));
        let blocks = blocks.collect::<Done<Vec<_>>>()?;
        let wild = self.build.create_block();
        self.table(index, &blocks, wild);
        self.build.switch_to_block(wild);
        self.trap(FaultKind::Instruction);
        Ok(false)
    }

    /// Where every thread goes at first: to where it waited, or on to the next thread if it still waits.
    pub fn dispatch(&mut self) {
        let Some(state) = self.frame.state else {
            if let Some(start) = self.resumptions.first() {
                self.build.ins().jump(*start, &[]);
            }
            return;
        };
        let state = self
            .build
            .ins()
            .load(types::I32, MemFlagsData::trusted(), state, 0);
        let blocks = std::mem::take(&mut self.resumptions);
        self.table(state, &blocks, self.next);
    }

    /// The thread fails.
    pub fn trap(&mut self, kind: FaultKind) {
        let code = self.build.ins().iconst(types::I32, kind as i64 + 1);
        self.build
            .ins()
            .store(MemFlagsData::trusted(), code, self.context, offset::FAULT);
        self.build.ins().trap(TrapCode::unwrap_user(1));
    }

    /// Goes on at one of several blocks.
    pub fn table(&mut self, index: cranelift_codegen::ir::Value, blocks: &[Block], other: Block) {
        let pool = &mut self.build.func.dfg.value_lists;
        let calls: Vec<_> = blocks
            .iter()
            .map(|block| BlockCall::new(*block, [], pool))
            .collect();
        let other = BlockCall::new(other, [], pool);
        let table = self
            .build
            .create_jump_table(JumpTableData::new(other, &calls));
        self.build.ins().br_table(index, table);
    }

    fn block_of(&mut self, label: Label) -> Done<Block> {
        let step = self.flat.labels.get(label.0 as usize);
        let block = step.and_then(|step| *self.blocks.get(*step)?);
        match block {
            Some(block) => Ok(block),
            None => refuse("label that is nowhere"),
        }
    }
}
