//! One state: atoms as boxes, binary fields as arrows, wider ones as tables.

use std::fmt::Write;

use quadrille_alloy::{Content, Instance};

use super::theme::{Theme, short};
use crate::xml::escape;

/// An atom with its place, and half the width and height of its box, the same in every state.
pub(super) struct Place {
    atom: String,
    x: f64,
    y: f64,
    half: (f64, f64),
}

/// Colours of signatures, which tell them apart on white.
const COLOURS: [&str; 8] =
    ["#cfe3f5", "#f7dcc0", "#d5ecd1", "#f3d1da", "#e2d8f0", "#f5efc4", "#d3ecea", "#e4e4e4"];

/// Every atom that is there at some time, round a circle, signature by signature.
pub(super) fn places(instance: &Instance, theme: &Theme) -> Vec<Place> {
    let mut atoms: Vec<String> = Vec::new();
    let shown = instance.sigs.iter().filter(|sig| !theme.hides(sig));
    for row in shown.flat_map(|sig| sig.states.iter().flatten()) {
        if !atoms.contains(&row[0]) {
            atoms.push(row[0].clone());
        }
    }
    let wide = instance.fields.iter().filter(|field| field.arity == 2 && !theme.hides(field));
    let ends = wide.filter(|field| !theme.is_attribute(field));
    for row in ends.flat_map(|field| field.states.iter().flatten()) {
        for atom in row {
            // Numbers and texts have no signature of their own.
            let is_plain = atom.parse::<i64>().is_ok() || atom.starts_with('"');
            if is_plain && !atoms.contains(atom) {
                atoms.push(atom.clone());
            }
        }
    }
    let n = atoms.len();
    let halves: Vec<(f64, f64)> = atoms.iter().map(|atom| half(instance, theme, atom)).collect();
    // Boxes beside each other on the circle do not touch.
    let around: f64 = halves.iter().map(|half| half.0 + half.1 + 14.0).sum();
    let radius = (around / std::f64::consts::TAU * 1.15).max(95.0);
    let place = |(at, atom): (usize, String)| {
        let angle = std::f64::consts::TAU * at as f64 / n as f64 - std::f64::consts::FRAC_PI_2;
        let (x, y) = match n {
            1 => (0.0, 0.0),
            _ => (radius * 1.3 * angle.cos(), radius * angle.sin()),
        };
        Place { atom, x, y, half: halves[at] }
    };
    atoms.into_iter().enumerate().map(place).collect()
}

/// Half the width and height that an atom needs in any state.
fn half(instance: &Instance, theme: &Theme, atom: &str) -> (f64, f64) {
    let (mut width, mut height) = (48.0_f64, 1);
    for state in 0..instance.length() {
        let lines = lines(instance, theme, atom, state);
        for (at, line) in lines.iter().enumerate() {
            let n = line.chars().count() as f64;
            width = width.max(n * if at == 0 { 9.0 } else { 6.6 } + 18.0);
        }
        height = height.max(lines.len());
    }
    (width / 2.0, height as f64 * 7.0 + 9.0)
}

/// What stands in the box of an atom: its name, further signatures, what was looked for, attributes.
fn lines(instance: &Instance, theme: &Theme, atom: &str, state: usize) -> Vec<String> {
    let sigs = signatures(instance, theme, atom, state);
    // The first signature is in the name of the atom.
    let further = sigs.iter().filter(|sig| !atom.starts_with(&format!("{sig}$")));
    let mut lines = vec![atom.to_owned(), further.copied().collect::<Vec<_>>().join(", ")];
    let held = instance.skolems.iter().filter(|it| it.arity == 1);
    let held = held.filter(|it| it.at(state).iter().any(|row| row[0] == atom));
    lines.push(held.map(|it| it.name.clone()).collect::<Vec<_>>().join(", "));
    for field in instance.fields.iter().filter(|it| it.arity == 2 && theme.is_attribute(it)) {
        let values = field.at(state).iter().filter(|row| row[0] == atom);
        let values: Vec<&str> = values.map(|row| &*row[1]).collect();
        if !values.is_empty() {
            lines.push(format!("{}: {}", short(&field.name), values.join(", ")));
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// The signatures an atom is in, the narrowest last.
fn signatures<'i>(instance: &'i Instance, theme: &Theme, atom: &str, state: usize) -> Vec<&'i str> {
    let is_in = |sig: &&Content| sig.at(state).iter().any(|row| row[0] == atom);
    let sigs = instance.sigs.iter().filter(|sig| !theme.hides(sig)).filter(is_in);
    sigs.map(|sig| &*sig.name).collect()
}

fn colour(instance: &Instance, theme: &Theme, sigs: &[&str]) -> String {
    if let Some(colour) = theme.colour(sigs) {
        return colour.to_owned();
    }
    let first = sigs.first();
    let at = instance.sigs.iter().position(|sig| Some(&&*sig.name) == first);
    at.map_or("#f4f4f4", |at| COLOURS[at % COLOURS.len()]).to_owned()
}

pub(super) fn drawing(
    instance: &Instance,
    theme: &Theme,
    places: &[Place],
    state: usize,
    before: Option<usize>,
) -> String {
    let (mut least, mut most) = ((-60.0_f64, -40.0_f64), (60.0_f64, 40.0_f64));
    for Place { x, y, half, .. } in places {
        // Loops of an atom to itself are to its right.
        least = (least.0.min(x - half.0 - 14.0), least.1.min(y - half.1 - 14.0));
        most = (most.0.max(x + half.0 + 66.0), most.1.max(y + half.1 + 14.0));
    }
    let (width, height) = (most.0 - least.0, most.1 - least.1);
    let mut svg = format!(
        "<svg viewBox=\"{:.0} {:.0} {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\">\n",
        least.0, least.1
    );
    let place = |atom: &str| places.iter().find(|place| place.atom == atom);
    let fields = instance.fields.iter().filter(|field| field.arity == 2);
    let fields = fields.filter(|field| !theme.hides(field) && !theme.is_attribute(field));
    // Several arrows between the same atoms have one line with all their names.
    let mut arrows: Vec<Arrow<'_>> = Vec::new();
    for field in fields {
        let (now, then) = (field.at(state), before.map(|before| field.at(before)));
        for row in now {
            let class = match then {
                Some(then) if !then.contains(row) => "new",
                _ => "",
            };
            add(&mut arrows, row, short(&field.name), class);
        }
        for row in then.into_iter().flatten().filter(|row| !now.contains(row)) {
            add(&mut arrows, row, short(&field.name), "gone");
        }
    }
    for (from, to, names) in &arrows {
        if let (Some(from), Some(to)) = (place(from), place(to)) {
            svg.push_str(&arrow(from, to, names));
        }
    }
    for place in places {
        svg.push_str(&node(instance, theme, place, state, before));
    }
    svg.push_str("</svg>\n");
    svg
}

/// From an atom to an atom: the names on the line, and how each is drawn.
type Arrow<'r> = (&'r str, &'r str, Vec<(String, &'static str)>);

fn add<'r>(arrows: &mut Vec<Arrow<'r>>, row: &'r [String], name: &str, class: &'static str) {
    let known = arrows.iter_mut().find(|(from, to, _)| *from == row[0] && *to == row[1]);
    match known {
        Some((_, _, names)) => names.push((name.to_owned(), class)),
        None => arrows.push((&row[0], &row[1], vec![(name.to_owned(), class)])),
    }
}

fn arrow(from: &Place, to: &Place, names: &[(String, &str)]) -> String {
    let class = match names {
        [(_, first), rest @ ..] if rest.iter().all(|(_, class)| class == first) => first,
        _ => "",
    };
    let mark = if class == "new" { "-new" } else { "" };
    let labels: Vec<String> = names
        .iter()
        .map(|(name, class)| format!("<tspan class=\"{class}\">{}</tspan>", escape(name)))
        .collect();
    let labels = labels.join(", ");
    if from.atom == to.atom {
        let (x, y) = (from.x + from.half.0, from.y);
        return format!(
            "<path class=\"edge {class}\" d=\"M{x:.1} {:.1} c34 -18 34 34 0 16\" \
             marker-end=\"url(#tip{mark})\"/><text class=\"edge\" x=\"{:.1}\" y=\"{:.1}\">{labels}</text>\n",
            y - 8.0,
            x + 30.0,
            y + 4.0
        );
    }
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    // From border to border of the boxes, bent so that there and back are two lines.
    let cut = |half: (f64, f64)| (half.0 / dx.abs().max(0.01)).min(half.1 / dy.abs().max(0.01));
    let (leaves, enters) = (cut(from.half).min(0.45), cut(to.half).min(0.45));
    let (x1, y1) = (from.x + dx * leaves, from.y + dy * leaves);
    let (x2, y2) = (to.x - dx * enters, to.y - dy * enters);
    let length = (dx * dx + dy * dy).sqrt();
    let (bend_x, bend_y) = (-dy / length * 22.0, dx / length * 22.0);
    let (mx, my) = ((x1 + x2) / 2.0 + bend_x, (y1 + y2) / 2.0 + bend_y);
    format!(
        "<path class=\"edge {class}\" d=\"M{x1:.1} {y1:.1} Q{mx:.1} {my:.1} {x2:.1} {y2:.1}\" \
         marker-end=\"url(#tip{mark})\"/><text class=\"edge\" x=\"{:.1}\" y=\"{:.1}\">{labels}</text>\n",
        mx - bend_x * 0.3,
        my - bend_y * 0.3
    )
}

fn node(
    instance: &Instance,
    theme: &Theme,
    place: &Place,
    state: usize,
    before: Option<usize>,
) -> String {
    let sigs = signatures(instance, theme, &place.atom, state);
    let is_plain = place.atom.parse::<i64>().is_ok() || place.atom.starts_with('"');
    let earlier = before.map(|before| signatures(instance, theme, &place.atom, before));
    let mut class = match &earlier {
        Some(earlier) if *earlier != sigs => "node new",
        _ => "node",
    };
    if sigs.is_empty() && !is_plain {
        class = if earlier.is_some_and(|earlier| !earlier.is_empty()) {
            "node gone"
        } else {
            "node away"
        };
    }
    let lines = lines(instance, theme, &place.atom, state);
    let fill = colour(instance, theme, &sigs);
    let mut text = format!(
        "<g class=\"{class}\"><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.0}\" height=\"{:.0}\" rx=\"7\" \
         fill=\"{fill}\"/>",
        place.x - place.half.0,
        place.y - place.half.1,
        2.0 * place.half.0,
        2.0 * place.half.1
    );
    let top = place.y - 6.5 * (lines.len() as f64 - 1.0) + 4.0;
    for (at, line) in lines.iter().enumerate() {
        let size = if at == 0 { "name" } else { "more" };
        let _ = write!(
            text,
            "<text class=\"{size}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            place.x,
            top + 13.0 * at as f64,
            escape(line)
        );
    }
    text.push_str("</g>\n");
    text
}

/// What does not fit into boxes and arrows.
pub(super) fn tables(
    instance: &Instance,
    theme: &Theme,
    state: usize,
    before: Option<usize>,
) -> String {
    let mut text = String::new();
    let wide = instance.fields.iter().chain(&instance.skolems);
    for content in wide.filter(|content| content.arity > 2 && !theme.hides(content)) {
        let rows = content.at(state);
        if rows.is_empty() {
            continue;
        }
        let _ = write!(text, "<table><caption>{}</caption>", escape(&content.name));
        for row in rows {
            let is_new = before.is_some_and(|before| !content.at(before).contains(row));
            let cells: String =
                row.iter().map(|atom| format!("<td>{}</td>", escape(atom))).collect();
            let class = if is_new { " class=\"new\"" } else { "" };
            let _ = write!(text, "<tr{class}>{cells}</tr>");
        }
        text.push_str("</table>\n");
    }
    text
}
