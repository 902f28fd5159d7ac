//! The parts of `std::list` that live in the library: they link nodes whose layout inlined code knows.

use super::node::{link, set};
use crate::machine::host::{Halt, Host};
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;

/// The models of this file.
pub const MODELS: Family = &[
    ("_ZNSt8__detail15_List_node_base7_M_hookEPS0_", hook),
    ("_ZNSt8__detail15_List_node_base9_M_unhookEv", unhook),
    (
        "_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_",
        transfer,
    ),
];

/// A list's node: next at 0, previous at 8.
const NEXT: u64 = 0;
const PREVIOUS: u64 = 8;

/// (node, the node that it comes before).
fn hook(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (node, at) = (arg(args, 0).get()?, arg(args, 1).get()?);
    let before = link(host, at, PREVIOUS)?;
    set(host, node, NEXT, at);
    set(host, node, PREVIOUS, before);
    set(host, before, NEXT, node);
    set(host, at, PREVIOUS, node);
    Ok(Value::known(0))
}

fn unhook(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let node = arg(args, 0).get()?;
    let (next, before) = (link(host, node, NEXT)?, link(host, node, PREVIOUS)?);
    set(host, before, NEXT, next);
    set(host, next, PREVIOUS, before);
    Ok(Value::known(0))
}

/// (node, first, last): the nodes from first to before last come before the node.
fn transfer(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let [node, first, last] = [0, 1, 2].map(|index| arg(args, index).get());
    let (node, first, last) = (node?, first?, last?);
    if node == last {
        return Ok(Value::known(0));
    }
    let (before_last, before_first, before) = (
        link(host, last, PREVIOUS)?,
        link(host, first, PREVIOUS)?,
        link(host, node, PREVIOUS)?,
    );
    set(host, before_last, NEXT, node);
    set(host, before_first, NEXT, last);
    set(host, before, NEXT, first);
    set(host, node, PREVIOUS, before_last);
    set(host, last, PREVIOUS, before_first);
    set(host, first, PREVIOUS, before);
    Ok(Value::known(0))
}
