//! Seeded random networks, for tests that compare fast code with naive code.

use quadrille_model::{
    Automaton, Channel, ChannelId, LocalId, MessageId, Network, NetworkBuilder, ParticipantId,
    Predicate, Template, ValueSet,
};

/// Marsaglia's xorshift64: small, and the same everywhere.
pub struct Random(u64);

impl Random {
    /// A generator; equal seeds give equal numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// A network of up to four participants and two channels; now and then a participant has more
/// than 64 local states and a channel more than one slot.
pub fn network(random: &mut Random) -> Network {
    let mut builder = NetworkBuilder::default();
    let n_participants = 1 + random.below(4);
    let mut sizes = Vec::new();
    for number in 0..n_participants {
        let n_states = if random.once_in(6) { 70 } else { 1 + random.below(4) };
        let initial = LocalId::from_usize(random.below(n_states));
        let ends = subset(random, n_states);
        let states = (0..n_states).map(|state| format!("s{state}"));
        let participant = Automaton::new(format!("P{number}"), states)
            .initial(initial)
            .ends(ends.iter().map(|&value| LocalId::new(value)));
        builder.participant(participant).expect("a good participant");
        sizes.push(n_states);
    }
    let mut messages = Vec::new();
    for number in 0..random.below(3) {
        let n_messages = 1 + random.below(4);
        let capacity = if random.once_in(5) { 18 } else { 1 + random.below(3) as u32 };
        let names = (0..n_messages).map(|message| format!("m{message}"));
        let mut channel = Channel::new(format!("c{number}"), capacity, names);
        if random.once_in(2) {
            let mut end = || ParticipantId::from_usize(random.below(n_participants));
            channel = channel.between(end(), end());
        }
        channel.may_keep = random.once_in(3);
        builder.channel(channel).expect("a good channel");
        messages.push(n_messages);
    }
    for _ in 0..random.below(14) {
        builder.template(template(random, &sizes, &messages)).expect("a good template");
    }
    for number in 0..random.below(4) {
        let predicate = predicate(random, &sizes, &messages, 3);
        builder.proposition(format!("p{number}"), predicate).expect("a good proposition");
    }
    builder.build().expect("a good network")
}

fn template(random: &mut Random, sizes: &[usize], messages: &[usize]) -> Template {
    let mut template = Template::new(format!("t{}", random.below(6)));
    for (number, &n_states) in sizes.iter().enumerate() {
        let participant = ParticipantId::from_usize(number);
        let ids = |values: Vec<u32>| values.into_iter().map(LocalId::new).collect::<Vec<_>>();
        if random.once_in(2) {
            template = template.when(participant, ids(subset(random, n_states)));
        }
        if random.once_in(2) {
            let mut results = subset(random, n_states);
            results.truncate(3);
            template = template.becomes(participant, ids(results));
        }
    }
    for (number, &n_messages) in messages.iter().enumerate() {
        let channel = ChannelId::from_usize(number);
        if random.once_in(4) {
            template = template.receive(channel, MessageId::from_usize(random.below(n_messages)));
        }
        if random.once_in(3) {
            template = template.send(channel, MessageId::from_usize(random.below(n_messages)));
        }
    }
    template
}

/// A proposition of at most this depth.
fn predicate(random: &mut Random, sizes: &[usize], messages: &[usize], depth: usize) -> Predicate {
    if depth > 0 && random.once_in(2) {
        let parts = 2 + random.below(2);
        let mut part = || predicate(random, sizes, messages, depth - 1);
        return match part() {
            Predicate::Not(inner) => Predicate::Not(inner),
            first => {
                let mut all = vec![first];
                all.extend((1..parts).map(|_| part()));
                match random.below(3) {
                    0 => Predicate::All(all),
                    1 => Predicate::Any(all),
                    _ => Predicate::Not(Box::new(all.swap_remove(0))),
                }
            }
        };
    }
    if messages.is_empty() || random.once_in(2) {
        let number = random.below(sizes.len());
        let set: ValueSet = subset(random, sizes[number]).into_iter().collect();
        return Predicate::In(ParticipantId::from_usize(number), set);
    }
    let number = random.below(messages.len());
    let channel = ChannelId::from_usize(number);
    let message = MessageId::from_usize(random.below(messages[number]));
    match random.below(4) {
        0 => Predicate::Empty(channel),
        1 => Predicate::Full(channel),
        2 => Predicate::Contains(channel, message),
        _ => Predicate::Head(channel, message),
    }
}

/// A set of values below `size` that is not empty, ascending.
fn subset(random: &mut Random, size: usize) -> Vec<u32> {
    let keep = 1 + random.below(4);
    let mut set: Vec<u32> = (0..size as u32).filter(|_| random.once_in(keep)).collect();
    if set.is_empty() {
        set.push(random.below(size) as u32);
    }
    set
}
