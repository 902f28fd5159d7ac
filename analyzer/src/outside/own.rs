//! Names of the calls that lowering makes and `sizes` answers: how exceptions and threads are followed. None of them is a
//! function of any library but those that say so.

/// Whether an exception is on its way after a call: lowering asks so behind each call that may throw.
pub const THROWN: &str = "__migfit_thrown";
/// Where an exception arrives: (the types that are caught) -> (the exception, the number of the type that caught it).
pub const LANDING: &str = "__migfit_landing";
/// The number of a type, as `LANDING` gives it.
pub const TYPE_NUMBER: &str = "__migfit_type_number";
/// An exception goes on from what was cleaned up or did not catch it.
pub const RESUME: &str = "_Unwind_Resume";
/// A thread runs, from here to `THREAD_ENDS`: on its own when the program runs, in the place of its start here.
pub const THREAD_BEGINS: &str = "__migfit_thread_begins";
/// A thread has run.
pub const THREAD_ENDS: &str = "__migfit_thread_ends";
/// What `std::to_string` of a floating-point number calls: a template that is given its arguments one by one, as printf
/// is. (result, vsnprintf, room, format, number).
pub const TO_TEXT: &str = "_ZN9__gnu_cxx12__to_xstringINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEcEET_PFiPT0_mPKS8_P13__va_list_tagEmSB_z";
/// A function is left by an exception.
pub const LEAVES: &str = "__migfit_leaves";
/// Nothing catches an exception: the process ends.
pub const UNCAUGHT: &str = "__migfit_uncaught";
