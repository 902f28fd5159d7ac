//! Functions that throw an exception.

use super::own::RESUME;

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

/// Whether exceptions of a function are followed to their handlers. Not those for a lack of memory and for containers
/// beyond all bounds: they stand in every loop that fills a container, and no run comes to them.
#[must_use]
pub fn throws_for_handlers(name: &str) -> bool {
    const SELDOM: &[&str] = &["bad_alloc", "bad_array_new_length", "length_error"];
    name == RESUME || (throws(name) && !SELDOM.iter().any(|seldom| name.contains(seldom)))
}

/// Whether a function outside the program may throw and may as well return.
#[must_use]
pub fn may_throw(name: &str) -> bool {
    const MEMBERS: &[&str] = &[
        "6substrEmm",
        "2atEm",
        "7compareEmm",
        "5eraseEmm",
        "7replaceEmm",
        "6insertEm",
    ];
    let of_string = [
        "_ZNKSt7__cxx1112basic_string",
        "_ZNSt7__cxx1112basic_string",
    ];
    let member = of_string.iter().any(|class| name.starts_with(class));
    throws_for_handlers(name)
        || (member
            && MEMBERS
                .iter()
                .any(|tail| name.contains(&format!("EE{tail}"))))
        || (name.starts_with("_ZNSt10filesystem") && !name.contains("RSt10error_code"))
}

#[cfg(test)]
mod tests {
    use super::{may_throw, throws, throws_for_handlers};

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

    #[test]
    fn a_lack_of_memory_is_followed_to_no_handler() {
        assert!(throws_for_handlers("_ZSt24__throw_out_of_range_fmtPKcz"));
        assert!(!throws_for_handlers("_ZSt20__throw_length_errorPKc"));
    }

    #[test]
    fn members_that_check_a_position_may_throw() {
        let string = "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";
        assert!(may_throw(&format!("{string}6substrEmm")));
        assert!(!may_throw(&format!("{string}4findEcm")) && !may_throw("strtol"));
    }
}
