//! Groups of objects that instructions read or write: each group once, however many instructions share it.

use crate::slice::objects::ObjectId;
use crate::slice::points_to::Node;
use std::collections::HashMap;

/// Index of a group.
pub type GroupId = usize;

/// The groups. None is empty.
#[derive(Default)]
pub struct Groups {
    all: Vec<Vec<ObjectId>>,
    known: HashMap<Vec<ObjectId>, GroupId>,
    of_nodes: HashMap<Node, Option<GroupId>>,
    joins: HashMap<Vec<GroupId>, GroupId>,
    closures: HashMap<GroupId, GroupId>,
}

impl Groups {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The objects of one, ascending.
    pub fn objects(&self, group: GroupId) -> &[ObjectId] {
        self.all.get(group).map_or(&[], Vec::as_slice)
    }

    /// The group of these objects.
    pub fn of_list(&mut self, mut objects: Vec<ObjectId>) -> GroupId {
        objects.sort_unstable();
        objects.dedup();
        if let Some(group) = self.known.get(&objects) {
            return *group;
        }
        let group = self.all.len();
        self.all.push(objects.clone());
        self.known.insert(objects, group);
        group
    }

    /// The group of what a node points to; `None`: to nothing.
    pub fn of_node(
        &mut self,
        node: Node,
        objects: impl FnOnce() -> Vec<ObjectId>,
    ) -> Option<GroupId> {
        if let Some(group) = self.of_nodes.get(&node) {
            return *group;
        }
        let objects = objects();
        let group = (!objects.is_empty()).then(|| self.of_list(objects));
        self.of_nodes.insert(node, group);
        group
    }

    /// The group of all objects of several; `None`: of no group.
    pub fn joined(&mut self, groups: impl IntoIterator<Item = GroupId>) -> Option<GroupId> {
        let mut parts: Vec<GroupId> = groups.into_iter().collect();
        parts.sort_unstable();
        parts.dedup();
        if let [] | [_] = parts.as_slice() {
            return parts.pop();
        }
        if let Some(group) = self.joins.get(&parts) {
            return Some(*group);
        }
        let objects = parts.iter().flat_map(|part| self.objects(*part));
        let objects = objects.copied().collect();
        let group = self.of_list(objects);
        self.joins.insert(parts, group);
        Some(group)
    }

    /// The group of all that can be reached from one.
    pub fn closed(
        &mut self,
        start: GroupId,
        closure: impl FnOnce(Vec<ObjectId>) -> Vec<ObjectId>,
    ) -> GroupId {
        if let Some(group) = self.closures.get(&start) {
            return *group;
        }
        let group = self.of_list(closure(self.objects(start).to_vec()));
        self.closures.insert(start, group);
        group
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_objects_are_the_same_group() {
        let mut groups = Groups::default();
        let one = groups.of_list(vec![3, 1]);
        assert_eq!(groups.of_list(vec![1, 3, 3]), one);
        assert_eq!(groups.of_node(7, || vec![1, 3]), Some(one));
        assert_eq!(groups.of_node(7, || vec![9]), Some(one), "remembered");
        assert_eq!(groups.of_node(8, Vec::new), None);
        let two = groups.of_list(vec![2]);
        let both = groups.joined([two, one, two]);
        assert_eq!(groups.objects(both.unwrap()), [1, 2, 3]);
        assert_eq!((groups.joined([]), groups.joined([two])), (None, Some(two)));
        assert_eq!(groups.closed(two, |_| vec![2, 3, 1]), both.unwrap());
        assert_eq!(groups.closed(two, |_| vec![]), both.unwrap());
    }
}
