//! Whether all queues are bounded, asked with other questions.

use std::path::Path;

use quadrille_diagnostic::Sources;
use quadrille_engine::{Limits, unobserved};
use quadrille_model::{Bound, Verdict};
use quadrille_query::{
    Answer, Config, Engine, Form, Question, Refused, Selection, Subject, Unwatched, load_text,
};

fn subject(text: &str, form: Form) -> Subject<'static> {
    let mut sources = Sources::default();
    let source = sources.add(Path::new("p.quad").display().to_string(), text);
    let mut selection = Selection::default();
    selection.session.form = form;
    let (subject, diagnostics) = load_text(&mut sources, source, &selection);
    let mut subject = subject.unwrap_or_else(|| panic!("{diagnostics:?}"));
    subject.take_form(Limits::default(), &mut unobserved).expect("small");
    subject
}

/// The answers to whether queues are bounded and about deadlock.
fn asked(subject: &Subject<'_>, limits: Limits) -> [Answer; 2] {
    let config = Config { limits, ..Config::default() };
    let answers = subject.ask(&[Question::Bounded, Question::Deadlock], &config, &mut Unwatched);
    let answers: Vec<Answer> = answers.into_iter().map(|it| it.expect("an answer")).collect();
    answers.try_into().unwrap_or_else(|_| panic!("two answers"))
}

fn queues(answer: &Answer) -> Vec<(&str, Option<u32>, bool)> {
    answer.queues().iter().map(|queue| (&*queue.name, queue.most, queue.grows)).collect()
}

const TURNS: &str = "message Ask, Say; role a, b;
protocol turns { loop { Ask from a to b; Ask from a to b; Say from b to a; } }";

#[test]
fn what_queues_hold_is_found_by_the_walk_that_looks_for_deadlock() {
    let subject = subject(TURNS, Form::Liberal);
    let [bounded, deadlock] = asked(&subject, Limits::default());
    assert_eq!(queues(&bounded), [("b->a", Some(1), false), ("a->b", Some(2), false)]);
    assert_eq!(bounded.counts, deadlock.counts);
    assert_eq!((bounded.verdict, deadlock.verdict), (Verdict::Holds, Verdict::Holds));
    let few = Limits { states: Some(2), ..Limits::default() };
    let [bounded, _] = asked(&subject, few);
    assert_eq!(bounded.verdict, Verdict::Unknown(Bound::States(2)));
}

#[test]
fn a_queue_that_grows_is_shown_by_a_run_that_can_be_replayed() {
    let text = "message Tick; role a, b; protocol clock { loop { Tick from a to b; } }";
    let subject = subject(text, Form::Liberal);
    let answers = subject.ask(&[Question::Bounded], &Config::default(), &mut Unwatched);
    let [Ok(answer)] = &answers[..] else { panic!("an answer") };
    assert_eq!(queues(answer), [("a->b", None, true)]);
    let Verdict::Violated(Some(run)) = &answer.verdict else { panic!("it grows") };
    assert_eq!(run.replay(subject.model()), Ok(()));
    assert!(run.steps.len() >= 2, "a loop that makes a queue grow");
}

#[test]
fn only_a_liberal_form_has_queues_and_every_state_must_be_met() {
    let refused = |subject: &Subject<'_>, config: &Config| match subject
        .ask(&[Question::Bounded], config, &mut Unwatched)
        .pop()
    {
        Some(Err(Refused::Diagnostics(diagnostics))) => diagnostics[0].message.clone(),
        _ => panic!("refused"),
    };
    let global = subject(TURNS, Form::Global);
    assert_eq!(
        refused(&global, &Config::default()),
        "the question `bounded` cannot be asked about this kind of model"
    );
    let symbolic = Config { engine: Engine::Symbolic, ..Config::default() };
    assert_eq!(
        refused(&subject(TURNS, Form::Liberal), &symbolic),
        "whether all queues are bounded cannot be asked with the symbolic engine"
    );
}

#[test]
fn where_a_queue_grows_for_ever_other_questions_end() {
    let text = "message Tick; role a, b; protocol clock { loop { Tick from a to b; } }";
    let [bounded, deadlock] = asked(&subject(text, Form::Liberal), Limits::default());
    assert!(matches!(bounded.verdict, Verdict::Violated(Some(_))));
    assert_eq!(deadlock.verdict, Verdict::Unknown(Bound::Infinite));
}
