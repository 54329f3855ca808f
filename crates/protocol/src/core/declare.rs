//! What a protocol promises of itself before it is explored: a group for each action that a part can
//! come to, with the variables that its conditions and assignments use. Definitions are unfolded for
//! that in tables of their own, so that terms and actions keep the numbers that exploring gives
//! them; where that leads too far, a part is one group that may do anything.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_model::{
    ActionId, Change, Effect, Family, Group, GroupId, Guard, GuardId, Signature, SlotId, TaskId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::action::{ActId, RoleId};
use super::content::Writer;
use super::data::VariableId;
use super::instance::Renaming;
use super::step::Definitions;
use super::term::{Term, TermId, Terms};

/// Most parts that are looked into.
const MAX_PARTS: usize = 64;
/// Most calls that are unfolded.
const MAX_CALLS: usize = 512;
/// Most terms that may come of it.
const MAX_TERMS: usize = 20_000;

/// Groups by actions as bytes.
type ByAct = BTreeMap<Vec<u8>, GroupId>;

/// The groups of a protocol: which part each belongs to, and what it does.
#[derive(Default)]
pub(super) struct Groups {
    /// By group, the part whose steps it has.
    pub(super) parts: Vec<usize>,
    /// By guard, the group that it belongs to, and whether it looks at conditions.
    pub(super) guarded: Vec<(GroupId, bool)>,
    /// By part, its first group, and its groups by action where it has more than one.
    known: Vec<(GroupId, Option<ByAct>)>,
}

impl Groups {
    /// Whether all steps of a part are one group.
    pub(super) fn is_one(&self, part: usize) -> bool {
        self.known[part].1.is_none()
    }

    /// The group of an action of a part.
    pub(super) fn group(&self, terms: &Terms, part: usize, act: ActId) -> GroupId {
        let (first, by_act) = &self.known[part];
        by_act.as_ref().map_or(*first, |by_act| {
            *by_act.get(&bytes(terms, act)).expect("an action of the part's text")
        })
    }
}

/// An action as bytes.
fn bytes(terms: &Terms, act: ActId) -> Vec<u8> {
    let mut writer = Writer::default();
    terms.write_act(act, &mut writer);
    writer.finish()
}

/// What an action reads and assigns, wherever it stands in a part.
#[derive(Default)]
struct Use {
    reads: BTreeSet<VariableId>,
    /// The variables that it assigns somewhere, and those that it always assigns.
    may: BTreeSet<VariableId>,
    must: Option<BTreeSet<VariableId>>,
}

/// What a part can come to.
#[derive(Default)]
struct Reach {
    acts: BTreeMap<Vec<u8>, Use>,
    /// Variables in conditions.
    tested: Vec<VariableId>,
}

/// Declares the groups of the parts of a protocol, whose slots come before those of the variables.
pub(super) fn declare(
    terms: &Terms,
    definitions: &dyn Definitions,
    start: &[(TermId, &Renaming)],
    signature: &mut Signature,
) -> Groups {
    let mut groups = Groups::default();
    let slot = |variable: &VariableId| SlotId::from_usize(start.len() + variable.0 as usize);
    let numbers: FxHashMap<Vec<u8>, ActId> =
        (0..terms.n_acts() as u32).map(|act| (bytes(terms, ActId(act)), ActId(act))).collect();
    let variables = terms.variables().to_vec();
    let scratch =
        Terms::with_places(terms.identity(), variables, terms.places.emptied(), terms.names_states);
    let mut ahead = Ahead { terms: scratch, definitions, n_calls: 0 };
    for (part, &(term, renaming)) in start.iter().enumerate() {
        let own = SlotId::from_usize(part);
        let task = TaskId::from_usize(part);
        let first = GroupId::from_usize(signature.groups.len());
        let is_small = start.len() <= MAX_PARTS;
        let text = is_small.then(|| terms.write(term, definitions));
        let found = text.and_then(|text| ahead.reach(&text));
        let Some(Reach { acts, tested }) = found else {
            let data = (start.len()..signature.n_slots()).map(SlotId::from_usize);
            let reads: Vec<SlotId> = std::iter::once(own).chain(data).collect();
            let effects = reads.iter().copied().map(Effect::any).collect();
            signature.groups.push(Group { task, reads, effects, ..Group::default() });
            groups.parts.push(part);
            groups.known.push((first, None));
            continue;
        };
        let tested: BTreeSet<SlotId> = tested.iter().map(slot).collect();
        let mut by_act = BTreeMap::new();
        for (act, Use { reads, may, must }) in acts {
            let id = GroupId::from_usize(signature.groups.len());
            let mut guard = |reads: Vec<SlotId>, text: &str, has_condition: bool| {
                let text = format!("{} {text}", signature.slots[part].name);
                signature.guards.push(Guard::Opaque { reads, text });
                groups.guarded.push((id, has_condition));
                GuardId::from_usize(signature.guards.len() - 1)
            };
            let mut guards = vec![guard(vec![own], "has come to the action", false)];
            if !tested.is_empty() {
                let reads = std::iter::once(own).chain(tested.iter().copied()).collect();
                guards.push(guard(reads, "allows the action", true));
            }
            let results: BTreeSet<SlotId> =
                tested.iter().copied().chain(reads.iter().map(slot)).collect();
            let number = numbers.get(&act).map(|&act| terms.renamed(act, renaming));
            let act = number.map_or(act, |act| bytes(terms, act));
            let subjects = number.map(|act| terms.act_of(act).subjects()).unwrap_or_default();
            let effect = |variable: &VariableId| {
                let is_certain = must.iter().any(|must| must.contains(variable));
                let change = if is_certain { Change::Set } else { Change::Any };
                Effect { slot: slot(variable), change }
            };
            let control = Effect { slot: own, change: Change::Set };
            signature.groups.push(Group {
                task,
                participants: subjects.into_iter().map(RoleId::participant).collect(),
                guards,
                guards_complete: true,
                reads: std::iter::once(own).chain(results).collect(),
                effects: std::iter::once(control).chain(may.iter().map(effect)).collect(),
                actions: number.map(|act| vec![ActionId::new(act.0)]),
                ..Group::default()
            });
            groups.parts.push(part);
            by_act.insert(act, id);
        }
        groups.known.push((first, Some(by_act)));
    }
    signature.families = families(start);
    groups
}

/// Parts that start alike can be exchanged: what a part does depends on its term only, but for the
/// roles in its actions.
fn families(start: &[(TermId, &Renaming)]) -> Vec<Family> {
    let mut alike: BTreeMap<TermId, Vec<Vec<SlotId>>> = BTreeMap::new();
    for (part, &(term, _)) in start.iter().enumerate() {
        alike.entry(term).or_default().push(vec![SlotId::from_usize(part)]);
    }
    let families = alike.into_values().filter(|members| members.len() > 1);
    families.map(Family::of).collect()
}

/// Unfolds definitions before a search does.
struct Ahead<'d> {
    terms: Terms,
    definitions: &'d dyn Definitions,
    n_calls: usize,
}

impl Ahead<'_> {
    /// What a term can come to; `None` where that leads too far, or a definition has no body.
    fn reach(&mut self, text: &[u8]) -> Option<Reach> {
        let terms = &self.terms;
        let start = terms.read(text, self.definitions)?;
        let mut reach = Reach::default();
        let (mut open, mut seen) = (vec![start], FxHashSet::default());
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            match terms.term(term) {
                Term::Stop | Term::Skip => {}
                Term::Act(act, update) => {
                    let used = reach.acts.entry(bytes(terms, act)).or_default();
                    let mut assigned = BTreeSet::new();
                    for assignment in terms.update_of(update) {
                        let mut read = Vec::new();
                        terms.variables_of(assignment.value, &mut read);
                        used.reads.extend(read);
                        assigned.insert(assignment.variable);
                    }
                    used.may.extend(&assigned);
                    match &mut used.must {
                        Some(must) => must.retain(|variable| assigned.contains(variable)),
                        None => used.must = Some(assigned),
                    }
                }
                Term::Seq(one, two) | Term::Par(one, two) => open.extend([one, two]),
                Term::Choice(parts) => open.extend(parts),
                Term::Nested(part) | Term::Repeat { body: part, .. } => open.push(part),
                Term::Guard(condition, part) => {
                    terms.variables_of(condition, &mut reach.tested);
                    open.push(part);
                }
                Term::Call(definition, arguments) => {
                    let unfold = || {
                        self.n_calls += 1;
                        self.definitions.unfold(terms, definition, arguments)
                    };
                    let body = terms.body(term, unfold);
                    if self.n_calls > MAX_CALLS || terms.n_terms() > MAX_TERMS {
                        return None;
                    }
                    open.push(body.ok()?);
                }
            }
        }
        Some(reach)
    }
}
