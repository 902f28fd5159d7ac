//! A comment in the user's source that bounds an allocation: `// migfit: at most 64 MiB` or
//! `// migfit: bytes <= n * 64` above the call. Text of a file in, annotations out; knows no program.

use crate::amount::Amount;
use crate::site::Site;
use serde::{Deserialize, Serialize};

/// What a comment that speaks to migfit begins with.
const MARK: &str = "migfit:";
/// Lines that a call below a comment may take.
const LONGEST_CALL: usize = 20;

/// An annotation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotation {
    /// Where the comment stands.
    pub site: Site,
    /// What it says, without its mark.
    pub said: String,
    /// First and last line of the call that it stands above.
    pub lines: (u32, u32),
    /// The bound that it gives; none where it cannot be used.
    pub bound: Option<Amount>,
    /// Why it cannot be used, as a clause; none where it can.
    pub trouble: Option<String>,
}

impl Annotation {
    /// The same, which cannot be used for this reason.
    #[must_use]
    pub fn refused(self, trouble: &str) -> Annotation {
        Annotation {
            bound: None,
            trouble: Some(trouble.to_owned()),
            ..self
        }
    }
}

/// The annotations of a source file.
#[must_use]
pub fn read(file: &str, text: &str) -> Vec<Annotation> {
    let lines: Vec<&str> = text.lines().collect();
    let numbered = lines.iter().enumerate();
    let found = numbered.filter_map(|(index, line)| {
        let said = said(line)?;
        let site = Site {
            file: file.to_owned(),
            line: number(index),
        };
        let below = call_below(&lines, index);
        let plain = Annotation {
            site,
            said: said.to_owned(),
            lines: below.unwrap_or_default(),
            bound: None,
            trouble: None,
        };
        Some(match (bound(said), below) {
            (Err(trouble), _) => plain.refused(&trouble),
            (_, None) => plain.refused("no statement stands below it"),
            (Ok(bound), Some(_)) => Annotation {
                bound: Some(bound),
                ..plain
            },
        })
    });
    found.collect()
}

/// What a comment on this line says to migfit. The mark must begin the comment.
fn said(line: &str) -> Option<&str> {
    let comment = match (line.find("//"), line.find("/*")) {
        (Some(a), Some(b)) => a.min(b),
        (a, b) => a.or(b)?,
    };
    let text = line.get(comment + 2..)?.trim_start_matches(['/', '*', '!']);
    let said = text.trim_start().strip_prefix(MARK)?;
    let said = said.split("*/").next().unwrap_or(said);
    Some(said.trim())
}

fn bound(said: &str) -> Result<Amount, String> {
    const FORMS: &str = "write 'at most 64 MiB' or 'bytes <= n * 64'";
    let bytes = said.strip_prefix("bytes").map(str::trim_start);
    let amount = said
        .strip_prefix("at most ")
        .or_else(|| bytes.and_then(|rest| rest.strip_prefix("<=")));
    let amount = amount.ok_or_else(|| format!("it is of no known form; {FORMS}"))?;
    Amount::parse(amount).map_err(|why| format!("{why}; {FORMS}"))
}

/// First and last line of the statement below: to the line with its semicolon.
fn call_below(lines: &[&str], comment: usize) -> Option<(u32, u32)> {
    let is_code = |line: &str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with("//") && !line.starts_with("/*")
    };
    let below = lines.iter().enumerate().skip(comment + 1);
    let (first, _) = below.clone().find(|(_, line)| is_code(line))?;
    let statement = lines.iter().enumerate().skip(first).take(LONGEST_CALL);
    let last = statement.into_iter().find(|(_, line)| line.contains(';'));
    Some((number(first), number(last.map_or(first, |(last, _)| last))))
}

fn number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_bounds_the_call_below_it() {
        let text = "int n;\n  // migfit: at most 64 MiB\n\n  // the frontier\n  cudaMalloc(&p,\n    count);\n\
                    /* migfit: bytes <= n * 64 */\ncudaMalloc(&q, m);\n// about migfit: nothing\n";
        let found = read("a.cu", text);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].site.line, found[0].lines), (2, (5, 6)));
        assert_eq!(found[0].bound, Some(Amount::Number(64 << 20)));
        assert_eq!(
            (found[1].lines, found[1].said.as_str()),
            ((8, 8), "bytes <= n * 64")
        );
        assert!(found[1].bound.is_some());
    }

    #[test]
    fn what_cannot_be_used_says_why() {
        let trouble = |text: &str| read("a.cu", text)[0].trouble.clone().unwrap();
        assert!(trouble("// migfit: small\nf();\n").starts_with("it is of no known form"));
        assert!(trouble("// migfit: at most 64 MB\nf();\n").starts_with("'MB' stands"));
        assert_eq!(
            trouble("// migfit: at most 1 MiB\n"),
            "no statement stands below it"
        );
    }
}
