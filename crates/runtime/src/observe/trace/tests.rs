//! Events that a subscriber gets.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::*;

/// A subscriber that collects events as lines.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0 += &format!(" {field}={value:?}");
    }
}

impl Lines {
    fn push(&self, line: String) {
        self.0.lock().expect("no panic").push(line);
    }
}

impl Subscriber for Lines {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut text = Text(format!("span {}", span.metadata().name()));
        span.record(&mut text);
        self.push(text.0);
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = Text(event.metadata().level().to_string());
        event.record(&mut text);
        self.push(text.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn a_subscriber_hears_what_happens() {
    let plan = Plan {
        protocol: Cow::Borrowed("p"),
        roles: vec![Cow::Borrowed("a")].into(),
        labels: vec![Cow::Borrowed("E")].into(),
        acts: vec![crate::plan::Act {
            kind: crate::plan::Kind::Local,
            from: RoleId(0),
            to: Cow::Borrowed(&[]),
            label: Some(crate::plan::LabelId(0)),
            text: Cow::Borrowed("a does E"),
        }]
        .into(),
        strict: Cow::Borrowed(&[]),
        locals: Cow::Borrowed(&[]),
        packets: Cow::Borrowed(&[]),
        queues: Cow::Borrowed(&[]),
    };
    let lines = Lines::default();
    tracing::subscriber::with_default(lines.clone(), || {
        let traced = Traced::new(&plan);
        traced.waits(&plan, RoleId(0), &[ActId(0)]);
        traced.did(&plan, ActId(0));
        let state = "1".to_owned();
        traced.left(&plan, RoleId(0), &Cause::Dropped { role: "a".to_owned(), state });
    });
    assert_eq!(
        *lines.0.lock().expect("no panic"),
        [
            "span module protocol=p",
            "DEBUG message=waits for: a does E role=a",
            "INFO message=a does E",
            "WARN message=`a` was dropped in state 1 before its end role=a",
        ]
    );
}
