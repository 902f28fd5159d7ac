//! One measured figure and the table of all.

use serde::Serialize;

/// One measured figure.
#[derive(Debug, Serialize)]
pub struct Figure {
    /// What was measured.
    pub name: String,
    /// The value; the median where several runs were made.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// What it should be, as text (`< 30`, `= 0`).
    pub target: String,
    /// Whether the value meets the target.
    pub holds: bool,
}

impl Figure {
    /// A figure that must stay below a limit.
    pub fn below(name: impl Into<String>, value: f64, unit: &'static str, limit: f64) -> Figure {
        Figure {
            name: name.into(),
            value,
            unit,
            target: format!("< {limit}"),
            holds: value < limit,
        }
    }

    /// A figure that must be exactly this.
    pub fn exactly(name: impl Into<String>, value: f64, unit: &'static str, wanted: f64) -> Figure {
        Figure {
            name: name.into(),
            value,
            unit,
            target: format!("= {wanted}"),
            holds: value == wanted,
        }
    }
}

/// The figures as a table with a line each.
pub fn table(figures: &[Figure]) -> String {
    let width = figures
        .iter()
        .map(|figure| figure.name.len())
        .max()
        .unwrap_or(0)
        .max(4);
    let mut text = format!(
        "{:width$}  {:>12}  {:6}  {:10}  holds\n",
        "name", "value", "unit", "target"
    );
    for figure in figures {
        let holds = if figure.holds { "yes" } else { "NO" };
        text += &format!(
            "{:width$}  {:>12}  {:6}  {:10}  {holds}\n",
            figure.name,
            shown(figure.value),
            figure.unit,
            figure.target,
        );
    }
    text
}

fn shown(value: f64) -> String {
    if value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    }
}

/// The middle value (the lower of two middle ones).
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values
        .get((values.len().max(1) - 1) / 2)
        .copied()
        .unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_target_is_said() {
        let figures = [
            Figure::below("fit", 31.5, "ms", 30.0),
            Figure::exactly("peak", 0.0, "byte", 0.0),
        ];
        let text = table(&figures);
        assert!(text.contains("31.50") && text.contains("NO") && text.contains("yes"));
        assert!(!Figure::below("nan", f64::NAN, "ms", 30.0).holds);
    }

    #[test]
    fn the_median_of_an_even_number_is_the_lower_middle() {
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), 2.0);
        assert!(median(Vec::new()).is_nan());
    }
}
