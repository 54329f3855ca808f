//! Properties that are given as automata in the Hanoi format: the runs that are allowed, or those that must
//! never be.

use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span};
use quadrille_logic::{Automaton, Formula, quote, read_hoa};
use quadrille_model::{Expected, Runs};

use super::{FormulaText, Syntax};
use crate::claim::{Aim, Claim, Property, Statement};
use crate::codes::AUTOMATON;
use crate::subject::Subject;

/// An automaton whose atoms were not resolved yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HoaText {
    automaton: Automaton,
    /// Whether it accepts what must never be; else, what is allowed.
    never: bool,
    /// Where its atoms stand: as they are written, and in quotes, as actions of models are.
    atoms: Vec<(Span, Span)>,
}

impl FormulaText {
    /// The automaton of a source, as a property; its atoms become sources of their own, since they are
    /// written like atoms of formulas.
    pub fn hoa(sources: &mut Sources, source: SourceId, never: bool) -> Result<Self, Diagnostic> {
        let parsed = read_hoa(sources, source).map_err(|diagnostic| *diagnostic)?;
        let span = Span::new(source, 0..sources.text(source).len());
        let name = sources.name(source).to_owned();
        let mut add = |text: &str, kind: &str| {
            let source = sources.add(format!("{kind} of {name}"), text);
            Span::new(source, 0..text.len())
        };
        let atom = |atom: &String| (add(atom, "atom"), add(&quote(atom, '"'), "action"));
        let atoms = parsed.atoms.iter().map(atom).collect();
        let hoa = HoaText { automaton: parsed.automaton, never, atoms };
        Ok(Self { span, syntax: Syntax::Hoa(Box::new(hoa)) })
    }
}

impl Subject<'_> {
    /// Reads an automaton about the subject.
    pub(super) fn automaton(
        &mut self,
        sources: &Sources,
        span: Span,
        hoa: &HoaText,
    ) -> Result<(Property, Vec<Diagnostic>), Vec<Diagnostic>> {
        let (mut atoms, mut bad) = (Vec::new(), Vec::new());
        for &(written, quoted) in &hoa.atoms {
            let read = self.one_atom(sources, written);
            match read.or_else(|bad| self.one_atom(sources, quoted).map_err(|_| bad)) {
                Ok(claim) => atoms.extend(claim.atoms),
                Err(found) => bad.extend(found),
            }
        }
        if !bad.is_empty() {
            return Err(bad);
        }
        let violations = match hoa.never {
            true => Some(hoa.automaton.clone()),
            false => hoa.automaton.complement(),
        };
        let Some(violations) = violations else {
            let message = "the automaton is not deterministic, so that its complement is not known";
            let help = "give an automaton of the runs that must never be, with --never";
            let diagnostic = Diagnostic::error(&AUTOMATON, message).help(help);
            return Err(vec![diagnostic.at(Span::new(span.source, 0..0), "")]);
        };
        let path = sources.name(span.source);
        let option = if hoa.never { "--never" } else { "--formula-file" };
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let property = Property {
            name: if hoa.never { format!("never {file}") } else { file.to_owned() },
            claims: vec![Claim { statement: Statement::Never(violations), atoms }],
            runs: Runs::default(),
            expected: Expected::Holds,
            span: Span::new(span.source, 0..0),
            words: vec![option.to_owned(), path.to_owned()],
            aim: Aim::Prove,
            text: None,
        };
        self.fits(&property)?;
        Ok((property, Vec::new()))
    }

    /// The claim that an atom makes by itself.
    fn one_atom(&mut self, sources: &Sources, span: Span) -> Result<Claim, Vec<Diagnostic>> {
        let text = FormulaText { span, syntax: Syntax::Own };
        let (mut property, _) = self.formula(sources, &text)?;
        match property.claims.pop() {
            Some(claim)
                if property.claims.is_empty()
                    && claim.atoms.len() == 1
                    && matches!(claim.statement, Statement::Linear(Formula::Atom(_))) =>
            {
                Ok(claim)
            }
            _ => {
                let message = "an atom of an automaton is one action or one proposition";
                let diagnostic = Diagnostic::error(&AUTOMATON, message).at(span, "");
                Err(vec![diagnostic.help("write conditions in the labels of edges")])
            }
        }
    }
}
