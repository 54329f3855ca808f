//! Functions and predicates, and everything that is said: their bodies, assertions, facts.

use std::rc::Rc;

use quadrille_diagnostic::Diagnostic;

use super::super::context::{Context, Place};
use super::super::make::leaf;
use super::super::modules::Modules;
use super::super::typed::{Mark, Node, NodeKind, Typed};
use super::super::world::{Fact, Function, FunctionId, SigId, World};
use super::tree_of;
use crate::codes::{CLASH, IRRELEVANT, NAME, TYPE};
use crate::syntax::tree::{self, Mult, Name, Unary};

pub(super) fn signatures_of_functions(
    world: &mut World,
    modules: &mut Modules,
    reached: &[usize],
) -> Result<(), Vec<Diagnostic>> {
    // Ids first: what is declared may be called from anywhere.
    let mut errors = Vec::new();
    let mut declared: Vec<(usize, String, Function)> = Vec::new();
    for &module in reached {
        let tree = modules.all[module].tree.clone();
        let path = modules.all[module].path.clone();
        for item in &tree.functions {
            match signature(world, modules, module, &path, item) {
                Ok(function) => declared.push((module, item.name.text.clone(), function)),
                Err(error) => errors.push(error),
            }
        }
    }
    for (module, name, function) in declared {
        let id = FunctionId(world.functions.len() as u32);
        world.functions.push(function);
        modules.all[module].functions.push((name, id));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn signature(
    world: &mut World,
    modules: &Modules,
    module: usize,
    path: &str,
    item: &tree::Function,
) -> Result<Function, Diagnostic> {
    let names: Vec<&Name> = item.parameters.iter().flat_map(|decl| &decl.names).collect();
    for (at, name) in names.iter().enumerate() {
        if names[..at].iter().any(|known| known.text == name.text) {
            let message = format!("`{}` has two parameters `{}`", item.name.text, name.text);
            let error = Diagnostic::error(&CLASH, message).at(name.span, "");
            return Err(error.help("rename one of them"));
        }
    }
    let mut context = Context::new(world, modules, module, Place::Parameters);
    let (mut decls, mut parameters) = (Vec::new(), Vec::new());
    for decl in &item.parameters {
        let typed = context.decl(decl);
        if let Some(error) = &typed.bound.error {
            return Err(Diagnostic::clone(error));
        }
        parameters.extend(typed.vars.iter().copied());
        decls.push(typed);
    }
    let mut result = None;
    if let Some(tree) = &item.result {
        let found = context.set(tree);
        if let Some(error) = &found.error {
            return Err(Diagnostic::clone(error));
        }
        let needs_one = found.mark == Mark::None && found.ty.arity() == Some(1);
        result = Some(match needs_one {
            true => context.world.unary(Unary::OneOf, &found, found.span),
            false => found,
        });
    }
    let mut warnings = std::mem::take(&mut context.warnings);
    world.warnings.append(&mut warnings);
    let name = &item.name.text;
    Ok(Function {
        name: if path.is_empty() { name.clone() } else { format!("{path}/{name}") },
        is_pred: item.result.is_none(),
        is_private: item.is_private,
        decls,
        parameters,
        result,
        body: None,
        span: item.name.span,
        tree: Rc::new(item.clone()),
    })
}

/// An assertion with the module that has it.
pub(in super::super) struct Assert {
    pub(in super::super) module: usize,
    pub(in super::super) name: String,
    pub(in super::super) formula: Typed,
}

pub(super) fn bodies(
    world: &mut World,
    modules: &Modules,
    reached: &[usize],
    asserts: &mut Vec<Assert>,
) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for &module in reached {
        for (_, id) in modules.all[module].functions.clone() {
            match body(world, modules, module, id) {
                Ok(body) => world.functions[id.0 as usize].body = Some(body),
                Err(error) => errors.push(error),
            }
        }
        let tree = modules.all[module].tree.clone();
        for (name, formula) in &tree.asserts {
            if asserts.iter().any(|known| known.module == module && known.name == name.text) {
                let message = format!("there are two assertions `{}`", name.text);
                let error = Diagnostic::error(&NAME, message).at(name.span, "");
                errors.push(error.help("rename one of them"));
            }
            let formula = formula_of(world, modules, module, formula, &mut errors);
            asserts.push(Assert { module, name: name.text.clone(), formula });
        }
        for (_, formula) in &tree.facts {
            let formula = formula_of(world, modules, module, formula, &mut errors);
            world.facts.push(Fact { formula });
        }
        for (_, id) in modules.all[module].sigs.clone() {
            sig_fact(world, modules, module, id, &mut errors);
        }
    }
    errors
}

pub(in super::super) fn formula_of(
    world: &mut World,
    modules: &Modules,
    module: usize,
    tree: &tree::Expr,
    errors: &mut Vec<Diagnostic>,
) -> Typed {
    let mut context = Context::new(world, modules, module, Place::Body);
    let formula = context.formula(tree);
    let mut warnings = std::mem::take(&mut context.warnings);
    world.warnings.append(&mut warnings);
    errors.extend(formula.error.iter().map(|error| Diagnostic::clone(error)));
    formula
}

fn sig_fact(
    world: &mut World,
    modules: &Modules,
    module: usize,
    id: SigId,
    errors: &mut Vec<Diagnostic>,
) {
    let Some(tree) = tree_of(modules, module, id) else { return };
    let Some(fact) = &tree.fact else { return };
    let (is_one, this, ty) = {
        let sig = world.sig(id);
        (sig.mult == Some(Mult::One), sig.this, sig.ty.clone())
    };
    let mut context = Context::new(world, modules, module, Place::SigFact(id));
    let node: Typed = match is_one {
        true => leaf(NodeKind::Sig(id), ty, fact.span),
        false => leaf(NodeKind::Var(this), ty, fact.span),
    };
    context.env.push(("this".to_owned(), node));
    let formula = context.formula(fact);
    let mut warnings = std::mem::take(&mut context.warnings);
    world.warnings.append(&mut warnings);
    errors.extend(formula.error.iter().map(|error| Diagnostic::clone(error)));
    world.sigs[id.index()].fact = Some(formula);
}

fn body(
    world: &mut World,
    modules: &Modules,
    module: usize,
    id: FunctionId,
) -> Result<Typed, Diagnostic> {
    let function = world.function(id).clone();
    let mut context = Context::new(world, modules, module, Place::Body);
    for &parameter in &function.parameters {
        let name = context.world.var(parameter).name.clone();
        context.bind(&name, parameter, function.span);
    }
    let tree = &function.tree.body;
    let found = if function.is_pred { context.formula(tree) } else { context.set(tree) };
    let mut warnings = std::mem::take(&mut context.warnings);
    world.warnings.append(&mut warnings);
    if let Some(error) = &found.error {
        return Err(Diagnostic::clone(error));
    }
    if let Some(result) = &function.result {
        if !found.ty.has_common_arity(&result.ty) {
            let message = format!(
                "`{}` is declared to be {}, and its body is {}",
                function.name,
                world.type_text(&result.ty),
                world.type_text(&found.ty)
            );
            let error = Diagnostic::error(&TYPE, message).at(found.span, "");
            return Err(error.help("give both the same number of columns"));
        }
        let disjoint =
            result.ty.has_tuple() && found.ty.has_tuple() && !found.ty.meets(&result.ty, world);
        if disjoint {
            let message = format!("what `{}` results in is never what it declares", function.name);
            let warning = Diagnostic::warning(&IRRELEVANT, message).at(found.span, "");
            world.warnings.push(warning.help("look at the result that is declared"));
        }
    }
    let _: &Node = &found;
    Ok(found)
}
