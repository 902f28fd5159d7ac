//! Memory of graphs, as the device tells of it.

use crate::border::{In, Out};
use crate::driver::device;
use crate::graphs::memory;
use crate::status::Status;

exports! {
    fn cuDeviceGetGraphMemAttribute(ordinal: i32, attribute: u32, value: Out<u64>) {
        device(ordinal)?;
        let count = memory::counts().get(attribute as usize).copied();
        value.put(count.ok_or(Status::INVALID_VALUE)?)
    }

    fn cuDeviceSetGraphMemAttribute(ordinal: i32, attribute: u32, value: In<u64>) {
        device(ordinal)?;
        if value.get()? != 0 {
            return Err(Status::INVALID_VALUE);
        }
        memory::reset(attribute)
    }

    fn cuDeviceGraphMemTrim(ordinal: i32) {
        device(ordinal)?;
        memory::trim()
    }
}
