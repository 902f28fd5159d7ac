//! Fields of the nodes that trees, lists and hash tables are made of, in the program's own memory.

use crate::machine::host::Host;
use crate::machine::mark::Mark;
use crate::machine::value::Value;

/// A field of a node that is a pointer.
pub(super) fn link(host: &Host<'_>, node: u64, field: u64) -> Result<u64, Mark> {
    host.memory.load(node.wrapping_add(field), 8).get()
}

/// Sets a field of a node.
pub(super) fn set(host: &mut Host<'_>, node: u64, field: u64, to: u64) {
    host.memory
        .store(node.wrapping_add(field), 8, Value::known(to));
}
