//! Branching time on sets. The nodes are those of the explicit engine: pairs of a state and what the
//! formula sees of the action that led there, an initial node having none. A set of nodes is a set of
//! states per class of actions; formulas that neither name actions nor look back need one class only.
//!
//! Only existential operators are computed, by preimages for the future and images for the past
//! (Burch, Clarke, McMillan, Dill & Hwang 1990); the others are their duals.

mod fixpoints;

use quadrille_engine::{Error, Interpretation, Meaning};
use quadrille_logic::{AtomId, Binary, Formula, Path, Unary};
use quadrille_model::{ActionId, Value, Verdict};
use rustc_hash::FxHashMap;

use crate::budget::{Ended, Meter};
use crate::ldd::{EMPTY, Edge, Node, UNIT};
use crate::symbolic::Symbolic;
use crate::witness::Witnesses;

/// A set of nodes: per class, a set of states.
pub(crate) type Nodes = Vec<Node>;

/// Nodes to which the formula sees the same kind of action lead.
struct Class {
    /// All nodes of the class.
    states: Node,
    /// Per relation, the steps that lead to them.
    steps: Vec<Node>,
    /// The atoms about actions that hold.
    satisfied: Vec<bool>,
}

/// The nodes of a model as one formula sees them, and where its parts hold.
pub(crate) struct Labelling<'a, 'm, 'w> {
    pub symbolic: &'a mut Symbolic<'m>,
    pub meter: &'a mut Meter<'w>,
    classes: Vec<Class>,
    /// The class that an action leads to.
    by_action: FxHashMap<ActionId, usize>,
    known: FxHashMap<&'a Formula, Nodes>,
}

impl Symbolic<'_> {
    /// Checks a formula of branching time: whether it holds in every initial node. A counterexample
    /// comes with a run where one run can show it.
    pub fn check_ctl(
        &mut self,
        formula: &Formula,
        interpretation: &Interpretation<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<Verdict, Ended> {
        if is_linear(formula) {
            return Err(Error::Linear.into());
        }
        interpretation.covers(formula, self.model)?;
        let n_needed = self.ldd.needed.len();
        let mut labelling = Labelling::new(self, formula, interpretation, meter)?;
        let verdict = labelling.judge(formula, interpretation);
        self.ldd.needed.truncate(n_needed);
        verdict
    }
}

impl Symbolic<'_> {
    /// Whether a formula of branching time holds in every initial node, without a run that shows why.
    pub fn satisfies_ctl(
        &mut self,
        formula: &Formula,
        interpretation: &Interpretation<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Ended> {
        if is_linear(formula) {
            return Err(Error::Linear.into());
        }
        interpretation.covers(formula, self.model)?;
        let n_needed = self.ldd.needed.len();
        let mut labelling = Labelling::new(self, formula, interpretation, meter)?;
        let failing = labelling.failing(formula, interpretation);
        self.ldd.needed.truncate(n_needed);
        Ok(failing? == EMPTY)
    }
}

fn is_linear(formula: &Formula) -> bool {
    matches!(formula, Formula::Unary(Path::This, ..) | Formula::Binary(Path::This, ..))
        || formula.operands().into_iter().any(is_linear)
}

fn looks_back(formula: &Formula) -> bool {
    let here = match formula {
        Formula::Unary(_, operator, _) => operator.is_past(),
        Formula::Binary(_, operator, ..) => operator.is_past(),
        _ => false,
    };
    here || formula.operands().into_iter().any(looks_back)
}

impl<'a, 'm, 'w> Labelling<'a, 'm, 'w> {
    fn new(
        symbolic: &'a mut Symbolic<'m>,
        formula: &Formula,
        interpretation: &Interpretation<'_>,
        meter: &'a mut Meter<'w>,
    ) -> Result<Self, Ended> {
        let meanings =
            (0..formula.n_atoms()).map(|atom| interpretation.meaning(AtomId::from_usize(atom)));
        let meanings: Vec<&Meaning<'_>> = meanings.flatten().collect();
        let mut labelling = Self {
            symbolic,
            meter,
            classes: Vec::new(),
            by_action: FxHashMap::default(),
            known: FxHashMap::default(),
        };
        let back = looks_back(formula);
        if !back && meanings.iter().all(|meaning| matches!(meaning, Meaning::Proposition(_))) {
            let states = labelling.symbolic.reached;
            let steps = labelling.symbolic.relations.iter().map(|relation| relation.node);
            let steps = steps.collect();
            labelling.classes.push(Class { states, steps, satisfied: vec![false; meanings.len()] });
        } else {
            labelling.classify(&meanings, back)?;
        }
        let nodes = labelling
            .classes
            .iter()
            .flat_map(|class| class.steps.iter().copied().chain([class.states]));
        labelling.symbolic.ldd.needed.extend(nodes);
        Ok(labelling)
    }

    /// Makes one class of nodes per set of atoms that actions satisfy; where the formula looks back,
    /// per action, since histories are those of the action.
    fn classify(&mut self, meanings: &[&Meaning<'_>], back: bool) -> Result<(), Ended> {
        let Self { symbolic, meter, classes, by_action, .. } = self;
        let none = vec![false; meanings.len()];
        classes.push(Class { states: symbolic.initial, steps: Vec::new(), satisfied: none });
        let mut numbers: FxHashMap<(Option<ActionId>, Vec<bool>), usize> = FxHashMap::default();
        let mut labels: Vec<Vec<Value>> = vec![Vec::new()];
        for (number, label) in symbolic.school.labels.list.iter().enumerate() {
            let class = *by_action.entry(label.action).or_insert_with(|| {
                let action = symbolic.model.action(label.action);
                let satisfied = meanings.iter().map(|meaning| match meaning {
                    Meaning::Proposition(_) => false,
                    Meaning::Action(matches) => matches(&action),
                });
                let key = (back.then_some(label.action), satisfied.collect());
                *numbers.entry(key).or_insert_with_key(|(_, satisfied)| {
                    let satisfied = satisfied.clone();
                    classes.push(Class { states: EMPTY, steps: Vec::new(), satisfied });
                    labels.push(Vec::new());
                    classes.len() - 1
                })
            });
            labels[class].push(number as Value);
        }
        for (class, labels) in classes.iter_mut().zip(labels).skip(1) {
            let base = symbolic.ldd.stack.len();
            let edges = labels.iter().map(|&value| Edge { value, child: UNIT });
            symbolic.ldd.stack.extend(edges);
            let labels = symbolic.ldd.make(base, meter)?;
            let mut states = EMPTY;
            for relation in &symbolic.relations {
                let depth = relation.depth();
                let steps = symbolic.ldd.restrict(relation.node, labels, depth, meter)?;
                let (from, form) = (symbolic.reached, relation.form());
                let found = symbolic.ldd.image(from, steps, form, 0, 0, meter)?;
                states = symbolic.ldd.union(states, found, meter)?;
                class.steps.push(steps);
            }
            class.states = states;
        }
        Ok(())
    }

    /// The initial states in which a formula does not hold.
    fn failing(
        &mut self,
        formula: &'a Formula,
        interpretation: &Interpretation<'_>,
    ) -> Result<Node, Ended> {
        let holds = self.label(formula, interpretation)?;
        let initial = self.symbolic.initial;
        self.symbolic.ldd.difference(initial, holds[0], self.meter)
    }

    fn judge(
        &mut self,
        formula: &'a Formula,
        interpretation: &Interpretation<'_>,
    ) -> Result<Verdict, Ended> {
        let failing = self.failing(formula, interpretation)?;
        if failing == EMPTY {
            return Ok(Verdict::Holds);
        }
        self.keep(&vec![failing]);
        let run = Witnesses { labelling: self }.refute(formula, failing)?;
        Ok(Verdict::Violated(run))
    }

    /// The class of the nodes that an action leads to.
    pub(crate) fn class(&self, action: ActionId) -> usize {
        self.by_action.get(&action).copied().unwrap_or(0)
    }

    /// Where a formula that was labelled holds, or where it does not.
    pub(crate) fn get(&mut self, formula: &Formula, value: bool) -> Result<Nodes, Ended> {
        let nodes = self.known[formula].clone();
        if value {
            return Ok(nodes);
        }
        let fails = self.not(&nodes)?;
        self.keep(&fails);
        Ok(fails)
    }

    pub(crate) fn all(&self) -> Nodes {
        self.classes.iter().map(|class| class.states).collect()
    }

    fn none(&self) -> Nodes {
        vec![EMPTY; self.classes.len()]
    }

    /// The nodes that no action led to.
    fn initial(&self) -> Nodes {
        let mut nodes = self.none();
        nodes[0] = self.symbolic.initial;
        nodes
    }

    pub(crate) fn not(&mut self, nodes: &Nodes) -> Result<Nodes, Ended> {
        let ldd = &mut self.symbolic.ldd;
        let pairs = self.classes.iter().zip(nodes);
        pairs.map(|(class, &set)| ldd.difference(class.states, set, self.meter)).collect()
    }

    pub(crate) fn and(&mut self, one: &Nodes, other: &Nodes) -> Result<Nodes, Ended> {
        let ldd = &mut self.symbolic.ldd;
        one.iter().zip(other).map(|(&a, &b)| ldd.intersection(a, b, self.meter)).collect()
    }

    pub(crate) fn or(&mut self, one: &Nodes, other: &Nodes) -> Result<Nodes, Ended> {
        let ldd = &mut self.symbolic.ldd;
        one.iter().zip(other).map(|(&a, &b)| ldd.union(a, b, self.meter)).collect()
    }

    pub(crate) fn minus(&mut self, one: &Nodes, other: &Nodes) -> Result<Nodes, Ended> {
        let ldd = &mut self.symbolic.ldd;
        one.iter().zip(other).map(|(&a, &b)| ldd.difference(a, b, self.meter)).collect()
    }

    /// All nodes of a set of states.
    pub(crate) fn nodes_of(&mut self, states: Node) -> Result<Nodes, Ended> {
        let ldd = &mut self.symbolic.ldd;
        let classes = self.classes.iter();
        classes.map(|class| ldd.intersection(class.states, states, self.meter)).collect()
    }

    /// Where a formula holds. All its parts are labelled too, and kept.
    fn label(
        &mut self,
        formula: &'a Formula,
        interpretation: &Interpretation<'_>,
    ) -> Result<Nodes, Ended> {
        if let Some(known) = self.known.get(formula) {
            return Ok(known.clone());
        }
        let mut operands = Vec::new();
        for operand in formula.operands() {
            operands.push(self.label(operand, interpretation)?);
        }
        let nodes = match (formula, &operands[..]) {
            (Formula::True, _) => self.all(),
            (Formula::Atom(atom), _) => match interpretation.meaning(*atom) {
                Some(Meaning::Proposition(proposition)) => {
                    let states = self.symbolic.holding(*proposition, self.meter)?;
                    self.nodes_of(states)?
                }
                _ => {
                    let class = |class: &Class| {
                        if class.satisfied[atom.index()] { class.states } else { EMPTY }
                    };
                    self.classes.iter().map(class).collect()
                }
            },
            (Formula::Not(_), [operand]) => self.not(operand)?,
            (Formula::And(_), all) => {
                all.iter().try_fold(self.all(), |sum, operand| self.and(&sum, operand))?
            }
            (Formula::Or(_), all) => {
                all.iter().try_fold(self.none(), |sum, operand| self.or(&sum, operand))?
            }
            (Formula::Implies(..), [left, right]) => {
                let no_left = self.not(left)?;
                self.or(&no_left, right)?
            }
            (Formula::Iff(..), [left, right]) => {
                let (one, other) = (self.minus(left, right)?, self.minus(right, left)?);
                let differ = self.or(&one, &other)?;
                self.not(&differ)?
            }
            (Formula::Unary(Path::All, operator, _), [operand]) => {
                let fails = self.not(operand)?;
                let some = self.some_unary(dual(*operator), &fails)?;
                self.not(&some)?
            }
            (Formula::Unary(_, operator, _), [operand]) => self.some_unary(*operator, operand)?,
            (Formula::Binary(Path::All, operator, ..), [left, right]) => {
                self.all_binary(*operator, left, right)?
            }
            (Formula::Binary(_, operator, ..), [left, right]) => {
                self.some_binary(*operator, left, right)?
            }
            // Operators have as many operands as they should; what is left is false.
            _ => self.none(),
        };
        self.keep(&nodes);
        self.known.insert(formula, nodes.clone());
        Ok(nodes)
    }

    /// Keeps sets until the check is over.
    fn keep(&mut self, nodes: &Nodes) {
        self.symbolic.ldd.needed.extend_from_slice(nodes);
    }

    fn some_unary(&mut self, operator: Unary, operand: &Nodes) -> Result<Nodes, Ended> {
        match operator {
            Unary::Next => self.some_next(operand),
            Unary::Eventually => self.some_until(&self.all(), operand),
            Unary::Always => self.some_always(operand),
            Unary::Previous => self.some_previous(operand),
            Unary::Once => self.some_since(&self.all(), operand),
            Unary::Historically => {
                let from = self.and(operand, &self.initial())?;
                self.some_since(operand, &from)
            }
        }
    }

    fn some_binary(
        &mut self,
        operator: Binary,
        left: &Nodes,
        right: &Nodes,
    ) -> Result<Nodes, Ended> {
        let (hold, goal, for_ever) = match operator {
            Binary::Since => return self.some_since(left, right),
            Binary::Until => (left, right.clone(), false),
            Binary::WeakUntil => (left, right.clone(), true),
            Binary::StrongRelease => (right, self.and(left, right)?, false),
            Binary::Release => (right, self.and(left, right)?, true),
        };
        let reached = self.some_until(hold, &goal)?;
        if !for_ever {
            return Ok(reached);
        }
        let always = self.some_always(hold)?;
        self.or(&reached, &always)
    }

    /// Each as the negation of what some run or history does instead.
    fn all_binary(
        &mut self,
        operator: Binary,
        left: &Nodes,
        right: &Nodes,
    ) -> Result<Nodes, Ended> {
        let (no_left, no_right) = (self.not(left)?, self.not(right)?);
        let fails = match operator {
            Binary::Until => self.some_binary(Binary::Release, &no_left, &no_right)?,
            Binary::WeakUntil => self.some_binary(Binary::StrongRelease, &no_left, &no_right)?,
            Binary::Release => self.some_binary(Binary::Until, &no_left, &no_right)?,
            Binary::StrongRelease => self.some_binary(Binary::WeakUntil, &no_left, &no_right)?,
            Binary::Since => {
                let neither = self.and(&no_left, &no_right)?;
                let never = self.and(&no_right, &self.initial())?;
                let from = self.or(&neither, &never)?;
                self.some_since(&no_right, &from)?
            }
        };
        self.not(&fails)
    }

    /// The reached states from which one step leads into a set of nodes.
    fn before(&mut self, nodes: &Nodes) -> Result<Node, Ended> {
        let Self { symbolic, meter, classes, .. } = self;
        let mut sum = EMPTY;
        for (class, &goal) in classes.iter().zip(nodes) {
            for (relation, &steps) in symbolic.relations.iter().zip(&class.steps) {
                let pair = (symbolic.reached, goal);
                let found = symbolic.ldd.preimage(pair, steps, relation.form(), 0, 0, meter)?;
                sum = symbolic.ldd.union(sum, found, meter)?;
            }
        }
        Ok(sum)
    }

    /// `EX`: some next node is in the set.
    pub(crate) fn some_next(&mut self, nodes: &Nodes) -> Result<Nodes, Ended> {
        let states = self.before(nodes)?;
        self.nodes_of(states)
    }

    /// `E(hold U goal)`.
    pub(crate) fn some_until(&mut self, hold: &Nodes, goal: &Nodes) -> Result<Nodes, Ended> {
        if let ([hold], [goal], true) = (&hold[..], &goal[..], self.has_all_steps()) {
            return self.chained(*hold, *goal);
        }
        let (mut found, mut fresh) = (goal.clone(), goal.clone());
        self.keep(hold);
        while fresh.iter().any(|&set| set != EMPTY) {
            self.symbolic.relieve(&[&found, &fresh]);
            let before = self.some_next(&fresh)?;
            let before = self.and(&before, hold)?;
            fresh = self.minus(&before, &found)?;
            found = self.or(&found, &fresh)?;
        }
        self.keep(&found);
        Ok(found)
    }

    /// `EG`: the greatest set within the given one each of whose nodes may be the last of a run or
    /// has a successor in it.
    pub(crate) fn some_always(&mut self, nodes: &Nodes) -> Result<Nodes, Ended> {
        let ends = self.symbolic.ends(self.meter)?;
        if let ([body], true) = (&nodes[..], self.has_all_steps()) {
            return self.thinned(*body, ends);
        }
        let mut found = nodes.clone();
        loop {
            self.symbolic.relieve(&[&found]);
            let before = self.before(&found)?;
            let goes_on = self.symbolic.ldd.union(before, ends, self.meter)?;
            let goes_on = self.nodes_of(goes_on)?;
            let rest = self.and(&found, &goes_on)?;
            if rest == found {
                self.keep(&found);
                return Ok(found);
            }
            found = rest;
        }
    }

    /// `EY`: some node before is in the set.
    fn some_previous(&mut self, nodes: &Nodes) -> Result<Nodes, Ended> {
        let Self { symbolic, meter, classes, .. } = self;
        let from = symbolic.ldd.union_all(nodes.clone(), meter)?;
        let mut found = Vec::with_capacity(classes.len());
        for class in classes {
            let mut sum = EMPTY;
            for (relation, &steps) in symbolic.relations.iter().zip(&class.steps) {
                let next = symbolic.ldd.image(from, steps, relation.form(), 0, 0, meter)?;
                sum = symbolic.ldd.union(sum, next, meter)?;
            }
            found.push(sum);
        }
        Ok(found)
    }

    /// `E(hold S goal)`.
    fn some_since(&mut self, hold: &Nodes, goal: &Nodes) -> Result<Nodes, Ended> {
        let (mut found, mut fresh) = (goal.clone(), goal.clone());
        self.keep(hold);
        while fresh.iter().any(|&set| set != EMPTY) {
            self.symbolic.relieve(&[&found, &fresh]);
            let after = self.some_previous(&fresh)?;
            let after = self.and(&after, hold)?;
            fresh = self.minus(&after, &found)?;
            found = self.or(&found, &fresh)?;
        }
        self.keep(&found);
        Ok(found)
    }
}

/// The operator `o` for which "not some o not p" is "all p of this operator".
pub(crate) fn dual(operator: Unary) -> Unary {
    match operator {
        Unary::Next | Unary::Previous => operator,
        Unary::Eventually => Unary::Always,
        Unary::Always => Unary::Eventually,
        Unary::Once => Unary::Historically,
        Unary::Historically => Unary::Once,
    }
}
