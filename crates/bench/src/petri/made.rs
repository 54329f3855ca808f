//! Questions that the data has no agreed answers to: upper bounds of places and of sums, and the
//! global properties. What is agreed on state spaces bounds their answers.

use quadrille_query::petri::{Exam, Found, Net, Row, Task, TaskKind};

/// Places whose bound is asked, and sums.
const EACH: usize = 7;
/// The question that has an agreed answer: the most tokens in a marking.
const ALL: &str = "all places";

/// Seven places, seven sums of up to three places, and all together; then the global properties.
pub(super) fn made(net: &Net) -> Vec<Task> {
    let places: Vec<_> = net.place_ids().collect();
    let mut tasks = Vec::new();
    let mut add = |exam, id: String, ask| tasks.push(Task { exam, id, ask });
    if !places.is_empty() {
        for number in 0..2 * EACH {
            let first = number * places.len() / (2 * EACH);
            let steps: &[usize] = if number < EACH { &[0] } else { &[0, 2, 5] };
            let at = |step: &usize| (first + step * places.len() / 7) % places.len();
            let mut chosen: Vec<_> = steps.iter().map(|step| places[at(step)]).collect();
            chosen.sort_unstable();
            chosen.dedup();
            let kind = if chosen.len() == 1 { "place" } else { "sum" };
            add(Exam::UpperBounds, format!("{kind} {number}"), TaskKind::Bound(chosen));
        }
        add(Exam::UpperBounds, ALL.to_owned(), TaskKind::Bound(places));
    }
    add(Exam::QuasiLiveness, String::new(), TaskKind::QuasiLive);
    add(Exam::Liveness, String::new(), TaskKind::Live);
    add(Exam::StableMarking, String::new(), TaskKind::Stable);
    tasks
}

/// Whether an answer fits what is agreed on the state space; `None` where there is none.
pub(super) fn fits(expected: &[Row], name: &str, task: &Task, found: &Found) -> Option<bool> {
    let agreed = |what: &str| {
        let row = expected.iter().find(|row| row.instance == name && row.what == what)?;
        row.answer.parse::<u64>().ok()
    };
    match found {
        Found::Unknown(_) => None,
        Found::Number(number) if task.id == ALL => {
            Some(agreed("max-tokens-per-marking").is_none_or(|all| all == *number))
        }
        Found::Number(number) if task.id.starts_with("place") => {
            Some(agreed("max-tokens-in-place").is_none_or(|most| *number <= most))
        }
        Found::Number(number) => {
            Some(agreed("max-tokens-per-marking").is_none_or(|most| *number <= most))
        }
        Found::Truth(is_live) if task.exam == Exam::Liveness => {
            let is_stuck = expected.iter().any(|row| {
                row.instance == name && row.exam == "ReachabilityDeadlock" && row.answer == "TRUE"
            });
            Some(!(*is_live && is_stuck))
        }
        Found::Truth(_) | Found::Size(_) => Some(true),
    }
}
