//! Reads nets of PNML (ISO/IEC 15909-2): pages, weights, units of nested-unit nets; of symmetric nets
//! what `coloured` makes a net of. Graphics and what else is of other tools is passed over.

mod names;

use std::ops::Range;

use quadrille_diagnostic::{Diagnostic, SourceId};
use rustc_hash::FxHashMap;

use crate::codes::{IDENTIFIER, NO_NET, NOT_UNDERSTOOD, NUMBER};
use crate::coloured::{Written, WrittenPlace, WrittenTransition, assemble, unfold};
use crate::net::{Net, PlaceId, Tokens, Transition, TransitionId};
use crate::xml::{Element, Event, Node, Read, Reader};

const PT_NET: &str = "/ptnet";
/// What tools for process mining write: no more than places, transitions and arcs.
const CORE_MODEL: &str = "/pnmlcoremodel";
const SYMMETRIC_NET: &str = "/symmetricnet";
/// Pages in pages.
const DEEPEST: usize = 100;

/// Reads the net of a text. There is one exactly if no diagnostic is an error.
pub fn read_pnml(source: SourceId, text: &str) -> (Option<Net>, Vec<Diagnostic>) {
    let mut reading = Reading {
        reader: Reader::new(source, text),
        net: Net::default(),
        places: FxHashMap::default(),
        transitions: FxHashMap::default(),
        arcs: Vec::new(),
        references: Vec::new(),
        units: Vec::new(),
        symmetric: None,
        problems: Vec::new(),
    };
    if let Err(problem) = reading.document() {
        reading.problems.push(*problem);
    }
    let Reading { net, problems, .. } = reading;
    let found = if problems.iter().any(Diagnostic::is_error) { None } else { Some(net) };
    (found, problems)
}

struct Arc<'t> {
    source: String,
    target: String,
    weight: Tokens,
    /// Its `hlinscription`.
    moved: Option<Node<'t>>,
    element: Element<'t>,
}

/// A reference node: another name for a place or a transition, for arcs on another page.
struct Reference<'t> {
    id: String,
    of: String,
    element: Element<'t>,
}

/// A unit before its names were looked up.
struct RawUnit {
    id: String,
    places: Vec<String>,
    parts: Vec<String>,
    place: Range<usize>,
}

struct Reading<'t> {
    reader: Reader<'t>,
    net: Net,
    places: FxHashMap<String, PlaceId>,
    transitions: FxHashMap<String, TransitionId>,
    arcs: Vec<Arc<'t>>,
    references: Vec<Reference<'t>>,
    units: Vec<RawUnit>,
    /// What is written of colours, in a symmetric net.
    symmetric: Option<Written<'t>>,
    problems: Vec<Diagnostic>,
}

impl<'t> Reading<'t> {
    fn document(&mut self) -> Read<()> {
        let mut n_nets = 0;
        loop {
            match self.reader.next()? {
                Event::Start(element) if element.name == "net" => {
                    n_nets += 1;
                    if n_nets > 1 {
                        let message = "the file holds several nets";
                        return Err(self.problem(
                            &NO_NET,
                            message,
                            &element.place,
                            "a further net",
                        ));
                    }
                    self.net_type(&element)?;
                    self.net.id = element.attribute("id").unwrap_or("net").to_owned();
                    self.page(0)?;
                }
                Event::Done if n_nets == 0 => {
                    let message = "the file holds no net";
                    return Err(self.problem(&NO_NET, message, &(0..0), "expected `<net …>`"));
                }
                Event::Done => break,
                Event::Start(_) | Event::End | Event::Text(..) => {}
            }
        }
        self.refer();
        self.connect();
        self.unfold()?;
        self.name_units();
        Ok(())
    }

    /// Makes the net of what is written of a symmetric one.
    fn unfold(&mut self) -> Read<()> {
        let Some(written) = self.symmetric.take() else { return Ok(()) };
        // Units are about the places of a place/transition net.
        self.units.clear();
        let (coloured, problems) = assemble(self.reader.source, &written);
        self.problems.extend(problems);
        if self.problems.iter().any(Diagnostic::is_error) {
            return Ok(());
        }
        self.net.places.clear();
        self.net.initial.clear();
        unfold(&coloured, &mut self.net)
    }

    fn problem(
        &self,
        code: &'static quadrille_diagnostic::Code,
        message: impl Into<String>,
        place: &Range<usize>,
        label: &str,
    ) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(code, message).at(self.reader.span(place), label))
    }

    fn net_type(&mut self, element: &Element<'_>) -> Read<()> {
        let kind = element.attribute("type").unwrap_or("");
        if kind.ends_with(SYMMETRIC_NET) {
            self.symmetric = Some(Written::default());
            return Ok(());
        }
        let is_plain = [PT_NET, CORE_MODEL].iter().any(|end| kind.ends_with(end));
        if is_plain || kind.eq_ignore_ascii_case("ptnet") || kind.is_empty() {
            return Ok(());
        }
        let (word, help) = match kind.rsplit('/').next().unwrap_or(kind) {
            "highlevelnet" | "hlpn" | "hlpng" => {
                ("a high-level net".to_owned(), "unfold it, and save it as a place/transition net")
            }
            "pt-hlpng" => (
                "a high-level form of a place/transition net".to_owned(),
                "save it as a place/transition net",
            ),
            _ => (
                format!("of the type `{kind}`"),
                "save it as a place/transition net of ISO/IEC 15909-2 (`…/grammar/ptnet`)",
            ),
        };
        let message =
            format!("the net is {word}; place/transition nets and symmetric nets are read");
        let diagnostic = self.problem(&NO_NET, message, &element.place, "declared here");
        Err(Box::new(diagnostic.help(help)))
    }

    /// What stands in a net or on a page of it.
    fn page(&mut self, depth: usize) -> Read<()> {
        loop {
            let element = match self.reader.next()? {
                Event::Start(element) => element,
                Event::Text(..) => continue,
                Event::End | Event::Done => return Ok(()),
            };
            match element.name {
                "page" if depth < DEEPEST => self.page(depth + 1)?,
                "page" => {
                    let message = "pages are nested too deep";
                    return Err(self.problem(&NOT_UNDERSTOOD, message, &element.place, ""));
                }
                "place" => self.place(&element)?,
                "transition" => self.transition(&element)?,
                "arc" => self.arc(element)?,
                "declaration" if self.symmetric.is_some() => {
                    let tree = self.reader.tree(element)?;
                    self.symmetric.iter_mut().for_each(|it| it.declarations.push(tree.clone()));
                }
                "toolspecific" => self.tool(&element)?,
                "referencePlace" | "referenceTransition" => self.reference(element)?,
                "declaration" => {
                    let message = format!("`{}` is not understood", element.name);
                    return Err(self.problem(&NOT_UNDERSTOOD, message, &element.place, ""));
                }
                _ => self.reader.skip()?,
            }
        }
    }

    /// The identifier of an element, if it has one of its own.
    fn id(&mut self, element: &Element<'_>) -> Option<String> {
        let id = element.attribute("id").unwrap_or("");
        let is_known = self.places.contains_key(id) || self.transitions.contains_key(id);
        if !id.is_empty() && !is_known {
            return Some(id.to_owned());
        }
        let message = match id {
            "" => format!("a {} has no identifier", element.name),
            id => format!("`{id}` is declared twice"),
        };
        let problem = self.problem(&IDENTIFIER, message, &element.place, "");
        self.problems.push(*problem);
        None
    }

    fn place(&mut self, element: &Element<'_>) -> Read<()> {
        let id = self.id(element);
        let (mut tokens, mut sort, mut initial) = (0, None, None);
        while let Some(inner) = self.inner()? {
            match inner.name {
                "type" if self.symmetric.is_some() => sort = Some(self.reader.tree(inner)?),
                "hlinitialMarking" if self.symmetric.is_some() => {
                    initial = Some(self.reader.tree(inner)?);
                }
                "initialMarking" if self.symmetric.is_none() => tokens = self.number(&inner, 0)?,
                "initialMarking" | "hlinitialMarking" | "type" => return Err(self.strange(&inner)),
                _ => self.reader.skip()?,
            }
        }
        if let Some(id) = id {
            self.places.insert(id.clone(), PlaceId::from_usize(self.net.places.len()));
            if let Some(written) = &mut self.symmetric {
                let (id, place) = (id.clone(), element.place.clone());
                written.places.push(WrittenPlace { id, sort, initial, place });
            }
            self.net.places.push(id);
            self.net.initial.push(tokens);
        }
        Ok(())
    }

    fn transition(&mut self, element: &Element<'_>) -> Read<()> {
        let id = self.id(element);
        let mut condition = None;
        while let Some(inner) = self.inner()? {
            match inner.name {
                "condition" if self.symmetric.is_some() => {
                    condition = Some(self.reader.tree(inner)?);
                }
                "condition" | "guard" => return Err(self.strange(&inner)),
                _ => self.reader.skip()?,
            }
        }
        if let Some(id) = id {
            let number = TransitionId::from_usize(self.transitions.len());
            self.transitions.insert(id.clone(), number);
            if let Some(written) = &mut self.symmetric {
                let (id, place) = (id.clone(), element.place.clone());
                let (take, put) = (Vec::new(), Vec::new());
                written.transitions.push(WrittenTransition { id, condition, take, put, place });
                return Ok(());
            }
            self.net.transitions.push(Transition { id, ..Transition::default() });
        }
        Ok(())
    }

    fn reference(&mut self, element: Element<'t>) -> Read<()> {
        let id = self.id(&element);
        self.reader.skip()?;
        let of = element.attribute("ref").unwrap_or("").to_owned();
        self.references.extend(id.map(|id| Reference { id, of, element }));
        Ok(())
    }

    fn arc(&mut self, element: Element<'t>) -> Read<()> {
        let (mut weight, mut moved) = (1, None);
        while let Some(inner) = self.inner()? {
            match inner.name {
                "hlinscription" if self.symmetric.is_some() => {
                    moved = Some(self.reader.tree(inner)?);
                }
                "inscription" if self.symmetric.is_some() => return Err(self.strange(&inner)),
                "inscription" => weight = self.number(&inner, 1)?,
                "type" => {
                    let written = inner.attribute("value").map(str::to_owned);
                    let (text, _) = self.label(&inner)?;
                    self.arc_type(written.as_deref().unwrap_or(&text), &inner)?;
                }
                "hlinscription" => return Err(self.strange(&inner)),
                _ => self.reader.skip()?,
            }
        }
        self.arc_type(element.attribute("type").unwrap_or(""), &element)?;
        let end = |name| element.attribute(name).unwrap_or("").to_owned();
        let (source, target) = (end("source"), end("target"));
        self.arcs.push(Arc { source, target, weight, moved, element });
        Ok(())
    }

    /// Other arcs than normal ones are told by name: to read them as normal would change the net.
    fn arc_type(&self, kind: &str, element: &Element<'_>) -> Read<()> {
        if matches!(kind.trim(), "" | "normal") {
            return Ok(());
        }
        let message = format!("arcs of the type `{}` are not understood", kind.trim());
        let help = "express it by places, transitions and arcs with weights";
        Err(Box::new(self.problem(&NOT_UNDERSTOOD, message, &element.place, "").help(help)))
    }

    /// The next element within the innermost one; `None` at its end.
    fn inner(&mut self) -> Read<Option<Element<'t>>> {
        loop {
            match self.reader.next()? {
                Event::Start(element) => return Ok(Some(element)),
                Event::Text(..) => {}
                Event::End | Event::Done => return Ok(None),
            }
        }
    }

    fn strange(&self, element: &Element<'_>) -> Box<Diagnostic> {
        let message = format!("`{}` is not understood", element.name);
        let help = "express it by places, transitions and arcs with weights";
        let problem = self.problem(&NOT_UNDERSTOOD, message, &element.place, "");
        Box::new(problem.help(help))
    }

    /// The text of an element that is a label: that of its `text`, or else its own.
    fn label(&mut self, element: &Element<'_>) -> Read<(String, Range<usize>)> {
        let mut label = (String::new(), element.place.clone());
        let mut own = String::new();
        loop {
            match self.reader.next()? {
                Event::Start(inner) if inner.name == "text" => label = self.reader.content()?,
                Event::Start(_) => self.reader.skip()?,
                Event::Text(text, _) => own.push_str(&text),
                Event::End | Event::Done => break,
            }
        }
        if label.0.trim().is_empty() {
            label = (own, element.place.clone());
        }
        Ok(label)
    }

    /// The number that an element has as its label; where it has none, that is the least one.
    fn number(&mut self, element: &Element<'_>, least: Tokens) -> Read<Tokens> {
        let (text, place) = self.label(element)?;
        if text.trim().is_empty() {
            return Ok(least);
        }
        match text.trim().parse::<Tokens>() {
            Ok(number) if number >= least && number < 1 << 31 => Ok(number),
            _ => {
                let message = format!("`{}` is no number of tokens", text.trim());
                let label =
                    if least == 0 { "expected 0, 1, 2, …" } else { "expected 1, 2, 3, …" };
                Err(self.problem(&NUMBER, message, &place, label))
            }
        }
    }

    fn tool(&mut self, element: &Element<'_>) -> Read<()> {
        if element.attribute("tool") != Some("nupn") {
            return self.reader.skip();
        }
        while let Some(inner) = self.inner()? {
            if inner.name != "structure" {
                self.reader.skip()?;
                continue;
            }
            self.net.says_safe = inner.attribute("safe") == Some("true");
            while let Some(unit) = self.inner()? {
                if unit.name == "unit" {
                    self.unit(&unit)?;
                } else {
                    self.reader.skip()?;
                }
            }
        }
        Ok(())
    }

    fn unit(&mut self, element: &Element<'_>) -> Read<()> {
        let id = element.attribute("id").unwrap_or("").to_owned();
        let mut unit =
            RawUnit { id, places: Vec::new(), parts: Vec::new(), place: element.place.clone() };
        while let Some(inner) = self.inner()? {
            let (text, _) = self.reader.content()?;
            let names = text.split_whitespace().map(str::to_owned);
            match inner.name {
                "places" => unit.places.extend(names),
                "subunits" => unit.parts.extend(names),
                _ => {}
            }
        }
        self.units.push(unit);
        Ok(())
    }
}
