//! Instances and traces of specifications as one self-contained page: atoms as boxes, binary fields as
//! arrows, wider ones as tables, two states side by side with what changed marked. Positions are the
//! same in every state.

use std::fmt::Write;

use quadrille_alloy::{Content, Instance};
use quadrille_diagnostic::{Diagnostic, SourceId, Span};

use crate::codes::BAD_THEME;
use crate::xml::escape;

/// How things are drawn: lines `hide NAME`, `colour NAME #rrggbb`, `attribute NAME`.
#[derive(Clone, Debug, Default)]
pub struct Theme {
    hidden: Vec<String>,
    colours: Vec<(String, String)>,
    attributes: Vec<String>,
}

impl Theme {
    /// Reads a theme; empty lines and those that begin with `--` are comments.
    pub fn read(source: SourceId, text: &str) -> Result<Self, Diagnostic> {
        let (mut theme, mut at) = (Self::default(), 0);
        for line in text.split_inclusive('\n') {
            let begin = at;
            at += line.len();
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                [] => {}
                [first, ..] if first.starts_with("--") => {}
                ["hide", name] => theme.hidden.push(name.to_owned()),
                ["attribute", name] => theme.attributes.push(name.to_owned()),
                ["colour", name, colour] if is_colour(colour) => {
                    theme.colours.push((name.to_owned(), colour.to_owned()));
                }
                _ => {
                    let message = "the line of a theme is not understood";
                    let help = "write `hide NAME`, `attribute NAME` or `colour NAME #rrggbb`";
                    let span = Span::new(source, begin..begin + line.trim_end().len());
                    return Err(Diagnostic::error(&BAD_THEME, message).at(span, "").help(help));
                }
            }
        }
        Ok(theme)
    }

    fn hides(&self, content: &Content) -> bool {
        self.hidden.contains(&content.name)
            || self.hidden.iter().any(|name| short(&content.name) == name)
    }

    fn is_attribute(&self, content: &Content) -> bool {
        self.attributes.iter().any(|name| *name == content.name || short(&content.name) == name)
    }
}

fn is_colour(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| {
        matches!(digits.len(), 3 | 6) && digits.chars().all(|digit| digit.is_ascii_hexdigit())
    })
}

/// The name of a field without its signature.
fn short(name: &str) -> &str {
    name.split_once("<:").map_or(name, |(_, field)| field)
}

/// An atom with its place.
struct Place {
    atom: String,
    x: f64,
    y: f64,
}

/// Half the width and height of a box.
const HALF: (f64, f64) = (58.0, 24.0);

/// Colours of signatures, which tell them apart on white.
const COLOURS: [&str; 8] =
    ["#cfe3f5", "#f7dcc0", "#d5ecd1", "#f3d1da", "#e2d8f0", "#f5efc4", "#d3ecea", "#e4e4e4"];

/// The page.
pub fn picture(title: &str, instance: &Instance, theme: &Theme) -> String {
    let places = places(instance, theme);
    let n = instance.length();
    let mut states = String::new();
    for state in 0..n {
        let before = if state == 0 { None } else { Some(state - 1) };
        let _ = write!(
            states,
            "<section class=\"state\" id=\"s{state}\"><h2>{}</h2>\n{}{}</section>\n",
            heading(instance, state),
            drawing(instance, theme, &places, state, before),
            tables(instance, theme, state, before),
        );
    }
    let buttons = match n {
        1 => String::new(),
        _ => "<p><button id=\"back\">earlier</button> <button id=\"on\">later</button> \
              <button id=\"all\">all states</button></p>\n"
            .to_owned(),
    };
    PAGE.replace("@TITLE@", &escape(title))
        .replace("@BUTTONS@", &buttons)
        .replace("@STATES@", &states)
        .replace("@COUNT@", &n.to_string())
        .replace("@LOOP@", &instance.back_to().to_string())
}

fn heading(instance: &Instance, state: usize) -> String {
    if instance.is_static() {
        return "instance".to_owned();
    }
    let last = state + 1 == instance.length();
    let next = match last {
        true => format!(" <span class=\"loop\">↺ then state {}</span>", instance.back_to()),
        false => String::new(),
    };
    format!("state {state}{next}")
}

/// Every atom that is there at some time, round a circle, signature by signature.
fn places(instance: &Instance, theme: &Theme) -> Vec<Place> {
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
    let radius = (n as f64 * 28.0).max(110.0);
    let place = |(at, atom): (usize, String)| {
        let angle = std::f64::consts::TAU * at as f64 / n as f64 - std::f64::consts::FRAC_PI_2;
        let (x, y) = match n {
            1 => (0.0, 0.0),
            _ => (radius * 1.25 * angle.cos(), radius * angle.sin()),
        };
        Place { atom, x, y }
    };
    atoms.into_iter().enumerate().map(place).collect()
}

/// The signatures an atom is in, the narrowest last.
fn signatures<'i>(instance: &'i Instance, theme: &Theme, atom: &str, state: usize) -> Vec<&'i str> {
    let is_in = |sig: &&Content| sig.at(state).iter().any(|row| row[0] == atom);
    let sigs = instance.sigs.iter().filter(|sig| !theme.hides(sig)).filter(is_in);
    sigs.map(|sig| &*sig.name).collect()
}

fn colour(instance: &Instance, theme: &Theme, sigs: &[&str]) -> String {
    for sig in sigs.iter().rev() {
        if let Some((_, colour)) = theme.colours.iter().find(|(name, _)| name == sig) {
            return colour.clone();
        }
    }
    let first = sigs.first();
    let at = instance.sigs.iter().position(|sig| Some(&&*sig.name) == first);
    at.map_or("#f4f4f4", |at| COLOURS[at % COLOURS.len()]).to_owned()
}

fn drawing(
    instance: &Instance,
    theme: &Theme,
    places: &[Place],
    state: usize,
    before: Option<usize>,
) -> String {
    let reach = places.iter().map(|place| place.x.abs().max(place.y.abs())).fold(60.0, f64::max);
    let (width, height) = (2.0 * (reach + 90.0), 2.0 * (reach + 70.0));
    let mut svg = format!(
        "<svg viewBox=\"{:.0} {:.0} {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\">\n",
        -width / 2.0,
        -height / 2.0
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
    let labels: Vec<String> = names
        .iter()
        .map(|(name, class)| format!("<tspan class=\"{class}\">{}</tspan>", escape(name)))
        .collect();
    let labels = labels.join(", ");
    if from.atom == to.atom {
        let (x, y) = (from.x + HALF.0, from.y);
        return format!(
            "<path class=\"edge {class}\" d=\"M{x:.1} {:.1} c34 -18 34 34 0 16\" \
             marker-end=\"url(#tip)\"/><text class=\"edge\" x=\"{:.1}\" y=\"{:.1}\">{labels}</text>\n",
            y - 8.0,
            x + 30.0,
            y + 4.0
        );
    }
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    // From border to border of the boxes, bent so that there and back are two lines.
    let cut = |half: (f64, f64)| (half.0 / dx.abs().max(0.01)).min(half.1 / dy.abs().max(0.01));
    let share = cut(HALF).min(0.45);
    let (x1, y1) = (from.x + dx * share, from.y + dy * share);
    let (x2, y2) = (to.x - dx * share, to.y - dy * share);
    let length = (dx * dx + dy * dy).sqrt();
    let (bend_x, bend_y) = (-dy / length * 22.0, dx / length * 22.0);
    let (mx, my) = ((x1 + x2) / 2.0 + bend_x, (y1 + y2) / 2.0 + bend_y);
    format!(
        "<path class=\"edge {class}\" d=\"M{x1:.1} {y1:.1} Q{mx:.1} {my:.1} {x2:.1} {y2:.1}\" \
         marker-end=\"url(#tip)\"/><text class=\"edge\" x=\"{:.1}\" y=\"{:.1}\">{labels}</text>\n",
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
    let mut lines = vec![place.atom.clone()];
    // The first signature is in the name of the atom.
    let further = sigs.iter().skip(1).copied().collect::<Vec<_>>().join(", ");
    lines.push(further);
    let held = instance.skolems.iter().filter(|it| it.arity == 1);
    let held = held.filter(|it| it.at(state).iter().any(|row| row[0] == place.atom));
    lines.push(held.map(|it| it.name.clone()).collect::<Vec<_>>().join(", "));
    for field in instance.fields.iter().filter(|it| it.arity == 2 && theme.is_attribute(it)) {
        let values = field.at(state).iter().filter(|row| row[0] == place.atom);
        let values: Vec<&str> = values.map(|row| &*row[1]).collect();
        if !values.is_empty() {
            lines.push(format!("{}: {}", short(&field.name), values.join(", ")));
        }
    }
    lines.retain(|line| !line.is_empty());
    let fill = colour(instance, theme, &sigs);
    let mut text = format!(
        "<g class=\"{class}\"><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.0}\" height=\"{:.0}\" rx=\"7\" \
         fill=\"{fill}\"/>",
        place.x - HALF.0,
        place.y - HALF.1,
        2.0 * HALF.0,
        2.0 * HALF.1
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
fn tables(instance: &Instance, theme: &Theme, state: usize, before: Option<usize>) -> String {
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

const PAGE: &str = r##"<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>@TITLE@</title>
<style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5em; color: #222; background: #fff }
h1 { font-size: 1.2em } h2 { font-size: 1em; margin: 0 0 .4em }
#states { display: flex; flex-wrap: wrap; gap: 1em; align-items: flex-start }
section.state { border: 1px solid #bbb; border-radius: 6px; padding: .6em }
section.off { display: none }
svg { max-width: 46vw; height: auto }
rect { stroke: #555; stroke-width: 1.2 }
text { text-anchor: middle } text.name { font-weight: 600 } text.more { font-size: 11px }
path.edge { fill: none; stroke: #555; stroke-width: 1.3 }
text.edge { font-size: 11px; fill: #333; paint-order: stroke; stroke: #fff; stroke-width: 3px }
.node.new rect { stroke: #c2410c; stroke-width: 3 }
.node.gone rect, .node.away rect { stroke-dasharray: 4 3; fill: #fafafa } .node.away { opacity: .35 }
path.new { stroke: #c2410c; stroke-width: 2.4 } tspan.new { fill: #c2410c; font-weight: 600 }
path.gone { stroke: #aaa; stroke-dasharray: 4 3 } tspan.gone { fill: #999; text-decoration: line-through }
tr.new td { background: #fde8d8 } table { border-collapse: collapse; margin-top: .5em }
td { border: 1px solid #ccc; padding: 1px 6px } caption { text-align: left; font-weight: 600 }
.loop { color: #6b21a8; font-weight: 400 }
</style></head><body>
<svg width="0" height="0" style="position:absolute"><defs><marker id="tip" viewBox="0 0 8 8" refX="7"
refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#555"/></marker>
</defs></svg>
<h1>@TITLE@</h1>
@BUTTONS@<div id="states">
@STATES@</div>
<script>
const count = @COUNT@, back = @LOOP@; let at = 0, all = count < 3;
const states = [...document.querySelectorAll("section.state")];
function show() {
  const next = at + 1 < count ? at + 1 : back;
  states.forEach((s, i) => s.classList.toggle("off", !all && i !== at && i !== next));
}
const on = (id, f) => { const b = document.getElementById(id); if (b) b.onclick = () => { f(); show(); }; };
on("back", () => { all = false; at = Math.max(0, at - 1); });
on("on", () => { all = false; at = at + 1 < count ? at + 1 : back; });
on("all", () => { all = !all; });
show();
</script></body></html>
"##;
