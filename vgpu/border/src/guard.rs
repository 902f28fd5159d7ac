//! What the body of an exported function comes to -> the number that its C caller gets. No panic passes.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// A code other than success of one C interface.
pub trait Refusal: Copy {
    /// The caller handed in null where a pointer has to be.
    const NULL_POINTER: Self;
    /// The caller's text is no name of ours, as it is not UTF-8.
    const NO_SUCH_NAME: Self;
    /// The body of the function panicked.
    const PANICKED: Self;

    /// The number that the caller gets.
    fn answer(self) -> u32;
}

/// Runs the body of an exported function: 0, or the number of its refusal, which a panic is too.
pub fn guard<R: Refusal>(body: impl FnOnce() -> Result<(), R>) -> u32 {
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(R::PANICKED));
    outcome.err().map_or(0, R::answer)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Codes of an interface that there is only here.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Code(pub u32);

    impl Refusal for Code {
        const NULL_POINTER: Code = Code(1);
        const NO_SUCH_NAME: Code = Code(2);
        const PANICKED: Code = Code(3);

        fn answer(self) -> u32 {
            self.0
        }
    }

    #[test]
    fn success_refusal_and_panic_each_have_their_number() {
        assert_eq!(guard::<Code>(|| Ok(())), 0);
        assert_eq!(guard(|| Err(Code(7))), 7);
        assert_eq!(guard::<Code>(|| panic!("in a test")), 3);
    }
}
