//! One composition explored and judged, and what JSON says about it.

use quadrille_component::architecture::{Compliance, ComponentId, System, assemble};
use quadrille_component::assembly::Assembly;
use quadrille_component::composition::{Composition, Errors, Fault, Judge, Path, Verdict, compose};
use quadrille_component::reduction::{Rule, System as Reducible, reduce};
use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_engine::{Limits, Space};
use quadrille_model::{Bound, Counts, Finding};
use quadrille_report::{FitCheck, FitError, FitPlace, FitRecord, FitSize, Outcome, Story};

use crate::architectures::meant;
use crate::components::hidden;
use crate::exit::Exit;
use crate::watch::Watcher;

/// A composition and what was found about it.
pub(super) struct Fit {
    pub(super) assembly: Assembly,
    pub(super) composition: Composition,
    /// The options that say how it is made, beside the file.
    pub(super) options: Vec<String>,
    /// The errors, or why not everything was explored. Reduced, the counts are what is left.
    pub(super) found: Result<Errors, Bound>,
    /// How many configurations and steps there are without reduction, where there was one.
    pub(super) unreduced: Option<Result<(usize, usize), Bound>>,
    pub(super) seconds: f64,
}

/// What is explored to find errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effort {
    /// The composition.
    Whole,
    /// What is left of it without all that cannot make a difference.
    Reduced,
}

/// Most configurations that are counted beside a verdict that does not need them.
const MOST_COUNTED: u64 = 2_000_000;

/// One of several compositions that an architecture asks for.
pub(super) struct Check {
    /// The composite.
    pub(super) name: String,
    /// What it must be.
    pub(super) kind: String,
    pub(super) fit: Fit,
}

impl Check {
    /// Whether a composite complies.
    pub(super) fn find(
        system: &System,
        composite: ComponentId,
        compliance: Compliance,
        effort: Effort,
        watcher: &mut Watcher,
    ) -> Result<Self, Vec<Diagnostic>> {
        let name = system.component(composite).name.text.clone();
        let assembly = assemble(system, composite, compliance).map_err(|flaw| vec![flaw])?;
        let options = meant(system, composite, compliance).words();
        let fit = Fit::find(assembly, &name, options, effort, watcher)?;
        Ok(Self { name, kind: compliance.to_string(), fit })
    }

    /// What JSON says.
    pub(super) fn record(&self, sources: &Sources) -> FitRecord {
        let (name, kind, verdict) = (self.name.clone(), self.kind.clone(), self.fit.word());
        let mut record = self.fit.record(sources);
        record.check = Some(FitCheck { name, kind, verdict });
        record
    }
}

impl Fit {
    /// Explores and judges.
    pub(super) fn find(
        assembly: Assembly,
        question: &str,
        options: Vec<String>,
        effort: Effort,
        watcher: &mut Watcher,
    ) -> Result<Self, Vec<Diagnostic>> {
        let start = watcher.world().now();
        watcher.begin(question);
        let composition = assembly.compose().map_err(|too_large| vec![too_large])?;
        let (found, unreduced) = match effort {
            Effort::Whole => (judged(&composition, watcher), None),
            Effort::Reduced => {
                let found = judged_reduced(&assembly, &composition, watcher);
                (found, Some(counted(&composition, watcher)))
            }
        };
        watcher.end();
        let seconds = start.seconds();
        Ok(Self { assembly, composition, options, found, unreduced, seconds })
    }

    /// The verdict in words.
    pub(super) fn word(&self) -> String {
        match &self.found {
            Ok(errors) => errors.verdict().to_string(),
            Err(_) => "unknown".to_owned(),
        }
    }

    pub(super) fn exit(&self) -> Exit {
        match &self.found {
            Ok(errors) if errors.verdict() == Verdict::NoError => Exit::Holds,
            Ok(_) => Exit::Violated,
            Err(_) => Exit::Unknown,
        }
    }

    /// Every error, those of the verdict first.
    pub(super) fn paths(&self) -> Vec<&Path> {
        match &self.found {
            Ok(errors) => errors.bad.iter().chain(&errors.stuck).chain(&errors.endless).collect(),
            Err(_) => Vec::new(),
        }
    }

    /// What is wrong at the end of a path.
    pub(super) fn explain(&self, path: &Path) -> Diagnostic {
        self.assembly.explain(&self.composition, path)
    }

    /// The way to an error, told.
    pub(super) fn story(&self, path: &Path) -> Story {
        let property = self.explain(path).message;
        let mut story = Story::tell(&property, &path.trace(&self.composition), &self.composition);
        story.hidden = hidden(&self.composition);
        story.options.clone_from(&self.options);
        story
    }

    /// The verdict as of any other property.
    pub(super) fn outcome(&self, property: String) -> Outcome {
        let paths = self.paths();
        let verdict = match &self.found {
            Ok(_) => paths.first().map_or(quadrille_model::Verdict::Holds, |path| {
                quadrille_model::Verdict::Violated(Some(path.trace(&self.composition)))
            }),
            Err(bound) => quadrille_model::Verdict::Unknown(*bound),
        };
        let counts = self.found.as_ref().map_or(Counts::default(), |errors| Counts {
            states: errors.configurations as u64,
            transitions: errors.steps as u64,
            ..Counts::default()
        });
        let story = paths.first().map(|path| self.story(path));
        let finding = Finding { property, verdict, runs: None, counts };
        Outcome { finding, story, seconds: self.seconds }
    }

    /// The names of components that a path is about.
    pub(super) fn components(&self, path: &Path) -> Vec<String> {
        let state = path.trace(&self.composition).last().to_vec();
        let units: Vec<_> = match path.fault {
            Fault::Bad(_) => {
                let culprits = self.assembly.culprits(&self.composition, path);
                culprits.into_iter().map(|(unit, _)| unit).collect()
            }
            Fault::Stuck => {
                let unfinished = self.assembly.unfinished(&self.composition, &state);
                unfinished.into_iter().map(|(unit, _)| unit).collect()
            }
            Fault::Endless { .. } => self.assembly.runners(&self.composition, path),
        };
        let name = |member: usize| self.assembly.members()[member].component.name.text.clone();
        units.into_iter().map(|unit| name(unit.index())).collect()
    }

    /// The event that nobody accepts.
    pub(super) fn event(&self, path: &Path) -> Option<String> {
        match path.fault {
            Fault::Bad(bad) => Some(self.composition.bad_event(bad).0.to_string()),
            Fault::Stuck | Fault::Endless { .. } => None,
        }
    }

    fn error(&self, path: &Path, sources: &Sources) -> FitError {
        let told = self.explain(path);
        let places = told.labels.iter().map(|label| {
            let position = sources.position(label.span);
            FitPlace {
                file: sources.name(label.span.source).to_owned(),
                line: position.line,
                column: position.column,
                text: label.text.clone(),
            }
        });
        FitError {
            kind: kind(path.fault).to_string(),
            message: told.message.clone(),
            event: self.event(path),
            components: self.components(path),
            places: places.collect(),
            trace: path.tokens(&self.composition),
        }
    }

    /// What JSON says.
    pub(super) fn record(&self, sources: &Sources) -> FitRecord {
        let mut record = FitRecord::new(self.seconds);
        let paths = self.paths();
        if let Some(first) = paths.first() {
            record.trace = first.tokens(&self.composition);
            record.story = Some(self.story(first));
        }
        if let Some(Ok((configurations, steps))) = self.unreduced {
            record.unreduced = Some(FitSize { configurations, steps });
        }
        record.errors = paths.iter().map(|path| self.error(path, sources)).collect();
        match &self.found {
            Ok(errors) => {
                record.configurations = Some(errors.configurations);
                record.steps = Some(errors.steps);
                record
            }
            Err(bound) => record.bound(*bound),
        }
    }
}

/// Explores a composition and judges it.
pub(super) fn judged(composition: &Composition, watcher: &Watcher) -> Result<Errors, Bound> {
    let mut judge = Judge::new(composition);
    let mut look = |progress: &_| watcher.look(progress);
    Space::new(composition).walk(watcher.limits(), &mut look, |_, configuration, edges| {
        judge.visit(configuration, edges.iter().map(|edge| edge.to));
        judge.bytes()
    })?;
    Ok(judge.finish())
}

/// Reduces components, explores what is left and judges it. An error is told as a run of the
/// components as they are.
fn judged_reduced(
    assembly: &Assembly,
    original: &Composition,
    watcher: &Watcher,
) -> Result<Errors, Bound> {
    let reduction = reduce(assembly.system(), &Rule::ALL);
    let Reducible { alphabet, units, wiring } = &reduction.system;
    let Ok(reduced) = compose(alphabet, units, wiring) else { return judged(original, watcher) };
    let mut errors = judged(&reduced, watcher)?;
    let Some(path) = errors.first() else { return Ok(errors) };
    let Some(path) = reduction.interpret_back(original, &reduced, path) else {
        return judged(original, watcher);
    };
    (errors.bad, errors.stuck, errors.endless) = match path.fault {
        Fault::Bad(_) => (vec![path], None, None),
        Fault::Stuck => (Vec::new(), Some(path), None),
        Fault::Endless { .. } => (Vec::new(), None, Some(path)),
    };
    Ok(errors)
}

/// How many configurations and steps there are, within what is worth counting.
fn counted(composition: &Composition, watcher: &Watcher) -> Result<(usize, usize), Bound> {
    let limits = watcher.limits();
    let states = limits.states.map_or(MOST_COUNTED, |states| states.min(MOST_COUNTED));
    let limits = Limits { states: Some(states), ..limits };
    let mut look = |progress: &_| watcher.look(progress);
    let (mut space, mut n_steps) = (Space::new(composition), 0);
    space.walk(limits, &mut look, |_, _, edges| {
        n_steps += edges.len();
        0
    })?;
    Ok((space.n_states(), n_steps))
}

/// The verdict that a fault makes.
pub(super) fn kind(fault: Fault) -> Verdict {
    match fault {
        Fault::Bad(_) => Verdict::BadActivity,
        Fault::Stuck => Verdict::NoActivity,
        Fault::Endless { .. } => Verdict::InfiniteActivity,
    }
}

/// The verdict of several compositions together: the first error in the order of the words; without
/// one, whether something is unknown.
pub(super) fn together<'a>(fits: impl IntoIterator<Item = &'a Fit>) -> (String, Exit) {
    let order = ["bad activity", "no activity", "infinite activity", "unknown", "no error"];
    let rank = |word: &str| order.iter().position(|known| *known == word).unwrap_or(order.len());
    let (mut verdict, mut exit) = ("no error".to_owned(), Exit::Holds);
    for fit in fits {
        let word = fit.word();
        if rank(&word) < rank(&verdict) {
            verdict = word;
        }
        exit = exit.and(fit.exit());
    }
    (verdict, exit)
}
