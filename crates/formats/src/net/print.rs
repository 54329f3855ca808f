//! A network as text that reads back as the same network.

use std::fmt;

use quadrille_model::{
    Automaton, Channel, ChannelId, CounterId, MessageId, Model, Network, ParticipantId, Predicate,
    Template, ValueSet,
};

use super::lex::is_plain;

/// The network in the `.net` language. Reading it gives the network again, but for shapes that
/// were set by hand: the language has no words for them.
pub fn write_net(network: &Network) -> String {
    Text(network).to_string()
}

struct Text<'a>(&'a Network);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Text(network) = self;
        for participant in network.participants() {
            self.participant(f, participant)?;
        }
        for channel in network.channels() {
            self.channel(f, channel)?;
        }
        for counter in network.counters() {
            write!(f, "counter {} [{}]", Quoted(&counter.name), counter.most)?;
            if counter.initial > 0 {
                write!(f, " starts {}", counter.initial)?;
            }
            writeln!(f)?;
        }
        if !network.templates().is_empty() {
            writeln!(f)?;
        }
        for template in network.templates() {
            self.template(f, template)?;
        }
        if !network.predicates().is_empty() {
            writeln!(f)?;
        }
        let named = network.signature().propositions.iter().zip(network.predicates());
        for (proposition, predicate) in named {
            write!(f, "prop {} = ", Quoted(&proposition.name))?;
            self.predicate(f, predicate, Binding::Or)?;
            writeln!(f)?;
        }
        Ok(())
    }
}

/// How tightly the surroundings of a predicate bind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Not,
}

impl Text<'_> {
    fn participant(&self, f: &mut fmt::Formatter<'_>, participant: &Automaton) -> fmt::Result {
        write!(f, "participant {}", Quoted(&participant.name))?;
        if participant.initial.index() > 0 {
            write!(f, " starts {}", Quoted(&participant.states[participant.initial.index()]))?;
        }
        write!(f, ":")?;
        for (number, state) in participant.states.iter().enumerate() {
            let star = if participant.ends.contains(number as u32) { "*" } else { "" };
            write!(f, " {}{star}", Quoted(state))?;
        }
        writeln!(f)
    }

    fn channel(&self, f: &mut fmt::Formatter<'_>, channel: &Channel) -> fmt::Result {
        let star = if channel.may_keep { "*" } else { "" };
        write!(f, "channel {}{star}", Quoted(&channel.name))?;
        if let Some((from, to)) = channel.ends {
            write!(f, " from {} to {}", self.name(from), self.name(to))?;
        }
        write!(f, " [{}] of", channel.capacity)?;
        for message in &channel.messages {
            write!(f, " {}", Quoted(message))?;
        }
        writeln!(f)
    }

    fn template(&self, f: &mut fmt::Formatter<'_>, template: &Template) -> fmt::Result {
        write!(f, "{}:", Quoted(&template.label))?;
        let mut separator = " ";
        let set_of = |list: &[(ParticipantId, ValueSet)], id| {
            list.iter().find(|(other, _)| *other == id).map(|(_, set)| set.clone())
        };
        let all = template.conditions.iter().chain(&template.results).map(|(id, _)| *id);
        let mut participants: Vec<ParticipantId> = all.collect();
        participants.sort_unstable();
        participants.dedup();
        for id in participants {
            write!(f, "{separator}{}", self.name(id))?;
            if let Some(set) = set_of(&template.conditions, id) {
                write!(f, " ")?;
                self.states(f, id, &set)?;
            }
            if let Some(set) = set_of(&template.results, id) {
                write!(f, " -> ")?;
                self.members(f, id, &set)?;
            }
            separator = ", ";
        }
        for (list, mark) in [(&template.receives, '?'), (&template.sends, '!')] {
            for (channel, message) in list {
                let (channel, message) = self.message(*channel, *message);
                write!(f, "{separator}{channel} {mark} {message}")?;
                separator = ", ";
            }
        }
        for (counter, values) in &template.tests {
            for test in self.tests(*counter, values) {
                write!(f, "{separator}{} {test}", self.counter_name(*counter))?;
                separator = ", ";
            }
        }
        for (counter, take, put) in &template.counts {
            write!(f, "{separator}{}", self.counter_name(*counter))?;
            if *take > 0 || *put == 0 {
                write!(f, " - {take}")?;
            }
            if *put > 0 {
                write!(f, " + {put}")?;
            }
            separator = ", ";
        }
        writeln!(f)
    }

    /// What a counter may be, as comparisons that hold together.
    fn tests(&self, counter: CounterId, values: &ValueSet) -> Vec<String> {
        let most = self.0.counters()[counter.index()].most;
        let (least, last) =
            (values.iter().next().unwrap_or(0), values.iter().last().unwrap_or(most));
        let mut tests = Vec::new();
        match (least == last, least > 0, last < most) {
            (true, ..) => tests.push(format!("= {least}")),
            (_, from_below, to_above) => {
                tests.extend(from_below.then(|| format!(">= {least}")));
                tests.extend(to_above.then(|| format!("<= {last}")));
            }
        }
        let missing = (least..=last).filter(|value| !values.contains(*value));
        tests.extend(missing.map(|value| format!("!= {value}")));
        tests
    }

    /// A sum with its positive terms on the left of `<=`, and the others on the right.
    fn comparison(&self, sum: &[(CounterId, i64)], most: i64) -> String {
        let side = |is_left: bool, constant: i64| {
            let mine = sum.iter().filter(|(_, factor)| (*factor > 0) == is_left);
            let mut terms: Vec<String> = mine
                .map(|(counter, factor)| match factor.abs() {
                    1 => self.counter_name(*counter),
                    many => format!("{many} * {}", self.counter_name(*counter)),
                })
                .collect();
            if constant > 0 || terms.is_empty() {
                terms.push(constant.to_string());
            }
            terms.join(" + ")
        };
        format!("{} <= {}", side(true, (-most).max(0)), side(false, most.max(0)))
    }

    fn predicate(
        &self,
        f: &mut fmt::Formatter<'_>,
        predicate: &Predicate,
        around: Binding,
    ) -> fmt::Result {
        match predicate {
            Predicate::In(participant, set) => {
                write!(f, "{} in ", self.name(*participant))?;
                self.states(f, *participant, set)
            }
            Predicate::Empty(channel) => write!(f, "{} empty", self.channel_name(*channel)),
            Predicate::Full(channel) => write!(f, "{} full", self.channel_name(*channel)),
            Predicate::Contains(channel, message) => {
                let (channel, message) = self.message(*channel, *message);
                write!(f, "{channel} contains {message}")
            }
            Predicate::Head(channel, message) => {
                let (channel, message) = self.message(*channel, *message);
                write!(f, "{channel} head {message}")
            }
            Predicate::AtMost(sum, most) => write!(f, "{}", self.comparison(sum, *most)),
            Predicate::Not(inner) => {
                write!(f, "not ")?;
                self.predicate(f, inner, Binding::Not)
            }
            Predicate::All(parts) => self.chain(f, parts, ("true", " and "), Binding::And, around),
            Predicate::Any(parts) => self.chain(f, parts, ("false", " or "), Binding::Or, around),
        }
    }

    /// A chain of `and` or `or`; in parentheses unless its surroundings bind less tightly.
    fn chain(
        &self,
        f: &mut fmt::Formatter<'_>,
        parts: &[Predicate],
        (neutral, operator): (&str, &str),
        own: Binding,
        around: Binding,
    ) -> fmt::Result {
        match parts {
            [] => return write!(f, "{neutral}"),
            [single] => return self.predicate(f, single, around),
            _ => {}
        }
        let open = around > own;
        if open {
            write!(f, "(")?;
        }
        // Parts bind tighter than the chain itself, so that a chain in a chain keeps its place.
        let inner = if own == Binding::Or { Binding::And } else { Binding::Not };
        for (position, part) in parts.iter().enumerate() {
            if position > 0 {
                write!(f, "{operator}")?;
            }
            self.predicate(f, part, inner)?;
        }
        if open { write!(f, ")") } else { Ok(()) }
    }

    /// A set of states, as what it leaves out where that is a single one of several.
    fn states(
        &self,
        f: &mut fmt::Formatter<'_>,
        participant: ParticipantId,
        set: &ValueSet,
    ) -> fmt::Result {
        let names = &self.0.participants()[participant.index()].states;
        let missing = (0..names.len() as u32).find(|state| !set.contains(*state));
        if let (Some(missing), true) = (missing, set.len() > 1 && set.len() + 1 == names.len()) {
            return write!(f, "!{}", Quoted(&names[missing as usize]));
        }
        self.members(f, participant, set)
    }

    fn members(
        &self,
        f: &mut fmt::Formatter<'_>,
        participant: ParticipantId,
        set: &ValueSet,
    ) -> fmt::Result {
        let names = &self.0.participants()[participant.index()].states;
        let members: Vec<String> =
            set.iter().map(|state| Quoted(&names[state as usize]).to_string()).collect();
        match &members[..] {
            [single] => write!(f, "{single}"),
            several => write!(f, "{{{}}}", several.join(", ")),
        }
    }

    fn name(&self, participant: ParticipantId) -> Quoted<'_> {
        Quoted(&self.0.participants()[participant.index()].name)
    }

    fn channel_name(&self, channel: ChannelId) -> Quoted<'_> {
        Quoted(&self.0.channels()[channel.index()].name)
    }

    /// A name that is not taken for a number.
    fn counter_name(&self, counter: CounterId) -> String {
        let name = &self.0.counters()[counter.index()].name;
        match name.bytes().all(|byte| byte.is_ascii_digit()) {
            true => format!("\"{name}\""),
            false => Quoted(name).to_string(),
        }
    }

    fn message(&self, channel: ChannelId, message: MessageId) -> (Quoted<'_>, Quoted<'_>) {
        let messages = &self.0.channels()[channel.index()].messages;
        (self.channel_name(channel), Quoted(&messages[message.index()]))
    }
}

/// Words that mean something where a name may stand.
const WORDS: [&str; 4] = ["_", "not", "true", "false"];

/// A name, in quotes if it needs them.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_plain(self.0) && !WORDS.contains(&self.0) {
            return f.write_str(self.0);
        }
        let escaped = self.0.replace('\\', "\\\\").replace('"', "\\\"");
        write!(f, "\"{}\"", escaped.replace('\n', "\\n").replace('\r', "\\r"))
    }
}
