//! Comes in: the environment. Goes out: whether to record at all, and where to.

use migfit_schema::record::{RECORD_DIR_VARIABLE, RECORD_SITES_VARIABLE, SWITCH_VARIABLE};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

const UNREAD: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;
static STATE: AtomicU8 = AtomicU8::new(UNREAD);

/// Whether there is anything to do in this process. Read once: a program that changes its environment later is not
/// followed, so that a function pointer, once given out, keeps its meaning.
pub fn is_on() -> bool {
    let mut state = STATE.load(Relaxed);
    if state == UNREAD {
        state = if record_folder().is_some() { ON } else { OFF };
        STATE.store(state, Relaxed);
    }
    state == ON
}

/// Whether it is to be noted which code allocates.
pub fn wants_sites() -> bool {
    std::env::var_os(RECORD_SITES_VARIABLE).is_some_and(|value| value == "1")
}

/// The folder for run records, unless switched off or not asked for.
pub fn record_folder() -> Option<PathBuf> {
    folder_of(
        std::env::var_os(SWITCH_VARIABLE),
        std::env::var_os(RECORD_DIR_VARIABLE),
    )
}

fn folder_of(switch: Option<OsString>, folder: Option<OsString>) -> Option<PathBuf> {
    let on = switch.is_none_or(|value| value != "off");
    folder
        .filter(|folder| on && !folder.is_empty())
        .map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_kept_where_asked_for_and_not_switched_off() {
        let folder = || Some(OsString::from("records"));
        assert_eq!(folder_of(None, folder()), Some("records".into()));
        assert_eq!(
            folder_of(Some("on".into()), folder()),
            Some("records".into())
        );
        assert_eq!(folder_of(Some("off".into()), folder()), None);
        assert_eq!(folder_of(None, None), None);
        assert_eq!(folder_of(None, Some(OsString::new())), None);
    }
}
