//! What events do: frames, choices, conditional and quantified effects, several initial states.

use crate::{complaints, counts};

#[test]
fn what_is_not_mentioned_stays() {
    let text = "sig Lamp { var on : set Lamp }
        event flip[l : Lamp] { no l.on  l.on' = l }
        init { no on } for 3 Lamp";
    assert_eq!(counts(text), (8, 12));
}

#[test]
fn initial_states_that_are_left_open_are_all_there() {
    let text = "enum Light { Red, Green }
        sig Lamp { var shows : one Light }
        event change[l : Lamp] { l.shows' in Light - l.shows }
        init { some l : Lamp | l.shows = Red } for 2 Lamp";
    assert_eq!(counts(text), (4, 8));
}

#[test]
fn effects_may_choose_and_depend_on_conditions() {
    let text = "enum Mode { Off, Low, High }
        sig Fan { var mode : one Mode }
        event turn { some f : Fan, m : Mode | f.mode != m and f.mode' = m }
        event stop { all f : Fan | f.mode = High implies f.mode' = Low else f.mode' = Off }
        init { Fan.mode = Off } for 2 Fan";
    // Nine states; four changes of one fan each, and one stop.
    assert_eq!(counts(text), (9, 9 * 4 + 9));
}

#[test]
fn relations_of_three_columns_and_whole_relations_are_written() {
    let text = "sig Node { var seen : Node -> lone Node, var top : set Node }
        event learn[a, b, c : Node] { no a.seen[b]  a.seen' = a.seen ++ b -> c }
        event forget { some seen  seen' = none -> none -> none }
        init { no seen  no top } for 1 Node";
    assert_eq!(counts(text), (2, 2));
}

#[test]
fn sequences_are_queues() {
    let text = "enum Word { A, B }
        one sig Line { var queue : seq Word }
        event put[w : Word] { #Line.queue < 2  Line.queue' = Line.queue.add[w] }
        event take { some Line.queue  Line.queue' = Line.queue.rest }
        init { no Line.queue } for 2 seq";
    assert_eq!(counts(text), (7, 6 + 6));
}

#[test]
fn facts_leave_states_out() {
    let text = "sig Lamp { var on : set Lamp }
        fact { always lone Lamp.on }
        event flip[l : Lamp] { no l.on  l.on' = l }
        event clear[l : Lamp] { some l.on  no l.on' }
        init { no on } for 3 Lamp";
    assert_eq!(counts(text), (4, 6));
}

#[test]
fn what_a_declaration_forbids_is_an_error() {
    let text =
        "sig Node { next : one Node } init { Node$1.next = Node  Node$2.next = Node$1 } for 2 Node";
    assert!(complaints(text).iter().any(|one| one.starts_with("E011")), "{:?}", complaints(text));
}
