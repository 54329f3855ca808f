//! A network's next-state function as flat arrays: which templates to try in a state, what each
//! still has to test, what it changes. Everything that `expand` touches is here and contiguous.
//!
//! A state is looked up in two steps. Each template hangs under one *lead*, the most selective
//! slot it tests; the lead's value picks a bucket. A bucket may be split once more by another
//! slot that its templates test (a queue's head, a partner's state), so that a participant with
//! many templates per local state does not try each.

use super::parts::{Automaton, Template};
use super::queue::Queue;
use crate::{ActionId, Flow, GroupId, Guard, Signature, SlotId, Successors, Value};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tables {
    /// Keys into `buckets`, in the order of the groups below them.
    leads: Vec<Key>,
    /// Keys into `leaves`.
    buckets: Vec<Key>,
    /// Where each leaf's templates start in `candidates`; one entry more than there are leaves.
    leaves: Vec<u32>,
    candidates: Vec<Candidate>,
    /// One record per group, and a last one that says where the lists end.
    records: Vec<Record>,
    checks: Vec<Check>,
    words: Vec<u64>,
    sets: Vec<Set>,
    queue_steps: Vec<QueueStep>,
    sums: Vec<Sum>,
    choices: Vec<Choice>,
    options: Vec<Value>,
}

/// A table lookup by bits of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Key {
    slot: u32,
    mask: Value,
    base: u32,
}

impl Key {
    fn position(self, state: &[Value]) -> usize {
        self.base as usize + (state[self.slot as usize] & self.mask) as usize
    }
}

/// A template in a leaf, with one of the checks that the way to the leaf has not settled. Most
/// templates that are not enabled fail here, before anything else of theirs is touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Candidate {
    group: GroupId,
    slot: u32,
    mask: Value,
    equals: Value,
    /// Whether nothing is left to check.
    settled: bool,
}

/// Where a template's lists start; they end where the next record's start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Record {
    action: ActionId,
    n_results: u32,
    checks: u32,
    sets: u32,
    queue_steps: u32,
    sums: u32,
    choices: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Check {
    Equal { slot: u32, mask: Value, equals: Value },
    Within { slot: u32, words: u32 },
    AtLeast { slot: u32, least: Value },
}

/// A slot that becomes smaller and then larger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Sum {
    slot: u32,
    take: Value,
    put: Value,
}

/// A slot that gets a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Set {
    slot: u32,
    value: Value,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum QueueStep {
    Receive(Queue),
    Send(Queue, Value),
}

/// A slot that gets one of several values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Choice {
    slot: u32,
    first: u32,
    n_options: u32,
}

impl Tables {
    /// Compiles templates that are ordered by [`lead`], and checked.
    pub(super) fn new(
        templates: &[Template],
        signature: &Signature,
        actions: &[ActionId],
        participants: &[Automaton],
        queues: &[Queue],
        n_counters: usize,
    ) -> Self {
        let mut tables = Self {
            leads: Vec::new(),
            buckets: Vec::new(),
            leaves: vec![0],
            candidates: Vec::new(),
            records: Vec::with_capacity(templates.len() + 1),
            checks: Vec::new(),
            words: Vec::new(),
            sets: Vec::new(),
            queue_steps: Vec::new(),
            sums: Vec::new(),
            choices: Vec::new(),
            options: Vec::new(),
        };
        let leads: Vec<Lead> =
            templates.iter().map(|template| lead(template, participants, queues)).collect();
        for (position, template) in templates.iter().enumerate() {
            tables.add(template, signature, position, actions[position], queues, n_counters);
        }
        tables.close();
        let index = Index { templates, participants, queues };
        let mut first = 0;
        for block in leads.chunk_by(|one, other| one == other) {
            index.add_lead(&mut tables, block[0], first..first + block.len());
            first += block.len();
        }
        tables
    }

    /// Reports the successors of all templates, in the order of groups. `scratch` equals `state`.
    pub(super) fn expand(
        &self,
        state: &[Value],
        scratch: &mut [Value],
        sink: &mut dyn Successors,
    ) -> Flow {
        for lead in &self.leads {
            let leaf = self.buckets[lead.position(state)].position(state);
            let range = self.leaves[leaf] as usize..self.leaves[leaf + 1] as usize;
            for candidate in &self.candidates[range] {
                let Candidate { group, slot, mask, equals, settled } = *candidate;
                if state[slot as usize] & mask == equals && (settled || self.passes(group, state)) {
                    self.fire(group, state, scratch, sink)?;
                }
            }
        }
        Flow::Continue(())
    }

    /// Reports the successors of one template. `scratch` equals `state`.
    pub(super) fn successors(
        &self,
        group: GroupId,
        state: &[Value],
        scratch: &mut [Value],
        sink: &mut dyn Successors,
    ) -> Flow {
        match self.passes(group, state) {
            true => self.fire(group, state, scratch, sink),
            false => Flow::Continue(()),
        }
    }

    /// Whether the state passes all of the template's checks.
    fn passes(&self, group: GroupId, state: &[Value]) -> bool {
        let (record, next) = (&self.records[group.index()], &self.records[group.index() + 1]);
        let range = record.checks as usize..next.checks as usize;
        self.checks[range].iter().all(|check| match *check {
            Check::Equal { slot, mask, equals } => state[slot as usize] & mask == equals,
            Check::Within { slot, words } => {
                let value = state[slot as usize];
                self.words[words as usize + value as usize / 64] >> (value % 64) & 1 == 1
            }
            Check::AtLeast { slot, least } => state[slot as usize] >= least,
        })
    }

    /// Reports the successors of an enabled template. `scratch` equals `state` before, and after
    /// unless the sink has seen enough.
    fn fire(
        &self,
        group: GroupId,
        state: &[Value],
        scratch: &mut [Value],
        sink: &mut dyn Successors,
    ) -> Flow {
        let (record, next) = (&self.records[group.index()], &self.records[group.index() + 1]);
        let sets = &self.sets[record.sets as usize..next.sets as usize];
        let steps = &self.queue_steps[record.queue_steps as usize..next.queue_steps as usize];
        let sums = &self.sums[record.sums as usize..next.sums as usize];
        for set in sets {
            scratch[set.slot as usize] = set.value;
        }
        for step in steps {
            match *step {
                QueueStep::Receive(queue) => queue.pop(scratch),
                QueueStep::Send(queue, message) => queue.push(scratch, message),
            }
        }
        for sum in sums {
            // Guards see to it that there is enough, and room.
            scratch[sum.slot as usize] = scratch[sum.slot as usize] - sum.take + sum.put;
        }
        if record.n_results == 1 {
            sink.next(group, record.action, scratch)?;
        } else {
            let choices = &self.choices[record.choices as usize..next.choices as usize];
            for number in 0..record.n_results {
                self.choose(choices, number, scratch);
                sink.next(group, record.action, scratch)?;
            }
            for choice in choices {
                scratch[choice.slot as usize] = state[choice.slot as usize];
            }
        }
        for set in sets {
            scratch[set.slot as usize] = state[set.slot as usize];
        }
        for step in steps {
            let (QueueStep::Receive(queue) | QueueStep::Send(queue, _)) = *step;
            for slot in queue.slots() {
                scratch[slot] = state[slot];
            }
        }
        for sum in sums {
            scratch[sum.slot as usize] = state[sum.slot as usize];
        }
        Flow::Continue(())
    }

    /// Sets the combination of results with this number; the last choice varies first.
    fn choose(&self, choices: &[Choice], mut number: u32, scratch: &mut [Value]) {
        for choice in choices.iter().rev() {
            let option = choice.first + number % choice.n_options;
            scratch[choice.slot as usize] = self.options[option as usize];
            number /= choice.n_options;
        }
    }

    fn record(&self, action: ActionId, n_results: u32) -> Record {
        Record {
            action,
            n_results,
            checks: self.checks.len() as u32,
            sets: self.sets.len() as u32,
            queue_steps: self.queue_steps.len() as u32,
            sums: self.sums.len() as u32,
            choices: self.choices.len() as u32,
        }
    }

    fn close(&mut self) {
        let end = self.record(ActionId::new(0), 0);
        self.records.push(end);
    }

    fn add(
        &mut self,
        template: &Template,
        signature: &Signature,
        position: usize,
        action: ActionId,
        queues: &[Queue],
        n_counters: usize,
    ) {
        let group = &signature.groups[position];
        let n_results: usize = template.results.iter().map(|(_, set)| set.len()).product();
        let record = self.record(action, n_results as u32);
        self.records.push(record);
        for &guard in &group.guards {
            let check = self.check(signature.guard(guard), signature);
            self.checks.push(check);
        }
        for (channel, _) in &template.receives {
            self.queue_steps.push(QueueStep::Receive(queues[channel.index()]));
        }
        for (channel, message) in &template.sends {
            self.queue_steps.push(QueueStep::Send(queues[channel.index()], message.number()));
        }
        let first = signature.n_slots() - n_counters;
        for &(counter, take, put) in &template.counts {
            let slot = (first + counter.index()) as u32;
            self.sums.push(Sum { slot, take, put });
        }
        for (participant, set) in &template.results {
            let slot = participant.number();
            if set.len() > 1 {
                let first = self.options.len() as u32;
                self.options.extend(set.iter());
                self.choices.push(Choice { slot, first, n_options: set.len() as u32 });
            } else if group.change(SlotId::new(slot)).is_some() {
                self.sets.extend(set.iter().map(|value| Set { slot, value }));
            }
        }
    }

    /// A group in a leaf; its tests on the bits of these keys are settled on the way there.
    fn candidate(&self, group: GroupId, keys: &[Key]) -> Candidate {
        let range = self.records[group.index()].checks as usize
            ..self.records[group.index() + 1].checks as usize;
        let settled = |check: &Check| {
            let (slot, mask) = match *check {
                Check::Equal { slot, mask, .. } => (slot, mask),
                Check::Within { slot, .. } => (slot, Value::MAX),
                Check::AtLeast { .. } => return false,
            };
            keys.iter().any(|key| key.slot == slot && key.mask == mask)
        };
        let open: Vec<Check> =
            self.checks[range].iter().copied().filter(|check| !settled(check)).collect();
        let equal = open.iter().find_map(|check| match *check {
            Check::Equal { slot, mask, equals } => Some((slot, mask, equals)),
            Check::Within { .. } | Check::AtLeast { .. } => None,
        });
        let settled = open.len() <= usize::from(equal.is_some());
        let (slot, mask, equals) = equal.unwrap_or((0, 0, 0));
        Candidate { group, slot, mask, equals, settled }
    }

    fn check(&mut self, guard: &Guard, signature: &Signature) -> Check {
        match guard {
            Guard::Masked { slot, mask, equals } => {
                Check::Equal { slot: slot.number(), mask: *mask, equals: *equals }
            }
            Guard::In(slot, set) => {
                let mut members = set.iter();
                if let (Some(equals), None) = (members.next(), members.next()) {
                    return Check::Equal { slot: slot.number(), mask: Value::MAX, equals };
                }
                let words = self.words.len() as u32;
                self.words.extend(set.words());
                // As many words as the domain has, lest a value reads the next set's.
                let n_values = signature.slot(*slot).domain.size().unwrap_or(0) as usize;
                self.words.resize(words as usize + n_values.div_ceil(64), 0);
                Check::Within { slot: slot.number(), words }
            }
            Guard::AtLeast(slot, least) => Check::AtLeast { slot: slot.number(), least: *least },
            Guard::Opaque { .. } => {
                unreachable!("a network has no such guard")
            }
        }
    }
}

/// What a template is looked up by. The order is the order of the groups.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Lead {
    /// The local state of the participant with this number.
    Participant(u32),
    /// The head of the channel with this number.
    Channel(u32),
    /// Nothing: it is tried in every state.
    None,
}

impl Lead {
    fn slot(self, queues: &[Queue]) -> Option<SlotId> {
        match self {
            Lead::Participant(number) => Some(SlotId::new(number)),
            Lead::Channel(number) => Some(queues[number as usize].head_slot()),
            Lead::None => None,
        }
    }
}

/// A condition that lets more local states through is no lead: the index would grow too large.
const WIDEST_LEAD: usize = 1024;

/// The most selective thing that a template tests: the least share of values let through; among
/// equals the first participant, then the first channel.
pub(super) fn lead(template: &Template, participants: &[Automaton], queues: &[Queue]) -> Lead {
    let narrow = template.conditions.iter().filter(|(_, set)| set.len() <= WIDEST_LEAD);
    let by_participant = narrow.map(|(participant, set)| {
        let n_states = participants[participant.index()].states.len();
        (Lead::Participant(participant.number()), set.len() as u64, n_states as u64)
    });
    let by_channel = template.receives.iter().map(|(channel, _)| {
        let n_codes = queues[channel.index()].head_mask() + 1;
        (Lead::Channel(channel.number()), 1, u64::from(n_codes))
    });
    // a/b < c/d as a*d < c*b: all are below 2^21.
    by_participant
        .chain(by_channel)
        .min_by(|one, other| (one.1 * other.2).cmp(&(other.1 * one.2)))
        .map_or(Lead::None, |(lead, _, _)| lead)
}

/// Builds the two-step lookup.
struct Index<'a> {
    templates: &'a [Template],
    participants: &'a [Automaton],
    queues: &'a [Queue],
}

impl Index<'_> {
    fn add_lead(&self, tables: &mut Tables, lead: Lead, groups: std::ops::Range<usize>) {
        let mut buckets = vec![Vec::new(); self.n_values(lead)];
        for group in groups {
            self.for_each_value(lead, group, |value| buckets[value].push(group));
        }
        let lead_key = self.key(lead, tables.buckets.len() as u32);
        tables.leads.push(lead_key);
        for bucket in buckets {
            let split = self.split(lead, &bucket);
            let split_key = self.key(split, tables.leaves.len() as u32 - 1);
            tables.buckets.push(split_key);
            let mut leaves = vec![Vec::new(); self.n_values(split)];
            for group in bucket {
                self.for_each_value(split, group, |value| leaves[value].push(group));
            }
            for leaf in leaves {
                for group in leaf {
                    // Not every key: in a channel of one cell, "there is room" looks at the bits of
                    // the head, but is no reason to be left out of a leaf.
                    let tested: Vec<Key> = [(lead, lead_key), (split, split_key)]
                        .into_iter()
                        .filter(|(key, _)| self.tested(group).any(|tested| tested == *key))
                        .map(|(_, key)| key)
                        .collect();
                    let candidate = tables.candidate(GroupId::from_usize(group), &tested);
                    tables.candidates.push(candidate);
                }
                tables.leaves.push(tables.candidates.len() as u32);
            }
        }
    }

    /// The second key of a bucket: the one that leaves the fewest templates to try on average,
    /// if it saves at least one and does not blow up the table.
    fn split(&self, lead: Lead, bucket: &[usize]) -> Lead {
        let mut keys: Vec<Lead> = bucket.iter().flat_map(|&group| self.tested(group)).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut best = (Lead::None, bucket.len() as f64 - 1.0);
        for key in keys.into_iter().filter(|key| *key != lead) {
            let n_values = self.n_values(key);
            let copies: usize = bucket.iter().map(|&group| self.n_let_through(key, group)).sum();
            let average = copies as f64 / n_values as f64;
            if n_values + copies <= 16 * bucket.len() + 64 && average < best.1 {
                best = (key, average);
            }
        }
        best.0
    }

    fn key(&self, lead: Lead, base: u32) -> Key {
        let slot = lead.slot(self.queues).map_or(0, SlotId::number);
        let mask = match lead {
            Lead::Participant(_) => Value::MAX,
            Lead::Channel(number) => self.queues[number as usize].head_mask(),
            Lead::None => 0,
        };
        Key { slot, mask, base }
    }

    fn n_values(&self, key: Lead) -> usize {
        match key {
            Lead::Participant(number) => self.participants[number as usize].states.len(),
            Lead::Channel(number) => self.queues[number as usize].head_mask() as usize + 1,
            Lead::None => 1,
        }
    }

    /// What a template tests.
    fn tested(&self, group: usize) -> impl Iterator<Item = Lead> + '_ {
        let template = &self.templates[group];
        let participants = template.conditions.iter().map(|(id, _)| Lead::Participant(id.number()));
        participants.chain(template.receives.iter().map(|(id, _)| Lead::Channel(id.number())))
    }

    fn n_let_through(&self, key: Lead, group: usize) -> usize {
        let mut n_values = 0;
        self.for_each_value(key, group, |_| n_values += 1);
        n_values
    }

    /// Calls back with every value of the key that the template lets through.
    fn for_each_value(&self, key: Lead, group: usize, mut each: impl FnMut(usize)) {
        let template = &self.templates[group];
        match key {
            Lead::Participant(number) => {
                let condition = template.conditions.iter().find(|(id, _)| id.number() == number);
                if let Some((_, set)) = condition {
                    return set.iter().for_each(|value| each(value as usize));
                }
            }
            Lead::Channel(number) => {
                let received = template.receives.iter().find(|(id, _)| id.number() == number);
                if let Some((_, message)) = received {
                    return each(message.index() + 1);
                }
            }
            Lead::None => {}
        }
        (0..self.n_values(key)).for_each(each);
    }
}
