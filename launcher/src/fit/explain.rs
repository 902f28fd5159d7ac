//! Trees of sizes (`migfit_sizes::explain`) -> the text and the JSON of `migfit fit --explain`. Lines fit 80 columns.

use migfit_schema::site::Site;
use migfit_sizes::explain::{Node, Origin, SiteTree, ValueSeen};
use serde::Serialize;
use std::fmt::Write;

/// Columns of a line.
const WIDTH: usize = 80;
/// Columns that each level is set in.
const STEP: usize = 2;
/// Deeper levels are set in no further.
const DEEPEST: usize = 12;

/// The trees as text.
#[must_use]
pub fn text(trees: &[SiteTree]) -> String {
    let mut text = "where sizes come from\n".to_owned();
    if trees.is_empty() {
        text += "  no allocation and no launch was reached\n";
    }
    for tree in trees {
        let _ = writeln!(text, "\n{}  {}", tree.site, tree.call);
        for size in &tree.sizes {
            node(&mut text, size, 1);
        }
    }
    text
}

fn node(text: &mut String, node: &Node, depth: usize) {
    // A call's result has the call's name.
    let is_call = |name: &String| name.ends_with("()") && node.text.starts_with(name.as_str());
    let mut said = match &node.name {
        Some(name) if !is_call(name) => format!("{name} = {}", node.text),
        _ => node.text.clone(),
    };
    if let Some(seen) = node.seen.as_ref().and_then(|seen| value(seen, &node.text)) {
        said = format!("{said} = {seen}");
    }
    line(
        text,
        said.trim(),
        node.site.as_ref(),
        depth.min(DEEPEST) * STEP,
    );
    for from in &node.from {
        self::node(text, from, depth + 1);
    }
}

/// What a value held; none where the text says the same.
fn value(seen: &ValueSeen, text: &str) -> Option<String> {
    let ValueSeen {
        first,
        last,
        times,
        unknown,
    } = seen;
    let value = match (unknown, first == last) {
        (true, _) => "not known".to_owned(),
        (false, true) if first == text => return None,
        (false, true) => first.clone(),
        (false, false) => format!("{first} .. {last} ({times} times)"),
    };
    Some(value)
}

/// One line, broken between words where it is too long; the place stands at the end of the last one.
fn line(text: &mut String, said: &str, site: Option<&Site>, indent: usize) {
    let place = site.map(ToString::to_string).unwrap_or_default();
    let mut column = indent;
    let mut line = " ".repeat(indent);
    for (number, word) in said.split(' ').enumerate() {
        let length = word.chars().count();
        if number > 0 && column + 1 + length > WIDTH {
            text.push_str(line.trim_end());
            text.push('\n');
            line = " ".repeat(indent + 2 * STEP);
            column = indent + 2 * STEP;
        } else if number > 0 {
            line.push(' ');
            column += 1;
        }
        line.push_str(word);
        column += length;
    }
    let room = WIDTH.saturating_sub(place.chars().count());
    if !place.is_empty() && column + 2 > room {
        text.push_str(line.trim_end());
        text.push('\n');
        line = String::new();
        column = 0;
    }
    if !place.is_empty() {
        line.push_str(&" ".repeat(room.saturating_sub(column)));
        line.push_str(&place);
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

/// A tree as JSON.
#[derive(Serialize)]
pub struct TreeForm<'a> {
    site: String,
    call: &'a str,
    sizes: Vec<NodeForm<'a>>,
}

#[derive(Serialize)]
struct NodeForm<'a> {
    name: Option<&'a str>,
    text: &'a str,
    /// `expression`, `choice`, `input`, `parameter`, `memory`, `above` or `cut`.
    origin: &'static str,
    site: Option<String>,
    first: Option<&'a str>,
    last: Option<&'a str>,
    times: Option<u64>,
    known: Option<bool>,
    from: Vec<NodeForm<'a>>,
}

/// The trees as JSON.
#[must_use]
pub fn forms(trees: &[SiteTree]) -> Vec<TreeForm<'_>> {
    trees.iter().map(tree_form).collect()
}

fn tree_form(tree: &SiteTree) -> TreeForm<'_> {
    TreeForm {
        site: tree.site.to_string(),
        call: &tree.call,
        sizes: tree.sizes.iter().map(node_form).collect(),
    }
}

fn node_form(node: &Node) -> NodeForm<'_> {
    let seen = node.seen.as_ref();
    let known = seen.filter(|seen| !seen.unknown);
    NodeForm {
        name: node.name.as_deref(),
        text: &node.text,
        origin: match node.origin {
            Origin::Expression => "expression",
            Origin::Choice => "choice",
            Origin::Input => "input",
            Origin::Parameter => "parameter",
            Origin::Memory => "memory",
            Origin::Above => "above",
            Origin::Cut => "cut",
        },
        site: node.site.as_ref().map(ToString::to_string),
        first: known.map(|seen| seen.first.as_str()),
        last: known.map(|seen| seen.last.as_str()),
        times: seen.map(|seen| seen.times),
        known: seen.map(|seen| !seen.unknown),
        from: node.from.iter().map(node_form).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(line: u32) -> Option<Site> {
        Some(Site {
            file: "src/main.cu".to_owned(),
            line,
        })
    }

    fn seen(first: &str, last: &str, times: u64) -> Option<ValueSeen> {
        Some(ValueSeen {
            first: first.to_owned(),
            last: last.to_owned(),
            times,
            unknown: false,
        })
    }

    #[test]
    fn a_size_is_a_tree_back_to_the_command_line() {
        let word = Node {
            name: None,
            text: "strtol() \"4096\", word 1 of the command line".to_owned(),
            seen: seen("4096", "4096", 1),
            site: site(12),
            origin: Origin::Input,
            from: Vec::new(),
        };
        let n = Node {
            name: Some("n".to_owned()),
            text: "depends on the way taken".to_owned(),
            seen: seen("1024", "4096", 2),
            site: None,
            origin: Origin::Choice,
            from: vec![word],
        };
        let bytes = Node {
            name: Some("bytes".to_owned()),
            text: "n * n * 4".to_owned(),
            seen: seen("67108864", "67108864", 1),
            site: site(20),
            origin: Origin::Expression,
            from: vec![n],
        };
        let trees = [SiteTree {
            site: site(20).unwrap(),
            call: "cudaMalloc".to_owned(),
            sizes: vec![bytes],
        }];
        let expected = "\
where sizes come from

main.cu:20  cudaMalloc
  bytes = n * n * 4 = 67108864                                        main.cu:20
    n = depends on the way taken = 1024 .. 4096 (2 times)
      strtol() \"4096\", word 1 of the command line = 4096              main.cu:12
";
        assert_eq!(text(&trees), expected);
        let json = serde_json::to_value(forms(&trees)).unwrap();
        assert_eq!(json[0]["sizes"][0]["from"][0]["from"][0]["last"], "4096");
    }

    #[test]
    fn no_line_is_wider_than_a_terminal() {
        let mut text = String::new();
        let long = "width * height * depth + ".repeat(20);
        line(&mut text, &long, site(7).as_ref(), 24);
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        assert!(text.trim_end().ends_with("main.cu:7"));
    }
}
