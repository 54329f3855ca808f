//! The states of a trace in a row, with what happens between them and where it goes on behind the last.

use std::fmt::Write;

use quadrille_alloy::Instance;

use crate::xml::escape;

/// How far apart states are, and where they lie.
const APART: f64 = 185.0;
const LINE: f64 = 34.0;

/// The row; nothing for an instance in which nothing changes.
pub(super) fn strip(instance: &Instance) -> String {
    if instance.is_static() {
        return String::new();
    }
    let n = instance.length();
    let (width, height) = (APART * n as f64, 102.0);
    let centre = |state: usize| 40.0 + APART * state as f64;
    let mut svg = format!(
        "<svg id=\"strip\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\">\n"
    );
    for state in 0..n {
        let (from, events) = (centre(state), events(&instance.events[state]));
        if state + 1 < n {
            let (from, to) = (from + 17.0, centre(state + 1) - 17.0);
            let _ = writeln!(
                svg,
                "<path class=\"edge\" d=\"M{from:.0} {LINE} L{to:.0} {LINE}\" marker-end=\"url(#tip)\"/>\
                 <text class=\"event\" x=\"{:.0}\" y=\"{:.0}\">{events}</text>",
                (from + to) / 2.0,
                LINE - 10.0
            );
        } else {
            // Back below the row; of a state to itself, a loop.
            let to = centre(instance.back_to());
            let (leaves, enters) = if to < from { (from, to) } else { (from + 9.0, from - 9.0) };
            let wide = if to < from { 0.0 } else { 22.0 };
            let _ = writeln!(
                svg,
                "<path class=\"edge back\" d=\"M{leaves:.0} {:.0} C{:.0} 92 {:.0} 92 {enters:.0} {:.0}\" \
                 marker-end=\"url(#tip)\"/><text class=\"event\" x=\"{:.0}\" y=\"94\">{events}</text>",
                LINE + 14.0,
                leaves + wide,
                enters - wide,
                LINE + 15.0,
                (from + to) / 2.0
            );
        }
    }
    for state in 0..n {
        let x = centre(state);
        let _ = writeln!(
            svg,
            "<g class=\"stop\" data-state=\"{state}\"><circle cx=\"{x:.0}\" cy=\"{LINE}\" r=\"16\"/>\
             <text x=\"{x:.0}\" y=\"{:.0}\">{state}</text></g>",
            LINE + 5.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// The names of events, as far as there is room; all of them where the mouse rests.
fn events(events: &[String]) -> String {
    let all = events.join(", ");
    let short: String = match all.chars().count() > 22 {
        true => all.chars().take(20).chain(['…']).collect(),
        false => all.clone(),
    };
    format!("{}<title>{}</title>", escape(&short), escape(&all))
}
