//! Statements of a protocol in which nothing ever happens, given the places where something does.

use std::collections::BTreeSet;

use quadrille_diagnostic::Span;

use super::program::{Program, ProtocolId, Statement, StatementKind};

/// Whether something happens in a statement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Activity {
    /// There is nothing in it that could.
    Empty,
    /// Nothing does.
    Idle,
    /// Something does.
    Active,
}

/// Looks for statements in which nothing happens.
struct Search<'a> {
    program: &'a Program,
    happened: &'a BTreeSet<Span>,
    found: Vec<Span>,
}

/// The outermost statements of a protocol, and of those it calls, in which nothing happened, in the order
/// of the text; those that follow each other as one.
pub(super) fn idle(
    program: &Program,
    protocol: ProtocolId,
    happened: &BTreeSet<Span>,
) -> Vec<Span> {
    let mut search = Search { program, happened, found: Vec::new() };
    let mut called = vec![protocol];
    let mut next = 0;
    while let Some(&protocol) = called.get(next) {
        next += 1;
        let body = &program.protocols[protocol.0].body;
        // Where a protocol is called that never starts, the call is idle.
        if next == 1 || search.block(body) == Activity::Active {
            search.look(body);
            calls(body, &mut called);
        }
    }
    search.found.sort_unstable();
    search.found.dedup();
    search.found
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
        | StatementKind::Let(..) => Vec::new(),
    }
}

impl Search<'_> {
    fn block(&self, statements: &[Statement]) -> Activity {
        let all = statements.iter().map(|statement| self.statement(statement));
        all.max().unwrap_or(Activity::Empty)
    }

    fn statement(&self, statement: &Statement) -> Activity {
        match &statement.kind {
            StatementKind::Message(_)
            | StatementKind::Close { .. }
            | StatementKind::Does { .. } => match self.happened.contains(&statement.span) {
                true => Activity::Active,
                false => Activity::Idle,
            },
            StatementKind::Call(protocol, _) => {
                // What it calls in turn is looked at by itself: recursion must end.
                let own =
                    |statement: &&Statement| !matches!(statement.kind, StatementKind::Call(..));
                let body = self.program.protocols[protocol.0].body.iter().filter(own);
                body.map(|statement| self.without_calls(statement)).max().unwrap_or(Activity::Empty)
            }
            kind => {
                let all = blocks(kind).into_iter().map(|block| self.block(block));
                all.max().unwrap_or(Activity::Empty)
            }
        }
    }

    fn without_calls(&self, statement: &Statement) -> Activity {
        match &statement.kind {
            StatementKind::Call(..) => Activity::Empty,
            kind => match &blocks(kind)[..] {
                [] => self.statement(statement),
                blocks => {
                    let inner = blocks.iter().flat_map(|block| block.iter());
                    inner.map(|each| self.without_calls(each)).max().unwrap_or(Activity::Empty)
                }
            },
        }
    }

    /// Adds the outermost idle statements of a block.
    fn look(&mut self, statements: &[Statement]) {
        let mut open: Option<Span> = None;
        for statement in statements {
            match self.statement(statement) {
                Activity::Idle => {
                    open = Some(open.map_or(statement.span, |span| span.to(statement.span)));
                }
                Activity::Empty => {}
                Activity::Active => {
                    self.found.extend(open.take());
                    blocks(&statement.kind).into_iter().for_each(|block| self.look(block));
                }
            }
        }
        self.found.extend(open);
    }
}
