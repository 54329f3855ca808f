//! Traces of real models: told, and found again by name.

use expect_test::expect;
use quadrille_model::{
    ActionId, Automaton, Channel, Ending, GroupId, LocalId, MessageId, Model, Network,
    NetworkBuilder, NetworkError, Step, Template, Trace, Value,
};
use quadrille_report::{Mismatch, Shown, Story, retrace, sequence_mermaid, story_text};

/// A client that asks through a channel, and a server that wants a key before it answers.
fn office() -> Result<Network, NetworkError> {
    let mut office = NetworkBuilder::default();
    let [first, second] = [0, 1].map(LocalId::new);
    let client = office.participant(Automaton::new("client", ["idle", "waiting"]))?;
    let server = office.participant(Automaton::new("server", ["ready", "locked"]))?;
    let key = office.participant(Automaton::new("key", ["lost", "found"]))?;
    let desk = office.channel(Channel::new("desk", 2, ["form"]).between(client, server))?;
    let form = MessageId::new(0);
    office.template(Template::new("ask").step(client, first, second).send(desk, form))?;
    office.template(Template::new("take").step(server, first, second).receive(desk, form))?;
    let answer = Template::new("answer").step(server, second, first).step(client, second, first);
    office.template(answer.when(key, [second]))?;
    office.build()
}

/// The run that always takes the first edge, for at most `n_steps` steps.
fn first_run(model: &dyn Model, n_steps: usize) -> Trace {
    let mut initial = Vec::new();
    let mut explorer = model.explorer();
    explorer.each_initial(|state| initial = state.to_vec()).expect("a start");
    let mut trace = Trace { initial, steps: Vec::new(), ending: Ending::Stuck };
    while trace.steps.len() < n_steps {
        let mut first = None;
        let see = |group: GroupId, action: ActionId, state: &[Value]| {
            first.get_or_insert(Step { group, action, state: state.to_vec() });
        };
        explorer.each_successor(trace.last(), see).expect("computable");
        let Some(step) = first else { return trace };
        trace.steps.push(step);
    }
    trace.ending = Ending::Prefix;
    trace
}

fn stuck() -> (Network, Trace, Story) {
    let model = office().expect("a sound network");
    let trace = first_run(&model, 10);
    let story = Story::tell("no deadlock", &trace, &model);
    (model, trace, story)
}

#[test]
fn a_stuck_run_says_who_waits_for_what() {
    let (_, _, story) = stuck();
    expect![[r#"
        property: no deadlock

             start   client: idle   server: ready   key: lost   desk: []
          1  ask     client: idle → waiting   desk: [] → [form]
          2  take    server: ready → locked   desk: [form] → []
          stuck: no step is possible, and the system may not end here
            client waits for answer: key is lost, not found
            server waits for answer: key is lost, not found
    "#]]
    .assert_eq(&story_text(&story));
    expect![[r#"
        sequenceDiagram
          participant p0 as client
          participant p1 as server
          Note over p0,p1: no deadlock
          p0->>p1: form
          Note over p0,p1: stuck<br/>client waits for answer: key is lost, not found<br/>server waits for answer: key is lost, not found
    "#]].assert_eq(&sequence_mermaid(&story));
}

#[test]
fn a_story_leads_back_to_its_trace() {
    let (model, trace, story) = stuck();
    assert_eq!(retrace(&story, &model), Ok(trace));
}

#[test]
fn a_story_that_does_not_fit_says_where() {
    let (model, _, story) = stuck();
    let check = |change: &dyn Fn(&mut Story), expected: Mismatch| {
        let mut other = story.clone();
        change(&mut other);
        assert_eq!(retrace(&other, &model), Err(expected));
    };
    check(
        &|story| story.steps[1].action = "steal".to_owned(),
        Mismatch::Step { position: 1, offers: vec!["take".to_owned()] },
    );
    check(
        &|story| {
            let value = Shown::Text("ready".to_owned());
            story.steps[0].changes = [("server".to_owned(), value)].into_iter().collect();
        },
        Mismatch::Step { position: 0, offers: vec!["ask".to_owned()] },
    );
    check(&|story| story.steps.truncate(1), Mismatch::Ending);
    check(
        &|story| {
            let other = Shown::Text("found".to_owned());
            story.initial.update(&[("key".to_owned(), other)].into_iter().collect());
        },
        Mismatch::Initial,
    );
    check(
        &|story| story.initial = [("door".to_owned(), Shown::Number(0))].into_iter().collect(),
        Mismatch::Slots { slot: "door".to_owned() },
    );
}
