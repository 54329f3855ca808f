//! All formats on random stories full of characters that need care.

use quadrille_diagnostic::Sources;
use quadrille_model::{Counts, Runs, Verdict};
use quadrille_report::{
    Outcome, Suite, itf, junit, read_story, sequence_mermaid, sequence_svg, sequence_text,
    story_json, story_text,
};
use quadrille_workshop::check;

use crate::fixture::{answer, random_story};

/// Fails unless tags nest, attributes are quoted and no character stands where XML forbids it.
#[track_caller]
pub fn assert_balanced(xml: &str, context: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = xml;
    while let Some(start) = rest.find('<') {
        assert!(!rest[..start].contains("]]>"), "{context}: bare ]]>");
        assert_entities(&rest[..start], context);
        let end = start + rest[start..].find('>').expect("a closed tag");
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        assert!(tag.matches('"').count().is_multiple_of(2), "{context}: quotes in <{tag}>");
        assert_entities(tag, context);
        if tag.starts_with('?') || tag.ends_with('/') {
            continue;
        }
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{context}"),
            None => open.push(tag.split_whitespace().next().expect("a name")),
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{context}: {open:?} left open");
    let forbidden = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    assert!(!xml.contains(forbidden), "{context}: a control character");
}

#[track_caller]
fn assert_entities(text: &str, context: &str) {
    for piece in text.split('&').skip(1) {
        let known = ["amp;", "lt;", "gt;", "quot;", "apos;"];
        assert!(known.iter().any(|entity| piece.starts_with(entity)), "{context}: &{piece}");
    }
}

#[test]
fn every_format_stays_well_formed() {
    check(400, |choices| {
        let story = random_story(choices);
        let context = format!("{story:?}");
        assert_balanced(&sequence_svg(&story), &context);
        let answer =
            answer(&story.property, Verdict::Violated(None), Some(Runs::Finite), Counts::default());
        let outcome = Outcome { answer, story: Some(story.clone()) };
        let file = story.property.clone();
        let suite = Suite { file, outcomes: vec![outcome], ..Suite::default() };
        assert_balanced(&junit(&[suite], &[]), &context);

        let text = story_json(&story);
        let source = Sources::default().add("t.json", text.as_str());
        assert_eq!(read_story(source, &text).expect("a story"), story, "{context}");

        let parsed: serde_json::Value = serde_json::from_str(&itf(&story)).expect("JSON");
        let states = parsed["states"].as_array().expect("states").len();
        let repeated = usize::from(story.loop_start().is_some());
        assert_eq!(states + repeated, story.steps.len() + 1, "{context}");

        let diagram = sequence_mermaid(&story);
        let arrow_or_word = |line: &str| {
            let line = line.trim_start();
            ["Note over p", "participant p", "loop ", "end", "sequenceDiagram", "p"]
                .iter()
                .any(|start| line.starts_with(start))
        };
        assert!(diagram.lines().all(arrow_or_word), "{context}: {diagram}");
        assert!(!story_text(&story).contains('\u{1}'), "{context}");
        assert!(!sequence_text(&story).contains('\u{1}'), "{context}");
    });
}

/// The numbers of some attributes of a tag.
fn numbers<const N: usize>(tag: &str, names: [&str; N]) -> [i32; N] {
    names.map(|name| {
        let value = tag.split(&format!(" {name}=\"")).nth(1).expect("an attribute");
        value.split('"').next().and_then(|number| number.parse().ok()).expect("a number")
    })
}

#[test]
fn item_18_no_box_stands_where_a_label_of_a_message_does() {
    let (mut n_labels, mut n_boxes) = (0, 0);
    check(300, |choices| {
        let svg = sequence_svg(&random_story(choices));
        let tags = |kind: &'static str| svg.lines().filter(move |line| line.starts_with(kind));
        let boxes: Vec<[i32; 2]> =
            tags("<rect class=\"box\"").map(|tag| numbers(tag, ["y", "height"])).collect();
        let labels: Vec<[i32; 1]> = tags("<text ")
            .filter(|tag| tag.contains("halo\""))
            .map(|tag| numbers(tag, ["y"]))
            .collect();
        // Letters of 12 pixels stand on `y`. Rows have boxes or labels, never both.
        let overlaps =
            |[label]: &[i32; 1], [y, height]: &[i32; 2]| label - 10 < y + height && *y < label + 3;
        for label in &labels {
            assert!(!boxes.iter().any(|one| overlaps(label, one)), "{label:?} in\n{svg}");
        }
        n_labels += labels.len();
        n_boxes += boxes.len();
    });
    assert!(n_labels > 300 && n_boxes > 300, "{n_labels} labels, {n_boxes} boxes");
}
