//! The parts of `std::map` and `std::set` that live in the library: they balance nodes whose layout inlined code knows.

use super::node::{link, set};
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;

/// The models of this file.
pub const MODELS: Family = &[
    (
        "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
        insert,
    ),
    (
        "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_",
        erase,
    ),
    ("_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", increment),
    (
        "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base",
        increment,
    ),
    ("_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base", decrement),
    (
        "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base",
        decrement,
    ),
];

/// A tree's node: colour at 0 (0 is red), parent, left, right behind. The header's are root, first and last node.
const PARENT: u64 = 8;
const LEFT: u64 = 16;
const RIGHT: u64 = 24;
const RED: u64 = 0;
const BLACK: u64 = 1;

fn colour(host: &Host<'_>, node: u64) -> Result<u64, Mark> {
    host.memory.load(node, 4).get()
}

fn paint(host: &mut Host<'_>, node: u64, colour: u64) {
    host.memory.store(node, 4, Value::known(colour));
}

/// The other side.
fn across(side: u64) -> u64 {
    if side == LEFT { RIGHT } else { LEFT }
}

/// Puts `new` where `old` hangs below its parent.
fn put_in_place(host: &mut Host<'_>, header: u64, old: u64, new: u64) -> Result<(), Mark> {
    let parent = link(host, old, PARENT)?;
    if link(host, header, PARENT)? == old {
        set(host, header, PARENT, new);
    } else if link(host, parent, LEFT)? == old {
        set(host, parent, LEFT, new);
    } else {
        set(host, parent, RIGHT, new);
    }
    if new != 0 {
        set(host, new, PARENT, parent);
    }
    Ok(())
}

/// Turns a node down to `side`; its child on the other side comes up.
fn rotate(host: &mut Host<'_>, header: u64, node: u64, side: u64) -> Result<(), Mark> {
    let up = link(host, node, across(side))?;
    let inner = link(host, up, side)?;
    set(host, node, across(side), inner);
    if inner != 0 {
        set(host, inner, PARENT, node);
    }
    put_in_place(host, header, node, up)?;
    set(host, up, side, node);
    set(host, node, PARENT, up);
    Ok(())
}

/// (to the left, node, parent, header).
fn insert(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let left = arg(args, 0).get()? & 1 == 1;
    let [node, parent, header] = [1, 2, 3].map(|index| arg(args, index).get());
    let (node, parent, header) = (node?, parent?, header?);
    set(host, node, PARENT, parent);
    set(host, node, LEFT, 0);
    set(host, node, RIGHT, 0);
    paint(host, node, RED);
    if left {
        set(host, parent, LEFT, node);
        if parent == header {
            set(host, header, PARENT, node);
            set(host, header, RIGHT, node);
        } else if parent == link(host, header, LEFT)? {
            set(host, header, LEFT, node);
        }
    } else {
        set(host, parent, RIGHT, node);
        if parent == link(host, header, RIGHT)? {
            set(host, header, RIGHT, node);
        }
    }
    rebalance(host, header, node)?;
    Ok(Value::known(0))
}

/// Below a red parent a new red node makes the tree uneven.
fn rebalance(host: &mut Host<'_>, header: u64, mut node: u64) -> Result<(), Mark> {
    loop {
        let root = link(host, header, PARENT)?;
        let parent = link(host, node, PARENT)?;
        if node == root || colour(host, parent)? != RED {
            break;
        }
        host.charge_bytes(128);
        let above = link(host, parent, PARENT)?;
        let side = if link(host, above, LEFT)? == parent {
            LEFT
        } else {
            RIGHT
        };
        let uncle = link(host, above, across(side))?;
        if uncle != 0 && colour(host, uncle)? == RED {
            paint(host, parent, BLACK);
            paint(host, uncle, BLACK);
            paint(host, above, RED);
            node = above;
            continue;
        }
        if link(host, parent, across(side))? == node {
            node = parent;
            rotate(host, header, node, side)?;
        }
        let parent = link(host, node, PARENT)?;
        paint(host, parent, BLACK);
        paint(host, above, RED);
        rotate(host, header, above, across(side))?;
    }
    let root = link(host, header, PARENT)?;
    paint(host, root, BLACK);
    Ok(())
}

/// The last node on a side below a node.
fn outermost(host: &Host<'_>, mut node: u64, side: u64) -> Result<u64, Mark> {
    loop {
        match link(host, node, side)? {
            0 => return Ok(node),
            next => node = next,
        }
    }
}

/// (node, header): the node, unlinked. The order of what is left is right; its balance is not restored, which only
/// later searches would notice by their time.
fn erase(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (node, header) = (arg(args, 0).get()?, arg(args, 1).get()?);
    host.charge_bytes(128);
    let after = neighbour(host, node, RIGHT)?;
    let before = neighbour(host, node, LEFT)?;
    let (is_first, is_last) = (
        link(host, header, LEFT)? == node,
        link(host, header, RIGHT)? == node,
    );
    let (left, right) = (link(host, node, LEFT)?, link(host, node, RIGHT)?);
    if left != 0 && right != 0 {
        let next = outermost(host, right, LEFT)?;
        let below = link(host, next, RIGHT)?;
        put_in_place(host, header, next, below)?;
        let right = link(host, node, RIGHT)?;
        set(host, next, LEFT, left);
        set(host, left, PARENT, next);
        set(host, next, RIGHT, right);
        if right != 0 {
            set(host, right, PARENT, next);
        }
        put_in_place(host, header, node, next)?;
    } else {
        put_in_place(host, header, node, if left != 0 { left } else { right })?;
    }
    if is_first {
        set(host, header, LEFT, after);
    }
    if is_last {
        set(host, header, RIGHT, before);
    }
    let root = link(host, header, PARENT)?;
    if root != 0 {
        paint(host, root, BLACK);
    }
    Ok(Value::known(node))
}

/// The next node in order on a side; behind the last one the header.
fn neighbour(host: &Host<'_>, node: u64, side: u64) -> Result<u64, Mark> {
    let below = link(host, node, side)?;
    if below != 0 {
        return outermost(host, below, across(side));
    }
    let (mut node, mut parent) = (node, link(host, node, PARENT)?);
    while link(host, parent, side)? == node {
        node = parent;
        parent = link(host, parent, PARENT)?;
    }
    // Only at the header is the node's own child its parent.
    Ok(if link(host, node, side)? != parent {
        parent
    } else {
        node
    })
}

fn increment(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.charge_bytes(64);
    Ok(Value::known(neighbour(host, arg(args, 0).get()?, RIGHT)?))
}

/// Before the header, which is red and its own grandparent, comes the last node.
fn decrement(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    host.charge_bytes(64);
    let node = arg(args, 0).get()?;
    let parent = link(host, node, PARENT)?;
    let is_header = colour(host, node)? == RED && link(host, parent, PARENT)? == node;
    let before = match is_header {
        true => link(host, node, RIGHT)?,
        false => neighbour(host, node, LEFT)?,
    };
    Ok(Value::known(before))
}
