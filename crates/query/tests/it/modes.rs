//! Every way of answering a question gives the same answer: engines, algorithms, reduction, numbers of
//! workers, searches that may leave states out, random walks; on random networks with formulas, beside a
//! search that keeps plain vectors in a set. `QUADRILLE_ROUNDS` asks for so many times as many.

use std::collections::BTreeSet;

use quadrille_diagnostic::{Sources, Span};
use quadrille_engine::{Limits, LtlAlgorithm, Simulation, Workers};
use quadrille_logic::Atoms;
use quadrille_model::{Bound, Model, Value, Verdict};
use quadrille_query::{
    Answer, Config, Engine, FormulaText, Lossy, Property, Question, Reduction, Subject, Syntax,
    Unwatched, Vocabulary,
};
use quadrille_workshop::formulas::{Past, linear};
use quadrille_workshop::networks::{loose_network, network};
use quadrille_workshop::{Choices, check};

/// The states of a model and whether one of them is a deadlock, by the plainest search; `None` if there
/// are many.
fn naively(model: &dyn Model) -> Option<(u64, bool)> {
    let mut explorer = model.explorer();
    let mut met: BTreeSet<Vec<Value>> = BTreeSet::new();
    let mut open: Vec<Vec<Value>> = Vec::new();
    explorer.each_initial(|state| open.push(state.to_vec())).expect("it never fails");
    met.extend(open.iter().cloned());
    let mut is_stuck = false;
    while let Some(state) = open.pop() {
        let mut n_edges = 0;
        let see = |_, _, next: &[Value]| {
            n_edges += 1;
            if met.insert(next.to_vec()) {
                open.push(next.to_vec());
            }
        };
        explorer.each_successor(&state, see).expect("it never fails");
        is_stuck |= n_edges == 0 && !explorer.may_end(&state).expect("it never fails");
        if met.len() > 1_500 {
            return None;
        }
    }
    Some((met.len() as u64, is_stuck))
}

/// A formula about two propositions and two labels of a network.
fn formula(choices: &mut Choices, subject: &mut Subject<'_>) -> Option<Property> {
    let signature = subject.model().signature();
    let propositions = signature.propositions.iter().map(|proposition| proposition.name.clone());
    let mut texts: Vec<String> = propositions.take(2).collect();
    let labels: BTreeSet<String> =
        signature.actions.iter().map(|action| format!("\"{}\"", action.label)).collect();
    texts.extend(labels.into_iter().take(2));
    if texts.is_empty() {
        return None;
    }
    let mut names = Atoms::default();
    for number in 0..texts.len() {
        names.intern(format!("atom{number}"), None);
    }
    let size = 2 + choices.below(6);
    let formula = linear(choices, size, texts.len(), Past::None);
    let mut text = formula.show(&names).to_string();
    for (number, own) in texts.iter().enumerate() {
        text =
            text.replace(&format!("\"atom{number}\""), own).replace(&format!("atom{number}"), own);
    }
    let mut sources = Sources::default();
    let source = sources.add("formula", text.as_str());
    let text = FormulaText { span: Span::new(source, 0..text.len()), syntax: Syntax::Own };
    let read = subject.formula(&sources, &text);
    Some(read.unwrap_or_else(|bad| panic!("{}: {bad:?}", sources.text(source))).0)
}

/// The answers in one of the ways.
fn answers(subject: &Subject<'_>, questions: &[Question<'_>], config: &Config) -> Vec<Answer> {
    let answers = subject.ask(questions, config, &mut Unwatched);
    answers.into_iter().map(|answer| answer.expect("an answer")).collect()
}

fn word(answer: &Answer) -> &'static str {
    answer.verdict.word()
}

#[test]
fn every_mode_gives_the_same_verdict() {
    let (mut n_violated, mut n_held, mut n_stuck) = (0, 0, 0);
    check(150, |choices| {
        let net = if choices.once_in(5) { network(choices) } else { loose_network(choices) };
        let Some((n_states, is_stuck)) = naively(&net) else { return };
        let mut subject = Subject::of_model(Box::new(net), Vocabulary::Labels);
        let Some(property) = formula(choices, &mut subject) else { return };
        let name = property.name.clone();
        let questions = [Question::Property(property), Question::Deadlock];
        let base = answers(&subject, &questions, &Config::default());
        assert_eq!(word(&base[1]), if is_stuck { "violated" } else { "holds" }, "{name}");
        n_stuck += u32::from(is_stuck);
        match base[0].verdict {
            Verdict::Violated(_) => n_violated += 1,
            _ => n_held += 1,
        }
        let words: Vec<&str> = base.iter().map(word).collect();
        let workers = Workers::eager(1 + choices.below(4));
        for algorithm in [LtlAlgorithm::Components, LtlAlgorithm::Nested, LtlAlgorithm::Owcty] {
            for reduction in [Reduction::Off, Reduction::Check] {
                let config = Config { algorithm, workers, reduction, ..Config::default() };
                let found = answers(&subject, &questions, &config);
                assert_eq!(found.iter().map(word).collect::<Vec<_>>(), words, "{name} {config:?}");
                let (whole, safe) = (found[1].counts.states, base[1].counts.states);
                assert!(is_stuck || (whole, safe) == (n_states, n_states), "{name} {config:?}");
            }
        }
        let symbolic = Config { engine: Engine::Symbolic, ..Config::default() };
        let found = answers(&subject, &questions, &symbolic);
        assert_eq!(found.iter().map(word).collect::<Vec<_>>(), words, "{name} symbolic");
        for lossy in [Lossy::Fingerprints, Lossy::Bits { bytes: 64 }] {
            let config = Config { lossy: Some(lossy), workers, ..Config::default() };
            let found = answers(&subject, &questions[1..], &config);
            let is_missed = matches!(found[0].verdict, Verdict::Unknown(Bound::Omission(_)));
            let may_miss = !is_stuck || lossy != Lossy::Fingerprints;
            assert!(if is_missed { may_miss } else { word(&found[0]) == words[1] }, "{name}");
        }
        let limits = Limits::default();
        let seed = choices.bits();
        let walks = Simulation { seed, walks: 20, depth: 50, limits, workers };
        let walked = subject.simulate(&questions, &walks, &mut Unwatched).expect("an answer");
        for (walked, word) in walked.answers.iter().zip(&words) {
            assert!(["unknown", word].contains(&walked.verdict.word()), "{name}");
            assert_ne!(walked.verdict, Verdict::Holds, "{name}");
        }
    });
    let counts = [n_violated, n_held, n_stuck];
    assert!(counts.iter().all(|&count| count > 10), "{counts:?}");
}
