//! A protocol of a `.quad` text as an outline: what stands in the text, not what it unfolds to.

use quadrille_diagnostic::{Sources, Span};
use quadrille_quad::tree::{
    Block, Branch, Expr, ExprKind, File, Indexing, Item, ProtocolItem, Statement, StatementKind,
};
use quadrille_report::{Fragment, FrameOperator, Outline};

/// The outline of the protocol of this name, or of the first; `None` if there is none.
pub(super) fn outline(
    file: &File,
    name: Option<&str>,
    title: &str,
    sources: &Sources,
) -> Option<Outline> {
    let mut protocols = file.items.iter().filter_map(|item| match item {
        Item::Protocol(protocol) => Some(protocol),
        _ => None,
    });
    let protocol = protocols.find(|one| name.is_none_or(|name| one.name.text == name))?;
    let mut writer = Writer { roles: roles(file, protocol, sources), sources };
    let body = writer.block(&protocol.body);
    let shown = writer.roles.iter().map(|(_, shown)| shown.clone()).collect();
    Some(Outline { title: format!("{title}: {}", protocol.name.text), roles: shown, body })
}

/// The roles of the text, then those that are parameters of the protocol: name and lifeline.
fn roles(file: &File, protocol: &ProtocolItem, sources: &Sources) -> Vec<(String, String)> {
    let mut roles = Vec::new();
    for item in &file.items {
        if let Item::Role(name, dimensions) = item {
            let indices: String =
                dimensions.iter().map(|set| format!("[{}]", sources.slice(set.span))).collect();
            roles.push((name.text.clone(), format!("{}{indices}", name.text)));
        }
    }
    let is_role = |type_name: &str| type_name == "role";
    for parameter in &protocol.parameters {
        if parameter.type_name.as_ref().is_some_and(|name| is_role(&name.text)) {
            roles.push((parameter.name.text.clone(), parameter.name.text.clone()));
        }
    }
    roles
}

struct Writer<'a> {
    roles: Vec<(String, String)>,
    sources: &'a Sources,
}

impl Writer<'_> {
    fn block(&mut self, block: &Block) -> Vec<Fragment> {
        block.statements.iter().filter_map(|statement| self.statement(statement)).collect()
    }

    fn statement(&mut self, statement: &Statement) -> Option<Fragment> {
        use FrameOperator::{Alt, Loop, Opt, Par};
        Some(match &statement.kind {
            StatementKind::Message { message, from, to, sync, .. } => {
                let head = Span::new(
                    message.span.source,
                    message.span.range().start..from.span.range().start,
                );
                let text = self.text(head);
                let what = text.strip_suffix("from").map_or(&*text, str::trim_end);
                let indexed: Vec<String> = std::iter::once(from)
                    .chain(to)
                    .filter(|role| !is_plain(role))
                    .map(|role| self.text(role.span))
                    .collect();
                let label = match indexed.is_empty() {
                    true => what.to_owned(),
                    false => format!("{what} ({})", indexed.join(" → ")),
                };
                let to = to.iter().map(|role| self.role(role)).collect();
                Fragment::Message { from: self.role(from), to, label, is_rendezvous: *sync }
            }
            StatementKind::Close { from, .. } => {
                Fragment::Note { role: Some(self.role(from)), label: self.text(statement.span) }
            }
            StatementKind::Does { by, event, .. } => {
                Fragment::Note { role: Some(self.role(by)), label: event.text.clone() }
            }
            StatementKind::Call(..) => {
                Fragment::Note { role: None, label: self.text(statement.span) }
            }
            StatementKind::Either(branches) => {
                let operands = branches.iter().map(|branch| self.branch(branch)).collect();
                Fragment::Frame { operator: Alt, operands }
            }
            StatementKind::Par(blocks) => {
                let operands = blocks.iter().map(|block| (String::new(), self.block(block)));
                Fragment::Frame { operator: Par, operands: operands.collect() }
            }
            StatementKind::Loop(branch) => self.framed(Loop, branch),
            StatementKind::Opt(branch) => self.framed(Opt, branch),
            StatementKind::Forever(block) => {
                let operands = vec![("forever".to_owned(), self.block(block))];
                Fragment::Frame { operator: Loop, operands }
            }
            StatementKind::When(guard, block) => {
                let operands = vec![(format!("when {}", self.text(guard.span)), self.block(block))];
                Fragment::Frame { operator: Opt, operands }
            }
            StatementKind::Indexed { indexing, bindings, branch, .. } => {
                let operator = match indexing {
                    Indexing::For => Loop,
                    Indexing::Choose => Alt,
                    Indexing::Par => Par,
                };
                let ranges: Vec<String> = bindings
                    .iter()
                    .map(|(name, set)| format!("{} in {}", name.text, self.text(set.span)))
                    .collect();
                let (guard, inside) = self.branch(branch);
                let heading = [&ranges.join(", "), &guard[..]].join(" ").trim_end().to_owned();
                Fragment::Frame { operator, operands: vec![(heading, inside)] }
            }
            StatementKind::If(guard, then, otherwise) => {
                let mut operands = vec![(self.text(guard.span), self.block(then))];
                if let Some(block) = otherwise {
                    operands.push(("else".to_owned(), self.block(block)));
                }
                let operator = if operands.len() == 1 { Opt } else { Alt };
                Fragment::Frame { operator, operands }
            }
            StatementKind::Let(..) | StatementKind::State(..) => return None,
        })
    }

    fn framed(&mut self, operator: FrameOperator, branch: &Branch) -> Fragment {
        Fragment::Frame { operator, operands: vec![self.branch(branch)] }
    }

    fn branch(&mut self, branch: &Branch) -> (String, Vec<Fragment>) {
        let guard = branch.when.as_ref().map(|guard| format!("when {}", self.text(guard.span)));
        (guard.unwrap_or_default(), self.block(&branch.body))
    }

    /// The lifeline of a role; a name that is no role gets one of its own.
    fn role(&mut self, role: &Expr) -> usize {
        let name = match &role.kind {
            ExprKind::Name(name, _) => name.clone(),
            _ => self.text(role.span),
        };
        if let Some(known) = self.roles.iter().position(|(known, _)| *known == name) {
            return known;
        }
        self.roles.push((name.clone(), name));
        self.roles.len() - 1
    }

    /// What stands in the text, in one line and without the semicolon.
    fn text(&self, span: Span) -> String {
        let words: Vec<&str> = self.sources.slice(span).split_whitespace().collect();
        words.join(" ").trim_end_matches(';').to_owned()
    }
}

fn is_plain(role: &Expr) -> bool {
    matches!(&role.kind, ExprKind::Name(_, indices) if indices.is_empty())
}
