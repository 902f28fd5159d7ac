//! One layout as a line of memory-slice cells under a ruler. Knows no colour and no terminal width.

use crate::layout::{Layout, Placed};
use crate::model::Model;
use std::fmt::Write;

/// Draws a layout: a ruler of memory slices and below it each GPU instance over the slices that it holds.
///
/// ```text
///  0        1        2        3        4        5        6        7
/// [2g.10gb         ][free            ][3g.20gb                            ]
/// ```
#[must_use]
pub fn picture(model: &Model, layout: &Layout) -> String {
    labelled(model, layout, |placed| placed.profile.to_string())
}

/// The same with a label of the caller's own in each GPU instance, such as a job's name.
#[must_use]
pub fn labelled(model: &Model, layout: &Layout, label: impl Fn(&Placed) -> String) -> String {
    let pieces = pieces(model, layout, &label);
    let fits = |(size, text): &(usize, String)| (text.chars().count() + 2).div_ceil((*size).max(1));
    let cell = pieces.iter().map(fits).max().unwrap_or(0).max(6);
    let mut ruler = String::new();
    for slice in 0..model.memory_slices {
        let _ = write!(ruler, " {slice:<width$}", width = cell - 1);
    }
    let mut line = String::new();
    for (size, text) in &pieces {
        let _ = write!(line, "[{text:<width$}]", width = cell * size - 2);
    }
    format!("{}\n{line}\n", ruler.trim_end())
}

/// GPU instances and free stretches from left to right, with their sizes.
fn pieces(
    model: &Model,
    layout: &Layout,
    label: &impl Fn(&Placed) -> String,
) -> Vec<(usize, String)> {
    let mut pieces: Vec<(usize, String)> = Vec::new();
    let mut at = 0;
    for placed in layout.placed() {
        push_free(&mut pieces, at, placed.placement.start);
        pieces.push((placed.placement.size as usize, label(placed)));
        at = placed.placement.start + placed.placement.size;
    }
    push_free(&mut pieces, at, model.memory_slices);
    pieces
}

fn push_free(pieces: &mut Vec<(usize, String)>, from: u32, to: u32) {
    if to > from {
        pieces.push(((to - from) as usize, "free".to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{builtin, find};

    #[test]
    fn a_layout_is_drawn_over_its_slices() {
        let a100 = find("a100-40gb").unwrap();
        let layout = Layout::parse(a100, "2g.10gb@0 1g.5gb@2 3g.20gb@4").unwrap();
        let expected = concat!(
            " 0       1       2       3       4       5       6       7\n",
            "[2g.10gb       ][1g.5gb][free  ][3g.20gb                       ]\n",
        );
        assert_eq!(picture(a100, &layout), expected);
    }

    #[test]
    fn a_long_label_widens_all_cells() {
        let a100 = find("a100-40gb").unwrap();
        let layout = Layout::parse(a100, "1g.5gb@0").unwrap();
        let drawn = labelled(a100, &layout, |_| "a long name".to_owned());
        assert!(drawn.contains("[a long name][free"), "{drawn}");
    }

    #[test]
    fn every_full_layout_of_every_model_keeps_its_columns() {
        for model in builtin().unwrap() {
            let graph = crate::LayoutGraph::new(model, &model.plain_profiles()).unwrap();
            for layout in graph.full_layouts() {
                let drawn = picture(model, &layout);
                let line = drawn.lines().nth(1).unwrap();
                assert_eq!(line.len() % model.memory_slices as usize, 0, "{drawn}");
            }
        }
    }
}
