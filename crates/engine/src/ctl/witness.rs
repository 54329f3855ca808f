//! Runs that show why a formula fails: the way along its universal operators to where it fails, an
//! end or a loop where something never comes. Runs are made of nodes; the model replays them later.

use std::collections::VecDeque;
use std::rc::Rc;

use quadrille_logic::{Binary, Formula, Path, Unary};
use quadrille_model::Bound;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Labels;
use super::nodes::{NodeId, Nodes};
use crate::bits::Bits;
use crate::limits::Watch;

/// That a formula holds or does not hold.
#[derive(Clone, Copy)]
pub(super) struct Claim<'f> {
    pub formula: &'f Formula,
    pub value: bool,
}

/// A path of nodes.
pub(super) struct Run {
    /// At least one.
    pub nodes: Vec<NodeId>,
    pub ending: RunEnding,
}

/// How a path of nodes ends.
pub(super) enum RunEnding {
    /// What it shows is in its last node.
    Open,
    /// The run ends there.
    Ended,
    /// The last node is the one at `from` again.
    Loop { from: usize },
}

/// Finds runs in a labelled graph.
pub(super) struct Witnesses<'a, 'w, 'o> {
    pub nodes: &'a Nodes<'a, 'a>,
    pub labels: &'a Labels<'a>,
    pub watch: &'w mut Watch<'o>,
}

/// What some run from a node does.
enum Course<'f> {
    /// It goes through nodes of `hold`, if any, to one of `goal`, where the claims are true.
    To { hold: Rc<Bits>, goal: Rc<Bits>, claims: Vec<Claim<'f>> },
    /// It never leaves a set.
    Within(Rc<Bits>),
    /// Its next node is in `goal`, where the claim is true.
    Next { goal: Rc<Bits>, claim: Claim<'f> },
}

impl Witnesses<'_, '_, '_> {
    /// A run from a node that shows a true claim; none where it takes more than one run.
    pub fn show(&mut self, claim: Claim<'_>, node: NodeId) -> Result<Option<Run>, Bound> {
        let Claim { formula, value } = claim;
        let of = |formula, value| Claim { formula, value };
        match formula {
            Formula::True | Formula::False | Formula::Atom(_) => Ok(Some(Run::stay(node))),
            Formula::Not(operand) => self.show(of(operand, !value), node),
            Formula::And(operands) | Formula::Or(operands) => {
                let claims: Vec<Claim<'_>> = operands.iter().map(|o| of(o, value)).collect();
                if value == matches!(formula, Formula::And(_)) {
                    self.show_all(&claims, node)
                } else {
                    self.show_one(&claims, node)
                }
            }
            Formula::Implies(left, right) => {
                let claims = [of(left, !value), of(right, value)];
                if value { self.show_one(&claims, node) } else { self.show_all(&claims, node) }
            }
            Formula::Iff(left, right) => {
                let sides = [&**left, &**right].map(|side| of(side, self.holds(side, node)));
                self.show_all(&sides, node)
            }
            Formula::Unary(path, operator, operand) => {
                if operator.is_past() {
                    return Ok(self.show_past(node));
                }
                // "Not all" is "some not"; what all runs do, one cannot show.
                if value != (*path == Path::Some) {
                    return Ok(None);
                }
                self.follow(&self.unary(*operator, of(operand, value)), node).map(Some)
            }
            Formula::Binary(path, operator, left, right) => {
                if operator.is_past() {
                    return Ok(self.show_past(node));
                }
                if value != (*path == Path::Some) {
                    return Ok(None);
                }
                let mut courses = self.binary(*operator, left, right, value);
                let last = courses.pop().expect("an operator that looks forward has a course");
                for course in courses {
                    if self.is_possible(&course, node)? {
                        return self.follow(&course, node).map(Some);
                    }
                }
                self.follow(&last, node).map(Some)
            }
        }
    }

    /// An initial node is its whole history; of others, a run forward shows nothing.
    fn show_past(&self, node: NodeId) -> Option<Run> {
        self.nodes.is_initial(node).then(|| Run::stay(node))
    }

    /// Shows one of several claims, one that is true.
    fn show_one(&mut self, claims: &[Claim<'_>], node: NodeId) -> Result<Option<Run>, Bound> {
        for &claim in claims {
            if self.holds(claim.formula, node) == claim.value
                && let Some(run) = self.show(claim, node)?
            {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }

    /// Shows several true claims, of which at most one is about more than the node.
    fn show_all(&mut self, claims: &[Claim<'_>], node: NodeId) -> Result<Option<Run>, Bound> {
        let mut temporal = claims.iter().filter(|claim| is_temporal(claim.formula));
        match (temporal.next(), temporal.next()) {
            (None, _) => Ok(Some(Run::stay(node))),
            (Some(claim), None) => self.show(*claim, node),
            (Some(_), Some(_)) => Ok(None),
        }
    }

    fn holds(&self, formula: &Formula, node: NodeId) -> bool {
        self.labels.get(formula, true).contains(node.index())
    }

    /// What a run does that shows "some run: operator operand" for a true operand, and "not all
    /// runs: operator operand" for a false one.
    fn unary<'f>(&self, operator: Unary, operand: Claim<'f>) -> Course<'f> {
        let set = self.labels.get(operand.formula, operand.value);
        let always = Rc::new(self.nodes.all());
        let operator = if operand.value { operator } else { super::operator_dual(operator) };
        match operator {
            Unary::Always => Course::Within(set),
            Unary::Eventually => Course::To { hold: always, goal: set, claims: vec![operand] },
            _ => Course::Next { goal: set, claim: operand },
        }
    }

    /// The same for operators with two operands; one of the courses is possible.
    fn binary<'f>(
        &self,
        operator: Binary,
        left: &'f Formula,
        right: &'f Formula,
        value: bool,
    ) -> Vec<Course<'f>> {
        let [of_left, of_right] = [left, right].map(|side| self.labels.get(side, value));
        let both = || Rc::new(of_left.and(&of_right));
        let claim = |formula| Claim { formula, value };
        let to = |hold: &Rc<Bits>, goal: Rc<Bits>, claims| Course::To {
            hold: hold.clone(),
            goal,
            claims,
        };
        // The claims are about what is true of the run: negated, until becomes release.
        let operator = match (value, operator) {
            (true, operator) => operator,
            (false, Binary::Until) => Binary::Release,
            (false, Binary::Release) => Binary::Until,
            (false, Binary::WeakUntil) => Binary::StrongRelease,
            (false, Binary::StrongRelease) => Binary::WeakUntil,
            (false, Binary::Since) => Binary::Since,
        };
        let both_claims = || vec![claim(left), claim(right)];
        match operator {
            Binary::Until => vec![to(&of_left, of_right.clone(), vec![claim(right)])],
            Binary::WeakUntil => vec![
                to(&of_left, of_right.clone(), vec![claim(right)]),
                Course::Within(of_left.clone()),
            ],
            Binary::StrongRelease => vec![to(&of_right, both(), both_claims())],
            Binary::Release => {
                vec![to(&of_right, both(), both_claims()), Course::Within(of_right.clone())]
            }
            Binary::Since => Vec::new(),
        }
    }

    fn is_possible(&mut self, course: &Course<'_>, node: NodeId) -> Result<bool, Bound> {
        let nodes = self.nodes;
        let set = match course {
            Course::To { hold, goal, .. } => nodes.some_until(hold, goal, self.watch),
            Course::Within(set) => nodes.some_always(set, self.watch),
            Course::Next { goal, .. } => nodes.some_next(goal, self.watch),
        };
        Ok(set?.contains(node.index()))
    }

    fn follow(&mut self, course: &Course<'_>, node: NodeId) -> Result<Run, Bound> {
        let expected = "the label says that there is one";
        match course {
            Course::Within(set) => {
                let set = self.nodes.some_always(set, self.watch)?;
                self.stay_within(&set, node)
            }
            Course::To { hold, goal, claims } => {
                let way = self.shortest(
                    &[node],
                    |n| hold.contains(n.index()),
                    |n| goal.contains(n.index()),
                )?;
                self.continued(way.expect(expected), claims)
            }
            Course::Next { goal, claim } => {
                let mut next = self.nodes.after(self.nodes.state(node));
                let next = next.find(|next| goal.contains(next.index())).expect(expected);
                self.continued(vec![node, next], &[*claim])
            }
        }
    }

    /// A way, and after it what shows the claims about its last node, if one run does.
    fn continued(&mut self, mut way: Vec<NodeId>, claims: &[Claim<'_>]) -> Result<Run, Bound> {
        let Some(last) = way.pop() else {
            unreachable!("a way has a node");
        };
        let rest = self.show_all(claims, last)?.unwrap_or_else(|| Run::stay(last));
        let ending = match rest.ending {
            RunEnding::Loop { from } => RunEnding::Loop { from: from + way.len() },
            other => other,
        };
        way.extend(rest.nodes);
        Ok(Run { nodes: way, ending })
    }

    /// A run that never leaves a set each of whose nodes may end a run or has a successor in it.
    fn stay_within(&mut self, set: &Bits, node: NodeId) -> Result<Run, Bound> {
        let graph = self.nodes;
        let inside = |node: NodeId| set.contains(node.index());
        let ends = |node: NodeId| graph.may_end(graph.state(node));
        if let Some(nodes) = self.shortest(&[node], inside, |node| inside(node) && ends(node))? {
            return Ok(Run { nodes, ending: RunEnding::Ended });
        }
        let cycle = self.some_cycle(set, node);
        let enters = |node: NodeId| cycle.contains(&node);
        let mut nodes = self.shortest(&[node], inside, enters)?.expect("it leads to the cycle");
        let from = nodes.len() - 1;
        let entry = nodes[from];
        let next: Vec<NodeId> =
            graph.after(graph.state(entry)).filter(|&node| inside(node)).collect();
        let around = self.shortest(&next, inside, |node| node == entry)?;
        nodes.extend(around.expect("it lies on the cycle"));
        Ok(Run { nodes, ending: RunEnding::Loop { from } })
    }

    /// The nodes of a cycle that a walk from a node within a set ends in.
    fn some_cycle(&self, set: &Bits, node: NodeId) -> FxHashSet<NodeId> {
        let mut walk = Vec::new();
        let mut position: FxHashMap<NodeId, usize> = FxHashMap::default();
        let mut at = node;
        while !position.contains_key(&at) {
            position.insert(at, walk.len());
            walk.push(at);
            let mut next = self.nodes.after(self.nodes.state(at));
            at = next.find(|next| set.contains(next.index())).expect("it goes on in the set");
        }
        walk[position[&at]..].iter().copied().collect()
    }

    /// A shortest way from one of `starts` to a node of the goal, all before it being `through`.
    fn shortest(
        &mut self,
        starts: &[NodeId],
        through: impl Fn(NodeId) -> bool,
        goal: impl Fn(NodeId) -> bool,
    ) -> Result<Option<Vec<NodeId>>, Bound> {
        let mut reached_by: FxHashMap<NodeId, Option<NodeId>> = FxHashMap::default();
        let mut queue: VecDeque<NodeId> = VecDeque::new();
        for &start in starts {
            reached_by.entry(start).or_insert_with(|| {
                queue.push_back(start);
                None
            });
        }
        // The successors of a node are those of its state: visiting them once is enough.
        let mut done = Bits::none(self.nodes.n_states());
        while let Some(node) = queue.pop_front() {
            if goal(node) {
                let mut way = vec![node];
                let mut at = node;
                while let Some(before) = reached_by[&at] {
                    way.push(before);
                    at = before;
                }
                way.reverse();
                return Ok(Some(way));
            }
            let state = self.nodes.state(node);
            self.watch.work(8, || {
                self.nodes.bytes() + reached_by.capacity() * REACHED + queue.capacity() * 4
            })?;
            if through(node) && done.insert(state.index()) {
                for next in self.nodes.after(state) {
                    reached_by.entry(next).or_insert_with(|| {
                        queue.push_back(next);
                        Some(node)
                    });
                }
            }
        }
        Ok(None)
    }
}

/// Bytes of an entry of the map from nodes to those before them.
const REACHED: usize = size_of::<(NodeId, Option<NodeId>)>() * 8 / 7 + 1;

impl Run {
    /// Nothing happens: the node itself shows it.
    fn stay(node: NodeId) -> Run {
        Run { nodes: vec![node], ending: RunEnding::Open }
    }
}

fn is_temporal(formula: &Formula) -> bool {
    matches!(formula, Formula::Unary(..) | Formula::Binary(..))
        || formula.operands().into_iter().any(is_temporal)
}
