//! Other devices: there are none to reach, as on a GPU with MIG.

use crate::border::Out;
use crate::contexts;
use crate::driver::device;
use crate::status::Status;

exports! {
    fn cuDeviceCanAccessPeer(can: Out<i32>, ordinal: i32, peer: i32) {
        device(ordinal)?;
        device(peer)?;
        can.put(0)
    }

    /// Both devices are the one that there is, which is no pair.
    fn cuDeviceGetP2PAttribute(_value: Out<i32>, _attribute: u32, ordinal: i32, peer: i32) {
        device(ordinal)?;
        device(peer)?;
        Err(Status::INVALID_DEVICE)
    }

    /// A context of the same device is no peer.
    fn cuCtxEnablePeerAccess(peer: usize, flags: u32) {
        contexts::current()?;
        contexts::get(peer)?;
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        Err(Status::INVALID_DEVICE)
    }

    fn cuCtxDisablePeerAccess(peer: usize) {
        contexts::current()?;
        contexts::get(peer)?;
        Err(Status::PEER_ACCESS_NOT_ENABLED)
    }
}
