//! Fixed points where all nodes are of one class, as they are unless a formula names actions or looks back.

use super::{Labelling, Nodes};
use crate::budget::Ended;
use crate::ldd::{EMPTY, Node};

impl Labelling<'_, '_, '_> {
    /// Whether one class has all nodes and all steps.
    pub(super) fn has_all_steps(&self) -> bool {
        matches!(&self.classes[..], [only] if only.steps.len() == self.symbolic.relations.len())
    }

    /// `E(hold U goal)` where all nodes are of one class: what one relation finds is used by the next at
    /// once, those that touch the last levels first (chaining; Roig, Cortadella & Pastor 1995).
    pub(super) fn chained(&mut self, hold: Node, goal: Node) -> Result<Nodes, Ended> {
        let mut found = goal;
        self.keep(&vec![hold]);
        let mut order: Vec<usize> = (0..self.symbolic.relations.len()).collect();
        order.sort_by_key(|&number| std::cmp::Reverse(self.symbolic.relations[number].top()));
        loop {
            let before = found;
            self.symbolic.ldd.needed.push(before);
            for &number in &order {
                self.symbolic.relieve(&[&[found]]);
                let Self { symbolic, meter, classes, .. } = self;
                let relation = &symbolic.relations[number];
                let steps = classes[0].steps[number];
                let pair = (hold, found);
                let some = symbolic.ldd.preimage(pair, steps, relation.form(), 0, 0, meter)?;
                found = symbolic.ldd.union(found, some, meter)?;
            }
            self.symbolic.ldd.needed.pop();
            if found == before {
                self.keep(&vec![found]);
                return Ok(vec![found]);
            }
        }
    }

    /// `EG` where all nodes are of one class: what has no way to go on is taken away, and only what came
    /// before that is looked at again.
    pub(super) fn thinned(&mut self, body: Node, ends: Node) -> Result<Nodes, Ended> {
        let mut found = body;
        let mut asked = self.symbolic.ldd.difference(body, ends, self.meter)?;
        while asked != EMPTY {
            self.symbolic.relieve(&[&[found, asked]]);
            let goes_on = self.steps_within(asked, found)?;
            let stuck = self.symbolic.ldd.difference(asked, goes_on, self.meter)?;
            found = self.symbolic.ldd.difference(found, stuck, self.meter)?;
            let left = self.symbolic.ldd.difference(found, ends, self.meter)?;
            asked = self.steps_within(left, stuck)?;
        }
        self.keep(&vec![found]);
        Ok(vec![found])
    }

    /// The states of a set from which one step leads into a goal, all nodes being of one class.
    fn steps_within(&mut self, set: Node, goal: Node) -> Result<Node, Ended> {
        let Self { symbolic, meter, classes, .. } = self;
        let mut sum = EMPTY;
        if set == EMPTY || goal == EMPTY {
            return Ok(sum);
        }
        for (relation, &steps) in symbolic.relations.iter().zip(&classes[0].steps) {
            // What is known to go on need not be asked again.
            let rest = symbolic.ldd.difference(set, sum, meter)?;
            let pair = (rest, goal);
            let some = symbolic.ldd.preimage(pair, steps, relation.form(), 0, 0, meter)?;
            sum = symbolic.ldd.union(sum, some, meter)?;
        }
        Ok(sum)
    }
}
