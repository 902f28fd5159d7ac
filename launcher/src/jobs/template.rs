//! A text with `{n}` in it, for the axes of a matrix. Text in, pieces out; filled for one point at a time. A job without
//! a matrix keeps its braces as they are.

use crate::cli::nearest::nearest;
use crate::jobs::complaint::{Complaint, complain};
use crate::jobs::matrix::{Matrix, Point};
use crate::jobs::names;
use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// Number of the axis.
    Axis(usize),
}

/// A text with a place for each axis value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    pieces: Vec<Piece>,
    /// As it is written.
    pub written: String,
    /// Where it stands.
    pub span: Range<usize>,
}

impl Template {
    /// Reads a text.
    pub fn new(text: &str, span: Range<usize>, matrix: &Matrix) -> Result<Template, Complaint> {
        let pieces = match matrix.axes.is_empty() {
            true => vec![Piece::Text(text.to_owned())],
            false => {
                pieces(text, matrix).or_else(|(what, hint)| complain(span.clone(), what, hint))?
            }
        };
        Ok(Template {
            pieces,
            written: text.to_owned(),
            span,
        })
    }

    /// Whether the axis occurs.
    pub fn names(&self, axis: usize) -> bool {
        self.pieces.contains(&Piece::Axis(axis))
    }

    /// How many bytes it has once filled.
    pub fn size(&self, matrix: &Matrix, point: &Point) -> usize {
        let sizes = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.len(),
            Piece::Axis(axis) => matrix.value(*axis, point).len(),
        });
        sizes.fold(0, usize::saturating_add)
    }

    /// The text with the values of one point.
    pub fn filled(&self, matrix: &Matrix, point: &Point) -> String {
        self.filled_with(|axis| matrix.value(axis, point).to_owned())
    }

    /// The same, values made fit for the name of a job.
    pub fn filled_for_a_name(&self, matrix: &Matrix, point: &Point) -> String {
        self.filled_with(|axis| names::part(matrix.value(axis, point)))
    }

    fn filled_with(&self, value: impl Fn(usize) -> String) -> String {
        let mut filled = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::Axis(axis) => filled.push_str(&value(*axis)),
            }
        }
        filled
    }
}

/// `{n}` is the value of axis n, `{{` and `}}` are braces; a single `}` stays what it is.
fn pieces(text: &str, matrix: &Matrix) -> Result<Vec<Piece>, (String, String)> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        plain.push_str(before);
        if let Some(after) = from.strip_prefix("{{") {
            plain.push('{');
            rest = after;
        } else if let Some(after) = from.strip_prefix("}}").or(from.strip_prefix('}')) {
            plain.push('}');
            rest = after;
        } else {
            let (name, after) = name(from.trim_start_matches('{'))?;
            pieces.push(Piece::Text(std::mem::take(&mut plain)));
            pieces.push(Piece::Axis(axis(name, matrix)?));
            rest = after;
        }
    }
    plain.push_str(rest);
    pieces.push(Piece::Text(plain));
    Ok(pieces)
}

/// The name in braces and what follows them.
fn name(behind: &str) -> Result<(&str, &str), (String, String)> {
    behind.split_once('}').ok_or_else(|| {
        let what = "a brace is opened and never closed".to_owned();
        (
            what,
            "write {{ for a brace that stands for itself".to_owned(),
        )
    })
}

fn axis(name: &str, matrix: &Matrix) -> Result<usize, (String, String)> {
    let known: Vec<&str> = matrix.axes.iter().map(|axis| axis.name.as_str()).collect();
    let found = known.iter().position(|known| *known == name);
    found.ok_or_else(|| {
        let name: String = name.chars().take(40).collect();
        let meant = match nearest(&name, &known) {
            Some(meant) => format!("did you mean {{{meant}}}? "),
            None => format!("axes: {}; ", known.join(" ")),
        };
        (
            format!("the matrix has no axis '{}'", name.escape_debug()),
            format!("{meant}write {{{{ for a brace that stands for itself"),
        )
    })
}
