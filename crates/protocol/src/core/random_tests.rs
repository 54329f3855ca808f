//! The calculus against its rules written down as they stand, on random processes.

use std::collections::BTreeSet;

use quadrille_model::Model;
use quadrille_workshop::{Choices, check};

use super::tests::{model, step};
use super::*;

/// A process as the rules see it.
#[derive(Clone, Debug)]
enum Process {
    Stop,
    Skip,
    Act(char),
    Seq(Box<Process>, Box<Process>),
    Choice(Vec<Process>),
    Par(Vec<Process>),
    Star(Box<Process>),
    Forever(Box<Process>),
}

impl Process {
    fn ends(&self) -> bool {
        match self {
            Process::Stop | Process::Act(_) | Process::Forever(_) => false,
            Process::Skip | Process::Star(_) => true,
            Process::Seq(first, then) => first.ends() && then.ends(),
            Process::Choice(parts) => parts.iter().any(Process::ends),
            Process::Par(parts) => parts.iter().all(Process::ends),
        }
    }

    fn steps(&self) -> Vec<(char, Process)> {
        let after = |steps: Vec<(char, Process)>, then: &Process| {
            let seq = |to| Process::Seq(Box::new(to), Box::new(then.clone()));
            steps.into_iter().map(|(act, to)| (act, seq(to))).collect::<Vec<_>>()
        };
        match self {
            Process::Stop | Process::Skip => Vec::new(),
            Process::Act(act) => vec![(*act, Process::Skip)],
            Process::Seq(first, then) => {
                let mut steps = after(first.steps(), then);
                if first.ends() {
                    steps.extend(then.steps());
                }
                steps
            }
            Process::Choice(parts) => parts.iter().flat_map(Process::steps).collect(),
            Process::Par(parts) => {
                let mut steps = Vec::new();
                for (position, part) in parts.iter().enumerate() {
                    for (act, to) in part.steps() {
                        let mut parts = parts.clone();
                        parts[position] = to;
                        steps.push((act, Process::Par(parts)));
                    }
                }
                steps
            }
            Process::Star(body) | Process::Forever(body) => after(body.steps(), self),
        }
    }

    /// All runs of at most so many steps; a full stop where the process may end, `!` where stuck.
    fn runs(&self, before: &str, length: usize, runs: &mut BTreeSet<String>) {
        let steps = self.steps();
        note(before, self.ends(), steps.is_empty(), runs);
        if length > 0 {
            for (act, to) in steps {
                to.runs(&format!("{before}{act}"), length - 1, runs);
            }
        }
    }

    fn lower(&self, terms: &Terms) -> TermId {
        let all =
            |parts: &[Process]| parts.iter().map(|part| part.lower(terms)).collect::<Vec<_>>();
        match self {
            Process::Stop => TermId::STOP,
            Process::Skip => TermId::SKIP,
            Process::Act(act) => step(terms, &act.to_string()),
            Process::Seq(first, then) => terms.seq(first.lower(terms), then.lower(terms)),
            Process::Choice(parts) => terms.choice(&all(parts)),
            Process::Par(parts) => terms.par(&all(parts)),
            Process::Star(body) => terms.star(body.lower(terms)),
            Process::Forever(body) => terms.forever(body.lower(terms)),
        }
    }
}

fn note(before: &str, ends: bool, stuck: bool, runs: &mut BTreeSet<String>) {
    runs.insert(before.to_owned());
    if ends {
        runs.insert(format!("{before}."));
    } else if stuck {
        runs.insert(format!("{before}!"));
    }
}

/// The same of a model.
fn model_runs(
    model: &ProtocolModel,
    state: &[u32],
    before: &str,
    length: usize,
    runs: &mut BTreeSet<String>,
) {
    let mut steps = Vec::new();
    let mut explorer = model.explorer();
    let expanded = explorer.each_successor(state, |_, action, next| {
        let label = model.action(action).label;
        steps.push((label.chars().last().expect("a label"), next.to_vec()));
    });
    assert_eq!(expanded, Ok(()));
    note(before, explorer.may_end(state) == Ok(true), steps.is_empty(), runs);
    if length > 0 {
        for (act, to) in steps {
            model_runs(model, &to, &format!("{before}{act}"), length - 1, runs);
        }
    }
}

fn random(choices: &mut Choices, depth: usize) -> Process {
    let kind = if depth == 0 { choices.below(8) } else { 5 + choices.below(12) };
    let n_parts = 2 + choices.below(2);
    let mut inner = || random(choices, depth.saturating_sub(1));
    match kind {
        0 => Process::Stop,
        1 => Process::Skip,
        2..=7 => Process::Act(['a', 'b', 'c'][kind % 3]),
        8..=10 => Process::Seq(Box::new(inner()), Box::new(inner())),
        11 | 12 => Process::Choice((0..n_parts).map(|_| inner()).collect()),
        13 | 14 => Process::Par((0..n_parts).map(|_| inner()).collect()),
        15 => Process::Star(Box::new(inner())),
        _ => Process::Forever(Box::new(inner())),
    }
}

#[test]
fn both_identities_do_what_the_rules_say() {
    check(300, |choices| {
        let process = random(choices, 3);
        let mut expected = BTreeSet::new();
        process.runs("", 3, &mut expected);
        for identity in [Identity::Normal, Identity::Written] {
            let model = model(identity, vec![], |terms| process.lower(terms));
            let mut found = BTreeSet::new();
            let runs = |state: &[u32]| model_runs(&model, state, "", 3, &mut found);
            model.explorer().each_initial(runs).expect("a start");
            assert_eq!(found, expected, "{identity:?}: {process:?}");
        }
    });
}
