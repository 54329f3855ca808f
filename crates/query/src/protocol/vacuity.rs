//! Whether a formula says anything: atoms that nothing makes true, parts that could be anything.

use quadrille_diagnostic::{Diagnostic, Span, similar};
use quadrille_engine::{Error, Graph, Interpretation, LtlOptions, Observer, check_ltl};
use quadrille_logic::Formula;
use quadrille_model::{Action, ActionId, Model, Verdict};
use quadrille_protocol::owl::OwlAtom;

use super::codes::{IDLE_ATOM, IGNORED_WORDS, VACUOUS};
use super::explored::Explored;
use crate::claim::ActionAtom;

/// Warns of atoms that no action of the protocol makes true.
pub(crate) fn idle_atoms<'a>(
    explored: &Explored<'_>,
    atoms: impl Iterator<Item = &'a ActionAtom>,
) -> Vec<Diagnostic> {
    let global = explored.global();
    let is_used =
        |action: &Action| explored.used_acts().any(|act| global.label(act) == action.label);
    let actions: Vec<Action> = (0..global.n_actions())
        .map(|number| global.action(ActionId::from_usize(number)))
        .filter(is_used)
        .collect();
    let terms = Some(explored.model().terms());
    let idle = |atom: &&ActionAtom| !actions.iter().any(|action| atom.matches(terms, action));
    let roles: Vec<String> = global.role_ids().map(|role| global.role(role).to_owned()).collect();
    let warn = |atom: &ActionAtom| {
        let diagnostic = idle_atom(atom);
        let words =
            atom.text.split_whitespace().filter(|word| !roles.iter().any(|role| role == word));
        let mut close = words.flat_map(|word| similar(word, roles.iter().map(String::as_str)));
        match close.next() {
            Some(role) => diagnostic.help(format!("there is a role `{role}`")),
            None => diagnostic.help("compare roles, messages and spelling with the protocol"),
        }
    };
    atoms.filter(idle).map(warn).collect()
}

/// The warning for an atom that no action satisfies.
pub fn idle_atom(atom: &ActionAtom) -> Diagnostic {
    let message = format!("no action of the protocol matches `{}`", atom.text);
    Diagnostic::warning(&IDLE_ATOM, message).at(atom.span, "never true")
}

/// The largest parts of a formula that could be replaced by anything, given that it holds: each of
/// them replaced by what makes the formula strongest leaves it true (Kupferman and Vardi 2003). Parts
/// of an equivalence are not looked at. Empty where the formula does not hold.
pub fn vacuous<'f>(
    graph: &mut Graph<'_>,
    formula: &'f Formula,
    interpretation: &Interpretation<'_>,
    options: &LtlOptions,
    observer: &mut Observer<'_>,
) -> Result<Vec<&'f Formula>, Error> {
    let mut holds = |formula: &Formula| -> Result<bool, Error> {
        let report = check_ltl(graph, formula, interpretation, options, observer)?;
        Ok(report.verdict == Verdict::Holds)
    };
    let mut found = Vec::new();
    if holds(formula)? {
        visit(formula, true, &|replaced| replaced, &mut holds, &mut found)?;
    }
    Ok(found)
}

/// The warning for a part that [`vacuous`] found, as it is shown.
pub fn vacuous_part(shown: &str, formula: Span) -> Diagnostic {
    let message = format!("the formula would also hold with anything in place of `{shown}`");
    Diagnostic::warning(&VACUOUS, message)
        .at(formula, "says nothing about that part")
        .help("consider the stronger formula without that part")
}

/// The warning for words of an Owl atom that mean nothing.
pub fn ignored_words(atom: &OwlAtom, span: Span) -> Option<Diagnostic> {
    let words = atom.ignored.as_ref()?;
    let message = format!("`{words}` is ignored after the type of a `RECV`");
    Some(Diagnostic::warning(&IGNORED_WORDS, message).at(span, "means the same without it"))
}

/// Tries to replace each operand of `part`, and what is inside it if that fails. `whole` puts a
/// replacement of `part` into the formula; `positive` says whether a stronger part makes it stronger.
fn visit<'f>(
    part: &'f Formula,
    positive: bool,
    whole: &dyn Fn(Formula) -> Formula,
    holds: &mut dyn FnMut(&Formula) -> Result<bool, Error>,
    found: &mut Vec<&'f Formula>,
) -> Result<(), Error> {
    if matches!(part, Formula::Iff(..)) {
        return Ok(());
    }
    for (position, operand) in part.operands().into_iter().enumerate() {
        let flips = matches!(part, Formula::Not(_))
            || (matches!(part, Formula::Implies(..)) && position == 0);
        let operand_positive = positive != flips;
        let within = |replaced: Formula| whole(with_operand(part, position, replaced));
        let strongest = if operand_positive { Formula::False } else { Formula::True };
        if *operand == strongest {
            continue;
        }
        if holds(&within(strongest))? {
            found.push(operand);
        } else {
            visit(operand, operand_positive, &within, holds, found)?;
        }
    }
    Ok(())
}

/// A formula with one of its operands replaced.
fn with_operand(formula: &Formula, position: usize, operand: Formula) -> Formula {
    let list = |operands: &[Formula]| {
        let mut operands = operands.to_vec();
        operands[position] = operand.clone();
        operands
    };
    let pair = |a: &Formula, b: &Formula| match position {
        0 => (Box::new(operand.clone()), Box::new(b.clone())),
        _ => (Box::new(a.clone()), Box::new(operand.clone())),
    };
    match formula {
        Formula::True | Formula::False | Formula::Atom(_) => formula.clone(),
        Formula::Not(_) => Formula::Not(Box::new(operand)),
        Formula::And(operands) => Formula::and(list(operands)),
        Formula::Or(operands) => Formula::or(list(operands)),
        Formula::Implies(a, b) => {
            let (a, b) = pair(a, b);
            Formula::Implies(a, b)
        }
        Formula::Iff(a, b) => {
            let (a, b) = pair(a, b);
            Formula::Iff(a, b)
        }
        Formula::Unary(path, operator, _) => Formula::Unary(*path, *operator, Box::new(operand)),
        Formula::Binary(path, operator, a, b) => {
            let (a, b) = pair(a, b);
            Formula::Binary(*path, *operator, a, b)
        }
    }
}
