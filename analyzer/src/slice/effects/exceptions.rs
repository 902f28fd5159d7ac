//! Rows of the calls by which exceptions are thrown, followed and caught, and of the library's classes of exceptions.

use super::letters::{DROPPED, Effect, Returns, State, plain, stateful};
use crate::outside::{LANDING, LEAVES, RESUME, THROWN, TYPE_NUMBER, UNCAUGHT, throws};

/// The effect of a function, when it is one of these.
pub fn effect(name: &str) -> Option<Effect> {
    Some(match name {
        "__cxa_allocate_exception" => plain("-", Returns::Fresh),
        "__cxa_free_exception" => DROPPED,
        // A rethrown one lies in the object that the caller gives.
        "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE" => {
            stateful("r", Returns::Value, State::Exceptions)
        }
        "_ZSt17current_exceptionv" => stateful("w", Returns::Value, State::Exceptions),
        "_ZNSt15__exception_ptr13exception_ptrC1ERKS0_"
        | "_ZNSt15__exception_ptr13exception_ptrC2ERKS0_"
        | "_ZNSt15__exception_ptr13exception_ptraSERKS0_" => plain("wr", Returns::Into(0)),
        "_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv"
        | "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"
        | "_ZNSt15__exception_ptr13exception_ptrD1Ev"
        | "_ZNSt15__exception_ptr13exception_ptrD2Ev"
        | LEAVES
        | UNCAUGHT => DROPPED,
        THROWN
        | LANDING
        | RESUME
        | "__cxa_begin_catch"
        | "__cxa_end_catch"
        | "__cxa_get_exception_ptr"
        | "_ZSt18uncaught_exceptionv"
        | "_ZSt19uncaught_exceptionsv" => stateful("-", Returns::Value, State::Exceptions),
        TYPE_NUMBER => plain("-", Returns::Value),
        _ if throws(name) => stateful("-", Returns::Value, State::Exceptions),
        _ => return of_class(name),
    })
}

/// Members of the classes of `<stdexcept>`: a table and a text.
fn of_class(name: &str) -> Option<Effect> {
    const CLASSES: [&str; 10] = [
        "9exception",
        "11logic_error",
        "12domain_error",
        "16invalid_argument",
        "12length_error",
        "12out_of_range",
        "13runtime_error",
        "11range_error",
        "14overflow_error",
        "15underflow_error",
    ];
    let what = name.strip_prefix("_ZNKSt");
    let member = what.or_else(|| name.strip_prefix("_ZNSt"))?;
    let member = CLASSES
        .iter()
        .find_map(|class| member.strip_prefix(class))?;
    Some(match member {
        "4whatEv" => plain("r", Returns::Behind(0)),
        "D0Ev" | "D1Ev" | "D2Ev" => DROPPED,
        "C1EPKc" | "C2EPKc" => plain("mr", Returns::Value),
        _ if member.ends_with("ERKS_") || member.ends_with("EOS_") => plain("mr", Returns::Value),
        _ if member.starts_with("C1ERKNSt7__cxx11") || member.starts_with("C2ERKNSt7__cxx11") => {
            plain("mt", Returns::Value)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slice::effects::Use;

    #[test]
    fn a_throw_and_a_landing_share_their_state() {
        for name in [
            "__cxa_throw",
            LANDING,
            THROWN,
            "_ZSt20__throw_out_of_rangePKc",
        ] {
            assert_eq!(
                effect(name).unwrap().state,
                Some(State::Exceptions),
                "{name}"
            );
        }
        assert!(effect("__cxa_demangle").is_none());
    }

    #[test]
    fn an_exception_of_the_library_keeps_a_text_of_its_own() {
        let made = effect("_ZNSt13runtime_errorC1EPKc").unwrap();
        assert_eq!(
            (made.of_argument(0), made.of_argument(1)),
            (Use::StoresFresh, Use::Reads)
        );
        assert_eq!(
            effect("_ZNKSt11logic_error4whatEv").unwrap().returns,
            Returns::Behind(0)
        );
    }
}
