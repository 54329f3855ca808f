//! From the options of a check to how questions are answered.

use quadrille_check::Method;
use quadrille_diagnostic::{Diagnostic, similar};
use quadrille_engine::{Fairness, Groups, LtlAlgorithm};
use quadrille_model::{GroupId, Model};

use crate::arguments::{AlgorithmArgument, FairArgument, FairKind, FormulaArguments};
use crate::codes;

/// Refuses options that contradict each other or the model.
pub(super) fn method(
    arguments: &FormulaArguments,
    model: &dyn Model,
) -> Result<Method, Vec<Diagnostic>> {
    let fairness = fairness(&arguments.fair, model)?;
    let algorithm = match arguments.algorithm {
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
    Ok(Method { fairness, algorithm, shared: false })
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
