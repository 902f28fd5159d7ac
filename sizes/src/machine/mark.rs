//! Marks of unknown values and the sources behind them. A mark is small enough to be kept per byte of memory.

use migfit_schema::program::Place;
use std::collections::HashMap;

/// Why a value is not known; an index into `Marks`. Ordered: of two, the larger one wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mark(pub u16);

impl Mark {
    /// The value is known.
    pub const KNOWN: Mark = Mark(0);
    /// A whole number that stands for an address of this evaluation: see `provenance`.
    pub const ADDRESS: Mark = Mark(2);
    /// A number of which only the sign counts: see `sign`.
    pub const SIGN: Mark = Mark(3);
    /// Known: the status of a CUDA call that failed. Whoever decides by it has seen the failure.
    pub const STATUS: Mark = Mark(4);
    /// The bits are good for this device, but the program asked how much memory is free: it takes what it gets.
    pub const ELASTIC: Mark = Mark(5);
    /// Memory or a register that nothing wrote.
    pub const UNWRITTEN: Mark = Mark(6);
    /// `undef`, or code that the slicer left out.
    pub const LEFT_OUT: Mark = Mark(7);
    /// An access outside every object, or of one that was freed.
    pub const OUTSIDE: Mark = Mark(8);
    /// Device memory read by the host directly.
    pub const DEVICE_MEMORY: Mark = Mark(9);
    /// Host memory that is too large to be kept.
    pub const TOO_LARGE: Mark = Mark(10);
    /// Read through a null pointer: the program dies there.
    pub const NULL: Mark = Mark(11);
    /// Bytes or a number that hold an address, where a plain number is wanted.
    pub const HOLDS_ADDRESS: Mark = Mark(12);
    /// More is wanted of a comparison of texts than its sign.
    pub const MAGNITUDE: Mark = Mark(13);
    /// First mark that stands for a source with a place.
    const FIRST_PLACED: u16 = 14;

    /// True where the bits mean nothing.
    #[inline(always)]
    pub const fn is_hard(self) -> bool {
        self.0 > Mark::ELASTIC.0
    }

    /// The mark of a value made from two.
    #[inline(always)]
    pub fn with(self, other: Mark) -> Mark {
        if self.0 > other.0 { self } else { other }
    }
}

/// Why nothing is known of what is made of addresses.
const BY_ADDRESS: &str = "it depends on an address, which differs from run to run";

/// What made a value unknown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Copied from the device, or managed memory after a launch.
    Device,
    /// Clocks, process ids and the like.
    Clock,
    /// Where an object lies: it differs from run to run.
    Address,
    /// A function that has no model here.
    Missing(String),
    /// A property of the device that is not among the inputs.
    Property(String),
    /// An instruction without a form in the size program.
    Unsupported(String),
    /// An index or a length that is unknown decides what was written.
    Index,
    /// A file that the program writes itself, or that cannot be read.
    File(String),
    /// A signed result that does not fit, in a program that relies on there being none.
    Overflow,
    /// A division by zero, or another operation without a result.
    Undefined(String),
}

/// All sources met in one evaluation.
#[derive(Debug, Default)]
pub struct Marks {
    sources: Vec<(Source, Place)>,
    known: HashMap<(Source, Place), Mark>,
}

impl Marks {
    /// Whether it is unknown for want of a model here: it might be known before the run.
    pub fn is_our_lack(&self, mark: Mark) -> bool {
        let placed = mark.0.checked_sub(Mark::FIRST_PLACED);
        let source = placed.and_then(|index| self.sources.get(usize::from(index)));
        matches!(source, Some((Source::Missing(_), _)))
    }

    /// The mark of a source at a place; the same pair always has the same mark.
    pub fn of(&mut self, source: Source, place: Place) -> Mark {
        let key = (source, place);
        if let Some(mark) = self.known.get(&key) {
            return *mark;
        }
        let index = usize::from(Mark::FIRST_PLACED) + self.sources.len();
        let Some(index) = u16::try_from(index).ok().filter(|index| *index < u16::MAX) else {
            // More distinct sources than marks: the last one stands for all that follow.
            return Mark(u16::MAX);
        };
        let mark = Mark(index);
        self.sources.push(key.clone());
        self.known.insert(key, mark);
        mark
    }

    /// Why values with this mark are unknown, as a clause, and where it began.
    pub fn explain(&self, mark: Mark) -> (String, Option<Place>) {
        let fixed = |text: &str| (text.to_owned(), None);
        match mark {
            Mark::KNOWN | Mark::STATUS => fixed("it is known"),
            Mark::SIGN | Mark::MAGNITUDE => fixed(
                "it depends on how far apart two texts are; of a comparison only the sign is promised",
            ),
            Mark::ELASTIC => fixed("it depends on how much device memory is free"),
            Mark::UNWRITTEN => fixed("it depends on memory that nothing wrote"),
            Mark::LEFT_OUT => fixed("it depends on code that the analysis left out"),
            Mark::OUTSIDE => fixed("it depends on memory outside every object"),
            Mark::DEVICE_MEMORY => fixed("it is read from device memory"),
            Mark::NULL => fixed("it is read through a null pointer"),
            Mark::ADDRESS | Mark::HOLDS_ADDRESS => fixed(BY_ADDRESS),
            Mark::TOO_LARGE => fixed("it is kept in host memory too large to be evaluated"),
            _ => {
                let index = usize::from(mark.0).wrapping_sub(usize::from(Mark::FIRST_PLACED));
                match self.sources.get(index) {
                    Some((source, place)) => (source.clause(), Some(*place)),
                    None => fixed("it has too many unknown inputs to list"),
                }
            }
        }
    }
}

impl Source {
    /// The source as a clause for people.
    fn clause(&self) -> String {
        match self {
            Source::Device => "it depends on a result of the device".to_owned(),
            Source::Clock => "it depends on the clock".to_owned(),
            Source::Address => BY_ADDRESS.to_owned(),
            Source::Missing(name) => format!("it depends on {name}, which has no model"),
            Source::Property(name) => {
                format!("it depends on the device property {name}, which is not known here")
            }
            Source::Unsupported(what) if what == "a result of the device" => {
                "it depends on a result of the device".to_owned()
            }
            Source::Unsupported(what) => format!("it depends on {what}, which is not followed"),
            Source::Index => "it is written at an unknown index".to_owned(),
            Source::File(path) => {
                format!("it depends on the content of {path}, which is not known before the run")
            }
            Source::Overflow => {
                "it depends on a signed overflow: the compiled program need not wrap".to_owned()
            }
            Source::Undefined(what) => format!("it depends on {what}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hard_mark_beats_elastic_and_elastic_beats_known() {
        assert_eq!(Mark::KNOWN.with(Mark::ELASTIC), Mark::ELASTIC);
        assert_eq!(Mark::OUTSIDE.with(Mark::ELASTIC), Mark::OUTSIDE);
        assert!(!Mark::ELASTIC.is_hard());
    }

    #[test]
    fn the_same_source_and_place_has_one_mark() {
        let mut marks = Marks::default();
        let place = Place { file: 0, line: 7 };
        let first = marks.of(Source::Device, place);
        assert_eq!(first, marks.of(Source::Device, place));
        assert_ne!(first, marks.of(Source::Clock, place));
        assert_eq!(marks.explain(first).1, Some(place));
    }

    #[test]
    fn more_sources_than_marks_do_not_panic() {
        let mut marks = Marks::default();
        for line in 0..70_000 {
            marks.of(Source::Device, Place { file: 0, line });
        }
        assert_eq!(marks.explain(Mark(u16::MAX)).1, None);
    }
}
