//! From the table of a space back to the steps of its model: numbers of states and of actions are the
//! same, groups are asked for.

use quadrille_engine::{Edge, Space};
use quadrille_model::{ActionId, GroupId, StateId, Value};

/// The edge of the model that an edge of the table stands for.
pub(crate) fn edge(space: &Space, from: StateId, action: ActionId, to: StateId) -> Edge {
    let target = space.state(to);
    let mut group = None;
    let mut look = |found: GroupId, performed: ActionId, next: &[Value]| {
        if performed == action && next == target {
            group.get_or_insert(found);
        }
    };
    space.model().expand(&space.state(from), &mut look);
    Edge { group: group.expect("the table has the edges of its model"), action, to }
}
