//! Stories for tests: a line notation, and a seeded generator.

use quadrille_engine::Limits;
use quadrille_model::Interaction;
use quadrille_model::{Counts, Expected, Runs, Verdict};
use quadrille_query::{Aim, Answer, Assumptions, Evidence, Form};
use quadrille_report::{Shown, Story, StoryEnding, StoryStep};
use quadrille_workshop::Choices;

/// Reads a story. The first line names the participants; then one line per step:
/// `A -> B, C: m` exchange, `A ! B: m` send, `A ? B: m` receive, `A x B` close, `A, B: label` joint,
/// `: label` anonymous. ` | slot=value` adds changes, `loop` marks the next step as repeated,
/// `stuck` and `finished` end it. Slots start as 0.
pub fn story(text: &str) -> Story {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let participants = list(lines.next().expect("participants"));
    let mut steps: Vec<StoryStep> = Vec::new();
    let mut ending = StoryEnding::Prefix;
    for line in lines {
        match line {
            "loop" => ending = StoryEnding::Loop { from: steps.len() },
            "stuck" => ending = StoryEnding::Stuck { waits: Vec::new() },
            "finished" => ending = StoryEnding::Finished,
            step => steps.push(read_step(step)),
        }
    }
    let mut slots: Vec<String> = Vec::new();
    for (slot, _) in steps.iter().flat_map(|step| step.changes.iter()) {
        if !slots.iter().any(|known| known == slot) {
            slots.push(slot.to_owned());
        }
    }
    let initial = slots.into_iter().map(|slot| (slot, Shown::Number(0))).collect();
    Story {
        property: "G !\"bad\"".to_owned(),
        participants,
        initial,
        hidden: Vec::new(),
        options: Vec::new(),
        steps,
        ending,
    }
}

fn list(names: &str) -> Vec<String> {
    names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn read_step(line: &str) -> StoryStep {
    let (what, changes) = line.split_once(" | ").unwrap_or((line, ""));
    let changes = list(changes).into_iter().map(|change| {
        let (slot, value) = change.split_once('=').expect("slot=value");
        let value = value.parse().map_or(Shown::Text(value.to_owned()), Shown::Number);
        (slot.to_owned(), value)
    });
    let (who, label) = what.split_once(": ").unwrap_or((what, ""));
    let message = label.to_owned();
    let one = |name: &str| name.trim().to_owned();
    let interaction = if let Some((from, to)) = who.split_once(" -> ") {
        Interaction::Exchange { from: one(from), to: list(to), message }
    } else if let Some((from, to)) = who.split_once(" ! ") {
        Interaction::Send { from: one(from), to: list(to), message }
    } else if let Some((from, to)) = who.split_once(" ? ") {
        let from = (!from.trim().is_empty()).then(|| one(from));
        Interaction::Receive { from, to: one(to), message }
    } else if let Some((from, to)) = who.split_once(" x ") {
        Interaction::Close { from: one(from), to: one(to) }
    } else {
        Interaction::Joint { participants: list(who) }
    };
    StoryStep {
        action: if matches!(interaction, Interaction::Joint { .. }) { label } else { what }
            .to_owned(),
        interaction,
        changes: changes.collect(),
    }
}

/// A name with characters that need care.
fn name(choices: &mut Choices) -> String {
    const PIECES: [&str; 14] = [
        "a",
        "end",
        "<b>",
        "&",
        "\"q\"",
        "long_name",
        "é",
        "日本",
        "\n",
        "\u{1}",
        ";",
        "#",
        "'",
        "]]>",
    ];
    choices.list(1, 4, |choices| choices.pick(&PIECES)).concat()
}

/// A story about anything, with names that every format must escape.
pub fn random_story(choices: &mut Choices) -> Story {
    let mut participants: Vec<String> = choices.list(0, 4, name);
    participants.sort();
    participants.dedup();
    let mut slots: Vec<String> = choices.list(1, 4, name);
    slots.sort();
    slots.dedup();
    let value = |choices: &mut Choices| match choices.below(3) {
        0 => Shown::Number(choices.below(5_000_000_000) as u32),
        _ => Shown::Text(name(choices)),
    };
    let initial = slots.iter().map(|slot| (slot.clone(), value(choices))).collect();
    let steps: Vec<StoryStep> = choices.list(0, 11, |choices| {
        let chosen: Vec<_> = slots.iter().filter(|_| choices.below(3) == 0).cloned().collect();
        StoryStep {
            action: name(choices),
            interaction: random_interaction(choices, &participants),
            changes: chosen.into_iter().map(|slot| (slot, value(choices))).collect(),
        }
    });
    let ending = match choices.below(4) {
        0 if !steps.is_empty() => StoryEnding::Loop { from: choices.below(steps.len()) },
        1 => StoryEnding::Stuck { waits: Vec::new() },
        2 => StoryEnding::Finished,
        _ => StoryEnding::Prefix,
    };
    let (hidden, options) = (Vec::new(), Vec::new());
    Story { property: name(choices), participants, initial, hidden, options, steps, ending }
}

fn random_interaction(choices: &mut Choices, participants: &[String]) -> Interaction<String> {
    if participants.is_empty() {
        return Interaction::Joint { participants: Vec::new() };
    }
    let mut pick = || participants[choices.below(participants.len())].clone();
    let (from, to) = (pick(), pick());
    match choices.below(6) {
        0 => Interaction::Joint { participants: vec![from] },
        1 => Interaction::Send { from, to: vec![to], message: name(choices) },
        2 => Interaction::Receive { from: Some(from), to, message: name(choices) },
        3 => Interaction::Receive { from: None, to, message: name(choices) },
        4 => Interaction::Exchange { from, to: vec![to], message: name(choices) },
        _ => Interaction::Close { from, to },
    }
}

/// An answer that a search might give.
pub fn answer(name: &str, verdict: Verdict, runs: Option<Runs>, counts: Counts) -> Answer {
    Answer {
        question: "property",
        name: name.to_owned(),
        formula: None,
        verdict,
        expected: Expected::Holds,
        aim: Aim::Prove,
        counts,
        size: None,
        product: None,
        evidence: Evidence::None,
        assumptions: Assumptions {
            runs,
            fairness: runs.map(|_| "no fairness".to_owned()),
            reduction: None,
            limits: Limits::default(),
            form: Form::Global,
            engine: "breadth-first search".into(),
        },
        seconds: 0.25,
    }
}
