//! A layout graph as graphviz text: states as boxes, create steps as arrows. Pure strings.

use crate::graph::LayoutGraph;
use crate::render::summary::{StateSummary, summary};
use std::fmt::Write;

/// The graph in graphviz's language; destroy steps are the arrows read backwards and are left out.
#[must_use]
pub fn dot(graph: &LayoutGraph) -> String {
    let all = summary(graph);
    let mut text = format!(
        "digraph \"{}\" {{\n  rankdir=LR;\n  node [shape=box];\n",
        all.model
    );
    for (index, state) in all.layouts.iter().enumerate() {
        let _ = writeln!(text, "  s{index} [{}];", attributes(state));
    }
    for step in &all.creates {
        let _ = writeln!(
            text,
            "  s{} -> s{} [label=\"{}\"];",
            step.from, step.to, step.create
        );
    }
    text.push_str("}\n");
    text
}

fn attributes(state: &StateSummary) -> String {
    let StateSummary { layout, fcr, full } = state;
    match full {
        true => format!("label=\"{layout}\", style=bold"),
        false => format!("label=\"{layout}\\nfcr {fcr}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::find;

    #[test]
    fn every_state_is_a_box_and_every_create_step_an_arrow() {
        let a30 = find("a30").unwrap();
        let graph = LayoutGraph::new(a30, &a30.basic_profiles()).unwrap();
        let text = dot(&graph);
        assert_eq!(text.matches(" -> ").count(), graph.transition_count());
        assert_eq!(text.matches("style=bold").count(), 5);
        assert!(text.contains("s0 [label=\"empty\\nfcr 5\"];"), "{text}");
    }
}
