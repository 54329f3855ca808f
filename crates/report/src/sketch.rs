//! A story as a sequence diagram in characters, for failure messages and terminals: a lifeline per
//! participant, a row per step, the lasso marked beside it.
//!
//! A full line is a step. A message that leaves stops short of its receiver; where it arrives, the line
//! is broken and starts short of the sender.

use std::fmt::Write as _;

use crate::Story;
use crate::chart::{Chart, Column, Mark, Row};
use crate::text::{clean, ending_lines, loop_line};

/// A label longer than this is cut.
const MAX_LABEL: usize = 40;
/// Least distance of two lifelines.
const MIN_GAP: usize = 8;
/// What an arrow takes beside its label: its ends, a dash and a space on either side.
const ARROW: usize = 8;

/// The story as a sequence diagram in characters; the property is not named.
pub fn sequence_text(story: &Story) -> String {
    let chart = Chart::of(story);
    let rows: Vec<Vec<Drawing>> = chart.rows.iter().map(drawings).collect();
    let names: Vec<String> = chart.columns.iter().map(|name| cut(name)).collect();
    let sketch = Sketch::new(&names, &rows, story);
    let mut text = String::new();
    sketch.head(&mut text, &names);
    for (position, row) in rows.iter().enumerate() {
        if story.loop_start() == Some(position) {
            let _ = writeln!(text, "{:1$}{2}", "", sketch.rail, loop_line(story, position));
        }
        for (part, drawing) in row.iter().enumerate() {
            sketch.row(&mut text, position, part == 0, drawing);
        }
    }
    for line in ending_lines(story) {
        let indent = if story.loop_start().is_some() { sketch.rail } else { 2 };
        let _ = writeln!(text, "{:indent$}{line}", "");
    }
    text
}

/// What one line of text shows.
enum Drawing {
    /// A line from one lifeline to another.
    Arrow { from: Column, to: Column, kind: Arrow, label: String, sent: Option<Row> },
    /// A text over some lifelines; over all of them where there are none.
    Text { columns: Vec<Column>, label: String },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrow {
    Whole,
    Leaves,
    Arrives,
    Closes,
}

fn drawings(mark: &Mark) -> Vec<Drawing> {
    let arrow = |from: Column, to: Column, kind: Arrow, label: &str, sent: Option<Row>| {
        if from == to {
            let label = format!("[{} to itself]", cut(label));
            return Drawing::Text { columns: vec![from], label };
        }
        Drawing::Arrow { from, to, kind, label: cut(label), sent }
    };
    match mark {
        Mark::Box { columns, label } => {
            vec![Drawing::Text { columns: columns.clone(), label: format!("[{}]", cut(label)) }]
        }
        Mark::Exchange { from, to, label } => {
            to.iter().map(|&to| arrow(*from, to, Arrow::Whole, label, None)).collect()
        }
        Mark::Send { from, to, label } => {
            to.iter().map(|&(to, _)| arrow(*from, to, Arrow::Leaves, label, None)).collect()
        }
        Mark::Receive { from: Some(from), to, sent, label } => {
            vec![arrow(*from, *to, Arrow::Arrives, label, *sent)]
        }
        Mark::Receive { from: None, to, label, .. } => {
            vec![Drawing::Text { columns: vec![*to], label: format!("[{} arrives]", cut(label)) }]
        }
        Mark::Close { from, to } => vec![arrow(*from, *to, Arrow::Closes, "close", None)],
        Mark::Refused { from, label } => {
            let label = format!("[{} ✗ not accepted]", cut(label));
            vec![Drawing::Text { columns: vec![*from], label }]
        }
    }
}

/// Where everything stands.
struct Sketch {
    /// Where the rail of the loop stands: behind the numbers.
    rail: usize,
    number_width: usize,
    loop_start: Option<Row>,
    /// Where each lifeline stands.
    lifelines: Vec<usize>,
}

impl Sketch {
    fn new(names: &[String], rows: &[Vec<Drawing>], story: &Story) -> Self {
        let number_width = story.steps.len().to_string().len();
        let rail = 2 + number_width + 2;
        let length = |text: &String| text.chars().count();
        let mut before = vec![0; names.len()];
        before[0] = length(&names[0]) / 2;
        for column in 1..names.len() {
            let halves = length(&names[column - 1]).div_ceil(2) + length(&names[column]) / 2;
            before[column] = MIN_GAP.max(halves + 2);
        }
        let mut needs: Vec<(Column, Column, usize)> = Vec::new();
        for drawing in rows.iter().flatten() {
            match drawing {
                Drawing::Arrow { from, to, label, .. } => {
                    needs.push((*from.min(to), *from.max(to), length(label) + ARROW));
                }
                Drawing::Text { columns, label } => {
                    let first = columns.iter().copied().min().unwrap_or(0);
                    let last = columns.iter().copied().max().unwrap_or(names.len() - 1);
                    if first == last {
                        let half = length(label) / 2 + 1;
                        before[first] = before[first].max(half + 1);
                        if last + 1 < names.len() {
                            before[last + 1] = before[last + 1].max(half + 1);
                        }
                    } else {
                        needs.push((first, last, length(label) + 2));
                    }
                }
            }
        }
        // The narrow ones first: what they widen serves the wide ones.
        needs.sort_by_key(|(first, last, _)| last - first);
        for (first, last, width) in needs {
            let has: usize = before[first + 1..=last].iter().sum();
            before[last] += width.saturating_sub(has);
        }
        let mut at = rail + if story.loop_start().is_some() { 2 } else { 0 };
        let lifelines = before.into_iter().map(|gap| {
            at += gap;
            at
        });
        Self { rail, number_width, loop_start: story.loop_start(), lifelines: lifelines.collect() }
    }

    fn head(&self, text: &mut String, names: &[String]) {
        let mut line = Line::default();
        for (name, &at) in names.iter().zip(&self.lifelines) {
            line.write(at - name.chars().count() / 2, name);
        }
        line.end(text);
    }

    fn row(&self, text: &mut String, position: Row, first: bool, drawing: &Drawing) {
        let mut line = Line::default();
        if first {
            line.write(2, &format!("{:>1$}", position + 1, self.number_width));
        }
        if self.loop_start.is_some_and(|start| start <= position) {
            line.write(self.rail, "│");
        }
        for &at in &self.lifelines {
            line.write(at, "│");
        }
        match drawing {
            Drawing::Text { columns, label } => {
                let last = self.lifelines.len() - 1;
                let left = self.lifelines[columns.iter().copied().min().unwrap_or(0)];
                let right = self.lifelines[columns.iter().copied().max().unwrap_or(last)];
                line.centre(left, right, label);
            }
            Drawing::Arrow { from, to, kind, label, sent } => {
                self.arrow(&mut line, (*from, *to), *kind, label);
                if let Some(sent) = sent
                    && sent + 1 != position
                {
                    let end = self.lifelines[self.lifelines.len() - 1];
                    line.write(end + 3, &format!("sent in step {}", sent + 1));
                }
            }
        }
        line.end(text);
    }

    fn arrow(&self, line: &mut Line, (from, to): (Column, Column), kind: Arrow, label: &str) {
        let (start, end) = (self.lifelines[from], self.lifelines[to]);
        let rightwards = start < end;
        let (left, right) = (start.min(end), start.max(end));
        let dash = if kind == Arrow::Arrives { '╌' } else { '─' };
        for at in left + 1..right {
            let crosses = self.lifelines.contains(&at);
            line.put(at, if crosses { '┼' } else { dash });
        }
        let (beside_start, beside_end) =
            if rightwards { (start + 1, end - 1) } else { (start - 1, end + 1) };
        let tip = match (kind, rightwards) {
            (Arrow::Leaves, true) => '▷',
            (Arrow::Leaves, false) => '◁',
            (Arrow::Closes, _) => '×',
            (_, true) => '▶',
            (_, false) => '◀',
        };
        match kind {
            Arrow::Arrives => line.put(beside_start, ' '),
            _ => line.put(start, if rightwards { '├' } else { '┤' }),
        }
        if kind == Arrow::Leaves {
            line.put(beside_end, ' ');
            line.put(if rightwards { beside_end - 1 } else { beside_end + 1 }, tip);
        } else {
            line.put(beside_end, tip);
        }
        line.centre(left, right, &format!(" {label} "));
    }
}

/// A line of text under construction.
#[derive(Default)]
struct Line(Vec<char>);

impl Line {
    fn put(&mut self, at: usize, c: char) {
        if self.0.len() <= at {
            self.0.resize(at + 1, ' ');
        }
        self.0[at] = c;
    }

    fn write(&mut self, at: usize, text: &str) {
        for (offset, c) in text.chars().enumerate() {
            self.put(at + offset, c);
        }
    }

    /// Writes a text in the middle of two places.
    fn centre(&mut self, left: usize, right: usize, text: &str) {
        let middle = left.midpoint(right);
        self.write((middle + 1).saturating_sub(text.chars().count().div_ceil(2)), text);
    }

    fn end(self, text: &mut String) {
        let line: String = self.0.into_iter().collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

fn cut(label: &str) -> String {
    let label = clean(label);
    if label.chars().count() <= MAX_LABEL {
        return label;
    }
    let mut short: String = label.chars().take(MAX_LABEL - 1).collect();
    short.push('…');
    short
}
