//! The macros behind the table of symbols.rs: one row in; an exported function, a table entry and its real pointers out.
//! They must not know what a witness notes.

/// A C string from a literal or from `stringify!`.
macro_rules! cstr {
    ($($text:tt)*) => {
        match std::ffi::CStr::from_bytes_with_nul(concat!($($text)*, "\0").as_bytes()) {
            Ok(text) => text,
            Err(_) => panic!("a zero byte inside a name"),
        }
    };
}

/// The body of a hook: the real call, between the two halves of its witness.
macro_rules! hook_body {
    ($guard:ident, $door:ident, $row:expr, $witness:path, ($($argument:ident: $type:ty),*)) => {{
        type Real = unsafe extern "C" fn($($type),*) -> Code;
        guard::$guard(
            &TABLE[$row],
            Door::$door,
            |real| {
                // SAFETY: `real` is the driver's function of this very name, so it has this signature; the arguments
                // go through as the program gave them.
                unsafe { std::mem::transmute::<*mut c_void, Real>(real)($($argument),*) }
            },
            |given| $witness(given, $($argument),*),
        )
    }};
}

/// Declares the hooked driver functions. One row:
/// `GUARD EXPORT = ASKED_AS FIRST_VERSION STREAM (ARGUMENTS) => WITNESS;`
/// The witness gets what the guard gives it and the arguments, before the real call, and returns what is to be done
/// with the result after it.
macro_rules! driver_table {
    ($($guard:ident $name:ident = $base:literal $since:literal $stream:ident $arguments:tt => $witness:path;)*) => {
        /// Position of each function in the table.
        #[expect(non_camel_case_types, reason = "the driver's own names")]
        enum Row { $($name),* }

        /// Every hooked driver function, once.
        pub static TABLE: [Symbol; [$(stringify!($name)),*].len()] = [$(Symbol {
            name: cstr!(stringify!($name)),
            base: cstr!($base),
            since: $since,
            stream: Stream::$stream,
            linked: Hook($name as *const c_void),
            looked_up: Hook(looked_up::$name as *const c_void),
            next: AtomicPtr::new(std::ptr::null_mut()),
            driver: AtomicPtr::new(std::ptr::null_mut()),
        }),*];

        $( exported! { $guard $name $arguments => $witness } )*

        /// The same functions for those who look them up: what lies behind them is the driver itself.
        mod looked_up {
            use super::*;
            $( unexported! { $guard $name $arguments => $witness } )*
        }
    };
}

/// A hook for programs that were linked with the driver.
macro_rules! exported {
    ($guard:ident $name:ident ($($argument:ident: $type:ty),*) => $witness:path) => {
        /// Stands in for the driver function of this name.
        #[cfg_attr(not(test), unsafe(no_mangle))]
        unsafe extern "C" fn $name($($argument: $type),*) -> Code {
            hook_body!($guard, Linked, Row::$name as usize, $witness, ($($argument: $type),*))
        }
    };
}

/// A hook that look-ups answer with.
macro_rules! unexported {
    ($guard:ident $name:ident ($($argument:ident: $type:ty),*) => $witness:path) => {
        pub unsafe extern "C" fn $name($($argument: $type),*) -> Code {
            hook_body!($guard, LookedUp, Row::$name as usize, $witness, ($($argument: $type),*))
        }
    };
}

/// Declares driver functions that cust links to, as forwarders of our own. They are hidden: the loader does not see
/// them, so no program finds a driver function here that its machine does not have.
macro_rules! forwarded {
    ($($name:ident ($($argument:ident: $type:ty),*);)*) => { $(
        mod $name {
            use super::*;

            std::arch::global_asm!(
                concat!(".globl ", stringify!($name)),
                concat!(".hidden ", stringify!($name)),
                concat!(".type ", stringify!($name), ", @function"),
                concat!(stringify!($name), ":"),
                "jmp {forward}",
                forward = sym forward,
            );

            unsafe extern "C" fn forward($($argument: $type),*) -> Code {
                type Real = unsafe extern "C" fn($($type),*) -> Code;
                let Some(real) = driver::function(cstr!(stringify!($name))) else {
                    return driver::MISSING;
                };
                // SAFETY: `real` is the driver's function of this name, which has this signature.
                known(unsafe { std::mem::transmute::<*mut c_void, Real>(real)($($argument),*) })
            }
        }
    )* };
}
