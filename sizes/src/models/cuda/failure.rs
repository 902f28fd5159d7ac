//! Calls that fail: their status, the runtime's last error, and who has looked at it. A program that nobody sees looking
//! may go on or end there.

use crate::machine::host::{Host, Notes};
use crate::machine::mark::Mark;
use crate::machine::object::Kind;
use crate::machine::value::Value;
use migfit_schema::program::Place;
use migfit_schema::units::Bytes;

/// cudaErrorInvalidValue.
pub const INVALID_VALUE: i32 = 1;
/// cudaErrorMemoryAllocation.
const NO_MEMORY: i32 = 2;
/// What a CUDA context may take at most of memory that is not told to be free: above all that was ever reported.
const CONTEXT: u64 = 600 << 20;

/// A failure that the program has not looked at.
#[derive(Clone, Debug)]
pub struct Unseen {
    place: Place,
    what: String,
    /// For lack of device memory.
    lack: bool,
}

/// A call fails: tells so, and gives its status.
pub fn fail(host: &mut Host<'_>, error: i32, what: &str, why: String) -> Value {
    note(host, what, why, false);
    host.call_fails(error);
    status(error)
}

/// A status as the program gets it: of failure, and watched.
pub fn status(error: i32) -> Value {
    match error {
        0 => Value::int(0),
        _ => Value::int(error).also(Mark::STATUS),
    }
}

/// Tells of a failure that waits to be looked at.
pub fn note(host: &mut Host<'_>, what: &str, why: String, lack: bool) {
    let place = host.place;
    host.notes.remark(place, what, why);
    host.notes.unseen.push(Unseen {
        place,
        what: what.to_owned(),
        lack,
    });
}

/// The status of an allocation that the device has no room for; none where it has.
pub fn lack(host: &mut Host<'_>, api: &str, kind: Kind, bytes: Option<u64>) -> Option<Value> {
    let total = host.device.total_bytes;
    // Managed memory may be more than the device has. Of a device without memory nothing is known.
    let bytes = bytes.filter(|_| total > 0 && kind != Kind::Managed)?;
    let room = host.device.free_bytes.unwrap_or(total);
    let wanted = host.ledger.rounded_with(bytes);
    let place = host.place;
    if wanted <= room {
        let surely = host.device.free_bytes.is_some() || wanted.saturating_add(CONTEXT) <= total;
        if !surely {
            let reason = format!(
                "it is taken to find room: {} of the device's {} are then taken, and the context needs some",
                Bytes(wanted),
                Bytes(total)
            );
            host.notes.assume(place, api, reason);
        }
        return None;
    }
    let reason = format!(
        "it fails for lack of memory: with its {} the program would hold {}, and the device has {}",
        Bytes(bytes),
        Bytes(wanted),
        Bytes(room)
    );
    note(host, api, reason, true);
    host.notes.lacked.get_or_insert(wanted);
    host.ledger.lack();
    host.call_fails(NO_MEMORY);
    Some(status(NO_MEMORY))
}

impl Host<'_> {
    /// A CUDA call fails with this error, which the runtime keeps as its last.
    pub fn call_fails(&mut self, error: i32) {
        self.last_error = error;
        self.notes.a_call_failed = true;
    }
}

impl Notes {
    /// The program looks at a status of failure.
    pub fn see_failures(&mut self) {
        self.unseen.clear();
    }

    /// Something is taken or launched behind failures that nobody looked at: they are taken to have ended nothing.
    pub fn rest_on_unseen(&mut self) {
        for unseen in std::mem::take(&mut self.unseen) {
            self.lack_unseen |= unseen.lack;
            let reason = "the program is taken to go on after its failure".to_owned();
            self.assume(unseen.place, &unseen.what, reason);
        }
    }
}
