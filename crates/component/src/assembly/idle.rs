//! Operands of the components' protocols in which nothing ever happens, given the actions that do.
//!
//! An event that is written in several places of a component happens in all of them, unless the component
//! with a name of its own for each place, followed beside the composition, says otherwise soon enough.

use std::collections::BTreeSet;

use quadrille_diagnostic::{Activity, Fragment, Span, idle};
use quadrille_model::{ActionId, GroupId, Model as _, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Assembly, Member};
use crate::automata::{Alphabet, Construction, EventKind, Move, Role, StepId, build, moves, slots};
use crate::composition::{Composition, UnitId};
use crate::lint::uses;
use crate::syntax::{Catch, Kind, Mention, Protocol};

/// The first of the characters that tell places apart; no name of a text has one of them.
const FIRST_MARK: u32 = 0xF_0000;
/// Most places that are told apart.
const MOST_MARKS: usize = 1 << 12;
/// Most configurations of the composition and the component that are followed.
const MOST: usize = 1 << 16;

/// What a component does in a step, whatever the places: each event with its role.
type Doing = Vec<(Role, String)>;

/// An event as a text mentions it: role, interface and method, request or response.
type Named = (Role, String, EventKind);

impl Assembly {
    /// The outermost operands of the components' protocols in which nothing happens, if these are the
    /// actions that occur in all of the composition; in the order of the texts.
    pub fn idle(&self, composition: &Composition, actions: &[ActionId]) -> Vec<Span> {
        let mut done: Vec<BTreeSet<Named>> = vec![BTreeSet::new(); self.units.len()];
        for &action in actions {
            for &(unit, step) in composition.taken(action).iter().flatten() {
                for part in self.alphabet.step_events(step) {
                    let event = self.alphabet.event_of(part.event);
                    done[unit.index()].insert((part.role, event.path.clone(), event.kind));
                }
            }
        }
        // A text that several members share is idle where it is in all of them.
        let mut happened = BTreeSet::new();
        for unit in self.units() {
            let protocol = &self.members[unit.index()].component.protocol;
            let mut places: FxHashMap<Named, BTreeSet<Span>> = FxHashMap::default();
            for one in uses(protocol) {
                places.entry((one.role, one.path, one.kind)).or_default().insert(one.span);
            }
            let mut perhaps = BTreeSet::new();
            for event in &done[unit.index()] {
                match places.get(event) {
                    Some(spans) if spans.len() > 1 => perhaps.extend(spans.iter().copied()),
                    Some(spans) => happened.extend(spans.iter().copied()),
                    None => {}
                }
            }
            if !perhaps.is_subset(&happened) {
                let active = self.told_apart(composition, unit, &perhaps);
                happened.extend(active.unwrap_or(perhaps));
            }
        }
        let outlines = self.members.iter().map(|one| fragment(&one.component.protocol, &happened));
        let found: BTreeSet<Span> = outlines.flat_map(|outline| idle(&[outline])).collect();
        found.into_iter().collect()
    }

    /// Those of some places of a component in which something happens, if they can be told apart.
    fn told_apart(
        &self,
        composition: &Composition,
        unit: UnitId,
        places: &BTreeSet<Span>,
    ) -> Option<BTreeSet<Span>> {
        let places: Vec<Span> = places.iter().copied().collect();
        let mut alphabet = Alphabet::default();
        let Member { types, component, throws } = marked(&self.members[unit.index()], &places)?;
        let construction = Construction::Minimal;
        let dfa = build(&mut alphabet, &types, &component, throws.as_ref(), construction).ok()?;
        let mut by_doing: FxHashMap<Doing, Vec<Move>> = FxHashMap::default();
        for one in moves(&dfa) {
            by_doing.entry(doing(&alphabet, one.step)).or_default().push(one);
        }
        let doings = |action: ActionId| -> BTreeSet<Doing> {
            let ways = composition.taken(action).iter().flatten();
            let own = ways.filter(|(who, _)| *who == unit);
            own.map(|(_, step)| doing(&self.alphabet, *step)).collect()
        };
        let mut known_doings: FxHashMap<ActionId, BTreeSet<Doing>> = FxHashMap::default();
        let mut found = BTreeSet::new();
        let start = (composition.start(), vec![0; slots(&dfa).len()]);
        let mut known: FxHashSet<(Vec<Value>, Vec<Value>)> = FxHashSet::from_iter([start.clone()]);
        let mut open = vec![start];
        let mut explorer = composition.explorer();
        while let Some((state, local)) = open.pop() {
            let visit = |_: GroupId, action: ActionId, next: &[Value]| {
                let doings = known_doings.entry(action).or_insert_with(|| doings(action));
                let mut reach = |local: Vec<Value>| {
                    let both = (next.to_vec(), local);
                    if known.insert(both.clone()) {
                        open.push(both);
                    }
                };
                if doings.is_empty() {
                    reach(local.clone());
                }
                for one in doings.iter().filter_map(|doing| by_doing.get(doing)).flatten() {
                    if one.region.contains(&local) {
                        found.extend(marks(&alphabet, one.step).map(|mark| places[mark]));
                        reach(one.after(&local));
                    }
                }
            };
            explorer.each_successor(&state, visit).ok()?;
            if known.len() > MOST {
                return None;
            }
            if found.len() == places.len() {
                break;
            }
        }
        Some(found)
    }
}

/// The member with a mark on the name of each event at some places; nothing where names are compared with
/// other names of the text, or where there are too many places.
fn marked(member: &Member, places: &[Span]) -> Option<Member> {
    let mut is_plain = places.len() <= MOST_MARKS;
    member.component.protocol.walk(&mut |protocol| {
        is_plain &= !matches!(
            protocol.kind,
            Kind::Restrict(..) | Kind::Adjust(..) | Kind::Try { .. } | Kind::Meet(_)
        );
    });
    if !is_plain {
        return None;
    }
    let mut marked = member.clone();
    marked.component.protocol.for_each_mention(&mut |mention| {
        let (text, span) = match mention {
            Mention::Event(path) => (&mut path.text, path.span),
            Mention::Thrown(name) => (&mut name.text, name.span),
            Mention::Listed(_) => return,
        };
        if let Ok(mark) = places.binary_search(&span) {
            text.extend(char::from_u32(FIRST_MARK + mark as u32));
        }
    });
    Some(marked)
}

/// What a step does, without marks.
fn doing(alphabet: &Alphabet, step: StepId) -> Doing {
    let plain = |text: String| text.chars().filter(|c| u32::from(*c) < FIRST_MARK).collect();
    let parts = alphabet.step_events(step).iter();
    let mut all: Doing =
        parts.map(|part| (part.role, plain(alphabet.event_of(part.event).to_string()))).collect();
    all.sort_unstable();
    all
}

/// The numbers of the places of a step's events.
fn marks(alphabet: &Alphabet, step: StepId) -> impl Iterator<Item = usize> {
    let paths = alphabet.step_events(step).iter().map(|part| &alphabet.event_of(part.event).path);
    paths
        .flat_map(|path| path.chars().filter_map(|c| u32::from(c).checked_sub(FIRST_MARK)))
        .map(|mark| mark as usize)
}

/// The outline of a protocol.
fn fragment(protocol: &Protocol, happened: &BTreeSet<Span>) -> Fragment {
    let event = |span: Span| Activity::of(happened.contains(&span));
    let block = |parts: &[&Protocol]| parts.iter().map(|part| fragment(part, happened)).collect();
    let apart = |parts: &[Protocol]| parts.iter().map(|part| block(&[part])).collect();
    let (own, blocks) = match &protocol.kind {
        Kind::Null | Kind::Assign { .. } => (Activity::Empty, Vec::new()),
        Kind::Event(token) => (event(token.path.span), Vec::new()),
        Kind::Atomic(tokens) => {
            let all = tokens.iter().map(|token| event(token.path.span));
            (all.max().unwrap_or(Activity::Empty), Vec::new())
        }
        Kind::Meet(path) => (event(path.span), Vec::new()),
        Kind::Throw(name) => (event(name.span), Vec::new()),
        Kind::Call { path, body, .. } => {
            (event(path.span), body.iter().map(|body| block(&[body])).collect())
        }
        Kind::Sequence(parts) => (Activity::Empty, vec![block(&parts.iter().collect::<Vec<_>>())]),
        Kind::Alternative(parts) | Kind::Parallel(parts) | Kind::OrParallel(parts) => {
            (Activity::Empty, apart(parts))
        }
        Kind::Try { body, catches } => {
            let handler = |catch: &Catch| {
                let spans = catch.exceptions.iter().map(|exception| exception.span);
                let own = spans.clone().map(event).max().unwrap_or(Activity::Empty);
                let span = spans.fold(catch.handler.span, |all, span| span.to(all));
                vec![Fragment { span, own, blocks: vec![block(&[&catch.handler])] }]
            };
            let body = std::iter::once(block(&[body]));
            (Activity::Empty, body.chain(catches.iter().map(handler)).collect())
        }
        Kind::Repeat(_)
        | Kind::Restrict(..)
        | Kind::Adjust(..)
        | Kind::Invert(_)
        | Kind::While { .. }
        | Kind::Switch { .. } => {
            let mut blocks = Vec::new();
            protocol.for_each_part(|part| blocks.push(block(&[part])));
            (Activity::Empty, blocks)
        }
    };
    Fragment { span: protocol.span, own, blocks }
}
