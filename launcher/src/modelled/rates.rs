//! Published speeds of GPU boards, each with its source; and what nobody publishes, taken for all boards alike.

use migfit_mig::Model;

/// Speeds of a whole board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// Boost clock of its SMs in MHz.
    pub clock_mhz: u64,
    /// Memory bandwidth in MB/s (10^6 bytes).
    pub memory_mb_s: u64,
    /// Bandwidth of the link to the host, one way, in MB/s.
    pub link_mb_s: u64,
    /// Results in double precision of an SM in a clock.
    pub double_per_clock: u64,
    /// Where the figures are from.
    pub source: &'static str,
}

/// Instructions of warps that an SM issues in a clock: one for each of its four schedulers (CUDA C++ Programming Guide,
/// "Compute Capabilities", for 8.x to 12.x).
pub const ISSUE: u64 = 4;
/// Clocks until a warp's next dependent instruction can be issued: 4 for plain arithmetic, measured for Volta by Jia et
/// al. (arXiv 1804.06826, table 4.1) and taken for all later SMs. So few warps do not fill an SM.
pub const DEPENDENT: u64 = 4;
/// Bytes that an SM gets of the level-2 cache in a clock (A100 whitepaper: 64 bytes; taken for all).
pub const CACHE_PER_SM: u64 = 64;
/// Bytes that the level-2 cache of a whole board gives in a clock (A100 whitepaper: 5,120 bytes; taken for all).
pub const CACHE: u64 = 5120;
/// Picoseconds from one small launch to the next. Assumed: public measurements of back-to-back launches lie around this.
pub const LAUNCH_PS: u64 = 2_500_000;
/// Picoseconds that a copy between host and device takes beside its bytes. Assumed likewise.
pub const COPY_PS: u64 = 8_000_000;

const GEN4: u64 = 31_500;
const GEN5: u64 = 63_000;

/// (model, clock, memory, link, double, source)
const BOARDS: &[(&str, u64, u64, u64, u64, &str)] = &[
    (
        "a100-40gb",
        1410,
        1_555_000,
        GEN4,
        32,
        "NVIDIA A100 datasheet (SXM4, 40 GB) and A100 whitepaper",
    ),
    (
        "a100-80gb",
        1410,
        2_039_000,
        GEN4,
        32,
        "NVIDIA A100 datasheet (SXM4, 80 GB) and A100 whitepaper",
    ),
    (
        "a800-80gb",
        1410,
        2_039_000,
        GEN4,
        32,
        "NVIDIA A800 datasheet; the die is the A100's",
    ),
    (
        "a30-24gb",
        1440,
        933_000,
        GEN4,
        32,
        "NVIDIA A30 datasheet; its peak of 5.2 TFLOPS in double precision gives the clock",
    ),
    (
        "h100-80gb-sxm",
        1980,
        3_350_000,
        GEN5,
        64,
        "NVIDIA H100 datasheet (SXM); its peak of 67 TFLOPS gives the clock",
    ),
    (
        "h100-80gb-pcie",
        1755,
        2_000_000,
        GEN5,
        64,
        "NVIDIA H100 PCIe product brief; its peak of 51 TFLOPS gives the clock",
    ),
    (
        "h100-94gb-nvl",
        1785,
        3_900_000,
        GEN5,
        64,
        "NVIDIA H100 datasheet (NVL); its peak of 60 TFLOPS gives the clock",
    ),
    (
        "gh200-96gb",
        1980,
        4_000_000,
        450_000,
        64,
        "NVIDIA GH200 datasheet; its link is NVLink-C2C, 450 GB/s one way",
    ),
    (
        "h200-141gb-sxm",
        1980,
        4_800_000,
        GEN5,
        64,
        "NVIDIA H200 datasheet (SXM); its peak of 67 TFLOPS gives the clock",
    ),
    (
        "h200-141gb-nvl",
        1785,
        4_800_000,
        GEN5,
        64,
        "NVIDIA H200 datasheet (NVL); its peak of 60 TFLOPS gives the clock",
    ),
    (
        "b200-180gb",
        1965,
        8_000_000,
        GEN5,
        64,
        "NVIDIA DGX B200 datasheet, one GPU of eight; clock as its peak of 75 TFLOPS gives it",
    ),
    (
        "rtx-pro-6000-96gb",
        2617,
        1_597_000,
        GEN5,
        2,
        "NVIDIA RTX PRO 6000 Blackwell Server Edition datasheet",
    ),
];

/// The speeds of a board; none where no source has them.
#[must_use]
pub fn rates(model: &Model) -> Option<Rates> {
    let board = BOARDS.iter().find(|board| board.0 == model.name)?;
    let (_, clock_mhz, memory_mb_s, link_mb_s, double_per_clock, source) = *board;
    Some(Rates {
        clock_mhz,
        memory_mb_s,
        link_mb_s,
        double_per_clock,
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_is_a_model_of_ours_and_its_peak_is_the_published_one() {
        for (name, ..) in BOARDS {
            assert_eq!(migfit_mig::find(name).unwrap().name, *name);
        }
        // 9.7 TFLOPS in double precision, as the datasheet says.
        let model = migfit_mig::find("a100-40gb").unwrap();
        let found = rates(model).unwrap();
        let gigaflops =
            u64::from(model.sm_count.unwrap()) * found.double_per_clock * 2 * found.clock_mhz
                / 1000;
        assert_eq!(gigaflops / 100, 97);
        assert_eq!(rates(migfit_mig::find("h20-96gb").unwrap()), None);
    }
}
