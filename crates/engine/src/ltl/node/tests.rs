//! Both kinds of node table.

use super::*;

#[test]
fn both_kinds_of_table_remember_every_node() {
    for n_locations in [1, 3, MOST_DENSE, MOST_DENSE + 1, 100] {
        let mut table: NodeTable<u32> = NodeTable::new(n_locations);
        let node = |number: u32| Node {
            state: StateId::new(number * 7 % 50),
            location: Location(number % n_locations as u32),
        };
        let number_of = |node: Node| node.state.number() * 1000 + node.location.0 + 1;
        for number in 0..1000 {
            table.set(node(number), number_of(node(number)));
        }
        for number in 0..1000 {
            assert_eq!(table.get(node(number)), number_of(node(number)));
        }
        let far = Node { state: StateId::new(5000), location: Location(0) };
        assert_eq!(table.get(far), 0);
    }
}
