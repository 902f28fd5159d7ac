//! Macros that give a library its exported functions: those with a body, those that are not done, and second names.

/// Exports functions: each body is the guard's (first the path of a function like [`guard`](fn@crate::guard)).
#[macro_export]
macro_rules! exports {
    ($guard:path; $($(#[$about:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $body:block)*) => {$(
        $(#[$about])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $kind),*) -> u32 {
            $guard(|| $body)
        }
    )*};
}

/// Exports functions that are not done: each answers what `refuse` makes of its name. C lets the caller pass
/// arguments that the callee does not look at, so one signature does for all.
#[macro_export]
macro_rules! stubs {
    ($refuse:path; $($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> u32 {
            $refuse(stringify!($name))
        }
    )*};
}

/// Second names for functions whose parameters only their first names know: jumps. Work is complete when a call
/// returns, so forms for per-thread default streams do as the legacy ones.
#[macro_export]
macro_rules! aliases {
    ($($alias:ident = $name:ident)*) => {$(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        extern "C" fn $alias() {
            #[cfg(target_arch = "x86_64")]
            std::arch::naked_asm!("jmp {}", sym $name);
            #[cfg(target_arch = "aarch64")]
            std::arch::naked_asm!("b {}", sym $name);
        }
    )*};
}
