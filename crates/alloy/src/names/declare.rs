//! Signatures, fields, functions, facts: declared in the order in which each may refer to others.

use std::rc::Rc;

use quadrille_diagnostic::{Diagnostic, Span};

use super::commands;
use super::context::{Context, Place, lookup};
use super::make::leaf;
use super::modules::Modules;
use super::typed::{Mark, Node, NodeKind, Typed};
use super::types::Type;
use super::world::{
    Belongs, Fact, Field, FieldDecl, FieldId, Function, FunctionId, Sig, SigId, VarId, World,
};
use crate::codes::{CIRCLE, CLASH, IRRELEVANT, NAME, SIG, TYPE};
use crate::syntax::tree::{self, Mult, Name, Parent, Unary};

type Done = Result<(), Diagnostic>;

pub(super) fn declare(mut modules: Modules) -> Result<World, Vec<Diagnostic>> {
    let mut world = built_in();
    let one = |error: Diagnostic| vec![error];
    allocate(&mut world, &mut modules).map_err(one)?;
    parameters(&world, &mut modules).map_err(one)?;
    merge(&world, &mut modules);
    let reached = modules.reachable();
    for &module in &reached {
        let path = modules.all[module].path.clone();
        for (name, sig) in &modules.all[module].sigs {
            let sig_data = &mut world.sigs[sig.index()];
            sig_data.is_used = true;
            sig_data.name = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            world.order.push(*sig);
        }
    }
    belongings(&mut world, &modules, &reached).map_err(one)?;
    let sorted = topological(&world);
    let owner = owners(&modules, &reached);
    for &sig in &sorted {
        fields(&mut world, &modules, owner[sig.index()], sig, false).map_err(one)?;
    }
    signatures_of_functions(&mut world, &mut modules, &reached)?;
    for &sig in &sorted {
        fields(&mut world, &modules, owner[sig.index()], sig, true).map_err(one)?;
    }
    clashes(&world).map_err(one)?;
    let mut asserts = Vec::new();
    let errors = bodies(&mut world, &modules, &reached, &mut asserts);
    if !errors.is_empty() {
        return Err(errors);
    }
    exact_parameters(&mut world, &modules, &reached).map_err(one)?;
    commands::commands(&mut world, &modules, &asserts).map_err(one)?;
    world.modules = Rc::new(modules);
    Ok(world)
}

fn plain_sig(name: &str, belongs: Belongs, this: VarId, ty: Type) -> Sig {
    Sig {
        name: name.to_owned(),
        belongs,
        children: Vec::new(),
        is_abstract: false,
        is_var: false,
        is_private: false,
        is_enum: false,
        mult: None,
        ty,
        decls: Vec::new(),
        fact: None,
        this,
        span: None,
        is_used: true,
    }
}

fn built_in() -> World {
    let mut world = World::default();
    let this = world.new_var("this", Type::EMPTY);
    let known = [
        ("univ", SigId::UNIV, SigId::UNIV),
        ("Int", SigId::INT, SigId::UNIV),
        ("seq/Int", SigId::SEQ, SigId::INT),
        ("String", SigId::STRING, SigId::UNIV),
        ("none", SigId::NONE, SigId::UNIV),
    ];
    for (name, id, parent) in known {
        world.sigs.push(plain_sig(name, Belongs::Prim(parent), this, Type::of(id)));
    }
    world
}

fn allocate(world: &mut World, modules: &mut Modules) -> Done {
    for module in &mut modules.all {
        let tree = module.tree.clone();
        let header = tree.header.iter().flat_map(|header| &header.parameters);
        if module.path.is_empty() {
            // Parameters of the first module are signatures of it.
            for (name, is_exact) in header.clone() {
                let id = SigId(world.sigs.len() as u32);
                let this = world.new_var("this", Type::of(id));
                let mut sig = plain_sig("", Belongs::Prim(SigId::UNIV), this, Type::of(id));
                sig.span = Some(name.span);
                world.sigs.push(sig);
                module.sigs.push((name.text.clone(), id));
                if *is_exact {
                    world.exact.push(id);
                }
            }
            module.parameters.clear();
        }
        let mut taken: Vec<&str> = header.map(|(name, _)| &*name.text).collect();
        for sig in &tree.sigs {
            if taken.contains(&&*sig.name.text) || sig.name.text.contains('/') {
                let message = format!("`{}` is declared twice, or is a path", sig.name.text);
                let diagnostic = Diagnostic::error(&NAME, message).at(sig.name.span, "");
                return Err(diagnostic.help("choose another name"));
            }
            taken.push(&sig.name.text);
            let id = SigId(world.sigs.len() as u32);
            let this = world.new_var("this", Type::of(id));
            let mut data = plain_sig("", Belongs::Prim(SigId::UNIV), this, Type::of(id));
            data.is_abstract = sig.is_abstract;
            data.is_var = sig.is_var;
            data.is_private = sig.is_private;
            data.is_enum = sig.is_enum;
            data.mult = sig.mult;
            data.span = Some(sig.name.span);
            data.is_used = false;
            world.sigs.push(data);
            module.sigs.push((sig.name.text.clone(), id));
        }
    }
    Ok(())
}

/// The one signature with a name.
pub(super) fn sig_named(
    world: &World,
    modules: &Modules,
    module: usize,
    name: &Name,
) -> Result<Option<SigId>, Diagnostic> {
    let built_in = match &*name.text {
        "univ" => Some(SigId::UNIV),
        "Int" => Some(SigId::INT),
        "seq/Int" => Some(SigId::SEQ),
        "String" => Some(SigId::STRING),
        "none" => Some(SigId::NONE),
        _ => None,
    };
    if built_in.is_some() {
        return Ok(built_in);
    }
    let (mut found, _) = lookup(world, modules, module, &name.text);
    let plain = name.text.strip_prefix("this/").unwrap_or(&name.text);
    let parameters = &modules.all[module].parameters;
    if let Some((_, Some(sig))) = parameters.iter().find(|(known, _)| known == plain)
        && !found.contains(sig)
    {
        found.push(*sig);
    }
    match found[..] {
        [] => Ok(None),
        [only] => Ok(Some(only)),
        _ => {
            let message = format!("`{}` may be several signatures", name.text);
            let diagnostic = Diagnostic::error(&NAME, message).at(name.span, "");
            Err(diagnostic.help("write the path of the module before it"))
        }
    }
}

fn known_sig(
    world: &World,
    modules: &Modules,
    module: usize,
    name: &Name,
) -> Result<SigId, Diagnostic> {
    sig_named(world, modules, module, name)?.ok_or_else(|| {
        let message = format!("there is no signature `{}`", name.text);
        let names = modules.nameable(module).into_iter();
        let names: Vec<&str> = names
            .flat_map(|module| modules.all[module].sigs.iter().map(|(name, _)| &**name))
            .collect();
        let diagnostic = Diagnostic::error(&NAME, message).at(name.span, "");
        match quadrille_diagnostic::similar(&name.text, names).first() {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help("declare it, or open the module that does"),
        }
    })
}

/// What parameters of modules stand for, which may be parameters themselves.
fn parameters(world: &World, modules: &mut Modules) -> Done {
    loop {
        let (mut changed, mut missing) = (false, None);
        for at in 0..modules.all.len() {
            for open in 0..modules.all[at].opens.len() {
                let (below, arguments) = {
                    let open = &modules.all[at].opens[open];
                    (open.module, open.arguments.clone())
                };
                for (position, argument) in arguments.iter().enumerate() {
                    let known = modules.all[below].parameters[position].1;
                    match sig_named(world, modules, at, argument)? {
                        None if known.is_none() => missing = Some((at, argument.clone())),
                        Some(SigId::NONE) => {
                            let message = "`none` cannot be given to a module";
                            let error = Diagnostic::error(&SIG, message).at(argument.span, "");
                            return Err(error.help("give a signature with atoms"));
                        }
                        Some(sig) if known.is_none() => {
                            modules.all[below].parameters[position].1 = Some(sig);
                            changed = true;
                        }
                        _ => {}
                    }
                }
            }
        }
        match missing {
            _ if changed => {}
            None => return Ok(()),
            Some((at, argument)) => {
                known_sig(world, modules, at, &argument)?;
                return Ok(());
            }
        }
    }
}

/// Uses of one file with the same parameters are one module.
fn merge(world: &World, modules: &mut Modules) {
    let _ = world;
    loop {
        let reached = modules.reachable();
        let mut found = None;
        'pairs: for (at, &a) in reached.iter().enumerate() {
            for &b in &reached[at + 1..] {
                let (x, y) = (&modules.all[a], &modules.all[b]);
                let same = |x: &[(String, Option<SigId>)], y: &[(String, Option<SigId>)]| {
                    x.iter().zip(y).all(|(x, y)| x.1 == y.1)
                };
                if x.file == y.file && same(&x.parameters, &y.parameters) {
                    found = Some((a, b));
                    break 'pairs;
                }
            }
        }
        let Some((mut keep, mut drop)) = found else { return };
        let rank = |module: usize| {
            let path = &modules.all[module].path;
            (path.contains('$'), path.matches('/').count(), path.clone())
        };
        if keep != 0 && rank(drop) < rank(keep) {
            (keep, drop) = (drop, keep);
        }
        let dropped = modules.all[drop].sigs.clone();
        let kept = modules.all[keep].sigs.clone();
        for module in &mut modules.all {
            for (_, sig) in &mut module.parameters {
                let Some(id) = sig else { continue };
                if let Some((name, _)) = dropped.iter().find(|(_, known)| known == id) {
                    *sig = kept.iter().find(|(known, _)| known == name).map(|(_, sig)| *sig);
                }
            }
            for open in &mut module.opens {
                if open.module == drop {
                    open.module = keep;
                }
            }
        }
    }
}

fn owners(modules: &Modules, reached: &[usize]) -> Vec<usize> {
    let n = modules.all.iter().flat_map(|module| &module.sigs).map(|(_, sig)| sig.index()).max();
    let mut owner = vec![0; n.unwrap_or(0) + 1];
    for &module in reached {
        for (_, sig) in &modules.all[module].sigs {
            owner[sig.index()] = module;
        }
    }
    owner
}

/// The tree of a signature; parameters of the first module have none.
fn tree_of(modules: &Modules, module: usize, sig: SigId) -> Option<&tree::Sig> {
    let module = &modules.all[module];
    let (name, _) = module.sigs.iter().find(|(_, id)| *id == sig)?;
    module.tree.sigs.iter().find(|tree| tree.name.text == *name)
}

fn belongings(world: &mut World, modules: &Modules, reached: &[usize]) -> Done {
    for &module in reached {
        for (_, id) in &modules.all[module].sigs {
            let Some(tree) = tree_of(modules, module, *id) else { continue };
            let belongs = match &tree.parent {
                Parent::None => Belongs::Prim(SigId::UNIV),
                Parent::Extends(name) => {
                    let parent = known_sig(world, modules, module, name)?;
                    if parent.is_built_in() && parent != SigId::UNIV {
                        let message = format!("`{}` cannot be extended", name.text);
                        let error = Diagnostic::error(&SIG, message).at(name.span, "");
                        return Err(error.help("use `in` for a part of it"));
                    }
                    Belongs::Prim(parent)
                }
                Parent::In(names) | Parent::Equals(names) => {
                    if tree.is_abstract {
                        let message = "a subset signature is not `abstract`";
                        let error = Diagnostic::error(&SIG, message).at(tree.name.span, "");
                        return Err(error.help("remove the word, or use `extends`"));
                    }
                    let mut parents = Vec::new();
                    for name in names {
                        let parent = known_sig(world, modules, module, name)?;
                        if !parents.contains(&parent) && parent != SigId::NONE {
                            parents.push(parent);
                        }
                    }
                    if parents.contains(&SigId::UNIV) {
                        parents = vec![SigId::UNIV];
                    }
                    if parents.is_empty() {
                        let message = "a subset signature needs a parent with atoms";
                        let error = Diagnostic::error(&SIG, message).at(tree.name.span, "");
                        return Err(error.help("name another signature than `none`"));
                    }
                    Belongs::Subset(parents, matches!(tree.parent, Parent::Equals(_)))
                }
            };
            world.sigs[id.index()].belongs = belongs;
        }
    }
    let order = world.order.clone();
    for &id in &order {
        circle(world, id, &mut Vec::new())?;
    }
    for &id in &order {
        let span = world.sig(id).span;
        let Belongs::Prim(parent) = world.sig(id).belongs else { continue };
        if parent == SigId::UNIV {
            continue;
        }
        let refuse = |message: String, help: &str| {
            let error = Diagnostic::error(&SIG, message);
            Err(span.map_or(error.clone(), |span| error.at(span, "")).help(help))
        };
        let above = world.sig(parent);
        if matches!(above.belongs, Belongs::Subset(..)) {
            let message = format!("`{}` is a subset signature and cannot be extended", above.name);
            return refuse(message, "use `in`");
        }
        let in_enum = matches!(above.belongs, Belongs::Prim(top) if world.sig(top).is_enum);
        if in_enum {
            let message = format!("`{}` is a literal and cannot be extended", above.name);
            return refuse(message, "declare a signature instead of an enumeration");
        }
        if above.is_enum && world.sig(id).mult != Some(Mult::One) {
            let message = format!("`{}` extends an enumeration, so it is `one`", {
                world.sig(id).name.clone()
            });
            return refuse(message, "write `one sig`");
        }
        world.sigs[parent.index()].children.push(id);
    }
    for &id in &order {
        let ty = type_of(world, id);
        world.sigs[id.index()].ty = ty.clone();
        let this = world.sig(id).this;
        world.vars[this.0 as usize].ty = ty;
        warn_static(world, id);
    }
    Ok(())
}

fn circle(world: &World, id: SigId, path: &mut Vec<SigId>) -> Done {
    if id.is_built_in() {
        return Ok(());
    }
    if path.contains(&id) {
        let message = format!("`{}` belongs to itself in the end", world.sig(id).name);
        let error = Diagnostic::error(&CIRCLE, message);
        let span = world.sig(id).span;
        let error = span.map_or(error.clone(), |span| error.at(span, ""));
        return Err(error.help("remove one `extends` or `in` of the circle"));
    }
    path.push(id);
    match &world.sig(id).belongs {
        Belongs::Prim(parent) => circle(world, *parent, path)?,
        Belongs::Subset(parents, _) => {
            for parent in parents {
                circle(world, *parent, path)?;
            }
        }
    }
    path.pop();
    Ok(())
}

fn type_of(world: &World, id: SigId) -> Type {
    match &world.sig(id).belongs {
        Belongs::Prim(parent) if world.sig(*parent).is_enum => Type::of(*parent),
        Belongs::Prim(_) => Type::of(id),
        Belongs::Subset(parents, _) => {
            let mut ty = Type::EMPTY;
            for parent in parents {
                let above = type_of(world, *parent);
                ty = world.merge(&ty, &above);
            }
            ty
        }
    }
}

fn warn_static(world: &mut World, id: SigId) {
    let sig = world.sig(id);
    let parents = match &sig.belongs {
        Belongs::Prim(parent) => vec![*parent],
        Belongs::Subset(parents, _) => parents.clone(),
    };
    for parent in parents {
        if parent == SigId::UNIV || !world.sig(parent).is_var || world.sig(id).is_var {
            continue;
        }
        let (name, above) = (world.sig(id).name.clone(), world.sig(parent).name.clone());
        let message = format!("`{name}` does not change, and is part of `{above}`, which does");
        let warning = Diagnostic::warning(&IRRELEVANT, message);
        let span = world.sig(id).span;
        let warning = span.map_or(warning.clone(), |span| warning.at(span, ""));
        world.warnings.push(warning.help("write `var sig`"));
    }
}

/// Signatures behind those they belong to.
fn topological(world: &World) -> Vec<SigId> {
    fn visit(world: &World, id: SigId, sorted: &mut Vec<SigId>) {
        if id.is_built_in() || sorted.contains(&id) {
            return;
        }
        match &world.sig(id).belongs {
            Belongs::Prim(parent) => visit(world, *parent, sorted),
            Belongs::Subset(parents, _) => {
                for parent in parents {
                    visit(world, *parent, sorted);
                }
            }
        }
        sorted.push(id);
    }
    let mut sorted = Vec::new();
    for id in world.declared() {
        visit(world, id, &mut sorted);
    }
    sorted
}

fn fields(world: &mut World, modules: &Modules, module: usize, sig: SigId, defined: bool) -> Done {
    let Some(tree) = tree_of(modules, module, sig) else { return Ok(()) };
    let names: Vec<&Name> = tree.fields.iter().flat_map(|decl| &decl.names).collect();
    for (at, name) in names.iter().enumerate() {
        if names[..at].iter().any(|known| known.text == name.text) {
            let message = format!("`{}` has two fields `{}`", tree.name.text, name.text);
            let error = Diagnostic::error(&CLASH, message).at(name.span, "");
            return Err(error.help("rename one of them"));
        }
    }
    for decl in tree.fields.iter().filter(|decl| decl.is_defined == defined) {
        let this = world.sig(sig).this;
        let mut context = Context::new(world, modules, module, Place::Field(sig, defined));
        context.bind("this", this, decl.bound.span);
        let mut bound = context.set(&decl.bound);
        let mut warnings = std::mem::take(&mut context.warnings);
        world.warnings.append(&mut warnings);
        if let Some(error) = &bound.error {
            return Err(Diagnostic::clone(error));
        }
        if bound.mark == Mark::None && bound.ty.arity() == 1 {
            bound = world.unary(Unary::OneOf, &bound, bound.span);
        }
        if bound.ty.arity() > 0 && !bound.ty.has_tuple() {
            let message = "a field cannot be in an empty set or relation";
            let error = Diagnostic::error(&TYPE, message).at(bound.span, "");
            return Err(error.help("name a signature with atoms"));
        }
        let ty = world.product(&world.sig(sig).ty, &bound.ty.as_set());
        let mut ids = Vec::new();
        for name in &decl.names {
            let id = FieldId(world.fields.len() as u32);
            world.fields.push(Field {
                name: name.text.clone(),
                sig,
                is_var: decl.is_var,
                ty: ty.clone(),
                is_private: decl.is_private || world.sig(sig).is_private,
                span: name.span,
            });
            ids.push(id);
        }
        let (disj, disj_range) = (decl.disj, decl.disj_range);
        let decl = FieldDecl { fields: ids, bound, disj, disj_range };
        world.sigs[sig.index()].decls.push(decl);
    }
    Ok(())
}

fn clashes(world: &World) -> Done {
    let used = |field: &Field| world.sig(field.sig).is_used;
    let fields: Vec<&Field> = world.fields.iter().filter(|field| used(field)).collect();
    for (at, field) in fields.iter().enumerate() {
        for other in fields[..at].iter().filter(|other| other.name == field.name) {
            if world.first_column_overlaps(&field.ty, &other.ty) {
                let message = format!("two fields `{}` of signatures that overlap", field.name);
                let error = Diagnostic::error(&CLASH, message).at(field.span, "this one");
                return Err(error.at(other.span, "and this one").help("rename one of them"));
            }
        }
    }
    Ok(())
}

fn signatures_of_functions(
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
        let needs_one = found.mark == Mark::None && found.ty.arity() == 1;
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
pub(super) struct Assert {
    pub(super) module: usize,
    pub(super) name: String,
    pub(super) formula: Typed,
}

fn bodies(
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

pub(super) fn formula_of(
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
        let disjoint = result.ty.has_tuple()
            && found.ty.has_tuple()
            && !world.type_intersects(&found.ty, &result.ty);
        if disjoint {
            let message = format!("what `{}` results in is never what it declares", function.name);
            let warning = Diagnostic::warning(&IRRELEVANT, message).at(found.span, "");
            world.warnings.push(warning.help("look at the result that is declared"));
        }
    }
    let _: &Node = &found;
    Ok(found)
}

/// What is given to `exactly` parameters has exactly as many atoms as its scope says.
fn exact_parameters(world: &mut World, modules: &Modules, reached: &[usize]) -> Done {
    for &module in reached {
        let used = &modules.all[module];
        let header = used.tree.header.iter().flat_map(|header| &header.parameters);
        for ((_, sig), (_, is_exact)) in used.parameters.iter().zip(header) {
            let Some(sig) = *sig else { continue };
            if !is_exact {
                continue;
            }
            if world.sig(sig).is_var {
                let name = world.sig(sig).name.clone();
                let message = format!("`{name}` changes, and is given to a module that forbids it");
                let error = Diagnostic::error(&SIG, message);
                let span: Option<Span> = world.sig(sig).span;
                let error = span.map_or(error.clone(), |span| error.at(span, ""));
                return Err(error.help("give a signature without `var`"));
            }
            if !world.exact.contains(&sig) {
                world.exact.push(sig);
            }
        }
    }
    Ok(())
}

/// The meaning of an expression that stands in no text, in the first module.
pub(super) fn expression(world: &mut World, tree: &tree::Expr) -> Result<Typed, Diagnostic> {
    let modules = Rc::clone(&world.modules);
    let mut context = Context::new(world, &modules, 0, Place::Body);
    let found = context.check(tree);
    let found = match found.ty.is_bool {
        true => context.world.resolve_formula(&found, None),
        false => context.world.resolve_set(&found, None),
    };
    match &found.error {
        Some(error) => Err(Diagnostic::clone(error)),
        None => Ok(found),
    }
}
