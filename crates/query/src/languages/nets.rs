//! Petri nets: `.pnml` files, atoms about tokens and transitions, and property files of the Model Checking
//! Contest.

use std::path::Path;

use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span, similar};
use quadrille_logic::{
    AtomSyntax, Cursor, Kind as LogicKind, PlainAtom, PlainAtoms, Symbol, TokenKind, parse, unquote,
};
use quadrille_model::{Expected, Runs};
use quadrille_petri::codes::FORMULA;
use quadrille_petri::{
    Asked, Formula, Kind, NetModel, Slots, Sum, TransitionId, bounds, read_pnml, read_properties,
    semiflows, unbounded,
};

use crate::claim::{ActionAtom, ActionTest, Aim, Atom, Claim, Property, Statement};
use crate::codes::UNKNOWN_NAME;
use crate::language::{Loaded, Loader};
use crate::petri::prepared;
use crate::selection::Selection;
use crate::subject::{Matter, Subject};
use crate::vocabulary::Vocabulary;

pub(crate) fn load(loader: &mut Loader<'_>, path: &Path) -> Loaded {
    let source = loader.text(path)?;
    let (net, problems) = read_pnml(source, loader.sources.text(source));
    let Some(net) = net else { return Err(problems) };
    loader.warnings.extend(problems);
    let flows = semiflows(&net);
    let slots = Slots::shared(&net, &flows);
    let known = bounds(&net, &flows);
    let grows = unbounded(source, &net, &known);
    let mut model = NetModel::new(net, slots, &known, true);
    if let Some((place, warning)) = grows {
        model.set_grows(place);
        loader.warnings.push(warning);
    }
    let matter = Matter::Net(Box::new(model));
    Ok(vec![Subject::new(matter, Vocabulary::Net, Selection::default(), Vec::new())])
}

/// An atom about a net.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum NetAtom {
    /// What holds in a marking.
    Marking(Formula),
    /// The transition that fires.
    Fires(String),
}

/// Parses `fireable(t, u)`, `tokens(p, q) <= 3`, `deadlock` and `"t"`.
struct NetAtoms<'m> {
    model: &'m NetModel,
}

impl NetAtoms<'_> {
    /// Names in parentheses, as words, numbers or in quotes.
    fn names(cursor: &mut Cursor<'_>) -> Result<Vec<(String, Span)>, Diagnostic> {
        let mut names = Vec::new();
        cursor.eat(Symbol::Open);
        loop {
            let token = cursor.peek();
            let text = cursor.text(token);
            let name = match token.kind {
                TokenKind::Word | TokenKind::Number => text.to_owned(),
                TokenKind::Text | TokenKind::Quoted => unquote(text),
                _ => return Err(expected("a name", token.span)),
            };
            cursor.bump();
            names.push((name, token.span));
            if cursor.eat(Symbol::Close) {
                return Ok(names);
            }
            if !cursor.eat(Symbol::Comma) {
                return Err(expected("`,` or `)`", cursor.peek().span));
            }
        }
    }

    fn unknown<'n>(
        kind: &str,
        (name, span): &(String, Span),
        known: impl Iterator<Item = &'n str>,
    ) -> Diagnostic {
        let diagnostic =
            Diagnostic::error(&UNKNOWN_NAME, format!("the net has no {kind} `{name}`"));
        let diagnostic = diagnostic.at(*span, "");
        match similar(name, known).first() {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic
                .help("names are the `id`s of the file; others than words stand in back quotes"),
        }
    }

    /// The transitions with a name: several, where a coloured one has it.
    fn transitions(&self, name: &(String, Span)) -> Result<Vec<TransitionId>, Diagnostic> {
        let known = self.model.net().transitions_by_name();
        let found = known.get(name.0.as_str()).cloned();
        found.ok_or_else(|| Self::unknown("transition", name, sorted(known.keys()).into_iter()))
    }

    fn fireable(&self, cursor: &mut Cursor<'_>) -> Result<Formula, Diagnostic> {
        let names = Self::names(cursor)?;
        let found = names.iter().map(|name| self.transitions(name));
        let transitions = found.collect::<Result<Vec<_>, _>>()?.concat();
        Ok(Formula::fireable(self.model.net(), &transitions))
    }

    /// `tokens(p, q)` or a number, with what it adds to a comparison.
    fn operand(&self, cursor: &mut Cursor<'_>, sign: i64) -> Result<(Sum, i64), Diagnostic> {
        let token = cursor.peek();
        let text = cursor.text(token);
        match token.kind {
            TokenKind::Number => {
                cursor.bump();
                let number =
                    text.parse::<u32>().map_err(|_| expected("a smaller number", token.span))?;
                Ok((Vec::new(), sign * i64::from(number)))
            }
            TokenKind::Word if text == "tokens" => {
                cursor.bump();
                if cursor.peek().kind != TokenKind::Symbol(Symbol::Open) {
                    return Err(expected("`(`", cursor.peek().span));
                }
                let known = self.model.net().places_by_name();
                let mut sum = Sum::new();
                for name in Self::names(cursor)? {
                    let places = known.get(name.0.as_str()).ok_or_else(|| {
                        Self::unknown("place", &name, sorted(known.keys()).into_iter())
                    })?;
                    sum.extend(places.iter().map(|&place| (place, sign)));
                }
                Ok((sum, 0))
            }
            _ => Err(expected("`tokens(…)` or a number", token.span)),
        }
    }

    fn comparison(&self, cursor: &mut Cursor<'_>) -> Result<Formula, Diagnostic> {
        let (left, minus) = self.operand(cursor, 1)?;
        let token = cursor.bump();
        let (right, more) = self.operand(cursor, -1)?;
        // left − right compared with 0.
        let sum: Sum = left.into_iter().chain(right).collect();
        let constant = minus + more;
        let turned: Sum = sum.iter().map(|&(place, factor)| (place, -factor)).collect();
        let below = |gap: i64| Formula::at_most(sum.clone(), -constant - gap);
        let above = |gap: i64| Formula::at_most(turned.clone(), constant - gap);
        Ok(match token.kind {
            TokenKind::Symbol(Symbol::AtMost) => below(0),
            TokenKind::Symbol(Symbol::Less) => below(1),
            TokenKind::Symbol(Symbol::AtLeast) => above(0),
            TokenKind::Symbol(Symbol::Greater) => above(1),
            TokenKind::Symbol(Symbol::Equal) => Formula::and([below(0), above(0)]),
            TokenKind::Symbol(Symbol::NotEqual) => !Formula::and([below(0), above(0)]),
            _ => return Err(expected("`<=`, `<`, `>=`, `>`, `=` or `!=`", token.span)),
        })
    }
}

fn sorted<'n>(names: impl Iterator<Item = &'n &'n str>) -> Vec<&'n str> {
    let mut names: Vec<&str> = names.copied().collect();
    names.sort_unstable();
    names
}

fn expected(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(&FORMULA, format!("expected {what}")).at(span, "here")
}

impl AtomSyntax for NetAtoms<'_> {
    type Atom = NetAtom;

    fn expected(&self) -> &'static str {
        "`fireable(…)`, `tokens(…) <= 3`, `deadlock`, a transition in double quotes, `(` or `not`"
    }

    fn atom(&mut self, cursor: &mut Cursor<'_>) -> Option<Result<NetAtom, Diagnostic>> {
        let opens = cursor.peek_nth(1).kind == TokenKind::Symbol(Symbol::Open);
        let found = match cursor.word() {
            Some("fireable") if opens => {
                cursor.bump();
                self.fireable(cursor)
            }
            Some("tokens") if opens => self.comparison(cursor),
            Some("deadlock") => {
                cursor.bump();
                Ok(Formula::Dead)
            }
            _ if cursor.peek().kind == TokenKind::Number => self.comparison(cursor),
            _ => {
                let token = cursor.peek();
                return match PlainAtoms.atom(cursor)? {
                    Ok(PlainAtom::Action(name)) => {
                        let named = (name, token.span);
                        Some(self.transitions(&named).map(|_| NetAtom::Fires(named.0)))
                    }
                    Ok(PlainAtom::Proposition(name)) => {
                        let message = format!("`{name}` says nothing about a net");
                        let help = "write `tokens(place) >= 1` or `fireable(transition)`";
                        let diagnostic = Diagnostic::error(&UNKNOWN_NAME, message);
                        Some(Err(diagnostic.at(token.span, "").help(help)))
                    }
                    Err(diagnostic) => Some(Err(diagnostic)),
                };
            }
        };
        Some(found.map(NetAtom::Marking))
    }
}

/// A formula about a net in our own syntax.
pub(crate) fn claim(
    model: &mut NetModel,
    sources: &Sources,
    span: Span,
) -> Result<(Claim, Vec<Diagnostic>), Vec<Diagnostic>> {
    let parsed = parse(sources, span, &mut NetAtoms { model });
    let Some(formula) = parsed.formula else { return Err(parsed.diagnostics) };
    if parsed.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(parsed.diagnostics);
    }
    let Ok(kind) = formula.kind() else { return Err(parsed.diagnostics) };
    let mut atoms = Vec::new();
    for (id, atom) in parsed.atoms.iter() {
        let place = parsed.atoms.span(id).unwrap_or(span);
        atoms.push(match atom {
            NetAtom::Marking(meant) => {
                Atom::Proposition(model.proposition(sources.slice(place), meant))
            }
            NetAtom::Fires(name) => {
                let (text, test) = (name.clone(), ActionTest::Name(name.clone()));
                Atom::Action(ActionAtom { text, span: place, test })
            }
        });
    }
    Ok((Claim { statement: (formula, kind).into(), atoms }, parsed.diagnostics))
}

impl Subject<'_> {
    /// Reads a property file of the contest about a net: its formulas as properties.
    pub fn net_properties(
        &mut self,
        sources: &Sources,
        source: SourceId,
    ) -> (Vec<Property>, Vec<Diagnostic>) {
        let Matter::Net(model) = &mut self.matter else {
            let message = "property files of the contest are about nets";
            let problem = Diagnostic::error(&FORMULA, message);
            let help = "name a .pnml file, or write formulas with --formula";
            return (Vec::new(), vec![problem.at(Span::new(source, 0..0), "").help(help)]);
        };
        let (found, mut problems) = read_properties(source, sources.text(source), model.net());
        let mut properties = Vec::new();
        for property in found {
            let formula = match property.asked {
                Asked::Formula(formula) if is_claim(&formula) => formula,
                Asked::Formula(_) | Asked::Bound(_) => {
                    let message = format!("`{}` asks for a number or for a run", property.id);
                    let help = "ask it with `quadrille examine`";
                    let problem = Diagnostic::error(&FORMULA, message);
                    problems.push(problem.at(property.span, "").help(help));
                    continue;
                }
            };
            let (logic, interpretation, is_linear) = prepared(model, &formula);
            let atoms = (0..interpretation.n_atoms()).filter_map(|atom| {
                match interpretation.meaning(quadrille_logic::AtomId::from_usize(atom)) {
                    Some(quadrille_engine::Meaning::Proposition(id)) => {
                        Some(Atom::Proposition(*id))
                    }
                    _ => None,
                }
            });
            let kind = if is_linear { LogicKind::Linear } else { LogicKind::Branching };
            let atoms = atoms.collect();
            properties.push(Property {
                name: property.id.clone(),
                claims: vec![Claim { statement: Statement::from((logic, kind)), atoms }],
                runs: Runs::default(),
                expected: Expected::Holds,
                span: property.span,
                words: vec!["--properties".to_owned(), sources.name(source).to_owned()],
                aim: Aim::Prove,
                text: None,
            });
        }
        (properties, problems)
    }
}

/// Whether a formula speaks about all runs, or about branching time.
fn is_claim(formula: &Formula) -> bool {
    !(formula.kind() == Kind::Linear && matches!(formula, Formula::Some(_)))
}
