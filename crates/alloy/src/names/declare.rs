//! Signatures, fields, functions, facts: declared in the order in which each may refer to others.

mod bodies;
mod sigs;

use std::rc::Rc;

use quadrille_diagnostic::{Diagnostic, Span};

use super::commands;
use super::context::{Context, Place, lookup};
use super::modules::Modules;
use super::typed::Typed;
use super::types::Type;
use super::world::{Belongs, Sig, SigId, VarId, World};
use crate::codes::{NAME, SIG};
use crate::syntax::tree::{self, Name};

pub(super) use bodies::{Assert, formula_of};
use bodies::{bodies, signatures_of_functions};
use sigs::{belongings, clashes, fields, topological};

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
