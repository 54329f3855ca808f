//! Answers do not depend on how many workers explore: every example in every form, questions of every
//! kind that a walk serves.

use quadrille_engine::{Limits, Workers};
use quadrille_model::{Model, SlotId, Value, Verdict};
use quadrille_query::{
    Answer, Answered, Config, Engine, Evidence, Form, Question, Subject, Unwatched,
};

use crate::honest::{examples, models};

/// A state as people see it: queues have numbers in the order in which they are met.
fn shown(model: &dyn Model, state: &[Value]) -> String {
    let slots = state.iter().enumerate();
    slots.map(|(slot, &value)| model.show(SlotId::from_usize(slot), value) + ";").collect()
}

/// Everything that is printed of an answer.
pub(crate) fn told(subject: &Subject<'_>, answer: &Answered) -> String {
    let Answer { name, verdict, counts, product, evidence, .. } = match answer {
        Ok(answer) => answer,
        Err(refused) => return refused.to_string(),
    };
    let mut text = format!("{name} {counts:?} {product:?}\n");
    match verdict {
        Verdict::Violated(Some(run)) => {
            let model = subject.model();
            text += &shown(model, &run.initial);
            for step in &run.steps {
                let label = model.action(step.action).label;
                text += &format!("{:?} {label} {}\n", step.group, shown(model, &step.state));
            }
            text += &format!("{:?}\n", run.ending);
        }
        verdict => text += &format!("{verdict:?}\n"),
    }
    if let Evidence::Unused(unused) = evidence {
        text += &format!("{unused:?}\n");
    }
    text
}

#[test]
fn every_example_is_answered_alike_by_any_number_of_workers() {
    let files = examples();
    let (mut n_models, mut n_shared) = (0, 0);
    for path in files.0.keys() {
        for form in [Form::Global, Form::Strict, Form::Liberal] {
            let mut answers = |workers| -> Vec<String> {
                // A model that numbers terms as it meets them counts their bytes: it begins anew.
                let subjects = models(&files, path, form);
                let limits = Limits { states: Some(300), ..Limits::default() };
                let told = subjects.iter().map(|subject| {
                    // Other forms have no propositions.
                    let all = if form == Form::Global { &subject.properties[..] } else { &[] };
                    let properties = all.iter().cloned();
                    let mut questions: Vec<Question<'_>> =
                        properties.map(Question::Property).collect();
                    questions.extend([Question::Deadlock, Question::Unused]);
                    let engine = Engine::Explicit;
                    let config = Config { limits, workers, engine, ..Config::default() };
                    n_shared += usize::from(subject.model().allows_workers());
                    let answers = subject.ask(&questions, &config, &mut Unwatched);
                    answers.iter().map(|answer| told(subject, answer)).collect()
                });
                told.collect()
            };
            let alone = answers(Workers::default());
            // Taking the other forms is what takes time.
            for &number in if form == Form::Global { &[2, 4, 7][..] } else { &[3] } {
                assert_eq!(answers(Workers::eager(number)), alone, "{} {form:?}", path.display());
            }
            n_models += alone.len();
        }
    }
    assert!(n_models > 60 && n_shared > 100, "{n_models} models, {n_shared} times shared out");
}
