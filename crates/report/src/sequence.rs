//! A story as a sequence diagram in SVG: lifelines, arrows, boxes, a frame around the loop.

use crate::chart::{Chart, Column, Mark};
use crate::svg::{Anchor, Canvas, Px, shorten, text_width};
use crate::text::{change, clean, wait_line};
use crate::{Story, StoryEnding, Valuation};

const ROW: Px = 36;
const HEAD: Px = 26;
const GUTTER: Px = 44;
const MARGIN: Px = 16;
const MIN_GAP: Px = 100;
/// Longer labels are cut; the whole text stands in the tooltip.
const MAX_LABEL: usize = 44;
const MAX_NAME: usize = 28;
/// Lines about waiting that a diagram shows before it says how many more there are.
const MAX_WAITS: usize = 12;
/// Diagrams longer than this many rows repeat the names at the bottom.
const LONG: usize = 14;

/// The story as a self-contained SVG document.
pub fn sequence_svg(story: &Story) -> String {
    Drawing::new(story).draw(story)
}

struct Drawing<'a> {
    chart: Chart<'a>,
    canvas: Canvas,
    /// Horizontal place of each lifeline.
    xs: Vec<Px>,
    /// Vertical place of each row.
    ys: Vec<Px>,
    /// Right end of everything that belongs to a row.
    right: Px,
    /// Where lifelines begin and end.
    top: Px,
    bottom: Px,
}

impl<'a> Drawing<'a> {
    fn new(story: &'a Story) -> Self {
        let chart = Chart::of(story);
        let (xs, right) = place_columns(&chart);
        let top = MARGIN + 22 + HEAD;
        let mut y = top;
        let mut ys = Vec::with_capacity(chart.rows.len());
        for row in 0..chart.rows.len() {
            y += ROW + if story.loop_start() == Some(row) { 18 } else { 0 };
            ys.push(y);
        }
        let bottom = y + 28;
        Drawing { chart, canvas: Canvas::default(), xs, ys, right, top, bottom }
    }

    fn draw(mut self, story: &Story) -> String {
        self.loop_frame(story);
        self.guilty_step(story);
        self.lifelines();
        // Flights first: boxes and names then stand above the lines that pass behind them.
        for row in 0..self.chart.rows.len() {
            self.flights(row);
        }
        let mut state = story.initial.clone();
        for (row, step) in story.steps.iter().enumerate() {
            self.canvas.open_group(&tooltip(row, &step.action, &state, &step.changes));
            let (x, y) = (MARGIN + GUTTER - 18, self.ys[row]);
            self.canvas.text("muted", x, y + 4, Anchor::End, &(row + 1).to_string());
            self.mark(row);
            self.canvas.close_group();
            state.update(&step.changes);
        }
        if self.chart.rows.len() > story.steps.len() {
            self.mark(story.steps.len());
        }
        self.heads(self.top - HEAD);
        let mut y = self.bottom + 6;
        self.ends(story);
        if self.chart.rows.len() > LONG {
            self.heads(y + 8);
            y += HEAD + 12;
        }
        let lines = ending_lines(story);
        for (class, line) in &lines {
            y += 20;
            self.canvas.text(class, MARGIN, y, Anchor::Start, line);
        }
        let title = shorten(&story.property, 110);
        self.canvas.text("title", MARGIN, MARGIN + 8, Anchor::Start, &title);
        let longest = lines.iter().map(|(_, line)| text_width(line)).max().unwrap_or(0);
        let width = (self.right + MARGIN)
            .max(text_width(&title) * 13 / 12 + 2 * MARGIN)
            .max(longest + 2 * MARGIN);
        self.canvas.finish(&story.property, width, y + MARGIN)
    }

    fn loop_frame(&mut self, story: &Story) {
        let Some(from) = story.loop_start() else { return };
        let (Some(&first), Some(&last)) = (self.ys.get(from), self.ys.last()) else { return };
        let (x, y) = (MARGIN, first - ROW + 2);
        let size = (self.right - x, last + 20 - y);
        self.canvas.rect("loop", (x, y), size, 6);
        self.canvas.text("loopword", x + 8, y + 14, Anchor::Start, "↻ repeats for ever");
    }

    /// A band behind the step that a prefix ends with: it is the one that breaks the property.
    fn guilty_step(&mut self, story: &Story) {
        let (StoryEnding::Prefix | StoryEnding::Refused { .. }, Some(&y)) =
            (&story.ending, self.ys.last())
        else {
            return;
        };
        let size = (self.right - MARGIN, ROW - 4);
        self.canvas.rect("guilty", (MARGIN, y - ROW / 2), size, 6);
    }

    fn lifelines(&mut self) {
        for &x in &self.xs {
            self.canvas.line("life", (x, self.top), (x, self.bottom));
        }
    }

    fn heads(&mut self, y: Px) {
        for (name, &x) in self.chart.columns.iter().zip(&self.xs) {
            let name = shorten(name, MAX_NAME);
            let width = text_width(&name) + 20;
            self.canvas.rect("head", (x - width / 2, y), (width, HEAD), 5);
            self.canvas.text("label", x, y + 17, Anchor::Middle, &name);
        }
    }

    /// Lines of messages that arrive in a later row, or never.
    fn flights(&mut self, row: usize) {
        let Mark::Send { from, to, .. } = self.chart.rows[row].clone() else { return };
        let start = (self.xs[from], self.ys[row]);
        for (receiver, arrives) in to {
            let x = self.xs[receiver];
            if receiver == from {
                continue;
            }
            match arrives {
                Some(arrival) => {
                    let end = (x, self.ys[arrival]);
                    self.canvas.arrow(start, end);
                }
                None => {
                    let end = (x - 16 * (x - start.0).signum(), self.ys[row]);
                    self.canvas.line("arrow lost", start, end);
                    self.canvas.circle("open", end, 4);
                }
            }
        }
    }

    fn mark(&mut self, row: usize) {
        let y = self.ys[row];
        match self.chart.rows[row].clone() {
            Mark::Box { columns, label } => self.step_box(y, &columns, label),
            Mark::Exchange { from, to, label } => {
                for receiver in to.iter().copied().filter(|&receiver| receiver != from) {
                    self.canvas.arrow((self.xs[from], y), (self.xs[receiver], y));
                }
                // A box says what the message is, above the arrows that leave it.
                if to.contains(&from) || to.is_empty() {
                    self.step_box(y, &[from], label);
                } else if let Some(&receiver) = to.first() {
                    let middle = i32::midpoint(self.xs[from], self.xs[receiver]);
                    let label = shorten(label, MAX_LABEL);
                    self.canvas.text("halo", middle, y - 6, Anchor::Middle, &label);
                }
            }
            Mark::Send { from, to, label } => match to.iter().find(|(to, _)| *to != from) {
                None => self.step_box(y, &[from], &format!("! {label}")),
                Some(&(receiver, _)) => self.label_beside(from, receiver, y - 6, "halo", label),
            },
            Mark::Receive { from, to, sent, label } => match (from, sent) {
                (Some(from), _) if from == to => self.step_box(y, &[to], &format!("? {label}")),
                // Right below its send, a message needs no second label.
                (Some(_), Some(sent)) if sent + 1 == row => {}
                (Some(from), Some(_)) => self.label_beside(to, from, y + 15, "muted halo", label),
                (from, _) => {
                    let side = from.map_or(-1, |from| (self.xs[from] - self.xs[to]).signum());
                    let start = (self.xs[to] + side * 44, y);
                    self.canvas.circle("tip", start, 4);
                    self.canvas.arrow(start, (self.xs[to], y));
                    let anchor = if side < 0 { Anchor::End } else { Anchor::Start };
                    let label = shorten(label, MAX_LABEL);
                    self.canvas.text("halo", self.xs[to] + side * 6, y - 6, anchor, &label);
                }
            },
            Mark::Close { from, to } => {
                self.canvas.line("arrow lost", (self.xs[from], y), (self.xs[to], y));
                let x = self.xs[to] - 10 * (self.xs[to] - self.xs[from]).signum();
                self.cross(x, y);
                self.label_beside(from, to, y - 6, "muted halo", "close");
            }
            Mark::Refused { from, label } => self.refused(from, y, label),
        }
    }

    /// A message that goes nowhere: towards the other lifelines, or to the left of the last one.
    fn refused(&mut self, from: Column, y: Px, label: &str) {
        let (x, side) = (self.xs[from], if from + 1 < self.xs.len() || from == 0 { 1 } else { -1 });
        let end = x + side * 52;
        self.canvas.line("badline", (x, y), (end - side * 8, y));
        self.cross(end, y);
        let anchor = if side > 0 { Anchor::Start } else { Anchor::End };
        self.canvas.text("bad halo", x + side * 8, y - 8, anchor, &shorten(label, MAX_LABEL));
    }

    /// A label that starts at one lifeline and runs towards another.
    fn label_beside(&mut self, at: Column, towards: Column, y: Px, class: &str, label: &str) {
        let label = shorten(label, MAX_LABEL);
        let x = self.xs[at];
        if self.xs[towards] > x {
            self.canvas.text(class, x + 8, y, Anchor::Start, &label);
        } else {
            self.canvas.text(class, x - 8, y, Anchor::End, &label);
        }
    }

    /// A step without direction: a box over those who take part, or, where somebody stands between
    /// them who does not, a bar with a knot at each of them.
    fn step_box(&mut self, y: Px, columns: &[Column], label: &str) {
        let label = shorten(label, MAX_LABEL);
        let mut columns = columns.to_vec();
        columns.sort_unstable();
        columns.dedup();
        if columns.is_empty() {
            columns = (0..self.xs.len()).collect();
        }
        let (left, right) = (self.xs[columns[0]], self.xs[columns[columns.len() - 1]]);
        let middle = i32::midpoint(left, right);
        let side_by_side = columns.windows(2).all(|pair| pair[1] == pair[0] + 1);
        if side_by_side {
            let width = (text_width(&label) + 16).max(right - left + 24);
            self.canvas.rect("box", (middle - width / 2, y - 12), (width, 24), 4);
            self.canvas.text("label", middle, y + 4, Anchor::Middle, &label);
        } else {
            self.canvas.line("bar", (left, y), (right, y));
            for &column in &columns {
                self.canvas.circle("dot", (self.xs[column], y), 5);
            }
            self.canvas.text("halo", middle, y - 6, Anchor::Middle, &label);
        }
    }

    fn cross(&mut self, x: Px, y: Px) {
        self.canvas.line("badline", (x - 5, y - 5), (x + 5, y + 5));
        self.canvas.line("badline", (x - 5, y + 5), (x + 5, y - 5));
    }

    /// The ends of the lifelines.
    fn ends(&mut self, story: &Story) {
        for x in self.xs.clone() {
            match story.ending {
                StoryEnding::Stuck { .. } => self.cross(x, self.bottom),
                StoryEnding::Finished => {
                    self.canvas.line("goodline", (x - 8, self.bottom), (x + 8, self.bottom));
                }
                StoryEnding::Prefix | StoryEnding::Refused { .. } | StoryEnding::Loop { .. } => {}
            }
        }
    }
}

/// The lines below the diagram, with their classes.
fn ending_lines(story: &Story) -> Vec<(&'static str, String)> {
    match &story.ending {
        StoryEnding::Prefix if story.steps.is_empty() => {
            vec![("bad", "violated in the initial state".to_owned())]
        }
        StoryEnding::Prefix => {
            vec![("bad", format!("violated: step {} breaks the property", story.steps.len()))]
        }
        StoryEnding::Refused { by, action } => {
            vec![("bad", format!("{} emits {}, and no one accepts it", clean(by), clean(action)))]
        }
        StoryEnding::Finished => vec![(
            "good",
            "finished: the system may stop here, and nothing more need happen".to_owned(),
        )],
        StoryEnding::Loop { from } => {
            let steps = story.steps.len();
            let line = match steps - from {
                1 => format!("loop: step {steps} repeats for ever"),
                _ => format!("loop: steps {} to {steps} repeat for ever", from + 1),
            };
            vec![("loopword", line)]
        }
        StoryEnding::Stuck { waits } => {
            let head = "stuck: no step is possible, and the system may not end here";
            let mut lines = vec![("bad", head.to_owned())];
            let shown = waits.iter().take(MAX_WAITS);
            lines.extend(shown.map(|wait| ("muted", shorten(&wait_line(wait), 110))));
            if waits.len() > MAX_WAITS {
                lines.push(("muted", format!("and {} more", waits.len() - MAX_WAITS)));
            }
            lines
        }
    }
}

fn tooltip(row: usize, action: &str, state: &Valuation, changes: &Valuation) -> String {
    let mut text = format!("{}. {}", row + 1, clean(action));
    for (slot, value) in changes.iter() {
        text.push('\n');
        text.push_str(&change(slot, state.get(slot), value));
    }
    text
}

/// Places the lifelines so that every label has room, and says where the last label ends.
fn place_columns(chart: &Chart) -> (Vec<Px>, Px) {
    let n_columns = chart.columns.len();
    let name_width = |column: Column| text_width(&shorten(chart.columns[column], MAX_NAME)) + 20;
    let mut left = name_width(0) / 2;
    let mut right = name_width(n_columns - 1) / 2;
    let mut gaps: Vec<Px> = (1..n_columns)
        .map(|column| MIN_GAP.max((name_width(column - 1) + name_width(column)) / 2 + 12))
        .collect();
    for need in needs(chart) {
        match need {
            // Spread what is missing over the gaps in between.
            Need::Between(first, last, width) => {
                let missing = width - gaps[first..last].iter().sum::<Px>();
                if missing > 0 {
                    let share = (missing as usize).div_ceil(last - first) as Px;
                    gaps[first..last].iter_mut().for_each(|gap| *gap += share);
                }
            }
            Need::Around(column, half) => {
                match column.checked_sub(1) {
                    None => left = left.max(half),
                    Some(before) => gaps[before] = gaps[before].max(half + 16),
                }
                match gaps.get_mut(column) {
                    None => right = right.max(half),
                    Some(gap) => *gap = (*gap).max(half + 16),
                }
            }
        }
    }
    let mut x = MARGIN + GUTTER + left;
    let mut xs = vec![x];
    for gap in gaps {
        x += gap;
        xs.push(x);
    }
    (xs, x + right + 12)
}

/// Room that a label needs.
enum Need {
    /// Between two lifelines, the first left of the second.
    Between(Column, Column, Px),
    /// On either side of a lifeline.
    Around(Column, Px),
}

/// The needs of all rows, the narrow ones first: what they widen serves the wide ones.
fn needs(chart: &Chart) -> Vec<Need> {
    let last_column = chart.columns.len() - 1;
    let mut needs = Vec::new();
    for mark in &chart.rows {
        let width = |label: &str| text_width(&shorten(label, MAX_LABEL)) + 24;
        let mut between = |a: Column, b: Column, width: Px| {
            if a == b {
                needs.push(Need::Around(a, width / 2));
            } else {
                needs.push(Need::Between(a.min(b), a.max(b), width));
            }
        };
        match mark {
            Mark::Box { columns, label } => {
                let first = columns.iter().copied().min().unwrap_or(0);
                let last = columns.iter().copied().max().unwrap_or(last_column);
                between(first, last, width(label));
            }
            Mark::Exchange { from, to, label } => match to.iter().find(|to| *to != from) {
                Some(receiver) => between(*from, *receiver, width(label)),
                None => between(*from, *from, width(label)),
            },
            Mark::Send { from, to, label } => match to.iter().find(|(to, _)| to != from) {
                Some((receiver, _)) => between(*from, *receiver, width(label) + 10),
                None => between(*from, *from, width(label) + 20),
            },
            Mark::Receive { from: Some(from), to, label, .. } => {
                between(*from, *to, width(label) + 10);
            }
            Mark::Receive { from: None, to, label, .. } => between(*to, *to, 2 * width(label)),
            Mark::Close { from, to } => between(*from, *to, width("close") + 24),
            Mark::Refused { from, label } => between(*from, *from, 2 * (width(label) + 60)),
        }
    }
    needs.sort_by_key(|need| match need {
        Need::Around(..) => 0,
        Need::Between(first, last, _) => last - first,
    });
    needs
}
