//! A network of participants and counters as a net: a place per local state, two per counter (what it is
//! and what it lacks of its bound), a transition per way in which a template can be followed. Queues keep
//! an order, which places do not; a network with channels is no net.

use quadrille_model::{Counter, Network, ParticipantId, Template, ValueSet};
use rustc_hash::FxHashSet;

use crate::net::{Bag, Net, PlaceId, Tokens, Transition, Unit, add};

/// Ways in which one template can be followed.
const MOST_WAYS: usize = 1 << 16;

/// The net that a network is.
///
/// # Errors
/// Why it is none.
pub fn net_of_network(name: &str, network: &Network) -> Result<Net, String> {
    if let Some(channel) = network.channels().first() {
        return Err(format!("channel `{}` keeps the order of its messages", channel.name));
    }
    let mut net = Net { id: name.to_owned(), says_safe: true, ..Net::default() };
    let mut first = Vec::new();
    let mut root = Unit { id: "root".to_owned(), ..Unit::default() };
    for participant in network.participants() {
        first.push(net.places.len());
        let mut unit = Unit { id: participant.name.clone(), ..Unit::default() };
        for (number, state) in participant.states.iter().enumerate() {
            unit.places.push(PlaceId::from_usize(net.places.len()));
            net.places.push(format!("{}.{state}", participant.name));
            net.initial.push(Tokens::from(participant.initial.index() == number));
        }
        net.units.push(unit);
        root.parts.push(net.units.len());
    }
    let first_counter = net.places.len();
    for Counter { name, most, initial } in network.counters() {
        net.places.extend([name.clone(), format!("{name}.room")]);
        net.initial.extend([*initial, most - initial]);
        net.says_safe &= *most <= 1;
    }
    // Units are about all places, or about none.
    if network.counters().is_empty() {
        net.units.insert(0, root);
    } else {
        net.units.clear();
    }
    let mut used = FxHashSet::default();
    for template in network.templates() {
        for (take, put) in ways(network, template, &first, first_counter)? {
            let (mut id, mut number) = (template.label.clone(), 1);
            while !used.insert(id.clone()) {
                number += 1;
                id = format!("{}#{number}", template.label);
            }
            let mut transition = Transition { id, ..Transition::default() };
            take.into_iter().for_each(|(place, n)| add(&mut transition.take, place, n));
            put.into_iter().for_each(|(place, n)| add(&mut transition.put, place, n));
            net.transitions.push(transition);
        }
    }
    Ok(net)
}

/// Tokens that are taken, and tokens that are put.
type Way = (Bag, Bag);

/// Every combination of states before and after.
fn ways(
    network: &Network,
    template: &Template,
    first: &[usize],
    first_counter: usize,
) -> Result<Vec<Way>, String> {
    let mut all = vec![(Vec::new(), Vec::new())];
    let set_of = |list: &[(ParticipantId, ValueSet)], id: ParticipantId| {
        list.iter().find(|(known, _)| *known == id).map(|(_, set)| set.clone())
    };
    for (number, participant) in network.participants().iter().enumerate() {
        let id = ParticipantId::from_usize(number);
        let (before, after) = (set_of(&template.conditions, id), set_of(&template.results, id));
        if before.is_none() && after.is_none() {
            continue;
        }
        let any = || (0..participant.states.len() as u32).collect::<ValueSet>();
        let mut steps = Vec::new();
        for from in before.unwrap_or_else(any).iter() {
            match &after {
                None => steps.push((from, from)),
                Some(after) => steps.extend(after.iter().map(|to| (from, to))),
            }
        }
        let place = |state: u32| PlaceId::from_usize(first[number] + state as usize);
        let steps =
            steps.into_iter().map(|(from, to)| (vec![(place(from), 1)], vec![(place(to), 1)]));
        all = combined(&all, &steps.collect::<Vec<_>>(), template)?;
    }
    for (number, counter) in network.counters().iter().enumerate() {
        let tested = template.tests.iter().find(|(id, _)| id.index() == number);
        let counted = template.counts.iter().find(|(id, ..)| id.index() == number);
        if tested.is_none() && counted.is_none() {
            continue;
        }
        let held = PlaceId::from_usize(first_counter + 2 * number);
        let room = PlaceId::from_usize(first_counter + 2 * number + 1);
        let (take, put) = counted.map_or((0, 0), |&(_, take, put)| (take, put));
        let steps = counter_steps(counter, tested.map(|(_, values)| values), take, put);
        let arcs = |of_held: Tokens, of_room: Tokens| -> Bag {
            [(held, of_held), (room, of_room)].into_iter().filter(|entry| entry.1 > 0).collect()
        };
        let steps = steps.into_iter().map(|[taken, taken_room, given, given_room]| {
            (arcs(taken, taken_room), arcs(given, given_room))
        });
        all = combined(&all, &steps.collect::<Vec<_>>(), template)?;
    }
    Ok(all)
}

/// What transitions take of a counter and of its room, and put there: one where what is asked for is a
/// range, else one per number.
fn counter_steps(
    counter: &Counter,
    tested: Option<&ValueSet>,
    take: Tokens,
    put: Tokens,
) -> Vec<[Tokens; 4]> {
    let most = counter.most;
    let values: Vec<Tokens> = (0..=most)
        .filter(|value| tested.is_none_or(|set| set.contains(*value)))
        .filter(|value| *value >= take && value - take + put <= most)
        .collect();
    // At least so much is held, and so much room is there; the difference is what changes.
    let step = |least: Tokens, last: Tokens| {
        let free = most - last;
        [least, free, least - take + put, free + take - put]
    };
    match &values[..] {
        [] => Vec::new(),
        [least, .., last] if (last - least) as usize + 1 == values.len() => {
            vec![step(*least, *last)]
        }
        several => several.iter().map(|&value| step(value, value)).collect(),
    }
}

fn combined(all: &[Way], steps: &[Way], template: &Template) -> Result<Vec<Way>, String> {
    if all.len().saturating_mul(steps.len()) > MOST_WAYS {
        return Err(format!("template `{}` stands for too many transitions", template.label));
    }
    let joined = |(take, put): &Way| {
        let (take, put) = (take.clone(), put.clone());
        steps
            .iter()
            .map(move |(more, other)| ([&take[..], more].concat(), [&put[..], other].concat()))
    };
    Ok(all.iter().flat_map(joined).collect())
}
