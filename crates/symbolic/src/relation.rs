//! The relation of a model, in pieces: which levels each group touches, and what is known of its
//! steps. Steps are learned on short vectors, of the slots that the results of a group depend on, by
//! asking the model (Blom, van de Pol & Weber, CAV 2010). Where guards are complete and each looks at one
//! slot, a slot that only guards look at need not be asked about: any value that they let through does.

use std::collections::BTreeMap;

use quadrille_model::{
    ActionId, Change, Explorer, Flow, GroupId, Guard, Signature, SlotId, Value, settled,
};
use rustc_hash::FxHashMap;

use crate::apply::{Access, Form, Piece, Projection, Stop, Touch};
use crate::budget::{CALL, Ended, Meter};
use crate::ldd::{EMPTY, Edge, Ldd, Node, UNIT};

/// Steps of groups that touch the same levels in the same way.
pub(crate) struct Relation {
    pub id: u32,
    pub touches: Vec<Touch>,
    /// What is known of the steps.
    pub node: Node,
    pub learners: Vec<Learner>,
    /// What its steps do at each level, where that is declared and need not be learned; then the
    /// relation has nothing but labels.
    pub pieces: Vec<Piece>,
}

impl Relation {
    pub(crate) fn form(&self) -> Form<'_> {
        Form { id: self.id, touches: &self.touches, pieces: &self.pieces }
    }

    /// Entries of its vectors before the label.
    pub(crate) fn depth(&self) -> usize {
        if !self.pieces.is_empty() {
            return 0;
        }
        let entries = |touch: &Touch| if touch.access == Access::Both { 2 } else { 1 };
        self.touches.iter().map(entries).sum()
    }

    /// The first level that it touches; `None` if its steps neither depend on anything nor change it.
    pub(crate) fn top(&self) -> Option<u32> {
        self.touches.first().map(|touch| touch.level)
    }
}

/// What is known of one group.
pub(crate) struct Learner {
    group: GroupId,
    /// The vectors that must be asked about.
    projection: Projection,
    /// Per kept entry of the projection, its slot.
    asked: Vec<SlotId>,
    /// Slots that guards alone look at, with the values let through.
    free: Vec<(SlotId, Vec<Value>)>,
    /// Vectors that were asked about.
    known: Node,
}

/// A step of a group by an action. Steps that a model reports several times are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Label {
    pub group: GroupId,
    pub action: ActionId,
    nth: u32,
}

/// The labels met so far, numbered.
#[derive(Default)]
pub(crate) struct Labels {
    pub list: Vec<Label>,
    numbers: FxHashMap<Label, u32>,
}

impl Labels {
    fn number(&mut self, label: Label) -> u32 {
        *self.numbers.entry(label).or_insert_with(|| {
            self.list.push(label);
            self.list.len() as u32 - 1
        })
    }
}

/// The relations of all groups. `levels` says where slots lie. Of groups that say all about
/// themselves, slot by slot, nothing need be learned.
pub(crate) fn relations(
    ldd: &mut Ldd,
    signature: &Signature,
    levels: &[u32],
    labels: &mut Labels,
    meter: &mut Meter<'_>,
) -> Result<Vec<Relation>, Ended> {
    let mut by_touches: BTreeMap<Vec<Touch>, Vec<Learner>> = BTreeMap::new();
    let mut all: Vec<Relation> = Vec::new();
    for group in (0..signature.groups.len()).map(GroupId::from_usize) {
        if let Some((touches, pieces, action)) = declared(signature, group, levels) {
            let label = labels.number(Label { group, action, nth: 0 });
            let node = ldd.single(label, UNIT, meter)?;
            all.push(Relation { id: 0, touches, node, learners: Vec::new(), pieces });
            continue;
        }
        let (touches, learner) = learner(signature, group, levels);
        by_touches.entry(touches).or_default().push(learner);
    }
    let relation = |(touches, learners): (Vec<Touch>, Vec<Learner>)| Relation {
        id: 0,
        touches,
        node: EMPTY,
        learners,
        pieces: Vec::new(),
    };
    all.extend(by_touches.into_iter().map(relation));
    for (id, relation) in all.iter_mut().enumerate() {
        relation.id = id as u32;
    }
    Ok(all)
}

/// What a group does level by level, if it counts something and says all about itself: guards that
/// look at one slot each and are complete, one action, constants and counts as effects.
fn declared(
    signature: &Signature,
    id: GroupId,
    levels: &[u32],
) -> Option<(Vec<Touch>, Vec<Piece>, ActionId)> {
    let group = &signature.groups[id.index()];
    let [action] = group.actions.as_deref()? else { return None };
    let mut pieces: BTreeMap<u32, Piece> = BTreeMap::new();
    let blank = || Piece { guards: Vec::new(), change: None };
    for &guard in &group.guards {
        let guard = signature.guard(guard);
        let [slot] = guard.reads() else { return None };
        guard.allows(0)?;
        let piece = pieces.entry(levels[slot.index()]).or_insert_with(blank);
        piece.guards.push(guard.clone());
    }
    for effect in &group.effects {
        match &effect.change {
            Change::Count { .. } => {}
            Change::Assign(values) if values.len() == 1 => {}
            _ => return None,
        }
        let piece = pieces.entry(levels[effect.slot.index()]).or_insert_with(blank);
        piece.change = Some(effect.change.clone());
    }
    let is_declared = group.guards_complete && signature.counts() && !pieces.is_empty();
    let touch = |(&level, piece): (&u32, &Piece)| {
        let access = if piece.change.is_some() { Access::Both } else { Access::Read };
        Touch { level, access }
    };
    let touches = pieces.iter().map(touch).collect();
    is_declared.then(|| (touches, pieces.into_values().collect(), *action))
}

fn learner(signature: &Signature, id: GroupId, levels: &[u32]) -> (Vec<Touch>, Learner) {
    let group = &signature.groups[id.index()];
    let mut guards: BTreeMap<SlotId, Vec<Guard>> = BTreeMap::new();
    let mut is_simple = group.guards_complete;
    for &guard in &group.guards {
        let guard = signature.guard(guard);
        match guard {
            Guard::In(slot, _) | Guard::Masked { slot, .. } | Guard::AtLeast(slot, _) => {
                guards.entry(*slot).or_default().push(guard.clone());
            }
            Guard::Opaque { .. } => is_simple = false,
        }
    }
    let depends = |slot: SlotId| {
        let keeps = !matches!(group.change(slot), None | Some(Change::Set | Change::Assign(_)));
        keeps || group.reads.binary_search(&slot).is_ok()
    };
    let deciding = signature.guard_reads(id);
    let is_set = |guard: &Guard| matches!(guard, Guard::In(..));
    let mut slots: Vec<SlotId> =
        deciding.iter().chain(&group.reads).copied().chain(group.may_write()).collect();
    slots.sort_unstable_by_key(|slot| levels[slot.index()]);
    slots.dedup();
    let (mut touches, mut stops, mut asked, mut free) = (vec![], vec![], vec![], vec![]);
    for slot in slots {
        let tests = guards.remove(&slot).unwrap_or_default();
        let decides = deciding.binary_search(&slot).is_ok();
        let is_free = is_simple && !depends(slot) && decides && tests.iter().all(is_set);
        let is_asked = !is_free && (decides || depends(slot));
        let access = match (decides || is_asked, group.change(slot).is_some()) {
            (true, false) => Access::Read,
            (true, true) => Access::Both,
            (false, _) => Access::Write,
        };
        let level = levels[slot.index()];
        touches.push(Touch { level, access });
        if is_asked {
            asked.push(slot);
        }
        let stop = Stop { level, is_kept: is_asked, guards: tests };
        if is_free {
            free.push((slot, let_through(&stop)));
        }
        if access != Access::Write {
            stops.push(stop);
        }
    }
    let projection = Projection { id: id.number(), stops };
    (touches, Learner { group: id, projection, asked, free, known: EMPTY })
}

/// The values that guards which are all sets let through.
fn let_through(stop: &Stop) -> Vec<Value> {
    let first = stop.guards.iter().find_map(|guard| match guard {
        Guard::In(_, set) => Some(set.iter()),
        _ => None,
    });
    first.into_iter().flatten().filter(|&value| stop.lets_through(value)).collect()
}

/// Everything that learning needs beside relations.
pub(crate) struct School<'m> {
    pub explorer: Box<dyn Explorer + 'm>,
    /// A state of the model; short vectors are filled up with its values.
    pub sample: Vec<Value>,
    /// The slot of each level.
    pub slots: Vec<SlotId>,
    pub labels: Labels,
    /// How often the model was asked.
    pub calls: u64,
}

impl School<'_> {
    /// Makes sure that the steps of all members of a set are known, whose vectors start at `level`.
    pub(crate) fn learn(
        &mut self,
        ldd: &mut Ldd,
        relation: &mut Relation,
        set: Node,
        level: u32,
        meter: &mut Meter<'_>,
    ) -> Result<(), Ended> {
        let Relation { touches, node, learners, .. } = relation;
        for learner in learners {
            if learner.known == UNIT {
                continue;
            }
            let vectors = ldd.project(set, &learner.projection, 0, level, meter)?;
            let fresh = ldd.difference(vectors, learner.known, meter)?;
            if fresh == EMPTY {
                continue;
            }
            let steps = self.ask(ldd, touches, learner, fresh, meter)?;
            *node = ldd.union(*node, steps, meter)?;
            learner.known = ldd.union(learner.known, fresh, meter)?;
        }
        Ok(())
    }

    /// The steps of a group for a set of short vectors.
    fn ask(
        &mut self,
        ldd: &mut Ldd,
        touches: &[Touch],
        learner: &Learner,
        vectors: Node,
        meter: &mut Meter<'_>,
    ) -> Result<Node, Ended> {
        let mut all = Vec::new();
        ldd.each(vectors, &mut Vec::new(), &mut |vector| {
            all.extend_from_slice(vector);
            meter.spend(1, || ldd.bytes() + all.capacity() * size_of::<Value>())
        })?;
        let width = learner.asked.len();
        let n_vectors = all.len().checked_div(width).unwrap_or(1);
        let mut state = self.sample.clone();
        for (slot, values) in &learner.free {
            if let Some(&value) = values.first() {
                state[slot.index()] = value;
            }
        }
        let mut relation = Vec::new();
        for number in 0..n_vectors {
            let vector = &all[number * width..(number + 1) * width];
            for (slot, &value) in learner.asked.iter().zip(vector) {
                state[slot.index()] = value;
            }
            meter.spend(CALL, || ldd.bytes() + all.capacity() * size_of::<Value>())?;
            self.calls += 1;
            let mut steps: Vec<(ActionId, Vec<Value>)> = Vec::new();
            settled(self.explorer.successors(
                learner.group,
                &state,
                &mut |_: GroupId, action: ActionId, next: &[Value]| {
                    steps.push((action, next.to_vec()));
                    Flow::Continue(())
                },
            ))?;
            for position in 0..steps.len() {
                let (earlier, step) = (&steps[..position], &steps[position]);
                let nth = earlier.iter().filter(|&other| other == step).count() as u32;
                let label = Label { group: learner.group, action: step.0, nth };
                let label = self.labels.number(label);
                relation.push(self.step(ldd, touches, learner, &state, (&step.1, label), meter)?);
            }
        }
        ldd.union_all(relation, meter)
    }

    /// A step as vectors of a relation.
    fn step(
        &self,
        ldd: &mut Ldd,
        touches: &[Touch],
        learner: &Learner,
        state: &[Value],
        (next, label): (&[Value], u32),
        meter: &mut Meter<'_>,
    ) -> Result<Node, Ended> {
        let mut node = ldd.single(label, UNIT, meter)?;
        for touch in touches.iter().rev() {
            let slot = self.slots[touch.level as usize];
            if touch.access != Access::Read {
                node = ldd.single(next[slot.index()], node, meter)?;
            }
            if touch.access == Access::Write {
                continue;
            }
            let free = learner.free.iter().find(|(free, _)| *free == slot);
            let base = ldd.stack.len();
            match free {
                Some((_, values)) => {
                    ldd.stack.extend(values.iter().map(|&value| Edge { value, child: node }));
                }
                None => ldd.stack.push(Edge { value: state[slot.index()], child: node }),
            }
            node = ldd.make(base, meter)?;
        }
        Ok(node)
    }
}

impl Relation {
    /// The nodes that it needs.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = Node> + '_ {
        let known = self.learners.iter().map(|learner| learner.known);
        std::iter::once(self.node).chain(known)
    }
}
