//! An answer as every format tells it, and the words all of them use.

use quadrille_component::composition::ErrorKind;
use quadrille_model::{Bound, Probability, Runs, Trace};
use quadrille_query::{Answer, Assumptions, Form, Subject, Unused};

use crate::{Story, StoryEnding};

/// An answer with the story of its run.
pub struct Outcome {
    /// The answer.
    pub answer: Answer,
    /// The run that shows a violation, told.
    pub story: Option<Story>,
}

impl Outcome {
    /// An answer about a subject.
    pub fn new(answer: Answer, subject: &Subject<'_>) -> Self {
        let title = match (answer.composition(), subject.components()) {
            (Some(found), Some(composed)) => {
                found.paths().next().map(|path| composed.explain(path).message)
            }
            _ => None,
        };
        let title = title.unwrap_or_else(|| match &answer.formula {
            Some(formula) => format!("{}: {formula}", answer.name),
            None => answer.name.clone(),
        });
        let mut story = answer.run().map(|run| story_of(subject, &title, run));
        if let (Some(story), Some((by, action))) = (&mut story, refused(&answer, subject)) {
            if !story.participants.contains(&by) {
                story.participants.push(by.clone());
            }
            story.ending = StoryEnding::Refused { by, action };
        }
        Self { answer, story }
    }
}

/// Who emits what at the end of a run that leads to a bad activity.
fn refused(answer: &Answer, subject: &Subject<'_>) -> Option<(String, String)> {
    let (found, composed) = (answer.composition()?, subject.components()?);
    let path = found.paths().next()?;
    let ErrorKind::BadActivity(_) = path.kind else { return None };
    let by = composed.culprits(path).first()?.to_string();
    Some((by, composed.event(path)?))
}

/// A run of a subject, told: what the actions say already is left out, and the options that select the
/// subject are recorded.
pub fn story_of(subject: &Subject<'_>, property: &str, run: &Trace) -> Story {
    let mut story = Story::tell(property, run, subject.model());
    story.options = subject.selection.words();
    if let Some(protocol) = subject.protocol() {
        let declared: Vec<&str> = protocol.roles.iter().map(|(name, _)| &**name).collect();
        story.order(&declared);
    }
    story
}

/// Answers about one behaviour of one file.
#[derive(Default)]
pub struct Suite {
    /// The file of the model.
    pub file: String,
    /// The protocol of the file, where it was named.
    pub protocol: Option<String>,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The scope of a design that has several.
    pub scope: Option<String>,
    /// The form of it.
    pub form: Form,
    /// The answers.
    pub outcomes: Vec<Outcome>,
    /// What never happened.
    pub unused: Unused,
}

impl Suite {
    /// What the suite is called: `ring.dcj ring(4, 0), liberal`.
    pub fn name(&self) -> String {
        let mut name = self.file.clone();
        if let Some(protocol) = &self.protocol {
            name = format!("{name} {protocol}");
        }
        if !self.arguments.is_empty() {
            name = format!("{name}({})", self.arguments.join(", "));
        }
        if let Some(scope) = &self.scope {
            name = format!("{name} {scope}");
        }
        match self.form {
            Form::Global => name,
            form => format!("{name}, {}", form.word()),
        }
    }
}

/// Which runs a verdict ranges over, in words: `maximal runs, no fairness`; those of which form, if it is not the protocol
/// itself: `maximal runs of the liberal form`. What ranges over states has no runs, only the form: `the liberal form`.
pub fn runs_phrase(assumptions: &Assumptions) -> Option<String> {
    let form = match assumptions.form {
        Form::Global => None,
        Form::Strict => Some("the strict form"),
        Form::Liberal => Some("the liberal form"),
    };
    let Some(runs) = assumptions.runs.map(runs_word) else { return form.map(str::to_owned) };
    let runs = match form {
        Some(form) => format!("{runs} runs of {form}"),
        None => format!("{runs} runs"),
    };
    Some(match &assumptions.fairness {
        Some(fairness) => format!("{runs}, {fairness}"),
        None => runs,
    })
}

fn n_states(number: u64) -> String {
    format!("{number} {}", if number == 1 { "state" } else { "states" })
}

/// What else was assumed: `no reduction, no bounds`.
pub fn bounds_phrase(assumptions: &Assumptions) -> String {
    let mut bounds = Vec::new();
    bounds.extend(assumptions.limits.states.map(n_states));
    bounds.extend(assumptions.limits.memory.map(show_size));
    let bounds = match bounds.as_slice() {
        [] => "no bounds".to_owned(),
        bounds => format!("at most {}", bounds.join(" and ")),
    };
    format!("{}, {bounds}", assumptions.reduction.as_deref().unwrap_or("no reduction"))
}

/// The one word for a run mode.
pub fn runs_word(runs: Runs) -> &'static str {
    match runs {
        Runs::Maximal => "maximal",
        Runs::Infinite => "infinite",
        Runs::Finite => "finite",
    }
}

/// Why a check ended early, in a few words.
pub fn bound_phrase(bound: Bound) -> String {
    match bound {
        Bound::States(states) => format!("the bound of {} was reached", n_states(states)),
        Bound::Memory(bytes) => format!("the memory bound of {} was reached", show_size(bytes)),
        Bound::Time(milliseconds) => {
            format!("the time bound of {} s was reached", milliseconds as f64 / 1000.0)
        }
        Bound::Interrupted => "it was interrupted".to_owned(),
        Bound::Walks(walks) => {
            format!("nothing was found in {walks} random walks, and random walks prove nothing")
        }
        Bound::Endless => "no finite walk refutes it, so random walks say nothing".to_owned(),
        Bound::Infinite => {
            "there are infinitely many states: a queue or a place grows for ever".to_owned()
        }
        Bound::Omission(probability) => format!(
            "states may have been left out without notice, with probability {}: this is no proof",
            show_probability(probability)
        ),
    }
}

/// A number of bytes for people: `2.0 KiB`.
pub fn show_size(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", units[unit]) }
}

/// A probability for people: `0.03 %`, `3.1e-8`.
pub fn show_probability(probability: Probability) -> String {
    match probability.value() {
        value if value >= 0.9995 => "more than 99.9 %".to_owned(),
        value if value >= 0.0001 => format!("{:.2} %", value * 100.0),
        value => format!("{value:.0e}"),
    }
}

/// What to do about a bound.
pub fn bound_advice(bound: Bound) -> &'static str {
    match bound {
        Bound::States(_) => "raise --max-states, or check a smaller instance",
        Bound::Memory(_) => "raise --max-memory, or check a smaller instance",
        Bound::Time(_) => "raise --timeout, or check a smaller instance",
        Bound::Interrupted => "run it again and let it finish",
        Bound::Walks(_) => "use `quadrille check` for a proof, or more --walks of more --depth",
        Bound::Endless => "use `quadrille check`",
        Bound::Infinite => {
            "bound what grows, as by letting the receiver answer before the sender goes on"
        }
        Bound::Omission(_) => "leave --lossy out for an exact answer, or give it more memory",
    }
}
