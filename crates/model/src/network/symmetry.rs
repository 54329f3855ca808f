//! Members of a network that can be exchanged for each other: swapping their local states and what
//! is in their channels maps templates to templates. Decided on the templates alone.

use super::{Channel, Network, Template};
use crate::{ChannelId, CounterId, Family, MessageId, ParticipantId, SlotId, Value, ValueSet};

/// Members that are compared; there are no families among more.
const MAX_MEMBERS: usize = 64;

type Conditions = Vec<(ParticipantId, ValueSet)>;
type Messages = Vec<(ChannelId, MessageId)>;
type Tests = Vec<(CounterId, ValueSet)>;
type Counts = Vec<(CounterId, Value, Value)>;

/// A template without its name.
type Shape = (Conditions, Conditions, Messages, Messages, Tests, Counts);

/// What belongs to a member: its automata, and the channels that have it at one end.
struct Member<'m> {
    automata: &'m [ParticipantId],
    channels: Vec<ChannelId>,
}

impl Network {
    /// Declares a family that is not found on the templates alone: of members that are named by states of
    /// others, or that have participants in common. A promise like the others of the signature.
    #[must_use]
    pub fn with_family(mut self, family: Family) -> Self {
        self.signature.families.insert(0, family);
        self
    }

    /// The families among members, each made up of some participants; `alike` tells whether two may
    /// be in one family as far as the network does not say.
    pub fn families(
        &self,
        members: &[Vec<ParticipantId>],
        alike: &dyn Fn(usize, usize) -> bool,
    ) -> Vec<Family> {
        if members.len() > MAX_MEMBERS {
            return Vec::new();
        }
        let members: Vec<Member<'_>> =
            members.iter().map(|automata| self.member(automata)).collect();
        let mut classes: Vec<Vec<usize>> = Vec::new();
        for (number, member) in members.iter().enumerate() {
            let fits = |class: &&mut Vec<usize>| {
                let apart = |&other: &usize| {
                    members[other].channels.iter().all(|one| !member.channels.contains(one))
                };
                let last = class[class.len() - 1];
                class.iter().all(apart) && alike(last, number) && self.swaps(&members[last], member)
            };
            match classes.iter_mut().find(fits) {
                Some(class) => class.push(number),
                None => classes.push(vec![number]),
            }
        }
        let families = classes.iter().filter(|class| class.len() > 1);
        let slots = |&number: &usize| self.slots(&members[number]);
        families.map(|class| Family::of(class.iter().map(slots).collect())).collect()
    }

    fn member<'m>(&self, automata: &'m [ParticipantId]) -> Member<'m> {
        let mut channels: Vec<_> = Vec::new();
        for (number, channel) in self.channels.iter().enumerate() {
            let Some((from, to)) = channel.ends else { continue };
            let (sends, receives) = (automata.contains(&from), automata.contains(&to));
            if sends || receives {
                let other = if sends { to } else { from };
                channels.push((other, receives, ChannelId::from_usize(number)));
            }
        }
        channels.sort_unstable();
        let channels = channels.into_iter().map(|(_, _, channel)| channel).collect();
        Member { automata, channels }
    }

    fn slots(&self, member: &Member<'_>) -> Vec<SlotId> {
        let automata = member.automata.iter().map(|automaton| automaton.index());
        let queues =
            member.channels.iter().flat_map(|channel| self.queues[channel.index()].slots());
        automata.chain(queues).map(SlotId::from_usize).collect()
    }

    /// Whether swapping two members maps templates to templates.
    fn swaps(&self, one: &Member<'_>, other: &Member<'_>) -> bool {
        let automaton = |id: ParticipantId| &self.participants[id.index()];
        let same_automata = |(&a, &b): (&ParticipantId, &ParticipantId)| {
            let (a, b) = (automaton(a), automaton(b));
            (a.states.len(), a.initial, &a.ends) == (b.states.len(), b.initial, &b.ends)
        };
        let kind = |channel: &ChannelId| {
            let Channel { capacity, messages, may_keep, .. } = &self.channels[channel.index()];
            (*capacity, messages.len(), *may_keep)
        };
        let is_possible = one.automata.len() == other.automata.len()
            && one.automata.iter().zip(other.automata).all(same_automata)
            && one.channels.iter().map(kind).eq(other.channels.iter().map(kind));
        let mine = |template: &&Template| {
            [one, other].iter().any(|member| {
                let states = template.conditions.iter().chain(&template.results);
                let queues = template.receives.iter().chain(&template.sends);
                states.into_iter().any(|(automaton, _)| member.automata.contains(automaton))
                    || queues.into_iter().any(|(channel, _)| member.channels.contains(channel))
            })
        };
        let shapes = |is_swapped: bool| -> Vec<Shape> {
            let automaton =
                |id| if is_swapped { swapped(id, one.automata, other.automata) } else { id };
            let channel =
                |id| if is_swapped { swapped(id, &one.channels, &other.channels) } else { id };
            let states = |list: &Conditions| ordered(list, automaton);
            let queues = |list: &Messages| ordered(list, channel);
            let templates = self.templates.iter().filter(mine);
            let shape = |template: &Template| {
                let Template { conditions, results, receives, sends, tests, counts, .. } = template;
                let (states, messages) =
                    ((states(conditions), states(results)), (queues(receives), queues(sends)));
                let counters = (tests.clone(), counts.clone());
                (states.0, states.1, messages.0, messages.1, counters.0, counters.1)
            };
            let mut shapes: Vec<Shape> = templates.map(shape).collect();
            shapes.sort_unstable();
            shapes
        };
        is_possible && shapes(false) == shapes(true)
    }
}

/// What stands where `id` stood when these are swapped pairwise.
fn swapped<I: Copy + PartialEq>(id: I, one: &[I], other: &[I]) -> I {
    let pairs = || one.iter().zip(other);
    let found = pairs().find_map(|(&a, &b)| if a == id { Some(b) } else { (b == id).then_some(a) });
    found.unwrap_or(id)
}

/// A list by ids that are replaced.
fn ordered<I: Copy + Ord, T: Clone + Ord>(
    list: &[(I, T)],
    replace: impl Fn(I) -> I,
) -> Vec<(I, T)> {
    let mut list: Vec<(I, T)> =
        list.iter().map(|(id, with)| (replace(*id), with.clone())).collect();
    list.sort_unstable();
    list
}
