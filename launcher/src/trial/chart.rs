//! Memory over time -> a chart of characters.

use crate::trial::series::One;
use migfit_schema::units::Bytes;
use std::fmt::Write;
use std::time::Duration;

const WIDTH: usize = 64;
const HEIGHT: usize = 8;
const PARTS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The chart; nothing where nothing was allocated.
#[must_use]
pub fn text(series: &One, took: Duration) -> String {
    let end = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
    let columns = series.columns(WIDTH, end);
    let peak = columns.iter().copied().max().unwrap_or(0);
    if peak == 0 {
        return String::new();
    }
    let mut text = "memory over time (this machine's time, not a GPU's)\n".to_owned();
    let eighths: Vec<usize> = columns.iter().map(|bytes| height(*bytes, peak)).collect();
    for row in (0..HEIGHT).rev() {
        let label = match row {
            _ if row == HEIGHT - 1 => Bytes(peak).to_string(),
            0 => "0".to_owned(),
            _ => String::new(),
        };
        let bars: String = eighths
            .iter()
            .map(|height| PARTS[height.saturating_sub(row * 8).min(8)])
            .collect();
        let _ = writeln!(text, "  {label:>10} {}", format!("|{bars}").trim_end());
    }
    let _ = writeln!(
        text,
        "  {:>10} 0 {:>width$}",
        "",
        format!("{:.3} s", took.as_secs_f64()),
        width = WIDTH - 1
    );
    text
}

/// Eighths of a row; what is there at all is seen.
fn height(bytes: u64, peak: u64) -> usize {
    let all = (HEIGHT * 8) as u128;
    let height = (u128::from(bytes) * all).div_ceil(u128::from(peak));
    usize::try_from(height).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_reaches_the_top_and_nothing_is_left_out() {
        let series = One {
            points: vec![(0, 1), (500, 4096), (1000, 0)],
            ..One::default()
        };
        let text = text(&series, Duration::from_nanos(2000));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), HEIGHT + 2);
        assert!(
            lines[1].starts_with("    4.00 KiB |                "),
            "{text}"
        );
        assert!(
            lines[1].ends_with('█') && lines[HEIGHT].contains("|▁▁"),
            "{text}"
        );
        assert_eq!(super::text(&One::default(), Duration::ZERO), "");
    }
}
