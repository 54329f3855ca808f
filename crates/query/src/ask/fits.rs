//! Whether components fit together: bad activity, no activity, infinite activity, on the composition or on
//! what a reduction leaves of it.

use quadrille_component::assembly::Assembly;
use quadrille_component::composition::{
    Composition, Errors, Fault, Judge, Path, Verdict as ErrorKind, compose,
};
use quadrille_component::reduction::{Rule, System, reduce};
use quadrille_diagnostic::Diagnostic;
use quadrille_engine::{Limits, Space};
use quadrille_model::{Bound, Counts, Trace, Verdict};

use super::{Answered, Config, Watcher};
use crate::answer::{Answer, Assumptions, Composition as Found, Evidence};
use crate::languages::components::Composed;
use crate::question::Question;
use crate::subject::Subject;

/// Most configurations that are counted beside a verdict that does not need them.
const MAX_COUNTED: u64 = 2_000_000;

impl Subject<'_> {
    pub(super) fn fits_together(
        &self,
        reduced: bool,
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Answered {
        let Some(composed) = self.components() else { return Err(Vec::new().into()) };
        let Composed { assembly, composition, .. } = composed;
        let (found, unreduced) = if reduced {
            let found = errors_of_reduced(assembly, composition, config.limits, watcher);
            (found, Some(counted(composition, config.limits, watcher)))
        } else {
            (errors_of(composition, config.limits, watcher), None)
        };
        let verdict = match &found {
            Err(bound) => Verdict::Unknown(*bound),
            Ok(errors) => match errors.first() {
                Some(path) => Verdict::Violated(Some(path.trace(composition))),
                None => Verdict::Holds,
            },
        };
        let counts = found.as_ref().map_or(Counts::default(), |errors| Counts {
            states: errors.configurations as u64,
            transitions: errors.steps as u64,
            ..Counts::default()
        });
        let question = Question::FitsTogether { reduced };
        let blank = self.blank(&question, config, "breadth-first search");
        let reduction = reduced.then_some("components reduced before composition");
        let name = match &composed.compliance {
            Some((name, kind)) => format!("{name}, {kind}"),
            None => blank.name,
        };
        Ok(Answer {
            name,
            verdict,
            counts,
            evidence: Evidence::Errors(Found { errors: found.ok(), unreduced }),
            assumptions: Assumptions { reduction, ..blank.assumptions },
            ..blank
        })
    }
}

impl Found {
    /// Every error, those of the verdict first.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let errors = self.errors.iter();
        errors.flat_map(|found| found.bad.iter().chain(&found.stuck).chain(&found.endless))
    }

    /// The word of the verdict: `no error`, `bad activity` …, `unknown`.
    pub fn word(&self) -> String {
        match &self.errors {
            Some(errors) => errors.verdict().to_string(),
            None => "unknown".to_owned(),
        }
    }
}

impl Composed {
    /// What is wrong at the end of a path, and where in the texts it comes from.
    pub fn explain(&self, path: &Path) -> Diagnostic {
        self.assembly.explain(&self.composition, path)
    }

    /// A path as a run of the composition.
    pub fn trace(&self, path: &Path) -> Trace {
        path.trace(&self.composition)
    }

    /// The labels on a path, and the error token.
    pub fn tokens(&self, path: &Path) -> Vec<String> {
        path.tokens(&self.composition)
    }

    /// The names of the components that an error is about.
    pub fn culprits(&self, path: &Path) -> Vec<String> {
        let units: Vec<_> = match path.fault {
            Fault::Bad(_) => {
                let culprits = self.assembly.culprits(&self.composition, path);
                culprits.into_iter().map(|(unit, _)| unit).collect()
            }
            Fault::Stuck => {
                let trace = self.trace(path);
                let unfinished = self.assembly.unfinished(&self.composition, trace.last());
                unfinished.into_iter().map(|(unit, _)| unit).collect()
            }
            Fault::Endless { .. } => self.assembly.runners(&self.composition, path),
        };
        let name = |member: usize| self.assembly.members()[member].component.name.text.clone();
        units.into_iter().map(|unit| name(unit.index())).collect()
    }

    /// The event that no component accepts.
    pub fn event(&self, path: &Path) -> Option<String> {
        match path.fault {
            Fault::Bad(bad) => Some(self.composition.bad_event(bad).0.to_string()),
            Fault::Stuck | Fault::Endless { .. } => None,
        }
    }
}

/// The kind of error at the end of a path, in words.
pub fn error_kind(fault: Fault) -> String {
    match fault {
        Fault::Bad(_) => ErrorKind::BadActivity,
        Fault::Stuck => ErrorKind::NoActivity,
        Fault::Endless { .. } => ErrorKind::InfiniteActivity,
    }
    .to_string()
}

/// Explores a composition and finds its errors.
pub fn errors_of(
    composition: &Composition,
    limits: Limits,
    watcher: &mut dyn Watcher,
) -> Result<Errors, Bound> {
    let mut judge = Judge::new(composition);
    let mut look = |progress: &_| watcher.look(progress);
    Space::new(composition).walk(limits, &mut look, |_, configuration, edges| {
        judge.visit(configuration, edges.iter().map(|edge| edge.to));
        judge.bytes()
    })?;
    Ok(judge.finish())
}

/// Reduces components and finds the errors of what is left. An error is told as a run of the components
/// as they are.
fn errors_of_reduced(
    assembly: &Assembly,
    original: &Composition,
    limits: Limits,
    watcher: &mut dyn Watcher,
) -> Result<Errors, Bound> {
    let reduction = reduce(assembly.system(), &Rule::ALL);
    let System { alphabet, units, wiring } = &reduction.system;
    let Ok(reduced) = compose(alphabet, units, wiring) else {
        return errors_of(original, limits, watcher);
    };
    let mut errors = errors_of(&reduced, limits, watcher)?;
    let Some(path) = errors.first() else { return Ok(errors) };
    let Some(path) = reduction.interpret_back(original, &reduced, path) else {
        return errors_of(original, limits, watcher);
    };
    (errors.bad, errors.stuck, errors.endless) = match path.fault {
        Fault::Bad(_) => (vec![path], None, None),
        Fault::Stuck => (Vec::new(), Some(path), None),
        Fault::Endless { .. } => (Vec::new(), None, Some(path)),
    };
    Ok(errors)
}

/// How many configurations and steps there are, within what is worth counting.
fn counted(
    composition: &Composition,
    limits: Limits,
    watcher: &mut dyn Watcher,
) -> Result<(usize, usize), Bound> {
    let states = limits.states.map_or(MAX_COUNTED, |states| states.min(MAX_COUNTED));
    let limits = Limits { states: Some(states), ..limits };
    let mut look = |progress: &_| watcher.look(progress);
    let (mut space, mut n_steps) = (Space::new(composition), 0);
    space.walk(limits, &mut look, |_, _, edges| {
        n_steps += edges.len();
        0
    })?;
    Ok((space.n_states(), n_steps))
}
