//! The published figures, found by exploring all choices of the real threads.

use quadrille_example_producer_consumer::{Node, explore_all};

#[test]
fn the_grid_has_its_published_nodes_and_transitions() {
    for size in [1, 2, 3, 4, 5, 8] {
        let explored = explore_all(size);
        let growth = explored.coverage.growth();
        let grid: Vec<Node> = (1..=5).flat_map(|p| (1..=5).map(move |c| Node(p, c))).collect();
        let unreachable = |Node(p, c): &Node| *p == 5 || *c == 5 || (*p, *c) == (1, 4);
        let reachable: Vec<Node> = grid.iter().filter(|node| !unreachable(node)).copied().collect();
        assert_eq!(explored.nodes(), reachable, "size {size}");
        assert_eq!((growth.states, growth.pairs), (15, 35), "size {size}");
        let recurrent: Vec<Node> = (2..=4).flat_map(|p| (2..=4).map(move |c| Node(p, c))).collect();
        assert_eq!(explored.recurrent, recurrent, "size {size}");
        assert_eq!(explored.n_deadlocks, 0, "size {size}");
    }
}
