//! Reads property files of the Model Checking Contest: formulas with identifiers.

use std::ops::Range;

use quadrille_diagnostic::{Diagnostic, SourceId, Span, similar};
use rustc_hash::FxHashMap;

use crate::codes::{FORMULA, UNKNOWN};
use crate::formula::{Formula, Sum};
use crate::net::{Net, PlaceId, TransitionId};
use crate::xml::{Element, Event, Read, Reader};

/// Formulas that are nested deeper are refused.
const DEEPEST: usize = 1000;

/// What is asked of a net.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Whether a formula holds in the initial marking.
    Formula(Formula),
    /// The most tokens that these places ever hold together.
    Bound(Vec<PlaceId>),
}

/// A property of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// Its identifier.
    pub id: String,
    /// What is asked.
    pub asked: Asked,
    /// Where it is written.
    pub span: Span,
}

/// Reads the properties of a text about a net. What cannot be read is left out, with a diagnostic.
pub fn read_properties(
    source: SourceId,
    text: &str,
    net: &Net,
) -> (Vec<Property>, Vec<Diagnostic>) {
    let mut reading = Reading {
        reader: Reader::new(source, text),
        net,
        places: net.places_by_name(),
        transitions: net.transitions_by_name(),
    };
    let (mut properties, mut problems) = (Vec::new(), Vec::new());
    loop {
        match reader_step(&mut reading) {
            Ok(Some(Ok(property))) => properties.push(property),
            Ok(Some(Err(problem))) => problems.push(*problem),
            Ok(None) => break,
            Err(problem) => {
                problems.push(*problem);
                break;
            }
        }
    }
    if properties.is_empty() && problems.is_empty() {
        let problem = Diagnostic::error(&FORMULA, "the file holds no property");
        problems.push(problem.at(Span::new(source, 0..0), "expected `<property-set>`"));
    }
    (properties, problems)
}

/// The next property, or what is wrong with it.
fn reader_step(reading: &mut Reading<'_, '_>) -> Read<Option<Read<Property>>> {
    loop {
        match reading.reader.next()? {
            Event::Start(element) if element.name == "property" => {
                return reading.property(&element).map(Some);
            }
            Event::Done => return Ok(None),
            Event::Start(_) | Event::End | Event::Text(..) => {}
        }
    }
}

struct Reading<'t, 'n> {
    reader: Reader<'t>,
    net: &'n Net,
    places: FxHashMap<&'n str, Vec<PlaceId>>,
    transitions: FxHashMap<&'n str, Vec<TransitionId>>,
}

/// An operand of a comparison.
struct Operand {
    sum: Sum,
    constant: i64,
}

impl<'t> Reading<'t, '_> {
    fn problem(&self, message: impl Into<String>, place: &Range<usize>) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(&FORMULA, message).at(self.reader.span(place), ""))
    }

    /// The elements within the innermost one, one at a time; `None` at its end.
    fn inner(&mut self) -> Read<Option<Element<'t>>> {
        loop {
            match self.reader.next()? {
                Event::Start(element) => return Ok(Some(element)),
                Event::Text(..) => {}
                Event::End | Event::Done => return Ok(None),
            }
        }
    }

    /// A property. The outer result is about the file: reading cannot go on.
    fn property(&mut self, element: &Element<'_>) -> Read<Read<Property>> {
        let (mut id, mut asked) = (String::new(), None);
        while let Some(inner) = self.inner()? {
            match inner.name {
                "id" => self.reader.content()?.0.trim().clone_into(&mut id),
                "formula" => {
                    let depth = self.reader.depth();
                    let found = self.question(&inner);
                    if found.is_err() {
                        self.reader.leave(depth)?;
                    }
                    asked = Some(found);
                }
                _ => self.reader.skip()?,
            }
        }
        let span = self.reader.span(&element.place);
        Ok(match asked {
            Some(asked) => asked.map(|asked| Property { id, asked, span }),
            None => Err(self.problem("a property has no formula", &element.place)),
        })
    }

    fn question(&mut self, element: &Element<'t>) -> Read<Asked> {
        let Some(inner) = self.inner()? else {
            return Err(self.problem("a formula is empty", &element.place));
        };
        let asked = match inner.name {
            "place-bound" => Asked::Bound(self.named_places()?),
            _ => Asked::Formula(self.formula(&inner, 0)?),
        };
        match self.inner()? {
            None => Ok(asked),
            Some(more) => Err(self.problem("a formula has one element", &more.place)),
        }
    }

    /// A formula whose element began.
    fn formula(&mut self, element: &Element<'t>, depth: usize) -> Read<Formula> {
        if depth > DEEPEST {
            return Err(self.problem("the formula is nested too deep", &element.place));
        }
        let one = |reading: &mut Self| -> Read<Box<Formula>> {
            let mut all = reading.operands(element, depth)?;
            match (all.pop(), all.is_empty()) {
                (Some(only), true) => Ok(Box::new(only)),
                _ => {
                    let message = format!("`{}` has one operand", element.name);
                    Err(reading.problem(message, &element.place))
                }
            }
        };
        Ok(match element.name {
            "all-paths" => Formula::All(one(self)?),
            "exists-path" => Formula::Some(one(self)?),
            "next" => Formula::Next(one(self)?),
            "finally" => Formula::Finally(one(self)?),
            "globally" => Formula::Globally(one(self)?),
            "before" | "reach" => *one(self)?,
            "until" => {
                let all = self.operands(element, depth)?;
                let Ok([before, reach]) = <[Formula; 2]>::try_from(all) else {
                    let message = "`until` has a `before` and a `reach`";
                    return Err(self.problem(message, &element.place));
                };
                Formula::Until(Box::new(before), Box::new(reach))
            }
            "negation" => !*one(self)?,
            "conjunction" => Formula::and(self.operands(element, depth)?),
            "disjunction" => Formula::or(self.operands(element, depth)?),
            "implication" => {
                let all = self.operands(element, depth)?;
                let Ok([left, right]) = <[Formula; 2]>::try_from(all) else {
                    return Err(self.problem("`implication` has two operands", &element.place));
                };
                Formula::or([!left, right])
            }
            "true" | "false" => {
                self.reader.skip()?;
                Formula::Constant(element.name == "true")
            }
            "deadlock" => {
                self.reader.skip()?;
                Formula::Dead
            }
            "is-fireable" => {
                let named = self.named("transition")?;
                let mut transitions = Vec::new();
                for (name, place) in named {
                    let known = self.transitions.get(name.as_str());
                    transitions.extend(known.ok_or_else(|| self.unknown(&name, &place))?);
                }
                Formula::fireable(self.net, &transitions)
            }
            "integer-le" | "integer-ge" | "integer-lt" | "integer-gt" | "integer-eq"
            | "integer-ne" => self.comparison(element)?,
            name => {
                let message = format!("`{name}` is no part of a formula");
                return Err(self.problem(message, &element.place));
            }
        })
    }

    fn operands(&mut self, element: &Element<'t>, depth: usize) -> Read<Vec<Formula>> {
        let mut all = Vec::new();
        while let Some(inner) = self.inner()? {
            all.push(self.formula(&inner, depth + 1)?);
        }
        if all.is_empty() {
            let message = format!("`{}` has no operand", element.name);
            return Err(self.problem(message, &element.place));
        }
        Ok(all)
    }

    fn comparison(&mut self, element: &Element<'t>) -> Read<Formula> {
        let mut all = Vec::new();
        while let Some(inner) = self.inner()? {
            all.push(self.operand(&inner, 0)?);
        }
        let Ok([left, right]) = <[Operand; 2]>::try_from(all) else {
            let message = format!("`{}` compares two numbers", element.name);
            return Err(self.problem(message, &element.place));
        };
        let below = |small: &Operand, large: &Operand, gap: i64| {
            let minus = large.sum.iter().map(|&(place, factor)| (place, -factor));
            let sum = small.sum.iter().copied().chain(minus).collect();
            Formula::at_most(sum, large.constant - small.constant - gap)
        };
        Ok(match element.name {
            "integer-le" => below(&left, &right, 0),
            "integer-lt" => below(&left, &right, 1),
            "integer-ge" => below(&right, &left, 0),
            "integer-gt" => below(&right, &left, 1),
            "integer-eq" => Formula::and([below(&left, &right, 0), below(&right, &left, 0)]),
            _ => !Formula::and([below(&left, &right, 0), below(&right, &left, 0)]),
        })
    }

    fn operand(&mut self, element: &Element<'t>, depth: usize) -> Read<Operand> {
        match element.name {
            "integer-constant" => {
                let (text, place) = self.reader.content()?;
                let number = text.trim().parse::<i32>().ok();
                let message = || format!("`{}` is no number", text.trim());
                let number = number.ok_or_else(|| self.problem(message(), &place))?;
                Ok(Operand { sum: Vec::new(), constant: i64::from(number) })
            }
            "tokens-count" => {
                let places = self.named_places()?;
                let sum = places.into_iter().map(|place| (place, 1)).collect();
                Ok(Operand { sum, constant: 0 })
            }
            "integer-sum" | "integer-difference" if depth < DEEPEST => {
                let mut total = Operand { sum: Vec::new(), constant: 0 };
                let mut sign = 1;
                while let Some(inner) = self.inner()? {
                    let part = self.operand(&inner, depth + 1)?;
                    let signed = part.sum.into_iter().map(|(place, factor)| (place, sign * factor));
                    total.sum.extend(signed);
                    total.constant += sign * part.constant;
                    sign = if element.name == "integer-sum" { 1 } else { -1 };
                }
                Ok(total)
            }
            name => Err(self.problem(format!("`{name}` is no number"), &element.place)),
        }
    }

    /// The names in elements of a kind.
    fn named(&mut self, kind: &str) -> Read<Vec<(String, Range<usize>)>> {
        let mut names = Vec::new();
        while let Some(inner) = self.inner()? {
            if inner.name != kind {
                let message = format!("`{}` where a {kind} is expected", inner.name);
                return Err(self.problem(message, &inner.place));
            }
            let (text, place) = self.reader.content()?;
            names.push((text.trim().to_owned(), place));
        }
        Ok(names)
    }

    fn named_places(&mut self) -> Read<Vec<PlaceId>> {
        let mut places = Vec::new();
        for (name, place) in self.named("place")? {
            let known = self.places.get(name.as_str());
            places.extend(known.ok_or_else(|| self.unknown(&name, &place))?);
        }
        Ok(places)
    }

    fn unknown(&self, name: &str, place: &Range<usize>) -> Box<Diagnostic> {
        let message = format!("the net has no `{name}`");
        let problem = Diagnostic::error(&UNKNOWN, message).at(self.reader.span(place), "");
        let transitions = self.net.written_transitions().into_iter().map(|(id, _)| id);
        let known = self.net.written_places().into_iter().map(|(id, _)| id).chain(transitions);
        Box::new(match similar(name, known).first() {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem,
        })
    }
}
