//! The picture as SVG: time downwards, a line per task, bars where it holds locks, dashes where it waits,
//! arrows from who waits for ever to who holds what it waits for.

use std::fmt::Write as _;

use super::{Row, escaped};
use crate::failure::Failure;
use crate::operation::{Access, ObjectId};

/// Pixels: a row, a character, the room on the left of a label, a bar.
const ROW: usize = 22;
const CHARACTER: usize = 7;
const INDENT: usize = 34;
const BAR: usize = 5;
/// Bars of locks, by the order of first use.
const COLOURS: [&str; 6] = ["#2a7", "#a6c", "#c80", "#08b", "#975", "#c59"];

/// A part of a task's line, from one row to another.
struct Interval {
    task: usize,
    from: usize,
    to: usize,
    object: ObjectId,
}

impl Failure {
    /// The execution as an SVG drawing: a lane per task with its operations, the locks that it holds as
    /// bars, dashes where it waits, and on the right where in the source and when. What waits for ever
    /// is red, with an arrow to the task that holds it up.
    #[must_use]
    pub fn svg(&self) -> String {
        let rows = self.rows();
        let frame = self.frame(&rows);
        let mut svg = self.head(&frame);
        for (index, held) in self.held(rows.len()).iter().enumerate() {
            frame.bar(&mut svg, held, self.name(held.object), index);
        }
        for waits in self.waited() {
            let place = (frame.lane(waits.task), frame.line(waits.from), frame.line(waits.to));
            dashes(&mut svg, place, "#888", &format!("waits for {}", self.name(waits.object)));
        }
        for (row, (blocked, at)) in self.stuck().iter().zip(self.trace.len()..).enumerate() {
            let task = blocked.task.index();
            let last = self.trace.iter().rposition(|o| o.task == blocked.task).unwrap_or(0);
            let place = (frame.lane(task), frame.line(last), frame.line(at));
            let why = format!("waits for {} for ever", self.name(blocked.object));
            dashes(&mut svg, place, "#c00", &why);
            for holder in blocked.holders.iter().filter(|holder| holder.index() != task) {
                frame.arrow(&mut svg, (task, holder.index()), self.trace.len() + row);
            }
        }
        for (index, row) in rows.iter().enumerate() {
            frame.operation(&mut svg, index, row, index >= self.trace.len());
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn name(&self, object: ObjectId) -> &str {
        let name = self.objects.get(object.index()).map_or("", String::as_str);
        name.split(" (").next().unwrap_or_default()
    }

    /// Where things are.
    fn frame(&self, rows: &[Row]) -> Frame {
        let mut lanes = vec![16];
        for task in 0..self.tasks.len() {
            let labels = rows.iter().filter(|row| row.0.index() == task).map(|row| &row.1);
            let widest = labels.chain([&self.tasks[task]]).map(|text| text.chars().count()).max();
            lanes.push(lanes[task] + INDENT + CHARACTER * widest.unwrap_or(0));
        }
        let places = rows.iter().map(|row| row.2.chars().count() + row.3.chars().count() + 3);
        let width = lanes[self.tasks.len()] + CHARACTER * places.max().unwrap_or(0) + 16;
        Frame { lanes, width, height: ROW * (rows.len() + 2) + 8 }
    }

    fn head(&self, frame: &Frame) -> String {
        let Frame { lanes, width, height } = frame;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             font-family=\"monospace\" font-size=\"11\">\n<title>{}</title>\n\
             <defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" \
             orient=\"auto\"><path d=\"M0,0L8,4L0,8z\" fill=\"#c00\"/></marker></defs>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
            escaped(self.fault.word())
        );
        for (name, x) in self.tasks.iter().map(String::as_str).chain(["where"]).zip(lanes) {
            let _ = writeln!(
                svg,
                "<text x=\"{x}\" y=\"16\" font-weight=\"bold\">{}</text>",
                escaped(name)
            );
        }
        for x in &lanes[..self.tasks.len()] {
            let _ = writeln!(
                svg,
                "<line x1=\"{x}\" y1=\"24\" x2=\"{x}\" y2=\"{}\" stroke=\"#bbb\"/>",
                height - 8
            );
        }
        svg
    }

    /// Who holds which lock from which operation to which; to the end if it is not given back.
    fn held(&self, n_rows: usize) -> Vec<Interval> {
        let mut held: Vec<Interval> = Vec::new();
        for (row, operation) in self.trace.iter().enumerate() {
            let (task, object) = (operation.task.index(), operation.object);
            let took = match operation.access {
                Access::Acquire | Access::Share => true,
                // An attempt says what it found: nothing in its way.
                _ => operation.action.word().starts_with("try_") && self.is_given_back(row),
            };
            let gave = matches!(operation.access, Access::Release | Access::Unshare);
            if took {
                held.push(Interval { task, from: row, to: n_rows, object });
            } else if let Some(open) = held.iter_mut().rfind(|open| {
                gave && open.to == n_rows && (open.task, open.object) == (task, object)
            }) {
                open.to = row;
            }
        }
        held
    }

    /// Whether a task that tries to take a lock gives it back before it tries again: then it had it.
    fn is_given_back(&self, row: usize) -> bool {
        let tried = &self.trace[row];
        let later = self.trace[row + 1..].iter();
        let mut same = later.filter(|o| (o.task, o.object) == (tried.task, tried.object));
        same.next().is_some_and(|o| matches!(o.access, Access::Release | Access::Unshare))
    }

    /// Which operations could not happen before another one did: from the task's operation before, to
    /// what it waited for.
    fn waited(&self) -> Vec<Interval> {
        let mut waited = Vec::new();
        for (row, operation) in self.trace.iter().enumerate() {
            let earlier = &self.trace[..row];
            let Some(before) = earlier.iter().rposition(|o| o.task == operation.task) else {
                continue;
            };
            let cause = match operation.access {
                Access::Acquire | Access::Share => earlier.iter().rposition(|o| {
                    o.object == operation.object
                        && o.task != operation.task
                        && matches!(o.access, Access::Release | Access::Unshare)
                }),
                Access::Pop => earlier.iter().rposition(|o| {
                    o.object == operation.object && matches!(o.access, Access::Push | Access::Leave)
                }),
                _ => (operation.cause as usize).checked_sub(1),
            };
            if let Some(to) = cause.filter(|&cause| cause > before) {
                let (task, object) = (operation.task.index(), operation.object);
                waited.push(Interval { task, from: before, to, object });
            }
        }
        waited
    }
}

/// Where lanes and rows are, in pixels. The last lane is that of places.
struct Frame {
    lanes: Vec<usize>,
    width: usize,
    height: usize,
}

impl Frame {
    fn lane(&self, task: usize) -> usize {
        self.lanes[task]
    }

    fn line(&self, row: usize) -> usize {
        20 + ROW * (row + 1)
    }

    fn bar(&self, svg: &mut String, held: &Interval, name: &str, index: usize) {
        let beside = (held.object.index() % 3) * (BAR + 1) + 3;
        let (x, y) = (self.lane(held.task) + beside, self.line(held.from));
        let _ = writeln!(
            svg,
            "<rect class=\"held\" id=\"held{index}\" x=\"{x}\" y=\"{y}\" width=\"{BAR}\" \
             height=\"{}\" fill=\"{}\" fill-opacity=\"0.6\"><title>holds {}</title></rect>",
            ROW * (held.to - held.from),
            COLOURS[held.object.index() % COLOURS.len()],
            escaped(name)
        );
    }

    fn arrow(&self, svg: &mut String, (from, to): (usize, usize), row: usize) {
        let y = self.line(row);
        let (from, to) = (self.lane(from), self.lane(to));
        // From the dot, up a little, so that it does not run through the label.
        let _ = writeln!(
            svg,
            "<path class=\"waits-for\" d=\"M{from},{y}V{}H{to}\" fill=\"none\" stroke=\"#c00\" \
             marker-end=\"url(#tip)\"/>",
            y - 11
        );
    }

    fn operation(&self, svg: &mut String, index: usize, row: &Row, is_stuck: bool) {
        let (task, label, place, time) = row;
        let (x, y) = (self.lane(task.index()), self.line(index));
        let (dot, text) = if is_stuck { ("#c00", "#c00") } else { ("#06c", "#000") };
        let _ = writeln!(
            svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" fill=\"{dot}\"/>\
             <text x=\"{}\" y=\"{}\" fill=\"{text}\">{}</text>",
            x + 24,
            y + 4,
            escaped(label)
        );
        let at = if time.is_empty() || time == "0 s" { String::new() } else { format!(" @{time}") };
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" fill=\"#777\">{}</text>",
            self.lanes[self.lanes.len() - 1],
            y + 4,
            escaped(&format!("{place}{at}"))
        );
    }
}

fn dashes(svg: &mut String, (x, from, to): (usize, usize, usize), colour: &str, why: &str) {
    let _ = writeln!(
        svg,
        "<line class=\"waits\" x1=\"{x}\" y1=\"{from}\" x2=\"{x}\" y2=\"{to}\" stroke=\"{colour}\" \
         stroke-width=\"3\" stroke-dasharray=\"3 3\"><title>{}</title></line>",
        escaped(why)
    );
}
