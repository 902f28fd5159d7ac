//! Times and how busy parts of a slice are -> energy. A model of the board: idle power at all times, and between that and
//! its limit in proportion to what is busy. NVML counts boards only, so that a job's part is an estimate in any case.

use migfit_mig::Model;

/// Idle power as a part of the limit: an eighth. Assumed: idle A100 and H100 boards are reported at 45 to 80 W of 400 and
/// 700.
const IDLE_PART: u64 = 8;

/// Energy of a span in microjoules: what the job adds to an idle board, and the slice's part of the idle board.
/// `busy`: thousandths of the slice's SMs or memory, whichever is busier, in the mean over the span.
pub fn microjoules(
    model: &Model,
    span_ps: u128,
    busy: u128,
    slice: (u64, u64),
) -> Option<(u128, u128)> {
    let limit = u128::from(model.power_limit_w?);
    let idle = limit / u128::from(IDLE_PART);
    let (part, of) = (u128::from(slice.0), u128::from(slice.1.max(1)));
    // 1 W is 1 microjoule in a microsecond, which is 10^6 picoseconds.
    let added = span_ps * (limit - idle) * busy * part / of / 1000 / 1_000_000;
    let share = span_ps * idle * part / of / 1_000_000;
    Some((added, share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_board_takes_its_limit_and_an_idle_one_an_eighth() {
        let model = migfit_mig::find("a100-40gb").unwrap();
        let second = 1_000_000_000_000;
        let whole = |busy| microjoules(model, second, busy, (108, 108)).unwrap();
        assert_eq!(whole(1000), (350_000_000, 50_000_000));
        assert_eq!(whole(0), (0, 50_000_000));
        assert_eq!(
            microjoules(model, second, 1000, (54, 108)),
            Some((175_000_000, 25_000_000))
        );
    }
}
