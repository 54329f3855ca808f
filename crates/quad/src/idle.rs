//! Statements of a protocol in which nothing ever happens, given the places where something does.

use std::collections::BTreeSet;

use quadrille_diagnostic::{Activity, Fragment, Span, activity, idle};

use super::program::{Program, ProtocolId, Statement, StatementKind};

/// Makes outlines of protocols.
struct Outline<'a> {
    program: &'a Program,
    happened: &'a BTreeSet<Span>,
}

/// The outermost statements of a protocol, and of those it calls, in which nothing happened, in the order
/// of the text; those that follow each other as one.
pub(super) fn idle_statements(
    program: &Program,
    protocol: ProtocolId,
    happened: &BTreeSet<Span>,
) -> Vec<Span> {
    let outline = Outline { program, happened };
    let mut found = BTreeSet::new();
    let mut called = vec![protocol];
    let mut next = 0;
    while let Some(&protocol) = called.get(next) {
        next += 1;
        let body = &program.protocols[protocol.0].body;
        let block = outline.block(body, true);
        // Where a protocol is called that never starts, the call is idle.
        if next == 1 || activity(&block) == Activity::Active {
            found.extend(idle(&block));
            calls(body, &mut called);
        }
    }
    found.into_iter().collect()
}

/// Adds the protocols that statements call.
fn calls(statements: &[Statement], called: &mut Vec<ProtocolId>) {
    for statement in statements {
        match &statement.kind {
            StatementKind::Call(protocol, _) if !called.contains(protocol) => {
                called.push(*protocol);
            }
            kind => blocks(kind).into_iter().for_each(|block| calls(block, called)),
        }
    }
}

/// The blocks inside a statement.
fn blocks(kind: &StatementKind) -> Vec<&[Statement]> {
    match kind {
        StatementKind::Either(branches) => branches.iter().map(|branch| &*branch.body).collect(),
        StatementKind::Par(parts) => parts.iter().map(|part| &**part).collect(),
        StatementKind::Loop(branch) | StatementKind::Opt(branch) => vec![&branch.body],
        StatementKind::Forever(body) | StatementKind::When(_, body) => vec![body],
        StatementKind::Indexed(indexed) => vec![&indexed.branch.body],
        StatementKind::If(_, then, other) => vec![then, other],
        StatementKind::Message(_)
        | StatementKind::Close { .. }
        | StatementKind::Does { .. }
        | StatementKind::Call(..)
        | StatementKind::Let(..)
        | StatementKind::State(..) => Vec::new(),
    }
}

impl Outline<'_> {
    fn block(&self, statements: &[Statement], follow: bool) -> Vec<Fragment> {
        statements.iter().map(|statement| self.fragment(statement, follow)).collect()
    }

    fn fragment(&self, statement: &Statement, follow: bool) -> Fragment {
        let own = match &statement.kind {
            StatementKind::Message(_)
            | StatementKind::Close { .. }
            | StatementKind::Does { .. } => Activity::of(self.happened.contains(&statement.span)),
            // What it calls in turn is looked at by itself: recursion must end.
            StatementKind::Call(protocol, _) if follow => {
                activity(&self.block(&self.program.protocols[protocol.0].body, false))
            }
            _ => Activity::Empty,
        };
        let inside = blocks(&statement.kind).into_iter();
        let blocks = inside.map(|block| self.block(block, follow)).collect();
        Fragment { span: statement.span, own, blocks }
    }
}
