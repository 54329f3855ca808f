//! What was found about a module, and how a failing test tells it.

use std::fmt;

use quadrille_model::{Bound, Counts, Expected, Runs};
use quadrille_query::Conformance;
use quadrille_report::{Story, StoryEnding, bound_phrase, runs_word, sequence_text};
use quadrille_runtime::Form;

/// Everything that was found about a module.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The protocol with its arguments: `ring(4, 0)`.
    pub protocol: String,
    /// What is wrong with the questions; then nothing was checked.
    pub mistakes: Vec<String>,
    /// What was found, by form.
    pub forms: Vec<FormReport>,
    /// How a run is asked for again.
    pub(crate) replay: Again,
    /// What may have been chosen when the module was made.
    pub(crate) chosen: Option<String>,
}

/// How the user came to the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Again {
    /// By `check(&module)`.
    Module,
    /// By `verify()`.
    Subject,
}

/// What was found about one form of a module.
#[derive(Clone, PartialEq, Debug)]
pub struct FormReport {
    /// The form.
    pub form: Form,
    /// How much was explored; nothing where a bound was reached.
    pub counts: Counts,
    /// What the module did wrong whatever is asked of it: lost wake-ups, lost messages, panics.
    pub faults: Vec<Fault>,
    /// The answers, in the order of the questions.
    pub findings: Vec<Finding>,
}

/// Something that no module may do.
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    /// What happened.
    pub message: String,
    /// The run after which it happened, where there is one.
    pub story: Option<Story>,
}

/// The answer to one question.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The question: a formula, the name of a property, `no deadlock`.
    pub property: String,
    /// Which runs it ranges over, where that matters.
    pub runs: Option<Runs>,
    /// What should have come out.
    pub expected: Expected,
    /// What came out.
    pub answer: Answer,
    /// The run that shows a violation.
    pub story: Option<Story>,
}

/// What came out of a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It holds.
    Holds,
    /// The module conforms, in this way.
    Conforms(Conformance),
    /// It is violated; what there is to say beside the run.
    Violated(Option<String>),
    /// A bound was reached first.
    Unknown(Bound),
    /// It was not asked: why.
    Skipped(String),
    /// It cannot be answered: why.
    Impossible(String),
}

impl Finding {
    /// Whether it came out as expected. An unknown answer never does; a question that does not apply to
    /// modules always does.
    pub fn passed(&self) -> bool {
        match &self.answer {
            Answer::Holds | Answer::Conforms(_) => self.expected == Expected::Holds,
            Answer::Violated(_) => self.expected == Expected::Violated,
            Answer::Skipped(_) => true,
            Answer::Unknown(_) | Answer::Impossible(_) => false,
        }
    }
}

impl FormReport {
    /// Whether there are no faults and everything came out as expected.
    pub fn passed(&self) -> bool {
        self.faults.is_empty() && self.findings.iter().all(Finding::passed)
    }
}

impl Report {
    /// Whether there are no faults and everything came out as expected.
    pub fn passed(&self) -> bool {
        self.mistakes.is_empty() && self.forms.iter().all(FormReport::passed)
    }

    /// Fails a test unless everything came out as expected; the message shows all there is to know.
    #[track_caller]
    pub fn assert(&self) {
        assert!(self.passed(), "{self}");
    }

    /// How a run is performed again, as Rust that a test can hold.
    fn replay_lines(&self, form: Form, story: &Story) -> String {
        let call = match self.replay {
            Again::Module => "quadrille::replay(&module, &[".to_owned(),
            Again::Subject => format!("verify().replay(Form::{form:?}, &["),
        };
        let mut text = format!("replay it: {call}\n");
        for step in &story.steps {
            text += &format!("    {:?},\n", step.action);
        }
        text += "]).unwrap();";
        if let StoryEnding::Loop { from } = story.ending {
            text += &format!("  // the steps from {} on repeat", from + 1);
        }
        if let (Again::Subject, Some(chosen)) = (self.replay, &self.chosen) {
            text += &format!(
                "\n// where that is chosen at run time: verify({chosen}).unwrap().replay(…)"
            );
        }
        text + "\n"
    }

    fn write_run(
        &self,
        f: &mut fmt::Formatter<'_>,
        form: Form,
        story: Option<&Story>,
    ) -> fmt::Result {
        let Some(story) = story else { return Ok(()) };
        if story.steps.is_empty() {
            writeln!(f, "  at the start, before anything happens")?;
            let ending = sequence_text(story);
            return ending.lines().skip(1).try_for_each(|line| writeln!(f, "{line}"));
        }
        write!(f, "\n{}\n{}", sequence_text(story), self.replay_lines(form, story))
    }

    fn write_form(&self, f: &mut fmt::Formatter<'_>, report: &FormReport) -> fmt::Result {
        let name = form_word(report.form);
        for fault in &report.faults {
            writeln!(f, "\nfault in the {name} form: {}", fault.message)?;
            self.write_run(f, report.form, fault.story.as_ref())?;
        }
        if !report.faults.is_empty() {
            return writeln!(f, "\nwhat was found beside that is worth nothing");
        }
        for finding in report.findings.iter().filter(|finding| !finding.passed()) {
            let Finding { property, runs, expected, answer, story } = finding;
            let counts = &report.counts;
            let mut scope = format!("{} states, {} steps", counts.states, counts.transitions);
            if let Some(runs) = runs {
                scope += &format!(", {} runs", runs_word(*runs));
            }
            let (word, more) = match answer {
                Answer::Holds => ("holds", None),
                Answer::Conforms(how) => ("holds", Some(how.to_string())),
                Answer::Violated(why) => ("violated", why.clone()),
                Answer::Unknown(bound) => ("unknown", Some(bound_phrase(*bound))),
                Answer::Skipped(why) => ("skipped", Some(why.clone())),
                Answer::Impossible(why) => ("cannot be answered", Some(why.clone())),
            };
            writeln!(f, "\n{word} in the {name} form: {property}  ({scope})")?;
            if *expected == Expected::Violated {
                writeln!(f, "  it was expected to be violated")?;
            }
            if let Some(more) = more {
                writeln!(f, "  {more}")?;
            }
            if matches!(answer, Answer::Violated(None)) && story.is_none() {
                writeln!(f, "  no single run shows it: it asks for the existence of runs")?;
            }
            self.write_run(f, report.form, story.as_ref())?;
        }
        Ok(())
    }
}

/// What is wrong; or, in one line per form, what was found.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.mistakes.is_empty() {
            writeln!(f, "`{}` cannot be checked", self.protocol)?;
            return self.mistakes.iter().try_for_each(|mistake| write!(f, "\n{mistake}"));
        }
        if !self.passed() {
            writeln!(f, "`{}` does not do what is asked of it", self.protocol)?;
            return self.forms.iter().try_for_each(|report| self.write_form(f, report));
        }
        for FormReport { form, counts, findings, .. } in &self.forms {
            let Counts { states, transitions, .. } = counts;
            let name = form_word(*form);
            let n = findings.len();
            writeln!(
                f,
                "`{}`, {name}: {n} as expected ({states} states, {transitions} steps)",
                self.protocol
            )?;
        }
        Ok(())
    }
}

/// The word for a form.
pub(crate) fn form_word(form: Form) -> &'static str {
    match form {
        Form::Strict => "strict",
        Form::Liberal => "liberal",
    }
}
