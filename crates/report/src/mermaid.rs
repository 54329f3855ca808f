//! A story as a Mermaid `sequenceDiagram`, which code hosts draw inside Markdown.

use std::fmt::Write as _;

use crate::chart::{Chart, Column, Mark, Row};
use crate::text::{clean, wait_line};
use crate::{Story, StoryEnding};

/// The story as a Mermaid sequence diagram.
pub fn sequence_mermaid(story: &Story) -> String {
    let chart = Chart::of(story);
    let mut text = String::from("sequenceDiagram\n");
    for (column, name) in chart.columns.iter().enumerate() {
        let _ = writeln!(text, "  participant p{column} as {}", escape(name));
    }
    let last = chart.columns.len() - 1;
    let all_participants = if last == 0 { "p0".to_owned() } else { format!("p0,p{last}") };
    let _ = writeln!(text, "  Note over {all_participants}: {}", escape(&story.property));
    let mut indent = "  ";
    for (row, mark) in chart.rows.iter().enumerate() {
        if story.loop_start() == Some(row) {
            text.push_str("  loop for ever\n");
            indent = "    ";
        }
        for line in lines(row, mark, &all_participants) {
            let _ = writeln!(text, "{indent}{line}");
        }
    }
    match &story.ending {
        StoryEnding::Prefix | StoryEnding::Refused { .. } => {}
        StoryEnding::Loop { .. } => text.push_str("  end\n"),
        StoryEnding::Finished => {
            let _ = writeln!(text, "  Note over {all_participants}: finished");
        }
        StoryEnding::Stuck { waits } => {
            let lines = std::iter::once("stuck".to_owned()).chain(waits.iter().map(wait_line));
            let note: Vec<String> = lines.map(|line| escape(&line)).collect();
            let _ = writeln!(text, "  Note over {all_participants}: {}", note.join("<br/>"));
        }
    }
    text
}

/// The lines of a row. Mermaid has no slanted arrows: a message that arrives in the next row is one
/// arrow, any other an arrow where it leaves and a note where it arrives.
fn lines(row: Row, mark: &Mark, all_participants: &str) -> Vec<String> {
    let arrow = |from: Column, arrow: &str, to: Column, label: &str| {
        format!("p{from}{arrow}p{to}: {}", escape(label))
    };
    match mark {
        Mark::Box { columns, label } => {
            let over = match (columns.iter().min(), columns.iter().max()) {
                (Some(first), Some(last)) if first != last => format!("p{first},p{last}"),
                (Some(only), _) => format!("p{only}"),
                _ => all_participants.to_owned(),
            };
            vec![format!("Note over {over}: {}", escape(label))]
        }
        Mark::Exchange { from, to, label } => {
            to.iter().map(|to| arrow(*from, "->>", *to, label)).collect()
        }
        Mark::Send { from, to, label } => {
            let sent = |(to, arrives): &(Column, Option<Row>)| match arrives {
                Some(arrival) if *arrival == row + 1 => arrow(*from, "->>", *to, label),
                Some(_) => arrow(*from, "-)", *to, label),
                None => arrow(*from, "-)", *to, &format!("{label} (not received)")),
            };
            to.iter().map(sent).collect()
        }
        Mark::Receive { sent: Some(sent), .. } if sent + 1 == row => Vec::new(),
        Mark::Receive { to, label, .. } => {
            vec![format!("Note over p{to}: receives {}", escape(label))]
        }
        Mark::Close { from, to } => vec![arrow(*from, "-x", *to, "close")],
        Mark::Refused { from, label } => {
            vec![format!("Note over p{from}: {}#58; no one accepts it", escape(label))]
        }
    }
}

/// Escapes a text by Mermaid's entity codes. The word `end` would close a block.
pub(crate) fn escape(text: &str) -> String {
    let text = clean(text);
    let mut safe = String::with_capacity(text.len());
    for (position, c) in text.char_indices() {
        let ends_block = |rest: &str| {
            let before = text[..position].chars().next_back();
            let after = rest.chars().nth(3);
            let word = rest.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("end"));
            word && ![before, after].into_iter().flatten().any(char::is_alphanumeric)
        };
        match c {
            '#' | ';' | '<' | '>' | '"' | '&' | '{' | '}' | '%' | '`' | '\\' => {
                let _ = write!(safe, "#{};", u32::from(c));
            }
            'e' | 'E' if ends_block(&text[position..]) => {
                let _ = write!(safe, "#{};", u32::from(c));
            }
            c => safe.push(c),
        }
    }
    if safe.is_empty() { "#32;".to_owned() } else { safe }
}
