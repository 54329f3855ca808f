//! Temporal formulas on a model: which algorithm answers which question.

use quadrille_diagnostic::{Diagnostic, similar};
use quadrille_engine::{
    Config, CtlGraph, Fairness, Graph, Groups, Interpretation, Limits, LtlAlgorithm, LtlError,
    LtlOptions, Order, Progress, check_ltl,
};
use quadrille_logic::Kind;
use quadrille_model::{Bound, Counts, Finding, GroupId, Model, Runs, Verdict};

use super::invariant::Invariant;
use crate::arguments::{AlgorithmArgument, CheckArguments, FairArgument, FairKind};
use crate::codes;
use crate::formulas::Question;
use crate::input::unrepeatable;
use crate::watch::{Watcher, limits};

/// Answers questions about one model; what was explored for one is kept for the next.
pub(super) struct Checker<'m> {
    model: &'m dyn Model,
    options: LtlOptions,
    linear: Option<Graph<'m>>,
    branching: Option<Explored<'m>>,
}

/// A model explored for branching time, or how far it was explored until a bound was reached.
enum Explored<'m> {
    Whole(Box<CtlGraph<'m>>),
    Part(Bound, Counts),
}

impl<'m> Checker<'m> {
    /// Refuses options that contradict each other or the questions.
    pub(super) fn new(
        arguments: &CheckArguments,
        questions: &[Question],
        model: &'m dyn Model,
    ) -> Result<Self, Vec<Diagnostic>> {
        let options = options(arguments, model)?;
        let restricted = options.runs != Runs::Maximal || !options.fairness.is_none();
        if restricted && let Some(question) = questions.iter().find(|q| q.kind == Kind::Branching) {
            let message = "--runs and --fair do not apply to a formula of branching time";
            return Err(vec![
                Diagnostic::error(&codes::CONTRADICTION, message)
                    .at(question.span, "has path quantifiers")
                    .help("leave the options out, or write a linear formula"),
            ]);
        }
        Ok(Self { model, options, linear: None, branching: None })
    }

    /// Answers a question by the algorithm that is right for it.
    pub(super) fn answer(
        &mut self,
        question: &Question,
        watcher: &mut Watcher,
    ) -> Result<Finding, Vec<Diagnostic>> {
        watcher.begin(&question.property);
        let (verdict, counts) = match question.kind {
            Kind::Branching => self.branching(question, watcher)?,
            Kind::Linear => {
                let every_state_counts =
                    self.options.runs == Runs::Maximal && self.options.fairness.is_none();
                match Invariant::of(question) {
                    Some(invariant) if every_state_counts => self.invariant(&invariant, watcher)?,
                    _ => self.linear(question, watcher)?,
                }
            }
        };
        let runs = match question.kind {
            Kind::Linear => Some(self.options.runs),
            Kind::Branching => None,
        };
        Ok(Finding { property: question.property.clone(), verdict, runs, counts })
    }

    fn linear(
        &mut self,
        question: &Question,
        watcher: &mut Watcher,
    ) -> Result<(Verdict, Counts), Vec<Diagnostic>> {
        let graph = self.linear.get_or_insert_with(|| Graph::new(self.model));
        let interpretation = Interpretation::new(question.meanings());
        let mut look = |progress: &_| watcher.look(progress);
        let (formula, options) = (&question.formula, &self.options);
        let report = check_ltl(graph, formula, &interpretation, options, &mut look);
        let report = report.map_err(|error| match error {
            LtlError::Translation(error) => vec![error.diagnostic(question.span)],
            error => vec![Diagnostic::error(&codes::UNREPEATABLE, error.to_string())],
        })?;
        Ok((report.verdict, report.counts))
    }

    /// Checks a formula that one state or one action refutes, with a shortest trace.
    fn invariant(
        &self,
        invariant: &Invariant,
        watcher: &mut Watcher,
    ) -> Result<(Verdict, Counts), Vec<Diagnostic>> {
        let config = Config { order: Order::Breadth, limits: self.options.limits };
        let property = invariant.property(self.model);
        let mut look = |progress: &_| watcher.look(progress);
        let found = quadrille_engine::check(self.model, &[property], config, &mut look);
        let mut found = found.map_err(unrepeatable)?;
        Ok((found.verdicts.pop().unwrap_or(Verdict::Holds), found.counts))
    }

    fn branching(
        &mut self,
        question: &Question,
        watcher: &mut Watcher,
    ) -> Result<(Verdict, Counts), Vec<Diagnostic>> {
        let explored = self
            .branching
            .get_or_insert_with(|| Explored::explore(self.model, self.options.limits, watcher));
        match explored {
            Explored::Part(bound, counts) => Ok((Verdict::Unknown(*bound), *counts)),
            Explored::Whole(graph) => {
                let interpretation = Interpretation::new(question.meanings());
                let verdict = graph.check(&question.formula, &interpretation).map_err(|error| {
                    vec![Diagnostic::error(&codes::UNREPEATABLE, error.to_string())]
                })?;
                Ok((verdict, graph.counts()))
            }
        }
    }
}

impl<'m> Explored<'m> {
    fn explore(model: &'m dyn Model, limits: Limits, watcher: &Watcher) -> Self {
        let mut last = Progress::default();
        let mut look = |progress: &Progress| {
            last = *progress;
            watcher.look(progress)
        };
        match CtlGraph::explore(model, limits, &mut look) {
            Ok(graph) => Explored::Whole(Box::new(graph)),
            Err(bound) => {
                let met = if let Bound::States(states) = bound { states } else { 0 };
                let counts = Counts {
                    states: last.states.max(met),
                    transitions: last.transitions,
                    bytes: last.bytes,
                    ..Counts::default()
                };
                Explored::Part(bound, counts)
            }
        }
    }
}

/// The options that all linear formulas share.
fn options(arguments: &CheckArguments, model: &dyn Model) -> Result<LtlOptions, Vec<Diagnostic>> {
    let temporal = &arguments.formulas;
    let fairness = fairness(&temporal.fair, model)?;
    let algorithm = match temporal.algorithm {
        AlgorithmArgument::Scc => LtlAlgorithm::Components,
        AlgorithmArgument::Ndfs => LtlAlgorithm::Nested,
    };
    if algorithm == LtlAlgorithm::Nested && !fairness.is_none() {
        let message = "nested depth-first search cannot respect fairness";
        return Err(vec![
            Diagnostic::error(&codes::CONTRADICTION, message)
                .help("leave --fair out, or use --algorithm scc"),
        ]);
    }
    let limits = limits(&arguments.limits);
    Ok(LtlOptions { runs: temporal.runs.into(), fairness, algorithm, limits })
}

fn fairness(wanted: &[FairArgument], model: &dyn Model) -> Result<Fairness, Vec<Diagnostic>> {
    let mut fairness = Fairness::default();
    let mut unknown = Vec::new();
    for FairArgument { kind, group } in wanted {
        let groups = match kind {
            FairKind::Weak => &mut fairness.weak,
            FairKind::Strong => &mut fairness.strong,
        };
        let Some(name) = group else {
            *groups = Groups::All;
            continue;
        };
        let is_named = |&number: &usize| model.groups()[number].name == *name;
        let named: Vec<GroupId> =
            (0..model.groups().len()).filter(is_named).map(GroupId::from_usize).collect();
        if named.is_empty() {
            unknown.push(unknown_group(name, model));
        }
        match groups {
            Groups::All => {}
            Groups::Some(known) => known.extend(named),
            Groups::None => *groups = Groups::Some(named),
        }
    }
    if unknown.is_empty() { Ok(fairness) } else { Err(unknown) }
}

fn unknown_group(name: &str, model: &dyn Model) -> Diagnostic {
    let message = format!("the model has no group of steps `{name}`");
    let diagnostic = Diagnostic::error(&codes::UNKNOWN_GROUP, message);
    match similar(name, model.groups().iter().map(|group| group.name.as_str())).as_slice() {
        [] => diagnostic.help("without a name, --fair means all groups"),
        near => diagnostic.help(format!("did you mean {}?", near.join(" or "))),
    }
}
