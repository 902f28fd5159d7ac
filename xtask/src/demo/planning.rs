//! What the demo shows first: planning needs no GPU, no LLVM and no CUDA compiler, only the command `migfit`.

use super::{migfit, show};
use crate::error::ChoreError;
use crate::stage;
use std::time::Instant;

/// Jobs with run times that others measured on the slices of an A100 40GB.
const MEASURED: &str = "rodinia/mixes/measured-a100-40gb.toml";

/// Layout, plan and simulation.
pub fn show(begun: Instant) -> Result<(), ChoreError> {
    stage::launcher()?;
    show::chapter("1. The GPU: an A100 40GB, and the layouts of its five basic MIG profiles");
    migfit(&["layout", "show", "--gpu", "a100-40gb"])?;
    migfit(&["layout", "graph", "--gpu", "a100-40gb"])?;
    show::chapter("2. A plan: who goes where, and why");
    migfit(&[
        "run",
        "-f",
        MEASURED,
        "--plan",
        "--gpu",
        "a100-40gb",
        "--cpus",
        "16",
    ])?;
    show::chapter("3. The same policies on a simulated clock, against one job at a time");
    migfit(&[
        "simulate",
        "-f",
        MEASURED,
        "--gpu",
        "a100-40gb",
        "--policy",
        "sequential,fifo,far,static:best,migfit",
    ])?;
    let seconds = begun.elapsed().as_secs_f64();
    println!("\n{}{seconds:.0} s", super::FIRST_RESULT);
    Ok(())
}
