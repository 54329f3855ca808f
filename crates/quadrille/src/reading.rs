//! From texts to what is looked at: the protocol that a module comes from, and formulas about the
//! module. Searches nothing.

use quadrille_check::Claim;
use quadrille_check::names::{NO_VARIABLES, Names, OTHER_KIND};
use quadrille_diagnostic::{Diagnostic, Sources, Span, Style, render};
use quadrille_discourje as dcj;
use quadrille_logic::Kind;
use quadrille_model::Expected;
use quadrille_model::Runs;
use quadrille_protocol::core::{Identity, ProtocolModel, Role, Terms};
use quadrille_protocol::owl::Types;
use quadrille_quad as quad;
use quadrille_quad::Property;
use quadrille_runtime::{Origin, Plan};

/// What a text is to be read as.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Syntax {
    /// Our own, linear time.
    Linear,
    /// Our own, branching time.
    Branching,
    /// Our own, whatever it is.
    Own,
    /// The Owl dialect, with what `<Short>` stands for.
    Owl(Types),
}

/// A formula as its user wrote it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Asked {
    pub(crate) text: String,
    pub(crate) syntax: Syntax,
}

/// A property that the protocol's file has.
pub(crate) struct Own<'t> {
    pub(crate) name: String,
    pub(crate) runs: Runs,
    pub(crate) violated: bool,
    /// What it claims; `None` where it speaks about variables, which modules do not have.
    pub(crate) claims: Option<Vec<Claim<'t>>>,
}

/// The text of all diagnostics.
pub(crate) fn shown(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    diagnostics.iter().map(|diagnostic| render(diagnostic, sources, Style::Plain)).collect()
}

/// The roles of a module as terms, so that role `n` is participant `n`.
pub(crate) fn terms_of(plan: &Plan) -> Terms {
    let terms = Terms::new(Identity::Written, Vec::new());
    for name in plan.roles.iter() {
        terms.role(role(name));
    }
    terms
}

/// `worker[0][2]` as a name with indices.
fn role(text: &str) -> Role {
    let (name, rest) = text.split_at(text.find('[').unwrap_or(text.len()));
    let parts = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let indices: Option<Vec<i64>> = parts.map_or(Some(Vec::new()), |parts| {
        parts.split("][").map(|index| index.parse().ok()).collect()
    });
    match indices {
        Some(indices) if !name.is_empty() => Role::indexed(name, indices),
        _ => Role::new(text),
    }
}

/// The protocol that a module comes from, read and started again.
pub(crate) struct Protocol {
    pub(crate) model: ProtocolModel,
    /// Its own properties, then the formulas that were asked in its language.
    properties: Vec<Property>,
    n_asked: usize,
}

impl Protocol {
    /// Reads the protocol; formulas in spans are read in its language, where it has one for formulas.
    pub(crate) fn start(
        origin: &Origin,
        asked: &[Span],
        sources: &mut Sources,
    ) -> Result<Self, Vec<Diagnostic>> {
        let source = sources.add(origin.file, origin.text);
        if is_quad(origin) {
            let (program, diagnostics) = quad::load(sources, source);
            let program = program.ok_or(diagnostics)?;
            let name = (!origin.session.is_empty()).then_some(origin.session);
            let session =
                program.start_with(sources, name, origin.arguments, origin.parameters, asked)?;
            let properties = session.properties;
            return Ok(Self { model: session.model, properties, n_asked: asked.len() });
        }
        let (program, diagnostics) = dcj::load(source, sources.text(source));
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err(diagnostics);
        }
        let model = program.session(sources, origin.session, origin.arguments)?;
        Ok(Self { model, properties: Vec::new(), n_asked: 0 })
    }

    /// What a formula claims that was read in the protocol's language.
    fn claims<'t>(&self, span: Span, terms: &'t Terms) -> Option<Vec<Claim<'t>>> {
        let property = self.properties.iter().find(|property| property.formula == span)?;
        Some(claims_of(property, terms))
    }

    /// The names of the properties that the protocol's file has.
    pub(crate) fn property_names(&self) -> impl Iterator<Item = String> {
        self.properties_of_file().map(|property| property.name.clone())
    }

    fn properties_of_file(&self) -> impl Iterator<Item = &Property> {
        self.properties.iter().take(self.properties.len() - self.n_asked)
    }

    /// The properties that the protocol's file has.
    pub(crate) fn own<'t>(&self, terms: &'t Terms) -> Vec<Own<'t>> {
        self.properties_of_file()
            .map(|property| {
                let claims = claims_of(property, terms);
                let speaks_of_states = claims.iter().any(Claim::speaks_of_states);
                Own {
                    name: property.name.clone(),
                    runs: property.runs,
                    violated: property.expected == Expected::Violated,
                    claims: (!speaks_of_states).then_some(claims),
                }
            })
            .collect()
    }
}

fn claims_of<'t>(property: &Property, terms: &'t Terms) -> Vec<Claim<'t>> {
    let of_part = |part: &quad::Claim| {
        let atoms = part.atoms.iter().map(|atom| (atom.clone(), property.formula));
        Claim::of_atoms(part.formula.clone(), atoms, terms)
    };
    property.claims.iter().map(of_part).collect()
}

/// Whether a protocol is written in our own language, which reads formulas too.
fn is_quad(origin: &Origin) -> bool {
    origin.file.ends_with(".quad")
}

/// A formula, placed where diagnostics can show it as the question with this number.
pub(crate) fn place(asked: &Asked, number: usize, sources: &mut Sources) -> Span {
    let source = sources.add(format!("question {number}"), asked.text.as_str());
    Span::new(source, 0..asked.text.len())
}

/// Whether the language of the protocol is to read a formula.
pub(crate) fn is_read_by_protocol(asked: &Asked, origin: &Origin) -> bool {
    is_quad(origin) && !matches!(asked.syntax, Syntax::Owl(_))
}

/// What a formula claims about a module.
pub(crate) fn claims<'t>(
    asked: &Asked,
    span: Span,
    protocol: Option<&Protocol>,
    plan: &Plan,
    terms: &'t Terms,
    sources: &Sources,
) -> Result<Vec<Claim<'t>>, Vec<Diagnostic>> {
    let read = protocol.and_then(|protocol| protocol.claims(span, terms));
    let claims = match (&asked.syntax, read) {
        (Syntax::Owl(types), _) => {
            let (claim, _) = Claim::of_owl(sources, span, types, terms)?;
            return Ok(vec![claim]);
        }
        (_, Some(claims)) => claims,
        (_, None) => {
            let roles: Vec<&str> = plan.roles.iter().map(AsRef::as_ref).collect();
            let messages: Vec<&str> = plan.labels.iter().map(AsRef::as_ref).collect();
            let actions: Vec<&str> = plan.acts.iter().map(|act| &*act.text).collect();
            let names = Names { roles: &roles, messages: &messages, actions: &actions };
            vec![names.claim(sources, span, terms)?]
        }
    };
    if claims.iter().any(Claim::speaks_of_states) {
        let message = "a module has no variables";
        return Err(vec![
            Diagnostic::error(&NO_VARIABLES, message)
                .at(span, "speaks about variables")
                .help("say it by the messages, or check the protocol itself"),
        ]);
    }
    let kind = if claims.iter().any(|claim| claim.kind == Kind::Branching) {
        Kind::Branching
    } else {
        Kind::Linear
    };
    let (message, help) = match (&asked.syntax, kind) {
        (Syntax::Linear, Kind::Branching) => {
            ("this formula has path quantifiers", "ask it with `ctl`")
        }
        (Syntax::Branching, Kind::Linear) => {
            ("this formula has no path quantifiers", "ask it with `ltl`")
        }
        _ => return Ok(claims),
    };
    Err(vec![Diagnostic::error(&OTHER_KIND, message).at(span, "").help(help)])
}
