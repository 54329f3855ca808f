//! A small SVG canvas: escaped text, estimated text widths, and one theme for light and dark pages.
//! Knows nothing of what is drawn.

use std::fmt::Write as _;

use crate::text::clean;
use crate::xml::escape;

/// Lengths in pixels.
pub(crate) type Px = i32;

/// Where a text stands relative to its point.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn word(self) -> &'static str {
        match self {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        }
    }
}

/// A drawing under construction.
#[derive(Default)]
pub(crate) struct Canvas {
    body: String,
}

/// Classes instead of colours, so that a page's colour scheme decides.
const STYLE: &str = "\
.quadrille text{font:12px ui-monospace,'SF Mono',Menlo,'DejaVu Sans Mono',Consolas,monospace;fill:#1f2328}\
.quadrille .bg{fill:#fff}\
.quadrille .title{font-weight:bold;font-size:13px}\
.quadrille .muted{fill:#6e7781}\
.quadrille .halo{paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}\
.quadrille .head{fill:#f3f4f6;stroke:#8c959f}\
.quadrille .life{stroke:#afb8c1;stroke-dasharray:3 3}\
.quadrille .box{fill:#ddf4ff;stroke:#218bff}\
.quadrille .end{fill:#fff;stroke:#218bff}\
.quadrille .stuck{fill:#ffebe9;stroke:#cf222e}\
.quadrille .dot{fill:#218bff}\
.quadrille .bar{stroke:#218bff;stroke-width:3}\
.quadrille .arrow{stroke:#1f2328;stroke-width:1.4;fill:none}\
.quadrille .frame{fill:none;stroke:#8c959f}\
.quadrille .divider{stroke:#8c959f;stroke-dasharray:6 4}\
.quadrille .thin{stroke:#57606a;stroke-opacity:.35}\
.quadrille .guilty{fill:#cf222e;fill-opacity:.1;stroke:#cf222e;stroke-opacity:.5}\
.quadrille .lost{stroke-dasharray:5 4}\
.quadrille .tip{fill:#1f2328}\
.quadrille .open{fill:#fff;stroke:#1f2328;stroke-width:1.4}\
.quadrille .loop{fill:#fb8500;fill-opacity:.06;stroke:#bc4c00;stroke-dasharray:6 4}\
.quadrille .loopword{fill:#bc4c00}\
.quadrille .bad{fill:#cf222e}\
.quadrille .badline{stroke:#cf222e;stroke-width:2;fill:none}\
.quadrille .good{fill:#1a7f37}\
.quadrille .goodline{stroke:#1a7f37;stroke-width:2}\
@media (prefers-color-scheme:dark){\
.quadrille text{fill:#e6edf3}\
.quadrille .bg{fill:#0d1117}\
.quadrille .muted{fill:#8d96a0}\
.quadrille .halo{stroke:#0d1117}\
.quadrille .head{fill:#21262d;stroke:#6e7681}\
.quadrille .life{stroke:#484f58}\
.quadrille .box{fill:#0c2d6b;stroke:#388bfd}\
.quadrille .end{fill:#0d1117;stroke:#388bfd}\
.quadrille .stuck{fill:#67060c;stroke:#ff7b72}\
.quadrille .arrow{stroke:#e6edf3}\
.quadrille .frame{stroke:#6e7681}\
.quadrille .divider{stroke:#6e7681}\
.quadrille .thin{stroke:#8d96a0}\
.quadrille .guilty{fill:#ff7b72;stroke:#ff7b72}\
.quadrille .tip{fill:#e6edf3}\
.quadrille .open{fill:#0d1117;stroke:#e6edf3}\
.quadrille .loop{stroke:#f0883e}\
.quadrille .loopword{fill:#f0883e}\
.quadrille .bad{fill:#ff7b72}\
.quadrille .badline{stroke:#ff7b72}\
.quadrille .good{fill:#56d364}\
.quadrille .goodline{stroke:#56d364}\
}";

impl Canvas {
    /// Adds a line of text.
    pub(crate) fn text(&mut self, class: &str, x: Px, y: Px, anchor: Anchor, text: &str) {
        let text = escape(&clean(text));
        let anchor = anchor.word();
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{text}</text>"
        );
    }

    /// Adds a straight line.
    pub(crate) fn line(&mut self, class: &str, from: (Px, Px), to: (Px, Px)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let _ = writeln!(
            self.body,
            "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"
        );
    }

    /// Adds a line with an arrow head at its end.
    pub(crate) fn arrow(&mut self, from: (Px, Px), to: (Px, Px)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let _ = writeln!(
            self.body,
            "<line class=\"arrow\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" marker-end=\"url(#quadrille-tip)\"/>"
        );
    }

    /// Adds a curve with an arrow head at its end.
    pub(crate) fn path(&mut self, path: &str) {
        let _ = writeln!(
            self.body,
            "<path class=\"arrow\" d=\"{path}\" marker-end=\"url(#quadrille-tip)\"/>"
        );
    }

    /// Adds a rectangle with round corners.
    pub(crate) fn rect(&mut self, class: &str, corner: (Px, Px), size: (Px, Px), radius: Px) {
        let ((x, y), (width, height)) = (corner, size);
        let _ = writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\"/>"
        );
    }

    /// Adds a circle.
    pub(crate) fn circle(&mut self, class: &str, centre: (Px, Px), radius: Px) {
        let (x, y) = centre;
        let _ =
            writeln!(self.body, "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>");
    }

    /// Opens a group that shows a text while the pointer rests on it.
    pub(crate) fn open_group(&mut self, tooltip: &str) {
        let _ = writeln!(self.body, "<g><title>{}</title>", escape(tooltip));
    }

    /// Closes the group opened last.
    pub(crate) fn close_group(&mut self) {
        self.body.push_str("</g>\n");
    }

    /// Adds another drawing on top.
    pub(crate) fn append(&mut self, other: &Canvas) {
        self.body.push_str(&other.body);
    }

    /// The finished document.
    pub(crate) fn finish(self, title: &str, width: Px, height: Px) -> String {
        let title = escape(&clean(title));
        let body = self.body;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"quadrille\" role=\"img\" \
             width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n\
             <defs><marker id=\"quadrille-tip\" viewBox=\"0 0 10 10\" refX=\"9.5\" refY=\"5\" \
             markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
             <path class=\"tip\" d=\"M0 1 10 5 0 9z\"/></marker></defs>\n\
             <rect class=\"bg\" width=\"{width}\" height=\"{height}\"/>\n{body}</svg>\n"
        )
    }
}

/// Width of a text in the ordinary size; wide scripts take two columns of the monospaced font.
pub(crate) fn text_width(text: &str) -> Px {
    let columns = clean(text).chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum::<usize>();
    (columns * 29).div_ceil(4) as Px
}

/// A text cut to a number of characters, with an ellipsis where something is missing.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    let text = clean(text);
    if text.chars().count() <= limit {
        return text;
    }
    text.chars().take(limit.saturating_sub(1)).chain(std::iter::once('…')).collect()
}

/// Whether a character usually takes two columns: East Asian scripts and pictographs.
fn is_wide(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1faff | 0x20000..=0x3fffd)
}
