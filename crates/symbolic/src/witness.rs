//! Runs that show why a formula of branching time fails, by the rules of the explicit engine: the way
//! along its universal operators to where it fails, an end or a loop where something never comes. Ways are
//! shortest: the goal is surrounded by rings of nodes that are one step farther away each.

use quadrille_engine::replayed;
use quadrille_logic::{Binary, Formula, Path, Unary};
use quadrille_model::{Ending, Step, Trace, Value};
use rustc_hash::FxHashMap;

use crate::budget::{CALL, Ended};
use crate::ctl::{Labelling, Nodes, dual};
use crate::ldd::{EMPTY, Node};

/// A state and the class of the action that led there.
type Place = (usize, Vec<Value>);

/// That a formula holds or does not hold.
#[derive(Clone, Copy)]
struct Claim<'f> {
    formula: &'f Formula,
    value: bool,
}

/// A run from a node on.
#[derive(Default)]
struct Run {
    steps: Vec<Step>,
    ending: RunEnding,
}

/// How it ends.
#[derive(Default)]
enum RunEnding {
    /// What it shows is in its last node.
    #[default]
    Open,
    /// The run ends there.
    Ended,
    /// The last node is the one before this step again.
    Loop { from: usize },
}

/// Finds runs among labelled nodes.
pub(crate) struct Witnesses<'l, 'a, 'm, 'w> {
    pub labelling: &'l mut Labelling<'a, 'm, 'w>,
}

/// What some run from a node does.
enum Course<'f> {
    /// It goes through nodes of `hold`, if any, to one of `goal`, where the claims are true.
    To { hold: Nodes, goal: Nodes, claims: Vec<Claim<'f>> },
    /// It never leaves a set.
    Within(Nodes),
    /// Its next node is in `goal`, where the claim is true.
    Next { goal: Nodes, claim: Claim<'f> },
}

/// Initial nodes that are tried.
const MOST_STARTS: usize = 16;

impl Witnesses<'_, '_, '_, '_> {
    /// A run that shows why a formula fails in one of these initial states.
    pub(crate) fn refute(
        &mut self,
        formula: &Formula,
        failing: Node,
    ) -> Result<Option<Trace>, Ended> {
        let claim = Claim { formula, value: false };
        let mut starts = Vec::new();
        if let Formula::Unary(Path::All, Unary::Always, body) = formula {
            // The shortest run from any initial state.
            let (hold, goal) = (self.labelling.all(), self.labelling.get(body, false)?);
            let rings = self.rings(&hold, goal, |witnesses, ring| {
                let Labelling { symbolic, meter, .. } = &mut *witnesses.labelling;
                Ok(symbolic.ldd.intersection(ring[0], failing, meter)? != EMPTY)
            })?;
            let last = rings.last().map_or(EMPTY, |ring| ring[0]);
            let Labelling { symbolic, meter, .. } = &mut *self.labelling;
            let nearest = symbolic.ldd.intersection(last, failing, meter)?;
            starts.extend(symbolic.ldd.first(nearest));
        }
        let symbolic = &self.labelling.symbolic;
        let mut left = if starts.is_empty() { MOST_STARTS } else { 0 };
        // An error ends the enumeration; it is none.
        let _ = symbolic.ldd.each(failing, &mut Vec::new(), &mut |vector| {
            left = left.checked_sub(1).ok_or(Ended::Budget)?;
            starts.push(vector.to_vec());
            Ok(())
        });
        for start in starts {
            let start = self.labelling.symbolic.by_slot(&start);
            if let Some(run) = self.show(claim, &(0, start.clone()))? {
                return self.trace(start, run).map(Some);
            }
        }
        Ok(None)
    }

    fn trace(&mut self, initial: Vec<Value>, run: Run) -> Result<Trace, Ended> {
        let model = self.labelling.symbolic.model;
        let mut trace = Trace { initial, steps: run.steps, ending: Ending::Prefix };
        trace.ending = match run.ending {
            RunEnding::Open => Ending::Prefix,
            RunEnding::Ended if model.explorer().may_end(trace.last())? => Ending::Finished,
            RunEnding::Ended => Ending::Stuck,
            RunEnding::Loop { from } => Ending::Loop { from },
        };
        Ok(replayed(model, trace)?)
    }

    /// A run from a node that shows a true claim; none where it takes more than one run.
    fn show(&mut self, claim: Claim<'_>, node: &Place) -> Result<Option<Run>, Ended> {
        let Claim { formula, value } = claim;
        let of = |formula, value| Claim { formula, value };
        match formula {
            Formula::True | Formula::False | Formula::Atom(_) => Ok(Some(Run::default())),
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
                let mut sides = Vec::new();
                for side in [&**left, &**right] {
                    sides.push(of(side, self.holds(side, node)?));
                }
                self.show_all(&sides, node)
            }
            Formula::Unary(_, operator, _) if operator.is_past() => Ok(self.show_past(node)),
            Formula::Binary(_, operator, ..) if operator.is_past() => Ok(self.show_past(node)),
            // "Not all" is "some not"; what all runs do, one cannot show.
            Formula::Unary(path, ..) | Formula::Binary(path, ..)
                if value != (*path == Path::Some) =>
            {
                Ok(None)
            }
            Formula::Unary(_, operator, operand) => {
                let course = self.unary(*operator, of(operand, value))?;
                self.follow(course, node)
            }
            Formula::Binary(_, operator, left, right) => {
                for course in self.binary(*operator, left, right, value)? {
                    if let Some(run) = self.follow(course, node)? {
                        return Ok(Some(run));
                    }
                }
                Ok(None)
            }
        }
    }

    /// An initial node is its whole history; of others, a run forward shows nothing.
    fn show_past(&self, (class, _): &Place) -> Option<Run> {
        (*class == 0).then(Run::default)
    }

    /// Shows one of several claims, one that is true.
    fn show_one(&mut self, claims: &[Claim<'_>], node: &Place) -> Result<Option<Run>, Ended> {
        for &claim in claims {
            if self.holds(claim.formula, node)? == claim.value
                && let Some(run) = self.show(claim, node)?
            {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }

    /// Shows several true claims, of which at most one is about more than the node.
    fn show_all(&mut self, claims: &[Claim<'_>], node: &Place) -> Result<Option<Run>, Ended> {
        let mut temporal = claims.iter().filter(|claim| is_temporal(claim.formula));
        match (temporal.next(), temporal.next()) {
            (None, _) => Ok(Some(Run::default())),
            (Some(claim), None) => self.show(*claim, node),
            (Some(_), Some(_)) => Ok(None),
        }
    }

    fn holds(&mut self, formula: &Formula, node: &Place) -> Result<bool, Ended> {
        let nodes = self.labelling.get(formula, true)?;
        Ok(self.is_in(&nodes, node))
    }

    fn is_in(&self, nodes: &Nodes, (class, state): &Place) -> bool {
        self.labelling.symbolic.contains(nodes[*class], state)
    }

    /// What a run does that shows "some run: operator operand" for a true operand, and "not all
    /// runs: operator operand" for a false one.
    fn unary<'f>(&mut self, operator: Unary, claim: Claim<'f>) -> Result<Course<'f>, Ended> {
        let goal = self.labelling.get(claim.formula, claim.value)?;
        Ok(match if claim.value { operator } else { dual(operator) } {
            Unary::Always => Course::Within(goal),
            Unary::Eventually => {
                Course::To { hold: self.labelling.all(), goal, claims: vec![claim] }
            }
            _ => Course::Next { goal, claim },
        })
    }

    /// The same for operators with two operands; one of the courses is possible.
    fn binary<'f>(
        &mut self,
        operator: Binary,
        left: &'f Formula,
        right: &'f Formula,
        value: bool,
    ) -> Result<Vec<Course<'f>>, Ended> {
        let of_left = self.labelling.get(left, value)?;
        let of_right = self.labelling.get(right, value)?;
        let claim = |formula| Claim { formula, value };
        // The claims are about what is true of the run: negated, until becomes release.
        let (is_until, for_ever) = match (value, operator) {
            (true, Binary::Until) | (false, Binary::Release) => (true, false),
            (true, Binary::WeakUntil) | (false, Binary::StrongRelease) => (true, true),
            (true, Binary::StrongRelease) | (false, Binary::WeakUntil) => (false, false),
            (true, Binary::Release) | (false, Binary::Until) => (false, true),
            (_, Binary::Since) => return Ok(Vec::new()),
        };
        let (hold, goal, claims) = if is_until {
            (of_left, of_right, vec![claim(right)])
        } else {
            let both = self.labelling.and(&of_left, &of_right)?;
            (of_right, both, vec![claim(left), claim(right)])
        };
        let mut courses = vec![Course::To { hold: hold.clone(), goal, claims }];
        if for_ever {
            courses.push(Course::Within(hold));
        }
        Ok(courses)
    }

    /// A run that takes a course, if one does.
    fn follow(&mut self, course: Course<'_>, node: &Place) -> Result<Option<Run>, Ended> {
        match course {
            Course::Within(set) => {
                let set = self.labelling.some_always(&set)?;
                if self.is_in(&set, node) { self.stay(&set, node).map(Some) } else { Ok(None) }
            }
            Course::To { hold, goal, claims } => {
                let Some((steps, last)) = self.way(&hold, goal, node)? else { return Ok(None) };
                self.continued(steps, &claims, &last).map(Some)
            }
            Course::Next { goal, claim } => {
                let Some((step, next)) = self.step(&goal, node)? else { return Ok(None) };
                self.continued(vec![step], &[claim], &next).map(Some)
            }
        }
    }

    /// Steps, and after them what shows the claims about their last node, if one run does.
    fn continued(
        &mut self,
        mut steps: Vec<Step>,
        claims: &[Claim<'_>],
        last: &Place,
    ) -> Result<Run, Ended> {
        let rest = self.show_all(claims, last)?.unwrap_or_default();
        let ending = match rest.ending {
            RunEnding::Loop { from } => RunEnding::Loop { from: from + steps.len() },
            other => other,
        };
        steps.extend(rest.steps);
        Ok(Run { steps, ending })
    }

    /// A run that never leaves a set each of whose nodes may end a run or has a successor in it: to a
    /// nearest end, or else on until a node comes again.
    fn stay(&mut self, set: &Nodes, node: &Place) -> Result<Run, Ended> {
        let Labelling { symbolic, meter, .. } = &mut *self.labelling;
        let ends = symbolic.ends(meter)?;
        let ends = self.labelling.nodes_of(ends)?;
        let ends = self.labelling.and(&ends, set)?;
        if let Some((steps, _)) = self.way(set, ends, node)? {
            return Ok(Run { steps, ending: RunEnding::Ended });
        }
        let mut run = Run::default();
        let mut met: FxHashMap<Place, usize> = FxHashMap::default();
        let mut at = node.clone();
        loop {
            if let Some(&from) = met.get(&at) {
                run.ending = RunEnding::Loop { from };
                return Ok(run);
            }
            met.insert(at.clone(), run.steps.len());
            let (step, next) = self.step(set, &at)?.expect("it goes on in the set");
            run.steps.push(step);
            at = next;
        }
    }

    /// A shortest way from a node to a goal, all before it being in `hold`.
    fn way(
        &mut self,
        hold: &Nodes,
        goal: Nodes,
        node: &Place,
    ) -> Result<Option<(Vec<Step>, Place)>, Ended> {
        let rings = self.rings(hold, goal, |witnesses, ring| Ok(witnesses.is_in(ring, node)))?;
        if !rings.last().is_some_and(|ring| self.is_in(ring, node)) {
            return Ok(None);
        }
        let (mut steps, mut at) = (Vec::new(), node.clone());
        for ring in rings.iter().rev().skip(1) {
            let (step, next) = self.step(ring, &at)?.expect("a ring lies one step from the next");
            steps.push(step);
            at = next;
        }
        Ok(Some((steps, at)))
    }

    /// The goal and the nodes of `hold` that are one, two, … steps away, up to those that are looked
    /// for, or all.
    fn rings(
        &mut self,
        hold: &Nodes,
        goal: Nodes,
        mut is_it: impl FnMut(&mut Self, &Nodes) -> Result<bool, Ended>,
    ) -> Result<Vec<Nodes>, Ended> {
        let mut seen = goal.clone();
        let mut rings = vec![goal];
        while let Some(last) = rings.last().cloned() {
            if is_it(self, &last)? || last.iter().all(|&set| set == EMPTY) {
                break;
            }
            let mut kept: Vec<&[Node]> = rings.iter().map(Vec::as_slice).collect();
            kept.extend([&seen[..], &hold[..]]);
            self.labelling.symbolic.relieve(&kept);
            let next = self.labelling.some_next(&last)?;
            let next = self.labelling.and(&next, hold)?;
            let next = self.labelling.minus(&next, &seen)?;
            seen = self.labelling.or(&seen, &next)?;
            rings.push(next);
        }
        Ok(rings)
    }

    /// The first step from a node into a set.
    fn step(&mut self, set: &Nodes, node: &Place) -> Result<Option<(Step, Place)>, Ended> {
        let Labelling { symbolic, meter, .. } = &mut *self.labelling;
        meter.spend(CALL, || symbolic.ldd.bytes())?;
        let labelling = &*self.labelling;
        let step = labelling.symbolic.step_into(&node.1, |symbolic, action, next| {
            symbolic.contains(set[labelling.class(action)], next)
        })?;
        Ok(step.map(|step| {
            let place = (labelling.class(step.action), step.state.clone());
            (step, place)
        }))
    }
}

fn is_temporal(formula: &Formula) -> bool {
    matches!(formula, Formula::Unary(..) | Formula::Binary(..))
        || formula.operands().into_iter().any(is_temporal)
}
