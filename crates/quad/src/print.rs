//! The tree as text: one form for every tree, which reads back as the same tree.

use std::fmt::Write;

use super::tree::{
    Assign, Block, Branch, Content, Expr, ExprKind, File, Indexing, Item, Name, Operator, PREFIX,
    Statement, StatementKind,
};

/// The text of a tree.
pub fn print(file: &File) -> String {
    let mut printer = Printer { text: String::new(), indent: 0 };
    for item in &file.items {
        printer.item(item);
    }
    printer.text
}

struct Printer {
    text: String,
    indent: usize,
}

impl Printer {
    fn item(&mut self, item: &Item) {
        match item {
            Item::Parameter(name, value) => {
                self.line(&format!("parameter {} = {};", name.text, expr(value)));
            }
            Item::Enum(name, values) => {
                self.line(&format!("enum {} {{ {} }}", name.text, names(values)));
            }
            Item::Message(message) => {
                let mut line = format!("message {}", message.name.text);
                if !message.fields.is_empty() {
                    let fields = message.fields.iter();
                    let fields =
                        fields.map(|(name, domain)| format!("{}: {}", name.text, expr(domain)));
                    let _ = write!(line, "({})", join(fields));
                }
                if let Some(path) = &message.rust_type {
                    let _ = write!(line, " as {}", path.text);
                }
                self.line(&format!("{line};"));
            }
            Item::Event(name) => self.line(&format!("event {};", name.text)),
            Item::Role(name, dimensions) => {
                self.line(&format!("role {}{};", name.text, brackets(dimensions)));
            }
            Item::Variable(variable) => {
                let name = &variable.name.text;
                let mut line = format!("variable {name}{}", brackets(&variable.dimensions));
                let _ = write!(line, ": {}", expr_at(&variable.domain, super::tree::RANGE));
                if let Some(initial) = &variable.initial {
                    let _ = write!(line, " = {}", expr(initial));
                }
                self.line(&format!("{line};"));
            }
            Item::Protocol(protocol) => {
                let mut head = format!("protocol {}", protocol.name.text);
                if !protocol.parameters.is_empty() {
                    let parameters = protocol.parameters.iter().map(|parameter| {
                        let mut text = parameter.name.text.clone();
                        if let Some(type_name) = &parameter.type_name {
                            let _ = write!(text, ": {}", type_name.text);
                        }
                        if let Some(default) = &parameter.default {
                            let _ = write!(text, " = {}", expr(default));
                        }
                        text
                    });
                    let _ = write!(head, "({})", join(parameters));
                }
                self.block(&head, &protocol.body);
            }
            Item::Property(property) => {
                let mut head = format!("property {}", property.name.text);
                if let Some((protocol, arguments)) = &property.of {
                    let _ = write!(head, " of {}", protocol.text);
                    if !arguments.is_empty() {
                        let _ = write!(head, "({})", join(arguments.iter().map(expr)));
                    }
                }
                if !property.options.is_empty() {
                    let _ = write!(head, " ({})", names(&property.options));
                }
                self.line(&format!("{head}: {};", property.text));
            }
        }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:indent$}{text}", "", indent = 4 * self.indent);
    }

    fn block(&mut self, head: &str, block: &Block) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        block.statements.iter().for_each(|statement| self.statement(statement));
        self.indent -= 1;
        self.line("}");
    }

    fn branch(&mut self, head: &str, branch: &Branch) {
        match &branch.when {
            Some(when) => self.block(&format!("{head} when {}", expr(when)), &branch.body),
            None => self.block(head, &branch.body),
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Message { message, content, from, to, sync, with } => {
                let mut line = message.text.clone();
                if !content.is_empty() {
                    let _ = write!(line, "({})", join(content.iter().map(field)));
                }
                let _ = write!(line, " from {} to {}", expr(from), join(to.iter().map(expr)));
                if *sync {
                    line.push_str(" sync");
                }
                self.line(&format!("{line}{};", assignments(with)));
            }
            StatementKind::Close { from, to } => {
                self.line(&format!("{} closes {};", expr(from), expr(to)));
            }
            StatementKind::Does { by, event, with } => {
                self.line(&format!("{} does {}{};", expr(by), event.text, assignments(with)));
            }
            StatementKind::Call(protocol, arguments) => {
                self.line(&format!("{}({});", protocol.text, join(arguments.iter().map(expr))));
            }
            StatementKind::Either(branches) => {
                for (position, branch) in branches.iter().enumerate() {
                    self.branch(if position == 0 { "either" } else { "or" }, branch);
                }
            }
            StatementKind::Par(parts) => {
                for (position, part) in parts.iter().enumerate() {
                    self.block(if position == 0 { "par" } else { "and" }, part);
                }
            }
            StatementKind::Loop(branch) => self.branch("loop", branch),
            StatementKind::Opt(branch) => self.branch("opt", branch),
            StatementKind::Forever(body) => self.block("repeat forever", body),
            StatementKind::When(condition, body) => {
                self.block(&format!("when {}", expr(condition)), body);
            }
            StatementKind::Indexed { indexing, bindings, filter, branch } => {
                let word = match indexing {
                    Indexing::For => "for",
                    Indexing::Choose => "choose",
                    Indexing::Par => "par for",
                };
                let bindings = bindings.iter();
                let bindings =
                    bindings.map(|(name, set)| format!("{} in {}", name.text, expr(set)));
                let mut head = format!("{word} {}", join(bindings));
                if let Some(filter) = filter {
                    let _ = write!(head, " where {}", expr(filter));
                }
                self.branch(&head, branch);
            }
            StatementKind::If(condition, then, other) => {
                self.block(&format!("if {}", expr(condition)), then);
                match other {
                    Some(Block { statements, .. }) if is_chain(statements) => {
                        let start = self.text.len();
                        self.statement(&statements[0]);
                        let at = start + 4 * self.indent;
                        self.text.insert_str(at, "else ");
                    }
                    Some(other) => self.block("else", other),
                    None => {}
                }
            }
            StatementKind::Let(name, value) => {
                self.line(&format!("let {} = {};", name.text, expr(value)));
            }
            StatementKind::State(label, of) => {
                self.line(&format!("state {} of {};", label.text, join(of.iter().map(expr))));
            }
        }
    }
}

fn is_chain(statements: &[Statement]) -> bool {
    matches!(statements, [Statement { kind: StatementKind::If(..), .. }])
}

fn names(names: &[Name]) -> String {
    join(names.iter().map(|name| name.text.clone()))
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

fn brackets(indices: &[Expr]) -> String {
    indices.iter().map(|index| format!("[{}]", expr(index))).collect()
}

fn field(content: &Content) -> String {
    match content {
        Content::Value(value) => expr(value),
        Content::Any(None, _) => "any".to_owned(),
        Content::Any(Some(name), _) => format!("any {}", name.text),
    }
}

fn assignments(with: &[Assign]) -> String {
    if with.is_empty() {
        return String::new();
    }
    let all =
        with.iter().map(|Assign { target, value }| format!("{} := {}", expr(target), expr(value)));
    format!(" with {}", join(all))
}

/// An expression as text.
fn expr(expr: &Expr) -> String {
    expr_at(expr, 0)
}

/// An expression as text, in parentheses unless it binds at least as tightly as `level`.
fn expr_at(expr: &Expr, level: u32) -> String {
    let (text, own) = match &expr.kind {
        ExprKind::Number(number) => (number.to_string(), PREFIX),
        ExprKind::Bool(value) => (value.to_string(), PREFIX),
        ExprKind::Name(name, indices) => (format!("{name}{}", brackets(indices)), PREFIX),
        ExprKind::Every => ("*".to_owned(), PREFIX),
        ExprKind::Set(parts) => (format!("{{{}}}", join(parts.iter().map(self::expr))), PREFIX),
        ExprKind::Not(inner) => (format!("not {}", expr_at(inner, super::tree::COMPARISON)), 0),
        ExprKind::Negate(inner) => (format!("-{}", expr_at(inner, PREFIX)), PREFIX),
        ExprKind::Binary(operator, left, right) => binary(*operator, left, right),
        ExprKind::If(test, then, other) => {
            let text = format!(
                "if {} then {} else {}",
                self::expr(test),
                self::expr(then),
                self::expr(other)
            );
            (text, 0)
        }
        ExprKind::Call(name, arguments) => {
            (format!("{}({})", name.text, join(arguments.iter().map(self::expr))), PREFIX)
        }
    };
    if own < level { format!("({text})") } else { text }
}

fn binary(operator: Operator, left: &Expr, right: &Expr) -> (String, u32) {
    let level = operator.level();
    let associates = !matches!(level, super::tree::COMPARISON | super::tree::RANGE);
    let left = expr_at(left, if associates { level } else { level + 1 });
    let right = expr_at(right, level + 1);
    let text = match operator {
        Operator::Range | Operator::RangeInclusive => format!("{left}{}{right}", operator.text()),
        _ => format!("{left} {} {right}", operator.text()),
    };
    (text, level)
}
