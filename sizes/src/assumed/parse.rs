//! `n=4096`, `main.cu:57=64MiB`, `main.cu:80=true`, `main.cu:90=100 turns` -> what it means.

use super::given::{Assumption, Given, Literal, Spot};
use migfit_schema::amount::Amount;

/// How an assumption is written.
const FORMS: &str =
    "write n=4096, file.cu:57=64MiB (bytes), file.cu:80=true or file.cu:90=\"100 turns\"";

impl Given {
    /// Reads one assumption as it follows `--assume`.
    ///
    /// # Errors
    /// What is wrong with it, as a clause, with the forms that there are.
    pub fn parse(text: &str) -> Result<Given, String> {
        let (left, right) = text
            .split_once('=')
            .ok_or_else(|| format!("it has no '='; {FORMS}"))?;
        let (left, right) = (left.trim(), right.trim());
        let assumption = match spot(left) {
            Some(spot) => at(spot, right)?,
            None if is_name(left) => Assumption::Value {
                name: left.to_owned(),
                value: Literal::new(number(right)?),
            },
            None => {
                return Err(format!(
                    "'{left}' is neither a variable's name nor FILE:LINE; {FORMS}"
                ));
            }
        };
        Ok(Given {
            assumption,
            said: format!("--assume {left}={right}"),
        })
    }
}

fn spot(text: &str) -> Option<Spot> {
    let (file, line) = text.rsplit_once(':')?;
    let line: u32 = line.parse().ok()?;
    (!file.is_empty() && line > 0).then(|| Spot {
        file: file.to_owned(),
        lines: (line, line),
    })
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn at(spot: Spot, right: &str) -> Result<Assumption, String> {
    let turns = right
        .strip_suffix("turns")
        .or_else(|| right.strip_suffix("turn"));
    match (right, turns) {
        ("true" | "false", _) => Ok(Assumption::Branch {
            spot,
            holds: right == "true",
        }),
        (_, Some(turns)) => match turns.trim().parse() {
            Ok(turns) => Ok(Assumption::Turns { spot, turns }),
            Err(_) => Err(format!("'{}' is no number of turns; {FORMS}", turns.trim())),
        },
        _ => match Amount::parse(right) {
            Ok(most) => Ok(Assumption::Bound { spot, most }),
            Err(why) => Err(format!("{why}; {FORMS}")),
        },
    }
}

/// A value: a number with a sign or a fraction, or an amount of numbers alone (`64*1024`, `2MiB`).
fn number(text: &str) -> Result<f64, String> {
    /// Whole numbers above this are not exact.
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    let value = match text.parse::<f64>() {
        Ok(value) => value,
        Err(_) => {
            let amount = Amount::parse(text).map_err(|why| format!("{why}; {FORMS}"))?;
            amount.value(&|_| None)? as f64
        }
    };
    match value.is_finite() && value.abs() <= LARGEST {
        true => Ok(value),
        false => Err(format!("{text} is too large to be assumed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Assumption {
        Given::parse(text).unwrap().assumption
    }

    #[test]
    fn every_form_is_read() {
        let spot = |line| Spot {
            file: "src/main.cu".to_owned(),
            lines: (line, line),
        };
        let value = |name: &str, value| Assumption::Value {
            name: name.to_owned(),
            value: Literal::new(value),
        };
        assert_eq!(parsed("n=4096"), value("n", 4096.0));
        assert_eq!(parsed("scale = -0.5"), value("scale", -0.5));
        assert_eq!(parsed("n=64*1024"), value("n", 65536.0));
        assert_eq!(
            parsed("src/main.cu:57=64MiB"),
            Assumption::Bound {
                spot: spot(57),
                most: Amount::Number(64 << 20)
            }
        );
        assert_eq!(
            parsed("src/main.cu:80=false"),
            Assumption::Branch {
                spot: spot(80),
                holds: false
            }
        );
        assert_eq!(
            parsed("src/main.cu:90=100 turns"),
            Assumption::Turns {
                spot: spot(90),
                turns: 100
            }
        );
        assert_eq!(Given::parse("n = 3").unwrap().said, "--assume n=3");
    }

    #[test]
    fn what_is_no_assumption_says_how_to_write_one() {
        for text in [
            "n",
            "4=5",
            "=4",
            "n=",
            "n=many",
            "a.cu:0=4",
            "a.cu:7=x turns",
            "a.cu:7=",
            "n=1e300",
        ] {
            let why = Given::parse(text).unwrap_err();
            assert!(!why.is_empty(), "{text}: {why}");
        }
        assert!(Given::parse("n").unwrap_err().contains("write n=4096"));
    }
}
