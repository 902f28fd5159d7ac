//! Functions that throw an exception.

/// Whether a function never returns but throws: C++'s own throw, and those of the library (`std::__throw_bad_alloc`).
#[must_use]
pub fn throws(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "__cxa_throw",
        "__cxa_rethrow",
        "__cxa_bad_cast",
        "__cxa_bad_typeid",
        "__cxa_throw_bad_array_new_length",
        "_Unwind_Resume_or_Rethrow",
        "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE",
    ];
    NAMES.contains(&name) || (name.starts_with("_ZSt") && name.contains("__throw_"))
}

#[cfg(test)]
mod tests {
    use super::throws;

    #[test]
    fn throws_are_told_from_other_functions() {
        for name in [
            "__cxa_throw",
            "__cxa_rethrow",
            "_ZSt24__throw_out_of_range_fmtPKcz",
            "_ZSt17__throw_bad_allocv",
        ] {
            assert!(throws(name), "{name}");
        }
        for name in ["__cxa_begin_catch", "_Z10my__throw_v", "_ZSt9terminatev"] {
            assert!(!throws(name), "{name}");
        }
    }
}
