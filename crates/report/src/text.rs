//! A trace as text: the property first, then each action with what it changed, the lasso marked.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

use crate::{Need, Shown, Story, StoryEnding, Wait};

/// Lines of files are wrapped before they grow beyond this many columns, where they can be.
const WIDTH: usize = 100;
/// Labels up to this length share one column; a longer one pushes its changes to the next line.
const MAX_LABEL: usize = 36;

/// The whole story, property first.
pub fn story_text(story: &Story) -> String {
    format!("property: {}\n\n{}", clean(&story.property), steps_text(story, WIDTH))
}

/// The story without the property, for where that is named already. Lines are wrapped before they grow
/// beyond `width` columns, where they can be.
pub fn steps_text(story: &Story, width: usize) -> String {
    let mut page = Page::new(story, width);
    page.start(story);
    let mut state = story.initial.clone();
    for (position, step) in story.steps.iter().enumerate() {
        if story.loop_start() == Some(position) {
            page.rail(loop_line(story, position));
        }
        let changes = step.changes.iter().filter(|(slot, _)| story.shows(slot));
        let changes = changes.map(|(slot, value)| change(slot, state.get(slot), value));
        page.step(position, &clean(&step.action), &changes.collect::<Vec<_>>());
        state.update(&step.changes);
    }
    page.ending(story);
    page.text
}

/// What the last step of a story changed, indented, without the slots that text leaves out; nothing
/// where it changed none of the others.
pub fn changes_text(story: &Story, width: usize) -> String {
    let Some(step) = story.steps.last() else { return String::new() };
    let states = story.states();
    let before = states.iter().rev().nth(1).unwrap_or(&story.initial);
    let changes = step.changes.iter().filter(|(slot, _)| story.shows(slot));
    cells(changes.map(|(slot, value)| change(slot, before.get(slot), value)), width)
}

/// What every slot holds at the end of a story, indented; `all` of them, or those that text shows.
pub fn state_text(story: &Story, all: bool, width: usize) -> String {
    let states = story.states();
    let last = states.last().unwrap_or(&story.initial);
    let shown = last.iter().filter(|(slot, _)| all || story.shows(slot));
    cells(shown.map(|(slot, value)| format!("{}: {}", clean(slot), show(value))), width)
}

/// Cells side by side, indented by two, in as many lines as it takes.
fn cells(cells: impl Iterator<Item = String>, width: usize) -> String {
    let (mut text, mut at) = (String::new(), 0);
    for cell in cells {
        let gap = match at {
            0 => "  ",
            at if at + 3 + cell.width() > width => "\n  ",
            _ => "   ",
        };
        at = if gap == "   " { at + 3 } else { 2 } + cell.width();
        text.push_str(gap);
        text.push_str(&cell);
    }
    if at > 0 {
        text.push('\n');
    }
    text
}

/// A text under construction, and the widths of its columns.
struct Page {
    text: String,
    width: usize,
    number_width: usize,
    label_width: usize,
    loop_start: Option<usize>,
}

impl Page {
    fn new(story: &Story, width: usize) -> Page {
        let widths = story.steps.iter().map(|step| clean(&step.action).width());
        Page {
            text: String::new(),
            width,
            number_width: story.steps.len().to_string().len(),
            label_width: widths.filter(|&width| width <= MAX_LABEL).max().unwrap_or(0).max(5),
            loop_start: story.loop_start(),
        }
    }

    /// Characters before the labels: two spaces, the number, two spaces, the rail of the loop.
    fn label_column(&self) -> usize {
        2 + self.number_width + 2 + if self.loop_start.is_some() { 2 } else { 0 }
    }

    fn start(&mut self, story: &Story) {
        let shown = story.initial.iter().filter(|(slot, _)| story.shows(slot));
        let values: Vec<String> =
            shown.map(|(slot, value)| format!("{}: {}", clean(slot), show(value))).collect();
        if values.is_empty() && !story.hidden.is_empty() {
            return;
        }
        let head = format!("{:1$}start", "", self.label_column());
        self.row(&head, "start", false, &values);
    }

    fn step(&mut self, position: usize, label: &str, changes: &[String]) {
        let inside = self.loop_start.is_some_and(|start| start <= position);
        let rail = match self.loop_start {
            None => "",
            Some(_) if inside => "│ ",
            Some(_) => "  ",
        };
        let head = format!("  {:>1$}  {rail}{label}", position + 1, self.number_width);
        self.row(&head, label, inside, changes);
    }

    /// One row: `head` ends in `label`; the cells follow in a column of their own, wrapped.
    fn row(&mut self, head: &str, label: &str, inside: bool, cells: &[String]) {
        self.text.push_str(head);
        let column = self.label_column() + self.label_width + 3;
        let length = label.width();
        let mut at = self.label_column() + length;
        if length > self.label_width && !cells.is_empty() {
            at = self.continue_row(inside);
        }
        let mut first = true;
        for cell in cells {
            let width = cell.width();
            if !first && at + 3 + width > self.width {
                at = self.continue_row(inside);
                first = true;
            }
            let gap = if first { column.saturating_sub(at) } else { 3 };
            let _ = write!(self.text, "{:gap$}{cell}", "");
            at += gap + width;
            first = false;
        }
        self.text.push('\n');
    }

    /// Goes to a new line of the same row and says how far it is filled.
    fn continue_row(&mut self, inside: bool) -> usize {
        self.text.push('\n');
        if !inside {
            return 0;
        }
        let column = self.label_column() - 2;
        let _ = write!(self.text, "{:column$}│", "");
        column + 1
    }

    /// A line on the rail that marks the loop.
    fn rail(&mut self, line: &str) {
        let column = self.label_column() - 2;
        let _ = writeln!(self.text, "{:column$}{line}", "");
    }

    fn ending(&mut self, story: &Story) {
        for line in ending_lines(story) {
            match story.loop_start() {
                Some(_) => self.rail(&line),
                None => {
                    let _ = writeln!(self.text, "  {line}");
                }
            }
        }
    }
}

/// What stands above the steps that repeat, from the one at `position`.
pub(crate) fn loop_line(story: &Story, position: usize) -> &'static str {
    if position + 1 == story.steps.len() {
        "┌─ this step repeats for ever"
    } else {
        "┌─ these steps repeat for ever"
    }
}

/// How a story ends, in lines; of a lasso, what stands below the steps that repeat.
pub fn ending_lines(story: &Story) -> Vec<String> {
    match &story.ending {
        StoryEnding::Prefix => Vec::new(),
        StoryEnding::Refused { by, action } => {
            vec![format!("{} emits {}, and no one accepts it", clean(by), clean(action))]
        }
        StoryEnding::Finished => {
            vec!["finished: the system may stop here, and nothing more need happen".to_owned()]
        }
        StoryEnding::Stuck { waits } => {
            let stuck = "stuck: no step is possible, and the system may not end here".to_owned();
            let waits = waits.iter().map(|wait| format!("  {}", wait_line(wait)));
            std::iter::once(stuck).chain(waits).collect()
        }
        StoryEnding::Loop { from } => {
            vec![format!("└─ back to the state before step {}", from + 1)]
        }
    }
}

/// One line for one wait.
pub(crate) fn wait_line(wait: &Wait) -> String {
    let needs: Vec<String> = wait.needs.iter().map(need).collect();
    format!("{} waits for {}: {}", clean(&wait.participant), clean(&wait.step), needs.join(", "))
}

fn need(need: &Need) -> String {
    let is = format!("{} is {}", clean(&need.slot), show(&need.is));
    let wants: Vec<String> = need.wants.iter().map(show).collect();
    if wants.is_empty() { is } else { format!("{is}, not {}", wants.join(" or ")) }
}

/// `slot: old → new`.
pub(crate) fn change(slot: &str, old: Option<&Shown>, new: &Shown) -> String {
    let old = old.map(show).unwrap_or_default();
    format!("{}: {old} → {}", clean(slot), show(new))
}

fn show(value: &Shown) -> String {
    clean(&value.to_string())
}

/// A text that stays on its line: control characters are escaped.
pub(crate) fn clean(text: &str) -> String {
    if !text.contains(char::is_control) {
        return text.to_owned();
    }
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    text.chars().map(escape).collect()
}
