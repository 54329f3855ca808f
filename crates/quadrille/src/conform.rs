//! Whether a module does what its protocol says, in words and stories: `query` compares the two. Knows no
//! formula.

use quadrille_engine::equivalence::{Difference, Observation, Side, Word};
use quadrille_model::{Model, Trace};
use quadrille_query::{Evidence, ImplementedQueue, Question, Subject};
use quadrille_report::Story;
use quadrille_runtime::plan::RoleId;
use quadrille_runtime::{Form, Plan};

use crate::explored::Explored;

/// The question whether a module conforms to its protocol.
pub(crate) fn question<'q>(form: Form, plan: &Plan, protocol: &'q Subject<'q>) -> Question<'q> {
    let name = |role: RoleId| plan.roles[role.index()].to_string();
    let queue = |queue: &quadrille_runtime::plan::Queue| ImplementedQueue {
        from: queue.from.map(name),
        to: name(queue.to),
        capacity: queue.capacity,
    };
    let queues = (form == Form::Liberal).then(|| plan.queues.iter().map(queue).collect());
    Question::Conforms { protocol, queues }
}

/// What a module does that it should not, or does not do that it should, with the run that shows it.
pub(crate) fn deviation(
    explored: &Explored<'_>,
    protocol: &Subject<'_>,
    evidence: &Evidence,
) -> Option<(String, Option<Story>)> {
    let Evidence::Deviation { difference, run, form } = evidence else { return None };
    let (model, other): (&dyn Model, _) = match form {
        Some(form) => (&**form, "the projection of the protocol"),
        None => (protocol.model(), "the protocol"),
    };
    Some(explained(explored, difference, (run.as_ref(), model), other))
}

fn explained(
    explored: &Explored<'_>,
    difference: &Difference,
    (theirs, model): (Option<&Trace>, &dyn Model),
    other: &str,
) -> (String, Option<Story>) {
    let Difference::Word(Word { side, observations, run }) = difference else {
        let reason = match difference {
            Difference::Formulas { side, formulas } => {
                let formulas: Vec<String> = formulas.iter().map(ToString::to_string).collect();
                let who = match side {
                    Side::Left => "the module",
                    Side::Right => other,
                };
                format!("{who} can, at the start: {}", formulas.join("; "))
            }
            _ => "they differ after many steps".to_owned(),
        };
        let message =
            format!("the module has the runs of {other}, but chooses at other moments: {reason}");
        return (message, None);
    };
    let last = match observations.last() {
        Some(Observation::Action(label)) => format!("`{label}`"),
        Some(Observation::End) | None => "to end".to_owned(),
        Some(other) => other.to_string(),
    };
    let story = |trace: &_, model: &dyn Model| Story::tell("the module conforms", trace, model);
    match side {
        Side::Left => {
            let message = format!("the module allows {last} after this run, and {other} does not");
            let performed = explored.performed(run);
            let story = performed.map(|trace| story(&trace, explored.module()));
            (message, story)
        }
        Side::Right => {
            let message = format!(
                "{other} allows {last} after this run, and the module does not; the run is one of {other}"
            );
            let story = theirs.map(|trace| story(trace, model));
            (message, story)
        }
    }
}
