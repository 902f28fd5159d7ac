//! IR text in, the same text with a few places changed out: comparisons, constants, operators, branches. Marks by
//! which overflow is undefined are taken out, so that what the mutated code computes stays defined.

use fastrand::Rng;

/// Changes one to four places.
pub fn mutated(text: &str, seed: u64) -> String {
    let mut random = Rng::with_seed(seed ^ 0x5eed);
    let mut lines: Vec<String> = text.lines().map(plain).collect();
    let places: Vec<usize> = (0..lines.len())
        .filter(|&at| !changes(&lines[at]).is_empty())
        .collect();
    if places.is_empty() {
        return text.to_owned();
    }
    for _ in 0..1 + random.u32(..4) {
        let at = places[random.usize(..places.len())];
        let able = changes(&lines[at]);
        if !able.is_empty() {
            lines[at] = able[random.usize(..able.len())].clone();
        }
    }
    lines.join("\n") + "\n"
}

/// Overflow, exactness and signs that are promised for the unchanged code only.
fn plain(line: &str) -> String {
    let mut line = line.to_owned();
    for promise in [" nuw", " nsw", " exact", " nneg", " disjoint", " samesign"] {
        if line.starts_with("  ") {
            line = line.replace(promise, "");
        }
    }
    line
}

/// All the ways in which a line can be changed.
fn changes(line: &str) -> Vec<String> {
    let mut all = Vec::new();
    let Some(code) = line.strip_prefix("  ") else {
        return all;
    };
    if code.contains("getelementptr") || code.contains("alloca") || code.contains("call ") {
        return all;
    }
    const SWAPS: [(&str, &[&str]); 9] = [
        ("icmp slt", &["icmp sle", "icmp sgt", "icmp ult"]),
        ("icmp sgt", &["icmp sge", "icmp slt", "icmp ugt"]),
        ("icmp ult", &["icmp ule", "icmp slt"]),
        ("icmp eq", &["icmp ne"]),
        ("icmp ne", &["icmp eq"]),
        (" = add ", &[" = sub ", " = xor "]),
        (" = sub ", &[" = add "]),
        (" = mul ", &[" = add ", " = or "]),
        ("fcmp olt", &["fcmp ole", "fcmp ogt", "fcmp ult"]),
    ];
    for (from, into) in SWAPS {
        if code.contains(from) {
            all.extend(into.iter().map(|to| line.replacen(from, to, 1)));
        }
    }
    if let Some((head, labels)) = code
        .strip_prefix("br i1 ")
        .and_then(|rest| rest.split_once(", "))
    {
        let (targets, end) = labels
            .split_once(", !")
            .map_or((labels, String::new()), |(t, e)| (t, format!(", !{e}")));
        if let Some((first, second)) = targets.split_once(", ") {
            all.push(format!("  br i1 {head}, {second}, {first}{end}"));
        }
    }
    let operator = ["= add", "= sub", "= mul", "icmp "]
        .iter()
        .any(|name| code.contains(name));
    if operator
        && let Some((head, last)) = code.rsplit_once(", ")
        && let Ok(value) = last.parse::<i64>()
    {
        all.extend(
            [value + 1, value - 1, value.wrapping_mul(2)]
                .map(|changed| format!("  {head}, {changed}")),
        );
    }
    all
}
