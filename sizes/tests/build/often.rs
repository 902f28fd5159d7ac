//! What tests say often, in the words of the programs that they stand for.

use super::{Body, I32, I64, int};
use migfit_schema::program::*;

impl Body<'_> {
    /// `atoi(argv[index])`.
    pub fn argument(&mut self, argv: Operand, index: i64) -> Operand {
        let slot = self.offset(argv, 8 * index, Vec::new());
        let word = self.load(Type::Ptr, slot);
        self.call("atoi", &[(word, Type::Ptr)])
    }

    /// `cudaMalloc(&slot, bytes)`; gives the slot and the line.
    pub fn cuda_malloc(&mut self, bytes: Operand) -> (Operand, u32) {
        let slot = self.alloca(8);
        let callee = Callee::External("cudaMalloc".to_owned());
        let (_, line) = self.callee(callee, &[(slot, Type::Ptr), (bytes, I64)]);
        (slot, line)
    }

    pub fn cuda_free(&mut self, slot: Operand) {
        let pointer = self.load(Type::Ptr, slot);
        self.call("cudaFree", &[(pointer, Type::Ptr)]);
    }

    /// `kernel<<<grid, block>>>()` with packed x and y; gives the line of the configuration.
    pub fn launch(&mut self, kernel: u32, grid: Operand, block: i64) -> u32 {
        let callee = Callee::External("__cudaPushCallConfiguration".to_owned());
        let args = [
            (grid, I64),
            (int(1), I32),
            (int((1 << 32) | block), I64),
            (int(1), I32),
            (int(0), I64),
            (int(0), Type::Ptr),
        ];
        let (_, line) = self.callee(callee, &args);
        self.op(Op::Launch { kernel });
        line
    }

    /// An int in a fresh slot that was copied from the device.
    pub fn device_result(&mut self) -> Operand {
        let slot = self.alloca(4);
        self.store(I32, int(0), slot);
        let (device, _) = self.cuda_malloc(int(4));
        let from = self.load(Type::Ptr, device);
        self.call(
            "cudaMemcpy",
            &[
                (slot, Type::Ptr),
                (from, Type::Ptr),
                (int(4), I64),
                (int(2), I32),
            ],
        );
        self.load(I32, slot)
    }
}
