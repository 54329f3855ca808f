//! Projections of small protocols, and their forms beside each other.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span};
use quadrille_engine::{Limits, Space, unobserved};
use quadrille_model::Model;

use super::*;
use crate::core::{
    DefinitionId, Definitions, Identity, Message, Named, ProtocolModel, Role, RoleId, TermId,
    Terms, Word,
};

/// The protocols of these tests call nothing.
struct NoDefinitions(SourceId);

impl Definitions for NoDefinitions {
    fn unfold(&self, _: &Terms, _: DefinitionId, _: &[Word]) -> Result<TermId, Box<Diagnostic>> {
        unreachable!("no calls")
    }

    fn named(&self, _: DefinitionId, _: &[Word]) -> Named {
        Named { text: String::new(), span: Span::new(self.0, 0..0) }
    }
}

/// Reads one form, as Discourje writes it, from the words of a text.
fn form<'a>(terms: &Terms, words: &mut impl Iterator<Item = &'a str>) -> Option<TermId> {
    let operator = words.next().filter(|&word| word != ")")?;
    let mut parts = Vec::new();
    let mut message = Message::new("M");
    let mut roles: Vec<RoleId> = Vec::new();
    loop {
        match words.next().expect("a closing parenthesis") {
            ")" => break,
            "(" => parts.extend(form(terms, words)),
            word => match word.strip_prefix("::") {
                Some(role) => roles.push(terms.role(Role::new(role))),
                None => message = Message::new(word),
            },
        }
    }
    Some(match operator {
        "s/cat" => terms.sequence(&parts),
        "s/alt" => terms.choice(&parts),
        "s/par" => terms.par(&parts),
        "s/*" => terms.star(parts[0]),
        "s/?" => terms.optional(parts[0]),
        "s/ω" => terms.forever(parts[0]),
        "s/close" => terms.close(roles[0], roles[1]),
        "s/-->" => terms.synchronous(&message, roles[0], &roles[1..]),
        "s/-->>" => terms.asynchronous(&message, roles[0], &roles[1..]),
        _ => unreachable!("{operator}"),
    })
}

pub(super) fn protocol(body: &str) -> ProtocolModel {
    let terms = Terms::new(Identity::Written, vec![]);
    let spaced = body.replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().skip(1);
    let start = form(&terms, &mut words).expect("a form");
    ProtocolModel::new(terms, start, Box::new(NoDefinitions(Sources::default().add("tests", ""))))
}

pub(super) fn global(model: &ProtocolModel) -> Global {
    let table = Space::new(model).tabulate(Limits::default(), &mut unobserved).expect("finite");
    Global::new(model, &table).expect("a start")
}

/// `None` where there seems to be no end of them.
fn n_states(model: &dyn Model) -> Option<usize> {
    let limits = Limits { states: Some(1_000), ..Limits::default() };
    let table = Space::new(model).tabulate(limits, &mut unobserved);
    table.ok().map(|table| table.n_states())
}

/// The automaton of each role, `.` marking states that may end, and the number of states of each form.
#[expect(clippy::needless_pass_by_value, reason = "reads like the other tests")]
fn check(body: &str, expected: Expect) {
    let model = protocol(body);
    let global = global(&model);
    let projection = Projection::new(&global).expect("small");
    let mut shown = String::new();
    for local in projection.locals() {
        let _ = writeln!(shown, "{}", projection.role(local.role));
        for (number, state) in local.states.iter().enumerate() {
            let _ = write!(shown, "  {number}{}", if state.may_end { "." } else { "" });
            for edge in &state.edges {
                let label = projection.label(edge.act);
                let variant = edge.packet.map_or(0, |packet| projection.packet(packet).variant);
                let variant = if variant > 0 { format!("#{}", variant + 1) } else { String::new() };
                let _ = write!(shown, " {label}{variant}→{}", edge.to.number());
            }
            shown.push('\n');
        }
    }
    let _ = write!(shown, "strict {}", global.n_states());
    for (name, queues) in [("pair", Queues::PerPair), ("receiver", Queues::PerReceiver)] {
        let liberal = Liberal::new(projection.clone(), &queues);
        let network = |capacity| {
            let capacities = vec![capacity; liberal.channels().len()];
            n_states(&liberal.network(&capacities).expect("fits"))
        };
        assert_eq!(n_states(&liberal.bounded(&vec![1; liberal.channels().len()])), network(1));
        match n_states(&liberal) {
            None => shown += &format!(", per {name} without end"),
            Some(count) => {
                shown += &format!(", per {name} {count}");
                assert_eq!(network(8), Some(count));
            }
        }
    }
    expected.assert_eq(&shown);
}

#[test]
fn a_conversation_in_turns() {
    check(
        "(s/* (s/cat (s/-->> Ask ::a ::b) (s/-->> Say ::b ::a)))",
        expect![[r#"
        a
          0. a sends Ask to b→1
          1 a receives Say from b→0
        b
          0. b receives Ask from a→1
          1 b sends Say to a→0
        strict 4, per pair 4, per receiver 4"#]],
    );
}

#[test]
fn who_is_not_asked_skips_what_others_do() {
    check(
        "(s/cat (s/-->> X ::a ::b) (s/-->> Y ::b ::c) (s/close ::a ::b))",
        expect![[r#"
        a
          0 a sends X to b→1
          1 a closes to b→2
          2.
        b
          0 b receives X from a→1
          1 b sends Y to c→2
          2.
        c
          0 c receives Y from b→1
          1.
        strict 6, per pair 9, per receiver 9"#]],
    );
}

#[test]
fn equal_messages_of_two_branches_carry_the_branch() {
    check(
        "(s/alt (s/cat (s/-->> M ::a ::b) (s/-->> Q ::b ::c)) \
                (s/cat (s/-->> M ::a ::b) (s/-->> R ::b ::a)))",
        expect![[r#"
            a
              0 a sends M to b→1 a sends M to b#2→2
              1.
              2 a receives R from b→1
            b
              0 b receives M from a→1 b receives M from a#2→2
              1 b sends Q to c→3
              2 b sends R to a→3
              3.
            c
              0. c receives Q from b→1
              1.
            strict 8, per pair 9, per receiver 9"#]],
    );
}

#[test]
fn parallel_parts_do_not_disturb_each_other() {
    check(
        "(s/par (s/-->> A ::p ::r) (s/-->> B ::q ::r))",
        expect![[r#"
        p
          0 p sends A to r→1
          1.
        r
          0 r receives A from p→1 r receives B from q→2
          1 r receives B from q→3
          2 r receives A from p→3
          3.
        q
          0 q sends B to r→1
          1.
        strict 9, per pair 9, per receiver 10"#]],
    );
    check(
        "(s/par (s/-->> M ::p ::r) (s/-->> M ::p ::r) (s/-->> M ::p ::r))",
        expect![[r#"
            p
              0 p sends M to r→1
              1 p sends M to r→2
              2 p sends M to r→3
              3.
            r
              0 r receives M from p→1
              1 r receives M from p→2
              2 r receives M from p→3
              3.
            strict 10, per pair 10, per receiver 10"#]],
    );
}

#[test]
fn a_sender_that_never_waits_fills_its_queue() {
    check(
        "(s/ω (s/-->> M ::a ::b))",
        expect![[r#"
            a
              0 a sends M to b→0
            b
              0 b receives M from a→0
            strict 2, per pair without end, per receiver without end"#]],
    );
}

#[test]
fn exchanges_stay_one_step() {
    check(
        "(s/alt (s/cat (s/--> M ::a ::b) (s/--> X ::b ::c)) (s/cat (s/--> N ::a ::b) (s/close ::a ::b)))",
        expect![[r#"
            a
              0 a passes M to b→1 a passes N to b→2
              1.
              2 a closes to b→1
            b
              0 a passes M to b→1 a passes N to b→2
              1 b passes X to c→2
              2.
            c
              0. b passes X to c→1
              1.
            strict 4, per pair 5, per receiver 5"#]],
    );
}

#[test]
fn the_order_of_arrival_matters_to_a_single_inbox_only() {
    check(
        "(s/cat (s/-->> A ::p ::r) (s/-->> B ::q ::r))",
        expect![[r#"
        p
          0 p sends A to r→1
          1.
        r
          0 r receives A from p→1
          1 r receives B from q→2
          2.
        q
          0 q sends B to r→1
          1.
        strict 5, per pair 7, per receiver 8"#]],
    );
}

#[test]
fn a_message_to_oneself() {
    check(
        "(s/cat (s/-->> A ::p ::p) (s/--> B ::p ::p))",
        expect![[r#"
        p
          0 p sends A to p→1
          1 p receives A from p→2
          2 p passes B to p→3
          3.
        strict 4, per pair 4, per receiver 4"#]],
    );
}
