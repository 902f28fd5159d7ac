//! The matrix of one job: axes with their values, and all points of their product, the last axis fastest.

use crate::jobs::complaint::{Complaint, Value, complain, wrong_type};
use std::ops::Range;
use toml::de::DeValue;

const HOW: &str = "matrix = { n = [1024, 2048], p = [\"a\", \"b\"] }, with {n} and {p} in command";

/// One axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    /// Its name.
    pub name: String,
    /// Its values as written, each once.
    pub values: Vec<String>,
    /// Where its name stands.
    pub span: Range<usize>,
}

/// All axes in the order in which they are written; none: one point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Matrix {
    /// The axes.
    pub axes: Vec<Axis>,
}

/// The number of a value on each axis.
pub(super) type Point = Vec<usize>;

impl Matrix {
    /// Reads the axes.
    pub fn read(value: &Value<'_>) -> Result<Matrix, Complaint> {
        let Some(table) = value.get_ref().as_table() else {
            return wrong_type(value, "matrix", HOW);
        };
        let axes = table.iter().map(|(key, values)| {
            let name = key.get_ref().as_ref();
            let named = !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
            if !named {
                let what = format!("'{}' cannot be an axis", name.escape_debug());
                return complain(key.span(), what, "letters, digits, - and _");
            }
            Ok(Axis {
                name: name.to_owned(),
                values: axis_values(name, values)?,
                span: key.span(),
            })
        });
        let mut axes = axes.collect::<Result<Vec<Axis>, Complaint>>()?;
        axes.sort_by_key(|axis| axis.span.start);
        match axes.is_empty() {
            true => complain(value.span(), "matrix has no axis", format!("write {HOW}")),
            false => Ok(Matrix { axes }),
        }
    }

    /// Number of points, as far as it can be counted.
    pub fn size(&self) -> usize {
        let sizes = self.axes.iter().map(|axis| axis.values.len());
        sizes.fold(1, usize::saturating_mul)
    }

    /// All points.
    pub fn points(&self) -> impl Iterator<Item = Point> + '_ {
        (0..self.size()).map(|number| {
            let mut rest = number;
            let mut point: Point = self
                .axes
                .iter()
                .rev()
                .map(|axis| {
                    let value = rest % axis.values.len();
                    rest /= axis.values.len();
                    value
                })
                .collect();
            point.reverse();
            point
        })
    }

    /// The value of an axis at a point.
    pub fn value(&self, axis: usize, point: &Point) -> &str {
        let value = point
            .get(axis)
            .and_then(|at| self.axes.get(axis)?.values.get(*at));
        value.map_or("", String::as_str)
    }
}

fn axis_values(name: &str, values: &Value<'_>) -> Result<Vec<String>, Complaint> {
    let Some(list) = values.get_ref().as_array() else {
        return wrong_type(values, &format!("axis {name}"), HOW);
    };
    let mut all: Vec<String> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for value in list.iter() {
        let text = axis_value(name, value)?;
        if !seen.insert(text.clone()) {
            let what = format!("axis {name} has the value {text} twice");
            return complain(
                value.span(),
                what,
                "name it once; count = 2 runs a job twice",
            );
        }
        all.push(text);
    }
    match all.is_empty() {
        true => complain(
            values.span(),
            format!("axis {name} is empty"),
            format!("write {HOW}"),
        ),
        false => Ok(all),
    }
}

/// A value as it will stand in a command.
fn axis_value(name: &str, value: &Value<'_>) -> Result<String, Complaint> {
    let text = match value.get_ref() {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Integer(_) => {
            let what = format!("axis {name} has a number that is not decimal");
            return complain(value.span(), what, "put it into quotes to keep it as it is");
        }
        _ => return wrong_type(value, &format!("a value of axis {name}"), HOW),
    };
    match text.contains('\0') {
        true => complain(value.span(), format!("axis {name} holds a zero byte"), HOW),
        false => Ok(text),
    }
}
