//! Tables of edges and replay on them.

use super::*;
use crate::{Ending, Misfit, Step, Trace};

fn two_states() -> Explicit {
    let mut builder = ExplicitBuilder::default();
    let (go, back) = (builder.action("go"), builder.action("back"));
    let [zero, one] = [0, 1].map(StateId::new);
    builder.initial(zero).edge(one, back, zero).edge(zero, go, one).end(one);
    builder.build()
}

fn walk(steps: &[(u32, u32)], ending: Ending) -> Trace {
    let steps = steps.iter().map(|&(action, to)| Step {
        group: GroupId::new(action),
        action: ActionId::new(action),
        state: vec![to],
    });
    Trace { initial: vec![0], steps: steps.collect(), ending }
}

#[test]
fn edges_are_kept_by_source() {
    let model = two_states();
    assert_eq!((model.n_states(), model.n_edges()), (2, 2));
    assert_eq!(model.edges(StateId::new(1)), [(ActionId::new(1), StateId::new(0))]);
}

#[test]
fn replay_accepts_what_the_model_does_and_nothing_else() {
    let model = two_states();
    assert_eq!(walk(&[(0, 1), (1, 0)], Ending::Loop { from: 0 }).replay(&model), Ok(()));
    assert_eq!(walk(&[(0, 1)], Ending::Finished).replay(&model), Ok(()));
    assert_eq!(walk(&[(0, 1), (0, 1)], Ending::Prefix).replay(&model), Err(Misfit::Step(1)));
    assert_eq!(walk(&[(0, 1)], Ending::Stuck).replay(&model), Err(Misfit::Ending));
    assert_eq!(walk(&[(0, 1)], Ending::Loop { from: 0 }).replay(&model), Err(Misfit::Ending));
}
