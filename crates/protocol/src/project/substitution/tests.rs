//! Substitution beside its definition: a replacement fits where nothing goes wrong beside the mirror image of what it
//! replaces. For two roles that is exact (Chen, Dezani-Ciancaglini, Scalas, Yoshida: *On the preciseness of subtyping in
//! session types*, 2017). `QUADRILLE_ROUNDS=10` tries ten times as many.

use std::collections::{BTreeSet, VecDeque};

use quadrille_workshop::{Choices, check};

use super::machine::{Label, Labels, Machine, State};
use super::{Fault, Substitution, compared};

/// An automaton from lines of steps, such as `p!A 1` or `p?A 2`, `end` for states that may end, and `~` behind a message
/// for a rendezvous.
fn machine(labels: &mut Labels, states: &[&str]) -> Machine {
    let states = states.iter().map(|steps| {
        let mut state = State::default();
        for step in steps.split(", ").filter(|step| !step.is_empty()) {
            let Some((text, to)) = step.split_once(' ') else {
                state.may_end = true;
                continue;
            };
            let label = Label {
                text: text.to_owned(),
                peers: vec![text[..1].to_owned()],
                is_sync: text.ends_with('~'),
            };
            let label = labels.add(label);
            let steps = if text.contains('!') { &mut state.outputs } else { &mut state.inputs };
            steps.insert(label, to.parse().expect("a number"));
        }
        state
    });
    Machine { states: states.collect() }
}

fn substituted(old: &[&str], new: &[&str]) -> Substitution {
    let mut labels = Labels::default();
    let (old, new) = (machine(&mut labels, old), machine(&mut labels, new));
    compared(&old, &new, &labels)
}

#[track_caller]
fn fits(old: &[&str], new: &[&str]) {
    assert_eq!(substituted(old, new), Substitution::Fits, "{new:?} for {old:?}");
}

#[track_caller]
fn fits_earlier(old: &[&str], new: &[&str]) {
    let found = substituted(old, new);
    assert!(matches!(found, Substitution::FitsEarlier(_)), "{new:?} for {old:?}: {found:?}");
}

#[track_caller]
fn fault(old: &[&str], new: &[&str]) -> (String, Fault) {
    match substituted(old, new) {
        Substitution::Misfits(misfit) => (misfit.run.join(" "), misfit.fault),
        found => panic!("{new:?} for {old:?}: {found:?}"),
    }
}

fn list(labels: &[&str]) -> Vec<String> {
    labels.iter().map(|&label| label.to_owned()).collect()
}

#[test]
fn more_is_taken_and_less_is_chosen() {
    fits(&["p!A 1, p!B 1", "end"], &["p!A 1", "end"]);
    fits(&["p?A 1", "end"], &["p?A 1, p?B 1", "end"]);
    fits(
        &["p?A 0, p!B 1", "end"],
        &["p!B 1", "end"].map(|it| if it == "p!B 1" { "p?A 0, p!B 1" } else { it }),
    );
    let (run, found) = fault(&["p!A 1", "end"], &["p!A 1, p!B 1", "end"]);
    assert_eq!((run.as_str(), found), ("", Fault::Does("p!B".into(), list(&["p!A"]))));
    let (run, found) = fault(&["p!A 1", "p?B 2, p?C 2", "end"], &["p!A 1", "p?B 2", "end"]);
    assert_eq!((run.as_str(), found), ("p!A", Fault::Misses("p?C".into(), list(&["p?B"]))));
}

#[test]
fn it_goes_on_and_stops_as_the_others_expect() {
    // A loop that the role leaves: it may leave at once, and it may never leave.
    fits(&["p!A 0, end"], &["end"]);
    fits(&["p!A 0, end"], &["p!A 0"]);
    // A loop that the others leave.
    let (_, found) = fault(&["p?A 0, end"], &["p?A 0"]);
    assert_eq!(found, Fault::GoesOn);
    let (_, found) = fault(&["p?A 0, end"], &["end"]);
    assert_eq!(found, Fault::Misses("p?A".into(), Vec::new()));
    let (_, found) = fault(&["p!A 1", "end"], &["p!A 1, end", "end"]);
    assert_eq!(found, Fault::Stops(list(&["p!A"])));
    let (_, found) = fault(&["p!A 1", "p?B 2", "end"], &["p?B 1", "p!A 2", "end"]);
    assert_eq!(found, Fault::Waits(list(&["p!A"])));
}

#[test]
fn queues_allow_to_be_ahead() {
    fits_earlier(&["p?A 1", "p!B 2", "end"], &["p!B 1", "p?A 2", "end"]);
    fits_earlier(&["p!A 1", "q!B 2", "end"], &["q!B 1", "p!A 2", "end"]);
    fits_earlier(&["p?A 1", "q?B 2", "end"], &["q?B 1", "p?A 2", "end"]);
    // Always one ahead.
    fits_earlier(&["p?A 1", "p!B 0"], &["p!B 1", "p!B 2", "p?A 1"]);
    // In every branch.
    fits_earlier(&["p?A 1, p?C 2", "p!B 3", "p!B 3", "end"], &["p!B 1", "p?A 2, p?C 2", "end"]);
    let (_, found) = fault(&["p?A 1, p?C 2", "p!B 2", "end"], &["p!B 1", "p?A 2, p?C 2", "end"]);
    assert!(matches!(found, Fault::Does(..)), "{found:?}");
    // The order for one receiver stays, and a rendezvous is in turn.
    let (_, found) = fault(&["p!A 1", "p!B 2", "end"], &["p!B 1", "p!A 2", "end"]);
    assert!(matches!(found, Fault::Does(..)), "{found:?}");
    let (_, found) = fault(&["p?A~ 1", "p!B 2", "end"], &["p!B 1", "p?A~ 2", "end"]);
    assert!(matches!(found, Fault::Does(..)), "{found:?}");
}

#[test]
fn what_is_left_out_is_made_up_for() {
    let (run, found) = fault(&["p?A 1", "p!B 1"], &["p!B 0"]);
    assert_eq!(run, "p!B");
    assert_eq!(found, Fault::Owes { cycle: list(&["p!B"]), steps: list(&["p?A"]) });
    // Ever further ahead.
    assert!(matches!(substituted(&["p?A 1", "p!B 0"], &["p!B 0"]), Substitution::Unknown { .. }));
}

#[test]
fn messages_of_others_are_not_taken_for_now() {
    // `q` may have sent its `C` already.
    let old = ["p?A 1", "q?C 2", "end"];
    let (_, found) = fault(&old, &["p?A 1, q?C 2", "q?C 3", "p!X 3", "end"]);
    assert!(matches!(found, Fault::Does(..)), "{found:?}");
    fits(&["p?A 1", "q?C 2", "end"], &["p?A 1, q?D 2", "q?C 2", "end"]);
    fits_earlier(&old, &["p?A 1, q?C 3", "q?C 2", "end", "p?A 2"]);
}

/// An automaton of two roles in which each state sends or takes, of at most so many states. Without loops if steps lead
/// further on.
fn random(choices: &mut Choices, labels: &mut Labels, loops: bool) -> Machine {
    let n_states = 2 + choices.below(4);
    let most = 1 + choices.below(2);
    let states: Vec<String> = (0..n_states)
        .map(|state| {
            if state + 1 == n_states {
                return "end".to_owned();
            }
            let way = choices.pick(&["!", "?"]);
            let mut steps = Vec::new();
            for name in ["A", "B"].into_iter().take(1 + choices.below(most)) {
                let to = match loops {
                    true => choices.below(n_states),
                    false => state + 1 + choices.below(n_states - state - 1),
                };
                steps.push(format!("p{way}{name} {to}"));
            }
            steps.join(", ")
        })
        .collect();
    machine(labels, &states.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What the other role does.
fn mirrored(machine: &Machine) -> Machine {
    let states = machine.states.iter().map(|state| State {
        outputs: state.inputs.clone(),
        inputs: state.outputs.clone(),
        may_end: state.may_end,
    });
    Machine { states: states.collect() }
}

/// Whether two roles that meet for each message go on until both have ended.
fn agree(one: &Machine, other: &Machine) -> bool {
    let (mut met, mut stack) = (BTreeSet::from([(0, 0)]), vec![(0, 0)]);
    while let Some((left, right)) = stack.pop() {
        let (here, there) = (&one.states[left], &other.states[right]);
        let mut next = Vec::new();
        for (sender, receiver, is_left) in [(here, there, true), (there, here, false)] {
            for (label, &to) in &sender.outputs {
                let Some(&taken) = receiver.inputs.get(label) else { return false };
                next.push(if is_left { (to, taken) } else { (taken, to) });
            }
        }
        if next.is_empty() && !(here.may_end && there.may_end) {
            return false;
        }
        stack.extend(next.into_iter().filter(|pair| met.insert(*pair)));
    }
    true
}

/// The same where messages wait in queues, for automata without loops.
fn agree_with_queues(one: &Machine, other: &Machine) -> bool {
    type Queue = VecDeque<super::LabelId>;
    let mut stack = vec![([0, 0], [Queue::new(), Queue::new()])];
    while let Some((at, queues)) = stack.pop() {
        let mut goes_on = false;
        for (role, machine) in [one, other].into_iter().enumerate() {
            let state = &machine.states[at[role]];
            for (&label, &to) in &state.outputs {
                let (mut at, mut queues) = (at, queues.clone());
                at[role] = to;
                queues[1 - role].push_back(label);
                stack.push((at, queues));
                goes_on = true;
            }
            if let Some(label) = queues[role].front().filter(|_| !state.inputs.is_empty()) {
                let Some(&to) = state.inputs.get(label) else { return false };
                let (mut at, mut queues) = (at, queues.clone());
                at[role] = to;
                queues[role].pop_front();
                stack.push((at, queues));
                goes_on = true;
            }
        }
        let have_ended = one.states[at[0]].may_end && other.states[at[1]].may_end;
        if !(goes_on || have_ended && queues.iter().all(Queue::is_empty)) {
            return false;
        }
    }
    true
}

#[test]
fn it_fits_where_nothing_goes_wrong_beside_the_mirror_image() {
    let (mut n_fits, mut n_earlier, mut n_misfits) = (0, 0, 0);
    check(4_000, |choices| {
        let loops = choices.below(3) == 0;
        let mut labels = Labels::default();
        let old = random(choices, &mut labels, loops);
        let new = random(choices, &mut labels, loops);
        let found = compared(&old, &new, &labels);
        let other = mirrored(&old);
        let fits = found == Substitution::Fits;
        assert_eq!(fits, agree(&new, &other), "{found:?} {old:?} {new:?}");
        if !loops {
            let may = fits || matches!(found, Substitution::FitsEarlier(_));
            assert_eq!(may, agree_with_queues(&new, &other), "{found:?} {old:?} {new:?}");
        }
        n_fits += u32::from(fits);
        n_earlier += u32::from(matches!(found, Substitution::FitsEarlier(_)));
        n_misfits += u32::from(matches!(found, Substitution::Misfits(_)));
    });
    assert!(n_fits >= 40 && n_earlier >= 10 && n_misfits >= 40, "{n_fits} {n_earlier} {n_misfits}");
}
