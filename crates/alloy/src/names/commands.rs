//! What commands look for, and in which scopes.

use std::rc::Rc;

use quadrille_diagnostic::{Diagnostic, Span};

use super::context::lookup;
use super::declare::{Assert, formula_of, sig_named};
use super::make::leaf;
use super::modules::Modules;
use super::typed::{Mark, Node, NodeKind, Typed};
use super::types::Type;
use super::world::{Belongs, Command, FunctionId, Scope, SigId, SigScope, World};
use crate::codes::{NAME, SCOPE};
use crate::syntax::tree::{self, Binary, Quantifier, Subject, Unary};

pub(super) fn commands(
    world: &mut World,
    modules: &Modules,
    asserts: &[Assert],
) -> Result<(), Diagnostic> {
    let tree = modules.all[0].tree.clone();
    for command in &tree.commands {
        let resolved = one(world, modules, asserts, command)?;
        world.commands.push(resolved);
    }
    if world.commands.is_empty() {
        let source = modules.all[0].source;
        let span = Span::new(source, 0..0);
        let scope = Scope { overall: Some(4), bitwidth: Some(4), seq: Some(4), ..Scope::default() };
        world.commands.push(Command {
            name: "Default".to_owned(),
            is_check: false,
            formula: leaf(NodeKind::Block(Vec::new()), Type::formula(), span),
            scope,
            scope_span: None,
            expect: Some(1),
            span,
        });
    }
    Ok(())
}

fn one(
    world: &mut World,
    modules: &Modules,
    asserts: &[Assert],
    command: &tree::Command,
) -> Result<Command, Diagnostic> {
    let formula = match (&command.subject, command.is_check) {
        (Subject::Block(block), _) => {
            let mut errors = Vec::new();
            let formula = formula_of(world, modules, 0, block, &mut errors);
            match errors.pop() {
                Some(error) => return Err(error),
                None => formula,
            }
        }
        (Subject::Named(name), true) => {
            let reached = modules.nameable(0);
            let (module, rest) = match modules.follow(0, &name.text) {
                Some((module, rest, level)) if level > 0 => (Some(module), rest),
                _ => (None, &*name.text),
            };
            let here = asserts.iter().filter(|assert| {
                assert.name == rest
                    && module.map_or(reached.contains(&assert.module), |it| it == assert.module)
            });
            let here: Vec<&Assert> = here.collect();
            match here[..] {
                [only] => only.formula.clone(),
                _ => {
                    let known = asserts.iter().map(|assert| &*assert.name);
                    return Err(unknown("assertion", name, known.collect(), here.len()));
                }
            }
        }
        (Subject::Named(name), false) => run(world, modules, name)?,
    };
    let formula = match command.is_check {
        true => world.unary(Unary::Not, &formula, formula.span),
        false => formula,
    };
    let name = command.label.as_ref().map(|label| label.text.clone());
    let name = name.unwrap_or_else(|| match &command.subject {
        Subject::Named(name) => name.text.clone(),
        Subject::Block(_) => String::new(),
    });
    let scope = scope(world, modules, &command.scope)?;
    let (is_check, expect, span) = (command.is_check, command.expect, command.span);
    let scope_span = command.scope_span;
    Ok(Command { name, is_check, formula, scope, scope_span, expect, span })
}

fn unknown(what: &str, name: &tree::Name, known: Vec<&str>, n: usize) -> Diagnostic {
    let message = match n {
        0 => format!("there is no {what} `{}`", name.text),
        _ => format!("there are {n} of `{}`", name.text),
    };
    let diagnostic = Diagnostic::error(&NAME, message).at(name.span, "");
    match quadrille_diagnostic::similar(&name.text, known).first() {
        Some(near) if n == 0 => diagnostic.help(format!("did you mean `{near}`?")),
        _ => diagnostic.help("name one that is declared, or write a block"),
    }
}

/// Some arguments for which a predicate holds, or a function has its declared result.
fn run(world: &World, modules: &Modules, name: &tree::Name) -> Result<Typed, Diagnostic> {
    let (_, mut functions) = lookup(world, modules, 0, &name.text);
    let is_own = |id: &FunctionId| modules.all[0].functions.iter().any(|(_, own)| own == id);
    // One of the file itself is meant rather than one that it opens.
    if functions.iter().any(is_own) {
        functions.retain(is_own);
    }
    let [id] = functions[..] else {
        let known = world.functions.iter().map(|function| &*function.name);
        return Err(unknown("predicate or function", name, known.collect(), functions.len()));
    };
    let function = world.function(id);
    let Some(body) = &function.body else {
        return Err(unknown("predicate or function", name, Vec::new(), 0));
    };
    let mut formula = body.clone();
    if let Some(result) = &function.result {
        formula = world.binary(Binary::In, body, result, body.span);
    }
    if !function.decls.is_empty() {
        let kind = NodeKind::Quantified(Quantifier::Some, function.decls.clone(), formula.clone());
        let node = Node {
            kind,
            ty: Type::formula(),
            mark: Mark::None,
            weight: 0,
            span: formula.span,
            error: None,
        };
        formula = Rc::new(node);
    }
    Ok(formula)
}

fn scope(world: &World, modules: &Modules, scope: &tree::Scope) -> Result<Scope, Diagnostic> {
    let mut sigs = Vec::new();
    for item in &scope.sigs {
        let Some(sig) = sig_named(world, modules, 0, &item.sig)? else {
            let known = world.sigs.iter().map(|sig| &*sig.name).collect();
            return Err(unknown("signature", &item.sig, known, 0));
        };
        let refuse = |message: String, help: &str| {
            Err(Diagnostic::error(&SCOPE, message).at(item.sig.span, "").help(help))
        };
        let data = world.sig(sig);
        if data.is_var && !world.is_top(sig) {
            let message = format!("`{}` changes and is not at the top: it has no scope", data.name);
            return refuse(message, "give a scope to the signature above it");
        }
        if data.is_var && item.is_exact {
            let message = format!("`{}` changes: its scope cannot be exact", data.name);
            return refuse(message, "leave out `exactly`");
        }
        if matches!(data.belongs, Belongs::Subset(..)) {
            let message = format!("`{}` is a subset: it has no scope", data.name);
            return refuse(message, "give a scope to the signatures it is in");
        }
        if data.is_enum {
            let message = format!("`{}` is an enumeration: it has no scope", data.name);
            return refuse(message, "remove it from the scope");
        }
        if sig == SigId::STRING && !item.is_exact {
            return refuse("`String` has an exact scope".to_owned(), "write `exactly`");
        }
        sigs.push(SigScope {
            sig,
            is_exact: item.is_exact,
            start: item.start,
            end: item.end,
            increment: item.increment,
            span: item.sig.span,
        });
    }
    let (overall, bitwidth, seq, steps) = (scope.overall, scope.bitwidth, scope.seq, scope.steps);
    Ok(Scope { overall, sigs, bitwidth, seq, steps })
}
