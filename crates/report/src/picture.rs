//! Instances and traces of specifications as one self-contained page: the states of a trace in a row,
//! atoms as boxes, binary fields as arrows, wider ones as tables, two states side by side with what
//! changed marked. Positions are the same in every state.

mod drawing;
mod projection;
mod strip;
mod theme;

use std::fmt::Write;

use quadrille_alloy::Instance;

use crate::xml::escape;

pub use theme::Theme;

/// The page.
pub fn picture(title: &str, instance: &Instance, theme: &Theme) -> String {
    let n = instance.length();
    let mut states = String::new();
    let mut views: Vec<(String, Instance)> = vec![(String::new(), instance.clone())];
    for sig in theme.projected() {
        let seen = views.iter().flat_map(|(name, view)| {
            let atoms = projection::atoms(view, sig);
            let from = |atom: &String| {
                let name = [name.as_str(), atom].join(" ").trim().to_owned();
                (name, projection::seen_from(view, &atoms, atom))
            };
            match atoms.len() {
                0 => vec![(name.clone(), view.clone())],
                _ => atoms.iter().map(from).collect(),
            }
        });
        views = seen.collect();
    }
    for (name, view) in &views {
        sections(&mut states, name, view, theme);
    }
    let mut buttons = String::new();
    if views.len() > 1 {
        let options = views.iter().map(|(name, _)| format!("<option>{}</option>", escape(name)));
        let options: String = options.collect();
        let _ = writeln!(buttons, "<p>seen from <select id=\"seen\">{options}</select></p>");
    }
    if n > 1 {
        buttons.push_str(
            "<p><button id=\"back\">earlier</button> <button id=\"on\">later</button> \
             <button id=\"all\">all states</button> <span class=\"legend\">orange: new since the \
             state before; dashed: no longer there</span></p>\n",
        );
    }
    PAGE.replace("@TITLE@", &escape(title))
        .replace("@STRIP@", &strip::strip(instance))
        .replace("@BUTTONS@", &buttons)
        .replace("@STATES@", &states)
        .replace("@COUNT@", &n.to_string())
        .replace("@LOOP@", &instance.back_to().to_string())
}

/// Every state of an instance as it is seen from an atom.
fn sections(text: &mut String, seen: &str, instance: &Instance, theme: &Theme) {
    let places = drawing::places(instance, theme);
    for state in 0..instance.length() {
        let before = if state == 0 { None } else { Some(state - 1) };
        let _ = write!(
            text,
            "<section class=\"state\" data-state=\"{state}\" data-seen=\"{}\"><h2>{}</h2>\n{}{}</section>\n",
            escape(seen),
            heading(instance, state),
            drawing::drawing(instance, theme, &places, state, before),
            drawing::tables(instance, theme, state, before),
        );
    }
}

fn heading(instance: &Instance, state: usize) -> String {
    if instance.is_static() {
        return "instance".to_owned();
    }
    let events = escape(&instance.events[state].join(", "));
    let events = match events.is_empty() {
        true => String::new(),
        false => format!(" <span class=\"event\">then {events}</span>"),
    };
    let next = match state + 1 == instance.length() {
        true => format!(" <span class=\"loop\">↺ to state {}</span>", instance.back_to()),
        false => String::new(),
    };
    format!("state {state}{events}{next}")
}

const PAGE: &str = r##"<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>@TITLE@</title>
<style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5em; color: #222; background: #fff }
h1 { font-size: 1.2em } h2 { font-size: 1em; margin: 0 0 .4em }
#states { display: flex; flex-wrap: wrap; gap: 1em; align-items: flex-start }
section.state { border: 1px solid #bbb; border-radius: 6px; padding: .6em }
section.off { display: none }
section svg { max-width: 45vw; height: auto }
#strip { display: block; max-width: 100%; overflow: visible } .stop { cursor: pointer }
.stop circle { fill: #fff; stroke: #555; stroke-width: 1.5 } .stop.on circle { fill: #fde68a }
text.event { font-size: 12px; fill: #1d4ed8 } path.back { stroke: #6b21a8 }
.legend { color: #666; font-size: 12px }
rect { stroke: #555; stroke-width: 1.2 }
text { text-anchor: middle } text.name { font-weight: 600 } text.more { font-size: 11px }
path.edge { fill: none; stroke: #555; stroke-width: 1.3 }
text.edge { font-size: 11px; fill: #333; paint-order: stroke; stroke: #fff; stroke-width: 3px }
.node.new rect { stroke: #c2410c; stroke-width: 3 }
.node.gone rect, .node.away rect { stroke-dasharray: 4 3; fill: #fafafa } .node.away { opacity: .35 }
path.new { stroke: #c2410c; stroke-width: 2.4 } tspan.new { fill: #c2410c; font-weight: 600 }
path.gone { stroke: #aaa; stroke-dasharray: 4 3 } tspan.gone { fill: #999; font-style: italic }
tr.new td { background: #fde8d8 } table { border-collapse: collapse; margin-top: .5em }
td { border: 1px solid #ccc; padding: 1px 6px } caption { text-align: left; font-weight: 600 }
.loop { color: #6b21a8; font-weight: 400 } h2 .event { color: #1d4ed8; font-weight: 400 }
</style></head><body>
<svg width="0" height="0" style="position:absolute"><defs><marker id="tip" viewBox="0 0 8 8" refX="7"
refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#555"/></marker>
<marker id="tip-new" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5"
orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#c2410c"/></marker></defs></svg>
<h1>@TITLE@</h1>
@STRIP@@BUTTONS@<div id="states">
@STATES@</div>
<script>
const count = @COUNT@, back = @LOOP@; let at = 0, all = count < 3;
const states = [...document.querySelectorAll("section.state")];
const stops = [...document.querySelectorAll(".stop")];
const seen = document.getElementById("seen");
function show() {
  const next = at + 1 < count ? at + 1 : back;
  states.forEach(s => {
    const i = Number(s.dataset.state), from = !seen || s.dataset.seen === seen.value;
    s.classList.toggle("off", !from || (!all && i !== at && i !== next));
    s.style.order = !all && next <= at && i === next && i !== at ? 1 : 0;
  });
  stops.forEach((s, i) => s.classList.toggle("on", all || i === at || i === next));
}
const on = (id, f) => { const b = document.getElementById(id); if (b) b.onclick = () => { f(); show(); }; };
on("back", () => { all = false; at = Math.max(0, at - 1); });
on("on", () => { all = false; at = at + 1 < count ? at + 1 : back; });
on("all", () => { all = !all; });
stops.forEach((s, i) => s.onclick = () => { all = false; at = i; show(); });
if (seen) seen.onchange = show;
document.onkeydown = e => {
  const id = { ArrowLeft: "back", ArrowRight: "on" }[e.key], b = id && document.getElementById(id);
  if (b) b.click();
};
show();
</script></body></html>
"##;
