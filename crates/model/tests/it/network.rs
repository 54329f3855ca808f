//! `Network` against the book, on random networks and on models whose counts are known.

use std::collections::VecDeque;

use quadrille_model::{
    Automaton, Channel, Checked, Flow, GroupId, Interaction, LocalId, MessageId, Model, Network,
    NetworkBuilder, NetworkError, ParticipantId, Predicate, PropositionId, SlotId, Template, Value,
    ValueSet,
};
use quadrille_workshop::check;
use quadrille_workshop::networks::{counting_network, network};

use crate::naive::{self, Configuration};

/// The state as the vector has it, read back through the names that `show` prints.
fn unpack(network: &Network, state: &[Value]) -> Configuration {
    let n_participants = network.participants().len();
    let mut queues = vec![VecDeque::new(); network.channels().len()];
    let numbers = state.len() - network.counters().len();
    for (number, value) in state.iter().enumerate().take(numbers).skip(n_participants) {
        let slot = SlotId::from_usize(number);
        let name = &network.signature().slot(slot).name;
        let of = network.channels().iter().position(|channel| {
            name.strip_prefix(&channel.name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        });
        let of = of.expect("a channel's slot");
        let shown = network.show(slot, *value);
        for message in shown.trim_matches(['[', ']']).split_whitespace() {
            let messages = &network.channels()[of].messages;
            let message = messages.iter().position(|other| other == message);
            queues[of].push_back(message.expect("a message's name") as Value);
        }
    }
    let numbers = state[numbers..].to_vec();
    Configuration { locals: state[..n_participants].to_vec(), queues, numbers }
}

#[test]
fn agrees_with_the_book_on_random_networks() {
    check(600, |choices| {
        let network = match choices.once_in(3) {
            true => counting_network(choices),
            false => network(choices),
        };
        let mut states = Vec::new();
        let mut explorer = network.explorer();
        explorer.each_initial(|state| states.push(state.to_vec())).expect("computable");
        assert_eq!(unpack(&network, &states[0]), naive::initial(&network));
        let mut at = 0;
        while at < states.len() && at < 300 {
            let state = states[at].clone();
            let from = unpack(&network, &state);
            let mut found = Vec::new();
            let mut by_expand = Vec::new();
            let expanded = explorer.each_successor(&state, |group, action, next| {
                found.push((network.action(action).label, unpack(&network, next)));
                by_expand.push((group, action, next.to_vec()));
            });
            assert_eq!(expanded, Ok(()));
            assert_eq!(found, naive::successors(&network, &from), "{state:?}");
            let mut by_group = Vec::new();
            for group in (0..network.signature().groups.len()).map(GroupId::from_usize) {
                let mut see = |group, action, next: &[Value]| {
                    by_group.push((group, action, next.to_vec()));
                    Flow::Continue(())
                };
                assert_eq!(explorer.successors(group, &state, &mut see), Flow::Continue(()));
            }
            assert_eq!(by_expand, by_group, "{state:?}");
            for (number, predicate) in network.predicates().iter().enumerate() {
                assert_eq!(
                    explorer.holds(PropositionId::from_usize(number), &state),
                    Ok(naive::holds(&network, predicate, &from)),
                    "{state:?}, {predicate:?}"
                );
            }
            for (_, _, next) in by_expand {
                if !states.contains(&next) {
                    states.push(next);
                }
            }
            at += 1;
        }
    });
}

const THINK: LocalId = LocalId::new(0);
const HUNGRY: LocalId = LocalId::new(1);
const ONE: LocalId = LocalId::new(2);
const EAT: LocalId = LocalId::new(3);
const LEAVING: LocalId = LocalId::new(4);
const FREE: LocalId = LocalId::new(0);
const TAKEN: LocalId = LocalId::new(1);

/// Philosophers who take one fork after the other; `reversed`: the last one starts with the other.
fn philosophers(n: usize, reversed: bool) -> Result<Network, NetworkError> {
    let mut builder = NetworkBuilder::default();
    let states = ["think", "hungry", "one", "eat", "leaving"];
    let philosophers: Vec<ParticipantId> = (0..n)
        .map(|number| builder.participant(Automaton::new(format!("Phil{number}"), states)))
        .collect::<Result<_, _>>()?;
    let forks: Vec<ParticipantId> = (0..n)
        .map(|number| {
            builder.participant(Automaton::new(format!("Fork{number}"), ["free", "taken"]))
        })
        .collect::<Result<_, _>>()?;
    for (number, &philosopher) in philosophers.iter().enumerate() {
        let mut pair = [forks[number], forks[(number + 1) % n]];
        if reversed && number == n - 1 {
            pair.reverse();
        }
        let template = |name: &str, from, to| {
            Template::new(format!("{name}{number}")).step(philosopher, from, to)
        };
        builder.template(template("wish", THINK, HUNGRY))?;
        builder.template(template("first", HUNGRY, ONE).step(pair[0], FREE, TAKEN))?;
        builder.template(template("second", ONE, EAT).step(pair[1], FREE, TAKEN))?;
        builder.template(template("put", EAT, LEAVING).becomes(pair[0], [FREE]))?;
        builder.template(template("leave", LEAVING, THINK).becomes(pair[1], [FREE]))?;
    }
    builder.build()
}

#[test]
fn philosophers_have_a_lucas_number_of_states() {
    let counted = |n, reversed| {
        let (states, transitions, stuck) =
            naive::count(&philosophers(n, reversed).expect("a good network"));
        (states, transitions, stuck.len())
    };
    assert_eq!(counted(5, true).0, 1364);
    assert_eq!(counted(5, false).0, 1363);
    assert_eq!(counted(5, false).2, 1);
    // Spin reports one transition more: it counts the arrival in the initial state.
    assert_eq!(counted(8, true), (103_682, 687_768, 0));
}

#[test]
fn a_template_declares_exactly_what_it_touches() {
    let mut builder = NetworkBuilder::default();
    let [a, b] = ["A", "B"].map(|name| {
        builder.participant(Automaton::new(name, ["x", "y"])).expect("a good participant")
    });
    let channel = Channel::new("c", 2, ["ping", "pong"]).between(a, b);
    let c = builder.channel(channel).expect("a good channel");
    let pong = MessageId::new(1);
    let [x, y] = [0, 1].map(LocalId::new);
    builder.template(Template::new("ask").step(a, x, y).send(c, pong)).expect("ask");
    builder.template(Template::new("take").step(b, x, x).receive(c, pong)).expect("take");
    builder.template(Template::new("any").when(a, [x, y]).becomes(b, [x, y])).expect("any");
    let network = builder.build().expect("a good network");
    let slots = |list: &[u32]| list.iter().map(|&slot| SlotId::new(slot)).collect::<Vec<_>>();
    let signature = network.signature();
    let declared = |group: u32| {
        let id = GroupId::new(group);
        let group = &signature.groups[id.index()];
        assert!(group.guards_complete && group.must_write().eq(group.may_write()));
        (signature.guard_reads(id), group.reads.clone(), group.may_write().collect::<Vec<_>>())
    };
    assert_eq!(declared(0), (slots(&[0, 2]), slots(&[2]), slots(&[0, 2])));
    assert_eq!(declared(1), (slots(&[1, 2]), slots(&[2]), slots(&[2])));
    assert_eq!(declared(2), (slots(&[]), slots(&[]), slots(&[1])));
    // A send and a receive accord although both change the queue; nothing else does.
    let [ask, take, any] = [0, 1, 2].map(GroupId::new);
    assert!(signature.accord(ask, take) && signature.accord(ask, any));
    assert!(!signature.accord(take, any));
    assert_eq!(
        network.action(quadrille_model::ActionId::new(1)).interaction,
        Interaction::Receive { from: Some(a), to: b, message: "pong".to_owned() }
    );
    assert_eq!(signature.packed_bits(), 1 + 1 + 2 * 2);
}

#[test]
fn the_builder_refuses_what_makes_no_sense() {
    let mut builder = NetworkBuilder::default();
    assert_eq!(builder.clone().build(), Err(NetworkError::NoParticipants));
    let p = builder.participant(Automaton::new("P", ["a", "b"])).expect("good");
    let c = builder.channel(Channel::new("c", 1, ["m"])).expect("good");
    let nothing: [&str; 0] = [];
    let participant = |participant| builder.clone().participant(participant).err();
    let taken = |name: &str| Some(NetworkError::NameTaken(name.to_owned()));
    assert_eq!(participant(Automaton::new("P", ["a"])), taken("P"));
    assert_eq!(participant(Automaton::new("c", ["a"])), taken("c"));
    assert_eq!(participant(Automaton::new("Q", ["a", "a"])), taken("a"));
    let no_states = Some(NetworkError::NoStates("Q".to_owned()));
    assert_eq!(participant(Automaton::new("Q", nothing)), no_states);
    let outside = Automaton::new("Q", ["a"]).initial(LocalId::new(1));
    let unknown = NetworkError::UnknownState(ParticipantId::new(1), LocalId::new(1));
    assert_eq!(participant(outside), Some(unknown));
    let channel = |channel| builder.clone().channel(channel).err();
    let capacity = Some(NetworkError::Capacity("d".to_owned()));
    assert_eq!(channel(Channel::new("d", 0, ["m"])), capacity);
    assert_eq!(channel(Channel::new("d", u32::MAX, ["m"])), capacity);
    assert_eq!(channel(Channel::new("d", 1, nothing)), Some(NetworkError::NoMessages("d".into())));
    let template = |template| builder.clone().template(template).err();
    let t = || Template::new("t");
    assert_eq!(template(t().when(p, [])), Some(NetworkError::EmptySet(p)));
    assert_eq!(template(t().becomes(p, [])), Some(NetworkError::EmptySet(p)));
    let two = LocalId::new(2);
    assert_eq!(template(t().becomes(p, [two])), Some(NetworkError::UnknownState(p, two)));
    let q = ParticipantId::new(9);
    assert_eq!(template(t().when(q, [two])), Some(NetworkError::UnknownParticipant(q)));
    let twice = t().when(p, [LocalId::new(0)]).when(p, [LocalId::new(1)]);
    assert_eq!(template(twice), Some(NetworkError::ParticipantTwice(p)));
    let m = MessageId::new(0);
    let twice = t().send(c, m).send(c, m);
    assert_eq!(template(twice), Some(NetworkError::ChannelTwice(c)));
    let other = MessageId::new(1);
    let unknown = Some(NetworkError::UnknownMessage(c, other));
    assert_eq!(template(t().receive(c, other)), unknown);
    let empty = Predicate::Not(Box::new(Predicate::In(p, ValueSet::default())));
    assert_eq!(builder.clone().proposition("x", empty), Err(NetworkError::EmptySet(p)));
}

#[test]
fn too_many_results_are_refused_before_they_are_counted_out() {
    let mut builder = NetworkBuilder::default();
    let states = [0, 1].map(LocalId::new);
    let mut template = Template::new("explode");
    for number in 0..100 {
        let participant = Automaton::new(format!("P{number}"), ["a", "b"]);
        let id = builder.participant(participant).expect("a good participant");
        template = template.becomes(id, states);
    }
    assert_eq!(builder.template(template), Err(NetworkError::TooManyResults("explode".into())));
}

#[test]
fn ends_where_all_may_end_and_channels_are_empty() {
    for keep in [false, true] {
        let mut builder = NetworkBuilder::default();
        let [x, y] = [0, 1].map(LocalId::new);
        let a = builder.participant(Automaton::new("A", ["x", "y"]).ends([y])).expect("A");
        let channel = Channel::new("c", 1, ["m"]);
        let c = builder.channel(if keep { channel.may_keep() } else { channel }).expect("c");
        let send = Template::new("send").step(a, x, y).send(c, MessageId::new(0));
        builder.template(send).expect("send");
        let (states, _, stuck) = naive::count(&builder.build().expect("a good network"));
        assert_eq!((states, stuck.len()), (2, usize::from(!keep)));
    }
}

/// A server with clients that ask it one at a time, each over a channel of its own.
fn star(capacities: [u32; 3]) -> Network {
    let mut builder = NetworkBuilder::default();
    let server = builder.participant(Automaton::new("server", ["free", "busy"])).expect("new");
    let [zero, one] = [0, 1].map(LocalId::new);
    for (number, capacity) in capacities.into_iter().enumerate() {
        let client = Automaton::new(format!("client{number}"), ["idle", "waiting"]);
        let client = builder.participant(client).expect("new");
        let [to, from] =
            [(client, server, "ask"), (server, client, "answer")].map(|(a, b, text)| {
                let channel =
                    Channel::new(format!("{text}{number}"), capacity, [text]).between(a, b);
                builder.channel(channel).expect("new")
            });
        let message = MessageId::new(0);
        let ask = Template::new("ask").step(client, zero, one).send(to, message);
        let take = Template::new("take").step(server, zero, one).receive(to, message);
        let answer = Template::new("answer").step(server, one, zero).send(from, message);
        let done = Template::new("done").step(client, one, zero).receive(from, message);
        for template in [ask, take, answer, done] {
            builder.template(template).expect("fits");
        }
    }
    builder.build().expect("complete")
}

#[test]
fn clients_of_one_kind_are_a_family() {
    let families = |network: &Network| -> Vec<usize> {
        network.signature().families.iter().map(|family| family.members.len()).collect()
    };
    let alike = star([1, 1, 1]);
    assert_eq!(families(&alike), [3]);
    assert_eq!(alike.signature().families[0].members[1].len(), 3, "a client and its channels");
    assert_eq!(Checked::new(&alike).walk(1_000), []);
    assert_eq!(families(&star([1, 2, 1])), [2], "a longer queue is another kind");
}
