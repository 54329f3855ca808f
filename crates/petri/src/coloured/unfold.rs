//! A symmetric net as a place/transition net: every binding of a transition's variables that its
//! condition allows is a transition. Bindings that need a colour which a place never gets are left out,
//! and so are colours of a place that nothing speaks of.

use std::ops::Range;

use quadrille_diagnostic::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use super::declare::Declarations;
use super::sorts::{Colour, SortId};
use super::terms::{Comparison, Condition, Expression};
use crate::codes::{COLOUR, TOO_LARGE};
use crate::net::{Bag, Family, Net, PlaceId, Tokens, Transition, TransitionId, add};
use crate::xml::Read;

/// Transitions of the net that is made.
const MOST_TRANSITIONS: usize = 1_000_000;
/// Arcs of the net that is made, and tokens with a colour at the start.
const MOST_ARCS: u64 = 10_000_000;
/// Values that are tried for variables.
const MOST_TRIED: u64 = 200_000_000;

/// A place before it is unfolded.
pub(super) struct ColouredPlace {
    pub id: String,
    pub sort: SortId,
    pub initial: Option<Expression>,
    pub place: Range<usize>,
}

/// A transition before it is unfolded.
pub(super) struct ColouredTransition {
    pub id: String,
    pub condition: Condition,
    pub take: Vec<ColouredArc>,
    pub put: Vec<ColouredArc>,
    pub place: Range<usize>,
}

/// What an arc moves.
pub(super) struct ColouredArc {
    /// The position of its place.
    pub of: usize,
    pub moved: Expression,
    pub place: Range<usize>,
}

/// A symmetric net.
pub(crate) struct ColouredNet {
    pub(super) declarations: Declarations,
    pub(super) places: Vec<ColouredPlace>,
    pub(super) transitions: Vec<ColouredTransition>,
}

/// Unfolds a net; places and transitions are added to an empty one.
pub(crate) fn unfold(coloured: &ColouredNet, net: &mut Net) -> Read<()> {
    let mut work = Unfolding {
        coloured,
        initial: Vec::new(),
        is_table: Vec::new(),
        places: FxHashMap::default(),
        transitions: Vec::new(),
        families: Vec::new(),
        n_arcs: 0,
        n_tried: 0,
    };
    work.start()?;
    for transition in &coloured.transitions {
        let first = work.transitions.len();
        Bindings::of(&work, transition).visit(&mut work, 0)?;
        let members = (first..work.transitions.len()).map(TransitionId::from_usize).collect();
        work.families.push(Family { id: transition.id.clone(), members });
    }
    work.finish(net);
    Ok(())
}

struct Unfolding<'c> {
    coloured: &'c ColouredNet,
    /// Per place, its tokens at the start.
    initial: Vec<FxHashMap<Colour, Tokens>>,
    /// Per place, whether it never has more of a colour than at the start.
    is_table: Vec<bool>,
    /// Places with a colour, by numbers in the order in which they were met.
    places: FxHashMap<(usize, Colour), PlaceId>,
    transitions: Vec<Transition>,
    families: Vec<Family<TransitionId>>,
    n_arcs: u64,
    n_tried: u64,
}

impl<'c> Unfolding<'c> {
    fn problem(&self, place: &Range<usize>, message: String) -> Box<Diagnostic> {
        let span = Span::new(self.coloured.declarations.source, place.clone());
        Box::new(Diagnostic::error(&COLOUR, message).at(span, ""))
    }

    fn too_large(&self, place: &Range<usize>, what: &str) -> Box<Diagnostic> {
        let span = Span::new(self.coloured.declarations.source, place.clone());
        let problem = Diagnostic::error(&TOO_LARGE, format!("the net unfolds to more than {what}"));
        Box::new(problem.at(span, "at this element").help("give its sorts fewer colours"))
    }

    fn start(&mut self) -> Read<()> {
        let none = vec![0; self.coloured.declarations.variables.len()];
        for place in &self.coloured.places {
            let mut tokens = FxHashMap::default();
            if let Some(initial) = &place.initial {
                let mut used = vec![false; none.len()];
                initial.mark(&mut used);
                if used.contains(&true) {
                    let message = "an initial marking has no variable".to_owned();
                    return Err(self.problem(&place.place, message));
                }
                self.count(initial, &place.place)?;
                for (colour, count) in self.tokens(initial, &none, &place.place)? {
                    tokens.insert(colour, count);
                }
            }
            self.initial.push(tokens);
        }
        for place in 0..self.initial.len() {
            let mut colours: Vec<Colour> = self.initial[place].keys().copied().collect();
            colours.sort_unstable();
            for colour in colours {
                self.unfolded(place, colour);
            }
        }
        // What is given back as it was taken, or not given at all, is never more than at the start.
        self.is_table = vec![true; self.coloured.places.len()];
        for transition in &self.coloured.transitions {
            for arc in &transition.put {
                let is_same = |other: &&ColouredArc| other.of == arc.of && other.moved == arc.moved;
                let is_returned = transition.take.iter().any(|other| is_same(&other));
                let n_put = transition.put.iter().filter(|other| other.of == arc.of).count();
                self.is_table[arc.of] &= is_returned && n_put == 1;
            }
        }
        Ok(())
    }

    /// The number of a place with a colour.
    fn unfolded(&mut self, place: usize, colour: Colour) -> PlaceId {
        let next = PlaceId::from_usize(self.places.len());
        *self.places.entry((place, colour)).or_insert(next)
    }

    /// Counts the arcs, or tokens, that a term becomes.
    fn count(&mut self, expression: &Expression, place: &Range<usize>) -> Read<()> {
        let size = expression.size(&self.coloured.declarations.sorts);
        self.n_arcs = self.n_arcs.saturating_add(size);
        match self.n_arcs > MOST_ARCS {
            true => Err(self.too_large(place, &format!("{MOST_ARCS} arcs"))),
            false => Ok(()),
        }
    }

    /// A multiset by colours, ascending.
    fn tokens(
        &self,
        expression: &Expression,
        binding: &[Colour],
        place: &Range<usize>,
    ) -> Read<Vec<(Colour, Tokens)>> {
        let declarations = &self.coloured.declarations;
        let mut bag = expression.bag(&declarations.sorts, binding);
        bag.sort_unstable();
        bag.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        bag.retain(|&(_, count)| count != 0);
        let mut tokens = Vec::with_capacity(bag.len());
        for (colour, count) in bag {
            let Some(count) = Tokens::try_from(count).ok().filter(|&count| count < 1 << 31) else {
                let name = declarations.sorts.name(expression.sort, colour);
                let message = format!("the term has {count} times the colour `{name}`");
                return Err(self.problem(place, message));
            };
            tokens.push((colour, count));
        }
        Ok(tokens)
    }

    /// Adds a transition with a binding, unless some place never has what it needs.
    fn add(
        &mut self,
        transition: &ColouredTransition,
        used: &[usize],
        binding: &[Colour],
    ) -> Read<()> {
        let mut bags = [Bag::new(), Bag::new()];
        for (bag, arcs) in bags.iter_mut().zip([&transition.take, &transition.put]) {
            for arc in arcs {
                self.count(&arc.moved, &arc.place)?;
                for (colour, count) in self.tokens(&arc.moved, binding, &arc.place)? {
                    add(bag, self.unfolded(arc.of, colour), count);
                }
            }
        }
        if self.transitions.len() == MOST_TRANSITIONS {
            return Err(
                self.too_large(&transition.place, &format!("{MOST_TRANSITIONS} transitions"))
            );
        }
        let declarations = &self.coloured.declarations;
        let value = |&variable: &usize| {
            let declared = &declarations.variables[variable];
            let name = declarations.sorts.name(declared.sort, binding[variable]);
            format!("{}={name}", declared.name)
        };
        let values: Vec<String> = used.iter().map(value).collect();
        let id = match values.is_empty() {
            true => transition.id.clone(),
            false => format!("{}({})", transition.id, values.join(",")),
        };
        let [take, put] = bags;
        self.transitions.push(Transition { id, take, put });
        Ok(())
    }

    /// Puts places in the order of the text, and of their colours.
    fn finish(self, net: &mut Net) {
        let mut order: Vec<(usize, Colour, PlaceId)> =
            self.places.iter().map(|(&(place, colour), &id)| (place, colour, id)).collect();
        order.sort_unstable();
        let mut renamed = vec![PlaceId::from_usize(0); order.len()];
        for place in &self.coloured.places {
            net.coloured_places.push(Family { id: place.id.clone(), members: Vec::new() });
        }
        let sorts = &self.coloured.declarations.sorts;
        for (number, &(place, colour, id)) in order.iter().enumerate() {
            let (new, declared) = (PlaceId::from_usize(number), &self.coloured.places[place]);
            renamed[id.index()] = new;
            let name = sorts.name(declared.sort, colour);
            net.places.push(match name.is_empty() {
                true => declared.id.clone(),
                false => format!("{}({name})", declared.id),
            });
            net.initial.push(self.initial[place].get(&colour).copied().unwrap_or(0));
            net.coloured_places[place].members.push(new);
        }
        net.transitions = self.transitions;
        for transition in &mut net.transitions {
            for bag in [&mut transition.take, &mut transition.put] {
                bag.iter_mut().for_each(|(place, _)| *place = renamed[place.index()]);
                bag.sort_unstable();
            }
        }
        net.coloured_transitions = self.families;
    }
}

/// What is tested as soon as its variables have values.
enum Test<'c> {
    Condition(&'c Condition),
    /// A table must hold these colours.
    Table(&'c ColouredArc),
}

impl Test<'_> {
    fn mark(&self, used: &mut [bool]) {
        match self {
            Test::Condition(condition) => condition.mark(used),
            Test::Table(arc) => arc.moved.mark(used),
        }
    }
}

/// The bindings of a transition.
struct Bindings<'c> {
    transition: &'c ColouredTransition,
    /// Its variables, in the order of their declaration.
    used: Vec<usize>,
    /// Variables in the order in which they get values, each with the term that says its value, if an
    /// equation does, and with what is tested then. The first entry has no variable.
    steps: Vec<(Option<usize>, Option<&'c Expression>, Vec<Test<'c>>)>,
    binding: Vec<Colour>,
}

impl<'c> Bindings<'c> {
    fn of(work: &Unfolding<'c>, transition: &'c ColouredTransition) -> Self {
        let n_variables = work.coloured.declarations.variables.len();
        let mut is_used = vec![false; n_variables];
        let mut tests = Vec::new();
        conjuncts(&transition.condition, &mut tests);
        let equations: Vec<(usize, &Expression)> =
            tests.iter().copied().flat_map(equations).collect();
        let mut tests: Vec<Test<'c>> = tests.into_iter().map(Test::Condition).collect();
        tests.extend(transition.take.iter().filter(|arc| work.is_table[arc.of]).map(Test::Table));
        transition.condition.mark(&mut is_used);
        for arc in transition.take.iter().chain(&transition.put) {
            arc.moved.mark(&mut is_used);
        }
        let used: Vec<usize> = (0..n_variables).filter(|&at| is_used[at]).collect();
        let mut is_bound = vec![false; n_variables];
        let mut bindings =
            Self { transition, steps: Vec::new(), binding: vec![0; n_variables], used };
        bindings.step(None, None, &mut tests, &is_bound);
        while let Some(&open) = bindings.used.iter().find(|&&variable| !is_bound[variable]) {
            let says = |&&(variable, term): &&(usize, &Expression)| {
                let mut marked = vec![false; n_variables];
                term.mark(&mut marked);
                !is_bound[variable]
                    && marked.iter().zip(&is_bound).all(|(used, bound)| !used || *bound)
            };
            let (variable, term) = match equations.iter().find(says) {
                Some(&(variable, term)) => (variable, Some(term)),
                None => (open, None),
            };
            is_bound[variable] = true;
            bindings.step(Some(variable), term, &mut tests, &is_bound);
        }
        bindings
    }

    /// Adds a step with all tests that speak about nothing else than what has a value then.
    fn step(
        &mut self,
        variable: Option<usize>,
        term: Option<&'c Expression>,
        tests: &mut Vec<Test<'c>>,
        is_bound: &[bool],
    ) {
        let mut now = Vec::new();
        for test in std::mem::take(tests) {
            let mut marked = vec![false; is_bound.len()];
            test.mark(&mut marked);
            let is_ready = marked.iter().zip(is_bound).all(|(used, bound)| !used || *bound);
            if is_ready { now.push(test) } else { tests.push(test) }
        }
        self.steps.push((variable, term, now));
    }

    /// Tries all values from a step on.
    fn visit(&mut self, work: &mut Unfolding<'c>, step: usize) -> Read<()> {
        let Some((variable, term, _)) = self.steps.get(step) else {
            return work.add(self.transition, &self.used, &self.binding);
        };
        let (variable, term) = (*variable, *term);
        let declarations = &work.coloured.declarations;
        let values = match (variable, term) {
            (None, _) => 0..1,
            (Some(_), Some(term)) => match term.colour(&declarations.sorts, &self.binding) {
                Some(colour) => colour..colour + 1,
                None => 0..0,
            },
            (Some(variable), None) => {
                0..declarations.sorts.n_colours(declarations.variables[variable].sort)
            }
        };
        for value in values {
            work.n_tried += 1;
            if work.n_tried > MOST_TRIED {
                let what = format!("can be found by trying {MOST_TRIED} values of variables");
                return Err(work.too_large(&self.transition.place, &what));
            }
            if let Some(variable) = variable {
                self.binding[variable] = value;
            }
            if self.passes(work, step)? {
                self.visit(work, step + 1)?;
            }
        }
        Ok(())
    }

    fn passes(&self, work: &Unfolding<'c>, step: usize) -> Read<bool> {
        for test in &self.steps[step].2 {
            let passes = match test {
                Test::Condition(condition) => {
                    condition.holds(&work.coloured.declarations.sorts, &self.binding)
                }
                Test::Table(arc) => {
                    let tokens = work.tokens(&arc.moved, &self.binding, &arc.place)?;
                    let held = &work.initial[arc.of];
                    tokens
                        .iter()
                        .all(|(colour, count)| held.get(colour).is_some_and(|it| it >= count))
                }
            };
            if !passes {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn conjuncts<'c>(condition: &'c Condition, all: &mut Vec<&'c Condition>) {
    match condition {
        Condition::All(parts) => parts.iter().for_each(|part| conjuncts(part, all)),
        other => all.push(other),
    }
}

/// Variables whose value an equation says, with the term for it.
fn equations(condition: &Condition) -> Vec<(usize, &Expression)> {
    let Condition::Compare(Comparison::Equal, one, other) = condition else { return Vec::new() };
    if one.sort != other.sort {
        return Vec::new();
    }
    let says = |variable: &Expression, term| variable.variable().map(|it| (it, term));
    [says(one, other), says(other, one)].into_iter().flatten().collect()
}
