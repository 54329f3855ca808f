//! Writes place/transition nets as PNML (ISO/IEC 15909-2), with units as the section of nested-unit nets.

use std::fmt::Write as _;

use rustc_hash::FxHashSet;

use crate::net::{Net, Tokens};

/// The text of a net. Identifiers that XML does not allow are replaced; names say what they were.
pub fn write_pnml(net: &Net) -> String {
    let mut used = FxHashSet::default();
    let mut ids = |names: &mut dyn Iterator<Item = &String>| -> Vec<String> {
        names.map(|name| identifier(name, &mut used)).collect()
    };
    let places = ids(&mut net.places.iter());
    let transitions = ids(&mut net.transitions.iter().map(|transition| &transition.id));
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n",
    );
    let id = identifier(&net.id, &mut FxHashSet::default());
    let kind = "http://www.pnml.org/version-2009/grammar/ptnet";
    let _ = writeln!(text, "  <net id=\"{id}\" type=\"{kind}\">");
    let _ = writeln!(text, "    <name><text>{}</text></name>", escaped(&net.id));
    text.push_str("    <page id=\"page\">\n");
    for ((id, name), &tokens) in places.iter().zip(&net.places).zip(&net.initial) {
        let _ =
            write!(text, "      <place id=\"{id}\"><name><text>{}</text></name>", escaped(name));
        if tokens > 0 {
            let _ = write!(text, "<initialMarking><text>{tokens}</text></initialMarking>");
        }
        text.push_str("</place>\n");
    }
    for (id, transition) in transitions.iter().zip(&net.transitions) {
        let name = escaped(&transition.id);
        let _ = writeln!(
            text,
            "      <transition id=\"{id}\"><name><text>{name}</text></name></transition>"
        );
    }
    let mut n_arcs = 0;
    for (id, transition) in transitions.iter().zip(&net.transitions) {
        let mut arc = |source: &str, target: &str, tokens: Tokens| {
            n_arcs += 1;
            let arc = identifier(&format!("arc{n_arcs}"), &mut used);
            let _ = write!(text, "      <arc id=\"{arc}\" source=\"{source}\" target=\"{target}\"");
            let _ = match tokens {
                1 => writeln!(text, "/>"),
                _ => writeln!(text, "><inscription><text>{tokens}</text></inscription></arc>"),
            };
        };
        for &(place, tokens) in &transition.take {
            arc(&places[place.index()], id, tokens);
        }
        for &(place, tokens) in &transition.put {
            arc(id, &places[place.index()], tokens);
        }
    }
    units(net, &places, n_arcs, &mut text);
    text.push_str("    </page>\n  </net>\n</pnml>\n");
    text
}

fn units(net: &Net, places: &[String], n_arcs: usize, text: &mut String) {
    if net.units.is_empty() {
        return;
    }
    let is_part = |number: usize| net.units.iter().any(|unit| unit.parts.contains(&number));
    let root = (0..net.units.len()).find(|&number| !is_part(number)).unwrap_or(0);
    let names: Vec<String> = net.units.iter().map(|unit| escaped(&unit.id)).collect();
    text.push_str("      <toolspecific tool=\"nupn\" version=\"1.1\">\n");
    let (p, t) = (net.n_places(), net.transitions.len());
    let _ = writeln!(text, "        <size places=\"{p}\" transitions=\"{t}\" arcs=\"{n_arcs}\"/>");
    let (n, root, safe) = (net.units.len(), &names[root], net.says_safe);
    let _ = writeln!(text, "        <structure units=\"{n}\" root=\"{root}\" safe=\"{safe}\">");
    for (unit, name) in net.units.iter().zip(&names) {
        let own: Vec<&str> =
            unit.places.iter().map(|place| places[place.index()].as_str()).collect();
        let parts: Vec<&str> = unit.parts.iter().map(|&part| names[part].as_str()).collect();
        let _ = writeln!(
            text,
            "          <unit id=\"{name}\"><places>{}</places><subunits>{}</subunits></unit>",
            own.join(" "),
            parts.join(" ")
        );
    }
    text.push_str("        </structure>\n      </toolspecific>\n");
}

/// A name as an identifier of XML that was not used before.
fn identifier(name: &str, used: &mut FxHashSet<String>) -> String {
    let is_first = |letter: char| letter.is_alphabetic() || letter == '_';
    let is_allowed = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
    let mut id: String = name
        .trim_end_matches(')')
        .chars()
        .map(|it| if is_allowed(it) { it } else { '_' })
        .collect();
    if !id.starts_with(is_first) {
        id.insert(0, '_');
    }
    let (mut unique, mut number) = (id.clone(), 1);
    while !used.insert(unique.clone()) {
        number += 1;
        unique = format!("{id}-{number}");
    }
    unique
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
