//! From the automaton of all roles to one for each: sets of states that a role cannot tell apart, and whether that is
//! enough to follow the protocol.
//!
//! The protocol must be driven by senders: where it branches, one role decides, by different steps. Then roles whose
//! automata are these sets do the protocol up to the order of steps of different roles, without deadlock and without
//! a message that is not received, if in each set (Li, Stutz, Wies, Zufferey: Complete multiparty session type projection
//! with automata, CAV 2023)
//!
//! - *send validity*: a step that the role begins is possible, perhaps after steps of others, in every state of the set;
//! - *receive validity*: of two messages from different senders that may come next, the first cannot also come after
//!   the second was taken, without the role doing anything more.
//!
//! Parallel parts have no channel in common, and each ends in a state of its own; so each is a protocol by itself, which
//! takes its place among the others where it is started. A fork of which a role takes part in one part only is no fork
//! for it.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::Unfit;
use super::build::{Automaton, subject};
use crate::plan::{ActId, Edge, Kind, LocalAutomaton, LocalId, LocalState, RoleId};
use crate::structure::Fork;

/// A role's automaton and its forks.
type Local = (LocalAutomaton, Vec<Fork>);

/// The automata of all roles, or why they could not follow the protocol.
pub(super) fn project(layout: &Layout<'_>, roles: &[String]) -> Result<Vec<Local>, Unfit> {
    let unfit = |(role, why): (RoleId, String)| Unfit::Projection {
        role: roles[role.index()].clone(),
        why,
    };
    layout.check_channels().map_err(unfit)?;
    layout.check_choices().map_err(unfit)?;
    let role_ids = (0..roles.len()).map(|role| RoleId(role as u16));
    role_ids
        .map(|role| RoleWork::new(layout, role).project().map_err(|why| unfit((role, why))))
        .collect()
}

/// Which states and roles belong to which parts of forks.
pub(super) struct Layout<'a> {
    pub(super) automaton: &'a Automaton,
    /// By state: the fork and the number of the part that it belongs to.
    pub(super) part_of: Vec<Option<(u32, u32)>>,
    /// By fork and role: the parts that the role takes part in.
    parts_with: FxHashMap<(u32, RoleId), Vec<u32>>,
}

impl<'a> Layout<'a> {
    pub(super) fn new(automaton: &'a Automaton) -> Self {
        let mut part_of = vec![None; automaton.states.len()];
        for (fork, Fork { parts, .. }) in automaton.forks.iter().enumerate() {
            for (part, &start) in parts.iter().enumerate() {
                let own = Some((fork as u32, part as u32));
                let mut stack = vec![start];
                while let Some(state) = stack.pop() {
                    if std::mem::replace(&mut part_of[state as usize], own) == own {
                        continue;
                    }
                    let state = &automaton.states[state as usize];
                    stack.extend(state.edges.iter().map(|&(_, to)| to));
                    let inner = state.forks.iter();
                    stack.extend(inner.map(|&inner| automaton.forks[inner as usize].then));
                }
            }
        }
        let mut layout = Self { automaton, part_of, parts_with: FxHashMap::default() };
        for (number, state) in automaton.states.iter().enumerate() {
            for &(act, _) in &state.edges {
                let role = subject(automaton.act(act));
                let mut at = layout.part_of[number];
                while let Some((fork, part)) = at {
                    let parts = layout.parts_with.entry((fork, role)).or_default();
                    if parts.contains(&part) {
                        break;
                    }
                    parts.push(part);
                    at = layout.outside(fork);
                }
            }
        }
        layout
    }

    /// The part in which a fork is.
    pub(super) fn outside(&self, fork: u32) -> Option<(u32, u32)> {
        let state = *self.automaton.forks[fork as usize].at.first()?;
        self.part_of[state as usize]
    }

    /// The parts of a fork that a role takes part in.
    pub(super) fn parts(&self, fork: u32, role: RoleId) -> &[u32] {
        self.parts_with.get(&(fork, role)).map_or(&[], Vec::as_slice)
    }

    /// Where it goes on after the end of a part.
    pub(super) fn joined(&self, state: u32) -> Option<u32> {
        let (fork, _) = self.part_of[state as usize]?;
        let ends = self.automaton.states[state as usize].ends_part;
        ends.then(|| self.automaton.forks[fork as usize].then)
    }

    /// Parallel parts must not share a channel: their messages would wait for each other in its queue.
    fn check_channels(&self) -> Result<(), (RoleId, String)> {
        let mut user: FxHashMap<(u32, RoleId, RoleId), u32> = FxHashMap::default();
        for (number, state) in self.automaton.states.iter().enumerate() {
            for &(act, _) in &state.edges {
                let act = self.automaton.act(act);
                let mut at = self.part_of[number];
                while let Some((fork, part)) = at {
                    for &to in act.to.iter() {
                        if *user.entry((fork, act.from, to)).or_insert(part) != part {
                            let why = "parallel parts send over the same channel".to_owned();
                            return Err((act.from, why));
                        }
                    }
                    at = self.outside(fork);
                }
            }
        }
        Ok(())
    }

    /// Where the protocol branches, one role decides, by different steps.
    fn check_choices(&self) -> Result<(), (RoleId, String)> {
        for state in 0..self.automaton.states.len() as u32 {
            let row = &self.automaton.states[state as usize];
            if row.edges.len() + row.forks.len() < 2 {
                continue;
            }
            let mut first = Vec::new();
            self.first_acts(state, &mut first);
            let decider = subject(self.automaton.act(first[0]));
            for &act in &first {
                let act = self.automaton.act(act);
                if subject(act) != decider || act.kind == Kind::Receive {
                    return Err((subject(act), "several roles decide how it goes on".to_owned()));
                }
            }
            let n_first = first.len();
            first.sort_unstable();
            first.dedup();
            if first.len() < n_first {
                return Err((decider, "branches begin with the same step".to_owned()));
            }
        }
        Ok(())
    }

    /// The acts with which a state can be left.
    fn first_acts(&self, state: u32, acts: &mut Vec<ActId>) {
        let row = &self.automaton.states[state as usize];
        acts.extend(row.edges.iter().map(|&(act, _)| act));
        for &fork in &row.forks {
            for &part in &self.automaton.forks[fork as usize].parts {
                self.first_acts(part, acts);
            }
        }
    }
}

/// A set of states, ascending.
type Known = Box<[u32]>;

/// The automaton of one role under construction.
struct RoleWork<'l, 'a> {
    layout: &'l Layout<'a>,
    role: RoleId,
    sets: Vec<Known>,
    numbers: FxHashMap<Known, u32>,
    states: Vec<LocalState>,
    /// By global fork: its number here.
    fork_numbers: FxHashMap<u32, u32>,
    forks: Vec<Fork>,
}

/// What may come next in a set.
struct Options {
    /// The states after each act.
    steps: BTreeMap<ActId, Vec<u32>>,
    /// The forks that begin.
    forks: BTreeSet<u32>,
}

impl<'l, 'a> RoleWork<'l, 'a> {
    fn new(layout: &'l Layout<'a>, role: RoleId) -> Self {
        Self {
            layout,
            role,
            sets: Vec::new(),
            numbers: FxHashMap::default(),
            states: Vec::new(),
            fork_numbers: FxHashMap::default(),
            forks: Vec::new(),
        }
    }

    fn project(mut self) -> Result<Local, String> {
        self.set(&[0]);
        while self.states.len() < self.sets.len() {
            let known = self.sets[self.states.len()].clone();
            let state = self.expand(&known)?;
            self.states.push(state);
        }
        Ok(minimal(self.states, self.forks))
    }

    fn is_mine(&self, act: ActId) -> bool {
        subject(self.layout.automaton.act(act)) == self.role
    }

    /// Where others lead from a state, unseen.
    fn unseen(&self, state: u32, mut visit: impl FnMut(u32)) {
        let automaton = self.layout.automaton;
        let row = &automaton.states[state as usize];
        row.edges.iter().filter(|&&(act, _)| !self.is_mine(act)).for_each(|&(_, to)| visit(to));
        for &fork in &row.forks {
            match self.layout.parts(fork, self.role) {
                [] => visit(automaton.forks[fork as usize].then),
                [part] => visit(automaton.forks[fork as usize].parts[*part as usize]),
                _ => {}
            }
        }
        if let (true, Some((fork, _))) = (row.ends_part, self.layout.part_of[state as usize])
            && self.layout.parts(fork, self.role).len() == 1
        {
            visit(automaton.forks[fork as usize].then);
        }
    }

    /// The set of what may be after some states, by steps of others.
    fn closure(&self, seeds: &[u32]) -> Known {
        let mut met: FxHashSet<u32> = seeds.iter().copied().collect();
        let mut list: Vec<u32> = seeds.to_vec();
        let mut next = 0;
        while let Some(&state) = list.get(next) {
            next += 1;
            self.unseen(state, |to| {
                if met.insert(to) {
                    list.push(to);
                }
            });
        }
        list.sort_unstable();
        list.dedup();
        list.into()
    }

    fn set(&mut self, seeds: &[u32]) -> u32 {
        let known = self.closure(seeds);
        if let Some(&number) = self.numbers.get(&known) {
            return number;
        }
        let number = self.sets.len() as u32;
        self.numbers.insert(known.clone(), number);
        self.sets.push(known);
        number
    }

    fn options(&self, known: &[u32]) -> Options {
        let mut options = Options { steps: BTreeMap::new(), forks: BTreeSet::new() };
        for &state in known {
            let row = &self.layout.automaton.states[state as usize];
            for &(act, to) in row.edges.iter().filter(|&&(act, _)| self.is_mine(act)) {
                options.steps.entry(act).or_default().push(to);
            }
            let is_fork = |fork: &&u32| self.layout.parts(**fork, self.role).len() > 1;
            options.forks.extend(row.forks.iter().filter(is_fork));
        }
        options
    }

    fn expand(&mut self, known: &[u32]) -> Result<LocalState, String> {
        let automaton = self.layout.automaton;
        let options = self.options(known);
        let firsts: Vec<(u32, Vec<ActId>)> =
            options.forks.iter().map(|&fork| (fork, self.firsts_of(fork))).collect();
        self.check_sends(known, &options, &firsts)?;
        self.check_receives(&options, &firsts)?;
        let is_end = |&state: &u32| {
            let part = self.layout.part_of[state as usize];
            let row = &automaton.states[state as usize];
            row.ends_part
                && part.is_some_and(|(fork, _)| self.layout.parts(fork, self.role).len() > 1)
        };
        let goes_on = !options.steps.is_empty() || !options.forks.is_empty();
        if goes_on && known.iter().any(is_end) {
            return Err("its share of a parallel part may be over or not".to_owned());
        }
        let may_end = known.iter().any(|&state| automaton.states[state as usize].may_end);
        let here = self.states.len() as u32;
        let mut edges = Vec::new();
        for (&act, targets) in &options.steps {
            let to = LocalId(self.set(targets));
            edges.push(Edge { act, packet: automaton.packet_of[act.index()], to });
        }
        for &fork in &options.forks {
            let number = self.fork(fork);
            self.forks[number as usize].at.push(here);
        }
        Ok(LocalState { edges: edges.into(), may_end })
    }

    /// A fork as the role sees it.
    fn fork(&mut self, fork: u32) -> u32 {
        if let Some(&number) = self.fork_numbers.get(&fork) {
            return number;
        }
        let Fork { parts, then, .. } = &self.layout.automaton.forks[fork as usize];
        let own = self.layout.parts(fork, self.role).iter();
        let starts: Vec<u32> = own.map(|&part| parts[part as usize]).collect();
        let parts = starts.into_iter().map(|start| self.set(&[start])).collect();
        let then = self.set(&[*then]);
        self.forks.push(Fork { at: Vec::new(), parts, then });
        let number = self.forks.len() as u32 - 1;
        self.fork_numbers.insert(fork, number);
        number
    }

    /// The acts with which a role begins its parts of a fork.
    fn firsts_of(&self, fork: u32) -> Vec<ActId> {
        let starts = &self.layout.automaton.forks[fork as usize].parts;
        let mut acts = Vec::new();
        for &part in self.layout.parts(fork, self.role) {
            let options = self.options(&self.closure(&[starts[part as usize]]));
            acts.extend(options.steps.keys());
            for &inner in &options.forks {
                acts.extend(self.firsts_of(inner));
            }
        }
        acts
    }

    fn begins(&self, act: ActId) -> bool {
        self.layout.automaton.act(act).kind != Kind::Receive
    }

    /// Send validity.
    fn check_sends(
        &self,
        known: &[u32],
        options: &Options,
        firsts: &[(u32, Vec<ActId>)],
    ) -> Result<(), String> {
        for &act in options.steps.keys().filter(|&&act| self.begins(act)) {
            let automaton = self.layout.automaton;
            let has = |state: u32| {
                automaton.states[state as usize].edges.iter().any(|&(other, _)| other == act)
            };
            if !self.all_reach(known, has) {
                return Err(format!("whether `{}` comes next", automaton.act(act).text));
            }
        }
        for (fork, acts) in firsts {
            let has =
                |state: u32| self.layout.automaton.states[state as usize].forks.contains(fork);
            if acts.iter().any(|&act| self.begins(act)) && !self.all_reach(known, has) {
                let first = &self.layout.automaton.act(acts[0]).text;
                return Err(format!("whether parallel parts that begin with `{first}` come next"));
            }
        }
        Ok(())
    }

    /// Whether others can lead from each of these states to one where something is possible.
    fn all_reach(&self, known: &[u32], has: impl Fn(u32) -> bool) -> bool {
        let position = |state: u32| known.binary_search(&state).ok();
        let mut before = vec![Vec::new(); known.len()];
        let mut reaches = vec![false; known.len()];
        let mut stack = Vec::new();
        for (at, &state) in known.iter().enumerate() {
            self.unseen(state, |to| {
                if let Some(to) = position(to) {
                    before[to].push(at);
                }
            });
            if has(state) {
                reaches[at] = true;
                stack.push(at);
            }
        }
        while let Some(at) = stack.pop() {
            for &earlier in &before[at] {
                if !std::mem::replace(&mut reaches[earlier], true) {
                    stack.push(earlier);
                }
            }
        }
        reaches.into_iter().all(|reaches| reaches)
    }

    /// Receive validity, and that an act says which branch it belongs to.
    fn check_receives(
        &self,
        options: &Options,
        firsts: &[(u32, Vec<ActId>)],
    ) -> Result<(), String> {
        let automaton = self.layout.automaton;
        // Acts that begin parts of one fork are possible at once: they are one way to go on.
        let alone = options.steps.iter().map(|(&act, targets)| (vec![act], targets.clone()));
        let mut ways: Vec<(Vec<ActId>, Vec<u32>)> = alone.collect();
        ways.extend(firsts.iter().map(|(fork, acts)| {
            let Fork { parts, then, .. } = &automaton.forks[*fork as usize];
            (acts.clone(), parts.iter().chain([then]).copied().collect())
        }));
        for (position, (acts, after)) in ways.iter().enumerate() {
            for (others, other_after) in &ways[..position] {
                let pairs =
                    acts.iter().flat_map(|act| others.iter().map(move |other| (act, other)));
                for (act, other) in pairs {
                    let (one, two) = (automaton.act(*act), automaton.act(*other));
                    if act == other {
                        return Err(format!("which of two branches `{}` belongs to", one.text));
                    }
                    let both_come =
                        !self.begins(*act) && !self.begins(*other) && one.from != two.from;
                    let may_come =
                        || self.may_come(*act, other_after) || self.may_come(*other, after);
                    if both_come && may_come() {
                        return Err(format!(
                            "whether `{}` or `{}` comes first",
                            one.text, two.text
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether what an act receives may arrive after these states before the role does anything.
    fn may_come(&self, receive: ActId, after: &[u32]) -> bool {
        let automaton = self.layout.automaton;
        let wanted = automaton.packet_of[receive.index()];
        let blocked: BTreeSet<RoleId> = BTreeSet::from([self.role]);
        let mut met: BTreeSet<(u32, BTreeSet<RoleId>)> =
            after.iter().map(|&state| (state, blocked.clone())).collect();
        let mut stack: Vec<(u32, BTreeSet<RoleId>)> = met.iter().cloned().collect();
        while let Some((number, blocked)) = stack.pop() {
            if met.len() > MOST_LOOKS {
                return true;
            }
            let state = &automaton.states[number as usize];
            let mut next: Vec<(u32, BTreeSet<RoleId>)> = Vec::new();
            for &(id, to) in &state.edges {
                let act = automaton.act(id);
                let mut blocked = blocked.clone();
                if blocked.contains(&subject(act)) {
                    if act.kind == Kind::Send {
                        blocked.extend(act.to.iter().copied());
                    }
                } else if act.kind == Kind::Send && automaton.packet_of[id.index()] == wanted {
                    return true;
                }
                next.push((to, blocked));
            }
            for &fork in &state.forks {
                let Fork { parts, then, .. } = &automaton.forks[fork as usize];
                next.extend(parts.iter().chain([then]).map(|&state| (state, blocked.clone())));
            }
            next.extend(self.layout.joined(number).map(|state| (state, blocked.clone())));
            for one in next {
                if met.insert(one.clone()) {
                    stack.push(one);
                }
            }
        }
        false
    }
}

/// Above this, states that do the same are left as they are: too many to be read.
const MOST_MERGED: usize = 64;

/// What tells states apart: their class so far, whether they may end, and the classes behind their steps.
type Behaviour = (usize, bool, Vec<(ActId, usize)>);

/// The same with one state for all that do the same (Moore 1956), where there are no forks.
fn minimal(states: Vec<LocalState>, forks: Vec<Fork>) -> Local {
    if states.len() > MOST_MERGED || !forks.is_empty() {
        return (LocalAutomaton { states: states.into() }, forks);
    }
    let mut classes: Vec<usize> = vec![0; states.len()];
    loop {
        let mut known: Vec<Behaviour> = Vec::new();
        let mut next = Vec::new();
        for (state, &class) in states.iter().zip(&classes) {
            let edges = state.edges.iter().map(|edge| (edge.act, classes[edge.to.index()]));
            let key = (class, state.may_end, edges.collect());
            let number = known.iter().position(|other| *other == key);
            next.push(number.unwrap_or_else(|| {
                known.push(key);
                known.len() - 1
            }));
        }
        if next == classes {
            break;
        }
        classes = next;
    }
    let n_classes = classes.iter().max().map_or(0, |last| last + 1);
    let merged = (0..n_classes).map(|class| {
        let first = classes.iter().position(|&other| other == class).unwrap_or(0);
        let state = &states[first];
        let edge = |edge: &Edge| Edge { to: LocalId(classes[edge.to.index()] as u32), ..*edge };
        LocalState { edges: state.edges.iter().map(edge).collect(), may_end: state.may_end }
    });
    (LocalAutomaton { states: merged.collect() }, forks)
}

/// How many states are looked at, with what is blocked in them, before a message is taken to be possible.
const MOST_LOOKS: usize = 1 << 16;
