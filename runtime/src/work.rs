//! What a virtual driver tells of work that it has done -> counts in the run record. A real driver has no such function,
//! and nothing is counted then.

use crate::guard::quietly;
use crate::kernels::Shape;
use crate::real::driver;
use crate::record::word;
use crate::session::{self, Session};
use migfit_schema::observed::{
    LAUNCH, Listener, MEMORY_QUERY, OBSERVE, Observed, TO_DEVICE, TO_HOST, WITHIN,
};
use std::ffi::c_void;

/// Asks the driver to be told, where it is a virtual one.
pub fn listen() {
    let Some(address) = driver::function(OBSERVE) else {
        return;
    };
    // SAFETY: the virtual driver's private export has this signature.
    let observe =
        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn(Listener)>(address) };
    // SAFETY: the listener stays as long as the process.
    unsafe { observe(heard) };
}

unsafe extern "C" fn heard(observed: *const Observed) {
    quietly(|| {
        // SAFETY: the driver's own value, valid for the time of this call.
        if let (Some(session), Some(observed)) = (session::current(), unsafe { observed.as_ref() })
        {
            note(session, observed);
        }
    });
}

fn note(session: &Session, observed: &Observed) {
    let record = session.record();
    match observed.kind {
        LAUNCH => {
            let bytes = usize::try_from(observed.name_bytes).unwrap_or(0);
            // SAFETY: the driver's own text of so many bytes, valid for the time of this call.
            let name = unsafe { std::slice::from_raw_parts(observed.name.cast::<u8>(), bytes) };
            let shape = Shape::new(observed.grid, observed.block, observed.shared);
            session.worked(name, shape, observed.work);
        }
        TO_DEVICE => {
            record.add(word!(to_device_bytes), observed.bytes);
            record.count(word!(to_device));
        }
        TO_HOST => {
            record.add(word!(to_host_bytes), observed.bytes);
            record.count(word!(to_host));
            if observed.unreal != 0 {
                record.count(word!(unreal_reads));
            }
        }
        WITHIN => {
            record.add(word!(within_bytes), observed.bytes);
            record.count(word!(within));
        }
        MEMORY_QUERY => record.count(word!(memory_queries)),
        _ => {}
    }
}
