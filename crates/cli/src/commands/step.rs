//! `quadrille step`: a walk through a model, by commands from a terminal or a pipe. What comes from a
//! pipe is echoed, so that a session reads like one at a terminal and can be kept as a test.

mod order;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use quadrille_diagnostic::{Diagnostic, Sources, Span, render, similar};
use quadrille_engine::Stopped;
use quadrille_model::{ActionId, Ending, Step, Trace};
use quadrille_query::codes::NO_START;
use quadrille_query::{Config, FormulaText, Next, Question, Subject, Syntax, Walk};
use quadrille_report::{Outcome, changes_text, ending_lines, state_text, steps_text, story_of};

use super::check::{outputs, text as answers};
use crate::arguments::{STEP_HELP, StepArguments, StepView};
use crate::exit::Exit;
use crate::quantity::count;
use crate::watch::Watcher;
use crate::world::{Printed, World};
use crate::{Ended, Stop, model};
use order::Order;

/// Steps that are listed without being asked for.
const MOST_LISTED: usize = 30;

pub(crate) fn run(arguments: &StepArguments, world: &World, sources: &mut Sources) -> Ended {
    let mut watcher = Watcher::new(world, &arguments.limits);
    let selection = arguments.model.selection();
    let subject = model::one(&arguments.file, &selection, &mut watcher, sources)?;
    let walk = Walk::new(subject.model(), arguments.seed);
    let Some(walk) = walk.map_err(|problem| Stop::from(Stopped::Failed(problem.into())))? else {
        return Err(Diagnostic::error(&NO_START, "the model has no initial state").into());
    };
    let show = arguments.show;
    let mut session = Session { arguments, world, sources, subject, walk, show, n_refused: 0 };
    let is_dialogue = world.is_dialogue();
    session.begin();
    if is_dialogue {
        world.print("`help` shows the commands\n> ");
    }
    let read = world.input_lines(&mut |line| {
        if !is_dialogue {
            world.print(&format!("> {line}\n"));
        }
        let flow = session.perform(line);
        if flow.is_continue() && is_dialogue {
            world.print("> ");
        }
        // A reader that closed the pipe wants no more.
        if matches!(world.printed(), Printed::Everything) { flow } else { ControlFlow::Break(()) }
    });
    let is_flawed = !is_dialogue && session.n_refused > 0;
    read.map_err(|unreadable| vec![unreadable])?;
    Ok(if is_flawed { Exit::CannotRun } else { Exit::Holds })
}

/// A walk and what it needs to answer.
struct Session<'a> {
    arguments: &'a StepArguments,
    world: &'a World,
    sources: &'a mut Sources,
    subject: Subject<'static>,
    walk: Walk,
    show: StepView,
    /// Commands that could not be performed.
    n_refused: usize,
}

/// Why a command was not performed, in a line or several.
type Performed = Result<(), String>;

impl Session<'_> {
    /// Performs the command of a line; breaks where that ends the session.
    fn perform(&mut self, line: &str) -> ControlFlow<()> {
        let performed = match order::parse(line) {
            Err(refused) => Err(refused),
            Ok(Order::Quit) => return ControlFlow::Break(()),
            Ok(order) => self.obey(order),
        };
        if let Err(refused) = performed {
            self.n_refused += 1;
            self.print(&format!("{}\n", refused.trim_end()));
        }
        ControlFlow::Continue(())
    }

    fn obey(&mut self, order: Order) -> Performed {
        match order {
            Order::Nothing | Order::Quit => {}
            Order::Help => self.print(&format!("{STEP_HELP}\n")),
            Order::List(part) => self.list(part.as_deref()),
            Order::Number(number) => return self.take_numbered(number),
            Order::Take(name) => return self.take_named(&name),
            Order::Undo(n_steps) => {
                let undone = self.walk.undo(self.subject.model(), n_steps);
                if undone == 0 {
                    return Err("there is no step to take back".to_owned());
                }
                self.print(&format!("took back {}\n", count(undone as u64, "step")));
                self.arrive();
            }
            Order::Restart => {
                self.walk.undo(self.subject.model(), usize::MAX);
                self.begin();
            }
            Order::Starts => self.starts(),
            Order::Start(number) => {
                let model = self.subject.model();
                if !number.checked_sub(1).is_some_and(|at| self.walk.start(model, at)) {
                    let n = count(self.walk.starts().len() as u64, "initial state");
                    return Err(format!("there is no initial state {number}: the model has {n}"));
                }
                self.begin();
            }
            Order::Random(n_steps) => return self.wander(n_steps),
            Order::State => {
                let shown = state_text(&self.story(&self.walk.run()), true, self.world.width());
                self.print(if shown.is_empty() { "  the model has no slots\n" } else { &shown });
            }
            Order::Changes => {
                let last = self.walk.last_step().ok_or("no step was taken yet")?;
                let shown = changes_text(&self.story(&last), self.world.width());
                self.print(if shown.is_empty() { "  nothing that is shown\n" } else { &shown });
            }
            Order::Trace => {
                let story = self.story(&self.walk.run());
                self.print(&steps_text(&story, self.world.width()));
            }
            Order::Show(view) => self.show = view,
            Order::Goto(target) => return self.go_to(&target),
            Order::Save(path) => return self.save(&path),
        }
        Ok(())
    }

    fn print(&self, text: &str) {
        self.world.print(text);
    }

    fn story(&self, run: &Trace) -> quadrille_report::Story {
        story_of(&self.subject, "a walk", run)
    }

    /// The start of a walk: its state, and what can happen.
    fn begin(&self) {
        let n_starts = self.walk.starts().len();
        let run = self.walk.run();
        let more = match self.walk.starts().iter().position(|start| *start == run.initial) {
            Some(at) if n_starts > 1 => {
                format!(", initial state {} of {n_starts} (`start` shows them)", at + 1)
            }
            _ => String::new(),
        };
        let state = state_text(&self.story(&run), false, self.world.width());
        self.print(&format!("start{more}\n{state}"));
        self.list(None);
    }

    fn starts(&self) {
        for (position, start) in self.walk.starts().iter().enumerate() {
            let run = Trace { initial: start.clone(), steps: Vec::new(), ending: Ending::Prefix };
            let state = state_text(&self.story(&run), false, self.world.width());
            self.print(&format!("{}\n{state}", position + 1));
        }
    }

    /// Where the walk is now: the step that led there, what it did, what can happen.
    fn arrive(&self) {
        let Some(last) = self.walk.last_step() else { return self.begin() };
        self.step(&last);
        self.list(None);
    }

    fn step(&self, last: &Trace) {
        let story = self.story(last);
        let width = self.world.width();
        let shown = match self.show {
            StepView::Changes => changes_text(&story, width),
            StepView::State => state_text(&story, false, width),
        };
        let label = story.steps.first().map_or("", |step| &step.action);
        self.print(&format!("step {}: {label}\n{shown}", self.walk.n_steps()));
    }

    /// What can happen next: all that contains a text, or the first of it.
    fn list(&self, part: Option<&str>) {
        let next = match self.walk.next() {
            Ok(next) => next,
            Err(problem) => {
                let stop = Stop::from(Stopped::Failed(Box::new(problem.clone()).into()));
                return self.print(&self.explain(stop));
            }
        };
        if next.steps.is_empty() {
            let run = self.walk.run();
            if run.ending == Ending::Finished {
                return self.print("finished: no step is possible, and the system may end here\n");
            }
            let here = Trace { initial: run.last().to_vec(), steps: Vec::new(), ..run };
            let lines = ending_lines(&self.story(&here));
            return self.print(&format!("{}\n", lines.join("\n")));
        }
        let ends = if next.may_end { ", or the system may end here" } else { "" };
        let mut text = format!("what can happen next{ends}:\n");
        let labels = self.labels(next);
        let is_wanted = |label: &str| part.is_none_or(|part| label.contains(part));
        let wanted: Vec<usize> = (0..labels.len()).filter(|&at| is_wanted(&labels[at])).collect();
        let most = if part.is_none() { MOST_LISTED } else { usize::MAX };
        let width = labels.len().to_string().len();
        for &at in wanted.iter().take(most) {
            text +=
                &format!("  {:>width$}  {}{}\n", at + 1, labels[at], self.apart(next, &labels, at));
        }
        if wanted.is_empty() {
            text += "  nothing that contains this text\n";
        }
        if wanted.len() > most {
            let rest = wanted.len() - most;
            text += &format!("  and {rest} more: `list TEXT` shows those that contain a text\n");
        }
        self.print(&text);
    }

    fn labels(&self, next: &Next) -> Vec<String> {
        let model = self.subject.model();
        next.steps.iter().map(|step| model.action(step.action).label).collect()
    }

    /// What tells a step from others with the same name: what it changes.
    fn apart(&self, next: &Next, labels: &[String], at: usize) -> String {
        if labels.iter().filter(|label| **label == labels[at]).count() < 2 {
            return String::new();
        }
        let initial = self.walk.run().last().to_vec();
        let steps = vec![next.steps[at].clone()];
        let story = self.story(&Trace { initial, steps, ending: Ending::Prefix });
        match changes_text(&story, usize::MAX).trim() {
            "" => "   (nothing that is shown changes)".to_owned(),
            changes => format!("   {changes}"),
        }
    }

    fn take_numbered(&mut self, number: usize) -> Performed {
        let n_steps = self.walk.next().map_or(0, |next| next.steps.len());
        match number.checked_sub(1) {
            Some(position) if position < n_steps => {
                self.walk.take(self.subject.model(), position);
                self.arrive();
                Ok(())
            }
            _ if n_steps == 0 => Err("no step is possible here: `undo` goes back".to_owned()),
            _ if n_steps == 1 => Err(format!("there is no step {number}, only step 1")),
            _ => Err(format!("there is no step {number}: the steps are 1 to {n_steps}")),
        }
    }

    fn take_named(&mut self, name: &str) -> Performed {
        let Ok(next) = self.walk.next() else {
            return Err("no step is possible here: `undo` goes back".to_owned());
        };
        let model = self.subject.model();
        let labels = self.labels(next);
        let called = |test: &dyn Fn(&Step) -> bool| -> Vec<usize> {
            (0..next.steps.len()).filter(|&at| test(&next.steps[at])).collect()
        };
        let mut fitting = called(&|step| model.action(step.action).label == name);
        if fitting.is_empty() {
            fitting = called(&|step| model.action(step.action).names().iter().any(|it| it == name));
        }
        if fitting.is_empty() {
            fitting = called(&|step| model.action(step.action).label.starts_with(name));
        }
        match fitting[..] {
            [position] => {
                self.walk.take(model, position);
                self.arrive();
                Ok(())
            }
            [] => Err(self.unknown(name, &labels)),
            _ => {
                let line = |at: &usize| {
                    format!("  {}  {}{}", at + 1, labels[*at], self.apart(next, &labels, *at))
                };
                let lines: Vec<String> = fitting.iter().map(line).collect();
                let n = fitting.len();
                Err(format!(
                    "`{name}` fits {n} steps, take one by its number:\n{}",
                    lines.join("\n")
                ))
            }
        }
    }

    /// Why a word is no step.
    fn unknown(&self, name: &str, labels: &[String]) -> String {
        let model = self.subject.model();
        let known = (0..model.n_actions()).map(|id| model.action(ActionId::from_usize(id)));
        let is_known = known.into_iter().any(|action| action.names().iter().any(|it| it == name));
        if is_known {
            return format!("`{name}` is not possible here; `list` shows what is");
        }
        let words = labels.iter().map(String::as_str).chain(order::WORDS.iter().copied());
        let advice = match similar(name, words).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`list` shows the steps, `help` the commands".to_owned(),
        };
        format!("there is no step and no command `{name}`; {advice}")
    }

    fn wander(&mut self, n_steps: usize) -> Performed {
        for _ in 0..n_steps {
            if !self.walk.take_any(self.subject.model()) {
                break;
            }
            if let Some(last) = self.walk.last_step() {
                self.step(&last);
            }
            if !matches!(self.world.printed(), Printed::Everything) {
                break;
            }
        }
        self.list(None);
        Ok(())
    }

    /// Searches for a violation and goes to the end of its run.
    fn go_to(&mut self, target: &str) -> Performed {
        let question = self.question(target)?;
        self.world.forget_interrupt();
        let mut watcher = Watcher::new(self.world, &self.arguments.limits);
        let config = Config { limits: watcher.limits(), ..Config::default() };
        let answer = self.subject.ask(&[question], &config, &mut watcher).remove(0);
        watcher.end();
        let outcome = match answer {
            Ok(answer) => Outcome::new(answer, &self.subject),
            Err(refused) => return Err(self.explain(refused.into())),
        };
        let mut text = String::new();
        let exit = Exit::of(&outcome.answer, false);
        answers::finding(&mut text, &outcome, exit, false, self.world);
        self.print(&text);
        if let Some(run) = outcome.answer.run() {
            self.walk.follow(self.subject.model(), run.clone());
            // A run to where nothing is possible says so already.
            if self.walk.next().map_or(true, |next| !next.steps.is_empty()) {
                self.list(None);
            }
        } else {
            self.print("the walk stays where it is\n");
        }
        Ok(())
    }

    /// What is searched for.
    fn question(&mut self, target: &str) -> Result<Question<'static>, String> {
        if target == "deadlock" {
            return Ok(Question::Deadlock);
        }
        if target == "error" && self.subject.components().is_some() {
            return Ok(Question::FitsTogether { reduced: false });
        }
        let declared = self.subject.properties.iter().find(|property| property.name == target);
        if let Some(property) = declared {
            return Ok(Question::Property(property.clone()));
        }
        if target.is_empty() {
            return Err(format!("go to what? {}, or a formula", self.targets().join(", ")));
        }
        let source = self.sources.add("formula", target);
        let span = Span::new(source, 0..target.len());
        let text = FormulaText { span, syntax: Syntax::Own };
        match self.subject.formula(self.sources, &text) {
            Ok((property, _)) => Ok(Question::Property(property)),
            Err(mistakes) => {
                let explained = self.explain(Stop::Bad(mistakes));
                Err(format!("{explained}`goto` takes {}, or a formula", self.targets().join(", ")))
            }
        }
    }

    fn targets(&self) -> Vec<String> {
        let mut targets = vec!["deadlock".to_owned()];
        targets.extend(self.subject.components().map(|_| "error".to_owned()));
        targets.extend(self.subject.properties.iter().map(|property| property.name.clone()));
        targets
    }

    fn save(&self, path: &Path) -> Performed {
        let paths: [PathBuf; 1] = [path.to_owned()];
        let saved = outputs::trace_files(&paths).and_then(|files| {
            outputs::write_story(&files, &self.story(&self.walk.run()), self.world)
        });
        saved.map_err(|mistakes| self.explain(Stop::Bad(mistakes)))?;
        self.print(&format!(
            "saved {} to {}\n",
            count(self.walk.n_steps() as u64, "step"),
            path.display()
        ));
        Ok(())
    }

    /// What could not be done, as text.
    fn explain(&self, stop: Stop) -> String {
        match stop {
            Stop::Bad(diagnostics) | Stop::TooLarge(diagnostics) => {
                let style = self.world.output_style();
                diagnostics.iter().map(|it| render(it, self.sources, style)).collect()
            }
            Stop::Bound(bound) => crate::unknown(bound),
        }
    }
}
