//! From what was read of a symmetric net to the net: declarations first, wherever they stand, then the
//! terms of places, transitions and arcs.

use std::ops::Range;

use quadrille_diagnostic::{Diagnostic, SourceId};

use super::declare::Declarations;
use super::mismatch;
use super::terms::{Condition, Expression};
use super::unfold::{ColouredArc, ColouredNet, ColouredPlace, ColouredTransition};
use crate::xml::{Node, Read};

/// A symmetric net as it is written.
#[derive(Default)]
pub(crate) struct Written<'t> {
    pub declarations: Vec<Node<'t>>,
    pub places: Vec<WrittenPlace<'t>>,
    pub transitions: Vec<WrittenTransition<'t>>,
}

/// A place with its `type` and its `hlinitialMarking`.
pub(crate) struct WrittenPlace<'t> {
    pub id: String,
    pub sort: Option<Node<'t>>,
    pub initial: Option<Node<'t>>,
    pub place: Range<usize>,
}

/// A transition with its `condition` and its arcs.
pub(crate) struct WrittenTransition<'t> {
    pub id: String,
    pub condition: Option<Node<'t>>,
    pub take: Vec<WrittenArc<'t>>,
    pub put: Vec<WrittenArc<'t>>,
    pub place: Range<usize>,
}

/// The position of a place, and the `hlinscription`.
pub(crate) struct WrittenArc<'t> {
    pub of: usize,
    pub moved: Option<Node<'t>>,
    pub element: Node<'t>,
}

/// Makes the net of what is written, and tells everything that is wrong with it.
pub(crate) fn assemble(source: SourceId, written: &Written<'_>) -> (ColouredNet, Vec<Diagnostic>) {
    let (declarations, mut problems) = Declarations::read(source, &written.declarations);
    if problems.iter().any(Diagnostic::is_error) {
        // What is missing would be missed everywhere.
        problems.dedup();
        return (
            ColouredNet { declarations, places: Vec::new(), transitions: Vec::new() },
            problems,
        );
    }
    let mut assembly = Assembly { declarations, problems };
    let mut places = Vec::with_capacity(written.places.len());
    for place in &written.places {
        let sort = match &place.sort {
            None => Ok(assembly.declarations.dot),
            Some(sort) => assembly.inside(sort, Declarations::sort),
        };
        let Some(sort) = assembly.good(sort) else { continue };
        let initial = place.initial.as_ref().map(|node| {
            let term = assembly.inside(node, Declarations::expression)?;
            assembly.declarations.fits(&term, sort, node).map(|()| term)
        });
        let initial = initial.and_then(|initial| assembly.good(initial));
        places.push(ColouredPlace {
            id: place.id.clone(),
            sort,
            initial,
            place: place.place.clone(),
        });
    }
    let mut transitions = Vec::with_capacity(written.transitions.len());
    // Positions of places count only where all of them have a sort.
    let is_whole = places.len() == written.places.len();
    for transition in written.transitions.iter().filter(|_| is_whole) {
        let condition = match &transition.condition {
            None => Ok(Condition::Constant(true)),
            Some(node) => assembly.inside(node, Declarations::condition),
        };
        let condition = assembly.good(condition).unwrap_or(Condition::Constant(true));
        transitions.push(ColouredTransition {
            id: transition.id.clone(),
            condition,
            take: assembly.arcs(&transition.take, &places),
            put: assembly.arcs(&transition.put, &places),
            place: transition.place.clone(),
        });
    }
    let Assembly { declarations, problems } = assembly;
    (ColouredNet { declarations, places, transitions }, problems)
}

struct Assembly {
    declarations: Declarations,
    problems: Vec<Diagnostic>,
}

impl Assembly {
    fn good<T>(&mut self, found: Read<T>) -> Option<T> {
        found.map_err(|problem| self.problems.push(*problem)).ok()
    }

    /// Reads what stands in the `structure` of an element.
    fn inside<T>(
        &mut self,
        node: &Node<'_>,
        read: impl FnOnce(&mut Declarations, &Node<'_>) -> Read<T>,
    ) -> Read<T> {
        let structure = node.parts.iter().find(|part| part.element.name == "structure");
        let Some(structure) = structure else {
            let message =
                format!("`{}` has no `structure`; its text is not read", node.element.name);
            return Err(mismatch(self.declarations.source, node, message));
        };
        let only = self.declarations.only(structure, "a term")?;
        read(&mut self.declarations, only)
    }

    fn arcs(&mut self, written: &[WrittenArc<'_>], places: &[ColouredPlace]) -> Vec<ColouredArc> {
        let mut arcs = Vec::with_capacity(written.len());
        for arc in written {
            let sort = places[arc.of].sort;
            let moved = match &arc.moved {
                Some(node) => self.inside(node, Declarations::expression).and_then(|term| {
                    self.declarations.fits(&term, sort, node)?;
                    Ok(term)
                }),
                None if sort == self.declarations.dot => Ok(Expression::dot(sort)),
                None => {
                    let message = "the arc has no `hlinscription`, and its place has colours";
                    Err(mismatch(self.declarations.source, &arc.element, message))
                }
            };
            let place = arc.element.element.place.clone();
            arcs.extend(self.good(moved).map(|moved| ColouredArc { of: arc.of, moved, place }));
        }
        arcs
    }
}
