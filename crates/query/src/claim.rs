//! Formulas tied to what they speak about: each atom is a proposition or a test of actions. Knows nothing
//! of searches.

use quadrille_diagnostic::Span;
use quadrille_engine::Meaning;
use quadrille_logic::{Atoms, Automaton, Formula, Kind};
use quadrille_model::{Action, Expected, Model, PropositionId, Runs};
use quadrille_protocol::core::Terms;
use quadrille_protocol::owl::OwlAtom;
use quadrille_quad::{self as quad, Pattern};

/// A property of a model: one that its file declares, or a formula from elsewhere.
#[derive(Clone, Debug)]
pub struct Property {
    /// What it is called: its name, or the formula in one line.
    pub name: String,
    /// What must hold, all of it.
    pub claims: Vec<Claim>,
    /// Which runs count.
    pub runs: Runs,
    /// The verdict that is expected.
    pub expected: Expected,
    /// Where the formula was written.
    pub span: Span,
    /// The options of a command line that ask it.
    pub words: Vec<String>,
    /// What is asked: whether all runs satisfy the claims, or whether one breaks them.
    pub aim: Aim,
    /// The formula as it is written, where showing the claims would not give it back.
    pub text: Option<String>,
}

/// Whether all runs are to satisfy a property, or a run is looked for that breaks it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Aim {
    /// All runs are to satisfy it.
    #[default]
    Prove,
    /// A run is looked for: the property denies what it is like.
    Find,
}

/// Something said about a model.
#[derive(Clone, Debug)]
pub struct Claim {
    /// What is said.
    pub statement: Statement,
    /// What each atom means, by number.
    pub atoms: Vec<Atom>,
}

/// What is said about a model.
#[derive(Clone, Debug)]
pub enum Statement {
    /// A formula of linear time holds.
    Linear(Formula),
    /// A formula of branching time holds.
    Branching(Formula),
    /// No run is accepted by an automaton.
    Never(Automaton),
}

impl From<(Formula, Kind)> for Statement {
    fn from((formula, kind): (Formula, Kind)) -> Self {
        match kind {
            Kind::Linear => Statement::Linear(formula),
            Kind::Branching => Statement::Branching(formula),
        }
    }
}

/// What an atom speaks about.
#[derive(Clone, Debug)]
pub enum Atom {
    /// Actions.
    Action(ActionAtom),
    /// A proposition.
    Proposition(PropositionId),
}

/// An atom about actions. A test and not a list: the actions of a protocol are found as it is explored.
#[derive(Clone, Debug)]
pub struct ActionAtom {
    /// The atom as people write it.
    pub text: String,
    /// Where it, or the formula it belongs to, stands.
    pub span: Span,
    pub(crate) test: ActionTest,
}

/// Which actions satisfy an atom.
#[derive(Clone, Debug)]
pub(crate) enum ActionTest {
    /// Those with this name: the label, or an event of components, whichever of them emits it.
    Name(String),
    /// Those that fit a pattern of roles and messages.
    Pattern(Pattern),
    /// Those that fit an atom of the Owl dialect.
    Owl(OwlAtom),
}

impl ActionAtom {
    /// Whether an action satisfies it; `terms` say who the participants of a protocol are.
    pub fn matches(&self, terms: Option<&Terms>, action: &Action) -> bool {
        match (&self.test, terms) {
            (ActionTest::Name(name), _) => action.names().contains(name),
            (ActionTest::Pattern(pattern), Some(terms)) => pattern.matches(terms, action),
            (ActionTest::Owl(atom), Some(terms)) => atom.matches(terms, action),
            (ActionTest::Pattern(_) | ActionTest::Owl(_), None) => false,
        }
    }
}

impl Claim {
    /// A formula with the atoms of a `.quad` text, or of its syntax.
    pub(crate) fn of_quad<'a>(
        formula: &Formula,
        atoms: impl Iterator<Item = (&'a quad::Atom, Span)>,
    ) -> Self {
        let atom = |(atom, span): (&quad::Atom, Span)| {
            let (text, test) = match atom {
                quad::Atom::Proposition(proposition) => return Atom::Proposition(*proposition),
                quad::Atom::Label(label) => (label.clone(), ActionTest::Name(label.clone())),
                quad::Atom::Action(pattern) => {
                    (pattern.to_string(), ActionTest::Pattern(pattern.clone()))
                }
            };
            Atom::Action(ActionAtom { text, span, test })
        };
        let kind = formula.kind().unwrap_or(Kind::Linear);
        let statement = (formula.clone(), kind).into();
        Self { statement, atoms: atoms.map(atom).collect() }
    }

    /// Whether an atom is about states.
    pub fn speaks_of_states(&self) -> bool {
        self.atoms.iter().any(|atom| matches!(atom, Atom::Proposition(_)))
    }

    /// The atoms that are about actions.
    pub fn actions(&self) -> impl Iterator<Item = &ActionAtom> {
        self.atoms.iter().filter_map(|atom| match atom {
            Atom::Action(action) => Some(action),
            Atom::Proposition(_) => None,
        })
    }

    /// What the atoms mean, for the engine.
    pub(crate) fn meanings<'a>(&'a self, terms: Option<&'a Terms>) -> Vec<Meaning<'a>> {
        let meaning = |atom: &'a Atom| match atom {
            Atom::Proposition(proposition) => Meaning::Proposition(*proposition),
            Atom::Action(action) => {
                Meaning::Action(Box::new(move |known| action.matches(terms, known)))
            }
        };
        self.atoms.iter().map(meaning).collect()
    }

    /// The names of the atoms, to show parts of the formula.
    pub(crate) fn names(&self, model: &dyn Model) -> Atoms<String> {
        let mut names = Atoms::default();
        for (number, atom) in self.atoms.iter().enumerate() {
            let name = match atom {
                Atom::Action(action) => action.text.clone(),
                Atom::Proposition(id) => model.signature().propositions[id.index()].name.clone(),
            };
            // Two atoms may read alike; a formula shows their names by number.
            if names.intern(name.clone(), None).index() != number {
                names.intern(format!("{name} ({number})"), None);
            }
        }
        names
    }
}

impl Property {
    /// Whether all its claims are of linear time.
    pub fn is_linear(&self) -> bool {
        self.claims.iter().all(|claim| !matches!(claim.statement, Statement::Branching(_)))
    }

    /// The formula of a property that has another name.
    pub(crate) fn named_formula(&self, model: &dyn Model) -> Option<String> {
        if self.text.is_some() {
            return self.text.clone();
        }
        let claims = self.claims.iter().filter_map(|claim| match &claim.statement {
            Statement::Linear(formula) | Statement::Branching(formula) => {
                Some(formula.show(&claim.names(model)).to_string())
            }
            Statement::Never(_) => None,
        });
        let claims: Vec<String> = claims.collect();
        let is_named = self.words.first().is_some_and(|word| word == "--property");
        (is_named && !claims.is_empty()).then(|| claims.join(" & "))
    }

    /// Whether an atom is about states.
    pub fn speaks_of_states(&self) -> bool {
        self.claims.iter().any(Claim::speaks_of_states)
    }

    /// The atoms that are about actions.
    pub fn actions(&self) -> impl Iterator<Item = &ActionAtom> {
        self.claims.iter().flat_map(Claim::actions)
    }
}

/// A property that a `.quad` text declares, or a formula that was read in its language.
impl From<quad::Property> for Property {
    fn from(property: quad::Property) -> Self {
        let claim = |claim: &quad::Claim| {
            let atoms = claim.atoms.iter().map(|atom| (atom, property.formula));
            Claim::of_quad(&claim.formula, atoms)
        };
        Self {
            claims: property.claims.iter().map(claim).collect(),
            words: vec!["--property".to_owned(), property.name.clone()],
            name: property.name,
            runs: property.runs,
            expected: property.expected,
            span: property.formula,
            aim: Aim::Prove,
            text: None,
        }
    }
}
