//! What may still come in the strict form: a search over the automaton, away from the path that messages
//! take. What was found is remembered, since the same questions come again and again.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::ask::Ask;
use crate::plan::{Act, ActId, GlobalId, Kind, RoleId};
use crate::table::Table;

/// Answers by who asks for what, for as long as nobody leaves.
#[derive(Debug, Default)]
pub(super) struct Hopes {
    outlooks: FxHashMap<(RoleId, Ask), Outlook>,
    back: Option<Back>,
}

/// Whether a role may still get what it asks for, by state.
#[derive(Debug)]
struct Outlook {
    /// By act.
    parts: Vec<Part>,
    /// By state, as far as it is known.
    answers: Vec<Option<bool>>,
    /// How many steps were looked at.
    n_looks: usize,
}

/// What an act is to somebody who waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// What it waits for.
    Wanted,
    /// Something that others can do.
    Others,
    /// Something that nobody will do before: it is up to the role itself, or needs somebody who has left.
    Nobody,
}

/// The automaton backwards.
#[derive(Debug)]
struct Back {
    /// Where the steps to each state begin, and at last where they end.
    offsets: Vec<u32>,
    /// By state that they lead to: where they come from.
    steps: Vec<(GlobalId, ActId)>,
}

impl Hopes {
    /// Whether others can bring about that the role gets what it asks for.
    pub(super) fn is_there(
        &mut self,
        table: &Table,
        state: GlobalId,
        role: RoleId,
        ask: Ask,
        is_live: impl Fn(RoleId) -> bool,
    ) -> bool {
        let Self { outlooks, back } = self;
        let outlook =
            outlooks.entry((role, ask)).or_insert_with(|| Outlook::new(table, role, ask, is_live));
        outlook.answers[state.index()].unwrap_or_else(|| {
            // Searching again and again must not cost much more than knowing everything.
            if outlook.n_looks > table.global.n_steps() {
                outlook.know_all(table, back.get_or_insert_with(|| Back::new(table)));
                outlook.answers[state.index()] == Some(true)
            } else {
                outlook.search(table, state)
            }
        })
    }

    /// Somebody left: what could come may not come any more.
    pub(super) fn forget(&mut self) {
        self.outlooks.clear();
    }
}

impl Outlook {
    fn new(table: &Table, role: RoleId, ask: Ask, is_live: impl Fn(RoleId) -> bool) -> Self {
        let part = |number: usize| {
            let id = ActId(number as u32);
            let act = table.act(id);
            let is_there = |other| other == role || is_live(other);
            if !needed(act).all(is_there) {
                Part::Nobody
            } else if ask.is_for(table, role, id) {
                Part::Wanted
            } else if subjects(act).any(|subject| subject == role) {
                Part::Nobody
            } else {
                Part::Others
            }
        };
        Self {
            parts: (0..table.plan.acts.len()).map(part).collect(),
            answers: vec![None; table.plan.strict.len()],
            n_looks: 0,
        }
    }

    fn part(&self, act: ActId) -> Part {
        self.parts[act.index()]
    }

    /// Looks for a way, depth first: what is waited for mostly lies straight ahead.
    fn search(&mut self, table: &Table, from: GlobalId) -> bool {
        // Whoever was met leads nowhere, unless a way is found.
        self.answers[from.index()] = Some(false);
        let mut met = vec![from];
        let mut stack = vec![from];
        while let Some(state) = stack.pop() {
            for step in table.global.steps(state) {
                self.n_looks += 1;
                let answer = self.answers[step.to.index()];
                match (self.part(step.act), answer) {
                    (Part::Wanted, _) | (Part::Others, Some(true)) => {
                        for state in met {
                            self.answers[state.index()] = None;
                        }
                        self.answers[from.index()] = Some(true);
                        return true;
                    }
                    (Part::Others, None) => {
                        self.answers[step.to.index()] = Some(false);
                        met.push(step.to);
                        stack.push(step.to);
                    }
                    (Part::Others, Some(false)) | (Part::Nobody, _) => {}
                }
            }
        }
        false
    }

    /// Finds out about all states, backwards from what is waited for.
    fn know_all(&mut self, table: &Table, back: &Back) {
        self.answers.fill(Some(false));
        let mut stack = Vec::new();
        for state in (0..self.answers.len()).map(|state| GlobalId(state as u32)) {
            if table.global.steps(state).iter().any(|step| self.part(step.act) == Part::Wanted) {
                self.answers[state.index()] = Some(true);
                stack.push(state);
            }
        }
        while let Some(state) = stack.pop() {
            for &(from, act) in back.steps(state) {
                if self.part(act) == Part::Others && self.answers[from.index()] == Some(false) {
                    self.answers[from.index()] = Some(true);
                    stack.push(from);
                }
            }
        }
    }
}

impl Back {
    fn new(table: &Table) -> Self {
        let states = || (0..table.plan.strict.len()).map(|state| GlobalId(state as u32));
        let steps = || {
            states().flat_map(|from| table.global.steps(from).iter().map(move |step| (from, step)))
        };
        let mut offsets = vec![0; table.plan.strict.len() + 1];
        for (_, step) in steps() {
            offsets[step.to.index() + 1] += 1;
        }
        for state in 1..offsets.len() {
            offsets[state] += offsets[state - 1];
        }
        let mut free = offsets.clone();
        let mut back = vec![(GlobalId(0), ActId(0)); table.global.n_steps()];
        for (from, step) in steps() {
            let place = &mut free[step.to.index()];
            back[*place as usize] = (from, step.act);
            *place += 1;
        }
        Self { offsets, steps: back }
    }

    /// The steps that lead to a state.
    fn steps(&self, state: GlobalId) -> &[(GlobalId, ActId)] {
        let at = state.index();
        &self.steps[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }
}

/// Whether the protocol may end without the role doing anything more.
pub(super) fn may_finish(table: &Table, state: GlobalId, role: RoleId) -> bool {
    let states = reach(table, state, role);
    states.into_iter().any(|state| table.plan.strict[state.index()].may_end)
}

/// What a role may do when it is its turn.
pub(super) fn acts(table: &Table, state: GlobalId, role: RoleId) -> BTreeSet<ActId> {
    let states = reach(table, state, role);
    let acts = states.into_iter().flat_map(|state| table.global.steps(state)).map(|step| step.act);
    acts.filter(|&act| subjects(table.act(act)).any(|subject| subject == role)).collect()
}

/// The states that others reach without a role.
fn reach(table: &Table, from: GlobalId, without: RoleId) -> BTreeSet<GlobalId> {
    let mut met = BTreeSet::from([from]);
    let mut stack = vec![from];
    while let Some(state) = stack.pop() {
        for step in table.global.steps(state) {
            let may = subjects(table.act(step.act)).all(|role| role != without);
            if may && met.insert(step.to) {
                stack.push(step.to);
            }
        }
    }
    met
}

/// Who must be there: nothing is sent to somebody who has left.
fn needed(act: &Act) -> impl Iterator<Item = RoleId> + '_ {
    let receivers = if act.kind == Kind::Send { &act.to[..] } else { &[] };
    subjects(act).chain(receivers.iter().copied())
}

/// Who takes part in the step.
fn subjects(act: &Act) -> impl Iterator<Item = RoleId> + '_ {
    let from = (act.kind != Kind::Receive).then_some(act.from);
    let to = match act.kind {
        Kind::Receive | Kind::Exchange => &act.to[..],
        Kind::Send | Kind::Close | Kind::Alone => &[],
    };
    from.into_iter().chain(to.iter().copied())
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::plan::{GlobalState, LabelId, Plan};

    /// Xorshift.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u32) -> u32 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % u64::from(bound)) as u32
        }
    }

    /// Three roles that send each other a message, in an automaton of 12 states and random steps.
    fn table(random: &mut Random) -> Table {
        let others = |from: u16| (0..3).filter(move |&to| to != from).map(move |to| (from, to));
        let act = |(kind, (from, to)): (Kind, (u16, u16))| Act {
            kind,
            from: RoleId(from),
            to: Cow::Owned(vec![RoleId(to)]),
            label: Some(LabelId(0)),
            text: Cow::Borrowed(""),
        };
        let kinds = [Kind::Send, Kind::Receive].into_iter();
        let pairs = || (0..3).flat_map(others);
        let acts: Vec<Act> =
            kinds.flat_map(|kind| pairs().map(move |pair| (kind, pair))).map(act).collect();
        let n_acts = acts.len() as u32;
        let state = |_| {
            let mut edge = |_| (ActId(random.below(n_acts)), GlobalId(random.below(12)));
            GlobalState { edges: Cow::Owned((0..2).map(&mut edge).collect()), may_end: false }
        };
        let plan = Plan {
            protocol: Cow::Borrowed("p"),
            roles: Cow::Owned(vec![Cow::Borrowed("r"); 3]),
            labels: Cow::Owned(vec![Cow::Borrowed("M")]),
            strict: Cow::Owned((0..12).map(state).collect()),
            acts: Cow::Owned(acts),
            locals: Cow::Borrowed(&[]),
            packets: Cow::Borrowed(&[]),
            queues: Cow::Borrowed(&[]),
        };
        Table::new(&plan).expect("a good plan")
    }

    #[test]
    fn searching_and_knowing_all_agree() {
        let (mut n_hopes, mut n_answers) = (0, 0);
        for seed in 1..=200 {
            let table = table(&mut Random(seed));
            for (role, gone) in [(0, 3), (1, 3), (0, 1), (2, 0)] {
                for ask in
                    [Ask::Take(None), Ask::Take(Some(RoleId(1))), Ask::Give(LabelId(0), None)]
                {
                    let new =
                        || Outlook::new(&table, RoleId(role), ask, |other| other != RoleId(gone));
                    let (mut all, mut searched) = (new(), new());
                    all.know_all(&table, &Back::new(&table));
                    for state in (0..12).map(GlobalId) {
                        let known = searched.answers[state.index()];
                        let found = known.unwrap_or_else(|| searched.search(&table, state));
                        assert_eq!(
                            Some(found),
                            all.answers[state.index()],
                            "{seed} {ask:?} {state:?}"
                        );
                        n_hopes += usize::from(found);
                        n_answers += 1;
                    }
                }
            }
        }
        assert!((n_answers / 10..n_answers * 9 / 10).contains(&n_hopes), "{n_hopes}");
    }
}
