//! A PTX text -> about how many registers each of its kernels takes: the most that live at once, each from the first
//! line that names it to the last. An estimate where no assembler has run; loops and called functions are not followed.

use crate::words::{body, statement, words};
use std::collections::BTreeMap;

/// Registers that the assembler keeps beside those of values.
const OWN: u32 = 4;
/// Registers come in units of two.
const UNIT: u32 = 2;
/// A thread has at least this many and at most that many.
const BOUNDS: (u32, u32) = (8, 255);

/// Estimated registers per thread of each kernel in the text.
#[must_use]
pub fn of(text: &str) -> BTreeMap<String, u32> {
    let words = words(text);
    let mut found = BTreeMap::new();
    let mut at = 0;
    while let Some(rest) = words.get(at..).filter(|rest| !rest.is_empty()) {
        let statement = statement(rest);
        let body = body(rest.get(statement.len()..).unwrap_or_default());
        let entry = statement.iter().position(|word| *word == ".entry");
        if let Some(name) = entry.and_then(|entry| statement.get(entry + 1)) {
            found.insert((*name).to_owned(), estimate(body));
        }
        at += (statement.len() + body.len()).max(1);
    }
    found
}

fn estimate(body: &[&str]) -> u32 {
    let widths = widths(body);
    let mut spans: BTreeMap<&str, (usize, usize, u32)> = BTreeMap::new();
    for (nth, line) in body.split(|word| *word == ";").enumerate() {
        if line.contains(&".reg") {
            continue;
        }
        for word in line {
            let register = word.trim_start_matches(['@', '!', '-']);
            let register = register.split('+').next().unwrap_or(register);
            if let Some(width) = width(register, &widths) {
                let span = spans.entry(register).or_insert((nth, nth, width));
                span.1 = nth;
            }
        }
    }
    let mut changes: BTreeMap<usize, i64> = BTreeMap::new();
    for (first, last, width) in spans.values() {
        *changes.entry(*first).or_default() += i64::from(*width);
        *changes.entry(*last).or_default() -= i64::from(*width);
    }
    let live = changes.values().scan(0, |live, change| {
        *live += change;
        Some(*live)
    });
    let most = u32::try_from(live.max().unwrap_or(0)).unwrap_or(u32::MAX);
    let (least, largest) = BOUNDS;
    most.saturating_add(OWN)
        .checked_next_multiple_of(UNIT)
        .unwrap_or(largest)
        .clamp(least, largest)
}

/// 32-bit registers that a value takes, by the beginning of the names that `.reg .b64 %rd<9>;` declares.
fn widths<'a>(body: &[&'a str]) -> Vec<(&'a str, u32)> {
    let declarations = body
        .split(|word| matches!(*word, ";" | "{"))
        .filter_map(|line| {
            let at = line.iter().position(|word| *word == ".reg")?;
            let [kind, names @ ..] = line.get(at + 1..)? else {
                return None;
            };
            let width = match *kind {
                ".pred" => 0,
                ".b64" | ".u64" | ".s64" | ".f64" => 2,
                ".b128" => 4,
                _ => 1,
            };
            Some(names.iter().map(move |name| {
                let start = name.split('<').next().unwrap_or(name);
                (start, width)
            }))
        });
    declarations.flatten().collect()
}

fn width(word: &str, widths: &[(&str, u32)]) -> Option<u32> {
    let start = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let (_, width) = widths.iter().find(|(known, _)| *known == start)?;
    Some(*width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(lines: &str) -> u32 {
        let text = format!(
            ".version 8.0\n.target sm_80\n.visible .entry k()\n{{\n.reg .pred %p<2>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<9>;\n{lines}ret;\n}}\n"
        );
        of(&text)["k"]
    }

    #[test]
    fn more_values_alive_at_once_take_more_registers() {
        let all: String = (0..30).map(|n| format!("mov.u32 %r{n}, {n};\n")).collect();
        let uses: String = (0..30)
            .map(|n| format!("st.global.u32 [%rd1+{n}], %r{n};\n"))
            .collect();
        let in_turn: String = (0..30)
            .map(|n| format!("mov.u32 %r{n}, {n};\nst.global.u32 [%rd1+4], %r{n};\n"))
            .collect();
        assert_eq!(kernel(""), 8);
        // Thirty values, an address of two registers, four of the assembler's own.
        assert_eq!(kernel(&format!("{all}{uses}")), 36);
        assert_eq!(kernel(&in_turn), 8);
    }

    #[test]
    fn predicates_and_guards_cost_nothing() {
        assert_eq!(
            kernel("setp.eq.s32 %p1, %r1, 0;\n@%p1 bra $L;\n@!%p1 bra $M;\n"),
            8
        );
    }
}
