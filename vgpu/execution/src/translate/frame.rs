//! Memory of a thread: what it asks of others, its local variables, and registers that outlive a wait.

use super::function::Translation;
use crate::context::offset;
use cranelift_codegen::ir::{
    InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, Value, types,
};
use migfit_ptx::flow::flat::Reg;
use std::collections::HashMap;

/// Where a thread's memory lies.
#[derive(Default)]
pub struct Frame {
    /// Its address.
    pub base: Option<Value>,
    /// Address of the thread's state, where threads wait.
    pub state: Option<Value>,
    /// Offsets of saved registers.
    slots: HashMap<Reg, u64>,
    /// Bytes that it has.
    pub end: u64,
}

impl Frame {
    /// Offset of a register's place.
    fn slot(&mut self, reg: Reg, bytes: u64) -> i32 {
        let end = &mut self.end;
        let slot = self.slots.entry(reg).or_insert_with(|| {
            let start = end.next_multiple_of(bytes.max(1));
            *end = start + bytes.max(1);
            start
        });
        i32::try_from(*slot).unwrap_or(i32::MAX)
    }
}

impl Translation<'_, '_, '_> {
    /// The frame of a thread that waits for others outlives its turn.
    pub fn frame_of_thread(&mut self) {
        let (frames, states) = (self.pointer(offset::FRAMES), self.pointer(offset::STATES));
        let size = self.pointer(offset::FRAME_SIZE);
        let thread = self.build.ins().uextend(types::I64, self.thread);
        let before = self.build.ins().imul(thread, size);
        self.frame.base = Some(self.build.ins().iadd(frames, before));
        let before = self.build.ins().ishl_imm_u(thread, 2);
        self.frame.state = Some(self.build.ins().iadd(states, before));
        self.frame.end = self.layout.frame;
    }

    /// The frame of a thread that runs to its end is needed by one thread at a time.
    pub fn frame_on_stack(&mut self) {
        let bytes = u32::try_from(self.layout.frame).unwrap_or(u32::MAX);
        let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, 4);
        let slot = self.build.create_sized_stack_slot(slot);
        self.frame.base = Some(self.build.ins().stack_addr(types::I64, slot, 0));
        self.frame.end = self.layout.frame;
    }

    /// Address of the frame.
    pub fn frame_base(&mut self) -> Value {
        match self.frame.base {
            Some(base) => base,
            None => self.build.ins().iconst(types::I64, 0),
        }
    }

    /// Saves a register for the time behind a wait.
    pub fn save(&mut self, reg: Reg) {
        let variable = self.variable(reg);
        let value = self.build.use_var(variable);
        let bytes = u64::from(self.build.func.dfg.value_type(value).bytes());
        let (slot, base) = (self.frame.slot(reg, bytes), self.frame_base());
        self.build
            .ins()
            .store(MemFlagsData::trusted(), value, base, slot);
    }

    /// Takes a saved register up again.
    pub fn restore(&mut self, reg: Reg) {
        let ty = super::function::clif(self.flat.registers[reg.0 as usize]);
        let (slot, base) = (
            self.frame.slot(reg, u64::from(ty.bytes())),
            self.frame_base(),
        );
        let value = self
            .build
            .ins()
            .load(ty, MemFlagsData::trusted(), base, slot);
        let variable = self.variable(reg);
        self.build.def_var(variable, value);
    }
}
