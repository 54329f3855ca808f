//! Questions of all kinds asked together expand each state of the model once.

use std::sync::atomic::{AtomicU64, Ordering};

use quadrille_diagnostic::{Sources, Span};
use quadrille_model::{Explicit, ExplicitBuilder, StateId, Verdict};
use quadrille_query::{
    Config, Evidence, FormulaText, Question, Subject, Syntax, Unwatched, Vocabulary,
};
use quadrille_workshop::Counted;

/// A ring of states; `go` leads round it, `jump` is known and never happens.
fn ring(n_states: u32) -> Explicit {
    let mut table = ExplicitBuilder::default();
    let (go, _) = (table.action("go"), table.action("jump"));
    let first = table.proposition("first");
    table.initial(StateId::new(0)).holds(StateId::new(0), first);
    for state in 0..n_states {
        table.edge(StateId::new(state), go, StateId::new((state + 1) % n_states));
    }
    table.build()
}

#[test]
fn formulas_of_all_kinds_and_deadlock_share_one_exploration() {
    let n_expansions = AtomicU64::new(0);
    let model = Counted::new(ring(1000), &n_expansions);
    let mut subject = Subject::of_model(Box::new(model), Vocabulary::Labels);
    let mut sources = Sources::default();
    let formulas = [
        "G \"go\"",
        "G !\"jump\"",
        "G F first",
        "F G first | G F \"go\"",
        "AG EF first",
        "EF AX first",
    ];
    let mut questions = vec![Question::Deadlock, Question::Unused];
    for formula in formulas {
        let source = sources.add("formula", formula);
        let span = Span::new(source, 0..formula.len());
        let text = FormulaText { span, syntax: Syntax::Own };
        let read = subject.formula(&sources, &text);
        questions.push(Question::Property(read.expect("a formula").0));
    }
    let answers = subject.ask(&questions, &Config::default(), &mut Unwatched);
    assert_eq!(n_expansions.load(Ordering::Relaxed), 1000);
    for answer in &answers {
        let answer = answer.as_ref().expect("an answer");
        assert_eq!(answer.verdict, Verdict::Holds, "{}", answer.name);
        assert_eq!((answer.counts.states, answer.counts.transitions), (1000, 1000));
    }
    let Evidence::Unused(unused) = &answers[1].as_ref().expect("an answer").evidence else {
        panic!("everything was explored")
    };
    assert_eq!(unused.steps, [("jump".to_owned(), None)]);
}

#[test]
fn a_deadlock_ends_the_walk_if_nothing_else_is_asked() {
    let n_expansions = AtomicU64::new(0);
    let mut table = ExplicitBuilder::default();
    let go = table.action("go");
    table.initial(StateId::new(0)).edge(StateId::new(0), go, StateId::new(1));
    for state in 2..500 {
        table.edge(StateId::new(0), go, StateId::new(state));
        table.edge(StateId::new(state), go, StateId::new(state));
    }
    let model = Counted::new(table.build(), &n_expansions);
    let subject = Subject::of_model(Box::new(model), Vocabulary::Labels);
    let questions = [Question::Deadlock, Question::Unused];
    let answers = subject.ask(&questions, &Config::default(), &mut Unwatched);
    let deadlock = answers[0].as_ref().expect("an answer");
    assert!(matches!(deadlock.verdict, Verdict::Violated(Some(_))));
    // The two states of the run, and the run replayed.
    assert!(n_expansions.load(Ordering::Relaxed) < 10);
}
