//! A model explored by sets: everything reachable, how much that is, which states are stuck, where
//! propositions hold. Shows a shortest run to a set of states.

use std::ops::ControlFlow;

use quadrille_engine::{few_values, replayed, slot_order};
use quadrille_model::{
    ActionId, Condition, Ending, Flow, GroupId, Halt, Model, Problem, PropositionId, SlotId, Step,
    Trace, Value, ValueSet, Verdict, Weight, settled,
};

use crate::apply::{Access, Counted, Form, Projection, Stop, Touch};
use crate::budget::{Budget, CALL, Ended, Meter};
use crate::ldd::{EMPTY, Ldd, Node, UNIT};
use crate::natural::Natural;
use crate::relation::{Label, Labels, Relation, School, relations};
use crate::saturate::Saturation;
use crate::weigh::Scales;

/// Sets are as deep as states are long, and operations on them recursive.
pub const MOST_SLOTS: usize = 1000;

/// A model and all its reachable states, as a set.
pub struct Symbolic<'m> {
    pub(crate) model: &'m dyn Model,
    pub(crate) ldd: Ldd,
    pub(crate) relations: Vec<Relation>,
    pub(crate) school: School<'m>,
    /// Per slot, its level.
    levels: Vec<u32>,
    pub(crate) initial: Node,
    pub(crate) reached: Node,
    /// Reached states without a step, when they are known.
    stuck: Option<Node>,
    /// Reached states in which the system may stop, when they are known.
    ends: Option<Node>,
    /// Numbers of relations and projections that are given.
    n_forms: u32,
}

/// How large a model is. Independent of the order of slots, but for nodes, bytes and calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Size {
    /// Distinct states.
    pub states: Natural,
    /// Edges, counted as the model reports them.
    pub transitions: Natural,
    /// States without successor that may not end.
    pub deadlocks: Natural,
    /// The most nodes that were alive at once.
    pub nodes: u64,
    /// Bytes allocated for nodes and for what is remembered of operations.
    pub bytes: u64,
    /// How often the model was asked for steps.
    pub calls: u64,
}

impl<'m> Symbolic<'m> {
    /// Explores a model completely, or not at all.
    pub fn explore(
        model: &'m dyn Model,
        budget: Budget,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Ended> {
        let signature = model.signature();
        if signature.n_slots() > MOST_SLOTS {
            return Err(Ended::Budget);
        }
        let slots = slot_order(signature);
        let mut levels = vec![0; slots.len()];
        for (level, slot) in slots.iter().enumerate() {
            levels[slot.index()] = level as u32;
        }
        let mut ldd = Ldd::new(budget.collect_at);
        let mut labels = Labels::default();
        let relations = relations(&mut ldd, signature, &levels, &mut labels, meter)?;
        let n_forms = relations.len().max(signature.groups.len()) as u32;
        let mut explorer = model.explorer();
        let mut states: Vec<Vec<Value>> = Vec::new();
        explorer.each_initial(|state| states.push(state.to_vec()))?;
        let sample = states.first().cloned().unwrap_or_default();
        let school = School { explorer, sample, slots, labels, calls: 0 };
        let mut symbolic = Self {
            model,
            ldd,
            relations,
            school,
            levels,
            initial: EMPTY,
            reached: EMPTY,
            stuck: None,
            ends: None,
            n_forms,
        };
        let mut initial = Vec::new();
        for state in &states {
            let vector = symbolic.by_level(state);
            initial.push(symbolic.ldd.vector(&vector, meter)?);
        }
        symbolic.initial = symbolic.ldd.union_all(initial, meter)?;
        symbolic.saturate(meter)?;
        Ok(symbolic)
    }

    fn saturate(&mut self, meter: &mut Meter<'_>) -> Result<(), Ended> {
        let mut by_top = vec![Vec::new(); self.levels.len()];
        for (number, relation) in self.relations.iter().enumerate() {
            if let Some(top) = relation.top() {
                by_top[top as usize].push(number);
            }
        }
        let Self { ldd, relations, school, initial, .. } = self;
        ldd.needed.push(*initial);
        let mut saturation = Saturation { ldd, relations, school, by_top, meter };
        self.reached = saturation.close(*initial, 0)?;
        self.ldd.needed.push(self.reached);
        // Steps that depend on nothing and change nothing are no part of the closure.
        for relation in self.relations.iter_mut().filter(|relation| relation.top().is_none()) {
            self.school.learn(&mut self.ldd, relation, self.reached, 0, meter)?;
        }
        Ok(())
    }

    /// The values of a state in the order of levels.
    pub(crate) fn by_level(&self, state: &[Value]) -> Vec<Value> {
        self.school.slots.iter().map(|slot| state[slot.index()]).collect()
    }

    /// The state whose values in the order of levels are these.
    pub(crate) fn by_slot(&self, vector: &[Value]) -> Vec<Value> {
        self.levels.iter().map(|&level| vector[level as usize]).collect()
    }

    /// Whether a state is in a set.
    pub(crate) fn contains(&self, set: Node, state: &[Value]) -> bool {
        let slots = self.school.slots.iter();
        let end = slots.fold(set, |set, slot| self.ldd.child(set, state[slot.index()]));
        end == UNIT
    }

    /// Gives nodes back, if there are many, but for those that are needed and these.
    pub(crate) fn relieve(&mut self, sets: &[&[Node]]) {
        if self.ldd.is_full() {
            let found = self.stuck.into_iter().chain(self.ends);
            let known = self.relations.iter().flat_map(Relation::nodes).chain(found);
            let sets = sets.iter().flat_map(|sets| sets.iter().copied());
            self.ldd.collect(known.chain(sets));
        }
    }

    /// How large the model is.
    pub fn size(&mut self, meter: &mut Meter<'_>) -> Result<Size, Ended> {
        let dead = self.dead(meter)?;
        let mut counted = Counted::default();
        let states = self.ldd.count(self.reached, &mut counted.members);
        let deadlocks = self.ldd.count(dead, &mut counted.members);
        let mut transitions = Natural::default();
        for relation in &self.relations {
            counted.steps.clear();
            let steps = self.ldd.count_steps(
                self.reached,
                relation.node,
                (&relation.touches, &relation.pieces),
                0,
                &mut counted,
            );
            transitions.add(&steps);
            meter.spend(counted.steps.len() as u64, || self.ldd.bytes())?;
        }
        let (nodes, bytes) = (self.ldd.peak() as u64, self.ldd.bytes() as u64);
        Ok(Size { states, transitions, deadlocks, nodes, bytes, calls: self.school.calls })
    }

    /// How often nodes were given back.
    pub fn collections(&self) -> u64 {
        self.ldd.collections()
    }

    /// Nodes alive at this moment.
    pub fn n_nodes(&self) -> usize {
        self.ldd.n_nodes()
    }

    /// The actions that occur, ascending.
    pub fn actions(&mut self, meter: &mut Meter<'_>) -> Result<Vec<ActionId>, Ended> {
        let mut found: Vec<ActionId> =
            self.labels(meter)?.into_iter().map(|label| label.action).collect();
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// The groups that never make a step, ascending.
    pub fn groups_missing(&mut self, meter: &mut Meter<'_>) -> Result<Vec<GroupId>, Ended> {
        let mut missing = vec![true; self.model.signature().groups.len()];
        for label in self.labels(meter)? {
            missing[label.group.index()] = false;
        }
        let ids = (0..missing.len()).filter(|&group| missing[group]);
        Ok(ids.map(GroupId::from_usize).collect())
    }

    /// The values that slots never have, as far as they have few ([`few_values`]).
    pub fn values_missing(&self) -> Vec<(SlotId, Value)> {
        let signature = self.model.signature();
        let mut missing: Vec<Option<ValueSet>> =
            signature.slot_ids().map(|slot| few_values(signature, slot)).collect();
        let mut layer = vec![self.reached];
        for slot in &self.school.slots {
            let mut next = Vec::new();
            for edge in layer.iter().flat_map(|&node| self.ldd.edges(node)) {
                next.push(edge.child);
                if let Some(missing) = &mut missing[slot.index()] {
                    missing.remove(edge.value);
                }
            }
            next.sort_unstable();
            next.dedup();
            layer = next;
        }
        let values = |(slot, missing): (SlotId, &Option<ValueSet>)| {
            let values = missing.iter().flat_map(ValueSet::iter);
            values.map(move |value| (slot, value)).collect::<Vec<_>>()
        };
        signature.slot_ids().zip(&missing).flat_map(values).collect()
    }

    /// The labels of all steps.
    fn labels(&mut self, meter: &mut Meter<'_>) -> Result<Vec<Label>, Ended> {
        let mut found = Vec::new();
        for relation in &self.relations {
            let form = relation.form();
            let labels = self.ldd.labels(self.reached, relation.node, form, 0, 0, meter)?;
            let labels = self.ldd.edges(labels).iter();
            found.extend(labels.map(|edge| self.school.labels.list[edge.value as usize]));
        }
        Ok(found)
    }

    /// Whether the system gets stuck where it may not end.
    pub fn check_deadlock(&mut self, meter: &mut Meter<'_>) -> Result<Verdict, Ended> {
        let dead = self.dead(meter)?;
        if dead == EMPTY {
            return Ok(Verdict::Holds);
        }
        self.run_to(dead, Ending::Stuck, meter).map(|run| Verdict::Violated(Some(run)))
    }

    /// Reached states without a step.
    pub(crate) fn stuck(&mut self, meter: &mut Meter<'_>) -> Result<Node, Ended> {
        if let Some(known) = self.stuck {
            return Ok(known);
        }
        let mut stuck = self.reached;
        for relation in &self.relations {
            let moving = self.ldd.enabled(stuck, relation.node, relation.form(), 0, 0, meter)?;
            stuck = self.ldd.difference(stuck, moving, meter)?;
        }
        self.stuck = Some(stuck);
        Ok(stuck)
    }

    /// Stuck states that may not end.
    fn dead(&mut self, meter: &mut Meter<'_>) -> Result<Node, Ended> {
        let stuck = self.stuck(meter)?;
        let ended = self.ending(stuck, meter)?;
        self.ldd.difference(stuck, ended, meter)
    }

    /// Where runs end or may end.
    pub(crate) fn ends(&mut self, meter: &mut Meter<'_>) -> Result<Node, Ended> {
        if let Some(known) = self.ends {
            return Ok(known);
        }
        let (stuck, ending) = (self.stuck(meter)?, self.ending(self.reached, meter)?);
        let ends = self.ldd.union(stuck, ending, meter)?;
        self.ends = Some(ends);
        Ok(ends)
    }

    /// The states of a set in which the system may stop.
    fn ending(&mut self, set: Node, meter: &mut Meter<'_>) -> Result<Node, Ended> {
        if let Some(condition) = self.model.ending() {
            return self.cut(set, &condition, meter);
        }
        let support = self.model.signature().ends.clone();
        self.filter(set, &support, meter, |school, state| school.explorer.may_end(state))
    }

    /// The reached states in which a proposition holds.
    pub(crate) fn holding(
        &mut self,
        proposition: PropositionId,
        meter: &mut Meter<'_>,
    ) -> Result<Node, Ended> {
        if let Some(condition) = self.model.meaning(proposition) {
            return self.cut(self.reached, &condition, meter);
        }
        let support = self.model.signature().propositions[proposition.index()].support.clone();
        self.filter(self.reached, &support, meter, |school, state| {
            school.explorer.holds(proposition, state)
        })
    }

    /// The states of a set that meet a condition.
    fn cut(
        &mut self,
        set: Node,
        condition: &Condition,
        meter: &mut Meter<'_>,
    ) -> Result<Node, Ended> {
        match condition {
            Condition::Guard(guard) => {
                let [slot] = guard.reads() else { unreachable!("a guard that looks at one slot") };
                let stop = Stop {
                    level: self.levels[slot.index()],
                    is_kept: true,
                    guards: vec![guard.clone()],
                };
                let projection = Projection { id: self.n_forms, stops: vec![stop] };
                let passing = self.ldd.project(set, &projection, 0, 0, meter)?;
                let touch = Touch { level: projection.stops[0].level, access: Access::Read };
                let form = Form { id: self.n_forms, touches: &[touch], pieces: &[] };
                self.n_forms += 1;
                self.ldd.enabled(set, passing, form, 0, 0, meter)
            }
            Condition::Not(inner) => {
                let inner = self.cut(set, inner, meter)?;
                self.ldd.difference(set, inner, meter)
            }
            Condition::All(parts) => {
                parts.iter().try_fold(set, |set, part| self.cut(set, part, meter))
            }
            Condition::Any(parts) => {
                let (mut found, mut rest) = (EMPTY, set);
                for part in parts {
                    let part = self.cut(rest, part, meter)?;
                    rest = self.ldd.difference(rest, part, meter)?;
                    found = self.ldd.union(found, part, meter)?;
                }
                Ok(found)
            }
            Condition::AtMost(weights, most) => self.weigh(weights).at_most(set, *most, meter),
        }
    }

    /// Weights by level, over the nodes of this model.
    fn weigh(&mut self, weights: &[(SlotId, Weight)]) -> Scales<'_> {
        let mut by_level = vec![None; self.levels.len()];
        for (slot, weight) in weights {
            by_level[self.levels[slot.index()] as usize] = Some(weight.clone());
        }
        Scales::new(&mut self.ldd, by_level)
    }

    /// The largest sum of weights among the reached states.
    pub fn heaviest(
        &mut self,
        weights: &[(SlotId, Weight)],
        meter: &mut Meter<'_>,
    ) -> Result<i64, Ended> {
        let reached = self.reached;
        Ok(self.weigh(weights).range(reached, 0, meter)?.1)
    }

    /// Whether some reached state meets a condition.
    pub fn meets(&mut self, condition: &Condition, meter: &mut Meter<'_>) -> Result<bool, Ended> {
        Ok(self.cut(self.reached, condition, meter)? != EMPTY)
    }

    /// A shortest run to a reached state that meets a condition, if there is one.
    pub fn run_where(
        &mut self,
        condition: &Condition,
        ending: Ending,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Trace>, Ended> {
        match self.cut(self.reached, condition, meter)? {
            EMPTY => Ok(None),
            goal => self.run_to(goal, ending, meter).map(Some),
        }
    }

    /// The states of a set that pass a test, which depends on some slots only.
    fn filter(
        &mut self,
        set: Node,
        support: &[SlotId],
        meter: &mut Meter<'_>,
        mut test: impl FnMut(&mut School<'m>, &[Value]) -> Result<bool, Box<Problem>>,
    ) -> Result<Node, Ended> {
        let mut levels: Vec<u32> = support.iter().map(|slot| self.levels[slot.index()]).collect();
        levels.sort_unstable();
        let id = self.n_forms;
        self.n_forms += 1;
        let stop = |&level: &u32| Stop { level, is_kept: true, guards: Vec::new() };
        let projection = Projection { id, stops: levels.iter().map(stop).collect() };
        let vectors = self.ldd.project(set, &projection, 0, 0, meter)?;
        let mut passing = Vec::new();
        let mut state = self.school.sample.clone();
        let Self { ldd, school, .. } = self;
        ldd.each(vectors, &mut Vec::new(), &mut |vector| {
            for (&level, &value) in levels.iter().zip(vector) {
                state[school.slots[level as usize].index()] = value;
            }
            if test(school, &state)? {
                passing.push(vector.to_vec());
            }
            let own = passing.len() * (size_of_val(vector) + size_of::<Vec<Value>>());
            meter.spend(CALL, || ldd.bytes() + own)
        })?;
        let mut nodes = Vec::with_capacity(passing.len());
        for vector in &passing {
            nodes.push(ldd.vector(vector, meter)?);
        }
        let passing = ldd.union_all(nodes, meter)?;
        let read = |&level: &u32| Touch { level, access: Access::Read };
        let touches: Vec<Touch> = levels.iter().map(read).collect();
        ldd.enabled(set, passing, Form { id, touches: &touches, pieces: &[] }, 0, 0, meter)
    }

    /// The reached states from which one step leads into a set.
    pub(crate) fn before(&mut self, set: Node, meter: &mut Meter<'_>) -> Result<Node, Ended> {
        let mut sum = EMPTY;
        for relation in &self.relations {
            let pair = (self.reached, set);
            let found = self.ldd.preimage(pair, relation.node, relation.form(), 0, 0, meter)?;
            sum = self.ldd.union(sum, found, meter)?;
        }
        Ok(sum)
    }

    /// A shortest run from an initial state to a set of reached states: the set is surrounded by
    /// rings of states that are one step farther away each, which the run crosses inwards.
    fn run_to(
        &mut self,
        goal: Node,
        ending: Ending,
        meter: &mut Meter<'_>,
    ) -> Result<Trace, Ended> {
        let mut rings = vec![goal];
        let mut seen = goal;
        let start = loop {
            let here = self.ldd.intersection(rings[rings.len() - 1], self.initial, meter)?;
            if let Some(vector) = self.ldd.first(here) {
                break self.by_slot(&vector);
            }
            self.relieve(&[&rings, &[seen]]);
            let next = self.before(rings[rings.len() - 1], meter)?;
            let next = self.ldd.difference(next, seen, meter)?;
            assert!(next != EMPTY, "a reached state is reached from an initial one");
            seen = self.ldd.union(seen, next, meter)?;
            rings.push(next);
        };
        let mut trace = Trace { initial: start, steps: Vec::new(), ending };
        for ring in rings.iter().rev().skip(1) {
            let step =
                self.step_into(trace.last(), |symbolic, _, next| symbolic.contains(*ring, next))?;
            trace.steps.push(step.expect("a ring lies one step from the next"));
        }
        Ok(replayed(self.model, trace)?)
    }

    /// The first step out of a state that passes a test.
    pub(crate) fn step_into(
        &self,
        state: &[Value],
        test: impl Fn(&Self, ActionId, &[Value]) -> bool,
    ) -> Result<Option<Step>, Ended> {
        let mut found = None;
        let mut explorer = self.model.explorer();
        settled(explorer.expand(state, &mut |group, action, next: &[Value]| {
            if test(self, action, next) {
                found = Some(Step { group, action, state: next.to_vec() });
                return ControlFlow::Break(Halt::Enough);
            }
            Flow::Continue(())
        }))?;
        Ok(found)
    }
}
