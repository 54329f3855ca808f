//! A protocol as written, as a sequence diagram with fragments: alternatives, loops and parallel parts
//! are frames around the messages inside them. Knows no language: front ends bring the outline.

use std::fmt::Write as _;

use crate::mermaid::escape;
use crate::svg::{Anchor, Canvas, Px, shorten, text_width};

const ROW: Px = 34;
const HEAD: Px = 26;
const MARGIN: Px = 16;
const MIN_GAP: Px = 110;
/// How far a frame reaches beyond what is inside it, on each side.
const INSET: Px = 10;
/// From the top of a frame, or of an operand, to its first row.
const BAND: Px = 24;
const MAX_LABEL: usize = 48;

/// A protocol, statement by statement.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outline {
    /// What stands above the drawing.
    pub title: String,
    /// The lifelines, from left to right.
    pub roles: Vec<String>,
    /// What happens, in the order of the text.
    pub body: Vec<Fragment>,
}

/// A statement of a protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fragment {
    /// A message.
    Message {
        /// The sender's lifeline.
        from: usize,
        /// The receivers' lifelines.
        to: Vec<usize>,
        /// What is sent.
        label: String,
        /// Whether sender and receivers wait for each other.
        is_rendezvous: bool,
    },
    /// Something that one role does, or that concerns all where there is no role.
    Note {
        /// The role's lifeline.
        role: Option<usize>,
        /// What happens.
        label: String,
    },
    /// A frame with one or more operands.
    Frame {
        /// What the frame does.
        operator: FrameOperator,
        /// The guard or heading of each operand, and what is inside.
        operands: Vec<(String, Vec<Fragment>)>,
    },
}

/// What a frame does with its operands, in the words of UML.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameOperator {
    /// One of the operands happens.
    Alt,
    /// The operand may be left out.
    Opt,
    /// The operand repeats.
    Loop,
    /// All operands happen, interleaved.
    Par,
}

impl FrameOperator {
    fn word(self) -> &'static str {
        match self {
            FrameOperator::Alt => "alt",
            FrameOperator::Opt => "opt",
            FrameOperator::Loop => "loop",
            FrameOperator::Par => "par",
        }
    }

    /// What Mermaid writes between two operands.
    fn separator(self) -> &'static str {
        match self {
            FrameOperator::Par => "and",
            FrameOperator::Alt | FrameOperator::Opt | FrameOperator::Loop => "else",
        }
    }
}

impl Outline {
    /// The outline as a self-contained SVG document.
    pub fn svg(&self) -> String {
        let depth = depth(&self.body);
        let xs = self.place_lifelines(depth);
        let last = xs.len().saturating_sub(1);
        let right = xs.last().copied().unwrap_or(0) + self.reach(last) + depth * INSET + MARGIN;
        let top = MARGIN + 22 + HEAD;
        let mut body = Drawing { canvas: Canvas::default(), xs: &xs, y: top, right };
        body.fragments(&self.body, 0);
        let bottom = body.y + 24;
        let mut page = Canvas::default();
        for &x in &xs {
            page.line("life", (x, top), (x, bottom));
        }
        page.append(&body.canvas);
        for (number, &x) in xs.iter().enumerate() {
            let half = self.half_head(number);
            page.rect("head", (x - half, top - HEAD), (2 * half, HEAD), 5);
            page.text("label", x, top - HEAD + 17, Anchor::Middle, &self.roles[number]);
        }
        page.text("title", MARGIN, MARGIN + 8, Anchor::Start, &self.title);
        let width = right.max(text_width(&self.title) * 13 / 12 + 2 * MARGIN);
        page.finish(&self.title, width, bottom + MARGIN)
    }

    /// The outline as a Mermaid `sequenceDiagram`.
    pub fn mermaid(&self) -> String {
        let mut text = String::from("sequenceDiagram\n");
        for (number, role) in self.roles.iter().enumerate() {
            let _ = writeln!(text, "  participant p{number} as {}", escape(role));
        }
        let last = self.roles.len().saturating_sub(1);
        mermaid_lines(&mut text, &self.body, 1, last);
        text
    }

    fn half_head(&self, role: usize) -> Px {
        self.roles.get(role).map_or(0, |name| text_width(name) / 2 + 10)
    }

    /// How far the head and the boxes of a lifeline reach to either side.
    fn reach(&self, role: usize) -> Px {
        self.half_head(role).max(widest_box(&self.body, role) / 2 + 4)
    }

    /// Lifelines far enough apart for every label between two of them.
    fn place_lifelines(&self, depth: Px) -> Vec<Px> {
        let n_roles = self.roles.len();
        let mut gaps: Vec<Px> = (1..n_roles)
            .map(|role| MIN_GAP.max(self.reach(role - 1) + self.half_head(role) + 14))
            .collect();
        let mut needs = Vec::new();
        collect_needs(&self.body, &mut needs);
        needs.sort_unstable_by_key(|&(first, last, _)| last - first);
        for (first, last, width) in needs {
            let missing = width - gaps[first..last].iter().sum::<Px>();
            if missing > 0 {
                let share = (missing as usize).div_ceil(last - first) as Px;
                gaps[first..last].iter_mut().for_each(|gap| *gap += share);
            }
        }
        let mut x = MARGIN + depth * INSET + self.reach(0).max(50);
        let mut xs = vec![x];
        for gap in gaps {
            x += gap;
            xs.push(x);
        }
        xs.truncate(n_roles);
        xs
    }
}

/// How deep frames are nested.
fn depth(body: &[Fragment]) -> Px {
    let inside = body.iter().map(|fragment| match fragment {
        Fragment::Frame { operands, .. } => {
            1 + operands.iter().map(|(_, inside)| depth(inside)).max().unwrap_or(0)
        }
        Fragment::Message { .. } | Fragment::Note { .. } => 0,
    });
    inside.max().unwrap_or(0)
}

/// The width of the widest box on a lifeline.
fn widest_box(body: &[Fragment], role: usize) -> Px {
    let width = |label: &str| text_width(&shorten(label, MAX_LABEL)) + 16;
    let widths = body.iter().map(|fragment| match fragment {
        Fragment::Message { from, to, label, .. }
            if *from == role && to.iter().all(|receiver| receiver == from) =>
        {
            width(label)
        }
        Fragment::Note { role: Some(at), label } if *at == role => width(label),
        Fragment::Message { .. } | Fragment::Note { .. } => 0,
        Fragment::Frame { operands, .. } => {
            operands.iter().map(|(_, inside)| widest_box(inside, role)).max().unwrap_or(0)
        }
    });
    widths.max().unwrap_or(0)
}

/// The room that the labels of messages need between two lifelines.
fn collect_needs(body: &[Fragment], needs: &mut Vec<(usize, usize, Px)>) {
    for fragment in body {
        match fragment {
            Fragment::Message { from, to, label, .. } => {
                if let Some(&receiver) = to.iter().find(|&receiver| receiver != from) {
                    let width = text_width(&shorten(label, MAX_LABEL)) + 28;
                    needs.push((*from.min(&receiver), *from.max(&receiver), width));
                }
            }
            Fragment::Note { .. } => {}
            Fragment::Frame { operands, .. } => {
                operands.iter().for_each(|(_, inside)| collect_needs(inside, needs));
            }
        }
    }
}

struct Drawing<'a> {
    canvas: Canvas,
    xs: &'a [Px],
    /// The lowest place that is taken.
    y: Px,
    right: Px,
}

impl Drawing<'_> {
    fn fragments(&mut self, body: &[Fragment], level: Px) {
        for fragment in body {
            match fragment {
                Fragment::Message { from, to, label, is_rendezvous } => {
                    self.message(*from, to, label, *is_rendezvous);
                }
                Fragment::Note { role, label } => self.note(*role, label, level),
                Fragment::Frame { operator, operands } => self.frame(*operator, operands, level),
            }
        }
    }

    fn message(&mut self, from: usize, to: &[usize], label: &str, is_rendezvous: bool) {
        self.y += ROW;
        let (y, start) = (self.y, self.xs[from]);
        let label = shorten(label, MAX_LABEL);
        if to.iter().all(|&receiver| receiver == from) {
            self.boxed(start, &label);
            return;
        }
        for &receiver in to.iter().filter(|&&receiver| receiver != from) {
            self.canvas.arrow((start, y), (self.xs[receiver], y));
        }
        if is_rendezvous {
            self.canvas.circle("tip", (start, y), 3);
        }
        let nearest = to.iter().copied().find(|&receiver| receiver != from).unwrap_or(from);
        let middle = Px::midpoint(start, self.xs[nearest]);
        self.canvas.text("halo", middle, y - 6, Anchor::Middle, &label);
    }

    fn note(&mut self, role: Option<usize>, label: &str, level: Px) {
        self.y += ROW;
        let label = shorten(label, MAX_LABEL);
        match role {
            Some(role) => self.boxed(self.xs[role], &label),
            None => {
                let (left, right) = (MARGIN + level * INSET, self.right - MARGIN - level * INSET);
                self.canvas.rect("head", (left + 4, self.y - 12), (right - left - 8, 24), 4);
                let middle = Px::midpoint(left, right);
                self.canvas.text("label", middle, self.y + 4, Anchor::Middle, &label);
            }
        }
    }

    fn boxed(&mut self, x: Px, label: &str) {
        let width = text_width(label) + 16;
        self.canvas.rect("box", (x - width / 2, self.y - 12), (width, 24), 4);
        self.canvas.text("label", x, self.y + 4, Anchor::Middle, label);
    }

    fn frame(&mut self, operator: FrameOperator, operands: &[(String, Vec<Fragment>)], level: Px) {
        let left = MARGIN + level * INSET;
        let right = self.right - MARGIN - level * INSET;
        let top = self.y + 12;
        let word = operator.word();
        let word_width = text_width(word) + 14;
        self.y = top;
        for (number, (guard, inside)) in operands.iter().enumerate() {
            if number > 0 {
                self.y += 12;
                self.canvas.line("divider", (left, self.y), (right, self.y));
            }
            let guard_x = if number == 0 { left + word_width + 8 } else { left + 8 };
            if !guard.is_empty() {
                let guard = format!("[{}]", shorten(guard, MAX_LABEL));
                self.canvas.text("muted halo", guard_x, self.y + 15, Anchor::Start, &guard);
            }
            self.y += BAND - ROW / 2 + 4;
            self.fragments(inside, level + 1);
            self.y += 8;
        }
        self.y += 6;
        self.canvas.rect("frame", (left, top), (right - left, self.y - top), 3);
        self.canvas.rect("head", (left, top), (word_width, 19), 3);
        self.canvas.text("label", left + 7, top + 14, Anchor::Start, word);
    }
}

fn mermaid_lines(text: &mut String, body: &[Fragment], level: usize, last: usize) {
    let indent = "  ".repeat(level);
    for fragment in body {
        match fragment {
            Fragment::Message { from, to, label, is_rendezvous } => {
                let arrow = if *is_rendezvous { "->>" } else { "-)" };
                for receiver in to {
                    let _ = writeln!(text, "{indent}p{from}{arrow}p{receiver}: {}", escape(label));
                }
            }
            Fragment::Note { role, label } => {
                let over = match role {
                    Some(role) => format!("p{role}"),
                    None if last == 0 => "p0".to_owned(),
                    None => format!("p0,p{last}"),
                };
                let _ = writeln!(text, "{indent}Note over {over}: {}", escape(label));
            }
            Fragment::Frame { operator, operands } => {
                for (number, (guard, inside)) in operands.iter().enumerate() {
                    let word = if number == 0 { operator.word() } else { operator.separator() };
                    let _ = writeln!(text, "{indent}{word} {}", escape(guard));
                    mermaid_lines(text, inside, level + 1, last);
                }
                let _ = writeln!(text, "{indent}end");
            }
        }
    }
}
