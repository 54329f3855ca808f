//! Temporal formulas on a model: which algorithm answers which question.

use quadrille_diagnostic::{Diagnostic, similar};
use quadrille_engine::{
    Config, Fairness, Graph, Groups, Interpretation, LtlAlgorithm, LtlError, LtlOptions, Order,
    check_ltl,
};
use quadrille_model::{Finding, GroupId, Model, Runs, Verdict};

use super::invariant::Invariant;
use crate::arguments::{AlgorithmArgument, CheckArguments, FairArgument, FairKind};
use crate::codes;
use crate::formulas::Question;
use crate::input::unrepeatable;
use crate::watch::{Watcher, limits};

/// The options that all linear formulas share.
pub(super) fn options(
    arguments: &CheckArguments,
    model: &dyn Model,
) -> Result<LtlOptions, Vec<Diagnostic>> {
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

/// Checks a linear formula.
pub(super) fn check_linear(
    question: &Question,
    graph: &mut Graph,
    options: &LtlOptions,
    watcher: &mut Watcher,
) -> Result<Finding, Vec<Diagnostic>> {
    let every_state_counts = options.runs == Runs::Maximal && options.fairness.is_none();
    if every_state_counts && let Some(invariant) = Invariant::of(question) {
        return check_invariant(question, &invariant, graph.space().model(), options, watcher);
    }
    let interpretation = Interpretation::new(question.meanings());
    watcher.begin(&question.property);
    let mut look = |progress: &_| watcher.look(progress);
    let report = check_ltl(graph, &question.formula, &interpretation, options, &mut look)
        .map_err(|error| vec![failed(error, question)])?;
    Ok(Finding {
        property: question.property.clone(),
        verdict: report.verdict,
        runs: Some(options.runs),
        counts: report.counts,
    })
}

/// Checks a formula that one state or one action refutes, in a search that gives a shortest trace.
fn check_invariant(
    question: &Question,
    invariant: &Invariant,
    model: &dyn Model,
    options: &LtlOptions,
    watcher: &mut Watcher,
) -> Result<Finding, Vec<Diagnostic>> {
    watcher.begin(&question.property);
    let config = Config { order: Order::Breadth, limits: options.limits };
    let mut look = |progress: &_| watcher.look(progress);
    let mut found = quadrille_engine::check(model, &[invariant.property(model)], config, &mut look)
        .map_err(unrepeatable)?;
    Ok(Finding {
        property: question.property.clone(),
        verdict: found.verdicts.pop().unwrap_or(Verdict::Holds),
        runs: Some(options.runs),
        counts: found.counts,
    })
}

fn failed(error: LtlError, question: &Question) -> Diagnostic {
    match error {
        LtlError::Translation(error) => error.diagnostic(question.span),
        error => Diagnostic::error(&codes::UNREPEATABLE, error.to_string()),
    }
}
