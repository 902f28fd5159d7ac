//! Special registers.

use super::function::{Done, Translation, refuse};
use crate::context::offset;
use crate::math;
use cranelift_codegen::ir::{InstBuilder, Value, types};

impl Translation<'_, '_, '_> {
    /// The value of a special register.
    pub fn special(&mut self, name: &str) -> Done<Value> {
        let dimension = match name.rsplit_once('.') {
            Some((_, "y")) => 1,
            Some((_, "z")) => 2,
            _ => 0,
        };
        let step = 4 * dimension as i32;
        let stem = name.strip_suffix([".x", ".y", ".z"].get(dimension).copied().unwrap_or(""));
        Ok(match stem.unwrap_or(name) {
            "%tid" => self.position[dimension],
            "%ntid" => self.word(offset::BLOCK_SIZE + step),
            "%ctaid" => self.word(offset::BLOCK + step),
            "%nctaid" => self.word(offset::GRID_SIZE + step),
            "%laneid" => self.lane(),
            "%warpid" => self.build.ins().ushr_imm_u(self.thread, 5),
            "%nwarpid" => self.constant(64),
            "%smid" => self.word(offset::SM),
            "%nsmid" => self.word(offset::SMS),
            "%gridid" => self.pointer(offset::GRID_ID),
            "%dynamic_smem_size" => self.word(offset::DYNAMIC_SHARED),
            "%total_smem_size" | "%aggr_smem_size" => self.word(offset::TOTAL_SHARED),
            "%reserved_smem_offset_begin" | "%reserved_smem_offset_end" => self.constant(0),
            "%clock" | "%clock64" | "%globaltimer" | "%globaltimer_lo" => self.clock(0),
            "%clock_hi" | "%globaltimer_hi" => self.clock(32),
            "%cluster_ctaid" => self.constant(0),
            "%clusterid" => self.word(offset::BLOCK + step),
            "%nclusterid" => self.word(offset::GRID_SIZE + step),
            "%cluster_nctaid" | "%cluster_nctarank" => self.constant(1),
            "%cluster_ctarank" | "%is_explicit_cluster" => self.constant(0),
            "%lanemask_eq" => self.bit(),
            "%lanemask_lt" => self.below(),
            "%lanemask_le" => self.through(),
            "%lanemask_gt" => {
                let through = self.through();
                self.build.ins().bnot(through)
            }
            "%lanemask_ge" => {
                let below = self.below();
                self.build.ins().bnot(below)
            }
            stem if stem.starts_with("%envreg") => self.constant(0),
            _ => return refuse(name),
        })
    }

    /// The thread's number in its warp.
    pub fn lane(&mut self) -> Value {
        self.build.ins().band_imm_u(self.thread, 31)
    }

    fn constant(&mut self, value: i64) -> Value {
        self.build.ins().iconst(types::I32, value)
    }

    /// The bit of the thread's lane.
    fn bit(&mut self) -> Value {
        let lane = self.lane();
        let one = self.constant(1);
        self.build.ins().ishl(one, lane)
    }

    /// Bits of the lanes below.
    fn below(&mut self) -> Value {
        let bit = self.bit();
        self.build.ins().iadd_imm_s(bit, -1)
    }

    /// Bits of the lanes below, and its own.
    fn through(&mut self) -> Value {
        let (bit, below) = (self.bit(), self.below());
        self.build.ins().bor(bit, below)
    }

    fn clock(&mut self, shift: i64) -> Value {
        let now = self.call_math(math::nanoseconds as *const (), &[], Some(types::I64));
        self.build.ins().ushr_imm_u(now, shift)
    }
}
