//! Counters of networks: every engine, the Petri net that a network is, and its text mean the same, on
//! random networks.

use std::collections::BTreeSet;

use quadrille_diagnostic::Sources;
use quadrille_engine::{Limits, Space, unobserved};
use quadrille_formats::{read_net, write_net};
use quadrille_model::{Checked, Model, Network, PropositionId, StateId};
use quadrille_petri::{Net, Tokens, net_of_network, read_pnml, write_pnml};
use quadrille_reduction::{Reduced, Seen, audit};
use quadrille_symbolic::{Budget, Meter, Symbolic};
use quadrille_workshop::check;
use quadrille_workshop::networks::counting_network;

/// States of a network and steps to different ones, by the definition: what each template asks of the
/// values, and what it makes of them.
fn by_definition(network: &Network) -> (BTreeSet<Vec<u32>>, usize) {
    let n = network.participants().len();
    let locals = network.participants().iter().map(|participant| participant.initial.number());
    let start: Vec<u32> = locals.chain(network.counters().iter().map(|it| it.initial)).collect();
    let (mut seen, mut open, mut n_steps) = (BTreeSet::from([start.clone()]), vec![start], 0);
    while let Some(state) = open.pop() {
        for template in network.templates() {
            let is_met =
                template.conditions.iter().all(|(id, set)| set.contains(state[id.index()]))
                    && template.tests.iter().all(|(id, set)| set.contains(state[n + id.index()]));
            let mut next = state.clone();
            let mut fits = is_met;
            for &(id, take, put) in &template.counts {
                let (value, most) = (state[n + id.index()], network.counters()[id.index()].most);
                fits &= value >= take
                    && u64::from(value) + u64::from(put) <= u64::from(most) + u64::from(take);
                next[n + id.index()] = (value + put).wrapping_sub(take);
            }
            if !fits {
                continue;
            }
            let mut all = vec![next];
            for (id, set) in &template.results {
                let each = all.iter().flat_map(|state| {
                    set.iter().map(|value| {
                        let mut state = state.clone();
                        state[id.index()] = value;
                        state
                    })
                });
                all = each.collect();
            }
            for next in all {
                n_steps += 1;
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    (seen, n_steps)
}

fn markings(net: &Net) -> usize {
    let mut seen: BTreeSet<Vec<Tokens>> = BTreeSet::from([net.initial.clone()]);
    let mut open = vec![net.initial.clone()];
    while let Some(marking) = open.pop() {
        for id in net.transition_ids().filter(|&id| net.is_enabled(id, &marking)) {
            let mut next = marking.clone();
            assert!(net.fire(id, &mut next));
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    seen.len()
}

#[test]
fn counters_mean_the_same_everywhere() {
    check(150, |choices| {
        let network = counting_network(choices);
        let text = write_net(&network);
        let (states, n_steps) = by_definition(&network);

        let mut sources = Sources::default();
        let source = sources.add("in.net", text.as_str());
        let (read, problems) = read_net(source, &text);
        let again = read.unwrap_or_else(|| panic!("{problems:?}\n{text}"));
        assert_eq!(write_net(&again), text);
        assert_eq!(by_definition(&again), (states.clone(), n_steps), "{text}");

        assert_eq!(Checked::new(&network).walk(300), [], "{text}");
        assert_eq!(audit(&network, 300), Vec::<String>::new(), "{text}");

        let table = Space::new(&network).tabulate(Limits::default(), &mut unobserved);
        let table = table.expect("it can be explored");
        assert_eq!(table.n_states(), states.len(), "{text}");
        assert_eq!(table.n_edges(), n_steps, "{text}");

        let mut look = unobserved;
        let mut meter = Meter::new(Limits::default(), Budget::default(), &mut look);
        let explored = Symbolic::explore(&network, Budget::default(), &mut meter);
        let Ok(mut symbolic) = explored else { panic!("sets are found") };
        let Ok(size) = symbolic.size(&mut meter) else { panic!("they are counted") };
        assert_eq!(size.states.to_string(), states.len().to_string(), "{text}");

        let mut explorer = network.explorer();
        for number in 0..network.signature().propositions.len() {
            let proposition = PropositionId::from_usize(number);
            let meaning = network.meaning(proposition).expect("it can be taken apart");
            let mut is_met = false;
            for state in &states {
                let holds = explorer.holds(proposition, state).expect("it can be computed");
                assert_eq!(meaning.holds(state), Some(holds), "{text}");
                is_met |= holds;
            }
            let Ok(meets) = symbolic.meets(&meaning, &mut meter) else { panic!("it is decided") };
            assert_eq!(meets, is_met, "proposition {number} of\n{text}");
        }

        let is_stuck = |model: &dyn Model| {
            let mut space = Space::new(model);
            let mut number = 0;
            while number < space.n_states() {
                let state = StateId::from_usize(number);
                if space.expand(state).expect("it can be expanded").is_empty() {
                    return true;
                }
                number += 1;
            }
            false
        };
        if let Ok(reduced) = Reduced::new(&network, &Seen::default()) {
            assert_eq!(is_stuck(&reduced), is_stuck(&network), "{text}");
        }

        let net = net_of_network("random", &network).expect("it has no channel");
        assert_eq!(markings(&net), states.len(), "{text}");
        let written = write_pnml(&net);
        let source = sources.add("out.pnml", written.as_str());
        let (net, problems) = read_pnml(source, &written);
        let net = net.unwrap_or_else(|| panic!("{problems:?}\n{written}"));
        assert_eq!(markings(&net), states.len(), "{text}");
    });
}
