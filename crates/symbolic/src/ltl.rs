//! Linear time on sets: the product with the automaton of the negated formula, as a set of states per
//! location. Accepted cycles are those that a greatest fixed point leaves (Emerson & Lei 1986); whether a run
//! that ends is accepted depends on the location and the propositions of its last state only.

use quadrille_engine::{
    Error, Interpretation, LtlOptions, Meaning, accepts_for_ever, look_again, replayed,
};
use quadrille_logic::{
    AtomId, Automaton, Cube, Edge, Formula, Letter, MAX_ATOMS, Marks, translate,
};
use quadrille_model::{ActionId, Ending, Flow, GroupId, Step, Trace, Value, Verdict, settled};
use rustc_hash::FxHashMap;

use crate::budget::{CALL, Ended, Meter};
use crate::ldd::{EMPTY, Edge as Entry, Node, UNIT};
use crate::symbolic::Symbolic;

/// A set of nodes of the product: per location, a set of states.
type Nodes = Vec<Node>;

/// A state with a location.
type Place = (Vec<Value>, usize);

/// An edge of the automaton on sets: from where, where to, and what it lets through.
struct Arc {
    from: usize,
    to: usize,
    marks: Marks,
    /// The states whose propositions it accepts.
    states: Node,
    /// Per relation, the steps whose actions it accepts: a position in `steps`.
    steps: usize,
}

/// The product of the reached states with an automaton.
struct Product<'a, 'm, 'w> {
    symbolic: &'a mut Symbolic<'m>,
    meter: &'a mut Meter<'w>,
    interpretation: &'a Interpretation<'a>,
    automaton: &'a Automaton,
    arcs: Vec<Arc>,
    /// Lists of steps, one node per relation, by what an edge asks of actions.
    steps: Vec<Vec<Node>>,
    /// Per location, the states in which a run that ends is accepted.
    ended: Nodes,
    /// The letters of actions.
    letters: FxHashMap<ActionId, Letter>,
}

impl Symbolic<'_> {
    /// Checks a formula of linear time on maximal runs, without fairness.
    pub fn check_ltl(
        &mut self,
        formula: &Formula,
        interpretation: &Interpretation<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<Verdict, Ended> {
        interpretation.covers(formula, self.model)?;
        let automaton = translate(&!formula.clone()).map_err(Error::Translation)?;
        let n_needed = self.ldd.needed.len();
        let model = self.model;
        let product = Product::new(self, &automaton, interpretation, meter);
        let run = product.and_then(|mut product| product.accepted());
        self.ldd.needed.truncate(n_needed);
        let Some(trace) = run? else { return Ok(Verdict::Holds) };
        let trace = replayed(model, trace)?;
        look_again(&trace, formula, model, interpretation, &LtlOptions::default())?;
        Ok(Verdict::Violated(Some(trace)))
    }

    /// Whether all maximal runs satisfy a formula of linear time, without a run that shows why not.
    pub fn satisfies_ltl(
        &mut self,
        formula: &Formula,
        interpretation: &Interpretation<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Ended> {
        interpretation.covers(formula, self.model)?;
        let automaton = translate(&!formula.clone()).map_err(Error::Translation)?;
        let n_needed = self.ldd.needed.len();
        let product = Product::new(self, &automaton, interpretation, meter);
        let found = product.and_then(|mut product| product.is_empty());
        self.ldd.needed.truncate(n_needed);
        found
    }
}

impl<'a, 'm, 'w> Product<'a, 'm, 'w> {
    fn new(
        symbolic: &'a mut Symbolic<'m>,
        automaton: &'a Automaton,
        interpretation: &'a Interpretation<'a>,
        meter: &'a mut Meter<'w>,
    ) -> Result<Self, Ended> {
        let mut product = Self {
            symbolic,
            meter,
            interpretation,
            automaton,
            arcs: Vec::new(),
            steps: Vec::new(),
            ended: vec![EMPTY; automaton.n_locations()],
            letters: FxHashMap::default(),
        };
        let labels = product.symbolic.school.labels.list.clone();
        let letters: Vec<Letter> =
            labels.iter().map(|label| product.letter(label.action)).collect();
        let mut of_states: FxHashMap<Cube, Node> = FxHashMap::default();
        let mut of_actions: FxHashMap<Cube, usize> = FxHashMap::default();
        for (from, edges) in automaton.edges.iter().enumerate() {
            for &Edge { label, marks, to } in edges {
                let (about_states, about_actions) = product.split(label);
                let states = match of_states.get(&about_states) {
                    Some(&known) => known,
                    None => product.satisfying(about_states)?,
                };
                of_states.insert(about_states, states);
                let steps = match of_actions.get(&about_actions) {
                    Some(&known) => known,
                    None => product.labelled(about_actions, &letters)?,
                };
                of_actions.insert(about_actions, steps);
                product.arcs.push(Arc { from, to: to.index(), marks, states, steps });
            }
        }
        let ends = product.symbolic.ends(product.meter)?;
        product.look_at_ends(ends, 0, 0)?;
        let ended = product.ended.clone();
        product.keep(&ended);
        Ok(product)
    }

    fn meaning(&self, atom: usize) -> Option<&'a Meaning<'a>> {
        self.interpretation.meaning(AtomId::from_usize(atom))
    }

    /// The atoms about actions that an action satisfies.
    fn letter(&mut self, action: ActionId) -> Letter {
        if let Some(&known) = self.letters.get(&action) {
            return known;
        }
        let meant = self.symbolic.model.action(action);
        let satisfied = |&atom: &usize| match self.meaning(atom) {
            Some(Meaning::Action(matches)) => matches(&meant),
            _ => false,
        };
        let letter = (0..MAX_ATOMS).filter(satisfied).fold(0, |letter, atom| letter | 1 << atom);
        self.letters.insert(action, letter);
        letter
    }

    /// What a label asks of propositions, and what of actions.
    fn split(&self, label: Cube) -> (Cube, Cube) {
        let is_state = |&atom: &usize| matches!(self.meaning(atom), Some(Meaning::Proposition(_)));
        let states = (0..MAX_ATOMS).filter(is_state).fold(0, |letter, atom| letter | 1 << atom);
        let of = |mask: Letter| Cube {
            positive: label.positive & mask,
            negative: label.negative & mask,
        };
        (of(states), of(!states))
    }

    /// The reached states that satisfy all literals.
    fn satisfying(&mut self, cube: Cube) -> Result<Node, Ended> {
        let mut set = self.symbolic.reached;
        for atom in 0..MAX_ATOMS {
            let asked = (cube.positive | cube.negative) >> atom & 1 == 1;
            if let Some(Meaning::Proposition(id)) = self.meaning(atom).filter(|_| asked) {
                let holding = self.symbolic.holding(*id, self.meter)?;
                let ldd = &mut self.symbolic.ldd;
                set = match cube.positive >> atom & 1 {
                    1 => ldd.intersection(set, holding, self.meter)?,
                    _ => ldd.difference(set, holding, self.meter)?,
                };
            }
        }
        self.symbolic.ldd.needed.push(set);
        Ok(set)
    }

    /// Per relation, the steps whose actions satisfy all literals.
    fn labelled(&mut self, cube: Cube, letters: &[Letter]) -> Result<usize, Ended> {
        let Self { symbolic, meter, .. } = self;
        let base = symbolic.ldd.stack.len();
        for (label, _) in letters.iter().enumerate().filter(|(_, letter)| cube.accepts(**letter)) {
            symbolic.ldd.stack.push(Entry { value: label as Value, child: UNIT });
        }
        let labels = symbolic.ldd.make(base, meter)?;
        let mut steps = Vec::new();
        for relation in &symbolic.relations {
            let depth = relation.depth();
            steps.push(symbolic.ldd.restrict(relation.node, labels, depth, meter)?);
        }
        self.keep(&steps);
        self.steps.push(steps);
        Ok(self.steps.len() - 1)
    }

    /// Finds out where runs that end in a set are accepted: the set is cut by one proposition after
    /// the other, until the letter of all its states is known.
    fn look_at_ends(&mut self, set: Node, atom: usize, letter: Letter) -> Result<(), Ended> {
        if set == EMPTY {
            return Ok(());
        }
        if atom == MAX_ATOMS {
            let accepts = accepts_for_ever(self.automaton, letter);
            for location in (0..accepts.len()).filter(|&location| accepts[location]) {
                let known = self.ended[location];
                self.ended[location] = self.symbolic.ldd.union(known, set, self.meter)?;
            }
            return Ok(());
        }
        let Some(Meaning::Proposition(id)) = self.meaning(atom) else {
            return self.look_at_ends(set, atom + 1, letter);
        };
        let holding = self.symbolic.holding(*id, self.meter)?;
        let with = self.symbolic.ldd.intersection(set, holding, self.meter)?;
        let without = self.symbolic.ldd.difference(set, holding, self.meter)?;
        self.look_at_ends(with, atom + 1, letter | 1 << atom)?;
        self.look_at_ends(without, atom + 1, letter)
    }

    fn keep(&mut self, nodes: &[Node]) {
        self.symbolic.ldd.needed.extend_from_slice(nodes);
    }

    fn none(&self) -> Nodes {
        vec![EMPTY; self.automaton.n_locations()]
    }

    fn or(&mut self, one: &Nodes, other: &Nodes) -> Result<Nodes, Ended> {
        let ldd = &mut self.symbolic.ldd;
        one.iter().zip(other).map(|(&a, &b)| ldd.union(a, b, self.meter)).collect()
    }

    fn and(&mut self, one: &Nodes, other: &Nodes) -> Result<Nodes, Ended> {
        let ldd = &mut self.symbolic.ldd;
        one.iter().zip(other).map(|(&a, &b)| ldd.intersection(a, b, self.meter)).collect()
    }

    fn minus(&mut self, one: &Nodes, other: &Nodes) -> Result<Nodes, Ended> {
        let ldd = &mut self.symbolic.ldd;
        one.iter().zip(other).map(|(&a, &b)| ldd.difference(a, b, self.meter)).collect()
    }

    /// The nodes that follow on a set.
    fn after(&mut self, nodes: &Nodes) -> Result<Nodes, Ended> {
        let mut found = self.none();
        let Self { symbolic, meter, arcs, steps, .. } = self;
        for arc in arcs {
            let from = symbolic.ldd.intersection(nodes[arc.from], arc.states, meter)?;
            for (relation, &steps) in symbolic.relations.iter().zip(&steps[arc.steps]) {
                let next = symbolic.ldd.image(from, steps, relation.form(), 0, 0, meter)?;
                found[arc.to] = symbolic.ldd.union(found[arc.to], next, meter)?;
            }
        }
        Ok(found)
    }

    /// The nodes of a set from which one step leads into a goal, by an edge with all these marks.
    fn before(&mut self, set: &Nodes, goal: &Nodes, marks: Marks) -> Result<Nodes, Ended> {
        let mut found = self.none();
        let Self { symbolic, meter, arcs, steps, .. } = self;
        for arc in arcs.iter().filter(|arc| arc.marks & marks == marks) {
            let from = symbolic.ldd.intersection(set[arc.from], arc.states, meter)?;
            for (relation, &steps) in symbolic.relations.iter().zip(&steps[arc.steps]) {
                let pair = (from, goal[arc.to]);
                let some = symbolic.ldd.preimage(pair, steps, relation.form(), 0, 0, meter)?;
                found[arc.from] = symbolic.ldd.union(found[arc.from], some, meter)?;
            }
        }
        Ok(found)
    }

    /// Whether the automaton accepts no run.
    fn is_empty(&mut self) -> Result<bool, Ended> {
        let initial = self.initial();
        let reached = self.reachable(&initial)?;
        self.keep(&reached);
        let ended = self.ended.clone();
        let ended = self.and(&ended, &reached)?;
        if ended.iter().any(|&set| set != EMPTY) {
            return Ok(false);
        }
        Ok(self.cycles(&reached)?.iter().all(|&set| set == EMPTY))
    }

    fn initial(&self) -> Nodes {
        let mut initial = self.none();
        for location in &self.automaton.initial {
            initial[location.index()] = self.symbolic.initial;
        }
        initial
    }

    /// All nodes that are reached from these.
    fn reachable(&mut self, initial: &Nodes) -> Result<Nodes, Ended> {
        let (mut reached, mut fresh) = (initial.clone(), initial.clone());
        while fresh.iter().any(|&set| set != EMPTY) {
            self.symbolic.relieve(&[&reached, &fresh]);
            let next = self.after(&fresh)?;
            fresh = self.minus(&next, &reached)?;
            reached = self.or(&reached, &fresh)?;
        }
        Ok(reached)
    }

    /// A run that the automaton accepts.
    fn accepted(&mut self) -> Result<Option<Trace>, Ended> {
        let initial = self.initial();
        let reached = self.reachable(&initial)?;
        self.keep(&reached);
        let ended = self.ended.clone();
        let ended = self.and(&ended, &reached)?;
        self.keep(&ended);
        let cycles = self.cycles(&reached)?;
        self.keep(&cycles);
        let goal = self.or(&ended, &cycles)?;
        if goal.iter().all(|&set| set == EMPTY) {
            return Ok(None);
        }
        let rings = self.rings(&reached, goal, |product, ring| {
            Ok(product.and(ring, &initial)?.iter().any(|&set| set != EMPTY))
        })?;
        let last = rings.last().cloned().unwrap_or_default();
        let starts = self.and(&last, &initial)?;
        let first = |(location, &set): (usize, &Node)| {
            Some((self.symbolic.by_slot(&self.symbolic.ldd.first(set)?), location))
        };
        let start = starts.iter().enumerate().find_map(first).expect("a ring met the start");
        let mut trace =
            Trace { initial: start.0.clone(), steps: Vec::new(), ending: Ending::Prefix };
        let mut at = self.inwards(&rings, start, &mut trace)?;
        if self.is_in(&ended, &at) {
            let may_end = self.symbolic.model.explorer().may_end(&at.0)?;
            trace.ending = if may_end { Ending::Finished } else { Ending::Stuck };
            return Ok(Some(trace));
        }
        // Rounds that pass every acceptance set, until one starts where one started before.
        let mut met: FxHashMap<Place, usize> = FxHashMap::default();
        loop {
            if let Some(&from) = met.get(&at) {
                trace.ending = Ending::Loop { from };
                return Ok(Some(trace));
            }
            met.insert(at.clone(), trace.steps.len());
            for set in 0..self.automaton.n_sets.max(1) {
                let marks = if self.automaton.n_sets == 0 { 0 } else { 1 << set };
                let goal = self.before(&cycles, &cycles, marks)?;
                let is_it = |product: &mut Self, ring: &Nodes| Ok(product.is_in(ring, &at));
                let rings = self.rings(&cycles, goal, is_it)?;
                at = self.inwards(&rings, at, &mut trace)?;
                at = self.step(&cycles, at, marks, &mut trace)?;
            }
        }
    }

    /// The nodes of a set from which runs within it pass every acceptance set for ever.
    fn cycles(&mut self, reached: &Nodes) -> Result<Nodes, Ended> {
        let mut left = reached.clone();
        loop {
            let before = left.clone();
            for set in 0..self.automaton.n_sets.max(1) {
                let marks = if self.automaton.n_sets == 0 { 0 } else { 1 << set };
                let mut found = self.before(&left, &left, marks)?;
                let mut fresh = found.clone();
                while fresh.iter().any(|&set| set != EMPTY) {
                    self.symbolic.relieve(&[&before, &left, &found, &fresh]);
                    let next = self.before(&left, &fresh, 0)?;
                    fresh = self.minus(&next, &found)?;
                    found = self.or(&found, &fresh)?;
                }
                left = found;
            }
            if left == before {
                return Ok(left);
            }
        }
    }

    /// The goal and the nodes of a set that are one, two, … steps away, up to those looked for.
    fn rings(
        &mut self,
        within: &Nodes,
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
            kept.push(&seen);
            self.symbolic.relieve(&kept);
            let next = self.before(within, &last, 0)?;
            let next = self.minus(&next, &seen)?;
            seen = self.or(&seen, &next)?;
            rings.push(next);
        }
        Ok(rings)
    }

    fn is_in(&self, nodes: &Nodes, (state, location): &Place) -> bool {
        self.symbolic.contains(nodes[*location], state)
    }

    /// Goes from a node of the last ring to the first.
    fn inwards(
        &mut self,
        rings: &[Nodes],
        mut at: Place,
        trace: &mut Trace,
    ) -> Result<Place, Ended> {
        for ring in rings.iter().rev().skip(1) {
            at = self.step(ring, at, 0, trace)?;
        }
        Ok(at)
    }

    /// The first step from a node into a set, by an edge with all these marks.
    fn step(
        &mut self,
        set: &Nodes,
        (state, location): Place,
        marks: Marks,
        trace: &mut Trace,
    ) -> Result<Place, Ended> {
        self.meter.spend(CALL, || self.symbolic.ldd.bytes())?;
        let mut explorer = self.symbolic.model.explorer();
        let mut here = 0;
        for atom in 0..MAX_ATOMS {
            if let Some(Meaning::Proposition(id)) = self.meaning(atom) {
                here |= Letter::from(explorer.holds(*id, &state)?) << atom;
            }
        }
        let mut steps: Vec<Step> = Vec::new();
        let mut collect = |group: GroupId, action: ActionId, next: &[Value]| {
            steps.push(Step { group, action, state: next.to_vec() });
            Flow::Continue(())
        };
        settled(explorer.expand(&state, &mut collect))?;
        for step in steps {
            let letter = here | self.letter(step.action);
            for edge in &self.automaton.edges[location] {
                let place = (step.state.clone(), edge.to.index());
                let fits = edge.label.accepts(letter) && edge.marks & marks == marks;
                if fits && self.is_in(set, &place) {
                    trace.steps.push(step);
                    return Ok(place);
                }
            }
        }
        unreachable!("a ring lies one step from the next")
    }
}
