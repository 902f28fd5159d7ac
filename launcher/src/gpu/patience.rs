//! Trying again what is in use: bounded, with growing waits. The clock is the caller's, so that tests do not wait.

use crate::gpu::GpuError;
use std::time::Duration;

/// The first wait; each one after it is twice as long. A driver needs tenths of a second, seen up to a second or more,
/// after a process has ended.
const FIRST: Duration = Duration::from_millis(10);
/// Waits between attempts: 10.2 seconds in all.
pub const WAITS: u32 = 10;

/// Tries again, with growing waits, as long as the answer is "in use".
///
/// # Errors
/// Any other refusal at once; "in use" after the last attempt.
pub fn patiently<T>(
    sleep: fn(Duration),
    mut attempt: impl FnMut() -> Result<T, GpuError>,
) -> Result<T, GpuError> {
    for turn in 0..WAITS {
        match attempt() {
            Err(GpuError::InUse { .. }) => sleep(FIRST * 2_u32.saturating_pow(turn)),
            answer => return answer,
        }
    }
    attempt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    thread_local! {
        static WAITED: RefCell<Vec<Duration>> = const { RefCell::new(Vec::new()) };
    }

    fn waited() -> Duration {
        WAITED.with_borrow_mut(|all| all.drain(..).sum())
    }

    /// What comes of an attempt that is refused so many times.
    fn after(refusals: u32) -> Result<u32, GpuError> {
        let mut attempts = 0;
        patiently(
            |wait| WAITED.with_borrow_mut(|all| all.push(wait)),
            || {
                attempts += 1;
                match attempts > refusals {
                    true => Ok(attempts),
                    false => Err(GpuError::InUse { call: "test" }),
                }
            },
        )
    }

    #[test]
    fn waits_double_and_end_after_ten_seconds() {
        assert!(matches!(after(0), Ok(1)));
        assert_eq!(waited(), Duration::ZERO);
        assert!(matches!(after(3), Ok(4)));
        assert_eq!(waited(), Duration::from_millis(10 + 20 + 40));
        assert!(after(WAITS).is_ok());
        assert_eq!(waited(), Duration::from_millis(10_230));
        assert!(matches!(after(WAITS + 1), Err(GpuError::InUse { .. })));
        assert_eq!(waited(), Duration::from_millis(10_230));
    }

    #[test]
    fn only_what_is_in_use_is_tried_again() {
        let mut attempts = 0;
        let answer: Result<(), _> = patiently(
            |_| panic!("no wait"),
            || {
                attempts += 1;
                Err(GpuError::NoPermission { call: "test" })
            },
        );
        assert!(matches!(answer, Err(GpuError::NoPermission { .. })));
        assert_eq!(attempts, 1);
    }
}
