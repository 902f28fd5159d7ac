//! The things that a user can say of a program.

use migfit_schema::amount::Amount;
use migfit_schema::profile::Summary;
use migfit_schema::program::{Place, SizeProgram};

/// A line of the source, or a few that one statement takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The file, by its name or by the end of its path.
    pub file: String,
    /// First and last line.
    pub lines: (u32, u32),
}

impl Spot {
    /// Whether a place lies there.
    #[must_use]
    pub fn holds(&self, program: &SizeProgram, place: Place) -> bool {
        let (first, last) = self.lines;
        let file = program.files.get(place.file as usize);
        place.line >= first
            && place.line <= last
            && file.is_some_and(|file| ends_with(file, &self.file))
    }
}

/// Whether a path ends with these parts.
fn ends_with(path: &str, end: &str) -> bool {
    path.strip_suffix(end)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// A number as it was written; whole ones are exact up to 2^53.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Literal(u64);

impl Literal {
    /// From a finite number.
    #[must_use]
    pub fn new(value: f64) -> Literal {
        Literal(value.to_bits())
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// One thing that a user says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// A variable has this value wherever the evaluation does not know it.
    Value {
        /// The variable's name in the source.
        name: String,
        /// The value.
        value: Literal,
    },
    /// No allocation there asks for more than this.
    Bound {
        /// Where.
        spot: Spot,
        /// Bytes.
        most: Amount,
    },
    /// A condition there holds, or does not, where the evaluation does not know it.
    Branch {
        /// Where.
        spot: Spot,
        /// Whether it holds.
        holds: bool,
    },
    /// A loop there that ends on what is not known turns so often.
    Turns {
        /// Where.
        spot: Spot,
        /// How often.
        turns: u64,
    },
}

/// One thing that a user says, and in which words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// What it means.
    pub assumption: Assumption,
    /// The words, for the answer: `--assume n=4096`, `main.cu:12: at most 64 MiB`.
    pub said: String,
}

impl Given {
    /// The bounds that comments in the source give.
    pub fn annotations(summary: &Summary) -> impl Iterator<Item = Given> + '_ {
        summary.annotations.iter().filter_map(|one| {
            let most = one.bound.clone()?;
            let spot = Spot {
                file: one.site.file.clone(),
                lines: one.lines,
            };
            Some(Given {
                assumption: Assumption::Bound { spot, most },
                said: format!("the comment at {}, '{}'", one.site, one.said),
            })
        })
    }
}
