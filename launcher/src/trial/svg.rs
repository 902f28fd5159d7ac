//! Memory over time -> a picture (SVG) that stands by itself.

use crate::trial::series::One;
use migfit_schema::units::Bytes;
use std::fmt::Write;
use std::time::Duration;

const WIDTH: usize = 760;
const HEIGHT: u64 = 240;
const LEFT: usize = 90;
const TOP: u64 = 40;

/// The picture, with the program's name as its title.
#[must_use]
pub fn text(title: &str, series: &One, took: Duration) -> String {
    let end = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
    let columns = series.columns(WIDTH, end);
    let peak = columns.iter().copied().max().unwrap_or(0).max(1);
    let bottom = TOP + HEIGHT;
    let mut path = format!("M{LEFT} {bottom}");
    let mut last = None;
    for (nth, bytes) in columns.iter().enumerate() {
        let height = u128::from(*bytes) * u128::from(HEIGHT) / u128::from(peak);
        let y = bottom - u64::try_from(height).unwrap_or(0);
        if last != Some(y) {
            let _ = write!(path, "H{}V{y}", LEFT + nth);
            last = Some(y);
        }
    }
    let right = LEFT + WIDTH;
    let _ = write!(path, "H{right}V{bottom}Z");
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{title}: device memory over time</text>\n\
         <path d=\"{path}\" fill=\"#9ec5e8\" stroke=\"#1f5f99\"/>\n\
         <path d=\"M{LEFT} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"black\"/>\n\
         <text x=\"{label}\" y=\"{first}\" text-anchor=\"end\">{peak}</text>\n\
         <text x=\"{label}\" y=\"{bottom}\" text-anchor=\"end\">0</text>\n\
         <text x=\"{right}\" y=\"{below}\" text-anchor=\"end\">{seconds:.3} s (this machine's time)</text>\n\
         </svg>\n",
        width = right + 20,
        height = bottom + 40,
        label = LEFT - 6,
        first = TOP + 10,
        below = bottom + 20,
        title = escaped(title),
        peak = Bytes(peak),
        seconds = took.as_secs_f64(),
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_reaches_the_peak_and_comes_down_again() {
        let series = One {
            points: vec![(0, 10), (1000, 0)],
            ..One::default()
        };
        let text = text("a<b", &series, Duration::from_nanos(2000));
        assert!(text.contains("a&lt;b: device memory"), "{text}");
        assert!(
            text.contains("d=\"M90 280H90V40H471V280H850V280Z\""),
            "{text}"
        );
    }
}
