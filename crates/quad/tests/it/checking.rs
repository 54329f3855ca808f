//! Checks the properties of sessions with the engine.

use quadrille_engine::{
    Config, Graph, Interpretation, Limits, LtlOptions, Meaning, Property as Safety, check,
    check_ctl, check_ltl, unobserved,
};
use quadrille_logic::Kind;
use quadrille_model::{Counts, Ending, Expected, Model, Trace, Verdict};
use quadrille_protocol::core::ProtocolModel;
use quadrille_quad::{Atom, Claim, Property, Session};

/// Enough for every example, and no more.
const LIMITS: Limits = Limits { states: Some(200_000), memory: None };

/// What came of a property: its verdict, and the steps that refute it.
pub struct Checked {
    pub name: String,
    pub expected: Expected,
    pub verdict: Verdict,
    pub steps: Vec<String>,
}

impl Checked {
    pub fn is_as_expected(&self) -> bool {
        self.expected.is_met_by(&self.verdict)
    }

    pub fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Holds => "holds",
            Verdict::Violated(_) => "violated",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// How many states there are, and how many of them are stuck.
pub fn explored(model: &ProtocolModel) -> Counts {
    let config = Config { limits: LIMITS, ..Config::default() };
    check(model, Vec::new(), &config, &mut unobserved).expect("repeats itself").counts
}

/// Whether the session gets stuck, and how.
pub fn deadlock(model: &ProtocolModel) -> Option<Vec<String>> {
    let config = Config { limits: LIMITS, ..Config::default() };
    let outcome = check(model, vec![Safety::DeadlockFree], &config, &mut unobserved);
    match &outcome.expect("repeats itself").verdicts[0] {
        Verdict::Violated(trace) => Some(trace.as_ref().map_or(vec![], |t| steps(model, t))),
        _ => None,
    }
}

/// Checks every property of a session.
pub fn checked(session: &Session) -> Vec<Checked> {
    session.properties.iter().map(|property| one(&session.model, property)).collect()
}

fn one(model: &ProtocolModel, property: &Property) -> Checked {
    let mut verdict = Verdict::Holds;
    for claim in &property.claims {
        verdict = judge(model, property, claim);
        if verdict != Verdict::Holds {
            break;
        }
    }
    let steps = match &verdict {
        Verdict::Violated(Some(trace)) => steps(model, trace),
        _ => Vec::new(),
    };
    Checked { name: property.name.clone(), expected: property.expected, verdict, steps }
}

fn judge(model: &ProtocolModel, property: &Property, claim: &Claim) -> Verdict {
    let meaning = |atom: &Atom| match atom.clone() {
        Atom::Action(pattern) => {
            Meaning::Action(Box::new(move |action| pattern.matches(model.terms(), action)))
        }
        Atom::Label(label) => Meaning::Action(Box::new(move |action| action.label == label)),
        Atom::Proposition(id) => Meaning::Proposition(id),
    };
    let interpretation = Interpretation::new(claim.atoms.iter().map(meaning).collect());
    match claim.formula.kind().expect("the parser checked it") {
        Kind::Linear => {
            let options =
                LtlOptions { runs: property.runs, limits: LIMITS, ..LtlOptions::default() };
            let mut graph = Graph::new(model);
            let report =
                check_ltl(&mut graph, &claim.formula, &interpretation, &options, &mut unobserved);
            report.unwrap_or_else(|error| panic!("{}: {error}", property.name)).verdict
        }
        Kind::Branching => {
            let mut graph = Graph::new(model);
            let formula = &claim.formula;
            let report = check_ctl(&mut graph, formula, &interpretation, LIMITS, &mut unobserved);
            report.expect("a good formula").verdict
        }
    }
}

/// A run as a person reads it.
fn steps(model: &dyn Model, trace: &Trace) -> Vec<String> {
    let mut steps: Vec<String> =
        trace.steps.iter().map(|step| model.action(step.action).label).collect();
    match trace.ending {
        Ending::Loop { from } => steps.insert(from, "again and again:".to_owned()),
        Ending::Stuck => steps.push("stuck".to_owned()),
        Ending::Prefix | Ending::Finished => {}
    }
    steps
}
