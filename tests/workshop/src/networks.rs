//! Random networks of participants and channels.

use std::collections::BTreeMap;

use quadrille_model::{
    Automaton, Channel, ChannelId, Counter, CounterId, Family, LocalId, MessageId, Network,
    NetworkBuilder, ParticipantId, Predicate, SlotId, Swap, Template, Value, ValueSet,
};

use crate::Choices;

/// A network of up to four participants and two channels. Now and then a participant has more than 64
/// local states and a channel more slots than fit one word.
///
/// # Panics
/// Never: what it builds is well formed.
pub fn network(choices: &mut Choices) -> Network {
    let mut builder = NetworkBuilder::default();
    let n_participants = 1 + choices.below(4);
    let mut sizes = Vec::new();
    for number in 0..n_participants {
        let n_states = if choices.once_in(6) { 70 } else { 1 + choices.below(4) };
        let initial = LocalId::from_usize(choices.below(n_states));
        let ends = choices.subset(n_states);
        let states = (0..n_states).map(|state| format!("s{state}"));
        let participant = Automaton::new(format!("P{number}"), states)
            .initial(initial)
            .ends(ends.into_iter().map(LocalId::from_usize));
        builder.participant(participant).expect("a good participant");
        sizes.push(n_states);
    }
    let mut messages = Vec::new();
    for number in 0..choices.below(3) {
        let n_messages = 1 + choices.below(4);
        let capacity = if choices.once_in(5) { 18 } else { 1 + choices.below_u32(3) };
        let names = (0..n_messages).map(|message| format!("m{message}"));
        let mut channel = Channel::new(format!("c{number}"), capacity, names);
        if choices.coin() {
            let mut end = || ParticipantId::from_usize(choices.below(n_participants));
            channel = channel.between(end(), end());
        }
        channel.may_keep = choices.once_in(3);
        builder.channel(channel).expect("a good channel");
        messages.push(n_messages);
    }
    for _ in 0..choices.below(14) {
        builder.template(template(choices, &sizes, &messages)).expect("a good template");
    }
    for number in 0..choices.below(4) {
        let predicate = predicate(choices, &sizes, &messages, 3);
        builder.proposition(format!("p{number}"), predicate).expect("a good proposition");
    }
    builder.build().expect("a good network")
}

/// A network of up to three participants and one to three counters, which steps test and change.
///
/// # Panics
/// Never: what it builds is well formed.
pub fn counting_network(choices: &mut Choices) -> Network {
    let mut builder = NetworkBuilder::default();
    let sizes = choices.list(0, 3, |choices| 1 + choices.below(3));
    for (number, &n_states) in sizes.iter().enumerate() {
        let states = (0..n_states).map(|state| format!("s{state}"));
        let ends = choices.subset(n_states).into_iter().map(LocalId::from_usize);
        let participant = Automaton::new(format!("P{number}"), states).ends(ends);
        builder.participant(participant).expect("a good participant");
    }
    let bounds = choices.list(1, 3, |choices| [1, 2, 3, 5, 70][choices.below(5)]);
    for (number, &most) in bounds.iter().enumerate() {
        let initial = choices.below_u32(most + 1);
        let counter = Counter::new(format!("n{number}"), most).initial(initial);
        builder.counter(counter).expect("a good counter");
    }
    for _ in 0..1 + choices.below(8) {
        let mut template = Template::new(format!("t{}", choices.below(6)));
        if !sizes.is_empty() && choices.coin() {
            let first = choices.below(sizes.len());
            template = local_step(choices, template, first, sizes[first]);
        }
        for (number, &most) in bounds.iter().enumerate() {
            let id = CounterId::from_usize(number);
            let least = choices.below_u32(most + 1);
            match choices.below(6) {
                0 => template = template.test(id, (least..=most).collect()),
                1 => template = template.test(id, (0..=least).collect()),
                2 if most > 1 => {
                    template = template.test(id, (0..=most).filter(|it| *it != least).collect());
                }
                _ => {}
            }
            if choices.coin() {
                let (take, put) =
                    (choices.below_u32(most.min(3) + 1), choices.below_u32(most.min(3) + 1));
                template = template.count(id, take, put);
            }
        }
        // Now and then a test and a change exclude each other.
        let _ = builder.template(template);
    }
    for number in 0..3 {
        let factor = |choices: &mut Choices| [1, 1, -1, 2][choices.below(4)];
        let sum = bounds.iter().enumerate().filter(|_| choices.coin());
        let sum: Vec<usize> = sum.map(|(id, _)| id).collect();
        let sum: Vec<(CounterId, i64)> =
            sum.into_iter().map(|id| (CounterId::from_usize(id), factor(choices))).collect();
        if !sum.is_empty() {
            let predicate = Predicate::AtMost(sum, choices.below(6) as i64 - 1);
            builder.proposition(format!("p{number}"), predicate).expect("a good proposition");
        }
    }
    builder.build().expect("a good network")
}

/// A network whose steps have little to do with each other: two to four participants with small local
/// state spaces, up to two channels, steps of one participant or two. Much of it commutes.
///
/// # Panics
/// Never: what it builds is well formed.
pub fn loose_network(choices: &mut Choices) -> Network {
    let mut builder = NetworkBuilder::default();
    let sizes = choices.list(2, 4, |choices| 2 + choices.below(3));
    for (number, &n_states) in sizes.iter().enumerate() {
        let states = (0..n_states).map(|state| format!("s{state}"));
        let ends = choices.subset(n_states).into_iter().map(LocalId::from_usize);
        let participant = Automaton::new(format!("P{number}"), states).ends(ends);
        builder.participant(participant).expect("a good participant");
    }
    let messages = choices.list(0, 2, |choices| 1 + choices.below(2));
    for (number, &n_messages) in messages.iter().enumerate() {
        let names = (0..n_messages).map(|message| format!("m{message}"));
        let capacity = 1 + choices.below_u32(2);
        let channel = Channel::new(format!("c{number}"), capacity, names);
        builder.channel(channel).expect("a good channel");
    }
    for _ in 0..3 + choices.below(10) {
        let mut template = Template::new(format!("t{}", choices.below(8)));
        let first = choices.below(sizes.len());
        template = local_step(choices, template, first, sizes[first]);
        let second = choices.below(sizes.len());
        if choices.once_in(4) && second != first {
            template = local_step(choices, template, second, sizes[second]);
        }
        if !messages.is_empty() && choices.once_in(3) {
            let number = choices.below(messages.len());
            let message = MessageId::from_usize(choices.below(messages[number]));
            let channel = ChannelId::from_usize(number);
            template = match choices.coin() {
                true => template.send(channel, message),
                false => template.receive(channel, message),
            };
        }
        builder.template(template).expect("a good template");
    }
    for number in 0..3 {
        let predicate = predicate(choices, &sizes, &messages, 1);
        builder.proposition(format!("p{number}"), predicate).expect("a good proposition");
    }
    builder.build().expect("a good network")
}

/// A network in which two to four members do the same, beside a participant that all of them deal with,
/// and now and then with a channel each. Labels tell members apart or not; so do propositions.
///
/// # Panics
/// Never: what it builds is well formed.
pub fn family_network(choices: &mut Choices) -> Network {
    let mut builder = NetworkBuilder::default();
    let (n_members, size) = (2 + choices.below(3), 2 + choices.below(2));
    let mut add = |name: String, size: usize, ends: &[usize]| {
        let states = (0..size).map(|state| format!("s{state}"));
        let ends = ends.iter().map(|&end| LocalId::from_usize(end));
        builder.participant(Automaton::new(name, states).ends(ends)).expect("a good participant")
    };
    let shared_size = 2 + choices.below(2);
    let (shared_ends, ends) = (choices.subset(shared_size), choices.subset(size));
    let shared = add("shared".to_owned(), shared_size, &shared_ends);
    let members: Vec<ParticipantId> =
        (0..n_members).map(|it| add(format!("M{it}"), size, &ends)).collect();
    let mut channels = Vec::new();
    if choices.once_in(3) {
        let capacity = 1 + choices.below_u32(2);
        for (number, &member) in members.iter().enumerate() {
            let channel = Channel::new(format!("c{number}"), capacity, ["m0", "m1"]);
            let channel = channel.between(shared, member);
            channels.push(builder.channel(channel).expect("a good channel"));
        }
    }
    for _ in 0..1 + choices.below(5) {
        let (label, is_told) = (choices.below(8), choices.once_in(3));
        let ours = choices.below(4);
        let from = [choices.below(size), choices.below(size)].map(LocalId::from_usize);
        let to = [choices.below(size), choices.below(size)].map(LocalId::from_usize);
        let own = [choices.below(shared_size), choices.below(shared_size)].map(LocalId::from_usize);
        let (message, sends) = (MessageId::from_usize(choices.below(2)), choices.below(3));
        for (number, &member) in members.iter().enumerate() {
            let label = if is_told { (label + number) % 8 } else { label };
            let template = || Template::new(format!("t{label}"));
            let mut one = template().when(member, [from[0]]).becomes(member, [to[0]]);
            match channels.get(number) {
                Some(&channel) if sends == 1 => one = one.receive(channel, message),
                Some(&channel) if sends == 2 => {
                    one = template().when(shared, [own[0]]).send(channel, message);
                }
                _ => {}
            }
            let all = match ours {
                1 if sends != 2 || channels.is_empty() => {
                    vec![one.when(shared, [own[0]]).becomes(shared, [own[1]])]
                }
                2 if channels.is_empty() => {
                    let others = members.iter().filter(|&&other| other != member);
                    let with = |&other: &ParticipantId| {
                        one.clone().when(other, [from[1]]).becomes(other, [to[1]])
                    };
                    others.map(with).collect()
                }
                _ => vec![one],
            };
            for template in all {
                builder.template(template).expect("a good template");
            }
        }
    }
    if choices.coin() {
        let template = local_step(choices, Template::new("t7"), 0, shared_size);
        builder.template(template).expect("a good template");
    }
    let value: ValueSet = [choices.below_u32(size as u32)].into_iter().collect();
    let each = || members.iter().map(|&member| Predicate::In(member, value.clone())).collect();
    let of_shared: ValueSet = [choices.below_u32(shared_size as u32)].into_iter().collect();
    let asked = choices.below(n_members);
    for (name, predicate) in [
        ("p0", Predicate::Any(each())),
        ("p1", Predicate::All(each())),
        ("p2", Predicate::In(shared, of_shared)),
        ("p3", Predicate::In(members[asked], value.clone())),
    ] {
        builder.proposition(name, predicate).expect("a good proposition");
    }
    builder.build().expect("a good network")
}

/// A network in which two to four members do the same and know of each other: a participant has a state
/// for each of them, and now and then there is a participant for every two. Labels and propositions tell
/// members apart or not.
///
/// # Panics
/// Never: what it builds is well formed.
pub fn naming_network(choices: &mut Choices) -> Network {
    let mut builder = NetworkBuilder::default();
    let (n_members, size) = (2 + choices.below(3), 2 + choices.below(2));
    let mut add = |name: String, size: usize, ends: &[usize]| {
        let states = (0..size).map(|state| format!("s{state}"));
        let ends = ends.iter().map(|&end| LocalId::from_usize(end));
        builder.participant(Automaton::new(name, states).ends(ends)).expect("a good participant")
    };
    // Its first state is none of them; the member with number `n` is state `n + 1`.
    let name = |member: usize| LocalId::from_usize(member + 1);
    let named_ends: Vec<usize> = if choices.coin() { (0..=n_members).collect() } else { vec![0] };
    let named = add("named".to_owned(), n_members + 1, &named_ends);
    let ends = choices.subset(size);
    let members: Vec<ParticipantId> =
        (0..n_members).map(|it| add(format!("M{it}"), size, &ends)).collect();
    let mut pairs = BTreeMap::new();
    if choices.coin() {
        for (one, other) in ordered_pairs(n_members) {
            pairs.insert((one, other), add(format!("R{one}{other}"), 2, &[0, 1]));
        }
    }
    for _ in 0..1 + choices.below(5) {
        let pattern: [usize; 10] = std::array::from_fn(|_| choices.below(6));
        let (label, is_told) = (choices.below(8), choices.once_in(4));
        let state = |choice: usize| LocalId::from_usize(choice % size);
        for (one, other) in ordered_pairs(n_members) {
            let label = if is_told { (label + one) % 8 } else { label };
            let mut template = Template::new(format!("t{label}")).step(
                members[one],
                state(pattern[0]),
                state(pattern[1]),
            );
            let by_name = |template: Template, choice: usize, is_test: bool| match (choice, is_test)
            {
                (0, true) => template.when(named, [LocalId::from_usize(0)]),
                (0, false) => template.becomes(named, [LocalId::from_usize(0)]),
                (1, true) => template.when(named, [name(one)]),
                (1, false) => template.becomes(named, [name(one)]),
                (2, true) => template.when(named, [name(other)]),
                (2, false) => template.becomes(named, [name(other)]),
                (3, true) => template.when(named, (0..n_members).filter(|&it| it != one).map(name)),
                (3, false) => template.becomes(named, [name(one), name(other)]),
                _ => template,
            };
            template = by_name(template, pattern[2], true);
            template = by_name(template, pattern[3], false);
            if pattern[4] < 2 {
                template = template.when(members[other], [state(pattern[5])]);
                template = template.becomes(members[other], [state(pattern[6])]);
            }
            if let (Some(&there), Some(&back)) =
                (pairs.get(&(one, other)), pairs.get(&(other, one)))
            {
                let bit = |choice: usize| LocalId::from_usize(choice % 2);
                if pattern[7] < 4 {
                    template = template.step(there, bit(pattern[7]), bit(pattern[8]));
                }
                if pattern[9] < 2 {
                    template = template.when(back, [bit(pattern[9])]);
                }
            }
            builder.template(template).expect("a good template");
        }
    }
    let asked = choices.below(n_members);
    let (value, first) = (state_set(choices.below(size)), state_set(0));
    let named_is = |member: usize| Predicate::In(named, state_set(member + 1));
    let is_at = |member: usize| Predicate::In(members[member], value.clone());
    let both = |member: usize| Predicate::All(vec![named_is(member), is_at(member)]);
    for (name, predicate) in [
        ("p0", Predicate::Any((0..n_members).map(both).collect())),
        ("p1", Predicate::All((0..n_members).map(is_at).collect())),
        ("p2", Predicate::In(named, first)),
        ("p3", both(asked)),
        ("p4", named_is(asked)),
    ] {
        builder.proposition(name, predicate).expect("a good proposition");
    }
    let slot = |participant: ParticipantId| SlotId::from_usize(participant.index());
    let beside = |one: usize| {
        let other = one + 1;
        let change = |member: usize| match member {
            _ if member == one => other,
            _ if member == other => one,
            _ => member,
        };
        let mut swap = Swap::default();
        for (&(from, to), &pair) in &pairs {
            let becomes = (change(from), change(to));
            if (from, to) < becomes {
                swap.slots.push((slot(pair), slot(pairs[&becomes])));
            }
        }
        let names = std::iter::once(0).chain((0..n_members).map(|it| change(it) as Value + 1));
        swap.values.push((slot(named), names.collect()));
        swap
    };
    let family = Family {
        members: members.iter().map(|&member| vec![slot(member)]).collect(),
        beside: (0..n_members - 1).map(beside).collect(),
    };
    builder.build().expect("a good network").with_family(family)
}

fn ordered_pairs(n_members: usize) -> impl Iterator<Item = (usize, usize)> + Clone {
    let others =
        move |one| (0..n_members).filter(move |&other| other != one).map(move |it| (one, it));
    (0..n_members).flat_map(others)
}

fn state_set(state: usize) -> ValueSet {
    ValueSet::one(state as Value)
}

/// A step of a participant from one state to another; now and then from or to several, or one that
/// only looks, or only sets.
fn local_step(choices: &mut Choices, template: Template, number: usize, size: usize) -> Template {
    let participant = ParticipantId::from_usize(number);
    let mut local = || LocalId::from_usize(choices.below(size));
    let (mut from, mut to) = (vec![local()], vec![local()]);
    if choices.once_in(5) {
        from = choices.subset(size).into_iter().map(LocalId::from_usize).collect();
    }
    if choices.once_in(6) {
        to = choices.subset(size).into_iter().map(LocalId::from_usize).collect();
    }
    match choices.below(8) {
        6 => template.when(participant, from),
        7 => template.becomes(participant, to),
        _ => template.when(participant, from).becomes(participant, to),
    }
}

fn template(choices: &mut Choices, sizes: &[usize], messages: &[usize]) -> Template {
    let locals =
        |values: Vec<usize>| values.into_iter().map(LocalId::from_usize).collect::<Vec<_>>();
    let mut template = Template::new(format!("t{}", choices.below(6)));
    for (number, &n_states) in sizes.iter().enumerate() {
        let participant = ParticipantId::from_usize(number);
        if choices.coin() {
            template = template.when(participant, locals(choices.subset(n_states)));
        }
        if choices.coin() {
            let mut results = choices.subset(n_states);
            results.truncate(3);
            template = template.becomes(participant, locals(results));
        }
    }
    for (number, &n_messages) in messages.iter().enumerate() {
        let channel = ChannelId::from_usize(number);
        if choices.once_in(4) {
            template = template.receive(channel, MessageId::from_usize(choices.below(n_messages)));
        }
        if choices.once_in(3) {
            template = template.send(channel, MessageId::from_usize(choices.below(n_messages)));
        }
    }
    template
}

/// A proposition of at most this depth.
fn predicate(
    choices: &mut Choices,
    sizes: &[usize],
    messages: &[usize],
    depth: usize,
) -> Predicate {
    if depth > 0 && choices.coin() {
        let mut parts =
            choices.list(2, 3, |choices| predicate(choices, sizes, messages, depth - 1));
        return match choices.below(3) {
            0 => Predicate::All(parts),
            1 => Predicate::Any(parts),
            _ => Predicate::Not(Box::new(parts.swap_remove(0))),
        };
    }
    if messages.is_empty() || choices.coin() {
        let number = choices.below(sizes.len());
        let set: ValueSet =
            choices.subset(sizes[number]).into_iter().map(|value| value as u32).collect();
        return Predicate::In(ParticipantId::from_usize(number), set);
    }
    let number = choices.below(messages.len());
    let channel = ChannelId::from_usize(number);
    let message = MessageId::from_usize(choices.below(messages[number]));
    match choices.below(4) {
        0 => Predicate::Empty(channel),
        1 => Predicate::Full(channel),
        2 => Predicate::Contains(channel, message),
        _ => Predicate::Head(channel, message),
    }
}
