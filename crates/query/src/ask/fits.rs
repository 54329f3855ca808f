//! Whether components fit together: bad activity, no activity, infinite activity, on the composition or on
//! what a reduction leaves of it.

use quadrille_component::assembly::Assembly;
use quadrille_component::composition::{
    Composition, CompositionErrors, ErrorKind, ErrorRun, compose,
};
use quadrille_component::reduction::{ComponentSystem, Rule, reduce};
use quadrille_diagnostic::Diagnostic;
use quadrille_engine::{Limits, Observer, Space, Stopped};
use quadrille_model::{Counts, Verdict};

use super::compatibility::composition_errors;
use super::{Answered, Config, Watcher, unrepeatable};
use crate::answer::{Answer, Assumptions, CompositionReport, Evidence, Unused};
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
        let mut look = |progress: &_| watcher.look(progress);
        let found = if reduced {
            errors_of_reduced(assembly, composition, config.limits, &mut look)
        } else {
            composition_errors(composition, config.limits, &mut look)
        };
        let found = match found {
            Ok(errors) => Ok(errors),
            Err(Stopped::Bound(bound)) => Err(bound),
            Err(Stopped::Failed(error)) => return Err(unrepeatable(error)),
        };
        let unreduced = match reduced.then(|| counted(composition, config.limits, watcher)) {
            None => None,
            Some(Ok(counts)) => Some(Ok(counts)),
            Some(Err(Stopped::Bound(bound))) => Some(Err(bound)),
            Some(Err(Stopped::Failed(error))) => return Err(unrepeatable(error)),
        };
        let verdict = match &found {
            Err(bound) => Verdict::Unknown(*bound),
            Ok(errors) => match errors.first() {
                Some(run) => Verdict::Violated(Some(run.trace.clone())),
                None => Verdict::Holds,
            },
        };
        let counts = found.as_ref().map_or(Counts::default(), |errors| Counts {
            states: errors.configurations as u64,
            transitions: errors.steps as u64,
            ..Counts::default()
        });
        let is_whole = |errors: &&CompositionErrors| !reduced && errors.first().is_none();
        let statements = found.as_ref().ok().filter(is_whole);
        let statements = statements.map(|errors| assembly.idle(composition, &errors.actions));
        let unused = Unused { statements: statements.unwrap_or_default(), ..Unused::default() };
        let question = Question::FitsTogether { reduced };
        let blank = self.blank(&question, config, "breadth-first search");
        let reduction = reduced.then(|| "components reduced before composition".to_owned());
        let name = match &composed.compliance {
            Some((name, kind)) => format!("{name}, {kind}"),
            None => blank.name,
        };
        Ok(Answer {
            name,
            verdict,
            counts,
            evidence: Evidence::Errors(CompositionReport { unused, errors: found.ok(), unreduced }),
            assumptions: Assumptions { reduction, ..blank.assumptions },
            ..blank
        })
    }
}

impl CompositionReport {
    /// Every error, those of the verdict first.
    pub fn paths(&self) -> impl Iterator<Item = &ErrorRun> {
        self.errors.iter().flat_map(CompositionErrors::all)
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
    pub fn explain(&self, path: &ErrorRun) -> Diagnostic {
        self.assembly.explain(&self.composition, path)
    }

    /// The labels on a path, and the error token.
    pub fn tokens(&self, path: &ErrorRun) -> Vec<String> {
        path.tokens(&self.composition)
    }

    /// The names of the components that an error is about.
    pub fn culprits(&self, path: &ErrorRun) -> Vec<String> {
        let units: Vec<_> = match path.kind {
            ErrorKind::BadActivity(_) => {
                let culprits = self.assembly.emitters(&self.composition, path);
                culprits.into_iter().map(|(unit, _)| unit).collect()
            }
            ErrorKind::NoActivity => {
                let state = path.trace.last();
                let unfinished = self.assembly.unfinished(&self.composition, state);
                unfinished.into_iter().map(|(unit, _)| unit).collect()
            }
            ErrorKind::InfiniteActivity { .. } => {
                self.assembly.components_in_loop(&self.composition, path)
            }
        };
        let name = |member: usize| self.assembly.members()[member].component.name.text.clone();
        units.into_iter().map(|unit| name(unit.index())).collect()
    }

    /// The event that no component accepts.
    pub fn event(&self, path: &ErrorRun) -> Option<String> {
        match path.kind {
            ErrorKind::BadActivity(bad) => Some(self.composition.bad_event(bad).0.to_string()),
            ErrorKind::NoActivity | ErrorKind::InfiniteActivity { .. } => None,
        }
    }
}

/// Reduces components and finds the errors of what is left. An error is reported as a run of the
/// original components.
fn errors_of_reduced(
    assembly: &Assembly,
    original: &Composition,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<CompositionErrors, Stopped> {
    let reduction = reduce(assembly.system(), &Rule::ALL);
    let ComponentSystem { alphabet, units, wiring } = &reduction.system;
    let Ok(reduced) = compose(alphabet, units, wiring) else {
        return composition_errors(original, limits, observer);
    };
    let errors = composition_errors(&reduced, limits, observer)?;
    let Some(run) = errors.first() else { return Ok(errors) };
    match reduction.lift(original, &reduced, run) {
        Some(run) => Ok(errors.with_only(run)),
        None => composition_errors(original, limits, observer),
    }
}

/// How many configurations and steps there are, within what is worth counting.
fn counted(
    composition: &Composition,
    limits: Limits,
    watcher: &mut dyn Watcher,
) -> Result<(usize, usize), Stopped> {
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
